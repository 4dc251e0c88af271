
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Reading an answer: one JSON text, or events with one each.
 */


#include "core/offload/art_offload_int.h"


static void art_offload_reset(art_offload_t *off);
static art_offload_status_t art_offload_event(art_offload_t *off,
    const uint8_t *p, size_t len, size_t *n);
static void art_offload_line(art_offload_t *off);
static void art_offload_pass(art_offload_t *off, const uint8_t *p, size_t len);
static art_offload_status_t art_offload_json(art_offload_t *off,
    const uint8_t *p, size_t len, size_t *n);
static size_t art_offload_some(art_offload_t *off, const uint8_t *p,
    size_t len);
static art_offload_status_t art_offload_status(const art_offload_t *off);


void
art_offload_init(art_offload_t *off, const art_api_t *api, unsigned flags,
    uint64_t min, unsigned max, const art_offload_sink_t *sink)
{
    memset(off, 0, offsetof(art_offload_t, held));

    off->api = (flags & ART_OFFLOAD_LINKS) && api->links.json != NULL
               ? &api->links : &api->base64;
    off->events = (flags & ART_OFFLOAD_EVENTS) != 0;
    off->rules = off->events ? off->api->stream : off->api->json;
    off->sink = *sink;
    off->min = min;
    off->max = max;

    art_sse_init(&off->sse);
    art_walk_init(&off->walk, &art_offload_observer, off->rules, off->frames,
                  off);
    art_offload_reset(off);
}


static void
art_offload_reset(art_offload_t *off)
{
    off->dead = 0;
    off->searching = 0;

    if (off->api->messages) {
        off->taken = 0;
    }

    memset(&off->unit, 0, sizeof(off->unit));

    art_walk_reset(&off->walk);
    art_lex_init(&off->lex, &art_walk_tokens, &off->walk, off->kept,
                 sizeof(off->kept));
}


art_offload_status_t
art_offload_feed(art_offload_t *off, const uint8_t *p, size_t len, size_t *n)
{
    size_t                 read;
    art_offload_status_t   status;

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

    return art_offload_is_reading(off) && off->ended ? ART_OFFLOAD_NONE
                                      : art_offload_status(off);
}


/* A line feed between lines of data belongs to the data. */

static void
art_offload_line(art_offload_t *off)
{
    static const uint8_t  feed = '\n';

    if (!off->dead) {
        art_lex_seek(&off->lex, off->pos);
        off->dead = art_lex_feed(&off->lex, &feed, 1) != ART_OK;
    }

    if (off->dead
        && (art_offload_is_held(off) || off->state == ART_OFFLOAD_AT_DROP))
    {
        art_offload_release(off);
    }
}


/*
 * Bytes outside of data go where those before them went; but an event keeps
 * its lines.
 */

static void
art_offload_pass(art_offload_t *off, const uint8_t *p, size_t len)
{
    off->piece = p;
    off->piece_pos = off->pos;
    off->pos += len;

    if (off->state == ART_OFFLOAD_AT_DROP) {
        art_offload_sink(off, off->sink.out, p, len);
        off->routed = off->pos;
        return;
    }

    art_offload_route(off, off->pos);
}


static art_offload_status_t
art_offload_json(art_offload_t *off, const uint8_t *p, size_t len, size_t *n)
{
    art_offload_status_t  status;

    *n = 0;

    do {
        *n += off->searching && !off->dead
              ? art_offload_search(off, p + *n, len - *n)
              : art_offload_some(off, p + *n, len - *n);

        status = art_offload_status(off);

    } while (status == ART_OFFLOAD_MORE && *n < len);

    return status;
}


/* Reads as many bytes as there is room for while they are held. */

static size_t
art_offload_some(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t    n;
    uint64_t  key;

    if (art_offload_is_waiting(off)) {
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
        art_lex_seek(&off->lex, off->pos);
        off->dead = art_lex_feed(&off->lex, p, len) != ART_OK;

        n = (size_t) (art_lex_pos(&off->lex) - off->pos);
    }

    off->pos += n;

    /* an incomplete key may be that of a unit */

    if (!off->dead && off->state <= ART_OFFLOAD_AT_DROP
        && !art_walk_is_skipping(&off->walk)
        && art_lex_in_key(&off->lex, &key))
    {
        art_offload_hold(off, key, ART_OFFLOAD_AT_KEY);
    }

    if (off->dead && art_offload_is_dropping(off)) {
        off->state = ART_OFFLOAD_AT_DROP;
        art_offload_route(off, art_lex_fault(&off->lex));
        art_offload_release(off);
    }

    art_offload_route(off, off->pos);

    if (off->dead && art_offload_is_held(off)) {
        art_offload_release(off);
    }

    return n;
}


static art_offload_status_t
art_offload_status(const art_offload_t *off)
{
    if (off->failed) {
        return ART_OFFLOAD_FAILED;
    }

    if (off->state == ART_OFFLOAD_AT_END
        || (off->state == ART_OFFLOAD_AT_FOUND && !off->base64.bad))
    {
        return ART_OFFLOAD_OVER;
    }

    return art_offload_is_reading(off)
           && (off->dead || off->base64.bad
               || off->state == ART_OFFLOAD_AT_REFUSED)
           ? ART_OFFLOAD_NONE : ART_OFFLOAD_MORE;
}


art_offload_status_t
art_offload_end(art_offload_t *off)
{
    if (art_offload_is_reading(off)) {
        return ART_OFFLOAD_NONE;
    }

    if (art_offload_is_held(off) || off->state == ART_OFFLOAD_AT_DROP) {
        art_offload_release(off);
    }

    art_offload_reset(off);

    return off->failed ? ART_OFFLOAD_FAILED : ART_OFFLOAD_MORE;
}


int
art_offload_is_unsound(const art_offload_t *off)
{
    return off->base64.digits >= off->min
           && off->state != ART_OFFLOAD_AT_REFUSED;
}
