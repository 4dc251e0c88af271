
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecar metadata: "artifacts/{id}.meta" and the entry of one file in
 * "workspaces/{workspace}.meta.json".  Their writers differ, so every field is
 * optional and a field of a wrong JSON type counts as absent.
 */


#ifndef ART_META_H_INCLUDED_
#define ART_META_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_standin.h"


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
    art_str_t   expires;         /* "expiresAt" of an artifact, unchecked */
    art_str_t   message_id;
    art_str_t   agent_id;
    art_str_t   object;          /* "meta" */
    art_str_t   modified_by;
    art_str_t   extra;
    uint64_t    until;           /* "expires" in ms since 1970; 0: never */
    uint8_t    *memory;
    size_t      memory_len;
    unsigned    forever:1;       /* "expiresAt" is there, but is no time */
    unsigned    text:1;          /* "text" is true: whatever its bytes are */
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
 *
 * "expiresAt" is a time of RFC 3339 (art_time_read()).  If it is anything else
 * but null, "until" is 0 and "forever" is set, so that the caller can warn; a
 * record that was packed has no such mark.
 */

art_meta_status_t art_meta_parse(art_str_t text, art_meta_t *out);

void art_meta_free(art_meta_t *meta);


/* Whether only a stand-in may lead to the artifact ("standin" is true). */

int art_meta_is_standin(const art_meta_t *meta);


/*
 * Whether it is what the stand-in of this kind and "id" stands for: its digest
 * begins as the id, its type is that of the kind, and its size is that of the
 * content, "size" bytes.
 */

int art_meta_is_of_standin(const art_meta_t *meta, art_standin_t kind,
    art_str_t id, uint64_t size);


/* The same for the text of a sidecar, which is not parsed for it. */

int art_meta_hides(art_str_t text);


/*
 * Whether a content with this metadata is to be treated as absent: from the
 * millisecond of its "expiresAt" on.  "now" is in milliseconds since 1970.
 */

static inline int
art_meta_expired(const art_meta_t *meta, uint64_t now)
{
    return meta->until != 0 && meta->until <= now;
}


/*
 * Of a longer entry only the fields are kept.  A fold makes no longer ones
 * (ART_FOLD_ENTRY_MAX).
 */

#define ART_META_ENTRY_MAX  1048576      /* bytes of JSON text */


/*
 * Finds the entry files[key] in the text of a workspace's ".meta.json".
 * ART_META_ABSENT if the document is valid but has no such entry, or the entry
 * is not an object; otherwise as art_meta_parse(), but "extension" is an
 * unknown key.  The key is compared exactly.  A file's key is its path, and
 * art_meta_other_key() gives a second one to try: it writes "path" with "/" for
 * "\" to "buf" (room for path.len bytes) and returns 1, or 0 if that is the
 * path itself.
 *
 * With "brief", an entry of more than 32 KB is only searched for its fields (of
 * at most 64 KB each): "modified_by" and "extra" are then missing.  "extra" is
 * also missing if an entry has more than 128 KB besides its history.
 */

art_meta_status_t art_meta_parse_key(art_str_t text, art_str_t key,
    unsigned brief, art_meta_t *out);
unsigned art_meta_other_key(art_str_t path, uint8_t *buf, art_str_t *key);


/*
 * The same for one member of "files", found by an index (art_meta_index.h):
 * "text" is the member between "{" and "}", which the caller adds to what it
 * has read from the document.  ART_META_ABSENT if the member has another key,
 * ART_META_CORRUPT if it is not a member.
 */

art_meta_status_t art_meta_parse_member(art_str_t text, art_str_t key,
    unsigned brief, art_meta_t *out);


/*
 * The same for the text of one entry, as found by art_meta_find()
 * (art_meta_index.h); ART_META_ABSENT if its data is NULL.
 */

art_meta_status_t art_meta_parse_entry(art_str_t entry, unsigned brief,
    art_meta_t *out);


/*
 * Finds the top-level "createdAt" in "head", the first part of a sidecar or all
 * of it; data NULL if it is not there, or is not a plain time of at most
 * ART_META_TIME_MAX bytes.
 */

art_str_t art_meta_created(art_str_t head);


/*
 * Whether a Content-Type field may become "mimeType": not empty, at most 255
 * bytes (ART_META_TYPE_MAX) of valid UTF-8 without control characters.  The
 * type itself is examined when the sidecar is read.  The caller removes white
 * space around it.
 */

int art_meta_type_valid(art_str_t type);


/*
 * Packs a record into one block, which may be copied between processes of one
 * machine, and unpacks it.  art_meta_packed_size() returns the size of the
 * block in bytes, 0 for a record of 4 GB or more, which cannot be packed.
 * art_meta_pack() returns the bytes written, 0 if "room" is too small.
 * art_meta_unpack() makes *out point into "data", which must outlive it (no
 * art_meta_free() needed); ART_ERROR if the block is cut or has lengths that do
 * not fit.  The bytes of the fields are not checked.
 */

size_t art_meta_packed_size(const art_meta_t *meta);
size_t art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room);
int art_meta_unpack(const uint8_t *data, size_t len, art_meta_t *out);


/* The parts of the metadata answer that are not from the sidecar. */

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
 * extension, type, name, size, createdAt, updatedAt, expiresAt, messageId,
 * agentId, meta, mimeType, then the unknown keys of the sidecar; "type" is the
 * declared one,
 * or the media type in effect if none is declared.  For a workspace file: id,
 * type (the media type in effect), name, size, createdAt, updatedAt,
 * meta:{filename, workspaceId, relativePath, modifiedBy}, mimeType, then the
 * unknown keys.  "filename" is the last component of the path.  Fields whose
 * data is NULL are omitted; "modifiedBy" is [] if absent.  A computed value
 * wins over a key of the same name in the sidecar.
 */

void art_meta_print(art_out_t *out, const art_meta_t *meta,
    const art_meta_known_t *known);


/*
 * Writes the ".meta" of a new artifact as JSON: id, extension, type, name,
 * size, createdAt, expiresAt, messageId, agentId, digest, file, standin and
 * text, in this order, each on its own line.  Strings whose data is NULL are
 * omitted, and so are "standin" and "text" unless they are set; bytes that are
 * not UTF-8 become U+FFFD.
 * "mime" is stored as "type".
 */

typedef struct {
    art_str_t   id;
    art_str_t   extension;       /* empty, or with its dot: art_ref_file.h */
    art_str_t   mime;            /* as declared */
    art_str_t   name;
    uint64_t    size;            /* bytes */
    uint64_t    created;         /* milliseconds since 1970 */
    uint64_t    expires;         /* the same; 0: never */
    art_str_t   message_id;
    art_str_t   agent_id;
    art_str_t   digest;          /* of the content */
    art_str_t   file;            /* JSON text of "file", one object */
    unsigned    standin:1;       /* only a stand-in leads to it */
    unsigned    text:1;          /* it is one, whatever its bytes are */
} art_meta_new_t;

void art_meta_print_new(art_out_t *out, const art_meta_new_t *created);


#endif /* ART_META_H_INCLUDED_ */
