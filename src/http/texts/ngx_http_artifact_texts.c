
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The directive for long texts.  What is done with them is with the answers
 * (http/response) and requests (http/expand) that they are in.
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/texts/ngx_http_artifact_texts.h"


#define NGX_HTTP_ARTIFACT_TEXTS_MIN   1024
#define NGX_HTTP_ARTIFACT_TEXTS_MAX   (1024 * 1024)
#define NGX_HTTP_ARTIFACT_TEXTS_HEAD  2048
#define NGX_HTTP_ARTIFACT_TEXTS_TAIL  1024


static void *ngx_http_artifact_texts_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_texts_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_texts_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_artifact_texts_end(ngx_str_t *value,
    const char *name, size_t *end);
static ngx_uint_t ngx_http_artifact_texts_fit(
    const ngx_http_artifact_texts_conf_t *conf, ssize_t size);


static ngx_command_t  ngx_http_artifact_texts_commands[] = {

    { ngx_string("artifact_offload_text"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1234,
      ngx_http_artifact_texts_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_texts_conf_t, size),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_texts_module_ctx = {
    .create_loc_conf = ngx_http_artifact_texts_create_conf,
    .merge_loc_conf = ngx_http_artifact_texts_merge_conf
};


ngx_module_t  ngx_http_artifact_texts_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_texts_module_ctx,
                             ngx_http_artifact_texts_commands);


static void *
ngx_http_artifact_texts_create_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_texts_conf_t));
}


static char *
ngx_http_artifact_texts_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_texts_conf_t *prev = parent;
    ngx_http_artifact_texts_conf_t *conf = child;

    ngx_http_complex_value_t  *size;

    if (conf->size == NULL) {
        *conf = *prev;
    }

    size = conf->size;

    conf->off = size == NULL
                || (size->lengths == NULL && size->value.len == 3
                    && ngx_strncmp(size->value.data, "off", 3) == 0);

    return NGX_CONF_OK;
}


static char *
ngx_http_artifact_texts_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_texts_conf_t *texts = conf;

    char        *rv;
    ssize_t      size;
    ngx_str_t   *value;
    ngx_uint_t   i;

    rv = ngx_http_artifact_set_complex(cf, cmd, conf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    value = cf->args->elts;
    texts->head = NGX_HTTP_ARTIFACT_TEXTS_HEAD;
    texts->tail = NGX_HTTP_ARTIFACT_TEXTS_TAIL;
    texts->always = 0;

    for (i = 2; i < cf->args->nelts; i++) {

        if (ngx_strcmp(value[i].data, "always") == 0) {
            texts->always = 1;

        } else if (ngx_http_artifact_texts_end(&value[i], "head=",
                                               &texts->head)
                   != NGX_OK
                   && ngx_http_artifact_texts_end(&value[i], "tail=",
                                                  &texts->tail)
                      != NGX_OK)
        {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\"", &value[i]);
            return NGX_CONF_ERROR;
        }
    }

    if (texts->size->lengths) {
        return ngx_http_artifact_texts_fit(texts, NGX_HTTP_ARTIFACT_TEXTS_MAX)
               ? NGX_CONF_OK
               : "has a head and a tail that are more than a quarter of any "
                 "size";
    }

    if (ngx_strcmp(value[1].data, "off") == 0) {
        return cf->args->nelts == 2 ? NGX_CONF_OK
                                    : "takes nothing besides \"off\"";
    }

    size = ngx_parse_size(&value[1]);

    if (size < NGX_HTTP_ARTIFACT_TEXTS_MIN
        || size > NGX_HTTP_ARTIFACT_TEXTS_MAX)
    {
        return ngx_http_artifact_set_invalid(cf,
                                          "\"off\" or a size from 1k to 1m");
    }

    return ngx_http_artifact_texts_fit(texts, size)
           ? NGX_CONF_OK
           : "needs a size of at least four times head and tail together";
}


static ngx_int_t
ngx_http_artifact_texts_end(ngx_str_t *value, const char *name, size_t *end)
{
    size_t     len;
    ssize_t    size;
    ngx_str_t  text;

    len = ngx_strlen(name);

    if (value->len <= len || ngx_strncmp(value->data, name, len) != 0) {
        return NGX_DECLINED;
    }

    text.data = value->data + len;
    text.len = value->len - len;
    size = ngx_parse_size(&text);

    if (size == NGX_ERROR) {
        return NGX_DECLINED;
    }

    *end = (size_t) size;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_texts_fit(const ngx_http_artifact_texts_conf_t *conf,
    ssize_t size)
{
    return conf->head <= (size_t) size && conf->tail <= (size_t) size
           && 4 * (conf->head + conf->tail) <= (size_t) size;
}


ngx_int_t
ngx_http_artifact_texts_limits(ngx_http_request_t *r,
    const ngx_http_artifact_texts_conf_t *conf, art_shorten_limits_t *limits)
{
    ssize_t    size;
    ngx_str_t  value;

    if (conf->off) {
        return NGX_DECLINED;
    }

    if (ngx_http_complex_value(r, conf->size, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    if (value.len == 0
        || (value.len == 3 && ngx_strncmp(value.data, "off", 3) == 0))
    {
        return NGX_DECLINED;
    }

    size = ngx_parse_size(&value);

    if (size < NGX_HTTP_ARTIFACT_TEXTS_MIN || size > NGX_HTTP_ARTIFACT_TEXTS_MAX
        || !ngx_http_artifact_texts_fit(conf, size))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"artifact_offload_text\" is off, its value \"%V\" is "
                      "not \"off\" or a size from 1k to 1m, at least four "
                      "times head and tail together", &value);
        return NGX_DECLINED;
    }

    limits->size = (size_t) size;
    limits->head = conf->head;
    limits->tail = conf->tail;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact texts: of %uz bytes on, head %uz, tail %uz",
                   limits->size, limits->head, limits->tail);

    return NGX_OK;
}
