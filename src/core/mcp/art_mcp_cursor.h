
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Cursors of listings: opaque texts that say where the next page begins, and
 * belong to one listing.
 */


#ifndef ART_MCP_CURSOR_H_INCLUDED_
#define ART_MCP_CURSOR_H_INCLUDED_


#include "core/base/art_core.h"


/* What is listed: a number for the kind, and the arguments that choose. */

#define ART_MCP_SCOPE  3

typedef struct {
    unsigned    kind;
    art_str_t   scope[ART_MCP_SCOPE];
} art_mcp_listing_t;


/*
 * The last entry of a page: in which part of the listing (at most 255), of
 * which workspace, and its name.  The strings are at most 65535 bytes.
 */

typedef struct {
    unsigned    part;
    art_str_t   workspace;
    art_str_t   after;
} art_mcp_position_t;


/* Writes a cursor: base64url of the position, and a hash of it and listing. */

void art_mcp_cursor_print(art_out_t *out, const art_mcp_listing_t *listing,
    const art_mcp_position_t *position);


/*
 * Reads one of the same listing; *position points into "buf", which has room
 * for ART_MCP_CURSOR_ROOM(cursor.len) bytes.  ART_ERROR for any other text.
 * The hash is no secret: a position has to be checked like any argument.
 */

#define ART_MCP_CURSOR_ROOM(len)  ((len) / 4 * 3 + 3)

int art_mcp_cursor_parse(art_str_t cursor, uint8_t *buf,
    const art_mcp_listing_t *listing, art_mcp_position_t *position);


#endif /* ART_MCP_CURSOR_H_INCLUDED_ */
