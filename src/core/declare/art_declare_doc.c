
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/declare/art_declare_int.h"


static int art_doc_open(void *data, uint64_t pos, unsigned object);
static void art_doc_enter(art_declare_t *declare, uint32_t rules,
    uint32_t nth);
static int art_doc_close(void *data, uint64_t end);
static void art_doc_leave(art_declare_t *declare,
    const art_declare_frame_t *frame);
static void art_doc_root(art_declare_t *declare, uint64_t pos);
static int art_doc_key(void *data, uint64_t pos, art_str_t key);
static size_t art_doc_wants(void *data);
static int art_doc_goes_on(void *data, art_str_t text);
static int art_doc_value(void *data, const art_lex_value_t *value);
static void art_doc_told(art_declare_t *declare, art_declare_frame_t *frame,
    const art_declare_rule_t *rule, const art_lex_value_t *value);
static art_agent_event_t art_doc_agent(art_str_t type);
static void art_doc_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static uint32_t art_doc_step(const art_declare_t *declare, art_str_t key);
static uint32_t art_doc_coming(const art_declare_t *declare);
static uint32_t art_doc_ending(const art_declare_t *declare, uint32_t rules);
static uint32_t art_doc_entered(const art_declare_t *declare, unsigned object);
static int art_doc_is_settled(const art_declare_t *declare);


static const art_lex_handler_t  art_doc_handler = {
    art_doc_open,
    art_doc_close,
    art_doc_key,
    art_doc_wants,
    art_doc_goes_on,
    art_doc_value,
    art_doc_text
};


/* Keys of the path to the object or array that was entered last. */

#define art_doc_depth(doc)  ((doc)->nframes - 1 - (doc)->base)

#define art_doc_top(doc)  (&(doc)->frames[(doc)->nframes - 1])


void
art_declare_doc_begin(art_declare_t *declare)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    art_lex_init(&doc->lex, &art_doc_handler, declare, doc->text,
                 sizeof(doc->text));

    doc->nframes = 0;
    doc->opaque = 0;
    doc->base = 0;
    doc->agent = ART_AGENT_UNKNOWN;
    doc->final = 0;
    doc->told = 0;
    doc->result = 0;
    doc->closed = 0;
    doc->hold = ART_SAID_NOWHERE;
}


void
art_declare_doc_read(art_declare_t *declare, const uint8_t *p, size_t n)
{
    art_lex_at(&declare->doc.lex, declare->tape.pos);

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
art_doc_open(void *data, uint64_t pos, unsigned object)
{
    uint32_t              rules, nth;
    art_declare_t        *declare;
    art_declare_doc_t    *doc;
    art_declare_frame_t  *top;

    (void) pos;

    declare = data;
    doc = &declare->doc;

    if (doc->opaque > 0) {
        doc->opaque++;
        return ART_OK;
    }

    rules = art_doc_entered(declare, object);
    top = doc->nframes > 0 ? art_doc_top(doc) : NULL;
    nth = top != NULL ? top->count++ : 0;

    if (rules == 0 || doc->nframes == ART_DECLARE_FRAMES) {
        doc->opaque = 1;
        return ART_OK;
    }

    if (doc->nframes == 0 && !object) {
        doc->base = 1;
    }

    art_doc_enter(declare, rules, nth);
    art_doc_top(doc)->array = !object;

    return ART_OK;
}


static void
art_doc_enter(art_declare_t *declare, uint32_t rules, uint32_t nth)
{
    unsigned              i;
    art_declare_doc_t    *doc;
    art_declare_frame_t  *frame;

    doc = &declare->doc;
    frame = &doc->frames[doc->nframes++];

    memset(frame, 0, sizeof(art_declare_frame_t));

    frame->rules = rules;
    frame->nth = nth;
    frame->runs = doc->nruns;
    frame->bytes = doc->nbytes;

    if (doc->nframes <= doc->base) {
        return;
    }

    if (doc->nframes == doc->base + 1) {
        doc->told = 0;
        doc->final = 0;
        doc->hurry = 0;
    }

    rules = art_doc_ending(declare, rules);

    for (i = 0; rules != 0; i++, rules >>= 1) {

        if (rules & 1) {
            frame->kind |= declare->rules[i].says == ART_SAYS_KIND;
            frame->index |= declare->rules[i].says == ART_SAYS_INDEX;
            frame->not |= declare->rules[i].says == ART_SAYS_NOT;
        }
    }

    /* the first one of a document stands first */

    if (frame->index && !declare->sse && doc->base == 0) {
        frame->index = 0;
        frame->other = nth > 0;
        frame->mute = nth > 0;
    }
}


static int
art_doc_close(void *data, uint64_t end)
{
    art_declare_t      *declare;
    art_declare_doc_t  *doc;

    declare = data;
    doc = &declare->doc;

    if (doc->opaque > 0) {
        doc->opaque--;
        return ART_OK;
    }

    doc->nframes--;

    if (doc->nframes < doc->base) {
        return ART_OK;
    }

    art_doc_leave(declare, &doc->frames[doc->nframes]);

    if (doc->nframes == doc->base) {
        art_doc_root(declare, end - 1);
    }

    return ART_OK;
}


static void
art_doc_leave(art_declare_t *declare, const art_declare_frame_t *frame)
{
    unsigned            other;
    art_declare_doc_t  *doc;

    doc = &declare->doc;
    other = frame->other || (frame->index && frame->nth > 0);

    if (frame->mute || frame->kind || other) {
        art_declare_forget(declare, frame->runs, frame->bytes);
    }

    if (frame->final && !other) {
        doc->final = 1;
    }

    if (art_doc_is_settled(declare)) {
        art_declare_count(declare);
    }
}


/* The root, or one of an array of them, ends with the brace at "pos". */

static void
art_doc_root(art_declare_t *declare, uint64_t pos)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;
    doc->closed = 1;

    if (!declare->done
        && (doc->final || (!declare->sse && doc->base == 0)))
    {
        art_declare_member(declare, pos);
    }
}


static int
art_doc_key(void *data, uint64_t pos, art_str_t key)
{
    art_declare_t      *declare;
    art_declare_doc_t  *doc;

    (void) pos;

    declare = data;
    doc = &declare->doc;

    if (doc->opaque > 0) {
        return ART_OK;
    }

    doc->key = 0;

    if (key.data != NULL) {
        doc->key = art_doc_step(declare, key);

        if (doc->nframes == doc->base + 1
            && art_str_eq(key, art_cstr("artifacts")))
        {
            doc->told = 1;
        }
    }

    return ART_OK;
}


static size_t
art_doc_wants(void *data)
{
    unsigned              i;
    uint32_t              rules;
    art_declare_t        *declare;
    art_declare_doc_t    *doc;
    art_declare_frame_t  *frame;

    declare = data;
    doc = &declare->doc;

    /* what follows the items in the same piece is not to wait for anything */

    if (declare->done || doc->opaque > 0 || doc->nframes <= doc->base) {
        return 0;
    }

    rules = art_doc_ending(declare, art_doc_coming(declare));

    if (rules == 0) {
        return 0;
    }

    for (i = 0; !(rules >> i & 1); i++) { /* void */ }

    doc->says = declare->rules[i].says;

    if (doc->says > ART_SAYS_REPEAT) {
        return ART_LEX_KEY_MAX;
    }

    if (doc->says == ART_SAYS_TEXT
        && art_block_is_complete(&declare->said.block))
    {
        return 0;
    }

    for (frame = doc->frames; frame <= art_doc_top(doc); frame++) {
        if (frame->mute) {
            return 0;
        }
    }

    doc->pos = doc->lex.value.pos + 1;
    doc->waits = doc->says != ART_SAYS_REPEAT && !art_doc_is_settled(declare);

    return ART_LEX_STREAM;
}


static int
art_doc_goes_on(void *data, art_str_t text)
{
    (void) data;
    (void) text;

    return 1;
}


static int
art_doc_value(void *data, const art_lex_value_t *value)
{
    unsigned             i;
    uint32_t             rules;
    art_declare_t       *declare;
    art_declare_doc_t   *doc;

    declare = data;
    doc = &declare->doc;

    if (doc->opaque > 0 || doc->nframes <= doc->base) {
        return ART_OK;
    }

    rules = art_doc_ending(declare, art_doc_coming(declare));

    for (i = 0; rules != 0; i++, rules >>= 1) {
        if (rules & 1) {
            art_doc_told(declare, art_doc_top(doc), &declare->rules[i], value);
        }
    }

    return ART_OK;
}


/* A value that tells something of the object around it. */

static void
art_doc_told(art_declare_t *declare, art_declare_frame_t *frame,
    const art_declare_rule_t *rule, const art_lex_value_t *value)
{
    art_declare_doc_t  *doc;

    doc = &declare->doc;

    switch (rule->says) {

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

        /* the first one: it has told already whether the event goes out */

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

    if (art_doc_is_settled(declare)) {
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


/* The rules of the last frame that go on with a member. */

static uint32_t
art_doc_step(const art_declare_t *declare, art_str_t key)
{
    unsigned                  i;
    uint32_t                  rules;
    const char               *step;
    const art_declare_doc_t  *doc;

    doc = &declare->doc;
    rules = 0;

    for (i = 0; i < declare->nrules; i++) {
        step = declare->rules[i].path[art_doc_depth(doc)];

        if ((art_doc_top(doc)->rules >> i & 1)
            && art_str_eq(key, art_cstr(step)))
        {
            rules |= 1u << i;
        }
    }

    return rules;
}


/* Those of the value that comes: all of an array's go on with elements. */

static uint32_t
art_doc_coming(const art_declare_t *declare)
{
    const art_declare_doc_t  *doc;

    doc = &declare->doc;

    return art_doc_top(doc)->array ? art_doc_top(doc)->rules : doc->key;
}


/* Those whose paths end with the value that comes. */

static uint32_t
art_doc_ending(const art_declare_t *declare, uint32_t rules)
{
    unsigned  i, next;

    next = art_doc_depth(&declare->doc) + 1;

    for (i = 0; i < declare->nrules; i++) {
        if ((rules >> i & 1) && declare->rules[i].path[next] != NULL) {
            rules &= ~(1u << i);
        }
    }

    return rules;
}


/* Those that go on in it, if it is the object or array that they want. */

static uint32_t
art_doc_entered(const art_declare_t *declare, unsigned object)
{
    unsigned                  i, next, is_array;
    uint32_t                  rules;
    const char               *step;
    const art_declare_doc_t  *doc;

    doc = &declare->doc;
    next = 0;
    rules = (1u << declare->nrules) - 1;

    if (doc->nframes == 0 && !object) {
        return !declare->sse && (declare->api->flags & ART_DECLARE_ARRAY)
               ? rules : 0;
    }

    if (doc->nframes > doc->base) {
        next = art_doc_depth(doc) + 1;
        rules = art_doc_coming(declare);
    }

    for (i = 0; i < declare->nrules; i++) {
        step = declare->rules[i].path[next];
        is_array = step != NULL && strcmp(step, "*") == 0;

        if (step == NULL || is_array == object) {
            rules &= ~(1u << i);
        }
    }

    return rules;
}


/* Whether it is known of all that is around a text that it is one. */

static int
art_doc_is_settled(const art_declare_t *declare)
{
    unsigned                    i;
    const art_declare_doc_t    *doc;
    const art_declare_frame_t  *frame;

    doc = &declare->doc;

    if (declare->sse && (declare->api->flags & ART_DECLARE_AGENT)
        && doc->agent == ART_AGENT_UNKNOWN)
    {
        return 0;
    }

    for (i = doc->base; i < doc->nframes; i++) {
        frame = &doc->frames[i];

        if (frame->kind || frame->index || frame->not) {
            return 0;
        }
    }

    return 1;
}
