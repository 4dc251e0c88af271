
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The state of an expansion: created, found again, and read by variables and
 * counters.
 */


#include "http/expand/ngx_http_artifact_expand.h"
#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"

#include <openssl/evp.h>


static void ngx_http_artifact_expand_cleanup(void *data);
static void ngx_http_artifact_expand_part(ngx_http_artifact_expand_t *ex,
    uint32_t i, unsigned *kind, unsigned *outcome);


/*
 * An internal redirect clears the contexts of modules, but not the pool's
 * cleanups.  These are searched only once, since each source adds more of them.
 */

ngx_http_artifact_expand_t *
ngx_http_artifact_expand(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_expand_t  *ex;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);
    ex = ctx ? ctx->expand : NULL;

    for (cln = r->pool->cleanup; ex == NULL && cln; cln = cln->next) {

        if (cln->handler == ngx_http_artifact_expand_cleanup) {
            ex = cln->data;
        }
    }

    if (ex && ctx) {
        ctx->expand = ex;
    }

    return ex && ex->step != NGX_HTTP_ARTIFACT_EXPAND_GIVEN_UP ? ex : NULL;
}


ngx_http_artifact_expand_t *
ngx_http_artifact_expand_create(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_pool_cleanup_t          *cln;
    ngx_http_artifact_ctx_t     *ctx;
    ngx_http_artifact_expand_t  *ex;

    ctx = ngx_http_artifact_get_ctx(r);
    if (ctx == NULL) {
        return NULL;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_expand_t));
    if (cln == NULL) {
        return NULL;
    }

    ex = cln->data;
    ngx_memzero(ex, sizeof(ngx_http_artifact_expand_t));

    ex->request = r;
    ex->conf = alcf;
    ex->pool = ngx_http_artifact_core_pool(r->pool);

    if (ngx_http_artifact_turn_init(&ex->turn, r) != NGX_OK) {
        return NULL;
    }

    ngx_http_artifact_spool_init(&ex->decoded, r);
    ngx_http_artifact_spool_init(&ex->rendered, r);
    ngx_http_artifact_spool_init(&ex->copied, r);

    cln->handler = ngx_http_artifact_expand_cleanup;
    ctx->expand = ex;

    return ex;
}


static void
ngx_http_artifact_expand_cleanup(void *data)
{
    ngx_http_artifact_expand_t *ex = data;

    EVP_MD_CTX_free(ex->digest);
}


ngx_int_t
ngx_http_artifact_expand_rewind(ngx_http_artifact_expand_t *ex)
{
    if (ex->buf == NULL) {
        ex->buf = ngx_palloc(ex->request->pool,
                             NGX_HTTP_ARTIFACT_EXPAND_ROOM);
        if (ex->buf == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_http_artifact_body_init(&ex->cursor, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return NGX_OK;
}


art_str_t
ngx_http_artifact_expand_model(ngx_http_artifact_expand_t *ex)
{
    return ex->scan && ex->scan->nmodels > 0 && ex->scan->models[0].len > 0
           ? ex->scan->models[0] : ex->path_model;
}


ngx_int_t
ngx_http_artifact_expand_count(ngx_http_request_t *r,
    ngx_uint_t *refs, art_edit_counts_t *counts)
{
    ngx_http_artifact_expand_t  *ex;

    *refs = 0;
    ngx_memzero(counts, sizeof(art_edit_counts_t));

    ex = ngx_http_artifact_expand(r->main);

    if (ex == NULL || ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE
        || ex->scan == NULL)
    {
        return NGX_DECLINED;
    }

    *refs = ex->scan->occurrences;

    if (ex->plan.edits) {
        art_edit_count(&ex->plan, counts);
    }

    return NGX_OK;
}


void
ngx_http_artifact_expand_log(ngx_http_request_t *r)
{
    uint32_t                     i;
    unsigned                     at[3];
    ngx_uint_t                   refs;
    art_edit_counts_t            counts;
    ngx_http_artifact_expand_t  *ex;

    if (ngx_http_artifact_expand_count(r, &refs, &counts) != NGX_OK) {
        return;
    }

    ex = ngx_http_artifact_expand(r);

    if (ex->plan.edits == NULL) {
        return;
    }

    ngx_http_artifact_count(ART_COUNT_SAVED, NULL, counts.saved);

    at[0] = art_api_request_number(ex->api);

    for (i = 0; i < ex->nslots; i++) {
        ngx_http_artifact_expand_part(ex, i, &at[1], &at[2]);
        ngx_http_artifact_count(ART_COUNT_PARTS, at, 1);
    }
}


/* What a slot holds, as far as it is known, and what became of it. */

static void
ngx_http_artifact_expand_part(ngx_http_artifact_expand_t *ex, uint32_t i,
    unsigned *kind, unsigned *outcome)
{
    const art_message_slot_t        *slot;
    const art_message_edit_t        *edit;
    ngx_http_artifact_expand_ref_t  *ref;

    static const unsigned  outcomes[] = {
        ART_COUNT_KEPT,              /* ART_BECOMES_ITSELF */
        ART_COUNT_AS_PART,           /* ART_BECOMES_PART */
        ART_COUNT_AS_TEXT,           /* ART_BECOMES_TEXT */
        ART_COUNT_DESCRIBED,         /* ART_BECOMES_DESCRIBED */
        ART_COUNT_NAMED              /* ART_BECOMES_NAMED */
    };

    slot = art_scan_slot(ex->scan, i);
    edit = &ex->plan.edits[i];
    ref = slot->held == ART_HELD_REF && !slot->malformed ? &ex->refs[slot->ref]
                                                         : NULL;

    *kind = slot->held != ART_HELD_REF ? slot->kind
            : ref && ref->known ? ref->view.kind : ART_KIND_OTHER;

    *outcome = edit->dropped ? ART_COUNT_DROPPED
               : slot->malformed || (ref && ref->missing) ? ART_COUNT_MISSING
               : outcomes[edit->becomes];
}


art_str_t
ngx_http_artifact_expand_api_name(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    return ex && ex->api ? art_cstr(ex->api->name) : art_str(NULL, 0);
}


art_str_t
ngx_http_artifact_expand_model_name(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    return ex ? ngx_http_artifact_expand_model(ex) : art_str(NULL, 0);
}


art_str_t
ngx_http_artifact_expand_body_hash(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    /* an empty key would be shared by all bodies */

    if (ex == NULL && r->upstream && !r->header_sent
        && (r->headers_in.content_length_n > 0 || r->headers_in.chunked))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"$artifact_body_hash\" is empty without "
                      "\"artifact_expand\" and \"artifact_prompt\"");
    }

    return ex && ex->hash ? art_str(ex->hash, NGX_HTTP_ARTIFACT_EXPAND_DIGITS)
                          : art_str(NULL, 0);
}
