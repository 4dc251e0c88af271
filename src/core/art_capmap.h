
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: which service (model) can read and write what.  Built while
 * the configuration is read, then read-only.
 */


#ifndef ART_CAPMAP_H_INCLUDED_
#define ART_CAPMAP_H_INCLUDED_


#include "art_core.h"


/* The capabilities that decide something; others are kept by name only. */

#define ART_CAP_TEXT    0x01
#define ART_CAP_VISION  0x02
#define ART_CAP_AUDIO   0x04
#define ART_CAP_VIDEO   0x08
#define ART_CAP_FILE    0x10
#define ART_CAP_PDF     0x20


typedef struct {
    unsigned          bits;      /* ART_CAP_* */
    unsigned          nnames;
    art_str_t        *names;     /* as listed in the map, duplicates dropped */
} art_caps_t;


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
    art_str_t        *accepts;   /* media types, lower-case; NULL: not told */
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
 * The bit of one capability name, 0 for an unknown one.  The case of letters
 * counts: a map says "vision".
 */

unsigned art_cap_bit(art_str_t name);


/*
 * Parses a list of capabilities as a header gives it, "text, vision, file":
 * names separated by commas or white space, case-insensitive.  Returns the
 * bits; unknown names are passed over.
 */

unsigned art_caps_parse_list(art_str_t list);


/*
 * An empty map, owned by the caller; NULL when out of memory.  A map of NULL
 * is nothing to destroy.
 */

art_capmap_t *art_capmap_create(void);
void art_capmap_destroy(art_capmap_t *map);


/*
 * Adds the platform's own document, {"services":[{id, name, model,
 * capabilities:{input,output}, ...}], "agents":[..]}, to a map; ids that the
 * map already has are replaced (by a later entry of the same document too,
 * with a warning).  Malformed JSON (RFC 8259; duplicate keys of an object are
 * an error too, and so are what jansson does not take: 2048 levels, a number
 * beyond the range of doubles), a document that is not recognised, or a lack
 * of memory: ART_ERROR with *err set, the map unchanged.  *err quotes no
 * string of the document.  A replaced id keeps its place in the map's order.
 *
 * An entry that is no object, or without a non-empty string "id", is skipped
 * with a warning that names its index.  An entry without "capabilities" is
 * text only, both ways.  A "capabilities" that is not an object, is {}, or
 * has anything malformed in it (a direction that is no array, a name that is
 * no non-empty string) is text only both ways, with a warning that names the
 * entry's id and the fault.  A missing direction is ["text"].  "apiKey" and
 * "baseURL" are never kept, in memory neither; "agents" is passed over.
 */

int art_capmap_add(art_capmap_t *map, art_str_t json,
    art_capmap_warn_pt warn, void *data, art_capmap_error_t *err);


/*
 * Builds the indexes and the suggestions; called once after the last add.
 * ART_ERROR when out of memory.
 */

int art_capmap_finish(art_capmap_t *map);


/*
 * Finds a service by id, then by model name (where several have the model,
 * the one added last).  NULL if there is none.  Constant time.
 */

const art_service_t *art_capmap_find(const art_capmap_t *map, art_str_t key);


/*
 * Writes the ids of at most "max" services whose input has any of the
 * capabilities "needs" (ART_CAP_* bits) into "ids", in the map's order,
 * and returns their number.  "max" is ART_CAPMAP_SUGGEST_MAX, or one more
 * where the caller leaves one out; what is above counts as that.  Constant
 * time: prepared by art_capmap_finish() for each single capability; for
 * several bits their merged order.
 */

#define ART_CAPMAP_SUGGEST_MAX  5

unsigned art_capmap_suggest(const art_capmap_t *map, unsigned needs,
    art_str_t *ids, unsigned max);


/* The services in the map's order; NULL from art_capmap_count() on. */

unsigned art_capmap_count(const art_capmap_t *map);
const art_service_t *art_capmap_get(const art_capmap_t *map, unsigned i);


#endif /* ART_CAPMAP_H_INCLUDED_ */
