
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/route/ngx_http_artifact_filters.h"


typedef enum {
    NGX_HTTP_ARTIFACT_SSI = 0,
    NGX_HTTP_ARTIFACT_ADDITION,
    NGX_HTTP_ARTIFACT_GUNZIP,
    NGX_HTTP_ARTIFACT_FILTERS
} ngx_http_artifact_filter_e;


static const char *const  ngx_http_artifact_filter_names[] = {
    "ngx_http_ssi_filter_module",
    "ngx_http_addition_filter_module",
    "ngx_http_gunzip_filter_module"
};


static ngx_module_t  *ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_FILTERS];


void
ngx_http_artifact_find_filters(ngx_cycle_t *cycle)
{
    ngx_uint_t  i, n;

    for (i = 0; i < NGX_HTTP_ARTIFACT_FILTERS; i++) {

        ngx_http_artifact_filters[i] = NULL;

        for (n = 0; n < cycle->modules_n; n++) {

            if (ngx_strcmp(cycle->modules[n]->name,
                           ngx_http_artifact_filter_names[i])
                == 0)
            {
                ngx_http_artifact_filters[i] = cycle->modules[n];
            }
        }
    }
}


/*
 * It does so for clients that do not take gzip.  Its configuration is its own:
 * where the flag stands in it, its directive tells.
 */

ngx_uint_t
ngx_http_artifact_is_gunzipped(ngx_http_request_t *r)
{
    char             *conf;
    ngx_str_t        *coding;
    ngx_module_t     *module;
    ngx_command_t    *cmd;
    ngx_table_elt_t  *header;

    module = ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_GUNZIP];
    header = r->headers_out.content_encoding;

    if (module == NULL || module->commands == NULL || header == NULL) {
        return 0;
    }

    coding = &header->value;

    if (coding->len != 4
        || ngx_strncasecmp(coding->data, (u_char *) "gzip", 4) != 0)
    {
        return 0;
    }

    conf = r->loc_conf[module->ctx_index];

    for (cmd = module->commands; cmd->name.len; cmd++) {

        if (cmd->set == ngx_conf_set_flag_slot
            && ngx_strcmp(cmd->name.data, "gunzip") == 0)
        {
            return *(ngx_flag_t *) (conf + cmd->offset) == 1;
        }
    }

    return 0;
}


/*
 * Its context is gone when it has come to that.  The end is lost where a filter
 * before it (gunzip, lua) makes an end of its own, which is another one in a
 * subrequest.
 */

ngx_uint_t
ngx_http_artifact_lacks_end(ngx_http_request_t *r)
{
    ngx_module_t  *addition;

    addition = ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_ADDITION];

    return addition && r->ctx[addition->ctx_index];
}


void *
ngx_http_artifact_lend(ngx_http_request_t *r)
{
    void          **ctx;
    ngx_module_t   *ssi;

    ssi = ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_SSI];

    if (ssi == NULL || r->main->ctx[ssi->ctx_index]) {
        return NULL;
    }

    ctx = &r->main->ctx[ssi->ctx_index];
    *ctx = r->ctx[ssi->ctx_index];

    return *ctx;
}


void
ngx_http_artifact_take_back(ngx_http_request_t *r, void *lent)
{
    ngx_module_t  *ssi;

    ssi = ngx_http_artifact_filters[NGX_HTTP_ARTIFACT_SSI];

    if (lent && r->main->ctx[ssi->ctx_index] == lent) {
        r->main->ctx[ssi->ctx_index] = NULL;
    }
}
