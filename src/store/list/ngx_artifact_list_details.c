
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The details of the names on a page: times and sizes from the disk, types from
 * the sidecars.  No content is read.
 */


#include "store/list/ngx_artifact_list.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/metadata/ngx_artifact_journal.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/meta/art_meta.h"
#include "core/ref/art_ref_file.h"


/* Bytes read of a workspace's document: "createdAt" precedes the files. */

#define NGX_ARTIFACT_HEAD  4096

/* Looking up one name takes as long as reading this many names. */

#define NGX_ARTIFACT_LOOKUP  4

/*
 * The most memory for the strings of one name, with their lengths: it may be in
 * three sub-folders, each with a sidecar.
 */

#define NGX_ARTIFACT_STRINGS                                                  \
    (3 * (128 + 2 * ART_META_TYPE_MAX + ART_META_NAME_MAX                     \
          + 3 * ART_META_TIME_MAX + 2 * ART_META_ID_MAX                       \
          + 2 * ART_REF_FILE_EXTENSION_MAX + NAME_MAX))


static ngx_int_t ngx_artifact_list_stat(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item);
static ngx_uint_t ngx_artifact_list_unknown(ngx_err_t err);
static ngx_int_t ngx_artifact_list_workspace(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item);
static void ngx_artifact_list_journal(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const char *suffix);
static void ngx_artifact_list_newer(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);
static ngx_int_t ngx_artifact_list_artifacts(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_look(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout);
static ngx_int_t ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub);
static ngx_int_t ngx_artifact_guess_subfolder(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout);
static ngx_int_t ngx_artifact_guess_names(ngx_artifact_list_job_t *job);
static void ngx_artifact_guess_name(ngx_artifact_list_job_t *job,
    art_str_t name);
static void ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub);
static ngx_int_t ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub,
    art_str_t extension);
static ngx_uint_t ngx_artifact_list_sidecar(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub,
    u_char *buf, ngx_str_t *name);
static ngx_int_t ngx_artifact_list_memory(ngx_artifact_list_job_t *job);
static u_char *ngx_artifact_list_alloc(ngx_artifact_list_job_t *job,
    size_t size);
static void ngx_artifact_list_set_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info);


ngx_int_t
ngx_artifact_list_details(ngx_artifact_list_job_t *job)
{
    ngx_artifact_list_item_t  *item;

    ngx_artifact_list_names_end(job);

    if (job->page.n == 0) {
        return NGX_OK;
    }

    if (job->memory == NULL && ngx_artifact_list_memory(job) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->kind == ART_LISTING_ARTIFACTS) {
        return ngx_artifact_list_artifacts(job);
    }

    item = job->page.items[job->next].data;

    ngx_set_errno(0);

    item->detail->gone = job->kind == ART_LISTING_FOLDER
                         ? ngx_artifact_list_stat(job, item) != NGX_OK
                         : ngx_artifact_list_workspace(job, item) != NGX_OK;

    if (item->detail->gone && ngx_artifact_list_unknown(ngx_errno)) {
        return NGX_ERROR;
    }

    return ++job->next < job->page.n ? NGX_AGAIN : NGX_OK;
}


/*
 * Looks a name up again.  An item counts as gone if its file was deleted or
 * replaced since, but not if the storage fails to answer.
 */

static ngx_int_t
ngx_artifact_list_stat(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item)
{
    ngx_file_info_t  info;

    if (ngx_artifact_stat(job->top, (char *) item->name, job->follow, &info)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (job->recursive && ngx_is_dir(&info)) {
        ngx_set_errno(0);
        return NGX_DECLINED;
    }

    item->detail->folder = ngx_is_dir(&info) ? 1 : 0;
    ngx_artifact_list_set_info(item, &info);

    return NGX_OK;
}


/* Whether a file may exist despite this errno. */

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


/* Takes the time of a journal with writes that are not in the sidecar yet. */

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
    if (ngx_artifact_is_newer(&info->st_mtim, &item->detail->mtime)) {
        item->detail->mtime = info->st_mtim;
    }
}


/*
 * Like a request, tries one sub-folder after the other: in each of them first
 * the sidecars of all items, then the contents that these do not name.
 */

static ngx_int_t
ngx_artifact_list_artifacts(ngx_artifact_list_job_t *job)
{
    const art_ref_layout_t    *layout;
    ngx_artifact_subfolder_t   sub;
    ngx_artifact_list_item_t  *item;

    layout = ngx_artifact_layout_try(job->layout, job->attempt);

    if (layout == NULL) {
        return NGX_OK;
    }

    if (!job->guess) {
        return ngx_artifact_list_look(job, layout);
    }

    if (job->dir) {
        return ngx_artifact_guess_names(job);
    }

    if (job->next < job->end) {
        item = job->page.items[job->next++].data;

        if (item->detail->guess) {
            ngx_artifact_subfolder_of(layout, ngx_artifact_list_name(job, item),
                                      &sub);
            ngx_artifact_guess_try(job, item, &sub);
        }

        return NGX_AGAIN;
    }

    if (job->next < job->page.n) {
        return ngx_artifact_guess_subfolder(job, layout);
    }

    job->attempt++;
    job->guess = 0;
    job->next = 0;

    return NGX_AGAIN;
}


/* Looks for the next item; after the last one, contents are to be found. */

static ngx_int_t
ngx_artifact_list_look(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout)
{
    ngx_int_t                  rc;
    ngx_artifact_subfolder_t   sub;
    ngx_artifact_list_item_t  *item;

    item = job->page.items[job->next++].data;

    if (job->attempt == 0 || item->detail->gone) {
        ngx_artifact_subfolder_of(layout, ngx_artifact_list_name(job, item),
                                  &sub);

        ngx_set_errno(0);

        rc = ngx_artifact_list_artifact(job, item, &sub);

        if (rc == NGX_ERROR
            || (rc != NGX_OK && ngx_artifact_list_unknown(ngx_errno)))
        {
            return NGX_ERROR;
        }

        item->detail->gone = (rc != NGX_OK);
        item->detail->guess = (rc == NGX_AGAIN);
    }

    if (job->next == job->page.n) {
        job->guess = 1;
        job->next = 0;
        job->end = 0;
    }

    return NGX_AGAIN;
}


/*
 * Finds an artifact's sidecar and content as a request does; NGX_AGAIN if the
 * sidecar does not say where the content is.  When out of memory a sidecar may
 * seem corrupt: errno, set by malloc(), shows that.
 */

static ngx_int_t
ngx_artifact_list_artifact(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub)
{
    u_char             buf[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_SIDECAR_NAME];
    ngx_str_t          name, text;
    art_meta_t         meta;
    ngx_uint_t         lacks_memory;
    ngx_file_info_t    info;
    art_meta_status_t  status;

    ngx_memzero(&item->detail->meta, sizeof(art_meta_t));

    item->detail->bare = !ngx_artifact_list_sidecar(job, item, sub, buf,
                                                    &name);

    ngx_set_errno(0);

    if (item->detail->bare
        || ngx_artifact_load_sidecar(job->log, job->area, &job->root, &name,
                                     &info, &text)
           != NGX_OK)
    {
        return ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_AGAIN;
    }

    ngx_set_errno(0);

    status = art_meta_parse(ngx_artifact_str(&text), &meta);
    lacks_memory = (ngx_errno == NGX_ENOMEM);

    if (status != ART_META_OK && !lacks_memory) {
        ngx_artifact_corrupt_sidecar(job->log, &job->root, &name, &text);
    }

    ngx_free(text.data);

    if (lacks_memory) {

        if (status == ART_META_OK) {
            art_meta_free(&meta);
        }

        return NGX_ERROR;
    }

    if (status != ART_META_OK) {
        return NGX_AGAIN;
    }

    item->detail->hidden = art_meta_is_standin(&meta) & 1;

    ngx_artifact_list_set_meta(job, item, &meta);

    if (item->detail->hidden
        || art_meta_expired(&item->detail->meta, ngx_artifact_now()))
    {
        ngx_set_errno(NGX_ENOENT);
        return NGX_DECLINED;
    }

    if (item->detail->meta.extension.data == NULL) {
        return NGX_AGAIN;
    }

    return ngx_artifact_list_content(job, item, sub,
                                     item->detail->meta.extension);
}


/*
 * Finds the content of items with "guess" set, in their sub-folders of a
 * layout, as a request does: that clears "guess", and sets "gone" for items
 * without content.  Adjacent items in the same sub-folder are a group: each
 * extension is looked up, or the whole sub-folder is read, whichever is less
 * work.
 */

static ngx_int_t
ngx_artifact_guess_subfolder(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout)
{
    size_t                     n;
    ngx_artifact_subfolder_t   sub, other;
    ngx_artifact_list_item_t  *item;

    item = job->page.items[job->next].data;
    job->end = job->next + 1;

    if (!item->detail->guess) {
        return NGX_AGAIN;
    }

    ngx_artifact_subfolder_of(layout, ngx_artifact_list_name(job, item), &sub);

    for (n = 1; job->end < job->page.n; job->end++) {
        item = job->page.items[job->end].data;

        ngx_artifact_subfolder_of(layout, ngx_artifact_list_name(job, item),
                                  &other);

        if (ngx_memcmp(other.path, sub.path, sub.len) != 0) {
            break;
        }

        n += item->detail->guess;
    }

    /* assume that the folder has as many names as the average folder so far */

    job->all = n * ART_REF_FILE_GUESSES
               < job->names / ngx_max(job->folders, 1) / NGX_ARTIFACT_LOOKUP;

    if (!job->all) {
        job->dir = ngx_artifact_subfolder_open(job->top, &sub, job->follow);

        if (job->dir == NULL && ngx_errno) {
            return NGX_ERROR;
        }
    }

    return NGX_AGAIN;
}


/* Reads some names of the sub-folder of a group. */

static ngx_int_t
ngx_artifact_guess_names(ngx_artifact_list_job_t *job)
{
    ngx_err_t       err;
    ngx_uint_t      i;
    struct dirent  *entry;

    for (i = 0; i < NGX_ARTIFACT_LIST_NAMES; i++) {

        ngx_set_errno(0);
        entry = readdir(job->dir);

        if (entry == NULL) {
            err = ngx_errno;

            (void) closedir(job->dir);
            job->dir = NULL;

            ngx_set_errno(err);

            return err ? NGX_ERROR : NGX_AGAIN;
        }

        ngx_artifact_guess_name(job, art_cstr(entry->d_name));
    }

    return NGX_AGAIN;
}


/* Marks an extension for each id whose content may have this name. */

static void
ngx_artifact_guess_name(ngx_artifact_list_job_t *job, art_str_t name)
{
    int                        rank;
    size_t                     i, len;
    u_char                     key[NGX_ARTIFACT_LIST_KEY];
    art_page_item_t           *found;
    ngx_artifact_list_item_t  *item;

    /* file systems in user space may have longer names */

    if (name.len > NAME_MAX) {
        return;
    }

    for (i = 1; i <= name.len; i++) {

        if (i < name.len && name.data[i] != '.') {
            continue;
        }

        len = ngx_artifact_list_key(job, art_str(name.data, i), key);
        found = art_page_get(&job->page, art_str(key, len));

        if (found == NULL) {
            continue;
        }

        item = found->data;

        if (!item->detail->guess) {
            continue;
        }

        rank = art_ref_file_rank(i < name.len
                                 ? art_str(name.data + i + 1,
                                           name.len - i - 1)
                                 : art_str(NULL, 0));

        if (rank >= 0) {
            item->detail->ranks[rank / 64] |= (uint64_t) 1 << rank % 64;
        }
    }
}


/* Tries the extensions that were seen, or all, in the order of requests. */

static void
ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub)
{
    u_char                buf[ART_REF_LAYOUT_PLACE
                              + NGX_ARTIFACT_SIDECAR_NAME];
    ngx_int_t             rc;
    ngx_str_t             name;
    ngx_uint_t            rank;
    art_str_t             extension;
    art_ref_file_guess_t  guess;

    rc = NGX_DECLINED;

    ngx_memzero(&guess, sizeof(art_ref_file_guess_t));

    for (rank = 0;
         rc == NGX_DECLINED && art_ref_file_guess(&guess, &extension);
         rank++)
    {
        if (job->all || (item->detail->ranks[rank / 64] >> rank % 64 & 1)) {
            rc = ngx_artifact_list_content(job, item, sub, extension);
        }
    }

    /* its sidecar has come meanwhile: the next pass finds it by that */

    if (rc == NGX_OK && item->detail->bare
        && ngx_artifact_list_sidecar(job, item, sub, buf, &name))
    {
        rc = NGX_DECLINED;
    }

    ngx_memzero(item->detail->ranks, sizeof(item->detail->ranks));

    item->detail->guess = 0;
    item->detail->gone = (rc != NGX_OK);
}


/* Finds the content with this extension; NGX_DECLINED if there is none. */

static ngx_int_t
ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub,
    art_str_t extension)
{
    size_t           len;
    u_char          *p, buf[ART_REF_LAYOUT_PLACE + ART_REF_FILE_NAME];
    ngx_file_info_t  info;

    p = ngx_cpymem(buf, sub->path, sub->len);
    len = art_ref_file_name(p, ngx_artifact_list_name(job, item), extension);

    if (len == 0
        || fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == -1
        || ngx_artifact_stat(job->top, (char *) buf, job->follow, &info)
           != NGX_OK
        || !ngx_is_file(&info))
    {
        return NGX_DECLINED;
    }

    item->detail->file = ngx_artifact_list_alloc(job, len + 1);

    if (item->detail->file) {
        ngx_memcpy(item->detail->file, p, len + 1);
    }

    ngx_artifact_list_set_info(item, &info);

    return NGX_OK;
}


/*
 * Whether an item has a sidecar in this sub-folder, whose path is written to
 * "buf", of ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_SIDECAR_NAME bytes.
 */

static ngx_uint_t
ngx_artifact_list_sidecar(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_subfolder_t *sub,
    u_char *buf, ngx_str_t *name)
{
    u_char           *p;
    ngx_file_info_t   info;

    p = ngx_cpymem(buf, sub->path, sub->len);

    if (ngx_artifact_sidecar_name(p, name, ngx_artifact_list_name(job, item),
                                  ".meta")
        != NGX_OK)
    {
        return 0;
    }

    name->data = buf;
    name->len += sub->len;

    return fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == 0;
}


/*
 * Maps memory for the details of all items, since memory from a thread's heap
 * would not be returned, and sets "detail" of each.
 */

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


/* NULL only if more is requested than the longest strings of all items take. */

static u_char *
ngx_artifact_list_alloc(ngx_artifact_list_job_t *job, size_t size)
{
    u_char  *p;

    if (size > job->memory_size - job->memory_used) {
        return NULL;
    }

    p = job->memory + job->memory_used;
    job->memory_used += size;

    return p;
}


/* Takes only what listings show: the history may be long. */

void
ngx_artifact_list_set_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta)
{
    size_t   size;
    u_char  *block;

    meta->object = art_str(NULL, 0);
    meta->modified_by = art_str(NULL, 0);
    meta->extra = art_str(NULL, 0);

    size = art_meta_packed_size(meta);
    block = ngx_artifact_list_alloc(job, size);

    if (block) {
        (void) art_meta_pack(meta, block, size);
        (void) art_meta_unpack(block, size, &item->detail->meta);
    }

    art_meta_free(meta);
}


static void
ngx_artifact_list_set_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info)
{
    item->detail->size = ngx_file_size(info);
    item->detail->mtime = info->st_mtim;
}
