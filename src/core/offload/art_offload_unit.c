
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the bytes of an answer go, and the unit under way: what is around the
 * data and has to change with them.  Until the data begin it is held, and the
 * changes are noted; after them they are made as the bytes come.
 */


#include "core/offload/art_offload_int.h"


static void art_offload_give_up(art_offload_t *off);
static void art_offload_print(art_offload_t *off, const char *text);
static void art_offload_unit_begin(art_offload_t *off, uint64_t pos);
static void art_offload_unit_waits(art_offload_t *off, uint64_t end);
static void art_offload_unit_missing(art_offload_t *off, uint64_t pos);
static void art_offload_unit_add(art_offload_t *off, uint64_t pos,
    const char *text);
static int art_offload_unit_has(const art_offload_t *off);
static size_t art_offload_copy(uint8_t *dst, const art_lex_value_t *value);
static int art_offload_may_be(const art_offload_t *off,
    const art_offload_rule_t *rule);
static int art_offload_is_kind(const art_offload_t *off,
    const art_offload_rule_t *rule);
static void art_offload_edit(art_offload_t *off, uint64_t pos, uint64_t end,
    const char *text);


void
art_offload_sink(art_offload_t *off, art_sink_pt sink, const uint8_t *p,
    size_t len)
{
    if (len > 0 && !off->failed && sink(off->sink.data, p, len) != ART_OK) {
        off->failed = 1;
    }
}


void
art_offload_route(art_offload_t *off, uint64_t end)
{
    size_t          n;
    const uint8_t  *p;

    if (end <= off->routed) {
        return;
    }

    n = (size_t) (end - off->routed);
    p = off->piece + (off->routed - off->piece_pos);
    off->routed = end;

    if (art_offload_is_held(off) && n > ART_OFFLOAD_HELD - off->held_len) {
        art_offload_release(off);
    }

    if (art_offload_is_held(off)) {
        memcpy(off->held + off->held_len, p, n);
        off->held_len += n;

    } else if (off->state == ART_OFFLOAD_AT_OUT) {
        art_offload_sink(off, off->sink.out, p, n);

    } else {
        art_offload_sink(off, off->sink.raw, p, n);
    }
}


void
art_offload_hold(art_offload_t *off, uint64_t pos,
    art_offload_state_t state)
{
    art_offload_route(off, pos);

    off->state = state;
    off->held_len = 0;
    off->nedits = 0;
}


/* Releases what is held: it is not to be changed. */

void
art_offload_release(art_offload_t *off)
{
    if (art_offload_is_waiting(off)) {
        art_offload_give_up(off);
        return;
    }

    if (off->state != ART_OFFLOAD_AT_KEY
        && off->state != ART_OFFLOAD_AT_REPLACED)
    {
        off->unit.lost = 1;
    }

    off->state = ART_OFFLOAD_AT_OUT;

    art_offload_sink(off, off->sink.out, off->held, off->held_len);
    off->held_len = 0;
}


/*
 * What was held after the value follows it.  Reading stops until the caller has
 * decided about the value: another unit would hold its bytes in the same
 * buffer.
 */

static void
art_offload_give_up(art_offload_t *off)
{
    art_lex_stop(&off->lex);

    off->state = ART_OFFLOAD_AT_REFUSED;

    art_offload_sink(off, off->sink.raw, off->held + off->gap,
                     off->held_len - off->gap);
    off->held_len = off->gap;
}


int
art_offload_left(art_offload_t *off)
{
    if (art_offload_is_waiting(off)) {
        art_offload_give_up(off);
    }

    off->state = ART_OFFLOAD_AT_OUT;
    off->unit.lost = 1;
    off->unit.open &= off->unit.depth > 0;

    art_offload_sink(off, off->sink.out, off->held, off->held_len);
    off->held_len = 0;

    return off->failed ? ART_ERROR : ART_OK;
}


int
art_offload_made(art_offload_t *off, const art_offload_made_t *made)
{
    size_t               i, pos;
    art_offload_edit_t  *edit;

    off->made = *made;
    off->state = ART_OFFLOAD_AT_OUT;

    off->unit.made = 1;
    off->unit.open &= off->unit.depth > 0;
    pos = 0;

    for (i = 0; i < off->nedits; i++) {
        edit = &off->edits[i];

        art_offload_sink(off, off->sink.out, off->held + pos, edit->pos - pos);
        pos = edit->pos;

        if (made->mime.len > 0 || strstr(edit->text, "%m") == NULL) {
            art_offload_print(off, edit->text);
            pos += edit->skip;
        }
    }

    art_offload_sink(off, off->sink.out, off->held + pos, off->held_len - pos);
    off->held_len = 0;

    return off->failed ? ART_ERROR : ART_OK;
}


static void
art_offload_print(art_offload_t *off, const char *text)
{
    art_out_t    out;
    uint8_t      digits[20];
    const char  *p;

    for (p = text; *p != '\0'; p = text) {

        text = p + strcspn(p, "%");
        art_offload_sink(off, off->sink.out, (const uint8_t *) p,
                         (size_t) (text - p));

        if (*text == '\0') {
            return;
        }

        switch (text[1]) {

        case 'u':
            art_offload_sink(off, off->sink.out, off->made.uri.data,
                             off->made.uri.len);
            break;

        case 'n':
            art_offload_sink(off, off->sink.out, off->made.name.data,
                             off->made.name.len);
            break;

        case 'm':
            art_offload_sink(off, off->sink.out, off->made.mime.data,
                             off->made.mime.len);
            break;

        default: /* 's' */
            out = art_out(digits, sizeof(digits));
            art_out_uint(&out, off->made.size);
            art_offload_sink(off, off->sink.out, digits, out.len);
        }

        text += 2;
    }
}


void
art_offload_unit_key(art_offload_t *off, const art_offload_rule_t *rule,
    uint64_t pos, uint64_t end)
{
    unsigned  whole;

    /* the data of images are a unit by themselves */

    whole = rule != NULL && !off->unit.open
            && (rule->walk.act == ART_OFFLOAD_UNIT_KEY
                || (rule->walk.act == ART_OFFLOAD_DATA
                    && off->api->kind == NULL && off->api->mime_member == NULL
                    && art_offload_may_be(off, rule)));

    if (whole) {
        art_offload_unit_begin(off, pos);

        if (rule->walk.act == ART_OFFLOAD_UNIT_KEY) {
            art_offload_edit(off, pos, end, rule->text);
        }

    } else if (off->state == ART_OFFLOAD_AT_KEY) {
        art_offload_release(off);
    }
}


static void
art_offload_unit_begin(art_offload_t *off, uint64_t pos)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (off->state != ART_OFFLOAD_AT_KEY) {
        art_offload_hold(off, pos, ART_OFFLOAD_AT_UNIT);
    }

    off->state = ART_OFFLOAD_AT_UNIT;
    off->nedits = 0;
    off->declared_len = 0;

    unit->open = 1;
    unit->lost = 0;
    unit->made = 0;
    unit->uri_came = 0;
    unit->mime_came = 0;
    unit->flat = 0;
    unit->depth = 0;
    unit->level = off->walk.depth;
    unit->pos = pos;
}


void
art_offload_unit_opens(art_offload_t *off, const art_walk_frame_t *frame)
{
    art_offload_unit_t      *unit;
    const art_walk_frame_t  *parent;

    unit = &off->unit;

    switch (frame->rule->act) {

    case ART_OFFLOAD_UNIT:
        unit->kind_came = 0;
        unit->kind_len = 0;
        art_offload_unit_begin(off, frame->pos);
        unit->depth = off->walk.depth;
        break;

    case ART_OFFLOAD_UNIT_KEY:
        unit->depth = off->walk.depth;
        unit->level = off->walk.depth;
        break;

    case ART_OFFLOAD_FLAT:

        if (unit->open && !unit->lost && !unit->made && unit->flat == 0
            && !art_offload_is_reading(off))
        {
            parent = art_walk_parent(&off->walk);
            art_offload_edit(off, parent->key, frame->pos + 1, "");
            unit->flat = off->walk.depth;
        }

        break;

    default:
        break;
    }
}


/* A unit that is not an object, or data that are not a string. */

void
art_offload_unit_other(art_offload_t *off)
{
    if (off->unit.open && off->unit.depth == 0) {
        art_offload_release(off);
        off->unit.open = 0;
    }
}


void
art_offload_unit_closes(art_offload_t *off, uint64_t end)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (!unit->open) {
        return;
    }

    if (art_offload_is_waiting(off)) {
        art_offload_unit_waits(off, end);
        return;
    }

    if (unit->made && unit->flat == off->walk.depth) {
        art_offload_unit_missing(off, end - 1);
        art_offload_route(off, end - 1);

        off->routed = end;
        unit->flat = 0;
    }

    if (unit->depth == off->walk.depth) {

        if (unit->made) {
            art_offload_unit_missing(off, end - 1);
        }

        unit->open = 0;
    }

    /* the flat object has no data, or the whole unit has none */

    if (art_offload_is_held(off)
        && (!unit->open || unit->flat == off->walk.depth))
    {
        art_offload_release(off);
    }
}


/* The same while it is not known whether the data count. */

static void
art_offload_unit_waits(art_offload_t *off, uint64_t end)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (unit->flat == off->walk.depth) {
        art_offload_unit_missing(off, end - 1);
        art_offload_edit(off, end - 1, end, "");
        unit->flat = 0;
    }

    if (unit->level == off->walk.depth) {
        art_offload_unit_missing(off, end - 1);
        unit->open = 0;
    }

    art_offload_unit_decide(off, !unit->open);
}


/* Adds members that a unit needs and that did not come, at "pos". */

static void
art_offload_unit_missing(art_offload_t *off, uint64_t pos)
{
    if (!off->unit.uri_came && off->api->uri_member != NULL) {
        art_offload_unit_add(off, pos, off->api->uri_member);
    }

    if (!off->unit.mime_came && off->api->mime_member != NULL) {
        art_offload_unit_add(off, pos, off->api->mime_member);
    }

    off->unit.uri_came = 1;
    off->unit.mime_came = 1;
}


static void
art_offload_unit_add(art_offload_t *off, uint64_t pos, const char *text)
{
    if (art_offload_is_waiting(off)) {
        art_offload_edit(off, pos, pos, text);
        return;
    }

    art_offload_route(off, pos);

    if (off->made.mime.len > 0 || strstr(text, "%m") == NULL) {
        art_offload_print(off, text);
    }
}


int
art_offload_unit_data(art_offload_t *off, const art_offload_rule_t *rule,
    uint64_t pos)
{
    art_offload_unit_t      *unit;
    const art_walk_frame_t  *frame;

    unit = &off->unit;

    if (art_offload_is_reading(off)) {
        return 0;
    }

    if (rule->walk.act == ART_OFFLOAD_DATA_URL) {
        art_offload_unit_begin(off, pos);
        art_offload_edit(off, pos, pos, "%u");

    } else {

        if (!unit->open || unit->lost || unit->made
            || !art_offload_may_be(off, rule))
        {
            return 0;
        }

        art_offload_route(off, pos);

        if (unit->lost) {
            return 0;
        }

        frame = art_walk_top(&off->walk);
        art_offload_edit(off, frame->key, pos, rule->text);

        unit->uri_came |= strstr(rule->text, "%u") != NULL;
    }

    off->state = rule->walk.act == ART_OFFLOAD_DATA_URL ? ART_OFFLOAD_AT_URL
                                                       : ART_OFFLOAD_AT_DATA;
    off->data = rule;
    off->url_len = 0;

    memset(&off->base64, 0, sizeof(off->base64));

    return 1;
}


/*
 * The kind and the media type may come after the data, and are held with what
 * is between them.
 */

void
art_offload_unit_data_over(art_offload_t *off, uint64_t end)
{
    art_offload_route(off, end);

    off->state = ART_OFFLOAD_AT_REST;
    off->gap = off->held_len;
    off->gone = end - off->unit.pos - off->gap;

    art_offload_unit_decide(off, 0);
}


/* When the room is used up, a value may be incomplete. */

void
art_offload_unit_decide(art_offload_t *off, unsigned last)
{
    unsigned             known;
    art_offload_unit_t  *unit;

    unit = &off->unit;
    known = unit->kind_came || last || off->data->kinds == NULL;

    if (!known) {
        return;
    }

    if (unit->lost || off->state == ART_OFFLOAD_AT_NOTE
        || !art_offload_is_kind(off, off->data))
    {
        art_offload_give_up(off);

    } else if (unit->mime_came || last || off->api->mime_member == NULL) {
        art_lex_stop(&off->lex);
        off->state = ART_OFFLOAD_AT_END;
    }
}


/* Whether a member belongs to the unit, and not to another object in it. */

static int
art_offload_unit_has(const art_offload_t *off)
{
    return off->unit.open && (off->walk.depth == off->unit.level
                              || off->walk.depth == off->unit.flat);
}


void
art_offload_unit_string(art_offload_t *off, unsigned act, uint64_t pos)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (art_offload_unit_has(off) && unit->made
        && (act != ART_OFFLOAD_KIND || off->api->kind != NULL)
        && (act != ART_OFFLOAD_MIME || off->made.mime.len > 0))
    {
        art_offload_hold(off, pos, ART_OFFLOAD_AT_REPLACED);
    }

    if (off->state == ART_OFFLOAD_AT_REST && art_offload_unit_has(off)) {
        off->state = ART_OFFLOAD_AT_NOTE;
    }
}


void
art_offload_unit_value(art_offload_t *off, unsigned act,
    const art_lex_value_t *value)
{
    const char          *text;
    art_offload_unit_t  *unit;

    unit = &off->unit;
    text = NULL;

    if (off->state == ART_OFFLOAD_AT_NOTE) {
        off->state = ART_OFFLOAD_AT_REST;
    }

    if (unit->open && !art_offload_unit_has(off)) {
        return;
    }

    switch (act) {

    case ART_OFFLOAD_KIND:
        unit->kind_came = 1;
        unit->kind_len = art_offload_copy(unit->kind, value);
        text = off->api->kind;
        break;

    case ART_OFFLOAD_MIME:
        unit->mime_came = 1;
        text = "%m";

        if (!unit->made) {
            off->declared_len = art_offload_copy(off->declared, value);
        }

        break;

    case ART_OFFLOAD_URI:
        unit->uri_came = 1;
        text = "%u";
        break;

    default:
        art_offload_unit_other(off);
        return;
    }

    if (!value->string || text == NULL || !unit->open || unit->lost) {
        return;
    }

    if (!unit->made) {
        art_offload_edit(off, value->pos, value->end, text);
        return;
    }

    /* a value too long to be held is released, and stays */

    if (off->state == ART_OFFLOAD_AT_REPLACED) {
        art_offload_route(off, value->end);
    }

    if (off->state == ART_OFFLOAD_AT_REPLACED) {
        off->state = ART_OFFLOAD_AT_OUT;
        off->held_len = 0;
        art_offload_print(off, text);
    }
}


/* Copies a string that is short enough, or nothing; returns its length. */

static size_t
art_offload_copy(uint8_t *dst, const art_lex_value_t *value)
{
    if (value->text.len == 0 || value->len > value->text.len) {
        return 0;
    }

    memcpy(dst, value->text.data, value->text.len);

    return value->text.len;
}


/* Whether the value is data, or its kind has not come yet. */

static int
art_offload_may_be(const art_offload_t *off, const art_offload_rule_t *rule)
{
    return !off->unit.kind_came || art_offload_is_kind(off, rule);
}


/* Whether the value is data of the unit's kind. */

static int
art_offload_is_kind(const art_offload_t *off, const art_offload_rule_t *rule)
{
    size_t  i;

    if (rule->kinds == NULL) {
        return 1;
    }

    for (i = 0; rule->kinds[i] != NULL; i++) {
        if (art_str_eq(art_str(off->unit.kind, off->unit.kind_len),
                       art_cstr(rule->kinds[i])))
        {
            return 1;
        }
    }

    return 0;
}


/* Adds an edit, by positions of the stream; without room the unit is lost. */

static void
art_offload_edit(art_offload_t *off, uint64_t pos, uint64_t end,
    const char *text)
{
    art_offload_edit_t  *edit;

    if (off->nedits == ART_OFFLOAD_EDITS) {
        off->unit.lost = 1;
        return;
    }

    edit = &off->edits[off->nedits++];

    edit->pos = (size_t) (pos - off->unit.pos
                          - (art_offload_is_waiting(off) ? off->gone : 0));
    edit->skip = (size_t) (end - pos);
    edit->text = text;
}
