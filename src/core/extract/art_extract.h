
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What an agent declares in its answer, on its way through: the stream or the
 * document gets the items as a member of its last event, or as an event of
 * their own, and loses the block if that is asked for.  Every other byte stays
 * what it was.
 */


#ifndef ART_EXTRACT_H_INCLUDED_
#define ART_EXTRACT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/api/art_api.h"
#include "core/extract/art_answer_text.h"
#include "core/json/art_sse.h"
#include "core/extract/art_stream_edits.h"
#include "core/json/art_json_walk.h"


/*
 * HELD is how much of the stream is held at most until a block is complete.
 * These are bytes of whole events, while ART_BLOCK_MAX limits the text between
 * the tags: an event has 300 bytes around a piece of text, and a token has
 * four.  That is enough for a block of 50 KB that comes token by token, and for
 * the largest one in pieces of 25 bytes, or in any single string.
 *
 * EVENT is how far after its event's start a block may begin for the event to
 * be held from there; RESULT how much of an agent's result is held so that its
 * items can precede it.
 *
 * WAIT is how much text waits until it is known whether it counts, and PLACES
 * how many bytes its positions may take.
 *
 * All are in bytes.
 */

#define ART_EXTRACT_HELD    (4 * 1024 * 1024)
#define ART_EXTRACT_EVENT   8192
#define ART_EXTRACT_RESULT  (1024 * 1024)
#define ART_EXTRACT_WAIT    (256 * 1024)
#define ART_EXTRACT_PLACES  (1024 * 1024)

#define ART_EXTRACT_FRAMES  8


/* Why a block was given up, if one was. */

typedef enum {
    ART_EXTRACT_FINE = 0,
    ART_EXTRACT_LARGE,           /* more than ART_BLOCK_MAX: it has no items */
    ART_EXTRACT_LONG,            /* more than HELD: not cut, but has items */
    ART_EXTRACT_STUCK            /* a hold did not end: a defect here */
} art_extract_gave_up_t;


/* The events of an agent's own stream. */

typedef enum {
    ART_AGENT_UNKNOWN = 0,
    ART_AGENT_TEXT,
    ART_AGENT_RESULT,
    ART_AGENT_DONE,
    ART_AGENT_OTHER,
    ART_AGENT_ARTIFACTS          /* the artifacts are declared already */
} art_agent_event_t;


/*
 * An object or array that is entered, and the members still missing that decide
 * whether it has text.  "runs" and "bytes" are those of text that waited when
 * it began.
 */

typedef struct {
    art_walk_frame_t     walk;
    uint32_t             nth;        /* its index as an element */
    size_t               runs;
    size_t               bytes;
    unsigned             kind:1;     /* has to come */
    unsigned             index:1;    /* may come */
    unsigned             not:1;      /* may come */
    unsigned             mute:1;     /* nothing in it is text */
    unsigned             other:1;    /* and it ends nothing */
    unsigned             ends:1;     /* what makes it final may come */
    unsigned             final:1;
    unsigned             declared:1; /* has a member "artifacts" */
} art_extract_frame_t;


/*
 * Text that waits until it is known whether it counts: characters of "each"
 * bytes that have "raw" bytes in the stream, or, if "raw" is 1, any characters
 * that are the same there.
 */

typedef struct {
    uint64_t             pos;
    uint64_t             end;
    size_t               n;
    uint16_t             each;
    uint16_t             raw;
    art_extract_says_t   says;
} art_extract_run_t;


typedef struct {
    art_lex_t            lex;
    uint8_t              text[ART_LEX_KEY_MAX];
    art_walk_t           walk;
    art_extract_frame_t  frames[ART_EXTRACT_FRAMES + ART_WALK_SPARE];

    art_extract_says_t   says;       /* of the current string */
    uint64_t             pos;        /* its next position */
    unsigned             waits:1;

    art_agent_event_t    agent;
    unsigned             array:1;    /* is in an array of answers */
    unsigned             final:1;
    unsigned             result:1;   /* has a result */
    unsigned             closed:1;   /* is complete */
    unsigned             hurry:1;    /* text no longer waits */
    unsigned             empty:1;    /* the answer has no members */

    art_extract_run_t   *runs;
    size_t               nruns;
    size_t               runs_room;
    uint8_t             *bytes;
    size_t               nbytes;
    size_t               bytes_room;
    uint64_t             hold;       /* of the first "<" that waits */
    size_t               hold_run;
    uint64_t             answer;     /* of the brace that ends it */
} art_extract_doc_t;


/* The state of an answer, some 3 KB; everything else is allocated. */

typedef struct {
    const art_api_t           *api;
    const art_extract_rule_t  *rules;
    unsigned             sse:1;
    unsigned             strip:1;
    unsigned             done:1;     /* the rest passes */
    unsigned             last:1;     /* nothing follows the piece */
    unsigned             over:1;
    unsigned             declared:1; /* the stream has such an event */
    unsigned             late:1;     /* items go after their event */
    unsigned             eol:1;      /* a line has to be ended */
    unsigned             failed:1;   /* out of memory */

    const uint8_t       *p;          /* what is left of the piece */
    const uint8_t       *end;
    uint64_t             event;      /* where the event begins */
    size_t               nitems;     /* inserted */
    art_extract_gave_up_t  gave_up;

    art_sse_t            stream;
    art_extract_doc_t    doc;
    art_answer_text_t    answer;
    art_answer_text_t    result;     /* of an agent */
    art_answer_again_t   again;
    art_edits_t          edits;
} art_extract_t;


/*
 * Begins on an answer of "api": a stream of events if "sse", else JSON;
 * "strip": blocks are cut out.
 */

void art_extract_init(art_extract_t *extract, const art_api_t *api,
    unsigned sse, unsigned strip);


/* Frees all memory; may be called more than once. */

void art_extract_done(art_extract_t *extract);


/*
 * Takes the next piece of the answer, which must stay valid until
 * art_extract_next() has returned 0; "last": nothing follows it.
 */

void art_extract_feed(art_extract_t *extract, const uint8_t *p, size_t len,
    unsigned last);


/*
 * The next bytes of the new answer: 1, and *out is valid until the next call,
 * not empty; 0 if the next piece is needed; ART_ERROR when out of memory.  The
 * result does not depend on how the answer is cut into pieces.
 *
 * Memory: 3 KB; a block, 256 KB at most; URLs, 72 KB; text that waits, 256 KB,
 * and 1 MB for its positions; what is held of the stream, 4 MB, and 16 bytes
 * for each piece of text in it.  As arrays grow, up to twice of that.
 *
 * extract->gave_up is set once a limit is reached.  No byte of the stream is
 * ever lost: what cannot be held any longer is sent as it came.
 */

int art_extract_next(art_extract_t *extract, art_str_t *out);


#endif /* ART_EXTRACT_H_INCLUDED_ */
