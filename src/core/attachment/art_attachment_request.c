
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"
#include "core/media/art_media.h"
#include "core/ref/art_id.h"
#include "core/expand/art_expand_value.h"
#include "core/attachment/art_attachment.h"


/* Digits of a size: any number of that length fits into 64 bits. */

#define ART_ATTACHMENT_DIGITS  19


typedef struct {
    art_str_t  text;
    art_str_t  attachments;
    art_str_t  service;
} art_attachments_members_t;


static art_attachments_status_t art_attachments_members(art_str_t object,
    art_attachments_members_t *members);
static art_attachments_status_t art_attachments_list(art_attachments_t *out,
    art_str_t array, const art_attachments_conf_t *conf);
static art_attachments_status_t art_attachments_item(art_attachment_t *item,
    art_str_t value, const art_attachments_conf_t *conf);
static int art_attachments_claims(art_attachment_t *item, art_str_t object,
    const art_attachments_conf_t *conf, art_str_t *ref);
static int art_attachments_ref(art_attachment_t *item, art_str_t value,
    const art_attachments_conf_t *conf);
static int art_attachments_name(art_str_t *out, art_str_t value,
    const art_attachments_conf_t *conf);
static art_str_t art_attachments_cut(art_str_t text);
static int art_attachments_keep(art_str_t *out, art_str_t s,
    const art_attachments_conf_t *conf);
static art_str_t art_attachments_string(art_str_t value, uint8_t *buf,
    size_t room);
static void art_attachments_kind(art_attachment_t *item, art_str_t type);
static void art_attachments_size(art_attachment_t *item, art_str_t value);
static art_str_t art_attachments_given(art_str_t value);
static unsigned art_attachments_is_blank(art_str_t value);


art_attachments_status_t
art_attachments_read(art_attachments_t *out, art_str_t body,
    const art_attachments_conf_t *conf)
{
    size_t                      skip;
    uint8_t                     buf[ART_ATTACHMENT_REF_MAX];
    const uint8_t              *end;
    art_attachments_status_t    status;
    art_attachments_members_t   members;

    static const uint8_t  mark[] = { 0xef, 0xbb, 0xbf };

    memset(out, 0, sizeof(*out));

    skip = body.len >= 3 && memcmp(body.data, mark, 3) == 0 ? 3 : 0;

    if (!art_json_valid(body.data + skip, body.len - skip)) {
        return ART_ATTACHMENTS_BAD;
    }

    end = body.data + body.len;

    status = art_attachments_members(
                            art_str(body.data + skip, body.len - skip),
                            &members);

    if (status != ART_ATTACHMENTS_OK) {
        return status;
    }

    if (members.text.len > 0) {
        out->text.pos = body.len - (uint64_t) (end - members.text.data);
        out->text.end = out->text.pos + members.text.len;
    }

    out->blank = art_attachments_is_blank(members.text) & 1;

    if (art_attachments_keep(&out->service,
                             art_attachments_string(members.service, buf,
                                                    sizeof(buf)), conf)
        != ART_OK)
    {
        return ART_ATTACHMENTS_MEMORY;
    }

    return art_attachments_list(out, members.attachments, conf);
}


/* Finds the members; absent ones are empty. */

static art_attachments_status_t
art_attachments_members(art_str_t object, art_attachments_members_t *members)
{
    unsigned   i;
    art_str_t  payload, top[4], inner[2];

    static const art_str_t  keys[] = {
        art_string("text"), art_string("attachments"), art_string("service"),
        art_string("payload")
    };

    if (art_json_find(object, keys, art_nitems(keys), top) != ART_OK) {
        return ART_ATTACHMENTS_BAD;
    }

    for (i = 0; i < art_nitems(top); i++) {
        top[i] = art_attachments_given(top[i]);
    }

    inner[0] = art_str(NULL, 0);
    inner[1] = art_str(NULL, 0);

    payload = top[3];

    if (payload.len > 0 && payload.data[0] == '"') {
        inner[0] = payload;

    } else if (payload.len > 0
               && art_json_find(payload, keys, art_nitems(inner), inner)
                  != ART_OK)
    {
        return ART_ATTACHMENTS_BAD;
    }

    for (i = 0; i < art_nitems(inner); i++) {
        inner[i] = art_attachments_given(inner[i]);
    }

    members->text = inner[0].len > 0 ? inner[0] : top[0];
    members->attachments = inner[1].len > 0 ? inner[1] : top[1];
    members->service = top[2];

    return members->text.len == 0 || members->text.data[0] == '"'
           ? ART_ATTACHMENTS_OK : ART_ATTACHMENTS_BAD;
}


/* Null is absent. */

static art_str_t
art_attachments_given(art_str_t value)
{
    return value.len > 0 && value.data[0] == 'n' ? art_str(NULL, 0) : value;
}


static art_attachments_status_t
art_attachments_list(art_attachments_t *out, art_str_t array,
    const art_attachments_conf_t *conf)
{
    uint32_t                   n;
    art_str_t                  value;
    art_json_members_t         elements;
    art_attachments_status_t   status;

    if (array.len == 0) {
        return ART_ATTACHMENTS_OK;
    }

    if (art_json_elements(&elements, array) != ART_OK) {
        return ART_ATTACHMENTS_BAD;
    }

    for (n = 0; art_json_element(&elements, &value) == 1; n++) {
        if (n == conf->max) {
            return ART_ATTACHMENTS_MANY;
        }
    }

    if (n == 0) {
        return ART_ATTACHMENTS_OK;
    }

    out->items = conf->pool.alloc(conf->pool.data, n * sizeof(*out->items));

    if (out->items == NULL) {
        return ART_ATTACHMENTS_MEMORY;
    }

    (void) art_json_elements(&elements, array);

    while (out->n < n) {
        (void) art_json_element(&elements, &value);

        status = art_attachments_item(&out->items[out->n++], value, conf);

        if (status != ART_ATTACHMENTS_OK) {
            return status;
        }
    }

    return ART_ATTACHMENTS_OK;
}


static art_attachments_status_t
art_attachments_item(art_attachment_t *item, art_str_t value,
    const art_attachments_conf_t *conf)
{
    memset(item, 0, sizeof(*item));

    item->kind = ART_KIND_MAX;

    if (value.data[0] == '{') {
        if (art_attachments_claims(item, value, conf, &value) != ART_OK) {
            return ART_ATTACHMENTS_MEMORY;
        }

    } else if (value.data[0] != '"') {
        return ART_ATTACHMENTS_BAD;
    }

    if (art_attachments_ref(item, value, conf) != ART_OK) {
        return ART_ATTACHMENTS_MEMORY;
    }

    if (item->malformed) {
        item->outcome = ART_ATTACHED_GONE;
    }

    return ART_ATTACHMENTS_OK;
}


/* Reads what an object claims; *ref is set to the value of its reference. */

static int
art_attachments_claims(art_attachment_t *item, art_str_t object,
    const art_attachments_conf_t *conf, art_str_t *ref)
{
    uint8_t           buf[ART_ATTACHMENT_NAME_MAX];
    art_str_t         mime, values[5];
    art_media_type_t  type;

    static const art_str_t  keys[] = {
        art_string("artifactRef"), art_string("type"), art_string("filename"),
        art_string("size"), art_string("mimeType")
    };

    (void) art_json_find(object, keys, art_nitems(keys), values);

    *ref = values[0];

    mime = art_attachments_string(values[4], buf, sizeof(buf));
    art_media_parse(mime, &type);

    if (type.len > 0
        && art_attachments_keep(&item->mime, art_str(type.buf, type.len),
                                conf)
           != ART_OK)
    {
        return ART_ERROR;
    }

    art_attachments_kind(item,
                         art_attachments_string(values[1], buf, sizeof(buf)));
    art_attachments_size(item, values[3]);

    return art_attachments_name(&item->name, values[2], conf);
}


/* "artifact:" and an id, the URL of one, or an id. */

static int
art_attachments_ref(art_attachment_t *item, art_str_t value,
    const art_attachments_conf_t *conf)
{
    art_ref_t                  ref;
    art_str_t                  text;
    uint8_t                    buf[ART_ATTACHMENT_REF_MAX];
    uint8_t                    kept[ART_LEX_KEEP];
    uint8_t                    room[ART_ID_ROOM(ART_ATTACHMENT_REF_MAX)];
    art_lex_value_t            given;
    art_message_held_value_t   held;

    text = art_attachments_string(value, buf, sizeof(buf));

    memset(&given, 0, sizeof(given));

    given.text = text;
    given.len = text.len;

    art_message_value(&held, &given, ART_FIELD_NONE, ART_VALUE_REFS, &conf->url,
                      kept);

    if (held.held == ART_HELD_REF && !held.malformed) {
        return art_attachments_keep(&item->id, held.text, conf);
    }

    if (held.held == ART_HELD_NONE
        && art_id_parse(text, room, &ref) == ART_ID_OK)
    {
        return art_attachments_keep(&item->id, ref.id, conf);
    }

    item->malformed = 1;

    return art_attachments_keep(&item->id, art_attachments_cut(text), conf);
}


/* One line of at most ART_ATTACHMENT_NAME_MAX bytes of the string. */

static int
art_attachments_name(art_str_t *out, art_str_t value,
    const art_attachments_conf_t *conf)
{
    art_str_t  name;
    art_out_t  line;
    uint8_t    buf[ART_ATTACHMENT_REF_MAX];
    uint8_t    room[3 * ART_ATTACHMENT_NAME_MAX];

    name = art_attachments_string(value, buf, sizeof(buf));

    line = art_out(room, sizeof(room));
    art_utf8_name(&line, art_attachments_cut(name));

    return art_attachments_keep(out, art_str(room, line.len), conf);
}


static art_str_t
art_attachments_cut(art_str_t text)
{
    if (text.len > ART_ATTACHMENT_NAME_MAX) {
        text.len = art_utf8_cut(text.data, text.len, ART_ATTACHMENT_NAME_MAX);
    }

    return text;
}


/* Copies a string; an empty one is unknown. */

static int
art_attachments_keep(art_str_t *out, art_str_t s,
    const art_attachments_conf_t *conf)
{
    uint8_t  *p;

    *out = art_str(NULL, 0);

    if (s.len == 0) {
        return ART_OK;
    }

    p = conf->pool.alloc(conf->pool.data, s.len);

    if (p == NULL) {
        return ART_ERROR;
    }

    memcpy(p, s.data, s.len);
    *out = art_str(p, s.len);

    return ART_OK;
}


/* The text of a JSON string; empty if it is another value, or too long. */

static art_str_t
art_attachments_string(art_str_t value, uint8_t *buf, size_t room)
{
    art_str_t  text;

    if (value.len < 2 || value.data[0] != '"'
        || art_json_key(art_str(value.data + 1, value.len - 2), buf, room,
                        &text)
           != ART_OK
        || text.len > room)
    {
        return art_str(NULL, 0);
    }

    return text;
}


/* The kind of the claimed type, else of the media type. */

static void
art_attachments_kind(art_attachment_t *item, art_str_t type)
{
    size_t              i;
    art_media_traits_t  traits;

    static const struct {
        const char  *type;
        art_kind_t   kind;
    } types[] = {
        { "image", ART_KIND_IMAGE },
        { "audio", ART_KIND_AUDIO },
        { "video", ART_KIND_VIDEO },
        { "file", ART_KIND_OTHER }
    };

    for (i = 0; i < art_nitems(types); i++) {
        if (art_str_eq(type, art_cstr(types[i].type))) {
            item->kind = types[i].kind;
            return;
        }
    }

    if (item->mime.data == NULL) {
        return;
    }

    traits = art_media_traits(item->mime);

    if (traits.known) {
        item->kind = traits.kind;
    }
}


static void
art_attachments_size(art_attachment_t *item, art_str_t value)
{
    size_t    i;
    uint64_t  size;

    if (value.len == 0 || value.len > ART_ATTACHMENT_DIGITS) {
        return;
    }

    size = 0;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return;
        }

        size = size * 10 + value.data[i] - '0';
    }

    item->size = size;
    item->size_known = 1;
}


/* Only spaces, and escapes of white space, are blank. */

static unsigned
art_attachments_is_blank(art_str_t value)
{
    size_t  i;

    for (i = 1; i + 1 < value.len; i++) {

        if (value.data[i] == '\\' && strchr("ntr", value.data[i + 1])) {
            i++;

        } else if (value.data[i] != ' ') {
            return 0;
        }
    }

    return 1;
}
