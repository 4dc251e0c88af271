
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/answer/art_listing.h"
#include "core/files/art_file.h"
#include "core/form/art_pair.h"
#include "core/json/art_json_error.h"
#include "core/json/art_json_put.h"
#include "core/media/art_media.h"
#include "core/ref/art_id.h"
#include "core/text/art_percent.h"


#define ART_FILE_ERROR_MESSAGE  1024


/* By API: OpenAI's list has up to 10000 files by default. */

#define ART_FILE_LIMIT_ANTHROPIC  20


typedef int (*art_file_arg_pt)(art_file_query_t *q, art_str_t value);


typedef struct {
    const char        *name;
    unsigned           apis;     /* a bit for each */
    art_file_arg_pt    parse;
} art_file_arg_t;


#define ART_FILE_OF_OPENAI     (1u << ART_FILE_OPENAI)
#define ART_FILE_OF_ANTHROPIC  (1u << ART_FILE_ANTHROPIC)


static void art_file_put(art_json_put_t *put, art_file_api_t api,
    const art_file_t *file);
static void art_file_put_openai(art_json_put_t *put, const art_file_t *file);
static void art_file_put_anthropic(art_json_put_t *put, const art_file_t *file);
static void art_file_put_time(art_json_put_t *put, const char *key,
    uint64_t ms);
static void art_file_put_name(art_json_put_t *put, const art_file_t *file);
static void art_file_put_id(art_json_put_t *put, const char *key,
    art_file_api_t api, const art_file_t *file);
static art_str_t art_file_id(uint8_t *buf, art_file_api_t api, art_str_t id);
static void art_file_error_openai(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_anthropic(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_null(art_json_put_t *put, const char *key,
    const char *value);
static int art_file_query_pair(art_file_query_t *q, art_file_api_t api,
    art_str_t key, art_str_t value, art_file_error_t *error);
static int art_file_query_decode(art_file_query_t *q, size_t *n,
    art_str_t *s);
static int art_file_query_limit(art_file_query_t *q, art_str_t value);
static int art_file_query_after(art_file_query_t *q, art_str_t value);
static int art_file_query_before(art_file_query_t *q, art_str_t value);
static int art_file_query_order(art_file_query_t *q, art_str_t value);
static int art_file_query_purpose(art_file_query_t *q, art_str_t value);
static int art_file_query_id(art_file_query_t *q, art_str_t value);


/*
 * Rows in the order of art_file_reason_t, with words for OpenAI and for
 * Anthropic: %s is the detail and %a the parameter.  The code is OpenAI's;
 * "details" is Anthropic's error_code (FileExpiredError of its client).  OpenAI
 * knows no file that has expired.
 */

static const struct {
    const char       *param;
    const char       *details;
    art_error_row_t   row;
} art_file_errors[] = {
    { NULL, NULL, { 200, NULL, { "", "" } } },
    { "id", NULL, { 404, NULL,
      { "No such File object: %s", "File not found: %s" } } },
    { "id", "file_expired", { 404, NULL,
      { "No such File object: %s", "File has expired: %s" } } },
    { NULL, NULL, { 404, "unknown_url",
      { "Invalid URL (%s)", "Not found: %s" } } },
    { NULL, NULL, { 405, "method_not_allowed",
      { "Not allowed to %s on this URL", "Method not allowed: %s" } } },
    { NULL, NULL, { 400, NULL,
      { "Invalid Content-Type header (%s), expected multipart/form-data",
        "Invalid Content-Type header (%s), expected multipart/form-data" } } },
    { NULL, NULL, { 400, NULL,
      { "Could not parse multipart form: %s",
        "Could not parse multipart form: %s" } } },
    { NULL, NULL, { 400, NULL,
      { "'%a' is a required property", "%a: Field required" } } },
    { NULL, NULL, { 400, "invalid_value",
      { "Invalid value for '%a': %s", "%a: Invalid value: %s" } } },
    { NULL, NULL, { 400, NULL,
      { "'%a' was given more than once", "%a: Given more than once" } } },
    { NULL, NULL, { 413, NULL,
      { "The file is too large", "Request exceeds the maximum size" } } },
    { NULL, NULL, { 403, NULL, { "Permission denied", "Permission denied" } } },
    { NULL, NULL, { 409, NULL,
      { "The file is being changed", "The file is being changed" } } },
    { NULL, NULL, { 500, NULL,
      { "The storage is full", "The storage is full" } } },
    { NULL, NULL, { 500, NULL,
      { "The server had an error while processing your request",
        "Internal server error" } } },
    { NULL, NULL, { 503, NULL,
      { "The storage is not available at the moment",
        "The storage is not available at the moment" } } }
};


/* The types by status; the last row is for all others. */

static const struct {
    unsigned     status;
    const char  *openai;
    const char  *anthropic;
} art_file_types[] = {
    { 403, "invalid_request_error", "permission_error" },
    { 404, "invalid_request_error", "not_found_error" },
    { 413, "invalid_request_error", "request_too_large" },
    { 500, "server_error", "api_error" },
    { 503, "server_error", "api_error" },
    { 0, "invalid_request_error", "invalid_request_error" }
};


/* Errors that are none of these are the server's. */

static const struct {
    art_error_t        error;
    art_file_reason_t  reason;
} art_file_reasons[] = {
    { ART_ERR_INVALID_ID, ART_FILE_MISSING },
    { ART_ERR_TRAVERSAL, ART_FILE_MISSING },
    { ART_ERR_NOT_FOUND, ART_FILE_MISSING },
    { ART_ERR_NOT_BOUND, ART_FILE_MISSING },
    { ART_ERR_PERMISSION, ART_FILE_PERMISSION },
    { ART_ERR_METHOD, ART_FILE_METHOD },
    { ART_ERR_STORAGE, ART_FILE_UNAVAILABLE },
    { ART_ERR_FULL, ART_FILE_FULL },
    { ART_ERR_BODY, ART_FILE_BODY },
    { ART_ERR_CONFLICT, ART_FILE_CONFLICT },
    { ART_ERR_TOO_LARGE, ART_FILE_TOO_LARGE },
    { ART_ERR_MEDIA_TYPE, ART_FILE_NO_FORM }
};


static const art_file_arg_t  art_file_args[] = {
    { "limit", ART_FILE_OF_OPENAI | ART_FILE_OF_ANTHROPIC,
      art_file_query_limit },
    { "after", ART_FILE_OF_OPENAI, art_file_query_after },
    { "order", ART_FILE_OF_OPENAI, art_file_query_order },
    { "purpose", ART_FILE_OF_OPENAI, art_file_query_purpose },
    { "after_id", ART_FILE_OF_ANTHROPIC, art_file_query_after },
    { "before_id", ART_FILE_OF_ANTHROPIC, art_file_query_before },
    { "page", ART_FILE_OF_ANTHROPIC, art_file_query_after },
    { "ids[]", ART_FILE_OF_ANTHROPIC, art_file_query_id },
    { "ids", ART_FILE_OF_ANTHROPIC, art_file_query_id }
};


void
art_file_print(art_out_t *out, art_file_api_t api, const art_file_t *file)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);
    art_file_put(&put, api, file);
}


void
art_file_print_deleted(art_out_t *out, art_file_api_t api, art_str_t id)
{
    uint8_t         buf[ART_ID_FILE];
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    art_json_put_object(&put, NULL);
    art_json_put_string(&put, "id", art_file_id(buf, api, id));

    if (api == ART_FILE_ANTHROPIC) {
        art_json_put_string(&put, "type", art_cstr("file_deleted"));

    } else {
        art_json_put_string(&put, "object", art_cstr("file"));
        art_json_put_bool(&put, "deleted", 1);
    }

    art_json_put_end(&put);
}


/*
 * The cursor of clients since 1.12 is next_page, of others last_id or first_id,
 * and of OpenAI's the id of the last element.
 */

void
art_file_print_list(art_out_t *out, art_file_api_t api, const art_file_t *files,
    size_t n, unsigned more)
{
    size_t             i;
    const art_file_t  *last;
    art_json_put_t     put;

    last = n > 0 ? &files[n - 1] : NULL;

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    if (api == ART_FILE_OPENAI) {
        art_json_put_string(&put, "object", art_cstr("list"));
    }

    art_json_put_array(&put, "data");

    for (i = 0; i < n; i++) {
        art_file_put(&put, api, &files[i]);
    }

    art_json_put_end(&put);

    art_file_put_id(&put, "first_id", api, n > 0 ? &files[0] : NULL);
    art_file_put_id(&put, "last_id", api, last);
    art_json_put_bool(&put, "has_more", more);

    if (api == ART_FILE_ANTHROPIC) {
        art_file_put_id(&put, "next_page", api, more ? last : NULL);
    }

    art_json_put_end(&put);
}


void
art_file_unnamed(art_out_t *out, art_str_t type)
{
    size_t              n;
    const art_media_t  *media;

    media = art_media_find(type);
    n = media != NULL && media->extensions != NULL
        ? strcspn(media->extensions, " ") : 0;

    art_out_cstr(out, "unnamed");

    if (n > 0) {
        art_out_char(out, '.');
        art_out_mem(out, media->extensions, n);
    }
}


static void
art_file_put(art_json_put_t *put, art_file_api_t api, const art_file_t *file)
{
    art_json_put_object(put, NULL);
    art_file_put_id(put, "id", api, file);

    if (api == ART_FILE_ANTHROPIC) {
        art_file_put_anthropic(put, file);

    } else {
        art_file_put_openai(put, file);
    }

    art_json_put_end(put);
}


/* Clients wait until "status" is "processed". */

static void
art_file_put_openai(art_json_put_t *put, const art_file_t *file)
{
    art_json_put_string(put, "object", art_cstr("file"));
    art_json_put_number(put, "bytes", file->size);
    art_json_put_number(put, "created_at", file->created / 1000);

    if (file->expires > 0) {
        art_json_put_number(put, "expires_at", file->expires / 1000);

    } else {
        art_json_put_raw(put, "expires_at", art_cstr("null"));
    }

    art_file_put_name(put, file);
    art_json_put_string(put, "purpose", file->purpose.len > 0
                                        ? file->purpose
                                        : art_cstr(ART_FILE_PURPOSE));
    art_json_put_string(put, "status", art_cstr("processed"));
    art_json_put_raw(put, "status_details", art_cstr("null"));
}


static void
art_file_put_anthropic(art_json_put_t *put, const art_file_t *file)
{
    art_json_put_string(put, "type", art_cstr("file"));
    art_file_put_name(put, file);
    art_json_put_string(put, "mime_type",
                        file->type.len > 0
                        ? file->type : art_cstr("application/octet-stream"));
    art_json_put_number(put, "size_bytes", file->size);
    art_file_put_time(put, "created_at", file->created);

    if (file->expires > 0) {
        art_file_put_time(put, "expires_at", file->expires);

    } else {
        art_json_put_raw(put, "expires_at", art_cstr("null"));
    }

    art_json_put_bool(put, "downloadable", 1);
}


static void
art_file_put_time(art_json_put_t *put, const char *key, uint64_t ms)
{
    uint8_t  text[ART_TIME_LEN];

    art_time_print(text, ms);
    art_json_put_string(put, key, art_str(text, sizeof(text)));
}


static void
art_file_put_name(art_json_put_t *put, const art_file_t *file)
{
    uint8_t    buf[64];
    art_out_t  out;
    art_str_t  name;

    name = file->name;

    if (name.len == 0) {
        out = art_out(buf, sizeof(buf));
        art_file_unnamed(&out, file->type);
        name = art_str(buf, out.len < sizeof(buf) ? out.len : sizeof(buf));
    }

    art_json_put_string(put, "filename", name);
}


/* A file's id; null without a file. */

static void
art_file_put_id(art_json_put_t *put, const char *key, art_file_api_t api,
    const art_file_t *file)
{
    uint8_t  buf[ART_ID_FILE];

    if (file == NULL) {
        art_json_put_raw(put, key, art_cstr("null"));
        return;
    }

    art_json_put_string(put, key, art_file_id(buf, api, file->id));
}


/* The artifact's id itself if it is not a UUID, which no file has. */

static art_str_t
art_file_id(uint8_t *buf, art_file_api_t api, art_str_t id)
{
    art_out_t  out;

    out = art_out(buf, ART_ID_FILE);

    if (art_id_file(&out, api == ART_FILE_ANTHROPIC ? ART_ID_FILE_ANTHROPIC
                                                    : ART_ID_FILE_OPENAI, id)
        != ART_OK)
    {
        return id;
    }

    return art_str(buf, out.len);
}


unsigned
art_file_error_status(art_file_reason_t reason)
{
    return art_file_errors[reason].row.status;
}


art_file_reason_t
art_file_error_of(art_error_t error)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_file_reasons); i++) {
        if (art_file_reasons[i].error == error) {
            return art_file_reasons[i].reason;
        }
    }

    return ART_FILE_SERVER;
}


void
art_file_error_print(art_out_t *out, art_file_api_t api,
    const art_file_error_t *error)
{
    size_t                  i;
    uint8_t                 text[ART_FILE_ERROR_MESSAGE];
    art_str_t               message;
    art_out_t               words;
    art_json_put_t          put;
    art_error_about_t       about;
    const art_error_row_t  *row;

    row = &art_file_errors[error->reason].row;

    for (i = 0; art_file_types[i].status != 0; i++) {
        if (art_file_types[i].status == row->status) {
            break;
        }
    }

    memset(&about, 0, sizeof(about));

    about.names[0] = error->param;
    about.text = error->detail;

    words = art_out(text, sizeof(text));
    art_error_say(&words, row->words[api == ART_FILE_ANTHROPIC], &about);
    message = art_str(text, words.len < sizeof(text) ? words.len
                                                     : sizeof(text));

    art_json_put_init(&put, out, 0);
    art_json_put_object(&put, NULL);

    if (api == ART_FILE_ANTHROPIC) {
        art_file_error_anthropic(&put, error, message,
                                 art_file_types[i].anthropic);

    } else {
        art_file_error_openai(&put, error, message, art_file_types[i].openai);
    }

    art_json_put_end(&put);
}


static void
art_file_error_openai(art_json_put_t *put, const art_file_error_t *error,
    art_str_t message, const char *type)
{
    art_json_put_object(put, "error");
    art_json_put_string(put, "message", message);
    art_json_put_string(put, "type", art_cstr(type));
    art_file_error_null(put, "param",
                        error->param != NULL
                        ? error->param : art_file_errors[error->reason].param);
    art_file_error_null(put, "code", art_file_errors[error->reason].row.code);
    art_json_put_end(put);
}


static void
art_file_error_anthropic(art_json_put_t *put, const art_file_error_t *error,
    art_str_t message, const char *type)
{
    const char  *details;

    details = art_file_errors[error->reason].details;

    art_json_put_string(put, "type", art_cstr("error"));
    art_json_put_object(put, "error");
    art_json_put_string(put, "type", art_cstr(type));
    art_json_put_string(put, "message", message);

    if (details != NULL) {
        art_json_put_object(put, "details");
        art_json_put_string(put, "error_code", art_cstr(details));
        art_json_put_end(put);
    }

    art_json_put_end(put);
    art_file_error_null(put, "request_id", NULL);
}


static void
art_file_error_null(art_json_put_t *put, const char *key, const char *value)
{
    if (value == NULL) {
        art_json_put_raw(put, key, art_cstr("null"));
        return;
    }

    art_json_put_string(put, key, art_cstr(value));
}


int
art_file_query_parse(art_file_query_t *q, art_file_api_t api, art_str_t args,
    art_file_error_t *error)
{
    size_t      n;
    art_pair_t  arg;

    memset(q, 0, offsetof(art_file_query_t, ids));

    error->reason = ART_FILE_PARAM;
    error->param = "query";
    error->detail = art_str(NULL, 0);

    q->limit = api == ART_FILE_ANTHROPIC ? ART_FILE_LIMIT_ANTHROPIC
                                         : ART_FILE_LIMIT_MAX;

    if (args.len > ART_FILE_QUERY_MAX) {
        return ART_ERROR;
    }

    n = 0;

    while (art_query_next(&args, &arg)) {

        if (art_file_query_decode(q, &n, &arg.name) != ART_OK
            || art_file_query_decode(q, &n, &arg.value) != ART_OK
            || art_file_query_pair(q, api, arg.name, arg.value, error)
               != ART_OK)
        {
            return ART_ERROR;
        }
    }

    error->reason = ART_FILE_SOUND;

    return ART_OK;
}


/* Decodes into q->text, of which *n bytes are used. */

static int
art_file_query_decode(art_file_query_t *q, size_t *n, art_str_t *s)
{
    size_t  len;

    if (art_percent_decode(q->text + *n, &len, *s) != ART_OK) {
        return ART_ERROR;
    }

    *s = art_str(q->text + *n, len);
    *n += len;

    return ART_OK;
}


static int
art_file_query_pair(art_file_query_t *q, art_file_api_t api, art_str_t key,
    art_str_t value, art_file_error_t *error)
{
    size_t  i;

    for (i = 0; value.len > 0 && i < art_nitems(art_file_args); i++) {

        if (!(art_file_args[i].apis & 1u << api)
            || !art_str_eq(key, art_cstr(art_file_args[i].name)))
        {
            continue;
        }

        if (art_file_args[i].parse(q, value) == ART_OK) {
            return ART_OK;
        }

        error->param = art_file_args[i].name;
        error->detail = value;

        return ART_ERROR;
    }

    return ART_OK;
}


static int
art_file_query_limit(art_file_query_t *q, art_str_t value)
{
    return art_page_limit(value, &q->limit);
}


static int
art_file_query_after(art_file_query_t *q, art_str_t value)
{
    q->has_cursor = 1;
    q->backwards = 0;

    return art_id_from_file(value, q->cursor) ? ART_OK : ART_ERROR;
}


static int
art_file_query_before(art_file_query_t *q, art_str_t value)
{
    if (art_file_query_after(q, value) != ART_OK) {
        return ART_ERROR;
    }

    q->backwards = 1;

    return ART_OK;
}


static int
art_file_query_order(art_file_query_t *q, art_str_t value)
{
    q->ascending = art_str_eq(value, art_cstr("asc")) != 0;

    if (q->ascending) {
        return ART_OK;
    }

    return art_str_eq(value, art_cstr("desc")) ? ART_OK : ART_ERROR;
}


static int
art_file_query_purpose(art_file_query_t *q, art_str_t value)
{
    q->purpose = value;

    return ART_OK;
}


/* An id of another form names no file here; a repeated id counts once. */

static int
art_file_query_id(art_file_query_t *q, art_str_t value)
{
    size_t   i;
    uint8_t  id[ART_UUID_LEN];

    q->by_ids = 1;

    if (!art_id_from_file(value, id)) {
        return ART_OK;
    }

    for (i = 0; i < q->nids; i++) {
        if (memcmp(q->ids[i], id, sizeof(id)) == 0) {
            return ART_OK;
        }
    }

    if (q->nids == ART_FILE_IDS_MAX) {
        return ART_ERROR;
    }

    memcpy(q->ids[q->nids++], id, sizeof(id));

    return ART_OK;
}
