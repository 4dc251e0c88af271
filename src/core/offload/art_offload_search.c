
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media in base64 within a string: each is a value of its own, and what is
 * around it stays.  The finder gets the bytes before the lexer does, since it
 * may end a piece.
 */


#include "core/offload/art_offload_int.h"


#define ART_OFFLOAD_RUN  2048        /* bytes decoded per step */


static size_t art_offload_string(const art_offload_t *off, const uint8_t *p,
    size_t len);
static const uint8_t *art_offload_quote(const uint8_t *p, const uint8_t *end);
static void art_offload_search_end(art_offload_t *off);
static void art_offload_search_pass(art_offload_t *off);
static void art_offload_run_begin(art_offload_t *off);
static void art_offload_run_bytes(art_offload_t *off, const uint8_t *p,
    size_t len);
static void art_offload_run_end(art_offload_t *off, unsigned whole);


void
art_offload_search_begin(art_offload_t *off, uint64_t pos)
{
    if (art_offload_is_held(off)) {
        art_offload_release(off);
    }

    off->searching = 1;
    off->searched = pos + 1;

    art_find_init(&off->find, off->min, ART_FIND_RUNS|ART_FIND_BEGINS);
    art_lex_stop(&off->lex);
}


size_t
art_offload_search(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t            n;
    art_find_event_t  event;

    if (off->taken >= off->max && off->state != ART_OFFLOAD_AT_RUN) {
        art_offload_search_end(off);
        return 0;
    }

    n = art_offload_string(off, p, len);

    off->piece = p;
    off->piece_pos = off->pos;

    if (n > 0) {
        event = art_find_feed(&off->find, p, n, &n);

        art_lex_seek(&off->lex, off->pos);
        off->dead = art_lex_feed(&off->lex, p, n) != ART_OK;
        off->pos += n;

    } else {
        event = art_find_end(&off->find);

        if (event == ART_FIND_MORE) {
            art_offload_search_end(off);
            return 0;
        }
    }

    if (off->state == ART_OFFLOAD_AT_RUN) {
        art_offload_run_bytes(off, p, n);
    }

    if (event == ART_FIND_BEGIN && !off->dead) {
        art_offload_run_begin(off);

    } else if (event != ART_FIND_MORE && !off->dead
               && off->state == ART_OFFLOAD_AT_RUN)
    {
        art_offload_run_end(off, event == ART_FIND_RUN && off->find.whole);

    } else {
        art_offload_search_pass(off);
    }

    return n;
}


/* How many bytes of the piece belong to the string. */

static size_t
art_offload_string(const art_offload_t *off, const uint8_t *p, size_t len)
{
    const uint8_t  *at, *end, *slash;

    at = p + art_lex_is_escaped(&off->lex);
    end = art_offload_quote(at, p + len);

    for ( ;; ) {
        slash = at < end ? memchr(at, '\\', (size_t) (end - at)) : NULL;

        if (slash == NULL) {
            return (size_t) (end - p);
        }

        at = slash + 2;

        if (at > end) {
            end = art_offload_quote(at, p + len);
        }
    }
}


static const uint8_t *
art_offload_quote(const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *quote;

    quote = p < end ? memchr(p, '"', (size_t) (end - p)) : NULL;

    return quote != NULL ? quote : end;
}


/* Nothing more is searched in the string. */

static void
art_offload_search_end(art_offload_t *off)
{
    off->searching = 0;

    if (off->state == ART_OFFLOAD_AT_FIND) {
        art_offload_release(off);
    }
}


/* Passes what cannot belong to a run, and holds the rest. */

static void
art_offload_search_pass(art_offload_t *off)
{
    uint64_t  from;

    if (off->dead) {
        off->searching = 0;
        art_offload_route(off, off->pos);

        if (art_offload_is_held(off)) {
            art_offload_release(off);
        }

        return;
    }

    if (off->state == ART_OFFLOAD_AT_RUN) {
        art_offload_route(off, off->pos);
        return;
    }

    from = off->searched + art_find_from(&off->find);

    if (off->state == ART_OFFLOAD_AT_FIND) {

        if (from >= off->routed) {
            art_offload_release(off);

        } else if (from > off->held_pos) {
            art_offload_unhold(off, from, off->sink.out);
        }
    }

    if (off->state == ART_OFFLOAD_AT_OUT && from < off->pos) {
        from = from < off->routed ? off->routed : from;
        art_offload_hold(off, from, ART_OFFLOAD_AT_FIND);
    }

    art_offload_route(off, off->pos);
}


/* A run begins, whose first bytes may be held. */

static void
art_offload_run_begin(art_offload_t *off)
{
    size_t    held;
    uint64_t  pos;

    pos = off->searched + off->find.pos;

    if (pos < (off->state == ART_OFFLOAD_AT_FIND ? off->held_pos
                                                 : off->routed))
    {
        art_offload_search_end(off);
        art_offload_route(off, off->pos);
        return;
    }

    if (off->state == ART_OFFLOAD_AT_FIND && pos < off->routed) {
        art_offload_unhold(off, pos, off->sink.out);

    } else {

        if (off->state == ART_OFFLOAD_AT_FIND) {
            art_offload_release(off);
        }

        art_offload_hold(off, pos, ART_OFFLOAD_AT_RUN);
    }

    off->state = ART_OFFLOAD_AT_RUN;

    off->declared_len = strlen(off->find.mime);
    memcpy(off->declared, off->find.mime, off->declared_len);

    memset(&off->base64, 0, sizeof(off->base64));
    memset(&off->run, 0, sizeof(off->run));

    held = off->held_len;
    art_offload_run_bytes(off, off->held, held);

    pos += held;
    art_offload_run_bytes(off, off->piece + (pos - off->piece_pos),
                          (size_t) (off->pos - pos));
    art_offload_route(off, off->pos);
}


static void
art_offload_run_bytes(art_offload_t *off, const uint8_t *p, size_t len)
{
    size_t   n;
    uint8_t  buf[ART_OFFLOAD_RUN];

    while (len > 0) {
        n = art_find_decode(&off->run, buf, sizeof(buf), &p, &len);
        art_offload_sink(off, off->sink.content, buf, n);
    }
}


/*
 * A run has ended, or turned out not to be one: what does not belong to it
 * stays held and is searched, as it may begin the next one.
 */

static void
art_offload_run_end(art_offload_t *off, unsigned whole)
{
    size_t    n;
    uint64_t  end;
    uint8_t   last[ART_FIND_LAG];

    art_offload_route(off, off->pos);

    end = off->searched + (whole ? off->find.end : art_find_from(&off->find));

    if (off->pos - end > ART_OFFLOAD_LATE || end < off->held_pos) {
        whole = 0;
        end = off->pos;
    }

    if (whole) {
        n = art_find_decode_end(&off->run, off->find.size, last);
        art_offload_sink(off, off->sink.content, last, n);
    }

    art_offload_unhold(off, end, off->sink.raw);

    off->base64.bad = !whole;
    off->state = ART_OFFLOAD_AT_FOUND;
}
