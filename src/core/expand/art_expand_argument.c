
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * References in the arguments of a tool: the slots of a call, and the strings
 * that take their place.  No model reads them, so any content is taken.
 */


#include "core/ref/art_url.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_scan_int.h"


static int art_argument_url(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t *words);


int
art_argument_value(art_scanner_t *scan, const art_lex_value_t *value)
{
    art_span_t                 span;
    art_message_slot_t        *slot;
    art_message_held_value_t   held;

    art_message_argument(&held, value, &scan->found.conf.url,
                         scan->buf);

    if (held.held != ART_HELD_REF) {
        return ART_OK;
    }

    /* the error that says so needs the id, which may come last */

    if (scan->found.nslots == scan->found.conf.refs_max) {
        scan->excess = 1;
        return ART_OK;
    }

    if (art_arena_copy(&scan->arena, held.text, &held.text) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    span.pos = value->pos;
    span.end = value->end;

    slot = art_part_string(scan, ART_PLACE_PART, span, &held);

    if (slot == NULL) {
        return ART_ERROR;
    }

    slot->message = UINT32_MAX;
    slot->kind = ART_KIND_OTHER;

    scan->found.occurrences++;

    return ART_OK;
}


void
art_argument_end(art_scanner_t *scan)
{
    if (!scan->found.called) {
        scan->found.nslots = 0;
        scan->found.occurrences = 0;

    } else if (scan->excess) {
        scan->found.status = ART_SCAN_TOO_MANY;
    }
}


int
art_argument_plan(art_message_plan_t *plan, uint32_t i, art_view_t *view,
    unsigned failed)
{
    art_decision_t            *decision;
    const art_format_t        *format;
    art_message_edit_t        *edit;
    const art_message_slot_t  *slot;
    const art_scan_conf_t     *conf;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);
    conf = &plan->scan->conf;

    if (view == NULL || slot->malformed) {
        edit->missing = 1;
        return ART_OK;
    }

    format = conf->api->call.formats[conf->argument];

    edit->kind = view->kind;
    edit->fits = 1;

    if (format == NULL) {
        edit->becomes = ART_BECOMES_PART;
        return art_argument_url(plan, slot, &edit->words);
    }

    decision = &view->decision;

    memset(decision, 0, sizeof(*decision));

    decision->kind = view->kind;
    decision->routing = ART_ROUTING_FILE;
    decision->max = plan->reader.inline_max;

    if (failed) {
        decision->reason = ART_REASON_READ;

    } else if (decision->max != 0 && view->size_known
               && view->size > decision->max)
    {
        decision->reason = ART_REASON_SIZE;

    } else {
        edit->becomes = ART_BECOMES_PART;
        edit->format = format;
    }

    edit->reason = decision->reason;

    return ART_OK;
}


/* The URL of the artifact that a slot refers to, as a JSON string. */

static int
art_argument_url(const art_message_plan_t *plan,
    const art_message_slot_t *slot, art_str_t *words)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_out_char(&out, '"');
        art_url_print(&out, &plan->scan->conf.url, slot->text, 1);
        art_out_char(&out, '"');
    } while (art_out_again(&out, &plan->scan->conf.pool));

    *words = art_str(out.data, out.len);

    return out.data != NULL ? ART_OK : ART_ERROR;
}
