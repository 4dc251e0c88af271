
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The writes of a file, "modifiedBy" of its entry: a JSON array that may be
 * long, so that no tree is built of it.  Everything is linear in its text.
 */


#ifndef ART_HISTORY_H_INCLUDED_
#define ART_HISTORY_H_INCLUDED_


#include "core/journal/art_journal.h"


/*
 * "text" is a sound array as it stands in the entry, from its bracket on, or
 * empty; "records" are writes that join it, those with an agent.
 */

typedef struct {
    art_str_t                    text;
    const art_journal_record_t  *records;
    size_t                       n;
    size_t                       skip;   /* bytes of the text, left out */
} art_history_t;


/*
 * How many of the records, whose times ascend, stand in the history already:
 * all up to the last of those in it, as writes without an agent leave no trace.
 */

size_t art_history_folded(const art_history_t *history);


/*
 * Prints the array: the writes of the text as they stand there, then those of
 * the records like JSON.stringify(value, null, indent) within "depth" objects
 * or arrays, or (indent 0) on one line.
 *
 * art_history_fit() returns how long it is.  If that is more than "max" bytes,
 * the oldest writes are left out of it, until there is an eighth less: not
 * every write has to make room.
 */

size_t art_history_fit(art_history_t *history, unsigned indent,
    unsigned depth, size_t max);
void art_history_print(art_out_t *out, const art_history_t *history,
    unsigned indent, unsigned depth);


#endif /* ART_HISTORY_H_INCLUDED_ */
