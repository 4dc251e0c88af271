
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/expand/art_expand_edit.h"
#include "core/expand/art_expand_plan_int.h"
#include "core/expand/art_expand_splice.h"


/* The operations being made; without memory for them they are only counted. */

typedef struct {
    const art_message_plan_t  *plan;
    art_splice_op_t           *ops;
    size_t                     nops;
    art_message_moved_t       *moved;
    uint32_t                   from;     /* slots */
    uint32_t                   to;
    uint32_t                   first;    /* groups */
    uint32_t                   end;
    uint64_t                   added;    /* bytes */
    uint64_t                   removed;
} art_edit_t;


static uint64_t art_edit_request_total(const art_message_plan_t *plan);
static int64_t art_edit_growth(const art_message_plan_t *plan, uint32_t i);
static void art_edit_run(art_edit_t *edit,
    const art_message_plan_t *plan);
static void art_edit_slot(art_edit_t *edit, uint32_t i);
static int art_edit_is_silent(const art_edit_t *edit, uint32_t i);
static void art_edit_intro(art_edit_t *edit, uint32_t i);
static int art_edit_is_deleted(const art_edit_t *edit, uint32_t i);
static void art_edit_correct(art_edit_t *edit, uint32_t i);
static void art_edit_fit(art_edit_t *edit, uint32_t i);
static void art_edit_back(art_edit_t *edit, uint32_t i);
static void art_edit_anew(art_edit_t *edit, uint32_t i);
static void art_edit_text(art_edit_t *edit, uint32_t i);
static void art_edit_delete(art_edit_t *edit, uint32_t i);
static void art_edit_move_part(art_edit_t *edit, uint32_t i);
static void art_edit_move_words(art_edit_t *edit, uint32_t i);
static void art_edit_response(art_edit_t *edit,
    const art_message_group_t *group);
static void art_edit_images(art_edit_t *edit,
    const art_message_group_t *group, uint32_t n, uint64_t at);
static void art_edit_found(art_edit_t *edit, uint32_t i);
static void art_edit_append(art_edit_t *edit, uint32_t i);
static void art_edit_follow(art_edit_t *edit, uint32_t i);
static void art_edit_end(art_edit_t *edit, uint32_t g);
static void art_edit_item(art_edit_t *edit, uint64_t pos, uint64_t skip,
    uint32_t i);
static void art_edit_content(art_edit_t *edit, uint64_t pos, uint64_t skip,
    uint32_t i);
static void art_edit_whole(art_edit_t *edit, uint64_t pos, uint64_t skip,
    uint32_t i);
static void art_edit_own(art_edit_t *edit, uint64_t pos, uint64_t skip,
    const art_span_t *own, uint32_t slot, uint64_t length);
static void art_edit_within(art_edit_t *edit, uint64_t pos, uint64_t skip,
    art_str_t words);
static void art_edit_put(art_edit_t *edit, uint64_t pos, uint64_t skip,
    const char *text);
static void art_edit_words(art_edit_t *edit, uint64_t pos, uint64_t skip,
    art_str_t text);
static void art_edit_op(art_edit_t *edit, uint64_t pos, uint64_t skip,
    art_str_t text, uint32_t slot, uint64_t length);
static art_budget_t art_budget_one(art_message_plan_t *plan, uint64_t limit);
static int art_budget_drop(art_message_plan_t *plan, uint32_t i,
    uint64_t *gone);


int
art_edit_ops(const art_message_plan_t *plan, uint32_t from, uint32_t to,
    art_splice_op_t **ops, size_t *nops)
{
    art_edit_t                 edit;
    const art_pool_t          *pool;

    pool = &plan->scan->conf.pool;

    memset(&edit, 0, sizeof(edit));

    edit.from = from;
    edit.to = to;
    edit.end = plan->scan->ngroups;

    art_edit_run(&edit, plan);

    if (edit.nops > 0) {
        edit.ops = pool->alloc(pool->data,
                               edit.nops * sizeof(art_splice_op_t));
        if (edit.ops == NULL) {
            return ART_ERROR;
        }

        art_edit_run(&edit, plan);
    }

    *ops = edit.ops;
    *nops = edit.nops;

    return ART_OK;
}


uint64_t
art_edit_total(const art_message_plan_t *plan)
{
    art_edit_t  edit;

    memset(&edit, 0, sizeof(edit));

    edit.to = plan->scan->nslots;
    edit.end = plan->scan->ngroups;

    art_edit_run(&edit, plan);

    return plan->scan->len + plan->more + edit.added - edit.removed;
}


/*
 * The same of the request that was entered.  What others add is not in a batch.
 */

static uint64_t
art_edit_request_total(const art_message_plan_t *plan)
{
    art_edit_t                 edit;
    const art_scan_request_t  *request;

    memset(&edit, 0, sizeof(edit));

    request = art_scan_request(plan->scan, plan->request);

    edit.from = request->from;
    edit.to = request->to;
    edit.first = request->first;
    edit.end = request->end;

    art_edit_run(&edit, plan);

    return request->len + plan->more + edit.added - edit.removed;
}


/*
 * The bytes that a slot's edit adds to the body, as if it were the only edit;
 * less than 0: it removes bytes.
 */

static int64_t
art_edit_growth(const art_message_plan_t *plan, uint32_t i)
{
    art_edit_t                 edit;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(plan->scan, i);

    memset(&edit, 0, sizeof(edit));
    edit.plan = plan;
    edit.moved = plan->moved;

    if (slot->group != UINT32_MAX) {
        memset(&edit.moved[slot->group], 0, sizeof(art_message_moved_t));
    }

    if (slot->tools != UINT32_MAX) {
        memset(&edit.moved[slot->tools], 0, sizeof(art_message_moved_t));
    }

    art_edit_slot(&edit, i);

    return (int64_t) edit.added - (int64_t) edit.removed;
}


void
art_edit_count(const art_message_plan_t *plan, art_edit_counts_t *counts)
{
    uint32_t                   i;
    uint64_t                   was, is;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    memset(counts, 0, sizeof(*counts));

    for (i = 0; i < plan->scan->nslots; i++) {
        to = &plan->edits[i];
        slot = art_scan_slot(plan->scan, i);

        counts->expanded += to->becomes == ART_BECOMES_PART
                            || to->becomes == ART_BECOMES_TEXT;
        counts->degraded += to->becomes == ART_BECOMES_DESCRIBED
                            || to->becomes == ART_BECOMES_NAMED;

        if (slot->held == ART_HELD_REF
            || (to->becomes != ART_BECOMES_DESCRIBED
                && to->becomes != ART_BECOMES_NAMED))
        {
            continue;
        }

        was = slot->part.end - slot->part.pos;
        is = to->words.len
             + strlen(plan->scan->conf.api->request.text[slot->role]) + 1;
        is += slot->held == ART_HELD_RUN ? to->intro.len : 0;
        counts->saved += was > is ? was - is : 0;
    }
}


static void
art_edit_run(art_edit_t *edit, const art_message_plan_t *plan)
{
    uint32_t           i;
    const art_scan_t  *scan;

    scan = plan->scan;

    edit->plan = plan;
    edit->nops = 0;
    edit->moved = plan->moved;

    if (edit->end > edit->first) {
        memset(edit->moved + edit->first, 0,
               (edit->end - edit->first) * sizeof(art_message_moved_t));
    }

    for (i = edit->from; i < edit->to; i++) {
        if (art_edit_is_deleted(edit, i)) {
            edit->moved[art_scan_slot(scan, i)->group].removed++;

        } else if (art_edit_is_silent(edit, i)) {
            edit->moved[art_scan_slot(scan, i)->group].words
                += plan->edits[i].becomes > ART_BECOMES_PART;
        }
    }

    for (i = edit->from; i < edit->to; i++) {
        art_edit_slot(edit, i);
    }

    for (i = edit->first; i < edit->end; i++) {
        art_edit_end(edit, i);
    }
}


static void
art_edit_slot(art_edit_t *edit, uint32_t i)
{
    unsigned                   moved;
    const art_message_edit_t  *to;

    to = &edit->plan->edits[i];
    moved = art_plan_is_moved(edit->plan, i) != 0;

    if (art_edit_is_silent(edit, i)) {
        art_edit_intro(edit, i);
    }

    if (to->becomes == ART_BECOMES_ITSELF) {

        if (to->corrected) {
            art_edit_correct(edit, i);
        }

        return;
    }

    if (to->back && to->becomes == ART_BECOMES_PART) {
        art_edit_back(edit, i);
        return;
    }

    if (art_slot_is_found(art_scan_slot(edit->plan->scan, i))) {
        art_edit_found(edit, i);
        return;
    }

    if (to->becomes == ART_BECOMES_PART && !moved) {

        if (to->fits) {
            art_edit_fit(edit, i);

        } else {
            art_edit_anew(edit, i);
        }

        return;
    }

    if (art_edit_is_deleted(edit, i)) {
        art_edit_delete(edit, i);
        art_edit_move_words(edit, i);

    } else {
        art_edit_text(edit, i);
    }

    if (moved) {
        art_edit_move_part(edit, i);
    }
}


/* Whether a slot is in a message where a document needs a text beside it. */

static int
art_edit_is_silent(const art_edit_t *edit, uint32_t i)
{
    uint32_t  group;

    group = art_scan_slot(edit->plan->scan, i)->group;

    return group != UINT32_MAX
           && art_scan_group(edit->plan->scan, group)->kind
              == ART_GROUP_SILENT;
}


/* The first document of such a message is led in, unless it has a text now. */

static void
art_edit_intro(art_edit_t *edit, uint32_t i)
{
    art_message_moved_t       *group;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);
    group = &edit->moved[slot->group];

    if (group->words > 0 || group->parts > 0 || to->intro.len == 0
        || to->becomes > ART_BECOMES_PART
        || (to->becomes == ART_BECOMES_PART && to->kind != ART_KIND_DOCUMENT
            && to->kind != ART_KIND_TEXT))
    {
        return;
    }

    group->parts++;

    art_edit_put(edit, slot->part.pos, 0,
                 edit->plan->scan->conf.api->request.text[slot->role]);
    art_edit_words(edit, slot->part.pos, 0, to->intro);
    art_edit_put(edit, slot->part.pos, 0, "},");
}


/* Text cannot be in a slot that takes media only: it is moved. */

static int
art_edit_is_deleted(const art_edit_t *edit, uint32_t i)
{
    art_message_place_t        place;
    const art_message_edit_t  *to;

    place = art_scan_slot(edit->plan->scan, i)->place;
    to = &edit->plan->edits[i];

    return (place == ART_PLACE_CALL_PART || place == ART_PLACE_IMAGE)
           && to->becomes != ART_BECOMES_ITSELF
           && (to->becomes != ART_BECOMES_PART || to->hoisted);
}


/*
 * Writes the right type of what stays where it is.  Base64 that is not as most
 * APIs want it becomes canonical in doing so.
 */

static void
art_edit_correct(art_edit_t *edit, uint32_t i)
{
    unsigned                   n;
    uint64_t                   pos;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);

    if (to->mime.len > 0 && slot->nmimes == 0) {
        art_edit_words(edit, slot->key, 0, to->name);
        art_edit_words(edit, slot->key, 0, to->mime);
    }

    for (n = 0; to->mime.len > 0 && n < slot->nmimes; n++) {
        art_edit_words(edit, slot->mimes[n].pos,
                       slot->mimes[n].end - slot->mimes[n].pos, to->mime);
    }

    pos = slot->data.pos + 1;

    if (slot->type.pos > 0 && to->head.len > 0) {
        art_edit_words(edit, slot->type.pos, slot->type.end - slot->type.pos,
                       to->head);

    } else if (slot->type.pos > 0) {
        art_edit_put(edit, pos, slot->raw.pos - pos, "");

    } else {
        art_edit_words(edit, pos, 0, to->head);
    }

    if (!slot->plain) {
        art_edit_own(edit, slot->raw.pos, slot->raw.end - slot->raw.pos,
                     &slot->raw, i, ART_BASE64_LEN(slot->size));
    }
}


/* Replaces the value and what belongs to it. */

static void
art_edit_fit(art_edit_t *edit, uint32_t i)
{
    const art_span_t          *target;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);
    target = to->by_url ? &slot->url : &slot->target;

    art_edit_item(edit, target->pos, target->end - target->pos, i);

    if (to->mime.len > 0) {

        if (slot->mime.end > 0) {
            art_edit_words(edit, slot->mime.pos,
                           slot->mime.end - slot->mime.pos, to->mime);

        } else {
            art_edit_words(edit, target->end, 0, to->mime);
        }
    }

    if (to->name.len > 0) {
        art_edit_words(edit, target->end, 0, to->name);
    }
}


/*
 * Puts the base64 of a stand-in's medium back, in a text or in a string, of
 * which only the beginning of a data URL is left.
 */

static void
art_edit_back(art_edit_t *edit, uint32_t i)
{
    const art_message_slot_t  *slot;

    slot = art_scan_slot(edit->plan->scan, i);

    if (slot->place != ART_PLACE_ELSEWHERE || slot->inside) {
        art_edit_content(edit, slot->data.pos,
                         slot->data.end - slot->data.pos, i);
        return;
    }

    /* what skips bytes has to be the last one at its position */

    art_edit_put(edit, slot->part.pos, 0, "\"");
    art_edit_words(edit, slot->part.pos, 0, slot->head);
    art_edit_content(edit, slot->part.pos, 0, i);
    art_edit_put(edit, slot->part.pos, slot->part.end - slot->part.pos, "\"");
}


/*
 * Makes the whole part anew.  What is rendered, or begins with a text, lacks
 * its closing brace: the members that stay follow it, where they are.
 */

static void
art_edit_anew(art_edit_t *edit, uint32_t i)
{
    uint64_t                   end;
    unsigned                   n, keep;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);

    if (slot->place == ART_PLACE_STRING) {
        art_edit_put(edit, slot->part.pos, 0, "[");
    }

    /* what moves as a whole takes all of its members along */

    for (keep = 0; !to->whole && keep < 2 && slot->keep[keep].end > 0; keep++) {
        /* void */
    }

    end = keep > 0 ? slot->keep[0].pos : slot->part.end;

    if (to->becomes != ART_BECOMES_PART
        || art_plan_is_moved(edit->plan, i))
    {
        art_edit_put(edit, slot->part.pos, 0,
                     edit->plan->scan->conf.api->request.text[slot->role]);
    }

    art_edit_item(edit, slot->part.pos, end - slot->part.pos, i);

    for (n = 0; n < keep; n++) {
        end = n + 1 < keep ? slot->keep[1].pos : slot->part.end;

        art_edit_put(edit, slot->keep[n].pos, 0, ",");

        if (end != slot->part.end) {

            /* the bytes between the two are cut; a comma follows */

            art_edit_put(edit, slot->keep[n].end, end - slot->keep[n].end, "");
        }
    }

    end = n > 0 ? slot->keep[n - 1].end : slot->part.end;

    art_edit_put(edit, end, slot->part.end - end,
                 slot->place == ART_PLACE_STRING ? "}]" : "}");
}


static void
art_edit_text(art_edit_t *edit, uint32_t i)
{
    const art_message_slot_t  *slot;

    slot = art_scan_slot(edit->plan->scan, i);

    if (slot->place == ART_PLACE_PART) {
        art_edit_anew(edit, i);
        return;
    }

    art_edit_item(edit, slot->target.pos, slot->target.end - slot->target.pos,
                  i);
}


/* Deletes an element of an array, with one of the commas beside it. */

static void
art_edit_delete(art_edit_t *edit, uint32_t i)
{
    uint64_t                   pos, end;
    art_message_moved_t       *group;
    const art_message_slot_t  *slot;

    slot = art_scan_slot(edit->plan->scan, i);
    group = &edit->moved[slot->group];

    pos = slot->part.pos;
    end = slot->part.end;

    if (slot->index > group->deleted) {
        pos = slot->before;

    } else if (slot->after > 0) {
        end = slot->after;
    }

    group->deleted++;

    art_edit_put(edit, pos, end - pos, "");
}


/* Media move after the messages of tools, or among the parts of a call. */

static void
art_edit_move_part(art_edit_t *edit, uint32_t i)
{
    uint64_t                    at;
    uint32_t                    g;
    unsigned                    first;
    const art_message_edit_t   *to;
    const art_message_slot_t   *slot;
    const art_message_group_t  *group;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);
    g = to->hoisted ? slot->tools : slot->group;
    group = art_scan_group(edit->plan->scan, g);
    first = edit->moved[g].parts++ == 0;

    if (to->hoisted) {
        at = group->at;

        art_edit_put(edit, at, 0, ",");

        if (first) {
            art_edit_put(edit, at, 0, edit->plan->format->message.open);
        }

        art_edit_put(edit, at, 0, edit->plan->format->message.text);
        art_edit_words(edit, at, 0, to->intro);
        art_edit_put(edit, at, 0, "},");

    } else if (group->array.end > 0) {
        at = group->array.end - 1;

        if (!first || group->elements > edit->moved[g].removed) {
            art_edit_put(edit, at, 0, ",");
        }

    } else if (group->string.end > 0) {
        at = group->string.end;

        if (first) {
            art_edit_put(edit, group->string.pos, at - group->string.pos, "[");

        } else {
            art_edit_put(edit, at, 0, ",");
        }

    } else {
        at = group->at;

        art_edit_put(edit, at, 0, first ? ",\"parts\":[" : ",");
    }

    art_edit_content(edit, at, 0, i);
    art_edit_put(edit, at, 0, "}");
}


/* Words move where they cannot be among media. */

static void
art_edit_move_words(art_edit_t *edit, uint32_t i)
{
    uint64_t                    at;
    uint32_t                    n;
    const art_message_slot_t   *slot;
    const art_message_group_t  *group;

    slot = art_scan_slot(edit->plan->scan, i);
    group = art_scan_group(edit->plan->scan, slot->group);
    n = edit->moved[slot->group].words++;

    if (group->kind == ART_GROUP_IMAGES) {
        at = group->array.end > 0 ? group->array.end - 1
             : group->string.end > 0 ? group->string.end : group->at;

        art_edit_images(edit, group, n, at);
        art_edit_put(edit, at, 0,
                     edit->plan->scan->conf.api->request.text[slot->role]);
        art_edit_item(edit, at, 0, i);
        art_edit_put(edit, at, 0, "}");
        return;
    }

    if (n > 0) {
        art_edit_put(edit, group->words, 0, ",");

    } else {
        art_edit_response(edit, group);
    }

    art_edit_item(edit, group->words, 0, i);
}


/* The list of words in a response, which becomes an object if it is not. */

static void
art_edit_response(art_edit_t *edit, const art_message_group_t *group)
{
    uint64_t  at, pos;

    static const char *const  names[] = {
        ",\"artifacts\":[", ",\"artifacts_\":[", ",\"artifacts__\":["
    };

    at = group->words;
    pos = group->object.pos;

    if (group->shape == ART_SHAPE_NONE) {
        art_edit_put(edit, at, 0, ",\"response\":{");

    } else if (group->shape == ART_SHAPE_NULL) {
        art_edit_put(edit, pos, at - pos, "{");

    } else if (group->shape == ART_SHAPE_OTHER) {
        art_edit_put(edit, pos, 0, "{\"output\":");
    }

    art_edit_put(edit, at, 0, names[group->taken] + (group->members == 0));
}


/* What precedes text part "n" of those that join a message's content. */

static void
art_edit_images(art_edit_t *edit, const art_message_group_t *group,
    uint32_t n, uint64_t at)
{
    const char        *text;
    const art_span_t  *string;

    string = &group->string;

    if (n > 0 || group->array.end > 0) {

        if (n > 0 || group->elements > 0) {
            art_edit_put(edit, at, 0, ",");
        }

    } else if (string->end == 0) {
        art_edit_put(edit, group->at, 0, ",\"content\":[");

    } else if (group->empty) {
        art_edit_put(edit, string->pos, string->end - string->pos, "[");

    } else {
        text = edit->plan->scan->conf.api->request.text[ART_ROLE_ASSISTANT];

        art_edit_put(edit, string->pos, 0, "[");
        art_edit_put(edit, string->pos, 0, text);
        art_edit_put(edit, string->end, 0, "},");
    }
}


/*
 * The text stays, but for base64 in it, which gives way to its name; a part or
 * words follow.
 */

static void
art_edit_found(art_edit_t *edit, uint32_t i)
{
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);

    if (slot->held == ART_HELD_RUN || slot->standin) {
        art_edit_within(edit, slot->part.pos, slot->part.end - slot->part.pos,
                        slot->standin ? to->head : to->intro);
    }

    if (art_plan_is_moved(edit->plan, i)) {
        art_edit_move_part(edit, i);

    } else if (to->becomes == ART_BECOMES_NAMED && to->words.len == 0) {

        /* its name in the text is enough */

    } else if (slot->place == ART_PLACE_CALL_FOUND) {
        art_edit_move_words(edit, i);

    } else if (slot->tools != UINT32_MAX) {
        art_edit_append(edit, i);

    } else {
        art_edit_follow(edit, i);
    }
}


/* A text follows in the same string, after a line feed. */

static void
art_edit_append(art_edit_t *edit, uint32_t i)
{
    uint64_t                   at;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);
    at = art_scan_group(edit->plan->scan, slot->group)->string.end - 1;

    art_edit_put(edit, at, 0, "\\n");

    if (to->format != NULL) {
        art_edit_content(edit, at, 0, i);

    } else {
        art_edit_within(edit, at, 0, to->words);
    }
}


/* A part follows; a string that is all of a result becomes an array. */

static void
art_edit_follow(art_edit_t *edit, uint32_t i)
{
    uint64_t                    at;
    const char                 *text;
    const art_message_slot_t   *slot;
    const art_message_group_t  *group;

    slot = art_scan_slot(edit->plan->scan, i);
    text = edit->plan->scan->conf.api->request.text[slot->role];
    group = art_scan_group(edit->plan->scan, slot->group);
    at = group->at > 0 ? group->at : group->string.end;

    if (edit->moved[slot->group].parts++ == 0 && group->at == 0) {
        art_edit_put(edit, group->string.pos, 0, "[");
        art_edit_put(edit, group->string.pos, 0, text);
        art_edit_put(edit, at, 0, "}");
    }

    art_edit_put(edit, at, 0, ",");

    if (edit->plan->edits[i].becomes != ART_BECOMES_PART) {
        art_edit_put(edit, at, 0, text);
    }

    art_edit_item(edit, at, 0, i);
    art_edit_put(edit, at, 0, "}");
}


/* Closes what the items of a group began. */

static void
art_edit_end(art_edit_t *edit, uint32_t g)
{
    const art_message_moved_t  *to;
    const art_message_group_t  *group;

    to = &edit->moved[g];
    group = art_scan_group(edit->plan->scan, g);

    switch (group->kind) {

    case ART_GROUP_TOOLS:

        if (to->parts > 0) {
            art_edit_put(edit, group->at, 0,
                         edit->plan->format->message.close);
        }

        return;

    case ART_GROUP_CALL:

        if (to->words > 0) {
            art_edit_put(edit, group->words, 0,
                         group->shape == ART_SHAPE_OBJECT ? "]" : "]}");
        }

        if (to->parts > 0 && group->array.end == 0) {
            art_edit_put(edit, group->string.end > 0 ? group->string.end
                                                     : group->at, 0, "]");
        }

        return;

    case ART_GROUP_TEXT:

        if (to->parts > 0 && group->at == 0) {
            art_edit_put(edit, group->string.end, 0, "]");
        }

        return;

    case ART_GROUP_SILENT:
        return;

    default:

        if (to->words > 0 && group->array.end == 0) {
            art_edit_put(edit, group->string.end > 0 ? group->string.end
                                                     : group->at, 0, "]");
        }
    }
}


/* The content of a slot, or the words for it. */

static void
art_edit_item(art_edit_t *edit, uint64_t pos, uint64_t skip, uint32_t i)
{
    const art_message_edit_t  *to;

    to = &edit->plan->edits[i];

    if ((to->format != NULL || to->own.end > 0 || to->by_url)
        && !art_plan_is_moved(edit->plan, i))
    {
        art_edit_content(edit, pos, skip, i);

    } else {
        art_edit_words(edit, pos, skip, to->words);
    }
}


/* The content of a slot: rendered, made of bytes of the body, or its URL. */

static void
art_edit_content(art_edit_t *edit, uint64_t pos, uint64_t skip, uint32_t i)
{
    unsigned                   clean;
    const art_message_edit_t  *to;

    to = &edit->plan->edits[i];

    if (to->by_url) {
        art_edit_words(edit, pos, skip, to->head);
        return;
    }

    if (to->own.end == 0) {
        art_edit_op(edit, pos, skip, art_str(NULL, 0), i, to->length);
        return;
    }

    if (to->corrected) {
        art_edit_whole(edit, pos, skip, i);
        return;
    }

    clean = to->becomes == ART_BECOMES_PART && !to->whole
            && !art_scan_slot(edit->plan->scan, i)->plain;

    /* what skips bytes has to be the last one at its position */

    art_edit_words(edit, pos, 0, to->head);
    art_edit_own(edit, pos, 0, &to->own, clean ? i : ART_SPLICE_NO_SLOT,
                 to->length);
    art_edit_words(edit, pos, skip, to->tail);
}


/* A part of the body with another type in it. */

static void
art_edit_whole(art_edit_t *edit, uint64_t pos, uint64_t skip, uint32_t i)
{
    art_span_t                 before, after;
    const art_span_t          *type;
    const art_message_edit_t  *to;
    const art_message_slot_t  *slot;

    to = &edit->plan->edits[i];
    slot = art_scan_slot(edit->plan->scan, i);
    type = slot->type.pos > 0 ? &slot->type : &slot->mimes[0];

    before.pos = to->own.pos;
    before.end = type->pos;
    after.pos = type->end;
    after.end = to->own.end;

    art_edit_own(edit, pos, 0, &before, ART_SPLICE_NO_SLOT,
                 before.end - before.pos);
    art_edit_words(edit, pos, 0, to->mime);
    art_edit_own(edit, pos, skip, &after, ART_SPLICE_NO_SLOT,
                 after.end - after.pos);
}


/* Bytes of the body, made canonical for a slot. */

static void
art_edit_own(art_edit_t *edit, uint64_t pos, uint64_t skip,
    const art_span_t *own, uint32_t slot, uint64_t length)
{
    art_splice_op_t  *op;

    art_edit_op(edit, pos, skip, art_str(NULL, 0), slot, length);

    if (edit->ops != NULL) {
        op = &edit->ops[edit->nops - 1];
        op->own = own->pos;
        op->own_end = own->end;
    }
}


/* Words, which have quotes, within a string. */

static void
art_edit_within(art_edit_t *edit, uint64_t pos, uint64_t skip,
    art_str_t words)
{
    art_edit_words(edit, pos, skip, art_str(words.data + 1, words.len - 2));
}


static void
art_edit_put(art_edit_t *edit, uint64_t pos, uint64_t skip, const char *text)
{
    art_edit_words(edit, pos, skip, art_cstr(text));
}


static void
art_edit_words(art_edit_t *edit, uint64_t pos, uint64_t skip, art_str_t text)
{
    art_edit_op(edit, pos, skip, text, ART_SPLICE_NO_SLOT, text.len);
}


static void
art_edit_op(art_edit_t *edit, uint64_t pos, uint64_t skip, art_str_t text,
    uint32_t slot, uint64_t length)
{
    art_splice_op_t  *op;

    if (edit->ops != NULL) {
        op = &edit->ops[edit->nops];

        op->pos = pos;
        op->skip = skip;
        op->length = length;
        op->text = text;
        op->slot = slot;
        op->order = (uint32_t) edit->nops;
        op->own_end = 0;
    }

    edit->nops++;
    edit->added += length;
    edit->removed += skip;
}


art_budget_t
art_edit_budget(art_message_plan_t *plan, uint64_t limit)
{
    uint32_t      i;
    art_budget_t  rc;

    rc = ART_BUDGET_OK;

    for (i = 0; i < plan->scan->nrequests && rc == ART_BUDGET_OK; i++) {
        art_plan_enter(plan, i);
        rc = art_budget_one(plan, limit);
    }

    return rc;
}


/* The same for the request that was entered. */

static art_budget_t
art_budget_one(art_message_plan_t *plan, uint64_t limit)
{
    uint32_t  i;
    uint64_t  total, gone, step, least;

    total = art_edit_request_total(plan);

    if (limit == 0 || total <= limit) {
        return ART_BUDGET_OK;
    }

    step = limit > 1 ? limit / 2 : 1;
    least = (total - limit + step - 1) / step * step;
    gone = 0;
    i = plan->from;

    do {
        while (i < plan->to && gone < least) {
            if (art_budget_drop(plan, i++, &gone) != ART_OK) {
                return ART_BUDGET_NO_MEMORY;
            }
        }

        /* the message that parts are moved to did not count */

        total = art_edit_request_total(plan);
        least += total > limit ? total - limit : 0;

    } while (total > limit && i < plan->to);

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


/* Describes a slot's media if there are any and the request shrinks by it. */

static int
art_budget_drop(art_message_plan_t *plan, uint32_t i, uint64_t *gone)
{
    int64_t                    now, then;
    art_message_edit_t        *edit, was;
    const art_message_slot_t  *slot;

    edit = &plan->edits[i];
    slot = art_scan_slot(plan->scan, i);
    was = *edit;

    if (art_scan_is_last(plan->scan, slot) || slot->place == ART_PLACE_SOLE) {
        return ART_OK;
    }

    if (edit->becomes == ART_BECOMES_ITSELF
        && (slot->held == ART_HELD_DATA || slot->held == ART_HELD_RUN))
    {

        if (art_plan_media_words(plan, slot, ART_REASON_SIZE, &edit->fallback)
            != ART_OK)
        {
            return ART_ERROR;
        }

    } else if (edit->becomes != ART_BECOMES_PART
               && !(edit->becomes == ART_BECOMES_TEXT
                    && (edit->derived || slot->held == ART_HELD_DATA)))
    {
        return ART_OK;
    }

    now = art_edit_growth(plan, i);

    art_plan_describe(edit, edit->fallback);
    edit->dropped = 1;

    then = art_edit_growth(plan, i);

    if (then >= now) {
        *edit = was;
        return ART_OK;
    }

    *gone += (uint64_t) (now - then);

    return ART_OK;
}
