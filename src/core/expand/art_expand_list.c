
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lists of slots and groups that a scan has found, and their strings.
 */


#include "core/expand/art_expand_scan_int.h"


static void *art_list_item(art_scanner_t *scan, void **block, uint32_t n,
    size_t size);


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
        *block = scan->arena.pool.alloc(scan->arena.pool.data,
                                        ART_MESSAGE_SLOTS_BLOCK * size);

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
art_list_remove(art_scanner_t *scan, uint32_t n)
{
    for (scan->found.nslots--; n < scan->found.nslots; n++) {
        *art_scan_slot(&scan->found, n) = *art_scan_slot(&scan->found, n + 1);
    }
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
