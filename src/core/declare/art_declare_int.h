
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What reads an answer, from the top: the stream (art_declare.c), its JSON
 * (art_declare_doc.c), the text in it (art_declare_text.c).
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


/*
 * A piece of text, of doc->says, which waits or counts; what waits from run
 * "runs" and byte "bytes" on counts for nothing; all that waits counts.
 */

void art_declare_text(art_declare_t *declare, const art_said_run_t *run);
void art_declare_forget(art_declare_t *declare, size_t runs, size_t bytes);
void art_declare_count(art_declare_t *declare);


/*
 * The answer's text is over: what was declared goes in at "pos", as a member,
 * or (an agent's) as an event.
 */

void art_declare_member(art_declare_t *declare, uint64_t pos);
void art_declare_event(art_declare_t *declare, uint64_t pos);


#endif /* ART_DECLARE_INT_H_INCLUDED_ */
