
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups by id, by model, and by parts of their names.
 */


#include <limits.h>
#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/capability/art_capmap_find.h"
#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/*
 * Added to the cost that art_model_listed() returns for a part.  Public maps
 * often have "text" because nobody has checked: twice as many of their rows
 * have fewer capabilities than the model's maker states as have more.  A
 * reseller's "text" counts only if no other entry knows the model, whatever
 * has to be dropped to find one.
 */

#define ART_CAPMAP_MODEL  1          /* a part of a model: ids come first */
#define ART_CAPMAP_TEXT   2          /* the entry reads text only */
#define ART_CAPMAP_SOLD   0x2000     /* likewise, according to a reseller */
#define ART_CAPMAP_BLANK  0x8000     /* more than all that can be dropped */


/* The best entry so far, and its cost. */

typedef struct {
    const art_capmap_entry_t  *entry;
    unsigned                   cost;
} art_capmap_choice_t;


static const art_capmap_entry_t *art_capmap_by_model(const art_capmap_t *map,
    art_str_t model);
static uint32_t *art_capmap_model(const art_capmap_t *map, art_str_t model,
    art_table_key_t *key);
static int art_capmap_add_parts(art_capmap_t *map, unsigned i,
    art_str_t name, unsigned model);
static unsigned art_capmap_cost(const art_capmap_entry_t *entry,
    unsigned model, unsigned listed);
static int art_capmap_add_part(art_capmap_t *map, art_str_t text,
    const art_capmap_part_t *part);
static int art_capmap_is_provided(const art_capmap_entry_t *entry);
static uint32_t *art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key);
static const art_capmap_entry_t *art_capmap_find_part(const art_capmap_t *map,
    art_str_t name);
static void art_capmap_choose(const art_capmap_t *map, art_str_t name,
    const art_model_key_t *asked, art_capmap_choice_t *best);


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    uint32_t                  *item;
    art_table_key_t            search;
    const art_capmap_entry_t  *entry;

    item = art_capmap_by_id(map, key, &search);

    if (item != NULL) {
        return &map->list.entries[*item].service;
    }

    entry = art_capmap_by_model(map, key);

    if (entry == NULL) {
        entry = art_capmap_find_part(map, key);
    }

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


static const art_capmap_entry_t *
art_capmap_by_model(const art_capmap_t *map, art_str_t model)
{
    uint32_t         *item;
    art_table_key_t   key;

    item = art_capmap_model(map, model, &key);

    return item != NULL ? &map->list.entries[map->list.entries[*item].found]
                        : NULL;
}


/* An entry with this model, or NULL; "key" is its key in map->models. */

static uint32_t *
art_capmap_model(const art_capmap_t *map, art_str_t model,
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


/* A model too long to be reduced to parts finds the entry added last. */

int
art_capmap_index_models(art_capmap_t *map)
{
    unsigned                   i;
    uint32_t                  *item;
    art_str_t                  model;
    art_table_key_t            key;
    art_capmap_entry_t        *entries;
    const art_capmap_entry_t  *found;

    entries = map->list.entries;

    for (i = 0; i < map->list.n; i++) {
        model = entries[i].service.model;

        if (model.len == 0) {
            continue;
        }

        item = art_capmap_model(map, model, &key);

        if (item == NULL) {
            if (art_table_add(&map->models, &key, i) != ART_OK) {
                return ART_ERROR;
            }

            found = art_capmap_find_part(map, model);
            entries[i].found = found != NULL ? (unsigned) (found - entries)
                                             : i;

        } else if (model.len > ART_MODEL_NAME_MAX
                   && entries[*item].serial < entries[i].serial)
        {
            entries[i].found = i;
            *item = i;
        }
    }

    return ART_OK;
}


int
art_capmap_index_parts(art_capmap_t *map)
{
    void                *fit;
    unsigned             i;
    art_capmap_entry_t  *entry;

    art_capmap_unindex(map);

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (art_capmap_add_parts(map, i, entry->service.id, 0) != ART_OK) {
            return ART_ERROR;
        }

        if (!art_capmap_is_provided(entry)
            && art_capmap_add_parts(map, i, entry->service.model, 1)
               != ART_OK)
        {
            return ART_ERROR;
        }
    }

    fit = realloc(map->parts.items,
                  (map->parts.n + 1) * sizeof(art_capmap_part_t));

    if (fit != NULL) {
        map->parts.items = fit;
        map->parts.room = (size_t) map->parts.n + 1;
    }

    return ART_OK;
}


/* The lists of names belong to the map, so they can be shared. */

void
art_capmap_fill(art_capmap_t *map)
{
    unsigned                   i;
    art_capmap_entry_t        *entry;
    const art_capmap_entry_t  *found;

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (!entry->blank) {
            continue;
        }

        found = art_capmap_find_part(map, entry->service.id);

        if (found != NULL) {
            entry->service.input = found->service.input;
        }
    }
}


void
art_capmap_unindex(art_capmap_t *map)
{
    free(map->parts.items);
    memset(&map->parts, 0, sizeof(art_capmap_parts_t));

    art_table_free(&map->by_part);
    art_table_free(&map->models);
}


static int
art_capmap_add_parts(art_capmap_t *map, unsigned i, art_str_t name,
    unsigned model)
{
    uint8_t              spelled[ART_MODEL_NAME_MAX], buf[ART_MODEL_NAME_MAX];
    unsigned             k, n, listed;
    art_model_key_t      keys[ART_MODEL_KEYS_MAX];
    art_capmap_part_t    part;
    art_capmap_entry_t  *entry;

    entry = &map->list.entries[i];

    name = art_spelling(name, spelled);
    n = art_model_keys(name, keys);

    if (n == 0) {
        return ART_OK;
    }

    entry->spelled[model] = art_intern(&map->strings, name.data, name.len, 1);

    if (entry->spelled[model] == NULL) {
        return ART_ERROR;
    }

    part.entry = i;
    part.model = model & 1;

    for (k = 0; k < n; k++) {
        listed = art_model_listed(name, &keys[k]);

        part.key = keys[k];
        part.cost = (uint16_t) (listed
                                + art_capmap_cost(entry, model, listed));

        if (art_capmap_add_part(map, art_model_key_text(name, &keys[k], buf),
                                &part)
            != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static unsigned
art_capmap_cost(const art_capmap_entry_t *entry, unsigned model,
    unsigned listed)
{
    unsigned  cost;

    cost = model ? ART_CAPMAP_MODEL : 0;

    if (entry->blank) {
        cost += ART_CAPMAP_BLANK;

    } else if (!entry->own
               && (entry->service.input.bits & ~(unsigned) ART_CAP_TEXT) == 0)
    {
        cost += art_model_is_sold(listed) ? ART_CAPMAP_SOLD
                                          : ART_CAPMAP_TEXT;
    }

    return cost;
}


/* If several names have the same part, the one with the least cost counts. */

static int
art_capmap_add_part(art_capmap_t *map, art_str_t text,
    const art_capmap_part_t *part)
{
    void                *grown;
    uint32_t            *item;
    art_table_key_t      key;
    art_capmap_part_t   *old;

    item = art_capmap_by_part(map, text, &key);

    if (item != NULL) {
        old = &map->parts.items[*item];

        if (part->cost < old->cost
            || (part->cost == old->cost
                && map->list.entries[part->entry].serial
                   >= map->list.entries[old->entry].serial))
        {
            *old = *part;
        }

        return ART_OK;
    }

    grown = art_array_grow(map->parts.items, map->parts.n, &map->parts.room,
                           sizeof(art_capmap_part_t));
    if (grown == NULL) {
        return ART_ERROR;
    }

    map->parts.items = grown;
    map->parts.items[map->parts.n] = *part;

    return art_table_add(&map->by_part, &key, map->parts.n++);
}


/*
 * Whether the model is just the id without its provider: then it is not a
 * separate name.  An administrator's own map is taken literally.
 */

static int
art_capmap_is_provided(const art_capmap_entry_t *entry)
{
    art_str_t  id, model;

    id = entry->service.id;
    model = entry->service.model;

    return !entry->own && id.len > model.len
           && id.data[id.len - model.len - 1] == '/'
           && art_str_eq(art_str(id.data + id.len - model.len, model.len),
                         model);
}


/* The index of the part with this text, or NULL. */

static uint32_t *
art_capmap_by_part(const art_capmap_t *map, art_str_t text,
    art_table_key_t *key)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    uint32_t                  *item;
    const art_capmap_part_t   *part;
    const art_capmap_entry_t  *entry;

    art_table_key(&map->by_part, key, text.data, text.len);

    while ((item = art_table_next(&map->by_part, key)) != NULL) {
        part = &map->parts.items[*item];
        entry = &map->list.entries[part->entry];

        if (art_str_eq(art_model_key_text(art_str(entry->spelled[part->model],
                                                  ART_MODEL_NAME_MAX),
                                          &part->key, buf),
                       text))
        {
            break;
        }
    }

    return item;
}


/*
 * Returns the entry for which least is dropped from both names; of several, the
 * last one.  An entry that does not state its input comes after all that do.
 *
 * Names that share any part also share the last, shortest one.  So two look-ups
 * suffice for most names without a match, however many parts they have.
 */

static const art_capmap_entry_t *
art_capmap_find_part(const art_capmap_t *map, art_str_t name)
{
    uint8_t               spelled[ART_MODEL_NAME_MAX];
    unsigned              i, n;
    art_model_key_t       keys[ART_MODEL_KEYS_MAX];
    art_capmap_choice_t   best;

    best.entry = NULL;
    best.cost = UINT_MAX;

    name = art_spelling(name, spelled);
    n = art_model_keys(name, keys);

    if (n == 0) {
        return NULL;
    }

    art_capmap_choose(map, name, &keys[0], &best);

    if (n > 1) {
        art_capmap_choose(map, name, &keys[n - 1], &best);
    }

    if (best.entry == NULL) {
        return NULL;
    }

    for (i = 1; i + 1 < n; i++) {
        art_capmap_choose(map, name, &keys[i], &best);
    }

    return best.entry;
}


static void
art_capmap_choose(const art_capmap_t *map, art_str_t name,
    const art_model_key_t *asked, art_capmap_choice_t *best)
{
    uint8_t                    buf[ART_MODEL_NAME_MAX];
    unsigned                   cost;
    uint32_t                  *item;
    art_table_key_t            key;
    const art_capmap_part_t   *part;
    const art_capmap_entry_t  *entry;

    if (asked->dropped > best->cost) {
        return;
    }

    item = art_capmap_by_part(map, art_model_key_text(name, asked, buf), &key);

    if (item == NULL) {
        return;
    }

    part = &map->parts.items[*item];
    entry = &map->list.entries[part->entry];
    cost = part->cost + (unsigned) asked->dropped;

    if (best->entry == NULL || cost < best->cost
        || (cost == best->cost && entry->serial > best->entry->serial))
    {
        best->entry = entry;
        best->cost = cost;
    }
}
