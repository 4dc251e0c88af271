
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing: opens what it needs, and has names and details found.  The
 * metadata of a workspace's files are found by the index of the document, or by
 * one search of it for the whole page; the journals, which are read once, add
 * later writes.  Details are times and sizes from the disk, and types from the
 * sidecars; no content is read.
 */


#include "store/list/ngx_artifact_list.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_journal.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "core/journal/art_journal.h"
#include "core/journal/art_meta_index.h"
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


/* The keys of a page: its paths, and second keys for paths with a "\". */

typedef struct {
    art_meta_wanted_t   *wanted;
    size_t               n;
    u_char              *others;     /* the text of the second keys */
    u_char              *records;    /* their records in the journals */
    ngx_str_t            text;       /* of the document, if searched */
} ngx_artifact_keys_t;


/* The metadata of a page of files, on their way. */

struct ngx_artifact_list_files_s {
    ngx_artifact_keys_t      keys;
    ngx_artifact_metadata_t  document;
    ngx_str_t                name;
    size_t                   next;   /* of the keys */
    ngx_uint_t               other;  /* second keys */
    u_char                   buf[NGX_ARTIFACT_SIDECAR_NAME];
};


#define NGX_ARTIFACT_LIST_STAGES                                              \
    (sizeof(ngx_artifact_list_stages) / sizeof(ngx_artifact_list_stages[0]))


static ngx_int_t ngx_artifact_list_open(ngx_artifact_list_job_t *job);
static void ngx_artifact_list_close(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_files(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_files_begin(ngx_artifact_list_job_t *job);
static void ngx_artifact_list_files_end(ngx_artifact_list_job_t *job);
static ngx_int_t ngx_artifact_list_keys(ngx_artifact_list_job_t *job,
    ngx_artifact_keys_t *keys);
static ngx_uint_t ngx_artifact_list_wants(ngx_artifact_list_item_t *item);
static ngx_int_t ngx_artifact_list_records(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys);
static ngx_int_t ngx_artifact_list_wanted(ngx_artifact_list_job_t *job,
    art_meta_wanted_t *wanted);
static ngx_int_t ngx_artifact_list_entry(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys, art_meta_wanted_t *wanted,
    art_meta_status_t *status, art_meta_t *meta);
static ngx_int_t ngx_artifact_list_search(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys);
static ngx_int_t ngx_artifact_list_details(ngx_artifact_list_job_t *job);
static void ngx_artifact_list_set_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta);
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


/*
 * The parts of a listing, in this order.  NGX_AGAIN: there is more of it,
 * NGX_OK: the next one follows, NGX_DECLINED: there is none.
 */

static ngx_int_t  (*ngx_artifact_list_stages[])(ngx_artifact_list_job_t *job)
    =
{
    ngx_artifact_list_open,
    ngx_artifact_list_names,
    ngx_artifact_list_details,
    ngx_artifact_list_files
};


void
ngx_artifact_list_run(void *data, ngx_log_t *log)
{
    ngx_artifact_list_job_t *job = data;

    uint64_t   end;
    ngx_int_t  rc;

    job->log = log;
    job->again = 0;

    end = ngx_artifact_ticks() + NGX_ARTIFACT_TURN * 1000;

    do {
        rc = ngx_artifact_list_stages[job->stage](job);

        if (rc == NGX_OK && ++job->stage < NGX_ARTIFACT_LIST_STAGES) {
            rc = NGX_AGAIN;
        }

    } while (rc == NGX_AGAIN && ngx_artifact_ticks() < end);

    if (rc == NGX_AGAIN) {
        job->again = 1;
        return;
    }

    if (rc == NGX_ERROR) {
        job->err = ngx_errno ? ngx_errno : EIO;
    }

    ngx_artifact_list_close(job);
}


art_str_t
ngx_artifact_list_after(const ngx_artifact_list_job_t *job, size_t n)
{
    art_str_t                  name;
    ngx_artifact_list_item_t  *item;

    name = job->page.after;

    while (n > 0) {
        item = job->page.items[--n].data;

        if (!item->detail->hidden) {
            name = job->page.items[n].name;
            break;
        }
    }

    return name.len > 0 ? art_str(name.data + job->id, name.len - job->id)
                        : name;
}


static void
ngx_artifact_list_close(ngx_artifact_list_job_t *job)
{
    if (!job->opened) {
        return;
    }

    ngx_artifact_list_names_end(job);
    ngx_artifact_list_files_end(job);

    if (job->dir) {
        (void) closedir(job->dir);
        job->dir = NULL;
    }

    if (job->top != job->area) {
        ngx_artifact_close(&job->top);
    }

    ngx_artifact_close(&job->area);

    job->opened = 0;
}


/* NGX_DECLINED if there is nothing to list: the page is empty. */

static ngx_int_t
ngx_artifact_list_open(ngx_artifact_list_job_t *job)
{
    ngx_fd_t     root;
    const char  *name;

    job->err = 0;
    job->opened = 1;
    job->area = NGX_INVALID_FILE;
    job->top = NGX_INVALID_FILE;

    root = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (root == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    job->rooted = 1;

    name = job->kind == ART_LISTING_ARTIFACTS ? "artifacts" : "workspaces";

    job->area = ngx_artifact_openat(root, name, O_PATH|O_DIRECTORY, 0);

    ngx_artifact_close(&root);

    if (job->area == NGX_INVALID_FILE) {

        /* nothing was stored yet, or the folder is a link, which is ignored */

        return job->kind != ART_LISTING_FOLDER
               && (ngx_errno == NGX_ENOENT || ngx_errno == NGX_ENOTDIR
                   || ngx_errno == NGX_ELOOP)
               ? NGX_DECLINED : NGX_ERROR;
    }

    if (job->kind != ART_LISTING_FOLDER) {
        job->top = job->area;
        return NGX_OK;
    }

    job->top = ngx_artifact_openat(job->area, (char *) job->workspace.data,
                                   O_PATH|O_DIRECTORY, 0);

    if (job->top == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    job->bound = 1;

    return NGX_OK;
}


/*
 * Adds the metadata of their workspace to the files on the page, a key at a
 * time.  The second key of a file counts only if the first one was not found.
 */

static ngx_int_t
ngx_artifact_list_files(ngx_artifact_list_job_t *job)
{
    ngx_int_t                   rc;
    art_meta_wanted_t          *wanted;
    ngx_artifact_list_files_t  *files;

    files = job->files;

    if (files == NULL) {
        return job->kind == ART_LISTING_FOLDER && job->page.n > 0
               ? ngx_artifact_list_files_begin(job) : NGX_OK;
    }

    files->document.log = job->log;

    while (files->next < files->keys.n) {
        wanted = &files->keys.wanted[files->next++];

        if (wanted->other == files->other) {
            rc = ngx_artifact_list_wanted(job, wanted);

            return rc == NGX_OK ? NGX_AGAIN : rc;
        }
    }

    if (files->other) {
        return NGX_OK;
    }

    files->other = 1;
    files->next = 0;

    return NGX_AGAIN;
}


/* Reads the journals; NGX_OK if there are no metadata, else NGX_AGAIN. */

static ngx_int_t
ngx_artifact_list_files_begin(ngx_artifact_list_job_t *job)
{
    ngx_artifact_metadata_t    *document;
    ngx_artifact_list_files_t  *files;

    files = ngx_calloc(sizeof(ngx_artifact_list_files_t), job->log);
    if (files == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    document = &files->document;

    if (ngx_artifact_sidecar_name(files->buf, &files->name,
                                  ngx_artifact_str(&job->workspace),
                                  ".meta.json")
        != NGX_OK)
    {
        ngx_free(files);
        return NGX_OK;
    }

    ngx_set_errno(0);

    ngx_artifact_metadata_init(document, job->log, &job->root, job->area,
                               ngx_artifact_str(&job->workspace),
                               &files->name);
    document->index.brief = 1;
    job->files = files;

    if (ngx_errno == NGX_ENOMEM
        || ngx_artifact_list_keys(job, &files->keys) != NGX_OK
        || ngx_artifact_list_records(document, &files->keys) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_artifact_metadata_open(document) != NGX_OK
           && ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_AGAIN;
}


static void
ngx_artifact_list_files_end(ngx_artifact_list_job_t *job)
{
    ngx_artifact_keys_t        *keys;
    ngx_artifact_list_files_t  *files;

    files = job->files;

    if (files == NULL) {
        return;
    }

    keys = &files->keys;

    if (keys->text.data) {
        ngx_artifact_metadata_unload(&files->document, &keys->text);
    }

    ngx_artifact_metadata_close(&files->document);

    free(keys->records);
    free(keys->others);
    free(keys->wanted);

    ngx_free(files);
    job->files = NULL;
}


static ngx_int_t
ngx_artifact_list_keys(ngx_artifact_list_job_t *job, ngx_artifact_keys_t *keys)
{
    size_t                     i, len;
    u_char                    *p;
    art_str_t                  path;
    art_meta_wanted_t         *wanted;
    ngx_artifact_list_item_t  *item;

    len = 0;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;
        len += item->len;
    }

    /* one more, since both may return NULL for nothing */

    keys->wanted = calloc(2 * job->page.n + 1, sizeof(art_meta_wanted_t));
    keys->others = malloc(len + 1);

    if (keys->wanted == NULL || keys->others == NULL) {
        return NGX_ERROR;
    }

    wanted = keys->wanted;
    p = keys->others;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (!ngx_artifact_list_wants(item)) {
            continue;
        }

        path = art_str(item->name, item->len);

        wanted->key = path;
        wanted->item = i;
        wanted++;

        if (art_meta_other_key(path, p, &wanted->key)) {
            wanted->item = i;
            wanted->other = 1;
            wanted++;
            p += path.len;
        }
    }

    keys->n = (size_t) (wanted - keys->wanted);

    art_meta_sort(keys->wanted, keys->n);

    return NGX_OK;
}


static ngx_uint_t
ngx_artifact_list_wants(ngx_artifact_list_item_t *item)
{
    return !item->detail->missing && !item->detail->folder
           && !item->detail->found;
}


static ngx_int_t
ngx_artifact_list_records(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys)
{
    size_t      len;
    art_str_t  *journals;

    journals = document->journals;
    len = journals[0].len + journals[1].len;

    if (len == 0) {
        return NGX_OK;
    }

    keys->records = malloc(len);
    if (keys->records == NULL) {
        return NGX_ERROR;
    }

    art_meta_records(journals, 2, keys->wanted, keys->n, keys->records);

    return NGX_OK;
}


/* Adds what is found for a key to its item. */

static ngx_int_t
ngx_artifact_list_wanted(ngx_artifact_list_job_t *job,
    art_meta_wanted_t *wanted)
{
    art_meta_t                  meta;
    art_meta_status_t           status;
    ngx_artifact_list_item_t   *item;
    ngx_artifact_list_files_t  *files;

    files = job->files;
    item = job->page.items[wanted->item].data;

    if (!ngx_artifact_list_wants(item)) {
        return NGX_OK;
    }

    ngx_set_errno(0);

    if (ngx_artifact_list_entry(&files->document, &files->keys, wanted,
                                &status, &meta)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* when out of memory, an entry only seems absent or corrupt */

    if (ngx_errno == NGX_ENOMEM) {

        if (status == ART_META_OK) {
            art_meta_free(&meta);
        }

        return NGX_ERROR;
    }

    if (status == ART_META_OK) {
        item->detail->found = 1;
        ngx_artifact_list_set_meta(job, item, &meta);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_list_entry(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys, art_meta_wanted_t *wanted,
    art_meta_status_t *status, art_meta_t *meta)
{
    *status = ART_META_ABSENT;

    if (document->fd != NGX_INVALID_FILE
        && (keys->text.data
            || ngx_artifact_metadata_find(document, wanted->key, status,
                                          meta)
               != NGX_OK))
    {
        if (ngx_artifact_list_search(document, keys) != NGX_OK) {
            return NGX_ERROR;
        }

        *status = art_meta_parse_entry(wanted->entry, 1, meta);
    }

    if (wanted->records.len == 0) {
        return NGX_OK;
    }

    if (*status == ART_META_CORRUPT) {
        *status = ART_META_ABSENT;      /* a new entry starts */
    }

    *status = art_journal_apply(wanted->records, wanted->key, *status, meta);

    return NGX_OK;
}


/* Without an index, the first call searches for all keys at once. */

static ngx_int_t
ngx_artifact_list_search(ngx_artifact_metadata_t *document,
    ngx_artifact_keys_t *keys)
{
    ngx_int_t  rc;

    if (keys->text.data) {
        return NGX_OK;
    }

    rc = ngx_artifact_metadata_load(document, &keys->text);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK
        && art_meta_find(ngx_artifact_str(&keys->text), keys->wanted,
                         keys->n)
           == ART_OK)
    {
        return NGX_OK;
    }

    ngx_artifact_metadata_corrupt(document, rc == NGX_OK ? &keys->text : NULL);

    if (rc == NGX_DECLINED) {

        /* continue as if there were no document */

        ngx_artifact_close(&document->fd);
    }

    return NGX_OK;
}


void
ngx_artifact_list_free(ngx_artifact_list_job_t *job)
{
    size_t  i;

    ngx_artifact_list_close(job);

    for (i = 0; i < job->page.n; i++) {
        ngx_free(job->page.items[i].data);
    }

    if (job->memory) {
        ngx_artifact_unmap(job->memory, job->memory_size);
    }
}


/*
 * Adds what is on the disk and in sidecars, except the metadata of a
 * workspace's files, and marks items that no longer exist.  NGX_AGAIN as for
 * the names.
 */

static ngx_int_t
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

    item->detail->missing = job->kind == ART_LISTING_FOLDER
                            ? ngx_artifact_list_stat(job, item) != NGX_OK
                            : ngx_artifact_list_workspace(job, item) != NGX_OK;

    if (item->detail->missing && ngx_artifact_list_unknown(ngx_errno)) {
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

    if (job->attempt == 0 || item->detail->missing) {
        ngx_artifact_subfolder_of(layout, ngx_artifact_list_name(job, item),
                                  &sub);

        ngx_set_errno(0);

        rc = ngx_artifact_list_artifact(job, item, &sub);

        if (rc == NGX_ERROR
            || (rc != NGX_OK && ngx_artifact_list_unknown(ngx_errno)))
        {
            return NGX_ERROR;
        }

        item->detail->missing = (rc != NGX_OK);
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

    item->detail->hidden = (unsigned) art_meta_is_standin(&meta) & 1;

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
    item->detail->missing = (rc != NGX_OK);
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


/*
 * Copies into an item only what listings show, since the history may be long,
 * and frees the original.
 */

static void
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
