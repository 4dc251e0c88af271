
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The error answers: their codes, statuses and words (docs/errors.md).
 */


#ifndef ART_ERROR_H_INCLUDED_
#define ART_ERROR_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_ERR_INVALID_ID = 0,
    ART_ERR_TRAVERSAL,
    ART_ERR_PERMISSION,
    ART_ERR_UNSIGNED,            /* a URL without a signature */
    ART_ERR_SIGNATURE,           /* an invalid one */
    ART_ERR_EXPIRED,             /* a valid one, too late */
    ART_ERR_NOT_FOUND,
    ART_ERR_NOT_BOUND,
    ART_ERR_METHOD,
    ART_ERR_READ,
    ART_ERR_STORAGE,             /* a mount without its server */
    ART_ERR_CONVERSION,
    ART_ERR_ENCODED,
    ART_ERR_PARTIAL,
    ART_ERR_TIMEOUT,             /* an upstream's, after its header */
    ART_ERR_SERVICE,
    ART_ERR_ARGUMENT,
    ART_ERR_JSON,
    ART_ERR_MANY,                /* attachments in a message */
    ART_ERR_MIME,                /* a write without a media type */
    ART_ERR_NAME,                /* a name not allowed for new content */
    ART_ERR_NAMELESS,            /* a write of a path without one */
    ART_ERR_PIECE,               /* a write with a Content-Range */
    ART_ERR_SIZE,                /* a body that is not as long as its ticket */
    ART_ERR_FORM,                /* a write of a path with a form */
    ART_ERR_ONE_FILE,            /* a new artifact of another form */
    ART_ERR_WRITE,
    ART_ERR_FULL,                /* no room in the storage */
    ART_ERR_BODY,                /* it is incomplete */
    ART_ERR_TAKEN,               /* a ticket, by another content */
    ART_ERR_LENGTH,
    ART_ERR_CONFLICT,
    ART_ERR_PRECONDITION,
    ART_ERR_TOO_LARGE,
    ART_ERR_MEDIA_TYPE,
    ART_ERR_RANGE,
    ART_ERR_MAX
} art_error_t;


/* The HTTP status that goes with an error. */

unsigned art_error_status(art_error_t error);


/* Its code, such as "artifact_not_found". */

const char *art_error_code(art_error_t error);


/*
 * The error for a status that HTTP itself defines and the server produces (409,
 * 411, 412, 413, 415, 416; RFC 9110 section 15.5); ART_ERR_MAX for any other.
 */

art_error_t art_error_of_http(unsigned status);


/*
 * Writes {"error":CODE,"ref":REF,"message":TEXT}; "ref" may be any bytes, as
 * the client sent it.
 */

void art_error_print(art_out_t *out, art_error_t error, art_str_t ref,
    art_lang_t lang);


/*
 * The same in words, as plain text of one line: MESSAGE (CODE): REF, without a
 * reference if that is empty.  Of a longer one ART_ERROR_REF_MAX bytes are
 * written; a marker in it has another bracket.
 */

#define ART_ERROR_REF_MAX  512

void art_error_words(art_out_t *out, art_error_t error, art_str_t ref,
    art_lang_t lang);


/*
 * Writes such a reference, or any other text of a client, by itself.  What a
 * client has sent goes into a conversation: neither a marker of an artifact nor
 * base64 in it may become a part of a later request.
 */

void art_error_ref(art_out_t *out, art_str_t ref);


#endif /* ART_ERROR_H_INCLUDED_ */
