
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The JSON of listings (docs/listings.md).
 */


#ifndef ART_LISTING_H_INCLUDED_
#define ART_LISTING_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_put.h"


typedef enum {
    ART_LISTING_ARTIFACTS = 0,
    ART_LISTING_WORKSPACES,
    ART_LISTING_FOLDER              /* of a workspace */
} art_listing_kind_t;


/* What a listing is of; the strings are those of a folder. */

typedef struct {
    art_listing_kind_t  kind;
    art_str_t           workspace;
    art_str_t           path;      /* without a "/" at its end; or empty */
} art_listing_t;


/* One line of it.  Strings that are not known have data NULL. */

typedef struct {
    art_str_t         id;        /* of an artifact or a workspace */
    art_str_t         path;      /* of a file or folder, in its workspace */
    art_str_t         name;      /* not of a workspace; ART_META_NAME_MAX */
    art_str_t         type;      /* as an artifact's sidecar declares it */
    art_str_t         mime;      /* in effect; likewise the size: no folder's */
    uint64_t          size;      /* bytes */
    art_str_t         created;
    art_str_t         updated;
    art_str_t         message_id;
    unsigned          folder:1;
} art_listing_entry_t;


/*
 * Write a listing: its beginning, the entries, and its end, with their number
 * and, unless its data is NULL, where the next page begins.  A file's id is
 * made of its workspace and path (ART_ID_PATH_MAX bytes at most).  Keys in the
 * order of the documentation.
 */

void art_listing_begin(art_json_put_t *put, const art_listing_t *list);
void art_listing_entry(art_json_put_t *put, const art_listing_t *list,
    const art_listing_entry_t *entry);
void art_listing_end(art_json_put_t *put, size_t count, art_str_t next);


#endif /* ART_LISTING_H_INCLUDED_ */
