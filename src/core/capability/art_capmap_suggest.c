
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Suggestions: who could take what another service cannot.
 */


#include <limits.h>

#include "core/capability/art_capmap_find.h"
#include "core/capability/art_capmap_int.h"
#include "core/capability/art_capmap_suggest.h"


/* Services of the platform's own map come before those of public maps. */

#define ART_CAPMAP_PUBLIC  (UINT_MAX / 2 + 1)


static void art_capmap_rank_services(art_capmap_t *map, unsigned public);
static void art_capmap_rank_agents(art_capmap_t *map);
static void art_capmap_rank_put(art_capmap_ranking_t *ranking, unsigned bits,
    unsigned rank);
static unsigned art_capmap_rank_next(const art_capmap_ranking_t *ranking,
    unsigned needs, unsigned *pos);


void
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
    unsigned              rank, pos[ART_CAP_COUNT];
    const art_service_t  *service;

    s->nservices = 0;
    s->nagents = 0;

    memset(pos, 0, sizeof(pos));

    while (s->nservices < ART_CAPMAP_SUGGEST_MAX) {
        rank = art_capmap_rank_next(&map->services, needs, pos);

        if (rank == UINT_MAX) {
            break;
        }

        service = &map->list.entries[rank & ~ART_CAPMAP_PUBLIC].service;

        if (service != except) {
            s->services[s->nservices++] = service->id;
        }
    }

    memset(pos, 0, sizeof(pos));

    while (s->nagents < ART_CAPMAP_SUGGEST_MAX) {
        rank = art_capmap_rank_next(&map->capable, needs, pos);

        if (rank == UINT_MAX) {
            break;
        }

        s->agents[s->nagents++] = map->agents.agents[rank].id;
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


/* Merges the lists of several capabilities; UINT_MAX at the end. */

static unsigned
art_capmap_rank_next(const art_capmap_ranking_t *ranking, unsigned needs,
    unsigned *pos)
{
    unsigned  bit, next;

    next = UINT_MAX;

    for (bit = 0; bit < ART_CAP_COUNT; bit++) {
        if ((needs & (1u << bit)) && pos[bit] < ranking->n[bit]
            && ranking->ranks[bit][pos[bit]] < next)
        {
            next = ranking->ranks[bit][pos[bit]];
        }
    }

    for (bit = 0; bit < ART_CAP_COUNT; bit++) {
        if (pos[bit] < ranking->n[bit]
            && ranking->ranks[bit][pos[bit]] == next)
        {
            pos[bit]++;
        }
    }

    return next;
}
