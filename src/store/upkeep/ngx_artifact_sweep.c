
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When roots are cleaned up: when a process starts, with the first write below
 * a root, and with later writes at most once a minute.
 */


#include "store/upkeep/ngx_artifact_sweep.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/upkeep/ngx_artifact_clean.h"
#include "store/upkeep/ngx_artifact_fold_timer.h"

#include "core/base/art_hash.h"

#include <ngx_event.h>


#define NGX_ARTIFACT_SWEEP_PAUSE  60000      /* milliseconds */

/* At most so many roots are cleaned up in that time; others have to wait. */

#define NGX_ARTIFACT_SWEEP_ROOTS  256

/*
 * Without threads: milliseconds that a slice takes, and that other work gets
 * before the next one.
 */

#define NGX_ARTIFACT_SWEEP_SLICE  4
#define NGX_ARTIFACT_SWEEP_TURN   1

/* While so many workspaces wait for a fold, no more are looked for. */

#define NGX_ARTIFACT_SWEEP_FOLDS  512
#define NGX_ARTIFACT_SWEEP_WAIT   50


typedef struct {
    art_str_t                    root;
    void                        *pool;
    ngx_artifact_clean_t        *clean;
    ngx_int_t                    rc;
    ngx_event_t                  timer;
    ngx_connection_t             connection;  /* for the timer's log */
    ngx_artifact_task_t          task;
    ngx_uint_t                   place;
} ngx_artifact_sweep_t;


static ngx_int_t ngx_artifact_sweep_place(art_str_t root, ngx_uint_t *place);
static void ngx_artifact_sweep_handler(ngx_event_t *ev);
static void ngx_artifact_sweep_run(void *data, ngx_log_t *log);
static void ngx_artifact_sweep_done(void *data);


static struct {
    uint64_t                     hash;
    ngx_msec_t                   time;
    unsigned                     used:1;
    unsigned                     busy:1;
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
    ngx_uint_t             place;
    ngx_artifact_sweep_t  *sweep;

    if (ngx_artifact_sweep_place(root, &place) != NGX_OK) {
        return;
    }

    sweep = ngx_calloc(sizeof(ngx_artifact_sweep_t) + root.len + 1,
                       ngx_cycle->log);
    if (sweep == NULL) {
        return;
    }

    p = (u_char *) (sweep + 1);
    ngx_memcpy(p, root.data, root.len);

    sweep->clean = ngx_artifact_clean_create((char *) p);

    if (sweep->clean == NULL) {
        ngx_free(sweep);
        return;
    }

    sweep->root = art_str(p, root.len);
    sweep->pool = pool;
    sweep->place = place;
    ngx_artifact_swept[place].busy = 1;

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

    ngx_add_timer(&sweep->timer, NGX_ARTIFACT_SWEEP_TURN);
}


/*
 * Takes a slot of ngx_artifact_swept for a root.  NGX_DECLINED if the root was
 * cleaned up recently, or if all slots belong to such roots.
 */

static ngx_int_t
ngx_artifact_sweep_place(art_str_t root, ngx_uint_t *place)
{
    uint64_t    hash;
    ngx_uint_t  i, recent;

    hash = art_hash(ART_HASH_INIT, root.data, root.len);
    *place = NGX_ARTIFACT_SWEEP_ROOTS;

    for (i = 0; i < NGX_ARTIFACT_SWEEP_ROOTS; i++) {

        recent = ngx_artifact_swept[i].used
                 && (ngx_artifact_swept[i].busy
                     || ngx_current_msec - ngx_artifact_swept[i].time
                        < NGX_ARTIFACT_SWEEP_PAUSE);

        if (!recent) {
            *place = i;
        }

        if (ngx_artifact_swept[i].used && ngx_artifact_swept[i].hash == hash) {

            if (recent) {
                return NGX_DECLINED;
            }

            break;
        }
    }

    if (*place == NGX_ARTIFACT_SWEEP_ROOTS) {
        return NGX_DECLINED;
    }

    ngx_artifact_swept[*place].hash = hash;
    ngx_artifact_swept[*place].time = ngx_current_msec;
    ngx_artifact_swept[*place].used = 1;

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

    sweep->rc = ngx_artifact_clean_run(sweep->clean,
                                       NGX_ARTIFACT_SWEEP_SLICE);
    ngx_artifact_sweep_done(sweep);
}


static void
ngx_artifact_sweep_run(void *data, ngx_log_t *log)
{
    ngx_artifact_sweep_t *sweep = data;

    sweep->rc = ngx_artifact_clean_run(sweep->clean, 0);
}


static void
ngx_artifact_sweep_done(void *data)
{
    ngx_artifact_sweep_t *sweep = data;

    const char  *name;

    while ((name = ngx_artifact_clean_next(sweep->clean)) != NULL) {
        ngx_artifact_fold_later(sweep->root, art_cstr(name), sweep->pool, 0);
    }

    if (sweep->rc == NGX_AGAIN) {
        ngx_add_timer(&sweep->timer, NGX_ARTIFACT_SWEEP_TURN);
        return;
    }

    ngx_artifact_swept[sweep->place].busy = 0;

    ngx_artifact_clean_destroy(sweep->clean);
    ngx_free(sweep);
}
