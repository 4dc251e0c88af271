
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The text of an answer, piece by piece, with the positions of its bytes in the
 * stream: what is declared in it, and what of it is cut out.
 */


#ifndef ART_ANSWER_TEXT_H_INCLUDED_
#define ART_ANSWER_TEXT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"
#include "core/extract/art_stream_edits.h"


#define ART_BLOCK_MAX  (256 * 1024)  /* bytes between the tags */

#define ART_URLS_RUN   8192          /* bytes of a URL, at most */
#define ART_URLS_MAX   (64 * 1024)   /* of all of them */

#define ART_EXTRACT_NOWHERE  UINT64_MAX


typedef enum {
    ART_BLOCK_NONE = 0,          /* no first tag yet */
    ART_BLOCK_OPEN,              /* may be an array, so far */
    ART_BLOCK_BAD,               /* cannot be, but has not ended */
    ART_BLOCK_ARRAY,             /* complete, and an array of JSON */
    ART_BLOCK_MALFORMED          /* complete, and not an array */
} art_block_state_t;


/*
 * The block, "<artifacts>[...]</artifacts>".  The first one of a text is the
 * only one: nothing after it is read.  UTF-8 and JSON nested no deeper than
 * ART_LEX_DEPTH may be between the tags.  "data" is the decoded content; owned.
 */

typedef struct {
    art_block_state_t    state;
    size_t               matched;    /* bytes of the tag being matched */
    uint8_t             *data;
    size_t               len;
    size_t               room;
    unsigned             large:1;    /* had more than ART_BLOCK_MAX */
    unsigned             failed:1;   /* out of memory */
    art_lex_t            lex;
    uint8_t              key[ART_LEX_KEY_MAX];
} art_block_t;


/* Whether a block is complete, whatever is in it. */

#define art_block_is_complete(block)  ((block)->state >= ART_BLOCK_ARRAY)


/*
 * URLs of images, which count if nothing is declared: what ECMAScript's
 * /https?:\/\/\S+\.(png|jpe?g|webp|gif)/gi finds, up to the last such ending
 * before white space.  "data" has the URLs found, each with a line feed after
 * it, and from "run" on what may become the next one, of which "end" bytes are
 * a URL already; owned.
 */

typedef struct {
    uint64_t             last;       /* the last 8 bytes read, */
    uint64_t             lower;      /* and the same in lower case */
    uint8_t             *data;
    size_t               run;
    size_t               len;
    size_t               room;
    size_t               end;
    size_t               scheme;     /* bytes of it */
    unsigned             within:1;   /* a URL has begun */
    unsigned             over:1;     /* too much: the search has ended */
    unsigned             failed:1;   /* out of memory */
} art_urls_t;


/*
 * "n" bytes of text, in the stream from "pos" to "end": the same bytes, or an
 * escape of one character.
 */

typedef struct {
    const uint8_t       *p;
    size_t               n;
    uint64_t             pos;
    uint64_t             end;
} art_answer_run_t;


/*
 * "strips": a complete block will be cut out, so a possible one is held from
 * "hold" on.  "cut": one was.  "whole": the hold begins with an event.
 */

typedef struct {
    art_block_t          block;
    art_urls_t           urls;
    uint64_t             hold;
    unsigned             strips:1;
    unsigned             cut:1;
    unsigned             whole:1;
} art_answer_text_t;


/*
 * The same block where the text is repeated: "matched" bytes of it and its
 * tags.  Nothing is cut from a text with another block, or with two.
 */

typedef struct {
    size_t               matched;
    uint64_t             hold;
    unsigned             other:1;
} art_answer_again_t;


void art_answer_init(art_answer_text_t *answer, unsigned strips);
void art_answer_done(art_answer_text_t *answer);


/*
 * Reads the next run.  A block is held from "event", the start of its event, if
 * that is not ART_EXTRACT_NOWHERE and less than "reach" bytes before the block;
 * else from its own start.
 */

void art_answer_read(art_answer_text_t *answer, art_edits_t *edits,
    const art_answer_run_t *run, uint64_t event, uint64_t reach);


/* Releases the hold; an unfinished block is not cut. */

void art_answer_give_up(art_answer_text_t *answer, art_edits_t *edits);


/*
 * When the text has ended: writes what was declared as a JSON array or, without
 * a complete block, the URLs that were found; returns the number of items.  A
 * declared item is written as it came, with spaces for the line breaks between
 * its tokens.  It is an object of "type"
 *
 *     image    url; title, width, height
 *     text     content; format (plain, markdown, code)
 *     table    headers (strings), rows (arrays of strings); title
 *     file     name, path; mimeType
 *
 * What follows the semicolon is optional; width and height are numbers, all
 * else strings.  Other members are kept; everything else is dropped.
 */

size_t art_answer_print(art_answer_text_t *answer, art_out_t *out);


/* Reads a text that is repeated; "answer" is what was cut. */

void art_answer_again(art_answer_again_t *again,
    const art_answer_text_t *answer, art_edits_t *edits,
    const art_answer_run_t *run);
void art_answer_again_reset(art_answer_again_t *again, art_edits_t *edits);


#endif /* ART_ANSWER_TEXT_H_INCLUDED_ */
