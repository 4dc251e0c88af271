
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The lists of what a scan has found, in blocks.
 */


#include "core/base/art_hash.h"
#include "core/message/art_message_scan_int.h"


static void *art_list_item(art_scan_t *scan, void **blocks, uint32_t n,
    size_t size);
static int art_list_table(art_scan_t *scan);


art_message_slot_t *
art_list_slot(art_scan_t *scan)
{
    void                *block;
    art_message_slot_t  *slot;

    if (scan->nslots == ART_MESSAGE_SLOTS_MAX) {
        scan->full = 1;
        return NULL;
    }

    block = scan->slots[scan->nslots / ART_MESSAGE_SLOTS_BLOCK];
    slot = art_list_item(scan, &block, scan->nslots, sizeof(*slot));

    if (slot != NULL) {
        scan->slots[scan->nslots / ART_MESSAGE_SLOTS_BLOCK] = block;
        scan->nslots++;
    }

    return slot;
}


art_message_group_t *
art_list_group(art_scan_t *scan)
{
    void                 *block;
    art_message_group_t  *group;

    block = scan->groups[scan->ngroups / ART_MESSAGE_SLOTS_BLOCK];
    group = art_list_item(scan, &block, scan->ngroups, sizeof(*group));

    if (group != NULL) {
        scan->groups[scan->ngroups / ART_MESSAGE_SLOTS_BLOCK] = block;
        scan->ngroups++;
    }

    return group;
}


/* The item of a number in its block, which is made if need be. */

static void *
art_list_item(art_scan_t *scan, void **block, uint32_t n, size_t size)
{
    uint8_t  *item;

    if (*block == NULL) {
        *block = scan->conf.pool.alloc(scan->conf.pool.data,
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
art_list_cut(art_scan_t *scan, uint32_t n)
{
    scan->nslots = n;
}


void
art_list_remove(art_scan_t *scan, uint32_t n)
{
    for (scan->nslots--; n < scan->nslots; n++) {
        *art_scan_slot(scan, n) = *art_scan_slot(scan, n + 1);
    }
}


int
art_list_fail(art_scan_t *scan, art_scan_status_t status)
{
    scan->status = status;

    return ART_ERROR;
}


int
art_list_ref(art_scan_t *scan, art_message_slot_t *slot)
{
    uint32_t  i, n;

    if (++scan->occurrences > scan->conf.refs_max) {
        return art_list_fail(scan, ART_SCAN_TOO_MANY);
    }

    if (scan->table == NULL && art_list_table(scan) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    i = (uint32_t) art_hash(ART_HASH_INIT, slot->text.data, slot->text.len);

    for (i &= scan->table_size - 1; (n = scan->table[i]) != 0;
         i = (i + 1) & (scan->table_size - 1))
    {
        if (art_str_eq(scan->refs[n - 1], slot->text)) {
            slot->ref = n - 1;
            slot->nth = scan->uses[n - 1]++;
            return ART_OK;
        }
    }

    slot->ref = scan->nrefs;
    slot->nth = 0;
    scan->uses[scan->nrefs] = 1;
    scan->refs[scan->nrefs++] = slot->text;
    scan->table[i] = (uint16_t) scan->nrefs;

    return ART_OK;
}


/* Half of it stays empty. */

static int
art_list_table(art_scan_t *scan)
{
    size_t  bytes;

    for (scan->table_size = 16; scan->table_size < 2 * scan->conf.refs_max;
         scan->table_size *= 2)
    {
        /* void */
    }

    bytes = scan->table_size * sizeof(uint16_t);

    scan->table = scan->conf.pool.alloc(scan->conf.pool.data, bytes);
    scan->refs = scan->conf.pool.alloc(scan->conf.pool.data,
                                  scan->conf.refs_max * sizeof(art_str_t));
    scan->uses = scan->conf.pool.alloc(scan->conf.pool.data,
                                  scan->conf.refs_max * sizeof(uint32_t));

    if (scan->table == NULL || scan->refs == NULL || scan->uses == NULL) {
        return ART_ERROR;
    }

    memset(scan->table, 0, bytes);

    return ART_OK;
}
