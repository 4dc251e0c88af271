
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of the nginx glue share.  Configuration and request context
 * belong to ngx_artifact_module; the two filter modules only install filters.
 */


#ifndef NGX_HTTP_ARTIFACT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <magic.h>

#include "core/capability/art_capmap.h"
#include "core/media/art_classify.h"
#include "core/answer/art_error.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"
#include "core/render/art_render.h"
#include "core/text/art_utf8.h"


/* Free in c->buffered behind the postpone filter (ngx_connection.h). */

#define NGX_HTTP_ARTIFACT_BUFFERED  0x40


/* Values of artifact_route. */

#define NGX_HTTP_ARTIFACT_ROUTE_OFF     0
#define NGX_HTTP_ARTIFACT_ROUTE_ON      1
#define NGX_HTTP_ARTIFACT_ROUTE_ALWAYS  2


/* What the URI below a location is. */

typedef enum {
    NGX_HTTP_ARTIFACT_NONE = 0,
    NGX_HTTP_ARTIFACT_REFERENCE,         /* artifact */
    NGX_HTTP_ARTIFACT_PATH,              /* artifact_workspace */
    NGX_HTTP_ARTIFACT_DECODE,            /* artifact_decode */
    NGX_HTTP_ARTIFACT_SERVICES           /* artifact_services */
} ngx_http_artifact_uri_e;


/* ngx_http_artifact_files.h */

typedef struct ngx_http_artifact_files_s   ngx_http_artifact_files_t;
typedef struct ngx_http_artifact_opened_s  ngx_http_artifact_opened_t;


typedef struct {
    art_capmap_t               *capmap;
    magic_t                     magic;
    ngx_shm_zone_t             *zone;
    size_t                      zone_size;
    ngx_http_complex_value_t   *service;     /* the defaults */
    ngx_http_complex_value_t   *accept;
    ngx_http_complex_value_t   *agent;
    ngx_http_complex_value_t   *message_id;
    ngx_array_t                *roots;       /* constant ones, written to */
    ngx_array_t                *prefixes;    /* ngx_str_t, of the handlers */
    ngx_array_t                 files;       /* ngx_http_artifact_files_t * */
    ngx_uint_t                  used;        /* by any location */
} ngx_http_artifact_main_conf_t;


typedef struct {
    ngx_http_artifact_uri_e     uri;
    ngx_str_t                   prefix;      /* the location's name */

    ngx_http_complex_value_t   *service;
    ngx_http_complex_value_t   *accept;
    ngx_http_complex_value_t   *format;
    ngx_http_complex_value_t   *description;
    ngx_http_complex_value_t   *root;
    ngx_http_complex_value_t   *agent;
    ngx_http_complex_value_t   *message_id;

    ngx_http_artifact_files_t  *files;       /* NULL: nothing is kept open */

    ngx_uint_t                  route;
    ngx_uint_t                  language;
    ngx_flag_t                  verify;
    ngx_flag_t                  index;
    ngx_flag_t                  write;
    ngx_flag_t                  sync;
    off_t                       inline_max;
    off_t                       text_max;
} ngx_http_artifact_loc_conf_t;


/*
 * The content being served: what its source knows before the bytes.  A local
 * source has its file open; that of a response knows what its headers say.
 */

typedef struct {
    art_meta_t                  meta;        /* all absent without a sidecar */
    art_str_t                   id;
    art_str_t                   name;        /* one line */
    ngx_str_t                   last_name;   /* last component of its path */
    off_t                       size;        /* bytes, -1 if not known */

    unsigned                    local:1;
    ngx_file_t                  file;
    ngx_file_info_t             info;
    ngx_pool_cleanup_t         *cleanup;     /* closes it */
    ngx_http_artifact_opened_t *opened;      /* it is kept open */
    ngx_atomic_uint_t           generation;  /* before it was opened */

    u_char                     *head;        /* first bytes of a response */
    size_t                      head_len;
    unsigned                    whole:1;     /* ... and there are no more */
    unsigned                    ended:1;     /* ... for the moment */
} ngx_http_artifact_source_t;


/* Who will read the answer. */

typedef struct {
    ngx_str_t                   asked;       /* artifact_service's value */
    ngx_str_t                   accept;      /* artifact_accept's value */
    const art_service_t        *service;     /* NULL: unknown or not asked */
    unsigned                    caps;        /* ART_CAP_* */
    unsigned                    empty:1;     /* neither was given */
} ngx_http_artifact_reader_t;


/* The body filter's state; NULL in the context of a raw answer. */

typedef struct {
    art_render_t                render;
    ngx_chain_t                *in;
    ngx_chain_t                *out;
    ngx_chain_t               **last_out;
    ngx_chain_t                *free;
    ngx_chain_t                *busy;
    ngx_buf_t                  *buf;         /* being filled */
    size_t                      buf_size;
    ngx_uint_t                  nbufs;
    off_t                       taken;       /* bytes of input */
    off_t                       length;      /* of the answer, -1 unknown */
    unsigned                    flush:1;
} ngx_http_artifact_body_t;


typedef struct ngx_http_artifact_write_s  ngx_http_artifact_write_t;


typedef struct {

    /* the reference, parsed again if the request was redirected inside */

    ngx_http_artifact_loc_conf_t  *conf;
    ngx_str_t                   uri;
    ngx_str_t                   given;       /* as it came */
    art_id_status_t             status;
    art_ref_t                   ref;
    unsigned                    bad:1;       /* no reference at all */
    unsigned                    metadata:1;  /* "{ref}/metadata" */

    ngx_http_artifact_source_t *source;      /* NULL: none is being served */
    ngx_http_artifact_reader_t *reader;
    art_verdict_t               verdict;
    unsigned                    classified:1;
    art_view_t                  view;
    ngx_http_artifact_body_t   *body;
    ngx_http_artifact_write_t  *write;       /* NULL: nothing is written */
    void                       *listing;     /* that a thread works at */
    ngx_chain_t                *rest;        /* of a file not read yet */
    ngx_buf_t                  *error;       /* in place of another body */
    unsigned                    answered:1;  /* by ourselves: not a source */
    unsigned                    waiting:1;   /* the header for first bytes */
    unsigned                    drop:1;      /* no body goes out (any more) */
} ngx_http_artifact_ctx_t;


extern ngx_module_t  ngx_artifact_module;
extern ngx_module_t  ngx_http_artifact_filter_module;
extern ngx_module_t  ngx_http_artifact_wait_filter_module;


/*
 * Puts the body filters at their places in the list of the cycle's modules,
 * where others that were loaded later stand between.
 */

void ngx_http_artifact_set_order(ngx_cycle_t *cycle);


/* Loads libmagic's database for the processes of this configuration. */

ngx_int_t ngx_http_artifact_init_magic(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/*
 * The request's context with the reference of its URI parsed; created when
 * missing.  NULL when out of memory.
 */

ngx_http_artifact_ctx_t *ngx_http_artifact_get_ctx(ngx_http_request_t *r);


/* Who asks; evaluated once per request.  NULL when out of memory. */

ngx_http_artifact_reader_t *ngx_http_artifact_get_reader(
    ngx_http_request_t *r);


/* Whether this reader gets JSON here.  NGX_ERROR when out of memory. */

ngx_int_t ngx_http_artifact_is_routed(ngx_http_request_t *r,
    ngx_uint_t *routed);


/*
 * The phase handlers: one refuses bad references below "artifact_decode", the
 * other, when the service is known for sure, takes ranges away from requests
 * whose answer will be routed.
 */

ngx_int_t ngx_http_artifact_preaccess_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_precontent_handler(ngx_http_request_t *r);


/*
 * What is wrong with a request's reference before anything was opened:
 * NGX_OK, or NGX_DECLINED with *error set.
 */

ngx_int_t ngx_http_artifact_check(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);


/* Whether a reference names the module's own folder as a workspace. */

ngx_uint_t ngx_http_artifact_is_control(art_ref_t *ref);


/*
 * The methods that the context's reference takes; writes are those but GET and
 * HEAD, and have a handler of their own.
 */

ngx_uint_t ngx_http_artifact_methods(ngx_http_artifact_ctx_t *ctx);


/* The content handler of both local sources, and of artifact_services. */

ngx_int_t ngx_http_artifact_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_services(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Opens what the context's reference names: the content and its sidecar.
 * NGX_OK with ctx->source set, or NGX_DECLINED with *error, or NGX_ERROR when
 * out of memory.
 */

ngx_int_t ngx_http_artifact_open_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);


/*
 * Classifies the content of ctx->source into ctx->verdict.  With "verify" the
 * bytes are looked at even if the metadata declares a type.  NGX_DECLINED if
 * the content could not be read.
 */

ngx_int_t ngx_http_artifact_classify(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t verify);


/*
 * What metadata and names claim of a content, for art_classify(); "last_name"
 * is the last component of its path.
 */

void ngx_http_artifact_claims(ngx_http_request_t *r, art_meta_t *meta,
    art_str_t last_name, art_claims_t *claims);


/*
 * The two ways a content goes out.  Raw: sets the headers that come with it,
 * or only those that keep a browser from executing the type set already.
 * Routed: classifies, decides, and starts the rendering in ctx->body.
 * NGX_ERROR when out of memory; raw, NGX_DECLINED if reading failed.
 */

ngx_int_t ngx_http_artifact_raw_headers(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_raw_safety(ngx_http_request_t *r);
ngx_int_t ngx_http_artifact_route(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Makes a source of a response that is about to be sent, from its headers;
 * sets ctx->source, and ctx->waiting if its first bytes are wanted, too.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_response_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Sends the header of a content, now that all is known: raw, its headers set,
 * or routed, which is decided here.
 */

ngx_int_t ngx_http_artifact_send_header(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t routed);


/*
 * Renders body->in into body->out: NGX_OK when the input is used up,
 * NGX_DECLINED when there is no buffer for what comes next, NGX_ERROR.
 */

ngx_int_t ngx_http_artifact_encode(ngx_http_request_t *r,
    ngx_http_artifact_body_t *body);


/* Puts the filter that feeds files in its place. */

void ngx_http_artifact_feed_init(void);


/* Marks buffers as sent, so that their owner gets them back. */

void ngx_http_artifact_drop(ngx_chain_t *in);


ngx_int_t ngx_http_artifact_add_variables(ngx_conf_t *cf);


#endif /* NGX_HTTP_ARTIFACT_H_INCLUDED_ */
