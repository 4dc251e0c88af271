
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_capmap share; not for anybody else.
 */


#ifndef ART_CAPMAP_INT_H_INCLUDED_
#define ART_CAPMAP_INT_H_INCLUDED_


#include <jansson.h>

#include "core/base/art_core.h"
#include "core/base/art_intern.h"
#include "core/base/art_table.h"
#include "core/capability/art_capmap.h"
#include "core/capability/art_capmap_suggest.h"
#include "core/capability/art_model.h"


#define ART_CAP_COUNT          6       /* ART_CAP_* are the bits 0 to 5 */

#define ART_CAPMAP_FAULT       160     /* bytes of what is wrong */
#define ART_CAPMAP_NAMES       64      /* names in a list */
#define ART_CAPMAP_ID_MAX      1024    /* bytes of an id */
#define ART_CAPMAP_AGENTS      10000   /* agents of a document */
#define ART_CAPMAP_ENTRY_MAX   65536   /* bytes of all strings of an entry */


/*
 * All strings and lists are in the map's art_intern_t.  "spelled" are id and
 * model as art_spelling() writes them, NULL for what is not reduced to parts;
 * "found" is the number of the entry that the model's name finds.
 */

typedef struct {
    art_service_t         service;
    const uint8_t        *spelled[2];
    unsigned              found;
    unsigned              serial;      /* counts the additions to the map */
    unsigned              own:1;       /* of the platform's own map */
    unsigned              blank:1;     /* of another, which tells no input */
} art_capmap_entry_t;


/* A part of an entry's id or model: the best entry for whoever asks for it. */

typedef struct {
    uint32_t              entry;
    uint16_t              cost;        /* art_model_listed() and more */
    uint8_t               model;       /* of the model, not the id */
    art_model_key_t       key;
} art_capmap_part_t;


typedef struct {
    art_capmap_part_t    *items;
    unsigned              n;
    size_t                room;
} art_capmap_parts_t;


typedef struct {
    art_capmap_entry_t   *entries;
    unsigned              n;
    size_t                room;
} art_capmap_list_t;


typedef struct {
    art_str_t             id;
    art_str_t             service;
} art_capmap_agent_t;


typedef struct {
    art_capmap_agent_t   *agents;
    unsigned              n;
    size_t                room;
} art_capmap_agents_t;


/*
 * The first services (or agents) that have a capability, as ranks: the lower
 * one goes first.  One more than is ever suggested, so that the service which
 * asks may be left out.
 */

#define ART_CAPMAP_PREPARED  (ART_CAPMAP_SUGGEST_MAX + 1)

typedef struct {
    unsigned              ranks[ART_CAP_COUNT][ART_CAPMAP_PREPARED];
    unsigned              n[ART_CAP_COUNT];
} art_capmap_ranking_t;


struct art_capmap_s {
    art_capmap_list_t     list;
    art_capmap_agents_t   agents;
    art_intern_t          strings;
    unsigned              serial;
    art_table_t           ids;         /* of entries, by their service's id */
    art_table_t           models;      /* and by its model */
    art_capmap_parts_t    parts;
    art_table_t           by_part;     /* of parts */
    art_capmap_ranking_t  services;
    art_capmap_ranking_t  capable;     /* agents */
};


/* A list of different names while it is being read. */

typedef struct {
    art_str_t             items[ART_CAPMAP_NAMES];
    unsigned              n;
} art_capmap_names_t;


/*
 * An entry while it is being read; strings point into the document.  Where
 * "fault" is not empty it tells what is wrong with the capabilities: they are
 * text only then.
 */

typedef struct {
    art_str_t             id;
    art_str_t             name;
    art_str_t             model;
    art_str_t             description;
    art_str_t             format;
    art_capmap_names_t    input;
    art_capmap_names_t    output;
    art_capmap_names_t    tags;
    art_capmap_names_t    accepts;
    uint64_t              max_bytes;
    unsigned              blank;       /* nothing tells what it reads */
    char                  fault[ART_CAPMAP_FAULT];
} art_capmap_draft_t;


/* What is read of one document, until it goes into the map as a whole. */

typedef struct {
    art_intern_t         *strings;
    art_capmap_list_t     list;
    art_capmap_agents_t   agents;
    unsigned              own;
    art_capmap_warn_pt    warn;
    void                 *data;
} art_capmap_reader_t;


/*
 * A row for each source of maps: whether a document is one of it, and its
 * reader, which returns ART_ERROR only when out of memory.
 */

typedef struct {
    int                 (*match)(json_t *root);
    int                 (*read)(art_capmap_reader_t *reader, json_t *root);
    unsigned              own;
} art_capmap_source_t;

int art_capmap_own_match(json_t *root);
int art_capmap_own_read(art_capmap_reader_t *reader, json_t *root);
int art_capmap_litellm_match(json_t *root);
int art_capmap_litellm_read(art_capmap_reader_t *reader, json_t *root);
int art_capmap_models_dev_match(json_t *root);
int art_capmap_models_dev_read(art_capmap_reader_t *reader, json_t *root);
int art_capmap_openrouter_match(json_t *root);
int art_capmap_openrouter_read(art_capmap_reader_t *reader, json_t *root);


/*
 * Reads a document, warnings included, into reader->list and ->agents, which
 * the caller frees with art_capmap_reader_free(), duplicates included and
 * serials not set.  ART_ERROR with *err set.
 */

int art_capmap_read(art_capmap_reader_t *reader, art_str_t json,
    art_capmap_error_t *err);

void art_capmap_reader_free(art_capmap_reader_t *reader);


/* A draft that reads and writes text, its other fields absent. */

void art_capmap_draft(art_capmap_draft_t *draft, art_str_t id);


/* Reads the elements of an array one by one, while "read" gives ART_OK. */

int art_capmap_each(art_capmap_reader_t *reader, const json_t *array,
    int (*read)(art_capmap_reader_t *reader, const json_t *element,
    size_t i));


/*
 * Adds the draft to the reader's list, after the warning that it may deserve.
 * An entry without an id, or with more to keep than ART_CAPMAP_ENTRY_MAX, is
 * skipped with one.  ART_ERROR when out of memory.
 */

int art_capmap_keep(art_capmap_reader_t *reader, art_capmap_draft_t *draft);
int art_capmap_keep_agent(art_capmap_reader_t *reader, art_str_t id,
    art_str_t service);


/* Adds a name that is not yet in the list; 0 if there is no room. */

int art_capmap_add_name(art_capmap_names_t *names, art_str_t name);


/*
 * Reads an array of non-empty strings; in "fault" what is wrong with it, with
 * "path" for its name, and 0 returned then.  "modality" maps names that a
 * source has for kinds of content.
 */

int art_capmap_read_names(const json_t *array, const char *path,
    int modality, art_capmap_names_t *names, char *fault);


/*
 * Reads both directions of an object that has them under two keys; what is
 * missing stays text.  "path" names the object.  As in the platform's own map,
 * an object with neither of them is a fault.
 */

void art_capmap_read_caps(const json_t *caps, const char *path,
    const char *const keys[2], int modality, art_capmap_draft_t *draft);


/* Flags of an entry: "key" true means that the list has "name". */

typedef struct {
    const char           *key;
    unsigned              output;      /* the list: output or input */
    art_str_t             name;
} art_capmap_flag_t;


/*
 * Reads the flags of a table that ends with a key of NULL and returns how many
 * of them the entry has; null counts as absent, anything but true and false is
 * a fault.  With one of the input the draft is not blank any more.
 */

unsigned art_capmap_read_flags(const json_t *entry,
    const art_capmap_flag_t *flags, art_capmap_draft_t *draft);


/* Whether a document is an object with any member that is one of a source. */

int art_capmap_has_member(json_t *root, int (*is)(const json_t *member));


/* A string of an object; absent if it is not one. */

art_str_t art_capmap_string(const json_t *object, const char *key);


/*
 * A string of an entry that need not be there; null counts as absent, and so
 * does anything that is no string, after a warning.
 */

art_str_t art_capmap_read_string(art_capmap_reader_t *reader,
    const json_t *entry, const char *key, const art_capmap_draft_t *draft);


/*
 * Warns in one line: what kind of entry it is ("service"), "id" with what is
 * not fit for a log replaced, cut where it is too long, and "text" after it.
 */

void art_capmap_warn(art_capmap_reader_t *reader, const char *what,
    art_str_t id, const char *text);

/* The same for an element of an array that has no id. */

void art_capmap_warn_at(art_capmap_reader_t *reader, const char *array,
    size_t i, const char *text);


/* Sets *err; a line or column below 1 counts as 1. */

void art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text);


/*
 * The number of the entry with an id, to be read or replaced, and where it
 * would go in map->ids; NULL if there is none.
 */

uint32_t *art_capmap_by_id(const art_capmap_t *map, art_str_t id,
    art_table_key_t *key);


/*
 * Build what art_capmap_find() and art_capmap_suggest() look into, the parts
 * before the models.  art_capmap_unindex() frees what finds parts and models.
 */

int art_capmap_index_parts(art_capmap_t *map);
int art_capmap_index_models(art_capmap_t *map);
void art_capmap_unindex(art_capmap_t *map);


/*
 * After that: an entry that tells nothing of what it reads, reads what the one
 * tells that its id finds without it.
 */

void art_capmap_fill(art_capmap_t *map);
void art_capmap_rank(art_capmap_t *map);


#endif /* ART_CAPMAP_INT_H_INCLUDED_ */
