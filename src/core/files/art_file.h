
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of the Files APIs of OpenAI (platform.openai.com/docs/api-reference/
 * files) and Anthropic (platform.claude.com/docs/en/api/beta/files): a file, a
 * page of files, a deletion, an error.  They have the members of all
 * generations of the clients: @anthropic-ai/sdk up to 1.12, openai up to 7;
 * errors have the statuses and types from which these choose the classes of
 * their exceptions.
 * And what a request for a list of files asks for.
 */


#ifndef ART_FILE_H_INCLUDED_
#define ART_FILE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/answer/art_error.h"
#include "core/base/art_time.h"


typedef enum {
    ART_FILE_OPENAI = 0,
    ART_FILE_ANTHROPIC           /* the request has anthropic-version */
} art_file_api_t;


/*
 * "id" is the artifact's, a UUID of ART_UUID_LEN characters; its file id is
 * printed.  Times are milliseconds since 1970; "expires" 0: never.  An empty
 * name is printed as "unnamed" with the extension of the type, an empty type as
 * application/octet-stream, an empty purpose as ART_FILE_PURPOSE.
 */

#define ART_FILE_PURPOSE  "user_data"

typedef struct {
    art_str_t            id;
    art_str_t            name;
    art_str_t            type;
    art_str_t            purpose;
    uint64_t             size;
    uint64_t             created;
    uint64_t             expires;
} art_file_t;


/* Writes the object of a file, and the answer to its deletion. */

void art_file_print(art_out_t *out, art_file_api_t api,
    const art_file_t *file);
void art_file_print_deleted(art_out_t *out, art_file_api_t api, art_str_t id);


/*
 * Writes a page of a list, in the order of "files".  "more": there are others
 * beyond it, in the direction in which the page was asked for.
 */

void art_file_print_list(art_out_t *out, art_file_api_t api,
    const art_file_t *files, size_t n, unsigned more);


/*
 * The name to store for a file without one: "unnamed" and the extension of its
 * type, if that is known.
 */

void art_file_unnamed(art_out_t *out, art_str_t type);


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


#define ART_FILE_LIMIT_MAX  1000
#define ART_FILE_IDS_MAX    100
#define ART_FILE_QUERY_MAX  8192     /* bytes of a query string */


/*
 * A list is ordered by ids, which are UUIDs of version 7: by the time of
 * creation, the newest first, or with "ascending" the oldest.  A page has
 * "limit" files that follow "cursor" in that order; with "backwards" those that
 * precede it, of which the nearest "limit" count, still in the order of the
 * list.  Without "has_cursor" it begins at the start.  A cursor need not be a
 * file's that is there.
 *
 * With "by_ids" the list has those of the "nids" files that are there, and no
 * others; it is one page.  "purpose" has data NULL, or is the only one listed.
 */

typedef struct {
    size_t               limit;
    unsigned             ascending:1;
    unsigned             backwards:1;
    unsigned             has_cursor:1;
    unsigned             by_ids:1;
    uint8_t              cursor[ART_UUID_LEN];
    art_str_t            purpose;        /* in "text" */
    size_t               nids;
    uint8_t              ids[ART_FILE_IDS_MAX][ART_UUID_LEN];
    uint8_t              text[ART_FILE_QUERY_MAX];   /* private */
} art_file_query_t;


/*
 * Parses a query string, without its "?": of OpenAI limit, after, order and
 * purpose; of Anthropic limit, before_id, after_id, page and ids[].  Others are
 * ignored, empty values are as if they were absent.  A limit beyond the most is
 * the most.  ART_ERROR and *error for what is not valid; its detail points into
 * *q.
 */

int art_file_query_parse(art_file_query_t *q, art_file_api_t api,
    art_str_t args, art_file_error_t *error);


#endif /* ART_FILE_H_INCLUDED_ */
