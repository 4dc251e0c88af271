
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Metadata for listings of a workspace: the entries of many files in one pass
 * over the document or over its journals.
 */


#ifndef ART_META_PAGE_H_INCLUDED_
#define ART_META_PAGE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * One of the keys to find: a path, or what art_meta_other_key() makes of one.
 * Two files may want the same key.  "item" and "other" are the caller's.
 */

typedef struct {
    art_str_t   key;
    size_t      item;
    unsigned    other:1;
    art_str_t   entry;           /* found by art_meta_find() */
    art_str_t   records;         /* found by art_meta_records() */
} art_meta_wanted_t;


/* Sorts "n" keys in the order that the searches need. */

void art_meta_sort(art_meta_wanted_t *wanted, size_t n);


/*
 * Finds the entries of keys in the text of a workspace's ".meta.json", by the
 * rules of art_meta_parse_key().  "entry" becomes the text of the entry, which
 * points into the document, or data NULL if there is none.  ART_ERROR if the
 * document is corrupt: no entry is set then.
 */

int art_meta_find(art_str_t text, art_meta_wanted_t *wanted, size_t n);


/*
 * Splits journals by keys: "records" becomes a journal with the records of that
 * key alone, for art_journal_apply(), or empty.  "journals" are in the order in
 * which they apply.  "buf" has room for all of them together; "records" point
 * into it.
 */

void art_meta_records(const art_str_t *journals, size_t njournals,
    art_meta_wanted_t *wanted, size_t n, uint8_t *buf);


#endif /* ART_META_PAGE_H_INCLUDED_ */
