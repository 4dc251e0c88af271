
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How the records of a path change its entry, and the entry's history: the
 * writes in "modifiedBy", a JSON array that may be long, so no tree is built of
 * it.  Everything is linear in its text.
 */


#ifndef ART_HISTORY_H_INCLUDED_
#define ART_HISTORY_H_INCLUDED_


#include "core/journal/art_journal.h"


/*
 * "text" is a valid array as in the entry, from its bracket on, or empty.
 * "records" are new writes; those with an agent are added to the array.
 */

typedef struct {
    art_str_t                    text;
    const art_journal_record_t  *records;
    size_t                       n;
    size_t                       skip;   /* bytes of the text to omit */
} art_history_t;


typedef enum {
    ART_HISTORY_NONE = 0,        /* there is no entry */
    ART_HISTORY_SAME,            /* the entry is unchanged */
    ART_HISTORY_PUT,             /* the remaining records change the entry */
    ART_HISTORY_NEW              /* the remaining records begin an entry */
} art_history_merge_t;


/*
 * Returns how the records of one path, in ascending order of time, change its
 * entry, by the rules of art_journal_apply().  "exists": there is an entry.
 * "history" has all records and the text of the entry's "modifiedBy".
 * Afterwards it has only the records that have to be applied, and the text if
 * that is kept.
 */

art_history_merge_t art_history_merge(art_history_t *history, unsigned exists);


/*
 * Prints the array: the writes of the text unchanged, then those of the records
 * like JSON.stringify(value, null, indent) inside "depth" objects or arrays, or
 * (indent 0) on one line.
 *
 * art_history_fit() returns its length.  If it would exceed "max" bytes, the
 * oldest writes are omitted until an eighth is free, so that not every later
 * write has to make room again.
 */

size_t art_history_fit(art_history_t *history, unsigned indent,
    unsigned depth, size_t max);
void art_history_print(art_out_t *out, const art_history_t *history,
    unsigned indent, unsigned depth);


#endif /* ART_HISTORY_H_INCLUDED_ */
