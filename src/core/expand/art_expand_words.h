
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words that stand for what a model does not get.  Functions that print
 * write a whole JSON string, with its quotes.
 */


#ifndef ART_EXPAND_WORDS_H_INCLUDED_
#define ART_EXPAND_WORDS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/render/art_view.h"
#include "core/expand/art_expand_slot.h"


/* Bytes shown of an id or a name, and the room for them as one line. */

#define ART_WORDS_LABEL  256
#define ART_WORDS_LINE   (3 * ART_WORDS_LABEL)


/*
 * The beginning of a text as one line of valid UTF-8, in "buf", which has room
 * for ART_WORDS_LINE bytes.
 */

art_str_t art_words_line(art_str_t text, uint8_t *buf);


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
    art_reason_t reason, art_lang_t lang, unsigned agents);


/*
 * The short name of the client's own media: their type, or else their kind, and
 * the decoded size, or the URL or the file id.
 */

void art_words_short(art_out_t *out, const art_message_slot_t *slot);


#endif /* ART_EXPAND_WORDS_H_INCLUDED_ */
