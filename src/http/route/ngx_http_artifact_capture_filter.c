
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The filter that renders the content of a subrequest for its consumer.  It
 * stands right before postpone, which would queue the bytes for the client:
 * behind all filters that work on the content, and the last one that knows
 * whose it is.
 */


#include "http/route/ngx_http_artifact_capture_filter.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "http/route/ngx_http_artifact_order.h"


static ngx_int_t ngx_http_artifact_capture_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_http_artifact_consumer_t *ngx_http_artifact_capturer(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_capture_filter_init(ngx_conf_t *cf);


static ngx_http_module_t  ngx_http_artifact_capture_filter_module_ctx = {
    NULL,                                  /* preconfiguration */
    ngx_http_artifact_capture_filter_init, /* postconfiguration */

    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */

    NULL,                                  /* create server configuration */
    NULL,                                  /* merge server configuration */

    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_artifact_capture_filter_module = {
    NGX_MODULE_V1,
    &ngx_http_artifact_capture_filter_module_ctx, /* module context */
    NULL,                                  /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


static ngx_http_output_body_filter_pt  ngx_http_next_body_filter;


static ngx_int_t
ngx_http_artifact_capture_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_int_t                      rc;
    ngx_http_artifact_consumer_t  *consumer;

    consumer = r == r->main ? NULL : ngx_http_artifact_capturer(r);

    if (consumer == NULL) {
        return ngx_http_next_body_filter(r, in);
    }

    if (ngx_http_artifact_consumer(r) != consumer) {

        /* what belongs into the middle of the content cannot be put there */

        consumer->failed = 1;
        consumer->whole = 0;
    }

    rc = ngx_http_artifact_consumer_write(r, consumer, in);

    /* if it waits for subrequests of its own (SSI), postpone runs them */

    if (r->postponed && ngx_http_next_body_filter(r, NULL) == NGX_ERROR) {
        return NGX_ERROR;
    }

    return rc;
}


ngx_int_t
ngx_http_artifact_capture_pass(ngx_http_request_t *r, ngx_chain_t *out)
{
    return ngx_http_next_body_filter(r, out);
}


/* Whose content a request is, or part of it. */

static ngx_http_artifact_consumer_t *
ngx_http_artifact_capturer(ngx_http_request_t *r)
{
    ngx_http_artifact_consumer_t  *consumer;

    for ( /* void */ ; r != r->main; r = r->parent) {

        consumer = ngx_http_artifact_consumer(r);

        if (consumer) {
            return consumer;
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_artifact_capture_filter_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->used) {
        ngx_http_next_body_filter = ngx_http_top_body_filter;
        ngx_http_top_body_filter = ngx_http_artifact_capture_filter;
    }

    return NGX_OK;
}
