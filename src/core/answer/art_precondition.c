
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_precondition.h"


static int art_precondition_list(art_str_t value, art_str_t etag, unsigned weak,
    unsigned *found);
static const uint8_t *art_precondition_tag(const uint8_t *p,
    const uint8_t *end);
static int art_precondition_same(art_str_t a, art_str_t b, unsigned weak);
static const uint8_t *art_precondition_space(const uint8_t *p,
    const uint8_t *end);
static int art_precondition_any(art_str_t value);


int
art_precondition_holds(art_precondition_t kind, const art_str_t *values,
    unsigned nvalues, unsigned exists, art_str_t etag)
{
    unsigned  i, found, weak;

    if (nvalues == 0) {
        return 1;
    }

    weak = (kind == ART_IF_NONE_MATCH);
    found = 0;

    if (nvalues == 1 && art_precondition_any(values[0])) {
        found = 1;

    } else {
        for (i = 0; i < nvalues; i++) {
            if (art_precondition_list(values[i], etag, weak,
                                      &found) != ART_OK) {
                return 0;
            }
        }
    }

    found = found && exists;

    return kind == ART_IF_MATCH ? found != 0 : found == 0;
}


/* "*", with white space around it. */

static int
art_precondition_any(art_str_t value)
{
    const uint8_t  *p, *end;

    end = value.data + value.len;
    p = art_precondition_space(value.data, end);

    return p < end && *p == '*' && art_precondition_space(p + 1, end) == end;
}


/*
 * Reads a list (RFC 9110, section 5.6.1: empty elements count for nothing),
 * to the end even after a match: what is malformed later is malformed too.
 */

static int
art_precondition_list(art_str_t value, art_str_t etag, unsigned weak,
    unsigned *found)
{
    const uint8_t  *p, *end, *tag;

    p = value.data;
    end = p + value.len;

    for ( ;; ) {
        p = art_precondition_space(p, end);

        if (p == end) {
            return ART_OK;
        }

        if (*p != ',') {
            tag = p;
            p = art_precondition_tag(p, end);

            if (p == NULL) {
                return ART_ERROR;
            }

            if (art_precondition_same(art_str(tag, (size_t) (p - tag)), etag,
                                      weak))
            {
                *found = 1;
            }

            p = art_precondition_space(p, end);

            if (p == end) {
                return ART_OK;
            }

            if (*p != ',') {
                return ART_ERROR;
            }
        }

        p++;
    }
}


/* The end of an entity tag (RFC 9110, section 8.8.3), NULL if it is none. */

static const uint8_t *
art_precondition_tag(const uint8_t *p, const uint8_t *end)
{
    if (end - p >= 2 && p[0] == 'W' && p[1] == '/') {
        p += 2;
    }

    if (p == end || *p != '"') {
        return NULL;
    }

    for (p++; p < end; p++) {

        if (*p == '"') {
            return p + 1;
        }

        if (*p <= 0x20 || *p == 0x7f) {
            return NULL;
        }
    }

    return NULL;
}


static int
art_precondition_same(art_str_t a, art_str_t b, unsigned weak)
{
    unsigned    i;
    art_str_t  *tag;

    for (i = 0; i < 2; i++) {
        tag = i == 0 ? &a : &b;

        if (tag->len < 2 || tag->data[0] != 'W') {
            continue;
        }

        if (!weak) {
            return 0;
        }

        tag->data += 2;
        tag->len -= 2;
    }

    return art_str_eq(a, b);
}


static const uint8_t *
art_precondition_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return p;
}
