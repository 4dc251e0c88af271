
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The names of capabilities.
 */


#include "core/capability/art_capability.h"


static const struct {
    art_str_t  name;
    unsigned   bit;
} art_cap_names[] = {
    { art_string("text"), ART_CAP_TEXT },
    { art_string("vision"), ART_CAP_VISION },
    { art_string("audio"), ART_CAP_AUDIO },
    { art_string("video"), ART_CAP_VIDEO },
    { art_string("file"), ART_CAP_FILE },
    { art_string("pdf"), ART_CAP_PDF }
};


static int art_capability_word(art_str_t *list, art_str_t *word);
static unsigned art_capability_word_bit(art_str_t word);


unsigned
art_capability_bit(art_str_t name)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_cap_names); i++) {
        if (art_str_eq(art_cap_names[i].name, name)) {
            return art_cap_names[i].bit;
        }
    }

    return 0;
}


art_str_t
art_capability_name(unsigned bit)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_cap_names); i++) {
        if (art_cap_names[i].bit == bit) {
            return art_cap_names[i].name;
        }
    }

    return art_str(NULL, 0);
}


unsigned
art_capability_parse(art_str_t list)
{
    unsigned   bits;
    art_str_t  word;

    bits = 0;

    while (art_capability_word(&list, &word)) {
        bits |= art_capability_word_bit(word);
    }

    return bits;
}


int
art_capability_unknown(art_str_t *list, art_str_t *word)
{
    while (art_capability_word(list, word)) {
        if (art_capability_word_bit(*word) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Takes the next word off a list; returns 0 at the end of the list. */

static int
art_capability_word(art_str_t *list, art_str_t *word)
{
    size_t   i;
    uint8_t  c;

    *word = art_str(NULL, 0);

    if (list->len == 0) {
        return 0;
    }

    for (i = 0; i < list->len; i++) {
        c = list->data[i];

        if (c != ',' && c != ' ' && (c < '\t' || c > '\r')) {

            if (word->len == 0) {
                word->data = list->data + i;
            }

            word->len++;

        } else if (word->len > 0) {
            break;
        }
    }

    list->data += i;
    list->len -= i;

    return word->len > 0;
}


static unsigned
art_capability_word_bit(art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_cap_names); i++) {
        if (art_str_is(word, (const char *) art_cap_names[i].name.data)) {
            return art_cap_names[i].bit;
        }
    }

    return 0;
}


int
art_capability_has(const art_caps_t *caps, art_str_t name)
{
    unsigned  i;

    for (i = 0; i < caps->nnames; i++) {
        if (art_str_eq(caps->names[i], name)) {
            return 1;
        }
    }

    return 0;
}
