
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_capmap share; not for anybody else.
 */


#ifndef ART_CAPMAP_INT_H_INCLUDED_
#define ART_CAPMAP_INT_H_INCLUDED_


#include <jansson.h>

#include "art_capmap.h"


#define ART_CAP_COUNT     6      /* ART_CAP_* are the bits 0 to 5 */

#define ART_CAPMAP_FAULT  160    /* bytes of what is wrong with an entry */


/* The strings and name lists of an entry lie in one block that it owns. */

typedef struct {
    art_service_t         service;
    unsigned              serial;      /* counts the additions to the map */
    void                 *memory;
} art_capmap_entry_t;


typedef struct {
    art_capmap_entry_t   *entries;
    unsigned              n;
} art_capmap_list_t;


/* An open-addressing table of entry numbers + 1; "size" is a power of 2. */

typedef struct {
    unsigned             *slots;
    size_t                size;
} art_capmap_index_t;


/*
 * The list of a capability has one service more than is ever suggested, so
 * that a caller may leave one out.
 */

#define ART_CAPMAP_PREPARED  (ART_CAPMAP_SUGGEST_MAX + 1)

struct art_capmap_s {
    art_capmap_list_t     list;
    unsigned              serial;
    art_capmap_index_t    ids;
    art_capmap_index_t    models;
    unsigned              suggest[ART_CAP_COUNT][ART_CAPMAP_PREPARED];
    unsigned              nsuggest[ART_CAP_COUNT];
};


/*
 * Reads the entries of a document, warnings included, into *list, which the
 * caller frees with art_capmap_list_free(), duplicates included and serials
 * not set.  ART_ERROR with *err set.
 */

int art_capmap_read(art_str_t json, art_capmap_warn_pt warn, void *data,
    art_capmap_list_t *list, art_capmap_error_t *err);

void art_capmap_list_free(art_capmap_list_t *list);


/*
 * Reads one element of "services", number "i" of them.  ART_OK with nothing in
 * *entry, which comes cleared, if it is skipped with a warning; ART_ERROR when
 * out of memory.
 */

int art_capmap_read_entry(const json_t *service, size_t i,
    art_capmap_warn_pt warn, void *data, art_capmap_entry_t *entry);


/*
 * Warns in one line: "id" has what is not fit for a log replaced and is cut
 * where it is too long.  "text" is what follows after it.
 */

void art_capmap_warn(art_capmap_warn_pt warn, void *data, art_str_t id,
    const char *text);


void art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text);


#endif /* ART_CAPMAP_INT_H_INCLUDED_ */
