
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Messages to the MCP server: what is read, and which error comes first.
 */


#include <string.h>

#include "tap.h"
#include "mcp_read.h"


#define OLD    { { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }
#define S(text)  art_string(text)

#define META                                                                  \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","  \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"

#define MODERN(method, name)  { S("2026-07-28"), S(method), S(name) }
#define NO_NAME(method)       { S("2026-07-28"), S(method), art_null_string }

#define CALL(tool, arguments)                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"    \
    "\"name\":\"" tool "\",\"arguments\":" arguments "}}"

#define ERROR(status, id, code, message)                                      \
    #status " {\"jsonrpc\":\"2.0\"," id "\"error\":{\"code\":-" #code         \
    ",\"message\":\"" message "\"}}"

#define INVALID(id, message)                                                  \
    ERROR(400, id, 32600, "Invalid request: " message)
#define MISMATCH(header)                                                      \
    ERROR(400, "\"id\":1,", 32020, "Header mismatch: " header " is missing "  \
          "or not that of the body")
#define NO_META                                                               \
    ERROR(400, "\"id\":1,", 32602, "Invalid params: \\\"_meta\\\" has to "    \
          "have \\\"io.modelcontextprotocol/protocolVersion\\\" and "         \
          "\\\"io.modelcontextprotocol/clientCapabilities\\\"")
#define NO_REVISION(id, name)                                                 \
    "400 {\"jsonrpc\":\"2.0\"," id "\"error\":{\"code\":-32022,\"message\":"  \
    "\"Unsupported protocol version: " name "\",\"data\":{\"supported\":["    \
    "\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\"],"           \
    "\"requested\":\"" name "\"}}}"

#define MODERN_PING(params)                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{"    \
    params "}}"


static const struct {
    const char         *name;
    const char         *message;
    art_mcp_headers_t   headers;
    const char         *result;
} tests[] = {

    /* ids */

    { "an integer as id", "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}",
      OLD, "request 2025-03-26 id=0 method=ping" },
    { "a negative id", "{\"jsonrpc\":\"2.0\",\"id\":-7 ,\"method\":\"ping\"}",
      OLD, "request 2025-03-26 id=-7 method=ping" },
    { "an id beyond 64 bits",
      "{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234,"
      "\"method\":\"ping\"}", OLD,
      "request 2025-03-26 id=123456789012345678901234 method=ping" },
    { "a string as id, at the end",
      "{\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"id\" : \"a\\u00e9\\\"\"}",
      OLD, "request 2025-03-26 id=\"a\\u00e9\\\"\" method=ping" },
    { "an empty string as id",
      "{\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"id\":\"\"}", OLD,
      "request 2025-03-26 id=\"\" method=ping" },
    { "a key with escapes",
      "{\"method\":\"ping\",\"jsonrpc\":\"2.0\",\"\\u0069d\":5}", OLD,
      "request 2025-03-26 id=5 method=ping" },
    { "a fraction as id",
      "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", OLD,
      INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "an exponent in an id",
      "{\"jsonrpc\":\"2.0\",\"id\":1e3,\"method\":\"ping\"}", OLD,
      INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "null as id", "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
      OLD, INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "true as id", "{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}",
      OLD, INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "an array as id", "{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}",
      OLD, INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "an object as id",
      "{\"jsonrpc\":\"2.0\",\"id\":{\"id\":1},\"method\":\"ping\"}", OLD,
      INVALID("", "\\\"id\\\" has to be a string or an integer") },
    { "id of a member's value does not count",
      "{\"jsonrpc\":\"2.0\",\"x\":{\"id\":1},\"params\":{\"id\":2},"
      "\"method\":\"notifications/x\"}", OLD,
      "notification 2025-03-26 method=notifications/x" },

    /* framing */

    { "nothing", "", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "half an object", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"",
      OLD, ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "half an object, which ends in a number",
      "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"id\":12",
      OLD, ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "a number and invalid UTF-8", "1\xcb\x11", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "a word", "hello", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "members without an object", "\"id\":1}", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "half a batch", "[{},", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "two objects",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}{}", OLD,
      ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "invalid UTF-8",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xc3(\"}",
      OLD, ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "UTF-8 that is cut",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xe2\x82\"}",
      OLD, ERROR(400, "", 32700, "Parse error: the body is not JSON") },
    { "a batch", "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", OLD,
      INVALID("", "batches are not supported") },
    { "a string", "\"ping\"", OLD, INVALID("", "not an object") },
    { "a number", " 5", OLD, INVALID("", "not an object") },
    { "no version of JSON-RPC", "{\"id\":1,\"method\":\"ping\"}", OLD,
      INVALID("\"id\":1,", "\\\"jsonrpc\\\" has to be \\\"2.0\\\"") },
    { "another version", "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}",
      OLD, INVALID("\"id\":1,", "\\\"jsonrpc\\\" has to be \\\"2.0\\\"") },
    { "the version as a number",
      "{\"jsonrpc\":2.0,\"id\":1,\"method\":\"ping\"}", OLD,
      INVALID("\"id\":1,", "\\\"jsonrpc\\\" has to be \\\"2.0\\\"") },
    { "a response", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", OLD,
      INVALID("\"id\":1,", "\\\"method\\\" has to be a string") },
    { "a number as method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":2}",
      OLD, INVALID("\"id\":1,", "\\\"method\\\" has to be a string") },
    { "two methods", "{\"jsonrpc\":\"2.0\",\"method\":\"ping\","
      "\"method\":\"ping\",\"id\":\"x\"}", OLD,
      INVALID("\"id\":\"x\",", "a member occurs twice") },
    { "two ids", "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,"
      "\"method\":\"ping\"}", OLD, INVALID("", "a member occurs twice") },
    { "two arguments of a name",
      CALL("read_artifact", "{\"ref\":\"a\",\"re\\u0066\":\"b\"}"), OLD,
      INVALID("\"id\":1,", "a member occurs twice") },

    /* revisions */

    { "a header of an older revision",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
      { S("2025-06-18"), art_null_string, art_null_string },
      "request 2025-06-18 id=1 method=ping" },
    { "an unknown revision in the header",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
      { S("1900-01-01"), art_null_string, art_null_string },
      NO_REVISION("\"id\":1,", "1900-01-01") },
    { "the same, of a notification",
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
      { S("1900-01-01"), art_null_string, art_null_string },
      NO_REVISION("", "1900-01-01") },
    { "initialize", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
      "\"params\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}}",
      OLD, "request 2025-06-18 id=1 method=initialize" },
    { "initialize with another revision",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
      "\"params\":{\"protocolVersion\":\"2024-11-05\"}}", OLD,
      "request 2025-11-25 id=1 method=initialize" },
    { "initialize with the modern revision",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
      "\"params\":{\"protocolVersion\":\"2026-07-28\"}}", OLD,
      "request 2025-11-25 id=1 method=initialize" },
    { "initialize without a revision",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}", OLD,
      ERROR(200, "\"id\":1,", 32602, "Invalid params: \\\"protocolVersion\\\" "
            "has to be a string") },
    { "a modern request", MODERN_PING(META), NO_NAME("tools/list"),
      "request modern 2026-07-28 id=1 method=tools/list" },
    { "a modern header, but no _meta", MODERN_PING(""), NO_NAME("tools/list"),
      NO_META },
    { "no capabilities", MODERN_PING("\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"),
      NO_NAME("tools/list"), NO_META },
    { "capabilities that are no object", MODERN_PING("\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
      "\"io.modelcontextprotocol/clientCapabilities\":true}"),
      NO_NAME("tools/list"), NO_META },
    { "a revision that is a number", MODERN_PING("\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":2026}"),
      NO_NAME("tools/list"), NO_META },
    { "an unknown revision", MODERN_PING("\"_meta\":{"
      "\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\","
      "\"io.modelcontextprotocol/clientCapabilities\":{}}"),
      { S("2099-01-01"), S("tools/list"), art_null_string },
      NO_REVISION("\"id\":1,", "2099-01-01") },

    /* headers */

    { "no header with the revision", MODERN_PING(META),
      { art_null_string, S("tools/list"), art_null_string },
      MISMATCH("MCP-Protocol-Version") },
    { "another revision in the header", MODERN_PING(META),
      { S("2025-11-25"), S("tools/list"), art_null_string },
      MISMATCH("MCP-Protocol-Version") },
    { "no header with the method", MODERN_PING(META),
      { S("2026-07-28"), art_null_string, art_null_string },
      MISMATCH("Mcp-Method") },
    { "another method in the header", MODERN_PING(META),
      NO_NAME("tools/call"), MISMATCH("Mcp-Method") },
    { "the method in another case", MODERN_PING(META), NO_NAME("Tools/list"),
      MISMATCH("Mcp-Method") },
    { "white space around headers", MODERN_PING(META),
      { S(" 2026-07-28\t"), S("\t tools/list "), art_null_string },
      "request modern 2026-07-28 id=1 method=tools/list" },
    { "a name that is not needed", MODERN_PING(META),
      MODERN("tools/list", "x"),
      "request modern 2026-07-28 id=1 method=tools/list" },
    { "no header with the name",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"artifact:a\"}}",
      NO_NAME("resources/read"), MISMATCH("Mcp-Name") },
    { "another name",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"artifact:a\"}}",
      MODERN("resources/read", "artifact:A"), MISMATCH("Mcp-Name") },
    { "a name",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"artifact:a\"}}",
      MODERN("resources/read", "artifact:a"),
      "request modern 2026-07-28 id=1 method=resources/read uri=artifact:a" },
    { "a name in base64",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"line1\\nline2\"}}",
      MODERN("resources/read", "=?base64?bGluZTEKbGluZTI=?="),
      "request modern 2026-07-28 id=1 method=resources/read "
      "uri=line1\nline2" },
    { "another name in base64",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"line1\\nline3\"}}",
      MODERN("resources/read", "=?base64?bGluZTEKbGluZTI=?="),
      MISMATCH("Mcp-Name") },
    { "a name that is not base64",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"line1\"}}",
      MODERN("resources/read", "=?base64?bGlu!ZTE=?="),
      MISMATCH("Mcp-Name") },
    { "a name that looks like base64, in base64",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"=?base64?literal?=\"}}",
      MODERN("resources/read", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
      "request modern 2026-07-28 id=1 method=resources/read "
      "uri==?base64?literal?=" },
    { "the sentinel as its own name",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"=?base64?\?=\"}}",
      MODERN("resources/read", "=?base64?\?="), MISMATCH("Mcp-Name") },
    { "half a sentinel",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"=?base64?=\"}}",
      MODERN("resources/read", "=?base64?="),
      "request modern 2026-07-28 id=1 method=resources/read uri==?base64?=" },
    { "a name that had to be encoded",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META ",\"uri\":\"artifact:\xc3\xa9\"}}",
      MODERN("resources/read", "artifact:\xc3\xa9"), MISMATCH("Mcp-Name") },
    { "neither a URI nor its header",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\","
      "\"params\":{" META "}}", NO_NAME("resources/read"),
      ERROR(200, "\"id\":1,", 32602,
            "Invalid params: \\\"uri\\\" has to be a string") },
    { "headers do not matter to an older request",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}",
      { S("2025-11-25"), S("tools/call"), S("x") },
      "request 2025-11-25 id=1 method=ping" },

    /* methods */

    { "an unknown method, older",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\"}", OLD,
      ERROR(200, "\"id\":1,", 32601, "Method not found: prompts/list") },
    { "an unknown method, modern",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/list\","
      "\"params\":{" META "}}", NO_NAME("prompts/list"),
      ERROR(404, "\"id\":1,", 32601, "Method not found: prompts/list") },
    { "ping, modern", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\","
      "\"params\":{" META "}}", NO_NAME("ping"),
      ERROR(404, "\"id\":1,", 32601, "Method not found: ping") },
    { "initialize, modern",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\","
      "\"params\":{" META "}}", NO_NAME("initialize"),
      ERROR(404, "\"id\":1,", 32601, "Method not found: initialize") },
    { "server/discover, older",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}", OLD,
      ERROR(200, "\"id\":1,", 32601, "Method not found: server/discover") },
    { "server/discover",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\","
      "\"params\":{" META "}}", NO_NAME("server/discover"),
      "request modern 2026-07-28 id=1 method=server/discover" },
    { "a notification with an id", "{\"jsonrpc\":\"2.0\",\"id\":1,"
      "\"method\":\"notifications/initialized\"}", OLD,
      ERROR(200, "\"id\":1,", 32601,
            "Method not found: notifications/initialized") },
    { "a notification",
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", OLD,
      "notification 2025-03-26 method=notifications/initialized" },
    { "a call without an id",
      "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{"
      "\"name\":\"delete_file\"}}", OLD,
      "notification 2025-03-26 method=tools/call name=delete_file" },
    { "parameters that are an array",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]}", OLD,
      ERROR(200, "\"id\":1,", 32602,
            "Invalid params: \\\"params\\\" has to be an object") },
    { "a cursor", "{\"jsonrpc\":\"2.0\",\"id\":1,"
      "\"method\":\"resources/list\",\"params\":{\"cursor\":\"abc\"}}", OLD,
      "request 2025-03-26 id=1 method=resources/list cursor=abc" },
    { "a cursor that is a number", "{\"jsonrpc\":\"2.0\",\"id\":1,"
      "\"method\":\"resources/list\",\"params\":{\"cursor\":5}}", OLD,
      ERROR(200, "\"id\":1,", 32602, "Invalid params: invalid cursor") },
    { "a cursor of a list of one page", "{\"jsonrpc\":\"2.0\",\"id\":1,"
      "\"method\":\"tools/list\",\"params\":{\"cursor\":\"abc\"}}", OLD,
      ERROR(200, "\"id\":1,", 32602, "Invalid params: invalid cursor") },

    /* calls */

    { "a call", CALL("read_artifact", "{\"ref\":\"artifact:\\u4e2d\\n\","
      "\"context\":5.0,\"max_bytes\":99999999999999999999}"), OLD,
      "request 2025-03-26 id=1 method=tools/call name=read_artifact "
      "ref=artifact:\xe4\xb8\xad\n context=5 max_bytes=2147483647" },
    { "a call without arguments",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{"
      "\"name\":\"list_artifacts\"}}", OLD,
      "request 2025-03-26 id=1 method=tools/call name=list_artifacts" },
    { "arguments, and content, before the tool",
      "{\"params\":{\"arguments\":{\"content\":\"a\\nb\\ud83d\\ude00\","
      "\"path\":\"x\",\"workspace\":\"w:1\"},\"name\":\"write_file\"},"
      "\"id\":1,\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}", OLD,
      "request 2025-03-26 id=1 method=tools/call name=write_file "
      "workspace=w:1 path=x content=7:a\nb\xf0\x9f\x98\x80" },
    { "content that is empty", CALL("save_artifact", "{\"content\":\"\"}"),
      OLD, "request 2025-03-26 id=1 method=tools/call name=save_artifact "
      "content=0:" },
    { "an unknown tool", CALL("read_\\\"artifact", "{}"), OLD,
      ERROR(200, "\"id\":1,", 32602, "Unknown tool: read_\\\"artifact") },
    { "no tool",
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", OLD,
      ERROR(200, "\"id\":1,", 32602,
            "Invalid params: \\\"name\\\" has to be a string") },
    { "arguments that are null", CALL("list_artifacts", "null"), OLD,
      "request 2025-03-26 id=1 method=tools/call name=list_artifacts" },
    { "an argument that is null", CALL("list_artifacts", "{\"limit\":null,"
           "\"cursor\":null,\"name\":\"a\"}"), OLD,
      "request 2025-03-26 id=1 method=tools/call name=list_artifacts name=a" },
    { "a type by its other name", CALL("save_artifact", "{\"mimeType\":\"a/b\","
           "\"content\":\"\"}"), OLD,
      "request 2025-03-26 id=1 method=tools/call name=save_artifact content=0: "
      "mime_type=a/b" },
    { "an argument twice, once null", CALL("list_artifacts", "{\"limit\":null,"
           "\"limit\":1}"), OLD,
      ERROR(400, "\"id\":1,", 32600, "Invalid request: a member occurs "
            "twice") },
    { "arguments that are an array", CALL("read_artifact", "[]"), OLD,
      ERROR(200, "\"id\":1,", 32602,
            "Invalid params: \\\"arguments\\\" has to be an object") }
};


static const struct {
    const char  *arguments;
    const char  *words;
} refusals[] = {
    { "read_artifact", NULL },
    { "{\"Ref\":\"a\"}", "There is no such argument: Ref. The arguments are: "
      "ref, workspace, path, lines, bytes, grep, context, max_bytes" },
    { "{\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
      "x\":1}",
      "There is no such argument: .... The arguments are: "
      "ref, workspace, path, lines, bytes, grep, context, max_bytes" },
    { "{\"[artifact:a]\":1}", "There is no such argument: (artifact:a]. The "
      "arguments are: "
      "ref, workspace, path, lines, bytes, grep, context, max_bytes" },
    { "{\"ref\":5}", "The argument \"ref\" has to be a string." },
    { "{\"ref\":[\"a\"]}", "The argument \"ref\" has to be a string." },
    { "{\"context\":\"5\"}", "The argument \"context\" has to be an integer." },
    { "{\"context\":5.5}", "The argument \"context\" has to be an integer." },
    { "{\"ref\":null}", "Exactly one of the arguments \"ref\" and "
      "\"workspace\" has to be given." },
    { "delete_file", NULL },
    { "{\"content\":\"a\"}", "There is no such argument: content. The "
      "arguments are: workspace, path, if_match" },
    { "{\"mimeType\":\"a\"}", "There is no such argument: mimeType. The "
      "arguments are: workspace, path, if_match" },
    { "save_artifact", NULL },
    { "{\"content\":5}", "The argument \"content\" has to be a string." },
    { "{\"content\":{}}", "The argument \"content\" has to be a string." },
    { "{\"content\":\"\",\"mimeType\":\"a\",\"mime_type\":\"b\"}",
      "The arguments \"mime_type\" and \"mimeType\" differ; give one of "
      "them." },
    { "{\"content\":\"\",\"mimeType\":\"a\",\"mime_type\":\"a\"}", "" },
    { "{\"content\":\"\",\"mimeType\":1}",
      "The argument \"mimeType\" has to be a string." },
    { "read_artifact", NULL },
    { "{}", "Exactly one of the arguments \"ref\" and \"workspace\" has to "
      "be given." },
    { "{\"ref\":\"a\"}", "" },
    { "{\"ref\":\"a\",\"workspace\":\"w\",\"path\":\"p\"}",
      "Exactly one of the arguments \"ref\" and \"workspace\" has to be "
      "given." },
    { "{\"path\":\"p\"}", "The arguments \"workspace\" and \"path\" have to "
      "be given together." },
    { "{\"workspace\":\"w\",\"path\":\"p\"}", "" },
    { "{\"ref\":\"a\",\"context\":-1}",
      "The argument \"context\" has to be at least 0." },
    { "{\"ref\":\"a\",\"max_bytes\":0}",
      "The argument \"max_bytes\" has to be at least 1." },
    { "{\"ref\":\"a\",\"lines\":\"12345678901234567890123456789012345678901234"
      "567890123456789012345\"}",
      "The argument \"lines\" is too long, 64 bytes at most." },
    { "write_file", NULL },
    { "{\"workspace\":\"w\",\"content\":\"\"}",
      "The argument \"path\" is missing." },
    { "{\"workspace\":\"w\",\"path\":\"p\"}",
      "Exactly one of the arguments \"content\" and \"base64\" has to be "
      "given." },
    { "{\"workspace\":\"w\",\"path\":\"p\",\"base64\":\"\"}", "" },
    { "find_service", NULL },
    { "{\"direction\":\"up\"}", "The argument \"direction\" has to be one of "
      "these: input, output, both" },
    { "{\"direction\":\"both\"}", "" }
};


static size_t
below(size_t n)
{
    return tap_below(n);
}


static void
is_text(const art_out_t *out, const char *want, const char *name)
{
    is_mem(out->data, out->len, want, strlen(want), name);
}


static void
check_message(unsigned i)
{
    size_t             len, piece;
    int                ok_all;
    art_out_t          out;
    art_mcp_request_t  m;

    static uint8_t  got[4096];

    len = strlen(tests[i].message);
    ok_all = 1;

    for (piece = 0; piece <= len + 1 && ok_all; piece++) {
        out = art_out(got, sizeof(got));

        (void) mcp_read(&m, tests[i].message, len, piece, below);
        mcp_describe(&out, &m, &tests[i].headers, 1);

        ok_all = out.len == strlen(tests[i].result)
                 && memcmp(got, tests[i].result, out.len) == 0;
    }

    if (!ok(ok_all, "%s", tests[i].name)) {
        diag("in pieces of %zu", piece - 1);
        diag_mem("     got", got, out.len);
        diag_mem("expected", tests[i].result, strlen(tests[i].result));
    }
}


static void
check_refusals(void)
{
    char                message[512];
    unsigned            i;
    art_out_t           out;
    const char         *tool;
    art_mcp_error_t     error;
    art_mcp_request_t   m;
    art_mcp_headers_t   headers = OLD;

    static uint8_t  got[512];

    tool = "";

    for (i = 0; i < nitems(refusals); i++) {

        if (refusals[i].words == NULL) {
            tool = refusals[i].arguments;
            continue;
        }

        snprintf(message, sizeof(message),
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\","
                 "\"params\":{\"name\":\"%s\",\"arguments\":%s}}", tool,
                 refusals[i].arguments);

        (void) mcp_read(&m, message, strlen(message), 7, below);

        out = art_out(got, sizeof(got));

        ok(art_mcp_check(&m, &headers, 1, &error) == ART_OK
           && art_mcp_refusal(&m, &out, ART_LANG_EN)
              == (refusals[i].words[0] != '\0'), "%s %s", tool,
           refusals[i].arguments);
        is_text(&out, refusals[i].words, "... in words");
    }
}


/* All that is kept, at its longest; or one byte too long. */

static void
check_longest(char *message, int more)
{
    char               *p;
    size_t              i;
    art_mcp_request_t   m;

    p = message + sprintf(message, "{\"jsonrpc\":\"2.0\",\"params\":{"
                          "\"uri\":\"%0*d\",\"cursor\":\"%0*d\","
                          "\"name\":\"%0*d\",\"arguments\":{",
                          ART_MCP_URI_MAX + more, 0, ART_MCP_URI_MAX + more, 0,
                          ART_MCP_NAME_MAX + more, 0);

    for (i = 0; i < ART_MCP_ARGS; i++) {
        p += sprintf(p, "\"%s\":\"%0*d\",", art_mcp_args[i].name,
                     art_mcp_args[i].type == ART_MCP_STRING
                     ? (int) art_mcp_args[i].max + more : 1, 0);
    }

    p += sprintf(p, "\"x\":1}},\"method\":\"tools/call\",\"id\":\"%0*d\"}",
                 ART_MCP_ID_MAX - 2, 0);

    (void) mcp_read(&m, message, (size_t) (p - message), 4096, below);

    ok(!art_mcp_failed(&m) && m.id.len == ART_MCP_ID_MAX
       && m.args[ART_MCP_ARG_REF].cut == (unsigned) more
       && m.args[ART_MCP_ARG_REF].len == 8192 + (unsigned) more
       && m.uri.len == (more ? 0 : ART_MCP_URI_MAX)
       && (mcp_memory.used > 40000) == !more,
       "%s, %zu bytes", more ? "what is too long is not kept"
                             : "values at their longest", mcp_memory.used);
}


/* What may come before the method, and how much of it is kept. */

static void
check_large(void)
{
    char               *message, *p;
    size_t              i;
    art_out_t           out;
    art_mcp_error_t     error;
    art_mcp_request_t   m;
    art_mcp_headers_t   headers = OLD;

    static uint8_t  got[4096];
    static const char  begin[] = "{\"params\":{\"arguments\":{\"path\":\"p\","
                                 "\"workspace\":\"w\",\"content\":\"";
    static const char  end[] = "\"},\"name\":\"write_file\"},\"method\":"
                               "\"tools/call\",\"jsonrpc\":\"2.0\",\"id\":9}";

    message = malloc(6000000);
    p = message + sprintf(message, "%s", begin);

    for (i = 0; i < 900000; i++) {
        p += sprintf(p, "\\n%04x", (unsigned) i & 0xffff);
    }

    p += sprintf(p, "%s", end);

    (void) mcp_read(&m, message, (size_t) (p - message), 4096, below);

    out = art_out(got, sizeof(got));
    mcp_describe(&out, &m, &headers, 1);

    ok(strncmp((char *) got, "request 2025-03-26 id=9 method=tools/call "
               "name=write_file workspace=w path=p content=4500000:\n0000\n",
               96) == 0,
       "5 MB before the method");
    ok(mcp_memory.used < 100 && sizeof(m) < 12500,
       "... in %zu bytes of memory and %zu of state", mcp_memory.used,
       sizeof(m));

    out = art_out(got, sizeof(got));
    (void) mcp_read(&m, message, (size_t) (p - message), 4096, below);
    mcp_describe(&out, &m, &headers, 0);
    is_text(&out, "200 {\"jsonrpc\":\"2.0\",\"id\":9,\"error\":{"
            "\"code\":-32602,\"message\":\"Unknown tool: write_file\"}}",
            "no tool writes where writing is off");

    mcp_streams[ART_MCP_ARG_CONTENT].fails = 1;
    (void) mcp_read(&m, message, (size_t) (p - message), 4096, below);
    mcp_streams[ART_MCP_ARG_CONTENT].fails = 0;

    ok(art_mcp_failed(&m) && mcp_streams[ART_MCP_ARG_CONTENT].len == 0
       && art_mcp_check(&m, &headers, 1, &error) == ART_ERROR
       && error.status == 500 && error.code == -32603,
       "a sink that fails ends the reading");

    mcp_memory.most = 3;
    (void) mcp_read(&m, message, (size_t) (p - message), 4096, below);
    mcp_memory.most = MCP_ROOM;

    ok(art_mcp_failed(&m), "so does memory");

    check_longest(message, 0);
    check_longest(message, 1);

    p = message + sprintf(message, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\","
                          "\"id\":\"%0*d\"}", 1023, 0);
    (void) mcp_read(&m, message, (size_t) (p - message), 100, below);

    ok(art_mcp_check(&m, &headers, 1, &error) == ART_ERROR
       && error.code == -32600 && m.id.len == 0, "an id of 1025 bytes");

    p = message + sprintf(message, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\","
                          "\"id\":\"%0*d\"}", 20000, 0);
    (void) mcp_read(&m, message, (size_t) (p - message), 100, below);

    ok(art_mcp_check(&m, &headers, 1, &error) == ART_ERROR
       && error.code == -32600 && m.id.len == 0, "... and of 20002");

    p = message + sprintf(message, CALL("read_artifact", "{\"context\":%0*d}"),
                          2000, 0);
    memset(strstr(message, "000"), '9', 2000);
    (void) mcp_read(&m, message, (size_t) (p - message), 100, below);

    ok(art_mcp_check(&m, &headers, 1, &error) == ART_OK
       && m.args[ART_MCP_ARG_CONTEXT].wrong, "a number of 2000 digits");

    p = message + sprintf(message, "{\"jsonrpc\":\"2.0\",\"method\":\"ping\","
                          "\"id\":1,\"params\":{\"x\":");
    memset(p, '[', 100000);
    (void) mcp_read(&m, message, (size_t) (p - message) + 100000, 100, below);

    ok(art_mcp_check(&m, &headers, 1, &error) == ART_ERROR
       && error.code == -32600 && error.status == 400,
       "nested without end");

    free(message);
}


int
main(void)
{
    unsigned  i;

    for (i = 0; i < nitems(tests); i++) {
        check_message(i);
    }

    check_refusals();
    check_large();

    return done();
}
