
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The operations on a body that a plan comes to, and what they leave out if the
 * request would be too large.
 */


#ifndef ART_EXPAND_EDIT_H_INCLUDED_
#define ART_EXPAND_EDIT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/expand/art_expand_plan.h"
#include "core/expand/art_expand_splice.h"


/*
 * Makes the operations for the slots "from" to before "to" of a plan, whose
 * sources and lengths are all known: *ops, in memory of the scan's pool, some
 * 60 bytes each, at most 12 for a slot.  *nops is 0 if these bytes stay as they
 * are.  All slots of a scan with groups have to be taken at once; without
 * groups each changes nothing but its own part.  ART_ERROR when out of memory.
 */

int art_edit_ops(const art_message_plan_t *plan, uint32_t from, uint32_t to,
    art_splice_op_t **ops, size_t *nops);


/* The length of the new body in bytes, with what others add (plan->more). */

uint64_t art_edit_total(const art_message_plan_t *plan);


/*
 * What was done, for variables and counters: slots expanded (to parts and
 * texts) and degraded (described, named, omitted), and the bytes of the
 * client's own media that were taken out, net of what replaces them.
 */

typedef struct {
    uint32_t             expanded;
    uint32_t             degraded;
    uint64_t             saved;
} art_edit_counts_t;

void art_edit_count(const art_message_plan_t *plan, art_edit_counts_t *counts);


typedef enum {
    ART_BUDGET_OK = 0,
    ART_BUDGET_TOO_LARGE,        /* the last message alone exceeds the limit */
    ART_BUDGET_NO_MEMORY
} art_budget_t;


/*
 * Keeps each request, as it is sent, within "limit" bytes (0: no limit): if it
 * would have T bytes, the oldest media, both the client's own and artifacts,
 * are described until ceil((T - L) / (L / 2)) times L / 2 are gone, or all but
 * those of the last message.  The slots concerned are marked
 * art_message_edit_t.dropped.  Sizes depend on nothing but the request, and so
 * does the cut: it stays for many turns, which keeps the prefix cacheable by
 * providers.
 */

art_budget_t art_edit_budget(art_message_plan_t *plan, uint64_t limit);


/*
 * The limit in bytes of an API's requests and of what may be read at all; 0: no
 * limit.
 */

uint64_t art_edit_limit(const art_api_t *api, uint64_t body_max);


#endif /* ART_EXPAND_EDIT_H_INCLUDED_ */
