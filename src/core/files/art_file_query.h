
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a request for a list of files asks for.
 */


#ifndef ART_FILE_QUERY_H_INCLUDED_
#define ART_FILE_QUERY_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/base/art_time.h"
#include "core/files/art_file.h"
#include "core/files/art_file_error.h"


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


#endif /* ART_FILE_QUERY_H_INCLUDED_ */
