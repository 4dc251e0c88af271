
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "core/text/art_utf8.h"
#include "core/media/art_media.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"
#include "core/render/art_describe.h"
#include "core/mcp/art_mcp_list.h"
#include "core/mcp/art_mcp_uri.h"


/* "ws:", a workspace id, ":" and an encoded path */

#define ART_MCP_LIST_ID                                                       \
    (4 + ART_ID_NAME_MAX + ART_BASE64URL_LEN(ART_ID_PATH_MAX))

/* "artifact:"; of the id only the parts that are not base64url are encoded. */

#define ART_MCP_LIST_URI  (9 + ART_MCP_LIST_ID + 3 * ART_ID_NAME_MAX)

/* A byte that is not UTF-8 becomes a character of three bytes. */

#define ART_MCP_LIST_NAME  (3 * ART_META_NAME_MAX)


static art_str_t art_mcp_list_id(const art_listing_t *list,
    const art_listing_entry_t *entry, uint8_t *buf);
static void art_mcp_list_name(art_out_t *out, art_str_t name);
static int art_mcp_list_has(art_str_t text, art_str_t part);


typedef enum {
    ART_MCP_LIST_FOLDER = 0,
    ART_MCP_LIST_NOTHING,
    ART_MCP_LIST_MORE,
    ART_MCP_LIST_OFF,
    ART_MCP_LIST_BAD_CURSOR,
    ART_MCP_LIST_WORDS
} art_mcp_list_word_t;

static const char  *art_mcp_list_words[ART_LANG_MAX][ART_MCP_LIST_WORDS] = {
    { "文件夹", "没有内容。", "还有更多: 用此 cursor 再次调用: ",
      "此服务器不提供列表。", "cursor 无效，它属于另一个列表。" },
    { "folder", "Nothing found.",
      "There are more: call again with the cursor ",
      "Listings are off at this server.",
      "The cursor is invalid; it belongs to another listing." }
};


void
art_mcp_list_resource(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry, art_str_t modified)
{
    uint8_t    id[ART_MCP_LIST_ID], buf[ART_MCP_LIST_URI];
    uint8_t    text[ART_MCP_LIST_NAME];
    art_out_t  uri, name;

    uri = art_out(buf, sizeof(buf));
    name = art_out(text, sizeof(text));

    art_mcp_uri_print(&uri, art_mcp_list_id(list, entry, id));
    art_utf8_name(&name, entry->name);

    if (name.len == 0) {
        art_utf8_name(&name, entry->id);
    }

    art_json_put_object(put, NULL);
    art_json_put_string(put, "uri", art_str(buf, uri.len));
    art_json_put_string(put, "name", art_str(text, name.len));

    if (list->kind == ART_LISTING_FOLDER) {
        art_json_put_string(put, "title", entry->path);

    } else {
        art_json_put_string(put, "title", art_str(text, name.len));
    }

    art_json_put_string(put, "mimeType", entry->mime);
    art_json_put_number(put, "size", entry->size);
    art_json_put_object(put, "annotations");
    art_json_put_string(put, "lastModified", modified);
    art_json_put_end(put);
    art_json_put_end(put);
}


void
art_mcp_list_line(art_out_t *out, const art_listing_t *list,
    const art_listing_entry_t *entry, art_lang_t lang)
{
    uint8_t  id[ART_MCP_LIST_ID];

    if (entry->folder) {
        art_mcp_list_name(out, entry->path);
        art_out_cstr(out, "/\t");
        art_out_cstr(out, art_mcp_list_words[lang][ART_MCP_LIST_FOLDER]);
        art_out_char(out, '\t');

    } else {
        art_out_cstr(out, "artifact:");
        art_mcp_list_name(out, art_mcp_list_id(list, entry, id));
        art_out_char(out, '\t');
        art_mcp_list_name(out, entry->name);
        art_out_char(out, '\t');
        art_out_str(out, entry->mime);
        art_out_char(out, '\t');
        art_describe_size(out, entry->size);
        art_out_char(out, '\t');
    }

    art_mcp_list_name(out, entry->updated);
    art_out_char(out, '\n');
}


void
art_mcp_list_end(art_out_t *out, size_t count, art_str_t next,
    art_lang_t lang)
{
    if (next.data != NULL) {
        art_out_cstr(out, art_mcp_list_words[lang][ART_MCP_LIST_MORE]);
        art_out_str(out, next);
        art_out_char(out, '\n');

    } else if (count == 0) {
        art_out_cstr(out, art_mcp_list_words[lang][ART_MCP_LIST_NOTHING]);
    }
}


art_str_t
art_mcp_list_off(art_lang_t lang)
{
    return art_cstr(art_mcp_list_words[lang][ART_MCP_LIST_OFF]);
}


art_str_t
art_mcp_list_bad_cursor(art_lang_t lang)
{
    return art_cstr(art_mcp_list_words[lang][ART_MCP_LIST_BAD_CURSOR]);
}


void
art_mcp_list_resources(art_out_t *out, art_str_t entries, art_str_t next)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_array(&put, "resources");
    art_out_str(out, entries);
    art_json_put_end(&put);
    art_json_put_string(&put, "nextCursor", next);
}


void
art_mcp_list_content(art_json_put_t *put, art_str_t text)
{
    art_json_put_array(put, "content");
    art_json_put_object(put, NULL);
    art_json_put_string(put, "type", art_cstr("text"));
    art_json_put_string(put, "text", text);
    art_json_put_end(put);
    art_json_put_end(put);
}


void
art_mcp_list_result(art_out_t *out, const art_listing_t *list, art_str_t text,
    art_str_t entries, size_t count, art_str_t next)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_mcp_list_content(&put, text);
    art_json_put_key(&put, "structuredContent");

    art_json_put_init(&put, out, 0);

    art_listing_begin(&put, list);
    art_out_str(out, entries);
    art_listing_end(&put, count, "nextCursor", next);
}


int
art_mcp_list_matches(const art_listing_entry_t *entry, art_str_t type,
    art_str_t name)
{
    art_media_type_t  range;

    if (type.len > 0 && !art_str_is(type, "*/*") && !art_str_is(type, "*")) {
        art_media_range(type, &range);

        if (range.len == 0
            || !art_media_in(art_str(range.buf, range.len), entry->mime))
        {
            return 0;
        }
    }

    return art_mcp_list_has(entry->name, name);
}


/* An artifact's id, or that of a file, which is printed to "buf". */

static art_str_t
art_mcp_list_id(const art_listing_t *list, const art_listing_entry_t *entry,
    uint8_t *buf)
{
    art_out_t  id;

    if (list->kind != ART_LISTING_FOLDER) {
        return entry->id;
    }

    id = art_out(buf, ART_MCP_LIST_ID);

    (void) art_id_encode(&id, list->workspace, entry->path);

    return art_str(buf, id.len <= id.room ? id.len : 0);
}


/* As one line; a bracket before "artifact:" would begin a marker. */

static void
art_mcp_list_name(art_out_t *out, art_str_t name)
{
    size_t     i, start;
    art_str_t  marker;

    marker = art_cstr("[artifact:");
    start = 0;

    for (i = 0; i + marker.len <= name.len; i++) {

        if (memcmp(name.data + i, marker.data, marker.len) == 0) {
            art_utf8_name(out, art_str(name.data + start, i - start));
            art_out_char(out, '(');
            start = i + 1;
        }
    }

    art_utf8_name(out, art_str(name.data + start, name.len - start));
}


static int
art_mcp_list_has(art_str_t text, art_str_t part)
{
    size_t  i, j;

    for (i = 0; i + part.len <= text.len; i++) {

        for (j = 0; j < part.len; j++) {
            if (art_char_lower(text.data[i + j])
                != art_char_lower(part.data[j]))
            {
                break;
            }
        }

        if (j == part.len) {
            return 1;
        }
    }

    return 0;
}
