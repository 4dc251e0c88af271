
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/declare/art_declare_int.h"


static int art_declare_aside(art_declare_t *declare, art_str_t *out);
static int art_declare_is_aside(const art_declare_t *declare);
static void art_declare_read(art_declare_t *declare);
static void art_declare_read_events(art_declare_t *declare, size_t len);
static void art_declare_token(art_declare_t *declare, art_sse_token_t token,
    size_t n);
static void art_declare_dispatch(art_declare_t *declare);
static void art_declare_over(art_declare_t *declare);
static void art_declare_give_up(art_declare_t *declare);
static int art_declare_is_long(const art_declare_t *declare, uint64_t hold);
static int art_declare_is_stuck(const art_declare_t *declare);
static void art_declare_release(art_declare_t *declare);
static uint64_t art_declare_hold(const art_declare_t *declare);
static int art_declare_keeps_event(const art_declare_t *declare);
static uint64_t art_declare_limit(const art_declare_t *declare);
static int art_declare_has_failed(const art_declare_t *declare);


void
art_declare_init(art_declare_t *declare, const art_api_t *api,
    unsigned sse, unsigned strip)
{
    memset(declare, 0, sizeof(art_declare_t));

    declare->api = api;
    declare->rules = sse ? api->text.stream : api->text.json;
    declare->sse = sse & 1;
    declare->strip = strip & 1;
    declare->event = ART_SAID_NOWHERE;
    declare->again.hold = ART_SAID_NOWHERE;
    declare->doc.hold = ART_SAID_NOWHERE;

    art_sse_init(&declare->stream);
    art_said_init(&declare->said, strip);
    art_said_init(&declare->result, strip);
    art_tape_init(&declare->tape);

    if (declare->rules == NULL) {
        declare->done = 1;
        return;
    }

    art_declare_doc_init(declare);
    art_declare_doc_begin(declare);
}


void
art_declare_done(art_declare_t *declare)
{
    free(declare->doc.runs);
    free(declare->doc.bytes);

    art_said_done(&declare->said);
    art_said_done(&declare->result);
    art_tape_done(&declare->tape);

    memset(declare, 0, sizeof(art_declare_t));
}


void
art_declare_feed(art_declare_t *declare, const uint8_t *p, size_t len,
    unsigned last)
{
    declare->p = p;
    declare->end = len > 0 ? p + len : p;
    declare->last = last & 1;
}


int
art_declare_next(art_declare_t *declare, art_str_t *out)
{
    for ( ;; ) {

        if (art_declare_has_failed(declare)) {
            return ART_ERROR;
        }

        if (declare->eol) {

            /* the stream broke off in a comment that has gone ahead */

            declare->eol = 0;
            *out = art_cstr("\n");
            return 1;
        }

        if (art_tape_next(&declare->tape, art_declare_hold(declare), out)) {
            return 1;
        }

        if (art_declare_is_stuck(declare)) {
            art_declare_release(declare);

        } else if (declare->p < declare->end) {

            if (art_declare_aside(declare, out)) {
                return 1;
            }

            art_declare_read(declare);

        } else if (declare->last && !declare->over) {
            art_declare_over(declare);

        } else {
            art_tape_keep(&declare->tape);

            return art_declare_has_failed(declare) ? ART_ERROR : 0;
        }
    }
}


/* What is between events goes ahead of those that are held. */

static int
art_declare_aside(art_declare_t *declare, art_str_t *out)
{
    size_t          n;
    const uint8_t  *p;

    if (!art_declare_is_aside(declare)) {
        return 0;
    }

    art_tape_keep(&declare->tape);

    p = declare->p;

    do {
        (void) art_sse_next(&declare->stream, declare->p,
                            (size_t) (declare->end - declare->p), &n);
        declare->p += n;

    } while (declare->p < declare->end && art_declare_is_aside(declare));

    *out = art_str(p, (size_t) (declare->p - p));

    return 1;
}


static int
art_declare_is_aside(const art_declare_t *declare)
{
    return declare->sse && !declare->done
           && declare->said.hold != ART_SAID_NOWHERE && declare->said.whole
           && art_sse_is_outside(&declare->stream, *declare->p);
}


/* Reads on, at most up to where something that is held has to go. */

static void
art_declare_read(art_declare_t *declare)
{
    size_t    n;
    uint64_t  limit;

    n = (size_t) (declare->end - declare->p);
    limit = art_declare_limit(declare) - declare->tape.pos;

    if (declare->done) {
        art_tape_read(&declare->tape, declare->p, n);
        declare->p += n;
        return;
    }

    n = n < limit ? n : (size_t) limit;

    if (declare->sse) {
        art_declare_read_events(declare, n);

    } else {
        art_declare_doc_read(declare, declare->p, n);
        art_tape_read(&declare->tape, declare->p, n);
        declare->p += n;
    }

    if (declare->said.block.large || declare->result.block.large) {
        declare->gave_up = ART_DECLARE_LARGE;
    }

    if (art_declare_limit(declare) <= declare->tape.pos) {
        art_declare_give_up(declare);
    }
}


static void
art_declare_read_events(art_declare_t *declare, size_t len)
{
    size_t           n;
    unsigned         event;
    const uint8_t   *end;
    art_sse_token_t  token;

    end = declare->p + len;

    do {
        if (declare->late && !(declare->stream.cr && *declare->p == '\n')) {
            art_declare_event(declare, declare->tape.pos);
            return;
        }

        event = declare->stream.event;
        token = art_sse_next(&declare->stream, declare->p,
                             (size_t) (end - declare->p), &n);

        if (!event && declare->stream.event) {
            declare->event = declare->tape.pos;
            art_declare_doc_begin(declare);
        }

        art_declare_token(declare, token, n);

    } while (declare->p < end && !declare->done
             && !art_declare_is_aside(declare));
}


static void
art_declare_token(art_declare_t *declare, art_sse_token_t token, size_t n)
{
    static const uint8_t  line = '\n';

    switch (token) {

    case ART_SSE_DATA:
        art_declare_doc_read(declare, declare->p, n);
        break;

    case ART_SSE_LINE:
        art_declare_doc_read(declare, &line, 1);
        break;

    default:
        break;
    }

    art_tape_read(&declare->tape, declare->p, n);
    declare->p += n;

    if (token == ART_SSE_END) {
        art_declare_dispatch(declare);
    }
}


/* An event is over; the tape is at its end. */

static void
art_declare_dispatch(art_declare_t *declare)
{
    int                 rc;
    art_agent_event_t   agent;

    rc = art_declare_doc_end(declare);
    agent = rc == ART_OK ? declare->doc.agent : ART_AGENT_OTHER;

    if (agent == ART_AGENT_ARTIFACTS) {
        declare->declared = 1;
    }

    if (!declare->done
        && (agent == ART_AGENT_RESULT || agent == ART_AGENT_DONE))
    {
        if (art_declare_keeps_event(declare)) {
            art_declare_event(declare, declare->event);

        } else {
            declare->late = 1;
        }
    }

    art_said_again_reset(&declare->again, &declare->tape);
    declare->event = ART_SAID_NOWHERE;
}


/* Nothing more comes: what is held goes out as it is. */

static void
art_declare_over(art_declare_t *declare)
{
    declare->over = 1;

    if (declare->done) {
        return;
    }

    if (declare->sse) {

        /* items after an event without its empty line would be part of it */

        if (declare->late) {
            art_declare_event(declare, declare->tape.pos);

        } else if (declare->stream.event) {
            art_declare_dispatch(declare);
        }

        declare->eol = declare->stream.state == ART_SSE_IN_COMMENT
                       && declare->tape.base < declare->tape.pos;
    }

    art_said_give_up(&declare->said, &declare->tape);
    art_said_give_up(&declare->result, &declare->tape);
    art_said_again_reset(&declare->again, &declare->tape);

    declare->doc.hold = ART_SAID_NOWHERE;
    declare->done = 1;
}


/*
 * The position has come up to which something may be held.  Text that waits is
 * first, since it may be what begins a block, from the same position on.
 */

static void
art_declare_give_up(art_declare_t *declare)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (art_declare_is_long(declare, doc->hold)) {
        doc->hurry = 1;
        art_declare_count(declare);
        doc->hold = ART_SAID_NOWHERE;
    }

    if (art_declare_is_long(declare, declare->again.hold)) {
        art_said_again_reset(&declare->again, &declare->tape);
        declare->again.other = 1;
        declare->gave_up = ART_DECLARE_LONG;
    }

    if (art_declare_is_long(declare, declare->said.hold)) {
        art_said_give_up(&declare->said, &declare->tape);
        declare->gave_up = ART_DECLARE_LONG;
    }

    if (art_declare_is_long(declare, declare->result.hold)) {
        art_said_give_up(&declare->result, &declare->tape);
        declare->gave_up = ART_DECLARE_LONG;
    }
}


static int
art_declare_is_long(const art_declare_t *declare, uint64_t hold)
{
    return hold != ART_SAID_NOWHERE
           && declare->tape.pos - hold >= ART_DECLARE_HELD;
}


/* Whether something is held that should have been let go. */

static int
art_declare_is_stuck(const art_declare_t *declare)
{
    uint64_t  held;

    held = declare->tape.pos - declare->tape.base;

    return held > (declare->over ? 0 : ART_DECLARE_HELD);
}


/* It goes out as it came, and so does the rest: a client must not lose it. */

static void
art_declare_release(art_declare_t *declare)
{
    declare->done = 1;
    declare->said.hold = ART_SAID_NOWHERE;
    declare->result.hold = ART_SAID_NOWHERE;
    declare->again.hold = ART_SAID_NOWHERE;
    declare->doc.hold = ART_SAID_NOWHERE;
    declare->gave_up = ART_DECLARE_STUCK;

    art_tape_forget(&declare->tape);
}


/* From where on nothing may go out. */

static uint64_t
art_declare_hold(const art_declare_t *declare)
{
    uint64_t  hold;

    hold = declare->said.hold;
    hold = hold < declare->result.hold ? hold : declare->result.hold;
    hold = hold < declare->again.hold ? hold : declare->again.hold;

    if (declare->strip && declare->doc.hold < hold) {
        hold = declare->doc.hold;
    }

    if (declare->event < hold && art_declare_keeps_event(declare)) {
        hold = declare->event;
    }

    /* half an escape may become a "<" */

    if (declare->strip && !declare->done
        && art_lex_in_escape(&declare->doc.lex) && declare->doc.pos < hold)
    {
        hold = declare->doc.pos;
    }

    return hold;
}


/*
 * An event is held from its begin while it may be one before which another has
 * to go, or in which a block begins: a comment must not come into its midst.
 */

static int
art_declare_keeps_event(const art_declare_t *declare)
{
    uint64_t                  len;
    const art_declare_doc_t  *doc;

    doc = &declare->doc;
    len = declare->tape.pos - declare->event;

    if (declare->done) {
        return 0;
    }

    if ((declare->api->flags & ART_API_AGENT)
        && (doc->agent == ART_AGENT_UNKNOWN || doc->agent == ART_AGENT_RESULT
            || doc->agent == ART_AGENT_DONE))
    {
        return len < ART_DECLARE_RESULT;
    }

    return declare->said.strips && len < ART_DECLARE_EVENT;
}


/* The position at which one of the holds ends. */

static uint64_t
art_declare_limit(const art_declare_t *declare)
{
    uint64_t  hold;

    hold = declare->said.hold;
    hold = hold < declare->result.hold ? hold : declare->result.hold;
    hold = hold < declare->again.hold ? hold : declare->again.hold;
    hold = hold < declare->doc.hold ? hold : declare->doc.hold;
    hold = hold < declare->tape.pos ? hold : declare->tape.pos;

    return hold + ART_DECLARE_HELD;
}


static int
art_declare_has_failed(const art_declare_t *declare)
{
    return declare->failed || declare->tape.failed
           || declare->said.block.failed || declare->said.urls.failed
           || declare->result.block.failed || declare->result.urls.failed;
}
