
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Queries for services and what they can take.
 */


#ifndef NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* The role of a location with "artifact_services". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_services_role;


#endif /* NGX_HTTP_ARTIFACT_SERVICES_H_INCLUDED_ */
