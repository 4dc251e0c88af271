
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What reads an answer, from the top: the stream (art_declare.c), then its JSON
 * and the text in it (art_declare_doc.c).
 */


#ifndef ART_DECLARE_INT_H_INCLUDED_
#define ART_DECLARE_INT_H_INCLUDED_


#include "core/declare/art_declare.h"


/*
 * Once for an answer that has rules.  Then a JSON text begins, goes on, at the
 * position of the tape, and ends: ART_ERROR if it was not whole.
 */

void art_declare_doc_init(art_declare_t *declare);
void art_declare_doc_begin(art_declare_t *declare);
void art_declare_doc_read(art_declare_t *declare, const uint8_t *p,
    size_t n);
int art_declare_doc_end(art_declare_t *declare);


/* The text that waits counts, all of it. */

void art_declare_count(art_declare_t *declare);


/* An agent's text is over: what was declared goes in at "pos", as an event. */

void art_declare_event(art_declare_t *declare, uint64_t pos);


#endif /* ART_DECLARE_INT_H_INCLUDED_ */
