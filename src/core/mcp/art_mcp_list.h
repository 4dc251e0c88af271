
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Entries of listings as MCP's clients and models get them.
 */


#ifndef ART_MCP_LIST_H_INCLUDED_
#define ART_MCP_LIST_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/answer/art_listing.h"
#include "core/json/art_json_put.h"


/*
 * Writes a file or an artifact as a resource (MCP 2026-07-28, server/resources,
 * "Resource"): one object.  "modified" is a time of art_time_print(): clients
 * refuse a page with any other form.
 */

void art_mcp_list_resource(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry, art_str_t modified);


/*
 * Writes an entry as one line for a model, with its line feed: reference, name,
 * type, size and date, with tabs in between; of a folder its path and a word.
 * A name that looks like a marker of an artifact (docs/offload.md) does not
 * come out as one.
 */

void art_mcp_list_line(art_out_t *out, const art_listing_t *list,
    const art_listing_entry_t *entry, art_lang_t lang);


/*
 * Writes what follows the last line: that there are more, with the cursor, or
 * that there is nothing at all; nothing otherwise.  "next" may have data NULL.
 */

void art_mcp_list_end(art_out_t *out, size_t count, art_str_t next,
    art_lang_t lang);


/* Words for a model: listings are off; the cursor is not valid. */

art_str_t art_mcp_list_off(art_lang_t lang);
art_str_t art_mcp_list_bad_cursor(art_lang_t lang);


/*
 * Write the members of a result: a page of resources; "content" with one block
 * of text; that, and the page as a listing (art_listing.h).  "entries" are JSON
 * objects with commas in between; "next" may have data NULL.
 */

void art_mcp_list_resources(art_out_t *out, art_str_t entries, art_str_t next);
void art_mcp_list_content(art_json_put_t *put, art_str_t text);
void art_mcp_list_result(art_out_t *out, const art_listing_t *list,
    art_str_t text, art_str_t entries, size_t count, art_str_t next);


/*
 * Whether an entry is of a media type or range and has "name" in its name, in
 * any case of ASCII letters; an empty argument matches all.
 */

int art_mcp_list_matches(const art_listing_entry_t *entry, art_str_t type,
    art_str_t name);


#endif /* ART_MCP_LIST_H_INCLUDED_ */
