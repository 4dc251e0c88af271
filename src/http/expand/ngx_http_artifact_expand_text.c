
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Texts that a client sends as files, in base64, and that the API does not take
 * as such: they are decoded and rendered as the texts of artifacts are.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "core/expand/art_expand_derive.h"
#include "core/render/art_render.h"


/* Bytes that are decoded, and rendered, at once. */

#define NGX_HTTP_ARTIFACT_EXPAND_TEXT  4096


struct ngx_http_artifact_expand_text_s {
    art_render_t         render;
    art_view_t           view;
    art_find_decode_t    clean;
    uint64_t             pos;        /* of the body */
    off_t                begin;      /* of "rendered" */
    unsigned             failed:1;
};


static ngx_int_t ngx_http_artifact_expand_text_begin(
    ngx_http_artifact_expand_t *ex, const art_message_slot_t *slot);
static void ngx_http_artifact_expand_text_cleanup(void *data);
static ngx_int_t ngx_http_artifact_expand_text_read(
    ngx_http_artifact_expand_t *ex, const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_text_put(
    ngx_http_artifact_expand_t *ex, u_char *data, size_t len, ngx_uint_t last);
static void ngx_http_artifact_expand_text_end(ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_text(ngx_http_artifact_expand_t *ex)
{
    u_char                            rest[ART_FIND_LAG];
    size_t                            n;
    ngx_int_t                         rc;
    const art_message_slot_t         *slot;
    ngx_http_artifact_expand_text_t  *text;

    slot = art_scan_slot(ex->scan, ex->slot);

    if (ex->text == NULL
        && ngx_http_artifact_expand_text_begin(ex, slot) != NGX_OK)
    {
        return NGX_ERROR;
    }

    text = ex->text;

    while (text->pos < slot->raw.end && !text->failed) {
        rc = ngx_http_artifact_expand_text_read(ex, slot);

        if (rc != NGX_OK) {
            return rc;
        }

        if (ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }
    }

    n = art_find_decode_end(&text->clean, slot->size, rest);

    if (ngx_http_artifact_expand_text_put(ex, rest, n, 1) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_expand_text_end(ex);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_text_begin(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    u_char                           *memory;
    ngx_pool_t                       *pool;
    art_render_conf_t                 conf;
    ngx_pool_cleanup_t               *cln;
    ngx_http_artifact_expand_text_t  *text;

    pool = ex->request->pool;

    text = ngx_pcalloc(pool, sizeof(ngx_http_artifact_expand_text_t));
    cln = ngx_pool_cleanup_add(pool, 0);

    if (text == NULL || cln == NULL
        || art_message_origin(&ex->plan, ex->slot, &text->view) != ART_OK)
    {
        return NGX_ERROR;
    }

    text->view.kind = ART_KIND_TEXT;
    text->view.decision.kind = ART_KIND_TEXT;
    text->view.decision.routing = ART_ROUTING_TEXT;

    ngx_memzero(&conf, sizeof(art_render_conf_t));

    conf.format = ex->plan.edits[ex->slot].format;
    conf.view = &text->view;
    conf.charset = slot->charset;
    conf.lines = slot->lines;

    art_render_init(&text->render, &conf);

    cln->handler = ngx_http_artifact_expand_text_cleanup;
    cln->data = text;

    memory = ngx_pnalloc(pool, text->render.room);
    if (memory == NULL) {
        return NGX_ERROR;
    }

    art_render_memory(&text->render, memory, NULL);
    art_splice_own(&text->clean, slot);

    text->pos = slot->raw.pos;
    text->begin = ex->rendered.size;

    ex->text = text;

    return NGX_OK;
}


static void
ngx_http_artifact_expand_text_cleanup(void *data)
{
    ngx_http_artifact_expand_text_t *text = data;

    art_render_close(&text->render);
}


static ngx_int_t
ngx_http_artifact_expand_text_read(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    u_char                           *data;
    u_char                            out[NGX_HTTP_ARTIFACT_EXPAND_TEXT];
    size_t                            n, len;
    ssize_t                           read;
    const uint8_t                    *p;
    ngx_http_artifact_body_t          body;
    ngx_http_artifact_expand_text_t  *text;

    text = ex->text;

    ngx_http_artifact_body_init(&body, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&body, (off_t) text->pos);

    read = ngx_http_artifact_body_read(&body,
                                       (size_t) ngx_min(slot->raw.end
                                                        - text->pos,
                                              NGX_HTTP_ARTIFACT_EXPAND_ROOM),
                                       &data);
    if (read <= 0) {
        return NGX_ERROR;
    }

    p = data;
    len = (size_t) read;
    text->pos += len;

    while (len > 0) {
        n = art_find_decode(&text->clean, out, sizeof(out), &p, &len);

        if (ngx_http_artifact_expand_text_put(ex, out, n, 0) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* Renders some bytes of the text. */

static ngx_int_t
ngx_http_artifact_expand_text_put(ngx_http_artifact_expand_t *ex, u_char *data,
    size_t len, ngx_uint_t last)
{
    u_char                            out[NGX_HTTP_ARTIFACT_EXPAND_TEXT];
    size_t                            n;
    const uint8_t                    *p;
    ngx_http_artifact_expand_text_t  *text;

    p = data;
    text = ex->text;

    while (!text->failed && text->render.state != ART_RENDER_DONE) {
        n = art_render_update(&text->render, out, sizeof(out), &p, &len,
                              last & 1);

        if (n == ART_JSON_TEXT_ERROR) {
            text->failed = 1;
            break;
        }

        if (ngx_http_artifact_spool_put(&ex->rendered, out, n) != NGX_OK) {
            return NGX_ERROR;
        }

        if (n == 0 && len == 0) {
            break;
        }
    }

    return NGX_OK;
}


/* What turns out to be no text is described. */

static void
ngx_http_artifact_expand_text_end(ngx_http_artifact_expand_t *ex)
{
    art_message_edit_t               *edit;
    ngx_http_artifact_expand_part_t  *part;
    ngx_http_artifact_expand_text_t  *text;

    text = ex->text;
    edit = &ex->plan.edits[ex->slot];
    part = &ex->parts[ex->slot];

    part->begin = text->begin;
    part->size = ex->rendered.size - text->begin;

    art_render_close(&text->render);

    ex->text = NULL;

    if (text->failed || text->render.state != ART_RENDER_DONE) {
        edit->becomes = ART_BECOMES_DESCRIBED;
        edit->reason = ART_REASON_READ;
        edit->format = NULL;
        edit->words = edit->fallback;

    } else {
        art_plan_length(&ex->plan, ex->slot, (uint64_t) part->size);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: slot %uD is a text of %O bytes%s",
                   ex->slot, part->size,
                   text->failed ? ", which cannot be read" : "");
}
