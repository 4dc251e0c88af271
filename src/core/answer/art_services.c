
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_put.h"
#include "core/capability/art_capmap.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_services.h"


static int art_services_has(const art_service_t *service, art_str_t capability,
    art_direction_t direction);
static int art_services_split(art_str_t path, art_services_query_t *query);
static void art_services_print_list(art_json_put_t *put,
    const art_capmap_t *map, const art_services_query_t *query);
static void art_services_print_one(art_json_put_t *put,
    const art_service_t *s);
static void art_services_print_caps(art_json_put_t *put, const char *key,
    const art_service_t *s);


/* In the order of art_direction_t. */

static const art_str_t  art_services_directions[] = {
    art_string("input"), art_string("output"), art_string("both")
};


static const art_str_t  art_services_suffix = art_string("/capabilities");


int
art_services_locate(const art_capmap_t *map, art_str_t path,
    art_services_query_t *query)
{
    memset(query, 0, sizeof(art_services_query_t));

    query->limit = ART_PAGE_LIMIT;

    if (path.len == 0) {
        query->what = ART_SERVICES_LIST;
        return ART_OK;
    }

    if (art_services_split(path, query)) {

        if (map != NULL) {
            query->service = art_capmap_find(map, query->id);
        }

        if (query->service != NULL) {
            return ART_OK;
        }

        /* an id may itself end in "/capabilities" */

        if (map == NULL
            || art_capmap_position(map, path) == art_capmap_count(map))
        {
            return ART_ERROR;
        }
    }

    query->what = ART_SERVICES_ONE;
    query->id = path;
    query->capability = art_str(NULL, 0);

    if (map != NULL) {
        query->service = art_capmap_find(map, path);
    }

    return query->service ? ART_OK : ART_ERROR;
}


int
art_services_direction(art_str_t value, art_direction_t *direction)
{
    art_direction_t  i;

    for (i = ART_DIRECTION_INPUT; i <= ART_DIRECTION_BOTH; i++) {
        if (art_str_eq(value, art_services_directions[i])) {
            *direction = i;
            return ART_OK;
        }
    }

    return ART_ERROR;
}


/* Places below the number of services are those of own maps. */

unsigned
art_services_after(const art_capmap_t *map, art_str_t id)
{
    unsigned  i, count;

    count = map ? art_capmap_count(map) : 0;
    i = map ? art_capmap_position(map, id) : 0;

    if (i == count) {
        return 0;
    }

    return i + 1 + (art_capmap_own(map, i) ? 0 : count);
}


void
art_services_print(art_out_t *out, const art_capmap_t *map,
    const art_services_query_t *query)
{
    art_json_put_t  put;

    art_json_put_init(&put, out, 0);

    switch (query->what) {

    case ART_SERVICES_LIST:
        art_services_print_list(&put, map, query);
        break;

    case ART_SERVICES_ONE:
        art_services_print_one(&put, query->service);
        break;

    case ART_SERVICES_CAPS:
        art_services_print_caps(&put, NULL, query->service);
        break;

    case ART_SERVICES_CAP:
        art_json_put_object(&put, NULL);
        art_json_put_string(&put, "service", query->service->id);
        art_json_put_string(&put, "capability", query->capability);
        art_json_put_string(&put, "direction",
                            art_services_directions[query->direction]);
        art_json_put_bool(&put, "supported",
                          (unsigned) art_services_has(query->service,
                                                      query->capability,
                                                      query->direction));
        art_json_put_end(&put);
        break;
    }
}


/* Whether a service has a capability in a direction, or in both. */

static int
art_services_has(const art_service_t *service, art_str_t capability,
    art_direction_t direction)
{
    return (direction == ART_DIRECTION_OUTPUT
            || art_capability_has(&service->input, capability))
           && (direction == ART_DIRECTION_INPUT
               || art_capability_has(&service->output, capability));
}


/* Splits a path that asks for capabilities; 0: it does not. */

static int
art_services_split(art_str_t path, art_services_query_t *query)
{
    size_t  i;

    for (i = path.len; i > art_services_suffix.len; i--) {

        /* "i" is the end of the suffix: of the path, or before a slash */

        if ((i < path.len && path.data[i] != '/')
            || memcmp(path.data + i - art_services_suffix.len,
                      art_services_suffix.data, art_services_suffix.len) != 0)
        {
            continue;
        }

        query->id = art_str(path.data, i - art_services_suffix.len);
        query->what = ART_SERVICES_CAPS;

        if (path.len > i + 1) {
            query->what = ART_SERVICES_CAP;
            query->capability = art_str(path.data + i + 1, path.len - i - 1);
        }

        return 1;
    }

    return 0;
}


static void
art_services_print_list(art_json_put_t *put, const art_capmap_t *map,
    const art_services_query_t *query)
{
    size_t                n, start;
    unsigned              i, more, count;
    const art_service_t  *s, *last;

    art_json_put_object(put, NULL);
    art_json_put_array(put, "services");

    start = put->out->len;
    count = map ? art_capmap_count(map) : 0;
    last = NULL;
    more = 0;
    n = 0;

    for (i = query->first; i < 2 * count; i++) {
        s = art_capmap_get(map, i % count);

        if (art_capmap_own(map, i % count) != (i < count)
            || (query->capability.len > 0
                && !art_services_has(s, query->capability, query->direction)))
        {
            continue;
        }

        if (n == query->limit || put->out->len - start > ART_SERVICES_PAGE) {
            more = 1;
            break;
        }

        art_services_print_one(put, s);
        last = s;
        n++;
    }

    art_json_put_end(put);
    art_json_put_number(put, "count", n);

    if (more && last != NULL) {
        art_json_put_string(put, "next", last->id);
    }

    art_json_put_end(put);
}


static void
art_services_print_one(art_json_put_t *put, const art_service_t *s)
{
    art_json_put_object(put, NULL);
    art_json_put_string(put, "id", s->id);
    art_json_put_string(put, "name", s->name);
    art_json_put_string(put, "model", s->model);
    art_json_put_string(put, "description", s->description);

    if (s->tags != NULL) {
        art_json_put_strings(put, "capabilityTags", s->tags, s->ntags);
    }

    art_json_put_string(put, "format", s->format);
    art_services_print_caps(put, "capabilities", s);
    art_json_put_end(put);
}


static void
art_services_print_caps(art_json_put_t *put, const char *key,
    const art_service_t *s)
{
    art_json_put_object(put, key);
    art_json_put_strings(put, "input", s->input.names, s->input.nnames);
    art_json_put_strings(put, "output", s->output.names, s->output.nnames);
    art_json_put_end(put);
}
