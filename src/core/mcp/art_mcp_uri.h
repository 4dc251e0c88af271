
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URIs of resources: "artifact:{id}", "artifact:ws:{ws}:{base64url}" and
 * "workspace:{ws}/{path}", percent-encoded (RFC 3986).
 */


#ifndef ART_MCP_URI_H_INCLUDED_
#define ART_MCP_URI_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/ref/art_id.h"


/* Bytes of buffer for a URI or a reference of "len" bytes. */

#define ART_MCP_URI_ROOM(len)  ((len) + ART_ID_ROOM(len))


/*
 * Parses a URI.  The scheme is in any case of letters; all the rest is decoded
 * first, so that "%2F" in a path is a slash like any other.  The rules are
 * those of art_id_parse() and art_id_from_path(), so "folder" may be set.
 * ART_ID_INVALID also for other schemes and for a "%" without two digits.
 * *out is filled after ART_ID_OK only and points into "buf" of
 * ART_MCP_URI_ROOM(uri.len) bytes.
 */

art_id_status_t art_mcp_uri_parse(art_str_t uri, uint8_t *buf,
    art_ref_t *out);


/*
 * The same for what a model gives as a reference: nothing is decoded of one as
 * docs/ids.md has them, with brackets around it or not; "workspace:{ws}/{path}"
 * is a URI.
 */

art_id_status_t art_mcp_ref_parse(art_str_t ref, uint8_t *buf,
    art_ref_t *out);


/* Writes the canonical URI of a canonical id (art_ref_t, "id"). */

void art_mcp_uri_print(art_out_t *out, art_str_t id);


#endif /* ART_MCP_URI_H_INCLUDED_ */
