
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The walk through a request.
 */


#include "core/expand/art_expand_scan_int.h"


/* Whether an object is a request of a batch. */

#define art_scan_is_request(frame)                                            \
    ((frame)->node == ART_NODE_ROOT && (frame)->rule->in == ART_NODE_REQUEST)


/* A value: skipped; not an object or array; entered. */

typedef enum {
    ART_SCAN_SKIPPED = 0,
    ART_SCAN_SCALAR,
    ART_SCAN_ENTERED
} art_scan_how_t;


static int art_scan_enter(void *data, art_walk_frame_t *frame);
static void art_scan_begin_part(art_scanner_t *scan,
    const art_walk_frame_t *frame);
static int art_scan_leave(void *data, art_walk_frame_t *frame, uint64_t end);
static int art_scan_leave_part(art_scanner_t *scan, uint64_t end);
static void art_scan_leave_content(art_scanner_t *scan,
    const art_walk_frame_t *frame, uint64_t end);
static void art_scan_note(art_scanner_t *scan, art_scan_frame_t *parent,
    const art_walk_rule_t *rule, uint64_t pos, uint64_t end,
    art_scan_how_t how);
static void art_scan_forget(art_scanner_t *scan, const art_walk_rule_t *rule);
static void art_scan_element(art_scanner_t *scan, art_scan_frame_t *array,
    uint64_t pos);
static size_t art_scan_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static size_t art_scan_needs(art_scanner_t *scan, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_scan_goes_on(void *data, const art_walk_rule_t *rule,
    art_str_t text);
static int art_scan_refers(const art_scanner_t *scan,
    const art_walk_rule_t *rule, art_str_t text);
static int art_scan_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static int art_scan_scalar(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_scan_call(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_scan_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static void art_scan_model(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value);


static const art_message_rule_t  art_scan_root = {
    { NULL, ART_NODE_NONE, ART_NODE_ROOT, ART_NODE_NONE, ART_FIELD_NONE },
    ART_TYPE_NONE, ART_SEARCH_NONE
};

/*
 * What only matters if it is a stand-in, or has some in it: the arguments of a
 * call may be JSON in a string, which a gateway turns into objects.
 */

static const art_message_rule_t  art_scan_every = {
    { NULL, ART_NODE_NONE, ART_WALK_TREE, ART_WALK_TREE, ART_FIELD_NONE },
    ART_TYPE_NONE, ART_SEARCH_STANDINS
};

static const art_walk_observer_t  art_scan_observer = {
    sizeof(art_message_rule_t),
    sizeof(art_scan_frame_t),
    ART_SCAN_FRAMES,
    &art_scan_root.walk,
    art_scan_enter,
    art_scan_leave,
    NULL,
    art_scan_wants,
    art_scan_goes_on,
    art_scan_value,
    art_scan_text
};


size_t
art_scan_size(void)
{
    return sizeof(art_scanner_t);
}


void
art_scan_init(art_scan_t *found, const art_scan_conf_t *conf)
{
    art_walk_t     *walk;
    art_scanner_t  *scan;

    scan = (void *) found;

    memset(scan, 0, offsetof(art_scanner_t, walk));

    found->conf = *conf;
    scan->slots.blocks = scan->slot_blocks;
    scan->groups.blocks = scan->group_blocks;
    scan->requests.blocks = scan->request_blocks;
    scan->standins.blocks = scan->standin_blocks;
    scan->arena.pool = conf->pool;
    scan->tools = UINT32_MAX;
    scan->request.tools = UINT32_MAX;
    scan->root = 1;
    found->nmodels = 1;

    if (found->conf.refs_max > ART_MESSAGE_SLOTS_MAX) {
        found->conf.refs_max = ART_MESSAGE_SLOTS_MAX;
    }

    art_walk_init(&scan->walk, &art_scan_observer,
                  conf->argument != ART_ARGUMENT_OFF ? conf->api->call.rules
                                                     : conf->api->request.rules,
                  scan->frames, scan);

    walk = &scan->walk;

    if (conf->standins != 0) {
        art_walk_all(walk, &art_scan_every.walk);
    }

    if (conf->prompt != NULL) {
        walk = &conf->prompt->walk;
        art_walk_join(walk, conf->prompt_only ? NULL : &scan->walk);
    }

    art_lex_init(&scan->lex, &art_walk_tokens, walk, scan->text,
                 sizeof(scan->text));

    if (conf->long_min > 0) {
        found->longs.least = conf->long_min + 2;
        art_lex_note(&scan->lex, &found->longs);
    }
}


int
art_scan_feed(art_scan_t *found, const uint8_t *p, size_t len)
{
    art_scanner_t  *scan;

    scan = (void *) found;
    found->len += len;

    art_search_piece(scan, p);

    if (art_lex_feed(&scan->lex, p, len) != ART_OK) {
        return ART_ERROR;
    }

    art_search_read(scan, art_lex_pos(&scan->lex));

    return ART_OK;
}


uint64_t
art_scan_media(const art_scan_t *found)
{
    const art_scanner_t *scan = (const void *) found;

    return scan->look.end == found->len ? art_message_look_data(&scan->look)
                                        : 0;
}


art_scan_status_t
art_scan_end(art_scan_t *found)
{
    art_scanner_t  *scan;

    scan = (void *) found;

    if (found->status == ART_SCAN_OK && art_lex_end(&scan->lex) != ART_OK
        && found->status == ART_SCAN_OK)
    {
        found->status = ART_SCAN_PASS;
    }

    if (found->status == ART_SCAN_PASS) {
        art_standins_drop(scan);
    }

    found->refused = found->status == ART_SCAN_PASS
                     && art_lex_is_refused(&scan->lex);

    if (found->conf.prompt != NULL) {
        found->versioned |= found->conf.prompt->versioned;
    }

    if (found->status == ART_SCAN_OK
        && found->conf.argument != ART_ARGUMENT_OFF)
    {
        art_argument_end(scan);
    }

    if (found->status == ART_SCAN_OK && art_batch_close(scan) == ART_OK) {
        (void) art_list_refs(scan);
    }

    if (found->status != ART_SCAN_OK) {
        found->nslots = 0;
        found->ngroups = 0;
        found->nrefs = 0;
    }

    return found->status;
}


static int
art_scan_enter(void *data, art_walk_frame_t *frame)
{
    art_scanner_t       *scan;
    art_scan_frame_t    *own;
    art_message_type_t   type;

    scan = data;

    art_scan_element(scan, art_walk_parent(&scan->walk), frame->pos);
    art_scan_forget(scan, frame->rule);

    if (art_node_is_part(frame->node) && scan->nparts == ART_SCAN_PARTS) {
        frame->node = ART_NODE_NONE;
    }

    if (frame->node == ART_NODE_NONE) {
        return ART_OK;
    }

    if (art_scan_is_request(frame)) {
        art_batch_begin(scan);
    }

    /* no two readers agree on which of two lists of messages counts */

    if (frame->node == ART_NODE_MESSAGES && scan->listed++) {
        return art_list_fail(scan, ART_SCAN_PASS);
    }

    if (frame->node == ART_NODE_MESSAGE || frame->rule->act == ART_FIELD_SYSTEM)
    {
        art_turn_begin(scan, frame->rule->act == ART_FIELD_SYSTEM);

    } else if (frame->rule->act == ART_FIELD_CONTENT
               || frame->rule->act == ART_FIELD_OUTPUT)
    {
        art_turn_content(scan, frame->rule);
    }

    type = art_message_rule_type(frame->rule);

    if (art_node_is_part(frame->node)) {
        art_scan_begin_part(scan, frame);

    } else if (scan->nparts > 0 && type != ART_TYPE_NONE) {
        scan->parts[scan->nparts - 1].type = type;
    }

    own = art_walk_top(&scan->walk);
    own->last = frame->pos + 1;
    own->slot = 0;

    return ART_OK;
}


static void
art_scan_begin_part(art_scanner_t *scan, const art_walk_frame_t *frame)
{
    unsigned                 i;
    art_scan_part_t         *part;
    const art_scan_frame_t  *parent;

    parent = art_walk_parent(&scan->walk);
    part = &scan->parts[scan->nparts++];

    memset(part, 0, offsetof(art_scan_part_t, fields));

    for (i = 0; i < ART_SCAN_HELD; i++) {
        part->held[i].held = ART_HELD_NONE;
    }

    part->mark = scan->arena.at;

    part->type = art_message_rule_type(frame->rule);
    part->pos = frame->pos;
    part->slots = scan->found.nslots;
    part->index = parent->walk.count - 1;
    part->before = parent->last;
    part->image = frame->rule->in == ART_NODE_IMAGES;

    if (scan->nparts == 1 && (scan->found.conf.api->flags & ART_API_RESULTS)) {
        art_search_result(scan);
    }

    part->texts = scan->search.ntexts;
    part->found = scan->search.nfound;
}


static int
art_scan_leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    int             rc;
    art_scanner_t  *scan;

    rc = ART_OK;
    scan = data;

    if (frame->node == ART_NODE_CONTENT) {
        art_scan_leave_content(scan, frame, end);
    }

    if (frame->node == ART_NODE_NONE) {
        /* void */

    } else if (art_scan_is_request(frame)) {
        rc = art_batch_end(scan, end - frame->pos);

    } else if (frame->node == ART_NODE_MESSAGE
               || frame->rule->act == ART_FIELD_SYSTEM)
    {
        scan->message.members = frame->count;
        rc = art_turn_end(scan, end);

    } else if (frame->node == ART_NODE_RESPONSE) {
        scan->parts[scan->nparts - 1].members = frame->count;

    } else if (frame->node == ART_NODE_CALL) {
        scan->parts[scan->nparts - 1].inner = end;

    } else if (art_node_is_part(frame->node)) {
        rc = art_scan_leave_part(scan, end);
    }

    art_scan_note(scan, art_walk_parent(&scan->walk), frame->rule, frame->pos,
                  end, frame->node == ART_NODE_NONE ? ART_SCAN_SKIPPED
                                                    : ART_SCAN_ENTERED);

    return rc;
}


static int
art_scan_leave_part(art_scanner_t *scan, uint64_t end)
{
    int                rc;
    uint32_t           before;
    art_scan_part_t   *part;
    art_scan_frame_t  *parent;

    part = &scan->parts[--scan->nparts];
    before = part->slots;

    rc = art_part_end(scan, part, end);

    /* slots within it do not belong to the array */

    if (scan->found.nslots > before
        && art_scan_slot(&scan->found, scan->found.nslots - 1)->part.pos
           == part->pos)
    {
        parent = art_walk_parent(&scan->walk);
        parent->slot = scan->found.nslots;
    }

    return rc;
}


static void
art_scan_leave_content(art_scanner_t *scan, const art_walk_frame_t *frame,
    uint64_t end)
{
    if (scan->nparts > 0) {
        scan->parts[scan->nparts - 1].elements = frame->count;

    } else if (frame->rule->act == ART_FIELD_CONTENT) {
        scan->message.array.pos = frame->pos;
        scan->message.array.end = end;
        scan->message.elements = frame->count;
    }
}


/* A value has ended: notes its position for its part. */

static void
art_scan_note(art_scanner_t *scan, art_scan_frame_t *parent,
    const art_walk_rule_t *rule, uint64_t pos, uint64_t end,
    art_scan_how_t how)
{
    art_scan_part_t   *part;
    art_scan_field_t  *field;

    parent->last = end;

    if (scan->nparts == 0
        || rule->act < (how == ART_SCAN_SCALAR ? ART_FIELD_TYPE
                                               : ART_FIELD_SOURCE)
        || (rule->act >= ART_FIELD_PARTS && how != ART_SCAN_ENTERED))
    {
        return;
    }

    part = &scan->parts[scan->nparts - 1];
    field = art_part_field(part, rule->act);

    field->key = parent->walk.key;
    field->span.pos = pos;
    field->span.end = end;
    part->set |= 1u << (rule->act - ART_FIELD_TYPE);

    if (rule->act == ART_FIELD_RESPONSE) {
        part->shape = how == ART_SCAN_ENTERED ? ART_SHAPE_OBJECT
                                              : ART_SHAPE_OTHER;
    }
}


/* The last one of members with the same key counts, with everything in it. */

static void
art_scan_forget(art_scanner_t *scan, const art_walk_rule_t *rule)
{
    unsigned              sources, held;
    art_scan_part_t      *part;
    art_message_field_t   field;

    if (scan->nparts == 0) {
        return;
    }

    part = &scan->parts[scan->nparts - 1];
    sources = rule->object >= ART_NODE_URL && rule->object <= ART_NODE_BLOB;
    held = part->set >> (ART_FIELD_ARTIFACT - ART_FIELD_TYPE)
           & ((1u << ART_SCAN_HELD) - 1);

    for ( /* void */ ; held != 0; held &= held - 1) {
        field = ART_FIELD_ARTIFACT + (unsigned) __builtin_ctz(held);

        if (field == rule->act
            || (rule->object == ART_NODE_RESOURCE
                && (field == ART_FIELD_BYTES || field == ART_FIELD_WORDS))
            || (sources && field >= ART_FIELD_URL && field <= ART_FIELD_FILE))
        {
            art_part_held(part, field)->held = ART_HELD_NONE;
            part->twice |= part->set & (1u << (field - ART_FIELD_TYPE));
            part->set &= ~(1u << (field - ART_FIELD_TYPE));
        }
    }
}


/* One more element: the slot of the one before is not the last. */

static void
art_scan_element(art_scanner_t *scan, art_scan_frame_t *array, uint64_t pos)
{
    if (array->slot != 0) {
        art_scan_slot(&scan->found, array->slot - 1)->after = pos;
        array->slot = 0;
    }
}


/* A stand-in may be in any string. */

static size_t
art_scan_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    art_scanner_t *scan = data;

    art_search_string(scan, rule, pos);

    scan->needs = art_scan_needs(scan, rule, pos);

    return scan->found.conf.standins == 0
           ? scan->needs
           : ART_LEX_KEEP | (scan->needs & ART_LEX_STREAM);
}


static size_t
art_scan_needs(art_scanner_t *scan, const art_walk_rule_t *rule, uint64_t pos)
{

    if (art_walk_is_in_tree(&scan->walk)) {
        return rule->act == ART_FIELD_ARGUMENT ? ART_LEX_KEEP : 0;
    }

    switch (rule->act) {

    case ART_FIELD_NONE:
    case ART_FIELD_VERSION:
    case ART_FIELD_SYSTEM:
    case ART_FIELD_ERROR:
    case ART_FIELD_JSON:
    case ART_FIELD_SOURCE:
    case ART_FIELD_CACHE:
    case ART_FIELD_BREAKPOINT:
    case ART_FIELD_TAKEN:
    case ART_FIELD_TAKEN_TOO:
    case ART_FIELD_RESPONSE:
    case ART_FIELD_PARTS:
    case ART_FIELD_WORDS:
    case ART_FIELD_CALL_ID:
    case ART_FIELD_ARGUMENT:
        return 0;

    case ART_FIELD_URL:
    case ART_FIELD_DATA:
    case ART_FIELD_BYTES:
        art_message_look_init(&scan->look, pos + 1);
        art_message_pixels_init(&scan->pixels);
        return ART_LEX_KEEP | ART_LEX_STREAM;

    case ART_FIELD_MODEL:
    case ART_FIELD_ROLE:
    case ART_FIELD_ITEM:
    case ART_FIELD_METHOD:
    case ART_FIELD_TYPE:
    case ART_FIELD_MIME:
    case ART_FIELD_NAME:
    case ART_FIELD_SOURCE_TYPE:
    case ART_FIELD_BLOCK_TYPE:
    case ART_FIELD_BLOCK_MIME:
    case ART_FIELD_BLOCK_NAME:
        return ART_SCAN_MODEL_MAX;

    default:
        return ART_LEX_KEEP;
    }
}


static int
art_scan_goes_on(void *data, const art_walk_rule_t *rule, art_str_t text)
{
    art_scanner_t *scan = data;

    return (scan->needs > 0 && art_scan_refers(scan, rule, text))
           || (scan->found.conf.standins != 0
               && art_standin_may_be(text));
}


/* Most texts are no references, and only references matter in them. */

static int
art_scan_refers(const art_scanner_t *scan, const art_walk_rule_t *rule,
    art_str_t text)
{
    switch (rule->act) {

    case ART_FIELD_CONTENT:
    case ART_FIELD_OUTPUT:
    case ART_FIELD_TEXT:
    case ART_FIELD_RESULT:
    case ART_FIELD_LINK:
        return art_message_may_refer(text, &scan->found.conf.url);

    case ART_FIELD_ARTIFACT:
    case ART_FIELD_SOLE:
        return art_message_may_refer(text, &scan->found.conf.url)
               || art_message_may_be_file(text)
               || art_message_may_be_workspace(text);

    case ART_FIELD_ARGUMENT:
        return art_message_may_refer(text, &scan->found.conf.url)
               || art_message_may_mark(text);

    default:
        return 1;
    }
}


static int
art_scan_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    size_t            most;
    art_scanner_t    *scan;
    art_lex_value_t   needed;

    scan = data;

    if (value->string) {
        art_search_string_end(scan, value->end);
    }

    if (scan->found.conf.standins == 0) {
        return art_scan_scalar(scan, rule, value);
    }

    if (art_standins_value(scan, value) != ART_OK) {
        return ART_ERROR;
    }

    /* no more of the text than its field is to have */

    needed = *value;
    most = scan->needs & ~(size_t) ART_LEX_STREAM;

    if (needed.text.len > most) {
        needed.text.len = most;
    }

    return art_scan_scalar(scan, rule, &needed);
}


/* A string, a number or a word of a field. */

static int
art_scan_scalar(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_scan_frame_t  *frame;

    frame = art_walk_top(&scan->walk);

    if (art_walk_is_in_tree(&scan->walk)) {
        return rule->act == ART_FIELD_ARGUMENT && value->string
               ? art_argument_value(scan, value) : ART_OK;
    }

    art_scan_element(scan, frame, value->pos);
    art_scan_forget(scan, rule);
    art_scan_note(scan, frame, rule, value->pos, value->end, ART_SCAN_SCALAR);

    switch (rule->act) {

    case ART_FIELD_MODEL:
        art_scan_model(scan, rule, value);
        return ART_OK;

    case ART_FIELD_VERSION:
        scan->found.versioned |= scan->walk.depth == 1;
        return ART_OK;

    case ART_FIELD_METHOD:
    case ART_FIELD_CALL_ID:
        art_scan_call(scan, rule, value);
        return ART_OK;

    case ART_FIELD_ROLE:
        scan->message.role = art_message_role(value->text);
        scan->message.told = 1;
        return ART_OK;

    case ART_FIELD_ITEM:
        scan->message.item = art_message_type(value->text);
        return ART_OK;

    case ART_FIELD_CONTENT:
    case ART_FIELD_OUTPUT:
        return art_turn_string(scan, rule, value);

    case ART_FIELD_SOLE:
        return art_turn_sole_string(scan, value);

    default:

        if (rule->act < ART_FIELD_TYPE || scan->nparts == 0) {
            return ART_OK;
        }

        return art_part_value(scan, &scan->parts[scan->nparts - 1], rule,
                              value);
    }
}


/* What a call is, and its id: the last one of several counts. */

static void
art_scan_call(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_scan_t  *found;

    found = &scan->found;

    if (rule->act == ART_FIELD_METHOD) {
        found->called = art_str_eq(value->text, art_cstr("tools/call")) != 0;
        return;
    }

    found->call_id.pos = value->pos;
    found->call_id.end = value->string || value->first == '-'
                         || (value->first >= '0' && value->first <= '9')
                         ? value->end : 0;
}


static void
art_scan_text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    art_scanner_t *scan = data;

    art_message_look_read(&scan->look, p, n, end);
    art_message_pixels_read(&scan->pixels, p, n);
}


/* The last one of several counts; a name that is too long is cut. */

static void
art_scan_model(art_scanner_t *scan, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    uint32_t  i;

    i = 0;

    if (rule->in == ART_NODE_MODELS) {

        if (scan->found.nmodels == ART_MESSAGE_MODELS_MAX) {
            return;
        }

        i = scan->found.nmodels;
    }

    if (!value->string || scan->walk.depth != scan->root + (i > 0)) {
        return;
    }

    memcpy(scan->names[i], value->text.data, value->text.len);
    scan->found.models[i] = art_str(scan->names[i], value->text.len);

    scan->found.nmodels += i > 0;
}
