
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When journals are folded: soon after the first record, or after the pause
 * that follows a fold; at the latest when the process ends.
 */


#include "store/upkeep/ngx_artifact_upkeep.h"
#include "store/upkeep/ngx_artifact_schedule.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_journal.h"

#include "core/journal/art_fold.h"
#include "core/ref/art_id.h"


/* Milliseconds before another try: another process folds, or a fold failed. */

#define NGX_ARTIFACT_FOLD_BUSY   50
#define NGX_ARTIFACT_FOLD_RETRY  1000
#define NGX_ARTIFACT_FOLD_TIMES  5       /* the delay doubles so many times */


/* A workspace whose journal is to be folded; allocated separately. */

typedef struct {
    ngx_artifact_key_t           key;         /* root, zero, workspace */
    art_str_t                    root;
    art_str_t                    workspace;
    ngx_artifact_job_t           job;
    ngx_artifact_fold_t         *fold;        /* in progress, or NULL */
    ngx_msec_t                   wait;        /* left of the pause */
    ngx_uint_t                   failures;
    unsigned                     waiting:1;   /* for the current one */
    unsigned                     again:1;     /* written to since */
    unsigned                     soon:1;      /* too large to wait */
} ngx_artifact_fold_timer_t;


static ngx_artifact_fold_timer_t *ngx_artifact_fold_timer_get(art_str_t root,
    art_str_t workspace);
static ngx_int_t ngx_artifact_fold_timer_ready(ngx_artifact_job_t *job);
static ngx_int_t ngx_artifact_fold_timer_enter(ngx_artifact_fold_timer_t *ft);
static void ngx_artifact_fold_timer_leave(ngx_artifact_fold_timer_t *ft);
static ngx_int_t ngx_artifact_fold_timer_work(ngx_artifact_job_t *job,
    ngx_log_t *log);
static void ngx_artifact_fold_timer_done(ngx_artifact_job_t *job);
static void ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *ft);
static void ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *ft);


/* An exiting process does not wait for a long delay: it folds at its end. */

static ngx_artifact_schedule_t  ngx_artifact_folds = {
    .ready = ngx_artifact_fold_timer_ready,
    .work = ngx_artifact_fold_timer_work,
    .done = ngx_artifact_fold_timer_done,
    .patience = ART_FOLD_DELAY,
    .max = NGX_MAX_UINT32_VALUE
};


static ngx_artifact_fold_done_pt  ngx_artifact_fold_timer_report;


/*
 * Without threads one workspace is folded at a time, so that many folds neither
 * block the event loop nor have their files open all at once.  The others wait
 * in the queue of the schedule.
 */

static ngx_artifact_fold_timer_t  *ngx_artifact_fold_timer_current;


void
ngx_artifact_fold_timer_init(ngx_artifact_fold_done_pt done)
{
    ngx_artifact_fold_timer_report = done;

    ngx_artifact_schedule_init(&ngx_artifact_folds);
    ngx_artifact_fold_timer_current = NULL;
}


ngx_uint_t
ngx_artifact_fold_timers(void)
{
    return ngx_artifact_folds.n;
}


void
ngx_artifact_fold_schedule(art_str_t root, art_str_t workspace, void *pool,
    off_t size)
{
    ngx_msec_t                  delay;
    ngx_artifact_fold_timer_t  *ft;

    ft = ngx_artifact_fold_timer_get(root, workspace);

    if (ft == NULL) {
        return;                  /* the next write tries again */
    }

    delay = art_fold_delay((uint64_t) size);

    ngx_log_debug4(NGX_LOG_DEBUG_CORE, ngx_cycle->log, 0,
                   "artifact fold: \"%*s\" in %M ms, journal of %O bytes",
                   workspace.len, workspace.data, delay, size);

    ft->job.pool = pool;
    ft->soon |= (delay == 0);

    if (ft->fold) {
        ft->again = 1;

        /* whoever writes faster than a fold has to wait for it */

        if (size >= NGX_ARTIFACT_JOURNAL_FULL && !ft->job.threaded
            && pool == NULL)
        {
            if (ft->job.timer.timer_set) {
                ngx_del_timer(&ft->job.timer);
            }

            ft->job.rc = ngx_artifact_fold_run(ft->fold, 0, &ft->wait);
            ft->job.err = ngx_errno;
            ngx_artifact_job_done(&ft->job);
        }

    } else if (ft->waiting) {
        return;

    } else if (ft->failures) {
        ngx_artifact_job_add(&ft->job, NGX_ARTIFACT_FOLD_RETRY);

    } else if (ft->soon || !ft->job.timer.timer_set) {
        ngx_artifact_job_add(&ft->job, delay);
    }
}


static ngx_artifact_fold_timer_t *
ngx_artifact_fold_timer_get(art_str_t root, art_str_t workspace)
{
    u_char                     *p;
    u_char                      buf[NGX_MAX_PATH + 1 + ART_ID_NAME_MAX];
    ngx_str_t                   key;
    ngx_artifact_fold_timer_t  *ft;

    if (root.len >= NGX_MAX_PATH || workspace.len > ART_ID_NAME_MAX) {
        return NULL;
    }

    p = ngx_cpymem(buf, root.data, root.len);
    *p++ = '\0';
    p = ngx_cpymem(p, workspace.data, workspace.len);

    key.data = buf;
    key.len = (size_t) (p - buf);

    ft = ngx_artifact_key(&ngx_artifact_folds, &key,
                          sizeof(ngx_artifact_fold_timer_t));

    if (ft && !ft->key.known) {
        p = ft->key.sn.str.data;

        ft->key.known = 1;
        ft->root = art_str(p, root.len);
        ft->workspace = art_str(p + root.len + 1, workspace.len);

        ngx_artifact_job_init(&ft->job, &ft->key);
    }

    return ft;
}


static ngx_int_t
ngx_artifact_fold_timer_ready(ngx_artifact_job_t *job)
{
    ngx_artifact_fold_timer_t *ft = (ngx_artifact_fold_timer_t *) job->key;

    if (job->pool == NULL && ngx_artifact_fold_timer_enter(ft) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (ft->fold == NULL) {
        ft->fold = ngx_artifact_fold_create((char *) ft->root.data,
                                            ft->workspace, !ft->soon,
                                            ngx_cycle->log);
        ft->again = 0;
        ft->soon = 0;
    }

    if (ft->fold == NULL) {
        job->rc = NGX_ERROR;
        job->err = NGX_ENOMEM;
        ngx_artifact_job_done(job);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/* NGX_OK if the workspace may be folded now; else it waits for its turn. */

static ngx_int_t
ngx_artifact_fold_timer_enter(ngx_artifact_fold_timer_t *ft)
{
    if (ngx_artifact_fold_timer_current == NULL) {
        ngx_artifact_fold_timer_current = ft;
    }

    if (ngx_artifact_fold_timer_current == ft) {
        return NGX_OK;
    }

    ft->waiting = 1;
    ngx_queue_insert_tail(&ngx_artifact_folds.queue, &ft->key.queue);

    return NGX_AGAIN;
}


/* Gives the turn to the next workspace, after other events. */

static void
ngx_artifact_fold_timer_leave(ngx_artifact_fold_timer_t *ft)
{
    ngx_queue_t                *q;
    ngx_artifact_fold_timer_t  *next;

    if (ft->waiting) {
        ft->waiting = 0;
        ngx_queue_remove(&ft->key.queue);
    }

    if (ngx_artifact_fold_timer_current != ft) {
        return;
    }

    ngx_artifact_fold_timer_current = NULL;

    if (ngx_queue_empty(&ngx_artifact_folds.queue)) {
        return;
    }

    q = ngx_queue_head(&ngx_artifact_folds.queue);
    next = (ngx_artifact_fold_timer_t *)
           ngx_queue_data(q, ngx_artifact_key_t, queue);

    ngx_queue_remove(q);         /* NOLINT: what is in a queue has a next */
    next->waiting = 0;

    ngx_artifact_fold_timer_current = next;
    ngx_artifact_job_add(&next->job, NGX_ARTIFACT_TURN_PAUSE);
}


/* A turn, for which others may wait. */

static ngx_int_t
ngx_artifact_fold_timer_work(ngx_artifact_job_t *job, ngx_log_t *log)
{
    ngx_artifact_fold_timer_t *ft = (ngx_artifact_fold_timer_t *) job->key;

    return ngx_artifact_fold_run(ft->fold, NGX_ARTIFACT_TURN, &ft->wait);
}


/* An exiting process waits for the next turn, and thus for the fold. */

static void
ngx_artifact_fold_timer_done(ngx_artifact_job_t *job)
{
    ngx_artifact_fold_timer_t *ft = (ngx_artifact_fold_timer_t *) job->key;

    ngx_uint_t  n;

    if (job->rc == NGX_AGAIN) {
        ngx_log_debug2(NGX_LOG_DEBUG_CORE, ngx_cycle->log, 0,
                       "artifact fold: \"%*s\" goes on after others",
                       ft->workspace.len, ft->workspace.data);
        return;
    }

    ngx_artifact_fold_timer_leave(ft);

    if (ft->fold) {
        ngx_artifact_fold_destroy(ft->fold);
        ft->fold = NULL;
    }

    if (job->rc != NGX_BUSY) {
        ngx_artifact_fold_timer_report(job->rc);
    }

    if (job->rc == NGX_ERROR) {
        ngx_artifact_fold_timer_log(ft);
        n = ft->failures++;

        /* an exiting process leaves the journal to the next one */

        if (ngx_exiting) {
            ngx_artifact_fold_timer_free(ft);
            return;
        }

        ngx_artifact_job_add(job, NGX_ARTIFACT_FOLD_RETRY
                                  << ngx_min(n, NGX_ARTIFACT_FOLD_TIMES));
        return;
    }

    ft->failures = 0;

    if (job->rc == NGX_BUSY) {
        ngx_artifact_job_add(job, ngx_max(ft->wait, NGX_ARTIFACT_FOLD_BUSY));

    } else if (ft->again) {
        ngx_artifact_job_add(job, ft->soon ? 0 : ART_FOLD_DELAY);

    } else {
        ngx_artifact_fold_timer_free(ft);
    }
}


static void
ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *ft)
{
    if (ft->failures == 0) {
        ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, ft->job.err,
                      "writing \"%s/workspaces/%*s.meta.json\" failed, its "
                      "journal is kept", ft->root.data,
                      ft->workspace.len, ft->workspace.data);
    }
}


static void
ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *ft)
{
    if (ft->job.timer.timer_set) {
        ngx_del_timer(&ft->job.timer);
    }

    ngx_artifact_fold_timer_leave(ft);

    ngx_artifact_key_free(&ft->key);
}


/*
 * A process that terminates at once gets no more events.  A fold is run to its
 * end, unless it is in a thread: that leaves what a crash would leave.
 */

void
ngx_artifact_fold_timer_finish(void)
{
    ngx_rbtree_t               *tree;
    ngx_artifact_fold_timer_t  *ft;

    tree = &ngx_artifact_folds.tree;

    while (tree->root != tree->sentinel) {
        ft = (ngx_artifact_fold_timer_t *) tree->root;

        ft->job.rc = NGX_OK;

        if (ft->fold && !ft->job.threaded) {
            ft->job.rc = ngx_artifact_fold_run(ft->fold, 0, &ft->wait);
            ft->job.err = ngx_errno;
            ngx_artifact_fold_destroy(ft->fold);

        } else {
            ft->again = 1;
        }

        if (ft->job.rc != NGX_ERROR && ft->again) {
            ft->job.rc = ngx_artifact_fold((char *) ft->root.data,
                                           ft->workspace, ngx_cycle->log);
            ft->job.err = ngx_errno;
        }

        if (ft->job.rc != NGX_BUSY) {
            ngx_artifact_fold_timer_report(ft->job.rc);
        }

        if (ft->job.rc == NGX_ERROR) {
            ngx_artifact_fold_timer_log(ft);
        }

        ngx_artifact_fold_timer_free(ft);
    }
}
