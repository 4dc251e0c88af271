
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers: where their text is, where they have base64, and what replaces it.
 */


#ifndef ART_API_ANSWER_H_INCLUDED_
#define ART_API_ANSWER_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"


/* The objects and arrays that lead to text. */

enum {
    ART_DECLARE_NO_NODE = ART_WALK_NONE,
    ART_DECLARE_ROOT = ART_WALK_ROOT,
    ART_DECLARE_ROOTS,           /* an array of answers, in JSON only */
    ART_DECLARE_LIST,            /* an array, as the next one */
    ART_DECLARE_PARTS,
    ART_DECLARE_ITEM,
    ART_DECLARE_BODY,
    ART_DECLARE_PART
};


/* What a value is, the "act" of its rule. */

typedef enum {
    ART_SAYS_NOTHING = 0,
    ART_SAYS_TEXT,               /* the text, or its next piece */
    ART_SAYS_RESULT,             /* an agent's result: all of its text again */
    ART_SAYS_REPEAT,             /* text that has come before */
    ART_SAYS_KIND,               /* the object has text only if it is "word" */
    ART_SAYS_NOT,                /* the object has no text if it is true */
    ART_SAYS_INDEX,              /* of the object: only the first counts */
    ART_SAYS_FINAL,              /* the event is the final one if it is "word",
                                    or, without a word, any string */
    ART_SAYS_TYPE                /* of an agent's event (art_agent_event_t) */
} art_declare_says_t;


typedef struct {
    art_walk_rule_t      walk;
    const char          *word;
} art_declare_rule_t;


/* The objects and arrays that lead to base64. */

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
 * an object, an object with its key, the data with their key, or the value of
 * the data alone.
 */

typedef enum {
    ART_OFFLOAD_PASS = 0,
    ART_OFFLOAD_UNIT,            /* an object that is a unit */
    ART_OFFLOAD_UNIT_KEY,        /* ... with its key */
    ART_OFFLOAD_FLAT,            /* an object whose members move up */
    ART_OFFLOAD_DATA,            /* base64, with its key */
    ART_OFFLOAD_DATA_URL,        /* a data URL, the value alone */
    ART_OFFLOAD_KIND,
    ART_OFFLOAD_MIME,
    ART_OFFLOAD_URI
} art_offload_act_t;


/*
 * "text" replaces the key of a unit, or data with their key: %u is the URI as a
 * string, %n the name, %m the media type, %s the size.  A value is data only
 * beside one of "kinds", which NULL ends, unless that is NULL.
 */

typedef struct {
    art_walk_rule_t      walk;
    const char          *text;
    const char *const   *kinds;
} art_offload_rule_t;


#endif /* ART_API_ANSWER_H_INCLUDED_ */
