
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_members.h"
#include "core/meta/art_meta_int.h"
#include "core/meta/art_meta_workspace.h"


/* Of what is shorter, all is looked at even if part of it is wanted. */

#define ART_META_BRIEF_MIN  32768

/* Fields are taken from a longer entry if their text is not longer. */

#define ART_META_FIELD_MAX  65536

#define ART_META_FIELDS     9


static json_t *art_meta_load_fields(art_str_t entry);


art_meta_status_t
art_meta_parse_key(art_str_t text, art_str_t key, unsigned brief,
    art_meta_t *out)
{
    art_str_t          files;
    art_meta_status_t  status;

    memset(out, 0, sizeof(art_meta_t));

    status = art_meta_files(text, &files);

    return status == ART_META_OK
           ? art_meta_parse_member(files, key, brief, out) : status;
}


art_meta_status_t
art_meta_parse_member(art_str_t text, art_str_t key, unsigned brief,
    art_meta_t *out)
{
    art_str_t  entry;

    memset(out, 0, sizeof(art_meta_t));

    if (art_json_find(text, &key, 1, &entry) != ART_OK) {
        return ART_META_CORRUPT;
    }

    return art_meta_parse_entry(entry, brief, out);
}


/* The writers turn every backslash of a path into a slash. */

unsigned
art_meta_other_key(art_str_t path, uint8_t *buf, art_str_t *key)
{
    size_t    i;
    unsigned  other;

    other = 0;

    for (i = 0; i < path.len; i++) {
        buf[i] = path.data[i];

        if (buf[i] == '\\') {
            buf[i] = '/';
            other = 1;
        }
    }

    *key = art_str(buf, path.len);

    return other;
}


/*
 * The text of "files": a tree of the whole document would take many times its
 * size, for each of thousands of files.
 */

art_meta_status_t
art_meta_files(art_str_t text, art_str_t *files)
{
    art_str_t  key;

    key = art_cstr("files");

    if (art_json_find(text, &key, 1, files) != ART_OK) {
        return ART_META_CORRUPT;
    }

    return files->data != NULL && files->data[0] == '{' ? ART_META_OK
                                                        : ART_META_ABSENT;
}


art_meta_status_t
art_meta_parse_entry(art_str_t entry, unsigned brief, art_meta_t *out)
{
    size_t              max;
    json_t             *json;
    art_meta_status_t   status;

    memset(out, 0, sizeof(art_meta_t));

    if (entry.data == NULL || entry.data[0] != '{') {
        return ART_META_ABSENT;
    }

    max = brief ? ART_META_BRIEF_MIN : ART_META_ENTRY_MAX;

    json = entry.len <= max ? art_meta_load(entry)
                            : art_meta_load_fields(entry);
    if (json == NULL) {
        return ART_META_CORRUPT;
    }

    status = art_meta_take_entry(json, out);

    json_decref(json);

    return status;
}


/*
 * What a content is served with, without a tree of a history that may be ten
 * times as long as its text.
 */

static json_t *
art_meta_load_fields(art_str_t entry)
{
    json_t     *json, *value;
    unsigned    i;
    art_str_t   keys[ART_META_FIELDS], values[ART_META_FIELDS];

    static const char *const  names[ART_META_FIELDS] = {
        "mimeType", "type", "name", "filename", "createdAt", "updatedAt",
        "messageId", "agentId", "meta"
    };

    for (i = 0; i < ART_META_FIELDS; i++) {
        keys[i] = art_cstr(names[i]);
    }

    if (art_json_find(entry, keys, ART_META_FIELDS, values) != ART_OK) {
        return NULL;
    }

    json = json_object();

    for (i = 0; i < ART_META_FIELDS; i++) {

        if (values[i].data == NULL || values[i].len > ART_META_FIELD_MAX) {
            continue;
        }

        value = json_loadb((const char *) values[i].data, values[i].len,
                           JSON_DECODE_ANY|JSON_ALLOW_NUL, NULL);

        if (json_object_set_new(json, names[i], value) != 0) {
            json_decref(json);
            return NULL;
        }
    }

    return json;
}
