
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Records of metadata: copied, packed and printed.
 */


#include "core/base/art_bytes.h"
#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta_int.h"


/*
 * A block: ART_META_MAGIC, the length of the block, the length of every field
 * (ART_META_NONE if absent), then the bytes of the fields.  Numbers have 32
 * bits, in little-endian order.
 */

#define ART_META_MAGIC  0x324d5241    /* "ARM2" */
#define ART_META_NONE   UINT32_MAX
#define ART_META_HEAD   (4 * (2 + ART_META_NFIELDS))


/* How a sidecar has the digest of what a stand-in leads to (docs/ids.md). */

#define ART_META_DIGEST  "\"hmac-sha256:"


/* A field of the record: a string or, with "max" 0, a JSON text. */

typedef struct {
    size_t       offset;         /* in art_meta_t */
    size_t       max;            /* bytes */
    char         open;           /* the first and last byte of a JSON text */
    char         close;
} art_meta_field_t;


static int art_meta_digest(art_str_t extra, uint8_t *id);
static uint64_t art_meta_size(art_str_t extra);
static art_str_t *art_meta_field(const art_meta_t *meta, size_t i);
static int art_meta_field_valid(const art_meta_field_t *field, art_str_t value);
static void art_meta_print_artifact(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static void art_meta_print_workspace(art_json_put_t *put,
    const art_meta_t *meta, const art_meta_known_t *known);
static art_str_t art_meta_basename(art_str_t path);


#define art_meta_string(name, max)                                            \
    { offsetof(art_meta_t, name), max, 0, 0 }
#define art_meta_text(name, open, close)                                      \
    { offsetof(art_meta_t, name), 0, open, close }


static const art_meta_field_t  art_meta_fields[] = {
    art_meta_string(type, ART_META_TYPE_MAX),
    art_meta_string(mime, ART_META_TYPE_MAX),
    art_meta_string(name, ART_META_NAME_MAX),
    art_meta_string(extension, ART_REF_FILE_EXTENSION_MAX),
    art_meta_string(created, ART_META_TIME_MAX),
    art_meta_string(updated, ART_META_TIME_MAX),
    art_meta_string(expires, ART_META_TIME_MAX),
    art_meta_string(message_id, ART_META_ID_MAX),
    art_meta_string(agent_id, ART_META_ID_MAX),
    art_meta_text(object, '{', '}'),
    art_meta_text(modified_by, '[', ']'),
    art_meta_text(extra, '{', '}')
};

#define ART_META_NFIELDS  art_nitems(art_meta_fields)


int
art_meta_is_standin(const art_meta_t *meta)
{
    return art_meta_hides(meta->extra);
}


int
art_meta_is_of_standin(const art_meta_t *meta, art_standin_t kind,
    art_str_t id, uint64_t size)
{
    uint8_t  own[ART_STANDIN_ID];

    return art_meta_is_standin(meta)
           && art_str_eq(meta->type, art_standin_mime(kind))
           && art_meta_size(meta->extra) == size
           && art_meta_digest(meta->extra, own) == ART_OK
           && art_str_eq(id, art_str(own, sizeof(own)));
}


/* The id that the first 128 bits of a digest make; ART_ERROR without one. */

static int
art_meta_digest(art_str_t extra, uint8_t *id)
{
    int        high, low;
    size_t     i;
    uint8_t    bytes[16];
    art_str_t  key, value;

    key = art_cstr("digest");

    if (art_json_find(extra, &key, 1, &value) != ART_OK
        || value.len < sizeof(ART_META_DIGEST) - 1 + 2 * sizeof(bytes)
        || memcmp(value.data, ART_META_DIGEST, sizeof(ART_META_DIGEST) - 1)
           != 0)
    {
        return ART_ERROR;
    }

    value.data += sizeof(ART_META_DIGEST) - 1;

    for (i = 0; i < sizeof(bytes); i++) {
        high = art_char_hex(value.data[2 * i]);
        low = art_char_hex(value.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return ART_ERROR;
        }

        bytes[i] = (uint8_t) (high << 4 | low);
    }

    art_uuid_v8(id, bytes);

    return ART_OK;
}


/* The size that the metadata say, in bytes; UINT64_MAX without one. */

static uint64_t
art_meta_size(art_str_t extra)
{
    size_t     i;
    uint64_t   size;
    art_str_t  key, value;

    key = art_cstr("size");

    if (art_json_find(extra, &key, 1, &value) != ART_OK || value.len == 0) {
        return UINT64_MAX;
    }

    size = 0;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9' || size > UINT32_MAX) {
            return UINT64_MAX;
        }

        size = size * 10 + (uint64_t) (value.data[i] - '0');
    }

    return size;
}


int
art_meta_hides(art_str_t text)
{
    art_str_t  key, value;

    key = art_cstr("standin");

    return text.len > 0
           && art_json_find(text, &key, 1, &value) == ART_OK
           && art_str_eq(value, art_cstr("true"));
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


int
art_meta_copy(art_meta_t *meta, size_t room)
{
    size_t      i, size;
    uint8_t    *p;
    art_str_t  *value;

    /* one byte more, since a record may be empty */

    size = room + 1;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        size += art_meta_field(meta, i)->len;
    }

    p = malloc(size);
    if (p == NULL) {
        memset(meta, 0, sizeof(art_meta_t));
        return ART_ERROR;
    }

    meta->memory = p;
    meta->memory_len = size;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_field(meta, i);

        if (value->data != NULL) {
            memcpy(p, value->data, value->len);
            value->data = p;
            p += value->len;
        }
    }

    return ART_OK;
}


static art_str_t *
art_meta_field(const art_meta_t *meta, size_t i)
{
    return (art_str_t *) (void *) ((uint8_t *) meta
                                   + art_meta_fields[i].offset);
}


size_t
art_meta_packed_size(const art_meta_t *meta)
{
    size_t  i, size;

    size = ART_META_HEAD;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        size += art_meta_field(meta, i)->len;
    }

    /* lengths must fit in 32 bits; sidecars are far smaller */

    return size < ART_META_NONE ? size : 0;
}


size_t
art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room)
{
    size_t            i, size;
    uint8_t          *p;
    const art_str_t  *value;

    size = art_meta_packed_size(meta);

    if (size == 0 || size > room) {
        return 0;
    }

    p = art_bytes_put(dst, ART_META_MAGIC, 4);
    p = art_bytes_put(p, size, 4);

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_field(meta, i);
        p = art_bytes_put(p, value->data ? value->len : ART_META_NONE, 4);
    }

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_field(meta, i);

        if (value->len > 0) {
            memcpy(p, value->data, value->len);
            p += value->len;
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

        *art_meta_field(out, i) = value;
    }

    if (pos != len) {
        goto failed;
    }

    if (out->expires.len > 0) {
        (void) art_time_read(out->expires, &out->until);
    }

    art_meta_mark(out);

    return ART_OK;

failed:

    memset(out, 0, sizeof(art_meta_t));

    return ART_ERROR;
}


void
art_meta_mark(art_meta_t *meta)
{
    art_str_t  key, value;

    key = art_cstr("text");

    meta->text = meta->extra.len > 0
                 && art_json_find(meta->extra, &key, 1, &value) == ART_OK
                 && art_str_eq(value, art_cstr("true"));
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
    art_json_put_string(put, "expiresAt", meta->expires);
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

    if (created->expires != 0) {
        art_time_print(time, created->expires);
        art_json_put_string(&put, "expiresAt", art_str(time, sizeof(time)));
    }

    art_json_put_string(&put, "messageId", created->message_id);
    art_json_put_string(&put, "agentId", created->agent_id);
    art_json_put_string(&put, "digest", created->digest);
    art_json_put_raw(&put, "file", created->file);

    if (created->standin) {
        art_json_put_raw(&put, "standin", art_cstr("true"));
    }

    if (created->text) {
        art_json_put_raw(&put, "text", art_cstr("true"));
    }

    art_json_put_end(&put);

    art_out_char(out, '\n');
}
