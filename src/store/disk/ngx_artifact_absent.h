
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which ids a folder of artifacts has no content of.
 */


#ifndef NGX_ARTIFACT_ABSENT_H_INCLUDED_
#define NGX_ARTIFACT_ABSENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/*
 * Whether the folder, which may be open just to pass through (O_PATH),
 * certainly has no file named like the id, with or without an extension; 0 if
 * it may have one, or if that is not known yet.
 *
 * What is known about a folder is valid until its times change, which each call
 * checks.  The first call reads a folder of up to a thousand names.  Of a
 * larger one each call reads as much, until all of it is known; if it was
 * changed within the last two seconds, nothing is known about it.
 *
 * For the event loop only.  A process knows 16 folders, in at most 1 MB each (2
 * bytes for each name with its extension and without; if more names are added,
 * more ids may seem to exist), and has a descriptor open for each that is not
 * known completely yet.
 */

ngx_uint_t ngx_artifact_absent(ngx_fd_t folder, art_str_t id);


/* Whether no names have come into a folder within the last two seconds. */

ngx_uint_t ngx_artifact_absent_quiet(ngx_fd_t folder);


#endif /* NGX_ARTIFACT_ABSENT_H_INCLUDED_ */
