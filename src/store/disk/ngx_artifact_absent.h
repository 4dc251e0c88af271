
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
 * Whether the folder, which may be open just to pass through (O_PATH), has
 * certainly no file that is named like the id, with an extension or without;
 * 0 if it may have one, or that is not known (yet).
 *
 * What is known of a folder holds until its times change: a call takes one
 * look at those.  A folder of up to a thousand names is read by the first call.
 * Of a larger one each call reads as much, until all of it is known; as long
 * as it was changed within the last two seconds, nothing is known of it.
 *
 * For the event loop only.  16 folders are known in a process, in at most 1 MB
 * each (2 bytes for each name with its extension and without; more names than
 * fit are told apart worse); of those not known completely yet a descriptor
 * is open.
 */

ngx_uint_t ngx_artifact_absent(ngx_fd_t folder, art_str_t id);


/* Whether nothing has come into a folder within the last two seconds. */

ngx_uint_t ngx_artifact_absent_quiet(ngx_fd_t folder);


#endif /* NGX_ARTIFACT_ABSENT_H_INCLUDED_ */
