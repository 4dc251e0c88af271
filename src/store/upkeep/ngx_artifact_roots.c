
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Finding roots that are made of variables, so that what has expired is removed
 * in those that nobody asks for.  The folders above them are read a name at a
 * time; a folder is a root if it has a control folder, which only this module
 * makes.
 */


#include "store/upkeep/ngx_artifact_upkeep.h"
#include "store/upkeep/ngx_artifact_schedule.h"
#include "store/disk/ngx_artifact_area.h"

#include <dirent.h>
#include <fnmatch.h>


/* Patterns that a process knows, and components of one that have a variable. */

#define NGX_ARTIFACT_ROOTS_PATTERNS  64
#define NGX_ARTIFACT_ROOTS_DEPTH     4

/* Milliseconds between searches. */

#define NGX_ARTIFACT_ROOTS_PAUSE     300000

/* Bytes of paths that are found in a turn. */

#define NGX_ARTIFACT_ROOTS_FOUND     (4 * PATH_MAX)


/* A folder that is read, and what its names have to match. */

typedef struct {
    DIR                         *dir;
    size_t                       len;       /* of its path */
    const char                  *rest;      /* of the pattern */
    char                         match[NAME_MAX + 1];
} ngx_artifact_roots_level_t;


/* A search, some 22 KB. */

typedef struct {
    ngx_artifact_job_t           job;
    ngx_artifact_roots_level_t   levels[NGX_ARTIFACT_ROOTS_DEPTH];
    ngx_uint_t                   n;         /* levels */
    ngx_uint_t                   begun;
    ngx_uint_t                   total;     /* roots */
    char                         path[PATH_MAX];
    size_t                       len;       /* of "found" */
    char                         found[NGX_ARTIFACT_ROOTS_FOUND];
} ngx_artifact_roots_t;


static ngx_int_t ngx_artifact_roots_start(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_roots_work(ngx_artifact_job_t *job,
    ngx_log_t *log);
static void ngx_artifact_roots_done(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_roots_step(ngx_artifact_roots_t *s);
static void ngx_artifact_roots_enter(ngx_artifact_roots_t *s, size_t len,
    const char *rest);
static void ngx_artifact_roots_open(ngx_artifact_roots_t *s, size_t len,
    const char *component, size_t size);
static void ngx_artifact_roots_add(ngx_artifact_roots_t *s, size_t len);
static ngx_uint_t ngx_artifact_roots_has(ngx_artifact_roots_t *s, size_t len,
    const char *area);


static ngx_artifact_schedule_t  ngx_artifact_roots_searches = {
    .start = ngx_artifact_roots_start,
    .work = ngx_artifact_roots_work,
    .done = ngx_artifact_roots_done,
    .max = NGX_ARTIFACT_ROOTS_PATTERNS,
    .size = sizeof(ngx_artifact_roots_t),
    .jobs = NGX_ARTIFACT_ROOTS_PATTERNS,
    .pause = NGX_ARTIFACT_ROOTS_PAUSE,
    .now = 1
};


void
ngx_artifact_roots_init(void)
{
    ngx_artifact_schedule_init(&ngx_artifact_roots_searches);
}


void
ngx_artifact_roots(art_str_t pattern, void *pool)
{
    (void) ngx_artifact_schedule(&ngx_artifact_roots_searches, pattern, pool);
}


static ngx_int_t
ngx_artifact_roots_start(ngx_artifact_job_t *job)
{
    return ngx_exiting ? NGX_DECLINED : NGX_OK;
}


/* Until the end, NGX_OK, or that of a turn: NGX_AGAIN. */

static ngx_int_t
ngx_artifact_roots_work(ngx_artifact_job_t *job, ngx_log_t *log)
{
    ngx_artifact_roots_t *s = (ngx_artifact_roots_t *) job;

    uint64_t   end;
    ngx_int_t  rc;

    end = ngx_artifact_ticks() + NGX_ARTIFACT_TURN * 1000;

    if (!s->begun) {
        s->begun = 1;
        ngx_artifact_roots_enter(s, 0, (char *) job->key->sn.str.data);
    }

    do {
        rc = ngx_artifact_roots_step(s);

    } while (rc == NGX_AGAIN && !ngx_exiting
             && s->len <= sizeof(s->found) - PATH_MAX
             && ngx_artifact_ticks() < end);

    return ngx_exiting ? NGX_OK : rc;
}


static void
ngx_artifact_roots_done(ngx_artifact_job_t *job)
{
    ngx_artifact_roots_t *s = (ngx_artifact_roots_t *) job;

    size_t  pos, len;

    for (pos = 0; pos < s->len; pos += len + 1) {
        len = ngx_strlen(s->found + pos);
        s->total++;

        ngx_artifact_expire(art_str(s->found + pos, len), job->pool, 1);
    }

    s->len = 0;

    if (job->rc == NGX_AGAIN) {
        return;
    }

    while (s->n > 0) {
        (void) closedir(s->levels[--s->n].dir);
    }

    if (!job->key->told && !ngx_exiting) {
        job->key->told = 1;

        ngx_log_error(NGX_LOG_NOTICE, ngx_cycle->log, 0,
                      "%ui data roots match \"%V\"", s->total,
                      &job->key->sn.str);
    }
}


static ngx_int_t
ngx_artifact_roots_step(ngx_artifact_roots_t *s)
{
    size_t                       len;
    struct dirent               *entry;
    ngx_artifact_roots_level_t  *level;

    if (s->n == 0) {
        return NGX_OK;
    }

    level = &s->levels[s->n - 1];
    entry = readdir(level->dir);

    if (entry == NULL) {
        (void) closedir(level->dir);
        s->n--;

        return NGX_AGAIN;
    }

    len = ngx_strlen(entry->d_name);

    if (fnmatch(level->match, entry->d_name, FNM_PERIOD) == 0
        && level->len + 1 + len < sizeof(s->path))
    {
        s->path[level->len] = '/';
        ngx_memcpy(s->path + level->len + 1, entry->d_name, len);

        ngx_artifact_roots_enter(s, level->len + 1 + len, level->rest);
    }

    return NGX_AGAIN;
}


/*
 * Goes on from the "len" bytes of the path to the next component with a
 * variable, or to the end of the pattern.
 */

static void
ngx_artifact_roots_enter(ngx_artifact_roots_t *s, size_t len, const char *rest)
{
    size_t       size;
    const char  *end;

    for ( ;; ) {

        while (*rest == '/') {
            rest++;
        }

        if (*rest == '\0') {
            ngx_artifact_roots_add(s, len);
            return;
        }

        end = rest + strcspn(rest, "/");
        size = (size_t) (end - rest);

        if (memchr(rest, '*', size) != NULL) {
            ngx_artifact_roots_open(s, len, rest, size);
            return;
        }

        if (len + 1 + size >= sizeof(s->path)) {
            return;
        }

        s->path[len] = '/';
        ngx_memcpy(s->path + len + 1, rest, size);

        len += 1 + size;
        rest = end;
    }
}


static void
ngx_artifact_roots_open(ngx_artifact_roots_t *s, size_t len,
    const char *component, size_t size)
{
    ngx_artifact_roots_level_t  *level;

    if (s->n == NGX_ARTIFACT_ROOTS_DEPTH || size > NAME_MAX) {
        return;
    }

    level = &s->levels[s->n];

    ngx_memcpy(level->match, component, size);
    level->match[size] = '\0';
    level->rest = component + size;
    level->len = len;

    s->path[len] = '\0';
    level->dir = opendir(len > 0 ? s->path : "/");

    if (level->dir) {
        s->n++;
    }
}


static void
ngx_artifact_roots_add(ngx_artifact_roots_t *s, size_t len)
{
    if (!ngx_artifact_roots_has(s, len, "artifacts")
        && !ngx_artifact_roots_has(s, len, "workspaces"))
    {
        return;
    }

    s->path[len] = '\0';

    ngx_memcpy(s->found + s->len, s->path, len + 1);
    s->len += len + 1;
}


static ngx_uint_t
ngx_artifact_roots_has(ngx_artifact_roots_t *s, size_t len, const char *area)
{
    u_char  *last, *end;

    end = (u_char *) s->path + sizeof(s->path);
    last = ngx_slprintf((u_char *) s->path + len, end,
                        "/%s/" NGX_ARTIFACT_CONTROL "%Z", area);

    return last < end && access(s->path, F_OK) == 0;
}
