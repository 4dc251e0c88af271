
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/declare/art_declare_int.h"


static int art_doc_enter(void *data, art_walk_frame_t *frame);
static int art_doc_leave(void *data, art_walk_frame_t *frame, uint64_t end);
static void art_doc_root(art_declare_t *declare, uint64_t pos);
static int art_doc_key(void *data, uint64_t pos, uint64_t end, art_str_t key);
static size_t art_doc_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_doc_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_doc_told(art_declare_t *declare, art_declare_frame_t *frame,
    const art_declare_rule_t *rule, const art_lex_value_t *value);
static art_agent_event_t art_doc_agent(art_str_t type);
static void art_doc_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static int art_doc_is_settled(const art_declare_t *declare, unsigned depth);


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
    doc->told = 0;
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
    art_walk_frame_t          *around;
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

    around = art_walk_around(&doc->walk);
    own = art_walk_top(&doc->walk);

    memset(&own->nth, 0,
           sizeof(art_declare_frame_t) - offsetof(art_declare_frame_t, nth));

    own->nth = around->count - 1;
    own->runs = doc->nruns;
    own->bytes = doc->nbytes;

    if (frame->node == ART_DECLARE_ROOTS) {
        doc->array = 1;

    } else if (frame->node == ART_DECLARE_ROOT) {
        doc->told = 0;
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
        declare->doc.told = 1;
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
        art_doc_told(declare, art_walk_top(&declare->doc.walk), own++, value);

    } while (own->walk.in == rule->in && strcmp(own->walk.key, rule->key) == 0);

    return ART_OK;
}


/* A value that tells something of the object around it. */

static void
art_doc_told(art_declare_t *declare, art_declare_frame_t *frame,
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
