
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_hash.h"
#include "core/expand/art_expand_long.h"


#define ART_LONG_WORD    32      /* bytes of a type or a role */

/* A reference is not longer; of one, these bytes are looked at. */

#define ART_LONG_REF     1024
#define ART_LONG_PROBE   16

/* In the hash of a call. */

#define ART_LONG_DENIED  1u


static int art_long_enter(void *data, art_walk_frame_t *walk);
static int art_long_leave(void *data, art_walk_frame_t *walk, uint64_t end);
static void art_long_leave_unit(art_long_t *texts, art_long_frame_t *unit);
static unsigned art_long_counts(const art_long_t *texts,
    const art_long_frame_t *result);
static int art_long_key(void *data, uint64_t pos, uint64_t end,
    art_str_t key);
static size_t art_long_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_long_goes_on(void *data, const art_walk_rule_t *rule,
    art_str_t text);
static int art_long_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_long_word(art_long_t *texts, unsigned act, art_str_t text);
static void art_long_type(art_long_frame_t *unit, art_str_t word);
static void art_long_text(art_long_t *texts, const art_lex_value_t *value);
static void art_long_call(art_long_t *texts, uint64_t hash, unsigned denied);
static uint64_t art_long_hash(const art_long_t *texts, art_str_t name);
static unsigned art_long_reads(art_str_t name);
static art_long_frame_t *art_long_around(art_long_t *texts, unsigned node);


static const art_walk_rule_t  art_long_root = {
    NULL, ART_WALK_NONE, ART_RESULT_ROOT, ART_WALK_NONE, ART_RESULT_PASS
};

static const art_walk_observer_t  art_long_observer = {
    sizeof(art_walk_rule_t),
    sizeof(art_long_frame_t),
    ART_LONG_FRAMES,
    &art_long_root,
    art_long_enter,
    art_long_leave,
    art_long_key,
    art_long_wants,
    art_long_goes_on,
    art_long_value,
    NULL
};


/* Types of items and parts, and roles: of a call, or of a result. */

static const char *const  art_long_calls[] = {
    "function_call", "custom_tool_call", "shell_call", "local_shell_call",
    "apply_patch_call", "mcp_call", "tool_use", "mcp_tool_use"
};

static const char *const  art_long_results[] = {
    "function_call_output", "custom_tool_call_output", "shell_call_output",
    "local_shell_call_output", "apply_patch_call_output", "tool_result",
    "tool", "function"
};


void
art_long_init(art_long_t *texts, const art_api_t *api, const art_url_t *url,
    uint64_t size, unsigned always, const art_pool_t *pool,
    const uint64_t *seed)
{
    memset(texts, 0, offsetof(art_long_t, calls));

    texts->url = *url;

    texts->pool = *pool;
    texts->size = size;
    texts->always = always & 1;
    memcpy(texts->seed, seed, sizeof(texts->seed));

    art_walk_init(&texts->walk, &art_long_observer, api->results,
                  texts->frames, texts);

    art_lex_init(&texts->lex, &art_walk_tokens, &texts->walk, texts->text,
                 sizeof(texts->text));
}


uint64_t
art_long_feed(art_long_t *texts, const uint8_t *p, size_t len,
    const art_lex_longs_t *longs)
{
    /* it was read before: it is JSON */

    (void) art_lex_feed(&texts->lex, p, len);

    art_lex_leap(&texts->lex, longs);

    return art_lex_pos(&texts->lex);
}


static int
art_long_enter(void *data, art_walk_frame_t *walk)
{
    art_long_t        *texts;
    art_long_frame_t  *frame, *unit;

    texts = data;

    if (walk->node == ART_RESULT_NO_NODE) {
        return ART_OK;
    }

    frame = art_walk_top(&texts->walk);

    memset((uint8_t *) frame + sizeof(art_walk_frame_t), 0,
           sizeof(art_long_frame_t) - sizeof(art_walk_frame_t));
    frame->texts = texts->n;

    unit = walk->node == ART_RESULT_BODY
           ? art_long_around(texts, ART_RESULT_UNIT) : frame;

    if (walk->rule->act == ART_RESULT_IS_CALL) {
        unit->call = 1;
    }

    if (walk->rule->act == ART_RESULT_IS_RESULT) {
        unit->result = 1;
    }

    return ART_OK;
}


static int
art_long_leave(void *data, art_walk_frame_t *walk, uint64_t end)
{
    art_long_t        *texts;
    art_long_frame_t  *frame;

    (void) end;

    texts = data;
    frame = art_walk_top(&texts->walk);

    switch (walk->node) {

    case ART_RESULT_BLOCK:

        if (frame->other) {
            texts->n = frame->texts;
        }

        break;

    case ART_RESULT_UNIT:
        art_long_leave_unit(texts, frame);
        break;

    case ART_RESULT_ROOT:

        if (!frame->reader && !texts->always) {
            texts->n = frame->texts;
            break;
        }

        /* a batch has no tools of its own */

        texts->frames[1].reader = 1;
        break;

    default:
        break;
    }

    return ART_OK;
}


/* A call is known to all that follows; of anything else the texts go. */

static void
art_long_leave_unit(art_long_t *texts, art_long_frame_t *unit)
{
    unsigned  denied;

    if (unit->call) {
        denied = unit->reader || unit->indirect;

        art_long_call(texts, unit->ids[0], denied);
        art_long_call(texts, unit->ids[1], denied);
        art_long_call(texts, unit->name, denied);

        if (unit->reader) {
            art_long_around(texts, ART_RESULT_ROOT)->reader = 1;
        }
    }

    if (texts->n > unit->texts
        && (!unit->result || !art_long_counts(texts, unit)))
    {
        texts->n = unit->texts;
    }
}


/* Whether the last call before a result is one whose result counts. */

static unsigned
art_long_counts(const art_long_t *texts, const art_long_frame_t *result)
{
    uint32_t  i, n;
    uint64_t  hash, call;

    if (result->reader || result->indirect) {
        return 0;
    }

    hash = result->name;

    if (result->ids[1] != 0) {
        hash = result->ids[1];
    }

    if (result->ids[0] != 0) {
        hash = result->ids[0];
    }

    n = texts->ncalls < ART_LONG_CALLS ? texts->ncalls : ART_LONG_CALLS;

    for (i = 1; i <= n && hash != 0; i++) {
        call = texts->calls[(texts->ncalls - i) % ART_LONG_CALLS];

        if ((call | ART_LONG_DENIED) == (hash | ART_LONG_DENIED)) {
            return (call & ART_LONG_DENIED) == 0;
        }
    }

    return 0;
}


static int
art_long_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_long_t        *texts;
    art_long_frame_t  *frame;

    (void) pos;
    (void) end;

    texts = data;
    frame = art_walk_top(&texts->walk);

    if (frame->walk.node == ART_RESULT_NAMED && art_long_reads(key)) {
        art_long_around(texts, ART_RESULT_ROOT)->reader = 1;
    }

    return ART_OK;
}


static size_t
art_long_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    (void) data;
    (void) pos;

    switch (rule->act) {

    case ART_RESULT_TYPE:
    case ART_RESULT_CALLER:
    case ART_RESULT_BLOCK_TYPE:
        return ART_LONG_WORD;

    case ART_RESULT_ID:
    case ART_RESULT_ID_TOO:
    case ART_RESULT_NAME:
    case ART_RESULT_TOOL:
        return ART_LONG_NAME;

    case ART_RESULT_TEXT:
        return ART_LONG_PROBE;

    default:
        return 0;
    }
}


/* What cannot be a reference is only measured. */

static int
art_long_goes_on(void *data, const art_walk_rule_t *rule, art_str_t text)
{
    const art_long_t  *texts;

    texts = data;

    return rule->act != ART_RESULT_TEXT
           || art_message_may_refer(text, &texts->url);
}


static int
art_long_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_str_t    text;
    art_long_t  *texts;

    texts = data;
    text = value->text;

    if (!value->string) {
        return ART_OK;
    }

    if (rule->act == ART_RESULT_TEXT) {
        art_long_text(texts, value);
        return ART_OK;
    }

    /* a longer one is nobody's, or another type or caller */

    if (text.len > 0
        && (value->len == text.len || rule->act == ART_RESULT_CALLER
            || rule->act == ART_RESULT_BLOCK_TYPE))
    {
        art_long_word(texts, rule->act, text);
    }

    return ART_OK;
}


static void
art_long_word(art_long_t *texts, unsigned act, art_str_t text)
{
    art_long_frame_t  *unit;

    unit = art_long_around(texts, ART_RESULT_UNIT);

    switch (act) {

    case ART_RESULT_TYPE:
        art_long_type(unit, text);
        break;

    case ART_RESULT_ID:
        unit->ids[0] = art_long_hash(texts, text);
        break;

    case ART_RESULT_ID_TOO:
        unit->ids[1] = art_long_hash(texts, text);
        break;

    case ART_RESULT_NAME:
        unit->name = art_long_hash(texts, text);
        unit->reader = art_long_reads(text) & 1;
        break;

    case ART_RESULT_CALLER:
        unit->indirect = !art_str_is(text, "direct");
        break;

    case ART_RESULT_BLOCK_TYPE:
        unit = art_walk_top(&texts->walk);
        unit->other = !art_str_is(text, "text")
                      && !art_str_is(text, "input_text");
        break;

    case ART_RESULT_TOOL:

        if (art_long_reads(text)) {
            art_long_around(texts, ART_RESULT_ROOT)->reader = 1;
        }

        break;

    default:
        break;
    }
}


static void
art_long_type(art_long_frame_t *unit, art_str_t word)
{
    size_t  i;

    for (i = 0; i < art_nitems(art_long_calls); i++) {

        if (art_str_is(word, art_long_calls[i])) {
            unit->call = 1;
        }
    }

    for (i = 0; i < art_nitems(art_long_results); i++) {

        if (art_str_is(word, art_long_results[i])) {
            unit->result = 1;
        }
    }
}


/* Notes a string that may be long, or become so. */

static void
art_long_text(art_long_t *texts, const art_lex_value_t *value)
{
    art_span_t  *text;

    if (value->end - value->pos - 2 < texts->size
        && (value->len > ART_LONG_REF
            || !art_message_may_refer(value->text, &texts->url)))
    {
        return;
    }

    if (texts->texts == NULL) {
        texts->texts = texts->pool.alloc(texts->pool.data,
                                         ART_LONG_MAX * sizeof(art_span_t));
    }

    if (texts->texts == NULL || texts->n == ART_LONG_MAX) {
        texts->full = 1;
        return;
    }

    text = &texts->texts[texts->n++];

    text->pos = value->pos + 1;
    text->end = value->end - 1;
}


static void
art_long_call(art_long_t *texts, uint64_t hash, unsigned denied)
{
    if (hash != 0) {
        texts->calls[texts->ncalls++ % ART_LONG_CALLS] = hash | denied;
    }
}


/* Not 0, and without the bit for calls. */

static uint64_t
art_long_hash(const art_long_t *texts, art_str_t name)
{
    uint64_t  hash;

    hash = art_hash_keyed(texts->seed, name.data, name.len);

    return (hash | 2) & ~(uint64_t) ART_LONG_DENIED;
}


/* "read_artifact", or behind a character that is no letter or digit. */

static unsigned
art_long_reads(art_str_t name)
{
    size_t     n;
    art_str_t  last;

    static const char  reads[] = "read_artifact";

    n = sizeof(reads) - 1;

    if (name.len < n) {
        return 0;
    }

    last = art_str(name.data + name.len - n, n);

    return art_str_eq(last, art_cstr(reads))
           && (name.len == n || !art_char_alnum(name.data[name.len - n - 1]));
}


/* The innermost frame of a node, or the outermost one. */

static art_long_frame_t *
art_long_around(art_long_t *texts, unsigned node)
{
    art_long_frame_t  *frame;

    for (frame = art_walk_top(&texts->walk);
         frame > texts->frames + 1 && frame->walk.node != node;
         frame--)
    {
        /* void */
    }

    return frame;
}
