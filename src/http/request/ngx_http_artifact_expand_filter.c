
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The body is scanned while it comes in, before nginx writes it to a file, so
 * that most are never read again.
 */


#include "http/request/ngx_http_artifact_expand.h"
#include "http/request/ngx_http_artifact_expand_state.h"


static ngx_int_t ngx_http_artifact_expand_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);


static ngx_http_request_body_filter_pt  ngx_http_next_request_body_filter;


/* What another filter behind this one makes of the body would not be seen. */

void
ngx_http_artifact_expand_init(void)
{
    if (ngx_http_top_request_body_filter
        != ngx_http_request_body_save_filter)
    {
        ngx_http_next_request_body_filter = NULL;
        return;
    }

    ngx_http_next_request_body_filter = ngx_http_top_request_body_filter;
    ngx_http_top_request_body_filter = ngx_http_artifact_expand_body_filter;
}


static ngx_int_t
ngx_http_artifact_expand_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    size_t                       size;
    ngx_chain_t                 *cl;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r);

    for (cl = in; ex && ex->seeing && cl; cl = cl->next) {

        if (!ngx_buf_in_memory(cl->buf)) {
            continue;
        }

        size = (size_t) (cl->buf->last - cl->buf->pos);
        ex->seen += (off_t) size;

        /* a body that is too large is refused, others may be done with */

        if (ex->seen > ex->conf->body_max
            || (size > 0
                && art_scan_feed(ex->scan, cl->buf->pos, size) != ART_OK))
        {
            ex->seeing = 0;
            ex->over = 1;
        }
    }

    return ngx_http_next_request_body_filter(r, in);
}
