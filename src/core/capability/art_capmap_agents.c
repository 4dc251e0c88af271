
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The agents of the platform's own maps, by their ids.
 */


#include "core/capability/art_capmap_int.h"


static uint32_t *art_capmap_caller(const art_capmap_t *map, art_str_t id,
    unsigned small, art_table_key_t *key);
static art_str_t art_capmap_small(art_str_t id, uint8_t *buf);


int
art_capmap_index_agents(art_capmap_t *map)
{
    uint8_t                    buf[ART_CAPMAP_ID_MAX];
    unsigned                   i, small;
    art_str_t                  id;
    art_table_key_t            key;
    const art_capmap_agent_t  *agent;

    for (i = 0; i < map->agents.n * 2; i++) {
        agent = &map->agents.agents[i / 2];
        small = i & 1;
        id = small ? art_capmap_small(agent->id, buf) : agent->id;

        if (agent->found == NULL) {
            continue;
        }

        if (art_capmap_caller(map, id, small, &key) == NULL
            && art_table_add(&map->callers, &key, i / 2) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


const art_service_t *
art_capmap_find_agent(const art_capmap_t *map, art_str_t id)
{
    uint8_t           buf[ART_CAPMAP_ID_MAX];
    uint32_t         *item;
    art_table_key_t   key;

    if (map->callers.n == 0 || id.len > ART_CAPMAP_ID_MAX) {
        return NULL;
    }

    item = art_capmap_caller(map, id, 0, &key);

    if (item == NULL) {
        item = art_capmap_caller(map, art_capmap_small(id, buf), 1, &key);
    }

    return item != NULL ? map->agents.agents[*item].found : NULL;
}


/*
 * The agent with this id or, if it is "small", with this id in small letters;
 * as art_capmap_named() for services.
 */

static uint32_t *
art_capmap_caller(const art_capmap_t *map, art_str_t id, unsigned small,
    art_table_key_t *key)
{
    uint8_t    buf[ART_CAPMAP_ID_MAX];
    uint32_t  *item;
    art_str_t  known;

    art_table_key(&map->callers, key, id.data, id.len);

    while ((item = art_table_next(&map->callers, key)) != NULL) {
        known = map->agents.agents[*item].id;

        if (art_str_eq(small ? art_capmap_small(known, buf) : known, id)) {
            break;
        }
    }

    return item;
}


/* An id of at most ART_CAPMAP_ID_MAX bytes. */

static art_str_t
art_capmap_small(art_str_t id, uint8_t *buf)
{
    size_t  i;

    for (i = 0; i < id.len; i++) {
        buf[i] = art_char_lower(id.data[i]);
    }

    return art_str(buf, id.len);
}


int
art_capmap_lost(const art_capmap_t *map, unsigned *i, art_capmap_lost_t *lost)
{
    const art_capmap_agent_t  *agent;

    for ( /* void */ ; *i < map->agents.n; (*i)++) {
        agent = &map->agents.agents[*i];

        if (agent->found == NULL) {
            lost->id = agent->id;
            lost->service = agent->service;
            lost->document = agent->document;
            lost->line = agent->line;
            (*i)++;

            return 1;
        }
    }

    return 0;
}
