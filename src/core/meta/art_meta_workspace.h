
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Metadata of a workspace's files: the entries of its ".meta.json".
 */


#ifndef ART_META_WORKSPACE_H_INCLUDED_
#define ART_META_WORKSPACE_H_INCLUDED_


#include "core/meta/art_meta.h"


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
 * (art_meta_page.h); ART_META_ABSENT if its data is NULL.
 */

art_meta_status_t art_meta_parse_entry(art_str_t entry, unsigned brief,
    art_meta_t *out);


#endif /* ART_META_WORKSPACE_H_INCLUDED_ */
