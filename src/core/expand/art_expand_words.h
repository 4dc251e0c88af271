
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words that stand for what a model does not get.  Each function writes a
 * whole JSON string, with its quotes.
 */


#ifndef ART_EXPAND_WORDS_H_INCLUDED_
#define ART_EXPAND_WORDS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/render/art_view.h"
#include "core/expand/art_expand_slot.h"


/* The description of an artifact, or "description" if that is not empty. */

void art_words_described(art_out_t *out, const art_view_t *view,
    art_str_t description);


/* The line that introduces an artifact, with its reference if "named". */

void art_words_lead(art_out_t *out, const art_view_t *view, unsigned named);


/* The words for an id without an artifact. */

void art_words_missing(art_out_t *out, art_str_t id, art_lang_t lang);


/*
 * The description of the client's own media: name or URL if known, type,
 * decoded size, and "reason".
 */

void art_words_media(art_out_t *out, const art_message_slot_t *slot,
    art_reason_t reason, art_lang_t lang);


/* The short name of base64 that was pasted: its type and decoded size. */

void art_words_run(art_out_t *out, const art_message_slot_t *slot);


#endif /* ART_EXPAND_WORDS_H_INCLUDED_ */
