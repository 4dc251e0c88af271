
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long texts in answers of tools: each becomes an excerpt of the artifact that
 * it is stored as.  Whoever uses this keeps the text, and then says which
 * artifact there is.
 */


#ifndef ART_SHORTEN_H_INCLUDED_
#define ART_SHORTEN_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_sse.h"
#include "core/json/art_json_walk.h"
#include "core/api/art_api.h"
#include "core/offload/art_excerpt.h"
#include "core/offload/art_offload.h"


#define ART_SHORTEN_MAX     1024     /* texts of an answer, or message */
#define ART_SHORTEN_REST    4096     /* bytes behind a text */
#define ART_SHORTEN_FRAMES  8
#define ART_SHORTEN_TYPE    128      /* bytes of a media type */


/*
 * Texts of "size" bytes or more are long; of them "head" and "tail" bytes are
 * left, at most.
 */

typedef struct {
    size_t                size;
    size_t                head;
    size_t                tail;
} art_shorten_limits_t;


/*
 * An answer is not looked at before it has as many bytes as a long text, or has
 * to be passed on.  Then, of a string that may be long, by its bytes as they
 * stand:
 *
 *     state     bytes go  ends with, and is followed by
 *     LAZY      held      the end of the answer: LAZY; "size" bytes, or
 *                         art_shorten_idle(): OUT, where they are read first
 *     OUT       out       a piece that ends within such a string: HELD; one
 *                         that is long as it stands: DIGEST
 *     HELD      held      its end: OUT; it is long as it stands: DIGEST
 *     DIGEST    -         what is held was read: LONG, or as that ends
 *     LONG      raw       the end of the string: REST, END, or NOT
 *     REST      rest      the end of its block, or no more room: END, NOT
 *     END       -         art_shorten_made(), art_shorten_left(): OUT
 *     NOT       -         art_shorten_left(): OUT
 *
 * The head goes out in DIGEST or LONG, as soon as the text is long.
 */

typedef enum {
    ART_SHORTEN_AT_LAZY = 0,
    ART_SHORTEN_AT_OUT,
    ART_SHORTEN_AT_HELD,
    ART_SHORTEN_AT_DIGEST,
    ART_SHORTEN_AT_LONG,
    ART_SHORTEN_AT_REST,
    ART_SHORTEN_AT_END,
    ART_SHORTEN_AT_NOT
} art_shorten_state_t;


/* What is known of a block so far. */

typedef struct {
    unsigned             text:1;     /* its type */
    unsigned             resource:1;
    unsigned             other:1;
    unsigned             ref:1;
    unsigned             ui:1;
    unsigned             user:1;     /* who it is for */
    unsigned             model:1;
} art_shorten_block_t;


/*
 * 2.3 KB, and what the sink "memory" gives.  "declared" is the media type of
 * the text as it came, or empty.  The rest is private.
 */

typedef struct {
    size_t               declared_len;
    uint8_t              declared[ART_SHORTEN_TYPE];

    art_offload_sink_t   sink;
    void              *(*memory)(void *data, size_t size);
    art_shorten_limits_t  limits;
    unsigned             taken;      /* of this answer, or message */

    uint64_t             pos;        /* of the next byte of the stream */
    art_shorten_state_t  state;
    unsigned             events:1;
    unsigned             ended:1;    /* an event, within a text */
    unsigned             failed:1;   /* a sink has failed */
    unsigned             dead:1;     /* no JSON from here on */

    unsigned             candidate:1;  /* a string that may be long */
    unsigned             over:1;     /* it has ended */
    unsigned             closed:1;   /* and so has its block */
    unsigned             headed:1;   /* its head went out */
    uint8_t              act;
    uint64_t             at;         /* its quote */
    art_shorten_block_t  block;

    /*
     * "held" has room for limits.size and a step: of LAZY "lazy_len" bytes, of
     * which "lazy_pos" were passed on or read again; in front of those,
     * "held_len" of the string
     */

    uint8_t             *held;
    size_t               lazy_len;
    size_t               lazy_pos;
    size_t               held_len;
    size_t               digested;
    uint8_t             *ends;
    art_excerpt_t        excerpt;
    size_t               rest_len;
    uint8_t              rest[ART_SHORTEN_REST];

    art_sse_t            sse;
    uint8_t              kept[ART_SHORTEN_TYPE];
    art_lex_t            lex;
    art_walk_t           walk;
    art_walk_frame_t     frames[ART_SHORTEN_FRAMES + ART_WALK_SPARE];
} art_shorten_t;


/*
 * Begins with an answer of an API that has "long_texts": one JSON text, or
 * events with one each.  "sink" is copied; its "content" is the text
 * (art_excerpt.h).  "memory" gives memory that lasts as long, or NULL.
 */

void art_shorten_init(art_shorten_t *shorten, const art_api_t *api,
    unsigned events, const art_shorten_limits_t *limits,
    const art_offload_sink_t *sink, void *(*memory)(void *data, size_t size));


/*
 * As art_offload_feed() and art_offload_end(): "len" is at most
 * ART_EXCERPT_STEP.  After ART_OFFLOAD_NONE nothing is wrong, it only is no
 * text that is replaced.
 */

art_offload_status_t art_shorten_feed(art_shorten_t *shorten,
    const uint8_t *p, size_t len, size_t *n);
art_offload_status_t art_shorten_end(art_shorten_t *shorten);


/*
 * Whether art_shorten_feed() has to be called, whatever there is to be read:
 * some of what is held has not been read.
 */

#define art_shorten_is_behind(shorten)                                        \
    ((shorten)->state == ART_SHORTEN_AT_DIGEST                                \
     || ((shorten)->state != ART_SHORTEN_AT_LAZY                              \
         && (shorten)->lazy_pos < (shorten)->lazy_len))


/*
 * Nothing more is there to be read for now: what can be passed on is to be.
 * art_shorten_is_behind() then tells whether there is something.
 */

void art_shorten_idle(art_shorten_t *shorten);


/*
 * Replaces the middle of the text by a sentence about the artifact "id", or
 * leaves the text: the caller then sends what went to "raw", but for its first
 * art_shorten_sent() bytes.  Within art_shorten_left() at most
 * art_shorten_late() bytes go to "raw".
 */

int art_shorten_made(art_shorten_t *shorten, art_str_t id, art_lang_t lang);
int art_shorten_left(art_shorten_t *shorten);

size_t art_shorten_sent(const art_shorten_t *shorten);

#define art_shorten_late(limits)                                              \
    ((limits)->size + 2 * ART_EXCERPT_STEP + ART_SHORTEN_REST)


/*
 * The media type that the text is stored with: in lower case, without
 * parameters; "text/plain" unless it was declared to be another one of a text.
 */

void art_shorten_type(art_out_t *out, const art_shorten_t *shorten);


#endif /* ART_SHORTEN_H_INCLUDED_ */
