
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: how one is built, and what is looked up in it.
 */


#include <limits.h>
#include <stdlib.h>

#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/* With so many entries, ranks and the indexes of parts cannot overflow. */

#define ART_CAPMAP_MAX  (UINT_MAX / 4 / ART_MODEL_KEYS_MAX)


static int art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader);
static void art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first);
static void art_capmap_put_agent(art_capmap_t *map,
    art_capmap_agent_t *agent, art_capmap_reader_t *reader);
static uint32_t *art_capmap_named(const art_capmap_t *map, unsigned model,
    art_str_t name, art_table_key_t *key);
static int art_capmap_index_models(art_capmap_t *map);
static void art_capmap_rank(art_capmap_t *map);
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
                               &map->callers, &map->by_part };

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
    art_table_free(&map->models);
    art_table_free(&map->callers);
    art_capmap_free_parts(map);
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
    unsigned             i;
    art_capmap_agent_t  *agent;

    if (art_capmap_index_parts(map) != ART_OK
        || art_capmap_index_models(map) != ART_OK)
    {
        return ART_ERROR;
    }

    /* without their index: no agent leads to another one */

    art_table_free(&map->callers);

    for (i = 0; i < map->agents.n; i++) {
        agent = &map->agents.agents[i];
        agent->found = art_capmap_find(map, agent->service);
    }

    if (art_capmap_index_agents(map) != ART_OK) {
        return ART_ERROR;
    }

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

    art_capmap_free_parts(map);
    art_table_free(&map->models);
    art_table_free(&map->callers);

    first = map->serial;

    for (i = 0; i < reader->list.n; i++) {
        art_capmap_put(map, &reader->list.entries[i], reader, first);
    }

    for (i = 0; i < reader->agents.n; i++) {
        art_capmap_put_agent(map, &reader->agents.agents[i], reader);
    }

    map->ndocuments++;

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

    } else if (old->own && !entry->own) {
        art_capmap_warn(reader, "service", entry->service.id,
                        " of the platform's own map is replaced by a row of "
                        "this one: load the own map last");
    }

    *old = *entry;
}


/* A platform has few agents: ids are compared one by one. */

static void
art_capmap_put_agent(art_capmap_t *map, art_capmap_agent_t *agent,
    art_capmap_reader_t *reader)
{
    unsigned             i;
    art_capmap_agent_t  *old;

    agent->document = map->ndocuments;

    for (i = 0; i < map->agents.n; i++) {
        old = &map->agents.agents[i];

        if (!art_str_eq(old->id, agent->id)) {
            continue;
        }

        if (old->document == agent->document) {
            art_capmap_warn(reader, "agent", agent->id,
                            " is listed more than once, the last entry counts");
        }

        *old = *agent;
        return;
    }

    map->agents.agents[map->agents.n++] = *agent;
}


const art_service_t *
art_capmap_find(const art_capmap_t *map, art_str_t key)
{
    uint32_t         *id, *model;
    art_table_key_t   search;

    if (map->list.n == 0) {
        return NULL;
    }

    id = art_capmap_named(map, 0, key, &search);

    if (id != NULL && map->list.entries[*id].own) {
        return &map->list.entries[*id].service;
    }

    model = art_capmap_named(map, 1, key, &search);

    if (model != NULL && (id == NULL || map->list.entries[*model].own)) {
        return &map->list.entries[*model].service;
    }

    return id ? &map->list.entries[*id].service
              : art_capmap_find_part(map, key);
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


/*
 * The models of the platform's own maps are names as ids are; those of public
 * maps only if they are too long to be reduced to parts.  Of several entries,
 * the one added last counts, but an own one before any other.
 */

static int
art_capmap_index_models(art_capmap_t *map)
{
    unsigned                   i;
    uint32_t                  *item;
    art_table_key_t            key;
    const art_capmap_entry_t  *entry, *old;

    art_table_free(&map->models);

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (entry->service.model.len == 0
            || (!entry->own && entry->service.model.len <= ART_MODEL_NAME_MAX))
        {
            continue;
        }

        item = art_capmap_named(map, 1, entry->service.model, &key);

        if (item == NULL) {
            if (art_table_add(&map->models, &key, i) != ART_OK) {
                return ART_ERROR;
            }

            continue;
        }

        old = &map->list.entries[*item];

        if (entry->own > old->own
            || (entry->own == old->own && entry->serial > old->serial))
        {
            *item = i;
        }
    }

    return ART_OK;
}


static void
art_capmap_rank(art_capmap_t *map)
{
    unsigned                   i;
    const art_capmap_entry_t  *entry;

    memset(&map->services, 0, sizeof(art_capmap_ranking_t));
    memset(&map->capable, 0, sizeof(art_capmap_ranking_t));

    for (i = 0; i < map->list.n; i++) {
        entry = &map->list.entries[i];

        if (entry->own) {
            art_capmap_rank_put(&map->services, entry->service.input.bits, i);
        }
    }

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

    for (i = 0; i < n && s->nservices < ART_CAPMAP_SERVICES_MAX; i++) {
        service = &map->list.entries[ranks[i]].service;

        if (service != except) {
            s->services[s->nservices++] = service->id;
        }
    }

    n = art_capmap_ranked(&map->capable, needs, ranks);

    for (i = 0; i < n && s->nagents < ART_CAPMAP_AGENTS_MAX; i++) {
        s->agents[s->nagents++] = map->agents.agents[ranks[i]].id;
    }
}


unsigned
art_capmap_has_agents(const art_capmap_t *map)
{
    return map != NULL && map->agents.n > 0;
}


static void
art_capmap_rank_agents(art_capmap_t *map)
{
    unsigned              i;
    const art_service_t  *service;

    for (i = 0; i < map->agents.n; i++) {
        service = map->agents.agents[i].found;

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
