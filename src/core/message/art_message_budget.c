
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Requests that would be larger than the API takes.
 */


#include "core/message/art_message_edit.h"
#include "core/message/art_message_words.h"


static int art_budget_drop(art_message_plan_t *plan, uint32_t i,
    uint64_t *gone);
static int art_budget_words(art_message_plan_t *plan, uint32_t i);


art_budget_t
art_edit_budget(art_message_plan_t *plan, uint64_t limit)
{
    uint32_t  i;
    uint64_t  total, gone, step, least;

    total = art_edit_total(plan);

    if (limit == 0 || total <= limit) {
        return ART_BUDGET_OK;
    }

    step = limit > 1 ? limit / 2 : 1;
    least = (total - limit + step - 1) / step * step;
    gone = 0;
    i = 0;

    do {
        while (i < plan->scan->nslots && gone < least) {
            if (art_budget_drop(plan, i++, &gone) != ART_OK) {
                return ART_BUDGET_NO_MEMORY;
            }
        }

        /* the message that parts are moved to did not count */

        total = art_edit_total(plan);
        least += total > limit ? total - limit : 0;

    } while (total > limit && i < plan->scan->nslots);

    return total > limit ? ART_BUDGET_TOO_LARGE : ART_BUDGET_OK;
}


uint64_t
art_edit_limit(const art_api_t *api, uint64_t body_max)
{
    if (api->request.max == 0 || (body_max != 0 && body_max < api->request.max))
    {
        return body_max;
    }

    return api->request.max;
}


/* Describes a slot's media, if they are any, and it makes the request less. */

static int
art_budget_drop(art_message_plan_t *plan, uint32_t i, uint64_t *gone)
{
    int64_t                    now, then;
    art_message_edit_t        *edit, was;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);
    was = *edit;

    if (art_scan_is_last(plan->scan, slot)) {
        return ART_OK;
    }

    if (edit->becomes == ART_BECOMES_ITSELF && slot->held == ART_HELD_DATA) {

        if (art_budget_words(plan, i) != ART_OK) {
            return ART_ERROR;
        }

    } else if (edit->becomes != ART_BECOMES_PART) {
        return ART_OK;
    }

    now = art_edit_growth(plan, i);

    edit->becomes = ART_BECOMES_DESCRIBED;
    edit->format = NULL;
    edit->words = edit->spare;
    edit->dropped = 1;

    then = art_edit_growth(plan, i);

    if (then >= now) {
        *edit = was;
        return ART_OK;
    }

    *gone += (uint64_t) (now - then);

    return ART_OK;
}


/* The words for media that the client put there itself. */

static int
art_budget_words(art_message_plan_t *plan, uint32_t i)
{
    art_out_t                  out;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);
    out = art_out(NULL, 0);

    do {
        art_words_media(&out, slot, ART_REASON_SIZE, plan->reader.lang);
    } while (art_out_again(&out, &plan->scan->conf.pool));

    plan->edits[i].spare = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
