
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


/* Longer strings are cut at a character boundary (name) or dropped. */

#define ART_META_NAME_MAX       1024    /* bytes */
#define ART_META_TYPE_MAX       255
#define ART_META_EXTENSION_MAX  64
#define ART_META_TIME_MAX       64
#define ART_META_ID_MAX         255     /* messageId, agentId */

/*
 * Of a workspace entry longer than this, only the fields are kept.  A fold
 * makes none (ART_FOLD_ENTRY_MAX).
 */

#define ART_META_ENTRY_MAX      1048576 /* bytes of JSON text */


typedef enum {
    ART_META_OK = 0,
    ART_META_ABSENT,             /* no entry for this path */
    ART_META_CORRUPT             /* no JSON, no object, hostile extension */
} art_meta_status_t;


/*
 * One file's metadata.  A string that is absent has data NULL.  "object" and
 * "modified_by" are JSON texts: the "meta" object of an artifact, and the
 * "modifiedBy" array of a workspace file.  "extra" is the JSON text of an
 * object that holds the keys not known here (of a workspace entry too, except
 * "id" and "size", which are computed), NULL if there are none.  Numbers in
 * the JSON texts are the 64-bit integers and the doubles of the sidecar.  The
 * strings live in one allocation, owned by the structure: art_meta_free().
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
 * Parses the text of a ".meta" file (RFC 8259; of a key that stands twice the
 * last counts).  An "extension" that is not one path component (it is "." or
 * "..", holds "/", NUL or a control character, is longer than
 * ART_META_EXTENSION_MAX, or ends in ".meta" or ".meta.json", in any case of
 * letters) makes the metadata corrupt, as does what jansson does not take: a
 * nesting deeper than 2048, a number beyond the range of doubles, a key with a
 * NUL in it, an escaped half of a surrogate pair; and a lack of memory.  Never
 * fails otherwise; *out is cleared first and needs art_meta_free() only after
 * ART_META_OK.
 *
 * Absent count also: an empty string (but an empty "extension" is kept), a
 * string with a NUL in it, a time with a control character in it.
 */

art_meta_status_t art_meta_parse(art_str_t text, art_meta_t *out);


/*
 * Finds the entry files[key] in the text of a workspace's ".meta.json".
 * ART_META_ABSENT when the document is sound but has no such entry, or the
 * entry is not an object; else as art_meta_parse(), but "extension" is a key
 * like any unknown one.  The key is compared exactly: a file's is its path,
 * and art_meta_other_key() gives the second one to try.  It writes "path" with
 * "/" for "\" to "buf" (room for path.len bytes) and returns 1, or 0 if that
 * is the path itself.  With "brief" set, "modified_by" and "extra" may be
 * missing: those of an entry of more than 32 KB are, which is then only
 * searched for its fields (of at most 64 KB each).
 */

art_meta_status_t art_meta_parse_key(art_str_t text, art_str_t key,
    unsigned brief, art_meta_t *out);
unsigned art_meta_other_key(art_str_t path, uint8_t *buf, art_str_t *key);


/*
 * The same for one member of "files", found by an index (art_index.h): "text"
 * is the member between "{" and "}", which the reader puts around what it has
 * read from the document.  ART_META_ABSENT if it is the member of another key,
 * ART_META_CORRUPT if it is no member at all.
 */

art_meta_status_t art_meta_parse_member(art_str_t text, art_str_t key,
    unsigned brief, art_meta_t *out);


void art_meta_free(art_meta_t *meta);


/*
 * Whether a file of this name in artifacts/ is a sidecar, ends in ".meta" or
 * ".meta.json" in any case of letters.  An id and an extension may be harmless
 * each and make such a name together ("x.meta" and ".json"), so it is the
 * name of the file to be opened that has to be asked about.
 */

int art_meta_reserved(art_str_t name);


/*
 * Packs a record into one block that can be copied between processes of one
 * machine, and back.  art_meta_pack() returns the number of bytes written, or
 * 0 if "room" is too small (art_meta_packed_size() tells the size, 0 for a
 * record of 4 GB or more, which cannot be packed).  art_meta_unpack() makes
 * *out point into "data", which must outlive it (no art_meta_free() needed);
 * ART_ERROR if the block is not sound: cut, or with lengths that do not fit.
 * The bytes of the fields are not checked.
 */

size_t art_meta_packed_size(const art_meta_t *meta);
size_t art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room);
int art_meta_unpack(const uint8_t *data, size_t len, art_meta_t *out);


/* What the metadata answer states from elsewhere than the sidecar. */

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
 * or the media type in effect where none is.  For a workspace file: id, type
 * (the media type in effect), name, size, createdAt, updatedAt,
 * meta:{filename, workspaceId, relativePath, modifiedBy}, mimeType, then the
 * unknown keys.  "filename" is the last component of the path.  Fields whose
 * data is NULL are left out; "modifiedBy" is [] if absent.  Computed values win
 * over a sidecar's key of the same name.
 */

void art_meta_print(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known);


/*
 * The ".meta" of an artifact that was just stored: id, extension, type, name,
 * size, createdAt, messageId and agentId, in this order, as JSON on lines of
 * their own.  Strings whose data is NULL are left out; what is not UTF-8
 * becomes U+FFFD.  "mime" is stored as "type".
 */

typedef struct {
    art_str_t   id;
    art_str_t   extension;       /* with its dot, or empty: art_name.h */
    art_str_t   mime;            /* as declared */
    art_str_t   name;
    uint64_t    size;            /* bytes */
    uint64_t    created;         /* milliseconds since 1970 */
    art_str_t   message_id;
    art_str_t   agent_id;
} art_meta_new_t;

void art_meta_print_new(art_out_t *out, const art_meta_new_t *created);


#endif /* ART_META_H_INCLUDED_ */
