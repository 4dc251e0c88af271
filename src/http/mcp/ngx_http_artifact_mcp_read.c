
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Contents: resources/read, for programs, and the tool read_artifact, routed
 * for the model that asks.  Both are rendered by the stream of http/route, with
 * the envelope of the message around it.
 */


#include "http/mcp/ngx_http_artifact_mcp_state.h"


ngx_int_t
ngx_http_artifact_mcp_resource(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_cstr("not implemented"), 1);
}


ngx_int_t
ngx_http_artifact_mcp_read(ngx_http_request_t *r,
    ngx_http_artifact_mcp_t *mcp)
{
    return ngx_http_artifact_mcp_tool_words(r, mcp,
                                            art_cstr("not implemented"), 1);
}
