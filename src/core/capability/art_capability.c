
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
    size_t    i, n;
    uint8_t   name[8], c;
    unsigned  bits;

    n = 0;
    bits = 0;

    for (i = 0; i <= list.len; i++) {
        c = i < list.len ? list.data[i] : ',';

        if (c != ',' && c != ' ' && (c < '\t' || c > '\r')) {

            /* all the names are shorter than the buffer */

            if (n < sizeof(name)) {
                name[n++] = art_char_lower(c);
            }

            continue;
        }

        bits |= art_capability_bit(art_str(name, n));
        n = 0;
    }

    return bits;
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
