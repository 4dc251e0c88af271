
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of the Files APIs of OpenAI (platform.openai.com/docs/api-reference/
 * files) and Anthropic (platform.claude.com/docs/en/api/beta/files): a file, a
 * page of files, a deletion.  They have the members of all generations of the
 * clients: @anthropic-ai/sdk up to 1.12, openai up to 7.
 */


#ifndef ART_FILE_H_INCLUDED_
#define ART_FILE_H_INCLUDED_


#include "core/base/art_core.h"


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


#endif /* ART_FILE_H_INCLUDED_ */
