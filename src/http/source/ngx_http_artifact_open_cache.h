
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents that stay open from one request to the next, with what is known
 * about them, under the rules of "open_file_cache".
 */


#ifndef NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_


#include "http/base/ngx_http_artifact_zone.h"
#include "http/source/ngx_http_artifact_source.h"
#include "core/capability/art_capmap.h"
#include "core/render/art_render.h"


/* Creates the cache of a location with its configuration. */

ngx_int_t ngx_http_artifact_open_cache_create(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


/*
 * The first function fills ctx->source from the cache: NGX_OK; NGX_DECLINED if
 * the content is known to be missing, with *err and *bound as they were put;
 * NGX_BUSY if nothing is known; NGX_ERROR when out of memory.
 *
 * The second one caches ctx->source, which was opened ("err" is 0), or the
 * reason why it could not be opened.  It does nothing where the rules forbid
 * that, for large metadata, or when out of memory.
 */

ngx_int_t ngx_http_artifact_open_cache_get(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t *err, ngx_uint_t *bound);
void ngx_http_artifact_open_cache_put(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_err_t err, ngx_uint_t bound);


/*
 * The key of a memo, which is a whole routed answer, or its head and tail:
 * everything that the answer depends on must be in the key, or must stay the
 * same while the content is cached.  The second half tells what the content was
 * converted into, and is zero for the content itself.
 */

typedef struct {
    ngx_http_artifact_loc_conf_t  *conf;
    const art_format_t            *format;
    const art_service_t           *service;
    unsigned                       caps;     /* ART_CAP_* */
    unsigned                       unknown;  /* of the reader */

    art_str_t                      mime;
    art_kind_t                     kind;
    uint64_t                       size;     /* bytes */
    const char                    *charset;
} ngx_http_artifact_memo_key_t;


/*
 * The first function returns a memo, or NULL.  The others create one: of a
 * rendering that has its memory, and of the answer that it produced.  They do
 * nothing if the source is not cached, if there is a memo already, or if it
 * would be too large.
 */

art_render_memo_t *ngx_http_artifact_open_cache_memo(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key);
void ngx_http_artifact_open_cache_put_ends(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render);
void ngx_http_artifact_open_cache_put_answer(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key,
    const art_render_t *render, u_char *answer, size_t len);


/*
 * What a converter has made, as nginx's cache has it: the version of the file
 * with header and body, the configuration of the location that reads it, and
 * what is declared besides: the type, and the names, whose extensions count as
 * well.  The same file is read as the same content.
 */

typedef struct {
    ngx_http_artifact_cache_key_t  file;
    void                         **conf;
    ngx_str_t                      type;
    ngx_str_t                      charset;
    ngx_str_t                      uri;
    ngx_str_t                      disposition;
} ngx_http_artifact_made_t;


/*
 * An answer that was made of it, without its envelope, and the decision.  "key"
 * has the media type, which was found out, and size; "from" tells how, for the
 * counters.
 */

typedef struct {
    ngx_http_artifact_memo_key_t   key;
    ngx_http_artifact_made_t       made;
    art_decision_t                 decision;
    art_from_t                     from;
    ngx_uint_t                     contradicted;
    ngx_str_t                      answer;
} ngx_http_artifact_kept_t;


/*
 * The first function returns the answer that is kept with the original for a
 * reader ("key" without what was found out), or NULL; it is valid as long as
 * the request uses the original.  The second one keeps one.  It does nothing if
 * the original is not cached, the answer is too large, the file too new, or all
 * places are taken by others that may be in use.
 */

ngx_http_artifact_kept_t *ngx_http_artifact_open_cache_kept(
    ngx_http_artifact_source_t *original, ngx_http_artifact_memo_key_t *key,
    ngx_http_artifact_made_t *made);
void ngx_http_artifact_open_cache_keep(ngx_http_artifact_source_t *original,
    ngx_http_artifact_kept_t *kept);


#endif /* NGX_HTTP_ARTIFACT_OPEN_CACHE_H_INCLUDED_ */
