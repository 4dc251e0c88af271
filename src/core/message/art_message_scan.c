
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/message/art_message_scan_int.h"


/* A value: passed over, no object or array, looked into. */

typedef enum {
    ART_SCAN_OPAQUE = 0,
    ART_SCAN_SCALAR,
    ART_SCAN_ENTERED
} art_scan_how_t;


static int art_scan_open(void *data, uint64_t pos, unsigned object);
static int art_scan_enter(art_scan_t *scan, const art_message_rule_t *rule,
    uint64_t pos);
static void art_scan_begin_part(art_scan_t *scan,
    const art_message_rule_t *rule, uint64_t pos);
static int art_scan_close(void *data, uint64_t end);
static int art_scan_leave(art_scan_t *scan, const art_scan_frame_t *frame,
    uint64_t end);
static void art_scan_leave_array(art_scan_t *scan,
    const art_scan_frame_t *frame, uint64_t end);
static void art_scan_note(art_scan_t *scan, const art_message_rule_t *rule,
    uint64_t pos, uint64_t end, art_scan_how_t how);
static void art_scan_forget(art_scan_t *scan, const art_message_rule_t *rule);
static int art_scan_key(void *data, uint64_t pos, art_str_t key);
static size_t art_scan_wants(void *data);
static size_t art_scan_wants_itself(const art_scan_t *scan);
static int art_scan_goes_on(void *data, art_str_t text);
static int art_scan_value(void *data, const art_lex_value_t *value);
static void art_scan_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static void art_scan_model(art_scan_t *scan, const art_lex_value_t *value);
static const art_message_rule_t *art_scan_coming(const art_scan_t *scan);
static void art_scan_element(art_scan_t *scan, uint64_t pos);
static int art_scan_is_array(art_message_node_t node);


static const art_lex_handler_t  art_scan_handler = {
    art_scan_open,
    art_scan_close,
    art_scan_key,
    art_scan_wants,
    art_scan_goes_on,
    art_scan_value,
    art_scan_text
};


static const art_message_rule_t  art_scan_root = {
    ART_NODE_NONE, NULL, ART_NODE_ROOT, ART_FIELD_NONE, ART_TYPE_NONE
};


void
art_scan_init(art_scan_t *scan, const art_scan_conf_t *conf)
{
    const art_message_rule_t  *rule;

    memset(scan, 0, offsetof(art_scan_t, frames));

    scan->conf = *conf;
    scan->arena.pool = conf->pool;
    scan->tools = UINT32_MAX;
    scan->nmodels = 1;

    if (scan->conf.refs_max > ART_MESSAGE_SLOTS_MAX) {
        scan->conf.refs_max = ART_MESSAGE_SLOTS_MAX;
    }

    for (rule = conf->api->rules; rule->in != ART_NODE_NONE; rule++) {
        if (scan->first[rule->in] == NULL) {
            scan->first[rule->in] = rule;
        }
    }

    if (conf->blind) {
        art_lex_init(&scan->lex, &art_prompt_handler, conf->prompt,
                     scan->text, sizeof(scan->text));

    } else {
        art_lex_init(&scan->lex, &art_scan_handler, scan, scan->text,
                     sizeof(scan->text));
    }
}


int
art_scan_feed(art_scan_t *scan, const uint8_t *p, size_t len)
{
    scan->len += len;

    return art_lex_feed(&scan->lex, p, len);
}


art_scan_status_t
art_scan_end(art_scan_t *scan)
{
    if (scan->status == ART_SCAN_OK && art_lex_end(&scan->lex) != ART_OK
        && scan->status == ART_SCAN_OK)
    {
        scan->status = ART_SCAN_PASS;
    }

    if (scan->conf.prompt != NULL) {
        scan->versioned |= scan->conf.prompt->versioned;
    }

    if (scan->status != ART_SCAN_OK) {
        scan->nslots = 0;
        scan->ngroups = 0;
        scan->nrefs = 0;
    }

    return scan->status;
}


int
art_scan_is_last(const art_scan_t *scan, const art_message_slot_t *slot)
{
    return slot->message == scan->messages - 1
           || (scan->tools != UINT32_MAX && slot->group == scan->tools);
}


static int
art_scan_open(void *data, uint64_t pos, unsigned object)
{
    art_scan_t                *scan;
    const art_message_rule_t  *rule;

    scan = data;

    if (scan->conf.prompt != NULL) {
        (void) art_prompt_handler.open(scan->conf.prompt, pos, object);
    }

    if (scan->opaque > 0) {
        scan->opaque++;
        return ART_OK;
    }

    rule = art_scan_coming(scan);
    art_scan_element(scan, pos);
    art_scan_forget(scan, rule);

    if (rule != NULL && rule->node != ART_NODE_NONE
        && art_scan_is_array(rule->node) == !object
        && scan->nframes < ART_SCAN_FRAMES
        && (rule->node != ART_NODE_PART || scan->nparts < ART_SCAN_PARTS))
    {
        return art_scan_enter(scan, rule, pos);
    }

    scan->opaque = 1;
    scan->opaque_pos = pos;
    scan->opaque_rule = rule;

    return ART_OK;
}


static int
art_scan_enter(art_scan_t *scan, const art_message_rule_t *rule, uint64_t pos)
{
    art_scan_frame_t  *frame;

    /* of members that stand twice no reader takes the same one */

    if (rule->node == ART_NODE_MESSAGES && scan->listed++) {
        return art_list_fail(scan, ART_SCAN_PASS);
    }

    if (rule->node == ART_NODE_MESSAGE || rule->field == ART_FIELD_SYSTEM) {
        art_turn_begin(scan, rule->field == ART_FIELD_SYSTEM);

    } else if (rule->field == ART_FIELD_CONTENT
               || rule->field == ART_FIELD_OUTPUT)
    {
        art_turn_content(scan, rule);
    }

    if (rule->node == ART_NODE_PART) {
        art_scan_begin_part(scan, rule, pos);

    } else if (scan->nparts > 0 && rule->type != ART_TYPE_NONE) {
        scan->parts[scan->nparts - 1].type = rule->type;
    }

    frame = &scan->frames[scan->nframes++];

    memset(frame, 0, sizeof(*frame));
    frame->node = rule->node;
    frame->rule = rule;
    frame->pos = pos;
    frame->last = pos + 1;

    return ART_OK;
}


static void
art_scan_begin_part(art_scan_t *scan, const art_message_rule_t *rule,
    uint64_t pos)
{
    art_scan_part_t         *part;
    const art_scan_frame_t  *around;

    around = &scan->frames[scan->nframes - 1];
    part = &scan->parts[scan->nparts++];

    memset(part, 0, offsetof(art_scan_part_t, fields));
    art_arena_mark(&scan->arena, &part->mark);

    part->pos = pos;
    part->slots = scan->nslots;
    part->index = around->count - 1;
    part->before = around->last;
    part->image = rule->in == ART_NODE_IMAGES;
}


static int
art_scan_close(void *data, uint64_t end)
{
    int                rc;
    art_scan_t        *scan;
    art_scan_frame_t  *frame;

    scan = data;

    if (scan->conf.prompt != NULL) {
        (void) art_prompt_handler.close(scan->conf.prompt, end);
    }

    if (scan->opaque > 0) {

        if (--scan->opaque == 0 && scan->nframes > 0) {
            art_scan_note(scan, scan->opaque_rule, scan->opaque_pos, end,
                          ART_SCAN_OPAQUE);
        }

        return ART_OK;
    }

    frame = &scan->frames[--scan->nframes];

    rc = art_scan_leave(scan, frame, end);

    if (scan->nframes > 0) {
        art_scan_note(scan, frame->rule, frame->pos, end, ART_SCAN_ENTERED);
    }

    return rc;
}


/* An object or array is over; its frame is off the stack already. */

static int
art_scan_leave(art_scan_t *scan, const art_scan_frame_t *frame, uint64_t end)
{
    int       rc;
    uint32_t  before;

    if (art_scan_is_array(frame->node)) {
        art_scan_leave_array(scan, frame, end);
    }

    if (frame->rule->field == ART_FIELD_SYSTEM
        || frame->node == ART_NODE_MESSAGE)
    {
        scan->message.members = frame->count;
        return art_turn_end(scan, end);
    }

    if (frame->node == ART_NODE_RESPONSE) {
        scan->parts[scan->nparts - 1].members = frame->count;

    } else if (frame->node == ART_NODE_CALL) {
        scan->parts[scan->nparts - 1].inner = end;
    }

    if (frame->node != ART_NODE_PART) {
        return ART_OK;
    }

    before = scan->parts[--scan->nparts].slots;
    rc = art_part_end(scan, &scan->parts[scan->nparts], end);

    /* slots within it are none of the array's own */

    if (scan->nslots > before
        && art_scan_slot(scan, scan->nslots - 1)->part.pos
           == scan->parts[scan->nparts].pos)
    {
        scan->frames[scan->nframes - 1].slot = scan->nslots;
    }

    return rc;
}


static void
art_scan_leave_array(art_scan_t *scan, const art_scan_frame_t *frame,
    uint64_t end)
{
    if (frame->node != ART_NODE_CONTENT) {
        return;
    }

    if (scan->nparts > 0) {
        scan->parts[scan->nparts - 1].elements = frame->count;

    } else if (frame->rule->field == ART_FIELD_CONTENT) {
        scan->message.array.pos = frame->pos;
        scan->message.array.end = end;
        scan->message.elements = frame->count;
    }
}


/* A value is over: where it stands, for its part. */

static void
art_scan_note(art_scan_t *scan, const art_message_rule_t *rule, uint64_t pos,
    uint64_t end, art_scan_how_t how)
{
    art_scan_part_t   *part;
    art_scan_frame_t  *around;
    art_scan_field_t  *field;

    around = &scan->frames[scan->nframes - 1];
    around->last = end;

    if (rule == NULL || scan->nparts == 0
        || rule->field < (how == ART_SCAN_SCALAR ? ART_FIELD_TYPE
                                                 : ART_FIELD_SOURCE)
        || (rule->field >= ART_FIELD_RESPONSE && how != ART_SCAN_ENTERED))
    {
        return;
    }

    part = &scan->parts[scan->nparts - 1];
    field = art_part_field(part, rule->field);

    field->key = around->key;
    field->span.pos = pos;
    field->span.end = end;
    part->set |= 1u << (rule->field - ART_FIELD_TYPE);
}


/* Of a member that stands twice the last one counts, with all in it. */

static void
art_scan_forget(art_scan_t *scan, const art_message_rule_t *rule)
{
    art_scan_part_t      *part;
    art_message_field_t   field;

    if (rule == NULL || scan->nparts == 0) {
        return;
    }

    part = &scan->parts[scan->nparts - 1];

    for (field = ART_FIELD_ARTIFACT; field <= ART_FIELD_RESULT; field++) {

        if (field == rule->field
            || (rule->node >= ART_NODE_URL && rule->node <= ART_NODE_BLOB
                && field >= ART_FIELD_URL && field <= ART_FIELD_FILE))
        {
            art_part_held(part, field)->held = ART_HELD_NONE;
            part->set &= ~(1u << (field - ART_FIELD_TYPE));
        }
    }
}


static int
art_scan_key(void *data, uint64_t pos, art_str_t key)
{
    art_scan_t                *scan;
    art_scan_frame_t          *frame;
    const art_message_rule_t  *rule;

    scan = data;

    if (scan->conf.prompt != NULL) {
        (void) art_prompt_handler.key(scan->conf.prompt, pos, key);
    }

    if (scan->opaque > 0) {
        return ART_OK;
    }

    frame = &scan->frames[scan->nframes - 1];

    frame->key = pos;
    scan->rule = NULL;

    for (rule = scan->first[frame->node];
         key.data != NULL && rule != NULL && rule->in == frame->node; rule++)
    {
        if (art_str_eq(key, art_cstr(rule->key))) {
            scan->rule = rule;
            break;
        }
    }

    return ART_OK;
}


/* The rule of the value that comes next, NULL if there is none. */

static const art_message_rule_t *
art_scan_coming(const art_scan_t *scan)
{
    const art_scan_frame_t  *frame;

    if (scan->nframes == 0) {
        return &art_scan_root;
    }

    frame = &scan->frames[scan->nframes - 1];

    return art_scan_is_array(frame->node) ? scan->first[frame->node]
                                          : scan->rule;
}


/* One more member or element. */

static void
art_scan_element(art_scan_t *scan, uint64_t pos)
{
    art_message_slot_t  *slot;
    art_scan_frame_t    *frame;

    if (scan->nframes == 0) {
        return;
    }

    frame = &scan->frames[scan->nframes - 1];
    frame->count++;

    if (frame->slot == 0 || !art_scan_is_array(frame->node)) {
        return;
    }

    slot = art_scan_slot(scan, frame->slot - 1);

    if (slot->tools && slot->place == ART_PLACE_TEXT) {

        /* it is not the only part of a result */

        art_list_cut(scan, frame->slot - 1);
        art_arena_back(&scan->arena, &scan->parts[scan->nparts].mark);

    } else {
        slot->after = pos;
    }

    frame->slot = 0;
}


static int
art_scan_is_array(art_message_node_t node)
{
    return node >= ART_NODE_MODELS && node <= ART_NODE_IMAGES;
}


static size_t
art_scan_wants(void *data)
{
    size_t       own, prompt, keep;
    art_scan_t  *scan;

    scan = data;
    own = scan->opaque > 0 ? 0 : art_scan_wants_itself(scan);

    if (scan->conf.prompt == NULL) {
        return own;
    }

    prompt = art_prompt_handler.wants(scan->conf.prompt);
    keep = prompt & ~(size_t) ART_LEX_STREAM;

    return (own > keep ? own : keep) | (prompt & ART_LEX_STREAM);
}


static size_t
art_scan_wants_itself(const art_scan_t *scan)
{
    const art_message_rule_t  *rule;

    rule = art_scan_coming(scan);

    if (rule == NULL) {
        return 0;
    }

    switch (rule->field) {

    case ART_FIELD_NONE:
    case ART_FIELD_VERSION:
    case ART_FIELD_SYSTEM:
    case ART_FIELD_SOURCE:
    case ART_FIELD_CACHE:
    case ART_FIELD_BREAKPOINT:
    case ART_FIELD_RESPONSE:
    case ART_FIELD_PARTS:
        return 0;

    case ART_FIELD_MODEL:
    case ART_FIELD_ROLE:
    case ART_FIELD_ITEM:
    case ART_FIELD_TYPE:
    case ART_FIELD_MIME:
    case ART_FIELD_NAME:
    case ART_FIELD_SOURCE_TYPE:
        return ART_SCAN_MODEL_MAX;

    default:
        return ART_LEX_KEEP;
    }
}


/* Where only a reference is looked for, most texts are none. */

static int
art_scan_goes_on(void *data, art_str_t text)
{
    art_scan_t                *scan;
    const art_message_rule_t  *rule;

    scan = data;

    if (scan->conf.prompt != NULL
        && art_prompt_handler.goes_on(scan->conf.prompt, text))
    {
        return 1;
    }

    rule = art_scan_coming(scan);

    switch (rule != NULL ? rule->field : ART_FIELD_NONE) {

    case ART_FIELD_CONTENT:
    case ART_FIELD_OUTPUT:
    case ART_FIELD_TEXT:
    case ART_FIELD_RESULT:
    case ART_FIELD_ARTIFACT:
        return art_message_may_refer(text, scan->conf.url_prefix);

    default:
        return 1;
    }
}


static int
art_scan_value(void *data, const art_lex_value_t *value)
{
    art_scan_t                *scan;
    const art_message_rule_t  *rule;

    scan = data;

    if (scan->conf.prompt != NULL) {
        (void) art_prompt_handler.value(scan->conf.prompt, value);
    }

    if (scan->opaque > 0) {
        return ART_OK;
    }

    rule = art_scan_coming(scan);

    if (rule == NULL || scan->nframes == 0) {
        art_scan_element(scan, value->pos);
        return ART_OK;
    }

    art_scan_element(scan, value->pos);
    art_scan_forget(scan, rule);
    art_scan_note(scan, rule, value->pos, value->end, ART_SCAN_SCALAR);

    switch (rule->field) {

    case ART_FIELD_MODEL:
        art_scan_model(scan, value);
        return ART_OK;

    case ART_FIELD_VERSION:
        scan->versioned |= scan->nframes == 1;
        return ART_OK;

    case ART_FIELD_ROLE:
        scan->message.role = art_message_role(value->text);
        return ART_OK;

    case ART_FIELD_ITEM:
        scan->message.item = art_message_type(value->text);
        return ART_OK;

    case ART_FIELD_CONTENT:
    case ART_FIELD_OUTPUT:
        return art_turn_string(scan, rule, value);

    default:

        if (rule->field < ART_FIELD_TYPE || scan->nparts == 0) {
            return ART_OK;
        }

        return art_part_value(scan, &scan->parts[scan->nparts - 1], rule,
                              value);
    }
}


static void
art_scan_text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    art_scan_t *scan = data;

    art_prompt_handler.text(scan->conf.prompt, p, n, end);
}


/* The last one of several; what is too long for a model is cut. */

static void
art_scan_model(art_scan_t *scan, const art_lex_value_t *value)
{
    uint32_t  i;

    i = 0;

    if (scan->frames[scan->nframes - 1].node == ART_NODE_MODELS) {

        if (scan->nmodels == ART_MESSAGE_MODELS_MAX) {
            return;
        }

        i = scan->nmodels;
    }

    if (!value->string || scan->nframes != (i == 0 ? 1 : 2)) {
        return;
    }

    memcpy(scan->names[i], value->text.data, value->text.len);
    scan->models[i] = art_str(scan->names[i], value->text.len);

    scan->nmodels += i > 0;
}
