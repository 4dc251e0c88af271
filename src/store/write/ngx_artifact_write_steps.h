
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content of a write.
 */


#ifndef NGX_ARTIFACT_WRITE_STEPS_H_INCLUDED_
#define NGX_ARTIFACT_WRITE_STEPS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Takes job->in into a file on its way, which is opened with the first step,
 * and publishes it if that was the last.  The outcome is in the job; nothing
 * of it is open after the last step, or one that failed.
 */

void ngx_artifact_write_step(void *data, ngx_log_t *log);


#endif /* NGX_ARTIFACT_WRITE_STEPS_H_INCLUDED_ */
