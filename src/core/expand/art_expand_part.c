
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Parts when they are over, and the slots that they turn out to have, since
 * types may come last.
 */


#include "core/expand/art_expand_scan_int.h"


/* Strings kept for one part; members that come twice count twice. */

#define ART_PART_COPIES  32


static int art_part_mime_value(art_scanner_t *scan, art_scan_part_t *part,
    const art_lex_value_t *value);
static int art_part_hold(art_scanner_t *scan, art_scan_part_t *part,
    const art_walk_rule_t *rule, const art_lex_value_t *value);
static void art_part_standin(art_scanner_t *scan,
    art_message_held_value_t *held);
static int art_part_copy(art_scanner_t *scan, art_scan_part_t *part,
    art_str_t text, art_str_t *copy);
static int art_part_nested(art_scanner_t *scan, art_scan_part_t *part);
static int art_part_result(art_scanner_t *scan, art_scan_part_t *part,
    art_message_place_t place);
static int art_part_call(art_scanner_t *scan, art_scan_part_t *part);
static int art_part_slot(art_scanner_t *scan, art_scan_part_t *part,
    uint64_t end);
static unsigned art_part_is_left(const art_scanner_t *scan,
    const art_message_form_t *form, const art_message_held_value_t *held);
static const art_message_form_t *art_part_form(const art_scanner_t *scan,
    const art_scan_part_t *part);
static unsigned art_part_is_nothing(const art_message_held_value_t *held);
static unsigned art_part_may_answer(const art_scanner_t *scan);
static void art_part_fill(art_message_slot_t *slot,
    const art_scan_part_t *part, const art_message_form_t *form, uint64_t end);
static unsigned art_part_rivals(const art_scan_part_t *part,
    const art_message_form_t *form, art_message_target_t target,
    art_message_field_t rival);
static void art_part_keep(art_message_slot_t *slot,
    const art_scan_part_t *part);
static art_span_t art_part_target(const art_scan_part_t *part,
    const art_message_form_t *form, art_message_target_t target);
static art_str_t art_part_mime(const art_scan_part_t *part,
    const art_message_held_value_t *held);
static art_kind_t art_part_kind(const art_message_form_t *form,
    art_str_t mime);


int
art_part_value(art_scanner_t *scan, art_scan_part_t *part,
    const art_walk_rule_t *rule, const art_lex_value_t *value)
{
    art_message_type_t  type;

    type = art_message_rule_type(rule);

    if (type != ART_TYPE_NONE) {
        part->type = type;
    }

    if (rule->act == ART_FIELD_ERROR) {
        part->error = value->first == 't';
    }

    if (rule->act == ART_FIELD_PARTS) {
        part->blank.pos = value->pos;
        part->blank.end = value->end;
    }

    if (rule->act == ART_FIELD_RESPONSE && value->first == 'n') {
        part->shape = ART_SHAPE_NULL;
    }

    if (!value->string) {
        return ART_OK;
    }

    switch (rule->act) {

    case ART_FIELD_TYPE:
        part->type = art_message_type(value->text);
        return ART_OK;

    case ART_FIELD_BLOCK_TYPE:
        part->type = part->type == ART_TYPE_NONE
                     ? art_message_type(value->text) : part->type;
        return ART_OK;

    case ART_FIELD_SOURCE_TYPE:
        part->source = art_message_type(value->text);
        return ART_OK;

    case ART_FIELD_MIME:
    case ART_FIELD_BLOCK_MIME:
        return art_part_mime_value(scan, part, value);

    case ART_FIELD_NAME:
        return art_part_copy(scan, part, value->text, &part->name);

    case ART_FIELD_BLOCK_NAME:
        return art_part_copy(scan, part,
                             rule->in == ART_NODE_RESOURCE
                             ? art_message_uri_name(value->text)
                             : value->text, &part->name);

    default:
        return rule->act <= ART_FIELD_RESULT
               ? art_part_hold(scan, part, rule, value) : ART_OK;
    }
}


/* One more member that declares a type: the last one counts. */

static int
art_part_mime_value(art_scanner_t *scan, art_scan_part_t *part,
    const art_lex_value_t *value)
{
    unsigned    n;
    art_span_t  *span;

    n = part->nmimes < ART_SLOT_MIMES ? part->nmimes : ART_SLOT_MIMES - 1;

    part->differ |= part->nmimes > 0
                    && !art_str_eq(part->declared, value->text);
    part->nmimes = n + 1;

    span = &part->mimes[n];
    span->pos = value->pos;
    span->end = value->end;

    part->mime = art_message_mime(value->text, scan->buf);

    if (art_part_copy(scan, part, part->mime, &part->mime) != ART_OK) {
        return ART_ERROR;
    }

    return art_part_copy(scan, part, value->text, &part->declared);
}


static int
art_part_hold(art_scanner_t *scan, art_scan_part_t *part,
    const art_walk_rule_t *rule, const art_lex_value_t *value)
{
    unsigned                   refs;
    art_message_held_value_t  *held;

    refs = rule->act == ART_FIELD_ARTIFACT || rule->act == ART_FIELD_TEXT
           || rule->act == ART_FIELD_RESULT;

    held = art_part_held(part, rule->act);

    switch (rule->act) {

    case ART_FIELD_LINK:
        art_message_link(held, value, &scan->found.conf.url, scan->buf);

        if (art_scan_what(scan, 1) == ART_VALUE_MEDIA) {
            held->held = ART_HELD_WORDS;
        }

        break;

    case ART_FIELD_BYTES:
        memset(held, 0, sizeof(*held));
        break;

    case ART_FIELD_WORDS:
        memset(held, 0, sizeof(*held));
        held->held = ART_HELD_WORDS;
        break;

    default:
        art_message_value(held, value, rule->act, art_scan_what(scan, refs),
                          &scan->found.conf.url, scan->buf);
    }

    if (rule->act == ART_FIELD_URL || rule->act == ART_FIELD_DATA
        || rule->act == ART_FIELD_BYTES)
    {
        art_message_look_end(&scan->look, held, value, rule->act, scan->buf);
        art_part_standin(scan, held);

    } else if (refs && held->held != ART_HELD_REF) {
        held->held = ART_HELD_NONE;
    }

    if (held->held == ART_HELD_DATA && rule->act != ART_FIELD_FILE) {
        art_message_pixels_end(&scan->pixels, held);
    }

    if (art_part_copy(scan, part, held->mime, &held->mime) != ART_OK
        || art_part_copy(scan, part, held->declared, &held->declared)
           != ART_OK)
    {
        return ART_ERROR;
    }

    return art_part_copy(scan, part, held->text, &held->text);
}


/* A stand-in is a reference, or bytes that have to be taken out. */

static void
art_part_standin(art_scanner_t *scan, art_message_held_value_t *held)
{
    art_standin_t  kind;

    kind = scan->standin;

    if (kind != ART_STANDIN_NONE && art_scan_has_refs(scan)) {
        memset(held, 0, sizeof(*held));

        held->held = ART_HELD_REF;
        held->text = art_standins_id(scan);
        held->mime = art_standin_mime(kind);
    }

    held->standin = kind;
}


static int
art_part_copy(art_scanner_t *scan, art_scan_part_t *part, art_str_t text,
    art_str_t *copy)
{
    if (text.len > 0 && ++part->copies > ART_PART_COPIES) {
        *copy = art_str(NULL, 0);
        part->type = ART_TYPE_OTHER;
        return ART_OK;
    }

    return art_arena_copy(&scan->arena, text, copy) == ART_OK
           ? ART_OK : art_list_fail(scan, ART_SCAN_NO_MEMORY);
}


int
art_part_end(art_scanner_t *scan, art_scan_part_t *part, uint64_t end)
{
    int       rc;
    uint32_t  i, before;

    before = part->slots;

    if (part->copies > ART_PART_COPIES) {
        part->type = ART_TYPE_OTHER;
    }

    scan->message.calls |= part->type == ART_TYPE_CALL;
    scan->message.text |= part->type == ART_TYPE_TEXT && scan->nparts == 0;
    art_search_part(scan, part,
                    part->type == ART_TYPE_TEXT || part->type == ART_TYPE_JSON,
                    end);

    rc = art_part_nested(scan, part);

    if (rc == ART_OK && scan->found.nslots == before) {
        rc = art_part_slot(scan, part, end);
    }

    if (scan->found.nslots == before) {
        scan->arena.at = part->mark;
    }

    for (i = before; part->error && i < scan->found.nslots; i++) {
        art_scan_slot(&scan->found, i)->error = 1;
    }

    return rc;
}


/* A part with parts in it: only some may have them. */

static int
art_part_nested(art_scanner_t *scan, art_scan_part_t *part)
{
    uint32_t             i;
    art_message_slot_t  *slot;

    switch (part->type) {

    case ART_TYPE_CALL:
        return art_part_call(scan, part);

    case ART_TYPE_TOOL_RESULT:

        for (i = part->slots; i < scan->found.nslots; i++) {
            slot = art_scan_slot(&scan->found, i);
            slot->role = ART_ROLE_TOOL;
            slot->result = 0;
        }

        if (art_part_result(scan, part, ART_PLACE_STRING) != ART_OK) {
            return ART_ERROR;
        }

        return scan->nparts == 0
               ? art_search_result_end(scan, part->slots, ART_PLACE_FOUND)
               : ART_OK;

    case ART_TYPE_DOCUMENT:

        for (i = scan->found.nslots; i > part->slots; i--) {
            slot = art_scan_slot(&scan->found, i - 1);
            slot->within = 1;

            if (slot->result) {
                art_list_remove(scan, i - 1);
            }
        }

        return ART_OK;

    default:
        scan->found.nslots = part->slots;
        return ART_OK;
    }
}


/* A tool's result that is a string. */

static int
art_part_result(art_scanner_t *scan, art_scan_part_t *part,
    art_message_place_t place)
{
    uint32_t                   i;
    art_message_slot_t        *slot, copy;
    art_message_held_value_t  *held;

    held = art_part_held(part, ART_FIELD_RESULT);

    if (!art_part_has(part, ART_FIELD_RESULT)
        || held->held != ART_HELD_REF)
    {
        return ART_OK;
    }

    slot = art_part_string(scan, place,
                         art_part_field(part, ART_FIELD_RESULT)->span, held);

    if (slot == NULL) {
        return ART_ERROR;
    }

    slot->role = ART_ROLE_TOOL;

    /* the result may precede its parts */

    for (i = scan->found.nslots - 1; i > part->slots
         && art_scan_slot(&scan->found, i - 1)->part.pos > slot->part.pos; i--)
    {
        copy = *slot;
        *slot = *art_scan_slot(&scan->found, i - 1);
        slot = art_scan_slot(&scan->found, i - 1);
        *slot = copy;
    }

    return ART_OK;
}


static int
art_part_call(art_scanner_t *scan, art_scan_part_t *part)
{
    uint32_t              i;
    art_message_slot_t   *slot;
    art_message_group_t  *group;

    for (i = part->slots; i < scan->found.nslots; i++) {
        slot = art_scan_slot(&scan->found, i);
        slot->role = ART_ROLE_TOOL;
        slot->place = ART_PLACE_CALL_PART;
        slot->result = 0;
    }

    if (art_part_result(scan, part, ART_PLACE_CALL_VALUE) != ART_OK
        || (scan->nparts == 0
            && art_search_result_end(scan, part->slots, ART_PLACE_CALL_FOUND)
               != ART_OK))
    {
        return ART_ERROR;
    }

    /* a call within another one is a part of that */

    if (scan->found.nslots == part->slots || scan->nparts > 0) {
        return ART_OK;
    }

    group = art_list_group(scan);

    if (group == NULL) {
        return ART_ERROR;
    }

    group->kind = ART_GROUP_CALL;
    group->at = part->inner - 1;
    group->members = part->shape == ART_SHAPE_OBJECT
                     ? part->members : part->shape == ART_SHAPE_OTHER;
    group->elements = part->elements;

    if (art_part_has(part, ART_FIELD_TAKEN)) {
        group->taken = art_part_has(part, ART_FIELD_TAKEN_TOO) ? 2 : 1;
    }

    group->shape = part->shape;
    group->words = group->at;

    if (part->shape != ART_SHAPE_NONE) {
        group->object = art_part_field(part, ART_FIELD_RESPONSE)->span;
        group->words = group->object.end - (part->shape == ART_SHAPE_OBJECT);
    }

    if (art_part_has(part, ART_FIELD_PARTS)) {
        group->array = art_part_field(part, ART_FIELD_PARTS)->span;

    } else {
        group->string = part->blank;
    }

    for (i = part->slots; i < scan->found.nslots; i++) {
        art_scan_slot(&scan->found, i)->group = scan->found.ngroups - 1;
    }

    return ART_OK;
}


/* Whether nothing that a slot can become matters there. */

static unsigned
art_part_is_left(const art_scanner_t *scan, const art_message_form_t *form,
    const art_message_held_value_t *held)
{
    if (form->flags & ART_FORM_MEDIA) {
        return held->held != ART_HELD_DATA
               || !(scan->found.conf.standins & ART_SCAN_FORGED);
    }

    return (form->flags & ART_FORM_SOLE) && held->held != ART_HELD_REF
           && !held->looked;
}


/* The slot of the part itself. */

static int
art_part_slot(art_scanner_t *scan, art_scan_part_t *part, uint64_t end)
{
    art_message_slot_t         *slot;
    const art_message_form_t   *form;
    art_message_held_value_t   *held;

    form = art_part_form(scan, part);

    if (form == NULL) {
        return ART_OK;
    }

    held = art_part_held(part, form->field);

    if (form->flags & ART_FORM_FOREIGN) {

        if (!held->file) {
            return ART_OK;
        }

        scan->found.foreign = held->text;
        return art_list_fail(scan, ART_SCAN_FOREIGN);
    }

    if (art_part_is_left(scan, form, held)) {
        return ART_OK;
    }

    slot = art_list_slot(scan);

    if (slot == NULL) {

        if (!scan->found.full) {
            return ART_ERROR;
        }

        return held->held == ART_HELD_REF && !held->standin
               ? art_list_fail(scan, ART_SCAN_TOO_MANY) : ART_OK;
    }

    art_part_fill(slot, part, form, end);

    slot->held = held->held;
    slot->standin = held->standin;
    slot->text = held->text;
    slot->malformed = held->malformed;
    slot->plain = held->plain;
    slot->broken = held->broken;
    slot->size = held->size;
    slot->width = held->width;
    slot->height = held->height;
    slot->mime_type = art_part_mime(part, held);
    slot->kind = art_part_kind(form, slot->mime_type);

    if (held->looked
        && art_content_slot(scan, part, held, slot) != ART_OK)
    {
        return ART_ERROR;
    }

    if (art_slot_is_link(slot) && !art_search_link(scan)) {
        slot->held = ART_HELD_WORDS;
    }

    return form->flags & ART_FORM_SOLE ? art_part_sole(scan, slot) : ART_OK;
}


int
art_part_sole(art_scanner_t *scan, art_message_slot_t *slot)
{
    slot->place = ART_PLACE_SOLE;
    slot->role = ART_ROLE_USER;
    slot->message = UINT32_MAX;

    return slot->held == ART_HELD_REF && !slot->standin ? art_scan_occurs(scan)
                                                        : ART_OK;
}


/* The slot of a part: a reference, else what the client put there. */

static const art_message_form_t *
art_part_form(const art_scanner_t *scan, const art_scan_part_t *part)
{
    art_message_held_t         held;
    const art_message_form_t  *form, *found;

    found = NULL;

    for (form = scan->found.conf.api->request.forms;
         form->type != ART_TYPE_NONE; form++)
    {
        if (form->type != part->type
            || (form->source != ART_TYPE_NONE && form->source != part->source)
            || !art_part_has(part, form->field)
            || ((form->flags & ART_FORM_RESULT)
                && !art_part_may_answer(scan)))
        {
            continue;
        }

        held = art_part_held(part, form->field)->held;

        if (held == ART_HELD_REF) {
            return form;
        }

        if (held != ART_HELD_NONE
            && (found == NULL
                || art_part_is_nothing(art_part_held(part, found->field))))
        {
            found = form;
        }
    }

    return found;
}


/* An empty string, which is no source if there is another one. */

static unsigned
art_part_is_nothing(const art_message_held_value_t *held)
{
    return held->looked && !held->broken && held->size == 0
           && held->type.pos == 0;
}


/* Whether a part may be one of a tool's result, as far as is known. */

static unsigned
art_part_may_answer(const art_scanner_t *scan)
{
    return scan->nparts > 0 || !scan->message.told
           || scan->message.role == ART_ROLE_TOOL;
}


static void
art_part_fill(art_message_slot_t *slot, const art_scan_part_t *part,
    const art_message_form_t *form, uint64_t end)
{
    slot->form = form;
    slot->role = ART_ROLE_MAX;
    slot->place = part->image ? ART_PLACE_IMAGE
                  : form->type == ART_TYPE_TEXT ? ART_PLACE_TEXT
                  : ART_PLACE_PART;
    slot->result = (form->flags & ART_FORM_RESULT) != 0;
    slot->part.pos = part->pos;
    slot->part.end = end;
    slot->target = art_part_target(part, form, form->target);
    slot->url = art_part_target(part, form, form->url.target);
    slot->data = art_part_field(part, form->field)->span;
    slot->before = part->before;
    slot->index = part->index;
    slot->group = UINT32_MAX;
    slot->tools = UINT32_MAX;
    slot->name = part->name;
    slot->named = art_part_has(part, ART_FIELD_NAME);
    slot->rival = art_part_rivals(part, form, form->target, form->rival) & 1;
    slot->url_rival = art_part_rivals(part, form, form->url.target,
                                      form->url.rival) & 1;

    if (art_part_has(part, ART_FIELD_MIME)) {
        slot->mime = art_part_field(part, ART_FIELD_MIME)->span;
    }

    /* where a member can be put that tells the type */

    slot->key = art_part_field(part, form->mime != NULL
                                     && form->target == ART_TARGET_SOURCE
                                     ? ART_FIELD_SOURCE : form->field)->key;

    art_part_keep(slot, part);
}


/*
 * Whether another source would be left beside the one that is replaced: also a
 * member with its key, if that is replaced as well.
 */

static unsigned
art_part_rivals(const art_scan_part_t *part, const art_message_form_t *form,
    art_message_target_t target, art_message_field_t rival)
{
    art_message_field_t  field;

    if (target != ART_TARGET_VALUE
        && part->twice & (1u << (form->field - ART_FIELD_TYPE)))
    {
        return 1;
    }

    for (field = ART_FIELD_URL; field <= ART_FIELD_FILE; field++) {

        if (field != form->field && art_part_has(part, field)
            && (field == rival
                || (art_part_held(part, field)->held != ART_HELD_NONE
                    && !art_part_is_nothing(art_part_held(part, field)))))
        {
            return 1;
        }
    }

    return 0;
}


/* The members that stay, whatever becomes of the part, in order. */

static void
art_part_keep(art_message_slot_t *slot, const art_scan_part_t *part)
{
    unsigned                 n;
    art_span_t               span;
    art_message_field_t      name;
    const art_scan_field_t  *field;

    n = 0;

    for (name = ART_FIELD_CACHE; name <= ART_FIELD_BREAKPOINT; name++) {

        if (!art_part_has(part, name)) {
            continue;
        }

        field = art_part_field(part, name);
        slot->keep[n].pos = field->key;
        slot->keep[n++].end = field->span.end;
    }

    if (n == 2 && slot->keep[0].pos > slot->keep[1].pos) {
        span = slot->keep[0];
        slot->keep[0] = slot->keep[1];
        slot->keep[1] = span;
    }
}


static art_span_t
art_part_target(const art_scan_part_t *part, const art_message_form_t *form,
    art_message_target_t target)
{
    art_span_t               span;
    const art_scan_field_t  *field;

    field = art_part_field(part, target >= ART_TARGET_SOURCE
                                 ? ART_FIELD_SOURCE : form->field);
    span = field->span;

    if (target == ART_TARGET_MEMBER || target == ART_TARGET_SOURCE_MEMBER) {
        span.pos = field->key;
    }

    return span;
}


/*
 * The media type of a slot's content: if the bytes only show a container, the
 * one declared or named beside them that is of its family.
 */

static art_str_t
art_part_mime(const art_scan_part_t *part,
    const art_message_held_value_t *held)
{
    art_str_t            mime;
    uint8_t              extension[ART_MEDIA_EXT_MAX];
    const art_media_t   *seen, *named;

    seen = art_media_find(held->mime);

    if (!held->generic || seen == NULL || seen->family == ART_FAMILY_NONE) {
        return held->mime.len > 0 ? held->mime : part->mime;
    }

    mime = part->mime;

    if (mime.len == 0) {
        named = art_media_by_extension(art_media_extension(part->name,
                                                           extension));
        mime = art_cstr(named != NULL ? named->mime : "");
    }

    if (mime.len > 0 && art_media_traits(mime).family == seen->family) {
        return mime;
    }

    return mime.len == 0 && (seen->flags & ART_MEDIA_CONTAINER)
           ? mime : held->mime;
}


/* The kind that a media type implies, else the slot's. */

static art_kind_t
art_part_kind(const art_message_form_t *form, art_str_t mime)
{
    art_kind_t  kind;

    if (mime.len > 0) {
        return art_media_traits(mime).kind;
    }

    for (kind = ART_KIND_IMAGE; kind < ART_KIND_OTHER; kind++) {
        if (form->kinds == ART_KIND_BIT(kind)) {
            return kind;
        }
    }

    return ART_KIND_OTHER;
}


art_message_slot_t *
art_part_string(art_scanner_t *scan, art_message_place_t place,
    art_span_t string, const art_message_held_value_t *held)
{
    art_message_slot_t  *slot;

    slot = art_list_slot(scan);

    if (slot == NULL) {

        if (scan->found.full) {
            (void) art_list_fail(scan, ART_SCAN_TOO_MANY);
        }

        return NULL;
    }

    slot->held = ART_HELD_REF;
    slot->place = place;
    slot->part = string;
    slot->target = string;
    slot->text = held->text;
    slot->malformed = held->malformed;
    slot->group = UINT32_MAX;
    slot->tools = UINT32_MAX;

    return slot;
}
