
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding a workspace's journal into "{workspace}.meta.json" and its index.
 * At any moment a reader finds a record in the journal, in the journal being
 * folded, or in the document; it reads them in this order.
 *
 * Everything is synced even with "artifact_sync off": the new document takes
 * the place of data that other writers have written.
 */


#include "store/metadata/ngx_artifact_fold.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/metadata/ngx_artifact_journal.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/journal/art_fold.h"
#include "core/journal/art_meta_index.h"


/* How often a fold begins again when another writer replaces the document. */

#define NGX_ARTIFACT_FOLD_TRIES  8

/* Bytes read and written at a time. */

#define NGX_ARTIFACT_FOLD_PIECE  65536

/* Entries of an index; documents with more are searched without one. */

#define NGX_ARTIFACT_FOLD_ENTRIES     (4 * 1024 * 1024)

/* The fewest bytes of a member of a document, or of a record. */

#define NGX_ARTIFACT_FOLD_MEMBER      5

/* Entries of an index sorted at a time. */

#define NGX_ARTIFACT_FOLD_SORT        8192

/* Milliseconds for which a malformed document may be incomplete. */

#define NGX_ARTIFACT_FOLD_BEING_WRITTEN  1000


struct ngx_artifact_fold_s {
    const char                  *root;
    art_str_t                    workspace;
    ngx_uint_t                   patient;
    ngx_log_t                   *log;
    ngx_uint_t                   step;
    ngx_uint_t                   tries;
    uint64_t                     spent;       /* microseconds */
    ngx_msec_t                   wait;

    ngx_artifact_area_t          area;
    ngx_fd_t                     lock;
    char                         name[NGX_ARTIFACT_JOURNAL_NAME];
    art_str_t                    journal;
    ngx_uint_t                   crashed;     /* a process left the journal */

    ngx_fd_t                     fd;          /* the document, if any */
    ngx_file_info_t              info;
    art_fold_t                  *fold;
    art_meta_index_t             index;
    ngx_artifact_temp_t          temp;        /* the new document */
    ngx_file_info_t              temp_info;

    ngx_artifact_temp_t         *out;         /* what is being written */
    u_char                      *buf;
    size_t                       len;         /* bytes in it, to be written */
    off_t                        offset;      /* written */
};


static ngx_int_t ngx_artifact_fold_next(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_release(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_lock(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_journal(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_open(ngx_artifact_fold_t *f);
static ngx_uint_t ngx_artifact_fold_being_written(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_rename_corrupt(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_begin(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_merge(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_sync(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_index(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_write_index(ngx_artifact_fold_t *f,
    const char *name);
static ngx_int_t ngx_artifact_fold_replace(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_remove(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_close(ngx_artifact_fold_t *f);
static int ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf,
    size_t *len);
static void ngx_artifact_fold_output(ngx_artifact_fold_t *f,
    ngx_artifact_temp_t *out);
static int ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len);
static ngx_int_t ngx_artifact_fold_flush(ngx_artifact_fold_t *f);


/*
 * The steps of a fold, in this order; some go back to the journal or to the
 * document.  A step returns NGX_OK: the next one follows; NGX_AGAIN: f->step
 * follows; NGX_DECLINED: the document has to be read again, since another
 * writer replaced it or it was set aside; NGX_DONE: there is nothing more to
 * do; NGX_BUSY or NGX_ERROR: the fold ends.
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
    ngx_msec_t            wait;
    ngx_artifact_fold_t  *f;

    f = ngx_artifact_fold_create(root, workspace, 0, log);

    if (f == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_fold_run(f, 0, &wait);

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


ngx_int_t
ngx_artifact_fold_run(ngx_artifact_fold_t *f, ngx_msec_t limit,
    ngx_msec_t *wait)
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

    *wait = f->wait;

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

    ngx_log_debug4(NGX_LOG_DEBUG_CORE, f->log, rc == NGX_ERROR ? err : 0,
                   "artifact fold: \"%s\" ends at step %ui with %i, %uL us",
                   f->name, f->step, rc, f->spent);

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

    ngx_artifact_close(&f->lock);
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
        f->wait = ngx_artifact_index_pause(f->area.control, f->workspace);
    }

    return f->wait ? NGX_BUSY : NGX_OK;
}


/* A journal left by a crash is folded before the current one. */

static ngx_int_t
ngx_artifact_fold_journal(ngx_artifact_fold_t *f)
{
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t   lock;
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

    ngx_artifact_close(&lock);

    return rc == NGX_DECLINED ? NGX_DONE : rc;
}


static ngx_int_t
ngx_artifact_fold_open(ngx_artifact_fold_t *f)
{
    ngx_memzero(&f->info, sizeof(ngx_file_info_t));

    f->fd = ngx_artifact_open_info(f->area.folder, f->name, O_RDONLY, 1,
                                   &f->info);

    if (f->fd == NGX_INVALID_FILE) {

        if (ngx_errno == NGX_ENOENT) {
            return NGX_OK;
        }

        if (ngx_errno == NGX_ELOOP || ngx_errno == NGX_EXDEV) {
            return ngx_artifact_fold_rename_corrupt(f);
        }

        return NGX_ERROR;
    }

    if (!ngx_is_file(&f->info)) {
        ngx_set_errno(NGX_EISDIR);
        return NGX_ERROR;
    }

    /* an empty document would be replaced while its writer fills it */

    return ngx_file_size(&f->info) == 0 && ngx_artifact_fold_being_written(f)
           ? NGX_BUSY : NGX_OK;
}


/* Whether the platform's own writer, which writes in place, may be writing. */

static ngx_uint_t
ngx_artifact_fold_being_written(ngx_artifact_fold_t *f)
{
    int64_t  age;

    age = (int64_t) ngx_artifact_now()
          - (int64_t) (ngx_artifact_mtime(&f->info) / 1000000);

    return age > -NGX_ARTIFACT_FOLD_BEING_WRITTEN
           && age < NGX_ARTIFACT_FOLD_BEING_WRITTEN;
}


/* Renames a corrupt document: somebody may repair it. */

static ngx_int_t
ngx_artifact_fold_rename_corrupt(ngx_artifact_fold_t *f)
{
    char             name[NGX_ARTIFACT_JOURNAL_NAME
                          + sizeof(".meta.json.corrupt-") + NGX_INT64_LEN];
    size_t           len;
    uint64_t         now;
    ngx_uint_t       tries;
    ngx_file_info_t  info;

    now = ngx_artifact_now();
    len = ngx_min(f->workspace.len, 200);

    for (tries = 0; tries < 16; tries++, now++) {

        (void) ngx_snprintf((u_char *) name, sizeof(name),
                            "%*s.meta.json.corrupt-%uL%Z", len,
                            f->workspace.data, now);

        if (fstatat(f->area.folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            continue;
        }

        return renameat(f->area.folder, f->name, f->area.folder, name) == -1
               ? NGX_ERROR : NGX_DECLINED;
    }

    ngx_set_errno(NGX_EEXIST);

    return NGX_ERROR;
}


static ngx_int_t
ngx_artifact_fold_begin(ngx_artifact_fold_t *f)
{
    size_t           max;
    art_fold_conf_t  conf;

    if (ngx_artifact_temp_open(&f->temp, f->area.control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_artifact_fold_output(f, &f->temp);

    /*
     * room for all entries that the document may have: untouched pages take no
     * memory, and the others are not kept in a thread's heap
     */

    max = ((size_t) ngx_file_size(&f->info) + f->journal.len)
          / NGX_ARTIFACT_FOLD_MEMBER;
    max = ngx_min(max, NGX_ARTIFACT_FOLD_ENTRIES);

    f->index.entries = (void *) ngx_artifact_map(max
                                            * sizeof(art_meta_index_entry_t));
    f->index.max = f->index.entries ? max : 0;

    ngx_memzero(&conf, sizeof(art_fold_conf_t));

    conf.workspace = f->workspace;
    conf.journal = art_str(f->journal.data, f->journal.len);
    conf.piece = NGX_ARTIFACT_FOLD_PIECE;
    conf.read = ngx_artifact_fold_read;
    conf.write = ngx_artifact_fold_write;
    conf.index = &f->index;
    conf.data = f;

    ngx_artifact_random(conf.seed, sizeof(conf.seed));
    ngx_artifact_random(f->index.seed, sizeof(f->index.seed));

    ngx_set_errno(NGX_ENOMEM);

    f->fold = art_fold_create(&conf);

    return f->fold ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_artifact_fold_merge(ngx_artifact_fold_t *f)
{
    art_fold_report_t  report;

    ngx_set_errno(NGX_ENOMEM);   /* unless a call sets another one */

    switch (art_fold_step(f->fold, &report)) {

    case ART_FOLD_AGAIN:
        return NGX_AGAIN;

    case ART_FOLD_OK:
        if (report.replaced) {
            ngx_log_error(NGX_LOG_WARN, f->log, 0,
                          "artifact metadata \"%s\": %ud entries could not be "
                          "merged and were replaced", f->name, report.replaced);
        }

        return ngx_artifact_fold_flush(f);

    case ART_FOLD_CORRUPT:
        if (ngx_artifact_fold_being_written(f)) {
            return NGX_BUSY;
        }

        ngx_log_error(NGX_LOG_ERR, f->log, 0,
                      "artifact metadata \"%s\" is corrupt at byte %uL and "
                      "set aside", f->name, report.position);

        return ngx_artifact_fold_rename_corrupt(f);

    case ART_FOLD_TOO_LONG:
        ngx_log_error(NGX_LOG_ERR, f->log, 0,
                      "artifact metadata \"%s\" has a member of more than %uz "
                      "bytes at byte %uL", f->name,
                      (size_t) ART_FOLD_MEMBER_MAX, report.position);

        ngx_set_errno(EFBIG);
        return NGX_ERROR;

    case ART_FOLD_CHANGED:
        return NGX_DECLINED;

    default:
        return NGX_ERROR;
    }
}


/* The new document has the permissions of the one that it replaces. */

static ngx_int_t
ngx_artifact_fold_sync(ngx_artifact_fold_t *f)
{
    ngx_fd_t    fd;
    ngx_uint_t  changed;

    fd = f->temp.fd;

    return (f->fd != NGX_INVALID_FILE
            && ngx_artifact_inherit(fd, &f->info, &changed) != NGX_OK)
           || ngx_artifact_touch(fd, NULL) != NGX_OK
           || fsync(fd) == -1
           || ngx_fd_info(fd, &f->temp_info) == NGX_FILE_ERROR
           ? NGX_ERROR : NGX_OK;
}


/*
 * The index is written before the document is renamed, so that no reader has to
 * search the document.  If that fails, the fold continues without it.
 */

static ngx_int_t
ngx_artifact_fold_index(ngx_artifact_fold_t *f)
{
    char         name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_int_t    rc;
    const char  *suffix;

    if (!f->index.over
        && !art_meta_index_sort(&f->index, NGX_ARTIFACT_FOLD_SORT))
    {
        return NGX_AGAIN;
    }

    suffix = ngx_artifact_index_spare(f->area.control, f->workspace, &f->info);

    ngx_artifact_journal_name(name, f->workspace, suffix);

    if (!f->index.over) {
        rc = ngx_artifact_fold_write_index(f, name);

    } else {
        rc = unlinkat(f->area.control, name, 0) == -1
             && ngx_errno != NGX_ENOENT ? NGX_ERROR : NGX_OK;
    }

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_WARN, f->log, ngx_errno,
                      "writing \"workspaces/" NGX_ARTIFACT_CONTROL "/%s\" "
                      "failed", name);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_fold_write_index(ngx_artifact_fold_t *f, const char *name)
{
    ngx_int_t                rc;
    ngx_artifact_temp_t      temp;
    art_meta_index_header_t  header;

    ngx_memzero(&header, sizeof(art_meta_index_header_t));

    header.ino = (uint64_t) f->temp_info.st_ino;
    header.size = (uint64_t) f->temp_info.st_size;
    header.mtime = ngx_artifact_mtime(&f->temp_info);
    header.spent = (unsigned) (f->spent / 1000);

    if (ngx_artifact_temp_open(&temp, f->area.control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_artifact_fold_output(f, &temp);

    rc = NGX_OK;

    if (art_meta_index_write(&f->index, &header, ngx_artifact_fold_write, f)
        != ART_OK
        || ngx_artifact_fold_flush(f) != NGX_OK
        || fdatasync(temp.fd) == -1
        || renameat(f->area.control, (char *) temp.name, f->area.control,
                    name)
           == -1)
    {
        rc = NGX_ERROR;
    }

    ngx_artifact_temp_close(&temp, f->area.control, rc == NGX_OK);

    return rc;
}


/* Renames the new document, unless another writer has replaced the old one. */

static ngx_int_t
ngx_artifact_fold_replace(ngx_artifact_fold_t *f)
{
    ngx_file_info_t  now;

    if (fstatat(f->area.folder, f->name, &now, 0) == -1) {

        if (ngx_errno != NGX_ENOENT) {
            return NGX_ERROR;
        }

        ngx_memzero(&now, sizeof(ngx_file_info_t));
    }

    if (now.st_ino != f->info.st_ino || now.st_size != f->info.st_size
        || now.st_mtim.tv_sec != f->info.st_mtim.tv_sec
        || now.st_mtim.tv_nsec != f->info.st_mtim.tv_nsec)
    {
        return NGX_DECLINED;
    }

    if (renameat(f->area.control, (char *) f->temp.name, f->area.folder,
                 f->name)
        == -1)
    {
        return NGX_ERROR;
    }

    ngx_artifact_temp_close(&f->temp, f->area.control, 1);

    /* the journal may only be removed when the document is on the disk */

    return fsync(f->area.folder) == -1 ? NGX_ERROR : NGX_OK;
}


/*
 * All records are in the document.  After a journal left by a crash there may
 * be another one, which is folded once: while others append, there would always
 * be more to fold.
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


static void
ngx_artifact_fold_close(ngx_artifact_fold_t *f)
{
    if (f->fold) {
        art_fold_destroy(f->fold);
        f->fold = NULL;
    }

    if (f->index.entries) {
        ngx_artifact_unmap((void *) f->index.entries,
                           f->index.max * sizeof(art_meta_index_entry_t));
    }

    ngx_memzero(&f->index, sizeof(art_meta_index_t));

    ngx_artifact_temp_close(&f->temp, f->area.control, 0);

    ngx_artifact_close(&f->fd);
}


static int
ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    ngx_artifact_fold_t *f = data;

    ssize_t  n;

    n = f->fd == NGX_INVALID_FILE
        ? 0 : ngx_artifact_read_all(f->fd, buf, *len, (off_t) offset);

    if (n == NGX_ERROR) {
        return ART_ERROR;
    }

    *len = (size_t) n;

    return ART_OK;
}


static void
ngx_artifact_fold_output(ngx_artifact_fold_t *f, ngx_artifact_temp_t *out)
{
    f->out = out;
    f->offset = 0;
    f->len = 0;
}


static int
ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len)
{
    ngx_artifact_fold_t *f = data;

    size_t  n;

    while (len > 0) {

        n = ngx_min(len, NGX_ARTIFACT_FOLD_PIECE - f->len);

        ngx_memcpy(f->buf + f->len, p, n);

        f->len += n;
        p += n;
        len -= n;

        if (f->len == NGX_ARTIFACT_FOLD_PIECE
            && ngx_artifact_fold_flush(f) != NGX_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static ngx_int_t
ngx_artifact_fold_flush(ngx_artifact_fold_t *f)
{
    if (ngx_artifact_write_all(f->out->fd, f->buf, f->len, f->offset)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* the kernel starts to write, so that syncing the file takes less time */

    (void) sync_file_range(f->out->fd, f->offset, (off_t) f->len,
                           SYNC_FILE_RANGE_WRITE);

    f->offset += (off_t) f->len;
    f->len = 0;

    return NGX_OK;
}
