
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A body that is made while its sources answer: what stands between two
 * renderings is put between them, so that nothing is copied afterwards.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"
#include "core/message/art_message_edit.h"


static ngx_int_t ngx_http_artifact_expand_lay_begin(
    ngx_http_artifact_expand_t *ex, uint32_t to, uint64_t end);


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

    if (at->part.end - at->part.pos > NGX_HTTP_ARTIFACT_EXPAND_MOST) {
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
