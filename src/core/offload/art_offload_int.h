
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What art_offload.c, which reads, asks of art_offload_unit.c: where bytes go,
 * and what becomes of a unit with each token.
 */


#ifndef ART_OFFLOAD_INT_H_INCLUDED_
#define ART_OFFLOAD_INT_H_INCLUDED_


#include "core/offload/art_offload.h"


/*
 * Whether bytes are held; held after data, until their kind is known; whether
 * data are decoded; or any of the last two.
 */

#define art_offload_is_held(off)                                              \
    ((off)->state >= ART_OFFLOAD_AT_KEY && (off)->state <= ART_OFFLOAD_AT_END)
#define art_offload_is_waiting(off)                                           \
    ((off)->state >= ART_OFFLOAD_AT_REST && (off)->state <= ART_OFFLOAD_AT_END)
#define art_offload_is_decoding(off)                                          \
    ((off)->state == ART_OFFLOAD_AT_URL || (off)->state == ART_OFFLOAD_AT_DATA)
#define art_offload_is_reading(off)  ((off)->state >= ART_OFFLOAD_AT_REST)


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


/*
 * The events of a walk: the key at "pos", whose value has the rule (or NULL);
 * an object or array is entered, and is on top of the walk; a value that has a
 * rule is not entered; the object or array on top ends.
 */

void art_offload_unit_key(art_offload_t *off, const art_offload_rule_t *rule,
    uint64_t pos, uint64_t end);
void art_offload_unit_opens(art_offload_t *off, const art_walk_frame_t *frame);
void art_offload_unit_other(art_offload_t *off);
void art_offload_unit_closes(art_offload_t *off, uint64_t end);


/*
 * A string begins at "pos": of data, 1 if it is to be read as such; or another
 * one.  The data end.  What the data are is decided, if enough is known or
 * nothing more will come ("last").  Another value has come.
 */

int art_offload_unit_data(art_offload_t *off, const art_offload_rule_t *rule,
    uint64_t pos);
void art_offload_unit_string(art_offload_t *off, unsigned act, uint64_t pos);
void art_offload_unit_data_over(art_offload_t *off, uint64_t end);
void art_offload_unit_decide(art_offload_t *off, unsigned last);
void art_offload_unit_value(art_offload_t *off, unsigned act,
    const art_lex_value_t *value);


#endif /* ART_OFFLOAD_INT_H_INCLUDED_ */
