
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What reads an answer, from the top: the stream (art_extract.c), then its JSON
 * and the text in it (art_extract_doc.c).
 */


#ifndef ART_EXTRACT_INT_H_INCLUDED_
#define ART_EXTRACT_INT_H_INCLUDED_


#include "core/extract/art_extract.h"


/*
 * Once for an answer that has rules.  Then a JSON text begins, goes on, at the
 * position of the tape, and ends: ART_ERROR if it was not whole.
 */

void art_extract_doc_init(art_extract_t *extract);
void art_extract_doc_begin(art_extract_t *extract);
void art_extract_doc_read(art_extract_t *extract, const uint8_t *p,
    size_t n);
int art_extract_doc_end(art_extract_t *extract);


/* The text that waits counts, all of it. */

void art_extract_count(art_extract_t *extract);


/* An agent's text is over: what was declared goes in at "pos", as an event. */

void art_extract_event(art_extract_t *extract, uint64_t pos);


#endif /* ART_EXTRACT_INT_H_INCLUDED_ */
