
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Applying the records of one path to its entry; private to art_journal.c and
 * art_fold*.c.
 */


#ifndef ART_JOURNAL_MERGE_H_INCLUDED_
#define ART_JOURNAL_MERGE_H_INCLUDED_


#include "core/journal/art_history.h"
#include "core/meta/art_meta_int.h"


typedef enum {
    ART_JOURNAL_MERGE_NONE = 0,  /* there is no entry */
    ART_JOURNAL_MERGE_SAME,      /* the entry is unchanged */
    ART_JOURNAL_MERGE_PUT,       /* the remaining records change the entry */
    ART_JOURNAL_MERGE_NEW        /* the remaining records begin an entry */
} art_journal_merge_t;


/*
 * Tells how the records of one path, in ascending order of times, change its
 * entry, by the rules of art_journal_apply().  "exists" tells whether there is
 * an entry.  "history" has all records and the text of the entry's
 * "modifiedBy".  Afterwards it has only the records that have to be applied,
 * and the text if that is kept.
 */

art_journal_merge_t art_journal_merge(art_history_t *history, unsigned exists);


/*
 * Applies them to the tree of an entry (NULL: no entry), whose reference is
 * taken over.  *merged becomes the resulting tree, NULL if there is no entry.
 * Its "modifiedBy" is null, to be replaced by "history" when it is printed.
 * ART_ERROR when out of memory, with *merged NULL.
 */

int art_journal_merge_tree(json_t *entry, art_history_t *history,
    json_t **merged);


#endif /* ART_JOURNAL_MERGE_H_INCLUDED_ */
