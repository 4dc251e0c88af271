
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_media.h"
#include "core/message/art_message_prompt.h"


#define ART_PROMPT_WORD  64      /* bytes of a role or a type */


static int art_prompt_enter(void *data, art_walk_frame_t *frame);
static int art_prompt_leave(void *data, art_walk_frame_t *frame, uint64_t end);
static void art_prompt_message(art_prompt_t *prompt);
static int art_prompt_key(void *data, uint64_t pos, uint64_t end,
    art_str_t key);
static size_t art_prompt_wants(void *data, const art_walk_rule_t *rule,
    uint64_t pos);
static int art_prompt_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value);
static void art_prompt_words(void *data, const uint8_t *p, size_t n,
    uint64_t end);
static unsigned art_prompt_is_json(art_str_t type);


static const art_walk_rule_t  art_prompt_root = {
    NULL, ART_WALK_NONE, ART_PROMPT_ROOT, ART_WALK_NONE, ART_PROMPT_PASS
};

static const art_walk_observer_t  art_prompt_observer = {
    sizeof(art_walk_rule_t),
    sizeof(art_walk_frame_t),
    ART_PROMPT_FRAMES,
    &art_prompt_root,
    art_prompt_enter,
    art_prompt_leave,
    art_prompt_key,
    art_prompt_wants,
    NULL,
    art_prompt_value,
    art_prompt_words
};


static const uint8_t  art_prompt_tag[] = "<artifacts>";


void
art_prompt_init(art_prompt_t *prompt, const art_api_t *api)
{
    memset(prompt, 0, sizeof(*prompt));

    prompt->api = api;
    prompt->text = &prompt->root;

    art_walk_init(&prompt->walk, &art_prompt_observer, api->system.rules,
                  prompt->frames, prompt);
}


static int
art_prompt_enter(void *data, art_walk_frame_t *frame)
{
    unsigned       act;
    art_prompt_t  *prompt;

    prompt = data;
    act = frame->rule->act;

    /* a request in the request is only looked for at its top */

    if (frame->node == ART_PROMPT_ROOT && prompt->walk.depth > 2) {
        frame->node = ART_PROMPT_NO_NODE;
    }

    if (act == ART_PROMPT_ASKED) {
        prompt->structured = 1;
    }

    if (act == ART_PROMPT_TEXT) {
        prompt->text->kind = frame->node == ART_PROMPT_NO_NODE
                             ? ART_PROMPT_OTHER
                             : frame->array ? ART_PROMPT_ARRAY
                                            : ART_PROMPT_OBJECT;
        prompt->text->span.pos = frame->pos;
    }

    switch (frame->node) {

    case ART_PROMPT_MESSAGE:

        if (prompt->led) {
            frame->node = ART_PROMPT_NO_NODE;
            break;
        }

        /* fall through */

    case ART_PROMPT_SYSTEM:
        memset(&prompt->coming, 0, sizeof(prompt->coming));
        break;

    case ART_PROMPT_ROOT:
        memset(&prompt->root, 0, sizeof(prompt->root));
        prompt->fixed = 0;
        prompt->chosen = 0;
        break;

    default:
        break;
    }

    return ART_OK;
}


static int
art_prompt_leave(void *data, art_walk_frame_t *frame, uint64_t end)
{
    art_prompt_t  *prompt;

    prompt = data;

    switch (frame->node) {

    case ART_PROMPT_ROOT:

        if (!prompt->fixed) {
            prompt->root.end = end;
            prompt->root.members = frame->count;
        }

        prompt->fixed = prompt->walk.depth > 1;
        break;

    case ART_PROMPT_LIST:
        prompt->list = frame->pos + 1;
        prompt->messages = frame->count;
        prompt->lists++;
        break;

    case ART_PROMPT_MESSAGE:
    case ART_PROMPT_SYSTEM:
        prompt->coming.end = end;
        prompt->coming.members = frame->count;
        art_prompt_message(prompt);
        break;

    default:
        break;
    }

    if (frame->rule->act == ART_PROMPT_TEXT
        && frame->node != ART_PROMPT_SYSTEM)
    {
        prompt->text->span.end = end;
        prompt->text->elements = frame->count;
    }

    return ART_OK;
}


/* A message, or Gemini's system instruction, is over. */

static void
art_prompt_message(art_prompt_t *prompt)
{
    if (prompt->api->system.root.key != NULL) {

        prompt->chosen = 1;
        prompt->held = prompt->coming;
        prompt->text = &prompt->root;

    } else if (!prompt->coming.system) {
        prompt->led = 1;

    } else {
        prompt->chosen = 1;
        prompt->held = prompt->coming;
        prompt->tagged |= prompt->coming.tagged;
    }
}


static int
art_prompt_key(void *data, uint64_t pos, uint64_t end, art_str_t key)
{
    art_prompt_t       *prompt;
    art_prompt_text_t  *text;

    (void) pos;
    (void) end;
    (void) key;

    prompt = data;

    if (prompt->walk.rule == NULL || prompt->walk.rule->act != ART_PROMPT_TEXT)
    {
        return ART_OK;
    }

    /* the last one of members with the same key counts */

    if (prompt->walk.rule->in != ART_PROMPT_ROOT) {
        text = &prompt->coming;

    } else if (prompt->fixed) {
        prompt->walk.rule = NULL;
        return ART_OK;

    } else {
        text = &prompt->root;
        prompt->chosen = 0;
    }

    text->kind = ART_PROMPT_ABSENT;
    text->filled = 0;
    text->tagged = 0;

    prompt->text = text;

    return ART_OK;
}


static size_t
art_prompt_wants(void *data, const art_walk_rule_t *rule, uint64_t pos)
{
    art_prompt_t  *prompt;

    (void) pos;
    prompt = data;

    switch (rule->act) {

    case ART_PROMPT_TEXT:
    case ART_PROMPT_WORDS:
        prompt->matched = 0;
        return ART_LEX_STREAM;

    case ART_PROMPT_ROLE:
    case ART_PROMPT_TYPE:
    case ART_PROMPT_MIME:
        return ART_PROMPT_WORD;

    default:
        return 0;
    }
}


static int
art_prompt_value(void *data, const art_walk_rule_t *rule,
    const art_lex_value_t *value)
{
    art_prompt_t  *prompt;

    prompt = data;

    if (rule->in == ART_PROMPT_LIST) {
        prompt->led = 1;
    }

    switch (rule->act) {

    case ART_PROMPT_TEXT:
        prompt->text->kind = value->string ? ART_PROMPT_STRING
                             : value->null ? ART_PROMPT_NULL
                                           : ART_PROMPT_OTHER;
        prompt->text->span.pos = value->pos;
        prompt->text->span.end = value->end;
        break;

    case ART_PROMPT_ROLE:
        prompt->coming.system = value->string
                                && art_message_role(value->text)
                                   == ART_ROLE_SYSTEM;
        break;

    case ART_PROMPT_ASKED:
        prompt->structured |= !value->null;
        break;

    case ART_PROMPT_TYPE:
        prompt->structured |= value->text.len >= 4
                              && memcmp(value->text.data, "json", 4) == 0;
        break;

    case ART_PROMPT_MIME:
        prompt->structured |= art_prompt_is_json(value->text) != 0;
        break;

    case ART_PROMPT_VERSION:
        prompt->versioned = 1;
        break;

    default:
        break;
    }

    return ART_OK;
}


/* Words of a system text, or of what may turn out to be one. */

static void
art_prompt_words(void *data, const uint8_t *p, size_t n, uint64_t end)
{
    const uint8_t  *last;
    art_prompt_t   *prompt;

    (void) end;
    prompt = data;
    prompt->text->filled = 1;

    for (last = p + n; p < last && !prompt->text->tagged; p++) {

        if (prompt->matched == 0) {
            p = memchr(p, '<', (size_t) (last - p));

            if (p == NULL) {
                return;
            }
        }

        if (*p == art_prompt_tag[prompt->matched]) {
            prompt->matched++;

        } else {
            prompt->matched = *p == '<';
        }

        if (prompt->matched == sizeof(art_prompt_tag) - 1) {
            prompt->text->tagged = 1;
        }
    }
}


static unsigned
art_prompt_is_json(art_str_t type)
{
    art_media_type_t  parsed;

    if (type.len == 0) {
        return 0;
    }

    art_media_parse(type, &parsed);

    return (art_media_traits(art_str(parsed.buf, parsed.len)).flags
            & ART_MEDIA_JSON)
           != 0;
}
