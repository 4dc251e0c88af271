
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/files/art_upload.h"


/*
 * Fields of forms, of both APIs: OpenAI's purpose and expires_after, and
 * Anthropic's expires_in_seconds.  Others are skipped.
 */

enum {
    ART_UPLOAD_FILE = 0,
    ART_UPLOAD_PURPOSE,
    ART_UPLOAD_ANCHOR,
    ART_UPLOAD_AFTER,
    ART_UPLOAD_IN,
    ART_UPLOAD_FIELDS
};

static const char *const  art_upload_fields[] = {
    "file",
    "purpose",
    "expires_after[anchor]",
    "expires_after[seconds]",
    "expires_in_seconds"
};


/* Why a body was refused; the rows of art_multipart_error_t. */

static const char *const  art_upload_reasons[] = {
    NULL,
    NULL,
    "malformed multipart/form-data",
    "the header of a part is too long",
    "too many parts",
    "Content-Transfer-Encoding is not supported",
    "the closing boundary is missing",
    NULL
};


static int art_upload_begin(void *data, const art_multipart_part_t *part);
static void art_upload_file(art_upload_t *u, const art_multipart_part_t *part);
static void art_upload_name(art_upload_t *u, art_str_t name);
static int art_upload_bytes(void *data, const uint8_t *p, size_t len);
static int art_upload_part(void *data);
static int art_upload_lifetime(art_upload_t *u, art_str_t value);
static int art_upload_fail(art_upload_t *u, art_file_reason_t reason,
    const char *param, art_str_t detail);


static const art_multipart_sink_t  art_upload_sink = {
    art_upload_begin,
    art_upload_bytes,
    art_upload_part
};


int
art_upload_init(art_upload_t *u, art_str_t content_type, art_sink_pt sink,
    void *data)
{
    memset(u, 0, offsetof(art_upload_t, value));

    u->sink = sink;
    u->data = data;

    if (art_multipart_init(&u->multipart, content_type, &art_upload_sink, u)
        != ART_OK)
    {
        content_type.len = content_type.len > ART_UPLOAD_VALUE
                           ? ART_UPLOAD_VALUE : content_type.len;

        if (content_type.len > 0) {
            memcpy(u->value, content_type.data, content_type.len);
        }

        return art_upload_fail(u, ART_FILE_NO_FORM, NULL,
                               art_str(u->value, content_type.len));
    }

    return ART_OK;
}


int
art_upload_feed(art_upload_t *u, const uint8_t *p, size_t len)
{
    const char  *why;

    if (art_multipart_feed(&u->multipart, p, len) == ART_OK) {
        return ART_OK;
    }

    why = art_upload_reasons[u->multipart.error];

    return why == NULL ? ART_ERROR
                       : art_upload_fail(u, ART_FILE_BODY, NULL, art_cstr(why));
}


int
art_upload_end(art_upload_t *u)
{
    const char  *why;

    if (art_multipart_end(&u->multipart) != ART_OK) {
        why = art_upload_reasons[u->multipart.error];

        return why == NULL
               ? ART_ERROR
               : art_upload_fail(u, ART_FILE_BODY, NULL, art_cstr(why));
    }

    if (!u->has_file) {
        return art_upload_fail(u, ART_FILE_REQUIRED, "file",
                               art_str(NULL, 0));
    }

    if ((u->seen & 1u << ART_UPLOAD_ANCHOR)
        && !(u->seen & 1u << ART_UPLOAD_AFTER))
    {
        return art_upload_fail(u, ART_FILE_REQUIRED, "expires_after[seconds]",
                               art_str(NULL, 0));
    }

    return ART_OK;
}


static int
art_upload_begin(void *data, const art_multipart_part_t *part)
{
    unsigned       i;
    art_upload_t  *u = data;

    u->nvalue = 0;

    for (i = 0; i < ART_UPLOAD_FIELDS; i++) {
        if (art_str_eq(part->name, art_cstr(art_upload_fields[i]))) {
            break;
        }
    }

    if (u->any && part->filename.data != NULL) {
        i = ART_UPLOAD_FILE;
    }

    u->field = i;

    if (i == ART_UPLOAD_FIELDS) {
        return ART_OK;
    }

    if (u->seen & 1u << i) {
        return art_upload_fail(u, ART_FILE_TWICE, art_upload_fields[i],
                               art_str(NULL, 0));
    }

    u->seen |= 1u << i;

    if (i == ART_UPLOAD_FILE) {
        art_upload_file(u, part);
    }

    return ART_OK;
}


static void
art_upload_file(art_upload_t *u, const art_multipart_part_t *part)
{
    u->has_file = 1;

    if (part->type.len > 0 && part->type.len <= ART_UPLOAD_VALUE) {
        memcpy(u->type_text, part->type.data, part->type.len);
        u->type = art_str(u->type_text, part->type.len);
    }

    if (part->filename.len > 0) {
        art_upload_name(u, part->filename);
    }
}


/* The last component of a path, of any system, as other names are stored. */

static void
art_upload_name(art_upload_t *u, art_str_t name)
{
    size_t     i;
    uint8_t    text[3 * ART_UTF8_FILE_NAME_MAX];
    art_out_t  out;

    for (i = name.len; i > 0; i--) {
        if (name.data[i - 1] == '/' || name.data[i - 1] == '\\') {
            break;
        }
    }

    name = art_utf8_file_name(art_str(name.data + i, name.len - i),
                              u->name_text, sizeof(u->name_text));

    /* an ill-formed byte becomes three */

    out = art_out(text, sizeof(text));
    art_utf8_name(&out, name);

    name = art_utf8_file_name(art_str(text, out.len), u->name_text,
                              sizeof(u->name_text));

    if (name.data != u->name_text && name.len > 0) {
        memcpy(u->name_text, name.data, name.len);
    }

    u->name = art_str(u->name_text, name.len);
}


static int
art_upload_bytes(void *data, const uint8_t *p, size_t len)
{
    art_upload_t  *u = data;

    if (u->field == ART_UPLOAD_FILE) {
        u->size += len;
        return u->sink(u->data, p, len);
    }

    if (u->field == ART_UPLOAD_FIELDS) {
        return ART_OK;
    }

    if (len > sizeof(u->value) - u->nvalue) {
        return art_upload_fail(u, ART_FILE_PARAM, art_upload_fields[u->field],
                               art_str(u->value, u->nvalue));
    }

    memcpy(u->value + u->nvalue, p, len);
    u->nvalue += len;

    return ART_OK;
}


static int
art_upload_part(void *data)
{
    int            rc;
    art_str_t      value;
    art_upload_t  *u = data;

    rc = ART_OK;
    value = art_str(u->value, u->nvalue);

    switch (u->field) {

    case ART_UPLOAD_PURPOSE:

        if (!art_utf8_valid(value.data, value.len) || art_utf8_control(value)) {
            rc = ART_ERROR;
            break;
        }

        memcpy(u->purpose_text, value.data, value.len);
        u->purpose = art_str(u->purpose_text, value.len);
        break;

    case ART_UPLOAD_ANCHOR:
        rc = art_str_is(value, "created_at") ? ART_OK : ART_ERROR;
        break;

    case ART_UPLOAD_AFTER:
    case ART_UPLOAD_IN:
        rc = art_upload_lifetime(u, value);
        break;

    default: /* ART_UPLOAD_FILE, ART_UPLOAD_FIELDS */
        break;
    }

    return rc == ART_OK ? ART_OK
                        : art_upload_fail(u, ART_FILE_PARAM,
                                          art_upload_fields[u->field], value);
}


/* Seconds; of several the fewest. */

static int
art_upload_lifetime(art_upload_t *u, art_str_t value)
{
    size_t    i;
    uint64_t  n;

    n = 0;

    for (i = 0; i < value.len; i++) {

        if (value.data[i] < '0' || value.data[i] > '9') {
            return ART_ERROR;
        }

        n = n * 10 + (uint64_t) (value.data[i] - '0');

        if (n > ART_UPLOAD_LIFETIME) {
            return ART_ERROR;
        }
    }

    if (n == 0) {
        return ART_ERROR;
    }

    if (u->lifetime == 0 || n < u->lifetime) {
        u->lifetime = n;
    }

    return ART_OK;
}


/* The first error counts. */

static int
art_upload_fail(art_upload_t *u, art_file_reason_t reason, const char *param,
    art_str_t detail)
{
    if (u->error.reason == ART_FILE_SOUND) {
        u->error.reason = reason;
        u->error.param = param;
        u->error.detail = detail;
    }

    return ART_ERROR;
}
