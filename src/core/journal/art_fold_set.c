
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/journal/art_journal.h"
#include "core/journal/art_fold_int.h"


static void art_fold_set_add(art_fold_set_t *set,
    const art_journal_record_t *record, size_t pos);
static uint32_t *art_fold_set_item(const art_fold_set_t *set, art_str_t path,
    art_table_key_t *key);


int
art_fold_set_init(art_fold_set_t *set, art_str_t journal,
    const uint64_t seed[2])
{
    size_t                n, pos, start;
    art_journal_record_t  record;

    memset(set, 0, sizeof(art_fold_set_t));
    set->journal = journal;
    set->table.seed[0] = seed[0];
    set->table.seed[1] = seed[1];

    n = journal.len / ART_JOURNAL_HEAD + 1;

    set->records = malloc(n * sizeof(art_fold_record_t));
    set->paths = malloc(n * sizeof(art_fold_path_t));

    if (set->records == NULL || set->paths == NULL
        || art_table_room(&set->table, n) != ART_OK)
    {
        return ART_ERROR;
    }

    pos = 0;

    for (start = 0; art_journal_next(journal, &pos, &record); start = pos) {

        if (record.op == ART_JOURNAL_CLOCK) {
            continue;
        }

        if (set->nrecords == 0) {
            set->time = record.time;
        }

        art_fold_set_add(set, &record, start);
    }

    return ART_OK;
}


void
art_fold_set_free(art_fold_set_t *set)
{
    free(set->records);
    free(set->paths);
    art_table_free(&set->table);
}


static void
art_fold_set_add(art_fold_set_t *set, const art_journal_record_t *record,
    size_t pos)
{
    uint32_t         *item, i;
    art_fold_path_t  *path;
    art_table_key_t   key;

    i = (uint32_t) set->nrecords++;
    set->records[i].pos = pos;
    set->records[i].next = ART_FOLD_NONE;

    item = art_fold_set_item(set, record->path, &key);

    if (item == NULL) {
        (void) art_table_add(&set->table, &key, (uint32_t) set->npaths);

        path = &set->paths[set->npaths++];
        memset(path, 0, sizeof(art_fold_path_t));

        path->path = record->path;
        path->first = i;

    } else {
        path = &set->paths[*item];
        set->records[path->last].next = i;
    }

    path->last = i;
    path->count++;
    path->deleted = (record->op == ART_JOURNAL_DELETE);
    path->edit = ART_FOLD_NONE;
}


art_fold_path_t *
art_fold_set_find(const art_fold_set_t *set, art_str_t path)
{
    uint32_t         *item;
    art_table_key_t   key;

    item = art_fold_set_item(set, path, &key);

    return item != NULL ? &set->paths[*item] : NULL;
}


static uint32_t *
art_fold_set_item(const art_fold_set_t *set, art_str_t path,
    art_table_key_t *key)
{
    uint32_t  *item;

    art_table_key(&set->table, key, path.data, path.len);

    do {
        item = art_table_next(&set->table, key);
    } while (item != NULL && !art_str_eq(set->paths[*item].path, path));

    return item;
}


art_journal_record_t *
art_fold_set_records(const art_fold_set_t *set, const art_fold_path_t *path,
    size_t *n)
{
    size_t                 pos;
    uint32_t               i;
    art_journal_record_t  *records;

    *n = 0;

    records = malloc(path->count * sizeof(art_journal_record_t));

    if (records == NULL) {
        return NULL;
    }

    for (i = path->first; i != ART_FOLD_NONE; i = set->records[i].next) {
        pos = set->records[i].pos;
        *n += art_journal_next(set->journal, &pos, &records[*n]);
    }

    return records;
}
