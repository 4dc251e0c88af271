
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The filter that feeds files: part of the header filter's module, since it
 * stands at the same place.
 */


#ifndef NGX_HTTP_ARTIFACT_FEED_FILTER_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FEED_FILTER_H_INCLUDED_


/* Puts the filter in its place; for the postconfiguration of that module. */

void ngx_http_artifact_feed_init(void);


#endif /* NGX_HTTP_ARTIFACT_FEED_FILTER_H_INCLUDED_ */
