
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is written around contents: the results of resources/read and of the
 * tool read_artifact.
 */


#ifndef ART_MCP_CONTENTS_H_INCLUDED_
#define ART_MCP_CONTENTS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/ref/art_url.h"
#include "core/mcp/art_mcp_request.h"


/*
 * Write the beginning of the result, for one item of its array, and its end.
 * "resource": of resources/read, else of a tool.
 */

void art_mcp_contents_head(art_out_t *out, const art_mcp_request_t *m,
    unsigned resource);
void art_mcp_contents_tail(art_out_t *out);


/*
 * Writes the beginning of a block of text of an artifact, by its canonical id,
 * inside of its string; and its end.
 */

void art_mcp_contents_text(art_out_t *out, art_str_t id);
void art_mcp_contents_text_end(art_out_t *out);


/*
 * Write another item, which tells a model that the text before it was cut: one
 * that was converted from something else; or a content of "total" bytes and
 * "rows" lines, after "shown" bytes, and how to go on.
 */

void art_mcp_contents_cut(art_out_t *out, art_str_t id, art_lang_t lang);
void art_mcp_contents_go_on(art_out_t *out, art_str_t id, uint64_t shown,
    uint64_t total, uint64_t rows, art_lang_t lang);


/*
 * Writes a sentence, plain text, that follows the words about an artifact that
 * is not there: what to do about it.
 */

void art_mcp_contents_gone(art_out_t *out, art_lang_t lang);


/*
 * Write the data of errors.  For a resource that is missing: {"uri"}, as the
 * client sent it.  For one that is too large: {"uri","size","url"}, of an id;
 * "url" may have no prefix.
 */

void art_mcp_contents_missing(art_out_t *out, art_str_t uri);
void art_mcp_contents_large(art_out_t *out, art_str_t id, uint64_t size,
    const art_url_t *url);


#endif /* ART_MCP_CONTENTS_H_INCLUDED_ */
