
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the format, what the content is,
 * its charset and limits, and seed the sizes of pieces and rooms; a line with
 * name, id and tool call id follows; the rest is the content.  An answer in
 * pieces must be that at once, be JSON, and be as long as it was told.
 */


#include <jansson.h>
#include <stdlib.h>

#include "core/json/art_json_escape.h"
#include "core/render/art_render.h"
#include "core/text/art_utf8.h"


#define FUZZ_HEAD  8

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


typedef struct {
    uint8_t   *data;
    size_t     len;
    uint64_t   hash;
    unsigned   truncated;
} fuzz_result_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static uint8_t *
fuzz_alloc(size_t len)
{
    uint8_t  *p;

    p = malloc(len + (len == 0));
    check(p != NULL);

    return p;
}


static size_t
fuzz_below(uint64_t *seed, size_t n)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;

    return (size_t) (*seed >> 33) % n;
}


/* One piece; "seed" 0: with all the room there can be need of. */

static void
fuzz_piece(art_render_t *r, fuzz_result_t *res, const uint8_t *src,
    size_t len, unsigned last, size_t max, uint64_t *seed)
{
    size_t          n, left, room;
    uint8_t        *copy, *dst;
    const uint8_t  *p;

    copy = len > 0 ? fuzz_alloc(len) : NULL;

    if (len > 0) {
        memcpy(copy, src, len);
    }

    p = copy;
    left = len;

    do {
        room = *seed ? ART_JSON_UNIT_MAX + fuzz_below(seed, 60) : max;
        dst = fuzz_alloc(room);

        n = art_render_update(r, dst, room, &p, &left, last);

        check(n <= room && left <= len && res->len + n <= max);
        check(copy == NULL ? p == NULL : p + left == copy + len);
        check(n > 0 || (left == 0 && (!last
                                      || r->state == ART_RENDER_DONE)));

        memcpy(res->data + res->len, dst, n);
        res->len += n;
        free(dst);

    } while (n > 0 && r->state != ART_RENDER_DONE);

    check(left == 0);
    free(copy);
}


static void
fuzz_render(fuzz_result_t *res, const art_render_conf_t *conf,
    const uint8_t *src, size_t len, uint64_t seed)
{
    size_t              n, max;
    uint8_t            *scratch, *hold, *draft;
    uint64_t            length;
    unsigned            last, known;
    art_view_t          view;
    art_render_t        r;
    art_render_conf_t   c;

    view = *conf->view;
    c = *conf;
    c.view = &view;

    draft = NULL;

    if (seed) {
        c.draft_room = 1 + fuzz_below(&seed, 1000);
        draft = fuzz_alloc(c.draft_room);
        c.draft = draft;
    }

    art_render_init(&r, &c);

    scratch = fuzz_alloc(r.room);
    hold = r.hold_room > 0 ? fuzz_alloc(r.hold_room) : NULL;
    art_render_memory(&r, scratch, hold);
    free(draft);

    max = (len + 16) * 27 + r.room * 2;
    res->data = fuzz_alloc(max);
    res->len = 0;
    res->hash = r.hash;
    known = (unsigned) art_render_length(&r, &length);
    last = 0;

    if (!art_render_needs_content(&r)) {
        len = 0;
    }

    while (!last && r.state != ART_RENDER_DONE) {
        n = seed ? fuzz_below(&seed, 40) : len;
        n = n < len ? n : len;
        last = n == len && (n == 0 || seed == 0 || fuzz_below(&seed, 2));

        fuzz_piece(&r, res, src, n, last, max, &seed);

        src += n;
        len -= n;
    }

    check(r.state == ART_RENDER_DONE);
    check(!known || length == res->len);

    res->truncated = view.truncated;

    art_render_close(&r);
    free(scratch);
    free(hold);
}


static void
fuzz_view(art_view_t *view, art_meta_t *meta, unsigned kind, unsigned how)
{
    static const char  *mimes[ART_KIND_MAX] = {
        "text/plain", "image/png", "audio/mpeg", "video/mp4",
        "application/pdf", "application/octet-stream"
    };

    static const art_routing_t  routings[ART_KIND_MAX] = {
        ART_ROUTING_TEXT, ART_ROUTING_IMAGE_URL, ART_ROUTING_FILE,
        ART_ROUTING_FILE, ART_ROUTING_FILE, ART_ROUTING_FILE
    };

    memset(view, 0, sizeof(*view));
    memset(meta, 0, sizeof(*meta));

    view->meta = meta;
    view->kind = (art_kind_t) kind;
    view->mime = art_cstr(mimes[kind]);
    view->lang = (art_lang_t) (how & 1);
    view->decision.routing = routings[kind];

    if (how & 2) {
        view->decision.described = 1;
        view->decision.routing = ART_ROUTING_TEXT;
        view->decision.reason = (art_reason_t) (1 + how / 4 % 4);
        view->suggestions = &view->mime;
        view->nsuggestions = how / 16 % 2;
    }
}


/* The line of names, each sanitized as the caller does it. */

static void
fuzz_names(art_view_t *view, uint8_t *room, const uint8_t **data,
    size_t *size)
{
    size_t          n, i;
    art_out_t       out;
    art_str_t       line;
    const uint8_t  *end;

    end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    n = end ? (size_t) (end - *data) : *size;
    line = art_str(*data, n);

    *data += end ? n + 1 : n;
    *size -= end ? n + 1 : n;

    for (i = 0; i < line.len && line.data[i] != '|'; i++) {
        /* void */
    }

    out = (art_out_t) { room, 0, line.len * 3 };
    art_utf8_name(&out, art_str(line.data, i));

    view->name = art_str(room, out.len);
    view->id = view->name;
    view->tool_call_id = art_str(line.data + i, line.len - i);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t             *room;
    json_t              *json;
    uint64_t             seed;
    unsigned             i, rows;
    art_view_t           view;
    art_meta_t           meta;
    json_error_t         error;
    fuzz_result_t        ref, got;
    art_render_conf_t    conf;

    static const char  *charsets[] = {
        NULL, "UTF-16LE", "UTF-16BE", "UTF-16", "UTF-32", "GB18030",
        "CP950", "ISO-2022-JP", "CP1252", "BIG5-HKSCS", "CP1258"
    };

    if (size < FUZZ_HEAD) {
        return 0;
    }

    for (rows = 0; art_format_row(rows) != NULL; rows++) {
        /* void */
    }

    memset(&conf, 0, sizeof(conf));
    fuzz_view(&view, &meta, data[1] % ART_KIND_MAX, data[2]);

    conf.format = art_format_row(data[0] % rows);
    conf.view = &view;
    conf.json = data[2] >> 6 & 1;
    conf.charset = charsets[data[3] % (sizeof(charsets)
                                       / sizeof(charsets[0]))];
    conf.lines = data[3] >> 7;
    conf.text_max = data[4];

    /* odd, as 0 means "at once" */

    seed = ((uint64_t) data[5] << 16 | (uint64_t) data[6] << 8 | data[7]) << 1
           | 1;
    i = data[2];

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    room = fuzz_alloc(size * 3);
    fuzz_names(&view, room, &data, &size);

    view.size = size;
    view.size_known = i >> 5 & 1;

    fuzz_render(&ref, &conf, data, size, 0);
    fuzz_render(&got, &conf, data, size, seed);

    check(got.len == ref.len && memcmp(got.data, ref.data, ref.len) == 0);
    check(got.truncated == ref.truncated && got.hash == ref.hash);

    /* numbers of any size are JSON, but not jansson's */

    json = json_loadb((char *) ref.data, ref.len, JSON_ALLOW_NUL, &error);
    check(json_is_object(json)
          || (conf.json
              && json_error_code(&error) == json_error_numeric_overflow));
    json_decref(json);

    free(ref.data);
    free(got.data);
    free(room);

    return 0;
}
