
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"
#include "core/answer/art_listing.h"


/* "ws:", a workspace id, ":" and an encoded path */

#define ART_LISTING_ID_MAX                                                    \
    (4 + ART_ID_NAME_MAX + ART_BASE64URL_LEN(ART_ID_PATH_MAX))


/* A byte that is not UTF-8 becomes a character of three. */

#define ART_LISTING_NAME_MAX  (3 * ART_META_NAME_MAX)


static void art_listing_artifact(art_out_t *out,
    const art_listing_entry_t *entry);
static void art_listing_workspace(art_out_t *out,
    const art_listing_entry_t *entry);
static void art_listing_file(art_out_t *out, const art_listing_t *list,
    const art_listing_entry_t *entry);
static void art_listing_content(art_out_t *out,
    const art_listing_entry_t *entry);


void
art_listing_begin(art_out_t *out, const art_listing_t *list)
{
    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_json_put_key(out, '{', "artifacts");
        break;

    case ART_LISTING_WORKSPACES:
        art_json_put_key(out, '{', "workspaces");
        break;

    case ART_LISTING_FOLDER:
        art_json_put_string(out, '{', "workspaceId", list->workspace);
        art_json_put_string(out, ',', "path", list->path.data != NULL
                                              ? list->path : art_cstr(""));
        art_json_put_key(out, ',', "entries");
        break;
    }

    art_out_char(out, '[');
}


void
art_listing_entry(art_out_t *out, const art_listing_t *list,
    const art_listing_entry_t *entry, unsigned first)
{
    if (!first) {
        art_out_char(out, ',');
    }

    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_listing_artifact(out, entry);
        break;

    case ART_LISTING_WORKSPACES:
        art_listing_workspace(out, entry);
        break;

    case ART_LISTING_FOLDER:
        art_listing_file(out, list, entry);
        break;
    }

    art_out_char(out, '}');
}


void
art_listing_end(art_out_t *out, size_t count, art_str_t next)
{
    art_out_char(out, ']');
    art_json_put_number(out, ',', "count", count);
    art_json_put_string(out, ',', "next", next);
    art_out_char(out, '}');
}


static void
art_listing_artifact(art_out_t *out, const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_NAME_MAX];
    art_out_t  name;

    art_json_put_string(out, '{', "id", entry->id);

    art_json_put_key(out, ',', "artifactRef");
    art_out_cstr(out, "\"artifact:");
    art_json_string(out, entry->id, 1);
    art_out_char(out, '"');

    name.data = buf;
    name.len = 0;
    name.room = sizeof(buf);

    art_utf8_name(&name, entry->name);
    art_json_put_string(out, ',', "name", art_str(buf, name.len));
    art_json_put_string(out, ',', "type", entry->type.len > 0
                                          ? entry->type : entry->mime);
    art_listing_content(out, entry);
    art_json_put_string(out, ',', "messageId", entry->message_id);
}


static void
art_listing_workspace(art_out_t *out, const art_listing_entry_t *entry)
{
    art_json_put_string(out, '{', "id", entry->id);
    art_json_put_string(out, ',', "createdAt", entry->created);
    art_json_put_string(out, ',', "updatedAt", entry->updated);
}


static void
art_listing_file(art_out_t *out, const art_listing_t *list,
    const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_ID_MAX];
    art_out_t  id;

    art_json_put_string(out, '{', "path", entry->path);
    art_json_put_string(out, ',', "name", entry->name);
    art_json_put_string(out, ',', "kind", art_cstr(entry->folder ? "folder"
                                                                 : "file"));

    if (entry->folder) {
        art_json_put_string(out, ',', "updatedAt", entry->updated);
        return;
    }

    id.data = buf;
    id.len = 0;
    id.room = sizeof(buf);

    if (art_id_encode(&id, list->workspace, entry->path) == ART_OK
        && id.len <= id.room)
    {
        art_json_put_string(out, ',', "id", art_str(buf, id.len));
    }

    art_listing_content(out, entry);
}


static void
art_listing_content(art_out_t *out, const art_listing_entry_t *entry)
{
    art_json_put_string(out, ',', "mimeType", entry->mime);
    art_json_put_number(out, ',', "size", entry->size);
    art_json_put_string(out, ',', "createdAt", entry->created);
    art_json_put_string(out, ',', "updatedAt", entry->updated);
}
