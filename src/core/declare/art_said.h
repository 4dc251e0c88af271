
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The text of an answer, piece by piece, with the places of its bytes in the
 * stream: what is declared in it, and what of it is cut out.
 */


#ifndef ART_SAID_H_INCLUDED_
#define ART_SAID_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/declare/art_block.h"
#include "core/declare/art_tape.h"
#include "core/declare/art_urls.h"


#define ART_SAID_NOWHERE  UINT64_MAX


/*
 * "n" bytes of text, which stand in the stream from "pos" to "end", as many, or
 * as an escape of one character.
 */

typedef struct {
    const uint8_t       *p;
    size_t               n;
    uint64_t             pos;
    uint64_t             end;
} art_said_run_t;


/*
 * "strips" says that a block, once it is complete, will be cut out: what may be
 * one is held from "hold" on until then.  "cut" tells that one was.  "whole":
 * the hold begins with an event.
 */

typedef struct {
    art_block_t          block;
    art_urls_t           urls;
    uint64_t             hold;
    unsigned             strips:1;
    unsigned             cut:1;
    unsigned             whole:1;
} art_said_t;


/*
 * The same block where the text comes again: "matched" bytes of it and of its
 * tags.  Of a text with another block, or with two, nothing is cut.
 */

typedef struct {
    size_t               matched;
    uint64_t             hold;
    unsigned             other:1;
} art_said_again_t;


void art_said_init(art_said_t *said, unsigned strips);
void art_said_done(art_said_t *said);


/*
 * Reads the next run.  What is held is held from the event's begin if "event"
 * is not ART_SAID_NOWHERE, and the block's is less than "reach" bytes behind
 * it; else from the block's own.
 */

void art_said_read(art_said_t *said, art_tape_t *tape,
    const art_said_run_t *run, uint64_t event, uint64_t reach);


/* Nothing is held any more, and what is no whole block yet is not cut. */

void art_said_give_up(art_said_t *said, art_tape_t *tape);


/*
 * Writes what is declared, or else found, as an array of JSON, when the text is
 * over; returns the number of items.
 */

size_t art_said_print(art_said_t *said, art_out_t *out);


/* A text that comes again; "said" is what was cut. */

void art_said_again(art_said_again_t *again, const art_said_t *said,
    art_tape_t *tape, const art_said_run_t *run);
void art_said_again_reset(art_said_again_t *again, art_tape_t *tape);


#endif /* ART_SAID_H_INCLUDED_ */
