
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_variable.h"
#include "core/text/art_percent.h"


ngx_int_t
ngx_http_artifact_variables_add(ngx_conf_t *cf, ngx_http_variable_t *v)
{
    ngx_http_variable_t  *var;

    for ( /* void */ ; v->name.len; v++) {

        var = ngx_http_add_variable(cf, &v->name, v->flags);
        if (var == NULL) {
            return NGX_ERROR;
        }

        var->get_handler = v->get_handler;
        var->data = v->data;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_variable_is_used(ngx_conf_t *cf, const char *name)
{
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {
        if (v[i].name.len == ngx_strlen(name)
            && ngx_strncmp(v[i].name.data, name, v[i].name.len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_http_artifact_variable_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_str_t text)
{
    art_out_t  out;

    ngx_memzero(&out, sizeof(art_out_t));

    art_percent_controls(&out, text);

    if (out.len == text.len) {
        ngx_http_artifact_variable_set(v, text);
        return NGX_OK;
    }

    if (!ngx_http_artifact_print_again(r->pool, &out)) {
        return NGX_ERROR;
    }

    art_percent_controls(&out, text);
    ngx_http_artifact_variable_set(v, art_str(out.data, out.len));

    return NGX_OK;
}


void
ngx_http_artifact_variable_set(ngx_http_variable_value_t *v, art_str_t value)
{
    if (value.data == NULL) {
        v->not_found = 1;
        return;
    }

    v->data = (u_char *) value.data;
    v->len = (unsigned) value.len;
    v->valid = 1;
    v->no_cacheable = 0;
    v->not_found = 0;
}


ngx_http_request_t *
ngx_http_artifact_variable_owner(ngx_http_request_t *r)
{
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    return alcf->role == NULL ? r->main : r;
}
