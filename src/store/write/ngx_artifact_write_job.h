
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of writing share.  Functions that take a "job" or an "area"
 * touch the disk and may run in a thread: they know no request and no pool.
 */


#ifndef NGX_ARTIFACT_WRITE_JOB_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_JOB_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "http/base/ngx_http_artifact_task.h"

#include "core/ref/art_ref_name.h"
#include "core/answer/art_precondition.h"
#include "core/base/art_uuid.h"


/* Files on their way are named so, in the module's own folder. */

#define NGX_ARTIFACT_TEMP        "tmp-"
#define NGX_ARTIFACT_TEMP_ID     36      /* a UUID */
#define NGX_ARTIFACT_TEMP_LEN                                                 \
    (sizeof(NGX_ARTIFACT_TEMP) - 1 + NGX_ARTIFACT_TEMP_ID)


/* artifacts/ or workspaces/ of a data root, open. */

typedef struct {
    ngx_fd_t                     folder;
    ngx_fd_t                     control;
} ngx_artifact_area_t;


/* A file on its way, in the control folder, locked as long as it is open. */

typedef struct {
    ngx_fd_t                     fd;
    u_char                       name[NGX_ARTIFACT_TEMP_LEN + 1];
} ngx_artifact_temp_t;


/* Which of a workspace's two locks. */

#define NGX_ARTIFACT_APPEND  0
#define NGX_ARTIFACT_FOLD    1


/*
 * One write: what is to be done, what is open, and what came of it.  Strings
 * in "given" live as long as the job, those for system calls end with a zero.
 */

typedef struct {
    art_str_t                    root;
    art_str_t                    workspace;   /* empty: a new artifact */
    art_str_t                    path;        /* or the new artifact's name */
    art_str_t                    mime;
    art_str_t                    agent;
    art_str_t                    message;
    art_str_t                   *preconds[2]; /* values by art_precondition_t */
    unsigned                     npreconds[2];
    time_t                       unmodified_since;  /* NGX_ERROR: not given */
    unsigned                     sync:1;
    unsigned                     remove:1;    /* a file is to be deleted */

    ngx_log_t                   *log;         /* of the thread */
    ngx_artifact_area_t          area;
    ngx_artifact_temp_t          temp;
    ngx_chain_t                 *in;          /* content to be written next */
    off_t                        size;        /* written so far */
    unsigned                     last:1;      /* ... and there is no more */

    art_error_t                  error;       /* ART_ERR_MAX: none */
    ngx_err_t                    err;
    const char                  *action;      /* what failed */
    ngx_err_t                    meta_err;    /* after a write that succeeded */
    unsigned                     meta_failed:1;
    unsigned                     published:1;
    unsigned                     created:1;
    unsigned                     exists:1;
    unsigned                     bound:1;     /* the workspace exists */
    off_t                        journal;     /* its size, 0: not written to */
    ngx_file_info_t              info;        /* of the file there, if any */
    char                         id[NGX_ARTIFACT_TEMP_ID + 1];
    u_char                       extension[ART_REF_NAME_EXTENSION_MAX];
    size_t                       extension_len;
    uint64_t                     time;        /* of the creation */
} ngx_artifact_write_job_t;


/*
 * Opens "name" (artifacts or workspaces) of a root and the control folder in
 * it, both made when missing if "create" is set.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_area_open(ngx_artifact_area_t *area,
    const char *root, const char *name, ngx_uint_t create);
void ngx_artifact_area_close(ngx_artifact_area_t *area);


/*
 * Takes a lock of a workspace among all threads, processes and machines:
 * returns a descriptor, closing which releases it; NGX_INVALID_FILE with
 * errno, which is EAGAIN if somebody else has it and "wait" is not set.
 */

ngx_fd_t ngx_artifact_lock(ngx_fd_t control, art_str_t workspace,
    ngx_uint_t which, ngx_uint_t wait);

/* A write lock on a whole open file, not waited for. */

ngx_int_t ngx_artifact_lock_file(ngx_fd_t fd);


/*
 * Creates a file in a control folder, locked.  "id" (a UUID) names it, NULL:
 * a random one.  Writes to it; closes it, removing it unless "keep" is set,
 * that is, unless it was renamed.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_temp_open(ngx_artifact_temp_t *temp,
    ngx_fd_t control, const char *id);
ngx_int_t ngx_artifact_write_all(ngx_fd_t fd, const void *data,
    size_t len, off_t offset);
void ngx_artifact_temp_close(ngx_artifact_temp_t *temp,
    ngx_fd_t control, ngx_uint_t keep);

/* A version 7 UUID, unique among the threads of this process and others. */

void ngx_artifact_uuid(char *text);

/* Milliseconds of the epoch: nginx's own clock stands still in a thread. */

uint64_t ngx_artifact_now(void);

/*
 * Sets a file's modification time to the nanosecond: what the kernel does on
 * its own is as coarse as its ticks.
 */

ngx_int_t ngx_artifact_touch(ngx_fd_t fd);


/* Sets what failed in a job, and the answer that goes with it. */

ngx_int_t ngx_artifact_write_fail(ngx_artifact_write_job_t *job,
    art_error_t error, const char *action);
art_error_t ngx_artifact_write_errno(ngx_err_t err);


/*
 * The steps of a write, with their outcome in the job: looks at what is there
 * and at the preconditions; opens, takes content in and, if it was the last,
 * publishes it; removes a file; closes what is open.
 */

void ngx_artifact_write_check(void *data, ngx_log_t *log);
void ngx_artifact_write_step(void *data, ngx_log_t *log);
void ngx_artifact_write_remove(void *data, ngx_log_t *log);
void ngx_artifact_write_close(void *data);

/*
 * What those are made of; NGX_ERROR with job->error set.  The first one walks
 * to the folder of the job's file, making folders on the way if "create" is
 * set, and calls "leaf" with the file's name in it.  Without "create", and
 * without the folder, a write finds nothing in its way: NGX_OK.
 */

typedef ngx_int_t (*ngx_artifact_write_leaf_pt)(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);

ngx_int_t ngx_artifact_write_reach(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_leaf_pt leaf);
ngx_int_t ngx_artifact_test_preconds(ngx_artifact_write_job_t *job);
ngx_int_t ngx_artifact_publish_file(ngx_artifact_write_job_t *job);
ngx_int_t ngx_artifact_publish_artifact(ngx_artifact_write_job_t *job);
void ngx_artifact_print_meta(ngx_artifact_write_job_t *job,
    art_out_t *out);


/*
 * For a request that is going to be refused: its body is read and dropped, or
 * left alone where the error has a page, whose location may have a use for
 * it.  NGX_OK, or what the content handler has to return.
 */

ngx_int_t ngx_http_artifact_unwanted_body(ngx_http_request_t *r,
    art_error_t error);


/*
 * Checks the header of a request with a body that is to be written, and takes
 * the media type from it: NGX_OK, NGX_DECLINED with *error.
 */

ngx_int_t ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, art_error_t *error);


/*
 * The methods that the context's reference takes; writes are those but GET and
 * HEAD, and have a handler of their own.
 */

ngx_uint_t ngx_http_artifact_methods(ngx_http_artifact_ctx_t *ctx);
ngx_int_t ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/* The request's side of a write. */

ngx_int_t ngx_http_artifact_upload(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
ngx_int_t ngx_http_artifact_write_refuse(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
ngx_int_t ngx_http_artifact_write_answer(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


struct ngx_http_artifact_write_s {
    ngx_http_artifact_ctx_t     *ctx;
    ngx_artifact_write_job_t     job;
    ngx_http_artifact_task_t     task;
    off_t                        drained;     /* read after a failure */
    unsigned                     own:1;       /* the body is read by us */
    unsigned                     running:1;   /* a step of the job */
    unsigned                     done:1;
};


/*
 * Folds a workspace's journal, as it is now, into its metadata.  NGX_OK when
 * that is done (who appended since has it folded, too), NGX_AGAIN when somebody
 * else is at it, NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_fold(const char *root, art_str_t workspace,
    ngx_log_t *log);


/* Has a workspace's journal folded soon, or at once if "now" is set. */

void ngx_artifact_fold_later(art_str_t root, art_str_t workspace,
    void *pool, ngx_uint_t now);


/* Cleans up a root, at most once a minute, and folds what was left. */

void ngx_artifact_sweep(art_str_t root, void *pool);


/* The list of what is to be folded: empty, and all of it folded here. */

void ngx_artifact_fold_timer_init(void);
void ngx_artifact_fold_timer_finish(void);


/* Notes the root of a location that is written to. */

ngx_int_t ngx_artifact_write_root(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);


/* The processes' side: folds what a crash left, and what is left at exit. */

ngx_int_t ngx_artifact_sweep_init_process(ngx_cycle_t *cycle);
void ngx_artifact_sweep_exit_process(ngx_cycle_t *cycle);


#endif /* NGX_ARTIFACT_WRITE_JOB_H_INCLUDED_ */
