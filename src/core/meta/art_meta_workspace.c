
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_scan.h"
#include "core/meta/art_meta_int.h"
#include "core/meta/art_meta_workspace.h"


/* A shorter entry is parsed as a whole even if "brief" is set. */

#define ART_META_BRIEF_MIN  32768

/*
 * The longest text of an entry, without its history, that is parsed into a
 * whole tree: the tree takes ten times as much.
 */

#define ART_META_REST_MAX   131072

/* The longest text of a field that is taken from a longer entry. */

#define ART_META_FIELD_MAX  65536

#define ART_META_FIELDS     9


static art_meta_status_t art_meta_take_history(art_str_t history,
    art_meta_t *out);
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


/* Other writers turn every backslash of a path into a slash. */

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
 * No tree of the whole document is built: it would take many times its size,
 * for each of thousands of files.
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
    json_t             *json;
    art_str_t           history;
    art_meta_status_t   status;

    memset(out, 0, sizeof(art_meta_t));

    if (entry.data == NULL || entry.data[0] != '{') {
        return ART_META_ABSENT;
    }

    if (entry.len <= ART_META_BRIEF_MIN) {
        json = art_meta_load(entry);
        history = art_str(NULL, 0);

    } else if (brief || entry.len > ART_META_ENTRY_MAX) {
        json = art_meta_load_fields(entry);
        history = art_str(NULL, 0);

    } else {
        json = art_meta_load_rest(entry, ART_META_REST_MAX, &history);
    }

    if (json == NULL) {
        return ART_META_CORRUPT;
    }

    status = art_meta_take_entry(json, out);

    json_decref(json);

    if (status == ART_META_OK && history.len > 0) {
        status = art_meta_take_history(history, out);
    }

    return status;
}


/* Copies an entry's history, which may be long, without white space. */

static art_meta_status_t
art_meta_take_history(art_str_t history, art_meta_t *out)
{
    uint8_t    *memory;
    art_out_t   text;

    memory = out->memory;

    if (!art_json_valid(history.data, history.len)
        || art_meta_copy(out, history.len) != ART_OK)
    {
        free(memory);
        memset(out, 0, sizeof(art_meta_t));

        return ART_META_CORRUPT;
    }

    free(memory);

    text = art_out(out->memory + out->memory_len - history.len, history.len);
    art_json_compact(&text, history);

    out->modified_by = art_str(text.data, text.len);

    return ART_META_OK;
}


json_t *
art_meta_load_rest(art_str_t entry, size_t max, art_str_t *history)
{
    size_t      before, size;
    json_t     *json;
    uint8_t    *text;
    art_str_t   key, value;
    art_out_t   out;

    *history = art_str(NULL, 0);
    key = art_cstr("modifiedBy");

    if (art_json_find(entry, &key, 1, &value) != ART_OK) {
        return NULL;
    }

    if (value.data != NULL && value.data[0] == '[') {
        *history = value;
    }

    if (entry.len - value.len > max) {
        return art_meta_load_fields(entry);
    }

    if (value.data == NULL) {
        return art_meta_load(entry);
    }

    before = (size_t) (value.data - entry.data);
    size = entry.len - value.len + sizeof("null") - 1;

    text = malloc(size);
    if (text == NULL) {
        return NULL;
    }

    out = art_out(text, size);
    art_out_mem(&out, entry.data, before);
    art_out_cstr(&out, "null");
    art_out_mem(&out, value.data + value.len, entry.len - before - value.len);

    json = art_meta_load(art_str(text, size));

    free(text);

    return json;
}


/*
 * Loads only the fields needed to serve content: the tree of a history may take
 * ten times as much memory as its text.
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
