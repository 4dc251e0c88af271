
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_body.h"
#include "http/base/ngx_http_artifact_util.h"


static ngx_int_t ngx_http_artifact_body_variables(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_body_tells(ngx_str_t *name);
static ngx_int_t ngx_http_artifact_body_headers(ngx_http_request_t *r,
    ngx_str_t *length);
static void ngx_http_artifact_body_release(ngx_http_request_t *r);


/* What would not be true of another body; its length is told anew. */

static const char *const  ngx_http_artifact_body_told[] = {
    "Content-Length", "Transfer-Encoding", "Content-Encoding", "Content-MD5",
    "Content-Digest", "Digest", "Repr-Digest", NULL
};


void
ngx_http_artifact_body_init(ngx_http_artifact_body_t *body, ngx_chain_t *cl,
    u_char *buf, size_t room)
{
    body->cl = cl;
    body->begin = 0;
    body->pos = 0;
    body->buf = buf;
    body->room = room;
}


off_t
ngx_http_artifact_body_size(ngx_chain_t *cl)
{
    off_t  size;

    size = 0;

    for ( /* void */ ; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


ssize_t
ngx_http_artifact_body_read(ngx_http_artifact_body_t *body, size_t most,
    u_char **data)
{
    off_t       from, left;
    size_t      size;
    ssize_t     n;
    ngx_buf_t  *b;

    ngx_http_artifact_body_skip(body, body->pos);

    if (body->cl == NULL) {
        return 0;
    }

    b = body->cl->buf;
    from = body->pos - body->begin;
    left = ngx_buf_size(b) - from;
    size = (size_t) ngx_min(left, (off_t) most);

    if (ngx_buf_in_memory(b)) {
        *data = b->pos + from;
        body->pos += (off_t) size;

        return (ssize_t) size;
    }

    size = ngx_min(size, body->room);
    n = ngx_read_file(b->file, body->buf, size, b->file_pos + from);

    if (n <= 0) {

        if (n == 0) {
            ngx_log_error(NGX_LOG_CRIT, b->file->log, 0,
                          "request body file \"%V\" is too short",
                          &b->file->name);
        }

        return NGX_ERROR;
    }

    *data = body->buf;
    body->pos += n;

    return n;
}


void
ngx_http_artifact_body_skip(ngx_http_artifact_body_t *body, off_t pos)
{
    off_t  size;

    body->pos = pos;

    while (body->cl) {
        size = ngx_buf_size(body->cl->buf);

        if (pos < body->begin + size) {
            return;
        }

        body->begin += size;
        body->cl = body->cl->next;
    }
}


ngx_int_t
ngx_http_artifact_body_replace(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool)
{
    ngx_buf_t                *buf;
    ngx_str_t                 length;
    ngx_chain_t              *cl;
    ngx_http_request_body_t  *rb;

    rb = r->request_body;
    buf = NULL;

    length.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);

    if (length.data == NULL
        || ngx_http_artifact_body_variables(r) != NGX_OK
        || ngx_http_artifact_spool_end(spool, &cl) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* an upstream reads the file with it, for each of its peers again */

    if (spool->file) {
        buf = ngx_create_temp_buf(r->pool, spool->room);

        if (buf == NULL) {
            return NGX_ERROR;
        }
    }

    length.len = (size_t) (ngx_sprintf(length.data, "%O", spool->size)
                           - length.data);

    if (ngx_http_artifact_body_headers(r, &length) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_body_release(r);

    rb->bufs = cl;
    rb->buf = buf;
    rb->temp_file = spool->file;

    r->headers_in.content_length_n = spool->size;
    r->headers_in.chunked = 0;
    r->headers_in.transfer_encoding = NULL;

    return NGX_OK;
}


/*
 * Values that nginx has kept: those that tell of the body are found anew when
 * they are asked for.  $request_body alone stays what the client sent: nginx
 * leaves it empty where the body is in a file, and a new one is sooner.  Keys
 * of a cache would be equal then for bodies that are not.
 */

static ngx_int_t
ngx_http_artifact_body_variables(ngx_http_request_t *r)
{
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    static const ngx_str_t  sent = ngx_string("request_body");

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (v[i].name.len == sent.len
            && ngx_strncmp(v[i].name.data, sent.data, sent.len) == 0)
        {
            if (ngx_http_get_indexed_variable(r, i) == NULL) {
                return NGX_ERROR;
            }

        } else if (!(v[i].flags & NGX_HTTP_VAR_CHANGEABLE)
                   && ngx_http_artifact_body_tells(&v[i].name))
        {
            r->variables[i].valid = 0;
            r->variables[i].not_found = 0;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_body_tells(ngx_str_t *name)
{
    size_t      i, n;
    u_char      ch;
    ngx_uint_t  k;

    static const char *const  names[] = {
        "content_length", "request_body_file", NULL
    };

    for (k = 0; names[k]; k++) {
        if (name->len == ngx_strlen(names[k])
            && ngx_strncmp(name->data, names[k], name->len) == 0)
        {
            return 1;
        }
    }

    if (name->len < 5 || ngx_strncmp(name->data, "http_", 5) != 0) {
        return 0;
    }

    n = name->len - 5;

    for (k = 0; ngx_http_artifact_body_told[k]; k++) {

        for (i = 0; i < n; i++) {
            ch = ngx_tolower(ngx_http_artifact_body_told[k][i]);

            if (name->data[5 + i] != (ch == '-' ? '_' : ch)) {
                break;
            }
        }

        if (i == n && ngx_http_artifact_body_told[k][n] == '\0') {
            return 1;
        }
    }

    return 0;
}


/*
 * A file with a name is for others to read, or to remove.  A body that has to
 * be preserved is being sent elsewhere, too, as a mirror's.
 */

static void
ngx_http_artifact_body_release(ngx_http_request_t *r)
{
    ngx_temp_file_t  *tf;

    tf = r->request_body->temp_file;

    if (tf && !tf->persistent && !tf->clean && !r->preserve_body) {
        ngx_pool_run_cleanup_file(r->pool, tf->file.fd);
        tf->file.fd = NGX_INVALID_FILE;
    }
}


/* A proxy passes on what is in the list. */

static ngx_int_t
ngx_http_artifact_body_headers(ngx_http_request_t *r, ngx_str_t *length)
{
    ngx_table_elt_t  *h;

    if (ngx_http_artifact_take_headers(r->pool, &r->headers_in.headers,
                                       ngx_http_artifact_body_told, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    ngx_str_set(&h->key, "Content-Length");
    h->lowcase_key = (u_char *) "content-length";
    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);
    h->value = *length;

    r->headers_in.content_length = h;

    return NGX_OK;
}
