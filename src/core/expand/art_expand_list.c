
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lists of slots and groups that a scan has found, and their strings.
 */


#include "core/base/art_hash.h"
#include "core/expand/art_expand_scan_int.h"


/* Distinct references: their ids, and how often they occur. */

typedef struct {
    art_table_t          table;      /* their numbers */
    art_str_t           *ids;
    art_standin_t       *standins;   /* what carries them, if anything does */
    uint32_t            *uses;
    uint32_t             n;
} art_refs_t;


static int art_refs_init(art_refs_t *refs, const art_scanner_t *scan,
    size_t n);
static void art_refs_add(art_refs_t *refs, art_message_slot_t *slot);


art_message_slot_t *
art_scan_slot(const art_scan_t *scan, uint32_t i)
{
    const art_scanner_t *scanner = (const void *) scan;

    return art_list_at(&scanner->slots, i, sizeof(art_message_slot_t));
}


art_message_group_t *
art_scan_group(const art_scan_t *scan, uint32_t i)
{
    const art_scanner_t *scanner = (const void *) scan;

    return art_list_at(&scanner->groups, i, sizeof(art_message_group_t));
}


art_message_slot_t *
art_list_slot(art_scanner_t *scan)
{
    if (scan->found.nslots - scan->found.finds == ART_MESSAGE_MEDIA_MAX) {
        scan->found.full = 1;
        return NULL;
    }

    return art_list_find(scan);
}


art_message_slot_t *
art_list_find(art_scanner_t *scan)
{
    return art_list_add(scan, &scan->slots, &scan->found.nslots,
                        sizeof(art_message_slot_t));
}


art_message_group_t *
art_list_group(art_scanner_t *scan)
{
    return art_list_add(scan, &scan->groups, &scan->found.ngroups,
                        sizeof(art_message_group_t));
}


void *
art_list_add(art_scanner_t *scan, art_scan_list_t *list, uint32_t *n,
    size_t size)
{
    void  *item, *block;

    /* what has been taken back left its blocks */

    if (*n / ART_MESSAGE_SLOTS_BLOCK == list->nblocks) {
        block = scan->arena.pool.alloc(scan->arena.pool.data,
                                       ART_MESSAGE_SLOTS_BLOCK * size);
        if (block == NULL) {
            (void) art_list_fail(scan, ART_SCAN_NO_MEMORY);
            return NULL;
        }

        list->blocks[list->nblocks++] = block;
    }

    item = art_list_at(list, (*n)++, size);

    memset(item, 0, size);

    return item;
}


void
art_list_remove(art_scanner_t *scan, uint32_t n)
{
    for (scan->found.nslots--; n < scan->found.nslots; n++) {
        *art_scan_slot(&scan->found, n) = *art_scan_slot(&scan->found, n + 1);
    }
}


/*
 * Numbers the distinct references in the order of their slots, and how often
 * each has occurred.
 */

int
art_list_refs(art_scanner_t *scan)
{
    uint32_t             i, n;
    art_refs_t           refs;
    art_message_slot_t  *slot;

    n = 0;

    for (i = 0; i < scan->found.nslots; i++) {
        n += art_scan_slot(&scan->found, i)->held == ART_HELD_REF;
    }

    if (n == 0) {
        return ART_OK;
    }

    if (art_refs_init(&refs, scan, n) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    for (i = 0; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if (slot->held == ART_HELD_REF) {
            art_refs_add(&refs, slot);
        }
    }

    scan->found.nrefs = refs.n;

    return ART_OK;
}


/* Memory for as many references as there may be. */

static int
art_refs_init(art_refs_t *refs, const art_scanner_t *scan, size_t n)
{
    size_t             size;
    art_table_slot_t  *slots;
    const art_pool_t  *pool;

    memset(refs, 0, sizeof(*refs));

    pool = &scan->found.conf.pool;
    size = art_table_size(n);

    slots = pool->alloc(pool->data, size * sizeof(art_table_slot_t));
    refs->ids = pool->alloc(pool->data, n * sizeof(art_str_t));
    refs->standins = pool->alloc(pool->data, n * sizeof(art_standin_t));
    refs->uses = pool->alloc(pool->data, n * sizeof(uint32_t));

    if (slots == NULL || refs->ids == NULL || refs->standins == NULL
        || refs->uses == NULL)
    {
        return ART_ERROR;
    }

    memcpy(refs->table.seed, scan->found.conf.seed, sizeof(refs->table.seed));
    art_table_use(&refs->table, slots, size);

    return ART_OK;
}


static void
art_refs_add(art_refs_t *refs, art_message_slot_t *slot)
{
    uint32_t         *ref;
    art_table_key_t   key;

    art_table_key(&refs->table, &key, slot->text.data, slot->text.len);

    while ((ref = art_table_next(&refs->table, &key)) != NULL) {

        if (art_str_eq(refs->ids[*ref], slot->text)
            && refs->standins[*ref] == slot->standin)
        {
            slot->ref = *ref;

            if (slot->standin == ART_STANDIN_NONE) {
                slot->nth = refs->uses[*ref]++;
            }

            return;
        }
    }

    slot->ref = refs->n++;

    if (slot->standin == ART_STANDIN_NONE) {
        slot->nth = 0;
    }

    refs->uses[slot->ref] = 1;
    refs->ids[slot->ref] = slot->text;
    refs->standins[slot->ref] = slot->standin;

    (void) art_table_add(&refs->table, &key, slot->ref);
}


int
art_arena_copy(art_arena_t *arena, art_str_t text, art_str_t *copy)
{
    art_arena_block_t  *block;

    *copy = art_str(NULL, 0);

    if (text.len == 0) {
        return ART_OK;
    }

    if (text.len > ART_ARENA_BLOCK) {
        return ART_ERROR;
    }

    block = arena->at.last;

    if (block == NULL || arena->at.used + text.len > ART_ARENA_BLOCK) {
        block = block != NULL ? block->next : arena->first;

        if (block == NULL) {
            block = arena->pool.alloc(arena->pool.data, sizeof(*block));

            if (block == NULL) {
                return ART_ERROR;
            }

            block->next = NULL;

            if (arena->at.last != NULL) {
                arena->at.last->next = block;

            } else {
                arena->first = block;
            }
        }

        arena->at.last = block;
        arena->at.used = 0;
    }

    *copy = art_str(block->data + arena->at.used, text.len);

    memcpy(block->data + arena->at.used, text.data, text.len);
    arena->at.used += text.len;

    return ART_OK;
}
