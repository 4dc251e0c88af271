
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The walk through an answer, and where its bytes go.  An answer that is short
 * costs a copy of it, strings that are short as they stand the walk only.
 */


#include "core/offload/art_shorten.h"


static void art_shorten_reset(art_shorten_t *shorten);
static art_offload_status_t art_shorten_event(art_shorten_t *shorten,
    const uint8_t *p, size_t len, size_t *n);
static art_offload_status_t art_shorten_again(art_shorten_t *shorten);
static void art_shorten_wake(art_shorten_t *shorten);
static unsigned art_shorten_lazy(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_lazy_out(art_shorten_t *shorten);
static unsigned art_shorten_has_room(art_shorten_t *shorten);
static void art_shorten_line(art_shorten_t *shorten);
static void art_shorten_pass(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static art_offload_status_t art_shorten_json(art_shorten_t *shorten,
    const uint8_t *p, size_t len, size_t *n);
static size_t art_shorten_some(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_out(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_held(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_long(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_keep(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_hold(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_digest(art_shorten_t *shorten);
static void art_shorten_read(art_shorten_t *shorten, const uint8_t *p,
    size_t len);
static void art_shorten_send_head(art_shorten_t *shorten);
static void art_shorten_string(art_shorten_t *shorten);
static void art_shorten_sink(art_shorten_t *shorten, art_sink_pt sink,
    const uint8_t *p, size_t len);
static art_offload_status_t art_shorten_status(const art_shorten_t *shorten);

static int art_shorten_enter(void *data, art_walk_frame_t *frame);
static int art_shorten_leave(void *data, art_walk_frame_t *frame,
    uint64_t end);
static size_t art_shorten_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_shorten_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static unsigned art_shorten_counts(const art_shorten_t *shorten, unsigned act,
    unsigned last);
static void art_shorten_note(art_shorten_t *shorten, unsigned act,
    const art_lex_value_t *value);


static const art_walk_rule_t  art_shorten_root = {
    NULL, ART_WALK_NONE, ART_SHORTEN_ROOT, ART_SHORTEN_ROOTS, ART_SHORTEN_PASS
};

static const art_walk_observer_t  art_shorten_observer = {
    sizeof(art_walk_rule_t),
    sizeof(art_walk_frame_t),
    ART_SHORTEN_FRAMES,
    &art_shorten_root,
    art_shorten_enter,
    art_shorten_leave,
    NULL,
    art_shorten_wants,
    NULL,
    art_shorten_value,
    NULL
};


/* Types of texts besides "text/...", and how others end. */

static const char *const  art_shorten_types[] = {
    "application/json", "application/xml", "application/yaml",
    "application/x-yaml", "application/javascript",
    "application/x-javascript"
};

static const char *const  art_shorten_suffixes[] = { "+json", "+xml" };


void
art_shorten_init(art_shorten_t *shorten, const art_api_t *api,
    unsigned events, const art_shorten_limits_t *limits,
    const art_offload_sink_t *sink, void *(*memory)(void *data, size_t size))
{
    memset(shorten, 0, offsetof(art_shorten_t, rest));

    shorten->sink = *sink;
    shorten->memory = memory;
    shorten->limits = *limits;
    shorten->events = events & 1;

    art_sse_init(&shorten->sse);
    art_walk_init(&shorten->walk, &art_shorten_observer, api->long_texts,
                  shorten->frames, shorten);
    art_shorten_reset(shorten);
}


static void
art_shorten_reset(art_shorten_t *shorten)
{
    shorten->state = ART_SHORTEN_AT_LAZY;
    shorten->lazy_len = 0;
    shorten->lazy_pos = 0;
    shorten->dead = 0;
    shorten->candidate = 0;
    shorten->taken = 0;

    memset(&shorten->block, 0, sizeof(shorten->block));

    art_walk_reset(&shorten->walk);
    art_lex_init(&shorten->lex, &art_walk_tokens, &shorten->walk,
                 shorten->kept, sizeof(shorten->kept));
}


art_offload_status_t
art_shorten_feed(art_shorten_t *shorten, const uint8_t *p, size_t len,
    size_t *n)
{
    size_t                 read;
    art_offload_status_t   status;

    if (art_shorten_is_behind(shorten)) {
        *n = 0;
        return art_shorten_again(shorten);
    }

    if (!shorten->events) {
        return art_shorten_json(shorten, p, len, n);
    }

    if (shorten->ended) {
        shorten->ended = 0;
        (void) art_shorten_end(shorten);
    }

    *n = 0;

    do {
        status = art_shorten_event(shorten, p + *n, len - *n, &read);
        *n += read;

    } while (status == ART_OFFLOAD_MORE && *n < len
             && !art_shorten_is_behind(shorten));

    return status;
}


/* Reads some of what is held. */

static art_offload_status_t
art_shorten_again(art_shorten_t *shorten)
{
    size_t                n;
    art_offload_status_t  status;

    if (shorten->state == ART_SHORTEN_AT_DIGEST) {
        art_shorten_digest(shorten);
        return art_shorten_status(shorten);
    }

    n = shorten->lazy_len - shorten->lazy_pos;
    n = n < ART_EXCERPT_STEP ? n : ART_EXCERPT_STEP;

    status = art_shorten_json(shorten, shorten->held + shorten->lazy_pos, n,
                              &n);
    shorten->lazy_pos += n;

    return status;
}


void
art_shorten_idle(art_shorten_t *shorten)
{
    if (shorten->state == ART_SHORTEN_AT_LAZY
        && shorten->lazy_pos < shorten->lazy_len)
    {
        art_shorten_wake(shorten);
    }
}


/*
 * What was not looked at will be: first what has gone out, which was a whole
 * line of an event.
 */

static void
art_shorten_wake(art_shorten_t *shorten)
{
    shorten->state = ART_SHORTEN_AT_OUT;

    if (shorten->lazy_pos > 0) {
        art_lex_seek(&shorten->lex, 0);
        shorten->dead = art_lex_feed(&shorten->lex, shorten->held,
                                     shorten->lazy_pos)
                        != ART_OK;
        shorten->candidate = 0;
        art_shorten_line(shorten);
    }

    shorten->pos -= shorten->lazy_len - shorten->lazy_pos;
}


static art_offload_status_t
art_shorten_event(art_shorten_t *shorten, const uint8_t *p, size_t len,
    size_t *n)
{
    art_sse_token_t  token;

    token = art_sse_next(&shorten->sse, p, len, n);

    if (token == ART_SSE_DATA) {
        return art_shorten_json(shorten, p, *n, n);
    }

    art_shorten_pass(shorten, p, *n);

    if (token == ART_SSE_LINE) {
        art_shorten_line(shorten);

    } else if (token == ART_SSE_END) {
        shorten->ended = art_shorten_end(shorten) == ART_OFFLOAD_NONE;
    }

    return shorten->ended ? ART_OFFLOAD_NONE : art_shorten_status(shorten);
}


/* A line feed between lines of data belongs to the data. */

static void
art_shorten_line(art_shorten_t *shorten)
{
    static const uint8_t  feed = '\n';

    if (shorten->state == ART_SHORTEN_AT_LAZY) {
        return;
    }

    if (!shorten->dead) {
        art_lex_seek(&shorten->lex, shorten->pos);
        shorten->dead = art_lex_feed(&shorten->lex, &feed, 1) != ART_OK;
    }

    if (shorten->dead && shorten->state == ART_SHORTEN_AT_HELD) {
        art_shorten_hold(shorten, NULL, 0);
    }
}


/* Bytes outside of data go where those before them went. */

static void
art_shorten_pass(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    shorten->pos += len;

    switch (shorten->state) {

    case ART_SHORTEN_AT_LAZY:
        art_shorten_lazy_out(shorten);
        art_shorten_sink(shorten, shorten->sink.out, p, len);
        break;

    case ART_SHORTEN_AT_HELD:

        /* the line ended inside the string: this is not JSON */

        shorten->dead = 1;
        art_shorten_hold(shorten, p, len);
        break;

    case ART_SHORTEN_AT_LONG:
        shorten->dead = 1;
        art_shorten_sink(shorten, shorten->sink.raw, p, len);
        break;

    case ART_SHORTEN_AT_REST:
        art_shorten_keep(shorten, p, len);
        break;

    default:
        art_shorten_sink(shorten, shorten->sink.out, p, len);
    }
}


static art_offload_status_t
art_shorten_json(art_shorten_t *shorten, const uint8_t *p, size_t len,
    size_t *n)
{
    art_offload_status_t  status;

    *n = 0;

    if (shorten->state == ART_SHORTEN_AT_LAZY) {

        if (art_shorten_lazy(shorten, p, len)) {
            *n = len;
            return art_shorten_status(shorten);
        }

        art_shorten_wake(shorten);

        if (art_shorten_is_behind(shorten)) {
            return art_shorten_status(shorten);
        }
    }

    do {
        *n += art_shorten_some(shorten, p + *n, len - *n);
        status = art_shorten_status(shorten);

    } while (status == ART_OFFLOAD_MORE && *n < len
             && shorten->state != ART_SHORTEN_AT_DIGEST);

    return status;
}


/* Holds the bytes of an answer that is short so far; 0 if it is not. */

static unsigned
art_shorten_lazy(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    /* another line of an event is read as it comes */

    if (shorten->lazy_pos > 0
        || len >= shorten->limits.size - shorten->lazy_len
        || !art_shorten_has_room(shorten))
    {
        return 0;
    }

    memcpy(shorten->held + shorten->lazy_len, p, len);
    shorten->lazy_len += len;
    shorten->pos += len;

    return 1;
}


static void
art_shorten_lazy_out(art_shorten_t *shorten)
{
    if (shorten->lazy_pos == shorten->lazy_len) {
        return;
    }

    art_shorten_sink(shorten, shorten->sink.out,
                     shorten->held + shorten->lazy_pos,
                     shorten->lazy_len - shorten->lazy_pos);
    shorten->lazy_pos = shorten->lazy_len;
}


static unsigned
art_shorten_has_room(art_shorten_t *shorten)
{
    if (shorten->held == NULL && !shorten->failed) {
        shorten->held = shorten->memory(shorten->sink.data,
                                        shorten->limits.size
                                        + ART_EXCERPT_STEP);
        shorten->failed = (shorten->held == NULL);
    }

    return !shorten->failed;
}


static size_t
art_shorten_some(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    size_t  n;

    n = len;

    if (shorten->state == ART_SHORTEN_AT_REST) {
        n = ART_SHORTEN_REST - shorten->rest_len;
        n = len < n ? len : n;

        if (n == 0) {
            shorten->closed = 1;
            art_shorten_keep(shorten, p, 0);
            return 0;
        }
    }

    if (!shorten->dead) {
        art_lex_seek(&shorten->lex, shorten->pos);
        shorten->dead = art_lex_feed(&shorten->lex, p, n) != ART_OK;

        n = (size_t) (art_lex_pos(&shorten->lex) - shorten->pos);
    }

    shorten->pos += n;

    switch (shorten->state) {

    case ART_SHORTEN_AT_OUT:
        art_shorten_out(shorten, p, n);
        break;

    case ART_SHORTEN_AT_HELD:
        art_shorten_held(shorten, p, n);
        break;

    case ART_SHORTEN_AT_LONG:
        art_shorten_long(shorten, p, n);
        break;

    default: /* REST */
        art_shorten_keep(shorten, p, n);
    }

    return n;
}


/* What precedes a string that may be long, and its quote, goes out. */

static void
art_shorten_out(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    size_t  n;

    n = len;

    if (shorten->candidate && !shorten->dead) {
        n = (size_t) (shorten->at + 1 - (shorten->pos - len));
    }

    art_shorten_sink(shorten, shorten->sink.out, p, n);

    if (!shorten->candidate || shorten->dead) {
        shorten->candidate = 0;
        return;
    }

    shorten->held_len = 0;
    shorten->state = ART_SHORTEN_AT_HELD;

    art_shorten_held(shorten, p + n, len - n);
}


static void
art_shorten_held(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    size_t  n;

    n = len - shorten->over;

    if (shorten->dead || !art_shorten_has_room(shorten)
        || (shorten->over && shorten->held_len + n < shorten->limits.size))
    {
        art_shorten_hold(shorten, p, len);
        return;
    }

    /* they may be in front of what is read again */

    memmove(shorten->held + shorten->held_len, p, n);
    shorten->held_len += n;

    if (shorten->held_len >= shorten->limits.size) {
        shorten->state = ART_SHORTEN_AT_DIGEST;
        shorten->digested = 0;
    }
}


/* It is not long: what was held goes out, and these bytes. */

static void
art_shorten_hold(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    art_shorten_sink(shorten, shorten->sink.out, shorten->held,
                     shorten->held_len);
    art_shorten_sink(shorten, shorten->sink.out, p, len);

    shorten->held_len = 0;
    shorten->candidate = 0;
    shorten->over = 0;
    shorten->state = ART_SHORTEN_AT_OUT;
}


/* Reads some of what is held as a text. */

static void
art_shorten_digest(art_shorten_t *shorten)
{
    size_t  n;

    if (shorten->digested == 0) {

        if (shorten->ends == NULL) {
            shorten->ends = shorten->memory(shorten->sink.data,
                                art_excerpt_memory(shorten->limits.head,
                                                   shorten->limits.tail));
        }

        if (shorten->ends == NULL) {
            shorten->failed = 1;
            return;
        }

        shorten->headed = 0;
        art_excerpt_init(&shorten->excerpt, shorten->limits.head,
                         shorten->limits.tail, shorten->ends,
                         shorten->sink.content, shorten->sink.data);
    }

    n = shorten->held_len - shorten->digested;
    n = n < ART_EXCERPT_STEP ? n : ART_EXCERPT_STEP;

    art_shorten_read(shorten, shorten->held + shorten->digested, n);
    shorten->digested += n;

    if (shorten->digested < shorten->held_len) {
        return;
    }

    shorten->held_len = 0;
    shorten->digested = 0;
    shorten->state = ART_SHORTEN_AT_LONG;

    if (shorten->over) {
        art_shorten_string(shorten);
    }
}


static void
art_shorten_long(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    if (shorten->dead) {
        art_shorten_sink(shorten, shorten->sink.raw, p, len);
        return;
    }

    art_shorten_read(shorten, p, len - shorten->over);

    if (shorten->over) {
        art_shorten_string(shorten);
    }
}


static void
art_shorten_read(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    art_shorten_sink(shorten, shorten->sink.raw, p, len);

    if (art_excerpt_feed(&shorten->excerpt, p, len) != ART_OK) {
        shorten->failed = 1;
    }

    if (!art_solid_may_be(&shorten->excerpt.solid)) {
        art_shorten_send_head(shorten);
    }
}


static void
art_shorten_send_head(art_shorten_t *shorten)
{
    art_str_t  head;

    if (shorten->headed
        || shorten->excerpt.size < shorten->limits.size)
    {
        return;
    }

    head = art_excerpt_head(&shorten->excerpt);
    art_shorten_sink(shorten, shorten->sink.out, head.data, head.len);
    shorten->headed = 1;
}


/* The string has ended, with a quote. */

static void
art_shorten_string(art_shorten_t *shorten)
{
    if (art_excerpt_end(&shorten->excerpt) != ART_OK) {
        shorten->failed = 1;
    }

    shorten->over = 0;
    shorten->closed = 0;
    shorten->rest[0] = '"';
    shorten->rest_len = 1;

    if (art_solid_is(&shorten->excerpt.solid)
        || shorten->excerpt.size < shorten->limits.size)
    {
        shorten->state = ART_SHORTEN_AT_NOT;
        return;
    }

    art_shorten_send_head(shorten);

    shorten->state = shorten->act == ART_SHORTEN_STRING
                     ? ART_SHORTEN_AT_END : ART_SHORTEN_AT_REST;
}


/* Keeps what is behind a text, until that is known to be one of a result. */

static void
art_shorten_keep(art_shorten_t *shorten, const uint8_t *p, size_t len)
{
    if (len > ART_SHORTEN_REST - shorten->rest_len) {

        /* lines of an event, which are not counted before */

        shorten->dead = 1;
        art_shorten_sink(shorten, shorten->sink.raw, shorten->rest,
                         shorten->rest_len);
        art_shorten_sink(shorten, shorten->sink.raw, p, len);
        shorten->rest_len = 0;

    } else if (len > 0) {
        memcpy(shorten->rest + shorten->rest_len, p, len);
        shorten->rest_len += len;
    }

    if (shorten->closed) {
        shorten->state = art_shorten_counts(shorten, shorten->act, 1)
                         ? ART_SHORTEN_AT_END : ART_SHORTEN_AT_NOT;
    }
}


static void
art_shorten_sink(art_shorten_t *shorten, art_sink_pt sink, const uint8_t *p,
    size_t len)
{
    if (len > 0 && !shorten->failed
        && sink(shorten->sink.data, p, len) != ART_OK)
    {
        shorten->failed = 1;
    }
}


static art_offload_status_t
art_shorten_status(const art_shorten_t *shorten)
{
    if (shorten->failed) {
        return ART_OFFLOAD_FAILED;
    }

    if (shorten->state == ART_SHORTEN_AT_END) {
        return ART_OFFLOAD_OVER;
    }

    return shorten->state == ART_SHORTEN_AT_NOT
           || (shorten->state >= ART_SHORTEN_AT_LONG && shorten->dead)
           ? ART_OFFLOAD_NONE : ART_OFFLOAD_MORE;
}


art_offload_status_t
art_shorten_end(art_shorten_t *shorten)
{
    if (shorten->state == ART_SHORTEN_AT_LAZY) {
        art_shorten_lazy_out(shorten);
        shorten->state = ART_SHORTEN_AT_OUT;
    }

    if (shorten->state == ART_SHORTEN_AT_HELD) {
        art_shorten_hold(shorten, NULL, 0);
    }

    if (shorten->state != ART_SHORTEN_AT_OUT) {
        return ART_OFFLOAD_NONE;
    }

    art_shorten_reset(shorten);

    return shorten->failed ? ART_OFFLOAD_FAILED : ART_OFFLOAD_MORE;
}


int
art_shorten_made(art_shorten_t *shorten, art_str_t id, art_lang_t lang)
{
    art_out_t           out;
    uint8_t             text[ART_EXCERPT_SENTENCE];
    art_excerpt_tail_t  tail;

    out = art_out(text, sizeof(text));

    art_excerpt_tail(&shorten->excerpt, &tail);
    art_excerpt_print(&out, &shorten->excerpt, &tail, id, lang);

    art_shorten_sink(shorten, shorten->sink.out, text, out.len);
    art_shorten_sink(shorten, shorten->sink.out, tail.bytes.data,
                     tail.bytes.len);
    art_shorten_sink(shorten, shorten->sink.out, shorten->rest,
                     shorten->rest_len);

    shorten->taken++;
    shorten->candidate = 0;
    shorten->state = ART_SHORTEN_AT_OUT;

    return shorten->failed ? ART_ERROR : ART_OK;
}


int
art_shorten_left(art_shorten_t *shorten)
{
    if (shorten->state == ART_SHORTEN_AT_DIGEST) {
        art_shorten_sink(shorten, shorten->sink.raw,
                         shorten->held + shorten->digested,
                         shorten->held_len - shorten->digested);

        if (shorten->over) {
            art_shorten_sink(shorten, shorten->sink.raw,
                             (const uint8_t *) "\"", 1);
        }

    } else if (shorten->state >= ART_SHORTEN_AT_REST) {
        art_shorten_sink(shorten, shorten->sink.raw, shorten->rest,
                         shorten->rest_len);
    }

    shorten->candidate = 0;
    shorten->over = 0;
    shorten->state = ART_SHORTEN_AT_OUT;

    return shorten->failed ? ART_ERROR : ART_OK;
}


size_t
art_shorten_sent(const art_shorten_t *shorten)
{
    return shorten->headed ? art_excerpt_head(&shorten->excerpt).len : 0;
}


static int
art_shorten_enter(void *data, art_walk_frame_t *frame)
{
    art_shorten_t *shorten = data;

    if (frame->rule->act == ART_SHORTEN_BLOCK) {
        memset(&shorten->block, 0, sizeof(shorten->block));
        shorten->declared_len = 0;

    } else if (frame->rule->act == ART_SHORTEN_FOR) {
        shorten->block.model = 1;
    }

    return ART_OK;
}


static int
art_shorten_leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    art_shorten_t *shorten = data;

    (void) end;

    if (frame->rule->act == ART_SHORTEN_BLOCK
        && shorten->state == ART_SHORTEN_AT_REST)
    {
        shorten->closed = 1;
        art_lex_stop(&shorten->lex);
    }

    return ART_OK;
}


static size_t
art_shorten_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    art_shorten_t *shorten = data;

    switch (rule->act) {

    case ART_SHORTEN_STRING:
    case ART_SHORTEN_TEXT:
    case ART_SHORTEN_CONTENTS:

        if (shorten->state == ART_SHORTEN_AT_OUT
            && shorten->taken < ART_SHORTEN_MAX
            && art_shorten_counts(shorten, rule->act, 0))
        {
            shorten->candidate = 1;
            shorten->at = pos;
            shorten->act = rule->act;
        }

        return 0;

    case ART_SHORTEN_PASS:
    case ART_SHORTEN_BLOCK:
        return 0;

    default:
        return ART_SHORTEN_TYPE;
    }
}


/*
 * Whether a string counts by what is known of its block; "last" if nothing more
 * will be.
 */

static unsigned
art_shorten_counts(const art_shorten_t *shorten, unsigned act, unsigned last)
{
    const art_shorten_block_t  *block;

    block = &shorten->block;

    if (act == ART_SHORTEN_STRING) {
        return 1;
    }

    if (block->ref || block->other || (block->user && !block->model)) {
        return 0;
    }

    return act == ART_SHORTEN_TEXT
           ? !block->resource && (block->text || !last)
           : !block->text && !block->ui && (block->resource || !last);
}


static int
art_shorten_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_shorten_t *shorten = data;

    if (shorten->candidate && value->pos == shorten->at) {

        if (shorten->state == ART_SHORTEN_AT_OUT
            && value->end - value->pos - 2 < shorten->limits.size)
        {
            shorten->candidate = 0;

        } else {
            shorten->over = 1;
            art_lex_stop(&shorten->lex);
        }

    } else {
        art_shorten_note(shorten, rule->act, value);
    }

    return ART_OK;
}


static void
art_shorten_note(art_shorten_t *shorten, unsigned act,
    const art_lex_value_t *value)
{
    art_str_t             text;
    art_shorten_block_t  *block;

    block = &shorten->block;
    text = value->string ? value->text : art_str(NULL, 0);

    switch (act) {

    case ART_SHORTEN_KIND:
        block->text = art_str_eq(text, art_cstr("text")) != 0;
        block->resource = art_str_eq(text, art_cstr("resource")) != 0;
        block->other = !block->text && !block->resource;
        break;

    case ART_SHORTEN_FOR:

        if (art_str_eq(text, art_cstr("user"))) {
            block->user = 1;

        } else {
            block->model = 1;
        }

        break;

    case ART_SHORTEN_REF:
        block->ref = 1;
        break;

    case ART_SHORTEN_URI:
        block->ui = text.len >= 5
                    && art_str_is(art_str(text.data, 5), "ui://");
        break;

    case ART_SHORTEN_MIME:
        shorten->declared_len = 0;

        if (text.len > 0 && text.len == value->len) {
            memcpy(shorten->declared, text.data, text.len);
            shorten->declared_len = text.len;
        }

        break;

    default:
        break;
    }
}


void
art_shorten_type(art_out_t *out, const art_shorten_t *shorten)
{
    size_t     i, n;
    unsigned   textual;
    uint8_t    type[ART_SHORTEN_TYPE];
    art_str_t  mime, suffix;

    for (n = 0; n < shorten->declared_len; n++) {
        type[n] = art_char_lower(shorten->declared[n]);

        if (!art_char_alnum(type[n])
            && memchr("!#$&-^_.+/", type[n], 10) == NULL)
        {
            break;
        }
    }

    mime = art_str(type, n);
    textual = n > 5 && memcmp(type, "text/", 5) == 0;

    for (i = 0; i < art_nitems(art_shorten_types); i++) {
        textual |= art_str_eq(mime, art_cstr(art_shorten_types[i])) != 0;
    }

    for (i = 0; i < art_nitems(art_shorten_suffixes); i++) {
        suffix = art_cstr(art_shorten_suffixes[i]);
        textual |= n > suffix.len + 1
                   && memchr(type, '/', n) != NULL
                   && memcmp(type + n - suffix.len, suffix.data, suffix.len)
                      == 0;
    }

    /* parameters may follow, and nothing else */

    textual &= shorten->act == ART_SHORTEN_CONTENTS
               && (n == shorten->declared_len
                   || memchr("; \t", shorten->declared[n], 3) != NULL);

    art_out_str(out, textual ? mime : art_cstr("text/plain"));
}
