
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"


art_str_t
ngx_http_artifact_request_path(ngx_http_request_t *r)
{
    art_str_t      path;
    const u_char  *last;

    path = ngx_artifact_str(&r->unparsed_uri);
    last = path.len ? memchr(path.data, '?', path.len) : NULL;

    if (last) {
        path.len = (size_t) (last - path.data);
    }

    return path;
}


ngx_int_t
ngx_http_artifact_request_api(ngx_http_request_t *r,
    const art_api_t **api, unsigned *flags)
{
    art_str_t                      path;
    ngx_str_t                      name;
    ngx_http_artifact_loc_conf_t  *alcf;

    alcf = ngx_http_get_module_loc_conf(r, ngx_artifact_module);

    *flags = 0;
    ngx_str_null(&name);

    if (alcf->format
        && ngx_http_complex_value(r, alcf->format, &name) != NGX_OK)
    {
        return NGX_ERROR;
    }

    path = ngx_http_artifact_request_path(r);

    *api = art_api_of_request(path, ngx_artifact_str(&name), flags);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact api: \"%s\", flags %Xd, format \"%V\"",
                   *api ? (*api)->name : "", *flags, &name);

    return NGX_OK;
}


ngx_uint_t
ngx_http_artifact_has_json_body(ngx_http_request_t *r)
{
    art_media_type_t  type;

    if (r->headers_in.content_type == NULL) {
        return 0;
    }

    art_media_parse(ngx_artifact_str(&r->headers_in.content_type->value),
                    &type);

    return art_media_traits(art_str(type.buf, type.len)).flags & ART_MEDIA_JSON;
}


art_file_api_t
ngx_http_artifact_file_api(ngx_http_request_t *r)
{
    return ngx_http_artifact_find_header(&r->headers_in.headers,
                                         NGX_HTTP_ARTIFACT_FILES_HEADER)
           ? ART_FILE_ANTHROPIC : ART_FILE_OPENAI;
}
