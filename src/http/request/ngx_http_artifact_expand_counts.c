
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_expand_counts.h"
#include "http/request/ngx_http_artifact_expand_reader.h"


ngx_int_t
ngx_http_artifact_expand_count(ngx_http_request_t *r,
    ngx_http_artifact_expand_counts_t *counts)
{
    uint32_t                     i;
    uint64_t                     size;
    const art_message_slot_t    *slot;
    const art_message_edit_t    *edit;
    ngx_http_artifact_expand_t  *ex;

    ngx_memzero(counts, sizeof(ngx_http_artifact_expand_counts_t));

    ex = ngx_http_artifact_expand(r->main);

    if (ex == NULL || !ex->done || ex->scan == NULL) {
        return NGX_DECLINED;
    }

    counts->refs = ex->scan->occurrences;

    for (i = 0; ex->plan.edits && i < ex->scan->nslots; i++) {

        slot = art_scan_slot(ex->scan, i);
        edit = &ex->plan.edits[i];

        if (edit->becomes == ART_BECOMES_ITSELF && !edit->dropped) {
            continue;
        }

        if (!edit->dropped && (edit->becomes == ART_BECOMES_PART
                               || edit->becomes == ART_BECOMES_TEXT))
        {
            counts->expanded++;
            continue;
        }

        counts->degraded++;

        if (slot->held != ART_HELD_REF) {
            size = slot->part.end - slot->part.pos;
            counts->saved += size > edit->words.len ? size - edit->words.len
                                                    : 0;
        }
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
