
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_put.h"
#include "core/meta/art_meta_print.h"


static void art_meta_print_artifact(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static void art_meta_print_workspace(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static art_str_t art_meta_basename(art_str_t path);


void
art_meta_print(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "id", known->id);

    if (known->workspace.len == 0) {
        art_meta_print_artifact(&put, meta, known);

    } else {
        art_meta_print_workspace(&put, meta, known);
    }

    art_json_put_members(&put, meta->extra);
    art_json_put_end(&put);
}


static void
art_meta_print_artifact(art_json_put_t *put, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_string(put, "extension", meta->extension);
    art_json_put_string(put, "type", meta->type.len ? meta->type
                                                    : known->mime);
    art_json_put_string(put, "name", known->name);
    art_json_put_number(put, "size", known->size);
    art_json_put_string(put, "createdAt", meta->created);
    art_json_put_string(put, "updatedAt", meta->updated);
    art_json_put_string(put, "messageId", meta->message_id);
    art_json_put_string(put, "agentId", meta->agent_id);
    art_json_put_raw(put, "meta", meta->object);
    art_json_put_string(put, "mimeType", known->mime);
}


static void
art_meta_print_workspace(art_json_put_t *put, const art_meta_t *meta,
    const art_meta_known_t *known)
{
    art_json_put_string(put, "type", known->mime);
    art_json_put_string(put, "name", known->name);
    art_json_put_number(put, "size", known->size);
    art_json_put_string(put, "createdAt", meta->created);
    art_json_put_string(put, "updatedAt", meta->updated);

    art_json_put_object(put, "meta");
    art_json_put_string(put, "filename", art_meta_basename(known->path));
    art_json_put_string(put, "workspaceId", known->workspace);
    art_json_put_string(put, "relativePath", known->path);
    art_json_put_raw(put, "modifiedBy", meta->modified_by.len
                                        ? meta->modified_by : art_cstr("[]"));
    art_json_put_end(put);

    art_json_put_string(put, "mimeType", known->mime);
}


void
art_meta_print_new(art_out_t *out, const art_meta_new_t *created)
{
    uint8_t         time[ART_TIME_LEN];
    art_json_put_t  put;

    art_time_print(time, created->created);

    art_json_put_init(&put, out, 0);
    put.indent = 2;

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "id", created->id);
    art_json_put_string(&put, "extension", created->extension);
    art_json_put_string(&put, "type", created->mime);
    art_json_put_string(&put, "name", created->name);
    art_json_put_number(&put, "size", created->size);
    art_json_put_string(&put, "createdAt", art_str(time, sizeof(time)));
    art_json_put_string(&put, "messageId", created->message_id);
    art_json_put_string(&put, "agentId", created->agent_id);
    art_json_put_end(&put);

    art_out_char(out, '\n');
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
