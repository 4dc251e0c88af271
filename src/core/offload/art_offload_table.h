
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the APIs have base64 in their answers, and what stands in its place.
 * A new API is a new row.
 */


#ifndef ART_OFFLOAD_TABLE_H_INCLUDED_
#define ART_OFFLOAD_TABLE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"


/* The objects and arrays that are entered. */

enum {
    ART_OFFLOAD_NO_NODE = ART_WALK_NONE,
    ART_OFFLOAD_ROOT = ART_WALK_ROOT,
    ART_OFFLOAD_ROOTS,           /* an array of answers */
    ART_OFFLOAD_LIST,            /* an array, as the next one */
    ART_OFFLOAD_PARTS,
    ART_OFFLOAD_ITEM,
    ART_OFFLOAD_BODY,
    ART_OFFLOAD_PART,
    ART_OFFLOAD_INNER,           /* in a part */
    ART_OFFLOAD_SNAKE            /* likewise, with other names */
};


/*
 * What a value is, the "act" of its rule.  A unit is what changes as a whole:
 * it begins at the brace of an object, at its key, or with the key of the data;
 * of others it is the value of the data alone.
 */

typedef enum {
    ART_OFFLOAD_PASS = 0,
    ART_OFFLOAD_UNIT,            /* an object is one, with its brace */
    ART_OFFLOAD_UNIT_KEY,        /* ... with its key */
    ART_OFFLOAD_FLAT,            /* an object whose members move up */
    ART_OFFLOAD_DATA,            /* base64, with its key */
    ART_OFFLOAD_DATA_URL,        /* a data URL, the value alone */
    ART_OFFLOAD_KIND,
    ART_OFFLOAD_MIME,
    ART_OFFLOAD_URI
} art_offload_act_t;


/*
 * "text" replaces the key of a unit, or data with its key.  In it %u is the URI
 * as a string, %n the name, %m the media type, %s the size.  "kinds", of data,
 * is a list of the kinds with which it is data, ended by NULL.
 */

typedef struct {
    art_walk_rule_t      walk;
    const char          *text;
    const char *const   *kinds;
} art_offload_rule_t;


/*
 * What a kind becomes, and the texts of members that have to be there in a
 * unit, each with its comma, where they are missing at its end: the URI, the
 * media type.  NULL: nothing.
 */

typedef struct {
    const char                *name;
    const art_offload_rule_t  *json;
    const art_offload_rule_t  *stream;
    const char                *kind;
    const char                *uri_member;
    const char                *mime_member;
} art_offload_api_t;


/*
 * The API of an answer: of the path, as it stands in the request line without
 * its query, for images; else by "format" if that is not empty, else by the
 * path, too.  A slash at the end does not matter.  NULL: none that has any
 * base64.
 */

const art_offload_api_t *art_offload_api(art_str_t path, art_str_t format);


/* The row of a name, or NULL; by number, NULL past the end. */

const art_offload_api_t *art_offload_api_find(art_str_t name);
const art_offload_api_t *art_offload_api_row(unsigned i);


#endif /* ART_OFFLOAD_TABLE_H_INCLUDED_ */
