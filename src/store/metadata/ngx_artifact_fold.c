
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding a workspace's journal into "{workspace}.meta.json" and its index.
 * Whatever happens in between, a reader finds a record in one of the journal,
 * the journal being folded, and the document, which it passes in this order.
 */


#include "store/metadata/ngx_artifact_fold_int.h"
#include "store/metadata/ngx_artifact_metadata_index.h"


/* How often it begins again when another writer replaces the document. */

#define NGX_ARTIFACT_FOLD_TRIES  8


static ngx_int_t ngx_artifact_fold_next(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_release(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_lock(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_journal(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_remove(ngx_artifact_fold_t *f);


/*
 * In this order, or again from the journal or the document on.  A step returns
 * NGX_OK: the next one; NGX_AGAIN: f->step; NGX_DECLINED: the document is to be
 * read again; NGX_DONE, NGX_BUSY, NGX_ERROR: that was the last.
 */

#define NGX_ARTIFACT_FOLD_JOURNAL   1
#define NGX_ARTIFACT_FOLD_DOCUMENT  2

static ngx_int_t  (*ngx_artifact_fold_steps[])(ngx_artifact_fold_t *f) = {
    ngx_artifact_fold_lock,
    ngx_artifact_fold_journal,
    ngx_artifact_fold_open,
    ngx_artifact_fold_begin,
    ngx_artifact_fold_merge,
    ngx_artifact_fold_sync,
    ngx_artifact_fold_index,
    ngx_artifact_fold_replace,
    ngx_artifact_fold_remove
};


ngx_int_t
ngx_artifact_fold(const char *root, art_str_t workspace, ngx_log_t *log)
{
    ngx_err_t             err;
    ngx_int_t             rc;
    ngx_artifact_fold_t  *f;

    f = ngx_artifact_fold_create(root, workspace, 0, log);

    if (f == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_fold_run(f, 0);

    err = ngx_errno;
    ngx_artifact_fold_destroy(f);
    ngx_set_errno(err);

    return rc;
}


ngx_artifact_fold_t *
ngx_artifact_fold_create(const char *root, art_str_t workspace,
    ngx_uint_t patient, ngx_log_t *log)
{
    ngx_artifact_fold_t  *f;

    f = calloc(1, sizeof(ngx_artifact_fold_t));

    if (f == NULL) {
        return NULL;
    }

    f->root = root;
    f->workspace = workspace;
    f->patient = patient;
    f->log = log;

    f->area.folder = NGX_INVALID_FILE;
    f->area.control = NGX_INVALID_FILE;
    f->lock = NGX_INVALID_FILE;
    f->fd = NGX_INVALID_FILE;
    f->temp.fd = NGX_INVALID_FILE;

    ngx_artifact_journal_name(f->name, workspace, ".meta.json");

    return f;
}


void
ngx_artifact_fold_destroy(ngx_artifact_fold_t *f)
{
    ngx_artifact_fold_release(f);
    free(f);
}


ngx_msec_t
ngx_artifact_fold_wait(ngx_artifact_fold_t *f)
{
    return f->wait;
}


ngx_int_t
ngx_artifact_fold_run(ngx_artifact_fold_t *f, ngx_msec_t limit)
{
    uint64_t   start, last, now;
    ngx_int_t  rc;

    start = ngx_artifact_ticks();
    last = start;

    do {
        rc = ngx_artifact_fold_next(f);

        now = ngx_artifact_ticks();
        f->spent += now - last;
        last = now;

    } while (rc == NGX_AGAIN && (limit == 0 || now - start < limit * 1000));

    return rc;
}


static ngx_int_t
ngx_artifact_fold_next(ngx_artifact_fold_t *f)
{
    ngx_err_t  err;
    ngx_int_t  rc;

    rc = ngx_artifact_fold_steps[f->step](f);

    switch (rc) {

    case NGX_OK:
        f->step++;
        return NGX_AGAIN;

    case NGX_AGAIN:
        return NGX_AGAIN;

    case NGX_DECLINED:
        ngx_artifact_fold_close(f);

        if (++f->tries < NGX_ARTIFACT_FOLD_TRIES) {
            f->step = NGX_ARTIFACT_FOLD_DOCUMENT;
            return NGX_AGAIN;
        }

        rc = NGX_BUSY;
        break;

    default:
        break;
    }

    err = ngx_errno;
    ngx_artifact_fold_release(f);
    ngx_set_errno(err);

    return rc == NGX_DONE ? NGX_OK : rc;
}


static void
ngx_artifact_fold_release(ngx_artifact_fold_t *f)
{
    ngx_artifact_fold_close(f);
    ngx_artifact_journal_free(&f->journal);

    free(f->buf);
    f->buf = NULL;

    if (f->lock != NGX_INVALID_FILE) {
        (void) ngx_close_file(f->lock);
        f->lock = NGX_INVALID_FILE;
    }

    ngx_artifact_area_close(&f->area);
}


static ngx_int_t
ngx_artifact_fold_lock(ngx_artifact_fold_t *f)
{
    f->buf = malloc(NGX_ARTIFACT_FOLD_PIECE);

    if (f->buf == NULL) {
        return NGX_ERROR;
    }

    if (ngx_artifact_area_open(&f->area, f->root, "workspaces", 0) != NGX_OK) {
        return ngx_errno == NGX_ENOENT ? NGX_DONE : NGX_ERROR;
    }

    f->lock = ngx_artifact_lock(f->area.control, f->workspace,
                                NGX_ARTIFACT_FOLD, 0);

    if (f->lock == NGX_INVALID_FILE) {
        return ngx_errno == NGX_EAGAIN ? NGX_BUSY : NGX_ERROR;
    }

    if (f->patient) {
        f->wait = ngx_artifact_metadata_index_pause(f->area.control,
                                                    f->workspace);
    }

    return f->wait ? NGX_BUSY : NGX_OK;
}


/* One that a crash left stands in front of the journal proper. */

static ngx_int_t
ngx_artifact_fold_journal(ngx_artifact_fold_t *f)
{
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t   lock;
    ngx_err_t  err;
    ngx_int_t  rc;

    ngx_artifact_journal_name(name, f->workspace, NGX_ARTIFACT_FOLDING);

    rc = ngx_artifact_journal_load(f->area.control, name, &f->journal);

    f->crashed = (rc == NGX_OK);

    if (rc == NGX_OK || ngx_errno != NGX_ENOENT) {
        return rc;
    }

    lock = ngx_artifact_lock(f->area.control, f->workspace,
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_rotate(&f->area, f->workspace, &f->journal);

    err = ngx_errno;
    (void) ngx_close_file(lock);
    ngx_set_errno(err);

    return rc == NGX_DECLINED ? NGX_DONE : rc;
}


/*
 * All is in the document.  Behind a journal that a crash left there may be
 * another, which is folded once: while others append there would always be
 * more to fold.
 */

static ngx_int_t
ngx_artifact_fold_remove(ngx_artifact_fold_t *f)
{
    char  name[NGX_ARTIFACT_JOURNAL_NAME];

    ngx_artifact_journal_name(name, f->workspace, NGX_ARTIFACT_FOLDING);

    if (unlinkat(f->area.control, name, 0) == -1) {
        return NGX_ERROR;
    }

    if (!f->crashed) {
        return NGX_DONE;
    }

    ngx_artifact_fold_close(f);
    ngx_artifact_journal_free(&f->journal);

    f->step = NGX_ARTIFACT_FOLD_JOURNAL;
    f->tries = 0;

    return NGX_AGAIN;
}
