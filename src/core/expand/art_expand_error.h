
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Errors of composed requests, in the form that the clients of models' APIs
 * read (docs/expand.md).
 */


#ifndef ART_EXPAND_ERROR_H_INCLUDED_
#define ART_EXPAND_ERROR_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/api/art_api.h"


typedef enum {
    ART_MESSAGE_ERR_SIGNED = 0,  /* an edit would break the signature */
    ART_MESSAGE_ERR_ENCODING,    /* compressed bytes are malformed */
    ART_MESSAGE_ERR_REFS,        /* too many references or edits */
    ART_MESSAGE_ERR_SIZE,
    ART_MESSAGE_ERR_CODING,      /* a coding that is not supported */
    ART_MESSAGE_ERR_FOREIGN,     /* only a provider's own file will do */
    ART_MESSAGE_ERR_SOURCE,
    ART_MESSAGE_ERR_MISSING,     /* of calls of tools only, as the next two */
    ART_MESSAGE_ERR_INLINE,      /* a content that is too large */
    ART_MESSAGE_ERR_URL,         /* there are no URLs */
    ART_MESSAGE_ERR_PICTURE,     /* only a picture can be there */
    ART_MESSAGE_ERR_MAX
} art_message_error_t;


/* The HTTP status that goes with an error. */

unsigned art_message_error_status(art_message_error_t error);


/* Its code, such as "source_failed". */

const char *art_message_error_code(art_message_error_t error);


/*
 * Writes {"type":"error","error":{"type":..,"code":..,"message":..,
 * "param":REF}}; "ref" empty: null.  Clients of AWS (smithy.io, restJson1) read
 * "code" and "message" at the top; with ART_API_AWS they are there as well.
 */

void art_message_error_print(art_out_t *out, art_message_error_t error,
    art_str_t ref, const art_api_t *api, art_lang_t lang);


/*
 * The same in the form of JSON-RPC, for a call of a tool: {"jsonrpc":"2.0",
 * "id":ID,"error":{"code":..,"message":..,"data":{"uri":REF}}}.  "id" is JSON;
 * if it is empty, the error has no id.  Without "ref" it has no data.
 */

void art_message_error_call(art_out_t *out, art_message_error_t error,
    art_str_t ref, art_str_t id, art_lang_t lang);


#endif /* ART_EXPAND_ERROR_H_INCLUDED_ */
