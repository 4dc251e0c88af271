
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Cleaning up a root: when a process starts, with the first write below the
 * root, and with later writes at most once a minute.  A walk over its control
 * folders takes them a name at a time, so that the cost of a step does not
 * depend on how many names there are; it may run in a thread.
 */


#include "store/upkeep/ngx_artifact_sweep.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_layout.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/files/ngx_artifact_marker.h"
#include "store/metadata/ngx_artifact_journal.h"
#include "store/metadata/ngx_artifact_metadata.h"
#include "store/upkeep/ngx_artifact_fold_timer.h"

#include "core/base/art_hash.h"

#include <ngx_event.h>

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


/* The walk. */

typedef struct {
    const char                  *root;
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


/* About 33 KB for each root that is being cleaned up. */

typedef struct {
    art_str_t                    root;        /* ends with a zero */
    void                        *pool;
    ngx_int_t                    rc;
    ngx_uint_t                   slot;
    ngx_event_t                  timer;
    ngx_connection_t             connection;  /* for the timer's log */
    ngx_artifact_task_t          task;
    ngx_artifact_clean_t         clean;
} ngx_artifact_sweep_t;


static ngx_int_t ngx_artifact_sweep_slot(art_str_t root, ngx_uint_t *slot);
static void ngx_artifact_sweep_handler(ngx_event_t *ev);
static void ngx_artifact_sweep_run(void *data, ngx_log_t *log);
static void ngx_artifact_sweep_done(void *data);
static ngx_int_t ngx_artifact_clean_run(ngx_artifact_clean_t *c);
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

static struct {
    uint64_t                     hash;
    ngx_msec_t                   time;
    unsigned                     used:1;
    unsigned                     busy:1;
} ngx_artifact_swept[NGX_ARTIFACT_SWEEP_ROOTS];


/* The areas of a root. */

static const char  *ngx_artifact_clean_areas[] = { "workspaces", "artifacts" };


void
ngx_artifact_sweep(art_str_t root, void *pool)
{
    u_char                *p;
    ngx_uint_t             slot;
    ngx_artifact_sweep_t  *sweep;

    if (ngx_artifact_sweep_slot(root, &slot) != NGX_OK) {
        return;
    }

    sweep = ngx_calloc(sizeof(ngx_artifact_sweep_t) + root.len + 1,
                       ngx_cycle->log);
    if (sweep == NULL) {
        return;
    }

    p = (u_char *) (sweep + 1);
    ngx_memcpy(p, root.data, root.len);

    sweep->clean.root = (char *) p;
    sweep->clean.lock = NGX_INVALID_FILE;
    sweep->clean.area.folder = NGX_INVALID_FILE;
    sweep->clean.area.control = NGX_INVALID_FILE;

    sweep->root = art_str(p, root.len);
    sweep->pool = pool;
    sweep->slot = slot;
    ngx_artifact_swept[slot].busy = 1;

    sweep->connection.fd = (ngx_socket_t) -1;
    sweep->connection.data = sweep;
    sweep->timer.handler = ngx_artifact_sweep_handler;
    sweep->timer.data = &sweep->connection;
    sweep->timer.log = ngx_cycle->log;
    sweep->timer.cancelable = 1;

    sweep->task.run = ngx_artifact_sweep_run;
    sweep->task.done = ngx_artifact_sweep_done;
    sweep->task.data = sweep;
    sweep->task.owner = sweep;

    ngx_add_timer(&sweep->timer, NGX_ARTIFACT_TURN_PAUSE);
}


/*
 * Takes a slot of ngx_artifact_swept for a root.  NGX_DECLINED if the root was
 * cleaned up recently, or if all slots belong to such roots.
 */

static ngx_int_t
ngx_artifact_sweep_slot(art_str_t root, ngx_uint_t *slot)
{
    uint64_t    hash;
    ngx_uint_t  i, recent;

    hash = art_hash(ART_HASH_INIT, root.data, root.len);
    *slot = NGX_ARTIFACT_SWEEP_ROOTS;

    for (i = 0; i < NGX_ARTIFACT_SWEEP_ROOTS; i++) {

        recent = ngx_artifact_swept[i].used
                 && (ngx_artifact_swept[i].busy
                     || ngx_current_msec - ngx_artifact_swept[i].time
                        < NGX_ARTIFACT_SWEEP_PAUSE);

        if (!recent) {
            *slot = i;
        }

        if (ngx_artifact_swept[i].used && ngx_artifact_swept[i].hash == hash) {

            if (recent) {
                return NGX_DECLINED;
            }

            break;
        }
    }

    if (*slot == NGX_ARTIFACT_SWEEP_ROOTS) {
        return NGX_DECLINED;
    }

    ngx_artifact_swept[*slot].hash = hash;
    ngx_artifact_swept[*slot].time = ngx_current_msec;
    ngx_artifact_swept[*slot].used = 1;

    return NGX_OK;
}


static void
ngx_artifact_sweep_handler(ngx_event_t *ev)
{
    ngx_connection_t      *c;
    ngx_artifact_sweep_t  *sweep;

    c = ev->data;
    sweep = c->data;

    if (ngx_artifact_fold_timers() >= NGX_ARTIFACT_SWEEP_FOLDS) {
        ngx_add_timer(ev, NGX_ARTIFACT_SWEEP_WAIT);
        return;
    }

    if (ngx_artifact_task_post(&sweep->task, sweep->pool) == NGX_OK) {
        return;
    }

    sweep->rc = ngx_artifact_clean_run(&sweep->clean);
    ngx_artifact_sweep_done(sweep);
}


static void
ngx_artifact_sweep_run(void *data, ngx_log_t *log)
{
    ngx_artifact_sweep_t *sweep = data;

    sweep->rc = ngx_artifact_clean_run(&sweep->clean);
}


static void
ngx_artifact_sweep_done(void *data)
{
    ngx_artifact_sweep_t *sweep = data;

    ngx_uint_t                  i;
    ngx_artifact_clean_list_t  *found;

    found = &sweep->clean.found;

    for (i = 0; i < found->n; i++) {
        ngx_artifact_fold_schedule(sweep->root, art_cstr(found->names[i]),
                                   sweep->pool, 0);
    }

    found->n = 0;

    if (sweep->rc == NGX_AGAIN) {
        ngx_add_timer(&sweep->timer, NGX_ARTIFACT_TURN_PAUSE);
        return;
    }

    ngx_artifact_swept[sweep->slot].busy = 0;

    ngx_artifact_clean_close(&sweep->clean);
    ngx_free(sweep);
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
ngx_artifact_clean_run(ngx_artifact_clean_t *c)
{
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
