
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What needs a job that no request waits for, by its key: a root, or a
 * workspace of one.  For the event loop of a process, not for threads.
 */


#ifndef NGX_ARTIFACT_SCHEDULE_H_INCLUDED_
#define NGX_ARTIFACT_SCHEDULE_H_INCLUDED_


#include "store/disk/ngx_artifact_task.h"

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>

#include "core/base/art_core.h"


typedef struct ngx_artifact_job_s  ngx_artifact_job_t;


/* Jobs of a kind; the user sets what comes before "tree". */

typedef struct {

    /* if set, before each turn; not NGX_OK: it has seen to what comes next */

    ngx_int_t                  (*ready)(ngx_artifact_job_t *job);

    /* a turn, in a thread or not; NGX_AGAIN: others follow */

    ngx_int_t                  (*work)(ngx_artifact_job_t *job,
                                    ngx_log_t *log);

    /* after a turn; unless job->rc is NGX_AGAIN, the job is at its end */

    void                       (*done)(ngx_artifact_job_t *job);

    ngx_msec_t                   patience;    /* of a process that exits */
    ngx_uint_t                   max;         /* keys at a time */

    /* for ngx_artifact_schedule() only: */

    size_t                       size;        /* of a job with its state */
    ngx_uint_t                   jobs;        /* at a time */
    ngx_msec_t                   pause;       /* between jobs for a key */
    unsigned                     now:1;       /* the first job begins now */
    unsigned                     once:1;      /* likewise, and none follows */

    /* sets up the state of a new job; not NGX_OK: none now */

    ngx_int_t                  (*start)(ngx_artifact_job_t *job);

    ngx_rbtree_t                 tree;
    ngx_rbtree_node_t            sentinel;
    ngx_queue_t                  queue;       /* keys by their time */
    ngx_uint_t                   n;           /* keys */
    ngx_uint_t                   running;     /* jobs */
    ngx_uint_t                   refused;     /* keys */
    ngx_event_t                  timer;
} ngx_artifact_schedule_t;


typedef struct {
    ngx_str_node_t               sn;          /* ends with a zero */
    ngx_queue_t                  queue;       /* if it waits */
    ngx_msec_t                   due;
    void                        *pool;
    ngx_artifact_schedule_t     *schedule;
    unsigned                     known:1;     /* 0: it is new */
    unsigned                     unswept:1;
    unsigned                     told:1;      /* in the log */
} ngx_artifact_key_t;


struct ngx_artifact_job_s {
    ngx_artifact_key_t          *key;
    void                        *pool;        /* of threads, or NULL */
    ngx_event_t                  timer;
    ngx_artifact_task_t          task;
    ngx_int_t                    rc;          /* of the last turn */
    ngx_err_t                    err;         /* likewise */
    unsigned                     threaded:1;
};


/* Begins without a key. */

void ngx_artifact_schedule_init(ngx_artifact_schedule_t *s);


/*
 * From now on there are jobs for a root, the first one after a pause; nothing
 * happens if the root is known.  If one was refused since there were too many,
 * the next one whose job ends gives way.  With "now" the first job begins now,
 * with "once" as well, and the root is forgotten after a pause.  Returns what
 * belongs to a root that was not known, or NULL.
 */

ngx_artifact_key_t *ngx_artifact_schedule(ngx_artifact_schedule_t *s,
    art_str_t root, void *pool);


/*
 * For a user who starts jobs itself.  ngx_artifact_key() returns what belongs
 * to a key, or NULL; if that is new, it has "size" bytes, which are zero after
 * ngx_artifact_key_t.  ngx_artifact_job_init() sets up a job in zeroed memory.
 * ngx_artifact_job_add() sets its next turn in "delay" milliseconds, or keeps
 * an earlier one.  ngx_artifact_job_done() follows a turn that was run outside.
 */

void *ngx_artifact_key(ngx_artifact_schedule_t *s, ngx_str_t *text,
    size_t size);
void ngx_artifact_key_free(ngx_artifact_key_t *key);
void ngx_artifact_job_init(ngx_artifact_job_t *job, ngx_artifact_key_t *key);
void ngx_artifact_job_add(ngx_artifact_job_t *job, ngx_msec_t delay);
void ngx_artifact_job_done(void *data);


#endif /* NGX_ARTIFACT_SCHEDULE_H_INCLUDED_ */
