
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The third step: the model that will read the request is determined, and what
 * becomes of media that the client itself put there.
 *
 * The fourth step: the sources of references are asked, one after the other,
 * each by a subrequest, and what becomes of a reference is decided as its
 * source answers.  A reference that occurs again is asked for again only if its
 * content is needed in another form.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_delivery.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/compose/ngx_http_artifact_ask.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capmap.h"


static ngx_int_t ngx_http_artifact_expand_plan_begin(
    ngx_http_artifact_expand_t *ex, const art_message_reader_t *readers);
static ngx_int_t ngx_http_artifact_expand_plan_own(
    ngx_http_artifact_expand_t *ex);
static ngx_uint_t ngx_http_artifact_expand_is_signed(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_readers(
    ngx_http_artifact_expand_t *ex, art_message_reader_t **readers);
static ngx_int_t ngx_http_artifact_expand_one_reader(
    ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_reader_t *asked, art_message_reader_t *reader);
static ngx_int_t ngx_http_artifact_expand_delivery(
    ngx_http_artifact_expand_t *ex, const art_service_t *service,
    art_message_reader_t *reader);
static const art_service_t *ngx_http_artifact_expand_services(
    ngx_http_artifact_expand_t *ex, art_message_reader_t *reader);
static void ngx_http_artifact_expand_unknown(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_reader_t *asked, art_str_t model);
static int ngx_http_artifact_expand_describe(void *data, const art_view_t *view,
    art_str_t *words);
static ngx_int_t ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_known(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_source(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_expand_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_uint_t ngx_http_artifact_expand_is_local(ngx_http_request_t *sr);
static ngx_int_t ngx_http_artifact_expand_answered(
    ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_expand_rendered(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_expand_part_t *part,
    ngx_http_artifact_expand_ref_t *ref);
static ngx_int_t ngx_http_artifact_expand_shown(
    ngx_http_artifact_expand_t *ex, const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_failed(
    ngx_http_artifact_expand_t *ex, const art_message_slot_t *slot);
static ngx_int_t ngx_http_artifact_expand_there(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_decide(ngx_http_artifact_expand_t *ex,
    uint32_t slot, art_view_t *view, ngx_uint_t empty, ngx_uint_t failed);
static ngx_int_t ngx_http_artifact_expand_refused(
    ngx_http_artifact_expand_t *ex, uint32_t slot);
static ngx_int_t ngx_http_artifact_expand_fail(ngx_http_artifact_expand_t *ex,
    uint32_t slot, art_message_error_t error);
#if (NGX_DEBUG)
static void ngx_http_artifact_expand_debug(ngx_http_artifact_expand_t *ex,
    uint32_t i, const char *why);
#endif


ngx_int_t
ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex)
{
    uint32_t               i;
    art_message_reader_t  *readers;

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

    if (ex->standins && ngx_http_artifact_standins_alone(ex)) {
        ex->nslots = 0;
        return NGX_OK;
    }

    if (ex->nslots == 0) {

        if (ex->nadded > 0 || ngx_http_artifact_longs_are(ex)) {
            return NGX_OK;
        }

        ex->why = "it has nothing to expand";
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_expand_readers(ex, &readers) != NGX_OK) {
        return NGX_ERROR;
    }

    /* media that were not examined may include some that it cannot take */

    for (i = 0; ex->scan->full && i < ex->scan->nrequests; i++) {

        if (readers[i].known) {
            ex->error = ART_MESSAGE_ERR_REFS;
            return NGX_ABORT;
        }
    }

    /* any reference is an edit */

    if (ex->scan->nrefs > 0 && ex->aws_signed) {
        ex->error = ART_MESSAGE_ERR_SIGNED;
        return NGX_ABORT;
    }

    if (ex->argument == ART_ARGUMENT_URL && ex->scan->conf.url.prefix.len == 0)
    {
        ex->error = ART_MESSAGE_ERR_URL;
        return NGX_ABORT;
    }

    return ngx_http_artifact_expand_plan_begin(ex, readers);
}


static ngx_int_t
ngx_http_artifact_expand_plan_begin(ngx_http_artifact_expand_t *ex,
    const art_message_reader_t *readers)
{
    size_t       i;
    ngx_pool_t  *pool;

    if (ngx_http_artifact_expand_look(ex) != NGX_OK
        || art_plan_init(&ex->plan, ex->scan, readers) != ART_OK
        || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (art_plan_edits(&ex->plan) > ART_MESSAGE_SLOTS_MAX) {
        ex->error = ART_MESSAGE_ERR_REFS;
        return NGX_ABORT;
    }

    pool = ex->request->pool;

    ex->refs = ngx_pcalloc(pool, (ex->scan->nrefs + 1)
                                 * sizeof(ngx_http_artifact_expand_ref_t));
    if (ex->refs == NULL) {
        return NGX_ERROR;
    }

    /* with these, whoever logs the request can tell what became of it */

    ex->parts = ngx_pcalloc(pool, (ex->nslots + 1)
                                  * sizeof(ngx_http_artifact_expand_part_t));
    if (ex->parts == NULL) {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_expand_plan_own(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < ex->nadded; i++) {
        ex->plan.more += ex->added[i].length - ex->added[i].skip;
    }

    /* in a group, what becomes of each slot is decided with the last one */

    ex->in_order = ex->scan->ngroups == 0 && ex->nadded == 0
                   && ex->njobs == 0 && !ex->standins
                   && !ngx_http_artifact_longs_are(ex);

    /* texts of the client's own are rendered beside the body */

    for (i = 0; i < ex->nslots; i++) {
        if (ngx_http_artifact_expand_is_text(ex, (uint32_t) i)) {
            ex->in_order = 0;
        }
    }

#if (NGX_DEBUG)

    for (i = 0; i < ex->nslots; i++) {
        if (art_scan_slot(ex->scan, (uint32_t) i)->held != ART_HELD_REF) {
            ngx_http_artifact_expand_debug(ex, (uint32_t) i, NULL);
        }
    }

#endif

    return NGX_OK;
}


/*
 * Media of the client's own: behind a gateway it will be known what becomes of
 * them; else some may be converted.  NGX_ERROR when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_plan_own(ngx_http_artifact_expand_t *ex)
{
    uint32_t  i;

    for (i = 0; i < ex->nslots; i++) {

        if (art_scan_slot(ex->scan, i)->held == ART_HELD_REF) {
            continue;
        }

        if (ex->standins) {
            ngx_memzero(&ex->plan.edits[i], sizeof(art_message_edit_t));

        } else if (ngx_http_artifact_rules(ex->conf)
                   && ngx_http_artifact_expand_derivable_own(ex, i) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

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
 * Determines who will read each request: the one before, if it names the same
 * model.  Also sets ex->readers.  NGX_ERROR when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_readers(ngx_http_artifact_expand_t *ex,
    art_message_reader_t **readers)
{
    uint32_t     i, n;
    ngx_pool_t  *pool;

    n = ex->scan->nrequests;
    pool = ex->request->pool;

    *readers = ngx_pcalloc(pool, n * sizeof(art_message_reader_t));
    ex->readers = ngx_pcalloc(pool, n * sizeof(ngx_http_artifact_reader_t));

    if (*readers == NULL || ex->readers == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < n; i++) {
        (*readers)[i].model = art_scan_request(ex->scan, i)->model;

        if (i > 0
            && art_str_eq((*readers)[i].model,
                          art_scan_request(ex->scan, i - 1)->model))
        {
            (*readers)[i] = (*readers)[i - 1];
            ex->readers[i] = ex->readers[i - 1];
            continue;
        }

        if (ngx_http_artifact_expand_one_reader(ex, &ex->readers[i],
                                            &(*readers)[i])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Determines who will read a request that names reader->model: artifact_accept;
 * or artifact_service, if the map knows it; or the models that it names; or the
 * path's.  Also sets *asked.  NGX_ERROR when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_one_reader(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_reader_t *asked, art_message_reader_t *reader)
{
    ngx_http_artifact_reader_t     *own;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(ex->request, ngx_artifact_module);

    reader->inline_max = (uint64_t) ex->conf->inline_max;
    reader->text_max = (uint64_t) ex->conf->text_max;
    reader->lang = (art_lang_t) ex->conf->language;
    reader->agents = art_capmap_has_agents(amcf->capmap);

    /* in front of a gateway nobody knows whom it will ask */

    if (ex->argument || ex->standins) {
        return NGX_OK;
    }

    own = ngx_http_artifact_get_reader(ex->request);
    if (own == NULL) {
        return NGX_ERROR;
    }

    *asked = *own;
    asked->unknown = 0;

    if (ngx_http_artifact_rules(ex->conf)) {
        reader->rules = ngx_http_artifact_rules(ex->conf)->elts;
        reader->nrules = (unsigned) ngx_http_artifact_rules(ex->conf)->nelts;
    }

    if (own->accept.len > 0 || own->service) {
        reader->known = 1;
        reader->caps = own->caps;

    } else {
        asked->service = ngx_http_artifact_expand_services(ex, reader);
    }

    if (reader->model.len == 0) {
        reader->model = ex->path_model;
    }

    if (!reader->known) {
        ngx_http_artifact_expand_unknown(ex, asked, reader->model);
    }

    asked->caps = reader->known ? reader->caps : ~0u;

    if (ngx_http_artifact_expand_delivery(ex, asked->service, reader)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ex->conf->description) {
        reader->describe = ngx_http_artifact_expand_describe;
        reader->data = ex;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: reader is %s, capabilities %Xi, "
                   "delivery %s",
                   reader->known ? "known" : "unknown",
                   (ngx_int_t) reader->caps, reader->by_url ? "url" : "inline");

    return NGX_OK;
}


/* What else the service takes, and whether it gets URLs. */

static ngx_int_t
ngx_http_artifact_expand_delivery(ngx_http_artifact_expand_t *ex,
    const art_service_t *service, art_message_reader_t *reader)
{
    ngx_uint_t  by_url;

    if (ngx_http_artifact_delivers(ex->request, ex->conf, &ex->scan->conf.url,
                                   &by_url)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    reader->by_url = by_url & 1;

    if (service) {
        reader->accepts = service->accepts;
        reader->naccepts = service->naccepts;
        reader->service_max = service->max_bytes;
        reader->max_side = service->max_side;
        reader->max_media = service->max_media;
        reader->tool_media = service->tool_media & 1;
        reader->names[0] = service->id;
        reader->names[1] = service->model;
    }

    return NGX_OK;
}


/*
 * Several models together can take what all known ones can take.  Returns the
 * service of the first of these, or NULL.
 */

static const art_service_t *
ngx_http_artifact_expand_services(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader)
{
    uint32_t                        i;
    art_str_t                       name;
    const art_service_t            *service, *first;
    ngx_http_artifact_main_conf_t  *amcf;

    first = NULL;
    amcf = ngx_http_get_module_main_conf(ex->request, ngx_artifact_module);

    for (i = 0; amcf->capmap && i <= ex->scan->nmodels; i++) {

        /* the path's model counts only if the body names none */

        if (i == ex->scan->nmodels) {

            if (reader->known || reader->model.len > 0) {
                break;
            }

            name = ex->path_model;

        } else {
            name = i == 0 ? reader->model : ex->scan->models[i];
        }

        service = name.len ? art_capmap_find(amcf->capmap, name) : NULL;

        ngx_log_debug4(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: model \"%*s\" is \"%*s\"",
                       name.len, name.data, service ? service->id.len : 0,
                       service ? service->id.data : NULL);

        if (service == NULL) {
            continue;
        }

        reader->caps = reader->known ? reader->caps & service->input.bits
                                     : service->input.bits;
        reader->known = 1;

        if (first == NULL) {
            first = service;
        }
    }

    return first;
}


/*
 * Without a map no model is known, which surprises nobody; and no map has a
 * model without a name.
 */

static void
ngx_http_artifact_expand_unknown(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_reader_t *asked, art_str_t model)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(ex->request, ngx_artifact_module);

    if (model.len == 0) {
        model = ngx_artifact_str(&asked->asked);
    }

    if (amcf->capmap == NULL || model.len == 0) {
        return;
    }

    ex->unknown = 1;

    ngx_http_artifact_reader_warn(ex->request->connection->log, model,
                                  "its media are passed on");
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
    const art_message_slot_t        *slot;
    ngx_http_artifact_expand_ref_t  *ref;

    slot = art_scan_slot(ex->scan, ex->slot);

    /* media of the client's own, converted, are no artifact */

    if (slot->held != ART_HELD_REF) {
        return ART_OK;
    }

    ref = &ex->refs[slot->ref];
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
ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    for ( /* void */ ; ex->slot < ex->nslots; ex->slot++) {

        if (ngx_http_artifact_expand_is_text(ex, ex->slot)) {
            rc = ngx_http_artifact_expand_text(ex);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        if (art_scan_slot(ex->scan, ex->slot)->held != ART_HELD_REF) {
            continue;
        }

        /* local sources answer at once */

        if (ex->sr == NULL && ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }

        rc = ngx_http_artifact_expand_ask_slot(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_ask_slot(ngx_http_artifact_expand_t *ex)
{
    return ex->sr ? ngx_http_artifact_expand_answered(ex)
                  : ngx_http_artifact_expand_slot(ex);
}


static ngx_int_t
ngx_http_artifact_expand_slot(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(ex->scan, ex->slot);

    if (slot->malformed || ex->refs[slot->ref].missing) {
        return ngx_http_artifact_expand_decide(ex, ex->slot, NULL, 0, 0);
    }

    if (ex->refs[slot->ref].known) {
        rc = ngx_http_artifact_expand_known(ex);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    rc = ngx_http_artifact_expand_write_to(ex, ex->slot);

    return rc == NGX_OK ? ngx_http_artifact_expand_source(ex, slot) : rc;
}


/*
 * Handles a reference whose source is known: NGX_DECLINED if its content is
 * needed and is not there yet in this form.
 */

static ngx_int_t
ngx_http_artifact_expand_known(ngx_http_artifact_expand_t *ex)
{
    uint32_t                         i, j;
    ngx_int_t                        rc;
    art_view_t                       view;
    const art_format_t              *format;
    const art_message_slot_t        *slot, *other;
    ngx_http_artifact_expand_ref_t  *ref;

    i = ex->slot;
    slot = art_scan_slot(ex->scan, i);
    ref = &ex->refs[slot->ref];
    view = ref->view;

    rc = ngx_http_artifact_expand_decide(ex, i, &view, ref->empty,
                                         ref->failed);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_artifact_expand_derivable(ex, &ref->view, ref->empty, NULL,
                                            NULL);

    if (rc != NGX_DECLINED) {
        return rc == NGX_BUSY ? NGX_DECLINED : rc;
    }

    format = ex->plan.edits[i].format;

    if (format == NULL) {
        return NGX_OK;
    }

    for (j = 0; j < i; j++) {
        other = art_scan_slot(ex->scan, j);

        if (other->held == ART_HELD_REF && other->ref == slot->ref
            && ex->plan.edits[j].format == format
            && ex->parts[j].begin != NGX_HTTP_ARTIFACT_EXPAND_CONVERT)
        {
            ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                           "http artifact expand: slot %uD has the rendering "
                           "of slot %uD", i, j);

            ex->in_order = 0;
            ex->parts[i] = ex->parts[j];
            art_plan_length(&ex->plan, i, (uint64_t) ex->parts[i].size);

            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_artifact_expand_source(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    ngx_int_t                   rc;
    ngx_str_t                   prefix;
    ngx_http_artifact_terms_t  *terms;

    rc = ngx_http_artifact_ask_prefix(ex->request, ex->conf, &prefix);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_expand_fail(ex, ex->slot,
                                             ART_MESSAGE_ERR_SOURCE);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    terms = &ex->consumer.terms;
    art_plan_enter_slot(&ex->plan, ex->slot);

    terms->conf = ex->conf;
    terms->reader = ngx_http_artifact_expand_reads(ex, ex->slot);
    terms->format = ex->plan.format;
    terms->url = ex->plan.by_url ? &ex->scan->conf.url : NULL;
    terms->choose = ngx_http_artifact_expand_choose;

    ex->consumer.output = ngx_http_artifact_expand_output;
    ex->consumer.data = ex;
    ex->consumer.only_there = (ex->argument == ART_ARGUMENT_URL);
    ex->consumer.standin = slot->standin != ART_STANDIN_NONE;

    ex->chosen = 0;
    ex->job = NULL;
    ex->parts[ex->slot].begin = -1;

    ex->sr = ngx_http_artifact_ask(ex->request, &prefix, slot->text,
                                   &ex->consumer);

    if (ex->sr == NULL) {
        ex->subrequest_lost = 1;
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


/*
 * Called by the stream of the subrequest once the source is known, and again if
 * it then turns out not to be readable.  It only decides.
 */

static ngx_int_t
ngx_http_artifact_expand_choose(ngx_http_request_t *sr,
    ngx_http_artifact_stream_t *stream, ngx_uint_t empty, ngx_uint_t failed)
{
    ngx_int_t                        rc;
    art_view_t                      *view;
    const art_format_t              *format;
    const art_message_slot_t        *slot;
    ngx_http_artifact_expand_t      *ex;
    ngx_http_artifact_expand_ref_t  *ref;

    ex = ngx_http_artifact_consumer(sr)->data;
    slot = art_scan_slot(ex->scan, ex->slot);
    ref = &ex->refs[slot->ref];
    view = &stream->view;

    if (slot->standin
        && (view->meta == NULL || !view->size_known
            || !art_meta_is_of_standin(view->meta, slot->standin, slot->text,
                                       view->size)))
    {
        ref->mismatch = 1;
        return NGX_ERROR;
    }

    if (view->id.len == 0) {
        view->id = slot->text;
    }

    ref->view = *view;
    ref->sr = sr;
    ref->stream = stream;
    ref->known = 1;
    ref->empty = empty & 1;
    ref->failed = failed & 1;

    rc = ngx_http_artifact_expand_decide(ex, ex->slot, view, empty, failed);

    if (rc != NGX_ERROR) {
        rc = NGX_DECLINED;

        if (!failed && ex->job == NULL) {
            rc = ngx_http_artifact_expand_derivable(ex, &ref->view, empty, sr,
                                                    stream);
        }
    }

    /* what has no format would else become words without its content */

    ex->chosen = rc != NGX_ERROR;

    if (rc != NGX_DECLINED) {
        return rc;
    }

    format = ex->plan.edits[ex->slot].format;

    if (format) {
        stream->terms.format = format;

    } else if (!view->decision.by_url) {
        view->decision.described = 1;
    }

    return NGX_OK;
}


/*
 * Takes a rendering.  The bytes before it in its part are appended here rather
 * than in a step: they depend on the decision, and the rendering follows that
 * at once.  If it waited for a step, it would have to be copied once more.
 *
 * A file that nginx reads or has in a cache comes without a pause: its buffers
 * stay busy while others have their turn.  What an upstream sends comes by
 * events.  A subrequest of the source is never held up, since nothing would
 * wake it.
 */

static ngx_int_t
ngx_http_artifact_expand_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_consumer(sr)->data;

    if (ex->job) {
        return ngx_http_artifact_derive_put(&ex->job->derive, out);
    }

    if (ex->plan.edits[ex->slot].format == NULL) {
        ngx_http_artifact_drop(out);
        return NGX_OK;
    }

    return ngx_http_artifact_expand_take(ex, ex->slot, sr, out);
}


ngx_int_t
ngx_http_artifact_expand_take(ngx_http_artifact_expand_t *ex, uint32_t slot,
    ngx_http_request_t *sr, ngx_chain_t *out)
{
    ngx_http_artifact_expand_part_t  *part;

    part = &ex->parts[slot];

    if (part->begin == -1) {

        if (ngx_http_artifact_expand_write_lead(ex) != NGX_OK) {
            return NGX_ERROR;
        }

        part->begin = ex->rendered.size;
    }

    if (ngx_http_artifact_expand_is_local(sr)
        && sr->connection->data == sr
        && ex->rendered.size - part->begin > NGX_HTTP_ARTIFACT_EXPAND_ROOM
        && ngx_http_artifact_turn_is_over(&ex->turn))
    {
        /* the stream links what it sends next to the end of the busy chain */

        if (ex->busy == NULL) {
            ex->busy = out;
        }

        ngx_http_artifact_turn_end(&ex->turn, sr);

        return NGX_AGAIN;
    }

    if (ngx_http_artifact_spool_put_chain(&ex->rendered, ex->busy) != NGX_OK) {
        return NGX_ERROR;
    }

    ex->busy = NULL;

    return ngx_http_artifact_spool_put_chain(&ex->rendered, out);
}


static ngx_uint_t
ngx_http_artifact_expand_is_local(ngx_http_request_t *sr)
{
#if (NGX_HTTP_CACHE)

    if (sr->cached) {
        return 1;
    }

#endif

    return sr->upstream == NULL;
}


static ngx_int_t
ngx_http_artifact_expand_answered(ngx_http_artifact_expand_t *ex)
{
    const art_message_slot_t         *slot;
    ngx_http_artifact_expand_part_t  *part;

    if (!ex->sr->done) {
        return NGX_AGAIN;
    }

    ngx_http_artifact_ask_no_timer(ex->request);

    /* the file of what will be converted stays open */

    if (ex->job == NULL) {
        ngx_http_artifact_consumer_release(ex->sr);
    }

    ex->sr = NULL;
    ex->busy = NULL;

    slot = art_scan_slot(ex->scan, ex->slot);
    part = &ex->parts[ex->slot];

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: slot %uD answered with %ui, whole %d",
                   ex->slot, ex->consumer.status, ex->consumer.whole);

    if (ex->consumer.missing) {
        ex->refs[slot->ref].missing = 1;
        ex->refs[slot->ref].expired = ex->consumer.expired;

        return ngx_http_artifact_expand_decide(ex, ex->slot, NULL, 0, 0);
    }

    if (ex->consumer.only_there && ex->consumer.whole) {
        return ngx_http_artifact_expand_there(ex);
    }

    if (ex->consumer.status == NGX_HTTP_OK && ex->chosen) {

        if (ex->job && (ex->consumer.whole || !ex->job->derive.raw)) {
            part->begin = NGX_HTTP_ARTIFACT_EXPAND_CONVERT;
            ex->job = NULL;

            return NGX_OK;
        }

        if (!ex->job && ex->plan.edits[ex->slot].format == NULL) {
            return ngx_http_artifact_expand_refused(ex, ex->slot);
        }

        /* a text that follows another may be empty */

        if (ex->consumer.whole && part->begin == -1) {
            part->begin = ex->rendered.size;
        }

        if (ex->consumer.whole && !ex->job) {
            ngx_http_artifact_expand_rendered(ex, part,
                                              &ex->refs[slot->ref]);
            art_plan_length(&ex->plan, ex->slot, (uint64_t) part->size);

            return ngx_http_artifact_expand_shown(ex, slot);
        }

    }

    return ngx_http_artifact_expand_failed(ex, slot);
}


/* The rendering is there. */

static void
ngx_http_artifact_expand_rendered(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_expand_part_t *part,
    ngx_http_artifact_expand_ref_t *ref)
{
    off_t          frame;
    art_render_t  *render;

    render = ref->stream->render;
    frame = (off_t) (render->head_len + render->tail_len);

    part->size = ex->rendered.size - part->begin;
    part->head = (off_t) render->head_len;
    part->tail = (off_t) render->tail_len;
    part->cut = ref->stream->view.truncated;
    part->base64 = render->form == ART_FORM_BASE64 && part->size > frame
                   ? part->size - frame : 0;
}


/*
 * A text that was rendered, and shows nothing, is replaced as an empty one is:
 * it was too long to be looked at before, or was not to be looked at.
 */

static ngx_int_t
ngx_http_artifact_expand_shown(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    art_view_t                       view;
    ngx_http_artifact_expand_ref_t  *ref;

    ref = &ex->refs[slot->ref];

    if (ex->plan.edits[ex->slot].becomes != ART_BECOMES_TEXT
        || !art_render_is_blank(ref->stream->render))
    {
        return NGX_OK;
    }

    /* the rendering is in the body that was begun */

    ex->in_order = 0;
    ref->empty = 1;
    view = ref->view;

    return ngx_http_artifact_expand_decide(ex, ex->slot, &view, 1, 0);
}


/* A content whose length was not known may turn out to be too long. */

static ngx_int_t
ngx_http_artifact_expand_failed(ngx_http_artifact_expand_t *ex,
    const art_message_slot_t *slot)
{
    return ngx_http_artifact_expand_fail(ex, ex->slot,
                                         ex->argument && ex->chosen
                                         && ex->refs[slot->ref].stream->too_long
                                         ? ART_MESSAGE_ERR_INLINE
                                         : ART_MESSAGE_ERR_SOURCE);
}


/* An artifact that becomes a URL is there; nothing else is known about it. */

static ngx_int_t
ngx_http_artifact_expand_there(ngx_http_artifact_expand_t *ex)
{
    const art_message_slot_t        *slot;
    ngx_http_artifact_expand_ref_t  *ref;

    slot = art_scan_slot(ex->scan, ex->slot);
    ref = &ex->refs[slot->ref];

    ref->known = 1;
    ref->view.kind = ART_KIND_OTHER;

    return ngx_http_artifact_expand_decide(ex, ex->slot, &ref->view, 0, 0);
}


/*
 * Decides what a slot becomes, as art_plan_source() does; "view" is NULL if
 * there is no artifact.  NGX_ABORT if the request has to be refused, NGX_ERROR
 * when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_decide(ngx_http_artifact_expand_t *ex,
    uint32_t slot, art_view_t *view, ngx_uint_t empty, ngx_uint_t failed)
{
    const art_message_slot_t  *one;

    one = art_scan_slot(ex->scan, slot);

    if (art_plan_source(&ex->plan, slot, view, empty & 1, failed & 1)
        != ART_OK)
    {
        return NGX_ERROR;
    }

    ex->plan.edits[slot].expired = view == NULL && !one->malformed
                                   && ex->refs[one->ref].expired;

#if (NGX_DEBUG)
    ngx_http_artifact_expand_debug(ex, slot,
                                   view
                                   ? art_reason_name(view->decision.reason)
                                   : "missing");
#endif

    return ngx_http_artifact_expand_refused(ex, slot);
}


/*
 * NGX_ABORT, with the error, if a reference has to be replaced and cannot be;
 * else NGX_OK.
 */

static ngx_int_t
ngx_http_artifact_expand_refused(ngx_http_artifact_expand_t *ex, uint32_t slot)
{
    const art_message_edit_t  *edit;

    edit = &ex->plan.edits[slot];

    if (edit->becomes != ART_BECOMES_ITSELF) {
        return NGX_OK;
    }

    if (edit->missing) {
        return ngx_http_artifact_expand_fail(ex, slot, ART_MESSAGE_ERR_MISSING);
    }

    return ngx_http_artifact_expand_fail(ex, slot,
                                         edit->reason == ART_REASON_SIZE
                                         ? ART_MESSAGE_ERR_INLINE
                                         : ART_MESSAGE_ERR_SOURCE);
}


/*
 * Refuses the request for a slot: NGX_ABORT.  A medium that was the client's
 * own is not missing for him: the location in front has stored it.  Nobody is
 * told its id but the operator.
 */

static ngx_int_t
ngx_http_artifact_expand_fail(ngx_http_artifact_expand_t *ex, uint32_t slot,
    art_message_error_t error)
{
    const char                *what;
    const art_message_slot_t  *one;

    one = art_scan_slot(ex->scan, slot);

    ex->error = error;
    ex->error_ref = one->text;

    if (one->standin == ART_STANDIN_NONE) {
        return NGX_ABORT;
    }

    what = "cannot be read";

    if (ex->refs[one->ref].mismatch) {
        what = "is another one";

    } else if (ex->refs[one->ref].missing) {
        what = "is missing";
    }

    ngx_log_error(NGX_LOG_ERR, ex->request->connection->log, 0,
                  "artifact \"%*s\", which a stand-in of \"%s\" leads to, %s",
                  one->text.len, one->text.data,
                  art_standin_mime(one->standin).data, what);

    ex->error = ART_MESSAGE_ERR_SOURCE;
    ex->error_ref = art_str(NULL, 0);

    return NGX_ABORT;
}


#if (NGX_DEBUG)

static void
ngx_http_artifact_expand_debug(ngx_http_artifact_expand_t *ex, uint32_t i,
    const char *why)
{
    art_str_t                  text;
    const char                *what;
    const art_message_slot_t  *slot;

    /* by art_message_becomes_t */

    static const char *const  names[] = {
        "unchanged", "part", "text", "described", "named"
    };

    slot = art_scan_slot(ex->scan, i);
    text = slot->text;

    if (slot->standin) {
        what = "stand-in";
        text = art_standin_name(slot->standin);

    } else if (slot->held == ART_HELD_REF) {
        what = art_slot_is_found(slot) ? "marker" : "artifact";

    } else {
        what = slot->held == ART_HELD_RUN ? "pasted" : "media";
    }

    ngx_log_debug7(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: slot %uD, %s \"%*s\": %s%s%s",
                   i, what, text.len, text.data,
                   names[ex->plan.edits[i].becomes],
                   why ? ", " : "", why ? why : "");

    if (slot->looked) {

        if (slot->broken) {
            what = ", no base64";

        } else if (slot->cut) {
            what = ", cut";

        } else {
            what = slot->garbage ? ", unreadable" : "";
        }

        ngx_log_debug8(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: slot %uD is \"%*s\", declared "
                       "as \"%*s\"%s%s%s", i,
                       slot->mime_type.len, slot->mime_type.data,
                       slot->declared.len, slot->declared.data,
                       what, slot->locked ? ", with a password" : "",
                       ex->plan.edits[i].corrected ? ", corrected" : "");
    }

    if (ex->plan.edits[i].by_url) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: slot %uD by url", i);
    }
}

#endif
