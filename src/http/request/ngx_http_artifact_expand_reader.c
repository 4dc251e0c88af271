
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/request/ngx_http_artifact_expand_reader.h"
#include "http/request/ngx_http_artifact_expand_steps.h"
#include "core/capability/art_capmap.h"


static void ngx_http_artifact_expand_services(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader);


ngx_int_t
ngx_http_artifact_expand_reader(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader)
{
    ngx_http_artifact_reader_t  *asked;

    asked = ngx_http_artifact_get_reader(ex->request);
    if (asked == NULL) {
        return NGX_ERROR;
    }

    ex->reader = *asked;

    ngx_memzero(reader, sizeof(art_message_reader_t));

    reader->inline_max = (uint64_t) ex->conf->inline_max;
    reader->lang = (art_lang_t) ex->conf->language;
    reader->model = ngx_http_artifact_expand_model(ex);

    if (asked->accept.len > 0 || asked->service) {
        reader->known = 1;
        reader->caps = asked->caps;

    } else {
        ngx_http_artifact_expand_services(ex, reader);
    }

    if (ex->reader.service) {
        reader->accepts = ex->reader.service->accepts;
        reader->naccepts = ex->reader.service->naccepts;
        reader->service_max = ex->reader.service->max_bytes;
    }

    ex->reader.caps = reader->known ? reader->caps : ~0u;

    if (ex->conf->description) {
        reader->describe = ngx_http_artifact_expand_describe;
        reader->data = ex;
    }

    return NGX_OK;
}


/* Of several models what all take that are known. */

static void
ngx_http_artifact_expand_services(ngx_http_artifact_expand_t *ex,
    art_message_reader_t *reader)
{
    uint32_t                        i;
    art_str_t                       name;
    const art_service_t            *service;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(ex->request, ngx_artifact_module);

    for (i = 0; amcf->capmap && i <= ex->scan->nmodels; i++) {

        /* the path's only if the body has none */

        if (i == ex->scan->nmodels) {

            if (reader->known || ex->scan->models[0].len > 0) {
                break;
            }

            name = ex->path_model;

        } else {
            name = ex->scan->models[i];
        }

        service = name.len ? art_capmap_find(amcf->capmap, name) : NULL;

        if (service == NULL) {
            continue;
        }

        reader->caps = reader->known ? reader->caps & service->input.bits
                                     : service->input.bits;
        reader->known = 1;

        if (ex->reader.service == NULL) {
            ex->reader.service = service;
        }
    }
}


art_str_t
ngx_http_artifact_expand_model(ngx_http_artifact_expand_t *ex)
{
    return ex->scan && ex->scan->nmodels > 0 && ex->scan->models[0].len > 0
           ? ex->scan->models[0] : ex->path_model;
}
