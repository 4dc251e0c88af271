
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_put.h"
#include "core/files/art_file_error.h"


#define ART_FILE_ERROR_DETAIL   200      /* bytes that are shown of it */
#define ART_FILE_ERROR_MESSAGE  1024


/*
 * Rows in the order of art_file_reason_t.  In a message, %s is the detail and
 * %p the parameter.  "details" is Anthropic's error_code (FileExpiredError of
 * its client); OpenAI knows no file that has expired.
 */

static const struct {
    unsigned     status;
    const char  *openai;
    const char  *anthropic;
    const char  *param;
    const char  *code;           /* OpenAI's */
    const char  *details;
} art_file_errors[] = {
    { 200, "", "", NULL, NULL, NULL },
    { 404, "No such File object: %s", "File not found: %s", "id", NULL, NULL },
    { 404, "No such File object: %s", "File has expired: %s", "id", NULL,
      "file_expired" },
    { 404, "Invalid URL (%s)", "Not found: %s", NULL, "unknown_url", NULL },
    { 405, "Not allowed to %s on this URL", "Method not allowed: %s", NULL,
      "method_not_allowed", NULL },
    { 400, "Invalid Content-Type header (%s), expected multipart/form-data",
      "Invalid Content-Type header (%s), expected multipart/form-data",
      NULL, NULL, NULL },
    { 400, "Could not parse multipart form: %s",
      "Could not parse multipart form: %s", NULL, NULL, NULL },
    { 400, "'%p' is a required property", "%p: Field required", NULL, NULL,
      NULL },
    { 400, "Invalid value for '%p': %s", "%p: Invalid value: %s", NULL,
      "invalid_value", NULL },
    { 400, "'%p' was given more than once", "%p: Given more than once", NULL,
      NULL, NULL },
    { 413, "The file is too large", "Request exceeds the maximum size", NULL,
      NULL, NULL },
    { 403, "Permission denied", "Permission denied", NULL, NULL, NULL },
    { 409, "The file is being changed", "The file is being changed", NULL,
      NULL, NULL },
    { 500, "The storage is full", "The storage is full", NULL, NULL, NULL },
    { 500, "The server had an error while processing your request",
      "Internal server error", NULL, NULL, NULL },
    { 503, "The storage is not available at the moment",
      "The storage is not available at the moment", NULL, NULL, NULL }
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


static void art_file_error_message(art_out_t *out, const char *format,
    const art_file_error_t *error);
static void art_file_error_openai(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_anthropic(art_json_put_t *put,
    const art_file_error_t *error, art_str_t message, const char *type);
static void art_file_error_null(art_json_put_t *put, const char *key,
    const char *value);


unsigned
art_file_error_status(art_file_reason_t reason)
{
    return art_file_errors[reason].status;
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
    size_t          i;
    uint8_t         text[ART_FILE_ERROR_MESSAGE];
    unsigned        status;
    art_str_t       message;
    art_out_t       words;
    art_json_put_t  put;

    status = art_file_errors[error->reason].status;

    for (i = 0; art_file_types[i].status != 0; i++) {
        if (art_file_types[i].status == status) {
            break;
        }
    }

    words = art_out(text, sizeof(text));
    art_file_error_message(&words, api == ART_FILE_ANTHROPIC
                                   ? art_file_errors[error->reason].anthropic
                                   : art_file_errors[error->reason].openai,
                           error);
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
art_file_error_message(art_out_t *out, const char *format,
    const art_file_error_t *error)
{
    size_t     n;
    art_str_t  detail;

    detail = error->detail;

    if (detail.len > ART_FILE_ERROR_DETAIL) {
        n = art_utf8_cut(detail.data, detail.len, ART_FILE_ERROR_DETAIL);
        detail.len = n;
    }

    for ( /* void */ ; *format != '\0'; format++) {

        if (format[0] != '%') {
            art_out_char(out, *format);
            continue;
        }

        if (*++format == 's') {
            art_utf8_name(out, detail);

        } else if (error->param != NULL) {
            art_out_cstr(out, error->param);
        }
    }
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
    art_file_error_null(put, "code", art_file_errors[error->reason].code);
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
