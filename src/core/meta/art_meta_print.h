
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writing metadata: the answer of ".../metadata", and a new sidecar.
 */


#ifndef ART_META_PRINT_H_INCLUDED_
#define ART_META_PRINT_H_INCLUDED_


#include "core/meta/art_meta.h"


/* What the metadata answer takes from elsewhere than the sidecar. */

typedef struct {
    art_str_t   id;              /* canonical */
    art_str_t   workspace;       /* empty for a regular artifact */
    art_str_t   path;
    art_str_t   name;            /* the name in effect */
    art_str_t   mime;            /* the media type in effect */
    uint64_t    size;            /* bytes */
} art_meta_known_t;


/*
 * Writes the answer of "GET {ref}/metadata" as JSON.  For an artifact: id,
 * extension, type, name, size, createdAt, updatedAt, messageId, agentId, meta,
 * mimeType, then the unknown keys of the sidecar; "type" is the declared one,
 * or the media type in effect if none is declared.  For a workspace file: id,
 * type (the media type in effect), name, size, createdAt, updatedAt,
 * meta:{filename, workspaceId, relativePath, modifiedBy}, mimeType, then the
 * unknown keys.  "filename" is the last component of the path.  Fields whose
 * data is NULL are left out; "modifiedBy" is [] if absent.  A computed value
 * wins over a key of the same name in the sidecar.
 */

void art_meta_print(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known);


/*
 * Writes the ".meta" of a new artifact as JSON: id, extension, type, name,
 * size, createdAt, messageId and agentId, in this order, each on its own line.
 * Strings whose data is NULL are left out; bytes that are not UTF-8 become
 * U+FFFD.  "mime" is stored as "type".
 */

typedef struct {
    art_str_t   id;
    art_str_t   extension;       /* empty, or with its dot: art_ref_file.h */
    art_str_t   mime;            /* as declared */
    art_str_t   name;
    uint64_t    size;            /* bytes */
    uint64_t    created;         /* milliseconds since 1970 */
    art_str_t   message_id;
    art_str_t   agent_id;
} art_meta_new_t;

void art_meta_print_new(art_out_t *out, const art_meta_new_t *created);


#endif /* ART_META_PRINT_H_INCLUDED_ */
