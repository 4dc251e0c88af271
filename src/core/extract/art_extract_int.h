
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
 * The first is called once for an answer that has rules.  Then a JSON text
 * begins, continues at the position of the tape, and ends: ART_ERROR if it was
 * incomplete.
 */

void art_extract_doc_init(art_extract_t *extract);
void art_extract_doc_begin(art_extract_t *extract);
void art_extract_doc_read(art_extract_t *extract, const uint8_t *p,
    size_t n);
int art_extract_doc_end(art_extract_t *extract);


/* Counts all text that waits. */

void art_extract_count(art_extract_t *extract);


/* An agent's text has ended: adds the declared items as an event at "pos". */

void art_extract_event(art_extract_t *extract, uint64_t pos);


#endif /* ART_EXTRACT_INT_H_INCLUDED_ */
