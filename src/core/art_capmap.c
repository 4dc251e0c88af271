
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <limits.h>
#include <stdlib.h>

#include "art_capmap_int.h"


/* Below it the index arithmetic cannot overflow. */

#define ART_CAPMAP_MAX  (UINT_MAX / 4)


typedef enum {
    ART_CAPMAP_BY_ID = 0,
    ART_CAPMAP_BY_MODEL
} art_capmap_key_t;


static int art_capmap_merge(art_capmap_t *map, art_capmap_list_t *list,
    art_capmap_warn_pt warn, void *data);
static void art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_warn_pt warn, void *data, unsigned first);
static int art_capmap_index_create(art_capmap_index_t *index, size_t n);
static unsigned *art_capmap_slot(const art_capmap_t *map,
    const art_capmap_index_t *index, art_capmap_key_t by, art_str_t key);
static void art_capmap_prepare(art_capmap_t *map, unsigned bit);


static const struct {
    art_str_t  name;
    unsigned   bit;
} art_cap_names[] = {
    { art_string("text"), ART_CAP_TEXT },
    { art_string("vision"), ART_CAP_VISION },
    { art_string("audio"), ART_CAP_AUDIO },
    { art_string("video"), ART_CAP_VIDEO },
    { art_string("file"), ART_CAP_FILE },
    { art_string("pdf"), ART_CAP_PDF }
};


unsigned
art_cap_bit(art_str_t name)
{
    size_t  i;

    for (i = 0; i < sizeof(art_cap_names) / sizeof(art_cap_names[0]); i++) {
        if (art_str_eq(art_cap_names[i].name, name)) {
            return art_cap_names[i].bit;
        }
    }

    return 0;
}


unsigned
art_caps_parse_list(art_str_t list)
{
    size_t    i, n;
    uint8_t   name[8], c;
    unsigned  bits;

    n = 0;
    bits = 0;

    for (i = 0; i <= list.len; i++) {
        c = i < list.len ? list.data[i] : ',';

        if (c != ',' && c != ' ' && (c < '\t' || c > '\r')) {

            /* all the names are shorter than the buffer */

            if (n < sizeof(name)) {
                name[n++] = c >= 'A' && c <= 'Z' ? (uint8_t) (c | 0x20) : c;
            }

            continue;
        }

        bits |= art_cap_bit(art_str(name, n));
        n = 0;
    }

    return bits;
}


art_capmap_t *
art_capmap_create(void)
{
    return calloc(1, sizeof(art_capmap_t));
}


void
art_capmap_destroy(art_capmap_t *map)
{
    if (map == NULL) {
        return;
    }

    art_capmap_list_free(&map->list);
    free(map->ids.slots);
    free(map->models.slots);
    free(map);
}


int
art_capmap_add(art_capmap_t *map, art_str_t json, art_capmap_warn_pt warn,
    void *data, art_capmap_error_t *err)
{
    art_capmap_list_t  list;

    if (art_capmap_read(json, warn, data, &list, err) != ART_OK) {
        return ART_ERROR;
    }

    if (art_capmap_merge(map, &list, warn, data) != ART_OK) {
        art_capmap_list_free(&list);
        art_capmap_fail(err, 1, 1, "out of memory");
        return ART_ERROR;
    }

    return ART_OK;
}


int
art_capmap_finish(art_capmap_t *map)
{
    unsigned             i, *slot, bit;
    art_str_t            model;
    art_capmap_index_t   index;
    art_capmap_entry_t  *entries;

    entries = map->list.entries;

    if (art_capmap_index_create(&index, map->list.n) != ART_OK) {
        return ART_ERROR;
    }

    free(map->models.slots);
    map->models = index;

    for (i = 0; i < map->list.n; i++) {
        model = entries[i].service.model;

        if (model.len == 0) {
            continue;
        }

        slot = art_capmap_slot(map, &map->models, ART_CAPMAP_BY_MODEL, model);

        if (*slot == 0 || entries[*slot - 1].serial < entries[i].serial) {
            *slot = i + 1;
        }
    }

    for (bit = 0; bit < ART_CAP_COUNT; bit++) {
        art_capmap_prepare(map, bit);
    }

    return ART_OK;
}


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    unsigned  *slot;

    slot = art_capmap_slot(map, &map->ids, ART_CAPMAP_BY_ID, key);

    if (slot == NULL || *slot == 0) {
        slot = art_capmap_slot(map, &map->models, ART_CAPMAP_BY_MODEL, key);
    }

    if (slot == NULL || *slot == 0) {
        return NULL;
    }

    return &map->list.entries[*slot - 1].service;
}


unsigned
art_capmap_suggest(const art_capmap_t *map, unsigned needs, art_str_t *ids,
    unsigned max)
{
    unsigned  n, bit, next, pos[ART_CAP_COUNT];

    memset(pos, 0, sizeof(pos));

    if (max > ART_CAPMAP_PREPARED) {
        max = ART_CAPMAP_PREPARED;
    }

    for (n = 0; n < max; n++) {
        next = UINT_MAX;

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            if ((needs & (1u << bit)) && pos[bit] < map->nsuggest[bit]
                && map->suggest[bit][pos[bit]] < next)
            {
                next = map->suggest[bit][pos[bit]];
            }
        }

        if (next == UINT_MAX) {
            break;
        }

        ids[n] = map->list.entries[next].service.id;

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            if (pos[bit] < map->nsuggest[bit]
                && map->suggest[bit][pos[bit]] == next)
            {
                pos[bit]++;
            }
        }
    }

    return n;
}


unsigned
art_capmap_count(const art_capmap_t *map)
{
    return map->list.n;
}


const art_service_t *
art_capmap_get(const art_capmap_t *map, unsigned i)
{
    return i < map->list.n ? &map->list.entries[i].service : NULL;
}


/*
 * Moves the entries of "list" into the map.  All memory is had before the
 * first one moves, so that the map changes as a whole or not at all.
 */

static int
art_capmap_merge(art_capmap_t *map, art_capmap_list_t *list,
    art_capmap_warn_pt warn, void *data)
{
    size_t               total;
    unsigned             i, first;
    art_capmap_entry_t  *entries;
    art_capmap_index_t   index;

    total = (size_t) map->list.n + list->n;

    if (total > ART_CAPMAP_MAX || map->serial > UINT_MAX - list->n) {
        return ART_ERROR;
    }

    if (art_capmap_index_create(&index, total) != ART_OK) {
        return ART_ERROR;
    }

    entries = realloc(map->list.entries,
                      (total + 1) * sizeof(art_capmap_entry_t));
    if (entries == NULL) {
        free(index.slots);
        return ART_ERROR;
    }

    map->list.entries = entries;

    free(map->ids.slots);
    map->ids = index;

    for (i = 0; i < map->list.n; i++) {
        *art_capmap_slot(map, &map->ids, ART_CAPMAP_BY_ID,
                         entries[i].service.id) = i + 1;
    }

    first = map->serial;

    for (i = 0; i < list->n; i++) {
        art_capmap_put(map, &list->entries[i], warn, data, first);
    }

    free(list->entries);

    return ART_OK;
}


/* Entries with serials from "first" on come from the same document. */

static void
art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_warn_pt warn, void *data, unsigned first)
{
    unsigned            *slot;
    art_capmap_entry_t  *old;

    entry->serial = map->serial++;

    slot = art_capmap_slot(map, &map->ids, ART_CAPMAP_BY_ID,
                           entry->service.id);

    if (*slot == 0) {
        map->list.entries[map->list.n++] = *entry;
        *slot = map->list.n;
        return;
    }

    old = &map->list.entries[*slot - 1];

    if (old->serial >= first) {
        art_capmap_warn(warn, data, entry->service.id,
                        " is listed more than once, the last entry counts");
    }

    free(old->memory);
    *old = *entry;
}


/* At most half of the slots get used, so that a search soon meets a free one */

static int
art_capmap_index_create(art_capmap_index_t *index, size_t n)
{
    for (index->size = 4; index->size < n * 2; index->size *= 2) {
        /* void */
    }

    index->slots = calloc(index->size, sizeof(unsigned));

    return index->slots ? ART_OK : ART_ERROR;
}


/*
 * The slot of a key, or the free one where it would go; NULL if the index has
 * not been made.  FNV-1a and linear probing.
 */

static unsigned *
art_capmap_slot(const art_capmap_t *map, const art_capmap_index_t *index,
    art_capmap_key_t by, art_str_t key)
{
    size_t                i, mask, pos;
    uint32_t              hash;
    const art_service_t  *s;

    if (index->slots == NULL) {
        return NULL;
    }

    hash = 2166136261u;

    for (i = 0; i < key.len; i++) {
        hash = (hash ^ key.data[i]) * 16777619u;
    }

    mask = index->size - 1;

    for (pos = hash & mask; index->slots[pos] != 0; pos = (pos + 1) & mask) {
        s = &map->list.entries[index->slots[pos] - 1].service;

        if (art_str_eq(by == ART_CAPMAP_BY_ID ? s->id : s->model, key)) {
            break;
        }
    }

    return &index->slots[pos];
}


static void
art_capmap_prepare(art_capmap_t *map, unsigned bit)
{
    unsigned  i, n;

    n = 0;

    for (i = 0; i < map->list.n && n < ART_CAPMAP_PREPARED; i++) {
        if (map->list.entries[i].service.input.bits & (1u << bit)) {
            map->suggest[bit][n++] = i;
        }
    }

    map->nsuggest[bit] = n;
}
