
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing a body, while its sources answer or afterwards.  In the first case
 * what stands between two renderings is put between them, so that nothing is
 * copied any more.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"
#include "core/message/art_message_edit.h"


/* Bytes that are copied at once, before a rendering. */

#define NGX_HTTP_ARTIFACT_EXPAND_PART  (1024 * 1024)


static ngx_int_t ngx_http_artifact_expand_lay_begin(
    ngx_http_artifact_expand_t *ex, uint32_t to, uint64_t end);
static ngx_int_t ngx_http_artifact_expand_piece(
    ngx_http_artifact_expand_t *ex, ngx_http_artifact_spool_t *spool);


ngx_int_t
ngx_http_artifact_expand_lay(ngx_http_artifact_expand_t *ex, uint32_t slot)
{
    uint64_t   end;
    ngx_int_t  rc;

    end = slot < ex->scan->nslots ? art_scan_slot(ex->scan, slot)->part.pos
                                  : ex->scan->len;

    while (ex->laying
           && (ex->ranged || ex->laid < slot || ex->lay.pos < end))
    {
        if (!ex->ranged) {
            rc = ngx_http_artifact_expand_lay_begin(ex, slot, end);

            if (rc != NGX_OK) {
                return rc == NGX_DECLINED ? NGX_OK : rc;
            }
        }

        rc = ngx_http_artifact_expand_put(ex, &ex->lay, &ex->parts, 0);

        if (rc == NGX_AGAIN) {
            return ngx_http_artifact_expand_yield(ex);
        }

        if (rc == NGX_ERROR) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        ex->ranged = 0;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_lay_part(ngx_http_artifact_expand_t *ex,
    uint32_t slot)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *at;

    at = art_scan_slot(ex->scan, slot);

    if (!ex->laying) {
        return NGX_OK;
    }

    /* it does not yield here */

    if (at->part.end - at->part.pos > NGX_HTTP_ARTIFACT_EXPAND_PART) {
        ex->laying = 0;
        return NGX_OK;
    }

    rc = ngx_http_artifact_expand_lay_begin(ex, slot + 1, at->part.end);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
    }

    return ngx_http_artifact_expand_put(ex, &ex->lay, &ex->parts, 1);
}


/* What the slots before "to" come to, up to "end" of the body. */

static ngx_int_t
ngx_http_artifact_expand_lay_begin(ngx_http_artifact_expand_t *ex,
    uint32_t to, uint64_t end)
{
    size_t            nops;
    uint64_t          pos, total;
    art_splice_op_t  *ops;

    pos = ex->lay.pos;

    if (art_edit_ops_of(&ex->plan, ex->laid, to, &ops, &nops) != ART_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (art_splice_init(&ex->lay, ops, nops, end, &total) != ART_OK
        || end < pos || (nops > 0 && ops[0].pos < pos))
    {
        ex->laying = 0;
        return NGX_DECLINED;
    }

    ex->lay.pos = pos;
    ex->laid = to;
    ex->ranged = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_put(ngx_http_artifact_expand_t *ex,
    art_splice_t *splice, ngx_http_artifact_spool_t *spool, ngx_uint_t render)
{
    ngx_int_t  rc;

    for ( ;; ) {

        if (!ex->writing && !art_splice_next(splice, &ex->piece)) {
            return NGX_OK;
        }

        if (render && ex->piece.kind == ART_SPLICE_RENDER) {
            return NGX_OK;
        }

        ex->writing = 1;
        rc = ngx_http_artifact_expand_piece(ex, spool);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ex->writing = (rc == NGX_AGAIN);

        if (!render && ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_AGAIN;
        }
    }
}


/* Some bytes of a piece: NGX_AGAIN if there are more, NGX_OK at its end. */

static ngx_int_t
ngx_http_artifact_expand_piece(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool)
{
    u_char                           *data;
    ssize_t                           n;
    art_splice_piece_t               *piece;
    ngx_http_artifact_body_t          at, *from;
    ngx_http_artifact_expand_part_t  *part;

    piece = &ex->piece;
    from = &ex->at;

    switch (piece->kind) {

    case ART_SPLICE_TEXT:
        return ngx_http_artifact_spool_put(spool, piece->text.data,
                                           piece->text.len);

    case ART_SPLICE_RENDER:
        part = &ex->slots[piece->slot];

        if (piece->end == 0) {
            piece->pos = (uint64_t) part->begin;
            piece->end = (uint64_t) (part->begin + part->size);
        }

        ngx_http_artifact_body_init(&at, ex->rendered, ex->buf,
                                    NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        from = &at;
        break;

    default: /* ART_SPLICE_COPY */
        break;
    }

    ngx_http_artifact_body_skip(from, (off_t) piece->pos);

    n = ngx_http_artifact_body_read(from,
                       (size_t) ngx_min(piece->end - piece->pos,
                                        NGX_HTTP_ARTIFACT_EXPAND_ROOM),
                       &data);

    if (n <= 0
        || ngx_http_artifact_spool_put(spool, data, (size_t) n) != NGX_OK)
    {
        return NGX_ERROR;
    }

    piece->pos += (uint64_t) n;

    return piece->pos < piece->end ? NGX_AGAIN : NGX_OK;
}
