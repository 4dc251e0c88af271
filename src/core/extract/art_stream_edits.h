
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A stream on its way through: bytes that have been read but may not go out
 * yet, and what is cut out of them or put in.
 */


#ifndef ART_STREAM_EDITS_H_INCLUDED_
#define ART_STREAM_EDITS_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Omits "skip" bytes at "pos", or inserts the text: all of it or, with
 * ART_EDITS_REST, all but its first byte.
 */

#define ART_EDITS_TEXT  0
#define ART_EDITS_REST  UINT64_MAX

typedef struct {
    uint64_t             pos;
    uint64_t             skip;
} art_edits_item_t;


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

    art_edits_item_t    *items;
    size_t               next;
    size_t               settled;    /* of them, never taken back */
    size_t               nitems;
    size_t               items_room;

    uint8_t             *text;       /* owned */
    size_t               text_len;
    unsigned             failed:1;   /* out of memory */
} art_edits_t;


/* Frees the memory of edits, which begin zeroed. */

void art_edits_done(art_edits_t *edits);


/*
 * Notes that the next bytes of the caller's piece were read; they must stay
 * valid until art_edits_keep() has copied those that cannot be sent.
 */

void art_edits_read(art_edits_t *edits, const uint8_t *p, size_t n);
void art_edits_keep(art_edits_t *edits);


/*
 * Sets *out to the next bytes that may be sent, of those before "upto", or to
 * the inserted text, and returns 1; 0 if nothing may be sent now.  The bytes
 * stay valid until the next call.
 */

int art_edits_next(art_edits_t *edits, uint64_t upto, art_str_t *out);


/*
 * Omits the bytes from "pos" to "end" provisionally: art_edits_settle() makes
 * it final, art_edits_back() undoes what is not settled.  Cuts come in the
 * order of their ends.  Bytes omitted by an earlier cut are skipped, since a
 * character of several bytes may be one escape.
 */

void art_edits_cut(art_edits_t *edits, uint64_t pos, uint64_t end);

static inline void
art_edits_settle(art_edits_t *edits)
{
    edits->settled = edits->nitems;
}

static inline void
art_edits_back(art_edits_t *edits)
{
    edits->nitems = edits->settled;
}


/* Drops the edits that are left: those bytes are sent as they came. */

static inline void
art_edits_forget(art_edits_t *edits)
{
    edits->nitems = edits->next;
    edits->settled = edits->next;
}


/*
 * Inserts the text at "pos", from where on nothing has been sent, while all
 * edits are settled; "what" is ART_EDITS_TEXT or ART_EDITS_REST.
 */

void art_edits_put(art_edits_t *edits, uint64_t pos, uint64_t what);


#endif /* ART_STREAM_EDITS_H_INCLUDED_ */
