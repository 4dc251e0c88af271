
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta_int.h"


#define art_meta_string(key, name, max, plain)                               \
    { key, offsetof(art_meta_t, name), max, plain, 0, 0 }
#define art_meta_text(name, open, close)                                     \
    { NULL, offsetof(art_meta_t, name), 0, 0, open, close }


const art_meta_field_t  art_meta_fields[ART_META_NFIELDS] = {
    art_meta_string("type", type, ART_META_TYPE_MAX, 0),
    art_meta_string("mimeType", mime, ART_META_TYPE_MAX, 0),
    art_meta_string(NULL, name, ART_META_NAME_MAX, 0),
    art_meta_string(NULL, extension, ART_REF_FILE_EXTENSION_MAX, 0),
    art_meta_string("createdAt", created, ART_META_TIME_MAX, 1),
    art_meta_string("updatedAt", updated, ART_META_TIME_MAX, 1),
    art_meta_string("messageId", message_id, ART_META_ID_MAX, 0),
    art_meta_string("agentId", agent_id, ART_META_ID_MAX, 0),
    art_meta_text(object, '{', '}'),
    art_meta_text(modified_by, '[', ']'),
    art_meta_text(extra, '{', '}')
};


art_str_t
art_meta_get(const art_meta_t *meta, size_t field)
{
    art_str_t  value;

    memcpy(&value, (const uint8_t *) meta + art_meta_fields[field].offset,
           sizeof(art_str_t));

    return value;
}


void
art_meta_set(art_meta_t *meta, size_t field, art_str_t value)
{
    memcpy((uint8_t *) meta + art_meta_fields[field].offset, &value,
           sizeof(art_str_t));
}
