
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a listing takes from the metadata of a workspace: the entries of many
 * files in one pass over the document, or over its journals.
 */


#ifndef ART_META_PAGE_H_INCLUDED_
#define ART_META_PAGE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * One of the keys asked about, a path or what art_meta_other_key() makes of
 * one; two files may ask for the same.  "item" and "other" are the caller's.
 */

typedef struct {
    art_str_t   key;
    size_t      item;
    unsigned    other:1;
    art_str_t   entry;           /* found by art_meta_find() */
    art_str_t   records;         /* found by art_meta_records() */
} art_meta_wanted_t;


/* Puts "n" keys into the order that the searches need. */

void art_meta_sort(art_meta_wanted_t *wanted, size_t n);


/*
 * Finds the entries of keys in the text of a workspace's ".meta.json", as
 * art_meta_parse_key() finds one: "entry" becomes the text of the entry, which
 * points into the document, data NULL if there is none.  ART_ERROR if the
 * document is corrupt: no entry is set then.
 */

int art_meta_find(art_str_t text, art_meta_wanted_t *wanted, size_t n);


/*
 * Sorts the records of journals out by keys: "records" becomes a journal of
 * those of the key alone, for art_journal_apply(), empty if there are none.
 * "journals" come in the order in which they apply; "buf" has room for all of
 * them together, and keeps the records.
 */

void art_meta_records(const art_str_t *journals, size_t njournals,
    art_meta_wanted_t *wanted, size_t n, uint8_t *buf);


/*
 * The "createdAt" on top of a sidecar of which "head" is the first part, or
 * all; data NULL if it does not stand there, or is no plain time of at most
 * ART_META_TIME_MAX bytes.
 */

art_str_t art_meta_created(art_str_t head);


#endif /* ART_META_PAGE_H_INCLUDED_ */
