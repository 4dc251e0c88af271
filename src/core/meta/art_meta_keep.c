
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdio.h>
#include <stdlib.h>

#include "core/meta/art_meta_int.h"


/* Digits of a double: enough for usual numbers, and for any (IEEE 754). */

#define ART_META_DIGITS_MIN  15
#define ART_META_DIGITS_MAX  17


static unsigned art_meta_digits(json_t *node);
static unsigned art_meta_real_digits(double value);


int
art_meta_keep(art_meta_t *out, json_t *const nodes[ART_META_NTEXTS])
{
    size_t      i, size, lens[ART_META_NTEXTS];
    uint8_t    *p, *memory;
    art_str_t   value;

    /* one byte more, since a record may be empty */

    size = 1;

    for (i = 0; i < ART_META_NSTRINGS; i++) {
        size += art_meta_get(out, i).len;
    }

    for (i = 0; i < ART_META_NTEXTS; i++) {
        lens[i] = nodes[i] ? art_meta_dump(nodes[i], NULL, 0, JSON_COMPACT)
                           : 0;

        if (nodes[i] != NULL && lens[i] == 0) {
            return ART_ERROR;
        }

        size += lens[i];
    }

    memory = malloc(size);
    if (memory == NULL) {
        return ART_ERROR;
    }

    p = memory;

    for (i = 0; i < ART_META_NSTRINGS; i++) {
        value = art_meta_get(out, i);

        if (value.data != NULL) {
            memcpy(p, value.data, value.len);
            art_meta_set(out, i, art_str(p, value.len));
            p += value.len;
        }
    }

    for (i = 0; i < ART_META_NTEXTS; i++) {
        if (nodes[i] == NULL) {
            continue;
        }

        if (art_meta_dump(nodes[i], p, lens[i], JSON_COMPACT) != lens[i]) {
            free(memory);
            return ART_ERROR;
        }

        art_meta_set(out, ART_META_NSTRINGS + i, art_str(p, lens[i]));
        p += lens[i];
    }

    out->memory = memory;
    out->memory_len = size;

    return ART_OK;
}


int
art_meta_copy(art_meta_t *meta, size_t room)
{
    size_t      i, size;
    uint8_t    *p;
    art_str_t   value;

    size = room + 1;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        size += art_meta_get(meta, i).len;
    }

    p = malloc(size);

    if (p == NULL) {
        memset(meta, 0, sizeof(art_meta_t));
        return ART_ERROR;
    }

    meta->memory = p;
    meta->memory_len = size;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_get(meta, i);

        if (value.data != NULL) {
            memcpy(p, value.data, value.len);
            art_meta_set(meta, i, art_str(p, value.len));
            p += value.len;
        }
    }

    return ART_OK;
}


size_t
art_meta_dump(json_t *node, uint8_t *dst, size_t room, size_t flags)
{
    return json_dumpb(node, (char *) dst, room,
                      flags|JSON_REAL_PRECISION(art_meta_digits(node)));
}


/*
 * The number of decimal digits with which every real number in "node" reads
 * back as the same double.  jansson always uses 17, which turns 0.1 into
 * 0.10000000000000001.
 */

static unsigned
art_meta_digits(json_t *node)
{
    size_t       i;
    json_t      *value;
    unsigned     digits, most;
    const char  *key;

    if (json_is_real(node)) {
        return art_meta_real_digits(json_real_value(node));
    }

    most = ART_META_DIGITS_MIN;

    json_array_foreach(node, i, value) {
        digits = art_meta_digits(value);
        most = digits > most ? digits : most;
    }

    json_object_foreach(node, key, value) {
        digits = art_meta_digits(value);
        most = digits > most ? digits : most;
    }

    return most;
}


static unsigned
art_meta_real_digits(double value)
{
    char      text[64];
    unsigned  digits;

    for (digits = ART_META_DIGITS_MIN; digits < ART_META_DIGITS_MAX; digits++)
    {
        snprintf(text, sizeof(text), "%.*g", (int) digits, value);

        if (strtod(text, NULL) == value) {
            break;
        }
    }

    return digits;
}
