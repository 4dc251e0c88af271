
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecar metadata: "artifacts/{id}.meta" and the entry of one file in
 * "workspaces/{workspace}.meta.json".  Their writers differ, so every field
 * is optional and a field of a wrong JSON type counts as absent.
 */


#ifndef ART_META_H_INCLUDED_
#define ART_META_H_INCLUDED_


#include "core/base/art_core.h"


/* A longer name is cut at a character boundary; other strings are dropped. */

#define ART_META_NAME_MAX       1024    /* bytes */
#define ART_META_TYPE_MAX       255
#define ART_META_TIME_MAX       64
#define ART_META_ID_MAX         255     /* messageId, agentId */


typedef enum {
    ART_META_OK = 0,
    ART_META_ABSENT,             /* no entry for this path */
    ART_META_CORRUPT             /* not a JSON object, or bad extension */
} art_meta_status_t;


/*
 * One file's metadata.  Absent strings have data NULL.  "object" and
 * "modified_by" are JSON texts: the "meta" object of an artifact and the
 * "modifiedBy" array of a workspace file.  "extra" is the JSON text of an
 * object with all other keys of the sidecar (in a workspace's entry without
 * "id" and "size", which are computed); its data is NULL if there are none.
 * Numbers in the JSON texts are the 64-bit integers and the doubles of the
 * sidecar.  The strings are in one allocation, owned by the structure:
 * art_meta_free().
 */

typedef struct {
    art_str_t   type;            /* "type", as declared, unchecked */
    art_str_t   mime;            /* "mimeType", as declared, unchecked */
    art_str_t   name;            /* "name", "filename", meta.name/filename */
    art_str_t   extension;
    art_str_t   created;         /* "createdAt" */
    art_str_t   updated;         /* "updatedAt" */
    art_str_t   message_id;
    art_str_t   agent_id;
    art_str_t   object;          /* "meta" */
    art_str_t   modified_by;
    art_str_t   extra;
    uint8_t    *memory;
    size_t      memory_len;
} art_meta_t;


/*
 * Parses the text of a ".meta" file (RFC 8259; if a key occurs twice, the last
 * one counts).  *out is cleared first and needs art_meta_free() only after
 * ART_META_OK.  ART_META_CORRUPT for
 *
 *   - a text that is not a JSON object;
 *   - an "extension" that is not one path component: it is "." or "..", has a
 *     "/", a NUL or a control character, is longer than
 *     ART_REF_FILE_EXTENSION_MAX, or ends in ".meta" or ".meta.json", in any
 *     case of letters;
 *   - what jansson refuses: a nesting deeper than 2048, a number beyond the
 *     range of doubles, a key with a NUL in it, an escaped half of a surrogate
 *     pair;
 *   - a lack of memory.
 *
 * These count as absent: an empty string (but an empty "extension" is kept), a
 * string with a NUL in it, a time with a control character in it.
 */

art_meta_status_t art_meta_parse(art_str_t text, art_meta_t *out);

void art_meta_free(art_meta_t *meta);


/*
 * Whether a Content-Type field may become "mimeType": not empty, at most 255
 * bytes (ART_META_TYPE_MAX) of valid UTF-8 without control characters.  The
 * type itself is judged when the sidecar is read.  The caller removes white
 * space around it.
 */

int art_meta_type_valid(art_str_t type);


#endif /* ART_META_H_INCLUDED_ */
