
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_put.h"
#include "core/meta/art_meta_print.h"


static void art_meta_print_artifact(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known);
static void art_meta_print_workspace(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known);
static void art_meta_new_string(art_out_t *out, const char *key,
    art_str_t value);
static void art_meta_put_text(art_out_t *out, const char *key, art_str_t text);
static void art_meta_put_extra(art_out_t *out, art_str_t extra);
static art_str_t art_meta_basename(art_str_t path);


void
art_meta_print(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_string(out, '{', "id", known->id);

    if (known->workspace.len == 0) {
        art_meta_print_artifact(out, meta, known);

    } else {
        art_meta_print_workspace(out, meta, known);
    }

    art_meta_put_extra(out, meta->extra);
    art_out_char(out, '}');
}


static void
art_meta_print_artifact(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_string(out, ',', "extension", meta->extension);
    art_json_put_string(out, ',', "type", meta->type.len ? meta->type
                                                        : known->mime);
    art_json_put_string(out, ',', "name", known->name);
    art_json_put_number(out, ',', "size", known->size);
    art_json_put_string(out, ',', "createdAt", meta->created);
    art_json_put_string(out, ',', "updatedAt", meta->updated);
    art_json_put_string(out, ',', "messageId", meta->message_id);
    art_json_put_string(out, ',', "agentId", meta->agent_id);
    art_meta_put_text(out, "meta", meta->object);
    art_json_put_string(out, ',', "mimeType", known->mime);
}


static void
art_meta_print_workspace(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_string(out, ',', "type", known->mime);
    art_json_put_string(out, ',', "name", known->name);
    art_json_put_number(out, ',', "size", known->size);
    art_json_put_string(out, ',', "createdAt", meta->created);
    art_json_put_string(out, ',', "updatedAt", meta->updated);

    art_json_put_key(out, ',', "meta");
    art_json_put_string(out, '{', "filename", art_meta_basename(known->path));
    art_json_put_string(out, ',', "workspaceId", known->workspace);
    art_json_put_string(out, ',', "relativePath", known->path);
    art_meta_put_text(out, "modifiedBy", meta->modified_by.len
                                         ? meta->modified_by
                                         : art_cstr("[]"));
    art_out_char(out, '}');

    art_json_put_string(out, ',', "mimeType", known->mime);
}


void
art_meta_print_new(art_out_t *out, const art_meta_new_t *created)
{
    uint8_t  time[ART_TIME_LEN];

    art_time_print(time, created->created);

    art_out_cstr(out, "{\n  \"id\": ");
    art_json_put_text(out, created->id);

    art_meta_new_string(out, "extension", created->extension);
    art_meta_new_string(out, "type", created->mime);
    art_meta_new_string(out, "name", created->name);
    art_out_cstr(out, ",\n  \"size\": ");
    art_out_uint(out, created->size);
    art_meta_new_string(out, "createdAt", art_str(time, sizeof(time)));
    art_meta_new_string(out, "messageId", created->message_id);
    art_meta_new_string(out, "agentId", created->agent_id);

    art_out_cstr(out, "\n}\n");
}


static void
art_meta_new_string(art_out_t *out, const char *key, art_str_t value)
{
    if (value.data == NULL) {
        return;
    }

    art_out_cstr(out, ",\n  \"");
    art_out_cstr(out, key);
    art_out_cstr(out, "\": ");
    art_json_put_text(out, value);
}


static void
art_meta_put_text(art_out_t *out, const char *key, art_str_t text)
{
    if (text.len > 0) {
        art_json_put_key(out, ',', key);
        art_out_str(out, text);
    }
}


/* The members of an object text, without its braces. */

static void
art_meta_put_extra(art_out_t *out, art_str_t extra)
{
    if (extra.len > 2) {
        art_out_char(out, ',');
        art_out_mem(out, extra.data + 1, extra.len - 2);
    }
}


static art_str_t
art_meta_basename(art_str_t path)
{
    size_t  i;

    for (i = path.len; i > 0; i--) {
        if (path.data[i - 1] == '/') {
            return art_str(path.data + i, path.len - i);
        }
    }

    return path;
}
