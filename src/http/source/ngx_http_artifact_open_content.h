
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A content that stays open from one request to the next, with what was
 * learned of it.
 */


#ifndef NGX_HTTP_ARTIFACT_OPEN_CONTENT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_OPEN_CONTENT_H_INCLUDED_


#include "http/source/ngx_http_artifact_source.h"
#include "core/capability/art_capmap.h"
#include "core/render/art_render.h"


/*
 * What stands around a kept content in the answer for one kind of reader, and
 * the answer itself where it is short; the rest of what they depend on does not
 * change while the content is kept.
 */

#define NGX_HTTP_ARTIFACT_MEMOS     4

typedef struct {
    ngx_http_artifact_loc_conf_t  *conf;
    const art_format_t            *format;
    const art_service_t           *service;
    unsigned                       caps;     /* ART_CAP_* */
} ngx_http_artifact_memo_key_t;


typedef struct {
    ngx_http_artifact_memo_key_t   key;
    art_render_memo_t             *ends;     /* head and tail */
    art_render_memo_t             *whole;    /* a short answer */
} ngx_http_artifact_memo_t;


/* A content that stays open between requests, or the reason why it is not. */

struct ngx_http_artifact_open_content_s {
    ngx_uint_t                  count;       /* of its users */
    ngx_err_t                   err;
    ngx_uint_t                  bound;       /* the workspace is there */
    ngx_uint_t                  known;       /* the evidence is */
    ngx_uint_t                  readable;
    ngx_http_artifact_source_t  source;
    art_evidence_t              evidence;
    ngx_http_artifact_memo_t    memos[NGX_HTTP_ARTIFACT_MEMOS];
    u_char                      data[1];     /* names, then the sidecar */
};


/*
 * What is kept.  Created from a source, which uses it from then on if it is
 * open (its descriptor is closed by the last release); NULL if it has too much
 * metadata to be kept, or when out of memory.
 * ngx_http_artifact_open_content_use() makes it the source of another request:
 * NGX_ERROR when out of memory.
 */

ngx_http_artifact_open_content_t *ngx_http_artifact_open_content_create(
    ngx_http_artifact_source_t *source, ngx_err_t err, ngx_uint_t bound);
ngx_int_t ngx_http_artifact_open_content_use(ngx_http_request_t *r,
    ngx_http_artifact_open_content_t *opened,
    ngx_http_artifact_source_t *source);
void ngx_http_artifact_open_content_release(void *data);


/*
 * What was learned of a source's bytes, if it is kept: NGX_DECLINED where no
 * evidence is known yet.  Whether a byte can be read is tried once as long as
 * it is kept.
 */

ngx_int_t ngx_http_artifact_open_content_evidence(
    ngx_http_artifact_source_t *source, art_evidence_t *evidence);
void ngx_http_artifact_open_content_learn(ngx_http_artifact_source_t *source,
    art_evidence_t *evidence);
ngx_uint_t ngx_http_artifact_open_content_readable(
    ngx_http_artifact_source_t *source);


/*
 * The memo of a routed answer, all of it or head and tail, or NULL if there is
 * none: all that the answer depends on must be in the key or the same for all
 * requests.  The others make one, of a rendering that has its memory, and of an
 * answer that came of it; they do nothing where there is no place, where it is
 * there already, or where it would be too large.
 */

art_render_memo_t *ngx_http_artifact_open_content_memo(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key);
void ngx_http_artifact_open_content_remember(
    ngx_http_artifact_source_t *source, ngx_http_artifact_memo_key_t *key,
    const art_render_t *render);
void ngx_http_artifact_open_content_keep(ngx_http_artifact_source_t *source,
    ngx_http_artifact_memo_key_t *key, const art_render_t *render,
    u_char *answer, size_t len);


#endif /* NGX_HTTP_ARTIFACT_OPEN_CONTENT_H_INCLUDED_ */
