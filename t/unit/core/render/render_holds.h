
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random contents, and whether an answer holds one, for the tests of
 * art_render.
 */


#ifndef ART_RENDER_HOLDS_H_INCLUDED_
#define ART_RENDER_HOLDS_H_INCLUDED_


#include <jansson.h>

#include "core/text/naive_utf8.h"
#include "render_run.h"


static inline size_t
random_content(art_kind_t kind, size_t max)
{
    size_t       i, n, len, want;
    const char  *piece;

    static const char  *pieces[] = {
        "a", "word ", "\n", "\"", "\\", "工件", "\xf0\x9f\x98\x80", "\x01",
        "\t", "\xff", "\xe5\xb7", "é", "\x7f", "\r\n", "{\"a\":[1,\"b\"]}"
    };

    want = tap_below(max + 1);

    if (kind != ART_KIND_TEXT) {
        for (i = 0; i < want; i++) {
            content[i] = (uint8_t) tap_rand();
        }

        return want;
    }

    for (len = 0; len < want; len += n) {
        piece = pieces[tap_below(nitems(pieces))];
        n = strlen(piece);
        memcpy(content + len, piece, n);
    }

    return len;
}


static inline void
report(const scene_t *s, size_t len)
{
    diag("%s, kind %u, charset %s, text_max %llu", s->conf.format->name,
         s->view.kind, s->conf.charset ? s->conf.charset : "-",
         (unsigned long long) s->conf.text_max);
    diag_mem("content", content, len);
    diag_mem("at once", ref.data, ref.len);
    diag_mem("in pieces", got.data, got.len);
}


static inline int
decode_char(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62
           : c == '/' ? 63 : -1;
}


/* Whether a text is the base64 (RFC 4648) of a content, padded. */

static inline int
is_base64(const char *p, size_t n, const uint8_t *src, size_t len)
{
    size_t  i, bit;

    if (p == NULL || n != (len + 2) / 3 * 4) {
        return 0;
    }

    for (i = 0; i < n; i++) {
        if (i * 6 >= len * 8) {
            if (p[i] != '=') {
                return 0;
            }

        } else if (decode_char(p[i]) < 0) {
            return 0;
        }
    }

    for (bit = 0; bit < len * 8; bit++) {
        if ((decode_char(p[bit / 6]) >> (5 - bit % 6) & 1)
            != (src[bit / 8] >> (7 - bit % 8) & 1))
        {
            return 0;
        }
    }

    return 1;
}


static inline json_t *
parse(const result_t *res)
{
    return json_loadb((char *) res->data, res->len, JSON_ALLOW_NUL, NULL);
}


/* The content's place in an answer; *inner is to be released. */

static inline json_t *
body_of(json_t *json, const scene_t *s, json_t **inner)
{
    json_t      *part;
    const char  *name, *key;

    name = s->conf.format->name;
    *inner = NULL;

    if (strcmp(name, "object") == 0) {
        return json_object_get(json, "content");
    }

    part = json;

    if (strcmp(name, "tool_message") == 0) {
        part = json_object_get(json, "content");

        if (json_is_string(part)) {
            *inner = json_loadb(json_string_value(part),
                                json_string_length(part), JSON_ALLOW_NUL,
                                NULL);
            return json_object_get(*inner, "content");
        }

        part = json_array_get(part, 1);
    }

    key = s->view.kind == ART_KIND_IMAGE ? "image_url" : "file";

    if (s->view.decision.routing == ART_ROUTING_TEXT) {
        return json_object_get(part, "content");
    }

    if (strcmp(name, "route") == 0) {
        part = json_object_get(part, s->view.kind == ART_KIND_IMAGE
                                     ? "imageUrl" : "file");
    }

    part = json_object_get(part, key);

    return json_object_get(part, s->view.kind == ART_KIND_IMAGE ? "url"
                                                                : "data");
}


static uint8_t  text[LEN_MAX * 3];


/*
 * The text expected of UTF-8: repaired, and cut between characters, after so
 * many bytes or characters (0: no limit).
 */

static inline size_t
expected_text(const uint8_t *src, size_t len, uint64_t max, uint64_t chars,
    unsigned *cut)
{
    size_t    n, i, end;
    uint64_t  nchars;

    n = naive_shown(text, src, len);
    nchars = 0;
    *cut = 0;

    for (i = 0; i < n; i = end) {

        for (end = i + 1; end < n && (text[end] & 0xc0) == 0x80; end++) {
            /* void */
        }

        if ((max != 0 && end > max) || (chars != 0 && ++nchars > chars)) {
            *cut = 1;
            break;
        }
    }

    return i;
}


static inline int
flagged(const json_t *json, const json_t *inner, const char *format)
{
    const json_t  *where;

    where = strcmp(format, "object") == 0
            ? json : json_object_get(inner ? inner : json, "metadata");

    return json_is_true(json_object_get(where, "truncated"));
}


/* Whether an answer is JSON that holds the content as its form says. */

static inline int
holds(const result_t *res, const scene_t *s, const uint8_t *src, size_t len)
{
    int          good;
    size_t       n, skip;
    json_t      *json, *inner, *body;
    unsigned     cut;
    const char  *data;

    inner = NULL;
    json = parse(res);
    body = json ? body_of(json, s, &inner) : NULL;
    data = json_string_value(body);
    n = json_string_length(body);

    if (data == NULL) {
        good = 0;

    } else if (s->view.kind == ART_KIND_TEXT) {
        good = n == expected_text(src, len, s->conf.text_max,
                                  s->conf.format->text_max, &cut)
               && memcmp(data, text, n) == 0 && cut == res->truncated
               && cut == (unsigned) flagged(json, inner,
                                            s->conf.format->name);

    } else {
        skip = 0;

        if (s->view.kind == ART_KIND_IMAGE
            && strcmp(s->conf.format->name, "object") != 0)
        {
            skip = 5 + s->view.mime.len + 8;
            good = n >= skip && memcmp(data, "data:", 5) == 0
                   && memcmp(data + 5, s->view.mime.data,
                             s->view.mime.len) == 0
                   && memcmp(data + skip - 8, ";base64,", 8) == 0;
            skip = good ? skip : 0;
        }

        good = is_base64(data + skip, n - skip, src, len);
    }

    if (json) {
        json_decref(inner);
        json_decref(json);
    }

    return good;
}


#endif /* ART_RENDER_HOLDS_H_INCLUDED_ */
