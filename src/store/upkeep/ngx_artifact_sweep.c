
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Cleaning up a root: when a process starts, with the first write below the
 * root, and with later writes at most once a minute.  A walk over its control
 * folders takes them a name at a time, so that the cost of a step does not
 * depend on how many names there are; it may run in a thread.
 */


#include "store/upkeep/ngx_artifact_upkeep.h"
#include "store/upkeep/ngx_artifact_schedule.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_layout.h"
#include "store/files/ngx_artifact_marker.h"
#include "store/metadata/ngx_artifact_journal.h"
#include "store/metadata/ngx_artifact_metadata.h"

#include <dirent.h>


#define NGX_ARTIFACT_SWEEP_PAUSE  60000      /* milliseconds */

/* At most so many roots are cleaned up in that time; others have to wait. */

#define NGX_ARTIFACT_SWEEP_ROOTS  256

/* While so many workspaces wait for a fold, the search pauses. */

#define NGX_ARTIFACT_SWEEP_FOLDS  512
#define NGX_ARTIFACT_SWEEP_WAIT   50

/* How many workspaces are reported at a time. */

#define NGX_ARTIFACT_CLEAN_FOUND  64

/* Seconds without a change after which journals and indexes are removed. */

#define NGX_ARTIFACT_CLEAN_AGE  3600

/* Where the digit of a UUID's version is. */

#define NGX_ARTIFACT_CLEAN_VERSION  14


/* Names of workspaces, ending with a zero. */

typedef struct {
    ngx_uint_t                   n;
    char                         names[NGX_ARTIFACT_CLEAN_FOUND]
                                      [ART_ID_NAME_MAX + 1];
} ngx_artifact_clean_list_t;


/* The walk, about 33 KB for each root that is being cleaned up. */

typedef struct {
    ngx_artifact_job_t           job;
    const char                  *root;     /* ends with a zero */
    ngx_uint_t                   step;     /* index of the area */
    ngx_artifact_area_t          area;
    DIR                         *dir;
    time_t                       time;
    ngx_fd_t                     lock;     /* while journals are removed */
    art_journal_clock_t          clock;    /* of the journals in "idle" */
    ngx_uint_t                   removed;  /* how many of "idle" */
    ngx_artifact_clean_list_t    idle;     /* journals to be removed */
    ngx_artifact_clean_list_t    found;    /* journals to be folded */
} ngx_artifact_clean_t;


static ngx_int_t ngx_artifact_clean_start(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_clean_ready(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_clean_work(ngx_artifact_job_t *job,
    ngx_log_t *log);
static void ngx_artifact_clean_done(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_clean_step(ngx_artifact_clean_t *c);
static void ngx_artifact_clean_open(ngx_artifact_clean_t *c);
static void ngx_artifact_clean_close(ngx_artifact_clean_t *c);
static void ngx_artifact_clean_name(ngx_artifact_clean_t *c, const char *name);
static ngx_int_t ngx_artifact_clean_temp(ngx_artifact_clean_t *c,
    const char *name);
static void ngx_artifact_clean_sidecar(ngx_artifact_clean_t *c, art_str_t id);
static void ngx_artifact_clean_journal(ngx_artifact_clean_t *c,
    const char *name, art_str_t workspace);
static ngx_int_t ngx_artifact_clean_idle(ngx_artifact_clean_t *c);
static void ngx_artifact_clean_index(ngx_artifact_clean_t *c, const char *name,
    art_str_t workspace);
static ngx_uint_t ngx_artifact_clean_is_old(ngx_artifact_clean_t *c,
    ngx_file_info_t *info);
static ngx_uint_t ngx_artifact_clean_suffix(const char *name,
    const char *suffix, art_str_t *workspace);
static void ngx_artifact_clean_add(ngx_artifact_clean_list_t *list,
    art_str_t workspace);


/* What this process has cleaned up. */

static ngx_artifact_schedule_t  ngx_artifact_swept = {
    .start = ngx_artifact_clean_start,
    .ready = ngx_artifact_clean_ready,
    .work = ngx_artifact_clean_work,
    .done = ngx_artifact_clean_done,
    .max = NGX_ARTIFACT_SWEEP_ROOTS,
    .size = sizeof(ngx_artifact_clean_t),
    .jobs = NGX_ARTIFACT_SWEEP_ROOTS,
    .pause = NGX_ARTIFACT_SWEEP_PAUSE,
    .once = 1
};


/* The areas of a root. */

static const char  *ngx_artifact_clean_areas[] = { "workspaces", "artifacts" };


void
ngx_artifact_sweep_init(void)
{
    ngx_artifact_schedule_init(&ngx_artifact_swept);
}


ngx_int_t
ngx_artifact_sweep(art_str_t root, void *pool)
{
    return ngx_artifact_schedule(&ngx_artifact_swept, root, pool)
           ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
ngx_artifact_clean_start(ngx_artifact_job_t *job)
{
    ngx_artifact_clean_t *c = (ngx_artifact_clean_t *) job;

    c->root = (char *) job->key->sn.str.data;
    c->lock = NGX_INVALID_FILE;
    c->area.folder = NGX_INVALID_FILE;
    c->area.control = NGX_INVALID_FILE;

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_clean_ready(ngx_artifact_job_t *job)
{
    if (ngx_artifact_fold_timers() < NGX_ARTIFACT_SWEEP_FOLDS) {
        return NGX_OK;
    }

    ngx_artifact_job_add(job, NGX_ARTIFACT_SWEEP_WAIT);

    return NGX_DECLINED;
}


static void
ngx_artifact_clean_done(ngx_artifact_job_t *job)
{
    ngx_artifact_clean_t *c = (ngx_artifact_clean_t *) job;

    ngx_uint_t  i;

    for (i = 0; i < c->found.n; i++) {
        ngx_artifact_fold_schedule(art_cstr(c->root),
                                   art_cstr(c->found.names[i]), job->pool, 0);
    }

    c->found.n = 0;

    if (job->rc != NGX_AGAIN) {
        ngx_artifact_clean_close(c);
    }
}


/*
 * Runs until the end, until the list of found workspaces is full, or until a
 * turn is over, in threads as well; only syncing a file may take longer.
 * NGX_AGAIN if there is more to do, else NGX_OK.
 *
 * Removes temporary files whose writer is gone.  After an hour without a change
 * it also removes journals that have only a clock
 * (ngx_artifact_journal_remove()) and indexes without a document.
 */

static ngx_int_t
ngx_artifact_clean_work(ngx_artifact_job_t *job, ngx_log_t *log)
{
    ngx_artifact_clean_t *c = (ngx_artifact_clean_t *) job;

    uint64_t   end;
    ngx_int_t  rc;

    end = ngx_artifact_ticks() + NGX_ARTIFACT_TURN * 1000;

    do {
        rc = ngx_artifact_clean_step(c);

    } while (rc == NGX_AGAIN && c->found.n < NGX_ARTIFACT_CLEAN_FOUND
             && ngx_artifact_ticks() < end);

    return rc;
}


static ngx_int_t
ngx_artifact_clean_step(ngx_artifact_clean_t *c)
{
    struct dirent  *entry;

    if (c->idle.n == NGX_ARTIFACT_CLEAN_FOUND || c->lock != NGX_INVALID_FILE) {
        return ngx_artifact_clean_idle(c);
    }

    if (c->dir == NULL) {
        if (c->step == sizeof(ngx_artifact_clean_areas) / sizeof(char *)) {
            return NGX_OK;
        }

        ngx_artifact_clean_open(c);
    }

    entry = c->dir ? readdir(c->dir) : NULL;

    if (entry) {
        ngx_artifact_clean_name(c, entry->d_name);

    } else if (c->idle.n > 0) {
        return ngx_artifact_clean_idle(c);

    } else {
        ngx_artifact_clean_close(c);
        c->step++;
    }

    return NGX_AGAIN;
}


static void
ngx_artifact_clean_open(ngx_artifact_clean_t *c)
{
    ngx_fd_t  fd;

    if (ngx_artifact_area_open(&c->area, c->root,
                               ngx_artifact_clean_areas[c->step], 0)
        != NGX_OK)
    {
        return;
    }

    c->time = (time_t) (ngx_artifact_now() / 1000);

    fd = openat(c->area.control, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    c->dir = fd == NGX_INVALID_FILE ? NULL : fdopendir(fd);

    if (c->dir == NULL) {
        ngx_artifact_close(&fd);
    }
}


static void
ngx_artifact_clean_close(ngx_artifact_clean_t *c)
{
    if (c->dir) {
        (void) closedir(c->dir);
        c->dir = NULL;
    }

    ngx_artifact_close(&c->lock);
    ngx_artifact_area_close(&c->area);
}


static void
ngx_artifact_clean_name(ngx_artifact_clean_t *c, const char *name)
{
    art_str_t  workspace;

    if (ngx_artifact_clean_temp(c, name) == NGX_OK) {
        return;
    }

    if (ngx_artifact_clean_suffix(name, NGX_ARTIFACT_FOLDING, &workspace)) {
        ngx_artifact_clean_add(&c->found, workspace);

    } else if (ngx_artifact_clean_suffix(name, NGX_ARTIFACT_JOURNAL,
                                         &workspace))
    {
        ngx_artifact_clean_journal(c, name, workspace);

    } else if (ngx_artifact_clean_suffix(name, NGX_ARTIFACT_INDEX, &workspace)
               || ngx_artifact_clean_suffix(name, NGX_ARTIFACT_INDEX2,
                                            &workspace))
    {
        ngx_artifact_clean_index(c, name, workspace);
    }
}


/*
 * Returns NGX_OK if "name" is a temporary file, and removes it unless its
 * writer is alive.  Files of workspaces have a suffix with a dot; a UUID has
 * no dot.
 */

static ngx_int_t
ngx_artifact_clean_temp(ngx_artifact_clean_t *c, const char *name)
{
    ngx_fd_t     fd, lock;
    const char  *id;

    id = name + sizeof(NGX_ARTIFACT_TEMP) - 1;

    if (ngx_strncmp(name, NGX_ARTIFACT_TEMP, sizeof(NGX_ARTIFACT_TEMP) - 1)
        != 0
        || ngx_strlen(id) != NGX_ARTIFACT_TEMP_ID
        || strspn(id, "0123456789abcdef-") != NGX_ARTIFACT_TEMP_ID)
    {
        return NGX_DECLINED;
    }

    /* the name of a content's id is used again, under a lock */

    lock = NGX_INVALID_FILE;

    if (id[NGX_ARTIFACT_CLEAN_VERSION] == '8') {
        lock = ngx_artifact_lock(c->area.control, art_cstr(id),
                                 NGX_ARTIFACT_APPEND, 0);

        if (lock == NGX_INVALID_FILE) {
            return NGX_OK;
        }
    }

    fd = openat(c->area.control, name,
                O_RDWR|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        ngx_artifact_close(&lock);
        return NGX_OK;
    }

    /*
     * The metadata of an artifact whose content never came is removed as well,
     * and then its marker, if it was an upload.
     * If unlinkat() finds no file, the content has come: a look-up might say
     * otherwise on a file system that caches names.
     */

    if (ngx_artifact_lock_file(fd) == NGX_OK
        && unlinkat(c->area.control, name, 0) == 0
        && c->step > 0)
    {
        ngx_artifact_clean_sidecar(c, art_cstr(id));
        ngx_artifact_marker_remove(c->area.control, id);
    }

    (void) ngx_close_file(fd);
    ngx_artifact_close(&lock);

    return NGX_OK;
}


/*
 * The layout used by the writer is unknown here, so all are tried: there are
 * only a few.
 */

static void
ngx_artifact_clean_sidecar(ngx_artifact_clean_t *c, art_str_t id)
{
    u_char                    path[ART_REF_LAYOUT_PLACE + NGX_ARTIFACT_TEMP_ID
                                   + sizeof(".meta")];
    ngx_uint_t                i;
    art_ref_layout_t          layout;
    ngx_artifact_subfolder_t  sub;

    for (i = 0; art_ref_layout_any((unsigned) i, &layout) == ART_OK; i++) {
        ngx_artifact_subfolder_of(&layout, id, &sub);

        (void) ngx_snprintf(path, sizeof(path), "%s%*s.meta%Z", sub.path,
                            id.len, id.data);
        (void) unlinkat(c->area.folder, (char *) path, 0);
    }
}


/* Lists a journal to be removed if it is idle, else to be folded. */

static void
ngx_artifact_clean_journal(ngx_artifact_clean_t *c, const char *name,
    art_str_t workspace)
{
    ngx_file_info_t      info;
    art_journal_clock_t  clock;

    if (fstatat(c->area.control, name, &info, AT_SYMLINK_NOFOLLOW) == -1) {
        return;
    }

    if (info.st_size <= ART_JOURNAL_CLOCK_MAX
        && ngx_artifact_clean_is_old(c, &info)
        && ngx_artifact_journal_idle(c->area.control, workspace, &clock)
           == NGX_OK)
    {
        (void) art_journal_clock_join(&c->clock, &clock);
        ngx_artifact_clean_add(&c->idle, workspace);

    } else if (info.st_size > ART_JOURNAL_HEAD) {
        ngx_artifact_clean_add(&c->found, workspace);
    }
}


/*
 * Removes one of the idle journals.  Before the first one, their times are
 * saved elsewhere.  Only one process at a time does this; others leave them for
 * the next time.  The lock belongs to no workspace.
 */

static ngx_int_t
ngx_artifact_clean_idle(ngx_artifact_clean_t *c)
{
    art_str_t  workspace;

    if (c->lock == NGX_INVALID_FILE) {
        c->lock = ngx_artifact_lock(c->area.control, art_cstr(""),
                                    NGX_ARTIFACT_FOLD, 0);

        if (c->lock == NGX_INVALID_FILE
            || ngx_artifact_journal_save_clock(c->area.control, &c->clock)
               != NGX_OK)
        {
            c->removed = c->idle.n;
        }

    } else if (c->removed < c->idle.n) {
        workspace = art_cstr(c->idle.names[c->removed++]);

        (void) ngx_artifact_journal_remove(c->area.control, workspace,
                                           &c->clock);
    }

    if (c->removed == c->idle.n) {
        c->idle.n = 0;
        c->removed = 0;

        ngx_memzero(&c->clock, sizeof(art_journal_clock_t));
        ngx_artifact_close(&c->lock);
    }

    return NGX_AGAIN;
}


/* Removes an index without a document; a fold that creates one has the lock. */

static void
ngx_artifact_clean_index(ngx_artifact_clean_t *c, const char *name,
    art_str_t workspace)
{
    char             document[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t         lock;
    ngx_file_info_t  info;

    ngx_artifact_journal_name(document, workspace, ".meta.json");

    if (fstatat(c->area.folder, document, &info, AT_SYMLINK_NOFOLLOW) == 0
        || fstatat(c->area.control, name, &info, AT_SYMLINK_NOFOLLOW) == -1
        || !ngx_artifact_clean_is_old(c, &info))
    {
        return;
    }

    lock = ngx_artifact_lock(c->area.control, workspace, NGX_ARTIFACT_FOLD, 0);

    if (lock == NGX_INVALID_FILE) {
        return;
    }

    if (fstatat(c->area.folder, document, &info, AT_SYMLINK_NOFOLLOW) == -1
        && ngx_errno == NGX_ENOENT)
    {
        (void) unlinkat(c->area.control, name, 0);
    }

    ngx_artifact_close(&lock);
}


static ngx_uint_t
ngx_artifact_clean_is_old(ngx_artifact_clean_t *c, ngx_file_info_t *info)
{
    return !ngx_artifact_is_recent(ngx_file_mtime(info), c->time,
                                   NGX_ARTIFACT_CLEAN_AGE);
}


static ngx_uint_t
ngx_artifact_clean_suffix(const char *name, const char *suffix,
    art_str_t *workspace)
{
    size_t  len, n;

    len = ngx_strlen(name);
    n = ngx_strlen(suffix);

    if (len <= n || len - n > ART_ID_NAME_MAX
        || ngx_strcmp(name + len - n, suffix) != 0)
    {
        return 0;
    }

    *workspace = art_str((const u_char *) name, len - n);

    return 1;
}


static void
ngx_artifact_clean_add(ngx_artifact_clean_list_t *list, art_str_t workspace)
{
    char  *p;

    p = list->names[list->n++];

    ngx_memcpy(p, workspace.data, workspace.len);
    p[workspace.len] = '\0';
}
