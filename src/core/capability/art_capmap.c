
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <limits.h>
#include <stdlib.h>

#include "core/capability/art_capmap_int.h"
#include "core/capability/art_model.h"


/* With so many entries, ranks and the indexes of parts cannot overflow. */

#define ART_CAPMAP_MAX  (UINT_MAX / 4 / ART_MODEL_KEYS_MAX)


static int art_capmap_merge(art_capmap_t *map, art_capmap_reader_t *reader);
static void *art_capmap_room(void *old, size_t n, size_t more, size_t size);
static void art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first);
static void art_capmap_put_agent(art_capmap_t *map,
    const art_capmap_agent_t *agent);


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
    reader.warn = warn;
    reader.data = data;

    rc = art_capmap_read(&reader, json, err);

    if (rc == ART_OK && art_capmap_merge(map, &reader) != ART_OK) {
        art_capmap_fail(err, 1, 1, "out of memory");
        rc = ART_ERROR;
    }

    art_capmap_reader_free(&reader);

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

    memory = art_capmap_room(map->agents.agents, map->agents.n,
                             reader->agents.n, sizeof(art_capmap_agent_t));
    if (memory == NULL) {
        return ART_ERROR;
    }

    map->agents.agents = memory;
    map->agents.room = agents + 1;

    memory = art_capmap_room(map->list.entries, map->list.n, reader->list.n,
                             sizeof(art_capmap_entry_t));
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


static void *
art_capmap_room(void *old, size_t n, size_t more, size_t size)
{
    return realloc(old, (n + more + 1) * size);
}


/* Entries with serials from "first" on come from the same document. */

static void
art_capmap_put(art_capmap_t *map, art_capmap_entry_t *entry,
    art_capmap_reader_t *reader, unsigned first)
{
    uint32_t            *item;
    art_table_key_t      key;
    art_capmap_entry_t  *old;

    entry->serial = map->serial++;

    item = art_capmap_by_id(map, entry->service.id, &key);

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
