
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What art_offload.c, which reads, asks of art_offload_unit.c, which follows a
 * unit, and both of art_offload_held.c: where bytes go, and what is changed in
 * them.
 */


#ifndef ART_OFFLOAD_INT_H_INCLUDED_
#define ART_OFFLOAD_INT_H_INCLUDED_


#include "core/offload/art_offload.h"


/* Bytes that may have been read behind a run: one line, with escapes. */

#define ART_OFFLOAD_LATE  2048


/*
 * Whether bytes are held; held after data, until their kind is known; whether
 * data are decoded; or any of the last two.
 */

#define art_offload_is_held(off)                                              \
    ((off)->state >= ART_OFFLOAD_AT_KEY                                       \
     && (off)->state <= ART_OFFLOAD_AT_FOUND)
#define art_offload_is_waiting(off)                                           \
    ((off)->state >= ART_OFFLOAD_AT_REST && (off)->state <= ART_OFFLOAD_AT_END)
#define art_offload_is_decoding(off)                                          \
    ((off)->state == ART_OFFLOAD_AT_URL || (off)->state == ART_OFFLOAD_AT_DATA)
#define art_offload_is_reading(off)  ((off)->state >= ART_OFFLOAD_AT_REST)


/* Whether bytes are dropped, or held within a key that may be dropped. */

#define art_offload_is_dropping(off)                                          \
    ((off)->state == ART_OFFLOAD_AT_DROP                                      \
     || ((off)->state == ART_OFFLOAD_AT_KEY && (off)->unit.open               \
         && (off)->unit.made && (off)->api->block != NULL))


/* Follows the unit along the tokens of an answer; art_offload_t is its data. */

extern const art_walk_observer_t  art_offload_observer;


/*
 * Decides what the data are, if enough is known or nothing more will come
 * ("last"): when the room is used up, a value may be incomplete.
 */

void art_offload_unit_decide(art_offload_t *off, unsigned last);


/*
 * Searches a string whose quote is at "pos"; reading stops before its text,
 * which art_offload_search() reads: it returns how many bytes.
 */

void art_offload_search_begin(art_offload_t *off, uint64_t pos);
size_t art_offload_search(art_offload_t *off, const uint8_t *p, size_t len);


/* Passes bytes to a sink, and notes its failure. */

void art_offload_sink(art_offload_t *off, art_sink_pt sink, const uint8_t *p,
    size_t len);


/* Passes all bytes of the piece before "end" to where the state sends them. */

void art_offload_route(art_offload_t *off, uint64_t end);


/*
 * Holds bytes from "pos" on, 4 KB at most; art_offload_release() sends them
 * unchanged.
 */

void art_offload_hold(art_offload_t *off, uint64_t pos,
    art_offload_state_t state);
void art_offload_release(art_offload_t *off);


/* Sends the held bytes before "pos" to a sink. */

void art_offload_unhold(art_offload_t *off, uint64_t pos, art_sink_pt sink);


/*
 * What is held of a unit is to be changed at its end: a block is made of it, or
 * the edits are made.  A block keeps what art_offload_keep() is told, by
 * positions of the stream; bytes that it does not keep are dropped from then
 * on.
 */

void art_offload_keep(art_offload_t *off, uint64_t pos);
void art_offload_kept(art_offload_t *off, uint64_t end);


/*
 * Adds an edit, by positions of the stream; without room the unit is lost.
 * art_offload_print() writes such a text of a value that was made.
 */

void art_offload_edit(art_offload_t *off, uint64_t pos, uint64_t end,
    const char *text);
void art_offload_print(art_offload_t *off, const char *text);


/* Adds members that a unit needs and that did not come, at "pos". */

void art_offload_missing(art_offload_t *off, uint64_t pos);


#endif /* ART_OFFLOAD_INT_H_INCLUDED_ */
