
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What becomes words because a request has too many media.
 */


#ifndef ART_EXPAND_LIMIT_H_INCLUDED_
#define ART_EXPAND_LIMIT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/expand/art_expand_plan.h"


/*
 * In each request, describes media of which the API or the reader takes fewer,
 * and images that
 * are too large among so many.  All sources are known; *n is how many slots
 * became words.  ART_ERROR when out of memory.
 *
 * Of N media of a request and a limit L, the oldest ceil((N - L) / S) * S go,
 * S being ceil(L / 2): as with the budget (art_expand_edit.h) the cut depends
 * on nothing but the request, and stays for many turns.  The last message is
 * not cut, but if it alone has too many, its oldest N - L go, too.  So they do
 * in each message where messages have a limit: they do not grow.
 *
 * Each limit counts media as if there were no other.  Otherwise one might bring
 * back what another left out a turn before.  All of these slots are marked as
 * dropped.
 *
 * Many images (art_api_request_t.many) are counted before any is left out, but
 * no more than the limits let through.
 *
 * If the reader is not known, only artifacts with too many pixels go.
 */

int art_limit_media(art_message_plan_t *plan, uint32_t *n);


#endif /* ART_EXPAND_LIMIT_H_INCLUDED_ */
