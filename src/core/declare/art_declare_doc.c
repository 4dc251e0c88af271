
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/declare/art_declare_int.h"


static int art_doc_enter(void *data, art_walk_frame_t *frame);
static int art_doc_leave(void *data, art_walk_frame_t *frame, uint64_t end);
static void art_doc_root(art_declare_t *declare, uint64_t pos);
static int art_doc_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t art_doc_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_doc_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_doc_note(art_declare_t *declare, art_declare_frame_t *frame,
    const art_declare_rule_t *rule, const art_lex_value_t *value);
static art_agent_event_t art_doc_agent(art_str_t type);
static void art_doc_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static int art_doc_is_settled(const art_declare_t *declare, unsigned depth);
static void art_declare_text(art_declare_t *declare,
    const art_said_run_t *run);
static size_t art_declare_room(const art_declare_t *declare,
    const art_said_run_t *run);
static void art_declare_say(art_declare_t *declare, art_declare_says_t says,
    const art_said_run_t *run);
static void art_declare_wait(art_declare_t *declare,
    const art_said_run_t *run);
static int art_declare_goes_on(const art_declare_doc_t *doc,
    const art_said_run_t *run);
static uint16_t art_declare_raw(const art_said_run_t *run);
static art_declare_run_t *art_declare_last_run(art_declare_t *declare,
    const art_said_run_t *run);
static void art_declare_forget(art_declare_t *declare, size_t runs,
    size_t bytes);
static void art_declare_member(art_declare_t *declare, uint64_t pos);
static void art_declare_put(art_declare_t *declare, uint64_t pos,
    const char *before, const char *after, const char *eol);


static const art_declare_rule_t  art_doc_rule = {
    { NULL, ART_WALK_NONE, ART_DECLARE_ROOT, ART_DECLARE_ROOTS,
      ART_SAYS_NOTHING },
    NULL
};

static const art_walk_observer_t  art_doc_observer = {
    sizeof(art_declare_rule_t),
    sizeof(art_declare_frame_t),
    ART_DECLARE_FRAMES,
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
art_declare_doc_init(art_declare_t *declare)
{
    art_walk_init(&declare->doc.walk, &art_doc_observer, declare->rules,
                  declare->doc.frames, declare);
}


void
art_declare_doc_begin(art_declare_t *declare)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    art_walk_reset(&doc->walk);
    art_lex_init(&doc->lex, &art_walk_tokens, &doc->walk, doc->text,
                 sizeof(doc->text));

    doc->agent = ART_AGENT_UNKNOWN;
    doc->array = 0;
    doc->final = 0;
    doc->declared = 0;
    doc->result = 0;
    doc->closed = 0;
    doc->hold = ART_SAID_NOWHERE;
}


void
art_declare_doc_read(art_declare_t *declare, const uint8_t *p, size_t n)
{
    art_lex_seek(&declare->doc.lex, declare->tape.pos);
    (void) art_lex_feed(&declare->doc.lex, p, n);
}


int
art_declare_doc_end(art_declare_t *declare)
{
    int  rc;

    rc = art_lex_end(&declare->doc.lex);

    art_declare_forget(declare, 0, 0);

    return rc == ART_OK && declare->doc.closed ? ART_OK : ART_ERROR;
}


static int
art_doc_enter(void *data, art_walk_frame_t *frame)
{
    art_declare_t             *declare;
    art_walk_frame_t          *parent;
    art_declare_doc_t         *doc;
    art_declare_frame_t       *own;
    const art_declare_rule_t  *rule;

    declare = data;
    doc = &declare->doc;

    if (frame->node == ART_DECLARE_ROOTS && declare->sse) {
        frame->node = ART_DECLARE_NO_NODE;
    }

    if (frame->node == ART_DECLARE_NO_NODE) {
        return ART_OK;
    }

    parent = art_walk_parent(&doc->walk);
    own = art_walk_top(&doc->walk);

    memset(&own->nth, 0,
           sizeof(art_declare_frame_t) - offsetof(art_declare_frame_t, nth));

    own->nth = parent->count - 1;
    own->runs = doc->nruns;
    own->bytes = doc->nbytes;

    if (frame->node == ART_DECLARE_ROOTS) {
        doc->array = 1;

    } else if (frame->node == ART_DECLARE_ROOT) {
        doc->declared = 0;
        doc->final = 0;
        doc->hurry = 0;
    }

    for (rule = art_walk_rules(&doc->walk, frame->node);
         rule != NULL && rule->walk.in == frame->node; rule++)
    {
        own->kind |= rule->walk.act == ART_SAYS_KIND;
        own->index |= rule->walk.act == ART_SAYS_INDEX;
        own->not |= rule->walk.act == ART_SAYS_NOT;
    }

    /* in a document the first one comes first */

    if (own->index && !declare->sse && !doc->array) {
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
    art_declare_t        *declare;
    art_declare_doc_t    *doc;
    art_declare_frame_t  *own;

    declare = data;
    doc = &declare->doc;

    if (frame->node == ART_DECLARE_NO_NODE || frame->node == ART_DECLARE_ROOTS)
    {
        return ART_OK;
    }

    own = art_walk_top(&doc->walk);
    other = own->other || (own->index && own->nth > 0);

    if (own->mute || own->kind || other) {
        art_declare_forget(declare, own->runs, own->bytes);
    }

    if (own->final && !other) {
        doc->final = 1;
    }

    if (art_doc_is_settled(declare, doc->walk.depth - 1)) {
        art_declare_count(declare);
    }

    if (frame->node == ART_DECLARE_ROOT) {
        art_doc_root(declare, end - 1);
    }

    return ART_OK;
}


/* The root, or one of an array of them, ends with the brace at "pos". */

static void
art_doc_root(art_declare_t *declare, uint64_t pos)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;
    doc->closed = 1;

    if (!declare->done
        && (doc->final || (!declare->sse && !doc->array)))
    {
        art_declare_member(declare, pos);
    }
}


static int
art_doc_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_declare_t           *declare;
    const art_walk_frame_t  *frame;

    (void) pos;
    (void) end;

    declare = data;
    frame = art_walk_top(&declare->doc.walk);

    if (frame->node == ART_DECLARE_ROOT
        && art_str_eq(key, art_cstr("artifacts")))
    {
        declare->doc.declared = 1;
    }

    return ART_OK;
}


static size_t
art_doc_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    unsigned            i;
    art_declare_t      *declare;
    art_declare_doc_t  *doc;

    declare = data;
    doc = &declare->doc;

    /* what follows the items in the same piece is not to wait for anything */

    if (declare->done || rule->act == ART_SAYS_NOTHING) {
        return 0;
    }

    doc->says = rule->act;

    if (doc->says > ART_SAYS_REPEAT) {
        return ART_LEX_KEY_MAX;
    }

    if (doc->says == ART_SAYS_TEXT
        && art_block_is_complete(&declare->said.block))
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
                 && !art_doc_is_settled(declare, doc->walk.depth);

    return ART_LEX_STREAM;
}


static int
art_doc_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_declare_t             *declare;
    const art_declare_rule_t  *own;

    declare = data;

    if (rule->act <= ART_SAYS_TEXT) {
        return ART_OK;
    }

    /* a key may have several rules */

    own = (const void *) rule;

    do {
        art_doc_note(declare, art_walk_top(&declare->doc.walk), own++, value);

    } while (own->walk.in == rule->in && strcmp(own->walk.key, rule->key) == 0);

    return ART_OK;
}


/* A value that tells something of the object around it. */

static void
art_doc_note(art_declare_t *declare, art_declare_frame_t *frame,
    const art_declare_rule_t *rule, const art_lex_value_t *value)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

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
        frame->final |= value->string && value->text.len > 0
                        && (rule->word == NULL
                            || art_str_eq(value->text, art_cstr(rule->word)));
        break;

    case ART_SAYS_TYPE:

        /* the first one: it has decided already whether the event goes out */

        if (doc->agent == ART_AGENT_UNKNOWN) {
            doc->agent = value->string ? art_doc_agent(value->text)
                                       : ART_AGENT_OTHER;
        }

        break;

    default:
        return;
    }

    if (frame->mute) {
        art_declare_forget(declare, frame->runs, frame->bytes);
    }

    if (art_doc_is_settled(declare, doc->walk.depth)) {
        art_declare_count(declare);
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
    art_declare_t   *declare;
    art_said_run_t   run;

    declare = data;

    run.p = p;
    run.n = n;
    run.pos = declare->doc.pos;
    run.end = end;

    declare->doc.pos = end;

    art_declare_text(declare, &run);
}


/*
 * Whether it is known of everything around a text, "depth" frames, that it is
 * one.
 */

static int
art_doc_is_settled(const art_declare_t *declare, unsigned depth)
{
    unsigned                    i;
    const art_declare_doc_t    *doc;
    const art_declare_frame_t  *frame;

    doc = &declare->doc;

    if (declare->sse && (declare->api->flags & ART_API_AGENT)
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
art_declare_text(art_declare_t *declare, const art_said_run_t *run)
{
    size_t              n;
    art_said_run_t      rest;
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (!doc->waits || doc->hurry) {
        art_declare_say(declare, doc->says, run);
        return;
    }

    n = art_declare_room(declare, run);

    if (run->n <= n) {
        art_declare_wait(declare, run);
        return;
    }

    /* too much: it counts as what it is taken for up to now */

    rest = *run;

    if (run->end - run->pos == run->n && n > 0) {
        rest.n = n;
        rest.end = rest.pos + n;
        art_declare_wait(declare, &rest);

        rest = *run;
        rest.p += n;
        rest.n -= n;
        rest.pos += n;
    }

    doc->hurry = 1;
    art_declare_count(declare);
    art_declare_say(declare, doc->says, &rest);
}


/* How many bytes of a run may still wait. */

static size_t
art_declare_room(const art_declare_t *declare, const art_said_run_t *run)
{
    const art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (!art_declare_goes_on(doc, run)
        && doc->nruns == ART_DECLARE_PLACES / sizeof(art_declare_run_t))
    {
        return 0;
    }

    return ART_DECLARE_WAIT - doc->nbytes;
}


static void
art_declare_say(art_declare_t *declare, art_declare_says_t says,
    const art_said_run_t *run)
{
    uint64_t            event;
    art_declare_doc_t  *doc;

    doc = &declare->doc;
    event = declare->sse ? declare->event : ART_SAID_NOWHERE;

    switch (says) {

    case ART_SAYS_TEXT:

        if (doc->agent != ART_AGENT_TEXT && declare->sse
            && (declare->api->flags & ART_API_AGENT))
        {
            break;
        }

        art_said_read(&declare->said, &declare->tape, run, event,
                      ART_DECLARE_EVENT);
        break;

    case ART_SAYS_RESULT:

        if (doc->agent != ART_AGENT_RESULT) {
            break;
        }

        art_said_give_up(&declare->said, &declare->tape);
        art_said_read(&declare->result, &declare->tape, run, ART_SAID_NOWHERE,
                      0);
        break;

    default:  /* ART_SAYS_REPEAT */

        if (declare->said.cut) {
            art_said_again(&declare->again, &declare->said, &declare->tape,
                           run);
        }
    }
}


static void
art_declare_wait(art_declare_t *declare, const art_said_run_t *run)
{
    uint8_t            *bytes;
    uint64_t            pos;
    const uint8_t      *lt;
    art_declare_doc_t  *doc;
    art_declare_run_t  *last;

    doc = &declare->doc;

    last = art_declare_last_run(declare, run);
    bytes = last != NULL ? art_array_extend(doc->bytes, doc->nbytes, run->n,
                                            &doc->bytes_room, 1)
                         : NULL;

    if (bytes == NULL) {
        declare->failed = 1;
        return;
    }

    memcpy(bytes + doc->nbytes, run->p, run->n);

    doc->bytes = bytes;
    doc->nbytes += run->n;
    last->n += run->n;
    last->end = run->end;

    lt = memchr(run->p, '<', run->n);

    if (lt != NULL && doc->hold == ART_SAID_NOWHERE) {
        pos = run->end - run->pos == run->n
              ? run->pos + (uint64_t) (lt - run->p) : run->pos;

        doc->hold = declare->sse && pos - declare->event < ART_DECLARE_EVENT
                    ? declare->event : pos;
        doc->hold_run = doc->nruns - 1;
    }
}


/* Whether a run goes on with what waits last, in characters of one size. */

static int
art_declare_goes_on(const art_declare_doc_t *doc, const art_said_run_t *run)
{
    const art_declare_run_t  *last;

    if (doc->nruns == 0) {
        return 0;
    }

    last = &doc->runs[doc->nruns - 1];

    if (last->end != run->pos || last->raw != art_declare_raw(run)) {
        return 0;
    }

    return last->raw == 1 || last->each == run->n;
}


/* The bytes of the stream that a character has in a run of an escape, or 1. */

static uint16_t
art_declare_raw(const art_said_run_t *run)
{
    return run->end - run->pos == run->n ? 1
                                         : (uint16_t) (run->end - run->pos);
}


/* The run that goes on with these bytes, or a new one. */

static art_declare_run_t *
art_declare_last_run(art_declare_t *declare, const art_said_run_t *run)
{
    art_declare_doc_t  *doc;
    art_declare_run_t  *runs, *last;

    doc = &declare->doc;

    if (art_declare_goes_on(doc, run)) {
        return &doc->runs[doc->nruns - 1];
    }

    runs = art_array_grow(doc->runs, doc->nruns, &doc->runs_room,
                          sizeof(art_declare_run_t));
    if (runs == NULL) {
        return NULL;
    }

    doc->runs = runs;
    last = &runs[doc->nruns++];

    last->pos = run->pos;
    last->end = run->pos;
    last->n = 0;
    last->each = (uint16_t) run->n;
    last->raw = art_declare_raw(run);
    last->says = doc->says;

    return last;
}


/* What waits from run "runs" and byte "bytes" on counts for nothing. */

static void
art_declare_forget(art_declare_t *declare, size_t runs, size_t bytes)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    if (doc->nruns <= runs) {
        return;
    }

    doc->nruns = runs;
    doc->nbytes = bytes;

    if (doc->hold != ART_SAID_NOWHERE && doc->hold_run >= runs) {
        doc->hold = ART_SAID_NOWHERE;
    }
}


void
art_declare_count(art_declare_t *declare)
{
    size_t              i, left;
    art_said_run_t      run;
    art_declare_doc_t  *doc;
    art_declare_run_t  *wait;

    doc = &declare->doc;
    run.p = doc->bytes;

    for (i = 0; i < doc->nruns; i++) {
        wait = &doc->runs[i];
        run.pos = wait->pos;

        for (left = wait->n; left > 0; left -= run.n) {
            run.n = wait->raw == 1 ? left : wait->each;
            run.end = run.pos + (wait->raw == 1 ? left : wait->raw);

            art_declare_say(declare, wait->says, &run);

            run.p += run.n;
            run.pos = run.end;
        }
    }

    art_declare_forget(declare, 0, 0);
}


/* The text is over: what was declared goes in at "pos", as a member. */

static void
art_declare_member(art_declare_t *declare, uint64_t pos)
{
    art_said_give_up(&declare->said, &declare->tape);
    art_said_again_reset(&declare->again, &declare->tape);
    declare->done = 1;

    if (!declare->doc.declared) {
        art_declare_put(declare, pos, ",\"artifacts\":", "", "");
    }
}


void
art_declare_event(art_declare_t *declare, uint64_t pos)
{
    art_said_give_up(&declare->said, &declare->tape);
    art_said_give_up(&declare->result, &declare->tape);
    declare->done = 1;

    if (!declare->declared) {
        art_declare_put(declare, pos,
                        "data: {\"type\":\"artifacts\",\"items\":", "}",
                        art_sse_eol(&declare->stream));
    }
}


/* Puts items in, between two texts, with two line ends after them. */

static void
art_declare_put(art_declare_t *declare, uint64_t pos, const char *before,
    const char *after, const char *eol)
{
    size_t       n;
    art_out_t    out;
    art_said_t  *said;

    said = declare->doc.result ? &declare->result : &declare->said;

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, before);
        n = art_said_print(said, &out);
        art_out_cstr(&out, after);
        art_out_cstr(&out, eol);
        art_out_cstr(&out, eol);
    } while (n > 0 && art_out_again(&out, NULL));

    if (n == 0) {
        return;
    }

    if (out.data == NULL) {
        declare->failed = 1;
        return;
    }

    declare->nitems += n;
    declare->tape.text = out.data;
    declare->tape.text_len = out.len;

    art_tape_put(&declare->tape, pos);
}
