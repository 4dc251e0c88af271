
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Messages to the MCP server: one JSON-RPC request or notification, read while
 * it streams, and checked against its headers.  Of the protocol's revisions,
 * 2026-07-28 is "modern": each request has its revision in "_meta".  The older
 * ones, from 2025-03-26 on, have it in a header only, after "initialize".
 */


#ifndef ART_MCP_REQUEST_H_INCLUDED_
#define ART_MCP_REQUEST_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"
#include "core/json/art_json_walk.h"
#include "core/mcp/art_mcp_tools.h"


#define ART_MCP_ID_MAX      1024     /* bytes of an id as the message has it */
#define ART_MCP_URI_MAX     8192     /* decoded bytes of a URI or a cursor */
#define ART_MCP_NAME_MAX    256      /* ... of a method or a tool's name */

#define ART_MCP_DEPTH       3        /* objects: message, params, arguments */
#define ART_MCP_FRAMES      (ART_MCP_DEPTH + ART_WALK_SPARE)


typedef enum {
    ART_MCP_UNKNOWN = 0,
    ART_MCP_INITIALIZE,
    ART_MCP_DISCOVER,
    ART_MCP_PING,
    ART_MCP_TOOLS_LIST,
    ART_MCP_TOOLS_CALL,
    ART_MCP_RESOURCES_LIST,
    ART_MCP_RESOURCES_TEMPLATES,
    ART_MCP_RESOURCES_READ,
    ART_MCP_NOTIFICATION,        /* "notifications/..." */
    ART_MCP_METHODS
} art_mcp_method_t;


/* Codes of errors, with those of JSON-RPC: MCP 2026-07-28, basic. */

#define ART_MCP_NOT_FOUND         -32002     /* older revisions */
#define ART_MCP_HEADER_MISMATCH   -32020
#define ART_MCP_UNKNOWN_REVISION  -32022


/*
 * An error: "status" is that of HTTP; "detail", any bytes, follows the message
 * after a colon if its data is not NULL; "data" is JSON or empty.  "revisions":
 * the data are the revisions that are known, and "detail" the requested one.
 */

typedef struct {
    int                  code;
    unsigned             status;
    const char          *message;
    art_str_t            detail;
    art_str_t            data;
    unsigned             revisions:1;
} art_mcp_error_t;


/*
 * A member of the message.  "text" is its decoded string, in the pool, but not
 * of a stream; "len" its length also if it is a stream, or too long to be kept
 * ("cut", with empty text).  A number above the argument's most is that.
 */

typedef struct {
    art_str_t            text;
    uint64_t             len;
    int64_t              number;
    unsigned             given:1;
    unsigned             wrong:1;    /* not of the type it has to have */
    unsigned             null:1;     /* which is as good as not given */
    unsigned             cut:1;
} art_mcp_value_t;


/* The members that are no arguments of a tool. */

typedef enum {
    ART_MCP_MEMBER_JSONRPC = 0,
    ART_MCP_MEMBER_ID,
    ART_MCP_MEMBER_METHOD,
    ART_MCP_MEMBER_PARAMS,
    ART_MCP_MEMBER_NAME,         /* of params, as those below */
    ART_MCP_MEMBER_URI,
    ART_MCP_MEMBER_CURSOR,
    ART_MCP_MEMBER_REVISION,     /* of initialize */
    ART_MCP_MEMBER_ARGUMENTS,
    ART_MCP_MEMBER_META,
    ART_MCP_MEMBER_VERSION,      /* of _meta */
    ART_MCP_MEMBER_CAPABILITIES,
    ART_MCP_MEMBERS
} art_mcp_member_t;


/* What is wrong with a message as such. */

typedef enum {
    ART_MCP_SOUND = 0,
    ART_MCP_NO_OBJECT,
    ART_MCP_BATCH,
    ART_MCP_TWICE,
    ART_MCP_NO_JSON,             /* this and what follows ends the reading */
    ART_MCP_TOO_DEEP,
    ART_MCP_FAILED               /* memory or the sink */
} art_mcp_framing_t;


/*
 * Takes the next "n" bytes of an argument that is a stream, JSON's escapes
 * decoded; "last": with no bytes, at its end.  Anything but ART_OK ends the
 * reading.  It is called whatever the method is, which may come later.
 */

typedef int (*art_mcp_sink_pt)(void *data, unsigned argument,
    const uint8_t *p, size_t n, unsigned last);


/* The headers of the request; data NULL: missing. */

typedef struct {
    art_str_t            version;    /* MCP-Protocol-Version */
    art_str_t            method;     /* Mcp-Method */
    art_str_t            name;       /* Mcp-Name */
} art_mcp_headers_t;


/*
 * A message.  The caller reads what precedes "private", after art_mcp_check().
 * "id" is raw JSON, empty if it is absent or not valid; "version" is the
 * protocol's revision in effect.  Strings are in the pool, with at most 64 KB
 * for all of them; the structure takes 12 KB.
 */

typedef struct {
    art_str_t            id;
    art_mcp_method_t     method;
    art_str_t            method_name;
    art_str_t            name;           /* params.name */
    art_str_t            uri;
    art_str_t            cursor;
    art_str_t            version;
    art_mcp_tool_id_t    tool;           /* or ART_MCP_NO_TOOL */
    art_mcp_value_t      args[ART_MCP_ARGS];
    unsigned             modern:1;
    unsigned             notification:1; /* it has no id */

    /* private */

    art_mcp_framing_t    framing;
    unsigned             stranger:1;     /* an argument of no tool */
    art_str_t            strange;        /* its name, or data NULL */
    unsigned             field;          /* of the value; arguments first */
    unsigned             seen;           /* arguments, art_mcp_bit() */
    art_mcp_value_t      members[ART_MCP_MEMBERS];
    art_pool_t           pool;
    art_mcp_sink_pt      sink;
    void                *data;
    art_lex_t            lex;
    art_walk_t           walk;
    art_walk_frame_t     frames[ART_MCP_FRAMES];
    const uint8_t       *piece;
    uint64_t             piece_pos;
    uint8_t              utf8[4];        /* a character that was cut */
    unsigned             nutf8;
    size_t               nraw;           /* ART_MCP_ID_MAX + 1: too long */
    uint8_t              raw[ART_MCP_ID_MAX];
    uint8_t              text[ART_LEX_KEEP];
} art_mcp_request_t;


/*
 * Begins.  "pool" is copied; "sink" may be NULL, then streams are skipped.
 */

void art_mcp_init(art_mcp_request_t *m, const art_pool_t *pool,
    art_mcp_sink_pt sink, void *data);


/*
 * Reads the next piece of the body.  ART_ERROR if nothing more has to be read:
 * it cannot be JSON, or memory or the sink failed (art_mcp_failed()).  The
 * result does not depend on how the body is cut into pieces.
 */

int art_mcp_feed(art_mcp_request_t *m, const uint8_t *p, size_t len);


/*
 * The tool that the message seems to call: the one named in what was read of
 * it, or ART_MCP_NO_TOOL.
 */

art_mcp_tool_id_t art_mcp_tool_so_far(const art_mcp_request_t *m);


/* Whether memory or the sink failed, which is an error of the server. */

int art_mcp_failed(const art_mcp_request_t *m);


/*
 * Ends the body, after art_mcp_feed() failed as well, and checks the message
 * against its headers: ART_OK, or the first error, where framing comes before
 * the revision, then headers, the method and its parameters.  After ART_OK a
 * message is a notification, or a request with a method of its revision, and a
 * tool call has a tool; "has" is what the location has (art_mcp_tools.h).  The
 * arguments are for art_mcp_refusal().
 */

int art_mcp_end(art_mcp_request_t *m);
int art_mcp_check(art_mcp_request_t *m, const art_mcp_headers_t *headers,
    unsigned has, art_mcp_error_t *error);


/* The error for a URI without a resource, by the message's revision. */

void art_mcp_error_missing(const art_mcp_request_t *m, art_mcp_error_t *error,
    art_str_t uri);


/* Sets an error without data; "detail" may have data NULL. */

void art_mcp_error_set(art_mcp_error_t *error, unsigned status, int code,
    const char *message, art_str_t detail);


/*
 * Writes why the arguments of a tool call cannot be used (one is unknown, of
 * another type, required and missing, too long, not within its limits, or
 * excludes another), in words for a model, as plain text.  Returns 0 and writes
 * nothing if they can.
 */

int art_mcp_refusal(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang);


#endif /* ART_MCP_REQUEST_H_INCLUDED_ */
