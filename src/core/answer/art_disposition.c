
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/answer/art_disposition.h"


/* attr-char of RFC 8187, section 3.2.1, besides letters and digits */

#define ART_DISPOSITION_ATTR  "!#$&+-.^_`|~"


static int art_disposition_next(art_str_t *rest, art_str_t *key,
    art_str_t *value);
static size_t art_disposition_quoted(art_str_t *rest, uint8_t *dst);
static size_t art_disposition_extended(art_str_t value, uint8_t *dst);


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

            /* one "_" for a character: its continuation bytes are dropped */

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
    size_t     i, len;
    art_str_t  key, text, rest;

    len = 0;
    rest = value;

    while (len == 0 && art_disposition_next(&rest, &key, &text)) {
        if (art_str_is(key, "filename*")) {
            len = art_disposition_extended(text, dst);
        }
    }

    rest = value;

    while (len == 0 && art_disposition_next(&rest, &key, &text)) {
        if (art_str_is(key, "filename")) {
            len = art_disposition_quoted(&text, dst);
        }
    }

    /* RFC 6266 section 4.3: only the last component counts */

    for (i = len; i > 0; i--) {
        if (dst[i - 1] == '/' || dst[i - 1] == '\\') {
            break;
        }
    }

    return art_str(dst + i, len - i);
}


/* Splits the next parameter off; "value" keeps its quotes. */

static int
art_disposition_next(art_str_t *rest, art_str_t *key, art_str_t *value)
{
    size_t          quotes;
    const uint8_t  *p, *end, *start;

    p = rest->data;
    end = p + rest->len;

    while (p < end && *p != ';') {
        p++;
    }

    for ( /* void */ ; p < end && (*p == ';' || *p == ' ' || *p == '\t'); p++) {
        /* void */
    }

    if (p == end) {
        return 0;
    }

    for (start = p; p < end && *p != '=' && *p != ';'; p++) {
        /* void */
    }

    *key = art_str(start, (size_t) (p - start));

    while (key->len > 0 && key->data[key->len - 1] == ' ') {
        key->len--;
    }

    if (p < end && *p == '=') {
        p++;
    }

    while (p < end && *p == ' ') {
        p++;
    }

    quotes = 0;

    for (start = p; p < end && (*p != ';' || quotes == 1); p++) {

        if (*p == '"') {
            quotes++;

        } else if (*p == '\\' && quotes == 1 && p + 1 < end) {
            p++;
        }
    }

    *value = art_str(start, (size_t) (p - start));
    *rest = art_str(p, (size_t) (end - p));

    return 1;
}


/* A quoted string without its quotes, or a token. */

static size_t
art_disposition_quoted(art_str_t *rest, uint8_t *dst)
{
    size_t          n;
    const uint8_t  *p, *end;

    n = 0;
    p = rest->data;
    end = p + rest->len;

    if (rest->len == 0) {
        return 0;
    }

    if (*p != '"') {

        while (p < end && *p != ' ') {
            dst[n++] = *p++;
        }

        return n;
    }

    for (p++; p < end && *p != '"'; p++) {

        if (*p == '\\' && p + 1 < end) {
            p++;
        }

        dst[n++] = *p;
    }

    return n;
}


/* UTF-8'language'percent-encoded; 0 for another charset or a bad escape. */

static size_t
art_disposition_extended(art_str_t value, uint8_t *dst)
{
    size_t          n, len;
    const uint8_t  *p, *end, *space;

    if (value.len < 7 || !art_str_is(art_str(value.data, 5), "utf-8")
        || value.data[5] != '\'')
    {
        return 0;
    }

    end = value.data + value.len;
    p = memchr(value.data + 6, '\'', value.len - 6);

    if (p == NULL) {
        return 0;
    }

    p++;
    len = (size_t) (end - p);
    space = len > 0 ? memchr(p, ' ', len) : NULL;

    if (space != NULL) {
        len = (size_t) (space - p);
    }

    return art_percent_decode(dst, &n, art_str(p, len)) == ART_OK ? n : 0;
}
