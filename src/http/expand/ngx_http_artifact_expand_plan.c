
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The third step: the model that will read the request is determined, and what
 * becomes of media that the client itself put there.  What becomes of
 * references is decided as their sources answer.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capmap.h"


static ngx_int_t ngx_http_artifact_expand_plan_begin(
    ngx_http_artifact_expand_t *ex, const art_message_reader_t *reader);
static ngx_uint_t ngx_http_artifact_expand_is_signed(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_reader(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader);
static void ngx_http_artifact_expand_services(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader);
static int ngx_http_artifact_expand_describe(void *data, const art_view_t *view,
    art_str_t *words);
#if (NGX_DEBUG)
static void ngx_http_artifact_expand_debug(ngx_http_artifact_expand_t *ex,
    uint32_t i, const char *why);
#endif


ngx_int_t
ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex)
{
    art_message_reader_t  reader;

    if (ex->prompt
        && art_prompt_ops(ex->prompt, (art_lang_t) ex->conf->language,
                          &ex->pool, ex->added, &ex->nadded)
           != ART_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: prompt: %s, %uz operations",
                   ex->prompt ? "on" : "off", ex->nadded);

    ex->aws_signed = ngx_http_artifact_expand_is_signed(ex->request) & 1;

    if (ex->nslots == 0) {

        if (ex->nadded > 0) {
            return NGX_OK;
        }

        ex->why = "it has nothing to expand";
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_reader(ex, &reader) != NGX_OK) {
        return NGX_ERROR;
    }

    /* media that were not examined may include some that it cannot take */

    if (ex->scan->full && reader.known) {
        ex->error = ART_MESSAGE_ERR_REFS;
        return NGX_ABORT;
    }

    /* any reference is an edit */

    if (ex->scan->nrefs > 0 && ex->aws_signed) {
        ex->error = ART_MESSAGE_ERR_SIGNED;
        return NGX_ABORT;
    }

    return ngx_http_artifact_expand_plan_begin(ex, &reader);
}


static ngx_int_t
ngx_http_artifact_expand_plan_begin(ngx_http_artifact_expand_t *ex,
    const art_message_reader_t *reader)
{
    size_t       i;
    ngx_pool_t  *pool;

    if (art_plan_init(&ex->plan, ex->scan, reader) != ART_OK
        || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
    {
        return NGX_ERROR;
    }

    pool = ex->request->pool;

    ex->refs = ngx_pcalloc(pool, (ex->scan->nrefs + 1)
                                 * sizeof(ngx_http_artifact_expand_ref_t));
    ex->parts = ngx_palloc(pool, (ex->nslots + 1)
                                 * sizeof(ngx_http_artifact_expand_part_t));

    if (ex->refs == NULL || ex->parts == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < ex->nadded; i++) {
        ex->plan.more += ex->added[i].length - ex->added[i].skip;
    }

    /* in a group, what becomes of each slot is decided with the last one */

    ex->in_order = ex->scan->ngroups == 0 && ex->nadded == 0;

#if (NGX_DEBUG)

    for (i = 0; i < ex->nslots; i++) {
        if (art_scan_slot(ex->scan, (uint32_t) i)->held != ART_HELD_REF) {
            ngx_http_artifact_expand_debug(ex, (uint32_t) i, NULL);
        }
    }

#endif

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


/*
 * Determines who will read the request: artifact_accept; or artifact_service,
 * if the map knows it; or the models that the body names; or the path's.  Also
 * sets ex->reader.  NGX_ERROR when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_reader(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader)
{
    ngx_http_artifact_reader_t  *asked;

    asked = ngx_http_artifact_get_reader(ex->request);
    if (asked == NULL) {
        return NGX_ERROR;
    }

    ex->reader = *asked;

    ngx_memzero(reader, sizeof(art_message_reader_t));

    reader->inline_max = (uint64_t) ex->conf->inline_max;
    reader->lang = (art_lang_t) ex->conf->language;
    reader->model = ngx_http_artifact_expand_model(ex);

    if (asked->accept.len > 0 || asked->service) {
        reader->known = 1;
        reader->caps = asked->caps;

    } else {
        ngx_http_artifact_expand_services(ex, reader);
    }

    if (ex->reader.service) {
        reader->accepts = ex->reader.service->accepts;
        reader->naccepts = ex->reader.service->naccepts;
        reader->service_max = ex->reader.service->max_bytes;
    }

    ex->reader.caps = reader->known ? reader->caps : ~0u;

    if (ex->conf->description) {
        reader->describe = ngx_http_artifact_expand_describe;
        reader->data = ex;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: reader is %s, capabilities %Xi",
                   reader->known ? "known" : "unknown",
                   (ngx_int_t) reader->caps);

    return NGX_OK;
}


/* Several models together can take what all known ones can take. */

static void
ngx_http_artifact_expand_services(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader)
{
    uint32_t                        i;
    art_str_t                       name;
    const art_service_t            *service;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(ex->request, ngx_artifact_module);

    for (i = 0; amcf->capmap && i <= ex->scan->nmodels; i++) {

        /* the path's model counts only if the body names none */

        if (i == ex->scan->nmodels) {

            if (reader->known || ex->scan->models[0].len > 0) {
                break;
            }

            name = ex->path_model;

        } else {
            name = ex->scan->models[i];
        }

        service = name.len ? art_capmap_find(amcf->capmap, name) : NULL;

        if (service == NULL) {
            continue;
        }

        reader->caps = reader->known ? reader->caps & service->input.bits
                                     : service->input.bits;
        reader->known = 1;

        if (ex->reader.service == NULL) {
            ex->reader.service = service;
        }
    }
}


/*
 * An art_message_describe_pt: artifact_description for ex->slot.  Its variables
 * are the source's, whose subrequest exists until the request ends.
 */

static int
ngx_http_artifact_expand_describe(void *data, const art_view_t *view,
    art_str_t *words)
{
    ngx_http_artifact_expand_t *ex = data;

    ngx_str_t                        value;
    ngx_http_artifact_expand_ref_t  *ref;

    ref = &ex->refs[art_scan_slot(ex->scan, ex->slot)->ref];
    ref->stream->view.decision = view->decision;

    if (ngx_http_artifact_lines_value(ref->sr, ex->conf->description, &value)
        != NGX_OK)
    {
        return ART_ERROR;
    }

    *words = ngx_artifact_str(&value);

    return ART_OK;
}


ngx_int_t
ngx_http_artifact_expand_decide(ngx_http_artifact_expand_t *ex,
    uint32_t slot, art_view_t *view, ngx_uint_t empty, ngx_uint_t failed)
{
    if (art_plan_source(&ex->plan, slot, view, empty & 1, failed & 1)
        != ART_OK)
    {
        return NGX_ERROR;
    }

#if (NGX_DEBUG)
    ngx_http_artifact_expand_debug(ex, slot,
                                   view
                                   ? art_reason_name(view->decision.reason)
                                   : "missing");
#endif

    return NGX_OK;
}


#if (NGX_DEBUG)

static void
ngx_http_artifact_expand_debug(ngx_http_artifact_expand_t *ex, uint32_t i,
    const char *why)
{
    const art_message_slot_t  *slot;

    /* by art_message_becomes_t */

    static const char *const  names[] = {
        "unchanged", "part", "text", "described", "named"
    };

    slot = art_scan_slot(ex->scan, i);

    ngx_log_debug7(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: slot %uD, %s \"%*s\": %s%s%s",
                   i, slot->held == ART_HELD_REF ? "artifact" : "media",
                   slot->text.len, slot->text.data,
                   names[ex->plan.edits[i].becomes],
                   why ? ", " : "", why ? why : "");
}

#endif
