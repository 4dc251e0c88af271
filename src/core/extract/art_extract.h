
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
#include "core/extract/art_said.h"
#include "core/json/art_sse.h"
#include "core/extract/art_tape.h"
#include "core/json/art_json_walk.h"


/*
 * HELD is how much of the stream is held at most until a block is complete.
 * These are bytes of whole events, while ART_BLOCK_MAX limits the text between
 * the tags: an event has 300 bytes around a piece of text, and a token has
 * four.  So much is enough for a block of 50 KB that comes token by token, and
 * for the largest one in pieces of 25 bytes, or in any single string.
 *
 * EVENT is how far after its event's begin a block may begin for the event to
 * be held from there; RESULT how much of an agent's result is held, before
 * which its items go out.
 *
 * WAIT is how much text waits until it is known to be some, and PLACES how
 * many bytes the notes of where it is may take.
 */

#define ART_EXTRACT_HELD    (4 * 1024 * 1024)
#define ART_EXTRACT_EVENT   8192
#define ART_EXTRACT_RESULT  (1024 * 1024)
#define ART_EXTRACT_WAIT    (256 * 1024)
#define ART_EXTRACT_PLACES  (1024 * 1024)

#define ART_EXTRACT_FRAMES  8


/* What a block was given up for, if one was. */

typedef enum {
    ART_EXTRACT_FINE = 0,
    ART_EXTRACT_LARGE,           /* more than ART_BLOCK_MAX: it has no items */
    ART_EXTRACT_LONG,            /* more than HELD: it stays, but has items */
    ART_EXTRACT_STUCK            /* a hold did not end: a defect here */
} art_extract_gave_up_t;


/* The events of an agent's own stream. */

typedef enum {
    ART_AGENT_UNKNOWN = 0,
    ART_AGENT_TEXT,
    ART_AGENT_RESULT,
    ART_AGENT_DONE,
    ART_AGENT_OTHER,
    ART_AGENT_ARTIFACTS          /* somebody has declared them already */
} art_agent_event_t;


/*
 * An object or array that is entered, and what is not known of it yet, but will
 * decide.  "runs" and "bytes" are those of text that waited when it began.
 */

typedef struct {
    art_walk_frame_t     walk;
    uint32_t             nth;        /* its own number as an element */
    size_t               runs;
    size_t               bytes;
    unsigned             kind:1;     /* has to be told */
    unsigned             index:1;    /* may be */
    unsigned             not:1;      /* may be */
    unsigned             mute:1;     /* nothing in it is text */
    unsigned             other:1;    /* nor does it end anything */
    unsigned             final:1;
} art_extract_frame_t;


/*
 * Text that waits until it is known whether it is any: characters of "each"
 * bytes that have "raw" bytes in the stream, or any that are the same there if
 * "raw" is 1.
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

    art_extract_says_t   says;       /* of the string that comes */
    uint64_t             pos;        /* and where it goes on */
    unsigned             waits:1;

    art_agent_event_t    agent;
    unsigned             array:1;    /* of answers is around it */
    unsigned             final:1;
    unsigned             declared:1; /* has a member "artifacts" */
    unsigned             result:1;   /* has a result */
    unsigned             closed:1;   /* is complete */
    unsigned             hurry:1;    /* text waits no more */

    art_extract_run_t   *runs;
    size_t               nruns;
    size_t               runs_room;
    uint8_t             *bytes;
    size_t               nbytes;
    size_t               bytes_room;
    uint64_t             hold;       /* of the first "<" that waits */
    size_t               hold_run;
} art_extract_doc_t;


/* The state of an answer, some 3 KB; what else it needs is allocated. */

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
    size_t               nitems;     /* that were put in */
    art_extract_gave_up_t  gave_up;

    art_sse_t            stream;
    art_extract_doc_t    doc;
    art_said_t           said;
    art_said_t           result;     /* of an agent */
    art_said_again_t     again;
    art_tape_t           tape;
} art_extract_t;


/*
 * Begins on an answer of "api", a stream of events if "sse", else JSON; "strip"
 * asks for the block to be cut out.
 */

void art_extract_init(art_extract_t *extract, const art_api_t *api,
    unsigned sse, unsigned strip);


/* Frees all that it has; may be called more than once. */

void art_extract_done(art_extract_t *extract);


/*
 * Takes the next piece of the answer, which must stay until art_extract_next()
 * has returned 0; after the "last" one nothing follows.
 */

void art_extract_feed(art_extract_t *extract, const uint8_t *p, size_t len,
    unsigned last);


/*
 * The next bytes of the new answer: 1, and *out is valid until the next call,
 * not empty; 0 if there are no more until the next piece; ART_ERROR when out of
 * memory.  How the answer is cut into pieces changes nothing of it.
 *
 * Memory: 3 KB; a block, 256 KB at most; URLs, 72 KB; text of an event that
 * does not tell in time what it is, 256 KB, and 1 MB for its places; what is
 * held of the stream, 4 MB, and 16 bytes for each piece of text in it.  As
 * arrays grow, up to twice of that.
 *
 * declare->gave_up tells, from then on, if a limit was reached.  Nothing of the
 * stream is ever lost: what cannot be held any longer goes out as it came.
 */

int art_extract_next(art_extract_t *extract, art_str_t *out);


#endif /* ART_EXTRACT_H_INCLUDED_ */
