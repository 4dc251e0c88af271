
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_base64.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"
#include "core/answer/art_listing.h"


/* "ws:", a workspace id, ":" and an encoded path */

#define ART_LISTING_ID_MAX                                                    \
    (4 + ART_ID_NAME_MAX + ART_BASE64URL_LEN(ART_ID_PATH_MAX))


/* A byte that is not UTF-8 becomes a character of three. */

#define ART_LISTING_NAME_MAX  (3 * ART_META_NAME_MAX)


static void art_listing_artifact(art_json_put_t *put,
    const art_listing_entry_t *entry);
static void art_listing_file(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry);
static void art_listing_content(art_json_put_t *put,
    const art_listing_entry_t *entry);


void
art_listing_begin(art_json_put_t *put, const art_listing_t *list)
{
    art_json_put_object(put, NULL);

    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_json_put_array(put, "artifacts");
        break;

    case ART_LISTING_WORKSPACES:
        art_json_put_array(put, "workspaces");
        break;

    case ART_LISTING_FOLDER:
        art_json_put_string(put, "workspaceId", list->workspace);
        art_json_put_string(put, "path", list->path.data != NULL
                                         ? list->path : art_cstr(""));
        art_json_put_array(put, "entries");
        break;
    }
}


void
art_listing_entry(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry)
{
    art_json_put_object(put, NULL);

    switch (list->kind) {

    case ART_LISTING_ARTIFACTS:
        art_listing_artifact(put, entry);
        break;

    case ART_LISTING_WORKSPACES:
        art_json_put_string(put, "id", entry->id);
        art_json_put_string(put, "createdAt", entry->created);
        art_json_put_string(put, "updatedAt", entry->updated);
        break;

    case ART_LISTING_FOLDER:
        art_listing_file(put, list, entry);
        break;
    }

    art_json_put_end(put);
}


void
art_listing_end(art_json_put_t *put, size_t count, art_str_t next)
{
    art_json_put_end(put);
    art_json_put_number(put, "count", count);
    art_json_put_string(put, "next", next);
    art_json_put_end(put);
}


static void
art_listing_artifact(art_json_put_t *put, const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_NAME_MAX];
    art_out_t  name;

    name = art_out(buf, sizeof(buf));

    art_utf8_name(&name, entry->name);

    art_json_put_string(put, "id", entry->id);
    art_json_put_prefixed(put, "artifactRef", "artifact:", entry->id);
    art_json_put_string(put, "name", art_str(buf, name.len));
    art_json_put_string(put, "type", entry->type.len > 0 ? entry->type
                                                         : entry->mime);
    art_listing_content(put, entry);
    art_json_put_string(put, "messageId", entry->message_id);
}


static void
art_listing_file(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry)
{
    uint8_t    buf[ART_LISTING_ID_MAX];
    art_out_t  id;

    art_json_put_string(put, "path", entry->path);
    art_json_put_string(put, "name", entry->name);
    art_json_put_string(put, "kind", art_cstr(entry->folder ? "folder"
                                                            : "file"));

    if (entry->folder) {
        art_json_put_string(put, "updatedAt", entry->updated);
        return;
    }

    id = art_out(buf, sizeof(buf));

    if (art_id_encode(&id, list->workspace, entry->path) == ART_OK
        && id.len <= id.room)
    {
        art_json_put_string(put, "id", art_str(buf, id.len));
    }

    art_listing_content(put, entry);
}


static void
art_listing_content(art_json_put_t *put, const art_listing_entry_t *entry)
{
    art_json_put_string(put, "mimeType", entry->mime);
    art_json_put_number(put, "size", entry->size);
    art_json_put_string(put, "createdAt", entry->created);
    art_json_put_string(put, "updatedAt", entry->updated);
}
