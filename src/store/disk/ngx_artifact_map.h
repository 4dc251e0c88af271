
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Memory that leaves no traces in the heap of a thread.
 */


#ifndef NGX_ARTIFACT_MAP_H_INCLUDED_
#define NGX_ARTIFACT_MAP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Maps "size" bytes of anonymous memory, all zeros; NULL with errno.  Unmaps
 * them, with the same size.
 */

u_char *ngx_artifact_map(size_t size);
void ngx_artifact_unmap(u_char *p, size_t size);


#endif /* NGX_ARTIFACT_MAP_H_INCLUDED_ */
