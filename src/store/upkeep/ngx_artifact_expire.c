
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Removing what has expired.  Only the folders of markers that are due are read
 * (ngx_artifact_due.h), a marker at a time, so that the cost of a step does not
 * depend on how many there are.
 *
 * The clock may be wrong, and be set right later: nothing is removed that has
 * not been due for all of five minutes of a clock that is never set.  If the
 * machine's clock has been set forward, nothing is removed for half an hour.
 * Meanwhile what has expired is not served, but is still there.
 *
 * The content goes first, then the sidecar, the marker of an upload, and then
 * the one that is due: whoever finds one of them without those before it, after
 * a crash, removes it as well.  The lock of the id is that of
 * ngx_artifact_content_publish(), and of other machines.
 */


#include "store/upkeep/ngx_artifact_upkeep.h"
#include "store/upkeep/ngx_artifact_schedule.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_due.h"
#include "store/disk/ngx_artifact_layout.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/files/ngx_artifact_marker.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include "core/meta/art_meta.h"
#include "core/ref/art_id.h"

#include <dirent.h>


/*
 * Roots that a process knows at a time, some 150 bytes each, and at how many of
 * them it looks at a time.
 */

#define NGX_ARTIFACT_EXPIRE_ROOTS  65536
#define NGX_ARTIFACT_EXPIRE_LOOKS  16

/* Milliseconds between looks at a root, and before the first one. */

#define NGX_ARTIFACT_EXPIRE_PAUSE  300000

/* How far the clock may be set forward at once, and the time of distrust. */

#define NGX_ARTIFACT_EXPIRE_JUMP   60000
#define NGX_ARTIFACT_EXPIRE_WAIT   1800000


/* A look at a root. */

typedef struct {
    ngx_artifact_job_t           job;
    char                        *root;        /* ends with a zero */
    ngx_log_t                   *log;         /* of the turn */

    ngx_artifact_area_t          area;        /* while there is work */
    ngx_fd_t                     lock;        /* of one process at a time */
    DIR                         *spans;
    DIR                         *markers;     /* of the span */
    uint64_t                     span;
    uint64_t                     due;         /* spans before it may go */
    ngx_uint_t                   layout;      /* of the last artifact */
    ngx_uint_t                   removed;     /* not reported yet */
    ngx_uint_t                   errors;      /* likewise */
    ngx_uint_t                   failed;      /* of this look */
} ngx_artifact_expire_t;


static ngx_int_t ngx_artifact_expire_start(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_expire_work(ngx_artifact_job_t *job,
    ngx_log_t *log);
static void ngx_artifact_expire_done(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_expire_begin(ngx_artifact_expire_t *e);
static uint64_t ngx_artifact_expire_clock(void);
static void ngx_artifact_expire_end(ngx_artifact_expire_t *e);
static ngx_int_t ngx_artifact_expire_step(ngx_artifact_expire_t *e);
static ngx_int_t ngx_artifact_expire_span(ngx_artifact_expire_t *e);
static DIR *ngx_artifact_expire_open(ngx_fd_t folder, const char *name);
static void ngx_artifact_expire_marker(ngx_artifact_expire_t *e,
    const char *id);
static ngx_int_t ngx_artifact_expire_artifact(ngx_artifact_expire_t *e,
    const char *id);
static ngx_int_t ngx_artifact_expire_layouts(ngx_artifact_expire_t *e,
    const char *id);
static ngx_int_t ngx_artifact_expire_files(ngx_artifact_expire_t *e,
    const ngx_artifact_subfolder_t *sub, const char *id);
static ngx_int_t ngx_artifact_expire_remove(ngx_artifact_expire_t *e,
    const ngx_artifact_subfolder_t *sub, const char *id, art_str_t extension);
static ngx_int_t ngx_artifact_expire_unlink(ngx_artifact_expire_t *e,
    ngx_fd_t folder, const char *path, const char *name);
static ngx_int_t ngx_artifact_expire_fail(ngx_artifact_expire_t *e,
    const char *call, const char *path, const char *name);


static ngx_artifact_expired_pt  ngx_artifact_expire_report;


static ngx_artifact_schedule_t  ngx_artifact_expire_roots = {
    .start = ngx_artifact_expire_start,
    .work = ngx_artifact_expire_work,
    .done = ngx_artifact_expire_done,
    .max = NGX_ARTIFACT_EXPIRE_ROOTS,
    .size = sizeof(ngx_artifact_expire_t),
    .jobs = NGX_ARTIFACT_EXPIRE_LOOKS,
    .pause = NGX_ARTIFACT_EXPIRE_PAUSE
};


/* What the process knows of the clock. */

static struct {
    uint64_t                     due;         /* spans before it may go: */
    uint64_t                     seen;        /* ... which was a while ago, */
    uint64_t                     ticks;       /* at this time in ms */
    uint64_t                     offset;      /* of the machine's clock */
    uint64_t                     jumped;      /* ms, 0: never */
} ngx_artifact_expire_times;


void
ngx_artifact_expire_init(ngx_artifact_expired_pt report)
{
    uint64_t  now;

    ngx_artifact_expire_report = report;

    ngx_artifact_schedule_init(&ngx_artifact_expire_roots);

    now = ngx_artifact_now();

    ngx_artifact_expire_times.due = 0;
    ngx_artifact_expire_times.seen = ngx_artifact_due_span(now);
    ngx_artifact_expire_times.ticks = ngx_artifact_ticks() / 1000;
    ngx_artifact_expire_times.offset = now - ngx_artifact_expire_times.ticks;
    ngx_artifact_expire_times.jumped = 0;
}


void
ngx_artifact_expire(art_str_t root, void *pool, ngx_uint_t sweep)
{
    ngx_artifact_key_t  *key;

    key = ngx_artifact_schedule(&ngx_artifact_expire_roots, root, pool);

    if (key) {
        key->unswept = sweep & 1;
    }
}


static ngx_int_t
ngx_artifact_expire_start(ngx_artifact_job_t *job)
{
    ngx_artifact_expire_t *e = (ngx_artifact_expire_t *) job;

    e->root = (char *) job->key->sn.str.data;
    e->due = ngx_artifact_expire_clock();
    e->lock = NGX_INVALID_FILE;
    e->area.folder = NGX_INVALID_FILE;
    e->area.control = NGX_INVALID_FILE;

    /* while too many are, this one is the next time */

    if (job->key->unswept
        && ngx_artifact_sweep(ngx_artifact_str(&job->key->sn.str), job->pool)
           == NGX_OK)
    {
        job->key->unswept = 0;
    }

    return e->due == 0 || ngx_exiting ? NGX_DECLINED : NGX_OK;
}


/* Until the end, NGX_OK, or that of a turn, in threads as well: NGX_AGAIN. */

static ngx_int_t
ngx_artifact_expire_work(ngx_artifact_job_t *job, ngx_log_t *log)
{
    ngx_artifact_expire_t *e = (ngx_artifact_expire_t *) job;

    uint64_t   end;
    ngx_int_t  rc;

    end = ngx_artifact_ticks() + NGX_ARTIFACT_TURN * 1000;
    e->log = log;

    if (e->spans == NULL && ngx_artifact_expire_begin(e) != NGX_OK) {
        return NGX_OK;
    }

    do {
        rc = ngx_artifact_expire_step(e);

    } while (rc == NGX_AGAIN && !ngx_exiting
             && ngx_artifact_ticks() < end);

    /* an exiting process leaves the rest to others */

    return ngx_exiting ? NGX_OK : rc;
}


static void
ngx_artifact_expire_done(ngx_artifact_job_t *job)
{
    ngx_artifact_expire_t *e = (ngx_artifact_expire_t *) job;

    if (e->removed + e->errors > 0) {
        ngx_artifact_expire_report(e->removed, e->errors);
        e->removed = 0;
        e->errors = 0;
    }

    if (job->rc != NGX_AGAIN) {
        ngx_artifact_expire_end(e);
    }
}


/* NGX_DECLINED if there is nothing, or another process is at it. */

static ngx_int_t
ngx_artifact_expire_begin(ngx_artifact_expire_t *e)
{
    if (ngx_artifact_area_open(&e->area, e->root, "artifacts", 0) != NGX_OK) {
        return NGX_DECLINED;
    }

    e->spans = ngx_artifact_expire_open(e->area.control, NGX_ARTIFACT_DUE);

    if (e->spans == NULL) {
        ngx_artifact_expire_end(e);
        return NGX_DECLINED;
    }

    e->lock = ngx_artifact_lock(e->area.control, art_cstr(NGX_ARTIFACT_DUE),
                                NGX_ARTIFACT_FOLD, 0);

    if (e->lock == NGX_INVALID_FILE) {
        ngx_artifact_expire_end(e);
        return NGX_DECLINED;
    }

    e->failed = 0;

    return NGX_OK;
}


/*
 * Returns the span before which all has been due for long enough, and is due
 * now; 0 if nothing is, or if the clock is not trusted.
 */

static uint64_t
ngx_artifact_expire_clock(void)
{
    uint64_t  now, ticks, offset, span;

    now = ngx_artifact_now();
    ticks = ngx_artifact_ticks() / 1000;
    offset = now - ticks;
    span = ngx_artifact_due_span(now);

    if ((int64_t) (offset - ngx_artifact_expire_times.offset)
        > NGX_ARTIFACT_EXPIRE_JUMP)
    {
        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                      "the clock was set forward by %uL seconds, no expired "
                      "artifacts are removed for half an hour",
                      (offset - ngx_artifact_expire_times.offset) / 1000);

        ngx_artifact_expire_times.jumped = ticks;
        ngx_artifact_expire_times.offset = offset;
    }

    if (ngx_artifact_expire_times.jumped
        && ticks - ngx_artifact_expire_times.jumped < NGX_ARTIFACT_EXPIRE_WAIT)
    {
        ngx_artifact_expire_times.due = 0;
        ngx_artifact_expire_times.seen = span;
        ngx_artifact_expire_times.ticks = ticks;
        ngx_artifact_expire_times.offset = offset;

        return 0;
    }

    if (ticks - ngx_artifact_expire_times.ticks
        >= NGX_ARTIFACT_EXPIRE_PAUSE - 1000)
    {
        ngx_artifact_expire_times.due = ngx_artifact_expire_times.seen;
        ngx_artifact_expire_times.seen = span;
        ngx_artifact_expire_times.ticks = ticks;
        ngx_artifact_expire_times.offset = offset;
    }

    return ngx_min(ngx_artifact_expire_times.due, span);
}


static void
ngx_artifact_expire_end(ngx_artifact_expire_t *e)
{
    if (e->markers) {
        (void) closedir(e->markers);
        e->markers = NULL;
    }

    if (e->spans) {
        (void) closedir(e->spans);
        e->spans = NULL;
    }

    ngx_artifact_close(&e->lock);
    ngx_artifact_area_close(&e->area);
}


static ngx_int_t
ngx_artifact_expire_step(ngx_artifact_expire_t *e)
{
    u_char          path[NGX_ARTIFACT_DUE_NAME + sizeof(NGX_ARTIFACT_DUE "/")];
    struct dirent  *entry;

    if (e->markers == NULL) {
        return ngx_artifact_expire_span(e);
    }

    entry = readdir(e->markers);

    if (entry) {
        if (entry->d_name[0] != '.') {
            ngx_artifact_expire_marker(e, entry->d_name);
        }

        return NGX_AGAIN;
    }

    (void) closedir(e->markers);
    e->markers = NULL;

    /* what could not be removed, or has just come, stays for the next look */

    (void) ngx_snprintf(path, sizeof(path), NGX_ARTIFACT_DUE "/%uL%Z",
                        e->span);
    (void) unlinkat(e->area.control, (char *) path, AT_REMOVEDIR);

    return NGX_AGAIN;
}


/* Opens the next folder that is due; NGX_OK after the last one. */

static ngx_int_t
ngx_artifact_expire_span(ngx_artifact_expire_t *e)
{
    off_t           span;
    struct dirent  *entry;

    entry = readdir(e->spans);

    if (entry == NULL) {
        return NGX_OK;
    }

    span = ngx_atoof((u_char *) entry->d_name, ngx_strlen(entry->d_name));

    if (span == (off_t) NGX_ERROR || (uint64_t) span >= e->due) {
        return NGX_AGAIN;
    }

    e->span = (uint64_t) span;
    e->markers = ngx_artifact_expire_open(dirfd(e->spans), entry->d_name);

    return NGX_AGAIN;
}


static DIR *
ngx_artifact_expire_open(ngx_fd_t folder, const char *name)
{
    DIR       *dir;
    ngx_fd_t   fd;

    fd = openat(folder, name, O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    dir = fd == NGX_INVALID_FILE ? NULL : fdopendir(fd);

    if (dir == NULL) {
        ngx_artifact_close(&fd);
    }

    return dir;
}


/* An artifact whose lock another has, since it is stored again, can wait. */

static void
ngx_artifact_expire_marker(ngx_artifact_expire_t *e, const char *id)
{
    ngx_fd_t  lock;

    if (!art_id_component(art_cstr(id))) {
        return;
    }

    lock = ngx_artifact_lock(e->area.control, art_cstr(id),
                             NGX_ARTIFACT_APPEND, 0);

    if (lock == NGX_INVALID_FILE) {
        return;
    }

    if (ngx_artifact_expire_artifact(e, id) != NGX_OK
        || ngx_artifact_expire_unlink(e, dirfd(e->markers), "", id) != NGX_OK)
    {
        e->errors++;
    }

    ngx_artifact_close(&lock);
}


/* NGX_OK if the marker is of no use any more. */

static ngx_int_t
ngx_artifact_expire_artifact(ngx_artifact_expire_t *e, const char *id)
{
    ngx_int_t  rc;

    rc = ngx_artifact_expire_layouts(e, id);

    if (rc != NGX_DONE && rc != NGX_DECLINED) {
        return rc;
    }

    /* only such an id may be that of an upload */

    if (ngx_artifact_marker_is(id)) {
        ngx_artifact_marker_remove(e->area.control, id);
    }

    return NGX_OK;
}


/*
 * The layout used by the writer is unknown here, so all are tried, that of the
 * last artifact first.
 */

static ngx_int_t
ngx_artifact_expire_layouts(ngx_artifact_expire_t *e, const char *id)
{
    ngx_int_t                 rc;
    ngx_uint_t                i, n;
    art_ref_layout_t          layout;
    ngx_artifact_subfolder_t  sub;

    n = e->layout;

    for (i = 0; art_ref_layout_any((unsigned) n, &layout) == ART_OK; i++) {
        ngx_artifact_subfolder_of(&layout, art_cstr(id), &sub);

        rc = ngx_artifact_expire_files(e, &sub, id);

        if (rc != NGX_DECLINED) {
            e->layout = n;
            return rc;
        }

        n = i < e->layout ? i : i + 1;
    }

    return NGX_DECLINED;
}


/*
 * NGX_DONE if the artifact was removed, NGX_DECLINED if there is no sidecar
 * here, NGX_OK if it is not due; NGX_ERROR: the marker stays.
 */

static ngx_int_t
ngx_artifact_expire_files(ngx_artifact_expire_t *e,
    const ngx_artifact_subfolder_t *sub, const char *id)
{
    u_char             path[ART_REF_LAYOUT_PLACE + NAME_MAX + 1];
    ngx_int_t          rc;
    ngx_str_t          name, root, text;
    art_meta_t         meta;
    ngx_file_info_t    info;
    art_meta_status_t  status;

    name.data = path;
    name.len = (size_t) (ngx_snprintf(path, sizeof(path) - 1, "%s%s.meta",
                                      sub->path, id) - path);
    path[name.len] = '\0';

    if (ngx_artifact_stat(e->area.folder, (char *) path, 1, &info) != NGX_OK) {
        return ngx_artifact_is_missing(ngx_errno)
               ? NGX_DECLINED
               : ngx_artifact_expire_fail(e, "stat", (char *) sub->path, id);
    }

    root.data = (u_char *) e->root;
    root.len = ngx_strlen(e->root);

    if (ngx_artifact_load_sidecar(e->log, e->area.folder, &root, &name, &info,
                                  &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_set_errno(0);

    status = art_meta_parse(ngx_artifact_str(&text), &meta);

    ngx_free(text.data);

    if (status != ART_META_OK) {
        return ngx_errno == NGX_ENOMEM ? NGX_ERROR : NGX_OK;
    }

    if (meta.until == 0) {
        rc = NGX_OK;             /* for ever, now */

    } else if (ngx_artifact_due_span(meta.until) < e->due) {
        rc = ngx_artifact_expire_remove(e, sub, id, meta.extension);

    } else {
        rc = ngx_artifact_due_mark(e->area.control, id, meta.until, 1);
    }

    art_meta_free(&meta);

    return rc;
}


static ngx_int_t
ngx_artifact_expire_remove(ngx_artifact_expire_t *e,
    const ngx_artifact_subfolder_t *sub, const char *id, art_str_t extension)
{
    u_char     name[ART_REF_FILE_NAME + sizeof(".meta")];
    size_t     len;
    ngx_fd_t   folder;
    ngx_int_t  rc;

    folder = sub->len == 0 ? e->area.folder
             : ngx_artifact_openat(e->area.folder, (char *) sub->path,
                                   O_RDONLY|O_DIRECTORY, 1);

    if (folder == NGX_INVALID_FILE) {
        return ngx_artifact_expire_fail(e, "open", (char *) sub->path, id);
    }

    len = art_ref_file_name(name, art_cstr(id), extension);

    rc = len == 0 ? NGX_OK
         : ngx_artifact_expire_unlink(e, folder, (char *) sub->path,
                                      (char *) name);
    if (rc == NGX_OK) {
        (void) ngx_snprintf(name, sizeof(name), "%s.meta%Z", id);

        rc = ngx_artifact_expire_unlink(e, folder, (char *) sub->path,
                                        (char *) name);
    }

    if (folder != e->area.folder) {
        ngx_artifact_close(&folder);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    e->removed++;

    return NGX_DONE;
}


/* What is not there was removed before. */

static ngx_int_t
ngx_artifact_expire_unlink(ngx_artifact_expire_t *e, ngx_fd_t folder,
    const char *path, const char *name)
{
    if (unlinkat(folder, name, 0) == 0 || ngx_errno == NGX_ENOENT) {
        return NGX_OK;
    }

    return ngx_artifact_expire_fail(e, "unlink", path, name);
}


static ngx_int_t
ngx_artifact_expire_fail(ngx_artifact_expire_t *e, const char *call,
    const char *path, const char *name)
{
    /* a disk that is read-only would fill the log */

    if (e->failed++ == 0) {
        ngx_log_error(NGX_LOG_ERR, e->log, ngx_errno,
                      "%s() \"%s/artifacts/%s%s\" failed, it has expired and "
                      "is not removed", call, e->root, path, name);
    }

    return NGX_ERROR;
}
