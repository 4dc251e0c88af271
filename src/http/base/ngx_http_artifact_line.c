
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "http/base/ngx_http_artifact_line.h"
#include "http/base/ngx_http_artifact_util.h"
#include "core/text/art_utf8.h"


static size_t ngx_http_artifact_lines_len(ngx_http_request_t *r,
    ngx_http_complex_value_t *val);


ngx_int_t
ngx_http_artifact_lines_value(ngx_http_request_t *r,
    ngx_http_complex_value_t *val, ngx_str_t *value)
{
    size_t                       len;
    art_out_t                    out;
    art_str_t                    piece;
    ngx_http_script_code_pt      code;
    ngx_http_script_engine_t     e;

    if (val->lengths == NULL) {
        *value = val->value;
        return NGX_OK;
    }

    len = ngx_http_artifact_lines_len(r, val);

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));

    e.ip = val->values;
    e.pos = ngx_pnalloc(r->pool, len);
    e.request = r;
    e.flushed = 1;

    /* a byte that is not UTF-8 becomes three */

    out = ngx_http_artifact_out(r->pool,
                                len * (sizeof(ART_UTF8_REPLACEMENT) - 1));

    if (e.pos == NULL || out.data == NULL) {
        return NGX_ERROR;
    }

    while (*(uintptr_t *) e.ip) {
        code = *(ngx_http_script_code_pt *) e.ip;

        piece.data = e.pos;
        code(&e);
        piece.len = (size_t) (e.pos - piece.data);

        if (code == ngx_http_script_copy_code) {
            art_out_str(&out, piece);

        } else {
            art_utf8_name(&out, piece);
        }
    }

    value->data = out.data;
    value->len = out.len;

    return NGX_OK;
}


static size_t
ngx_http_artifact_lines_len(ngx_http_request_t *r,
    ngx_http_complex_value_t *val)
{
    size_t                        len;
    ngx_http_script_engine_t      e;
    ngx_http_script_len_code_pt   lcode;

    ngx_http_script_flush_complex_value(r, val);

    ngx_memzero(&e, sizeof(ngx_http_script_engine_t));

    e.ip = val->lengths;
    e.request = r;
    e.flushed = 1;

    len = 0;

    while (*(uintptr_t *) e.ip) {
        lcode = *(ngx_http_script_len_code_pt *) e.ip;
        len += lcode(&e);
    }

    return len;
}
