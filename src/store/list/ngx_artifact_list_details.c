
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a listing says of the names on its page: times and sizes from the disk,
 * types from the sidecars.  No content is read.
 */


#include "store/list/ngx_artifact_list_job.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_map.h"
#include "store/metadata/ngx_artifact_journal_files.h"
#include "store/metadata/ngx_artifact_load.h"

#include "core/journal/art_meta_page.h"
#include "core/meta/art_meta_pack.h"
#include "core/ref/art_ref_file.h"


/* A workspace's sidecar has its "createdAt" in front of all files. */

#define NGX_ARTIFACT_HEAD  4096

/* The strings of one name at most: those that are kept, and their lengths. */

#define NGX_ARTIFACT_STRINGS                                                  \
    (128 + 2 * ART_META_TYPE_MAX + ART_META_NAME_MAX                          \
     + 2 * ART_META_TIME_MAX + 2 * ART_META_ID_MAX                            \
     + 2 * ART_REF_FILE_EXTENSION_MAX + NAME_MAX)


static ngx_int_t ngx_artifact_list_memory(ngx_artifact_list_job_t *job);
static void ngx_artifact_list_stat(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_workspace(
    ngx_artifact_list_job_t *job, ngx_artifact_list_item_t *item);
static void ngx_artifact_list_journal(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const char *suffix);
static void ngx_artifact_list_later(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);


ngx_int_t
ngx_artifact_list_details(ngx_artifact_list_job_t *job)
{
    size_t                     i;
    ngx_int_t                  rc;
    ngx_artifact_list_item_t  *item;

    if (job->page.n == 0) {
        return NGX_OK;
    }

    if (ngx_artifact_list_memory(job) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->kind == ART_LISTING_FOLDER) {
        ngx_artifact_list_stat(job);

        return ngx_artifact_list_files(job);
    }

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        rc = job->kind == ART_LISTING_WORKSPACES
             ? ngx_artifact_list_workspace(job, item)
             : ngx_artifact_list_artifact(job, item);

        item->detail->gone = (rc != NGX_OK);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_list_memory(ngx_artifact_list_job_t *job)
{
    size_t                       i;
    ngx_artifact_list_item_t    *item;
    ngx_artifact_list_detail_t  *details;

    job->memory_size = job->page.n * (sizeof(ngx_artifact_list_detail_t)
                                      + NGX_ARTIFACT_STRINGS);

    job->memory = ngx_artifact_map(job->memory_size);
    if (job->memory == NULL) {
        return NGX_ERROR;
    }

    job->memory_used = job->page.n * sizeof(ngx_artifact_list_detail_t);
    details = (ngx_artifact_list_detail_t *) job->memory;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;
        item->detail = &details[i];
    }

    return NGX_OK;
}


/* Names are looked up again: what was deleted or replaced since is gone. */

static void
ngx_artifact_list_stat(ngx_artifact_list_job_t *job)
{
    size_t                     i;
    ngx_file_info_t            info;
    ngx_artifact_list_item_t  *item;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (ngx_artifact_stat(job->top, (char *) item->name, job->follow,
                              &info)
            != NGX_OK
            || (job->recursive && ngx_is_dir(&info)))
        {
            item->detail->gone = 1;
            continue;
        }

        item->detail->folder = ngx_is_dir(&info) ? 1 : 0;
        ngx_artifact_list_info(item, &info);
    }
}


static ngx_int_t
ngx_artifact_list_workspace(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item)
{
    u_char          *p, buf[NGX_ARTIFACT_HEAD];
    ssize_t          n;
    ngx_fd_t         fd;
    ngx_str_t        id, name;
    art_str_t        created;
    ngx_file_info_t  info;

    if (fstatat(job->top, (char *) item->name, &info, AT_SYMLINK_NOFOLLOW)
        == -1
        || !ngx_is_dir(&info))
    {
        return NGX_DECLINED;
    }

    ngx_artifact_list_info(item, &info);

    id.data = item->name;
    id.len = item->len;

    ngx_artifact_list_journal(job, item, NGX_ARTIFACT_JOURNAL);
    ngx_artifact_list_journal(job, item, NGX_ARTIFACT_FOLDING);

    if (ngx_artifact_sidecar_name(buf, &name, &id, ".meta.json")
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

    (void) ngx_close_file(fd);

    if (n == -1) {
        return NGX_OK;
    }

    ngx_artifact_list_later(item, &info);

    created = art_meta_created(art_str(buf, (size_t) n));

    if (created.data == NULL) {
        return NGX_OK;
    }

    p = ngx_artifact_list_room(job, created.len);

    if (p) {
        ngx_memcpy(p, created.data, created.len);
        item->detail->meta.created = art_str(p, created.len);
    }

    return NGX_OK;
}


/* Writes that are not in the sidecar yet change the time of a journal. */

static void
ngx_artifact_list_journal(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const char *suffix)
{
    char             path[NGX_ARTIFACT_JOURNAL_PATH];
    ngx_file_info_t  info;

    ngx_artifact_journal_path(path, art_str(item->name, item->len),
                              suffix);

    if (fstatat(job->area, path, &info, AT_SYMLINK_NOFOLLOW) == 0
        && ngx_file_size(&info) > ART_JOURNAL_HEAD)
    {
        ngx_artifact_list_later(item, &info);
    }
}


/* A folder's own time says nothing of the files in its folders. */

static void
ngx_artifact_list_later(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info)
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


/* Takes over what listings show; the history may be long. */

void
ngx_artifact_list_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta)
{
    size_t   size;
    u_char  *block;

    meta->object = art_str(NULL, 0);
    meta->modified_by = art_str(NULL, 0);
    meta->extra = art_str(NULL, 0);

    size = art_meta_packed_size(meta);
    block = ngx_artifact_list_room(job, size);

    if (block) {
        (void) art_meta_pack(meta, block, size);
        (void) art_meta_unpack(block, size, &item->detail->meta);
    }

    art_meta_free(meta);
}


/* A piece of the job's memory, which has room for the largest of each. */

u_char *
ngx_artifact_list_room(ngx_artifact_list_job_t *job, size_t size)
{
    u_char  *p;

    if (size > job->memory_size - job->memory_used) {
        return NULL;
    }

    p = job->memory + job->memory_used;
    job->memory_used += size;

    return p;
}


void
ngx_artifact_list_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info)
{
    item->detail->size = ngx_file_size(info);
    item->detail->mtime = info->st_mtim;
}
