
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Messages when they are over: the slots that count there, the references in
 * them, and where media go that cannot be in their place.
 */


#include "core/expand/art_expand_scan_int.h"


static void art_turn_select(art_scanner_t *scan, art_message_role_t role);
static int art_turn_ref(art_scanner_t *scan, art_message_slot_t *slot);
static int art_turn_images(art_scanner_t *scan, uint64_t end);
static int art_turn_silent(art_scanner_t *scan);
static int art_turn_tools(art_scanner_t *scan, art_message_role_t role,
    uint64_t end);
static int art_turn_hoist(art_scanner_t *scan, uint64_t end);


void
art_turn_begin(art_scanner_t *scan, unsigned system)
{
    art_scan_message_t  *message;

    message = &scan->message;

    memset(message, 0, sizeof(*message));

    message->mark = scan->arena.at;
    message->slots = scan->found.nslots;
    message->groups = scan->found.ngroups;
    message->finds = scan->found.finds;
    message->role = system ? ART_ROLE_SYSTEM : ART_ROLE_USER;
    message->system = system & 1;
    message->told = system & 1;

    art_search_result(scan);
}


void
art_turn_content(art_scanner_t *scan, const art_walk_rule_t *rule)
{
    art_scan_message_t  *message;

    message = &scan->message;

    /* the last one of several contents counts */

    if (message->content) {
        scan->found.nslots = message->slots;
        scan->found.ngroups = message->groups;
        scan->found.finds = message->finds;
        scan->arena.at = message->mark;
    }

    message->content = 1;
    message->text = 0;
    message->output |= rule->act == ART_FIELD_OUTPUT;

    memset(&message->array, 0, sizeof(message->array));
    memset(&message->string, 0, sizeof(message->string));
}


int
art_turn_string(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_message_slot_t        *slot;
    art_scan_message_t        *message;
    art_message_held_value_t   held;

    message = &scan->message;

    art_turn_content(scan, rule);

    message->nothing = !value->string || value->len == 0;
    message->string.pos = value->pos;
    message->string.end = value->end;

    /* most are texts */

    if (!value->string
        || !art_message_may_refer(value->text, &scan->found.conf.url))
    {
        return ART_OK;
    }

    art_message_value(&held, value, rule->act, art_scan_what(scan, 1),
                      &scan->found.conf.url, scan->buf);

    if (held.held != ART_HELD_REF) {
        return ART_OK;
    }

    if (art_arena_copy(&scan->arena, held.text, &held.text) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    slot = art_part_string(scan, ART_PLACE_STRING, message->string, &held);

    if (slot == NULL) {
        return ART_ERROR;
    }

    slot->role = ART_ROLE_MAX;
    slot->result = 1;

    return ART_OK;
}


int
art_turn_end(art_scanner_t *scan, uint64_t end)
{
    uint32_t             i;
    art_message_role_t   role;
    art_message_slot_t  *slot;
    art_scan_message_t  *message;

    message = &scan->message;
    role = message->role;

    if (scan->found.conf.api->flags & ART_API_ITEMS) {

        /* only messages and results of tools matter */

        if (message->item == ART_TYPE_OUTPUT) {
            role = ART_ROLE_TOOL;

        } else if (message->item != ART_TYPE_SCREEN
                   && (message->output
                       || (message->item != ART_TYPE_NONE
                           && message->item != ART_TYPE_MESSAGE)))
        {
            scan->found.nslots = message->slots;
        }
    }

    if (role == ART_ROLE_TOOL
        && !(scan->found.conf.api->flags & ART_API_RESULTS)
        && art_search_result_end(scan, message->slots, ART_PLACE_FOUND)
           != ART_OK)
    {
        return ART_ERROR;
    }

    art_turn_select(scan, role);

    for (i = message->slots; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        slot->message = message->system ? UINT32_MAX : scan->found.messages;

        if (slot->held == ART_HELD_REF && !art_slot_is_found(slot)
            && art_turn_ref(scan, slot) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    scan->found.messages += !message->system;

    if (scan->found.nslots == message->slots) {
        scan->arena.at = message->mark;
    }

    if (art_turn_images(scan, end) != ART_OK) {
        return ART_ERROR;
    }

    if (message->system) {
        return ART_OK;
    }

    return art_turn_tools(scan, role, end);
}


int
art_turn_sole_string(art_scanner_t *scan, const art_lex_value_t *value)
{
    art_span_t                 string;
    art_message_slot_t        *slot;
    art_message_held_value_t   held;

    art_message_value(&held, value, ART_FIELD_ARTIFACT,
                      art_scan_what(scan, 1), &scan->found.conf.url,
                      scan->buf);

    if (!value->string || held.held != ART_HELD_REF) {
        return ART_OK;
    }

    if (art_arena_copy(&scan->arena, held.text, &held.text) != ART_OK) {
        return art_list_fail(scan, ART_SCAN_NO_MEMORY);
    }

    string.pos = value->pos;
    string.end = value->end;

    slot = art_part_string(scan, ART_PLACE_SOLE, string, &held);

    if (slot == NULL) {
        return ART_ERROR;
    }

    slot->form = scan->found.conf.api->request.sole;
    slot->url = string;
    slot->kind = ART_KIND_IMAGE;

    return art_part_sole(scan, slot);
}


/* Drops slots that count in the result of a tool, or of a screen, only. */

static void
art_turn_select(art_scanner_t *scan, art_message_role_t role)
{
    uint32_t             i, n;
    art_message_slot_t  *slot;

    n = scan->message.slots;

    for (i = n; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if ((slot->result && role != ART_ROLE_TOOL)
            || (slot->form != NULL
                && (slot->form->flags & ART_FORM_MEDIA) != 0)
               != (scan->message.item == ART_TYPE_SCREEN))
        {
            continue;
        }

        slot->result = 0;

        if (slot->role == ART_ROLE_MAX) {
            slot->role = role;
        }

        if (n < i) {
            *art_scan_slot(&scan->found, n) = *slot;
        }

        n++;
    }

    scan->found.nslots = n;
}


/* Too many references are an error, but not too many links. */

static int
art_turn_ref(art_scanner_t *scan, art_message_slot_t *slot)
{
    if (!art_slot_is_link(slot)) {
        return slot->standin ? ART_OK : art_scan_occurs(scan);
    }

    if (scan->found.finds == ART_MESSAGE_FINDS_MAX) {
        slot->held = ART_HELD_WORDS;

    } else {
        scan->found.finds++;
    }

    return ART_OK;
}


/*
 * Where texts go that replace images: not among images.  And where one may have
 * to be added.
 */

static int
art_turn_images(art_scanner_t *scan, uint64_t end)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    art_scan_message_t   *message;
    art_message_group_t  *group;

    group = NULL;
    message = &scan->message;

    for (i = message->slots; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

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

        slot->group = scan->found.ngroups - 1;
    }

    return art_turn_silent(scan);
}


/* One group for the parts of a message that may need a text beside them. */

static int
art_turn_silent(art_scanner_t *scan)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    const art_format_t   *format;
    art_message_group_t  *group;

    group = NULL;
    format = art_api_request_format(scan->found.conf.api);

    if (scan->message.text || format == NULL || !format->message.needs_text) {
        return ART_OK;
    }

    for (i = scan->message.slots; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if (slot->role != ART_ROLE_USER || slot->place != ART_PLACE_PART) {
            continue;
        }

        if (group == NULL) {
            group = art_list_group(scan);

            if (group == NULL) {
                return ART_ERROR;
            }

            group->kind = ART_GROUP_SILENT;
        }

        slot->group = scan->found.ngroups - 1;
    }

    return ART_OK;
}


/* Consecutive messages with results of tools, and the last message so far. */

static int
art_turn_tools(art_scanner_t *scan, art_message_role_t role, uint64_t end)
{
    if (scan->found.conf.api->flags & ART_API_HOIST) {

        if (role != ART_ROLE_TOOL && !scan->message.calls) {
            scan->tools = UINT32_MAX;

        } else if (art_turn_hoist(scan, end) != ART_OK) {
            return ART_ERROR;
        }
    }

    /* some agents put system messages behind the user's last one */

    if (role != ART_ROLE_SYSTEM) {
        scan->request.messages = scan->found.messages;
        scan->request.tools = scan->tools;
    }

    return ART_OK;
}


/* One group for what has to go behind the results of tools. */

static int
art_turn_hoist(art_scanner_t *scan, uint64_t end)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    art_message_group_t  *group;

    for (i = scan->message.slots; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);

        if (slot->role != ART_ROLE_TOOL) {
            continue;
        }

        if (scan->tools == UINT32_MAX) {
            group = art_list_group(scan);

            if (group == NULL) {
                return ART_ERROR;
            }

            group->kind = ART_GROUP_TOOLS;
            scan->tools = scan->found.ngroups - 1;
        }

        slot->tools = scan->tools;
    }

    if (scan->tools != UINT32_MAX) {
        art_scan_group(&scan->found, scan->tools)->at = end;
    }

    return ART_OK;
}
