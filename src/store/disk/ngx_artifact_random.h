
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random bytes.
 */


#ifndef NGX_ARTIFACT_RANDOM_H_INCLUDED_
#define NGX_ARTIFACT_RANDOM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The kernel's, 256 of them at most; where it has none, those of random(3),
 * which somebody may guess.
 */

void ngx_artifact_random(void *buf, size_t len);


#endif /* NGX_ARTIFACT_RANDOM_H_INCLUDED_ */
