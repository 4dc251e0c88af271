
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a listing says of an artifact: its sidecar and its content are found as
 * a request for it would find them.
 */


#include "store/list/ngx_artifact_list_job.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_load.h"

#include "core/ref/art_ref_file.h"


static ngx_int_t ngx_artifact_list_content(
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item,
    art_str_t extension);
static ngx_int_t ngx_artifact_list_candidates(
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item);


ngx_int_t
ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item)
{
    u_char             buf[NGX_ARTIFACT_SIDECAR_NAME];
    ngx_str_t          id, name, text;
    art_meta_t         meta;
    ngx_file_info_t    info;
    art_meta_status_t  status;

    id.data = item->name;
    id.len = item->len;

    if (ngx_artifact_sidecar_name(buf, &name, &id, ".meta") != NGX_OK
        || fstatat(job->area, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == -1
        || ngx_artifact_load_sidecar(job->log, job->area, &name, &info, &text)
           != NGX_OK)
    {
        return ngx_artifact_list_candidates(job, item);
    }

    status = art_meta_parse(ngx_artifact_str(&text), &meta);

    ngx_free(text.data);

    if (status != ART_META_OK) {
        ngx_log_error(NGX_LOG_WARN, job->log, 0,
                      "artifact metadata \"%V\" is corrupt", &name);

        return ngx_artifact_list_candidates(job, item);
    }

    ngx_artifact_list_meta(job, item, &meta);

    if (item->detail->meta.extension.data == NULL) {
        return ngx_artifact_list_candidates(job, item);
    }

    return ngx_artifact_list_content(job, item,
                                     item->detail->meta.extension);
}


/* Like the following, NGX_DECLINED if there is no such file. */

static ngx_int_t
ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_str_t extension)
{
    size_t           len;
    u_char           buf[ART_REF_FILE_NAME];
    ngx_file_info_t  info;

    len = art_ref_file_name(buf, art_str(item->name, item->len), extension);

    if (len == 0
        || fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == -1
        || ngx_artifact_stat(job->top, (char *) buf, job->follow, &info)
           != NGX_OK
        || !ngx_is_file(&info))
    {
        return NGX_DECLINED;
    }

    item->detail->file = ngx_artifact_list_room(job, len + 1);

    if (item->detail->file) {
        ngx_memcpy(item->detail->file, buf, len + 1);
    }

    ngx_artifact_list_info(item, &info);

    return NGX_OK;
}


/* Without a word about it, every known extension is tried. */

static ngx_int_t
ngx_artifact_list_candidates(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item)
{
    ngx_int_t             rc;
    art_str_t             extension;
    art_ref_file_guess_t  guess;

    rc = NGX_DECLINED;

    ngx_memzero(&guess, sizeof(art_ref_file_guess_t));

    while (rc == NGX_DECLINED && art_ref_file_guess(&guess, &extension)) {
        rc = ngx_artifact_list_content(job, item, extension);
    }

    return rc;
}
