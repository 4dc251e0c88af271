
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * One pass over a request's body, in pieces of any size: the model it asks for,
 * and the slots that hold references or media.
 */


#ifndef ART_MESSAGE_SCAN_H_INCLUDED_
#define ART_MESSAGE_SCAN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/message/art_message_arena.h"
#include "core/json/art_json_walk.h"
#include "core/message/art_message_prompt.h"
#include "core/message/art_message_slot.h"
#include "core/api/art_api.h"


#define ART_SCAN_FRAMES     24
#define ART_SCAN_PARTS      4
#define ART_SCAN_MODEL_MAX  256      /* bytes of a model's name */


typedef enum {
    ART_SCAN_OK = 0,
    ART_SCAN_PASS,               /* no JSON, or none that is read: untouched */
    ART_SCAN_TOO_MANY,           /* references */
    ART_SCAN_NO_MEMORY
} art_scan_status_t;


/*
 * "url_prefix" may be empty.  More than "refs_max" references are too many, and
 * so are more than ART_MESSAGE_SLOTS_MAX.  "prompt", if it is not NULL, sees
 * all tokens, too; with "blind" it alone does, and no slot or model is found.
 */

typedef struct {
    const art_api_t  *api;
    art_pool_t                pool;
    art_str_t                 url_prefix;
    uint32_t                  refs_max;
    art_prompt_t             *prompt;
    unsigned                  blind;
} art_scan_conf_t;


/* The rest of this header's structures is private to the scan. */

typedef struct {
    uint64_t             key;
    art_span_t           span;
} art_scan_field_t;

#define ART_SCAN_FIELDS  (ART_FIELD_MAX - ART_FIELD_TYPE)
#define ART_SCAN_HELD    (ART_FIELD_RESULT - ART_FIELD_ARTIFACT + 1)


/* A part under way. */

typedef struct {
    art_arena_mark_t     mark;
    uint64_t             pos;
    uint64_t             before;
    uint64_t             inner;      /* the end of the call in it */
    uint32_t             index;
    uint32_t             slots;      /* there were before it */
    uint32_t             set;        /* a bit for each field that came */
    uint32_t             elements;   /* of the array in it */
    uint32_t             members;    /* of the response in it */
    unsigned             copies;
    unsigned             image;      /* is an element of images */
    art_message_type_t   type;
    art_message_type_t   source;
    art_str_t            name;
    art_str_t            mime;
    art_scan_field_t     fields[ART_SCAN_FIELDS];
    art_message_held_value_t  held[ART_SCAN_HELD];
} art_scan_part_t;


/* A message under way. */

typedef struct {
    art_arena_mark_t     mark;
    uint32_t             slots;
    art_message_role_t   role;
    art_message_type_t   item;
    unsigned             output:1;   /* there was one */
    unsigned             content:1;  /* likewise */
    unsigned             system:1;   /* a system text of its own */
    unsigned             nothing:1;  /* the content is empty, or null */
    uint32_t             members;
    uint32_t             elements;
    art_span_t           string;
    art_span_t           array;
} art_scan_message_t;


/* "last" is the end of an array's last element. */

typedef struct {
    art_walk_frame_t     walk;
    uint64_t             last;
    uint32_t             slot;       /* of that element, and 1; 0: none */
} art_scan_frame_t;


/*
 * A scan.  What stands first is for all to read when it is over; strings are
 * the pool's but for "models", which are the scan's own.  The first model is
 * the body's own (empty: there was none), the others are those of "models".
 * "full" tells that media were left out, since there are no more slots.
 * "messages" is their number.
 */

typedef struct {
    art_scan_conf_t      conf;
    art_scan_status_t    status;
    uint64_t             len;        /* of the body */
    uint32_t             nslots;
    uint32_t             ngroups;
    uint32_t             nrefs;      /* distinct ones */
    uint32_t             occurrences;
    uint32_t             messages;
    uint32_t             nmodels;
    art_str_t            models[ART_MESSAGE_MODELS_MAX];
    unsigned             versioned:1;    /* has anthropic_version */
    unsigned             full:1;

    unsigned             listed:1;       /* the messages came already */
    uint32_t             tools;          /* the group of them, going on */
    uint16_t            *table;          /* of references, and 1 */
    uint32_t             table_size;

    art_message_slot_t  *slots[ART_MESSAGE_SLOTS_MAX
                               / ART_MESSAGE_SLOTS_BLOCK];
    art_message_group_t *groups[ART_MESSAGE_SLOTS_MAX
                                / ART_MESSAGE_SLOTS_BLOCK];
    art_str_t           *refs;           /* their ids */
    uint32_t            *uses;           /* and how often they occur */

    art_arena_t          arena;
    art_scan_message_t   message;
    unsigned             nparts;
    art_walk_t           walk;
    art_scan_frame_t     frames[ART_SCAN_FRAMES + ART_WALK_SPARE];
    art_scan_part_t      parts[ART_SCAN_PARTS];
    uint8_t              names[ART_MESSAGE_MODELS_MAX][ART_SCAN_MODEL_MAX];
    uint8_t              buf[ART_LEX_KEEP];
    uint8_t              text[ART_LEX_KEEP];
    art_lex_t            lex;
} art_scan_t;


/*
 * Begins; "conf" is copied.  The scan, 27 KB, is the caller's; what else it
 * needs comes from the pool: some 16 KB for each 64 slots, and their strings,
 * bounded by the number of slots.
 */

void art_scan_init(art_scan_t *scan, const art_scan_conf_t *conf);


/*
 * Takes the next piece of the body.  ART_ERROR if no more needs to be fed:
 * art_scan_end() tells why.  Time is linear, whatever the body; any pieces give
 * the same result.
 */

int art_scan_feed(art_scan_t *scan, const uint8_t *p, size_t len);


/*
 * The end of the body.  After ART_SCAN_OK slots and references are there, slots
 * in the order of their places; otherwise there are none.
 */

art_scan_status_t art_scan_end(art_scan_t *scan);


/* By number; the ids of references are without "artifact:". */

static inline art_message_slot_t *
art_scan_slot(const art_scan_t *scan, uint32_t i)
{
    return &scan->slots[i / ART_MESSAGE_SLOTS_BLOCK]
                       [i % ART_MESSAGE_SLOTS_BLOCK];
}


static inline art_message_group_t *
art_scan_group(const art_scan_t *scan, uint32_t i)
{
    return &scan->groups[i / ART_MESSAGE_SLOTS_BLOCK]
                        [i % ART_MESSAGE_SLOTS_BLOCK];
}


/*
 * Whether a slot is in the last message, or in tool messages that go on to the
 * end of the list.
 */

int art_scan_is_last(const art_scan_t *scan, const art_message_slot_t *slot);


#endif /* ART_MESSAGE_SCAN_H_INCLUDED_ */
