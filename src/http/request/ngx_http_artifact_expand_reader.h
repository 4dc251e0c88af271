
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Who will read a request: the model that it is for.
 */


#ifndef NGX_HTTP_ARTIFACT_EXPAND_READER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_EXPAND_READER_H_INCLUDED_


#include "http/request/ngx_http_artifact_expand_state.h"


/*
 * Finds out, for a body that was scanned: artifact_accept, artifact_service if
 * the map knows it, the body's models (what all known ones take), the path's.
 * ex->reader is set, too.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_expand_reader(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader);


/* The model that the request asks for; empty if it does not tell. */

art_str_t ngx_http_artifact_expand_model(ngx_http_artifact_expand_t *ex);


#endif /* NGX_HTTP_ARTIFACT_EXPAND_READER_H_INCLUDED_ */
