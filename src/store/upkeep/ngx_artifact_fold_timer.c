
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When journals are folded: soon after the first record, or after the pause
 * that follows a fold; at the latest when the process ends.
 */


#include "store/upkeep/ngx_artifact_fold_timer.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_journal.h"

#include "core/journal/art_fold.h"
#include "core/ref/art_id.h"

#include <ngx_event.h>


/* Milliseconds before another try: another process folds, or a fold failed. */

#define NGX_ARTIFACT_FOLD_BUSY   50
#define NGX_ARTIFACT_FOLD_RETRY  1000
#define NGX_ARTIFACT_FOLD_TIMES  5       /* the delay doubles so many times */


/* A workspace whose journal is to be folded; allocated separately. */

typedef struct {
    ngx_str_node_t               sn;          /* root, zero, workspace */
    art_str_t                    root;
    art_str_t                    workspace;
    ngx_event_t                  timer;
    ngx_queue_t                  queue;       /* if "waiting" */
    ngx_connection_t             connection;  /* for the timer's log */
    ngx_artifact_task_t          task;
    void                        *pool;
    ngx_artifact_fold_t         *fold;        /* in progress, or NULL */
    ngx_int_t                    rc;
    ngx_err_t                    err;
    ngx_msec_t                   wait;        /* left of the pause */
    ngx_uint_t                   failures;
    unsigned                     threaded:1;  /* the fold is in a thread */
    unsigned                     waiting:1;   /* for the current one */
    unsigned                     again:1;     /* written to since */
    unsigned                     soon:1;      /* too large to wait */
} ngx_artifact_fold_timer_t;


static ngx_artifact_fold_timer_t *ngx_artifact_fold_timer_get(art_str_t root,
    art_str_t workspace);
static ngx_artifact_fold_timer_t *ngx_artifact_fold_timer_create(
    ngx_str_t *key, uint32_t hash, size_t root_len);
static void ngx_artifact_fold_timer_add(ngx_artifact_fold_timer_t *ft,
    ngx_msec_t delay);
static void ngx_artifact_fold_timer_handler(ngx_event_t *ev);
static ngx_int_t ngx_artifact_fold_timer_enter(ngx_artifact_fold_timer_t *ft);
static void ngx_artifact_fold_timer_leave(ngx_artifact_fold_timer_t *ft);
static void ngx_artifact_fold_timer_slice(ngx_artifact_fold_timer_t *ft,
    ngx_msec_t limit);
static void ngx_artifact_fold_timer_run(void *data, ngx_log_t *log);
static void ngx_artifact_fold_timer_done(void *data);
static void ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *ft);
static void ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *ft);


static ngx_rbtree_t       ngx_artifact_fold_timer_tree;
static ngx_rbtree_node_t  ngx_artifact_fold_timer_sentinel;
static ngx_uint_t         ngx_artifact_fold_timer_count;

static ngx_artifact_fold_done_pt  ngx_artifact_fold_timer_report;


/*
 * Without threads one workspace is folded at a time, so that many folds neither
 * block the event loop nor have their files open all at once.  The others wait
 * here.
 */

static ngx_queue_t                 ngx_artifact_fold_timer_waiting;
static ngx_artifact_fold_timer_t  *ngx_artifact_fold_timer_current;


void
ngx_artifact_fold_timer_init(ngx_artifact_fold_done_pt done)
{
    ngx_artifact_fold_timer_report = done;

    ngx_rbtree_init(&ngx_artifact_fold_timer_tree,
                    &ngx_artifact_fold_timer_sentinel,
                    ngx_str_rbtree_insert_value);

    ngx_queue_init(&ngx_artifact_fold_timer_waiting);

    ngx_artifact_fold_timer_current = NULL;
    ngx_artifact_fold_timer_count = 0;
}


ngx_uint_t
ngx_artifact_fold_timers(void)
{
    return ngx_artifact_fold_timer_count;
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

    ft->pool = pool;
    ft->soon |= (delay == 0);

    if (ft->fold) {
        ft->again = 1;

        /* whoever writes faster than a fold has to wait for it */

        if (size >= NGX_ARTIFACT_JOURNAL_FULL && !ft->threaded
            && pool == NULL)
        {
            ngx_artifact_fold_timer_slice(ft, 0);
        }

    } else if (ft->waiting) {
        return;

    } else if (ft->failures) {
        ngx_artifact_fold_timer_add(ft, NGX_ARTIFACT_FOLD_RETRY);

    } else if (ft->soon || !ft->timer.timer_set) {
        ngx_artifact_fold_timer_add(ft, delay);
    }
}


static ngx_artifact_fold_timer_t *
ngx_artifact_fold_timer_get(art_str_t root, art_str_t workspace)
{
    u_char                     *p;
    u_char                      buf[NGX_MAX_PATH + 1 + ART_ID_NAME_MAX];
    uint32_t                    hash;
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
    hash = ngx_crc32_long(key.data, key.len);

    ft = (ngx_artifact_fold_timer_t *)
         ngx_str_rbtree_lookup(&ngx_artifact_fold_timer_tree, &key, hash);

    return ft ? ft : ngx_artifact_fold_timer_create(&key, hash, root.len);
}


static ngx_artifact_fold_timer_t *
ngx_artifact_fold_timer_create(ngx_str_t *key, uint32_t hash, size_t root_len)
{
    u_char                     *p;
    ngx_artifact_fold_timer_t  *ft;

    ft = ngx_calloc(sizeof(ngx_artifact_fold_timer_t) + key->len + 1,
                    ngx_cycle->log);
    if (ft == NULL) {
        return NULL;
    }

    p = (u_char *) (ft + 1);
    ngx_memcpy(p, key->data, key->len);

    ft->sn.node.key = hash;
    ft->sn.str.data = p;
    ft->sn.str.len = key->len;
    ft->root = art_str(p, root_len);
    ft->workspace = art_str(p + root_len + 1, key->len - root_len - 1);

    ft->connection.fd = (ngx_socket_t) -1;
    ft->timer.handler = ngx_artifact_fold_timer_handler;
    ft->timer.data = &ft->connection;
    ft->timer.log = ngx_cycle->log;
    ft->connection.data = ft;

    ft->task.run = ngx_artifact_fold_timer_run;
    ft->task.done = ngx_artifact_fold_timer_done;
    ft->task.data = ft;
    ft->task.owner = ft;

    ngx_rbtree_insert(&ngx_artifact_fold_timer_tree, &ft->sn.node);
    ngx_artifact_fold_timer_count++;

    return ft;
}


/* May make the timer earlier, never later. */

static void
ngx_artifact_fold_timer_add(ngx_artifact_fold_timer_t *ft, ngx_msec_t delay)
{
    ngx_msec_int_t  left;

    if (ft->timer.timer_set) {
        left = (ngx_msec_int_t) (ft->timer.timer.key - ngx_current_msec);

        if (left <= (ngx_msec_int_t) delay) {
            return;
        }

        ngx_del_timer(&ft->timer);
    }

    /* an exiting process does not wait for a long delay: it folds at its end */

    ft->timer.cancelable = (delay > ART_FOLD_DELAY);

    ngx_add_timer(&ft->timer, ngx_max(delay, 1));
}


static void
ngx_artifact_fold_timer_handler(ngx_event_t *ev)
{
    ngx_connection_t           *c;
    ngx_artifact_fold_timer_t  *ft;

    c = ev->data;
    ft = c->data;

    if (ft->pool == NULL && ngx_artifact_fold_timer_enter(ft) != NGX_OK) {
        return;
    }

    if (ft->fold == NULL) {
        ft->fold = ngx_artifact_fold_create((char *) ft->root.data,
                                            ft->workspace, !ft->soon,
                                            ngx_cycle->log);
        ft->again = 0;
        ft->soon = 0;
    }

    if (ft->fold == NULL) {
        ft->rc = NGX_ERROR;
        ft->err = NGX_ENOMEM;
        ngx_artifact_fold_timer_done(ft);

    } else if (ft->pool) {
        ft->threaded = 1;

        if (ngx_artifact_task_post(&ft->task, ft->pool) != NGX_OK) {
            ngx_artifact_fold_timer_run(ft, ngx_cycle->log);
            ngx_artifact_fold_timer_done(ft);
        }

    } else {
        ngx_artifact_fold_timer_slice(ft, NGX_ARTIFACT_TURN);
    }
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
    ngx_queue_insert_tail(&ngx_artifact_fold_timer_waiting, &ft->queue);

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
        ngx_queue_remove(&ft->queue);
    }

    if (ngx_artifact_fold_timer_current != ft) {
        return;
    }

    ngx_artifact_fold_timer_current = NULL;

    if (ngx_queue_empty(&ngx_artifact_fold_timer_waiting)) {
        return;
    }

    q = ngx_queue_head(&ngx_artifact_fold_timer_waiting);
    next = ngx_queue_data(q, ngx_artifact_fold_timer_t, queue);

    ngx_queue_remove(q);         /* NOLINT: what is in a queue has a next */
    next->waiting = 0;

    ngx_artifact_fold_timer_current = next;
    ngx_artifact_fold_timer_add(next, NGX_ARTIFACT_TURN_PAUSE);
}


/* An exiting process waits for the timer, and thus for the fold. */

static void
ngx_artifact_fold_timer_slice(ngx_artifact_fold_timer_t *ft, ngx_msec_t limit)
{
    ft->rc = ngx_artifact_fold_run(ft->fold, limit, &ft->wait);
    ft->err = ngx_errno;

    if (ft->timer.timer_set) {
        ngx_del_timer(&ft->timer);
    }

    ngx_artifact_fold_timer_done(ft);
}


/* A turn in a thread, for which others may wait. */

static void
ngx_artifact_fold_timer_run(void *data, ngx_log_t *log)
{
    ngx_artifact_fold_timer_t *ft = data;

    ft->rc = ngx_artifact_fold_run(ft->fold, NGX_ARTIFACT_TURN, &ft->wait);
    ft->err = ngx_errno;
}


static void
ngx_artifact_fold_timer_done(void *data)
{
    ngx_artifact_fold_timer_t *ft = data;

    ngx_uint_t  n;

    ft->threaded = 0;

    if (ft->rc == NGX_AGAIN) {
        ngx_log_debug2(NGX_LOG_DEBUG_CORE, ngx_cycle->log, 0,
                       "artifact fold: \"%*s\" goes on after others",
                       ft->workspace.len, ft->workspace.data);

        ft->timer.cancelable = 0;
        ngx_add_timer(&ft->timer, NGX_ARTIFACT_TURN_PAUSE);
        return;
    }

    ngx_artifact_fold_timer_leave(ft);

    if (ft->fold) {
        ngx_artifact_fold_destroy(ft->fold);
        ft->fold = NULL;
    }

    if (ft->rc != NGX_BUSY) {
        ngx_artifact_fold_timer_report(ft->rc);
    }

    if (ft->rc == NGX_ERROR) {
        ngx_artifact_fold_timer_log(ft);
        n = ft->failures++;

        /* an exiting process leaves the journal to the next one */

        if (ngx_exiting) {
            ngx_artifact_fold_timer_free(ft);
            return;
        }

        ngx_artifact_fold_timer_add(ft, NGX_ARTIFACT_FOLD_RETRY
                                        << ngx_min(n, NGX_ARTIFACT_FOLD_TIMES));
        return;
    }

    ft->failures = 0;

    if (ft->rc == NGX_BUSY) {
        ngx_artifact_fold_timer_add(ft, ngx_max(ft->wait,
                                                NGX_ARTIFACT_FOLD_BUSY));

    } else if (ft->again) {
        ngx_artifact_fold_timer_add(ft, ft->soon ? 0 : ART_FOLD_DELAY);

    } else {
        ngx_artifact_fold_timer_free(ft);
    }
}


static void
ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *ft)
{
    if (ft->failures == 0) {
        ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, ft->err,
                      "writing \"%s/workspaces/%*s.meta.json\" failed, its "
                      "journal is kept", ft->root.data,
                      ft->workspace.len, ft->workspace.data);
    }
}


static void
ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *ft)
{
    if (ft->timer.timer_set) {
        ngx_del_timer(&ft->timer);
    }

    ngx_artifact_fold_timer_leave(ft);

    ngx_rbtree_delete(&ngx_artifact_fold_timer_tree, &ft->sn.node);
    ngx_artifact_fold_timer_count--;

    ngx_free(ft);
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

    tree = &ngx_artifact_fold_timer_tree;

    while (tree->root != tree->sentinel) {
        ft = (ngx_artifact_fold_timer_t *) tree->root;

        ft->rc = NGX_OK;

        if (ft->fold && !ft->threaded) {
            ft->rc = ngx_artifact_fold_run(ft->fold, 0, &ft->wait);
            ft->err = ngx_errno;
            ngx_artifact_fold_destroy(ft->fold);

        } else {
            ft->again = 1;
        }

        if (ft->rc != NGX_ERROR && ft->again) {
            ft->rc = ngx_artifact_fold((char *) ft->root.data, ft->workspace,
                                       ngx_cycle->log);
            ft->err = ngx_errno;
        }

        if (ft->rc != NGX_BUSY) {
            ngx_artifact_fold_timer_report(ft->rc);
        }

        if (ft->rc == NGX_ERROR) {
            ngx_artifact_fold_timer_log(ft);
        }

        ngx_artifact_fold_timer_free(ft);
    }
}
