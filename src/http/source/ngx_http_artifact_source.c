
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The name of a content, as it is shown.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/text/art_utf8.h"


ngx_int_t
ngx_http_artifact_set_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source)
{
    u_char     *p;
    art_out_t   out;
    art_str_t   name;

    name = source->meta.name;

    if (name.len == 0) {
        name = ngx_artifact_str(&source->last_name);
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_utf8_name(&out, name);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    if (out.data == NULL) {
        return NGX_ERROR;
    }

    source->name = art_str(out.data, out.len);

    if (out.len > ART_UTF8_FILE_NAME_MAX) {
        p = ngx_pnalloc(r->pool, ART_UTF8_FILE_NAME_MAX);
        if (p == NULL) {
            return NGX_ERROR;
        }

        source->name = art_utf8_file_name(source->name, p,
                                          ART_UTF8_FILE_NAME_MAX);
    }

    return NGX_OK;
}
