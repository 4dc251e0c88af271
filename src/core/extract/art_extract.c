
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/extract/art_extract_int.h"


static void art_extract_begin(art_extract_t *extract);
static int art_extract_aside(art_extract_t *extract, art_str_t *out);
static int art_extract_is_aside(const art_extract_t *extract);
static void art_extract_read(art_extract_t *extract);
static void art_extract_read_events(art_extract_t *extract, size_t len);
static void art_extract_token(art_extract_t *extract, art_sse_token_t token,
    size_t n);
static void art_extract_json(art_extract_t *extract, const uint8_t *p,
    size_t n);
static void art_extract_dispatch(art_extract_t *extract);
static void art_extract_over(art_extract_t *extract);
static void art_extract_give_up(art_extract_t *extract);
static int art_extract_is_long(const art_extract_t *extract, uint64_t hold);
static int art_extract_is_stuck(const art_extract_t *extract);
static void art_extract_release(art_extract_t *extract);
static uint64_t art_extract_hold(const art_extract_t *extract);
static uint64_t art_extract_blocks(const art_extract_t *extract);
static int art_extract_keeps_event(const art_extract_t *extract);
static uint64_t art_extract_limit(const art_extract_t *extract);
static int art_extract_has_failed(const art_extract_t *extract);


void
art_extract_init(art_extract_t *extract, const art_api_t *api,
    unsigned sse, unsigned strip)
{
    memset(extract, 0, sizeof(art_extract_t));

    extract->api = api;
    extract->rules = sse ? api->text.stream : api->text.json;
    extract->sse = sse & 1;
    extract->strip = strip & 1;
    extract->event = ART_SAID_NOWHERE;
    extract->again.hold = ART_SAID_NOWHERE;
    extract->doc.hold = ART_SAID_NOWHERE;
    extract->doc.answer = ART_SAID_NOWHERE;

    art_sse_init(&extract->stream);
    art_said_init(&extract->said, strip);
    art_said_init(&extract->result, strip);

    if (extract->rules == NULL) {
        extract->done = 1;
        return;
    }

    art_walk_init(&extract->doc.walk, &art_doc_observer, extract->rules,
                  extract->doc.frames, extract);
    art_extract_begin(extract);
}


/* A JSON text begins. */

static void
art_extract_begin(art_extract_t *extract)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;

    art_walk_reset(&doc->walk);
    art_lex_init(&doc->lex, &art_walk_tokens, &doc->walk, doc->text,
                 sizeof(doc->text));

    doc->agent = ART_AGENT_UNKNOWN;
    doc->array = 0;
    doc->final = 0;
    doc->result = 0;
    doc->closed = 0;
    doc->hold = ART_SAID_NOWHERE;
    doc->answer = ART_SAID_NOWHERE;
}


void
art_extract_done(art_extract_t *extract)
{
    free(extract->doc.runs);
    free(extract->doc.bytes);

    art_said_done(&extract->said);
    art_said_done(&extract->result);
    art_tape_done(&extract->tape);

    memset(extract, 0, sizeof(art_extract_t));
}


void
art_extract_feed(art_extract_t *extract, const uint8_t *p, size_t len,
    unsigned last)
{
    extract->p = p;
    extract->end = len > 0 ? p + len : p;
    extract->last = last & 1;
}


int
art_extract_next(art_extract_t *extract, art_str_t *out)
{
    for ( ;; ) {

        if (art_extract_has_failed(extract)) {
            return ART_ERROR;
        }

        if (extract->eol) {

            /* the stream broke off in a comment that was sent ahead */

            extract->eol = 0;
            *out = art_cstr("\n");
            return 1;
        }

        if (art_tape_next(&extract->tape, art_extract_hold(extract), out)) {
            return 1;
        }

        if (art_extract_is_stuck(extract)) {
            art_extract_release(extract);

        } else if (extract->p < extract->end) {

            if (art_extract_aside(extract, out)) {
                return 1;
            }

            art_extract_read(extract);

        } else if (extract->last && !extract->over) {
            art_extract_over(extract);

        } else {
            art_tape_keep(&extract->tape);

            return art_extract_has_failed(extract) ? ART_ERROR : 0;
        }
    }
}


/* Sends what is between events ahead of the events that are held. */

static int
art_extract_aside(art_extract_t *extract, art_str_t *out)
{
    size_t          n;
    const uint8_t  *p;

    if (!art_extract_is_aside(extract)) {
        return 0;
    }

    art_tape_keep(&extract->tape);

    p = extract->p;

    do {
        (void) art_sse_next(&extract->stream, extract->p,
                            (size_t) (extract->end - extract->p), &n);
        extract->p += n;

    } while (extract->p < extract->end && art_extract_is_aside(extract));

    *out = art_str(p, (size_t) (extract->p - p));

    return 1;
}


static int
art_extract_is_aside(const art_extract_t *extract)
{
    return extract->sse && !extract->done
           && extract->said.hold != ART_SAID_NOWHERE && extract->said.whole
           && art_sse_is_outside(&extract->stream, *extract->p);
}


/* Reads on, at most to the position where something held must be released. */

static void
art_extract_read(art_extract_t *extract)
{
    size_t    n;
    uint64_t  limit;

    n = (size_t) (extract->end - extract->p);
    limit = art_extract_limit(extract) - extract->tape.pos;

    if (extract->done) {
        art_tape_read(&extract->tape, extract->p, n);
        extract->p += n;
        return;
    }

    n = n < limit ? n : (size_t) limit;

    if (extract->sse) {
        art_extract_read_events(extract, n);

    } else {
        art_extract_json(extract, extract->p, n);
        art_tape_read(&extract->tape, extract->p, n);
        extract->p += n;
    }

    if (extract->said.block.large || extract->result.block.large) {
        extract->gave_up = ART_EXTRACT_LARGE;
    }

    if (art_extract_limit(extract) <= extract->tape.pos) {
        art_extract_give_up(extract);
    }
}


static void
art_extract_read_events(art_extract_t *extract, size_t len)
{
    size_t           n;
    unsigned         event;
    const uint8_t   *end;
    art_sse_token_t  token;

    end = extract->p + len;

    do {
        if (extract->late && !(extract->stream.cr && *extract->p == '\n')) {
            art_extract_event(extract, extract->tape.pos);
            return;
        }

        event = extract->stream.event;
        token = art_sse_next(&extract->stream, extract->p,
                             (size_t) (end - extract->p), &n);

        if (!event && extract->stream.event) {
            extract->event = extract->tape.pos;
            art_extract_begin(extract);
        }

        art_extract_token(extract, token, n);

    } while (extract->p < end && !extract->done
             && !art_extract_is_aside(extract));
}


static void
art_extract_token(art_extract_t *extract, art_sse_token_t token, size_t n)
{
    static const uint8_t  line = '\n';

    switch (token) {

    case ART_SSE_DATA:
        art_extract_json(extract, extract->p, n);
        break;

    case ART_SSE_LINE:
        art_extract_json(extract, &line, 1);
        break;

    default:
        break;
    }

    art_tape_read(&extract->tape, extract->p, n);
    extract->p += n;

    if (token == ART_SSE_END) {
        art_extract_dispatch(extract);
    }
}


/* The JSON text continues at the position of the tape. */

static void
art_extract_json(art_extract_t *extract, const uint8_t *p, size_t n)
{
    art_lex_seek(&extract->doc.lex, extract->tape.pos);
    (void) art_lex_feed(&extract->doc.lex, p, n);
}


/* An event has ended; the tape is at its end. */

static void
art_extract_dispatch(art_extract_t *extract)
{
    int                 rc;
    art_agent_event_t   agent;

    rc = art_lex_end(&extract->doc.lex);
    agent = rc == ART_OK && extract->doc.closed ? extract->doc.agent
                                                : ART_AGENT_OTHER;

    art_extract_forget(extract, 0, 0);
    extract->doc.answer = ART_SAID_NOWHERE;

    if (agent == ART_AGENT_ARTIFACTS) {
        extract->declared = 1;
    }

    if (!extract->done
        && (agent == ART_AGENT_RESULT || agent == ART_AGENT_DONE))
    {
        if (art_extract_keeps_event(extract)) {
            art_extract_event(extract, extract->event);

        } else {
            extract->late = 1;
        }
    }

    art_said_again_reset(&extract->again, &extract->tape);
    extract->event = ART_SAID_NOWHERE;
}


/* Nothing more comes: what is held is sent as it is. */

static void
art_extract_over(art_extract_t *extract)
{
    extract->over = 1;

    if (extract->done) {
        return;
    }

    if (extract->sse) {

        /* items after an event without its empty line would be part of it */

        if (extract->late) {
            art_extract_event(extract, extract->tape.pos);

        } else if (extract->stream.event) {
            art_extract_dispatch(extract);
        }

        extract->eol = extract->stream.state == ART_SSE_IN_COMMENT
                       && extract->tape.base < extract->tape.pos;
    }

    art_said_give_up(&extract->said, &extract->tape);
    art_said_give_up(&extract->result, &extract->tape);
    art_said_again_reset(&extract->again, &extract->tape);

    extract->doc.hold = ART_SAID_NOWHERE;
    extract->doc.answer = ART_SAID_NOWHERE;
    extract->done = 1;
}


/*
 * A hold has reached its limit.  Text that waits is first, since a block may
 * begin in it, at the same position.
 */

static void
art_extract_give_up(art_extract_t *extract)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;

    if (art_extract_is_long(extract, doc->hold)) {
        doc->hurry = 1;
        art_extract_count(extract);
        doc->hold = ART_SAID_NOWHERE;
    }

    if (art_extract_is_long(extract, doc->answer)) {
        doc->answer = ART_SAID_NOWHERE;
    }

    if (art_extract_is_long(extract, extract->again.hold)) {
        art_said_again_reset(&extract->again, &extract->tape);
        extract->again.other = 1;
        extract->gave_up = ART_EXTRACT_LONG;
    }

    if (art_extract_is_long(extract, extract->said.hold)) {
        art_said_give_up(&extract->said, &extract->tape);
        extract->gave_up = ART_EXTRACT_LONG;
    }

    if (art_extract_is_long(extract, extract->result.hold)) {
        art_said_give_up(&extract->result, &extract->tape);
        extract->gave_up = ART_EXTRACT_LONG;
    }
}


static int
art_extract_is_long(const art_extract_t *extract, uint64_t hold)
{
    return hold != ART_SAID_NOWHERE
           && extract->tape.pos - hold >= ART_EXTRACT_HELD;
}


/* Whether something is held that should have been released. */

static int
art_extract_is_stuck(const art_extract_t *extract)
{
    uint64_t  held;

    held = extract->tape.pos - extract->tape.base;

    return held > (extract->over ? 0 : ART_EXTRACT_HELD);
}


/* Sends it as it came, and so the rest: a client must not lose it. */

static void
art_extract_release(art_extract_t *extract)
{
    extract->done = 1;
    extract->said.hold = ART_SAID_NOWHERE;
    extract->result.hold = ART_SAID_NOWHERE;
    extract->again.hold = ART_SAID_NOWHERE;
    extract->doc.hold = ART_SAID_NOWHERE;
    extract->doc.answer = ART_SAID_NOWHERE;
    extract->gave_up = ART_EXTRACT_STUCK;

    art_tape_forget(&extract->tape);
}


/* The position from which on nothing may be sent. */

static uint64_t
art_extract_hold(const art_extract_t *extract)
{
    uint64_t  hold;

    hold = art_extract_blocks(extract);
    hold = hold < extract->doc.answer ? hold : extract->doc.answer;

    if (extract->strip && extract->doc.hold < hold) {
        hold = extract->doc.hold;
    }

    if (extract->event < hold && art_extract_keeps_event(extract)) {
        hold = extract->event;
    }

    /* an incomplete escape may become a "<" */

    if (extract->strip && !extract->done
        && art_lex_in_escape(&extract->doc.lex) && extract->doc.pos < hold)
    {
        hold = extract->doc.pos;
    }

    return hold;
}


/* The position of the first block that is held. */

static uint64_t
art_extract_blocks(const art_extract_t *extract)
{
    uint64_t  hold;

    hold = extract->said.hold;
    hold = hold < extract->result.hold ? hold : extract->result.hold;

    return hold < extract->again.hold ? hold : extract->again.hold;
}


/*
 * An event is held from its start while another one may have to precede it, or
 * a block may begin in it: a comment must not split it.
 */

static int
art_extract_keeps_event(const art_extract_t *extract)
{
    uint64_t                  len;
    const art_extract_doc_t  *doc;

    doc = &extract->doc;
    len = extract->tape.pos - extract->event;

    if (extract->done) {
        return 0;
    }

    if ((extract->api->flags & ART_API_AGENT)
        && (doc->agent == ART_AGENT_UNKNOWN || doc->agent == ART_AGENT_RESULT
            || doc->agent == ART_AGENT_DONE))
    {
        return len < ART_EXTRACT_RESULT;
    }

    return extract->said.strips && len < ART_EXTRACT_EVENT;
}


/* The position at which one of the holds ends. */

static uint64_t
art_extract_limit(const art_extract_t *extract)
{
    uint64_t  hold;

    hold = art_extract_blocks(extract);
    hold = hold < extract->doc.hold ? hold : extract->doc.hold;
    hold = hold < extract->doc.answer ? hold : extract->doc.answer;
    hold = hold < extract->tape.pos ? hold : extract->tape.pos;

    return hold + ART_EXTRACT_HELD;
}


static int
art_extract_has_failed(const art_extract_t *extract)
{
    return extract->failed || extract->tape.failed
           || extract->said.block.failed || extract->said.urls.failed
           || extract->result.block.failed || extract->result.urls.failed;
}
