
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Look-ups in a capability map.
 */


#ifndef ART_CAPMAP_FIND_H_INCLUDED_
#define ART_CAPMAP_FIND_H_INCLUDED_


#include "core/capability/art_capmap.h"


/*
 * Finds a service by id, then by model name (where several have the model,
 * the one added last), then by parts of both names (art_model.h): the one for
 * which least is dropped, of several the one added last.  NULL if there is
 * none.  Constant time: at most ART_MODEL_KEYS_MAX look-ups in a hash table.
 */

const art_service_t *art_capmap_find(const art_capmap_t *map, art_str_t key);


/* The number of the service with exactly this id; the count if none has it. */

unsigned art_capmap_position(const art_capmap_t *map, art_str_t id);


#endif /* ART_CAPMAP_FIND_H_INCLUDED_ */
