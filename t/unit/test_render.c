
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whole answers: any pieces of input and any room for output give the same
 * bytes, which are JSON with the content in it.
 */


#include <jansson.h>

#include "../../src/core/art_render.h"
#include "naive_utf8.h"
#include "tap.h"


#define LEN_MAX  70000
#define OUT_MAX  (LEN_MAX * 10)


/* How a content is fed: random sizes up to these two if "vary". */

typedef struct {
    size_t  chunk;
    size_t  room;
    int     vary;
} feed_t;


static const feed_t  whole = { LEN_MAX, OUT_MAX, 0 };
static const feed_t  bytewise = { 1, ART_JSON_UNIT_MAX, 0 };
static const feed_t  smallest = { LEN_MAX, ART_JSON_UNIT_MAX, 0 };
static const feed_t  random_pieces = { 60, 50, 1 };


typedef struct {
    uint8_t   *data;
    size_t     len;
    uint64_t   length;           /* as told beforehand, if it was */
    uint64_t   hash;
    uint64_t   limit;
    unsigned   has_length;
    unsigned   truncated;
} result_t;


/* A conf with everything that it points to. */

typedef struct {
    art_render_conf_t  conf;
    art_view_t         view;
    art_meta_t         meta;
} scene_t;


static result_t  ref, got;
static uint8_t   content[LEN_MAX], text[LEN_MAX * 3];


static void *
must(void *p)
{
    if (p == NULL) {
        printf("Bail out! no memory\n");
        exit(2);
    }

    return p;
}


static void
set_scene(scene_t *s, const char *format, art_kind_t kind, const char *mime)
{
    memset(s, 0, sizeof(*s));

    s->conf.format = must((void *) (uintptr_t)
                          art_format_find(art_cstr(format)));
    s->view.meta = &s->meta;
    s->view.id = art_cstr("id-1");
    s->view.name = art_cstr("a \"b\" 工.x");
    s->view.mime = art_cstr(mime);
    s->view.kind = kind;
    s->view.tool_call_id = art_cstr("call");
    s->view.decision.routing = kind == ART_KIND_TEXT ? ART_ROUTING_TEXT
                               : kind == ART_KIND_IMAGE ? ART_ROUTING_IMAGE_URL
                               : ART_ROUTING_FILE;
}


static void
set_described(scene_t *s, art_reason_t reason)
{
    s->view.decision.described = 1;
    s->view.decision.routing = ART_ROUTING_TEXT;
    s->view.decision.reason = reason;

    if (reason == ART_REASON_CAPABILITY) {
        s->view.decision.requires = "vision";
    }
}


/* Offers one piece until it is taken; 0 on a broken promise. */

static int
feed_piece(art_render_t *render, result_t *res, const uint8_t *src,
    size_t len, unsigned last, const feed_t *how)
{
    size_t          n, room, left, before;
    uint8_t        *copy, *dst;
    const uint8_t  *p;

    copy = len > 0 ? must(malloc(len)) : NULL;

    if (len > 0) {
        memcpy(copy, src, len);
    }

    p = copy;
    left = len;

    for ( ;; ) {
        room = how->vary ? ART_JSON_UNIT_MAX + tap_below(how->room)
                         : how->room;
        dst = must(malloc(room));
        before = left;

        n = art_render_update(render, dst, room, &p, &left, last);

        if (n == ART_TEXT_ERROR || n > room || left > before
            || p != (copy ? copy + (len - left) : NULL)
            || res->len + n > OUT_MAX
            || (n == 0 && (left > 0
                           || (last && render->state != ART_RENDER_DONE))))
        {
            diag("%zu bytes for a room of %zu, %zu of %zu left, state %u",
                 n, room, left, len, render->state);
            free(dst);
            free(copy);
            return 0;
        }

        memcpy(res->data + res->len, dst, n);
        res->len += n;
        free(dst);

        if (render->state == ART_RENDER_DONE || n == 0) {
            free(copy);
            return left == 0;
        }
    }
}


/* Renders a content as it is fed; the scene stays as it was. */

static int
render(result_t *res, const scene_t *scene, const uint8_t *src, size_t len,
    const feed_t *how)
{
    int             good;
    size_t          n;
    uint8_t        *scratch, *hold;
    unsigned        last;
    scene_t         s;
    art_render_t    r;

    s = *scene;
    s.conf.view = &s.view;
    s.view.meta = &s.meta;

    art_render_init(&r, &s.conf);

    scratch = must(malloc(r.room));
    hold = art_render_needs_hold(&r) ? must(malloc(ART_RENDER_JSON_MAX))
                                     : NULL;
    art_render_memory(&r, scratch, hold);

    if (res->data == NULL) {
        res->data = must(malloc(OUT_MAX));
    }

    res->len = 0;
    res->hash = art_render_hash(&r);
    res->limit = art_render_input_limit(&r);
    res->has_length = (unsigned) art_render_length(&r, &res->length);

    good = 1;
    last = 0;

    if (!art_render_needs_content(&r)) {
        len = 0;
    }

    while (good && r.state != ART_RENDER_DONE) {
        n = how->vary ? tap_below(how->chunk + 1) : how->chunk;
        n = n < len ? n : len;

        /* the end may be known with the last bytes, or only after them */

        last = n == len && (n == 0 || !how->vary || tap_below(2));

        good = feed_piece(&r, res, src, n, last, how);
        src += n;
        len -= n;
    }

    /* what comes behind the end is ignored */

    good = good && feed_piece(&r, res, (const uint8_t *) "more", 4, 1, how);

    res->truncated = s.view.truncated;

    art_render_close(&r);
    art_render_close(&r);
    free(scratch);
    free(hold);

    return good && (!res->has_length || res->length == res->len);
}


static int
same(const result_t *a, const result_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0
           && a->truncated == b->truncated && a->hash == b->hash;
}


static int
decode_char(int c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62
           : c == '/' ? 63 : -1;
}


/* Whether a text is the base64 (RFC 4648) of a content, padded. */

static int
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


static json_t *
parse(const result_t *res)
{
    return json_loadb((char *) res->data, res->len, JSON_ALLOW_NUL, NULL);
}


/* The content's place in an answer; *inner is to be released. */

static json_t *
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


/* The text expected of UTF-8: repaired, and cut between characters. */

static size_t
expected_text(const uint8_t *src, size_t len, uint64_t max, unsigned *cut)
{
    size_t  n, k;

    n = naive_repair(text, src, len);
    *cut = 0;

    if (max == 0 || n <= max) {
        return n;
    }

    *cut = 1;

    for (k = (size_t) max; k > 0 && (text[k] & 0xc0) == 0x80; k--) {
        /* void */
    }

    return k;
}


static int
flagged(const json_t *json, const json_t *inner, const char *format)
{
    const json_t  *where;

    where = strcmp(format, "object") == 0
            ? json : json_object_get(inner ? inner : json, "metadata");

    return json_is_true(json_object_get(where, "truncated"));
}


/* Whether an answer is JSON that holds the content as its form says. */

static int
holds(const result_t *res, const scene_t *s, const uint8_t *src, size_t len)
{
    int          good;
    size_t       n, skip;
    json_t      *json, *inner, *body;
    unsigned     cut;
    const char  *data;

    json = parse(res);
    body = json ? body_of(json, s, &inner) : NULL;
    data = json_string_value(body);
    n = json_string_length(body);

    if (data == NULL) {
        good = 0;

    } else if (s->view.kind == ART_KIND_TEXT) {
        good = n == expected_text(src, len, s->conf.text_max, &cut)
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


static size_t
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


static void
report(const scene_t *s, size_t len)
{
    diag("%s, kind %u, charset %s, text_max %llu", s->conf.format->name,
         s->view.kind, s->conf.charset ? s->conf.charset : "-",
         (unsigned long long) s->conf.text_max);
    diag_mem("content", content, len);
    diag_mem("at once", ref.data, ref.len);
    diag_mem("in pieces", got.data, got.len);
}


static const char  *known_formats[] = { "route", "tool_message", "object" };

static const struct {
    art_kind_t   kind;
    const char  *mime;
} kinds[] = {
    { ART_KIND_TEXT, "text/plain" },
    { ART_KIND_IMAGE, "image/png" },
    { ART_KIND_AUDIO, "audio/mpeg" },
    { ART_KIND_VIDEO, "video/mp4" },
    { ART_KIND_DOCUMENT, "application/pdf" },
    { ART_KIND_OTHER, "application/octet-stream" }
};


/* The properties, of one format and one kind. */

static int
check_once(const char *format, size_t k, size_t max)
{
    size_t   len;
    scene_t  s;

    set_scene(&s, format, kinds[k].kind, kinds[k].mime);
    len = random_content(kinds[k].kind, max);

    if (tap_below(2)) {
        s.view.size_known = 1;
        s.view.size = len;
    }

    if (tap_below(3) == 0) {
        s.conf.text_max = 1 + tap_below(len + 8);
    }

    if (render(&ref, &s, content, len, &whole)
        && holds(&ref, &s, content, len)
        && ref.has_length == (kinds[k].kind != ART_KIND_TEXT
                              && s.view.size_known)
        && render(&got, &s, content, len, &bytewise) && same(&got, &ref)
        && render(&got, &s, content, len, &smallest) && same(&got, &ref)
        && render(&got, &s, content, len, &random_pieces)
        && same(&got, &ref))
    {
        return 1;
    }

    report(&s, len);

    return 0;
}


static void
check_random(void)
{
    size_t    i, f, k;
    unsigned  failed;

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            failed = 0;

            for (i = 0; i < 120 && failed == 0; i++) {
                failed += !check_once(known_formats[f], k, i < 20 ? i : 700);
            }

            ok(failed == 0, "any content in any pieces: %s, %s",
               known_formats[f], kinds[k].mime);
        }
    }
}


/* Charsets, cut and not, in formats that may be new: in pieces as at once. */

static void
check_charsets(void)
{
    size_t               i, len;
    json_t              *json;
    scene_t              s;
    unsigned             f, failed;
    const art_format_t  *format;

    static const char   *charsets[] = {
        NULL, "UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32", "GB18030",
        "CP950", "ISO-2022-JP", "CP1252", "BIG5-HKSCS", "CP1258"
    };

    for (f = 0; (format = art_format_row(f)) != NULL; f++) {
        failed = 0;

        for (i = 0; i < 400 && failed == 0; i++) {
            set_scene(&s, format->name, ART_KIND_TEXT, "text/plain");
            len = random_content(i % 3 ? ART_KIND_TEXT : ART_KIND_OTHER,
                                 400);

            s.conf.charset = charsets[i % nitems(charsets)];
            s.conf.text_max = tap_below(2) ? 0 : 1 + tap_below(len * 2 + 2);

            if (tap_below(4) == 0 && len > 1) {
                memcpy(content, i & 1 ? "\xff\xfe" : "\xfe\xff", 2);
            }

            failed += !render(&ref, &s, content, len, &whole)
                      || !render(&got, &s, content, len, &random_pieces)
                      || !same(&got, &ref)
                      || !render(&got, &s, content, len, &bytewise)
                      || !same(&got, &ref);

            json = parse(&ref);
            failed += json == NULL;
            json_decref(json);
        }

        if (!ok(failed == 0, "any charset in any pieces: %s", format->name)) {
            report(&s, len);
        }
    }
}


/* What an answer of "object" has as its text, for content of a charset. */

static void
is_text(const void *src, size_t len, const char *charset, const char *want,
    const char *name)
{
    json_t   *json;
    scene_t   s;

    set_scene(&s, "object", ART_KIND_TEXT, "text/plain");
    s.conf.charset = charset;

    if (!render(&ref, &s, src, len, &whole)) {
        ref.len = 0;
    }

    json = parse(&ref);

    is_mem(json_string_value(json_object_get(json, "content")),
           json_string_length(json_object_get(json, "content")), want,
           strlen(want), name);

    json_decref(json);
}


static void
check_texts(void)
{
    is_text("\xb9\xa4\xbc\xfe\n", 5, "GB18030", "工件\n", "GBK");
    is_text("\xff\xfe\xe5\x5d\xf6\x4e", 6, NULL, "工件",
            "UTF-16LE with a mark");
    is_text("\xfe\xff\x5d\xe5\x4e\xf6", 6, "GB18030", "工件",
            "a mark overrides the charset");
    is_text("\x5d\xe5\x4e\xf6", 4, "UTF-16BE", "工件", "UTF-16BE");
    is_text("a\xff\"\\\x01\xe5\xb7", 7, NULL,
            "a\xef\xbf\xbd\"\\\x01\xef\xbf\xbd", "stray bytes");
    is_text("", 0, NULL, "", "no bytes");
    is_text("", 0, "GB18030", "", "no bytes of GBK");
}


static void
check_bad_charset(void)
{
    size_t           len;
    uint8_t         *scratch, dst[2000];
    scene_t          s;
    art_render_t     r;
    const uint8_t   *p;

    set_scene(&s, "route", ART_KIND_TEXT, "text/plain");
    s.conf.charset = "X-NO-SUCH";
    s.conf.view = &s.view;

    art_render_init(&r, &s.conf);
    scratch = must(malloc(r.room));
    art_render_memory(&r, scratch, NULL);

    p = (const uint8_t *) "text";
    len = 4;

    ok(art_render_update(&r, dst, sizeof(dst), &p, &len, 1) == ART_TEXT_ERROR,
       "a charset that cannot be converted is an error");

    art_render_close(&r);
    free(scratch);
}


/* A cut text, at every length. */

static void
check_cut(void)
{
    size_t          max, len;
    scene_t         s;
    unsigned        bad;
    static const char  sample[] = "a工\xf0\x9f\x98\x80\"\\\n\xff\xe9z";

    len = sizeof(sample) - 1;
    bad = 0;

    for (max = 1; max <= len + 8; max++) {
        set_scene(&s, "route", ART_KIND_TEXT, "text/plain");
        s.conf.text_max = max;
        s.view.size_known = 1;
        s.view.size = len;

        bad += !render(&ref, &s, (const uint8_t *) sample, len, &whole)
               || !holds(&ref, &s, (const uint8_t *) sample, len)
               || !render(&got, &s, (const uint8_t *) sample, len, &bytewise)
               || !same(&got, &ref);
    }

    is_int(bad, 0, "a text cut at every length");
}


/* Of a text that is to be cut, the first bytes are enough. */

static void
check_input_limit(void)
{
    size_t    i, len;
    scene_t   s;
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 40 && failed == 0; i++) {
        set_scene(&s, known_formats[i % 3], ART_KIND_TEXT, "text/plain");
        len = random_content(ART_KIND_TEXT, 25000);

        s.conf.text_max = 1 + tap_below(1500);
        s.view.size_known = 1;
        s.view.size = len;

        failed += !render(&ref, &s, content, len, &whole);

        if (ref.limit == 0 || ref.limit >= len) {
            failed += ref.limit == 0;
            continue;
        }

        failed += !render(&got, &s, content, (size_t) ref.limit,
                          &random_pieces)
                  || !same(&got, &ref) || !got.truncated;
    }

    if (!ok(failed == 0, "the first bytes of a text that is to be cut")) {
        report(&s, len);
    }

    set_scene(&s, "route", ART_KIND_TEXT, "text/plain");
    (void) render(&ref, &s, content, 10, &whole);
    is_int((long long) ref.limit, 0, "all of a text that is not");
}


/* JSON documents: bytes, and whether they are a value. */

static const struct {
    const char  *bytes;
    size_t       len;
    int          valid;
    const char  *name;
} documents[] = {
#define DOC(bytes)  bytes, sizeof(bytes) - 1
    { DOC("{}"), 1, "an object" },
    { DOC("[]"), 1, "an array" },
    { DOC("\"a\""), 1, "a string" },
    { DOC("0"), 1, "a number" },
    { DOC("-0.5e-7"), 1, "another" },
    { DOC("null"), 1, "null" },
    { DOC(" {\"a\" : [ 1, 2 ] }\r\n\t"), 1, "with white space" },
    { DOC("{\"a\":1,\"a\":2}"), 1, "a key twice" },
    { DOC("{\"工\":\"\\u0000\\n\"}"), 1, "with escapes" },
    { DOC("{\"\":1}"), 1, "an empty key" },
    { DOC("123456789012345678901234567890"), 1, "a long number" },
    { DOC("[1.7976931348623157e308]"), 1, "a large number" },
    { DOC(""), 0, "nothing" },
    { DOC(" \n"), 0, "white space" },
    { DOC("{"), 0, "half an object" },
    { DOC("{} x"), 0, "something behind" },
    { DOC("{}{}"), 0, "two values" },
    { DOC("{'a':1}"), 0, "other quotes" },
    { DOC("{a:1}"), 0, "a key without quotes" },
    { DOC("[1,]"), 0, "a comma at the end" },
    { DOC("[01]"), 0, "a leading zero" },
    { DOC("[NaN]"), 0, "NaN" },
    { DOC("[1] // c"), 0, "a comment" },
    { DOC("{}\0"), 0, "a NUL behind" },
    { DOC("\xef\xbb\xbf{}"), 0, "a byte order mark" },
    { DOC("[\"\xff\"]"), 0, "no UTF-8" },
    { DOC("[\"a\nb\"]"), 0, "a raw line feed" },
    { DOC("\"\\x\""), 0, "a bad escape" }
};


#define OBJECT_HEAD  "{\"id\":\"id-1\",\"content\":"


/* Whether the content of "object" is these bytes, as they are. */

static int
embedded(const result_t *res, const uint8_t *src, size_t len)
{
    size_t  n;

    n = sizeof(OBJECT_HEAD) - 1;

    return res->len > n + len && memcmp(res->data, OBJECT_HEAD, n) == 0
           && memcmp(res->data + n, src, len) == 0
           && memcmp(res->data + n + len, ",\"type\":", 8) == 0;
}


static void
set_document(scene_t *s, size_t len, unsigned size_known)
{
    set_scene(s, "object", ART_KIND_TEXT, "application/json");

    s->conf.json = 1;
    s->view.size = len;
    s->view.size_known = size_known & 1;
}


static void
check_documents(void)
{
    int              good;
    size_t           i, len;
    scene_t          s;
    const uint8_t   *src;

    for (i = 0; i < nitems(documents); i++) {
        src = (const uint8_t *) documents[i].bytes;
        len = documents[i].len;

        set_document(&s, len, i & 1);

        good = render(&ref, &s, src, len, &whole)
               && (documents[i].valid ? embedded(&ref, src, len)
                                      : holds(&ref, &s, src, len))
               && render(&got, &s, src, len, &bytewise) && same(&got, &ref)
               && render(&got, &s, src, len, &random_pieces)
               && same(&got, &ref);

        if (!ok(good, "a JSON document: %s", documents[i].name)) {
            diag_mem("got", ref.data, ref.len);
        }

        set_scene(&s, "route", ART_KIND_TEXT, "application/json");
        s.conf.json = 1;
        good = render(&ref, &s, src, len, &whole)
               && holds(&ref, &s, src, len);

        ok(good, "in \"route\" it is a text: %s", documents[i].name);
    }
}


/* The largest document that is embedded, and one byte more. */

static void
check_large_documents(void)
{
    size_t    len, f;
    scene_t   s;
    unsigned  known;

    static const feed_t  feeds[] = {
        { LEN_MAX, OUT_MAX, 0 }, { 4096, 8192, 0 }, { 65536, 4096, 0 },
        { 9000, 5000, 1 }
    };

    memset(content, 'a', sizeof(content));
    content[0] = '"';

    for (len = ART_RENDER_JSON_MAX; len <= ART_RENDER_JSON_MAX + 1; len++) {
        content[len - 1] = '"';

        for (known = 0; known <= 1; known++) {
            for (f = 0; f < nitems(feeds); f++) {
                set_document(&s, len, known);

                ok(render(&ref, &s, content, len, &feeds[f])
                   && (len > ART_RENDER_JSON_MAX
                       ? holds(&ref, &s, content, len)
                       : embedded(&ref, content, len)),
                   "%zu bytes of JSON, size %sknown, fed in way %zu", len,
                   known ? "" : "un", f);
            }
        }

        content[len - 1] = 'a';
    }
}


static void
check_odd_documents(void)
{
    size_t          len;
    scene_t         s;
    const uint8_t  *src;

    src = (const uint8_t *) "[1, 2]";

    set_document(&s, 6, 1);
    s.conf.charset = "UTF-16LE";
    ok(render(&ref, &s, src, 6, &whole) && !embedded(&ref, src, 6),
       "JSON in another charset is a text");

    set_document(&s, 6, 1);
    s.conf.text_max = 6;
    ok(render(&ref, &s, src, 6, &whole) && embedded(&ref, src, 6),
       "JSON as long as a text may be");

    s.conf.text_max = 5;
    ok(render(&ref, &s, src, 6, &whole) && holds(&ref, &s, src, 6)
       && ref.truncated, "longer JSON is a text that is cut");

    set_document(&s, 6, 0);
    s.conf.text_max = 5;
    ok(render(&ref, &s, src, 6, &bytewise) && holds(&ref, &s, src, 6)
       && ref.truncated, "also when its size is not known");

    /* RFC 8259 section 6 sets no limit to numbers */

    memset(content, '9', 400);
    set_document(&s, 400, 1);
    ok(render(&ref, &s, content, 400, &whole) && embedded(&ref, content, 400),
       "a JSON number of 400 digits");

    src = (const uint8_t *) "[1e999]";
    len = strlen((const char *) src);
    set_document(&s, len, 1);
    ok(render(&ref, &s, src, len, &whole) && embedded(&ref, src, len),
       "a JSON number beyond doubles");
}


/* Random documents, some of them damaged. */

static void
check_random_documents(void)
{
    int       valid;
    size_t    i, k, len;
    json_t   *json;
    scene_t   s;
    unsigned  failed, values;

    static const char  chars[] = "{}[]\",:\\ 1ae\n";

    failed = 0;
    values = 0;

    for (i = 0; i < 1500 && failed == 0; i++) {
        len = (size_t) sprintf((char *) content, "{\"a\":[1,{\"b\":\"%c\"},"
                               "%zu]}%s", (int) ('a' + tap_below(26)),
                               tap_below(1000), i % 5 ? "" : "\n");

        for (k = i % 3; k > 0; k--) {
            content[tap_below(len)] = (uint8_t) chars[tap_below(13)];
        }

        json = json_loadb((char *) content, len, JSON_DECODE_ANY, NULL);
        valid = json != NULL;
        json_decref(json);
        values += (unsigned) valid;

        set_document(&s, len, (unsigned) tap_below(2));

        failed += !render(&ref, &s, content, len, &whole)
                  || embedded(&ref, content, len) != valid
                  || (!valid && !holds(&ref, &s, content, len))
                  || !render(&got, &s, content, len, &random_pieces)
                  || !same(&got, &ref);
    }

    if (!ok(failed == 0, "random JSON documents")) {
        report(&s, len);
    }

    ok(values > 300 && values < 1450, "of both sorts a good part");
}


/* No bytes at all, however they come. */

static void
check_empty(void)
{
    size_t    f, k;
    scene_t   s;
    unsigned  bad;

    bad = 0;

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            set_scene(&s, known_formats[f], kinds[k].kind, kinds[k].mime);
            s.view.size_known = f & 1;

            bad += !render(&ref, &s, content, 0, &whole)
                   || !holds(&ref, &s, content, 0)
                   || !render(&got, &s, content, 0, &bytewise)
                   || !same(&got, &ref);
        }
    }

    is_int(bad, 0, "no content");
}


/* Descriptions: no content is needed, and none of it is in the answer. */

static void
check_described(void)
{
    size_t       f, k, reason, len;
    json_t      *json, *inner, *body;
    scene_t      s;
    unsigned     bad, null;
    const char  *value;

    bad = 0;
    len = 300;
    memset(content, 'Q', len);

    for (f = 0; f < nitems(known_formats); f++) {
        for (k = 0; k < nitems(kinds); k++) {
            for (reason = ART_REASON_CAPABILITY; reason <= ART_REASON_READ;
                 reason++)
            {
                set_scene(&s, known_formats[f], kinds[k].kind,
                          kinds[k].mime);
                set_described(&s, (art_reason_t) reason);

                if (k & 1) {
                    s.conf.description = art_cstr("own \"words\"\n工\xff");
                }

                bad += !render(&ref, &s, content, len, &whole)
                       || !ref.has_length
                       || !render(&got, &s, content, len, &smallest)
                       || !same(&got, &ref);

                json = parse(&ref);
                body = json ? body_of(json, &s, &inner) : NULL;
                null = strcmp(known_formats[f], "object") == 0;
                value = json_string_value(body);

                bad += null ? !json_is_null(body)
                            : value == NULL || strstr(value, "QQQQ") != NULL
                              || (k & 1 ? strcmp(value, "own \"words\"\n工"
                                                 "\xef\xbf\xbd") != 0
                                        : value[0] != '[');

                if (json) {
                    json_decref(inner);
                    json_decref(json);
                }
            }
        }
    }

    is_int(bad, 0, "a description needs no content");
}


/* Changes one thing that an answer may depend on. */

static void
change(scene_t *s)
{
    static const art_str_t  list[] = { art_string("svc"), art_string("x") };

    switch (tap_below(20)) {
    case 0: s->view.id = art_cstr("id-2"); break;
    case 1: s->view.name = art_cstr("another"); break;
    case 2: s->view.mime = art_cstr("image/gif"); break;
    case 3: s->view.size = s->view.decision.described ? 5 : 8; break;
    case 4: s->view.size_known ^= 1; break;
    case 5: s->meta.type = art_cstr("t"); break;
    case 6: s->meta.created = art_cstr("c"); break;
    case 7: s->meta.updated = art_cstr("u"); break;
    case 8: s->meta.message_id = art_cstr("m"); break;
    case 9: s->view.workspace = art_cstr("w"); break;
    case 10: s->view.path = art_cstr("p"); break;
    case 11: s->meta.object = art_cstr("{\"k\":1}"); break;
    case 12: s->view.lang = ART_LANG_EN; break;
    case 13: s->view.tool_call_id = art_cstr("call-2"); break;
    case 14: s->view.suggestions = list; s->view.nsuggestions = 1; break;
    case 15: s->view.nsuggestions = s->view.suggestions ? 2 : 0; break;
    case 16: s->conf.text_max = 1 + tap_below(6); break;
    case 17: s->conf.charset = tap_below(2) ? "GB18030" : "UTF-16BE"; break;
    case 18: s->conf.description = art_cstr("d"); break;
    default: s->conf.json ^= 1; break;
    }
}


/*
 * Answers that differ with the same content have different hashes, and equal
 * scenes equal ones.
 */

static void
check_hash(void)
{
    size_t    i, n, k;
    scene_t   a, b;
    unsigned  failed, differ;

    failed = 0;
    differ = 0;

    for (i = 0; i < 3000 && failed == 0; i++) {
        k = tap_below(nitems(kinds));
        set_scene(&a, known_formats[tap_below(3)], kinds[k].kind,
                  kinds[k].mime);

        a.view.size = 8;

        if (tap_below(3) == 0) {
            set_described(&a, (art_reason_t) (1 + tap_below(4)));
        }

        for (n = tap_below(3); n > 0; n--) {
            change(&a);
        }

        b = a;

        if (tap_below(8) == 0) {
            b.conf.format = art_format_find(
                                art_cstr(known_formats[tap_below(3)]));
        }

        for (n = tap_below(3); n > 0; n--) {
            change(&b);
        }

        failed += !render(&ref, &a, (const uint8_t *) "[1, \"2\"]", 8, &whole)
                  || !render(&got, &b, (const uint8_t *) "[1, \"2\"]", 8,
                             &whole);

        if (ref.len != got.len || memcmp(ref.data, got.data, ref.len) != 0) {
            differ++;
            failed += ref.hash == got.hash;
        }

        failed += memcmp(&a, &b, sizeof(a)) == 0 && ref.hash != got.hash;
    }

    if (!ok(failed == 0, "a hash for everything that an answer depends on")) {
        report(&a, 0);
    }

    ok(differ > 500, "of answers that differ a good part");
}


int
main(void)
{
    check_random();
    check_charsets();
    check_texts();
    check_bad_charset();
    check_cut();
    check_input_limit();
    check_documents();
    check_large_documents();
    check_odd_documents();
    check_random_documents();
    check_empty();
    check_described();
    check_hash();

    free(ref.data);
    free(got.data);

    return done();
}
