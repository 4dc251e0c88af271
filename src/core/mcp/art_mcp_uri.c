
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "core/mcp/art_mcp_uri.h"


#define ART_MCP_ARTIFACT   "artifact:"
#define ART_MCP_WORKSPACE  "workspace:"


static int art_mcp_has_scheme(art_str_t uri, const char *scheme);


art_id_status_t
art_mcp_uri_parse(art_str_t uri, uint8_t *buf, art_ref_t *out)
{
    size_t     n, scheme;
    unsigned   workspace;
    art_str_t  rest;

    workspace = art_mcp_has_scheme(uri, ART_MCP_WORKSPACE) & 1;

    if (!workspace && !art_mcp_has_scheme(uri, ART_MCP_ARTIFACT)) {
        return ART_ID_INVALID;
    }

    scheme = workspace ? sizeof(ART_MCP_WORKSPACE) - 1
                       : sizeof(ART_MCP_ARTIFACT) - 1;
    rest = art_str(uri.data + scheme, uri.len - scheme);

    if (workspace) {
        return art_percent_decode(buf, &n, rest) != ART_OK ? ART_ID_INVALID
               : art_id_from_path(art_str(buf, n), buf + uri.len, out);
    }

    /* an id may begin with "artifact:" itself */

    memcpy(buf, ART_MCP_ARTIFACT, scheme);

    return art_percent_decode(buf + scheme, &n, rest) != ART_OK
           ? ART_ID_INVALID
           : art_id_parse(art_str(buf, scheme + n), buf + uri.len, out);
}


art_id_status_t
art_mcp_ref_parse(art_str_t ref, uint8_t *buf, art_ref_t *out)
{
    if (art_mcp_has_scheme(ref, ART_MCP_WORKSPACE)
        && memchr(ref.data, '/', ref.len) != NULL)
    {
        return art_mcp_uri_parse(ref, buf, out);
    }

    if (ref.len > sizeof("[" ART_MCP_ARTIFACT "]") - 1
        && ref.data[0] == '[' && ref.data[ref.len - 1] == ']')
    {
        ref = art_str(ref.data + 1, ref.len - 2);
    }

    return art_id_parse(ref, buf, out);
}


static int
art_mcp_has_scheme(art_str_t uri, const char *scheme)
{
    size_t  len;

    len = strlen(scheme);

    return uri.len >= len && art_str_is(art_str(uri.data, len), scheme);
}


void
art_mcp_uri_print(art_out_t *out, art_str_t id)
{
    art_out_cstr(out, ART_MCP_ARTIFACT);
    art_id_uri(out, id);
}
