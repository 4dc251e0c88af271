
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of the MCP server: the envelopes of results and errors, and all
 * results that need no store.
 */


#ifndef ART_MCP_ANSWER_H_INCLUDED_
#define ART_MCP_ANSWER_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/mcp/art_mcp_request.h"


/* How long a client may keep a result: "ttlMs" and "cacheScope". */

typedef enum {
    ART_MCP_UNCACHED = 0,        /* not a result that says so */
    ART_MCP_PRIVATE,             /* 0, private: what is in the store */
    ART_MCP_PUBLIC               /* an hour, public: what never changes */
} art_mcp_cache_t;


/*
 * Write the beginning of a result, {"jsonrpc","id","result":{ with the members
 * that its revision demands, and its end.  The caller writes the members of the
 * result in between, without a comma in front, at least one.
 */

void art_mcp_print_result_head(art_out_t *out, const art_mcp_request_t *m,
    art_mcp_cache_t cache);
void art_mcp_print_result_tail(art_out_t *out);


/* The error for a message that is larger than is read. */

extern const art_mcp_error_t  art_mcp_too_large;


/* Writes an error; "m" may be NULL if no message was read. */

void art_mcp_print_error(art_out_t *out, const art_mcp_request_t *m,
    const art_mcp_error_t *error);


/*
 * Writes the members of a result that is the same for all requests to a
 * location: server/discover, tools/list, resources/templates/list; nothing for
 * other methods.  "has" is what the location has.  At most 10 KB.
 */

void art_mcp_print_members(art_out_t *out, art_mcp_method_t method,
    unsigned has, art_lang_t lang);


/*
 * Writes the answer of a method that needs no store: initialize, ping, or one
 * with such members.  ART_ERROR for any other, and nothing is written.
 */

int art_mcp_print_answer(art_out_t *out, const art_mcp_request_t *m,
    art_str_t members, art_lang_t lang);


/*
 * Write a result of a tool that is one text: content of one block of type
 * "text", with "isError" if it is an error.  The text is any bytes.
 */

void art_mcp_print_words(art_out_t *out, const art_mcp_request_t *m,
    art_str_t text, unsigned is_error);


#endif /* ART_MCP_ANSWER_H_INCLUDED_ */
