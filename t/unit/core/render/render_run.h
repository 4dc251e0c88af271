
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Renders a content in pieces and into rooms of any size, and checks what
 * art_render promises of each call.
 */


#ifndef ART_RENDER_RUN_H_INCLUDED_
#define ART_RENDER_RUN_H_INCLUDED_


#include "core/json/art_json_escape.h"
#include "core/render/art_render.h"
#include "exact.h"
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


/* Results at once and in pieces. */

static result_t  ref, got;

static uint8_t   content[LEN_MAX];


static const char *const  known_formats[] = {
    "route", "tool_message", "object"
};

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


static inline void
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


/* Offers one piece until it is taken; 0 on a broken promise. */

static inline int
feed_piece(art_render_t *render, result_t *res, const uint8_t *src,
    size_t len, unsigned last, const feed_t *how)
{
    size_t          n, room, left, before;
    uint8_t        *copy, *dst;
    const uint8_t  *p;

    copy = len > 0 ? exact(src, len) : NULL;
    p = copy;
    left = len;

    for ( ;; ) {
        room = how->vary ? ART_JSON_UNIT_MAX + tap_below(how->room)
                         : how->room;
        dst = exact(NULL, room);
        before = left;

        n = art_render_update(render, dst, room, &p, &left, last);

        if (n == ART_JSON_TEXT_ERROR || n > room || left > before
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

static inline int
render(result_t *res, const scene_t *scene, const uint8_t *src, size_t len,
    const feed_t *how)
{
    int             good;
    size_t          n;
    uint8_t        *scratch, *hold, *draft;
    unsigned        last;
    scene_t         s;
    art_render_t    r;

    s = *scene;
    s.conf.view = &s.view;
    s.view.meta = &s.meta;

    /* head and tail may fit into the draft or not */

    s.conf.draft_room = tap_below(3) ? tap_below(1000) : 0;
    draft = s.conf.draft_room > 0 ? exact(NULL, s.conf.draft_room) : NULL;
    s.conf.draft = draft;

    art_render_init(&r, &s.conf);

    scratch = exact(NULL, r.room);
    hold = r.hold_room > 0 ? exact(NULL, r.hold_room) : NULL;
    art_render_memory(&r, scratch, hold);
    free(draft);

    if (res->data == NULL) {
        res->data = exact(NULL, OUT_MAX);
    }

    res->len = 0;
    res->hash = r.hash;
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


static inline int
same(const result_t *a, const result_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0
           && a->truncated == b->truncated && a->hash == b->hash;
}


#endif /* ART_RENDER_RUN_H_INCLUDED_ */
