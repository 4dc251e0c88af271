
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What threads get from the kernel itself: memory that leaves no traces in
 * their heaps, and random bytes.
 */


#ifndef NGX_ARTIFACT_OS_H_INCLUDED_
#define NGX_ARTIFACT_OS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The first maps "size" bytes of anonymous memory, all zeros; NULL with errno.
 * The second unmaps it; "size" must be the same.
 */

u_char *ngx_artifact_map(size_t size);
void ngx_artifact_unmap(u_char *p, size_t size);


/*
 * Fills "buf" with at most 256 random bytes from the kernel or, if it has none,
 * from random(3), which can be predicted.
 */

void ngx_artifact_random(void *buf, size_t len);


#endif /* NGX_ARTIFACT_OS_H_INCLUDED_ */
