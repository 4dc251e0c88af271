
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_error.h"
#include "core/json/art_json_put.h"
#include "core/mcp/art_mcp_answer.h"
#include "core/mcp/art_mcp_revision.h"


#define ART_MCP_SERVER                                                        \
    "{\"name\":\"nginx-artifact\",\"version\":\"0.9.0\"}"

#define ART_MCP_CAPABILITIES  "{\"resources\":{},\"tools\":{}}"


const art_mcp_error_t  art_mcp_too_large = {
    .code = ART_RPC_REQUEST,
    .status = 413,
    .message = "the message is too large"
};


static const char  *art_mcp_caches[] = {
    [ART_MCP_UNCACHED] = "",
    [ART_MCP_PRIVATE] = "\"ttlMs\":0,\"cacheScope\":\"private\",",
    [ART_MCP_PUBLIC] = "\"ttlMs\":3600000,\"cacheScope\":\"public\","
};


static const char  *art_mcp_instructions[ART_LANG_MAX] = {
    "工件和工作区文件的存储。引用形如 \"artifact:abc123\"，用 read_artifact "
    "读取。",
    "A store of artifacts and files of workspaces. References look like "
    "\"artifact:abc123\"; read them with read_artifact."
};


/* By RFC 6570; "+": slashes stay. */

static const struct {
    const char  *uri;
    const char  *name;
    const char  *about[ART_LANG_MAX];
} art_mcp_templates[] = {
    { "artifact:{id}", "artifact",
      { "凭 ID 读取工件。", "An artifact by its id." } },
    { "artifact:ws:{ws}:{base64url}", "workspace_reference",
      { "凭引用读取工作区文件，path 以 base64url 编码。",
        "A file of a workspace by its reference, with its path in "
        "base64url." } },
    { "workspace:{ws}/{+path}", "workspace_file",
      { "凭路径读取工作区文件。", "A file of a workspace by its path." } }
};


static void art_mcp_print_initialize(art_out_t *out,
    const art_mcp_request_t *m, art_lang_t lang);
static void art_mcp_print_discover(art_json_put_t *put, art_lang_t lang);
static void art_mcp_print_templates(art_json_put_t *put, art_lang_t lang);
static void art_mcp_print_revisions(art_json_put_t *put, const char *key);


void
art_mcp_print_members(art_out_t *out, art_mcp_method_t method, unsigned has,
    art_lang_t lang)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    switch (method) {

    case ART_MCP_DISCOVER:
        art_mcp_print_discover(&put, lang);
        break;

    case ART_MCP_TOOLS_LIST:
        art_out_cstr(out, "\"tools\":");
        art_mcp_tools_print(out, has, lang);
        break;

    case ART_MCP_RESOURCES_TEMPLATES:
        art_mcp_print_templates(&put, lang);
        break;

    default:
        break;
    }
}


int
art_mcp_print_answer(art_out_t *out, const art_mcp_request_t *m,
    art_str_t members, art_lang_t lang)
{
    if (m->method == ART_MCP_INITIALIZE || m->method == ART_MCP_PING) {
        art_mcp_print_result_head(out, m, ART_MCP_UNCACHED);

        if (m->method == ART_MCP_INITIALIZE) {
            art_mcp_print_initialize(out, m, lang);
        }

    } else if (members.len > 0) {
        art_mcp_print_result_head(out, m, ART_MCP_PUBLIC);
        art_out_str(out, members);

    } else {
        return ART_ERROR;
    }

    art_mcp_print_result_tail(out);

    return ART_OK;
}


void
art_mcp_print_result_head(art_out_t *out, const art_mcp_request_t *m,
    art_mcp_cache_t cache)
{
    art_out_cstr(out, "{\"jsonrpc\":\"2.0\",\"id\":");
    art_out_str(out, m->id);
    art_out_cstr(out, ",\"result\":{");

    if (m->modern) {
        art_out_cstr(out, "\"resultType\":\"complete\",\"_meta\":{"
                     "\"io.modelcontextprotocol/serverInfo\":"
                     ART_MCP_SERVER "},");
        art_out_cstr(out, art_mcp_caches[cache]);
    }
}


void
art_mcp_print_result_tail(art_out_t *out)
{
    art_out_cstr(out, "}}");
}


void
art_mcp_print_error(art_out_t *out, const art_mcp_request_t *m,
    const art_mcp_error_t *error)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_json_rpc_error(&put, m != NULL ? m->id : art_str(NULL, 0),
                       error->code, error->message, "", error->detail);

    if (error->revisions) {
        art_json_put_object(&put, "data");
        art_mcp_print_revisions(&put, "supported");
        art_json_put_string(&put, "requested", error->detail);
        art_json_put_end(&put);
    }

    art_json_put_raw(&put, "data", error->data);
    art_json_put_end(&put);
    art_json_put_end(&put);
}


void
art_mcp_print_words(art_out_t *out, const art_mcp_request_t *m,
    art_str_t text, unsigned is_error)
{
    art_json_put_t  put;

    art_mcp_print_result_head(out, m, ART_MCP_UNCACHED);

    art_json_put_init(&put, out, 0);

    art_json_put_array(&put, "content");
    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "type", art_cstr("text"));
    art_json_put_string(&put, "text", text);
    art_json_put_end(&put);
    art_json_put_end(&put);

    if (is_error) {
        art_json_put_bool(&put, "isError", 1);
    }

    art_mcp_print_result_tail(out);
}


static void
art_mcp_print_initialize(art_out_t *out, const art_mcp_request_t *m,
    art_lang_t lang)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_string(&put, "protocolVersion", m->version);
    art_json_put_raw(&put, "capabilities", art_cstr(ART_MCP_CAPABILITIES));
    art_json_put_raw(&put, "serverInfo", art_cstr(ART_MCP_SERVER));
    art_json_put_string(&put, "instructions",
                        art_cstr(art_mcp_instructions[lang]));
}


static void
art_mcp_print_discover(art_json_put_t *put, art_lang_t lang)
{
    art_mcp_print_revisions(put, "supportedVersions");
    art_json_put_raw(put, "capabilities", art_cstr(ART_MCP_CAPABILITIES));
    art_json_put_string(put, "instructions",
                        art_cstr(art_mcp_instructions[lang]));
}


static void
art_mcp_print_templates(art_json_put_t *put, art_lang_t lang)
{
    size_t  i;

    art_json_put_array(put, "resourceTemplates");

    for (i = 0; i < art_nitems(art_mcp_templates); i++) {
        art_json_put_object(put, NULL);
        art_json_put_string(put, "uriTemplate",
                            art_cstr(art_mcp_templates[i].uri));
        art_json_put_string(put, "name", art_cstr(art_mcp_templates[i].name));
        art_json_put_string(put, "description",
                            art_cstr(art_mcp_templates[i].about[lang]));
        art_json_put_end(put);
    }

    art_json_put_end(put);
}


static void
art_mcp_print_revisions(art_json_put_t *put, const char *key)
{
    size_t  i;

    art_json_put_array(put, key);

    for (i = 0; i < ART_MCP_REVISIONS; i++) {
        art_json_put_string(put, NULL, art_cstr(art_mcp_revisions[i].name));
    }

    art_json_put_end(put);
}
