
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Tools and their arguments: MCP 2026-07-28, server/tools.
 */


#include "core/json/art_json_put.h"
#include "core/mcp/art_mcp_tools.h"


#define REF         art_mcp_bit(ART_MCP_ARG_REF)
#define WORKSPACE   art_mcp_bit(ART_MCP_ARG_WORKSPACE)
#define PATH        art_mcp_bit(ART_MCP_ARG_PATH)
#define LINES       art_mcp_bit(ART_MCP_ARG_LINES)
#define BYTES       art_mcp_bit(ART_MCP_ARG_BYTES)
#define GREP        art_mcp_bit(ART_MCP_ARG_GREP)
#define CONTEXT     art_mcp_bit(ART_MCP_ARG_CONTEXT)
#define MAX_BYTES   art_mcp_bit(ART_MCP_ARG_MAX_BYTES)
#define CURSOR      art_mcp_bit(ART_MCP_ARG_CURSOR)
#define LIMIT       art_mcp_bit(ART_MCP_ARG_LIMIT)
#define TYPE        art_mcp_bit(ART_MCP_ARG_TYPE)
#define NAME        art_mcp_bit(ART_MCP_ARG_NAME)
#define CAPABILITY  art_mcp_bit(ART_MCP_ARG_CAPABILITY)
#define DIRECTION   art_mcp_bit(ART_MCP_ARG_DIRECTION)
#define CONTENT     art_mcp_bit(ART_MCP_ARG_CONTENT)
#define BASE64      art_mcp_bit(ART_MCP_ARG_BASE64)
#define MIME_TYPE   art_mcp_bit(ART_MCP_ARG_MIME_TYPE)
#define IF_MATCH    art_mcp_bit(ART_MCP_ARG_IF_MATCH)
#define SIZE        art_mcp_bit(ART_MCP_ARG_SIZE)


/* Entries as listings have them (art_listing.h), and the next page. */

#define ART_MCP_STRING_PROPERTY(name)  "\"" name "\":{\"type\":\"string\"}"

#define ART_MCP_CONTENT_PROPERTIES                                            \
    ART_MCP_STRING_PROPERTY("mimeType") ","                                   \
    "\"size\":{\"type\":\"integer\"},"                                        \
    ART_MCP_STRING_PROPERTY("createdAt") ","                                  \
    ART_MCP_STRING_PROPERTY("updatedAt")

#define ART_MCP_PAGE(outer, key, properties, required)                        \
    "{\"type\":\"object\",\"properties\":{" outer "\"" key "\":"              \
    "{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{"     \
    properties "},\"required\":[" required "]}},"                             \
    "\"count\":{\"type\":\"integer\"},"                                       \
    ART_MCP_STRING_PROPERTY("nextCursor") "},"                                \
    "\"required\":[\"" key "\",\"count\"]}"

static const char  art_mcp_artifacts[] =
    ART_MCP_PAGE("", "artifacts",
        ART_MCP_STRING_PROPERTY("id") ","
        ART_MCP_STRING_PROPERTY("artifactRef") ","
        ART_MCP_STRING_PROPERTY("name") ","
        ART_MCP_STRING_PROPERTY("type") ","
        ART_MCP_CONTENT_PROPERTIES ","
        ART_MCP_STRING_PROPERTY("expiresAt") ","
        ART_MCP_STRING_PROPERTY("messageId"),
        "\"id\",\"artifactRef\"");

static const char  art_mcp_entries[] =
    ART_MCP_PAGE(
        ART_MCP_STRING_PROPERTY("workspaceId") ","
        ART_MCP_STRING_PROPERTY("path") ",", "entries",
        ART_MCP_STRING_PROPERTY("path") ","
        ART_MCP_STRING_PROPERTY("name") ","
        "\"kind\":{\"type\":\"string\",\"enum\":[\"file\",\"folder\"]},"
        ART_MCP_STRING_PROPERTY("id") ","
        ART_MCP_CONTENT_PROPERTIES,
        "\"path\",\"kind\"");

/* The answers to PUT, DELETE and POST, with the ETag as a member. */

static const char  art_mcp_file[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"ok\":{\"type\":\"boolean\"},"
    ART_MCP_STRING_PROPERTY("artifactId") ","
    ART_MCP_STRING_PROPERTY("path") ","
    ART_MCP_STRING_PROPERTY("metadata") ","
    ART_MCP_STRING_PROPERTY("etag") "},"
    "\"required\":[\"ok\",\"artifactId\",\"path\"]}";

static const char  art_mcp_artifact[] =
    "{\"type\":\"object\",\"properties\":{"
    ART_MCP_STRING_PROPERTY("artifactRef") ","
    "\"metadata\":{\"type\":\"object\"},"
    ART_MCP_STRING_PROPERTY("etag") "},"
    "\"required\":[\"artifactRef\",\"metadata\"]}";


static const char  art_mcp_upload[] =
    "{\"type\":\"object\",\"properties\":{"
    ART_MCP_STRING_PROPERTY("ref") ","
    ART_MCP_STRING_PROPERTY("url") ","
    ART_MCP_STRING_PROPERTY("method") ","
    ART_MCP_STRING_PROPERTY("expires") "},"
    "\"required\":[\"ref\",\"url\",\"method\",\"expires\"]}";

static const char  art_mcp_share[] =
    "{\"type\":\"object\",\"properties\":{"
    ART_MCP_STRING_PROPERTY("ref") ","
    ART_MCP_STRING_PROPERTY("url") ","
    ART_MCP_STRING_PROPERTY("expires") "},"
    "\"required\":[\"ref\",\"url\",\"expires\"]}";


const art_mcp_arg_row_t  art_mcp_args[ART_MCP_ARGS] = {
    [ART_MCP_ARG_REF] =
      { "ref", ART_MCP_STRING, 8192, 0,
        { "工件的引用，例如 \"artifact:abc123\"；工作区文件也可以用 "
          "workspace 和 path 指明。",
          "Reference of the artifact, such as \"artifact:abc123\". For a file "
          "of a workspace, \"workspace\" and \"path\" may be given instead." },
        { NULL } },
    [ART_MCP_ARG_WORKSPACE] =
      { "workspace", ART_MCP_STRING, 1024, 0,
        { "工作区的 ID。", "ID of the workspace." }, { NULL } },
    [ART_MCP_ARG_PATH] =
      { "path", ART_MCP_STRING, 4096, 0,
        { "工作区内的相对路径，例如 \"notes/todo.md\"。",
          "Relative path within the workspace, such as \"notes/todo.md\"." },
        { NULL } },
    [ART_MCP_ARG_LINES] =
      { "lines", ART_MCP_STRING, 64, 0,
        { "只读这些行: \"100-200\"，\"5\" 为一行，\"5-\" 到末尾，\"-50\" "
          "为最后 50 行。",
          "Only these lines: \"100-200\", \"5\" for one, \"5-\" to the end, "
          "\"-50\" for the last 50." },
        { NULL } },
    [ART_MCP_ARG_BYTES] =
      { "bytes", ART_MCP_STRING, 64, 0,
        { "只读这些字节: \"0-4095\"（含两端，从 0 开始），\"4096-\" 到末尾，"
          "\"-2000\" 为最后 2000 字节；可与 grep 一起使用，不可与 lines 一起"
          "使用。",
          "Only these bytes: \"0-4095\" (both inclusive, from 0), \"4096-\" "
          "to the end, \"-2000\" for the last 2000. May be used with "
          "\"grep\", not with \"lines\"." },
        { NULL } },
    [ART_MCP_ARG_GREP] =
      { "grep", ART_MCP_STRING, 4096, 0,
        { "只返回含有此文本的行；这是普通文本，不是正则表达式。",
          "Only the lines with this text in them, which is plain text, not a "
          "regular expression." },
        { NULL } },
    [ART_MCP_ARG_CONTEXT] =
      { "context", ART_MCP_INTEGER, 1000, 0,
        { "grep 的每个匹配行前后附带的行数，默认 2。",
          "Lines before and after each line that \"grep\" finds, 2 by "
          "default." },
        { NULL } },
    [ART_MCP_ARG_MAX_BYTES] =
      { "max_bytes", ART_MCP_INTEGER, 2147483647, 1,
        { "返回文本的最大字节数，默认 65536。",
          "The most bytes of text to return, 65536 by default." },
        { NULL } },
    [ART_MCP_ARG_CURSOR] =
      { "cursor", ART_MCP_STRING, 8192, 0,
        { "上一页的 nextCursor，用于取下一页。",
          "The \"nextCursor\" of a page, for the page after it." },
        { NULL } },
    [ART_MCP_ARG_LIMIT] =
      { "limit", ART_MCP_INTEGER, 1000, 1,
        { "每页的最大条数，默认 100，最多 1000。",
          "The most entries of a page, 100 by default, 1000 at most." },
        { NULL } },
    [ART_MCP_ARG_TYPE] =
      { "type", ART_MCP_STRING, 256, 0,
        { "只列出此媒体类型，例如 \"image/*\" 或 \"application/pdf\"。",
          "Only this media type, such as \"image/*\" or "
          "\"application/pdf\"." },
        { NULL } },
    [ART_MCP_ARG_NAME] =
      { "name", ART_MCP_STRING, 1024, 0,
        { "文件名；列表时为文件名的一部分，不区分大小写。",
          "Name of the file; in a listing a part of it, in any case of "
          "letters." },
        { NULL } },
    [ART_MCP_ARG_CAPABILITY] =
      { "capability", ART_MCP_STRING, 256, 0,
        { "能力，例如 \"vision\"、\"audio\" 或 \"file\"。",
          "The capability, such as \"vision\", \"audio\" or \"file\"." },
        { NULL } },
    [ART_MCP_ARG_DIRECTION] =
      { "direction", ART_MCP_STRING, 64, 0,
        { "能力的方向，默认 input。",
          "Where the capability is needed, \"input\" by default." },
        { "input", "output", "both" } },
    [ART_MCP_ARG_CONTENT] =
      { "content", ART_MCP_STREAM, 0, 0,
        { "文本内容；二进制内容用 base64。",
          "The content as text; for binary content use \"base64\"." },
        { NULL } },
    [ART_MCP_ARG_BASE64] =
      { "base64", ART_MCP_STREAM, 0, 0,
        { "以 base64 编码的内容。", "The content in base64." }, { NULL } },
    [ART_MCP_ARG_MIME_TYPE] =
      { "mime_type", ART_MCP_STRING, 1024, 0,
        { "内容的媒体类型，例如 \"text/markdown\"。",
          "Media type of the content, such as \"text/markdown\"." },
        { NULL } },
    [ART_MCP_ARG_IF_MATCH] =
      { "if_match", ART_MCP_STRING, 1024, 0,
        { "只有文件当前的 ETag 与此相同时才执行；\"*\" 表示文件必须存在。",
          "Only if this is the current ETag of the file; \"*\": only if there "
          "is one." },
        { NULL } },
    [ART_MCP_ARG_SIZE] =
      { "size", ART_MCP_INTEGER, INT64_MAX, 0,
        { "文件的字节数；给出时只接受这个长度的文件。",
          "Bytes of the file; if given, only a file of that size can be "
          "uploaded." },
        { NULL } },
    [ART_MCP_ARG_ALIAS] =
      { "mimeType", ART_MCP_STRING, 1024, 0, { NULL }, { NULL } }
};


const art_mcp_tool_t  art_mcp_tools[ART_MCP_TOOLS] = {
    [ART_MCP_READ_ARTIFACT] =
      { .name = "read_artifact",
        .takes = REF | WORKSPACE | PATH | LINES | BYTES | GREP | CONTEXT
                 | MAX_BYTES,
        .either = REF | WORKSPACE,
        .pair = WORKSPACE | PATH,
        .title = { "读取工件", "Read an artifact" },
        .about = {
          "读取工件或工作区文件的内容: 文本、图片，或当前模型不能处理时的"
          "描述。大的文本先用 grep 查找，或用 lines、bytes 读取一部分。",
          "Reads an artifact or a file of a workspace: as text, as an image, "
          "or as a description where the model cannot take the content. "
          "Search large texts with \"grep\" first, or read a part of them "
          "with \"lines\" or \"bytes\"." } },
    [ART_MCP_LIST_ARTIFACTS] =
      { .name = "list_artifacts",
        .takes = CURSOR | LIMIT | TYPE | NAME,
        .output = art_mcp_artifacts,
        .title = { "列出工件", "List artifacts" },
        .about = {
          "列出工件: 引用、名称、类型、大小和日期，每行一个。可按类型和名称"
          "筛选。",
          "Lists artifacts, one a line: reference, name, type, size and date. "
          "Type and name may be chosen." } },
    [ART_MCP_LIST_WORKSPACE] =
      { .name = "list_workspace",
        .takes = WORKSPACE | PATH | CURSOR | LIMIT,
        .requires = WORKSPACE,
        .output = art_mcp_entries,
        .title = { "列出工作区", "List a workspace" },
        .about = {
          "列出工作区中一个文件夹的文件和子文件夹；没有 path 时为最上层。",
          "Lists the files and folders of a folder of a workspace, the top "
          "one without \"path\"." } },
    [ART_MCP_FIND_SERVICE] =
      { .name = "find_service",
        .takes = CAPABILITY | DIRECTION,
        .title = { "查找服务", "Find a service" },
        .about = {
          "查找具备某种能力的服务（模型），例如谁能看图片。",
          "Finds the services (models) with a capability: who can look at "
          "images, for example." } },
    [ART_MCP_WRITE_FILE] =
      { .name = "write_file",
        .takes = WORKSPACE | PATH | CONTENT | BASE64 | MIME_TYPE | IF_MATCH,
        .requires = WORKSPACE | PATH,
        .either = CONTENT | BASE64,
        .needs = ART_MCP_WRITES,
        .changes = 1,
        .destroys = 1,
        .repeats = 1,
        .output = art_mcp_file,
        .title = { "写入文件", "Write a file" },
        .about = {
          "写入工作区的文件，已有的内容会被替换。返回文件的引用和 ETag。",
          "Writes a file of a workspace and replaces what it had. Returns the "
          "file's reference and ETag." } },
    [ART_MCP_SAVE_ARTIFACT] =
      { .name = "save_artifact",
        .takes = NAME | MIME_TYPE | CONTENT | BASE64,
        .either = CONTENT | BASE64,
        .needs = ART_MCP_WRITES,
        .changes = 1,
        .output = art_mcp_artifact,
        .title = { "保存工件", "Save an artifact" },
        .about = {
          "把内容保存为新的工件，返回它的引用。",
          "Saves content as a new artifact and returns its reference." } },
    [ART_MCP_DELETE_FILE] =
      { .name = "delete_file",
        .takes = WORKSPACE | PATH | IF_MATCH,
        .requires = WORKSPACE | PATH,
        .needs = ART_MCP_WRITES,
        .changes = 1,
        .destroys = 1,
        .repeats = 1,
        .output = art_mcp_file,
        .title = { "删除文件", "Delete a file" },
        .about = { "删除工作区的文件。", "Deletes a file of a workspace." } },
    [ART_MCP_REQUEST_UPLOAD] =
      { .name = "request_upload",
        .takes = MIME_TYPE | NAME | SIZE,
        .requires = MIME_TYPE,
        .needs = ART_MCP_WRITES|ART_MCP_SIGNS,
        .changes = 1,
        .output = art_mcp_upload,
        .title = { "申请上传链接", "Get a URL for an upload" },
        .about = {
          "取得一个链接，用 PUT 把一个文件（例如沙箱中的图片）直接上传为新的"
          "工件，内容不经过模型；返回引用、链接和 curl 命令。比 save_artifact "
          "的 base64 省得多。",
          "Gets a URL to which one file, such as an image of a sandbox, is "
          "sent by PUT and becomes a new artifact. Returns its reference, the "
          "URL, and a command with curl. Prefer it to base64 in "
          "save_artifact: the content does not pass through the model." } },
    [ART_MCP_SHARE_ARTIFACT] =
      { .name = "share_artifact",
        .takes = REF | WORKSPACE | PATH,
        .either = REF | WORKSPACE,
        .pair = WORKSPACE | PATH,
        .needs = ART_MCP_SIGNS,
        .changes = 1,
        .repeats = 1,
        .opens = 1,
        .output = art_mcp_share,
        .title = { "分享工件", "Share an artifact" },
        .about = {
          "返回一个链接，在它过期之前任何人都可以凭它读取此工件或工作区文件。",
          "Returns a URL by which anybody can read an artifact or a file of "
          "a workspace until it expires." } }
};


static void art_mcp_tool_print(art_json_put_t *put,
    const art_mcp_tool_t *tool, art_lang_t lang);
static void art_mcp_arg_print(art_json_put_t *put,
    const art_mcp_arg_row_t *arg, unsigned optional, art_lang_t lang);


art_mcp_tool_id_t
art_mcp_tool_find(art_str_t name)
{
    art_mcp_tool_id_t  i;

    for (i = 0; i < ART_MCP_TOOLS; i++) {
        if (art_str_eq(name, art_cstr(art_mcp_tools[i].name))) {
            return i;
        }
    }

    return ART_MCP_NO_TOOL;
}


void
art_mcp_tools_print(art_out_t *out, unsigned has, art_lang_t lang)
{
    size_t          i;
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_json_put_array(&put, NULL);

    for (i = 0; i < ART_MCP_TOOLS; i++) {
        if ((art_mcp_tools[i].needs & ~has) == 0) {
            art_mcp_tool_print(&put, &art_mcp_tools[i], lang);
        }
    }

    art_json_put_end(&put);
}


static void
art_mcp_tool_print(art_json_put_t *put, const art_mcp_tool_t *tool,
    art_lang_t lang)
{
    unsigned  i;

    art_json_put_object(put, NULL);
    art_json_put_string(put, "name", art_cstr(tool->name));
    art_json_put_string(put, "title", art_cstr(tool->title[lang]));
    art_json_put_string(put, "description", art_cstr(tool->about[lang]));

    art_json_put_object(put, "inputSchema");
    art_json_put_string(put, "type", art_cstr("object"));
    art_json_put_object(put, "properties");

    for (i = 0; i < ART_MCP_ARGS; i++) {
        if (tool->takes & art_mcp_bit(i)) {
            art_mcp_arg_print(put, &art_mcp_args[i],
                              !(tool->requires & art_mcp_bit(i)), lang);
        }
    }

    art_json_put_end(put);

    if (tool->requires != 0) {
        art_json_put_array(put, "required");

        for (i = 0; i < ART_MCP_ARGS; i++) {
            if (tool->requires & art_mcp_bit(i)) {
                art_json_put_string(put, NULL, art_cstr(art_mcp_args[i].name));
            }
        }

        art_json_put_end(put);
    }

    art_json_put_bool(put, "additionalProperties", 0);
    art_json_put_end(put);

    if (tool->output != NULL) {
        art_json_put_raw(put, "outputSchema", art_cstr(tool->output));
    }

    art_json_put_object(put, "annotations");
    art_json_put_bool(put, "readOnlyHint", !tool->changes);
    art_json_put_bool(put, "destructiveHint", tool->destroys);
    art_json_put_bool(put, "idempotentHint", !tool->changes || tool->repeats);
    art_json_put_bool(put, "openWorldHint", tool->opens);
    art_json_put_end(put);

    art_json_put_end(put);
}


/* Frameworks that demand all arguments send null for what is not given. */

static void
art_mcp_arg_print(art_json_put_t *put, const art_mcp_arg_row_t *arg,
    unsigned optional, art_lang_t lang)
{
    unsigned   i;
    art_str_t  types[2];

    types[0] = art_cstr(arg->type == ART_MCP_INTEGER ? "integer" : "string");
    types[1] = art_cstr("null");

    art_json_put_object(put, arg->name);

    if (optional) {
        art_json_put_strings(put, "type", types, 2);

    } else {
        art_json_put_string(put, "type", types[0]);
    }

    art_json_put_string(put, "description", art_cstr(arg->about[lang]));

    if (arg->values[0] != NULL) {
        art_json_put_array(put, "enum");

        for (i = 0; i < ART_MCP_VALUES; i++) {
            art_json_put_string(put, NULL, art_cstr(arg->values[i]));
        }

        if (optional) {
            art_json_put_raw(put, NULL, art_cstr("null"));
        }

        art_json_put_end(put);
    }

    if (arg->type == ART_MCP_INTEGER) {
        art_json_put_number(put, "minimum", arg->min);
    }

    art_json_put_end(put);
}
