
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecars and entries of workspaces, parsed into records.
 */


#include <stdio.h>

#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_scan.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta_int.h"


/* A shorter entry is parsed as a whole even if "brief" is set. */

#define ART_META_BRIEF_MIN   32768

/*
 * The longest text of an entry, without its history, that is parsed into a
 * whole tree: the tree takes ten times as much.
 */

#define ART_META_REST_MAX    131072

/* The longest text of a field that is taken from a longer entry. */

#define ART_META_FIELD_MAX   65536

#define ART_META_FIELDS      9
#define ART_META_NTEXTS      3


/* Digits of a double: enough for usual numbers, and for any (IEEE 754). */

#define ART_META_DIGITS_MIN  15
#define ART_META_DIGITS_MAX  17


static json_t *art_meta_load(art_str_t text);
static art_meta_status_t art_meta_take_history(art_str_t history,
    art_meta_t *out);
static json_t *art_meta_load_fields(art_str_t entry);
static art_meta_status_t art_meta_take(json_t *json, const char *const *known,
    unsigned artifact, art_meta_t *out);
static art_str_t art_meta_name(const json_t *json);
static int art_meta_extension(const json_t *json, art_str_t *extension);
static json_t *art_meta_extra(json_t *json, const char *const *known);
static void art_meta_take_expires(const json_t *json, art_meta_t *out);
static art_str_t art_meta_time(const json_t *json, const char *key);
static art_str_t art_meta_string(const json_t *json, const char *key,
    size_t max);
static int art_meta_copy_nodes(art_meta_t *out,
    json_t *const nodes[ART_META_NTEXTS]);
static unsigned art_meta_digits(json_t *node);
static unsigned art_meta_real_digits(double value);


/*
 * Keys that are not copied into "extra".  The "id" and the "size" of a
 * workspace file are computed: an entry's own would be in an answer twice.
 */

static const char *const  art_meta_artifact_keys[] = {
    "id", "extension", "type", "mimeType", "name", "filename", "size",
    "createdAt", "updatedAt", "expiresAt", "messageId", "agentId", "meta", NULL
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


/* Parses an object; NULL for anything else and when out of memory. */

static json_t *
art_meta_load(art_str_t text)
{
    json_t        *json;
    json_error_t   error;

    json = json_loadb((const char *) text.data, text.len, JSON_ALLOW_NUL,
                      &error);

    /*
     * Integers beyond 64 bits are valid JSON (RFC 8259, section 6).  They are
     * read as doubles, as in JavaScript, the writers' language.
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


art_str_t
art_meta_created(art_str_t head)
{
    art_str_t            key, value, created;
    art_json_members_t   members;

    created = art_str(NULL, 0);

    if (art_json_members(&members, head) != ART_OK) {
        return created;
    }

    while (art_json_next(&members, &key, &value) == 1) {

        if (!art_str_eq(key, art_cstr("createdAt"))) {
            continue;
        }

        created = art_str(NULL, 0);

        if (value.len <= 2 || value.len > ART_META_TIME_MAX + 2
            || value.data[0] != '"')
        {
            continue;
        }

        value = art_str(value.data + 1, value.len - 2);

        if (memchr(value.data, '\\', value.len) == NULL
            && art_utf8_valid(value.data, value.len)
            && !art_utf8_control(value))
        {
            created = value;
        }
    }

    return created;
}


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

    status = art_meta_take(json, art_meta_workspace_keys, 0, out);

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

    /* what a stand-in leads to has to have the size that was stored */

    if (json_is_true(json_object_get(extra, "standin"))
        && json_object_set(extra, "size", json_object_get(json, "size")) != 0
        && json_object_get(json, "size") != NULL)
    {
        json_decref(extra);
        memset(out, 0, sizeof(art_meta_t));
        return ART_META_CORRUPT;
    }

    object = artifact ? json_object_get(json, "meta") : NULL;
    history = artifact ? NULL : json_object_get(json, "modifiedBy");

    nodes[0] = json_is_object(object) ? object : NULL;
    nodes[1] = json_is_array(history) ? history : NULL;
    nodes[2] = json_object_size(extra) > 0 ? extra : NULL;

    out->type = art_meta_string(json, "type", ART_META_TYPE_MAX);
    out->mime = art_meta_string(json, "mimeType", ART_META_TYPE_MAX);
    out->name = art_meta_name(json);
    out->created = art_meta_time(json, "createdAt");
    out->updated = art_meta_time(json, "updatedAt");
    out->message_id = art_meta_string(json, "messageId", ART_META_ID_MAX);
    out->agent_id = art_meta_string(json, "agentId", ART_META_ID_MAX);

    if (artifact) {
        art_meta_take_expires(json, out);
    }

    rc = art_meta_copy_nodes(out, nodes);

    json_decref(extra);

    return rc == ART_OK ? ART_META_OK : ART_META_CORRUPT;
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
                               i % 2 == 0 ? "name" : "filename", SIZE_MAX);

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


/* Files of workspaces do not expire: "expiresAt" is any other key there. */

static void
art_meta_take_expires(const json_t *json, art_meta_t *out)
{
    const json_t  *node;

    node = json_object_get(json, "expiresAt");
    out->expires = art_meta_time(json, "expiresAt");

    if (out->expires.data == NULL) {
        out->forever = (node != NULL && !json_is_null(node));

    } else if (art_time_read(out->expires, &out->until) != ART_OK) {
        out->forever = 1;
    }
}


/* A time may not have control characters. */

static art_str_t
art_meta_time(const json_t *json, const char *key)
{
    art_str_t  time;

    time = art_meta_string(json, key, ART_META_TIME_MAX);

    return art_utf8_control(time) ? art_str(NULL, 0) : time;
}


/* Empty unless the member is a string of at most "max" bytes without a NUL. */

static art_str_t
art_meta_string(const json_t *json, const char *key, size_t max)
{
    size_t         len;
    const char    *text;
    const json_t  *node;

    node = json_object_get(json, key);
    text = json_string_value(node);
    len = json_string_length(node);

    if (len == 0 || len > max || memchr(text, '\0', len) != NULL) {
        return art_str(NULL, 0);
    }

    return art_str(text, len);
}


/*
 * Copies the strings of *out, which still point into a parsed document, and the
 * texts of "nodes" (object, modified_by, extra; NULL if absent; borrowed) into
 * one allocation.  ART_ERROR when out of memory: *out is empty then.
 */

static int
art_meta_copy_nodes(art_meta_t *out, json_t *const nodes[ART_META_NTEXTS])
{
    size_t      i, room, lens[ART_META_NTEXTS];
    uint8_t    *p;
    art_str_t  *texts[ART_META_NTEXTS] = { &out->object, &out->modified_by,
                                           &out->extra };

    room = 0;

    for (i = 0; i < ART_META_NTEXTS; i++) {
        lens[i] = nodes[i] ? art_meta_dump(nodes[i], NULL, 0, JSON_COMPACT)
                           : 0;

        if (nodes[i] != NULL && lens[i] == 0) {
            memset(out, 0, sizeof(art_meta_t));
            return ART_ERROR;
        }

        room += lens[i];
    }

    if (art_meta_copy(out, room) != ART_OK) {
        return ART_ERROR;
    }

    p = out->memory + out->memory_len - room;

    for (i = 0; i < ART_META_NTEXTS; i++) {
        if (nodes[i] == NULL) {
            continue;
        }

        if (art_meta_dump(nodes[i], p, lens[i], JSON_COMPACT) != lens[i]) {
            art_meta_free(out);
            return ART_ERROR;
        }

        *texts[i] = art_str(p, lens[i]);
        p += lens[i];
    }

    return ART_OK;
}


size_t
art_meta_dump(json_t *node, uint8_t *dst, size_t room, size_t flags)
{
    return json_dumpb(node, (char *) dst, room,
                      flags|JSON_REAL_PRECISION(art_meta_digits(node)));
}


/*
 * The number of decimal digits with which every real number in "node" reads
 * back as the same double.  jansson always uses 17, which turns 0.1 into
 * 0.10000000000000001.
 */

static unsigned
art_meta_digits(json_t *node)
{
    size_t       i;
    json_t      *value;
    unsigned     digits, most;
    const char  *key;

    if (json_is_real(node)) {
        return art_meta_real_digits(json_real_value(node));
    }

    most = ART_META_DIGITS_MIN;

    json_array_foreach(node, i, value) {
        digits = art_meta_digits(value);
        most = digits > most ? digits : most;
    }

    json_object_foreach(node, key, value) {
        digits = art_meta_digits(value);
        most = digits > most ? digits : most;
    }

    return most;
}


static unsigned
art_meta_real_digits(double value)
{
    char      text[64];
    unsigned  digits;

    for (digits = ART_META_DIGITS_MIN; digits < ART_META_DIGITS_MAX; digits++)
    {
        snprintf(text, sizeof(text), "%.*g", (int) digits, value);

        if (strtod(text, NULL) == value) {
            break;
        }
    }

    return digits;
}
