
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Another form of what a slot has, where the reader does not take it as it is.
 */


#ifndef ART_EXPAND_DERIVE_H_INCLUDED_
#define ART_EXPAND_DERIVE_H_INCLUDED_


#include "core/derive/art_derive.h"
#include "core/expand/art_expand_plan.h"


/* Who takes a conversion: an art_derive_takes_pt's data. */

typedef struct {
    const art_message_plan_t  *plan;
    uint32_t                   slot;
} art_message_taker_t;

int art_message_takes(void *taker, const art_derive_rule_t *rule);


/*
 * Whether a slot would become words, after the decision about it, and another
 * form could take their place: sets mime, kind and literal of "source".  "view"
 * is the artifact as its source filled it in, before the decision; NULL for
 * media of the client's own.  A text that is a page (art_derive_wanted()) is
 * sent as such if no other form can be made.
 */

int art_message_derivable(const art_message_plan_t *plan, uint32_t i,
    const art_view_t *view, unsigned empty, art_derive_source_t *source);


/*
 * The client's own media as the origin of what is derived from them.  ART_ERROR
 * when out of memory.
 */

int art_message_origin(const art_message_plan_t *plan, uint32_t i,
    art_view_t *origin);


/*
 * Decides about a conversion, whose "view" has an origin, as art_plan_source()
 * does about an artifact.  1: it is taken, and plan->edits[i] is set, whose
 * format it has to be rendered with; 0: the slot is what it was.  ART_ERROR
 * when out of memory.
 */

int art_message_derived(art_message_plan_t *plan, uint32_t i,
    art_view_t *view, unsigned empty);


#endif /* ART_EXPAND_DERIVE_H_INCLUDED_ */
