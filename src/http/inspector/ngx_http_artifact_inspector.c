
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_inspector": files that are part of the
 * module, and one made from the directive's arguments.  The store is not read
 * here: the page asks the other locations on behalf of its visitor.
 */


#include "http/inspector/ngx_http_artifact_inspector.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "core/base/art_hash.h"
#include "core/json/art_json_put.h"
#include "core/api/art_api_format.h"


/*
 * Scripts, styles and requests of the same origin only; no frame, form or
 * plugin; no page may frame this one.  Markup is never made from strings, which
 * browsers with Trusted Types enforce.
 */

#define NGX_HTTP_ARTIFACT_INSPECTOR_POLICY                                    \
    "default-src 'none'; script-src 'self'; style-src 'self'; "               \
    "connect-src 'self'; img-src 'self'; media-src 'self'; "                  \
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "           \
    "require-trusted-types-for 'script'; trusted-types 'none'"


static ngx_int_t ngx_http_artifact_inspector(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static const ngx_http_artifact_inspector_file_t *
    ngx_http_artifact_inspector_find(ngx_http_artifact_ctx_t *ctx,
    ngx_http_artifact_inspector_file_t *paths);
static ngx_int_t ngx_http_artifact_inspector_etag(ngx_http_request_t *r,
    ngx_http_artifact_inspector_file_t *paths);
static ngx_int_t ngx_http_artifact_inspector_headers(ngx_http_request_t *r,
    const ngx_http_artifact_inspector_file_t *file);
static ngx_int_t ngx_http_artifact_inspector_send(ngx_http_request_t *r,
    const ngx_http_artifact_inspector_file_t *file);
static char *ngx_http_artifact_inspector_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static ngx_int_t ngx_http_artifact_inspector_arg(ngx_str_t *arg,
    art_str_t *paths);
static void ngx_http_artifact_inspector_print(art_out_t *out,
    art_str_t *paths);


static ngx_str_t  ngx_http_artifact_inspector_json = ngx_string("paths.json");


/* The arguments, and the default paths of other locations. */

static const struct {
    const char  *name;
    const char  *path;
} ngx_http_artifact_inspector_args[] = {
    { "artifacts", "/artifacts/" },
    { "workspaces", "/workspaces/" },
    { "services", "/services/" },
    { "status", "/status" },
    { "requests", "/requests" }
};

#define NGX_HTTP_ARTIFACT_INSPECTOR_ARGS                                      \
    (sizeof(ngx_http_artifact_inspector_args)                                 \
     / sizeof(ngx_http_artifact_inspector_args[0]))


static const ngx_http_artifact_role_t  ngx_http_artifact_inspector_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NAME,
    .counter = NGX_HTTP_ARTIFACT_NOBODY,
    .handler = ngx_http_artifact_inspector,
    .set = ngx_http_artifact_inspector_set,
    .light = 1
};


static ngx_command_t  ngx_http_artifact_inspector_commands[] = {

    { ngx_string("artifact_inspector"),
      NGX_HTTP_LOC_CONF|NGX_CONF_ANY,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_inspector_role },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_inspector_module_ctx = {
    .preconfiguration = NULL
};


ngx_module_t  ngx_http_artifact_inspector_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_inspector_module_ctx,
                             ngx_http_artifact_inspector_commands);


static ngx_int_t
ngx_http_artifact_inspector(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                                  rc;
    ngx_http_artifact_inspector_file_t         paths;
    const ngx_http_artifact_inspector_file_t  *file;

    if (ctx->given.data && ctx->given.len == 0
        && r->uri.data[r->uri.len - 1] != '/')
    {
        return ngx_http_artifact_add_slash(r);
    }

    file = ngx_http_artifact_inspector_find(ctx, &paths);

    if (file == NULL) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_NOT_FOUND);
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact inspector: \"%V\", %uz bytes", &ctx->given,
                   file->text.len);

    rc = ngx_http_artifact_discard_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    if (file == &paths
        && ngx_http_artifact_inspector_etag(r, &paths) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ngx_http_artifact_inspector_headers(r, file) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ctx->answered = 1;

    return ngx_http_artifact_inspector_send(r, file);
}


static const ngx_http_artifact_inspector_file_t *
ngx_http_artifact_inspector_find(ngx_http_artifact_ctx_t *ctx,
    ngx_http_artifact_inspector_file_t *paths)
{
    ngx_str_t                                 *name;
    const ngx_http_artifact_inspector_file_t  *file;

    name = &ctx->given;

    if (name->data == NULL) {
        return NULL;
    }

    if (name->len == ngx_http_artifact_inspector_json.len
        && ngx_memcmp(name->data, ngx_http_artifact_inspector_json.data,
                      name->len)
           == 0)
    {
        ngx_memzero(paths, sizeof(ngx_http_artifact_inspector_file_t));

        ngx_str_set(&paths->type, "application/json");
        paths->text = ctx->conf->inspect;

        return paths;
    }

    for (file = ngx_http_artifact_inspector_files; file->text.len; file++) {

        if (file->name.len == name->len
            && ngx_memcmp(file->name.data, name->data, name->len) == 0)
        {
            return file;
        }
    }

    return NULL;
}


/* Sets the tag of the file made here; those of the others are constants. */

static ngx_int_t
ngx_http_artifact_inspector_etag(ngx_http_request_t *r,
    ngx_http_artifact_inspector_file_t *paths)
{
    paths->etag.data = ngx_pnalloc(r->pool, 18);
    if (paths->etag.data == NULL) {
        return NGX_ERROR;
    }

    paths->etag.len = ngx_sprintf(paths->etag.data, "\"%016xL\"",
                                  art_hash(ART_HASH_INIT, paths->text.data,
                                           paths->text.len))
                      - paths->etag.data;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_inspector_headers(ngx_http_request_t *r,
    const ngx_http_artifact_inspector_file_t *file)
{
    ngx_str_t                  etag;
    ngx_uint_t                 i;
    ngx_http_core_loc_conf_t  *clcf;

    static struct {
        const char  *name;
        ngx_str_t    value;
    } headers[] = {
        { "Content-Security-Policy",
          ngx_string(NGX_HTTP_ARTIFACT_INSPECTOR_POLICY) },
        { "X-Content-Type-Options", ngx_string("nosniff") },
        { "Referrer-Policy", ngx_string("no-referrer") },
        { "Cross-Origin-Resource-Policy", ngx_string("same-origin") },
        { "Cache-Control", ngx_string("no-cache") }
    };

    for (i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {

        if (ngx_http_artifact_add_header(r, headers[i].name,
                                         &headers[i].value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (!clcf->etag) {
        return NGX_OK;
    }

    etag = file->etag;

    r->headers_out.etag = ngx_http_artifact_push_header(r, "ETag", &etag);

    return r->headers_out.etag ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_inspector_send(ngx_http_request_t *r,
    const ngx_http_artifact_inspector_file_t *file)
{
    ngx_buf_t    *b;
    ngx_int_t     rc;
    ngx_chain_t   out;

    b = ngx_calloc_buf(r->pool);
    if (b == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = (off_t) file->text.len;
    r->headers_out.content_type = file->type;
    r->headers_out.content_type_len = file->type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (!ngx_http_artifact_is_json_type(r)) {
        ngx_str_set(&r->headers_out.charset, "utf-8");
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    b->pos = file->text.data;
    b->last = file->text.data + file->text.len;
    b->memory = 1;
    b->last_buf = (r == r->main) ? 1 : 0;
    b->last_in_chain = 1;

    out.buf = b;
    out.next = NULL;

    return ngx_http_output_filter(r, &out);
}


/*
 * Prints the JSON that the page reads first, from the directive's arguments:
 * the paths of the other locations, and the names of all formats.  The page
 * refers to its files by relative links, so they are below it.
 */

static char *
ngx_http_artifact_inspector_set(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    art_out_t                  out;
    art_str_t                  paths[NGX_HTTP_ARTIFACT_INSPECTOR_ARGS];
    ngx_str_t                 *value;
    ngx_uint_t                 i;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->exact_match) {
        return "cannot be used in a location of the form \"= /path\", since "
               "its files are below it";
    }

    if (clcf->name.len > 0 && clcf->name.data[clcf->name.len - 1] == '/') {
        clcf->auto_redirect = 1;
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_INSPECTOR_ARGS; i++) {
        paths[i] = art_cstr(ngx_http_artifact_inspector_args[i].path);
    }

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_http_artifact_inspector_arg(&value[i], paths) != NGX_OK) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\" in \"%V\" directive, "
                               "it must be \"artifacts=\", \"workspaces=\", "
                               "\"services=\", \"status=\" or \"requests=\" "
                               "with a path",
                               &value[i], &value[0]);
            return NGX_CONF_ERROR;
        }
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        ngx_http_artifact_inspector_print(&out, paths);
    } while (ngx_http_artifact_print_again(cf->pool, &out));

    if (out.data == NULL) {
        return NGX_CONF_ERROR;
    }

    conf->inspect.data = out.data;
    conf->inspect.len = out.len;

    return NGX_CONF_OK;
}


/* "name=/path", or "name=" for a location that is not shown. */

static ngx_int_t
ngx_http_artifact_inspector_arg(ngx_str_t *arg, art_str_t *paths)
{
    size_t       len;
    u_char      *path;
    ngx_uint_t   i;

    path = ngx_strlchr(arg->data, arg->data + arg->len, '=');
    if (path == NULL) {
        return NGX_DECLINED;
    }

    len = (size_t) (path++ - arg->data);

    /* "//host/" would be another server */

    if (*path && (path[0] != '/' || path[1] == '/')) {
        return NGX_DECLINED;
    }

    for (i = 0; i < NGX_HTTP_ARTIFACT_INSPECTOR_ARGS; i++) {

        if (art_str_eq(art_str(arg->data, len),
                       art_cstr(ngx_http_artifact_inspector_args[i].name)))
        {
            paths[i] = art_str(path, arg->len - len - 1);
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static void
ngx_http_artifact_inspector_print(art_out_t *out, art_str_t *paths)
{
    unsigned             i;
    art_json_put_t       put;
    const art_format_t  *format;

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    for (i = 0; i < NGX_HTTP_ARTIFACT_INSPECTOR_ARGS; i++) {
        art_json_put_string(&put, ngx_http_artifact_inspector_args[i].name,
                            paths[i]);
    }

    art_json_put_array(&put, "formats");

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        art_json_put_string(&put, NULL, art_cstr(format->name));
    }

    art_json_put_end(&put);
    art_json_put_end(&put);
}
