
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"


#define ART_JSON_DEPTH_MAX  2048     /* as in jansson */


static int art_json_begin(art_json_members_t *members, art_str_t text,
    uint8_t open);
static int art_json_more(art_json_members_t *members, uint8_t close);
static int art_json_take(art_json_members_t *members, art_str_t *value);
static const uint8_t *art_json_value(const uint8_t *p, const uint8_t *end);
static const uint8_t *art_json_string_end(const uint8_t *p,
    const uint8_t *end);
static int art_json_key_is(const uint8_t *p, const uint8_t *end,
    art_str_t key);
static size_t art_json_key_char(const uint8_t *p, const uint8_t *end,
    uint8_t *utf8, size_t *len);
static int art_json_hex4(const uint8_t *p, const uint8_t *end,
    unsigned *code);


int
art_json_find(art_str_t object, const art_str_t *keys, unsigned nkeys,
    art_str_t *values)
{
    int                  rc;
    unsigned             i;
    art_str_t            key, value;
    art_json_members_t   members;

    for (i = 0; i < nkeys; i++) {
        values[i] = art_str(NULL, 0);
    }

    if (art_json_members(&members, object) != ART_OK) {
        return ART_ERROR;
    }

    while ((rc = art_json_next(&members, &key, &value)) == 1) {

        for (i = 0; i < nkeys; i++) {
            if (art_json_key_is(key.data, key.data + key.len, keys[i])) {
                values[i] = value;
            }
        }
    }

    return rc;
}


int
art_json_members(art_json_members_t *members, art_str_t object)
{
    return art_json_begin(members, object, '{');
}


int
art_json_elements(art_json_members_t *elements, art_str_t array)
{
    return art_json_begin(elements, array, '[');
}


static int
art_json_begin(art_json_members_t *members, art_str_t text, uint8_t open)
{
    members->end = text.data + text.len;
    members->p = art_json_space(text.data, members->end);
    members->first = 1;

    if (members->p == members->end || *members->p != open) {
        return ART_ERROR;
    }

    members->p++;

    return ART_OK;
}


int
art_json_next(art_json_members_t *members, art_str_t *key, art_str_t *value)
{
    int             rc;
    const uint8_t  *p, *end, *start;

    rc = art_json_more(members, '}');

    if (rc != 1) {
        return rc;
    }

    end = members->end;
    p = members->p;

    if (p == end || *p != '"') {
        return ART_ERROR;
    }

    start = p + 1;
    p = art_json_string_end(start, end);

    if (p == NULL) {
        return ART_ERROR;
    }

    *key = art_str(start, (size_t) (p - start));
    p = art_json_space(p + 1, end);

    if (p == end || *p != ':') {
        return ART_ERROR;
    }

    members->p = art_json_space(p + 1, end);

    return art_json_take(members, value);
}


int
art_json_element(art_json_members_t *elements, art_str_t *value)
{
    int  rc;

    rc = art_json_more(elements, ']');

    return rc == 1 ? art_json_take(elements, value) : rc;
}


/* Advances to the next member or element; 0 if there are no more. */

static int
art_json_more(art_json_members_t *members, uint8_t close)
{
    const uint8_t  *p, *end;

    end = members->end;
    p = art_json_space(members->p, end);

    if (p < end && *p == close) {
        return art_json_space(p + 1, end) == end ? 0 : ART_ERROR;
    }

    if (!members->first) {

        if (p == end || *p != ',') {
            return ART_ERROR;
        }

        p = art_json_space(p + 1, end);
    }

    members->first = 0;
    members->p = p;

    return 1;
}


static int
art_json_take(art_json_members_t *members, art_str_t *value)
{
    const uint8_t  *p;

    p = art_json_value(members->p, members->end);

    if (p == NULL) {
        return ART_ERROR;
    }

    *value = art_str(members->p, (size_t) (p - members->p));
    members->p = p;

    return 1;
}


int
art_json_key(art_str_t key, uint8_t *buf, size_t room, art_str_t *out)
{
    size_t          n, len, size;
    uint8_t         utf8[4];
    const uint8_t  *p, *end;

    if (memchr(key.data, '\\', key.len) == NULL) {
        *out = key;
        return key.len <= room ? ART_OK : ART_ERROR;
    }

    size = 0;
    end = key.data + key.len;

    for (p = key.data; p < end; p += n) {
        n = art_json_key_char(p, end, utf8, &len);

        if (n == 0 || room - size < len) {
            return ART_ERROR;
        }

        memcpy(buf + size, utf8, len);
        size += len;
    }

    *out = art_str(buf, size);

    return ART_OK;
}


/* The end of the value at "p": matches brackets and skips strings. */

static const uint8_t *
art_json_value(const uint8_t *p, const uint8_t *end)
{
    unsigned        depth;
    const uint8_t  *start;

    depth = 0;
    start = p;

    while (p < end) {

        switch (*p) {

        case '"':
            p = art_json_string_end(p + 1, end);

            if (p == NULL) {
                return NULL;
            }

            p++;
            break;

        case '{':
        case '[':
            if (++depth > ART_JSON_DEPTH_MAX) {
                return NULL;
            }

            p++;
            continue;

        case '}':
        case ']':
            if (depth == 0) {
                return p > start ? p : NULL;
            }

            depth--;
            p++;
            break;

        case ',':
            if (depth == 0) {
                return p > start ? p : NULL;
            }

            /* fall through */

        default:
            p++;
            continue;
        }

        /* a string or a closing bracket ends a value of its own level */

        if (depth == 0) {
            return p;
        }
    }

    return NULL;
}


/* The closing quote of the string that starts at "p", or NULL. */

static const uint8_t *
art_json_string_end(const uint8_t *p, const uint8_t *end)
{
    size_t          slashes;
    const uint8_t  *quote, *q;

    for (quote = p; quote < end; quote++) {
        quote = memchr(quote, '"', (size_t) (end - quote));

        if (quote == NULL) {
            return NULL;
        }

        slashes = 0;

        for (q = quote; q > p && q[-1] == '\\'; q--) {
            slashes++;
        }

        if (slashes % 2 == 0) {
            return quote;
        }
    }

    return NULL;
}


/* Compares a key that may have escapes with a plain one. */

static int
art_json_key_is(const uint8_t *p, const uint8_t *end, art_str_t key)
{
    size_t    i, n, len;
    uint8_t   utf8[4];

    n = (size_t) (end - p);

    if (memchr(p, '\\', n) == NULL) {
        return art_str_eq(art_str(p, n), key);
    }

    for (i = 0; p < end; p += n, i += len) {

        n = art_json_key_char(p, end, utf8, &len);

        if (n == 0 || key.len - i < len
            || memcmp(key.data + i, utf8, len) != 0)
        {
            return 0;
        }
    }

    return i == key.len;
}


/*
 * Writes a byte of a key, or an escape (RFC 8259 section 7) as UTF-8; returns
 * its length in the key, 0 if it is malformed.
 */

static size_t
art_json_key_char(const uint8_t *p, const uint8_t *end, uint8_t *utf8,
    size_t *len)
{
    size_t       n;
    unsigned     code, low;
    const char  *at;

    static const char  from[] = "\"\\/bfnrt";
    static const char  to[] = "\"\\/\b\f\n\r\t";

    if (*p != '\\') {
        utf8[0] = *p;
        *len = 1;
        return 1;
    }

    if (end - p < 2) {
        return 0;
    }

    at = p[1] != '\0' ? strchr(from, p[1]) : NULL;

    if (at != NULL) {
        utf8[0] = (uint8_t) to[at - from];
        *len = 1;
        return 2;
    }

    if (p[1] != 'u' || art_json_hex4(p + 2, end, &code) != ART_OK) {
        return 0;
    }

    n = 6;

    if (art_utf16_is_high(code)) {

        if (end - p < 12 || p[6] != '\\' || p[7] != 'u'
            || art_json_hex4(p + 8, end, &low) != ART_OK
            || !art_utf16_is_low(low))
        {
            return 0;
        }

        code = art_utf16_pair(code, low);
        n = 12;
    }

    *len = art_utf8_encode(utf8, code);

    return n;
}


static int
art_json_hex4(const uint8_t *p, const uint8_t *end, unsigned *code)
{
    int       digit;
    unsigned  i;

    if (end - p < 4) {
        return ART_ERROR;
    }

    *code = 0;

    for (i = 0; i < 4; i++) {
        digit = art_char_hex(p[i]);

        if (digit < 0) {
            return ART_ERROR;
        }

        *code = *code << 4 | (unsigned) digit;
    }

    return ART_OK;
}
