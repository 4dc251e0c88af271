
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of the Files APIs, in the shape of the one that was asked.
 */


#include "http/files/ngx_http_artifact_files_state.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/route/ngx_http_artifact_headers.h"


ngx_int_t
ngx_http_artifact_files_error(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t error)
{
    art_file_reason_t  reason;

    reason = error == ART_ERR_NOT_FOUND && ctx->expired
             ? ART_FILE_EXPIRED : art_file_error_of(error);

    return ngx_http_artifact_files_missing(r, ngx_http_artifact_get_files(r),
                                           reason);
}


/* A body that nginx itself has refused. */

ngx_int_t
ngx_http_artifact_files_too_large(ngx_http_request_t *r, art_out_t *out)
{
    art_file_error_t  error;

    ngx_memzero(&error, sizeof(art_file_error_t));
    ngx_memzero(out, sizeof(art_out_t));

    error.reason = ART_FILE_TOO_LARGE;

    do {
        art_file_error_print(out, ngx_http_artifact_file_api(r), &error);
    } while (ngx_http_artifact_print_again(r->pool, out));

    return out->data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_http_artifact_files_missing(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, art_file_reason_t reason)
{
    art_file_error_t  error;

    ngx_memzero(&error, sizeof(art_file_error_t));

    error.reason = reason;
    error.detail = files->given;

    return ngx_http_artifact_files_refuse(r, files, &error);
}


ngx_int_t
ngx_http_artifact_files_refuse(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_error_t *error)
{
    art_out_t   out;
    ngx_uint_t  status;

    status = art_file_error_status(error->reason);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: reason %ud, status %ui",
                   error->reason, status);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_error_print(&out, files->api, error);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, status, &out);
}


ngx_int_t
ngx_http_artifact_files_object(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, const art_file_t *file)
{
    art_out_t  out;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact files: an object of API %d",
                   files->api);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_file_print(&out, files->api, file);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_files_send(r, files, NGX_HTTP_OK, &out);
}


ngx_int_t
ngx_http_artifact_files_send(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files, ngx_uint_t status, art_out_t *out)
{
    /* it is in the shape of the API that the header names */

    if (ngx_http_artifact_vary(r, NGX_HTTP_ARTIFACT_FILES_HEADER) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* an object is never "not modified" */

    r->disable_not_modified = 1;

    return ngx_http_artifact_send_json(r, files->ctx, status, out);
}
