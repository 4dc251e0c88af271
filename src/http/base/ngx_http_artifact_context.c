
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is known about a request: the reference in its URI, who reads the
 * answer, and the data root.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capability.h"
#include "core/capability/art_capmap.h"
#include "core/text/art_utf8.h"


/* Bytes of a name in a warning, and the seconds until the next one. */

#define NGX_HTTP_ARTIFACT_NAME_SHOWN  200
#define NGX_HTTP_ARTIFACT_WARN_AGAIN  60


static ngx_int_t ngx_http_artifact_save_ctx(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_http_artifact_ctx_t *ngx_http_artifact_saved_ctx(
    ngx_http_request_t *r);
static void ngx_http_artifact_ctx_cleanup(void *data);
static ngx_int_t ngx_http_artifact_parse_uri(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_below(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *below);
static ngx_int_t ngx_http_artifact_is_model(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_uint_t *model);
static ngx_int_t ngx_http_artifact_root_value(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *value, ngx_str_t *root);
static const char *ngx_http_artifact_root_fault(ngx_str_t *value);
static ngx_uint_t ngx_http_artifact_climbs(ngx_str_t *path);
static ngx_uint_t ngx_http_artifact_has_control(ngx_str_t *value);
static ngx_uint_t ngx_http_artifact_has_above(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf);


ngx_http_artifact_ctx_t *
ngx_http_artifact_get_ctx(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t       *ctx, *saved;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (ctx == NULL) {

        ctx = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_ctx_t));
        if (ctx == NULL) {
            return NULL;
        }

        ngx_http_set_ctx(r, ctx, ngx_artifact_module);

        if (alcf->role == NULL) {
            saved = ngx_http_artifact_saved_ctx(r);

            if (saved) {
                ctx->conf = alcf;
                ctx->uri = r->uri;
                ctx->given = saved->given;
                ctx->status = saved->status;
                ctx->ref = saved->ref;
                ctx->bad = saved->bad;

                return ctx;
            }

        } else if (ngx_http_artifact_save_ctx(r, ctx) != NGX_OK) {
            return NULL;
        }

    } else if (ctx->source
               || (ctx->conf == alcf && ctx->uri.data == r->uri.data
                   && ctx->uri.len == r->uri.len))
    {
        return ctx;
    }

    /* new, or rewritten to another URI or location since the last call */

    ctx->conf = alcf;
    ctx->uri = r->uri;

    if (ngx_http_artifact_parse_uri(r, ctx) != NGX_OK) {
        return NULL;
    }

    return ctx;
}


/*
 * A redirect to a named location, such as a store that is asked for what is not
 * here, clears all contexts but keeps the URI: a cleanup of the pool keeps the
 * context.
 */

static ngx_int_t
ngx_http_artifact_save_ctx(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(r->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_ctx_cleanup;
    cln->data = ctx;

    return NGX_OK;
}


static ngx_http_artifact_ctx_t *
ngx_http_artifact_saved_ctx(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t       *cln;
    ngx_http_artifact_ctx_t  *ctx;

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_artifact_ctx_cleanup) {
            ctx = cln->data;

            if (ctx->uri.data == r->uri.data && ctx->uri.len == r->uri.len) {
                return ctx;
            }
        }
    }

    return NULL;
}


static void
ngx_http_artifact_ctx_cleanup(void *data)
{
    /* only the handler's address matters: it marks the context */
}


static ngx_int_t
ngx_http_artifact_parse_uri(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    u_char                          *buf;
    art_str_t                        text;
    ngx_str_t                        below;
    const ngx_http_artifact_role_t  *role;

    static ngx_str_t  suffix = ngx_string("/metadata");

    ngx_memzero(&ctx->ref, sizeof(art_ref_t));
    ngx_str_null(&ctx->given);

    ctx->status = ART_ID_OK;
    ctx->metadata = 0;
    ctx->bad = 1;

    role = ctx->conf->role;

    if (role == NULL || role->uri == NGX_HTTP_ARTIFACT_URI_NONE
        || ngx_http_artifact_below(r, ctx->conf, &below) != NGX_OK)
    {
        return NGX_OK;
    }

    if (role->uri == NGX_HTTP_ARTIFACT_URI_ID && role->handler
        && below.len > suffix.len
        && ngx_memcmp(below.data + below.len - suffix.len, suffix.data,
                      suffix.len) == 0)
    {
        below.len -= suffix.len;
        ctx->metadata = 1;
    }

    ctx->given = below;

    if (below.len == 0 || !ngx_http_artifact_has_refs(ctx->conf)) {
        return NGX_OK;
    }

    buf = ngx_pnalloc(r->pool, ART_ID_ROOM(below.len));
    if (buf == NULL) {
        return NGX_ERROR;
    }

    ctx->bad = 0;
    text = ngx_artifact_str(&below);

    if (role->uri == NGX_HTTP_ARTIFACT_URI_PATH) {
        ctx->status = art_id_from_path(text, buf, &ctx->ref);

    } else {
        ctx->status = art_id_parse(text, buf, &ctx->ref);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact reference: \"%V\", status %d, metadata:%d",
                   &ctx->given, ctx->status, ctx->metadata);

    if (ctx->status == ART_ID_OK && ctx->ref.colon) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact workspace id contains a colon");
    }

    return NGX_OK;
}


/* The part of the URI below the location that has the handler. */

static ngx_int_t
ngx_http_artifact_below(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_str_t *below)
{
    size_t  len;

    len = alcf->prefix.len;

    if (r->uri.len < len
        || ngx_filename_cmp(r->uri.data, alcf->prefix.data, len) != 0)
    {
        return NGX_DECLINED;
    }

    below->data = r->uri.data + len;
    below->len = r->uri.len - len;

    if (len > 0 && alcf->prefix.data[len - 1] == '/') {
        return NGX_OK;
    }

    /* "location /artifacts" also matches "/artifactsabc" */

    if (below->len > 0) {

        if (below->data[0] != '/') {
            return NGX_DECLINED;
        }

        below->data++;
        below->len--;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_check(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    art_error_t *error)
{
    if (ctx->bad) {
        *error = ART_ERR_NOT_FOUND;
        return NGX_DECLINED;
    }

    if (ctx->status == ART_ID_OK) {
        return NGX_OK;
    }

    if (ctx->status == ART_ID_TRAVERSAL) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "artifact reference leaves its workspace");

        *error = ART_ERR_TRAVERSAL;
        return NGX_DECLINED;
    }

    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "artifact reference is malformed");

    *error = ART_ERR_INVALID_ID;
    return NGX_DECLINED;
}


ngx_uint_t
ngx_http_artifact_methods(ngx_http_artifact_ctx_t *ctx)
{
    ngx_uint_t                       methods, top;
    const ngx_http_artifact_role_t  *role;

    role = ctx->conf->role;

    if (role && role->methods) {
        return role->methods;
    }

    methods = NGX_HTTP_GET|NGX_HTTP_HEAD;

    if (!ctx->conf->writes || !ngx_http_artifact_has_refs(ctx->conf)
        || role->handler == NULL)
    {
        return methods;
    }

    /* whether the URI is the location itself; outside, "given" is NULL */

    top = (ctx->bad && ctx->given.data && ctx->given.len == 0);

    if (role->uri == NGX_HTTP_ARTIFACT_URI_PATH) {
        return top ? methods : methods|NGX_HTTP_PUT|NGX_HTTP_DELETE;
    }

    return top && !ctx->metadata ? methods|NGX_HTTP_POST : methods;
}


ngx_uint_t
ngx_http_artifact_is_control(art_ref_t *ref)
{
    return art_str_eq(ref->workspace, art_cstr(NGX_ARTIFACT_CONTROL));
}


ngx_int_t
ngx_http_artifact_is_routed(ngx_http_request_t *r, ngx_uint_t *routed)
{
    ngx_uint_t                     model;
    ngx_http_artifact_reader_t    *reader;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    *routed = 0;

    /* clients of a Files API want the bytes */

    if (alcf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF
        || (alcf->role && alcf->role->raw))
    {
        return NGX_OK;
    }

    if (ngx_http_artifact_is_model(r, alcf, &model) != NGX_OK) {
        return NGX_ERROR;
    }

    if (model) {
        return NGX_OK;
    }

    reader = ngx_http_artifact_get_reader(r);
    if (reader == NULL) {
        return NGX_ERROR;
    }

    *routed = !reader->empty
              || alcf->route == NGX_HTTP_ARTIFACT_ROUTE_ALWAYS;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact routed: %ui", *routed);

    return NGX_OK;
}


/*
 * Whether the answer is that of a model or a tool, in a location that reads
 * their requests or answers: its client speaks their API, which what a client
 * gets tells by the path alone.
 */

static ngx_int_t
ngx_http_artifact_is_model(ngx_http_request_t *r,
    ngx_http_artifact_loc_conf_t *alcf, ngx_uint_t *model)
{
    unsigned    flags;
    art_str_t   path;
    ngx_str_t   name;
    ngx_uint_t  post;

    *model = 0;

    if ((alcf->requests == NULL && !alcf->answers)
        || (alcf->role && alcf->role->handler))
    {
        return NGX_OK;
    }

    ngx_str_null(&name);

    path = ngx_http_artifact_request_path(r);
    post = (r->method == NGX_HTTP_POST);

    if (post && alcf->format
        && ngx_http_complex_value(r, alcf->format, &name) != NGX_OK)
    {
        return NGX_ERROR;
    }

    *model = (post && art_api_of_request(path, ngx_artifact_str(&name), &flags))
             || (alcf->answers
                 && art_api_of_base64(path, ngx_artifact_str(&name)));

    return NGX_OK;
}


ngx_http_artifact_reader_t *
ngx_http_artifact_get_reader(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t        *ctx;
    ngx_http_artifact_reader_t     *reader;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_main_conf_t  *amcf;

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL) {
        return NULL;
    }

    /* variables in its values may still change until there is a source */

    if (ctx->reader && ctx->source) {
        return ctx->reader;
    }

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    reader = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_reader_t));
    if (reader == NULL) {
        return NULL;
    }

    if (ngx_http_complex_value(r, alcf->service, &reader->asked) != NGX_OK
        || ngx_http_complex_value(r, alcf->accept, &reader->accept) != NGX_OK)
    {
        return NULL;
    }

    reader->empty = (reader->asked.len == 0 && reader->accept.len == 0);

    ngx_http_artifact_reader_find(reader, amcf->capmap);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact reader: service \"%V\"%s, "
                   "accept \"%V\", capabilities %04xD", &reader->asked,
                   reader->asked.len > 0 && !reader->service ? " unknown" : "",
                   &reader->accept, reader->caps);

    ctx->reader = reader;

    return reader;
}


void
ngx_http_artifact_reader_find(ngx_http_artifact_reader_t *reader,
    const art_capmap_t *map)
{
    reader->service = reader->asked.len > 0 && map
                      ? art_capmap_find(map, ngx_artifact_str(&reader->asked))
                      : NULL;

    if (reader->accept.len > 0) {
        reader->caps = art_capability_parse(ngx_artifact_str(&reader->accept));

    } else {
        reader->caps = reader->service ? reader->service->input.bits
                                       : ART_CAP_TEXT;
    }

    reader->unknown = reader->asked.len > 0 && reader->accept.len == 0
                      && reader->service == NULL;
}


void
ngx_http_artifact_reader_warn(ngx_log_t *log, art_str_t name, const char *what)
{
    size_t         len;
    u_char         line[NGX_HTTP_ARTIFACT_NAME_SHOWN * 3];
    time_t         now;
    art_out_t      out;

    static time_t  warned;

    now = ngx_time();

    if (warned != 0 && now - warned < NGX_HTTP_ARTIFACT_WARN_AGAIN) {
        return;
    }

    warned = now;

    len = art_utf8_cut(name.data, name.len, NGX_HTTP_ARTIFACT_NAME_SHOWN);
    out = art_out(line, sizeof(line));

    art_utf8_name(&out, art_str(name.data, len));

    ngx_log_error(NGX_LOG_WARN, log, 0, "no capability map has \"%*s%s\", %s",
                  out.len, line, len < name.len ? "..." : "", what);
}


ngx_int_t
ngx_http_artifact_root(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *root)
{
    ngx_int_t    rc;
    ngx_str_t    value;
    const char  *fault;

    rc = ngx_http_artifact_root_value(r, ctx, &value, root);

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"artifact_root\" of location \"%V\" is %s",
                      &ctx->conf->prefix,
                      ctx->conf->root ? "empty" : "not defined");
        ngx_set_errno(ENOENT);
    }

    if (rc != NGX_OK || ctx->conf->root->lengths == NULL) {
        return rc;
    }

    if (ngx_http_artifact_lacks_variable(r, ctx->conf->root, &value)) {
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    fault = ngx_http_artifact_root_fault(&value);

    if (fault) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "the value of \"artifact_root\" has %s", fault);
        ngx_set_errno(ENOENT);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_root_now(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *root)
{
    ngx_int_t  rc;
    ngx_str_t  value;

    rc = ngx_http_artifact_root_value(r, ctx, &value, root);

    return rc == NGX_OK && ctx->conf->root->lengths
           && ngx_http_artifact_root_fault(&value)
           ? NGX_DECLINED : rc;
}


/* NGX_DECLINED without a value, which would be nginx's own prefix. */

static ngx_int_t
ngx_http_artifact_root_value(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_str_t *value, ngx_str_t *root)
{
    ngx_str_null(value);

    if (ctx->conf->root
        && ngx_http_complex_value(r, ctx->conf->root, value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (value->len == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_concat(r->pool, root,
                                 ngx_artifact_str(value), art_cstr(""))
        != NGX_OK
        || ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix, root)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact root: \"%V\"",
                   root);

    return NGX_OK;
}


/*
 * What a value must not have whose variables may come from a client.  It is
 * logged as it is: control characters could forge lines of the log.
 */

static const char *
ngx_http_artifact_root_fault(ngx_str_t *value)
{
    if (ngx_http_artifact_climbs(value)) {
        return "a component \"..\"";
    }

    return ngx_http_artifact_has_control(value) ? "control characters" : NULL;
}


static ngx_uint_t
ngx_http_artifact_climbs(ngx_str_t *path)
{
    u_char  *p, *end;

    end = path->data + path->len;

    for (p = path->data; p < end; p++) {

        if (*p == '\0'
            || (end - p >= 2 && p[0] == '.' && p[1] == '.'
                && (p == path->data || p[-1] == '/')
                && (end - p == 2 || p[2] == '/')))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_http_artifact_has_control(ngx_str_t *value)
{
    size_t  i;

    for (i = 0; i < value->len; i++) {
        if (value->data[i] < ' ' || value->data[i] == 0x7f) {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_http_artifact_rootless(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_str_t *root)
{
    ngx_err_t   err;
    ngx_uint_t  rootless;

    err = ngx_errno;

    rootless = !ngx_artifact_is_missing(err)
               || !ngx_http_artifact_has_above(r, ctx->conf->root);

    if (rootless) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, err,
                      "\"artifact_root\" of location \"%V\" is missing: "
                      ngx_open_file_n " \"%V\" failed",
                      &ctx->conf->prefix, root);
    }

    ngx_set_errno(err);

    return rootless;
}


/* Whether the folder above the first variable of a root exists. */

static ngx_uint_t
ngx_http_artifact_has_above(ngx_http_request_t *r,
    ngx_http_complex_value_t *conf)
{
    size_t            n;
    ngx_str_t         above;
    ngx_file_info_t   info;

    if (conf->lengths == NULL) {
        return 0;
    }

    for (n = 0; n < conf->value.len && conf->value.data[n] != '$'; n++) {
        /* void */
    }

    while (n > 0 && conf->value.data[n - 1] != '/') {
        n--;
    }

    if (n == 0) {
        return 1;
    }

    return ngx_http_artifact_concat(r->pool, &above,
                                    art_str(conf->value.data, n), art_cstr(""))
           == NGX_OK
           && ngx_get_full_name(r->pool, (ngx_str_t *) &ngx_cycle->prefix,
                                &above)
              == NGX_OK
           && ngx_file_info(above.data, &info) != NGX_FILE_ERROR
           && ngx_is_dir(&info);
}


const ngx_artifact_layout_t *
ngx_http_artifact_layout(ngx_http_artifact_loc_conf_t *conf)
{
    static const ngx_artifact_layout_t  flat;

    return conf->layout ? conf->layout : &flat;
}


ngx_uint_t
ngx_http_artifact_follows(ngx_http_request_t *r)
{
#if (NGX_HAVE_OPENAT)
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    return clcf->disable_symlinks == NGX_DISABLE_SYMLINKS_OFF;
#else
    return 1;
#endif
}
