
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/journal/art_journal_merge.h"
#include "core/journal/art_journal.h"
#include "core/journal/art_fold_int.h"
#include "core/journal/art_meta_index.h"


static void art_fold_set_add(art_fold_set_t *set,
    const art_journal_record_t *record, size_t pos);
static uint32_t *art_fold_set_slot(const art_fold_set_t *set, uint64_t hash,
    art_str_t path);


int
art_fold_set_init(art_fold_set_t *set, art_str_t journal)
{
    size_t                n, pos, start;
    art_journal_record_t  record;

    memset(set, 0, sizeof(art_fold_set_t));
    set->journal = journal;

    n = journal.len / ART_JOURNAL_HEAD + 1;
    set->mask = 1;

    while (set->mask < 2 * n) {
        set->mask = set->mask * 2 + 1;
    }

    set->records = malloc(n * sizeof(art_fold_record_t));
    set->paths = malloc(n * sizeof(art_fold_path_t));
    set->slots = malloc((set->mask + 1) * sizeof(uint32_t));

    if (set->records == NULL || set->paths == NULL || set->slots == NULL) {
        return ART_ERROR;
    }

    memset(set->slots, 0xff, (set->mask + 1) * sizeof(uint32_t));

    pos = 0;

    for (start = 0; art_journal_next(journal, &pos, &record); start = pos) {

        if (start == 0) {
            set->time = record.time;
        }

        if (record.op != ART_JOURNAL_CLOCK) {
            art_fold_set_add(set, &record, start);
        }
    }

    return ART_OK;
}


void
art_fold_set_free(art_fold_set_t *set)
{
    free(set->records);
    free(set->paths);
    free(set->slots);
}


static void
art_fold_set_add(art_fold_set_t *set, const art_journal_record_t *record,
    size_t pos)
{
    uint32_t         *slot, i;
    uint64_t          hash;
    art_fold_path_t  *path;

    hash = art_meta_index_hash(record->path);
    slot = art_fold_set_slot(set, hash, record->path);

    i = (uint32_t) set->nrecords++;
    set->records[i].pos = pos;
    set->records[i].next = ART_FOLD_NONE;

    if (*slot == ART_FOLD_NONE) {
        *slot = (uint32_t) set->npaths++;

        path = &set->paths[*slot];
        memset(path, 0, sizeof(art_fold_path_t));

        path->path = record->path;
        path->hash = hash;
        path->first = i;

    } else {
        path = &set->paths[*slot];
        set->records[path->last].next = i;
    }

    path->last = i;
    path->count++;
    path->deleted = (record->op == ART_JOURNAL_DELETE);
    path->edit = ART_FOLD_NONE;
}


art_fold_path_t *
art_fold_set_find(const art_fold_set_t *set, uint64_t hash, art_str_t path)
{
    uint32_t  i;

    i = *art_fold_set_slot(set, hash, path);

    return i != ART_FOLD_NONE ? &set->paths[i] : NULL;
}


/* Where a path is, or would be; half of the slots at least are free. */

static uint32_t *
art_fold_set_slot(const art_fold_set_t *set, uint64_t hash, art_str_t path)
{
    size_t           i;
    uint32_t         n;

    for (i = (size_t) hash & set->mask; /* void */; i = (i + 1) & set->mask) {
        n = set->slots[i];

        if (n == ART_FOLD_NONE
            || (set->paths[n].hash == hash
                && art_str_eq(set->paths[n].path, path)))
        {
            return &set->slots[i];
        }
    }
}


int
art_fold_set_merge(const art_fold_set_t *set, const art_fold_path_t *path,
    json_t *entry, json_t **merged)
{
    int                    rc;
    size_t                 n, pos;
    uint32_t               i;
    art_journal_record_t  *records;

    *merged = NULL;

    records = malloc(path->count * sizeof(art_journal_record_t));

    if (records == NULL) {
        json_decref(entry);
        return ART_ERROR;
    }

    n = 0;

    for (i = path->first; i != ART_FOLD_NONE; i = set->records[i].next) {
        pos = set->records[i].pos;
        n += art_journal_next(set->journal, &pos, &records[n]);
    }

    rc = art_entry_merge(entry, records, n, merged);

    free(records);

    return rc;
}
