
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lists of what a scan has found, in blocks, and its strings.
 */


#include "core/expand/art_expand_scan_int.h"


static void *art_list_item(art_scanner_t *scan, void **blocks, uint32_t n,
    size_t size);
static int art_list_refs(art_scanner_t *scan);
static void *art_list_alloc(art_scanner_t *scan, size_t size);


art_message_slot_t *
art_scan_slot(const art_scan_t *scan, uint32_t i)
{
    const art_scanner_t  *scanner;

    scanner = (const void *) scan;

    return &scanner->slots[i / ART_MESSAGE_SLOTS_BLOCK]
                          [i % ART_MESSAGE_SLOTS_BLOCK];
}


art_message_group_t *
art_scan_group(const art_scan_t *scan, uint32_t i)
{
    const art_scanner_t  *scanner;

    scanner = (const void *) scan;

    return &scanner->groups[i / ART_MESSAGE_SLOTS_BLOCK]
                           [i % ART_MESSAGE_SLOTS_BLOCK];
}


art_message_slot_t *
art_list_slot(art_scanner_t *scan)
{
    void                *block;
    art_message_slot_t  *slot;

    if (scan->found.nslots == ART_MESSAGE_SLOTS_MAX) {
        scan->found.full = 1;
        return NULL;
    }

    block = scan->slots[scan->found.nslots / ART_MESSAGE_SLOTS_BLOCK];
    slot = art_list_item(scan, &block, scan->found.nslots, sizeof(*slot));

    if (slot != NULL) {
        scan->slots[scan->found.nslots / ART_MESSAGE_SLOTS_BLOCK] = block;
        scan->found.nslots++;
    }

    return slot;
}


art_message_group_t *
art_list_group(art_scanner_t *scan)
{
    void                 *block;
    art_message_group_t  *group;

    block = scan->groups[scan->found.ngroups / ART_MESSAGE_SLOTS_BLOCK];
    group = art_list_item(scan, &block, scan->found.ngroups, sizeof(*group));

    if (group != NULL) {
        scan->groups[scan->found.ngroups / ART_MESSAGE_SLOTS_BLOCK] = block;
        scan->found.ngroups++;
    }

    return group;
}


/* The item of that number in its block, which is allocated if need be. */

static void *
art_list_item(art_scanner_t *scan, void **block, uint32_t n, size_t size)
{
    uint8_t  *item;

    if (*block == NULL) {
        *block = art_list_alloc(scan, ART_MESSAGE_SLOTS_BLOCK * size);

        if (*block == NULL) {
            (void) art_list_fail(scan, ART_SCAN_NO_MEMORY);
            return NULL;
        }
    }

    item = *block;
    item += n % ART_MESSAGE_SLOTS_BLOCK * size;

    memset(item, 0, size);

    return item;
}


void
art_list_cut(art_scanner_t *scan, uint32_t n)
{
    scan->found.nslots = n;
}


void
art_list_remove(art_scanner_t *scan, uint32_t n)
{
    for (scan->found.nslots--; n < scan->found.nslots; n++) {
        *art_scan_slot(&scan->found, n) = *art_scan_slot(&scan->found, n + 1);
    }
}


int
art_list_fail(art_scanner_t *scan, art_scan_status_t status)
{
    scan->found.status = status;

    return ART_ERROR;
}


int
art_list_ref(art_scanner_t *scan, art_message_slot_t *slot)
{
    uint32_t         *ref;
    art_table_key_t   key;

    if (++scan->found.occurrences > scan->found.conf.refs_max) {
        return art_list_fail(scan, ART_SCAN_TOO_MANY);
    }

    if (scan->refs == NULL && art_list_refs(scan) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    art_table_key(&scan->table, &key, slot->text.data, slot->text.len);

    while ((ref = art_table_next(&scan->table, &key)) != NULL) {

        if (art_str_eq(scan->refs[*ref], slot->text)) {
            slot->ref = *ref;
            slot->nth = scan->uses[*ref]++;
            return ART_OK;
        }
    }

    slot->ref = scan->found.nrefs++;
    slot->nth = 0;

    scan->uses[slot->ref] = 1;
    scan->refs[slot->ref] = slot->text;

    return art_table_add(&scan->table, &key, slot->ref);
}


/* Memory for as many references as there may be. */

static int
art_list_refs(art_scanner_t *scan)
{
    size_t             n, size;
    art_table_slot_t  *slots;

    n = scan->found.conf.refs_max;
    size = art_table_size(n);

    slots = art_list_alloc(scan, size * sizeof(art_table_slot_t));
    scan->refs = art_list_alloc(scan, n * sizeof(art_str_t));
    scan->uses = art_list_alloc(scan, n * sizeof(uint32_t));

    if (slots == NULL || scan->refs == NULL || scan->uses == NULL) {
        return ART_ERROR;
    }

    art_table_use(&scan->table, slots, size);

    return ART_OK;
}


static void *
art_list_alloc(art_scanner_t *scan, size_t size)
{
    return scan->found.conf.pool.alloc(scan->found.conf.pool.data, size);
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

    block = arena->last;

    if (block == NULL || block->used + text.len > ART_ARENA_BLOCK) {
        block = block != NULL ? block->next : arena->first;

        if (block == NULL) {
            block = arena->pool.alloc(arena->pool.data, sizeof(*block));

            if (block == NULL) {
                return ART_ERROR;
            }

            block->next = NULL;

            if (arena->last != NULL) {
                arena->last->next = block;

            } else {
                arena->first = block;
            }
        }

        block->used = 0;
        arena->last = block;
    }

    memcpy(block->data + block->used, text.data, text.len);

    *copy = art_str(block->data + block->used, text.len);
    block->used += text.len;

    return ART_OK;
}


void
art_arena_mark(const art_arena_t *arena, art_arena_mark_t *mark)
{
    mark->last = arena->last;
    mark->used = arena->last != NULL ? arena->last->used : 0;
}


void
art_arena_back(art_arena_t *arena, const art_arena_mark_t *mark)
{
    arena->last = mark->last;

    if (mark->last != NULL) {
        mark->last->used = mark->used;
    }
}
