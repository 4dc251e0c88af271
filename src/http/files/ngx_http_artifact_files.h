
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Files APIs of OpenAI and Anthropic (docs/files.md).
 */


#ifndef NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* The role of a location with "artifact_files". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_files_role;


#endif /* NGX_HTTP_ARTIFACT_FILES_H_INCLUDED_ */
