
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the text of a model's answer is, for each API: in the events of a
 * stream and in a JSON answer.  A new API is a new row.
 */


#ifndef ART_DECLARE_TABLE_H_INCLUDED_
#define ART_DECLARE_TABLE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"


/* The objects and arrays of an answer that are entered. */

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


/*
 * What a value is to the answer, the "act" of its rule.
 *
 * ART_SAYS_TEXT, ART_SAYS_RESULT: the text, or the next piece of it; an agent
 * says its result once more as a whole.  ART_SAYS_REPEAT: text that has come
 * before.  ART_SAYS_KIND: only where this is "word" is there text in the object
 * around it; ART_SAYS_NOT: nor where this is true.  ART_SAYS_INDEX: the number
 * of the object around it, of which only the first counts.  ART_SAYS_FINAL: the
 * event is the final one if this is "word", or without one any string.
 * ART_SAYS_TYPE: what event of an agent's own stream it is (art_agent_event_t).
 */

typedef enum {
    ART_SAYS_NOTHING = 0,
    ART_SAYS_TEXT,
    ART_SAYS_RESULT,
    ART_SAYS_REPEAT,
    ART_SAYS_KIND,
    ART_SAYS_NOT,
    ART_SAYS_INDEX,
    ART_SAYS_FINAL,
    ART_SAYS_TYPE
} art_declare_says_t;


typedef struct {
    art_walk_rule_t      walk;
    const char          *word;
} art_declare_rule_t;


/*
 * "stream" is NULL where there are no events of text.  ART_DECLARE_AGENT: an
 * agent's own stream, in which what is declared is an event of its own.
 */

#define ART_DECLARE_AGENT  0x01

typedef struct {
    const char                *name;
    unsigned                   flags;
    const art_declare_rule_t  *stream;
    const art_declare_rule_t  *json;
} art_declare_api_t;


/* The row of a name (art_message_table.h); of none, or another, the agent's. */

const art_declare_api_t *art_declare_api(const char *name);


#endif /* ART_DECLARE_TABLE_H_INCLUDED_ */
