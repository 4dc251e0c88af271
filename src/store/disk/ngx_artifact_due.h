
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * When artifacts expire: markers, so that nobody has to read all sidecars.
 */


#ifndef NGX_ARTIFACT_DUE_H_INCLUDED_
#define NGX_ARTIFACT_DUE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * A marker is an empty file, named by the id of an artifact, in a folder for
 * all that expire in the same span of time.  Its name is a decimal number, the
 * time divided by the span.  These folders are in one of the control folder of
 * artifacts.  A marker is only a hint: the sidecar has the time.
 */

#define NGX_ARTIFACT_DUE           "expires"
#define NGX_ARTIFACT_DUE_SPAN      600000    /* milliseconds */
#define NGX_ARTIFACT_DUE_NAME      (NGX_INT64_LEN + 1)

#define ngx_artifact_due_span(until)  ((until) / NGX_ARTIFACT_DUE_SPAN)


/*
 * Makes the marker of an artifact ("id", zero-terminated) that expires at
 * "until", milliseconds since 1970, in a control folder; with "sync", it is on
 * the disk.  One that is there already is left alone.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_due_mark(ngx_fd_t control, const char *id,
    uint64_t until, ngx_uint_t sync);


#endif /* NGX_ARTIFACT_DUE_H_INCLUDED_ */
