
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The steps of an expansion.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_


#include "http/request/ngx_http_artifact_expand_state.h"


/*
 * Each returns NGX_OK when it is over, NGX_AGAIN to be called again,
 * NGX_DECLINED if the body stays as it is, else what the handler has to return.
 *
 * The body is decoded; scanned; it is decided what becomes of the client's own
 * media, and the sources of all references are asked, one after the other; the
 * edits are made; a new body is written; whatever goes out is hashed, if the
 * configuration has a use for that.  A body that is not coded is scanned
 * as it comes in: the scan is begun before.
 */

ngx_int_t ngx_http_artifact_expand_begin_scan(
    ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_decode(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_plan(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_ask(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex);
ngx_int_t ngx_http_artifact_expand_hash(ngx_http_artifact_expand_t *ex);


/*
 * An art_message_describe_pt, with the expansion: artifact_description of the
 * slot that is being asked for, whose source its variables tell of.
 */

int ngx_http_artifact_expand_describe(void *data, const art_view_t *view,
    art_str_t *words);


/*
 * Bytes of the body, as a splice says, into a spool: NGX_OK when they are
 * there, or, with "render", when a rendering comes next, which is skipped;
 * NGX_AGAIN to be called again, NGX_ERROR.
 */

ngx_int_t ngx_http_artifact_expand_put(ngx_http_artifact_expand_t *ex,
    art_splice_t *splice, ngx_http_artifact_spool_t *spool,
    ngx_uint_t render);


/*
 * As long as each rendering goes where it is asked for, ex->parts is the body
 * itself: these put what stands before a slot that is asked for next (of the
 * last one, behind it: all), and before its rendering.  ex->laying is reset if
 * the body cannot be made so; renderings are where they are said to be in any
 * case.
 */

ngx_int_t ngx_http_artifact_expand_lay(ngx_http_artifact_expand_t *ex,
    uint32_t slot);
ngx_int_t ngx_http_artifact_expand_lay_part(ngx_http_artifact_expand_t *ex,
    uint32_t slot);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_STEPS_H_INCLUDED_ */
