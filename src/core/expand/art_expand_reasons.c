
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/format/art_route.h"
#include "core/expand/art_expand_reasons.h"


static const char *art_plan_reason(const art_message_edit_t *edit);


void
art_plan_reasons(const art_message_plan_t *plan, art_reasons_t *reasons)
{
    uint32_t                   i;
    art_str_t                  id;
    const char                *reason;
    const art_message_slot_t  *slot;

    for (i = 0; i < plan->scan->nslots; i++) {
        reason = art_plan_reason(&plan->edits[i]);

        if (reason == NULL) {
            continue;
        }

        slot = art_scan_slot(plan->scan, i);
        id = slot->held == ART_HELD_REF ? slot->text : art_str(NULL, 0);

        art_reasons_add(reasons, id, slot->kind, reason);
    }
}


/* NULL if the slot has its content. */

static const char *
art_plan_reason(const art_message_edit_t *edit)
{
    if (edit->dropped) {
        return "dropped";
    }

    if (edit->becomes == ART_BECOMES_NAMED) {
        return "named";
    }

    if (edit->becomes != ART_BECOMES_DESCRIBED) {
        return NULL;
    }

    if (edit->missing) {
        return "missing";
    }

    return edit->reason == ART_REASON_NONE ? "empty"
                                           : art_reason_name(edit->reason);
}
