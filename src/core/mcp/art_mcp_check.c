
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a message has to be: a sound request or notification of a revision that
 * is known, which agrees with its headers; a method of that revision; a tool
 * that is there.
 */


#include "core/text/art_base64.h"
#include "core/json/art_json_error.h"
#include "core/mcp/art_mcp_request.h"
#include "core/mcp/art_mcp_revision.h"


#define ART_MCP_SENTINEL      "=?base64?"
#define ART_MCP_SENTINEL_END  "?="
#define ART_MCP_PIECE         256


/* Errors; those of framing are in the order of art_mcp_framing_t. */

typedef enum {
    ART_MCP_FAULT_NONE = 0,
    ART_MCP_FAULT_OBJECT,
    ART_MCP_FAULT_BATCH,
    ART_MCP_FAULT_TWICE,
    ART_MCP_FAULT_JSON,
    ART_MCP_FAULT_DEEP,
    ART_MCP_FAULT_SERVER,
    ART_MCP_FAULT_ID,
    ART_MCP_FAULT_JSONRPC,
    ART_MCP_FAULT_NO_METHOD,
    ART_MCP_FAULT_META,
    ART_MCP_FAULT_REVISION,
    ART_MCP_FAULT_HEADER_VERSION,
    ART_MCP_FAULT_HEADER_METHOD,
    ART_MCP_FAULT_HEADER_NAME,
    ART_MCP_FAULT_OLD_METHOD,    /* by older revisions */
    ART_MCP_FAULT_METHOD,
    ART_MCP_FAULT_PARAMS,
    ART_MCP_FAULT_INITIALIZE,
    ART_MCP_FAULT_URI,
    ART_MCP_FAULT_CURSOR,
    ART_MCP_FAULT_NAME,
    ART_MCP_FAULT_TOOL,
    ART_MCP_FAULT_ARGUMENTS,
    ART_MCP_FAULT_OLD_MISSING,
    ART_MCP_FAULT_MISSING
} art_mcp_fault_t;


#define art_mcp_row(status, rpc, words)                                       \
    { rpc, { status, NULL, { words, words } } }

static const art_rpc_row_t  art_mcp_faults[] = {
    [ART_MCP_FAULT_JSON] = art_mcp_row(400, ART_RPC_PARSE,
      "Parse error: the body is not JSON"),
    [ART_MCP_FAULT_DEEP] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: nested too deep"),
    [ART_MCP_FAULT_OBJECT] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: not an object"),
    [ART_MCP_FAULT_BATCH] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: batches are not supported"),
    [ART_MCP_FAULT_TWICE] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: a member occurs twice"),
    [ART_MCP_FAULT_SERVER] = art_mcp_row(500, ART_RPC_INTERNAL,
      "Internal error"),
    [ART_MCP_FAULT_ID] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: \"id\" has to be a string or an integer"),
    [ART_MCP_FAULT_JSONRPC] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: \"jsonrpc\" has to be \"2.0\""),
    [ART_MCP_FAULT_NO_METHOD] = art_mcp_row(400, ART_RPC_REQUEST,
      "Invalid request: \"method\" has to be a string"),
    [ART_MCP_FAULT_META] = art_mcp_row(400, ART_RPC_PARAMS,
      "Invalid params: \"_meta\" has to have "
      "\"io.modelcontextprotocol/protocolVersion\" and "
      "\"io.modelcontextprotocol/clientCapabilities\""),
    [ART_MCP_FAULT_REVISION] = art_mcp_row(400, ART_MCP_UNKNOWN_REVISION,
      "Unsupported protocol version"),
    [ART_MCP_FAULT_HEADER_VERSION] = art_mcp_row(400, ART_MCP_HEADER_MISMATCH,
      "Header mismatch: MCP-Protocol-Version is missing or not that of the "
      "body"),
    [ART_MCP_FAULT_HEADER_METHOD] = art_mcp_row(400, ART_MCP_HEADER_MISMATCH,
      "Header mismatch: Mcp-Method is missing or not that of the body"),
    [ART_MCP_FAULT_HEADER_NAME] = art_mcp_row(400, ART_MCP_HEADER_MISMATCH,
      "Header mismatch: Mcp-Name is missing or not that of the body"),

    /* clients of older revisions lose the code of anything but 200 */

    [ART_MCP_FAULT_OLD_METHOD] = art_mcp_row(200, ART_RPC_METHOD,
      "Method not found"),
    [ART_MCP_FAULT_METHOD] = art_mcp_row(404, ART_RPC_METHOD,
      "Method not found"),
    [ART_MCP_FAULT_PARAMS] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: \"params\" has to be an object"),
    [ART_MCP_FAULT_INITIALIZE] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: \"protocolVersion\" has to be a string"),
    [ART_MCP_FAULT_URI] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: \"uri\" has to be a string"),
    [ART_MCP_FAULT_CURSOR] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: invalid cursor"),
    [ART_MCP_FAULT_NAME] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: \"name\" has to be a string"),
    [ART_MCP_FAULT_TOOL] = art_mcp_row(200, ART_RPC_PARAMS,
      "Unknown tool"),
    [ART_MCP_FAULT_ARGUMENTS] = art_mcp_row(200, ART_RPC_PARAMS,
      "Invalid params: \"arguments\" has to be an object"),
    [ART_MCP_FAULT_OLD_MISSING] = art_mcp_row(200, ART_MCP_NOT_FOUND,
      "Resource not found"),
    [ART_MCP_FAULT_MISSING] = art_mcp_row(200, ART_RPC_PARAMS,
      "Resource not found")
};


/* The methods, and the generations of the protocol that have them. */

#define ART_MCP_OLDER   1
#define ART_MCP_MODERN  2
#define ART_MCP_BOTH    (ART_MCP_OLDER | ART_MCP_MODERN)

static const struct {
    const char        *name;
    art_mcp_method_t   method;
    unsigned           revisions;
} art_mcp_methods[] = {
    { "initialize", ART_MCP_INITIALIZE, ART_MCP_OLDER },
    { "server/discover", ART_MCP_DISCOVER, ART_MCP_MODERN },
    { "ping", ART_MCP_PING, ART_MCP_OLDER },
    { "tools/list", ART_MCP_TOOLS_LIST, ART_MCP_BOTH },
    { "tools/call", ART_MCP_TOOLS_CALL, ART_MCP_BOTH },
    { "resources/list", ART_MCP_RESOURCES_LIST, ART_MCP_BOTH },
    { "resources/templates/list", ART_MCP_RESOURCES_TEMPLATES, ART_MCP_BOTH },
    { "resources/read", ART_MCP_RESOURCES_READ, ART_MCP_BOTH }
};


static art_mcp_fault_t art_mcp_check_framing(const art_mcp_request_t *m);
static art_mcp_fault_t art_mcp_check_revision(art_mcp_request_t *m,
    art_str_t header);
static art_mcp_fault_t art_mcp_check_meta(art_mcp_request_t *m,
    art_str_t header);
static art_mcp_fault_t art_mcp_check_headers(const art_mcp_request_t *m,
    const art_mcp_headers_t *headers);
static int art_mcp_is_name(art_str_t header, art_str_t name);
static int art_mcp_is_encoded(art_str_t header, art_str_t name);
static art_str_t art_mcp_header(art_str_t value);
static art_mcp_fault_t art_mcp_check_method(art_mcp_request_t *m);
static art_mcp_fault_t art_mcp_check_params(art_mcp_request_t *m);
static art_mcp_fault_t art_mcp_check_initialize(art_mcp_request_t *m);
static art_mcp_fault_t art_mcp_check_call(art_mcp_request_t *m,
    unsigned has, art_str_t *detail);
static void art_mcp_settle(art_mcp_request_t *m);
static void art_mcp_fault(art_mcp_fault_t fault, art_str_t detail,
    art_mcp_error_t *error);


#define art_mcp_member(m, member)  (&(m)->members[ART_MCP_MEMBER_##member])
#define art_mcp_is_string(value)   ((value)->given && !(value)->wrong)


int
art_mcp_check(art_mcp_request_t *m, const art_mcp_headers_t *headers,
    unsigned has, art_mcp_error_t *error)
{
    art_str_t        detail;
    art_mcp_fault_t  fault;

    detail = art_str(NULL, 0);
    fault = art_mcp_check_framing(m);

    if (fault == ART_MCP_FAULT_NONE) {
        fault = art_mcp_check_revision(m, art_mcp_header(headers->version));

        if (fault == ART_MCP_FAULT_REVISION) {
            detail = m->version;
        }
    }

    if (fault == ART_MCP_FAULT_NONE && m->modern) {
        fault = art_mcp_check_headers(m, headers);
    }

    if (fault == ART_MCP_FAULT_NONE) {
        fault = art_mcp_check_method(m);

        if (fault != ART_MCP_FAULT_NONE) {
            detail = m->method_name;
        }
    }

    if (fault == ART_MCP_FAULT_NONE && !m->notification) {
        fault = art_mcp_check_params(m);

        if (fault == ART_MCP_FAULT_NONE && m->method == ART_MCP_TOOLS_CALL) {
            fault = art_mcp_check_call(m, has, &detail);
        }
    }

    if (fault == ART_MCP_FAULT_NONE) {
        return ART_OK;
    }

    art_mcp_fault(fault, detail, error);

    return ART_ERROR;
}


static art_mcp_fault_t
art_mcp_check_framing(const art_mcp_request_t *m)
{
    const art_mcp_value_t  *jsonrpc, *method;

    if (m->framing != ART_MCP_SOUND) {
        return (art_mcp_fault_t) m->framing;
    }

    jsonrpc = art_mcp_member(m, JSONRPC);
    method = art_mcp_member(m, METHOD);

    if (art_mcp_member(m, ID)->wrong) {
        return ART_MCP_FAULT_ID;
    }

    if (!art_str_eq(jsonrpc->text, art_cstr("2.0"))) {
        return ART_MCP_FAULT_JSONRPC;
    }

    return art_mcp_is_string(method) ? ART_MCP_FAULT_NONE
                                     : ART_MCP_FAULT_NO_METHOD;
}


/* Sets the revision in effect, or that which is not known. */

static art_mcp_fault_t
art_mcp_check_revision(art_mcp_request_t *m, art_str_t header)
{
    const art_mcp_revision_t  *revision;

    if (art_mcp_member(m, VERSION)->given) {
        return art_mcp_check_meta(m, header);
    }

    revision = header.data != NULL ? art_mcp_revision(header)
                                   : art_mcp_revision_silent();

    /* the handshake comes before the header */

    if ((revision == NULL || !revision->modern)
        && art_str_eq(m->method_name, art_cstr("initialize")))
    {
        revision = art_mcp_revision_older();
    }

    if (revision == NULL) {
        m->version = header;
        return ART_MCP_FAULT_REVISION;
    }

    m->version = art_cstr(revision->name);
    m->modern = revision->modern;

    return m->modern && !m->notification ? ART_MCP_FAULT_META
                                         : ART_MCP_FAULT_NONE;
}


static art_mcp_fault_t
art_mcp_check_meta(art_mcp_request_t *m, art_str_t header)
{
    const art_mcp_value_t     *version, *capabilities;
    const art_mcp_revision_t  *revision;

    version = art_mcp_member(m, VERSION);
    capabilities = art_mcp_member(m, CAPABILITIES);

    if (version->wrong
        || (!m->notification
            && (!capabilities->given || capabilities->wrong)))
    {
        return ART_MCP_FAULT_META;
    }

    if (header.data != NULL && !art_str_eq(header, version->text)) {
        return ART_MCP_FAULT_HEADER_VERSION;
    }

    m->version = version->text;
    revision = art_mcp_revision(version->text);

    if (revision == NULL) {
        return ART_MCP_FAULT_REVISION;
    }

    m->modern = revision->modern;

    return m->modern && !m->notification && header.data == NULL
           ? ART_MCP_FAULT_HEADER_VERSION : ART_MCP_FAULT_NONE;
}


/*
 * MCP 2026-07-28, basic/transports/streamable-http, "Server Validation".
 * Nothing is said about headers of notifications but that they agree.
 */

static art_mcp_fault_t
art_mcp_check_headers(const art_mcp_request_t *m,
    const art_mcp_headers_t *headers)
{
    art_str_t               header;
    const art_mcp_value_t  *name;

    header = art_mcp_header(headers->method);

    if (header.data != NULL ? !art_mcp_member(m, METHOD)->cut
                              && !art_str_eq(header, m->method_name)
                            : !m->notification)
    {
        return ART_MCP_FAULT_HEADER_METHOD;
    }

    name = NULL;

    if (art_str_eq(m->method_name, art_cstr("tools/call"))) {
        name = art_mcp_member(m, NAME);

    } else if (art_str_eq(m->method_name, art_cstr("resources/read"))) {
        name = art_mcp_member(m, URI);
    }

    if (name == NULL || m->notification) {
        return ART_MCP_FAULT_NONE;
    }

    header = art_mcp_header(headers->name);

    if (header.data == NULL) {
        return name->given ? ART_MCP_FAULT_HEADER_NAME : ART_MCP_FAULT_NONE;
    }

    return !name->cut && !art_mcp_is_name(header, name->text)
           ? ART_MCP_FAULT_HEADER_NAME : ART_MCP_FAULT_NONE;
}


/* Without the white space around it (RFC 9110, section 5.5). */

static art_str_t
art_mcp_header(art_str_t value)
{
    while (value.len > 0 && (value.data[0] == ' ' || value.data[0] == '\t')) {
        value.data++;
        value.len--;
    }

    while (value.len > 0 && (value.data[value.len - 1] == ' '
                             || value.data[value.len - 1] == '\t'))
    {
        value.len--;
    }

    return value;
}


static int
art_mcp_is_name(art_str_t header, art_str_t name)
{
    size_t  i, begin, end;

    begin = sizeof(ART_MCP_SENTINEL) - 1;
    end = sizeof(ART_MCP_SENTINEL_END) - 1;

    if (header.len >= begin + end
        && memcmp(header.data, ART_MCP_SENTINEL, begin) == 0
        && memcmp(header.data + header.len - end, ART_MCP_SENTINEL_END, end)
           == 0)
    {
        return art_mcp_is_encoded(art_str(header.data + begin,
                                          header.len - begin - end), name);
    }

    /* other values than these have to be encoded */

    if (!art_str_eq(header, name)) {
        return 0;
    }

    for (i = 0; i < name.len; i++) {
        if ((name.data[i] < ' ' && name.data[i] != '\t')
            || name.data[i] > '~')
        {
            return 0;
        }
    }

    return 1;
}


static int
art_mcp_is_encoded(art_str_t header, art_str_t name)
{
    size_t               n, len;
    uint8_t              piece[ART_MCP_PIECE / 4 * 3 + 3];
    art_base64_decode_t  decode;

    memset(&decode, 0, sizeof(decode));

    while (header.len > 0) {
        len = header.len < ART_MCP_PIECE ? header.len : ART_MCP_PIECE;
        n = art_base64_decode(&decode, piece, header.data, len);

        header.data += len;
        header.len -= len;

        if (header.len == 0) {
            n += art_base64_decode_end(&decode, piece + n);
        }

        if (decode.bad || n > name.len
            || (n > 0 && memcmp(piece, name.data, n) != 0))
        {
            return 0;
        }

        name.data += n;
        name.len -= n;
    }

    return name.len == 0;
}


static art_mcp_fault_t
art_mcp_check_method(art_mcp_request_t *m)
{
    size_t  i;

    static const char  notifications[] = "notifications/";

    for (i = 0; i < art_nitems(art_mcp_methods); i++) {
        if (art_str_eq(m->method_name, art_cstr(art_mcp_methods[i].name))
            && (art_mcp_methods[i].revisions
                & (m->modern ? ART_MCP_MODERN : ART_MCP_OLDER)))
        {
            m->method = art_mcp_methods[i].method;
        }
    }

    if (!m->notification) {
        if (m->method != ART_MCP_UNKNOWN) {
            return ART_MCP_FAULT_NONE;
        }

        return m->modern ? ART_MCP_FAULT_METHOD : ART_MCP_FAULT_OLD_METHOD;
    }

    /* a request without an id is not carried out */

    m->method = m->method_name.len >= sizeof(notifications) - 1
                && memcmp(m->method_name.data, notifications,
                          sizeof(notifications) - 1)
                   == 0
                ? ART_MCP_NOTIFICATION : ART_MCP_UNKNOWN;

    return ART_MCP_FAULT_NONE;
}


static art_mcp_fault_t
art_mcp_check_params(art_mcp_request_t *m)
{
    const art_mcp_value_t  *cursor;

    if (art_mcp_member(m, PARAMS)->wrong) {
        return ART_MCP_FAULT_PARAMS;
    }

    cursor = art_mcp_member(m, CURSOR);

    switch (m->method) {

    case ART_MCP_INITIALIZE:
        return art_mcp_check_initialize(m);

    case ART_MCP_RESOURCES_READ:
        return art_mcp_is_string(art_mcp_member(m, URI)) ? ART_MCP_FAULT_NONE
                                                         : ART_MCP_FAULT_URI;

    case ART_MCP_RESOURCES_LIST:
        return cursor->wrong || cursor->cut ? ART_MCP_FAULT_CURSOR
                                            : ART_MCP_FAULT_NONE;

    case ART_MCP_TOOLS_LIST:
    case ART_MCP_RESOURCES_TEMPLATES:

        /* they have one page, so no cursor was given out */

        return cursor->given ? ART_MCP_FAULT_CURSOR : ART_MCP_FAULT_NONE;

    default:
        return ART_MCP_FAULT_NONE;
    }
}


/* The revision is the client's, or the newest of those with a handshake. */

static art_mcp_fault_t
art_mcp_check_initialize(art_mcp_request_t *m)
{
    const art_mcp_value_t     *requested;
    const art_mcp_revision_t  *revision;

    requested = art_mcp_member(m, REVISION);

    if (!art_mcp_is_string(requested)) {
        return ART_MCP_FAULT_INITIALIZE;
    }

    revision = art_mcp_revision(requested->text);

    if (revision == NULL || revision->modern) {
        revision = art_mcp_revision_older();
    }

    m->version = art_cstr(revision->name);

    return ART_MCP_FAULT_NONE;
}


static art_mcp_fault_t
art_mcp_check_call(art_mcp_request_t *m, unsigned has, art_str_t *detail)
{
    const art_mcp_value_t  *name;

    name = art_mcp_member(m, NAME);

    if (!art_mcp_is_string(name)) {
        return ART_MCP_FAULT_NAME;
    }

    m->tool = art_mcp_tool_find(m->name);

    if (m->tool == ART_MCP_NO_TOOL
        || (art_mcp_tools[m->tool].needs & ~has))
    {
        m->tool = ART_MCP_NO_TOOL;
        *detail = m->name;
        return ART_MCP_FAULT_TOOL;
    }

    art_mcp_settle(m);

    return art_mcp_member(m, ARGUMENTS)->wrong ? ART_MCP_FAULT_ARGUMENTS
                                               : ART_MCP_FAULT_NONE;
}


/*
 * What is null is not given, and models write "mimeType" as results have it: it
 * is "mime_type", unless that is another one.
 */

static void
art_mcp_settle(art_mcp_request_t *m)
{
    unsigned          i;
    art_mcp_value_t  *type, *alias;

    for (i = 0; m->seen >> i != 0; i++) {
        if (m->args[i].null) {
            m->args[i].given = 0;
        }
    }

    type = &m->args[ART_MCP_ARG_MIME_TYPE];
    alias = &m->args[ART_MCP_ARG_ALIAS];

    if (!(art_mcp_tools[m->tool].takes & art_mcp_bit(ART_MCP_ARG_MIME_TYPE))
        || !alias->given || alias->wrong)
    {
        return;
    }

    if (!type->given) {
        *type = *alias;
        alias->given = 0;
        m->seen |= art_mcp_bit(ART_MCP_ARG_MIME_TYPE);

    } else if (!alias->cut && !type->wrong
               && art_str_eq(alias->text, type->text))
    {
        alias->given = 0;
    }
}


static void
art_mcp_fault(art_mcp_fault_t fault, art_str_t detail, art_mcp_error_t *error)
{
    const art_rpc_row_t  *row;

    row = &art_mcp_faults[fault];

    art_mcp_error_set(error, row->row.status, row->rpc,
                      row->row.words[ART_LANG_EN], detail);

    error->revisions = fault == ART_MCP_FAULT_REVISION;
}


void
art_mcp_error_missing(const art_mcp_request_t *m, art_mcp_error_t *error,
    art_str_t uri)
{
    art_mcp_fault(m->modern ? ART_MCP_FAULT_MISSING
                            : ART_MCP_FAULT_OLD_MISSING, uri, error);
}


void
art_mcp_error_set(art_mcp_error_t *error, unsigned status, int code,
    const char *message, art_str_t detail)
{
    memset(error, 0, sizeof(*error));

    error->code = code;
    error->status = status;
    error->message = message;
    error->detail = detail;
}
