
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_expand_plan.c and art_expand_edit.c.
 */


#ifndef ART_EXPAND_PLAN_INT_H_INCLUDED_
#define ART_EXPAND_PLAN_INT_H_INCLUDED_


#include "core/expand/art_expand_plan.h"


/*
 * Whether the part of a slot is moved: after the messages of tools, or from a
 * response to the parts beside it.
 */

int art_plan_is_moved(const art_message_plan_t *plan, uint32_t i);


/*
 * The words for the client's own media, as a whole JSON string: name or URL if
 * known, type, decoded size, and "reason".
 */

void art_words_media(art_out_t *out, const art_message_slot_t *slot,
    art_reason_t reason, art_lang_t lang);


#endif /* ART_EXPAND_PLAN_INT_H_INCLUDED_ */
