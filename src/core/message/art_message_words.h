
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words that stand in a message for what a model cannot take there.
 */


#ifndef ART_MESSAGE_WORDS_H_INCLUDED_
#define ART_MESSAGE_WORDS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/format/art_route.h"
#include "core/render/art_view.h"
#include "core/message/art_message_slot.h"


/*
 * All write a whole JSON string, with its quotes.
 *
 * art_words_described(): the description of an artifact (art_describe.h), or
 * "description" if that is not empty.  art_words_lead(): the line that
 * introduces it, with its reference if "named".  art_words_missing(): of an id
 * that names none.  art_words_media(): of media that the client put there
 * itself: name or URL if known, type, decoded size, and "reason".
 */

void art_words_described(art_out_t *out, const art_view_t *view,
    art_str_t description);
void art_words_lead(art_out_t *out, const art_view_t *view, unsigned named);
void art_words_missing(art_out_t *out, art_str_t id, art_lang_t lang);
void art_words_media(art_out_t *out, const art_message_slot_t *slot,
    art_reason_t reason, art_lang_t lang);


#endif /* ART_MESSAGE_WORDS_H_INCLUDED_ */
