
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When journals are folded: soon after the first record that is not, at the
 * latest when the process ends.
 */


#include "store/upkeep/ngx_artifact_fold_timer.h"
#include "store/disk/ngx_artifact_task.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "core/ref/art_id.h"
#include <ngx_event.h>
#include "store/metadata/ngx_artifact_journal_files.h"


/* Milliseconds: readers see a record in the journal just as well. */

#define NGX_ARTIFACT_FOLD_DELAY  250
#define NGX_ARTIFACT_FOLD_BUSY   50
#define NGX_ARTIFACT_FOLD_RETRY  1000
#define NGX_ARTIFACT_FOLD_TIMES  5       /* then at the longest pause */

/* Without threads others wait for a fold that long, and get their turn. */

#define NGX_ARTIFACT_FOLD_SLICE  4
#define NGX_ARTIFACT_FOLD_TURN   1


/* A workspace whose journal is to be folded, in memory of its own. */

typedef struct {
    ngx_str_node_t               sn;          /* root, zero, workspace */
    art_str_t                    root;
    art_str_t                    workspace;
    ngx_event_t                  timer;
    ngx_connection_t             connection;  /* for the timer's log */
    ngx_artifact_task_t          task;
    void                        *pool;
    ngx_artifact_fold_t         *fold;        /* under way, or NULL */
    ngx_int_t                    rc;
    ngx_err_t                    err;
    ngx_uint_t                   failures;
    unsigned                     threaded:1;  /* it is in a thread */
    unsigned                     again:1;     /* written to in the meantime */
} ngx_artifact_fold_timer_t;


static ngx_artifact_fold_timer_t *ngx_artifact_fold_timer_create(
    ngx_str_t *key, uint32_t hash, size_t root_len);
static void ngx_artifact_fold_timer_timer(ngx_event_t *ev);
static void ngx_artifact_fold_timer_slice(ngx_artifact_fold_timer_t *later,
    ngx_msec_t limit);
static void ngx_artifact_fold_timer_run(void *data, ngx_log_t *log);
static void ngx_artifact_fold_timer_done(void *data);
static void ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *later);
static void ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *later);


static ngx_rbtree_t       ngx_artifact_fold_timer_tree;
static ngx_rbtree_node_t  ngx_artifact_fold_timer_sentinel;


void
ngx_artifact_fold_timer_init(void)
{
    ngx_rbtree_init(&ngx_artifact_fold_timer_tree,
                    &ngx_artifact_fold_timer_sentinel,
                    ngx_str_rbtree_insert_value);
}


void
ngx_artifact_fold_later(art_str_t root, art_str_t workspace, void *pool,
    off_t size)
{
    u_char                     *p;
    uint32_t                    hash;
    ngx_str_t                   key;
    ngx_msec_t                  delay;
    u_char                      buf[NGX_MAX_PATH + 1 + ART_ID_NAME_MAX];
    ngx_artifact_fold_timer_t  *later;

    if (root.len >= NGX_MAX_PATH || workspace.len > ART_ID_NAME_MAX) {
        return;
    }

    p = ngx_cpymem(buf, root.data, root.len);
    *p++ = '\0';
    p = ngx_cpymem(p, workspace.data, workspace.len);

    key.data = buf;
    key.len = (size_t) (p - buf);
    hash = ngx_crc32_long(key.data, key.len);

    later = (ngx_artifact_fold_timer_t *)
            ngx_str_rbtree_lookup(&ngx_artifact_fold_timer_tree, &key, hash);

    if (later == NULL) {
        later = ngx_artifact_fold_timer_create(&key, hash, root.len);

        if (later == NULL) {
            return;              /* the next write tries again */
        }
    }

    later->pool = pool;

    if (later->fold) {
        later->again = 1;

        /* who writes faster than is folded has to wait for it */

        if (size >= NGX_ARTIFACT_JOURNAL_FULL && !later->threaded) {
            ngx_artifact_fold_timer_slice(later, 0);
        }

        return;
    }

    if (later->failures) {
        delay = NGX_ARTIFACT_FOLD_RETRY;

    } else {
        delay = size >= NGX_ARTIFACT_JOURNAL_SOON ? 1 : NGX_ARTIFACT_FOLD_DELAY;
    }

    /* earlier than it would be, never later */

    if (later->timer.timer_set) {

        if ((ngx_msec_int_t) (later->timer.timer.key - ngx_current_msec)
            <= (ngx_msec_int_t) delay)
        {
            return;
        }

        ngx_del_timer(&later->timer);
    }

    ngx_add_timer(&later->timer, delay);
}


static ngx_artifact_fold_timer_t *
ngx_artifact_fold_timer_create(ngx_str_t *key, uint32_t hash,
    size_t root_len)
{
    u_char                     *p;
    ngx_artifact_fold_timer_t  *later;

    later = ngx_calloc(sizeof(ngx_artifact_fold_timer_t) + key->len + 1,
                       ngx_cycle->log);
    if (later == NULL) {
        return NULL;
    }

    p = (u_char *) (later + 1);
    ngx_memcpy(p, key->data, key->len);

    later->sn.node.key = hash;
    later->sn.str.data = p;
    later->sn.str.len = key->len;
    later->root = art_str(p, root_len);
    later->workspace = art_str(p + root_len + 1, key->len - root_len - 1);

    later->connection.fd = (ngx_socket_t) -1;
    later->timer.handler = ngx_artifact_fold_timer_timer;
    later->timer.data = &later->connection;
    later->timer.log = ngx_cycle->log;
    later->connection.data = later;

    later->task.run = ngx_artifact_fold_timer_run;
    later->task.done = ngx_artifact_fold_timer_done;
    later->task.data = later;
    later->task.owner = later;

    ngx_rbtree_insert(&ngx_artifact_fold_timer_tree, &later->sn.node);

    return later;
}


static void
ngx_artifact_fold_timer_timer(ngx_event_t *ev)
{
    ngx_connection_t           *c;
    ngx_artifact_fold_timer_t  *later;

    c = ev->data;
    later = c->data;

    if (later->fold == NULL) {
        later->again = 0;
        later->fold = ngx_artifact_fold_create((char *) later->root.data,
                                               later->workspace,
                                               ngx_cycle->log);
    }

    if (later->fold == NULL) {
        later->rc = NGX_ERROR;
        later->err = NGX_ENOMEM;
        ngx_artifact_fold_timer_done(later);

    } else if (later->pool) {
        later->threaded = 1;
        ngx_artifact_task_start(&later->task, later->pool, ngx_cycle->log);

    } else {
        ngx_artifact_fold_timer_slice(later, NGX_ARTIFACT_FOLD_SLICE);
    }
}


/* A process that is to end waits for the timer, and so for the fold. */

static void
ngx_artifact_fold_timer_slice(ngx_artifact_fold_timer_t *later,
    ngx_msec_t limit)
{
    later->rc = ngx_artifact_fold_run(later->fold, limit);
    later->err = ngx_errno;

    if (later->timer.timer_set) {
        ngx_del_timer(&later->timer);
    }

    if (later->rc == NGX_AGAIN) {
        later->timer.cancelable = 0;
        ngx_add_timer(&later->timer, NGX_ARTIFACT_FOLD_TURN);
        return;
    }

    ngx_artifact_fold_timer_done(later);
}


static void
ngx_artifact_fold_timer_run(void *data, ngx_log_t *log)
{
    ngx_artifact_fold_timer_t *later = data;

    later->rc = ngx_artifact_fold_run(later->fold, 0);
    later->err = ngx_errno;
}


static void
ngx_artifact_fold_timer_done(void *data)
{
    ngx_artifact_fold_timer_t *later = data;

    ngx_uint_t  n;

    if (later->fold) {
        ngx_artifact_fold_destroy(later->fold);
        later->fold = NULL;
    }

    later->threaded = 0;

    if (later->rc == NGX_ERROR) {
        ngx_artifact_fold_timer_log(later);

        n = later->failures++;

        if (n > NGX_ARTIFACT_FOLD_TIMES) {
            n = NGX_ARTIFACT_FOLD_TIMES;
        }

        /* the journal waits for the next process */

        if (ngx_exiting) {
            ngx_artifact_fold_timer_free(later);
            return;
        }

        /* a process that is to end tries once more then, not later */

        later->timer.cancelable = 1;

        ngx_add_timer(&later->timer, NGX_ARTIFACT_FOLD_RETRY << n);
        return;
    }

    later->failures = 0;
    later->timer.cancelable = 0;

    if (later->rc == NGX_BUSY) {
        ngx_add_timer(&later->timer, NGX_ARTIFACT_FOLD_BUSY);
        return;
    }

    if (later->again) {
        ngx_add_timer(&later->timer, NGX_ARTIFACT_FOLD_DELAY);
        return;
    }

    ngx_artifact_fold_timer_free(later);
}


static void
ngx_artifact_fold_timer_log(ngx_artifact_fold_timer_t *later)
{
    if (later->failures == 0) {
        ngx_log_error(NGX_LOG_WARN, ngx_cycle->log, later->err,
                      "artifact metadata of workspace \"%*s\" cannot be "
                      "written now, its journal is kept",
                      later->workspace.len, later->workspace.data);
    }
}


static void
ngx_artifact_fold_timer_free(ngx_artifact_fold_timer_t *later)
{
    if (later->timer.timer_set) {
        ngx_del_timer(&later->timer);
    }

    ngx_rbtree_delete(&ngx_artifact_fold_timer_tree, &later->sn.node);
    ngx_free(later);
}


/*
 * A process that is told to end at once has no more events.  A fold is run to
 * its end, but for one in a thread, which leaves what a crash would.
 */

void
ngx_artifact_fold_timer_finish(void)
{
    ngx_rbtree_t               *tree;
    ngx_artifact_fold_timer_t  *later;

    tree = &ngx_artifact_fold_timer_tree;

    while (tree->root != tree->sentinel) {
        later = (ngx_artifact_fold_timer_t *) tree->root;

        later->rc = NGX_OK;

        if (later->fold && !later->threaded) {
            ngx_artifact_fold_timer_run(later, ngx_cycle->log);
            ngx_artifact_fold_destroy(later->fold);

        } else {
            later->again = 1;
        }

        if (later->rc == NGX_OK && later->again) {
            later->rc = ngx_artifact_fold((char *) later->root.data,
                                          later->workspace, ngx_cycle->log);
            later->err = ngx_errno;
        }

        if (later->rc == NGX_ERROR) {
            ngx_artifact_fold_timer_log(later);
        }

        ngx_artifact_fold_timer_free(later);
    }
}
