
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups in a capability map.
 */


#ifndef ART_CAPMAP_FIND_H_INCLUDED_
#define ART_CAPMAP_FIND_H_INCLUDED_


#include "core/capability/art_capmap.h"


/*
 * Finds a service by id, then by its model's name (if several have the model,
 * the one added last), then by parts of both names (art_model.h): the one for
 * which least is dropped, of several the one added last.  NULL if no service
 * matches.  Constant time: at most ART_MODEL_KEYS_MAX look-ups in a hash table.
 */

const art_service_t *art_capmap_find(const art_capmap_t *map, art_str_t key);


/* The index of the service with exactly this id, or the number of services. */

unsigned art_capmap_position(const art_capmap_t *map, art_str_t id);


#endif /* ART_CAPMAP_FIND_H_INCLUDED_ */
