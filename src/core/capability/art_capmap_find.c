
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups by id, by model, and by parts of their names.
 */


#include "core/capability/art_capmap_find.h"
#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/*
 * A part of the id of an entry, or of its model.  It is numbered, and only then
 * taken to pieces: ART_MODEL_KEYS_MAX parts of the first id, as many of the
 * first model, those of the second id and so on.
 */

typedef struct {
    const art_capmap_entry_t  *entry;
    art_str_t                  text;
    unsigned                   dropped;
    uint8_t                    buf[ART_MODEL_NAME_MAX];
} art_capmap_part_t;


static uint32_t *art_capmap_by_model(const art_capmap_t *map, art_str_t model,
    art_table_key_t *key);
static int art_capmap_add_parts(art_capmap_t *map, unsigned entry);
static int art_capmap_add_part(art_capmap_t *map, uint32_t number,
    const art_capmap_part_t *part);
static void art_capmap_part(const art_capmap_t *map, uint32_t number,
    art_capmap_part_t *part);
static uint32_t *art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key, art_capmap_part_t *part);
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

    art_table_free(&map->models);

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

    art_table_free(&map->parts);

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
    uint32_t            number;
    art_str_t           name;
    art_model_key_t     keys[ART_MODEL_KEYS_MAX];
    art_capmap_part_t   part;

    part.entry = &map->list.entries[entry];

    for (model = 0; model < 2; model++) {
        name = model ? part.entry->service.model : part.entry->service.id;
        number = (entry * 2 + model) * ART_MODEL_KEYS_MAX;

        n = art_model_keys(name, keys);

        for (i = 0; i < n; i++) {
            part.text = art_model_key_text(name, &keys[i], part.buf);
            part.dropped = keys[i].dropped;

            if (art_capmap_add_part(map, number + i, &part) != ART_OK) {
                return ART_ERROR;
            }
        }
    }

    return ART_OK;
}


/* Of several names with the same part, the one that loses least by it. */

static int
art_capmap_add_part(art_capmap_t *map, uint32_t number,
    const art_capmap_part_t *part)
{
    uint32_t           *item;
    art_table_key_t     key;
    art_capmap_part_t   old;

    item = art_capmap_by_part(map, part->text, &key, &old);

    if (item == NULL) {
        return art_table_add(&map->parts, &key, number);
    }

    if (old.dropped > part->dropped
        || (old.dropped == part->dropped
            && old.entry->serial <= part->entry->serial))
    {
        *item = number;
    }

    return ART_OK;
}


static void
art_capmap_part(const art_capmap_t *map, uint32_t number,
    art_capmap_part_t *part)
{
    art_str_t               name;
    art_model_key_t         keys[ART_MODEL_KEYS_MAX];
    const art_model_key_t  *key;

    part->entry = &map->list.entries[number / ART_MODEL_KEYS_MAX / 2];

    name = number / ART_MODEL_KEYS_MAX % 2 ? part->entry->service.model
                                           : part->entry->service.id;

    (void) art_model_keys(name, keys);

    key = &keys[number % ART_MODEL_KEYS_MAX];
    part->text = art_model_key_text(name, key, part->buf);
    part->dropped = key->dropped;
}


/* The number of the part with this text, or NULL. */

static uint32_t *
art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key, art_capmap_part_t *part)
{
    uint32_t  *item;

    art_table_key(&map->parts, key, text.data, text.len);

    while ((item = art_table_next(&map->parts, key)) != NULL) {
        art_capmap_part(map, *item, part);

        if (art_str_eq(part->text, text)) {
            break;
        }
    }

    return item;
}


/* The entry for which least is dropped on both sides, of several the last. */

static const art_capmap_entry_t *
art_capmap_find_part(const art_capmap_t *map, art_str_t name)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    unsigned                   i, n, dropped, best;
    art_model_key_t            keys[ART_MODEL_KEYS_MAX];
    art_table_key_t            key;
    art_capmap_part_t          part;
    const art_capmap_entry_t  *found;

    found = NULL;
    best = 0;

    n = art_model_keys(name, keys);

    for (i = 0; i < n; i++) {
        if (art_capmap_by_part(map, art_model_key_text(name, &keys[i], buf),
                               &key, &part)
            == NULL)
        {
            continue;
        }

        dropped = part.dropped + keys[i].dropped;

        if (found == NULL || dropped < best
            || (dropped == best && part.entry->serial > found->serial))
        {
            found = part.entry;
            best = dropped;
        }
    }

    return found;
}
