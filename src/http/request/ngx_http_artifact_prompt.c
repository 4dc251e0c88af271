
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_prompt.h"


ngx_int_t
ngx_http_artifact_prompt_scan(ngx_http_artifact_expand_t *ex,
    art_scan_conf_t *conf)
{
    if (!ex->conf->prompt) {
        return NGX_OK;
    }

    ex->prompt = ngx_palloc(ex->request->pool, sizeof(art_prompt_t));
    if (ex->prompt == NULL) {
        return NGX_ERROR;
    }

    art_prompt_init(ex->prompt, ex->api);

    conf->prompt = ex->prompt;
    conf->blind = !ex->conf->expand;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_prompt_ops(ngx_http_artifact_expand_t *ex)
{
    if (ex->prompt
        && art_prompt_ops(ex->prompt, (art_lang_t) ex->conf->language,
                          &ex->scan->conf.pool, ex->added, &ex->nadded)
           != ART_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}
