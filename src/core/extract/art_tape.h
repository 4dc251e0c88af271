
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A stream on its way through: bytes that have been read but may not go out
 * yet, and what is cut out of them or put in.
 */


#ifndef ART_TAPE_H_INCLUDED_
#define ART_TAPE_H_INCLUDED_


#include "core/base/art_core.h"


/* At "pos", "skip" bytes are left out; 0: the tape's text goes in. */

typedef struct {
    uint64_t             pos;
    uint64_t             skip;
} art_tape_edit_t;


/*
 * Positions count the bytes of the stream.  From "base" on nothing has gone
 * out: first what is held, "data" from "from" to "len", then "piece", which is
 * the caller's.
 */

typedef struct {
    uint64_t             base;
    uint64_t             pos;        /* what is read next */
    uint8_t             *data;
    size_t               from;
    size_t               len;
    size_t               room;
    const uint8_t       *piece;

    art_tape_edit_t     *edits;
    size_t               next;
    size_t               settled;    /* of them, never taken back */
    size_t               nedits;
    size_t               edits_room;

    uint8_t             *text;       /* owned */
    size_t               text_len;
    unsigned             failed:1;   /* out of memory */
} art_tape_t;


void art_tape_init(art_tape_t *tape);
void art_tape_done(art_tape_t *tape);


/*
 * The next bytes of the caller's piece were read; they must stay where they
 * are until art_tape_keep() has copied what could not go out.
 */

void art_tape_read(art_tape_t *tape, const uint8_t *p, size_t n);
void art_tape_keep(art_tape_t *tape);


/*
 * The next bytes that may go out, of those before "upto", or of the text that
 * goes in: 0 if there are none.  They are valid until the next call.
 */

int art_tape_next(art_tape_t *tape, uint64_t upto, art_str_t *out);


/*
 * Leaves out the bytes from "pos" to "end" for the time being:
 * art_tape_settle() says for good, art_tape_back() takes back what is not
 * settled.  Cuts come in the order of their ends.  Bytes that an earlier cut
 * has left out already are skipped, since a character of several bytes may
 * be one escape.
 */

void art_tape_cut(art_tape_t *tape, uint64_t pos, uint64_t end);
void art_tape_settle(art_tape_t *tape);
void art_tape_back(art_tape_t *tape);


/* Forgets the edits that are left: those bytes go out as they came. */

void art_tape_forget(art_tape_t *tape);


/*
 * Puts the text in at "pos", from where on nothing has gone out; at most once
 * in the life of a tape, and while all edits are settled.
 */

void art_tape_put(art_tape_t *tape, uint64_t pos);


#endif /* ART_TAPE_H_INCLUDED_ */
