
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is known about a request: the reference in its URI, who reads the
 * answer, the data root, and the state of its answer.
 */


#ifndef NGX_HTTP_ARTIFACT_CONTEXT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CONTEXT_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/ref/art_id.h"
#include "core/answer/art_error.h"


typedef struct ngx_http_artifact_source_s   ngx_http_artifact_source_t;
typedef struct ngx_http_artifact_entry_s    ngx_http_artifact_entry_t;
typedef struct ngx_http_artifact_reader_s   ngx_http_artifact_reader_t;
typedef struct ngx_http_artifact_stream_s   ngx_http_artifact_stream_t;

struct ngx_http_artifact_ctx_s {

    /* the reference, parsed again after an internal redirect */

    ngx_http_artifact_loc_conf_t  *conf;
    ngx_str_t                      uri;
    ngx_str_t                      given;      /* as it came */
    art_id_status_t                status;
    art_ref_t                      ref;
    unsigned                       bad:1;      /* not a reference at all */
    unsigned                       metadata:1; /* "{ref}/metadata" */

    /* NULL if there is none */

    ngx_http_artifact_source_t    *source;     /* the content being served */
    ngx_http_artifact_entry_t     *entry;      /* being read by a thread */
    ngx_http_artifact_reader_t    *reader;
    ngx_http_artifact_stream_t    *stream;     /* of a rendered answer */

    uint64_t                       signed_until; /* 0: by no signature */
    uint64_t                       expired_at; /* missing since; or 0 */
    uint64_t                       offloaded;  /* values, and */
    uint64_t                       offloaded_bytes; /* their contents */
    ngx_uint_t                     nborrowers; /* of its sources' ssi ctx */
    const char                    *refused;    /* the code of an error */
    art_str_t                      standin;    /* the id that one carries */

    unsigned                       answered:1; /* by the handler: no source */
    unsigned                       failed:1;   /* source, before the header */
    unsigned                       rootless:1; /* there is no data root */
    unsigned                       converts:1; /* another form is made */
    unsigned                       expired:1;  /* an upload that is missing */
    unsigned                       hidden:1;   /* only a stand-in leads there */
    unsigned                       attended:1; /* ngx_http_artifact_attend() */
    unsigned                       ticket:1;   /* its signature lets it PUT */
};


/*
 * The id by which the artifact is stored.  For a stand-in it is not that of the
 * reference, which variables, logs and answers may show.
 */

static ngx_inline art_str_t
ngx_http_artifact_stored_id(const ngx_http_artifact_ctx_t *ctx)
{
    return ctx->standin.len > 0 ? ctx->standin : ctx->ref.id;
}


/* The name of a file of it, as lines of debugging may have it. */

static ngx_inline ngx_str_t *
ngx_http_artifact_shown(ngx_http_artifact_ctx_t *ctx, ngx_str_t *name)
{
    return ctx->standin.len > 0 ? &ctx->given : name;
}


/* Who will read the answer. */

struct ngx_http_artifact_reader_s {
    ngx_str_t                      asked;      /* artifact_service's value */
    ngx_str_t                      accept;     /* artifact_accept's value */
    const art_service_t           *service;    /* NULL: unknown or not asked */
    unsigned                       caps;       /* ART_CAP_* */
    unsigned                       empty:1;    /* neither was given */
    unsigned                       unknown:1;  /* asked for, in no map */
};


/*
 * The request's context with the reference of its URI parsed; created if there
 * is none.  NULL when out of memory.
 */

ngx_http_artifact_ctx_t *ngx_http_artifact_get_ctx(ngx_http_request_t *r);


/*
 * Checks whether a request's reference is well-formed, before anything is
 * opened: NGX_OK, or NGX_DECLINED with *error set.
 */

ngx_int_t ngx_http_artifact_check(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);


/* Whether a reference names the module's own folder as a workspace. */

ngx_uint_t ngx_http_artifact_is_control(art_ref_t *ref);


/* The methods allowed for the context's reference, NGX_HTTP_GET and so on. */

ngx_uint_t ngx_http_artifact_methods(ngx_http_artifact_ctx_t *ctx);


/*
 * Who will read the answer; evaluated once per request as soon as it has a
 * source.  NULL when out of memory.
 */

ngx_http_artifact_reader_t *ngx_http_artifact_get_reader(
    ngx_http_request_t *r);


/*
 * Looks up the service reader->asked in a map, which may be NULL, and sets the
 * capabilities: those of reader->accept if it is not empty, else the service's,
 * else text.
 */

void ngx_http_artifact_reader_find(ngx_http_artifact_reader_t *reader,
    const art_capmap_t *map);


/*
 * Warns, at most once a minute and worker, that no capability map has "name",
 * of which the first 200 bytes are logged, and what becomes of it.
 */

void ngx_http_artifact_reader_warn(ngx_log_t *log, art_str_t name,
    const char *what);


/* Whether this reader gets JSON here.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_is_routed(ngx_http_request_t *r,
    ngx_uint_t *routed);


/*
 * The data root of a request as a name for system calls, zero-terminated.
 * NGX_DECLINED with errno set if its value cannot be used, which is logged;
 * NGX_ERROR when out of memory.  The second function is for those who can do
 * without, and logs nothing.
 */

ngx_int_t ngx_http_artifact_root(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *root);
ngx_int_t ngx_http_artifact_root_now(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *root);


/*
 * Whether a root that cannot be opened, for the reason in errno, is a mistake
 * in the configuration, which is logged.  A root whose folder is named by
 * variables may be missing: it is that of a tenant who has stored nothing yet.
 */

ngx_uint_t ngx_http_artifact_rootless(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *root);


/* The location's layout of artifacts in the data root. */

const ngx_artifact_layout_t *ngx_http_artifact_layout(
    ngx_http_artifact_loc_conf_t *conf);


/* Whether symbolic links are followed in the location. */

ngx_uint_t ngx_http_artifact_follows(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_CONTEXT_H_INCLUDED_ */
