
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers that need no store, and the envelopes of all others.
 */


#include <jansson.h>

#include "tap.h"
#include "mcp_read.h"
#include "core/json/art_json_error.h"


#define MAX  30000

#define SERVER                                                                \
    "\"resultType\":\"complete\",\"_meta\":{"                                 \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"nginx-artifact\","    \
    "\"version\":\"0.9.0\"}}"

#define REVISIONS                                                             \
    "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\",\"2025-03-26\"]"

#define PUBLIC  ",\"ttlMs\":3600000,\"cacheScope\":\"public\""


static art_mcp_request_t  m;
static uint8_t            text[MAX];


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
read_message(const char *method, const char *params, unsigned modern)
{
    char               message[1024];
    art_mcp_error_t    error;
    art_mcp_headers_t  headers;

    memset(&headers, 0, sizeof(headers));

    snprintf(message, sizeof(message),
             "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"method\":\"%s\","
             "\"params\":{%s%s}}", method, params, modern
             ? "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
               "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":"
               "{}}" : "");

    if (modern) {
        headers.version = art_cstr("2026-07-28");
        headers.method = art_cstr(method);
    }

    (void) mcp_read(&m, message, strlen(message), 100, below);

    if (art_mcp_check(&m, &headers, 0, &error) != ART_OK) {
        diag("%s is not sound: %s", method, error.message);
    }
}


static art_str_t
answer(unsigned writes, art_lang_t lang)
{
    art_out_t       out, list;
    static uint8_t  members[16384];

    list = art_out(members, sizeof(members));
    art_mcp_print_members(&list, m.method, writes, lang);

    out = art_out(text, sizeof(text));

    if (art_mcp_print_answer(&out, &m, art_str(members, list.len), lang)
        != ART_OK)
    {
        return art_str("", 0);
    }

    return art_str(text, out.len);
}


static void
is_answer(const char *want, const char *name)
{
    art_str_t  got;

    got = answer(0, ART_LANG_EN);
    is_mem(got.data, got.len, want, strlen(want), name);
}


static json_t *
member(json_t *object, const char *key)
{
    return json_object_get(object, key);
}


/* Each property has a type and a description, and what is required is one. */

static int
is_schema(json_t *schema, unsigned described)
{
    size_t       i;
    json_t      *value, *properties;
    const char  *key;

    properties = member(schema, "properties");

    if (!json_is_object(properties)
        || strcmp(json_string_value(member(schema, "type")), "object") != 0)
    {
        return 0;
    }

    json_object_foreach(properties, key, value) {
        if ((!json_is_string(member(value, "type"))
             && json_array_size(member(value, "type")) != 2)
            || (described && !json_is_string(member(value, "description"))))
        {
            return 0;
        }
    }

    json_array_foreach(member(schema, "required"), i, value) {
        if (member(properties, json_string_value(value)) == NULL) {
            return 0;
        }
    }

    return 1;
}


static void
check_tools(unsigned has, art_lang_t lang)
{
    size_t      i;
    json_t     *root, *tools, *tool, *output, *hints;
    unsigned    sound;
    art_str_t   got;

    got = answer(has, lang);
    root = json_loadb((const char *) got.data, got.len,
                      JSON_REJECT_DUPLICATES, NULL);
    tools = member(member(root, "result"), "tools");

    is_int((long long) json_array_size(tools),
           has == 0 ? 4 : has == ART_MCP_WRITES ? 7
           : has == ART_MCP_SIGNS ? 5 : 9, "the tools that there are");

    sound = 0;

    json_array_foreach(tools, i, tool) {
        output = member(tool, "outputSchema");
        hints = member(tool, "annotations");

        sound += json_is_string(member(tool, "name"))
                 && json_is_string(member(tool, "title"))
                 && json_is_string(member(tool, "description"))
                 && is_schema(member(tool, "inputSchema"), 1)
                 && json_is_false(member(member(tool, "inputSchema"),
                                         "additionalProperties"))
                 && (output == NULL || is_schema(output, 0))
                 && json_is_boolean(member(hints, "destructiveHint"))
                 && json_is_true(member(hints, "readOnlyHint")) == (i < 4);
    }

    is_int(sound, (long long) json_array_size(tools),
           "... each is told in full");

    json_decref(root);
}


static void
check_errors(void)
{
    art_out_t         out;
    art_mcp_error_t   error;

    memset(&error, 0, sizeof(error));
    error.code = -32700;
    error.message = "no \"JSON\"";

    out = art_out(text, sizeof(text));
    art_mcp_print_error(&out, NULL, &error);
    is_text(&out, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,"
            "\"message\":\"no \\\"JSON\\\"\"}}",
            "an error without id");

    read_message("resources/list", "", 1);
    art_mcp_error_missing(&m, &error, art_cstr("artifact:\xff\n"));
    error.data = art_cstr("{\"size\":5}");

    out = art_out(text, sizeof(text));
    art_mcp_print_error(&out, &m, &error);
    is_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"error\":{"
            "\"code\":-32602,\"message\":\"Resource not found: artifact:"
            "\xef\xbf\xbd\\n\",\"data\":{\"size\":5}}}",
            "a missing resource, modern, with data");

    read_message("resources/list", "", 0);
    art_mcp_error_missing(&m, &error, art_cstr("x"));
    is_int(error.code, -32002, "... and older");

    art_mcp_error_set(&error, 200, ART_RPC_PARAMS, "Too large",
                      art_str(NULL, 0));
    out = art_out(text, sizeof(text));
    art_mcp_print_error(&out, &m, &error);
    is_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"error\":{"
            "\"code\":-32602,\"message\":\"Too large\"}}",
            "bad parameters");
}


static void
check_words(void)
{
    art_out_t  out;

    read_message("resources/list", "", 0);

    out = art_out(text, sizeof(text));
    art_mcp_print_words(&out, &m, art_cstr("a\n\xff"), 0);
    is_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\","
            "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"a\\n"
            "\xef\xbf\xbd\"}]}}",
            "words of a tool");

    read_message("resources/list", "", 1);

    out = art_out(text, sizeof(text));
    art_mcp_print_words(&out, &m, art_cstr("no"), 1);
    is_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\","
            "\"result\":{" SERVER ",\"content\":[{\"type\":\"text\","
            "\"text\":\"no\"}],\"isError\":true}}",
            "... that failed");
}


int
main(void)
{
    read_message("ping", "", 0);
    is_answer("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"result\":{}}",
              "ping");

    read_message("initialize", "\"protocolVersion\":\"2025-03-26\"", 0);
    is_answer("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"result\":{"
              "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{"
              "\"resources\":{},\"tools\":{}},\"serverInfo\":{\"name\":"
              "\"nginx-artifact\",\"version\":\"0.9.0\"},\"instructions\":"
              "\"A store of artifacts and files of workspaces. References "
              "look like \\\"artifact:abc123\\\"; read them with "
              "read_artifact.\"}}", "initialize");

    read_message("server/discover", "", 1);
    is_answer("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"result\":{" SERVER
              PUBLIC ",\"supportedVersions\":" REVISIONS ",\"capabilities\":{"
              "\"resources\":{},\"tools\":{}},\"instructions\":\"A store of "
              "artifacts and files of workspaces. References look like "
              "\\\"artifact:abc123\\\"; read them with read_artifact.\"}}",
              "server/discover");

    read_message("resources/templates/list", "", 1);
    is_answer("{\"jsonrpc\":\"2.0\",\"id\":\"\\u0031\",\"result\":{" SERVER
              PUBLIC ",\"resourceTemplates\":[{\"uriTemplate\":"
              "\"artifact:{id}\",\"name\":\"artifact\",\"description\":"
              "\"An artifact by its id.\"},{\"uriTemplate\":"
              "\"artifact:ws:{ws}:{base64url}\",\"name\":"
              "\"workspace_reference\",\"description\":\"A file of a "
              "workspace by its reference, with its path in base64url.\"},{"
              "\"uriTemplate\":\"workspace:{ws}/{+path}\",\"name\":"
              "\"workspace_file\",\"description\":\"A file of a workspace by "
              "its path.\"}]}}", "resources/templates/list");

    read_message("resources/list", "", 1);
    is_answer("", "a listing is not among them");

    read_message("tools/list", "", 1);
    check_tools(0, ART_LANG_EN);
    check_tools(1, ART_LANG_EN);
    check_tools(1, ART_LANG_ZH);
    check_tools(ART_MCP_SIGNS, ART_LANG_EN);
    check_tools(ART_MCP_WRITES|ART_MCP_SIGNS, ART_LANG_ZH);

    read_message("tools/list", "", 0);
    check_tools(0, ART_LANG_ZH);

    check_errors();
    check_words();

    return done();
}
