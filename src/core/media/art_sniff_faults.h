
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_sniff*.c: what is wrong with bytes that might be text.
 */


#ifndef ART_SNIFF_FAULTS_H_INCLUDED_
#define ART_SNIFF_FAULTS_H_INCLUDED_


#include "core/base/art_core.h"


/* Undeclared content with more faults than 1 in 32 bytes is not text. */

#define ART_SNIFF_STRAY_SHARE   32

/* So few bad bytes in a short one may be damage in a text. */

#define ART_SNIFF_FEW           4


/*
 * "nul" and "control" are characters, "invalid" sequences that are no UTF-8,
 * "ascii" tells that there is nothing but ASCII.  Counting ends where more of
 * the kind changes nothing: with a NUL; with an invalid sequence beside
 * control characters; with more than ART_SNIFF_FEW invalid ones that are more
 * than their share.
 */

typedef struct {
    size_t    nul;
    size_t    control;
    size_t    invalid;
    unsigned  ascii;
} art_sniff_faults_t;


/* A character that is cut off at the end is invalid if that is the "whole". */

void art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);


#endif /* ART_SNIFF_FAULTS_H_INCLUDED_ */
