
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Records of metadata: parsed, copied, packed and printed.
 */


#include <stdio.h>
#include <stdlib.h>

#include "core/base/art_bytes.h"
#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta_int.h"


#define ART_META_NSTRINGS    8
#define ART_META_NTEXTS      3
#define ART_META_NFIELDS     (ART_META_NSTRINGS + ART_META_NTEXTS)


/* Digits of a double: enough for usual numbers, and for any (IEEE 754). */

#define ART_META_DIGITS_MIN  15
#define ART_META_DIGITS_MAX  17


/*
 * A block: ART_META_MAGIC, the length of the block, the length of every field
 * (ART_META_NONE if absent), then the bytes of the fields.  Numbers have 32
 * bits, in little-endian order.
 */

#define ART_META_MAGIC  0x314d5241    /* "ARM1" */
#define ART_META_NONE   UINT32_MAX
#define ART_META_HEAD   (4 * (2 + ART_META_NFIELDS))


/*
 * A field of the record: a string or a JSON text.  "key" is NULL unless the
 * field is the value of one key of the sidecar.
 */

typedef struct {
    const char  *key;
    size_t       offset;         /* in art_meta_t */
    size_t       max;            /* bytes; 0: a JSON text */
    unsigned     plain;          /* no control characters allowed */
    char         open;           /* the first and last byte of a JSON text */
    char         close;
} art_meta_field_t;


static art_meta_status_t art_meta_take(json_t *json, const char *const *known,
    unsigned artifact, art_meta_t *out);
static void art_meta_strings(const json_t *json, art_meta_t *out);
static art_str_t art_meta_name(const json_t *json);
static int art_meta_extension(const json_t *json, art_str_t *extension);
static json_t *art_meta_extra(json_t *json, const char *const *known);
static art_str_t art_meta_string(const json_t *json, const char *key);
static art_str_t art_meta_get(const art_meta_t *meta, size_t field);
static void art_meta_set(art_meta_t *meta, size_t field, art_str_t value);
static int art_meta_copy_nodes(art_meta_t *out,
    json_t *const nodes[ART_META_NTEXTS]);
static uint8_t *art_meta_move(art_meta_t *meta, size_t n, size_t room);
static unsigned art_meta_digits(json_t *node);
static unsigned art_meta_real_digits(double value);
static int art_meta_field_valid(const art_meta_field_t *field, art_str_t value);
static void art_meta_print_artifact(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static void art_meta_print_workspace(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static art_str_t art_meta_basename(art_str_t path);


/*
 * Keys that are not copied into "extra".  The "id" and the "size" of a
 * workspace file are computed: an entry's own would be in an answer twice.
 */

static const char *const  art_meta_artifact_keys[] = {
    "id", "extension", "type", "mimeType", "name", "filename", "size",
    "createdAt", "updatedAt", "messageId", "agentId", "meta", NULL
};

static const char *const  art_meta_workspace_keys[] = {
    "id", "size", "mimeType", "type", "name", "filename", "createdAt",
    "updatedAt", "modifiedBy", "agentId", "messageId", "meta", NULL
};


/* All fields: the strings, then the texts. */

#define art_meta_field(key, name, max, plain)                                 \
    { key, offsetof(art_meta_t, name), max, plain, 0, 0 }
#define art_meta_text(name, open, close)                                      \
    { NULL, offsetof(art_meta_t, name), 0, 0, open, close }


static const art_meta_field_t  art_meta_fields[ART_META_NFIELDS] = {
    art_meta_field("type", type, ART_META_TYPE_MAX, 0),
    art_meta_field("mimeType", mime, ART_META_TYPE_MAX, 0),
    art_meta_field(NULL, name, ART_META_NAME_MAX, 0),
    art_meta_field(NULL, extension, ART_REF_FILE_EXTENSION_MAX, 0),
    art_meta_field("createdAt", created, ART_META_TIME_MAX, 1),
    art_meta_field("updatedAt", updated, ART_META_TIME_MAX, 1),
    art_meta_field("messageId", message_id, ART_META_ID_MAX, 0),
    art_meta_field("agentId", agent_id, ART_META_ID_MAX, 0),
    art_meta_text(object, '{', '}'),
    art_meta_text(modified_by, '[', ']'),
    art_meta_text(extra, '{', '}')
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

    rc = art_meta_copy_nodes(out, nodes);

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


static art_str_t
art_meta_get(const art_meta_t *meta, size_t field)
{
    art_str_t  value;

    memcpy(&value, (const uint8_t *) meta + art_meta_fields[field].offset,
           sizeof(art_str_t));

    return value;
}


static void
art_meta_set(art_meta_t *meta, size_t field, art_str_t value)
{
    memcpy((uint8_t *) meta + art_meta_fields[field].offset, &value,
           sizeof(art_str_t));
}


/*
 * Copies the strings of *out, which still point into a parsed document, and the
 * texts of "nodes" (in the order of the fields; NULL if absent; borrowed) into
 * one allocation.  ART_ERROR when out of memory: *out then owns nothing.
 */

static int
art_meta_copy_nodes(art_meta_t *out, json_t *const nodes[ART_META_NTEXTS])
{
    size_t    i, room, lens[ART_META_NTEXTS];
    uint8_t  *p;

    room = 0;

    for (i = 0; i < ART_META_NTEXTS; i++) {
        lens[i] = nodes[i] ? art_meta_dump(nodes[i], NULL, 0, JSON_COMPACT)
                           : 0;

        if (nodes[i] != NULL && lens[i] == 0) {
            return ART_ERROR;
        }

        room += lens[i];
    }

    p = art_meta_move(out, ART_META_NSTRINGS, room);
    if (p == NULL) {
        return ART_ERROR;
    }

    for (i = 0; i < ART_META_NTEXTS; i++) {
        if (nodes[i] == NULL) {
            continue;
        }

        if (art_meta_dump(nodes[i], p, lens[i], JSON_COMPACT) != lens[i]) {
            free(out->memory);
            return ART_ERROR;
        }

        art_meta_set(out, ART_META_NSTRINGS + i, art_str(p, lens[i]));
        p += lens[i];
    }

    return ART_OK;
}


int
art_meta_copy(art_meta_t *meta, size_t room)
{
    if (art_meta_move(meta, ART_META_NFIELDS, room) == NULL) {
        memset(meta, 0, sizeof(art_meta_t));
        return ART_ERROR;
    }

    return ART_OK;
}


/*
 * Copies the first "n" fields of a record into an allocation of its own, with
 * "room" more bytes at the end, and returns these; NULL when out of memory.
 */

static uint8_t *
art_meta_move(art_meta_t *meta, size_t n, size_t room)
{
    size_t      i, size;
    uint8_t    *p;
    art_str_t   value;

    /* one byte more, since a record may be empty */

    size = room + 1;

    for (i = 0; i < n; i++) {
        size += art_meta_get(meta, i).len;
    }

    p = malloc(size);
    if (p == NULL) {
        return NULL;
    }

    meta->memory = p;
    meta->memory_len = size;

    for (i = 0; i < n; i++) {
        value = art_meta_get(meta, i);

        if (value.data != NULL) {
            memcpy(p, value.data, value.len);
            art_meta_set(meta, i, art_str(p, value.len));
            p += value.len;
        }
    }

    return meta->memory + size - room;
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


size_t
art_meta_packed_size(const art_meta_t *meta)
{
    size_t  i, size;

    size = ART_META_HEAD;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        size += art_meta_get(meta, i).len;
    }

    /* lengths must fit in 32 bits; sidecars are far smaller */

    return size < ART_META_NONE ? size : 0;
}


size_t
art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room)
{
    size_t      i, size;
    uint8_t    *p;
    art_str_t   value;

    size = art_meta_packed_size(meta);

    if (size == 0 || size > room) {
        return 0;
    }

    p = art_bytes_put(dst, ART_META_MAGIC, 4);
    p = art_bytes_put(p, size, 4);

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_get(meta, i);
        p = art_bytes_put(p, value.data ? value.len : ART_META_NONE, 4);
    }

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_get(meta, i);

        if (value.len > 0) {
            memcpy(p, value.data, value.len);
            p += value.len;
        }
    }

    return size;
}


int
art_meta_unpack(const uint8_t *data, size_t len, art_meta_t *out)
{
    size_t     i, n, pos;
    art_str_t  value;

    memset(out, 0, sizeof(art_meta_t));

    if (len < ART_META_HEAD
        || art_bytes_get(data, 4) != ART_META_MAGIC
        || art_bytes_get(data + 4, 4) != len)
    {
        return ART_ERROR;
    }

    pos = ART_META_HEAD;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        n = (size_t) art_bytes_get(data + 4 * (2 + i), 4);

        if (n == ART_META_NONE) {
            continue;
        }

        if (n > len - pos) {
            goto failed;
        }

        value = art_str(data + pos, n);
        pos += n;

        if (!art_meta_field_valid(&art_meta_fields[i], value)) {
            goto failed;
        }

        art_meta_set(out, i, value);
    }

    if (pos != len) {
        goto failed;
    }

    return ART_OK;

failed:

    memset(out, 0, sizeof(art_meta_t));

    return ART_ERROR;
}


/* A block may only have values that the parser could have made. */

static int
art_meta_field_valid(const art_meta_field_t *field, art_str_t value)
{
    if (field->max > 0) {
        return value.len <= field->max;
    }

    return value.len >= 2
           && value.data[0] == (uint8_t) field->open
           && value.data[value.len - 1] == (uint8_t) field->close;
}


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
