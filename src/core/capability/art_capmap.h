
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: which service (model) can read and write what.  Built while
 * the configuration is read, then read-only.
 */


#ifndef ART_CAPMAP_H_INCLUDED_
#define ART_CAPMAP_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_capability.h"


typedef struct {
    art_str_t         id;
    art_str_t         name;      /* data NULL where absent, as below */
    art_str_t         model;
    art_str_t         description;
    art_str_t         format;
    art_caps_t        input;
    art_caps_t        output;
    uint64_t          max_bytes; /* of one content; 0: not told */
    unsigned          naccepts;
    unsigned          ntags;
    art_str_t        *accepts;   /* canonical media types, or "image/" and an
                                    asterisk; NULL: not told */
    art_str_t        *tags;      /* capabilityTags, for people */
} art_service_t;


typedef struct art_capmap_s  art_capmap_t;


/* Where and why a document was refused; line and column count from 1. */

typedef struct {
    int               line;
    int               column;
    char              text[256];
} art_capmap_error_t;


/*
 * Called for every entry that is skipped or degraded; "text" is one line of
 * valid UTF-8 without control characters.  May be NULL where it is passed.
 */

typedef void (*art_capmap_warn_pt)(void *data, const char *text);


/*
 * An empty map, owned by the caller; NULL when out of memory.  A map of NULL
 * is nothing to destroy.
 */

art_capmap_t *art_capmap_create(void);
void art_capmap_destroy(art_capmap_t *map);

/*
 * A random seed for its tables, before anything is added: those who choose the
 * names in a document then cannot make them slow.
 */

void art_capmap_seed(art_capmap_t *map, const uint64_t seed[2]);


/*
 * Adds a document to a map, by its content one of (docs/capabilities.md)
 *
 *     {"services":[..],"agents":[..]}            the platform's own
 *     {"data":[{"id","architecture",..}..]}      OpenRouter's models
 *     {provider:{"models":{model:{..}..}}..}     models.dev's api.json
 *     {model:{"litellm_provider","mode",..}..}   LiteLLM's map
 *
 * Ids that the map already has are replaced (by a later entry of the same
 * document too, with a warning); a replaced id keeps its place in the map's
 * order.  Malformed JSON (RFC 8259; duplicate keys of an object are an error
 * too, and so are what jansson does not take: 2048 levels, a number beyond the
 * range of doubles), a document that is not recognised, or a lack of memory:
 * ART_ERROR with *err set, the services of the map unchanged.  *err quotes no
 * string of the document.
 *
 * An entry that is no object, or without a non-empty id, or with an id of more
 * than 1024 bytes, or more than 64 KB of text, is skipped with a warning that
 * names it.  An entry that tells no capabilities is text only, both ways.
 * Capabilities that are not an object, have neither direction, or anything
 * malformed in them (a direction that is no array, a name that is no non-empty
 * string, more than 64 names) are text only both ways, with a warning that
 * names the entry's id and the fault.  A missing direction is ["text"].
 * "accepts" and "maxBytes", strings and "capabilityTags" that are not sound are
 * passed over with a warning.
 * "apiKey" and "baseURL" are never kept.
 */

int art_capmap_add(art_capmap_t *map, art_str_t json,
    art_capmap_warn_pt warn, void *data, art_capmap_error_t *err);


/*
 * Builds the indexes and the suggestions; called once after the last add.
 * ART_ERROR when out of memory.
 */

int art_capmap_finish(art_capmap_t *map);


/* The services in the map's order; NULL from art_capmap_count() on. */

unsigned art_capmap_count(const art_capmap_t *map);
const art_service_t *art_capmap_get(const art_capmap_t *map, unsigned i);


#endif /* ART_CAPMAP_H_INCLUDED_ */
