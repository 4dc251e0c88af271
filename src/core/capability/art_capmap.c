
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: how one is built, and what is looked up in it.
 */


#include <limits.h>
#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/* With so many entries, ranks and the indexes of parts cannot overflow. */

#define ART_CAPMAP_MAX  (UINT_MAX / 4 / ART_MODEL_KEYS_MAX)


/*
 * Added to the cost that art_model_listed() returns for a part.  Public maps
 * often have "text" because nobody has checked: twice as many of their rows
 * have fewer capabilities than the model's maker states as have more.  A
 * reseller's "text" counts only if no other entry has the model, whatever has
 * to be dropped to find one.
 */

#define ART_CAPMAP_MODEL  1          /* a part of a model: ids come first */
#define ART_CAPMAP_TEXT   2          /* the entry reads text only */
#define ART_CAPMAP_SOLD   0x2000     /* the same, according to a reseller */
#define ART_CAPMAP_BLANK  0x8000     /* more than all that can be dropped */


/* The best entry so far, and its cost. */

typedef struct {
    const art_capmap_entry_t  *entry;
    unsigned                   cost;
} art_capmap_choice_t;


/* Services of the platform's own map come before those of public maps. */

#define ART_CAPMAP_PUBLIC  (UINT_MAX / 2 + 1)


static int art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader);
static void art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first);
static void art_capmap_put_agent(art_capmap_t *map,
    const art_capmap_agent_t *agent);
static uint32_t *art_capmap_named(const art_capmap_t *map, unsigned model,
    art_str_t name, art_table_key_t *key);
static int art_capmap_index_models(art_capmap_t *map);
static int art_capmap_index_parts(art_capmap_t *map);
static void art_capmap_fill(art_capmap_t *map);
static void art_capmap_unindex(art_capmap_t *map);
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
static void art_capmap_rank(art_capmap_t *map);
static void art_capmap_rank_services(art_capmap_t *map, unsigned public);
static void art_capmap_rank_agents(art_capmap_t *map);
static void art_capmap_rank_put(art_capmap_ranking_t *ranking, unsigned bits,
    unsigned rank);
static unsigned art_capmap_ranked(const art_capmap_ranking_t *ranking,
    unsigned needs, unsigned ranks[ART_CAPMAP_PREPARED]);


art_capmap_t *
art_capmap_create(void)
{
    return calloc(1, sizeof(art_capmap_t));
}


void
art_capmap_seed(art_capmap_t *map, const uint64_t seed[2])
{
    size_t        i;
    art_table_t  *tables[] = { &map->strings.table, &map->ids, &map->models,
                               &map->by_part };

    for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        tables[i]->seed[0] = seed[0];
        tables[i]->seed[1] = seed[1];
    }
}


void
art_capmap_destroy(art_capmap_t *map)
{
    if (map == NULL) {
        return;
    }

    art_intern_destroy(&map->strings);
    free(map->list.entries);
    free(map->agents.agents);
    art_table_free(&map->ids);
    art_capmap_unindex(map);
    free(map);
}


int
art_capmap_add(art_capmap_t *map, art_str_t json, art_capmap_warn_pt warn,
    void *data, art_capmap_error_t *err)
{
    int                  rc;
    art_capmap_reader_t  reader;

    memset(&reader, 0, sizeof(art_capmap_reader_t));

    reader.strings = &map->strings;
    reader.json = json;
    reader.place.counted = json.data;
    reader.place.line = 1;
    reader.warn = warn;
    reader.data = data;

    rc = art_capmap_read(&reader, json, err);

    if (rc == ART_OK && art_capmap_merge(map, &reader) != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
        rc = ART_ERROR;
    }

    free(reader.list.entries);
    free(reader.agents.agents);

    return rc;
}


int
art_capmap_finish(art_capmap_t *map)
{
    if (art_capmap_index_parts(map) != ART_OK
        || art_capmap_index_models(map) != ART_OK)
    {
        return ART_ERROR;
    }

    art_capmap_fill(map);
    art_capmap_rank(map);
    art_intern_seal(&map->strings);

    return ART_OK;
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


unsigned
art_capmap_own(const art_capmap_t *map, unsigned i)
{
    return map->list.entries[i].own;
}


/*
 * Moves what was read into the map.  All memory is allocated before the first
 * entry moves, so that the map changes as a whole or not at all.
 */

static int
art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader)
{
    size_t               total, agents;
    unsigned             i, first;
    void                *memory;

    total = (size_t) map->list.n + reader->list.n;
    agents = (size_t) map->agents.n + reader->agents.n;

    if (total > ART_CAPMAP_MAX || agents > ART_CAPMAP_MAX
        || map->serial > UINT_MAX - reader->list.n)
    {
        return ART_ERROR;
    }

    memory = realloc(map->agents.agents,
                     (agents + 1) * sizeof(art_capmap_agent_t));
    if (memory == NULL) {
        return ART_ERROR;
    }

    map->agents.agents = memory;
    map->agents.room = agents + 1;

    memory = realloc(map->list.entries,
                     (total + 1) * sizeof(art_capmap_entry_t));
    if (memory == NULL) {
        return ART_ERROR;
    }

    map->list.entries = memory;
    map->list.room = total + 1;

    if (art_table_room(&map->ids, total) != ART_OK) {
        return ART_ERROR;
    }

    /* parts point to names that may be replaced now */

    art_capmap_unindex(map);

    first = map->serial;

    for (i = 0; i < reader->list.n; i++) {
        art_capmap_put(map, &reader->list.entries[i], reader, first);
    }

    for (i = 0; i < reader->agents.n; i++) {
        art_capmap_put_agent(map, &reader->agents.agents[i]);
    }

    return ART_OK;
}


/* Entries with serials from "first" on are from the same document. */

static void
art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first)
{
    uint32_t            *item;
    art_table_key_t      key;
    art_capmap_entry_t  *old;

    entry->serial = map->serial++;

    item = art_capmap_named(map, 0, entry->service.id, &key);

    if (item == NULL) {

        /* cannot fail: there is room for all of them */

        (void) art_table_add(&map->ids, &key, map->list.n);
        map->list.entries[map->list.n++] = *entry;
        return;
    }

    old = &map->list.entries[*item];

    if (old->serial >= first) {
        art_capmap_warn(reader, "service", entry->service.id,
                        " is listed more than once, the last entry counts");
    }

    *old = *entry;
}


/* A platform has few agents: ids are compared one by one. */

static void
art_capmap_put_agent(art_capmap_t *map, const art_capmap_agent_t *agent)
{
    unsigned  i;

    for (i = 0; i < map->agents.n; i++) {
        if (art_str_eq(map->agents.agents[i].id, agent->id)) {
            map->agents.agents[i] = *agent;
            return;
        }
    }

    map->agents.agents[map->agents.n++] = *agent;
}


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    uint32_t                  *item;
    art_table_key_t            search;
    const art_capmap_entry_t  *entry;

    if (map->list.n == 0) {
        return NULL;
    }

    item = art_capmap_named(map, 0, key, &search);

    if (item != NULL) {
        return &map->list.entries[*item].service;
    }

    item = art_capmap_named(map, 1, key, &search);

    entry = item ? &map->list.entries[map->list.entries[*item].found]
                 : art_capmap_find_part(map, key);

    return entry ? &entry->service : NULL;
}


unsigned
art_capmap_position(const art_capmap_t *map, art_str_t id)
{
    uint32_t         *item;
    art_table_key_t   key;

    item = art_capmap_named(map, 0, id, &key);

    return item != NULL ? *item : map->list.n;
}


/*
 * The index of an entry with this id or model, to be read or replaced, or NULL;
 * "key" is set to add the name to map->ids or ->models.
 */

static uint32_t *
art_capmap_named(const art_capmap_t *map, unsigned model, art_str_t name,
    art_table_key_t *key)
{
    uint32_t             *item;
    const art_table_t    *table;
    const art_service_t  *service;

    table = model ? &map->models : &map->ids;

    art_table_key(table, key, name.data, name.len);

    while ((item = art_table_next(table, key)) != NULL) {
        service = &map->list.entries[*item].service;

        if (art_str_eq(model ? service->model : service->id, name)) {
            break;
        }
    }

    return item;
}


/* A model too long to be reduced to parts finds the entry added last. */

static int
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

        item = art_capmap_named(map, 1, model, &key);

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


static int
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


/*
 * Once the parts are indexed: gives an entry that does not state its input the
 * input of the entry that its id finds.  The lists of names belong to the map,
 * so they can be shared.
 */

static void
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


static void
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

    name = art_model_spell(name, spelled);
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


/* Of several names with the same part, the one with the least cost counts. */

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

    name = art_model_spell(name, spelled);
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


static void
art_capmap_rank(art_capmap_t *map)
{
    memset(&map->services, 0, sizeof(art_capmap_ranking_t));
    memset(&map->capable, 0, sizeof(art_capmap_ranking_t));

    art_capmap_rank_services(map, 0);
    art_capmap_rank_services(map, ART_CAPMAP_PUBLIC);
    art_capmap_rank_agents(map);
}


void
art_capmap_suggest(const art_capmap_t *map, unsigned needs,
    const art_service_t *except, art_suggestions_t *s)
{
    unsigned              i, n, ranks[ART_CAPMAP_PREPARED];
    const art_service_t  *service;

    s->nservices = 0;
    s->nagents = 0;

    n = art_capmap_ranked(&map->services, needs, ranks);

    for (i = 0; i < n && s->nservices < ART_CAPMAP_SUGGEST_MAX; i++) {
        service = &map->list.entries[ranks[i] & ~ART_CAPMAP_PUBLIC].service;

        if (service != except) {
            s->services[s->nservices++] = service->id;
        }
    }

    n = art_capmap_ranked(&map->capable, needs, ranks);

    for (i = 0; i < n && s->nagents < ART_CAPMAP_SUGGEST_MAX; i++) {
        s->agents[s->nagents++] = map->agents.agents[ranks[i]].id;
    }
}


static void
art_capmap_rank_services(art_capmap_t *map, unsigned public)
{
    unsigned             i;
    art_capmap_entry_t  *entry;

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (entry->own == !public) {
            art_capmap_rank_put(&map->services, entry->service.input.bits,
                                i | public);
        }
    }
}


static void
art_capmap_rank_agents(art_capmap_t *map)
{
    unsigned              i;
    const art_service_t  *service;

    for (i = 0; i < map->agents.n; i++) {
        service = art_capmap_find(map, map->agents.agents[i].service);

        if (service != NULL) {
            art_capmap_rank_put(&map->capable, service->input.bits, i);
        }
    }
}


/* To be called with ascending ranks. */

static void
art_capmap_rank_put(art_capmap_ranking_t *ranking, unsigned bits,
    unsigned rank)
{
    unsigned  bit;

    for (bit = 0; bit < ART_CAP_COUNT; bit++) {
        if ((bits & (1u << bit)) && ranking->n[bit] < ART_CAPMAP_PREPARED) {
            ranking->ranks[bit][ranking->n[bit]++] = rank;
        }
    }
}


/* Merges the lists of several capabilities; returns the number of ranks. */

static unsigned
art_capmap_ranked(const art_capmap_ranking_t *ranking, unsigned needs,
    unsigned ranks[ART_CAPMAP_PREPARED])
{
    unsigned  bit, n, next, pos[ART_CAP_COUNT];

    memset(pos, 0, sizeof(pos));

    for (n = 0; n < ART_CAPMAP_PREPARED; n++) {
        next = UINT_MAX;

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            if ((needs & (1u << bit)) && pos[bit] < ranking->n[bit]
                && ranking->ranks[bit][pos[bit]] < next)
            {
                next = ranking->ranks[bit][pos[bit]];
            }
        }

        if (next == UINT_MAX) {
            break;
        }

        for (bit = 0; bit < ART_CAP_COUNT; bit++) {
            pos[bit] += pos[bit] < ranking->n[bit]
                        && ranking->ranks[bit][pos[bit]] == next;
        }

        ranks[n] = next;
    }

    return n;
}
