
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The revisions of MCP that are known.
 */


#ifndef ART_MCP_REVISION_H_INCLUDED_
#define ART_MCP_REVISION_H_INCLUDED_


#include "core/base/art_core.h"


/* "modern": each request has its revision, and there is no handshake. */

typedef struct {
    const char  *name;
    unsigned     modern:1;
} art_mcp_revision_t;


/* From the newest on. */

#define ART_MCP_REVISIONS  4

extern const art_mcp_revision_t  art_mcp_revisions[ART_MCP_REVISIONS];


/* The revision of a name, or NULL. */

const art_mcp_revision_t *art_mcp_revision(art_str_t name);


/*
 * The newest with a handshake; and that of a message without a revision (MCP
 * 2025-06-18, basic/transports, "Protocol Version Header").
 */

const art_mcp_revision_t *art_mcp_revision_older(void);
const art_mcp_revision_t *art_mcp_revision_silent(void);


#endif /* ART_MCP_REVISION_H_INCLUDED_ */
