
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/mcp/art_mcp_revision.h"


const art_mcp_revision_t  art_mcp_revisions[ART_MCP_REVISIONS] = {
    { "2026-07-28", 1 },
    { "2025-11-25", 0 },
    { "2025-06-18", 0 },
    { "2025-03-26", 0 }
};


const art_mcp_revision_t *
art_mcp_revision(art_str_t name)
{
    size_t  i;

    for (i = 0; i < ART_MCP_REVISIONS; i++) {
        if (art_str_eq(name, art_cstr(art_mcp_revisions[i].name))) {
            return &art_mcp_revisions[i];
        }
    }

    return NULL;
}


const art_mcp_revision_t *
art_mcp_revision_older(void)
{
    size_t  i;

    for (i = 0; art_mcp_revisions[i].modern; i++) {
        /* void */
    }

    return &art_mcp_revisions[i];
}


const art_mcp_revision_t *
art_mcp_revision_silent(void)
{
    return &art_mcp_revisions[ART_MCP_REVISIONS - 1];
}
