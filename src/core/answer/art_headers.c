
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/form/art_pair.h"
#include "core/answer/art_headers.h"


/* attr-char of RFC 8187, section 3.2.1, besides letters and digits */

#define ART_DISPOSITION_ATTR  "!#$&+-.^_`|~"


static int art_precondition_any(art_str_t value);
static int art_precondition_list(art_str_t value, art_str_t etag, unsigned weak,
    unsigned *found);
static const uint8_t *art_precondition_tag(const uint8_t *p,
    const uint8_t *end);
static int art_precondition_same(art_str_t a, art_str_t b, unsigned weak);
static const uint8_t *art_precondition_space(const uint8_t *p,
    const uint8_t *end);


void
art_disposition(art_out_t *out, art_str_t name, unsigned attachment)
{
    size_t    i;
    uint8_t   c;
    unsigned  plain;

    art_out_cstr(out, attachment ? "attachment" : "inline");

    if (name.len == 0) {
        return;
    }

    art_out_cstr(out, "; filename=\"");
    plain = 1;

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        /*
         * "%" and the quoted characters are read differently by different
         * clients (RFC 6266 appendix D), so they are left to filename*
         */

        if (c >= 0x80 || c == '"' || c == '%') {
            plain = 0;

            /* one "_" per character: its continuation bytes are dropped */

            if ((c & 0xc0) != 0x80) {
                art_out_char(out, '_');
            }

            continue;
        }

        art_out_char(out, c == '/' || c == '\\' ? '_' : c);
    }

    art_out_char(out, '"');

    if (plain) {
        return;
    }

    art_out_cstr(out, "; filename*=UTF-8''");

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (c == '/' || c == '\\') {
            c = '_';
        }

        art_percent_encode(out, art_str(&c, 1), ART_DISPOSITION_ATTR);
    }
}


art_str_t
art_disposition_name(art_str_t value, uint8_t *dst)
{
    size_t     i;
    art_str_t  name, filename;

    art_param_names(value, dst, 0, &name, &filename);

    if (filename.len == 0) {
        return art_str(dst, 0);
    }

    /* RFC 6266 section 4.3: only the last component counts */

    for (i = filename.len; i > 0; i--) {
        if (filename.data[i - 1] == '/' || filename.data[i - 1] == '\\') {
            break;
        }
    }

    return art_str(filename.data + i, filename.len - i);
}


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
 * Reads a list (RFC 9110, section 5.6.1: empty elements are ignored) to the
 * end, even after a match: a later fault still makes it malformed.
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


/* The end of an entity tag (RFC 9110, section 8.8.3), NULL without one. */

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
