
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A stream on its way through: bytes that have been read but may not go out
 * yet, and what is cut out of them or put in.
 */


#ifndef ART_TAPE_H_INCLUDED_
#define ART_TAPE_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Omits "skip" bytes at "pos", or inserts the tape's text: all of it or, with
 * ART_TAPE_REST, all but its first byte.
 */

#define ART_TAPE_TEXT  0
#define ART_TAPE_REST  UINT64_MAX

typedef struct {
    uint64_t             pos;
    uint64_t             skip;
} art_tape_edit_t;


/*
 * Positions count the bytes of the stream.  Bytes from "base" on have not been
 * sent: first what is held, "data" from "from" to "len", then "piece", which is
 * the caller's.
 */

typedef struct {
    uint64_t             base;
    uint64_t             pos;        /* the next one to read */
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


/* Frees the memory of a tape, which begins zeroed. */

void art_tape_done(art_tape_t *tape);


/*
 * Notes that the next bytes of the caller's piece were read; they must stay
 * valid until art_tape_keep() has copied those that cannot be sent.
 */

void art_tape_read(art_tape_t *tape, const uint8_t *p, size_t n);
void art_tape_keep(art_tape_t *tape);


/*
 * Sets *out to the next bytes that may be sent, of those before "upto", or to
 * the inserted text, and returns 1; 0 if nothing may be sent now.  The bytes
 * stay valid until the next call.
 */

int art_tape_next(art_tape_t *tape, uint64_t upto, art_str_t *out);


/*
 * Omits the bytes from "pos" to "end" provisionally: art_tape_settle() makes it
 * final, art_tape_back() undoes what is not settled.  Cuts come in the order of
 * their ends.  Bytes omitted by an earlier cut are skipped, since a character
 * of several bytes may be one escape.
 */

void art_tape_cut(art_tape_t *tape, uint64_t pos, uint64_t end);

static inline void
art_tape_settle(art_tape_t *tape)
{
    tape->settled = tape->nedits;
}

static inline void
art_tape_back(art_tape_t *tape)
{
    tape->nedits = tape->settled;
}


/* Drops the edits that are left: those bytes are sent as they came. */

static inline void
art_tape_forget(art_tape_t *tape)
{
    tape->nedits = tape->next;
    tape->settled = tape->next;
}


/*
 * Inserts the text at "pos", from where on nothing has been sent, while all
 * edits are settled; "what" is ART_TAPE_TEXT or ART_TAPE_REST.
 */

void art_tape_put(art_tape_t *tape, uint64_t pos, uint64_t what);


#endif /* ART_TAPE_H_INCLUDED_ */
