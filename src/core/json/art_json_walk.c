
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_walk.h"


static int art_walk_open(void *data, uint64_t pos, unsigned object);
static int art_walk_enter(art_walk_t *walk, uint64_t pos, unsigned object);
static int art_walk_close(void *data, uint64_t end);
static int art_walk_leave(art_walk_t *walk, uint64_t end);
static int art_walk_key(void *data, uint64_t pos, uint64_t end,
    art_str_t key);
static const art_walk_rule_t *art_walk_find(const art_walk_t *walk,
    unsigned node, art_str_t key);
static const art_walk_rule_t *art_walk_next(const art_walk_t *walk);
static size_t art_walk_wants(void *data, uint64_t pos);
static int art_walk_goes_on(void *data, art_str_t text);
static int art_walk_value(void *data, const art_lex_value_t *value);
static void art_walk_text(void *data, const uint8_t *p, size_t n,
    uint64_t end);


#define art_walk_next_rule(walk, rule)                                        \
    ((const void *) ((const uint8_t *) (rule) + (walk)->observer->rule_size))


const art_lex_handler_t  art_walk_tokens = {
    art_walk_open,
    art_walk_close,
    art_walk_key,
    art_walk_wants,
    art_walk_goes_on,
    art_walk_value,
    art_walk_text
};


void
art_walk_init(art_walk_t *walk, const art_walk_observer_t *observer,
    const void *rules, void *frames, void *data)
{
    const art_walk_rule_t  *rule;

    memset(walk, 0, sizeof(art_walk_t));

    walk->observer = observer;
    walk->frames = frames;
    walk->data = data;

    for (rule = rules; rule != NULL && rule->in != ART_WALK_NONE;
         rule = art_walk_next_rule(walk, rule))
    {
        if (walk->first[rule->in] == NULL) {
            walk->first[rule->in] = rule;
        }
    }

    art_walk_reset(walk);
}


void
art_walk_reset(art_walk_t *walk)
{
    memset(walk->frames, 0, walk->observer->frame_size);

    walk->top = walk->frames;
    walk->rule = walk->observer->root;
    walk->depth = 0;
    walk->skipped = 0;
    walk->tree = 0;
}


static int
art_walk_open(void *data, uint64_t pos, unsigned object)
{
    unsigned     entered;
    art_walk_t  *walk;

    entered = 0;

    for (walk = data; walk != NULL; walk = walk->next) {

        if (walk->skipped > 0) {
            walk->skipped++;
            continue;
        }

        if (walk->tree > 0) {
            walk->tree++;
            entered = 1;
            continue;
        }

        if (art_walk_enter(walk, pos, object) != ART_OK) {
            return ART_ERROR;
        }

        entered |= walk->skipped == 0;
    }

    return entered ? ART_OK : ART_LEX_SKIP;
}


static int
art_walk_enter(art_walk_t *walk, uint64_t pos, unsigned object)
{
    art_walk_frame_t           *frame;
    const art_walk_rule_t      *rule;
    const art_walk_observer_t  *observer;

    rule = walk->rule;
    observer = walk->observer;

    frame = art_walk_top(walk);
    frame->count++;

    walk->top += observer->frame_size;
    frame = art_walk_top(walk);

    frame->rule = rule;
    frame->pos = pos;
    frame->key = 0;
    frame->count = 0;
    frame->array = !object;
    frame->node = ART_WALK_NONE;

    if (rule != NULL && walk->depth != observer->depth) {
        frame->node = object ? rule->object : rule->array;
    }

    walk->depth++;

    if (rule != NULL && observer->enter != NULL
        && observer->enter(walk->data, frame) != ART_OK)
    {
        return ART_ERROR;
    }

    if (frame->node == ART_WALK_NONE && walk->every != NULL) {
        walk->rule = walk->every;
        walk->tree = 1;
        return ART_OK;
    }

    if (frame->node == ART_WALK_NONE) {
        walk->skipped = 1;
        return ART_OK;
    }

    if (frame->node == ART_WALK_TREE) {
        walk->tree = 1;
        return ART_OK;
    }

    walk->rule = object ? NULL : walk->first[frame->node];

    return ART_OK;
}


static int
art_walk_close(void *data, uint64_t end)
{
    art_walk_t  *walk;

    for (walk = data; walk != NULL; walk = walk->next) {

        if (walk->skipped > 1) {
            walk->skipped--;

        } else if (walk->tree > 1) {
            walk->tree--;

        } else if (art_walk_leave(walk, end) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_walk_leave(art_walk_t *walk, uint64_t end)
{
    art_walk_frame_t           *frame;
    const art_walk_observer_t  *observer;

    frame = art_walk_top(walk);
    observer = walk->observer;

    if (frame->rule != NULL && observer->leave != NULL
        && observer->leave(walk->data, frame, end) != ART_OK)
    {
        return ART_ERROR;
    }

    walk->skipped = 0;
    walk->tree = 0;
    walk->depth--;
    walk->top -= observer->frame_size;

    frame = art_walk_top(walk);
    walk->rule = frame->array ? walk->first[frame->node] : NULL;

    return ART_OK;
}


static int
art_walk_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_walk_t        *walk;
    art_walk_frame_t  *frame;

    for (walk = data; walk != NULL; walk = walk->next) {

        if (art_walk_is_skipping(walk)) {
            continue;
        }

        frame = art_walk_top(walk);
        frame->key = pos;
        walk->rule = art_walk_find(walk, frame->node, key);

        if (walk->observer->key != NULL
            && walk->observer->key(walk->data, pos, end, key) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static const art_walk_rule_t *
art_walk_find(const art_walk_t *walk, unsigned node, art_str_t key)
{
    const art_walk_rule_t  *rule;

    rule = walk->first[node];

    if (rule == NULL) {
        return NULL;
    }

    do {
        if (rule->key[0] == ART_WALK_ANY[0]
            || (key.len > 0 && rule->key[0] == (char) key.data[0]
                && art_str_eq(key, art_cstr(rule->key))))
        {
            return rule;
        }

        rule = art_walk_next_rule(walk, rule);

    } while (rule->in == node);

    return NULL;
}


/* The rule of the next value; NULL: none. */

static const art_walk_rule_t *
art_walk_next(const art_walk_t *walk)
{
    return walk->rule != NULL ? walk->rule : walk->every;
}


static size_t
art_walk_wants(void *data, uint64_t pos)
{
    size_t                  keep, most, streams;
    art_walk_t             *walk;
    const art_walk_rule_t  *rule;

    most = 0;
    streams = 0;

    for (walk = data; walk != NULL; walk = walk->next) {

        walk->wanted = 0;
        rule = art_walk_next(walk);

        if (walk->skipped == 0 && rule != NULL
            && walk->observer->wants != NULL)
        {
            walk->wanted = walk->observer->wants(walk->data, rule, pos);
        }

        keep = walk->wanted & ~(size_t) ART_LEX_STREAM;
        most = keep > most ? keep : most;
        streams |= walk->wanted & ART_LEX_STREAM;
    }

    return most | streams;
}


static int
art_walk_goes_on(void *data, art_str_t text)
{
    art_walk_t  *walk;

    for (walk = data; walk != NULL; walk = walk->next) {

        if ((walk->wanted & ~(size_t) ART_LEX_STREAM) > 0
            && (walk->observer->goes_on == NULL
                || walk->observer->goes_on(walk->data, art_walk_next(walk),
                                           text)))
        {
            return 1;
        }
    }

    return 0;
}


static int
art_walk_value(void *data, const art_lex_value_t *value)
{
    art_walk_t             *walk;
    art_walk_frame_t       *frame;
    const art_walk_rule_t  *rule;

    for (walk = data; walk != NULL; walk = walk->next) {

        if (walk->skipped > 0) {
            continue;
        }

        frame = art_walk_top(walk);
        frame->count++;
        rule = art_walk_next(walk);

        if (rule != NULL && walk->observer->value != NULL
            && walk->observer->value(walk->data, rule, value) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static void
art_walk_text(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    art_walk_t  *walk;

    for (walk = data; walk != NULL; walk = walk->next) {
        if (walk->wanted & ART_LEX_STREAM) {
            walk->observer->text(walk->data, p, n, end);
        }
    }
}
