
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A consumer, for the tests: an nginx module whose handler has another
 * location's content rendered, captures it, and answers with what it got.
 *
 *     location /consume/ { consumer_test; }
 *
 *     GET /consume/?uri=/store/a.png&format=openai
 *
 * "pace=N" takes at most one buffer a call, and the next one N milliseconds
 * later; "after=N" gives up with an error after so many bytes.  The rendered
 * bytes go to a temporary file; X-Status, X-Whole, X-Last (1 if the last buffer
 * and no other ended the chain, and none the main request) and X-Buffers (the
 * most bytes of buffers that were seen at once) tell the rest.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_consumer.h"
#include "store/disk/ngx_artifact_str.h"


typedef struct {
    ngx_http_artifact_consumer_t   consumer;
    ngx_http_request_t            *sr;
    ngx_temp_file_t               *file;
    ngx_chain_t                   *held;     /* not taken yet */
    ngx_event_t                    timer;
    ngx_msec_t                     pace;
    off_t                          after;    /* 0: never gives up */
    off_t                          most;     /* bytes of buffers at once */
    ngx_uint_t                     last;     /* 1: the last one said so */
    ngx_uint_t                     failed;
} ngx_http_consumer_test_t;


extern ngx_module_t  ngx_http_consumer_test_module;


static char *ngx_http_consumer_test(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_consumer_test_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_consumer_test_start(ngx_http_request_t *r,
    ngx_http_consumer_test_t *test);
static ngx_int_t ngx_http_consumer_test_terms(ngx_http_request_t *r,
    ngx_http_artifact_terms_t *terms);
static ngx_int_t ngx_http_consumer_test_output(ngx_http_request_t *sr,
    ngx_chain_t *out);
static ngx_int_t ngx_http_consumer_test_take(ngx_http_consumer_test_t *test,
    ngx_uint_t most);
static void ngx_http_consumer_test_timer(ngx_event_t *ev);
static void ngx_http_consumer_test_done(ngx_http_request_t *r);
static ngx_int_t ngx_http_consumer_test_answer(ngx_http_request_t *r,
    ngx_http_consumer_test_t *test);
static ngx_int_t ngx_http_consumer_test_number(ngx_http_request_t *r,
    const char *name, off_t n);


static ngx_command_t  ngx_http_consumer_test_commands[] = {

    { ngx_string("consumer_test"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_consumer_test,
      0,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_consumer_test_module_ctx = {
    NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
};


ngx_module_t  ngx_http_consumer_test_module = {
    NGX_MODULE_V1,
    &ngx_http_consumer_test_module_ctx,
    ngx_http_consumer_test_commands,
    NGX_HTTP_MODULE,
    NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NGX_MODULE_V1_PADDING
};


/* What nginx's build would add. */

extern ngx_module_t  *ngx_modules[];
extern char          *ngx_module_names[];
extern char          *ngx_module_order[];

ngx_module_t  *ngx_modules[] = { &ngx_http_consumer_test_module, NULL };
char          *ngx_module_names[] = { "ngx_http_consumer_test_module", NULL };
char          *ngx_module_order[] = { NULL };


static char *
ngx_http_consumer_test(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_consumer_test_handler;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_consumer_test_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_consumer_test_t  *test;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    test = ngx_pcalloc(r->pool, sizeof(ngx_http_consumer_test_t));
    if (test == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_set_ctx(r, test, ngx_http_consumer_test_module);

    if (ngx_http_consumer_test_start(r, test) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->write_event_handler = ngx_http_consumer_test_done;
    r->main->count++;

    return NGX_DONE;
}


static ngx_int_t
ngx_http_consumer_test_start(ngx_http_request_t *r,
    ngx_http_consumer_test_t *test)
{
    u_char                    *p;
    ngx_str_t                  uri, args, pace, after;
    ngx_http_core_loc_conf_t  *clcf;

    if (ngx_http_artifact_arg(r, "uri", &uri) != NGX_OK
        || ngx_http_artifact_arg(r, "pace", &pace) != NGX_OK
        || ngx_http_artifact_arg(r, "after", &after) != NGX_OK
        || ngx_http_consumer_test_terms(r, &test->consumer.terms) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (pace.len) {
        test->pace = (ngx_msec_t) ngx_atoi(pace.data, pace.len);
    }

    if (after.len) {
        test->after = ngx_atoof(after.data, after.len);
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    test->file = ngx_pcalloc(r->pool, sizeof(ngx_temp_file_t));
    if (test->file == NULL) {
        return NGX_ERROR;
    }

    test->file->file.fd = NGX_INVALID_FILE;
    test->file->file.log = r->connection->log;
    test->file->path = clcf->client_body_temp_path;
    test->file->pool = r->pool;

    test->consumer.output = ngx_http_consumer_test_output;
    test->consumer.data = test;

    ngx_str_null(&args);

    p = ngx_strlchr(uri.data, uri.data + uri.len, '?');

    if (p) {
        args.data = p + 1;
        args.len = (size_t) (uri.data + uri.len - args.data);
        uri.len = (size_t) (p - uri.data);
    }

    test->sr = ngx_http_artifact_consume(r, &uri, &args, &test->consumer);

    return test->sr ? NGX_OK : NGX_ERROR;
}


/* Those of this location, in the format that is asked for. */

static ngx_int_t
ngx_http_consumer_test_terms(ngx_http_request_t *r,
    ngx_http_artifact_terms_t *terms)
{
    ngx_str_t  format;

    if (ngx_http_artifact_arg(r, "format", &format) != NGX_OK) {
        return NGX_ERROR;
    }

    terms->conf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    terms->reader = ngx_http_artifact_get_reader(r);
    terms->format = art_format_find(ngx_artifact_str(&format));

    return terms->reader && terms->format ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_consumer_test_output(ngx_http_request_t *sr, ngx_chain_t *out)
{
    off_t                      size;
    ngx_chain_t               *cl;
    ngx_http_consumer_test_t  *test;

    test = ngx_http_artifact_consumer(sr)->data;

    if (test->failed) {
        return NGX_ERROR;
    }

    if (out && ngx_chain_add_copy(sr->pool, &test->held, out) != NGX_OK) {
        return NGX_ERROR;
    }

    size = 0;

    for (cl = test->held; cl; cl = cl->next) {
        size += cl->buf->end - cl->buf->start;
    }

    test->most = ngx_max(test->most, size);

    if (test->pace == 0) {
        return ngx_http_consumer_test_take(test, NGX_MAX_UINT32_VALUE);
    }

    if (test->held && !test->timer.timer_set) {
        test->timer.handler = ngx_http_consumer_test_timer;
        test->timer.data = sr;
        test->timer.log = sr->connection->log;

        ngx_add_timer(&test->timer, test->pace);
    }

    return test->held ? NGX_AGAIN : NGX_OK;
}


/* Writes at most so many buffers to the file. */

static ngx_int_t
ngx_http_consumer_test_take(ngx_http_consumer_test_t *test, ngx_uint_t most)
{
    ssize_t       n;
    ngx_chain_t   one;

    while (test->held && most--) {
        one.buf = test->held->buf;
        one.next = NULL;

        if (ngx_buf_size(one.buf) > 0) {
            n = ngx_write_chain_to_temp_file(test->file, &one);

            if (n == NGX_ERROR) {
                return NGX_ERROR;
            }

            test->file->offset += n;
        }

        if (test->last || one.buf->last_buf) {
            test->last = 2;
        }

        if (one.buf->last_in_chain) {
            test->last++;
        }

        one.buf->pos = one.buf->last;
        test->held = test->held->next;
    }

    return test->after && test->file->offset > test->after ? NGX_ERROR
                                                           : NGX_OK;
}


static void
ngx_http_consumer_test_timer(ngx_event_t *ev)
{
    ngx_connection_t          *c;
    ngx_http_request_t        *sr;
    ngx_http_consumer_test_t  *test;

    sr = ev->data;
    c = sr->connection;
    test = ngx_http_artifact_consumer(sr)->data;

    test->failed = ngx_http_consumer_test_take(test, 1) != NGX_OK;

    sr->write_event_handler(sr);
    ngx_http_run_posted_requests(c);
}


static void
ngx_http_consumer_test_done(ngx_http_request_t *r)
{
    ngx_http_consumer_test_t  *test;

    test = ngx_http_get_module_ctx(r, ngx_http_consumer_test_module);

    if (test->sr->done) {
        r->write_event_handler = ngx_http_request_empty_handler;
        ngx_http_finalize_request(r, ngx_http_consumer_test_answer(r, test));
    }
}


static ngx_int_t
ngx_http_consumer_test_answer(ngx_http_request_t *r,
    ngx_http_consumer_test_t *test)
{
    ngx_buf_t    *b;
    ngx_int_t     rc;
    ngx_chain_t   out;

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = test->file->offset;

    if (ngx_http_consumer_test_number(r, "X-Status",
                                      (off_t) test->consumer.status)
        != NGX_OK
        || ngx_http_consumer_test_number(r, "X-Last", (off_t) test->last)
           != NGX_OK
        || ngx_http_consumer_test_number(r, "X-Whole", test->consumer.whole)
           != NGX_OK
        || ngx_http_consumer_test_number(r, "X-Buffers", test->most)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->file = &test->file->file;
    b->file_last = test->file->offset;
    b->in_file = test->file->offset > 0;
    b->last_buf = 1;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


static ngx_int_t
ngx_http_consumer_test_number(ngx_http_request_t *r, const char *name, off_t n)
{
    ngx_str_t  value;

    value.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);
    if (value.data == NULL) {
        return NGX_ERROR;
    }

    value.len = (size_t) (ngx_sprintf(value.data, "%O", n) - value.data);

    return ngx_http_artifact_add_header(r, name, &value);
}
