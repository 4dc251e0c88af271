
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URLs for others: request_upload lets a sandbox send a file to the store, and
 * share_artifact lets anybody read one, without a word of it through the model.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "http/source/ngx_http_artifact_source.h"
#include "http/write/ngx_http_artifact_ticket.h"
#include "core/json/art_json_escape.h"


static ngx_int_t ngx_http_artifact_mcp_share_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static ngx_int_t ngx_http_artifact_mcp_no_url(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp);
static void ngx_http_artifact_mcp_print_both(art_out_t *out, art_out_t *words,
    art_out_t *json);


unsigned
ngx_http_artifact_mcp_has(ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_sign_conf_t  *sign;

    sign = ngx_http_artifact_conf_of(conf, ngx_http_artifact_sign_module);

    return (conf->writes ? ART_MCP_WRITES : 0)
           | (conf->url && sign->keys ? ART_MCP_SIGNS : 0);
}


ngx_int_t
ngx_http_artifact_mcp_request_upload(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    ngx_int_t                    rc;
    art_out_t                    out, words, json;
    art_lang_t                   lang;
    art_error_t                  error;
    art_ticket_t                 what;
    art_mcp_value_t             *args;
    ngx_http_artifact_ticket_t   ticket;

    args = mcp->message.args;
    lang = (art_lang_t) mcp->ctx->conf->language;

    what.name = args[ART_MCP_ARG_NAME].text;
    what.type = args[ART_MCP_ARG_MIME_TYPE].text;
    what.size = (uint64_t) args[ART_MCP_ARG_SIZE].number;
    what.sized = args[ART_MCP_ARG_SIZE].given;

    error = art_ticket_check(&what);

    if (error != ART_ERR_MAX) {
        return error == ART_ERR_NAME
               ? ngx_http_artifact_mcp_tool_error(r, mcp, error, what.name)
               : ngx_http_artifact_mcp_tool_error(r, mcp, ART_ERR_ARGUMENT,
                                                  art_cstr("mime_type"));
    }

    rc = ngx_http_artifact_ticket_make(r, mcp->ctx->conf, &what, &ticket);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? ngx_http_artifact_mcp_no_url(r, mcp)
                                  : NGX_ERROR;
    }

    ngx_memzero(&words, sizeof(art_out_t));
    ngx_memzero(&json, sizeof(art_out_t));

    do {
        art_ticket_words(&words, &ticket.url, ticket.id, ticket.put, lang);
    } while (ngx_http_artifact_print_again(r->pool, &words));

    do {
        art_ticket_print(&json, &ticket.url, ticket.id, ticket.put);
    } while (ngx_http_artifact_print_again(r->pool, &json));

    if (words.data == NULL || json.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        ngx_http_artifact_mcp_print_both(&out, &words, &json);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_mcp_result(r, mcp, ART_MCP_UNCACHED, &out);
}


ngx_int_t
ngx_http_artifact_mcp_share(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_open_given(r, mcp,
                                         ngx_http_artifact_mcp_share_opened);
}


static ngx_int_t
ngx_http_artifact_mcp_share_opened(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    uint64_t                      until;
    art_out_t                     out, words, json;
    art_url_t                     url;
    art_lang_t                    lang;
    ngx_http_artifact_source_t   *source;

    if (mcp->error != ART_ERR_MAX) {
        return ngx_http_artifact_mcp_read_error(r, mcp);
    }

    source = mcp->ctx->source;
    lang = (art_lang_t) mcp->ctx->conf->language;

    if (ngx_http_artifact_url(r, mcp->ctx->conf, &url) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!art_url_given(&url)) {
        return ngx_http_artifact_mcp_no_url(r, mcp);
    }

    until = art_url_until(&url, source->id);

    /* then it is gone, whatever the URL says */

    if (source->meta.until && source->meta.until / 1000 < until) {
        until = source->meta.until / 1000;
    }

    ngx_memzero(&words, sizeof(art_out_t));
    ngx_memzero(&json, sizeof(art_out_t));

    do {
        art_ticket_words_share(&words, &url, source->id, until, lang);
    } while (ngx_http_artifact_print_again(r->pool, &words));

    do {
        art_ticket_print_share(&json, &url, source->id, until);
    } while (ngx_http_artifact_print_again(r->pool, &json));

    if (words.data == NULL || json.data == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        ngx_http_artifact_mcp_print_both(&out, &words, &json);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_mcp_result(r, mcp, ART_MCP_UNCACHED, &out);
}


/* A variable in artifact_url has no value for this client. */

static ngx_int_t
ngx_http_artifact_mcp_no_url(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_tool_error(r, mcp, ART_ERR_PERMISSION,
                                            art_str(NULL, 0));
}


static void
ngx_http_artifact_mcp_print_both(art_out_t *out, art_out_t *words,
    art_out_t *json)
{
    art_out_cstr(out, "\"content\":[{\"type\":\"text\",\"text\":\"");
    art_json_string(out, art_str(words->data, words->len), 1);
    art_out_cstr(out, "\"}],\"structuredContent\":");
    art_out_mem(out, json->data, json->len);
}
