
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_error.h"
#include "core/json/art_json_put.h"
#include "core/files/art_file_error.h"


#define ART_FILE_ERROR_MESSAGE  1024


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


static void art_file_error_openai(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_anthropic(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_null(art_json_put_t *put, const char *key,
    const char *value);


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
