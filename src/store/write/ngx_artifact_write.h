
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One write: what is to be done, what is open, and the outcome.  All of it may
 * run in threads.
 */


#ifndef NGX_ARTIFACT_WRITE_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_layout.h"

#include "core/answer/art_error.h"
#include "core/ref/art_ref_file.h"

#include <openssl/evp.h>


/* "hmac-sha256:" and its digits. */

#define NGX_ARTIFACT_DIGEST  (12 + 64)
#define NGX_ARTIFACT_HMAC    32      /* bytes of it */

/* Bytes by which a content is found that may be known: whole base64. */

#define NGX_ARTIFACT_BEGINNING  32766


/* The hint of a content of which nothing is known but how it begins. */

#define NGX_ARTIFACT_HINT_NONE  ((uint64_t) -1)


/*
 * The content that this one may be, since it began in the same way: "tag" is a
 * digest of the beginning.  If one was "found", "hmac" is that of the whole
 * content, and "fd" its file, which is read into "buf" and compared.
 */

typedef struct {
    u_char                      *buf;
    size_t                       room;        /* bytes of "buf" */
    ngx_fd_t                     fd;
    off_t                        size;        /* of the file */
    off_t                        pos;         /* bytes compared or hashed */
    u_char                       tag[NGX_ARTIFACT_HMAC];
    u_char                       hmac[NGX_ARTIFACT_HMAC];
    unsigned                     tagged:1;
    unsigned                     found:1;
    unsigned                     differs:1;
} ngx_artifact_recent_t;


/* Strings outlive the job; those for system calls are zero-terminated. */

typedef struct {

    /* what is to be done */

    art_str_t                    root;
    const ngx_artifact_layout_t *layout;      /* of the artifacts in it */
    art_str_t                    workspace;
    art_str_t                    path;        /* or the new artifact's name */
    art_str_t                    mime;
    art_str_t                    kind;        /* the type in the digest */
    art_str_t                    scope;       /* the same, of a stand-in */
    art_str_t                    agent;
    art_str_t                    message;
    art_str_t                    upload;      /* the sidecar's "file", JSON */
    uint64_t                     lifetime;    /* of an artifact in ms, or 0 */
    art_str_t                   *preconds[2]; /* values by art_precondition_t */
    unsigned                     npreconds[2];
    time_t                       unmodified_since;  /* NGX_ERROR: absent */
    unsigned                     sync:1;
    unsigned                     artifact:1;  /* a new one is to be made */
    unsigned                     remove:1;    /* a file is to be deleted */
    unsigned                     by_content:1;  /* the id is its content's */
    unsigned                     standin:1;   /* ... and no other's */
    unsigned                     text:1;      /* whatever its bytes are */
    unsigned                     given:1;     /* or it was given: "id" */
    unsigned                     summed:1;    /* "hmac" is known */
    unsigned                     sized:1;     /* "exact" counts */
    unsigned                     looks:1;     /* nothing is made */
    unsigned                     saves:1;     /* see below */
    off_t                        exact;         /* bytes it has to have */
    uint64_t                     hint;        /* a length; see below */
    u_char                       hmac[NGX_ARTIFACT_HMAC]; /* by_content */

    /* what is open */

    ngx_log_t                   *log;         /* of the thread */
    ngx_artifact_area_t          area;
    ngx_artifact_temp_t          temp;
    EVP_MD_CTX                  *digest;      /* of the content so far */
    ngx_artifact_recent_t        recent;      /* what it may be */
    ngx_chain_t                 *in;          /* content to be written next */
    off_t                        size;        /* written so far */
    unsigned                     last:1;      /* ... which is all of it */
    unsigned                     artifacts:1; /* the area is that of them */
    off_t                        length;      /* the declared length */

    /* the outcome */

    art_error_t                  error;       /* or ART_ERR_MAX */
    ngx_err_t                    err;
    const char                  *action;      /* what failed, and with which */
    const char                  *file;        /* ... of "artifacts", or NULL */
    ngx_err_t                    meta_err;    /* after a successful write */
    unsigned                     meta_failed:1;
    unsigned                     published:1;
    unsigned                     created:1;
    unsigned                     same:1;      /* it is there already */
    unsigned                     compared:1;  /* ... with the same bytes */
    unsigned                     extended:1;  /* ... and now lives longer */
    unsigned                     exists:1;
    unsigned                     bound:1;     /* the workspace exists */
    off_t                        journal;     /* its size, 0: not written */
    ngx_file_info_t              info;        /* of the file there, if any */
    art_str_t                    sidecar;     /* of what is there, malloc() */
    char                         id[NGX_ARTIFACT_TEMP_ID + 1];
    u_char                       extension[ART_REF_NAME_EXTENSION_MAX];
    size_t                       extension_len;
    u_char                       sum[NGX_ARTIFACT_DIGEST];
    size_t                       sum_len;     /* of the whole content */
    uint64_t                     time;        /* of the creation, in ms */
    uint64_t                     expires;     /* the same, 0: never */
} ngx_artifact_write_job_t;


/*
 * The first sets what is not zero in a zeroed job: nothing is open, there is no
 * error and no time.  ngx_artifact_write_close() closes what is open, and
 * removes a file that was not published; it may be called again.
 */

void ngx_artifact_write_init(ngx_artifact_write_job_t *job);
void ngx_artifact_write_close(void *data);


/*
 * Sets what failed in a job ("action" is a constant, or NULL) and the matching
 * answer: "error", or, if that is ART_ERR_MAX, the error that errno is to the
 * client.  Returns NGX_ERROR.
 */

ngx_int_t ngx_artifact_write_fail(ngx_artifact_write_job_t *job,
    art_error_t error, const char *action);


/*
 * The handlers of tasks (ngx_artifact_task.h), with a job as "data".  The
 * outcome is in the job.
 *
 * ngx_artifact_write_check() examines the existing file of a workspace, and the
 * preconditions.  ngx_artifact_write_remove() removes the file.
 *
 * ngx_artifact_write_step() writes job->in to a temporary file, which the first
 * step opens and the last one publishes.  After the last step, and after one
 * that failed, nothing is open.
 */

void ngx_artifact_write_check(void *data, ngx_log_t *log);
void ngx_artifact_write_remove(void *data, ngx_log_t *log);
void ngx_artifact_write_step(void *data, ngx_log_t *log);


/*
 * The last step of a job whose target was not known in the others: they opened
 * the temporary file where job->artifact made them expect it.  Now all of the
 * job is known, and what ngx_artifact_write_check() examines is examined first.
 */

void ngx_artifact_write_finish(void *data, ngx_log_t *log);


/*
 * Moves the job's temporary file to its path in a workspace, and records that
 * in the workspace's journal; NGX_ERROR with job->error set.
 */

ngx_int_t ngx_artifact_write_publish_file(ngx_artifact_write_job_t *job);


/*
 * Makes the temporary file what it is to be: its time and, where that is asked
 * for, its bytes are on the disk.  The same.
 */

ngx_int_t ngx_artifact_write_sync(ngx_artifact_write_job_t *job);


/*
 * Moves it to its place among the artifacts, with its sidecar; the same.  An
 * upload (job->upload) gets a new id, since a list of them is in the order in
 * which they were complete, and a marker before its sidecar.
 */

ngx_int_t ngx_artifact_write_publish_artifact(ngx_artifact_write_job_t *job);


/*
 * Gives the temporary file the name that belongs to an id, which becomes that
 * of the job: if the process dies, a sweep finds marker and sidecar by it.  The
 * same.
 */

ngx_int_t ngx_artifact_write_name(ngx_artifact_write_job_t *job,
    const char *id);


/*
 * A content whose id was given (job->given, by_content as well) is written
 * once: who writes the same again finds it (job->same, and job->sidecar, which
 * is to be freed), and anything else is a conflict.  This handler of a task
 * examines before whether there is any, and the preconditions.
 */

void ngx_artifact_given_check(void *data, ngx_log_t *log);


/*
 * Tests the preconditions against the existing file, job->exists and job->info
 * (RFC 9110, section 13.2.2); NGX_ERROR with job->error set.
 */

ngx_int_t ngx_artifact_test_preconds(ngx_artifact_write_job_t *job);


/*
 * One content, one artifact: the first begins a digest of the content, with the
 * key of the root; the second adds what was written; the third ends it, and
 * publishes the artifact by an id made of it, unless it is there already
 * (job->same), or by job->id if that is the id of something else.  NGX_ERROR
 * with job->error set.
 *
 * The id of what stands for a stand-in (job->standin) is made of job->scope,
 * too, and nothing is stored by another one.
 */

ngx_int_t ngx_artifact_content_begin(ngx_artifact_write_job_t *job);
ngx_int_t ngx_artifact_content_add(ngx_artifact_write_job_t *job,
    const u_char *p, size_t len);
ngx_int_t ngx_artifact_content_publish(ngx_artifact_write_job_t *job);


/*
 * The same for a content of which most are known, and that can be read twice:
 * the first opens what is needed for a digest, and no file; the second ends it
 * and looks the content up, of job->size bytes: job->same if it is there, and
 * lives on as if it was stored again.  Either way, job->id is its id.  If it is
 * not there, another job is to store it, which does not compute job->hmac again
 * if that is copied and job->summed is set.  NGX_ERROR with job->error set.
 * After the second one, and after either has failed, nothing is open.
 *
 * A content that was looked up before need not be hashed: with a job->hint that
 * equal ones have in common, such as a length, and with job->recent.buf, it is
 * compared with the last one that began in the same way.  NGX_DECLINED if it is
 * another one: another job, without the buffer, is to add all of it again.  Who
 * only wants to know which one begins so (job->looks, NGX_ARTIFACT_HINT_NONE)
 * adds NGX_ARTIFACT_BEGINNING bytes, and takes job->recent.
 *
 * What begins like no content that was looked up is most likely new.  With
 * job->saves it is also written as it is hashed, if that many bytes are added
 * at first, and job->size is what was added before; then the last function
 * publishes it (job->published).  A write that fails only ends that.
 */

ngx_int_t ngx_artifact_content_open(ngx_artifact_write_job_t *job);
ngx_int_t ngx_artifact_content_known(ngx_artifact_write_job_t *job);


/* Prints the sidecar of an artifact, as of the job's time. */

void ngx_artifact_print_sidecar(ngx_artifact_write_job_t *job, art_out_t *out);


#endif /* NGX_ARTIFACT_WRITE_H_INCLUDED_ */
