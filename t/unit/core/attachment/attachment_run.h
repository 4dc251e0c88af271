
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments answered as the glue would do it, from the
 * sources of expand_run.h; what is asked for as "bad..." cannot be read.
 */


#ifndef ART_ATTACHMENT_RUN_H_INCLUDED_
#define ART_ATTACHMENT_RUN_H_INCLUDED_


#include "core/attachment/art_attachment.h"
#include "core/capability/art_capmap.h"
#include "core/expand/expand_run.h"
#include "exact.h"


static art_attachments_t  asked;
static art_capmap_t      *known;     /* services and agents, or NULL */
static uint8_t            answer[OUT_MAX];
static size_t             answer_len;


static art_attachments_status_t
read_message(const void *body, size_t len, uint32_t max)
{
    uint8_t                   *copy;
    art_attachments_conf_t     conf;
    art_attachments_status_t   status;

    memset(&conf, 0, sizeof(conf));

    conf.pool.alloc = pool_alloc;
    conf.url.prefix = art_cstr("https://h/a/");
    conf.max = max;

    copy = exact(body, len);
    status = art_attachments_read(&asked, art_str(copy, len), &conf);
    free(copy);

    return status;
}


/* Renders a part behind the answer so far. */

static void
answer_render(const art_format_t *format, art_view_t *view, size_t n)
{
    size_t              len;
    uint8_t            *scratch;
    art_render_t        render;
    const uint8_t      *p;
    art_render_conf_t   conf;

    memset(&conf, 0, sizeof(conf));

    conf.format = format;
    conf.view = view;

    art_render_init(&render, &conf);
    scratch = exact(NULL, render.room);
    art_render_memory(&render, scratch, NULL);

    p = (const uint8_t *) sources[n].content;
    len = strlen(sources[n].content);

    while (render.state != ART_RENDER_DONE) {
        answer_len += art_render_update(&render, answer + answer_len, 65536,
                                        &p, &len, 1);
    }

    art_render_close(&render);
    free(scratch);
}


/* ART_ERROR when out of memory. */

static int
answer_content(art_reply_t *reply, unsigned caps)
{
    size_t                     n;
    art_meta_t                 meta;
    art_view_t                 view;
    art_question_t             question;
    art_attachment_t          *item;
    static art_pool_t  memory = { pool_alloc, NULL };

    item = &asked.items[reply->at];
    n = source_find(item->id);

    if (n == nitems(sources)) {
        item->outcome = item->id.len > 2 && memcmp(item->id.data, "bad", 3) == 0
                        ? ART_ATTACHED_UNREAD : ART_ATTACHED_GONE;
        return ART_OK;
    }

    source_view(&view, &meta, n, item->id);

    /* one of them has no name of its own */

    if (strcmp(sources[n].id, "mp3") != 0) {
        meta.name = view.name;
    }

    memset(&question, 0, sizeof(question));

    question.format = reply->conf.format->in_message
                      ? reply->conf.format->in_message : reply->conf.format;
    question.kind = view.kind;
    question.mime = view.mime;
    question.caps = caps;
    question.size = view.size;
    question.size_known = 1;
    question.empty = view.size == 0;

    art_route_decide(&question, &view.decision);

    if (art_reply_decide(reply, &view, view.size == 0, &memory) != ART_OK) {
        return ART_ERROR;
    }

    if (item->outcome == ART_ATTACHED_PART) {
        answer_render(question.format, &view, n);
    }

    return ART_OK;
}


/* The answer to a message that was read, terminated; ART_ERROR likewise. */

static int
answer_message(const void *body, const char *format, unsigned caps,
    art_lang_t lang)
{
    uint8_t           *piece;
    art_out_t          out;
    art_reply_t        reply;
    art_reply_conf_t   conf;

    memset(&conf, 0, sizeof(conf));

    conf.message = &asked;
    conf.format = art_format_find(art_cstr(format));
    conf.map = known;
    conf.except = known ? art_capmap_find(known, asked.service) : NULL;
    conf.lang = lang;

    art_reply_init(&reply, &conf);
    answer_len = 0;

    for ( ;; ) {

        switch (art_reply_next(&reply)) {

        case ART_REPLY_PIECE:
            out = art_out(NULL, 0);
            art_reply_print(&reply, &out);

            piece = exact(NULL, out.len);
            out = art_out(piece, out.len);
            art_reply_print(&reply, &out);

            memcpy(answer + answer_len, piece, out.len);
            answer_len += out.len;
            free(piece);
            break;

        case ART_REPLY_TEXT:
            memcpy(answer + answer_len, (const uint8_t *) body + asked.text.pos,
                   (size_t) (asked.text.end - asked.text.pos));
            answer_len += (size_t) (asked.text.end - asked.text.pos);
            break;

        case ART_REPLY_CONTENT:
            if (answer_content(&reply, caps) != ART_OK) {
                return ART_ERROR;
            }
            break;

        default:
            answer[answer_len] = '\0';
            return ART_OK;
        }
    }
}


static TAP_UNUSED art_capmap_t *
map_of(const char *json)
{
    art_capmap_t        *map;
    art_capmap_error_t   error;

    map = art_capmap_create();

    if (map == NULL
        || art_capmap_add(map, art_cstr(json), NULL, NULL, &error) != ART_OK
        || art_capmap_finish(map) != ART_OK)
    {
        printf("Bail out! no map\n");
        exit(2);
    }

    return map;
}


#endif /* ART_ATTACHMENT_RUN_H_INCLUDED_ */
