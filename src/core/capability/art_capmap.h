
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
    art_str_t         name;      /* data NULL if absent, as the next ones */
    art_str_t         model;
    art_str_t         description;
    art_str_t         format;
    art_caps_t        input;
    art_caps_t        output;
    uint64_t          max_bytes; /* of one content; 0: not stated */
    uint64_t          max_side;  /* pixels of an image; 0: not stated */
    uint64_t          max_media; /* of a request; 0: not stated */
    unsigned          tool_media; /* its API takes media of tools */
    unsigned          naccepts;
    unsigned          ntags;
    art_str_t        *accepts;   /* canonical media types, or "image/" and an
                                    asterisk; NULL: not stated */
    art_str_t        *tags;      /* capabilityTags, for people */
} art_service_t;


typedef struct art_capmap_s  art_capmap_t;


/* Where and why a document was refused; lines and columns count from 1. */

typedef struct {
    int               line;
    int               column;
    char              text[256];
} art_capmap_error_t;


/*
 * Called for every entry that is skipped or degraded, and for names that are
 * probably misspelt; "text" is one line of valid UTF-8 without control
 * characters.  The entry, or the name, is in line "line" of the document, 0 if
 * that is not known.  The callback may be NULL.
 */

typedef void (*art_capmap_warn_pt)(void *data, int line, const char *text);


/*
 * Creates an empty map, owned by the caller; NULL when out of memory.
 * art_capmap_destroy() ignores NULL.
 */

art_capmap_t *art_capmap_create(void);
void art_capmap_destroy(art_capmap_t *map);

/*
 * Sets a random seed for the map's tables, before anything is added: then
 * whoever chooses the names in a document cannot slow them down.
 */

void art_capmap_seed(art_capmap_t *map, const uint64_t seed[2]);


/*
 * Adds a document to a map.  Its form is detected from its content
 * (docs/capabilities.md):
 *
 *     {"services":[..],"agents":[..]}            the platform's own
 *     {"data":[{"id","architecture",..}..]}      OpenRouter's models
 *     {provider:{"models":{model:{..}..}}..}     models.dev's api.json
 *     {model:{"litellm_provider","mode",..}..}   LiteLLM's map
 *
 * An entry replaces an earlier one with the same id, with a warning if both are
 * in the same document, or if a public map's replaces the platform's own; the
 * replaced id keeps its position in the map's order.
 * ART_ERROR, with *err set and the services of the map unchanged, for malformed
 * JSON (RFC 8259, but duplicate keys in an object are errors, and so is all
 * that jansson refuses: 2048 levels, a number beyond the range of doubles), for
 * an unknown form of document, and when out of memory.  *err never quotes a
 * string of the document.
 *
 * An entry is skipped, with a warning that names it, if it is not an object,
 * has no id or an empty one, has an id of more than 1024 bytes, or has more
 * than 64 KB of text.  An entry that states no capabilities is text only, in
 * both directions.  So is one whose capabilities are not an object, have
 * neither direction, or have a fault (a direction that is not an array, a name
 * that is not a non-empty string, more than 64 names): a warning names the
 * entry's id and the fault.  A missing direction is ["text"].  Malformed
 * "accepts", "maxBytes", "maxSide", "maxMedia", "toolMedia", strings and
 * "capabilityTags" are ignored with a warning.  In the platform's own map there
 * is a warning for each unknown capability and each unknown member that looks
 * like a known one (art_near.h).  "apiKey" and "baseURL" are never kept.
 */

int art_capmap_add(art_capmap_t *map, art_str_t json,
    art_capmap_warn_pt warn, void *data, art_capmap_error_t *err);


/*
 * Overwrites with asterisks the strings that a document has under the keys
 * "apiKey" and "baseURL", so that no copy of them is ever made.  A syntax error
 * stays on the same line, and at the same column unless such a string before it
 * on the line has characters beyond ASCII.
 */

void art_capmap_redact(uint8_t *json, size_t len);


/*
 * Builds the indexes and the suggestions; called once after the last add.
 * ART_ERROR when out of memory.
 */

int art_capmap_finish(art_capmap_t *map);


/* The services in the map's order; NULL from art_capmap_count() on. */

unsigned art_capmap_count(const art_capmap_t *map);
const art_service_t *art_capmap_get(const art_capmap_t *map, unsigned i);

/* Whether service "i", below the number of services, is from an own map. */

unsigned art_capmap_own(const art_capmap_t *map, unsigned i);


/*
 * Finds a service by its id or, in the platform's own maps, by its model (if
 * several have it, the one added last; an own service comes before another with
 * that id), also in another spelling; then the service of the agent with this
 * id, in any case; then by parts of both names (art_model.h).  By a part, an
 * own service comes before all others: the one for which least is dropped.  Of
 * public maps' rows the one of the model's maker counts, else what more than
 * half of them have: docs/capabilities.md, "Public maps disagree".
 *
 * If no row has just that, the service is one that art_capmap_get() does not
 * know: its id is the name of the model.  NULL if no service matches.  Constant
 * time: at most ART_MODEL_KEYS_MAX look-ups in a hash table.
 */

const art_service_t *art_capmap_find(const art_capmap_t *map, art_str_t key);


/*
 * After art_capmap_finish(): the agents whose service no map has, one a call.
 * *i is 0 at first.  "document" counts the documents that were added, from 0;
 * "line" is 0 if it is not known.  0 if there are no more.
 */

typedef struct {
    art_str_t         id;
    art_str_t         service;
    unsigned          document;
    int               line;
} art_capmap_lost_t;

int art_capmap_lost(const art_capmap_t *map, unsigned *i,
    art_capmap_lost_t *lost);


/* Whether any map, which may be NULL, has agents. */

unsigned art_capmap_has_agents(const art_capmap_t *map);


/* The index of the service with exactly this id, or the number of services. */

unsigned art_capmap_position(const art_capmap_t *map, art_str_t id);


/*
 * Suggests services of the platform's own maps whose input has any of the
 * capabilities "needs" (ART_CAP_* bits), without "except", which may be NULL,
 * in the map's order; and agents whose service has one, in the order of their
 * maps.  Constant time: prepared by art_capmap_finish().  The ids live as long
 * as the map.
 */

#define ART_CAPMAP_SERVICES_MAX  3
#define ART_CAPMAP_AGENTS_MAX    5

typedef struct {
    art_str_t         services[ART_CAPMAP_SERVICES_MAX];
    art_str_t         agents[ART_CAPMAP_AGENTS_MAX];
    unsigned          nservices;
    unsigned          nagents;
} art_suggestions_t;

void art_capmap_suggest(const art_capmap_t *map, unsigned needs,
    const art_service_t *except, art_suggestions_t *s);


#endif /* ART_CAPMAP_H_INCLUDED_ */
