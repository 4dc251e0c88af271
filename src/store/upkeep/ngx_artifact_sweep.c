
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * After a crash: files that nobody finishes any more are removed, journals
 * that nobody folds are folded.  Looked for when a process starts, with the
 * first write below a root, and at most once a minute with later ones.
 */


#include "store/upkeep/ngx_artifact_sweep.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_journal_files.h"
#include "store/upkeep/ngx_artifact_fold_timer.h"

#include <dirent.h>


#define NGX_ARTIFACT_SWEEP_PAUSE  60     /* seconds */

/* Roots remembered; where two share a place they are looked at more often. */

#define NGX_ARTIFACT_SWEEP_ROOTS  64

/* Journals found at a time: the rest is found the next time. */

#define NGX_ARTIFACT_SWEEP_FOUND  4096


typedef struct {
    ngx_artifact_task_t          task;
    art_str_t                    root;
    void                        *pool;
    char                        *names;       /* of workspaces, zero-ended */
    size_t                       len;
    ngx_uint_t                   found;
} ngx_artifact_sweep_t;


typedef void (*ngx_artifact_sweep_pt)(ngx_artifact_sweep_t *sweep,
    ngx_artifact_area_t *area, const char *name);


static void ngx_artifact_sweep_run(void *data, ngx_log_t *log);
static void ngx_artifact_sweep_area(ngx_artifact_sweep_t *sweep,
    const char *name, ngx_artifact_sweep_pt look);
static void ngx_artifact_sweep_workspaces(
    ngx_artifact_sweep_t *sweep, ngx_artifact_area_t *area,
    const char *name);
static void ngx_artifact_sweep_artifacts(
    ngx_artifact_sweep_t *sweep, ngx_artifact_area_t *area,
    const char *name);
static ngx_int_t ngx_artifact_sweep_temp(ngx_artifact_area_t *area,
    const char *name, ngx_uint_t artifact);
static size_t ngx_artifact_sweep_suffix(const char *name,
    const char *suffix);
static void ngx_artifact_sweep_done(void *data);


static struct {
    uint32_t                     hash;
    time_t                       time;
} ngx_artifact_swept[NGX_ARTIFACT_SWEEP_ROOTS];


void
ngx_artifact_sweep_init(void)
{
    ngx_memzero(ngx_artifact_swept, sizeof(ngx_artifact_swept));
}


void
ngx_artifact_sweep(art_str_t root, void *pool)
{
    u_char                *p;
    uint32_t               hash;
    ngx_uint_t             i;
    ngx_artifact_sweep_t  *sweep;

    hash = ngx_crc32_long((u_char *) root.data, root.len);
    i = hash % NGX_ARTIFACT_SWEEP_ROOTS;

    if (ngx_artifact_swept[i].hash == hash
        && ngx_time() - ngx_artifact_swept[i].time
           < NGX_ARTIFACT_SWEEP_PAUSE)
    {
        return;
    }

    ngx_artifact_swept[i].hash = hash;
    ngx_artifact_swept[i].time = ngx_time();

    sweep = ngx_calloc(sizeof(ngx_artifact_sweep_t) + root.len + 1,
                       ngx_cycle->log);
    if (sweep == NULL) {
        return;
    }

    p = (u_char *) (sweep + 1);
    ngx_memcpy(p, root.data, root.len);

    sweep->root = art_str(p, root.len);
    sweep->pool = pool;
    sweep->task.run = ngx_artifact_sweep_run;
    sweep->task.done = ngx_artifact_sweep_done;
    sweep->task.data = sweep;
    sweep->task.owner = sweep;

    ngx_artifact_task_start(&sweep->task, pool, ngx_cycle->log);
}


static void
ngx_artifact_sweep_run(void *data, ngx_log_t *log)
{
    ngx_artifact_sweep_t *sweep = data;

    ngx_artifact_sweep_area(sweep, "workspaces",
                            ngx_artifact_sweep_workspaces);
    ngx_artifact_sweep_area(sweep, "artifacts",
                            ngx_artifact_sweep_artifacts);
}


static void
ngx_artifact_sweep_area(ngx_artifact_sweep_t *sweep,
    const char *name, ngx_artifact_sweep_pt look)
{
    DIR                 *dir;
    ngx_fd_t             fd;
    struct dirent       *entry;
    ngx_artifact_area_t  area;

    if (ngx_artifact_area_open(&area, (char *) sweep->root.data, name, 0)
        != NGX_OK)
    {
        return;
    }

    fd = openat(area.control, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);
    dir = fd == NGX_INVALID_FILE ? NULL : fdopendir(fd);

    if (dir) {

        while ((entry = readdir(dir)) != NULL) {
            look(sweep, &area, entry->d_name);
        }

        (void) closedir(dir);

    } else if (fd != NGX_INVALID_FILE) {
        (void) ngx_close_file(fd);
    }

    ngx_artifact_area_close(&area);
}


static void
ngx_artifact_sweep_workspaces(ngx_artifact_sweep_t *sweep,
    ngx_artifact_area_t *area, const char *name)
{
    size_t            len;
    ngx_file_info_t   info;

    if (ngx_artifact_sweep_temp(area, name, 0) == NGX_OK) {
        return;
    }

    len = ngx_artifact_sweep_suffix(name, NGX_ARTIFACT_FOLDING);

    if (len == 0) {
        len = ngx_artifact_sweep_suffix(name, NGX_ARTIFACT_JOURNAL);

        if (len == 0
            || fstatat(area->control, name, &info, AT_SYMLINK_NOFOLLOW) == -1
            || info.st_size <= ART_JOURNAL_HEAD)
        {
            return;
        }
    }

    if (sweep->found == NGX_ARTIFACT_SWEEP_FOUND || len > ART_ID_NAME_MAX)
    {
        return;
    }

    if (sweep->names == NULL) {
        sweep->names = malloc(NGX_ARTIFACT_SWEEP_FOUND
                              * (ART_ID_NAME_MAX + 1));
        if (sweep->names == NULL) {
            return;
        }
    }

    ngx_memcpy(sweep->names + sweep->len, name, len);
    sweep->names[sweep->len + len] = '\0';
    sweep->len += len + 1;
    sweep->found++;
}


static void
ngx_artifact_sweep_artifacts(ngx_artifact_sweep_t *sweep,
    ngx_artifact_area_t *area, const char *name)
{
    (void) ngx_artifact_sweep_temp(area, name, 1);
}


/* NGX_OK if it is a file on its way; removed unless its writer is alive. */

static ngx_int_t
ngx_artifact_sweep_temp(ngx_artifact_area_t *area,
    const char *name, ngx_uint_t artifact)
{
    char             meta[NGX_ARTIFACT_TEMP_ID + sizeof(".meta")];
    ngx_fd_t         fd;
    const char      *id;
    ngx_file_info_t  info;

    if (ngx_strlen(name) != NGX_ARTIFACT_TEMP_LEN
        || ngx_strncmp(name, NGX_ARTIFACT_TEMP,
                       sizeof(NGX_ARTIFACT_TEMP) - 1)
           != 0)
    {
        return NGX_DECLINED;
    }

    fd = openat(area->control, name,
                O_RDWR|O_NOFOLLOW|O_NONBLOCK|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_OK;
    }

    if (ngx_artifact_lock_file(fd) == NGX_OK
        && fstatat(area->control, name, &info, AT_SYMLINK_NOFOLLOW) == 0)
    {
        /* the metadata of an artifact whose content never came */

        if (artifact) {
            id = name + sizeof(NGX_ARTIFACT_TEMP) - 1;

            (void) ngx_snprintf((u_char *) meta, sizeof(meta), "%s.meta%Z",
                                id);
            (void) unlinkat(area->folder, meta, 0);
        }

        (void) unlinkat(area->control, name, 0);
    }

    (void) ngx_close_file(fd);

    return NGX_OK;
}


/* The length of the name in front of a suffix, 0 if it has another one. */

static size_t
ngx_artifact_sweep_suffix(const char *name, const char *suffix)
{
    size_t  len, n;

    len = ngx_strlen(name);
    n = ngx_strlen(suffix);

    return len > n && ngx_strcmp(name + len - n, suffix) == 0 ? len - n : 0;
}


static void
ngx_artifact_sweep_done(void *data)
{
    ngx_artifact_sweep_t *sweep = data;

    char        *p;
    ngx_uint_t   i;

    for (p = sweep->names, i = 0; i < sweep->found; i++) {
        ngx_artifact_fold_later(sweep->root, art_cstr(p), sweep->pool,
                                0);
        p += ngx_strlen(p) + 1;
    }

    free(sweep->names);
    ngx_free(sweep);
}
