
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding a workspace's journal into "{workspace}.meta.json" and its index.
 * Whatever happens in between, a reader finds a record in one of the journal,
 * the journal being folded, and the document, which it passes in this order.
 * All is written through to the disk, with "artifact_sync off", too: what a
 * document takes the place of were other writers' data.  Runs in threads.
 */


#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_fold_int.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_map.h"


/* Entries of an index; documents with more are searched without one. */

#define NGX_ARTIFACT_FOLD_ENTRIES  (4 * 1024 * 1024)

/* Bytes that a member of a document takes at least, and so does a record. */

#define NGX_ARTIFACT_FOLD_MEMBER   5

/* How often it begins again when another writer replaces the document. */

#define NGX_ARTIFACT_FOLD_TRIES    8

/* Milliseconds for which a document that makes no sense may be unfinished. */

#define NGX_ARTIFACT_FOLD_YOUNG    1000


static ngx_int_t ngx_artifact_fold_locked(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_take(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_try(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_index_map(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_index_unmap(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_open(ngx_artifact_fold_t *f);
static ngx_uint_t ngx_artifact_fold_young(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_document(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_outcome(ngx_artifact_fold_t *f,
    art_fold_t *fold, art_fold_status_t status);
static int ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf,
    size_t *len);


ngx_int_t
ngx_artifact_fold(const char *root, art_str_t workspace, ngx_log_t *log)
{
    ngx_fd_t             lock;
    ngx_err_t            err;
    ngx_int_t            rc;
    ngx_artifact_fold_t  f;

    ngx_memzero(&f, sizeof(ngx_artifact_fold_t));

    f.workspace = workspace;
    f.log = log;
    f.fd = NGX_INVALID_FILE;
    f.temp.fd = NGX_INVALID_FILE;

    if (ngx_artifact_area_open(&f.area, root, "workspaces", 0)
        != NGX_OK)
    {
        return ngx_errno == NGX_ENOENT ? NGX_OK : NGX_ERROR;
    }

    lock = ngx_artifact_lock(f.area.control, workspace,
                             NGX_ARTIFACT_FOLD, 0);

    if (lock == NGX_INVALID_FILE) {
        rc = ngx_errno == NGX_EAGAIN ? NGX_AGAIN : NGX_ERROR;

    } else {
        rc = ngx_artifact_fold_locked(&f);
    }

    err = ngx_errno;

    if (lock != NGX_INVALID_FILE) {
        (void) ngx_close_file(lock);
    }

    ngx_artifact_area_close(&f.area);
    ngx_set_errno(err);

    return rc;
}


static ngx_int_t
ngx_artifact_fold_locked(ngx_artifact_fold_t *f)
{
    char        folding[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_int_t   rc;
    ngx_uint_t  tries;

    /*
     * What a crash left stands in front of the journal proper.  That one is
     * folded once: while others append there would always be more to fold.
     */

    do {
        rc = ngx_artifact_fold_take(f);

        if (rc != NGX_OK) {
            return rc == NGX_DECLINED ? NGX_OK : rc;
        }

        f->buf = malloc(NGX_ARTIFACT_FOLD_BUFFER);

        if (f->buf == NULL) {
            ngx_artifact_journal_free(&f->journal);
            return NGX_ERROR;
        }

        ngx_artifact_journal_name(f->name, f->workspace, ".meta.json");

        tries = 0;

        do {
            rc = ngx_artifact_fold_try(f);
        } while (rc == NGX_AGAIN && ++tries < NGX_ARTIFACT_FOLD_TRIES);

        free(f->buf);
        ngx_artifact_journal_free(&f->journal);

        if (rc != NGX_OK) {
            return rc == NGX_BUSY ? NGX_AGAIN : rc;
        }

        ngx_artifact_journal_name(folding, f->workspace,
                                  NGX_ARTIFACT_FOLDING);

        if (unlinkat(f->area.control, folding, 0) == -1) {
            return NGX_ERROR;
        }

    } while (f->left);

    return NGX_OK;
}


/* The journal to fold: one that a crash left comes first. */

static ngx_int_t
ngx_artifact_fold_take(ngx_artifact_fold_t *f)
{
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t   lock;
    ngx_err_t  err;
    ngx_int_t  rc;

    ngx_artifact_journal_name(name, f->workspace,
                              NGX_ARTIFACT_FOLDING);

    rc = ngx_artifact_journal_load(f->area.control, name, &f->journal);

    f->left = (rc == NGX_OK);

    if (rc == NGX_OK || ngx_errno != NGX_ENOENT) {
        return rc;
    }

    lock = ngx_artifact_lock(f->area.control, f->workspace,
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_rotate(&f->area, f->workspace,
                                     &f->journal);

    err = ngx_errno;
    (void) ngx_close_file(lock);
    ngx_set_errno(err);

    return rc;
}


/*
 * NGX_AGAIN if the document has to be read once more, NGX_BUSY if it has to be
 * later, as somebody may still be writing it.
 */

static ngx_int_t
ngx_artifact_fold_try(ngx_artifact_fold_t *f)
{
    ngx_err_t  err;
    ngx_int_t  rc;

    rc = ngx_artifact_fold_open(f);

    if (rc == NGX_OK) {
        rc = ngx_artifact_fold_document(f);
    }

    if (rc == NGX_OK) {
        rc = ngx_artifact_fold_publish(f);
    }

    err = ngx_errno;

    ngx_artifact_temp_close(&f->temp, f->area.control, rc == NGX_OK);

    if (f->fd != NGX_INVALID_FILE) {
        (void) ngx_close_file(f->fd);
        f->fd = NGX_INVALID_FILE;
    }

    ngx_artifact_fold_index_unmap(f);

    ngx_set_errno(err);

    return rc;
}


/*
 * Room for whatever the document may hold: what is not touched of it is no
 * memory, and no thread's heap keeps the rest.
 */

static void
ngx_artifact_fold_index_map(ngx_artifact_fold_t *f)
{
    size_t  max;

    max = ((size_t) ngx_file_size(&f->info) + f->journal.len)
          / NGX_ARTIFACT_FOLD_MEMBER;
    max = ngx_min(max, NGX_ARTIFACT_FOLD_ENTRIES);

    f->index.entries = (void *) ngx_artifact_map(max
                                            * sizeof(art_meta_index_entry_t));
    f->index.max = f->index.entries ? max : 0;
}


static void
ngx_artifact_fold_index_unmap(ngx_artifact_fold_t *f)
{
    if (f->index.entries) {
        ngx_artifact_unmap((void *) f->index.entries,
                           f->index.max * sizeof(art_meta_index_entry_t));
    }

    ngx_memzero(&f->index, sizeof(art_meta_index_t));
}


static ngx_int_t
ngx_artifact_fold_open(ngx_artifact_fold_t *f)
{
    ngx_memzero(&f->info, sizeof(ngx_file_info_t));

    f->fd = ngx_artifact_openat(f->area.folder, f->name, O_RDONLY, 1);

    if (f->fd == NGX_INVALID_FILE) {

        if (ngx_errno == NGX_ENOENT) {
            return NGX_OK;
        }

        if (ngx_errno == NGX_ELOOP || ngx_errno == NGX_EXDEV) {
            return ngx_artifact_fold_aside(f);
        }

        return NGX_ERROR;
    }

    if (ngx_fd_info(f->fd, &f->info) == NGX_FILE_ERROR) {
        return NGX_ERROR;
    }

    if (!ngx_is_file(&f->info)) {
        ngx_set_errno(NGX_EISDIR);
        return NGX_ERROR;
    }

    /* empty it is begun anew, which would take the place of what comes */

    return ngx_file_size(&f->info) == 0 && ngx_artifact_fold_young(f)
           ? NGX_BUSY : NGX_OK;
}


/* The platform's own writer fills its document in place. */

static ngx_uint_t
ngx_artifact_fold_young(ngx_artifact_fold_t *f)
{
    int64_t  age;

    age = (int64_t) ngx_artifact_now()
          - (int64_t) (ngx_artifact_mtime(&f->info) / 1000000);

    return age > -NGX_ARTIFACT_FOLD_YOUNG
           && age < NGX_ARTIFACT_FOLD_YOUNG;
}


static ngx_int_t
ngx_artifact_fold_document(ngx_artifact_fold_t *f)
{
    ngx_int_t           rc;
    art_fold_t         *fold;
    art_fold_conf_t     conf;
    art_fold_status_t   status;

    if (ngx_artifact_temp_open(&f->temp, f->area.control, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_artifact_fold_begin(f, &f->temp);
    ngx_artifact_fold_index_map(f);

    ngx_memzero(&conf, sizeof(art_fold_conf_t));

    conf.workspace = f->workspace;
    conf.journal = art_str(f->journal.data, f->journal.len);
    conf.piece = NGX_ARTIFACT_FOLD_BUFFER;
    conf.read = ngx_artifact_fold_read;
    conf.write = ngx_artifact_fold_write;
    conf.index = &f->index;
    conf.data = f;

    fold = art_fold_create(&conf);

    if (fold == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    ngx_set_errno(NGX_ENOMEM);   /* unless a call says otherwise */

    do {
        status = art_fold_step(fold);
    } while (status == ART_FOLD_AGAIN);

    rc = ngx_artifact_fold_outcome(f, fold, status);

    art_fold_destroy(fold);

    return rc;
}


static ngx_int_t
ngx_artifact_fold_outcome(ngx_artifact_fold_t *f, art_fold_t *fold,
    art_fold_status_t status)
{
    switch (status) {

    case ART_FOLD_OK:
        if (art_fold_replaced(fold)) {
            ngx_log_error(NGX_LOG_WARN, f->log, 0,
                          "artifact metadata \"%s\": %ud entries could not be "
                          "merged and are begun anew", f->name,
                          art_fold_replaced(fold));
        }

        return ngx_artifact_fold_flush(f);

    case ART_FOLD_CORRUPT:
        if (ngx_artifact_fold_young(f)) {
            return NGX_BUSY;
        }

        ngx_log_error(NGX_LOG_WARN, f->log, 0,
                      "artifact metadata \"%s\" is corrupt at byte %uL and "
                      "set aside", f->name, art_fold_position(fold));

        return ngx_artifact_fold_aside(f);

    case ART_FOLD_TOO_LONG:
        ngx_log_error(NGX_LOG_WARN, f->log, 0,
                      "artifact metadata \"%s\" have a member that is too long "
                      "at byte %uL", f->name, art_fold_position(fold));

        ngx_set_errno(EFBIG);
        return NGX_ERROR;

    case ART_FOLD_CHANGED:
        return NGX_AGAIN;

    default:
        return NGX_ERROR;
    }
}


static int
ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    ngx_artifact_fold_t *f = data;

    size_t   done;
    ssize_t  n;

    for (done = 0; f->fd != NGX_INVALID_FILE && done < *len; done += (size_t) n) {

        n = pread(f->fd, buf + done, *len - done, (off_t) (offset + done));

        if (n == -1 && ngx_errno == NGX_EINTR) {
            n = 0;
            continue;
        }

        if (n == -1) {
            return ART_ERROR;
        }

        if (n == 0) {
            break;
        }
    }

    *len = done;

    return ART_OK;
}
