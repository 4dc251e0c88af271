
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What reads an answer, from the top: the stream (art_extract.c), then its JSON
 * and the text in it (art_extract_doc.c).
 */


#ifndef ART_EXTRACT_INT_H_INCLUDED_
#define ART_EXTRACT_INT_H_INCLUDED_


#include "core/extract/art_extract.h"


/* Takes what the walk through a JSON text finds; its data is the extract. */

extern const art_walk_observer_t  art_doc_observer;


/*
 * Counts all text that waits, or drops it from run "runs" and byte "bytes" on.
 */

void art_extract_count(art_extract_t *extract);
void art_extract_forget(art_extract_t *extract, size_t runs, size_t bytes);


/* An agent's text has ended: adds the declared items as an event at "pos". */

void art_extract_event(art_extract_t *extract, uint64_t pos);


#endif /* ART_EXTRACT_INT_H_INCLUDED_ */
