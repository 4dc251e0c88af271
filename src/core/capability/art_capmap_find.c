
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups by id, by model, and by parts of their names.
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/capability/art_capmap_find.h"
#include "core/capability/art_capmap_int.h"


static uint32_t *art_capmap_by_model(const art_capmap_t *map, art_str_t model,
    art_table_key_t *key);
static int art_capmap_add_parts(art_capmap_t *map, unsigned entry);
static int art_capmap_add_part(art_capmap_t *map,
    const art_capmap_part_t *part);
static art_str_t art_capmap_part_name(const art_capmap_t *map,
    const art_capmap_part_t *part);
static art_capmap_part_t *art_capmap_part(const art_capmap_t *map,
    art_str_t text, art_table_key_t *key);
static const art_capmap_entry_t *art_capmap_find_part(const art_capmap_t *map,
    art_str_t name);


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    uint32_t                  *item;
    art_table_key_t            search;
    const art_capmap_entry_t  *entry;

    item = art_capmap_by_id(map, key, &search);

    if (item == NULL) {
        item = art_capmap_by_model(map, key, &search);
    }

    entry = item != NULL ? &map->list.entries[*item]
                         : art_capmap_find_part(map, key);

    return entry ? &entry->service : NULL;
}


unsigned
art_capmap_position(const art_capmap_t *map, art_str_t id)
{
    uint32_t         *item;
    art_table_key_t   key;

    item = art_capmap_by_id(map, id, &key);

    return item != NULL ? *item : map->list.n;
}


uint32_t *
art_capmap_by_id(const art_capmap_t *map, art_str_t id, art_table_key_t *key)
{
    uint32_t  *item;

    art_table_key(&map->ids, key, id.data, id.len);

    while ((item = art_table_next(&map->ids, key)) != NULL) {
        if (art_str_eq(map->list.entries[*item].service.id, id)) {
            break;
        }
    }

    return item;
}


static uint32_t *
art_capmap_by_model(const art_capmap_t *map, art_str_t model,
    art_table_key_t *key)
{
    uint32_t  *item;

    art_table_key(&map->models, key, model.data, model.len);

    while ((item = art_table_next(&map->models, key)) != NULL) {
        if (art_str_eq(map->list.entries[*item].service.model, model)) {
            break;
        }
    }

    return item;
}


int
art_capmap_index_models(art_capmap_t *map)
{
    unsigned             i;
    uint32_t            *item;
    art_str_t            model;
    art_table_key_t      key;
    art_capmap_entry_t  *entries;

    entries = map->list.entries;

    free(map->models.slots);
    memset(&map->models, 0, sizeof(art_table_t));

    for (i = 0; i < map->list.n; i++) {
        model = entries[i].service.model;

        if (model.len == 0) {
            continue;
        }

        item = art_capmap_by_model(map, model, &key);

        if (item == NULL) {
            if (art_table_add(&map->models, &key, i) != ART_OK) {
                return ART_ERROR;
            }

        } else if (entries[*item].serial < entries[i].serial) {
            *item = i;
        }
    }

    return ART_OK;
}


int
art_capmap_index_parts(art_capmap_t *map)
{
    unsigned  i;

    art_capmap_forget_parts(map);

    for (i = 0; i < map->list.n; i++) {
        if (art_capmap_add_parts(map, i) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


void
art_capmap_forget_parts(art_capmap_t *map)
{
    free(map->parts.table.slots);
    free(map->parts.parts);
    memset(&map->parts, 0, sizeof(art_capmap_parts_t));
}


static int
art_capmap_add_parts(art_capmap_t *map, unsigned entry)
{
    unsigned            i, n, model;
    art_capmap_part_t   part;
    art_model_key_t     keys[ART_MODEL_KEYS_MAX];

    memset(&part, 0, sizeof(art_capmap_part_t));

    for (model = 0; model < 2; model++) {
        part.entry = entry * 2 + model;

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
    size_t               n;
    uint8_t              buf[ART_MODEL_NAME_MAX];
    art_str_t            text;
    art_table_key_t      key;
    art_capmap_part_t   *old;
    art_capmap_entry_t  *entries;

    entries = map->list.entries;
    text = art_model_key_text(art_capmap_part_name(map, part), &part->key, buf);

    old = art_capmap_part(map, text, &key);

    if (old != NULL) {
        if (old->key.dropped > part->key.dropped
            || (old->key.dropped == part->key.dropped
                && entries[old->entry / 2].serial
                   <= entries[part->entry / 2].serial))
        {
            *old = *part;
        }

        return ART_OK;
    }

    n = map->parts.table.n;
    old = art_array_grow(map->parts.parts, n, &map->parts.room,
                         sizeof(art_capmap_part_t));
    if (old == NULL) {
        return ART_ERROR;
    }

    map->parts.parts = old;
    old[n] = *part;

    return art_table_add(&map->parts.table, &key, (uint32_t) n);
}


/* The name that a part is of: an id, or a model's name. */

static art_str_t
art_capmap_part_name(const art_capmap_t *map, const art_capmap_part_t *part)
{
    const art_service_t  *s;

    s = &map->list.entries[part->entry / 2].service;

    return part->entry & 1 ? s->model : s->id;
}


/* The part with this text, or NULL. */

static art_capmap_part_t *
art_capmap_part(const art_capmap_t *map, art_str_t text, art_table_key_t *key)
{
    uint8_t             buf[ART_MODEL_NAME_MAX];
    uint32_t           *item;
    art_capmap_part_t  *part;

    art_table_key(&map->parts.table, key, text.data, text.len);

    while ((item = art_table_next(&map->parts.table, key)) != NULL) {
        part = &map->parts.parts[*item];

        if (art_str_eq(art_model_key_text(art_capmap_part_name(map, part),
                                          &part->key, buf), text))
        {
            return part;
        }
    }

    return NULL;
}


/* The entry for which least is dropped on both sides, of several the last. */

static const art_capmap_entry_t *
art_capmap_find_part(const art_capmap_t *map, art_str_t name)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    unsigned                   i, n, dropped, best;
    art_model_key_t            keys[ART_MODEL_KEYS_MAX];
    art_table_key_t            search;
    const art_capmap_part_t   *part;
    const art_capmap_entry_t  *entry, *found;

    found = NULL;
    best = 0;

    n = art_model_keys(name, keys);

    for (i = 0; i < n; i++) {
        part = art_capmap_part(map, art_model_key_text(name, &keys[i], buf),
                               &search);
        if (part == NULL) {
            continue;
        }

        entry = &map->list.entries[part->entry / 2];
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
