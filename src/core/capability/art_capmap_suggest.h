
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which services and agents could read what another one cannot.
 */


#ifndef ART_CAPMAP_SUGGEST_H_INCLUDED_
#define ART_CAPMAP_SUGGEST_H_INCLUDED_


#include "core/capability/art_capmap.h"


/*
 * Suggests services whose input has any of the capabilities "needs" (ART_CAP_*
 * bits), without "except", which may be NULL: first those of the platform's own
 * maps, then the others, each in the map's order; and agents whose service has
 * one, in the order of their maps.  Constant time: prepared by
 * art_capmap_finish().  The ids live as long as the map.
 */

#define ART_CAPMAP_SUGGEST_MAX  5

typedef struct {
    art_str_t         services[ART_CAPMAP_SUGGEST_MAX];
    art_str_t         agents[ART_CAPMAP_SUGGEST_MAX];
    unsigned          nservices;
    unsigned          nagents;
} art_suggestions_t;

void art_capmap_suggest(const art_capmap_t *map, unsigned needs,
    const art_service_t *except, art_suggestions_t *s);


#endif /* ART_CAPMAP_SUGGEST_H_INCLUDED_ */
