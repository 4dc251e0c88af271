
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the records of one path do to its entry; shared by art_journal.c and
 * art_fold*.c, not for anybody else.
 */


#ifndef ART_JOURNAL_MERGE_H_INCLUDED_
#define ART_JOURNAL_MERGE_H_INCLUDED_


#include "core/journal/art_history.h"
#include "core/meta/art_meta_int.h"


typedef enum {
    ART_JOURNAL_MERGE_NONE = 0,  /* there is no entry */
    ART_JOURNAL_MERGE_SAME,      /* the entry as it is */
    ART_JOURNAL_MERGE_PUT,       /* the entry with the records that are left */
    ART_JOURNAL_MERGE_NEW        /* they begin an entry */
} art_journal_merge_t;


/*
 * What the records of one path, in their order (times ascending), do to its
 * entry, which exists or not, by the rules of art_journal_apply().  "history"
 * has all of them and the text of the entry's "modifiedBy"; left in it are
 * those that have to be applied, and the text if that stays.
 */

art_journal_merge_t art_journal_merge(art_history_t *history, unsigned exists);


/*
 * Applies them to the tree of an entry, NULL for none; the reference is taken
 * over.  *merged becomes the tree that results, NULL if there is none;
 * "modifiedBy" is null in it, to be printed in its place from "history".
 * ART_ERROR when out of memory, with *merged NULL.
 */

int art_journal_merge_tree(json_t *entry, art_history_t *history,
    json_t **merged);


#endif /* ART_JOURNAL_MERGE_H_INCLUDED_ */
