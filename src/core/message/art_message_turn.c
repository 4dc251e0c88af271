
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message when it is over: its role may come last, and tells which of its
 * slots are any.
 */


#include "core/message/art_message_scan_int.h"


static void art_turn_select(art_scan_t *scan, art_message_role_t role);
static int art_turn_images(art_scan_t *scan, uint64_t end);
static int art_turn_tools(art_scan_t *scan, uint64_t end);


void
art_turn_begin(art_scan_t *scan, unsigned system)
{
    art_scan_message_t  *message;

    message = &scan->message;

    memset(message, 0, sizeof(*message));

    art_arena_mark(&scan->arena, &message->mark);
    message->slots = scan->nslots;
    message->role = system ? ART_ROLE_SYSTEM : ART_ROLE_USER;
    message->system = system & 1;
}


void
art_turn_content(art_scan_t *scan, const art_walk_rule_t *rule)
{
    art_scan_message_t  *message;

    message = &scan->message;

    /* of a content that stands twice the last one counts */

    if (message->content) {
        art_list_cut(scan, message->slots);
        art_arena_back(&scan->arena, &message->mark);
    }

    message->content = 1;
    message->output |= rule->act == ART_FIELD_OUTPUT;

    memset(&message->array, 0, sizeof(message->array));
    memset(&message->string, 0, sizeof(message->string));
}


int
art_turn_string(art_scan_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_str_t                  text;
    art_message_slot_t        *slot;
    art_scan_message_t        *message;
    art_message_held_value_t   held;

    message = &scan->message;

    art_turn_content(scan, rule);

    message->nothing = !value->string || value->len == 0;
    message->string.pos = value->pos;
    message->string.end = value->end;

    if (!value->string) {
        return ART_OK;
    }

    art_message_value(&held, value, rule->act, 1, scan->conf.url_prefix,
                      scan->buf);

    if (held.held != ART_HELD_REF) {
        return ART_OK;
    }

    if (art_arena_copy(&scan->arena, held.text, &text) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    slot = art_list_slot(scan);

    if (slot == NULL) {
        return scan->full ? art_list_fail(scan, ART_SCAN_TOO_MANY)
                          : ART_ERROR;
    }

    slot->held = ART_HELD_REF;
    slot->role = ART_ROLE_MAX;
    slot->place = ART_PLACE_STRING;
    slot->part = message->string;
    slot->target = message->string;
    slot->text = text;
    slot->malformed = held.malformed;
    slot->tools = 1;
    slot->group = UINT32_MAX;

    return ART_OK;
}


int
art_turn_end(art_scan_t *scan, uint64_t end)
{
    uint32_t             i;
    art_message_role_t   role;
    art_message_slot_t  *slot;
    art_scan_message_t  *message;

    message = &scan->message;
    role = message->role;

    if (scan->conf.api->flags & ART_API_ITEMS) {

        /* an item is a message, or what a tool said, or none of our business */

        if (message->item == ART_TYPE_OUTPUT) {
            role = ART_ROLE_TOOL;

        } else if (message->output
                   || (message->item != ART_TYPE_NONE
                       && message->item != ART_TYPE_MESSAGE))
        {
            art_list_cut(scan, message->slots);
        }
    }

    art_turn_select(scan, role);

    for (i = message->slots; i < scan->nslots; i++) {
        slot = art_scan_slot(scan, i);

        slot->message = message->system ? UINT32_MAX : scan->messages;

        if (slot->held == ART_HELD_REF
            && art_list_ref(scan, slot) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    scan->messages += !message->system;

    if (scan->nslots == message->slots) {
        art_arena_back(&scan->arena, &message->mark);
    }

    if (art_turn_images(scan, end) != ART_OK) {
        return ART_ERROR;
    }

    if (!(scan->conf.api->flags & ART_API_HOIST) || message->system) {
        return ART_OK;
    }

    if (role != ART_ROLE_TOOL) {
        scan->tools = UINT32_MAX;
        return ART_OK;
    }

    return art_turn_tools(scan, end);
}


/* What only a tool's result may be is none elsewhere. */

static void
art_turn_select(art_scan_t *scan, art_message_role_t role)
{
    uint32_t             i, n;
    art_message_slot_t  *slot;

    n = scan->message.slots;

    for (i = n; i < scan->nslots; i++) {
        slot = art_scan_slot(scan, i);

        if (slot->tools && role != ART_ROLE_TOOL) {
            continue;
        }

        slot->tools = 0;

        if (slot->role == ART_ROLE_MAX) {
            slot->role = role;
        }

        if (n < i) {
            *art_scan_slot(scan, n) = *slot;
        }

        n++;
    }

    art_list_cut(scan, n);
}


/* Where the texts of images go that cannot stand among them. */

static int
art_turn_images(art_scan_t *scan, uint64_t end)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    art_scan_message_t   *message;
    art_message_group_t  *group;

    group = NULL;
    message = &scan->message;

    for (i = message->slots; i < scan->nslots; i++) {
        slot = art_scan_slot(scan, i);

        if (slot->place != ART_PLACE_IMAGE) {
            continue;
        }

        if (group == NULL) {
            group = art_list_group(scan);

            if (group == NULL) {
                return ART_ERROR;
            }

            group->kind = ART_GROUP_IMAGES;
            group->at = end - 1;
            group->array = message->array;
            group->string = message->string;
            group->empty = message->nothing;
            group->elements = message->elements;
        }

        slot->group = scan->ngroups - 1;
    }

    return ART_OK;
}


/* One group for consecutive messages of tools. */

static int
art_turn_tools(art_scan_t *scan, uint64_t end)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    art_message_group_t  *group;

    for (i = scan->message.slots; i < scan->nslots; i++) {
        slot = art_scan_slot(scan, i);

        if (scan->tools == UINT32_MAX) {
            group = art_list_group(scan);

            if (group == NULL) {
                return ART_ERROR;
            }

            group->kind = ART_GROUP_TOOLS;
            scan->tools = scan->ngroups - 1;
        }

        if (slot->group == UINT32_MAX) {
            slot->group = scan->tools;
        }
    }

    if (scan->tools != UINT32_MAX) {
        art_scan_group(scan, scan->tools)->at = end;
    }

    return ART_OK;
}
