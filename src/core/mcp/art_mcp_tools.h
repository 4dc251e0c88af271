
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The tools of the MCP server (docs/mcp.md) and their arguments.
 */


#ifndef ART_MCP_TOOLS_H_INCLUDED_
#define ART_MCP_TOOLS_H_INCLUDED_


#include "core/base/art_core.h"


/* A tool is a row of the table in art_mcp_tools.c, in this order. */

typedef enum {
    ART_MCP_READ_ARTIFACT = 0,
    ART_MCP_LIST_ARTIFACTS,
    ART_MCP_LIST_WORKSPACE,
    ART_MCP_FIND_SERVICE,
    ART_MCP_WRITE_FILE,
    ART_MCP_SAVE_ARTIFACT,
    ART_MCP_DELETE_FILE,
    ART_MCP_REQUEST_UPLOAD,
    ART_MCP_SHARE_ARTIFACT,
    ART_MCP_TOOLS,
    ART_MCP_NO_TOOL = ART_MCP_TOOLS
} art_mcp_tool_id_t;


/*
 * So is an argument.  All tools share them: a name has one type wherever it is
 * an argument, so that a message may have its arguments before its tool.
 */

typedef enum {
    ART_MCP_ARG_REF = 0,
    ART_MCP_ARG_WORKSPACE,
    ART_MCP_ARG_PATH,
    ART_MCP_ARG_LINES,
    ART_MCP_ARG_BYTES,
    ART_MCP_ARG_GREP,
    ART_MCP_ARG_CONTEXT,
    ART_MCP_ARG_MAX_BYTES,
    ART_MCP_ARG_CURSOR,
    ART_MCP_ARG_LIMIT,
    ART_MCP_ARG_TYPE,
    ART_MCP_ARG_NAME,
    ART_MCP_ARG_CAPABILITY,
    ART_MCP_ARG_DIRECTION,
    ART_MCP_ARG_CONTENT,
    ART_MCP_ARG_BASE64,
    ART_MCP_ARG_MIME_TYPE,
    ART_MCP_ARG_IF_MATCH,
    ART_MCP_ARG_SIZE,
    ART_MCP_ARG_ALIAS,           /* "mimeType", in no schema */
    ART_MCP_ARGS
} art_mcp_arg_t;

#define art_mcp_bit(arg)  (1u << (arg))


typedef enum {
    ART_MCP_STRING = 0,
    ART_MCP_INTEGER,
    ART_MCP_STREAM               /* a string of any length */
} art_mcp_type_t;


/*
 * "max": bytes of a string, at most ART_LEX_KEEP; the most of an integer, which
 * larger ones count as.  "min" is for an integer.  "values" are the only ones.
 */

#define ART_MCP_VALUES  3

typedef struct {
    const char           *name;
    art_mcp_type_t        type;
    uint64_t              max;
    uint32_t              min;
    const char           *about[ART_LANG_MAX];
    const char           *values[ART_MCP_VALUES];
} art_mcp_arg_row_t;


/* What a location may have, for tools that are there only with it. */

#define ART_MCP_WRITES  1        /* writing is on */
#define ART_MCP_SIGNS   2        /* URLs, and a key that signs them */
#define ART_MCP_HAS     4        /* combinations of these */


/*
 * Sets of arguments (art_mcp_bit()): those that a tool takes; those of them
 * that it requires; two of which exactly one is required; two that need each
 * other.  "needs": what a location must have.  "output": the schema of
 * structured results, or NULL.
 */

typedef struct {
    const char           *name;
    unsigned              takes;
    unsigned              requires;
    unsigned              either;
    unsigned              pair;
    unsigned              needs;
    unsigned              changes:1;     /* clients ask before they call it */
    unsigned              destroys:1;
    unsigned              repeats:1;     /* twice is the same as once */
    unsigned              opens:1;       /* others can see what it does */
    const char           *output;
    const char           *title[ART_LANG_MAX];
    const char           *about[ART_LANG_MAX];
} art_mcp_tool_t;

extern const art_mcp_arg_row_t  art_mcp_args[ART_MCP_ARGS];
extern const art_mcp_tool_t  art_mcp_tools[ART_MCP_TOOLS];


/* The tool of a name; ART_MCP_NO_TOOL for others. */

art_mcp_tool_id_t art_mcp_tool_find(art_str_t name);


/*
 * Writes the tools of tools/list, an array of 4 to 10 KB, which is the same for
 * all requests to a location; "has" is what the location has.
 */

void art_mcp_tools_print(art_out_t *out, unsigned has, art_lang_t lang);


#endif /* ART_MCP_TOOLS_H_INCLUDED_ */
