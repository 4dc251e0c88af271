
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The details of the names on a page: times and sizes from the disk, types from
 * the sidecars.  No content is read.
 */


#include "store/list/ngx_artifact_list_details.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_journal_files.h"
#include "store/metadata/ngx_artifact_load.h"
#include "store/list/ngx_artifact_list_files.h"
#include "store/list/ngx_artifact_list_guess.h"
#include "core/meta/art_meta.h"


/* A workspace's sidecar has its "createdAt" before the files. */

#define NGX_ARTIFACT_HEAD  4096


static ngx_int_t ngx_artifact_list_stat(ngx_artifact_list_job_t *job);
static ngx_uint_t ngx_artifact_list_unknown(ngx_err_t err);
static ngx_int_t ngx_artifact_list_workspace(
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item);
static void ngx_artifact_list_journal(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const char *suffix);
static void ngx_artifact_list_newer(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);
static ngx_int_t ngx_artifact_list_artifacts(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place);


ngx_int_t
ngx_artifact_list_details(ngx_artifact_list_job_t *job)
{
    size_t                     i;
    ngx_artifact_list_item_t  *item;

    if (job->page.n == 0) {
        return NGX_OK;
    }

    if (ngx_artifact_list_memory(job) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->kind == ART_LISTING_FOLDER) {
        return ngx_artifact_list_stat(job) == NGX_OK
               ? ngx_artifact_list_files(job) : NGX_ERROR;
    }

    if (job->kind == ART_LISTING_ARTIFACTS) {
        return ngx_artifact_list_artifacts(job);
    }

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        ngx_set_errno(0);

        item->detail->gone = (ngx_artifact_list_workspace(job, item)
                              != NGX_OK);

        if (item->detail->gone && ngx_artifact_list_unknown(ngx_errno)) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Names are looked up again.  An item counts as gone if its file was deleted or
 * replaced since, but not if the storage fails to answer.
 */

static ngx_int_t
ngx_artifact_list_stat(ngx_artifact_list_job_t *job)
{
    size_t                     i;
    ngx_file_info_t            info;
    ngx_artifact_list_item_t  *item;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (ngx_artifact_stat(job->top, (char *) item->name, job->follow,
                              &info)
            != NGX_OK)
        {
            if (ngx_artifact_list_unknown(ngx_errno)) {
                return NGX_ERROR;
            }

            item->detail->gone = 1;
            continue;
        }

        if (job->recursive && ngx_is_dir(&info)) {
            item->detail->gone = 1;
            continue;
        }

        item->detail->folder = ngx_is_dir(&info) ? 1 : 0;
        ngx_artifact_list_set_info(item, &info);
    }

    return NGX_OK;
}


/* Whether a file may exist in spite of this errno. */

static ngx_uint_t
ngx_artifact_list_unknown(ngx_err_t err)
{
    return err == NGX_EMFILE || err == NGX_ENFILE || err == NGX_ENOMEM
           || ngx_artifact_unreachable(err);
}


static ngx_int_t
ngx_artifact_list_workspace(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item)
{
    u_char          *p, buf[NGX_ARTIFACT_HEAD];
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_str_t        name;
    art_str_t        created;
    ngx_file_info_t  info;

    if (fstatat(job->top, (char *) item->name, &info, AT_SYMLINK_NOFOLLOW)
        == -1
        || !ngx_is_dir(&info))
    {
        return NGX_DECLINED;
    }

    ngx_artifact_list_set_info(item, &info);

    ngx_artifact_list_journal(job, item, NGX_ARTIFACT_JOURNAL);
    ngx_artifact_list_journal(job, item, NGX_ARTIFACT_FOLDING);

    if (ngx_artifact_sidecar_name(buf, &name,
                                  art_str(item->name, item->len),
                                  ".meta.json")
        != NGX_OK)
    {
        return NGX_OK;
    }

    fd = ngx_artifact_openat(job->area, (char *) buf, O_RDONLY, 1);

    if (fd == NGX_INVALID_FILE) {
        return NGX_OK;
    }

    n = -1;

    if (ngx_fd_info(fd, &info) != NGX_FILE_ERROR && ngx_is_file(&info)) {
        n = pread(fd, buf, sizeof(buf), 0);
    }

    ngx_artifact_close(&fd);

    if (n == -1) {
        return NGX_OK;
    }

    ngx_artifact_list_newer(item, &info);

    created = art_meta_created(art_str(buf, (size_t) n));

    if (created.data == NULL) {
        return NGX_OK;
    }

    p = ngx_artifact_list_alloc(job, created.len);

    if (p) {
        ngx_memcpy(p, created.data, created.len);
        item->detail->meta.created = art_str(p, created.len);
    }

    return NGX_OK;
}


/* Takes the time of a journal that has writes not in the sidecar yet. */

static void
ngx_artifact_list_journal(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const char *suffix)
{
    char             path[NGX_ARTIFACT_JOURNAL_PATH];
    ngx_file_info_t  info;

    ngx_artifact_journal_path(path, art_str(item->name, item->len), suffix);

    if (fstatat(job->area, path, &info, AT_SYMLINK_NOFOLLOW) == 0
        && ngx_file_size(&info) > ART_JOURNAL_HEAD)
    {
        ngx_artifact_list_newer(item, &info);
    }
}


/* A folder's own time does not depend on the files in its sub-folders. */

static void
ngx_artifact_list_newer(ngx_artifact_list_item_t *item, ngx_file_info_t *info)
{
    struct timespec  *mtime;

    mtime = &item->detail->mtime;

    if (info->st_mtim.tv_sec > mtime->tv_sec
        || (info->st_mtim.tv_sec == mtime->tv_sec
            && info->st_mtim.tv_nsec > mtime->tv_nsec))
    {
        *mtime = info->st_mtim;
    }
}


/* Like a request, looks in one place after the other until it finds one. */

static ngx_int_t
ngx_artifact_list_artifacts(ngx_artifact_list_job_t *job)
{
    size_t                     i;
    ngx_int_t                  rc;
    ngx_uint_t                 look;
    ngx_artifact_place_t       place;
    const art_ref_layout_t    *layout;
    ngx_artifact_list_item_t  *item;

    for (look = 0; /* void */; look++) {

        layout = ngx_artifact_place_layout(job->layout, look);

        if (layout == NULL) {
            return NGX_OK;
        }

        for (i = 0; i < job->page.n; i++) {
            item = job->page.items[i].data;

            if (look > 0 && !item->detail->gone) {
                continue;
            }

            ngx_artifact_place_of(layout, ngx_artifact_list_name(job, item),
                                  &place);

            ngx_set_errno(0);

            rc = ngx_artifact_list_artifact(job, item, &place);

            if (rc == NGX_ERROR
                || (rc != NGX_OK && ngx_artifact_list_unknown(ngx_errno)))
            {
                return NGX_ERROR;
            }

            item->detail->gone = (rc != NGX_OK);
            item->detail->guess = (rc == NGX_AGAIN);
        }

        if (ngx_artifact_list_guess(job, layout) != NGX_OK) {
            return NGX_ERROR;
        }
    }
}


/*
 * Finds an artifact's sidecar and content as a request does; NGX_AGAIN if the
 * sidecar does not tell where the content is.  After a lack of memory a sidecar
 * may seem corrupt: errno, set by malloc(), tells.
 */

static ngx_int_t
ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place)
{
    u_char             buf[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_SIDECAR_NAME];
    ngx_str_t          name, text;
    art_meta_t         meta;
    ngx_file_info_t    info;
    art_meta_status_t  status;

    ngx_memzero(&item->detail->meta, sizeof(art_meta_t));

    item->detail->bare = !ngx_artifact_list_sidecar(job, item, place, buf,
                                                    &name);

    ngx_set_errno(0);

    if (item->detail->bare
        || ngx_artifact_load_sidecar(job->log, job->area, &name, &info, &text)
           != NGX_OK)
    {
        return ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_AGAIN;
    }

    ngx_set_errno(0);

    status = art_meta_parse(ngx_artifact_str(&text), &meta);

    ngx_free(text.data);

    if (ngx_errno == NGX_ENOMEM) {

        if (status == ART_META_OK) {
            art_meta_free(&meta);
        }

        return NGX_ERROR;
    }

    if (status != ART_META_OK) {
        ngx_log_error(NGX_LOG_WARN, job->log, 0,
                      "artifact metadata \"%V\" is corrupt", &name);

        return NGX_AGAIN;
    }

    ngx_artifact_list_set_meta(job, item, &meta);

    if (item->detail->meta.extension.data == NULL) {
        return NGX_AGAIN;
    }

    return ngx_artifact_list_content(job, item, place,
                                     item->detail->meta.extension);
}
