
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the errors of all APIs have in common: a row of a table, the words, and
 * the form of JSON-RPC.
 */


#ifndef ART_JSON_ERROR_H_INCLUDED_
#define ART_JSON_ERROR_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_put.h"


/* Codes of JSON-RPC (jsonrpc.org/specification, "Error object"). */

#define ART_RPC_PARSE     -32700
#define ART_RPC_REQUEST   -32600
#define ART_RPC_METHOD    -32601
#define ART_RPC_PARAMS    -32602
#define ART_RPC_INTERNAL  -32603


/* An error: the words are by language, or by another choice of its table. */

typedef struct {
    unsigned      status;            /* of HTTP */
    const char   *code;              /* or NULL */
    const char   *words[ART_LANG_MAX];
} art_error_row_t;


/* The same with a code of JSON-RPC. */

typedef struct {
    int               rpc;
    art_error_row_t   row;
} art_rpc_row_t;


/*
 * What words are about: %a and %b are names, %n is a number, %s any bytes, of
 * which ART_ERROR_TEXT_MAX are printed, as one line of valid UTF-8.  A name may
 * be NULL.
 */

#define ART_ERROR_TEXT_MAX  200

typedef struct {
    const char   *names[2];
    uint64_t      number;
    art_str_t     text;
} art_error_about_t;


/* Writes words with what they are about. */

void art_error_say(art_out_t *out, const char *words,
    const art_error_about_t *about);


/*
 * Writes {"jsonrpc":"2.0","id":ID,"error":{"code":..,"message":MESSAGE, or
 * MESSAGE: PREFIX DETAIL if the detail's data is not NULL; the caller ends both
 * objects.  "id" is JSON, or empty: no id.  The detail is any bytes.
 */

void art_json_rpc_error(art_json_put_t *put, art_str_t id, int code,
    const char *message, const char *prefix, art_str_t detail);


#endif /* ART_JSON_ERROR_H_INCLUDED_ */
