
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/text/art_utf8.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta.h"
#include "core/meta/art_meta_int.h"


static art_meta_status_t art_meta_take(json_t *json, const char *const *known,
    unsigned artifact, art_meta_t *out);
static void art_meta_strings(const json_t *json, art_meta_t *out);
static art_str_t art_meta_name(const json_t *json);
static int art_meta_extension(const json_t *json, art_str_t *extension);
static json_t *art_meta_extra(json_t *json, const char *const *known);
static art_str_t art_meta_string(const json_t *json, const char *key);


/*
 * The keys that do not go into "extra".  The "id" and the "size" of a workspace
 * file are computed: an entry's own would be in an answer twice.
 */

static const char *const  art_meta_artifact_keys[] = {
    "id", "extension", "type", "mimeType", "name", "filename", "size",
    "createdAt", "updatedAt", "messageId", "agentId", "meta", NULL
};

static const char *const  art_meta_workspace_keys[] = {
    "id", "size", "mimeType", "type", "name", "filename", "createdAt",
    "updatedAt", "modifiedBy", "agentId", "messageId", "meta", NULL
};


art_meta_status_t
art_meta_parse(art_str_t text, art_meta_t *out)
{
    json_t             *json;
    art_meta_status_t   status;

    memset(out, 0, sizeof(art_meta_t));

    json = art_meta_load(text);
    if (json == NULL) {
        return ART_META_CORRUPT;
    }

    status = art_meta_take(json, art_meta_artifact_keys, 1, out);

    json_decref(json);

    return status;
}


art_meta_status_t
art_meta_take_entry(json_t *json, art_meta_t *out)
{
    return art_meta_take(json, art_meta_workspace_keys, 0, out);
}


void
art_meta_free(art_meta_t *meta)
{
    free(meta->memory);
    memset(meta, 0, sizeof(art_meta_t));
}


int
art_meta_type_valid(art_str_t type)
{
    return type.len > 0
           && type.len <= ART_META_TYPE_MAX
           && art_utf8_valid(type.data, type.len)
           && !art_utf8_control(type);
}


static art_meta_status_t
art_meta_take(json_t *json, const char *const *known, unsigned artifact,
    art_meta_t *out)
{
    int      rc;
    json_t  *object, *history, *extra, *nodes[ART_META_NTEXTS];

    if (artifact && art_meta_extension(json, &out->extension) != ART_OK) {
        return ART_META_CORRUPT;
    }

    extra = art_meta_extra(json, known);
    if (extra == NULL) {
        memset(out, 0, sizeof(art_meta_t));
        return ART_META_CORRUPT;
    }

    object = artifact ? json_object_get(json, "meta") : NULL;
    history = artifact ? NULL : json_object_get(json, "modifiedBy");

    nodes[0] = json_is_object(object) ? object : NULL;
    nodes[1] = json_is_array(history) ? history : NULL;
    nodes[2] = json_object_size(extra) > 0 ? extra : NULL;

    art_meta_strings(json, out);
    out->name = art_meta_name(json);

    rc = art_meta_keep(out, nodes);

    json_decref(extra);

    if (rc != ART_OK) {
        memset(out, 0, sizeof(art_meta_t));
        return ART_META_CORRUPT;
    }

    return ART_META_OK;
}


json_t *
art_meta_load(art_str_t text)
{
    json_t        *json;
    json_error_t   error;

    json = json_loadb((const char *) text.data, text.len, JSON_ALLOW_NUL,
                      &error);

    /*
     * Integers beyond 64 bits are valid JSON (RFC 8259, section 6).  They are
     * read as doubles, as JavaScript, the writers' language, does.
     */

    if (json == NULL
        && json_error_code(&error) == json_error_numeric_overflow)
    {
        json = json_loadb((const char *) text.data, text.len,
                          JSON_ALLOW_NUL|JSON_DECODE_INT_AS_REAL, &error);
    }

    if (json != NULL && !json_is_object(json)) {
        json_decref(json);
        return NULL;
    }

    return json;
}


static void
art_meta_strings(const json_t *json, art_meta_t *out)
{
    size_t                   i;
    art_str_t                value;
    const art_meta_field_t  *field;

    for (i = 0; i < ART_META_NSTRINGS; i++) {
        field = &art_meta_fields[i];

        if (field->key == NULL) {
            continue;
        }

        value = art_meta_string(json, field->key);

        if (value.len > 0 && value.len <= field->max
            && !(field->plain && art_utf8_control(value)))
        {
            art_meta_set(out, i, value);
        }
    }
}


static art_str_t
art_meta_name(const json_t *json)
{
    size_t         i;
    art_str_t      name;
    const json_t  *meta;

    meta = json_object_get(json, "meta");

    for (i = 0; i < 4; i++) {
        name = art_meta_string(i < 2 ? json : meta,
                               i % 2 == 0 ? "name" : "filename");
        if (name.len > 0) {
            name.len = art_utf8_cut(name.data, name.len, ART_META_NAME_MAX);
            return name;
        }
    }

    return art_str(NULL, 0);
}


static int
art_meta_extension(const json_t *json, art_str_t *extension)
{
    art_str_t      value;
    const json_t  *node;

    node = json_object_get(json, "extension");

    if (!json_is_string(node)) {
        return ART_OK;
    }

    value = art_str(json_string_value(node), json_string_length(node));

    if (value.len > 0
        && (value.len > ART_REF_FILE_EXTENSION_MAX
            || !art_id_component(value)
            || art_ref_name_reserved(value)))
    {
        return ART_ERROR;
    }

    *extension = value;

    return ART_OK;
}


static json_t *
art_meta_extra(json_t *json, const char *const *known)
{
    size_t              i;
    json_t             *extra, *value;
    const char         *key;

    extra = json_object();

    json_object_foreach(json, key, value) {

        for (i = 0; known[i] != NULL; i++) {
            if (strcmp(key, known[i]) == 0) {
                break;
            }
        }

        if (known[i] == NULL
            && json_object_set_nocheck(extra, key, value) != 0)
        {
            json_decref(extra);
            return NULL;
        }
    }

    return extra;
}


/* Empty if the member is absent, has another type, or has a NUL in it. */

static art_str_t
art_meta_string(const json_t *json, const char *key)
{
    size_t         len;
    const char    *text;
    const json_t  *node;

    node = json_object_get(json, key);
    text = json_string_value(node);
    len = json_string_length(node);

    if (len == 0 || memchr(text, '\0', len) != NULL) {
        return art_str(NULL, 0);
    }

    return art_str(text, len);
}
