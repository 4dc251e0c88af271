
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The instruction to declare artifacts, after a request's own system text: an
 * observer of the scan's tokens, which notes where that text is.
 */


#ifndef ART_EXPAND_PROMPT_H_INCLUDED_
#define ART_EXPAND_PROMPT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"
#include "core/expand/art_expand_value.h"
#include "core/expand/art_expand_splice.h"
#include "core/api/art_api.h"


#define ART_PROMPT_FRAMES  6
#define ART_PROMPT_OPS     2     /* at most */


/* What a system text is; an object is a single part without its array. */

typedef enum {
    ART_PROMPT_ABSENT = 0,
    ART_PROMPT_NULL,
    ART_PROMPT_STRING,
    ART_PROMPT_ARRAY,
    ART_PROMPT_OBJECT,
    ART_PROMPT_OTHER             /* nothing that the API takes */
} art_prompt_kind_t;


/*
 * A system text; of the object around it, the position after its closing brace
 * and the number of its members.
 */

typedef struct {
    art_prompt_kind_t          kind;
    art_span_t                 span;
    uint32_t                   elements;
    unsigned                   filled:1;     /* there are words in it */
    unsigned                   tagged:1;     /* the tag is one of them */
    unsigned                   system:1;     /* of a message: its role is */
    uint64_t                   end;
    uint32_t                   members;
} art_prompt_text_t;




/*
 * The state for one request; all is private but "versioned": the body has an
 * anthropic_version.
 */

typedef struct {
    const art_api_t           *api;

    unsigned                   versioned:1;
    unsigned                   structured:1; /* output is asked for */
    unsigned                   tagged:1;     /* one of the messages is */
    unsigned                   led:1;        /* leading messages have ended */
    unsigned                   chosen:1;     /* "held" is to be used */
    unsigned                   fixed:1;      /* by the request in the body */
    unsigned                   lists;
    uint64_t                   list;         /* where the messages begin */
    uint32_t                   messages;

    art_prompt_text_t          root;
    art_prompt_text_t          held;
    art_prompt_text_t          current;      /* of the current message */
    art_prompt_text_t         *text;

    unsigned                   matched;      /* bytes of the tag */
    art_walk_t                 walk;
    art_walk_frame_t           frames[ART_PROMPT_FRAMES + ART_WALK_SPARE];
} art_prompt_t;


/* Begins: prompt->walk has to be an observer of the request's tokens. */

void art_prompt_init(art_prompt_t *prompt, const art_api_t *api);


/*
 * After the whole body: the operations that put the instruction, in "lang",
 * after the system text.  *nops is 0 where the answer must have a structure,
 * where the system text has the tag already, and where the system text has a
 * shape that the API does not take.  The same request gets the same bytes.  At
 * most ART_PROMPT_OPS operations, whose texts are the pool's; ART_ERROR when
 * out of memory.
 */

int art_prompt_ops(const art_prompt_t *prompt, art_lang_t lang,
    const art_pool_t *pool, art_splice_op_t *ops, size_t *nops);


#endif /* ART_EXPAND_PROMPT_H_INCLUDED_ */
