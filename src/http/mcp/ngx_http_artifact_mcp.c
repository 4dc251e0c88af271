
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * "artifact_mcp": the store as a server of the Model Context Protocol
 * (modelcontextprotocol.io/specification/2026-07-28).  A message's body is read
 * piece by piece, then it is checked against the headers, and its method or
 * tool is called.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/json/art_json_error.h"
#include "core/answer/art_services.h"
#include "core/mcp/art_mcp_list.h"


/* Most names have another length. */

#define ngx_http_artifact_mcp_header(header, name)                            \
    ((header)->key.len == sizeof(name) - 1                                    \
     && ngx_memcmp((header)->lowcase_key, name, sizeof(name) - 1) == 0)


/*
 * What is answered to all requests to a location, by what that has; empty if
 * there is no such location.
 */

typedef struct {
    art_str_t   members[ART_MCP_HAS][ART_LANG_MAX][ART_MCP_METHODS];
} ngx_http_artifact_mcp_main_conf_t;


static ngx_int_t ngx_http_artifact_mcp_preinit(ngx_conf_t *cf);
static void *ngx_http_artifact_mcp_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_mcp_merge(ngx_conf_t *cf, void *parent,
    void *child);
static ngx_int_t ngx_http_artifact_mcp_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_mcp(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_mcp_too_large(ngx_http_request_t *r,
    art_out_t *out);
static void ngx_http_artifact_mcp_log(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_uint_t status);
static ngx_http_artifact_mcp_t *ngx_http_artifact_mcp_create(
    ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx);
static ngx_int_t ngx_http_artifact_mcp_read_headers(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_add(ngx_http_request_t *r,
    art_str_t *value, ngx_str_t *more);
static ngx_int_t ngx_http_artifact_mcp_admit(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_mcp_error_t *error);
static ngx_int_t ngx_http_artifact_mcp_refuse(ngx_http_request_t *r,
    art_mcp_error_t *error, ngx_uint_t status, const char *message);
static ngx_int_t ngx_http_artifact_mcp_body(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_status(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_int_t status);
static void ngx_http_artifact_mcp_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_mcp_feed(ngx_http_request_t *r, void *data);
static ngx_int_t ngx_http_artifact_mcp_end(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_call(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_plain(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_tool(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_find_service(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);


/* Indexed by art_mcp_method_t: the methods that art_mcp_check() lets pass. */

static const ngx_http_artifact_mcp_pt
    ngx_http_artifact_mcp_methods[ART_MCP_METHODS] =
{
    [ART_MCP_INITIALIZE] = ngx_http_artifact_mcp_plain,
    [ART_MCP_DISCOVER] = ngx_http_artifact_mcp_plain,
    [ART_MCP_PING] = ngx_http_artifact_mcp_plain,
    [ART_MCP_TOOLS_LIST] = ngx_http_artifact_mcp_plain,
    [ART_MCP_TOOLS_CALL] = ngx_http_artifact_mcp_tool,
    [ART_MCP_RESOURCES_LIST] = ngx_http_artifact_mcp_list_resources,
    [ART_MCP_RESOURCES_TEMPLATES] = ngx_http_artifact_mcp_plain,
    [ART_MCP_RESOURCES_READ] = ngx_http_artifact_mcp_resource
};


/* Indexed by art_mcp_tool_id_t. */

static const ngx_http_artifact_mcp_pt
    ngx_http_artifact_mcp_tools[ART_MCP_TOOLS] =
{
    [ART_MCP_READ_ARTIFACT] = ngx_http_artifact_mcp_read,
    [ART_MCP_LIST_ARTIFACTS] = ngx_http_artifact_mcp_list_artifacts,
    [ART_MCP_LIST_WORKSPACE] = ngx_http_artifact_mcp_list_folder,
    [ART_MCP_FIND_SERVICE] = ngx_http_artifact_mcp_find_service,
    [ART_MCP_WRITE_FILE] = ngx_http_artifact_mcp_write_file,
    [ART_MCP_SAVE_ARTIFACT] = ngx_http_artifact_mcp_save_artifact,
    [ART_MCP_DELETE_FILE] = ngx_http_artifact_mcp_delete_file,
    [ART_MCP_REQUEST_UPLOAD] = ngx_http_artifact_mcp_request_upload,
    [ART_MCP_SHARE_ARTIFACT] = ngx_http_artifact_mcp_share
};


static const ngx_http_artifact_role_t  ngx_http_artifact_mcp_role = {
    .uri = NGX_HTTP_ARTIFACT_URI_NONE,
    .counter = ART_COUNT_BY_MCP,
    .handler = ngx_http_artifact_mcp,
    .too_large = ngx_http_artifact_mcp_too_large,
    .log = ngx_http_artifact_mcp_log,
    .methods = NGX_HTTP_POST|NGX_HTTP_OPTIONS,
    .asked = 1,
    .local = 1,
    .posts = 1
};


static ngx_command_t  ngx_http_artifact_mcp_commands[] = {

    { ngx_string("artifact_mcp"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_artifact_set_role,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      (void *) &ngx_http_artifact_mcp_role },

      ngx_null_command
};


static ngx_http_variable_t  ngx_http_artifact_mcp_variables[] = {

    { ngx_string("artifact_mcp_method"), NULL, ngx_http_artifact_mcp_variable,
      offsetof(art_mcp_request_t, method_name), NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_mcp_name"), NULL, ngx_http_artifact_mcp_variable,
      offsetof(art_mcp_request_t, name), NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


static ngx_http_module_t  ngx_http_artifact_mcp_module_ctx = {
    .preconfiguration = ngx_http_artifact_mcp_preinit,
    .create_main_conf = ngx_http_artifact_mcp_create_main_conf,
    .merge_loc_conf = ngx_http_artifact_mcp_merge
};


ngx_module_t  ngx_http_artifact_mcp_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_mcp_module_ctx,
                             ngx_http_artifact_mcp_commands);


static ngx_int_t
ngx_http_artifact_mcp_preinit(ngx_conf_t *cf)
{
    return ngx_http_artifact_variables_add(cf, ngx_http_artifact_mcp_variables);
}


static void *
ngx_http_artifact_mcp_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_mcp_main_conf_t));
}


/* After the modules that decide what a location has. */

static char *
ngx_http_artifact_mcp_merge(ngx_conf_t *cf, void *parent, void *child)
{
    art_out_t                           out;
    art_str_t                          *members;
    ngx_uint_t                          i;
    ngx_http_artifact_loc_conf_t       *conf;
    ngx_http_artifact_mcp_main_conf_t  *mmcf;

    conf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);
    mmcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_mcp_module);

    if (conf->role != &ngx_http_artifact_mcp_role) {
        return NGX_CONF_OK;
    }

    members = mmcf->members[ngx_http_artifact_mcp_has(conf)][conf->language];

    for (i = 0; i < ART_MCP_METHODS; i++) {

        if (members[i].len > 0) {
            continue;
        }

        ngx_memzero(&out, sizeof(art_out_t));

        do {
            art_mcp_print_members(&out, (art_mcp_method_t) i,
                                  ngx_http_artifact_mcp_has(conf),
                                  (art_lang_t) conf->language);
        } while (ngx_http_artifact_print_again(cf->pool, &out));

        if (out.data == NULL) {
            return NGX_CONF_ERROR;
        }

        members[i] = art_str(out.data, out.len);
    }

    return NGX_CONF_OK;
}


/*
 * Answers a POST of one JSON-RPC message, and refuses other methods.  The body
 * is read piece by piece and never held.
 */

static ngx_int_t
ngx_http_artifact_mcp(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                 rc;
    art_mcp_error_t           error;
    ngx_http_artifact_mcp_t  *mcp;

    /* a subrequest has the body of its parent */

    if (r != r->main) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
    }

    mcp = ngx_http_artifact_mcp_create(r, ctx);
    if (mcp == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: %V, origin \"%V\"",
                   &r->method_name, &mcp->origin);

    rc = ngx_http_artifact_mcp_admit(r, mcp, &error);

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    /* only a browser asks before it posts */

    if (r->method == NGX_HTTP_OPTIONS && mcp->origin.data) {
        return ngx_http_artifact_mcp_options(r, mcp);
    }

    return r->method == NGX_HTTP_POST
           ? ngx_http_artifact_mcp_body(r, mcp)
           : ngx_http_artifact_send_error(r, ctx, ART_ERR_METHOD);
}


static ngx_http_artifact_mcp_t *
ngx_http_artifact_mcp_create(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    art_mcp_sink_pt           sink;
    ngx_http_artifact_mcp_t  *mcp;

    mcp = ngx_palloc(r->pool, sizeof(ngx_http_artifact_mcp_t));
    if (mcp == NULL) {
        return NULL;
    }

    /* art_mcp_init() does the rest */

    ngx_memzero(mcp, offsetof(ngx_http_artifact_mcp_t, message));

    if (ngx_http_artifact_turn_init(&mcp->turn, r) != NGX_OK) {
        return NULL;
    }

    mcp->request = r;
    mcp->ctx = ctx;
    mcp->pool = ngx_http_artifact_core_pool(r->pool);
    mcp->error = ART_ERR_MAX;

    mcp->reader.run = ngx_http_artifact_mcp_run;
    mcp->reader.feed = ngx_http_artifact_mcp_feed;
    mcp->reader.data = mcp;
    mcp->reader.most = NGX_HTTP_ARTIFACT_MCP_SLICE;

    mcp->outcome = ART_COUNT_MCP_REFUSED;

    sink = NULL;

    if (ctx->conf->writes) {
        sink = ngx_http_artifact_mcp_write_piece;
    }

    art_mcp_init(&mcp->message, &mcp->pool, sink, mcp);

    ngx_http_set_ctx(r, mcp, ngx_http_artifact_mcp_module);

    return mcp;
}


/* In one pass: there are many headers, and most requests are short. */

static ngx_int_t
ngx_http_artifact_mcp_read_headers(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_int_t         rc;
    ngx_uint_t        n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    n = 0;
    rc = NGX_OK;
    part = &r->headers_in.headers.part;

    while (rc == NGX_OK
           && (header = ngx_http_artifact_next_header(&part, &n)))
    {
        if (ngx_http_artifact_mcp_header(header, "mcp-method")) {
            rc = ngx_http_artifact_mcp_add(r, &mcp->headers.method,
                                           &header->value);

        } else if (ngx_http_artifact_mcp_header(header, "mcp-name")) {
            rc = ngx_http_artifact_mcp_add(r, &mcp->headers.name,
                                           &header->value);

        } else if (ngx_http_artifact_mcp_header(header,
                                                "mcp-protocol-version"))
        {
            rc = ngx_http_artifact_mcp_add(r, &mcp->headers.version,
                                           &header->value);

        } else if (ngx_http_artifact_mcp_header(header, "origin")) {
            mcp->origin = header->value;

        } else if (ngx_http_artifact_mcp_header(header, "content-encoding")) {
            mcp->encoded |= header->value.len > 0
                            && !art_str_is(ngx_artifact_str(&header->value),
                                           "identity");
        }
    }

    return rc;
}


/* Several headers with one name are one with a list (RFC 9110 section 5.3). */

static ngx_int_t
ngx_http_artifact_mcp_add(ngx_http_request_t *r, art_str_t *value,
    ngx_str_t *more)
{
    u_char  *p;

    if (value->data == NULL) {
        *value = ngx_artifact_str(more);
        return NGX_OK;
    }

    p = ngx_pnalloc(r->pool, value->len + 2 + more->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *value = art_str(p, (size_t) (ngx_sprintf(p, "%*s, %V", value->len,
                                              value->data, more)
                                  - p));

    return NGX_OK;
}


/* What the header of the request decides; NGX_DECLINED with *error set. */

static ngx_int_t
ngx_http_artifact_mcp_admit(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, art_mcp_error_t *error)
{
    ngx_int_t  rc;

    rc = ngx_http_artifact_mcp_read_headers(r, mcp);

    if (rc == NGX_OK && mcp->origin.data) {
        rc = ngx_http_artifact_check_origin(r, mcp->ctx->conf, &mcp->origin);
    }

    if (rc == NGX_DECLINED) {
        ngx_str_null(&mcp->origin);

        return ngx_http_artifact_mcp_refuse(r, error, NGX_HTTP_FORBIDDEN,
                                            "the origin is not allowed");
    }

    if (rc != NGX_OK || r->method != NGX_HTTP_POST) {
        return rc;
    }

    if (!ngx_http_artifact_is_json(r) || mcp->encoded) {
        return ngx_http_artifact_mcp_refuse(r, error,
                                      NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                                      "the body must be application/json");
    }

    if (mcp->ctx->conf->body_max
        && r->headers_in.content_length_n > mcp->ctx->conf->body_max)
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "client intended to send too large message: %O bytes",
                      r->headers_in.content_length_n);

        *error = art_mcp_too_large;

        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_mcp_refuse(ngx_http_request_t *r, art_mcp_error_t *error,
    ngx_uint_t status, const char *message)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: refused, %ui, %s", status, message);

    art_mcp_error_set(error, (unsigned) status, ART_RPC_REQUEST, message,
                      art_str(NULL, 0));

    return NGX_DECLINED;
}


/*
 * Begins to read the body; returns what the content handler has to return.
 * What another handler has read, as for "mirror", is read again.
 */

static ngx_int_t
ngx_http_artifact_mcp_body(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_int_t        rc;
    art_mcp_error_t  error;

    rc = ngx_http_artifact_body_reader_start(&mcp->reader, r);

    if (rc == NGX_BUSY) {
        (void) ngx_http_artifact_mcp_refuse(r, &error, NGX_HTTP_BAD_REQUEST,
                                            "another handler reads the body");

        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    return rc == NGX_DONE ? NGX_DONE
                          : ngx_http_artifact_mcp_status(r, mcp, rc);
}


/* An error of nginx's body reader: 413, or a status with nginx's page. */

static ngx_int_t
ngx_http_artifact_mcp_status(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp, ngx_int_t status)
{
    if (status != NGX_HTTP_REQUEST_ENTITY_TOO_LARGE) {
        return status;
    }

    r->keepalive = 0;

    return ngx_http_artifact_mcp_error(r, mcp, &art_mcp_too_large);
}


/* Reads the body piece by piece; called again by events and by threads. */

static void
ngx_http_artifact_mcp_run(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_http_artifact_mcp_t  *mcp;

    if (r->aio) {
        return;
    }

    mcp = ngx_http_artifact_get_mcp(r);

    rc = ngx_http_artifact_body_reader_run(&mcp->reader, r);

    if (rc == NGX_AGAIN) {
        return;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_mcp_end(r, mcp);

    } else if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        rc = ngx_http_artifact_mcp_status(r, mcp, rc);
    }

    ngx_http_artifact_mcp_finish(r, rc);
}


/* Reads what has come of the body. */

static ngx_int_t
ngx_http_artifact_mcp_feed(ngx_http_request_t *r, void *data)
{
    ngx_http_artifact_mcp_t *mcp = data;

    u_char   *p;
    ssize_t   n;

    if (mcp->ctx->conf->body_max
        && mcp->reader.received > mcp->ctx->conf->body_max)
    {
        mcp->large = 1;
        ngx_http_artifact_body_reader_fail(&mcp->reader);
    }

    for ( ;; ) {

        if (mcp->write
            && ngx_http_artifact_mcp_write_drain(r, mcp) == NGX_AGAIN)
        {
            return NGX_AGAIN;
        }

        if (ngx_http_artifact_body_reader_is_empty(&mcp->reader)) {
            return NGX_OK;
        }

        if (ngx_http_artifact_turn_is_over(&mcp->turn)) {
            ngx_http_artifact_body_reader_pause(&mcp->reader, r);
            ngx_http_artifact_turn_end(&mcp->turn, r);
            return NGX_AGAIN;
        }

        n = ngx_http_artifact_body_reader_read(&mcp->reader, &p);

        if (n <= 0) {
            return n == 0 ? NGX_OK : NGX_ERROR;
        }

        if (art_mcp_feed(&mcp->message, p, (size_t) n) != ART_OK) {
            ngx_http_artifact_body_reader_fail(&mcp->reader);
        }
    }
}


/* The body was read: answers, or calls the message's handler. */

static ngx_int_t
ngx_http_artifact_mcp_end(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp)
{
    if (mcp->large) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "client sent too large message: more than %O bytes",
                      mcp->ctx->conf->body_max);

        return ngx_http_artifact_mcp_error(r, mcp, &art_mcp_too_large);
    }

    if (art_mcp_failed(&mcp->message)) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    (void) art_mcp_end(&mcp->message);

    ngx_http_artifact_request_watch(r);

    return ngx_http_artifact_mcp_call(r, mcp);
}


static ngx_int_t
ngx_http_artifact_mcp_call(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp)
{
    art_mcp_error_t     error;
    art_mcp_request_t  *message;

    message = &mcp->message;

    ngx_memzero(&error, sizeof(art_mcp_error_t));

    if (art_mcp_check(message, &mcp->headers,
                      ngx_http_artifact_mcp_has(mcp->ctx->conf), &error)
        != ART_OK)
    {
        return ngx_http_artifact_mcp_error(r, mcp, &error);
    }

    ngx_log_debug5(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: method %ud, tool %ud, modern:%d "
                   "notification:%d, %O bytes", message->method,
                   message->tool, message->modern, message->notification,
                   mcp->reader.received);

    if (message->notification) {
        return ngx_http_artifact_mcp_accepted(r, mcp);
    }

    return ngx_http_artifact_mcp_methods[message->method](r, mcp);
}


/* A method that needs no store. */

static ngx_int_t
ngx_http_artifact_mcp_plain(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_out_t                           out;
    art_str_t                          *members;
    ngx_http_artifact_loc_conf_t       *conf;
    ngx_http_artifact_mcp_main_conf_t  *mmcf;

    conf = mcp->ctx->conf;
    mmcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_mcp_module);
    members = mmcf->members[ngx_http_artifact_mcp_has(conf)][conf->language];

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        (void) art_mcp_print_answer(&out, &mcp->message,
                                    members[mcp->message.method],
                                    (art_lang_t) conf->language);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    mcp->outcome = ART_COUNT_MCP_RESULT;

    return ngx_http_artifact_mcp_send(r, mcp, NGX_HTTP_OK, &out);
}


static ngx_int_t
ngx_http_artifact_mcp_tool(ngx_http_request_t *r, ngx_http_artifact_mcp_t *mcp)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        if (!art_mcp_refusal(&mcp->message, &out,
                             (art_lang_t) mcp->ctx->conf->language))
        {
            break;
        }
    } while (ngx_http_artifact_print_again(r->pool, &out));

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: tool %d, refused %d",
                   mcp->message.tool, out.len > 0);

    if (out.len > 0) {
        return out.data ? ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_str(out.data, out.len), 1)
                        : NGX_ERROR;
    }

    return ngx_http_artifact_mcp_tools[mcp->message.tool](r, mcp);
}


/*
 * The method of a message, and the name of its tool or the URI of its resource,
 * as the client sent them; nothing until they have been read.
 */

static ngx_int_t
ngx_http_artifact_mcp_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    art_str_t                 value;
    ngx_http_artifact_mcp_t  *mcp;

    mcp = ngx_http_artifact_get_mcp(r->main);

    if (mcp == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    value = *(art_str_t *) ((u_char *) &mcp->message + data);

    if (data == offsetof(art_mcp_request_t, name) && value.len == 0) {
        value = mcp->message.uri;
    }

    return ngx_http_artifact_variable_text(r, v, value);
}


/* A body that nginx itself has refused. */

static ngx_int_t
ngx_http_artifact_mcp_too_large(ngx_http_request_t *r, art_out_t *out)
{
    ngx_memzero(out, sizeof(art_out_t));

    do {
        art_mcp_print_error(out, NULL, &art_mcp_too_large);
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_artifact_mcp_log(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx,
    ngx_uint_t status)
{
    unsigned                  at[2];
    ngx_http_artifact_mcp_t  *mcp;

    mcp = ngx_http_artifact_get_mcp(r);

    if (mcp) {
        at[0] = mcp->message.method;
        at[1] = mcp->outcome;

        ngx_http_artifact_count(ART_COUNT_MCP, at, 1);
    }
}


static ngx_int_t
ngx_http_artifact_mcp_find_service(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    art_out_t                       out, json;
    art_json_put_t                  put;
    art_mcp_value_t                *args;
    art_services_query_t            query;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    args = mcp->message.args;

    (void) art_services_locate(amcf->capmap, art_cstr(""), &query);

    query.capability = args[ART_MCP_ARG_CAPABILITY].text;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact mcp: services with \"%*s\"",
                   query.capability.len, query.capability.data);

    if (args[ART_MCP_ARG_DIRECTION].given
        && art_services_direction(args[ART_MCP_ARG_DIRECTION].text,
                                  &query.direction)
           != ART_OK)
    {
        return ngx_http_artifact_mcp_tool_error(r, mcp, ART_ERR_ARGUMENT,
                                             args[ART_MCP_ARG_DIRECTION].text);
    }

    ngx_memzero(&json, sizeof(art_out_t));

    do {
        art_services_print(&json, amcf->capmap, &query);
    } while (ngx_http_artifact_print_again(r->pool, &json));

    if (json.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_json_put_init(&put, &out, 0);
        art_mcp_list_content(&put, art_str(json.data, json.len));
        art_json_put_raw(&put, "structuredContent",
                         art_str(json.data, json.len));
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_mcp_result(r, mcp, ART_MCP_UNCACHED, &out);
}
