
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content handler of "artifact_mcp": the store as a server of the Model
 * Context Protocol (modelcontextprotocol.io/specification/2026-07-28).
 */


#ifndef NGX_HTTP_ARTIFACT_MCP_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_MCP_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"


/* The role of a location with "artifact_mcp". */

extern const ngx_http_artifact_role_t  ngx_http_artifact_mcp_role;


/*
 * The method of a message, and the name of its tool or the URI of its resource;
 * empty if it has neither, or until it has been read.  The bytes are those that
 * the client sent.
 */

art_str_t ngx_http_artifact_mcp_method_name(ngx_http_artifact_mcp_t *mcp);
art_str_t ngx_http_artifact_mcp_target_name(ngx_http_artifact_mcp_t *mcp);


#endif /* NGX_HTTP_ARTIFACT_MCP_H_INCLUDED_ */
