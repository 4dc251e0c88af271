
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents of all sorts, and the answers with them, for the tests of the
 * formats.
 */


#ifndef ART_FORMAT_SCENE_H_INCLUDED_
#define ART_FORMAT_SCENE_H_INCLUDED_


#include <string.h>

#include "core/render/art_format.h"


/* The room for an answer. */

#define BYTES    20000

#define CREATED  "2026-01-01T00:00:00.000Z"
#define UPDATED  "2026-02-03T04:05:06.789Z"


/*
 * What a case is about.  FULL_* have all the metadata there can be, BARE_*
 * nothing that may be absent.
 */

typedef enum {
    IMAGE = 0,
    FILE_PART,
    TEXT,
    FULL_TEXT,
    FULL_FILE,
    BARE_TEXT,
    BARE_IMAGE,
    NO_VISION,
    NO_FILE,
    TOO_LARGE,
    UNREAD,
    UNREAD_TEXT,
    DERIVED_IMAGE,
    DERIVED_TEXT,
    DERIVED_CUT,
    DERIVED_UNNAMED,
    DERIVED_SMALL,
    VIEWS
} view_id_t;


static const art_str_t  suggestions[] = {
    art_string("gpt-4-vision"), art_string("claude-3")
};


typedef struct {
    art_view_t  view;
    art_view_t  origin;
    art_meta_t  meta;
    uint8_t     name[64];
} scene_t;


static inline void
set_names(scene_t *s, const char *id, const char *name, const char *mime,
    art_kind_t kind)
{
    memset(s, 0, sizeof(*s));

    s->view.meta = &s->meta;
    s->view.id = art_cstr(id);
    s->view.name = art_cstr(name);
    s->view.mime = art_cstr(mime);
    s->view.kind = kind;
    s->view.tool_call_id = art_cstr("call_1");
    s->view.decision.routing = kind == ART_KIND_TEXT ? ART_ROUTING_TEXT
                               : kind == ART_KIND_IMAGE ? ART_ROUTING_IMAGE_URL
                               : ART_ROUTING_FILE;
}


static inline void
set_size(scene_t *s, uint64_t size)
{
    s->view.size = size;
    s->view.size_known = 1;
}


static inline void
set_described(scene_t *s, art_reason_t reason, const char *requires)
{
    s->view.decision.described = 1;
    s->view.decision.routing = ART_ROUTING_TEXT;
    s->view.decision.reason = reason;
    s->view.decision.requires = requires;
}


static inline void
set_full(scene_t *s, const char *mime, art_kind_t kind)
{
    set_names(s, "ws:w1:YS9iLnR4dA", "b.txt", mime, kind);
    set_size(s, 99);

    s->view.workspace = art_cstr("w1");
    s->view.path = art_cstr("a/b.txt");
    s->meta.created = art_cstr(CREATED);
    s->meta.updated = art_cstr(UPDATED);
    s->meta.message_id = art_cstr("m-1");
    s->meta.agent_id = art_cstr("agent");
    s->meta.object = art_cstr("{\"not\":\"this\"}");
    s->view.truncated = kind == ART_KIND_TEXT;
}


/* The scene's content is the origin of another one. */

static inline void
set_derived(scene_t *s, const char *mime, art_kind_t kind)
{
    s->origin = s->view;

    s->view.mime = art_cstr(mime);
    s->view.kind = kind;
    s->view.size = 5;
    s->view.decision.routing = kind == ART_KIND_TEXT ? ART_ROUTING_TEXT
                                                     : ART_ROUTING_IMAGE_URL;

    art_view_derive(&s->view, &s->origin, s->name);
}


static inline void
set_scene(scene_t *s, view_id_t id)
{
    switch (id) {

    case IMAGE:
    case NO_VISION:
        set_names(s, "abc123", "shot.png", "image/png", ART_KIND_IMAGE);
        set_size(s, 12345);
        s->meta.type = art_cstr("image/png");
        s->meta.created = art_cstr(CREATED);
        s->meta.object = art_cstr("{\"filename\":\"shot.png\",\"n\":[1,2]}");

        if (id == NO_VISION) {
            set_described(s, ART_REASON_CAPABILITY, "vision");
            s->view.suggestions = suggestions;
            s->view.nsuggestions = 2;
        }

        return;

    case TEXT:
        set_names(s, "n1", "a.md", "text/markdown", ART_KIND_TEXT);
        set_size(s, 7);
        s->meta.type = art_cstr("note");
        return;

    case FULL_TEXT:
        set_full(s, "text/plain", ART_KIND_TEXT);
        return;

    case FULL_FILE:
        set_full(s, "audio/mpeg", ART_KIND_AUDIO);
        return;

    case BARE_TEXT:
        set_names(s, "x", "x", "text/plain", ART_KIND_TEXT);
        s->view.tool_call_id = art_str(NULL, 0);
        return;

    case UNREAD_TEXT:
        set_names(s, "t", "t.css", "text/css", ART_KIND_TEXT);
        set_described(s, ART_REASON_READ, NULL);
        return;

    case BARE_IMAGE:
        set_names(s, "y", "y", "image/gif", ART_KIND_IMAGE);
        s->meta.updated = art_cstr(UPDATED);
        return;

    case DERIVED_IMAGE:
        set_scene(s, NO_VISION);
        s->view.decision.described = 0;
        s->view.decision.reason = ART_REASON_NONE;
        set_derived(s, "image/jpeg", ART_KIND_IMAGE);
        return;

    case DERIVED_TEXT:
        set_scene(s, FILE_PART);
        set_derived(s, "text/plain", ART_KIND_TEXT);
        return;

    case DERIVED_CUT:
        set_scene(s, DERIVED_TEXT);
        s->view.truncated = 1;
        return;

    case DERIVED_UNNAMED:
        set_names(s, "y", "", "image/gif", ART_KIND_IMAGE);
        set_derived(s, "text/markdown", ART_KIND_TEXT);
        return;

    case DERIVED_SMALL:
        set_full(s, "image/png", ART_KIND_IMAGE);
        set_derived(s, "image/webp", ART_KIND_IMAGE);
        return;

    default:
        set_names(s, "def456", "r.pdf", "application/pdf",
                  ART_KIND_DOCUMENT);
        set_size(s, 2621440);
    }

    if (id == NO_FILE) {
        set_described(s, ART_REASON_CAPABILITY, "file");

    } else if (id != FILE_PART) {
        set_described(s, id == TOO_LARGE ? ART_REASON_SIZE : ART_REASON_READ,
                      NULL);
    }
}


/* Head, "body" where there is one, and tail; 0 if a measure was wrong. */

static inline size_t
assemble(uint8_t *dst, const art_format_t *format, const art_view_t *view,
    unsigned json, const char *body)
{
    size_t       head, tail;
    art_out_t    out, measure;
    art_form_t   form;

    form = art_format_form(format, view, json);

    measure = (art_out_t) { NULL, 0, 0 };
    (void) art_format_print(&measure, format, form, view, 0);
    head = measure.len;

    measure.len = 0;
    (void) art_format_print(&measure, format, form, view, 1);
    tail = measure.len;

    out = (art_out_t) { dst, 0, BYTES };
    (void) art_format_print(&out, format, form, view, 0);

    if (out.len != head) {
        return 0;
    }

    if (tail > 0) {
        art_out_cstr(&out, body);
        head = out.len;
        (void) art_format_print(&out, format, form, view, 1);

        return out.len == head + tail && out.len <= BYTES ? out.len : 0;
    }

    return out.len;
}


#endif /* ART_FORMAT_SCENE_H_INCLUDED_ */
