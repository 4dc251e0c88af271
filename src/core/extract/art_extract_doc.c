
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/extract/art_extract_int.h"


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
    const art_said_run_t *run);
static size_t art_extract_room(const art_extract_t *extract,
    const art_said_run_t *run);
static void art_extract_say(art_extract_t *extract, art_extract_says_t says,
    const art_said_run_t *run);
static void art_extract_wait(art_extract_t *extract,
    const art_said_run_t *run);
static int art_extract_goes_on(const art_extract_doc_t *doc,
    const art_said_run_t *run);
static uint16_t art_extract_raw(const art_said_run_t *run);
static art_extract_run_t *art_extract_last_run(art_extract_t *extract,
    const art_said_run_t *run);
static void art_extract_member(art_extract_t *extract, uint64_t pos);
static int art_extract_print(art_extract_t *extract, const char *before,
    const char *after, const char *eol);


static const art_extract_rule_t  art_doc_rule = {
    { NULL, ART_WALK_NONE, ART_EXTRACT_ROOT, ART_EXTRACT_ROOTS,
      ART_SAYS_NOTHING },
    NULL
};

const art_walk_observer_t  art_doc_observer = {
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

    doc->answer = ART_SAID_NOWHERE;
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

    doc->answer = ART_SAID_NOWHERE;

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
        && art_block_is_complete(&extract->said.block))
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
    art_extract_t   *extract;
    art_said_run_t   run;

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
art_extract_text(art_extract_t *extract, const art_said_run_t *run)
{
    size_t              n;
    art_said_run_t      rest;
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
art_extract_room(const art_extract_t *extract, const art_said_run_t *run)
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
    const art_said_run_t *run)
{
    uint64_t            event;
    art_extract_doc_t  *doc;

    doc = &extract->doc;
    event = extract->sse ? extract->event : ART_SAID_NOWHERE;

    switch (says) {

    case ART_SAYS_TEXT:

        if (doc->agent != ART_AGENT_TEXT && extract->sse
            && (extract->api->flags & ART_API_AGENT))
        {
            break;
        }

        art_said_read(&extract->said, &extract->tape, run, event,
                      ART_EXTRACT_EVENT);
        break;

    case ART_SAYS_RESULT:

        if (doc->agent != ART_AGENT_RESULT) {
            break;
        }

        art_said_give_up(&extract->said, &extract->tape);
        art_said_read(&extract->result, &extract->tape, run, ART_SAID_NOWHERE,
                      0);
        break;

    default:  /* ART_SAYS_REPEAT */

        if (extract->said.cut) {
            art_said_again(&extract->again, &extract->said, &extract->tape,
                           run);
        }
    }
}


static void
art_extract_wait(art_extract_t *extract, const art_said_run_t *run)
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

    if (lt != NULL && doc->hold == ART_SAID_NOWHERE) {
        pos = run->end - run->pos == run->n
              ? run->pos + (uint64_t) (lt - run->p) : run->pos;

        doc->hold = extract->sse && pos - extract->event < ART_EXTRACT_EVENT
                    ? extract->event : pos;
        doc->hold_run = doc->nruns - 1;
    }
}


/* Whether a run continues the last waiting one, with characters of one size. */

static int
art_extract_goes_on(const art_extract_doc_t *doc, const art_said_run_t *run)
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
art_extract_raw(const art_said_run_t *run)
{
    return run->end - run->pos == run->n ? 1
                                         : (uint16_t) (run->end - run->pos);
}


/* The run that these bytes continue, or a new one. */

static art_extract_run_t *
art_extract_last_run(art_extract_t *extract, const art_said_run_t *run)
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


void
art_extract_forget(art_extract_t *extract, size_t runs, size_t bytes)
{
    art_extract_doc_t  *doc;

    doc = &extract->doc;

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
art_extract_count(art_extract_t *extract)
{
    size_t              i, left;
    art_said_run_t      run;
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

    art_said_give_up(&extract->said, &extract->tape);
    art_said_again_reset(&extract->again, &extract->tape);
    extract->done = 1;

    if ((root->declared && doc->answer == ART_SAID_NOWHERE)
        || !art_extract_print(extract, ",\"artifacts\":", "", ""))
    {
        return;
    }

    if (doc->answer != ART_SAID_NOWHERE) {
        art_tape_put(&extract->tape, doc->answer,
                     doc->empty ? ART_TAPE_REST : ART_TAPE_TEXT);
    }

    if (!root->declared) {
        art_tape_put(&extract->tape, pos, ART_TAPE_TEXT);
    }
}


void
art_extract_event(art_extract_t *extract, uint64_t pos)
{
    art_said_give_up(&extract->said, &extract->tape);
    art_said_give_up(&extract->result, &extract->tape);
    extract->done = 1;

    if (!extract->declared
        && art_extract_print(extract,
                             "data: {\"type\":\"artifacts\",\"items\":", "}",
                             art_sse_eol(&extract->stream)))
    {
        art_tape_put(&extract->tape, pos, ART_TAPE_TEXT);
    }
}


/*
 * Writes the items between two texts, and two line ends after them, as the text
 * of the tape; returns 0 without items, or when out of memory.
 */

static int
art_extract_print(art_extract_t *extract, const char *before,
    const char *after, const char *eol)
{
    size_t       n;
    art_out_t    out;
    art_said_t  *said;

    said = extract->doc.result ? &extract->result : &extract->said;

    out = art_out(NULL, 0);

    do {
        art_out_cstr(&out, before);
        n = art_said_print(said, &out);
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
    extract->tape.text = out.data;
    extract->tape.text_len = out.len;

    return 1;
}
