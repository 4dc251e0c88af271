
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * "artifact_requests": what became of the last requests.  A ring of records of
 * a fixed size in shared memory, written when a request is logged, and the
 * content handler that answers with those that are looked for.
 */


#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/route/ngx_http_artifact_stream.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/attachment/ngx_http_artifact_attachment.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/answer/art_recent.h"


/* Records are copied out of the ring in slices, under the lock. */

#define NGX_HTTP_ARTIFACT_REQUESTS_SLICE  16


typedef struct {
    ngx_shm_zone_t             *zone;        /* NULL: nothing is kept */
    ngx_int_t                   id;          /* indexes of variables */
    ngx_int_t                   method;
    ngx_int_t                   name;
    unsigned                    used:1;
} ngx_http_artifact_requests_main_conf_t;


typedef struct {
    ngx_http_complex_value_t   *tenant;
} ngx_http_artifact_requests_conf_t;


/* The record of a number is at number % ART_RECENT_REQUESTS. */

typedef struct {
    uint64_t                    last;        /* number; 0: none yet */
    art_recent_t                records[ART_RECENT_REQUESTS];
} ngx_http_artifact_ring_t;


/* The records that were found, copied into the request's memory. */

typedef struct {
    const art_recent_t        **list;
    size_t                      n;
    unsigned                    more;
} ngx_http_artifact_found_t;


extern ngx_module_t  ngx_http_artifact_requests_module;


static void *ngx_http_artifact_requests_create_main_conf(ngx_conf_t *cf);
static void *ngx_http_artifact_requests_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_requests_merge_conf(ngx_conf_t *cf,
    void *parent, void *child);
static char *ngx_http_artifact_requests_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static ngx_int_t ngx_http_artifact_requests_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_requests_variable(ngx_conf_t *cf,
    const char *name, ngx_int_t *index);
static ngx_int_t ngx_http_artifact_ring_init(ngx_shm_zone_t *zone,
    void *data);
static ngx_int_t ngx_http_artifact_requests_log(ngx_http_request_t *r);
static void ngx_http_artifact_requests_begin(ngx_http_request_t *r,
    unsigned handler, art_recent_t *recent);
static void ngx_http_artifact_requests_texts(ngx_http_request_t *r,
    ngx_http_artifact_asked_t *asked, art_recent_t *recent);
static void ngx_http_artifact_requests_value(ngx_http_request_t *r,
    ngx_int_t index, ngx_str_t *value);
static void ngx_http_artifact_requests_call(ngx_http_request_t *r,
    art_recent_t *recent);
static void ngx_http_artifact_requests_reader(
    const ngx_http_artifact_reader_t *reader,
    ngx_http_artifact_asked_t *asked);
static void ngx_http_artifact_requests_content(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_recent_t *recent);
static void ngx_http_artifact_requests_attachments(ngx_http_request_t *r,
    art_recent_t *recent);
static void ngx_http_artifact_ring_put(ngx_shm_zone_t *zone,
    art_recent_t *recent);
static ngx_int_t ngx_http_artifact_requests(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_requests_query(ngx_http_request_t *r,
    art_recent_query_t *query);
static ngx_int_t ngx_http_artifact_requests_find(ngx_http_request_t *r,
    ngx_shm_zone_t *zone, art_recent_query_t *query,
    ngx_http_artifact_found_t *found);
static ngx_uint_t ngx_http_artifact_ring_slice(ngx_shm_zone_t *zone,
    uint64_t *before, art_recent_t *slice);
static ngx_int_t ngx_http_artifact_found_add(ngx_http_request_t *r,
    ngx_http_artifact_found_t *found, const art_recent_t *recent);


static const ngx_http_artifact_role_t  ngx_http_artifact_requests_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NAME,
    .counter = NGX_HTTP_ARTIFACT_NOBODY,
    .handler = ngx_http_artifact_requests,
    .set = ngx_http_artifact_requests_set
};


static ngx_command_t  ngx_http_artifact_requests_commands[] = {

    { ngx_string("artifact_requests"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_requests_role },

    { ngx_string("artifact_tenant"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_set_complex_value_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_requests_conf_t, tenant),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_requests_module_ctx = {
    .postconfiguration = ngx_http_artifact_requests_init,
    .create_main_conf = ngx_http_artifact_requests_create_main_conf,
    .create_loc_conf = ngx_http_artifact_requests_create_conf,
    .merge_loc_conf = ngx_http_artifact_requests_merge_conf
};


ngx_module_t  ngx_http_artifact_requests_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_requests_module_ctx,
                             ngx_http_artifact_requests_commands);


static void *
ngx_http_artifact_requests_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool,
                       sizeof(ngx_http_artifact_requests_main_conf_t));
}


static void *
ngx_http_artifact_requests_create_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_requests_conf_t));
}


static char *
ngx_http_artifact_requests_merge_conf(ngx_conf_t *cf, void *parent,
    void *child)
{
    ngx_http_artifact_requests_conf_t *prev = parent;
    ngx_http_artifact_requests_conf_t *conf = child;

    if (conf->tenant == NULL) {
        conf->tenant = prev->tenant;
    }

    return NGX_CONF_OK;
}


/* Without such a location nothing is kept. */

static char *
ngx_http_artifact_requests_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    rmcf = ngx_http_conf_get_module_main_conf(cf,
                                           ngx_http_artifact_requests_module);
    rmcf->used = 1;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_artifact_requests_init(ngx_conf_t *cf)
{
    size_t                                   size;
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    static ngx_str_t  name = ngx_string("artifact_requests");

    rmcf = ngx_http_conf_get_module_main_conf(cf,
                                           ngx_http_artifact_requests_module);

    if (!rmcf->used) {
        return NGX_OK;
    }

    size = ngx_align(sizeof(ngx_http_artifact_ring_t), ngx_pagesize)
           + 8 * ngx_pagesize;

    rmcf->zone = ngx_shared_memory_add(cf, &name, size,
                                       &ngx_http_artifact_requests_module);
    if (rmcf->zone == NULL) {
        return NGX_ERROR;
    }

    rmcf->zone->init = ngx_http_artifact_ring_init;

    if (ngx_http_artifact_requests_variable(cf, "request_id", &rmcf->id)
        != NGX_OK
        || ngx_http_artifact_requests_variable(cf, "artifact_mcp_method",
                                               &rmcf->method)
           != NGX_OK
        || ngx_http_artifact_requests_variable(cf, "artifact_mcp_name",
                                               &rmcf->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_add_handler(cf, NGX_HTTP_LOG_PHASE,
                                         ngx_http_artifact_requests_log);
}


static ngx_int_t
ngx_http_artifact_requests_variable(ngx_conf_t *cf, const char *name,
    ngx_int_t *index)
{
    ngx_str_t  text;

    text.data = (u_char *) name;
    text.len = ngx_strlen(name);

    *index = ngx_http_get_variable_index(cf, &text);

    return *index == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


/* The ring survives reloads. */

static ngx_int_t
ngx_http_artifact_ring_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t  *shpool;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (shpool->data || zone->shm.exists) {
        return NGX_OK;
    }

    shpool->data = ngx_slab_calloc(shpool, sizeof(ngx_http_artifact_ring_t));

    return shpool->data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_requests_log(ngx_http_request_t *r)
{
    unsigned                                 handler;
    ngx_int_t                                rc;
    art_recent_t                             recent;
    ngx_http_artifact_ctx_t                 *ctx;
    ngx_http_artifact_asked_t                asked;
    ngx_http_artifact_loc_conf_t            *alcf;
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    if (r != r->main) {
        return NGX_OK;
    }

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    ngx_memzero(&asked, sizeof(ngx_http_artifact_asked_t));

    rc = ngx_http_artifact_expand_asked(r, &asked);

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (rc == NGX_OK) {

        /* the page of an error may be anywhere */

        handler = ART_COUNT_BY_API;

    } else if (ngx_http_artifact_count_by(alcf, &handler) != NGX_OK
               || handler == ART_COUNT_BY_SERVICES
               || (handler == ART_COUNT_BY_ROUTE
                   && (ctx == NULL || ctx->stream == NULL)))
    {
        /* it is about no artifact */

        return NGX_OK;
    }

    ngx_http_artifact_requests_begin(r, handler, &recent);
    ngx_http_artifact_requests_texts(r, &asked, &recent);

    if (rc == NGX_OK) {
        ngx_http_artifact_expand_recent(r, &recent);
    }

    ngx_http_artifact_requests_attachments(r, &recent);

    /* without memory it may know no location */

    if (ctx && ctx->conf) {
        ngx_http_artifact_requests_content(r, ctx, &recent);
    }

    rmcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_requests_module);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact request is kept, handler %ud", handler);

    ngx_http_artifact_ring_put(rmcf->zone, &recent);

    return NGX_OK;
}


static void
ngx_http_artifact_requests_begin(ngx_http_request_t *r, unsigned handler,
    art_recent_t *recent)
{
    uint64_t  began;

    art_recent_init(recent);

    began = (uint64_t) r->start_sec * 1000 + r->start_msec;

    recent->time = ngx_http_artifact_now();
    recent->msec = (uint32_t) (recent->time - ngx_min(began, recent->time));
    recent->status = (uint16_t) (r->err_status ? r->err_status
                                               : r->headers_out.status);
    recent->handler = (uint8_t) handler;
    recent->connection = r->connection->number;
}


/* In the order of art_recent_text_t. */

static void
ngx_http_artifact_requests_texts(ngx_http_request_t *r,
    ngx_http_artifact_asked_t *asked, art_recent_t *recent)
{
    ngx_str_t                                value;
    ngx_http_artifact_ctx_t                 *ctx;
    ngx_http_core_loc_conf_t                *clcf;
    const ngx_http_artifact_reader_t        *reader;
    ngx_http_artifact_requests_conf_t       *conf;
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);
    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_requests_module);
    rmcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_requests_module);
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    reader = ngx_http_artifact_message_for(r);

    if (reader == NULL && ctx) {
        reader = ctx->reader;
    }

    if (reader && asked->service.len == 0) {
        ngx_http_artifact_requests_reader(reader, asked);
    }

    art_recent_set(recent, ART_RECENT_METHOD,
                   ngx_artifact_str(&r->method_name));
    art_recent_set(recent, ART_RECENT_LOCATION, ngx_artifact_str(&clcf->name));
    art_recent_set(recent, ART_RECENT_API, asked->api);

    if (recent->handler == ART_COUNT_BY_MCP) {
        ngx_http_artifact_requests_call(r, recent);
    }

    art_recent_set(recent, ART_RECENT_MODEL, asked->model);
    art_recent_set(recent, ART_RECENT_SERVICE, asked->service);
    recent->unknown = (uint8_t) asked->unknown;

    if (conf->tenant
        && ngx_http_complex_value(r, conf->tenant, &value) == NGX_OK)
    {
        art_recent_set(recent, ART_RECENT_TENANT, ngx_artifact_str(&value));
    }

    /* $request_id is random: what nobody else has seen leads nowhere */

    if (r->variables[rmcf->id].valid) {
        ngx_http_artifact_requests_value(r, rmcf->id, &value);
        art_recent_set(recent, ART_RECENT_ID, ngx_artifact_str(&value));
    }
}


static void
ngx_http_artifact_requests_value(ngx_http_request_t *r, ngx_int_t index,
    ngx_str_t *value)
{
    ngx_http_variable_value_t  *v;

    ngx_str_null(value);

    v = ngx_http_get_indexed_variable(r, (ngx_uint_t) index);

    if (v && !v->not_found) {
        value->data = v->data;
        value->len = v->len;
    }
}


/* The method, and the tool or the resource. */

static void
ngx_http_artifact_requests_call(ngx_http_request_t *r, art_recent_t *recent)
{
    u_char                                  *p, buf[256];
    ngx_str_t                                method, name;
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    rmcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_requests_module);

    ngx_http_artifact_requests_value(r, rmcf->method, &method);
    ngx_http_artifact_requests_value(r, rmcf->name, &name);

    p = ngx_snprintf(buf, sizeof(buf), name.len > 0 ? "%V %V" : "%V", &method,
                     &name);

    art_recent_set(recent, ART_RECENT_CALL, art_str(buf, (size_t) (p - buf)));
}


static void
ngx_http_artifact_requests_reader(const ngx_http_artifact_reader_t *reader,
    ngx_http_artifact_asked_t *asked)
{
    asked->service = reader->service ? reader->service->id
                                     : ngx_artifact_str(&reader->asked);
    asked->unknown |= reader->unknown;
}


/* The content that the location itself serves, or was asked for. */

static void
ngx_http_artifact_requests_content(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_recent_t *recent)
{
    art_str_t      id;
    const char    *reason;
    art_kind_t     kind;
    ngx_uint_t     stored;
    art_became_t   became;

    stored = 0;
    id = ctx->source ? ctx->source->id : art_str(NULL, 0);
    reason = NULL;
    kind = ART_KIND_OTHER;

    if (ngx_http_artifact_has_refs(ctx->conf)) {
        stored = r->method & (NGX_HTTP_PUT|NGX_HTTP_POST|NGX_HTTP_DELETE);
        id = ctx->hidden ? art_str(NULL, 0) : ctx->ref.id;

        if (ctx->bad || ctx->status != ART_ID_OK) {
            id = art_recent_given(ngx_artifact_str(&ctx->given));
        }
    }

    if (recent->status >= NGX_HTTP_BAD_REQUEST) {
        became = ART_BECAME_REFUSED;
        reason = ctx->refused;

        if (recent->status == NGX_HTTP_NOT_FOUND) {
            became = ctx->expired_at ? ART_BECAME_EXPIRED : ART_BECAME_MISSING;
        }

        if (id.len == 0 && reason == NULL) {
            return;
        }

    } else if (id.len == 0 || (!stored && ctx->source == NULL)) {

        /* a listing has no source */

        return;

    } else if (stored) {
        became = r->method == NGX_HTTP_DELETE ? ART_BECAME_REMOVED
                                              : ART_BECAME_STORED;

    } else if (ctx->stream == NULL
               || ctx->stream->view.decision.routing == ART_ROUTING_RAW)
    {
        became = ART_BECAME_SENT;

    } else {
        kind = ctx->stream->view.decision.kind;
        became = ctx->stream->derived.len > 0 ? ART_BECAME_DERIVED
                                              : ART_BECAME_EXPANDED;

        if (ctx->stream->view.decision.described) {
            became = ART_BECAME_DEGRADED;
            reason = ctx->stream->view.decision.reason == ART_REASON_NONE
                     ? "empty"
                     : art_reason_name(ctx->stream->view.decision.reason);
        }
    }

    art_recent_add(recent, became, kind, id, reason);
}


static void
ngx_http_artifact_requests_attachments(ngx_http_request_t *r,
    art_recent_t *recent)
{
    uint32_t                  i;
    art_str_t                 id;
    art_became_t              became;
    const art_attachment_t   *item;
    const art_attachments_t  *message;

    static const art_became_t  outcomes[] = {
        ART_BECAME_PENDING,          /* ART_ATTACHED_PENDING */
        ART_BECAME_EXPANDED,         /* ART_ATTACHED_PART */
        ART_BECAME_DEGRADED,         /* ART_ATTACHED_DESCRIBED */
        ART_BECAME_DEGRADED,         /* ART_ATTACHED_UNREAD */
        ART_BECAME_MISSING,          /* ART_ATTACHED_GONE */
        ART_BECAME_EXPIRED           /* ART_ATTACHED_EXPIRED */
    };

    message = ngx_http_artifact_message_attachments(r);

    for (i = 0; message && i < message->n; i++) {
        item = &message->items[i];
        became = outcomes[item->outcome];

        id = item->malformed ? art_recent_given(item->id) : item->id;

        art_recent_add(recent, became, ART_KIND_OTHER, id,
                       became == ART_BECAME_DEGRADED
                       ? art_attachment_reason(item) : NULL);
    }
}


/* The lock is held while one record is copied. */

static void
ngx_http_artifact_ring_put(ngx_shm_zone_t *zone, art_recent_t *recent)
{
    size_t                     size;
    ngx_slab_pool_t           *shpool;
    ngx_http_artifact_ring_t  *ring;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;
    ring = shpool->data;
    size = art_recent_size(recent);

    ngx_shmtx_lock(&shpool->mutex);

    recent->number = ++ring->last;

    ngx_memcpy(&ring->records[recent->number % ART_RECENT_REQUESTS], recent,
               size);

    ngx_shmtx_unlock(&shpool->mutex);
}


static ngx_int_t
ngx_http_artifact_requests(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                                rc;
    art_out_t                                out;
    art_recent_query_t                       query;
    ngx_http_artifact_found_t                found;
    ngx_http_artifact_requests_main_conf_t  *rmcf;

    static ngx_str_t  no_store = ngx_string("no-store");

    rmcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_requests_module);

    rc = ngx_http_artifact_requests_query(r, &query);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    if (rc != NGX_OK
        || ngx_http_artifact_requests_find(r, rmcf->zone, &query, &found)
           != NGX_OK
        || ngx_http_artifact_add_header(r, "Cache-Control", &no_store)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact requests: %uz found, more:%ui", found.n,
                   (ngx_uint_t) found.more);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_recent_print(&out, found.list, found.n, found.more);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_json(r, ctx, NGX_HTTP_OK, &out);
}


static ngx_int_t
ngx_http_artifact_requests_query(ngx_http_request_t *r,
    art_recent_query_t *query)
{
    unsigned   i;
    ngx_str_t  value;

    art_recent_query_init(query);

    for (i = 0; i < ART_RECENT_ARGS; i++) {

        if (ngx_http_artifact_arg(r, art_recent_arg(i), &value) != NGX_OK) {
            return NGX_ERROR;
        }

        if (art_recent_query_set(query, (art_recent_arg_t) i,
                                 ngx_artifact_str(&value))
            != ART_OK)
        {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* From the newest to the oldest. */

static ngx_int_t
ngx_http_artifact_requests_find(ngx_http_request_t *r, ngx_shm_zone_t *zone,
    art_recent_query_t *query, ngx_http_artifact_found_t *found)
{
    uint64_t       before;
    ngx_uint_t     i, n;
    art_recent_t  *slice;

    ngx_memzero(found, sizeof(ngx_http_artifact_found_t));

    found->list = ngx_palloc(r->pool, query->limit * sizeof(art_recent_t *));
    slice = ngx_palloc(r->pool, NGX_HTTP_ARTIFACT_REQUESTS_SLICE
                                * sizeof(art_recent_t));

    if (found->list == NULL || slice == NULL) {
        return NGX_ERROR;
    }

    before = query->before;

    while ((n = ngx_http_artifact_ring_slice(zone, &before, slice)) > 0) {

        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "http artifact requests: %ui are looked at, before %uL",
                       n, before);

        for (i = 0; i < n; i++) {

            if (!art_recent_matches(query, &slice[i])) {
                continue;
            }

            if (found->n == query->limit) {
                found->more = 1;
                return NGX_OK;
            }

            if (ngx_http_artifact_found_add(r, found, &slice[i]) != NGX_OK) {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


/*
 * Copies the records before a number, or the last ones if it is 0: how many
 * there are, and the number that the next ones are before.  What is overwritten
 * between two slices is not there any more.
 */

static ngx_uint_t
ngx_http_artifact_ring_slice(ngx_shm_zone_t *zone, uint64_t *before,
    art_recent_t *slice)
{
    uint64_t                   at, oldest;
    ngx_uint_t                 n;
    ngx_slab_pool_t           *shpool;
    ngx_http_artifact_ring_t  *ring;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;
    ring = shpool->data;
    n = 0;

    ngx_shmtx_lock(&shpool->mutex);

    at = ring->last;
    oldest = at > ART_RECENT_REQUESTS ? at - ART_RECENT_REQUESTS + 1 : 1;

    if (*before > 0 && *before <= at) {
        at = *before - 1;
    }

    while (at >= oldest && n < NGX_HTTP_ARTIFACT_REQUESTS_SLICE) {
        ngx_memcpy(&slice[n++], &ring->records[at-- % ART_RECENT_REQUESTS],
                   sizeof(art_recent_t));
    }

    ngx_shmtx_unlock(&shpool->mutex);

    *before = at + 1;

    return n;
}


static ngx_int_t
ngx_http_artifact_found_add(ngx_http_request_t *r,
    ngx_http_artifact_found_t *found, const art_recent_t *recent)
{
    size_t         size;
    art_recent_t  *copy;

    size = art_recent_size(recent);

    copy = ngx_palloc(r->pool, size);
    if (copy == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(copy, recent, size);
    found->list[found->n++] = copy;

    return NGX_OK;
}
