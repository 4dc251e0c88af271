
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The unit under way: what is around the data and has to change with them, and
 * the data, as they are decoded.
 */


#include "core/offload/art_offload_int.h"


#define ART_OFFLOAD_STEP  2048       /* characters of base64 per step */


/* What a data URL begins with, in any case. */

static const char  art_offload_lead[] = "data:";

#define ART_OFFLOAD_LEAD  (sizeof(art_offload_lead) - 1)

/* Whether it may still be plain base64, where that is meant. */

#define art_offload_is_bare(off)                                              \
    ((off)->state == ART_OFFLOAD_AT_URL                                       \
     && (off)->data->walk.act == ART_OFFLOAD_DATA                             \
     && (off)->url_len < ART_OFFLOAD_LEAD)


static int art_offload_enter(void *data, art_walk_frame_t *frame);
static void art_offload_unit_other(art_offload_t *off);
static void art_offload_unit_begin(art_offload_t *off, uint64_t pos);
static int art_offload_leave(void *data, art_walk_frame_t *frame,
    uint64_t end);
static void art_offload_unit_waits(art_offload_t *off, uint64_t end);
static int art_offload_key(void *data, uint64_t pos, uint64_t end,
    art_str_t key);
static size_t art_offload_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_offload_unit_data(art_offload_t *off,
    const art_offload_rule_t *rule, uint64_t pos);
static void art_offload_unit_string(art_offload_t *off, unsigned act,
    uint64_t pos);
static int art_offload_unit_has(const art_offload_t *off);
static int art_offload_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_offload_unit_data_over(art_offload_t *off, uint64_t end);
static void art_offload_unit_value(art_offload_t *off, unsigned act,
    const art_lex_value_t *value);
static void art_offload_unit_replace(art_offload_t *off, uint64_t end,
    const char *text);
static size_t art_offload_copy(uint8_t *dst, const art_lex_value_t *value);
static int art_offload_may_be(const art_offload_t *off,
    const art_offload_rule_t *rule);
static int art_offload_is_kind(const art_offload_t *off,
    const art_offload_rule_t *rule);
static void art_offload_text(void *data, const uint8_t *p, size_t len,
    uint64_t end);
static void art_offload_decode(art_offload_t *off, const uint8_t *p,
    size_t len);
static size_t art_offload_bare(art_offload_t *off, const uint8_t *p,
    size_t len);
static void art_offload_no_url(art_offload_t *off);
static size_t art_offload_url(art_offload_t *off, const uint8_t *p,
    size_t len);


static const art_offload_rule_t  art_offload_root = {
    { NULL, ART_WALK_NONE, ART_OFFLOAD_ROOT, ART_OFFLOAD_ROOTS,
      ART_OFFLOAD_PASS },
    NULL, NULL
};

const art_walk_observer_t  art_offload_observer = {
    sizeof(art_offload_rule_t),
    sizeof(art_walk_frame_t),
    ART_OFFLOAD_FRAMES,
    &art_offload_root.walk,
    art_offload_enter,
    art_offload_leave,
    art_offload_key,
    art_offload_wants,
    NULL,
    art_offload_value,
    art_offload_text
};


static int
art_offload_enter(void *data, art_walk_frame_t *frame)
{
    art_offload_t           *off;
    art_offload_unit_t      *unit;
    const art_walk_frame_t  *parent;

    off = data;
    unit = &off->unit;

    if (frame->node == ART_OFFLOAD_NO_NODE) {
        art_offload_unit_other(off);
        return ART_OK;
    }

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
            unit->flat = off->walk.depth;

            if (off->api->block == NULL) {
                parent = art_walk_parent(&off->walk);
                art_offload_edit(off, parent->key, frame->pos + 1, "");
            }
        }

        break;

    default:
        break;
    }

    return ART_OK;
}


/* A unit that is not an object, or data that are not a string. */

static void
art_offload_unit_other(art_offload_t *off)
{
    if (off->unit.open && off->unit.depth == 0) {
        art_offload_release(off);
        off->unit.open = 0;
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
    off->typed = 0;

    unit->open = 1;
    unit->lost = 0;
    unit->made = 0;
    unit->keeping = 0;
    unit->uri_came = 0;
    unit->mime_came = 0;
    unit->flat = 0;
    unit->depth = 0;
    unit->level = off->walk.depth;
    unit->pos = pos;
}


static int
art_offload_leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    art_offload_t       *off;
    art_offload_unit_t  *unit;

    off = data;
    unit = &off->unit;

    if (frame->rule->act == ART_OFFLOAD_KEEP) {
        art_offload_kept(off, end);
    }

    if (frame->node == ART_OFFLOAD_NO_NODE || !unit->open) {
        return ART_OK;
    }

    if (art_offload_is_waiting(off)) {
        art_offload_unit_waits(off, end);
        return ART_OK;
    }

    if (unit->made && unit->flat == off->walk.depth
        && off->api->block == NULL)
    {
        art_offload_missing(off, end - 1);
        art_offload_route(off, end - 1);

        off->routed = end;
        unit->flat = 0;
    }

    if (unit->depth == off->walk.depth) {

        if (unit->made) {
            art_offload_missing(off, end - 1);
        }

        if (off->state == ART_OFFLOAD_AT_DROP) {
            art_offload_route(off, end - 1);
            off->state = ART_OFFLOAD_AT_OUT;
        }

        unit->open = 0;
    }

    /* the flat object has no data, or the whole unit has none */

    if (art_offload_is_held(off)
        && (!unit->open || unit->flat == off->walk.depth))
    {
        art_offload_release(off);
    }

    return ART_OK;
}


/* The same while it is not known whether the data count. */

static void
art_offload_unit_waits(art_offload_t *off, uint64_t end)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (unit->flat == off->walk.depth && off->api->block == NULL) {
        art_offload_missing(off, end - 1);
        art_offload_edit(off, end - 1, end, "");
        unit->flat = 0;
    }

    if (unit->level == off->walk.depth) {
        art_offload_missing(off, end - 1);
        unit->open = 0;
    }

    art_offload_unit_decide(off, !unit->open);
}


static int
art_offload_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    unsigned                   whole;
    art_offload_t             *off;
    const art_offload_rule_t  *rule;

    (void) key;

    off = data;
    rule = (const void *) off->walk.rule;

    /* the data of images are a unit by themselves */

    whole = rule != NULL && !off->unit.open
            && (rule->walk.act == ART_OFFLOAD_UNIT_KEY
                || (rule->walk.act == ART_OFFLOAD_DATA
                    && off->api->kind == NULL && off->api->mime_member == NULL
                    && off->api->block == NULL
                    && art_offload_may_be(off, rule)));

    if (whole) {
        art_offload_unit_begin(off, pos);

        if (rule->walk.act == ART_OFFLOAD_UNIT_KEY) {
            art_offload_edit(off, pos, end, rule->text);
        }

    } else if (rule != NULL && rule->walk.act == ART_OFFLOAD_KEEP
               && off->unit.open && !off->unit.lost)
    {
        art_offload_keep(off, pos);

    } else if (off->state == ART_OFFLOAD_AT_KEY) {

        if (art_offload_is_dropping(off)) {
            off->state = ART_OFFLOAD_AT_DROP;
            off->held_len = 0;

        } else {
            art_offload_release(off);
        }
    }

    return ART_OK;
}


static size_t
art_offload_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    art_offload_t *off = data;

    switch (rule->act) {

    case ART_OFFLOAD_DATA:
    case ART_OFFLOAD_DATA_URL:
        return art_offload_unit_data(off, (const void *) rule, pos)
               ? ART_LEX_STREAM : 0;

    case ART_OFFLOAD_SEARCH:

        if (!art_offload_is_reading(off)
            && (!off->unit.open || !off->unit.made)
            && art_offload_may_be(off, (const void *) rule))
        {
            art_offload_search_begin(off, pos);
        }

        return 0;

    case ART_OFFLOAD_KIND:
    case ART_OFFLOAD_MIME:
    case ART_OFFLOAD_URI:
        art_offload_unit_string(off, rule->act, pos);
        return ART_OFFLOAD_TYPE;

    default:
        return 0;
    }
}


/* A string of data begins at "pos": 1 if it is to be read as such. */

static int
art_offload_unit_data(art_offload_t *off, const art_offload_rule_t *rule,
    uint64_t pos)
{
    art_offload_unit_t      *unit;
    const art_walk_frame_t  *frame;

    unit = &off->unit;

    if (art_offload_is_reading(off) || off->taken >= off->max) {
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

        if (rule->text != NULL) {
            frame = art_walk_top(&off->walk);
            art_offload_edit(off, frame->key, pos, rule->text);

            unit->uri_came |= strstr(rule->text, "%u") != NULL;
        }
    }

    /* data may be a data URL, too, as proxies write them */

    off->state = ART_OFFLOAD_AT_URL;
    off->data = rule;
    off->url_len = 0;

    memset(&off->base64, 0, sizeof(off->base64));

    return 1;
}


static void
art_offload_unit_string(art_offload_t *off, unsigned act, uint64_t pos)
{
    art_offload_unit_t  *unit;

    unit = &off->unit;

    if (art_offload_unit_has(off) && unit->made && off->api->block == NULL
        && (act != ART_OFFLOAD_KIND || off->api->kind != NULL)
        && (act != ART_OFFLOAD_MIME || off->made.mime.len > 0))
    {
        art_offload_hold(off, pos, ART_OFFLOAD_AT_REPLACED);
    }

    if (off->state == ART_OFFLOAD_AT_REST && art_offload_unit_has(off)) {
        off->state = ART_OFFLOAD_AT_NOTE;
    }
}


/* Whether a member belongs to the unit, and not to another object in it. */

static int
art_offload_unit_has(const art_offload_t *off)
{
    return off->unit.open && (off->walk.depth == off->unit.level
                              || off->walk.depth == off->unit.flat);
}


static int
art_offload_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    size_t          n;
    uint8_t         last[3];
    art_offload_t  *off;

    off = data;

    if (!art_offload_is_decoding(off)) {
        art_offload_unit_value(off, rule->act, value);

        if (art_offload_is_waiting(off)) {
            art_offload_unit_decide(off, 0);
        }

        return ART_OK;
    }

    if (art_offload_is_bare(off)) {
        art_offload_no_url(off);
    }

    n = art_base64_decode_end(&off->base64, last);

    if (off->state == ART_OFFLOAD_AT_URL || off->base64.digits < off->min
        || off->base64.digits == 0)
    {
        off->base64.bad = 1;
    }

    if (n > 0 && !off->base64.bad) {
        art_offload_sink(off, off->sink.content, last, n);
    }

    art_lex_stop(&off->lex);

    if (!off->base64.bad) {
        art_offload_unit_data_over(off, value->end);
    }

    return ART_OK;
}


/*
 * The kind and the media type may come after the data, and are held with what
 * is between them.
 */

static void
art_offload_unit_data_over(art_offload_t *off, uint64_t end)
{
    art_offload_route(off, end);

    off->state = ART_OFFLOAD_AT_REST;
    off->gap = off->held_len;
    off->gone = end - off->unit.pos - off->gap;

    art_offload_unit_decide(off, 0);
}


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
        art_offload_release(off);

    } else if (unit->mime_came || last
               || (off->api->mime_member == NULL && off->api->block == NULL))
    {
        art_lex_stop(&off->lex);
        off->state = ART_OFFLOAD_AT_END;
    }
}


static void
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

        if (!unit->made && !off->typed) {
            off->declared_len = art_offload_copy(off->declared, value);
        }

        break;

    case ART_OFFLOAD_URI:
        unit->uri_came = 1;
        text = "%u";
        break;

    case ART_OFFLOAD_KEEP:
        art_offload_kept(off, value->end);
        return;

    case ART_OFFLOAD_SEARCH:
        return;

    default:
        art_offload_unit_other(off);
        return;
    }

    if (!value->string || text == NULL || !unit->open || unit->lost
        || off->api->block != NULL)
    {
        return;
    }

    if (unit->made) {
        art_offload_unit_replace(off, value->end, text);

    } else {
        art_offload_edit(off, value->pos, value->end, text);
    }
}


static void
art_offload_unit_replace(art_offload_t *off, uint64_t end, const char *text)
{
    /* a value too long to be held is released, and stays */

    if (off->state == ART_OFFLOAD_AT_REPLACED) {
        art_offload_route(off, end);
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


/* A piece of a value, as it is decoded. */

static void
art_offload_text(void *data, const uint8_t *p, size_t len, uint64_t end)
{
    size_t          n;
    art_offload_t  *off;

    (void) end;
    off = data;

    if (!art_offload_is_decoding(off)) {
        return;
    }

    if (art_offload_is_bare(off)) {
        n = art_offload_bare(off, p, len);
        p += n;
        len -= n;
    }

    if (off->state == ART_OFFLOAD_AT_URL && len > 0 && !off->base64.bad) {
        n = art_offload_url(off, p, len);
        p += n;
        len -= n;
    }

    while (len > 0 && !off->base64.bad) {
        n = len < ART_OFFLOAD_STEP ? len : ART_OFFLOAD_STEP;
        art_offload_decode(off, p, n);
        p += n;
        len -= n;
    }
}


static void
art_offload_decode(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t   n;
    uint8_t  buf[ART_OFFLOAD_STEP / 4 * 3 + 3];

    n = art_base64_decode(&off->base64, buf, p, len);

    if (n > 0) {
        art_offload_sink(off, off->sink.content, buf, n);
    }
}


/* Reads what may begin a data URL; returns the length. */

static size_t
art_offload_bare(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t  i;

    for (i = 0; i < len && art_offload_is_bare(off); i++) {

        if (art_char_lower(p[i]) != (uint8_t) art_offload_lead[off->url_len]) {
            art_offload_no_url(off);
            return i;
        }

        off->url[off->url_len++] = p[i];
    }

    return i;
}


/* What was taken for the beginning of a data URL is base64. */

static void
art_offload_no_url(art_offload_t *off)
{
    off->state = ART_OFFLOAD_AT_DATA;

    art_offload_decode(off, off->url, off->url_len);
}


/*
 * Reads the start of a data URL (RFC 2397) to its comma; returns the length.
 * Its type is believed rather than one beside it.
 */

static size_t
art_offload_url(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t  i, n;

    for (i = 0; i < len && p[i] != ','; i++) {

        if (off->url_len == sizeof(off->url)) {
            off->base64.bad = 1;
            return i;
        }

        off->url[off->url_len++] = p[i];
    }

    if (i == len) {
        return i;
    }

    off->state = ART_OFFLOAD_AT_DATA;
    n = off->url_len;

    if (n < sizeof("data:;base64") - 1
        || !art_str_is(art_str(off->url, ART_OFFLOAD_LEAD), art_offload_lead)
        || !art_str_is(art_str(off->url + n - (sizeof(";base64") - 1),
                               sizeof(";base64") - 1), ";base64"))
    {
        off->base64.bad = 1;
        return i;
    }

    n -= sizeof("data:;base64") - 1;

    if (n > 0) {
        memcpy(off->declared, off->url + ART_OFFLOAD_LEAD, n);
        off->declared_len = n;
        off->typed = 1;
    }

    return i + 1;
}
