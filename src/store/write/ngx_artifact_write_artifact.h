
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * New artifacts.
 */


#ifndef NGX_ARTIFACT_WRITE_ARTIFACT_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_ARTIFACT_H_INCLUDED_


#include "store/write/ngx_artifact_write_job.h"


/*
 * Puts the job's file on its way in its place, with a sidecar; NGX_ERROR with
 * job->error set.
 */

ngx_int_t ngx_artifact_publish_artifact(ngx_artifact_write_job_t *job);


/* Prints the sidecar of an artifact, as of the job's time. */

void ngx_artifact_print_sidecar(ngx_artifact_write_job_t *job, art_out_t *out);


#endif /* NGX_ARTIFACT_WRITE_ARTIFACT_H_INCLUDED_ */
