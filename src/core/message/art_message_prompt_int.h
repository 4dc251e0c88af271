
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the APIs have their system texts, and what asks for an answer with a
 * structure.  A new API is a new row.
 */


#ifndef ART_MESSAGE_PROMPT_INT_H_INCLUDED_
#define ART_MESSAGE_PROMPT_INT_H_INCLUDED_


#include "core/message/art_message_prompt.h"


/* The objects and arrays that are entered. */

enum {
    ART_PROMPT_NO_NODE = ART_WALK_NONE,
    ART_PROMPT_ROOT = ART_WALK_ROOT,
    ART_PROMPT_LIST,             /* an array of messages */
    ART_PROMPT_PARTS,            /* an array */
    ART_PROMPT_PART,
    ART_PROMPT_MESSAGE,
    ART_PROMPT_SYSTEM,           /* a message of its own */
    ART_PROMPT_OPTIONS,
    ART_PROMPT_FORMAT
};


/* What a value is, the "act" of its rule. */

typedef enum {
    ART_PROMPT_PASS = 0,
    ART_PROMPT_TEXT,             /* a system text, or may turn out to be one */
    ART_PROMPT_WORDS,            /* of a part of it */
    ART_PROMPT_ROLE,
    ART_PROMPT_ASKED,            /* for a structure, by being there */
    ART_PROMPT_TYPE,             /* by a type of JSON */
    ART_PROMPT_MIME,             /* by a media type of JSON */
    ART_PROMPT_VERSION
} art_prompt_act_t;


/* A system text that is made anew: its key, and what is around its string. */

typedef struct {
    const char                *key;
    const char                *open;
    const char                *close;
} art_prompt_form_t;


/*
 * "root" is the form of a member of the request (NULL: they are messages), and
 * "held" that of one in a message.
 */

struct art_prompt_row_s {
    const char                *api;
    const art_walk_rule_t     *rules;
    art_prompt_form_t          root;
    art_prompt_form_t          held;
};


/* The row of an API. */

const art_prompt_row_t *art_prompt_row(const art_message_api_t *api);


#endif /* ART_MESSAGE_PROMPT_INT_H_INCLUDED_ */
