
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Queries about services (docs/capabilities.md): what is asked below
 * "/services/", and the JSON that answers it.
 */


#ifndef ART_SERVICES_H_INCLUDED_
#define ART_SERVICES_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_capmap.h"


/* Bytes: a page ends with the entry that exceeds this. */

#define ART_SERVICES_PAGE  (1024 * 1024)


typedef enum {
    ART_SERVICES_LIST = 0,           /* "" */
    ART_SERVICES_ONE,                /* "{id}" */
    ART_SERVICES_CAPS,               /* "{id}/capabilities" */
    ART_SERVICES_CAP                 /* "{id}/capabilities/{capability}" */
} art_services_what_t;


typedef enum {
    ART_DIRECTION_INPUT = 0,
    ART_DIRECTION_OUTPUT,
    ART_DIRECTION_BOTH
} art_direction_t;


typedef struct {
    art_services_what_t    what;
    art_str_t              id;          /* as requested */
    const art_service_t   *service;
    art_str_t              capability;  /* len 0 in a list: any */
    art_direction_t        direction;
    unsigned               first;       /* of a list: art_services_after() */
    size_t                 limit;       /* 1 to ART_PAGE_LIMIT_MAX */
} art_services_query_t;


/*
 * Parses the part of a path below the location and finds the service.  Ids may
 * have slashes, so the last "/capabilities" counts, unless only the whole path
 * is the id of a service.  Sets all of *query, with defaults for what the path
 * does not say.  ART_ERROR if no service is found; query->id is set then.
 * "map" may be NULL, for an empty one.
 */

int art_services_locate(const art_capmap_t *map, art_str_t path,
    art_services_query_t *query);


/* Parses the argument "direction"; ART_ERROR for an unknown value. */

int art_services_direction(art_str_t value, art_direction_t *direction);


/*
 * A list has the services of the platform's own maps first.  Returns where it
 * goes on after the service with this id, for query->first; 0 if there is no
 * such service.  "map" may be NULL.
 */

unsigned art_services_after(const art_capmap_t *map, art_str_t id);


/*
 * Writes the answer.  A list has at most query->limit services and about
 * ART_SERVICES_PAGE bytes (plus one entry of at most six times 64 KB), and
 * "next" if there are more.
 */

void art_services_print(art_out_t *out, const art_capmap_t *map,
    const art_services_query_t *query);


#endif /* ART_SERVICES_H_INCLUDED_ */
