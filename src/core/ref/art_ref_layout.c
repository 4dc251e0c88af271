
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/ref/art_ref_layout.h"


static const char  art_ref_layout_digits[] = "0123456789abcdef";


int
art_ref_layout_parse(art_str_t text, art_ref_layout_t *layout)
{
    size_t  i;

    memset(layout, 0, sizeof(art_ref_layout_t));

    if (art_str_eq(text, art_cstr("flat"))) {
        return ART_OK;
    }

    for (i = 0; i < text.len; i += 2) {

        if (layout->n == ART_REF_LAYOUT_LEVELS
            || text.data[i] < '1'
            || text.data[i] > '0' + ART_REF_LAYOUT_WIDTH
            || (i + 1 < text.len && text.data[i + 1] != ':'))
        {
            return ART_ERROR;
        }

        layout->width[layout->n++] = (uint8_t) (text.data[i] - '0');
    }

    /* an error if the text is empty or ends with a colon */

    return i == text.len + 1 ? ART_OK : ART_ERROR;
}


/* Binary numbers: one layout without levels, two with one, four with two .. */

int
art_ref_layout_any(unsigned i, art_ref_layout_t *layout)
{
    memset(layout, 0, sizeof(art_ref_layout_t));

    for (i++; i > 1; i >>= 1) {

        if (layout->n == ART_REF_LAYOUT_LEVELS) {
            return ART_ERROR;
        }

        layout->width[layout->n++] = (uint8_t) (1 + (i & 1));
    }

    return ART_OK;
}


size_t
art_ref_layout_len(const art_ref_layout_t *layout)
{
    size_t    len;
    unsigned  i;

    len = 0;

    for (i = 0; i < layout->n; i++) {
        len += layout->width[i] + 1u;
    }

    return len;
}


size_t
art_ref_layout_place(const art_ref_layout_t *layout,
    const uint8_t hash[ART_REF_LAYOUT_HASH], uint8_t *buf)
{
    size_t    len;
    unsigned  i, number, shift;

    /* the last six digits of the hash: no layout uses more */

    number = (unsigned) hash[ART_REF_LAYOUT_HASH - 3] << 16
             | (unsigned) hash[ART_REF_LAYOUT_HASH - 2] << 8
             | hash[ART_REF_LAYOUT_HASH - 1];

    len = 0;

    for (i = 0; i < layout->n; i++) {
        shift = 4u * layout->width[i];

        len += art_ref_layout_name(layout, i, number & ((1u << shift) - 1),
                                   buf + len);
        buf[len++] = '/';

        number >>= shift;
    }

    return len;
}


int
art_ref_layout_number(const art_ref_layout_t *layout, unsigned level,
    art_str_t name)
{
    int          number;
    size_t       i;
    const char  *digit;

    if (name.len != layout->width[level]) {
        return -1;
    }

    number = 0;

    for (i = 0; i < name.len; i++) {
        digit = memchr(art_ref_layout_digits, name.data[i], 16);

        if (digit == NULL) {
            return -1;
        }

        number = number * 16 + (int) (digit - art_ref_layout_digits);
    }

    return number;
}


size_t
art_ref_layout_name(const art_ref_layout_t *layout, unsigned level,
    unsigned number, uint8_t *buf)
{
    size_t  i;

    for (i = layout->width[level]; i > 0; i--) {
        buf[i - 1] = (uint8_t) art_ref_layout_digits[number & 15];
        number >>= 4;
    }

    return layout->width[level];
}
