
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups by id, by model, and by parts of their names.
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "core/capability/art_capmap_find.h"
#include "core/capability/art_capmap_int.h"


#define ART_CAPMAP_PARTS_MIN  64


static int art_capmap_add_parts(art_capmap_t *map, unsigned entry);
static int art_capmap_add_part(art_capmap_t *map,
    const art_capmap_part_t *part);
static int art_capmap_grow_parts(art_capmap_t *map);
static art_str_t art_capmap_part_name(const art_capmap_t *map,
    const art_capmap_part_t *part);
static art_capmap_part_t *art_capmap_part(const art_capmap_t *map,
    art_str_t key);
static const art_capmap_entry_t *art_capmap_find_part(const art_capmap_t *map,
    art_str_t name);


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    unsigned                  *slot;
    const art_capmap_entry_t  *entry;

    slot = art_capmap_slot(map, &map->ids, ART_CAPMAP_BY_ID, key);

    if (slot == NULL || *slot == 0) {
        slot = art_capmap_slot(map, &map->models, ART_CAPMAP_BY_MODEL, key);
    }

    if (slot != NULL && *slot != 0) {
        return &map->list.entries[*slot - 1].service;
    }

    entry = art_capmap_find_part(map, key);

    return entry ? &entry->service : NULL;
}


unsigned
art_capmap_position(const art_capmap_t *map, art_str_t id)
{
    unsigned  *slot;

    slot = art_capmap_slot(map, &map->ids, ART_CAPMAP_BY_ID, id);

    return slot != NULL && *slot != 0 ? *slot - 1 : map->list.n;
}


/* At most half of the slots get used, so that a search soon meets a free one */

int
art_capmap_index_create(art_capmap_index_t *index, size_t n)
{
    for (index->size = 4; index->size < n * 2; index->size *= 2) {
        /* void */
    }

    index->slots = calloc(index->size, sizeof(unsigned));

    return index->slots ? ART_OK : ART_ERROR;
}


unsigned *
art_capmap_slot(const art_capmap_t *map, const art_capmap_index_t *index,
    art_capmap_key_t by, art_str_t key)
{
    size_t                mask, pos;
    const art_service_t  *s;

    if (index->slots == NULL) {
        return NULL;
    }

    mask = index->size - 1;
    pos = art_hash(ART_HASH_INIT, key.data, key.len) & mask;

    for ( /* void */ ; index->slots[pos] != 0; pos = (pos + 1) & mask) {
        s = &map->list.entries[index->slots[pos] - 1].service;

        if (art_str_eq(by == ART_CAPMAP_BY_ID ? s->id : s->model, key)) {
            break;
        }
    }

    return &index->slots[pos];
}


int
art_capmap_index_models(art_capmap_t *map)
{
    unsigned             i, *slot;
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

    return ART_OK;
}


int
art_capmap_index_parts(art_capmap_t *map)
{
    unsigned  i;

    free(map->parts.parts);
    memset(&map->parts, 0, sizeof(art_capmap_parts_t));

    for (i = 0; i < map->list.n; i++) {
        if (art_capmap_add_parts(map, i) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_capmap_add_parts(art_capmap_t *map, unsigned entry)
{
    unsigned            i, n, model;
    art_capmap_part_t   part;
    art_model_key_t     keys[ART_MODEL_KEYS_MAX];

    memset(&part, 0, sizeof(art_capmap_part_t));

    for (model = 0; model < 2; model++) {
        part.entry = entry * 2 + 2 + model;

        n = art_model_keys(art_capmap_part_name(map, &part), keys);

        for (i = 0; i < n; i++) {
            part.key = keys[i];

            if (art_capmap_add_part(map, &part) != ART_OK) {
                return ART_ERROR;
            }
        }
    }

    return ART_OK;
}


/* Of several names with the same part, the one that loses least by it. */

static int
art_capmap_add_part(art_capmap_t *map, const art_capmap_part_t *part)
{
    uint8_t              buf[ART_MODEL_NAME_MAX];
    art_capmap_part_t   *old;
    art_capmap_entry_t  *entries;

    entries = map->list.entries;

    if (map->parts.n * 3 >= map->parts.size * 2
        && art_capmap_grow_parts(map) != ART_OK)
    {
        return ART_ERROR;
    }

    old = art_capmap_part(map, art_model_key_text(
                                           art_capmap_part_name(map, part),
                                           &part->key, buf));
    if (old->entry == 0) {
        map->parts.n++;

    } else if (old->key.dropped < part->key.dropped
               || (old->key.dropped == part->key.dropped
                   && entries[old->entry / 2 - 1].serial
                      > entries[part->entry / 2 - 1].serial))
    {
        return ART_OK;
    }

    *old = *part;

    return ART_OK;
}


static int
art_capmap_grow_parts(art_capmap_t *map)
{
    size_t               i;
    uint8_t              buf[ART_MODEL_NAME_MAX];
    art_capmap_part_t   *part;
    art_capmap_parts_t   old, grown;

    old = map->parts;
    grown = old;

    grown.size = old.size ? old.size * 2 : ART_CAPMAP_PARTS_MIN;
    grown.parts = calloc(grown.size, sizeof(art_capmap_part_t));

    if (grown.parts == NULL) {
        return ART_ERROR;
    }

    map->parts = grown;

    for (i = 0; i < old.size; i++) {
        part = &old.parts[i];

        if (part->entry != 0) {
            *art_capmap_part(map, art_model_key_text(
                                           art_capmap_part_name(map, part),
                                           &part->key, buf)) = *part;
        }
    }

    free(old.parts);

    return ART_OK;
}


/* The name that a part is of: an id, or a model's name. */

static art_str_t
art_capmap_part_name(const art_capmap_t *map, const art_capmap_part_t *part)
{
    const art_service_t  *s;

    s = &map->list.entries[part->entry / 2 - 1].service;

    return part->entry & 1 ? s->model : s->id;
}


/* The place of a part, or the free one where it would go. */

static art_capmap_part_t *
art_capmap_part(const art_capmap_t *map, art_str_t key)
{
    size_t              mask, pos;
    uint8_t             buf[ART_MODEL_NAME_MAX];
    art_capmap_part_t  *part;

    mask = map->parts.size - 1;
    pos = art_hash(ART_HASH_INIT, key.data, key.len) & mask;

    for ( /* void */ ; /* void */ ; pos = (pos + 1) & mask) {
        part = &map->parts.parts[pos];

        if (part->entry == 0
            || ((size_t) part->key.provider + part->key.len == key.len
                && art_str_eq(art_model_key_text(
                                           art_capmap_part_name(map, part),
                                           &part->key, buf), key)))
        {
            return part;
        }
    }
}


/* The entry for which least is dropped on both sides, of several the last. */

static const art_capmap_entry_t *
art_capmap_find_part(const art_capmap_t *map, art_str_t name)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    unsigned                   i, n, dropped, best;
    art_model_key_t            keys[ART_MODEL_KEYS_MAX];
    const art_capmap_part_t   *part;
    const art_capmap_entry_t  *entry, *found;

    if (map->parts.size == 0) {
        return NULL;
    }

    found = NULL;
    best = 0;

    n = art_model_keys(name, keys);

    for (i = 0; i < n; i++) {
        part = art_capmap_part(map, art_model_key_text(name, &keys[i], buf));

        if (part->entry == 0) {
            continue;
        }

        entry = &map->list.entries[part->entry / 2 - 1];
        dropped = (unsigned) part->key.dropped + keys[i].dropped;

        if (found == NULL || dropped < best
            || (dropped == best && entry->serial > found->serial))
        {
            found = entry;
            best = dropped;
        }
    }

    return found;
}
