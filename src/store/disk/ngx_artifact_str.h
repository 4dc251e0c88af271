
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * nginx's strings as those of the core.
 */


#ifndef NGX_ARTIFACT_STR_H_INCLUDED_
#define NGX_ARTIFACT_STR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* The same bytes, still owned by their owner. */

static ngx_inline art_str_t
ngx_artifact_str(const ngx_str_t *s)
{
    return art_str(s->data, s->len);
}


#endif /* NGX_ARTIFACT_STR_H_INCLUDED_ */
