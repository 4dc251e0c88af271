
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * POST: a form with a file, and what may stand beside it.
 */


#include "http/files/ngx_http_artifact_files_state.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/write/ngx_http_artifact_form.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "store/files/ngx_artifact_files.h"
#include "core/json/art_json_put.h"


static ngx_int_t ngx_http_artifact_files_upload_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error);
static ngx_int_t ngx_http_artifact_files_upload_complete(
    ngx_http_request_t *r, ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);


static const ngx_http_artifact_form_owner_t
    ngx_http_artifact_files_upload_owner =
{
    ngx_http_artifact_files_upload_refuse,
    ngx_http_artifact_files_upload_answer,
    ngx_http_artifact_files_upload_complete
};


ngx_int_t
ngx_http_artifact_files_upload(ngx_http_request_t *r,
    ngx_http_artifact_files_t *files)
{
    ngx_int_t  rc;

    /* a subrequest has the body of its parent */

    if (r != r->main) {
        return ngx_http_artifact_files_error(r, files->ctx, ART_ERR_METHOD);
    }

    /* any page may send a form to any server */

    rc = ngx_http_artifact_check_request_origin(r, files->ctx->conf);

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_files_error(r, files->ctx,
                                             ART_ERR_PERMISSION);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_artifact_form_upload(r, files->ctx,
                                    &ngx_http_artifact_files_upload_owner, 0);
}


static ngx_int_t
ngx_http_artifact_files_upload_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error)
{
    return ngx_http_artifact_files_refuse(r, ngx_http_artifact_get_files(r),
                                          error);
}


/* The purpose. */

static ngx_int_t
ngx_http_artifact_files_upload_complete(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    art_out_t       out;
    art_str_t       purpose;
    art_json_put_t  put;

    purpose = form->fields.purpose.len ? form->fields.purpose
                                       : art_cstr(ART_FILE_PURPOSE);

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        art_json_put_init(&put, &out, 0);
        art_json_put_object(&put, NULL);
        art_json_put_string(&put, NGX_ARTIFACT_FILES_PURPOSE, purpose);
        art_json_put_end(&put);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    form->write->job.upload = art_str(out.data, out.len);

    return out.data ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_artifact_files_upload_answer(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    art_file_t                  file;
    art_media_type_t            type;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_files_t  *files;

    job = &form->write->job;
    files = ngx_http_artifact_get_files(r);

    ngx_http_artifact_write_ended(r, form->write);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_files_error(r, files->ctx, job->error);
    }

    art_media_parse(job->mime, &type);

    ngx_http_artifact_count(ART_COUNT_WRITTEN, NULL, (uint64_t) job->size);

    ngx_memzero(&file, sizeof(art_file_t));

    file.id = art_cstr(job->id);
    file.name = job->path;
    file.type = art_str(type.buf, type.len);
    file.purpose = form->fields.purpose;
    file.size = (uint64_t) job->size;
    file.created = job->time;
    file.expires = job->expires;

    return ngx_http_artifact_files_object(r, files, &file);
}
