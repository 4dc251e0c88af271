
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the records of one path do to its entry; shared by art_journal.c and
 * art_fold*.c, not for anybody else.
 */


#ifndef ART_JOURNAL_MERGE_H_INCLUDED_
#define ART_JOURNAL_MERGE_H_INCLUDED_


#include "core/journal/art_journal.h"
#include "core/meta/art_meta_int.h"


/*
 * Applies records of one path, in their order (times ascending), by the rules
 * of art_journal_apply().  "entry" is the tree of the entry, or NULL for none;
 * the reference is taken over.  *merged becomes the tree that results, NULL if
 * there is none.  ART_ERROR when out of memory, with *merged NULL.
 */

int art_journal_merge(json_t *entry, const art_journal_record_t *records,
    size_t n, json_t **merged);


#endif /* ART_JOURNAL_MERGE_H_INCLUDED_ */
