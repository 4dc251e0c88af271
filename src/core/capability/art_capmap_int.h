
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to the files of art_capmap.
 */


#ifndef ART_CAPMAP_INT_H_INCLUDED_
#define ART_CAPMAP_INT_H_INCLUDED_


#include <jansson.h>

#include "core/base/art_core.h"
#include "core/base/art_hash.h"
#include "core/json/art_json_members.h"
#include "core/capability/art_capmap.h"
#include "core/capability/art_model.h"


#define ART_CAP_COUNT          6       /* ART_CAP_* are the bits 0 to 5 */

#define ART_CAPMAP_FAULT       160     /* bytes of a fault's text */
#define ART_CAPMAP_NAMES       64      /* names in a list */
#define ART_CAPMAP_ID_MAX      1024    /* bytes of an id */
#define ART_CAPMAP_AGENTS      10000   /* agents in a document */
#define ART_CAPMAP_ENTRY_MAX   65536   /* bytes of all strings of an entry */


/*
 * All strings and lists are in the map's art_intern_t.  "spelled" has id and
 * model as art_model_spell() writes them, NULL if they are not reduced to
 * parts.
 */

typedef struct {
    art_service_t         service;
    art_str_t             provider;    /* of a public map's row */
    const uint8_t        *spelled[2];
    unsigned              serial;      /* counts the additions to the map */
    unsigned              own:1;       /* from the platform's own map */
    unsigned              blank:1;     /* from another, without its input */
} art_capmap_entry_t;


/*
 * An entry, or from the number of entries on a merged one, and the cost at
 * which a name finds it; UINT32_MAX: none.
 */

typedef struct {
    uint32_t              entry;
    uint32_t              cost;
} art_capmap_choice_t;


/* How a name finds an entry by a part; what it is for, see art_capmap_rows.c */

enum {
    ART_CAPMAP_SAME = 0,               /* a public id, spelled otherwise */
    ART_CAPMAP_OWN,
    ART_CAPMAP_ROWS,                   /* rows of public maps */
    ART_CAPMAP_BLANK,
    ART_CAPMAP_WAYS
};


/* A part of names; "key" is the one of the entry's id or model. */

typedef struct {
    uint32_t              entry;
    uint32_t              rows;        /* while they are indexed: the last */
    uint8_t               model;       /* a part of the model, not of the id */
    art_model_key_t       key;
    art_capmap_choice_t   best[ART_CAPMAP_WAYS];
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


/*
 * "document" counts the documents of the map, and "line" is the agent's, 0 if
 * it is not known.  "found" is set by art_capmap_finish(), NULL if no map has
 * the service.
 */

typedef struct {
    art_str_t             id;
    art_str_t             service;
    const art_service_t  *found;
    unsigned              document;
    int                   line;
} art_capmap_agent_t;


typedef struct {
    art_capmap_agent_t   *agents;
    unsigned              n;
    size_t                room;
} art_capmap_agents_t;


/*
 * The first services (or agents) that have a capability, by their index; the
 * lowest comes first.  One more than is ever suggested, so that the current
 * service can be omitted.
 */

#define ART_CAPMAP_PREPARED  (ART_CAPMAP_AGENTS_MAX + 1)

typedef struct {
    unsigned              ranks[ART_CAP_COUNT][ART_CAPMAP_PREPARED];
    unsigned              n[ART_CAP_COUNT];
} art_capmap_ranking_t;


struct art_capmap_s {
    art_capmap_list_t     list;
    art_capmap_agents_t   agents;
    art_intern_t          strings;
    unsigned              serial;
    unsigned              ndocuments;
    art_table_t           ids;         /* of entries, by their service's id */
    art_table_t           models;      /* of entries, by its model */
    art_table_t           callers;     /* of agents, by id, also in small */
    art_capmap_parts_t    parts;
    art_table_t           by_part;     /* of parts */
    art_service_t        *merged;      /* of rows that disagree */
    unsigned              nmerged;
    size_t                room;        /* in "merged" */
    art_capmap_ranking_t  services;
    art_capmap_ranking_t  capable;     /* agents */
};


/* A list of distinct names while it is read. */

typedef struct {
    art_str_t             items[ART_CAPMAP_NAMES];
    unsigned              n;
} art_capmap_names_t;


/*
 * An entry while it is read; strings point into the document.  If "fault" is
 * not empty, it describes a fault in the capabilities, which are text only
 * then.
 */

typedef struct {
    art_str_t             id;
    art_str_t             name;
    art_str_t             model;
    art_str_t             description;
    art_str_t             format;
    art_str_t             provider;
    art_capmap_names_t    input;
    art_capmap_names_t    output;
    art_capmap_names_t    tags;
    art_capmap_names_t    accepts;
    uint64_t              max_bytes;
    uint64_t              max_side;
    uint64_t              max_media;
    unsigned              tool_media;
    unsigned              blank;       /* its input is not stated */
    char                  fault[ART_CAPMAP_FAULT];
} art_capmap_draft_t;


/* How far the text of an array was passed to find the lines of its entries. */

typedef struct {
    art_str_t             array;
    art_json_members_t    elements;
    art_str_t             element;     /* the last one, before "next" */
    size_t                next;
    const uint8_t        *counted;     /* "line" is the line of this byte */
    int                   line;
} art_capmap_place_t;


/*
 * The content of a document, before it goes into the map as a whole.  Warnings
 * are about the entry "index" of "array", if that is set, or about "at" in it.
 */

typedef struct {
    art_intern_t         *strings;
    art_capmap_list_t     list;
    art_capmap_agents_t   agents;
    unsigned              own;
    art_str_t             json;
    art_str_t             array;
    size_t                index;
    const uint8_t        *at;
    art_capmap_place_t    place;
    art_capmap_warn_pt    warn;
    void                 *data;
} art_capmap_reader_t;


/*
 * The platform's own map: whether a document is one, and reading one, as in the
 * table of sources.
 */

int art_capmap_own_match(json_t *root);
int art_capmap_own_read(art_capmap_reader_t *reader, json_t *root);


/*
 * The line in the document that a warning is about, 0 if it is not known.  All
 * calls for one document take linear time.
 */

int art_capmap_line(art_capmap_reader_t *reader);


/*
 * The text of the entry that is being read, and the text of the value that an
 * object's member has; empty if no entry is being read, or without the member.
 */

art_str_t art_capmap_entry_text(art_capmap_reader_t *reader);
art_str_t art_capmap_member_text(art_str_t object, art_str_t key);


/* Initialises a draft that reads and writes text and has no other field. */

void art_capmap_draft(art_capmap_draft_t *draft, art_str_t id);


/* Calls "read" for each element of an array while it returns ART_OK. */

int art_capmap_each(art_capmap_reader_t *reader, const json_t *array,
    int (*read)(art_capmap_reader_t *reader, const json_t *element,
    size_t i));


/*
 * Adds the draft to the reader's list, with a warning if it has a fault.  An
 * entry is skipped with a warning if it has no id or more text than
 * ART_CAPMAP_ENTRY_MAX.  ART_ERROR when out of memory.
 */

int art_capmap_push_entry(art_capmap_reader_t *reader,
    art_capmap_draft_t *draft);
int art_capmap_push_agent(art_capmap_reader_t *reader, art_str_t id,
    art_str_t service);


/* Keeps the names, and sets the bits of those that have one. */

int art_capmap_intern_caps(art_intern_t *strings, art_caps_t *caps,
    const art_capmap_names_t *names);


/* Adds a name unless it is already in the list; 0 if there is no room. */

int art_capmap_add_name(art_capmap_names_t *names, art_str_t name);


/*
 * Reads an array of non-empty strings.  On a fault it returns 0 and describes
 * it in "fault", with "path" as the array's name.  With "modality", a source's
 * names for kinds of content are translated.
 */

int art_capmap_read_names(const json_t *array, const char *path,
    int modality, art_capmap_names_t *names, char *fault);


/*
 * Reads both directions of an object that has them under two keys; a missing
 * one remains text.  "path" names the object.  An object with neither of them
 * is a fault, as in the platform's own map.
 */

void art_capmap_read_caps(const json_t *caps, const char *path,
    const char *const keys[2], int modality, art_capmap_draft_t *draft);


/* A string of an object; data NULL if the member is not a string. */

art_str_t art_capmap_string(const json_t *object, const char *key);


/*
 * An optional string of an entry.  null counts as absent, and so does any other
 * value that is not a string, after a warning.
 */

art_str_t art_capmap_read_string(art_capmap_reader_t *reader,
    const json_t *entry, const char *key, const art_capmap_draft_t *draft);


/*
 * Warns in one line: the kind of entry ("service"), the id, cut if it is long
 * and with unprintable characters replaced, and "text".
 */

void art_capmap_warn(art_capmap_reader_t *reader, const char *what,
    art_str_t id, const char *text);

/* The same for an element of an array that has no id. */

void art_capmap_warn_at(art_capmap_reader_t *reader, const char *array,
    size_t i, const char *text);


/*
 * The parts of names (art_capmap_rows.c): builds their index once all entries
 * are there, ART_ERROR when out of memory; forgets it; finds a service by one,
 * NULL if none has a part in common with the name.
 */

int art_capmap_index_parts(art_capmap_t *map);
void art_capmap_free_parts(art_capmap_t *map);
const art_service_t *art_capmap_find_part(const art_capmap_t *map,
    art_str_t name);


/*
 * The agents: builds their index, an empty one at first, once their services
 * are set, ART_ERROR when out of memory; finds the service of the agent with
 * this id, in any case, NULL without one.
 */

int art_capmap_index_agents(art_capmap_t *map);
const art_service_t *art_capmap_find_agent(const art_capmap_t *map,
    art_str_t id);


/* Sets *err; a line or column below 1 becomes 1. */

void art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text);


#endif /* ART_CAPMAP_INT_H_INCLUDED_ */
