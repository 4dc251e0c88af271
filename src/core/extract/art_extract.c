
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/extract/art_extract.h"


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
static void art_extract_forget(art_extract_t *extract, size_t runs,
    size_t bytes);
static void art_extract_count(art_extract_t *extract);
static void art_extract_event(art_extract_t *extract, uint64_t pos);
static int art_doc_enter(void *data, art_walk_frame_t *frame);
static int art_doc_leave(void *data, art_walk_frame_t *frame, uint64_t end);
static void art_doc_root(art_extract_t *extract, uint64_t pos);
static void art_doc_answer(art_extract_t *extract,
    const art_extract_frame_t *frame, uint64_t pos);
static int art_doc_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t art_doc_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_doc_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_doc_note(art_extract_t *extract, art_extract_frame_t *frame,
    const art_extract_rule_t *rule, const art_lex_value_t *value);
static art_agent_event_t art_doc_agent(art_str_t type);
static void art_doc_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static int art_doc_is_settled(const art_extract_t *extract, unsigned depth);
static void art_extract_text(art_extract_t *extract,
    const art_answer_run_t *run);
static size_t art_extract_room(const art_extract_t *extract,
    const art_answer_run_t *run);
static void art_extract_say(art_extract_t *extract, art_extract_says_t says,
    const art_answer_run_t *run);
static void art_extract_wait(art_extract_t *extract,
    const art_answer_run_t *run);
static int art_extract_goes_on(const art_extract_doc_t *doc,
    const art_answer_run_t *run);
static uint16_t art_extract_raw(const art_answer_run_t *run);
static art_extract_run_t *art_extract_last_run(art_extract_t *extract,
    const art_answer_run_t *run);
static void art_extract_member(art_extract_t *extract, uint64_t pos);
static int art_extract_print(art_extract_t *extract, const char *before,
    const char *after, const char *eol);


static const art_extract_rule_t  art_doc_rule = {
    { NULL, ART_WALK_NONE, ART_EXTRACT_ROOT, ART_EXTRACT_ROOTS,
      ART_SAYS_NOTHING },
    NULL
};


/* Takes what the walk through a JSON text finds; its data is the extract. */

static const art_walk_observer_t  art_doc_observer = {
    sizeof(art_extract_rule_t),
    sizeof(art_extract_frame_t),
    ART_EXTRACT_FRAMES,
    &art_doc_rule.walk,
    art_doc_enter,
    art_doc_leave,
    art_doc_key,
    art_doc_wants,
    NULL,
    art_doc_value,
    art_doc_text
};


void
art_extract_init(art_extract_t *extract, const art_api_t *api,
    unsigned sse, unsigned strip)
{
    memset(extract, 0, sizeof(art_extract_t));

    extract->api = api;
    extract->rules = sse ? api->text.stream : api->text.json;
    extract->sse = sse & 1;
    extract->strip = strip & 1;
    extract->event = ART_EXTRACT_NOWHERE;
    extract->again.hold = ART_EXTRACT_NOWHERE;
    extract->doc.hold = ART_EXTRACT_NOWHERE;
    extract->doc.answer = ART_EXTRACT_NOWHERE;

    art_sse_init(&extract->stream);
    art_answer_init(&extract->answer, strip);
    art_answer_init(&extract->result, strip);

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
    doc->hold = ART_EXTRACT_NOWHERE;
    doc->answer = ART_EXTRACT_NOWHERE;
}


void
art_extract_done(art_extract_t *extract)
{
    free(extract->doc.runs);
    free(extract->doc.bytes);

    art_answer_done(&extract->answer);
    art_answer_done(&extract->result);
    art_edits_done(&extract->edits);

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

        if (art_edits_next(&extract->edits, art_extract_hold(extract), out)) {
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
            art_edits_keep(&extract->edits);

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

    art_edits_keep(&extract->edits);

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
           && extract->answer.hold != ART_EXTRACT_NOWHERE
           && extract->answer.whole
           && art_sse_is_outside(&extract->stream, *extract->p);
}


/* Reads on, at most to the position where something held must be released. */

static void
art_extract_read(art_extract_t *extract)
{
    size_t    n;
    uint64_t  limit;

    n = (size_t) (extract->end - extract->p);
    limit = art_extract_limit(extract) - extract->edits.pos;

    if (extract->done) {
        art_edits_read(&extract->edits, extract->p, n);
        extract->p += n;
        return;
    }

    n = n < limit ? n : (size_t) limit;

    if (extract->sse) {
        art_extract_read_events(extract, n);

    } else {
        art_extract_json(extract, extract->p, n);
        art_edits_read(&extract->edits, extract->p, n);
        extract->p += n;
    }

    if (extract->answer.block.large || extract->result.block.large) {
        extract->gave_up = ART_EXTRACT_LARGE;
    }

    if (art_extract_limit(extract) <= extract->edits.pos) {
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
            art_extract_event(extract, extract->edits.pos);
            return;
        }

        event = extract->stream.event;
        token = art_sse_next(&extract->stream, extract->p,
                             (size_t) (end - extract->p), &n);

        if (!event && extract->stream.event) {
            extract->event = extract->edits.pos;
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

    art_edits_read(&extract->edits, extract->p, n);
    extract->p += n;

    if (token == ART_SSE_END) {
        art_extract_dispatch(extract);
    }
}


/* The JSON text continues at the position of the edits. */

static void
art_extract_json(art_extract_t *extract, const uint8_t *p, size_t n)
{
    art_lex_seek(&extract->doc.lex, extract->edits.pos);
    (void) art_lex_feed(&extract->doc.lex, p, n);
}


/* An event has ended; the edits is at its end. */

static void
art_extract_dispatch(art_extract_t *extract)
{
    int                 rc;
    art_agent_event_t   agent;

    rc = art_lex_end(&extract->doc.lex);
    agent = rc == ART_OK && extract->doc.closed ? extract->doc.agent
                                                : ART_AGENT_OTHER;

    art_extract_forget(extract, 0, 0);
    extract->doc.answer = ART_EXTRACT_NOWHERE;

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

    art_answer_again_reset(&extract->again, &extract->edits);
    extract->event = ART_EXTRACT_NOWHERE;
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
            art_extract_event(extract, extract->edits.pos);

        } else if (extract->stream.event) {
            art_extract_dispatch(extract);
        }

        extract->eol = extract->stream.state == ART_SSE_IN_COMMENT
                       && extract->edits.base < extract->edits.pos;
    }

    art_answer_give_up(&extract->answer, &extract->edits);
    art_answer_give_up(&extract->result, &extract->edits);
    art_answer_again_reset(&extract->again, &extract->edits);

    extract->doc.hold = ART_EXTRACT_NOWHERE;
    extract->doc.answer = ART_EXTRACT_NOWHERE;
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
        doc->hold = ART_EXTRACT_NOWHERE;
    }

    if (art_extract_is_long(extract, doc->answer)) {
        doc->answer = ART_EXTRACT_NOWHERE;
    }

    if (art_extract_is_long(extract, extract->again.hold)) {
        art_answer_again_reset(&extract->again, &extract->edits);
        extract->again.other = 1;
        extract->gave_up = ART_EXTRACT_LONG;
    }

    if (art_extract_is_long(extract, extract->answer.hold)) {
        art_answer_give_up(&extract->answer, &extract->edits);
        extract->gave_up = ART_EXTRACT_LONG;
    }

    if (art_extract_is_long(extract, extract->result.hold)) {
        art_answer_give_up(&extract->result, &extract->edits);
        extract->gave_up = ART_EXTRACT_LONG;
    }
}


static int
art_extract_is_long(const art_extract_t *extract, uint64_t hold)
{
    return hold != ART_EXTRACT_NOWHERE
           && extract->edits.pos - hold >= ART_EXTRACT_HELD;
}


/* Whether something is held that should have been released. */

static int
art_extract_is_stuck(const art_extract_t *extract)
{
    uint64_t  held;

    held = extract->edits.pos - extract->edits.base;

    return held > (extract->over ? 0 : ART_EXTRACT_HELD);
}


/* Sends it as it came, and so the rest: a client must not lose it. */

static void
art_extract_release(art_extract_t *extract)
{
    extract->done = 1;
    extract->answer.hold = ART_EXTRACT_NOWHERE;
    extract->result.hold = ART_EXTRACT_NOWHERE;
    extract->again.hold = ART_EXTRACT_NOWHERE;
    extract->doc.hold = ART_EXTRACT_NOWHERE;
    extract->doc.answer = ART_EXTRACT_NOWHERE;
    extract->gave_up = ART_EXTRACT_STUCK;

    art_edits_forget(&extract->edits);
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

    hold = extract->answer.hold;
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
    len = extract->edits.pos - extract->event;

    if (extract->done) {
        return 0;
    }

    if ((extract->api->flags & ART_API_AGENT)
        && (doc->agent == ART_AGENT_UNKNOWN || doc->agent == ART_AGENT_RESULT
            || doc->agent == ART_AGENT_DONE))
    {
        return len < ART_EXTRACT_RESULT;
    }

    return extract->answer.strips && len < ART_EXTRACT_EVENT;
}


/* The position at which one of the holds ends. */

static uint64_t
art_extract_limit(const art_extract_t *extract)
{
    uint64_t  hold;

    hold = art_extract_blocks(extract);
    hold = hold < extract->doc.hold ? hold : extract->doc.hold;
    hold = hold < extract->doc.answer ? hold : extract->doc.answer;
    hold = hold < extract->edits.pos ? hold : extract->edits.pos;

    return hold + ART_EXTRACT_HELD;
}


static int
art_extract_has_failed(const art_extract_t *extract)
{
    return extract->failed || extract->edits.failed
           || extract->answer.block.failed || extract->answer.urls.failed
           || extract->result.block.failed || extract->result.urls.failed;
}


static int
art_doc_enter(void *data, art_walk_frame_t *frame)
{
    art_extract_t             *extract;
    art_walk_frame_t          *parent;
    art_extract_doc_t         *doc;
    art_extract_frame_t       *own;
    const art_extract_rule_t  *rule;

    extract = data;
    doc = &extract->doc;

    if (frame->node == ART_EXTRACT_ROOTS && extract->sse) {
        frame->node = ART_EXTRACT_NO_NODE;
    }

    if (frame->node == ART_EXTRACT_NO_NODE) {
        return ART_OK;
    }

    parent = art_walk_parent(&doc->walk);
    own = art_walk_top(&doc->walk);

    memset(&own->nth, 0,
           sizeof(art_extract_frame_t) - offsetof(art_extract_frame_t, nth));

    own->nth = parent->count - 1;
    own->runs = doc->nruns;
    own->bytes = doc->nbytes;

    if (frame->node == ART_EXTRACT_ROOTS) {
        doc->array = 1;

    } else if (frame->node == ART_EXTRACT_ROOT) {
        doc->final = 0;
        doc->hurry = 0;
    }

    for (rule = art_walk_rules(&doc->walk, frame->node);
         rule != NULL && rule->walk.in == frame->node; rule++)
    {
        own->kind |= rule->walk.act == ART_SAYS_KIND;
        own->index |= rule->walk.act == ART_SAYS_INDEX;
        own->not |= rule->walk.act == ART_SAYS_NOT;
        own->ends |= rule->walk.act == ART_SAYS_FINAL;
    }

    /* a document has its elements in order, whatever their index says */

    if (own->index && !extract->sse && !doc->array) {
        own->index = 0;
        own->other = own->nth > 0;
        own->mute = own->nth > 0;
    }

    return ART_OK;
}


static int
art_doc_leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    unsigned              other;
    art_extract_t        *extract;
    art_extract_doc_t    *doc;
    art_extract_frame_t  *own;

    extract = data;
    doc = &extract->doc;

    if (frame->node == ART_EXTRACT_NO_NODE || frame->node == ART_EXTRACT_ROOTS)
    {
        return ART_OK;
    }

    own = art_walk_top(&doc->walk);
    other = own->other || (own->index && own->nth > 0);

    if (own->mute || own->kind || other) {
        art_extract_forget(extract, own->runs, own->bytes);
    }

    if (own->final && !other) {
        doc->final = 1;
    }

    if (art_doc_is_settled(extract, doc->walk.depth - 1)) {
        art_extract_count(extract);
    }

    if (frame->node == ART_EXTRACT_ROOT) {
        art_doc_root(extract, end - 1);

    } else if (frame->rule->act == ART_SAYS_ANSWER) {
        art_doc_answer(extract, own, end - 1);
    }

    return ART_OK;
}


/* The root, or one of an array of roots, ends with the brace at "pos". */

static void
art_doc_root(art_extract_t *extract, uint64_t pos)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;
    doc->closed = 1;

    if (!extract->done
        && (doc->final || (!extract->sse && !doc->array)))
    {
        art_extract_member(extract, pos);
    }

    doc->answer = ART_EXTRACT_NOWHERE;
}


/*
 * The object that is the whole answer ends with the brace at "pos", from where
 * on the event is held to its end: "type" may be the last of its members.
 */

static void
art_doc_answer(art_extract_t *extract, const art_extract_frame_t *frame,
    uint64_t pos)
{
    art_extract_doc_t          *doc;
    const art_extract_frame_t  *event;

    doc = &extract->doc;
    event = art_walk_parent(&doc->walk);

    doc->answer = ART_EXTRACT_NOWHERE;

    if (!frame->declared && (event->final || event->ends)) {
        doc->answer = pos;
        doc->empty = frame->walk.count == 0;
    }
}


static int
art_doc_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_extract_t        *extract;
    art_extract_frame_t  *frame;

    (void) pos;
    (void) end;

    extract = data;
    frame = art_walk_top(&extract->doc.walk);

    frame->declared |= art_str_eq(key, art_cstr("artifacts")) != 0;

    return ART_OK;
}


static size_t
art_doc_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    unsigned            i;
    art_extract_t      *extract;
    art_extract_doc_t  *doc;

    extract = data;
    doc = &extract->doc;

    /* what follows the items in the same piece need not wait */

    if (extract->done || rule->act == ART_SAYS_NOTHING) {
        return 0;
    }

    doc->says = rule->act;

    if (doc->says > ART_SAYS_REPEAT) {
        return ART_LEX_KEY_MAX;
    }

    if (doc->says == ART_SAYS_TEXT
        && art_block_is_complete(&extract->answer.block))
    {
        return 0;
    }

    for (i = 1; i <= doc->walk.depth; i++) {
        if (doc->frames[i].mute) {
            return 0;
        }
    }

    doc->pos = pos + 1;
    doc->waits = doc->says != ART_SAYS_REPEAT
                 && !art_doc_is_settled(extract, doc->walk.depth);

    return ART_LEX_STREAM;
}


static int
art_doc_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_extract_t             *extract;
    const art_extract_rule_t  *own;

    extract = data;

    if (rule->act <= ART_SAYS_TEXT) {
        return ART_OK;
    }

    /* a key may have several rules */

    own = (const void *) rule;

    do {
        art_doc_note(extract, art_walk_top(&extract->doc.walk), own++, value);

    } while (own->walk.in == rule->in && strcmp(own->walk.key, rule->key) == 0);

    return ART_OK;
}


/* Notes a value that says something about the object around it. */

static void
art_doc_note(art_extract_t *extract, art_extract_frame_t *frame,
    const art_extract_rule_t *rule, const art_lex_value_t *value)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;

    switch (rule->walk.act) {

    case ART_SAYS_RESULT:
        doc->result = value->string;
        break;

    case ART_SAYS_KIND:

        if (value->string && art_str_eq(value->text, art_cstr(rule->word))) {
            frame->kind = 0;
        }

        break;

    case ART_SAYS_NOT:
        frame->mute |= value->first == 't';
        break;

    case ART_SAYS_INDEX:

        if (frame->index) {
            frame->index = 0;
            frame->other = !(value->first == '0'
                             && value->end - value->pos == 1);
            frame->mute |= frame->other;
        }

        break;

    case ART_SAYS_FINAL:
        frame->ends = 0;
        frame->final |= value->string && value->text.len > 0
                        && (rule->word == NULL
                            || art_str_eq(value->text, art_cstr(rule->word)));
        break;

    case ART_SAYS_TYPE:

        /* the first one decided whether the event is sent */

        if (doc->agent == ART_AGENT_UNKNOWN) {
            doc->agent = value->string ? art_doc_agent(value->text)
                                       : ART_AGENT_OTHER;
        }

        break;

    default:
        return;
    }

    if (frame->mute) {
        art_extract_forget(extract, frame->runs, frame->bytes);
    }

    if (art_doc_is_settled(extract, doc->walk.depth)) {
        art_extract_count(extract);
    }
}


static art_agent_event_t
art_doc_agent(art_str_t type)
{
    size_t  i;

    static const struct {
        const char         *type;
        art_agent_event_t   event;
    } events[] = {
        { "text", ART_AGENT_TEXT },
        { "result", ART_AGENT_RESULT },
        { "done", ART_AGENT_DONE },
        { "artifacts", ART_AGENT_ARTIFACTS }
    };

    for (i = 0; i < art_nitems(events); i++) {
        if (art_str_eq(type, art_cstr(events[i].type))) {
            return events[i].event;
        }
    }

    return ART_AGENT_OTHER;
}


static void
art_doc_text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    art_extract_t    *extract;
    art_answer_run_t  run;

    extract = data;

    run.p = p;
    run.n = n;
    run.pos = extract->doc.pos;
    run.end = end;

    extract->doc.pos = end;

    art_extract_text(extract, &run);
}


/* Whether all "depth" frames around a text are known to let it count. */

static int
art_doc_is_settled(const art_extract_t *extract, unsigned depth)
{
    unsigned                    i;
    const art_extract_doc_t    *doc;
    const art_extract_frame_t  *frame;

    doc = &extract->doc;

    if (extract->sse && (extract->api->flags & ART_API_AGENT)
        && doc->agent == ART_AGENT_UNKNOWN)
    {
        return 0;
    }

    for (i = 1; i <= depth; i++) {
        frame = &doc->frames[i];

        if (frame->kind || frame->index || frame->not) {
            return 0;
        }
    }

    return 1;
}


/* A piece of text, of doc->says, which waits or counts. */

static void
art_extract_text(art_extract_t *extract, const art_answer_run_t *run)
{
    size_t              n;
    art_answer_run_t    rest;
    art_extract_doc_t  *doc;

    doc = &extract->doc;

    if (!doc->waits || doc->hurry) {
        art_extract_say(extract, doc->says, run);
        return;
    }

    n = art_extract_room(extract, run);

    if (run->n <= n) {
        art_extract_wait(extract, run);
        return;
    }

    /* too much: the text counts as what it is so far */

    rest = *run;

    if (run->end - run->pos == run->n && n > 0) {
        rest.n = n;
        rest.end = rest.pos + n;
        art_extract_wait(extract, &rest);

        rest = *run;
        rest.p += n;
        rest.n -= n;
        rest.pos += n;
    }

    doc->hurry = 1;
    art_extract_count(extract);
    art_extract_say(extract, doc->says, &rest);
}


/* How many bytes of a run may still wait. */

static size_t
art_extract_room(const art_extract_t *extract, const art_answer_run_t *run)
{
    const art_extract_doc_t  *doc;

    doc = &extract->doc;

    if (!art_extract_goes_on(doc, run)
        && doc->nruns == ART_EXTRACT_PLACES / sizeof(art_extract_run_t))
    {
        return 0;
    }

    return ART_EXTRACT_WAIT - doc->nbytes;
}


static void
art_extract_say(art_extract_t *extract, art_extract_says_t says,
    const art_answer_run_t *run)
{
    uint64_t            event;
    art_extract_doc_t  *doc;

    doc = &extract->doc;
    event = extract->sse ? extract->event : ART_EXTRACT_NOWHERE;

    switch (says) {

    case ART_SAYS_TEXT:

        if (doc->agent != ART_AGENT_TEXT && extract->sse
            && (extract->api->flags & ART_API_AGENT))
        {
            break;
        }

        art_answer_read(&extract->answer, &extract->edits, run, event,
                        ART_EXTRACT_EVENT);
        break;

    case ART_SAYS_RESULT:

        if (doc->agent != ART_AGENT_RESULT) {
            break;
        }

        art_answer_give_up(&extract->answer, &extract->edits);
        art_answer_read(&extract->result, &extract->edits, run,
                        ART_EXTRACT_NOWHERE, 0);
        break;

    default:  /* ART_SAYS_REPEAT */

        if (extract->answer.cut) {
            art_answer_again(&extract->again, &extract->answer, &extract->edits,
                             run);
        }
    }
}


static void
art_extract_wait(art_extract_t *extract, const art_answer_run_t *run)
{
    uint8_t            *bytes;
    uint64_t            pos;
    const uint8_t      *lt;
    art_extract_doc_t  *doc;
    art_extract_run_t  *last;

    doc = &extract->doc;

    last = art_extract_last_run(extract, run);
    bytes = last != NULL ? art_array_extend(doc->bytes, doc->nbytes, run->n,
                                            &doc->bytes_room, 1)
                         : NULL;

    if (bytes == NULL) {
        extract->failed = 1;
        return;
    }

    memcpy(bytes + doc->nbytes, run->p, run->n);

    doc->bytes = bytes;
    doc->nbytes += run->n;
    last->n += run->n;
    last->end = run->end;

    lt = memchr(run->p, '<', run->n);

    if (lt != NULL && doc->hold == ART_EXTRACT_NOWHERE) {
        pos = run->end - run->pos == run->n
              ? run->pos + (uint64_t) (lt - run->p) : run->pos;

        doc->hold = extract->sse && pos - extract->event < ART_EXTRACT_EVENT
                    ? extract->event : pos;
        doc->hold_run = doc->nruns - 1;
    }
}


/* Whether a run continues the last waiting one, with characters of one size. */

static int
art_extract_goes_on(const art_extract_doc_t *doc, const art_answer_run_t *run)
{
    const art_extract_run_t  *last;

    if (doc->nruns == 0) {
        return 0;
    }

    last = &doc->runs[doc->nruns - 1];

    if (last->end != run->pos || last->raw != art_extract_raw(run)) {
        return 0;
    }

    return last->raw == 1 || last->each == run->n;
}


/* The bytes in the stream of each character of an escape, or 1. */

static uint16_t
art_extract_raw(const art_answer_run_t *run)
{
    return run->end - run->pos == run->n ? 1
                                         : (uint16_t) (run->end - run->pos);
}


/* The run that these bytes continue, or a new one. */

static art_extract_run_t *
art_extract_last_run(art_extract_t *extract, const art_answer_run_t *run)
{
    art_extract_doc_t  *doc;
    art_extract_run_t  *runs, *last;

    doc = &extract->doc;

    if (art_extract_goes_on(doc, run)) {
        return &doc->runs[doc->nruns - 1];
    }

    runs = art_array_grow(doc->runs, doc->nruns, &doc->runs_room,
                          sizeof(art_extract_run_t));
    if (runs == NULL) {
        return NULL;
    }

    doc->runs = runs;
    last = &runs[doc->nruns++];

    last->pos = run->pos;
    last->end = run->pos;
    last->n = 0;
    last->each = (uint16_t) run->n;
    last->raw = art_extract_raw(run);
    last->says = doc->says;

    return last;
}


static void
art_extract_forget(art_extract_t *extract, size_t runs, size_t bytes)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;

    if (doc->nruns <= runs) {
        return;
    }

    doc->nruns = runs;
    doc->nbytes = bytes;

    if (doc->hold != ART_EXTRACT_NOWHERE && doc->hold_run >= runs) {
        doc->hold = ART_EXTRACT_NOWHERE;
    }
}


/*
 * Counts all text that waits, or drops it from run "runs" and byte "bytes" on.
 */

static void
art_extract_count(art_extract_t *extract)
{
    size_t              i, left;
    art_answer_run_t    run;
    art_extract_doc_t  *doc;
    art_extract_run_t  *wait;

    doc = &extract->doc;
    run.p = doc->bytes;

    for (i = 0; i < doc->nruns; i++) {
        wait = &doc->runs[i];
        run.pos = wait->pos;

        for (left = wait->n; left > 0; left -= run.n) {
            run.n = wait->raw == 1 ? left : wait->each;
            run.end = run.pos + (wait->raw == 1 ? left : wait->raw);

            art_extract_say(extract, wait->says, &run);

            run.p += run.n;
            run.pos = run.end;
        }
    }

    art_extract_forget(extract, 0, 0);
}


/*
 * The text has ended: inserts what was declared at "pos", the end of the
 * document or of the event, and at that of the answer in it.
 */

static void
art_extract_member(art_extract_t *extract, uint64_t pos)
{
    art_extract_doc_t          *doc;
    const art_extract_frame_t  *root;

    doc = &extract->doc;
    root = art_walk_top(&doc->walk);

    art_answer_give_up(&extract->answer, &extract->edits);
    art_answer_again_reset(&extract->again, &extract->edits);
    extract->done = 1;

    if ((root->declared && doc->answer == ART_EXTRACT_NOWHERE)
        || !art_extract_print(extract, ",\"artifacts\":", "", ""))
    {
        return;
    }

    if (doc->answer != ART_EXTRACT_NOWHERE) {
        art_edits_put(&extract->edits, doc->answer,
                      doc->empty ? ART_EDITS_REST : ART_EDITS_TEXT);
    }

    if (!root->declared) {
        art_edits_put(&extract->edits, pos, ART_EDITS_TEXT);
    }
}


/* An agent's text has ended: adds the declared items as an event at "pos". */

static void
art_extract_event(art_extract_t *extract, uint64_t pos)
{
    art_answer_give_up(&extract->answer, &extract->edits);
    art_answer_give_up(&extract->result, &extract->edits);
    extract->done = 1;

    if (!extract->declared
        && art_extract_print(extract,
                             "data: {\"type\":\"artifacts\",\"items\":", "}",
                             art_sse_eol(&extract->stream)))
    {
        art_edits_put(&extract->edits, pos, ART_EDITS_TEXT);
    }
}


/*
 * Writes the items between two texts, and two line ends after them, as the text
 * of the edits; returns 0 without items, or when out of memory.
 */

static int
art_extract_print(art_extract_t *extract, const char *before,
    const char *after, const char *eol)
{
    size_t              n;
    art_out_t           out;
    art_answer_text_t  *answer;

    answer = extract->doc.result ? &extract->result : &extract->answer;

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, before);
        n = art_answer_print(answer, &out);
        art_out_cstr(&out, after);
        art_out_cstr(&out, eol);
        art_out_cstr(&out, eol);
    } while (n > 0 && art_out_again(&out, NULL));

    if (n == 0) {
        return 0;
    }

    if (out.data == NULL) {
        extract->failed = 1;
        return 0;
    }

    extract->nitems += n;
    extract->edits.text = out.data;
    extract->edits.text_len = out.len;

    return 1;
}
