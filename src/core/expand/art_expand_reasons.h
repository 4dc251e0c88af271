
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Why slots of a request became words.
 */


#ifndef ART_EXPAND_REASONS_H_INCLUDED_
#define ART_EXPAND_REASONS_H_INCLUDED_


#include "core/render/art_reasons.h"
#include "core/expand/art_expand_plan.h"


/*
 * Adds the slots that are described or named, in order: with the reason of the
 * description, or "missing", "named" (the position takes text only), "dropped"
 * (the request had no room), "empty" (the content is).
 */

void art_plan_reasons(const art_message_plan_t *plan, art_reasons_t *reasons);


#endif /* ART_EXPAND_REASONS_H_INCLUDED_ */
