
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether media of a request or a message are sent inline or by their URLs.
 */


#ifndef NGX_HTTP_ARTIFACT_DELIVERY_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DELIVERY_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/ref/art_url.h"


/*
 * Sets *by_url to whether artifact_delivery is "url".  Any other value but
 * "inline" or an empty one is logged, and so is a location whose "url" is empty
 * or relative: then it is not.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_delivers(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, const art_url_t *url,
    ngx_uint_t *by_url);


#endif /* NGX_HTTP_ARTIFACT_DELIVERY_H_INCLUDED_ */
