
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Errors of the Files APIs, each in its shape: statuses and types from which
 * clients choose the classes of their exceptions.
 */


#ifndef ART_FILE_ERROR_H_INCLUDED_
#define ART_FILE_ERROR_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/answer/art_error.h"
#include "core/files/art_file.h"


typedef enum {
    ART_FILE_SOUND = 0,
    ART_FILE_MISSING,            /* no such file; detail: its id */
    ART_FILE_EXPIRED,            /* likewise */
    ART_FILE_URL,                /* no such path; detail: the path */
    ART_FILE_METHOD,             /* detail: the method */
    ART_FILE_NO_FORM,            /* not multipart; detail: Content-Type */
    ART_FILE_BODY,               /* malformed; detail: why */
    ART_FILE_REQUIRED,           /* param is missing */
    ART_FILE_PARAM,              /* param is not valid; detail: its value */
    ART_FILE_TWICE,              /* param is there more than once */
    ART_FILE_TOO_LARGE,
    ART_FILE_PERMISSION,
    ART_FILE_CONFLICT,
    ART_FILE_FULL,               /* no room in the storage */
    ART_FILE_SERVER,             /* reading or writing failed */
    ART_FILE_UNAVAILABLE,        /* the storage, at the moment */
    ART_FILE_REASONS
} art_file_reason_t;


/* "detail" is any bytes, as the client sent them; it is shortened. */

typedef struct {
    art_file_reason_t    reason;
    const char          *param;          /* or NULL */
    art_str_t            detail;         /* or data NULL */
} art_file_error_t;


/* The HTTP status that goes with a reason. */

unsigned art_file_error_status(art_file_reason_t reason);


/* The reason for an error of the module's own. */

art_file_reason_t art_file_error_of(art_error_t error);


/*
 * Writes {"error":{"message","type","param","code"}} for OpenAI, for Anthropic
 * {"type":"error","error":{"type","message"},"request_id":null}, where a file
 * that has expired also has "details":{"error_code":"file_expired"}.
 */

void art_file_error_print(art_out_t *out, art_file_api_t api,
    const art_file_error_t *error);


#endif /* ART_FILE_ERROR_H_INCLUDED_ */
