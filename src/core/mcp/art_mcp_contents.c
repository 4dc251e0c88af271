
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/mcp/art_mcp_answer.h"
#include "core/mcp/art_mcp_contents.h"
#include "core/mcp/art_mcp_uri.h"


static const char *const  art_mcp_cut[ART_LANG_MAX] = {
    "[已截断；更大的 \\\"max_bytes\\\" 可显示更多。]",
    "[Cut; a larger \\\"max_bytes\\\" shows more.]"
};

/* After bytes, of bytes, lines; the next byte. */

static const char *const  art_mcp_go_on[ART_LANG_MAX][5] = {
    { "[已在 ", " 字节处截断，全文共 ", " 字节、",
      " 行。可用 \\\"bytes\\\": \\\"",
      "-\\\" 继续，或用 \\\"lines\\\"、\\\"grep\\\" 读取其他部分。]" },
    { "[Cut after ", " bytes; the whole text has ", " bytes and ",
      " lines. Go on with \\\"bytes\\\": \\\"",
      "-\\\", or read other parts with \\\"lines\\\" or \\\"grep\\\".]" }
};


void
art_mcp_contents_head(art_out_t *out, const art_mcp_request_t *m,
    unsigned resource)
{
    art_mcp_print_result_head(out, m, resource ? ART_MCP_PRIVATE
                                               : ART_MCP_UNCACHED);
    art_out_cstr(out, resource ? "\"contents\":[" : "\"content\":[");
}


void
art_mcp_contents_tail(art_out_t *out)
{
    art_out_char(out, ']');
    art_mcp_print_result_tail(out);
}


void
art_mcp_contents_text(art_out_t *out, art_str_t id)
{
    art_out_cstr(out, "{\"_meta\":{\"artifact/ref\":\"artifact:");
    art_json_string(out, id, 1);
    art_out_cstr(out, "\"},\"type\":\"text\",\"text\":\"");
}


void
art_mcp_contents_text_end(art_out_t *out)
{
    art_out_cstr(out, "\"}");
}


void
art_mcp_contents_cut(art_out_t *out, art_str_t id, art_lang_t lang)
{
    art_out_char(out, ',');
    art_mcp_contents_text(out, id);
    art_out_cstr(out, art_mcp_cut[lang]);
    art_mcp_contents_text_end(out);
}


void
art_mcp_contents_go_on(art_out_t *out, art_str_t id, uint64_t shown,
    uint64_t total, uint64_t rows, art_lang_t lang)
{
    unsigned  i;
    uint64_t  numbers[4];

    numbers[0] = shown;
    numbers[1] = total;
    numbers[2] = rows;
    numbers[3] = shown;

    art_out_char(out, ',');
    art_mcp_contents_text(out, id);

    for (i = 0; i < art_nitems(numbers); i++) {
        art_out_cstr(out, art_mcp_go_on[lang][i]);
        art_out_uint(out, numbers[i]);
    }

    art_out_cstr(out, art_mcp_go_on[lang][i]);
    art_mcp_contents_text_end(out);
}


void
art_mcp_contents_gone(art_out_t *out, art_lang_t lang)
{
    static const char *const  words[ART_LANG_MAX] = {
        "。它已被删除或已过期；如果它来自某个工具的结果，请再次调用该工具。",
        ". It is gone or has expired; if it came from a tool's result, call "
        "that tool again."
    };

    art_out_cstr(out, words[lang]);
}


void
art_mcp_contents_missing(art_out_t *out, art_str_t uri)
{
    art_out_cstr(out, "{\"uri\":\"");
    art_json_string(out, uri, 1);
    art_out_cstr(out, "\"}");
}


void
art_mcp_contents_large(art_out_t *out, art_str_t id, uint64_t size,
    const art_url_t *url)
{
    art_out_cstr(out, "{\"uri\":\"");
    art_mcp_uri_print(out, id);
    art_out_cstr(out, "\",\"size\":");
    art_out_uint(out, size);

    if (art_url_given(url)) {
        art_out_cstr(out, ",\"url\":\"");
        art_url_print(out, url, id, 1);
        art_out_char(out, '"');
    }

    art_out_char(out, '}');
}
