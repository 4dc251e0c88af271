
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A listing: opens what it needs, and has names and details found.  The
 * metadata of a workspace's files are found by the index of the document, or by
 * one search of it for the whole page; the journals, which are read once, add
 * later writes.
 */


#include "store/list/ngx_artifact_list.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/journal/art_journal.h"
#include "core/journal/art_meta_index.h"
#include "core/meta/art_meta.h"


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

#define NGX_ARTIFACT_LIST_STAGES                                              \
    (sizeof(ngx_artifact_list_stages) / sizeof(ngx_artifact_list_stages[0]))


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
    return !item->detail->gone && !item->detail->folder
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
