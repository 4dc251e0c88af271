
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_expand_counts.h"
#include "http/request/ngx_http_artifact_expand_reader.h"


ngx_int_t
ngx_http_artifact_expand_count(ngx_http_request_t *r,
    ngx_uint_t *refs, art_edit_counts_t *counts)
{
    ngx_http_artifact_expand_t  *ex;

    *refs = 0;
    ngx_memzero(counts, sizeof(art_edit_counts_t));

    ex = ngx_http_artifact_expand(r->main);

    if (ex == NULL || !ex->done || ex->scan == NULL) {
        return NGX_DECLINED;
    }

    *refs = ex->scan->occurrences;

    if (ex->plan.edits) {
        art_edit_count(&ex->plan, counts);
    }

    return NGX_OK;
}


art_str_t
ngx_http_artifact_expand_api_name(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    return ex ? art_cstr(ex->api->name) : art_str(NULL, 0);
}


art_str_t
ngx_http_artifact_expand_model_name(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    return ex ? ngx_http_artifact_expand_model(ex) : art_str(NULL, 0);
}
