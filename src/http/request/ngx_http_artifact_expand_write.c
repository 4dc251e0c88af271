
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the body becomes: decided, then written.
 */


#include "http/request/ngx_http_artifact_expand_steps.h"
#include "http/request/ngx_http_artifact_expand_reader.h"
#include "http/request/ngx_http_artifact_prompt.h"
#include "core/message/art_message_edit.h"


static ngx_int_t ngx_http_artifact_expand_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops);
static ngx_uint_t ngx_http_artifact_expand_is_signed(ngx_http_request_t *r);


ngx_int_t
ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex)
{
    size_t                 i;
    ngx_pool_t            *pool;
    art_message_reader_t   reader;

    if (ngx_http_artifact_prompt_ops(ex) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ex->scan->nslots == 0) {
        return ex->nadded > 0 ? NGX_OK : NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_reader(ex, &reader) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* media that were not looked at may be what the model cannot take */

    if (ex->scan->full && reader.known) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_REFS,
                                               art_str(NULL, 0));
    }

    /* any reference is an edit */

    if (ex->scan->nrefs > 0
        && ngx_http_artifact_expand_is_signed(ex->request))
    {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIGNED,
                                               art_str(NULL, 0));
    }

    if (art_plan_init(&ex->plan, ex->scan, &reader) != ART_OK
        || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    pool = ex->request->pool;

    ex->refs = ngx_pcalloc(pool, (ex->scan->nrefs + 1)
                                * sizeof(ngx_http_artifact_expand_ref_t));
    ex->slots = ngx_palloc(pool, (ex->scan->nslots + 1)
                                * sizeof(ngx_http_artifact_expand_part_t));

    if (ex->refs == NULL || ex->slots == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    for (i = 0; i < ex->nadded; i++) {
        ex->plan.more += ex->added[i].length - ex->added[i].skip;
    }

    /* in a group what becomes of one slot is decided with the last of them */

    ex->laying = ex->scan->ngroups == 0 && ex->nadded == 0;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex)
{
    size_t            nops;
    ngx_int_t         rc;
    art_splice_op_t  *ops;

    rc = ngx_http_artifact_expand_ops(ex, &ops, &nops);

    if (rc != NGX_OK) {
        return rc;
    }

    if (nops == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_is_signed(ex->request)) {
        return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIGNED,
                                               art_str(NULL, 0));
    }

    if (art_splice_init(&ex->splice, ops, nops, ex->scan->len, &ex->total)
        != ART_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_OK;
}


/* All operations on the body: those for its slots, and for the instruction. */

static ngx_int_t
ngx_http_artifact_expand_ops(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops)
{
    art_splice_op_t  *more;

    *ops = NULL;
    *nops = 0;

    if (ex->scan->nslots > 0) {

        switch (art_edit_budget(&ex->plan,
                                art_edit_limit(ex->api,
                                             (uint64_t) ex->conf->body_max)))
        {
        case ART_BUDGET_OK:
            break;

        case ART_BUDGET_TOO_LARGE:
            return ngx_http_artifact_expand_refuse(ex, ART_MESSAGE_ERR_SIZE,
                                                   art_str(NULL, 0));
        default:
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        if (art_edit_ops(&ex->plan, ops, nops) != ART_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (ex->nadded == 0) {
        return NGX_OK;
    }

    more = ngx_palloc(ex->request->pool,
                      (*nops + ex->nadded) * sizeof(art_splice_op_t));
    if (more == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (*nops > 0) {
        ngx_memcpy(more, *ops, *nops * sizeof(art_splice_op_t));
    }

    ngx_memcpy(more + *nops, ex->added,
               ex->nadded * sizeof(art_splice_op_t));

    *ops = more;
    *nops += ex->nadded;

    return NGX_OK;
}


/* AWS Signature Version 4 covers the body. */

static ngx_uint_t
ngx_http_artifact_expand_is_signed(ngx_http_request_t *r)
{
    ngx_table_elt_t  *header;

    header = r->headers_in.authorization;

    return header
           && header->value.len > sizeof("AWS4-HMAC-SHA256") - 1
           && ngx_strncasecmp(header->value.data,
                              (u_char *) "AWS4-HMAC-SHA256",
                              sizeof("AWS4-HMAC-SHA256") - 1)
              == 0;
}


ngx_int_t
ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                   rc;
    ngx_http_artifact_spool_t  *body;

    body = &ex->parts;
    rc = ngx_http_artifact_expand_lay(ex, ex->scan->nslots);

    if (rc != NGX_OK) {
        return rc;
    }

    /* what had to go afterwards has made the body shorter */

    if (!ex->laying || (uint64_t) ex->parts.size != ex->total) {

        if (!ex->begun
            && (ngx_http_artifact_spool_end(&ex->parts, &ex->rendered)
                != NGX_OK
                || ngx_http_artifact_expand_rewind(ex) != NGX_OK))
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }

        body = &ex->out;
        ex->laying = 0;
        ex->begun = 1;

        rc = ngx_http_artifact_expand_put(ex, &ex->splice, body, 0);

        if (rc == NGX_AGAIN) {
            return ngx_http_artifact_expand_yield(ex);
        }

        if (rc != NGX_OK) {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (ngx_http_artifact_body_replace(ex->request, body) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ex->sent = body;

    return NGX_OK;
}
