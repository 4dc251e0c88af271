
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/offload/art_offload_int.h"


static void art_offload_reset(art_offload_t *off);
static art_offload_status_t art_offload_event(art_offload_t *off,
    const uint8_t *p, size_t len, size_t *n);
static void art_offload_line(art_offload_t *off);
static void art_offload_pass(art_offload_t *off, const uint8_t *p,
    size_t len);
static art_offload_status_t art_offload_json(art_offload_t *off,
    const uint8_t *p, size_t len, size_t *n);
static size_t art_offload_some(art_offload_t *off, const uint8_t *p,
    size_t len);
static art_offload_status_t art_offload_status(const art_offload_t *off);
static int art_offload_opens(void *data, uint64_t pos, unsigned object);
static int art_offload_closes(void *data, uint64_t end);
static int art_offload_key(void *data, uint64_t pos, art_str_t key);
static size_t art_offload_wants(void *data);
static int art_offload_goes_on(void *data, art_str_t text);
static int art_offload_value(void *data, const art_lex_value_t *value);
static void art_offload_text(void *data, const uint8_t *p, size_t len,
    uint64_t end);
static void art_offload_decode(art_offload_t *off, const uint8_t *p,
    size_t len);
static size_t art_offload_url(art_offload_t *off, const uint8_t *p,
    size_t len);
static const art_offload_rule_t *art_offload_coming(const art_offload_t *off);
static unsigned art_offload_in_key(const art_offload_t *off);


static const art_lex_handler_t  art_offload_handler = {
    art_offload_opens,
    art_offload_closes,
    art_offload_key,
    art_offload_wants,
    art_offload_goes_on,
    art_offload_value,
    art_offload_text
};


#define ART_OFFLOAD_STEP  2048       /* characters of base64 */


void
art_offload_init(art_offload_t *off, const art_offload_api_t *api,
    unsigned events, uint64_t min, const art_offload_sink_t *sink)
{
    memset(off, 0, offsetof(art_offload_t, held));

    off->api = api;
    off->events = events != 0;
    off->rules = events ? api->stream : api->json;
    off->sink = *sink;
    off->min = min;

    art_sse_init(&off->sse);
    art_offload_reset(off);
}


/* Before a text of JSON. */

static void
art_offload_reset(art_offload_t *off)
{
    off->dead = 0;
    off->opaque = 0;
    off->nframes = 0;
    off->rule = NULL;

    memset(&off->unit, 0, sizeof(off->unit));

    art_lex_init(&off->lex, &art_offload_handler, off, off->kept,
                 sizeof(off->kept));
}


art_offload_status_t
art_offload_feed(art_offload_t *off, const uint8_t *p, size_t len, size_t *n)
{
    size_t                 read;
    art_offload_status_t   status;

    off->over = 0;

    if (!off->events) {
        return art_offload_json(off, p, len, n);
    }

    if (off->ended) {
        off->ended = 0;
        (void) art_offload_end(off);
    }

    *n = 0;

    do {
        status = art_offload_event(off, p + *n, len - *n, &read);
        *n += read;

    } while (status == ART_OFFLOAD_MORE && *n < len);

    return status;
}


/* Some bytes of a stream of events. */

static art_offload_status_t
art_offload_event(art_offload_t *off, const uint8_t *p, size_t len, size_t *n)
{
    art_sse_token_t  token;

    token = art_sse_next(&off->sse, p, len, n);

    if (token == ART_SSE_DATA) {
        return art_offload_json(off, p, *n, n);
    }

    art_offload_pass(off, p, *n);

    if (token == ART_SSE_LINE) {
        art_offload_line(off);

    } else if (token == ART_SSE_END) {
        off->ended = art_offload_end(off) == ART_OFFLOAD_NONE;
    }

    return off->reading && off->ended ? ART_OFFLOAD_NONE
                                      : art_offload_status(off);
}


/* Between lines of data a line feed belongs to them. */

static void
art_offload_line(art_offload_t *off)
{
    static const uint8_t  feed = '\n';

    if (!off->dead) {
        off->lex.offset = off->pos;
        off->dead = art_lex_feed(&off->lex, &feed, 1) != ART_OK;
    }

    if (off->dead && off->to == ART_OFFLOAD_TO_HELD) {
        art_offload_release(off);
    }
}


/* Bytes that are no data go where those before them go. */

static void
art_offload_pass(art_offload_t *off, const uint8_t *p, size_t len)
{
    off->piece = p;
    off->piece_pos = off->pos;
    off->pos += len;

    art_offload_route(off, off->pos);
}


static art_offload_status_t
art_offload_json(art_offload_t *off, const uint8_t *p, size_t len, size_t *n)
{
    art_offload_status_t  status;

    *n = 0;

    do {
        *n += art_offload_some(off, p + *n, len - *n);
        status = art_offload_status(off);

    } while (status == ART_OFFLOAD_MORE && *n < len);

    return status;
}


/* As many bytes as there is room for while they are held. */

static size_t
art_offload_some(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t  n;

    if (off->waiting) {
        n = ART_OFFLOAD_HELD - off->held_len;
        len = len < n ? len : n;

        if (n == 0) {
            art_offload_unit_decide(off, 1);
            return 0;
        }
    }

    n = len;
    off->piece = p;
    off->piece_pos = off->pos;

    if (!off->dead) {
        off->lex.offset = off->pos;
        off->dead = art_lex_feed(&off->lex, p, len) != ART_OK;

        n = (size_t) (off->lex.offset - off->pos);
    }

    off->pos += n;

    /* a key that is not whole yet may be that of a unit */

    if (!off->dead && off->to == ART_OFFLOAD_TO_OUT && art_offload_in_key(off))
    {
        art_offload_hold(off, off->lex.value.pos);
        off->tentative = 1;
    }

    art_offload_route(off, off->pos);

    if (off->dead && off->to == ART_OFFLOAD_TO_HELD) {
        art_offload_release(off);
    }

    return n;
}


static art_offload_status_t
art_offload_status(const art_offload_t *off)
{
    return off->failed ? ART_OFFLOAD_FAILED
           : off->over ? ART_OFFLOAD_OVER
           : off->reading && (off->dead || off->base64.bad || off->other)
             ? ART_OFFLOAD_NONE : ART_OFFLOAD_MORE;
}


art_offload_status_t
art_offload_end(art_offload_t *off)
{
    if (off->reading) {
        return ART_OFFLOAD_NONE;
    }

    if (off->to == ART_OFFLOAD_TO_HELD) {
        art_offload_release(off);
    }

    art_offload_reset(off);

    return off->failed ? ART_OFFLOAD_FAILED : ART_OFFLOAD_MORE;
}


static int
art_offload_opens(void *data, uint64_t pos, unsigned object)
{
    unsigned                   node;
    art_offload_t             *off;
    const art_offload_rule_t  *rule;

    off = data;

    if (off->opaque > 0) {
        off->opaque++;
        return ART_OK;
    }

    rule = art_offload_coming(off);
    node = ART_OFFLOAD_NO_NODE;

    if (off->nframes == 0) {
        node = object ? ART_OFFLOAD_ROOT : ART_OFFLOAD_ROOTS;

    } else if (rule != NULL) {
        node = object ? rule->object : rule->array;
    }

    if (node == ART_OFFLOAD_NO_NODE || off->nframes == ART_OFFLOAD_FRAMES) {
        off->opaque = 1;
        art_offload_unit_other(off, rule);
        return ART_OK;
    }

    off->frames[off->nframes].node = node;
    off->frames[off->nframes].rule = rule;
    off->nframes++;

    art_offload_unit_opens(off, rule, pos);

    return ART_OK;
}


static int
art_offload_closes(void *data, uint64_t end)
{
    art_offload_t  *off;

    off = data;

    if (off->opaque > 0) {
        off->opaque--;
        return ART_OK;
    }

    art_offload_unit_closes(off, end);
    off->nframes--;

    return ART_OK;
}


static int
art_offload_key(void *data, uint64_t pos, art_str_t key)
{
    unsigned                   node;
    art_offload_t             *off;
    const art_offload_rule_t  *rule;

    off = data;
    off->rule = NULL;

    if (off->opaque == 0) {
        node = off->frames[off->nframes - 1].node;

        for (rule = off->rules;
             key.data != NULL && rule->in != ART_OFFLOAD_NO_NODE; rule++)
        {
            if (rule->in == node && rule->key != NULL
                && art_str_eq(key, art_cstr(rule->key)))
            {
                off->rule = rule;
                break;
            }
        }
    }

    off->key = pos;
    art_offload_unit_key(off, off->rule);

    return ART_OK;
}


static size_t
art_offload_wants(void *data)
{
    art_offload_t             *off;
    const art_offload_rule_t  *rule;

    off = data;
    rule = off->opaque > 0 ? NULL : art_offload_coming(off);

    if (rule == NULL) {
        return 0;
    }

    switch (rule->act) {

    case ART_OFFLOAD_DATA:
    case ART_OFFLOAD_DATA_URL:
        return art_offload_unit_data(off, rule) ? ART_LEX_STREAM : 0;

    case ART_OFFLOAD_KIND:
    case ART_OFFLOAD_MIME:
    case ART_OFFLOAD_URI:
        art_offload_unit_string(off, rule);
        return ART_OFFLOAD_TYPE;

    default:
        return 0;
    }
}


static int
art_offload_goes_on(void *data, art_str_t text)
{
    (void) data;
    (void) text;

    return 1;
}


static int
art_offload_value(void *data, const art_lex_value_t *value)
{
    uint8_t                    last[3];
    size_t                     n;
    art_offload_t             *off;
    const art_offload_rule_t  *rule;

    off = data;

    if (off->opaque > 0) {
        return ART_OK;
    }

    rule = art_offload_coming(off);

    if (!off->reading || off->waiting) {

        if (rule != NULL) {
            art_offload_unit_value(off, rule, value);
        }

        if (off->waiting) {
            art_offload_unit_decide(off, 0);
        }

        return ART_OK;
    }

    n = art_base64_decode_end(&off->base64, last);

    if (off->prefixed || off->base64.digits < off->min
        || off->base64.digits == 0) {
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


/* A value that is read, as it is decoded. */

static void
art_offload_text(void *data, const uint8_t *p, size_t len, uint64_t end)
{
    size_t          n;
    art_offload_t  *off;

    (void) end;
    off = data;

    if (!off->reading || off->waiting) {
        return;
    }

    if (off->prefixed && !off->base64.bad) {
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


/* The beginning of a data URL (RFC 2397), up to its comma; the bytes of it. */

static size_t
art_offload_url(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t     i, n;
    uint8_t   *url;

    url = off->declared;

    for (i = 0; i < len && p[i] != ','; i++) {

        if (off->url_len == sizeof(off->declared)) {
            off->base64.bad = 1;
            return i;
        }

        url[off->url_len++] = p[i];
    }

    if (i == len) {
        return i;
    }

    off->prefixed = 0;
    n = off->url_len;

    if (n < sizeof("data:;base64") - 1
        || !art_str_is(art_str(url, sizeof("data:") - 1), "data:")
        || !art_str_is(art_str(url + n - (sizeof(";base64") - 1),
                               sizeof(";base64") - 1), ";base64"))
    {
        off->base64.bad = 1;
        return i;
    }

    n -= sizeof("data:;base64") - 1;

    memmove(url, url + sizeof("data:") - 1, n);
    off->declared_len = n;

    return i + 1;
}


/* The rule of the value that comes next, NULL if there is none. */

static const art_offload_rule_t *
art_offload_coming(const art_offload_t *off)
{
    unsigned                   node;
    const art_offload_rule_t  *rule;

    if (off->nframes == 0) {
        return NULL;
    }

    node = off->frames[off->nframes - 1].node;

    if (!art_offload_is_array(node)) {
        return off->rule;
    }

    for (rule = off->rules; rule->in != ART_OFFLOAD_NO_NODE; rule++) {
        if (rule->in == node) {
            return rule;
        }
    }

    return NULL;
}


static unsigned
art_offload_in_key(const art_offload_t *off)
{
    return off->lex.is_key
           && (off->lex.state == ART_LEX_STRING
               || off->lex.state == ART_LEX_ESCAPE
               || off->lex.state == ART_LEX_HEX);
}
