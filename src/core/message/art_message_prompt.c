
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_media.h"
#include "core/message/art_message_prompt.h"
#include "core/message/art_message_prompt_int.h"


#define ART_PROMPT_WORD  64      /* bytes of a role or a type */


static int art_prompt_open(void *data, uint64_t pos, unsigned object);
static int art_prompt_close(void *data, uint64_t end);
static void art_prompt_over(art_prompt_t *prompt,
    const art_prompt_frame_t *frame, uint64_t end);
static void art_prompt_message(art_prompt_t *prompt);
static int art_prompt_key(void *data, uint64_t pos, art_str_t key);
static size_t art_prompt_wants(void *data);
static int art_prompt_goes_on(void *data, art_str_t text);
static int art_prompt_value(void *data, const art_lex_value_t *value);
static void art_prompt_scalar(art_prompt_t *prompt,
    const art_lex_value_t *value);
static void art_prompt_words(void *data, const uint8_t *p, size_t n,
    uint64_t pos);
static const art_prompt_rule_t *art_prompt_coming(const art_prompt_t *prompt);
static art_prompt_text_t *art_prompt_place(art_prompt_t *prompt,
    const art_prompt_rule_t *rule);
static unsigned art_prompt_is_json(art_str_t type);


const art_lex_handler_t  art_prompt_handler = {
    art_prompt_open,
    art_prompt_close,
    art_prompt_key,
    art_prompt_wants,
    art_prompt_goes_on,
    art_prompt_value,
    art_prompt_words
};


static const art_prompt_rule_t  art_prompt_root = {
    ART_PROMPT_NO_NODE, NULL, ART_PROMPT_ROOT, ART_PROMPT_NO_NODE,
    ART_PROMPT_PASS
};

static const uint8_t  art_prompt_tag[] = "<artifacts>";


void
art_prompt_init(art_prompt_t *prompt, const art_message_api_t *api)
{
    memset(prompt, 0, sizeof(*prompt));

    prompt->api = api;
    prompt->row = art_prompt_row(api);
    prompt->text = &prompt->root;
}


static int
art_prompt_open(void *data, uint64_t pos, unsigned object)
{
    unsigned                  node;
    art_prompt_t             *prompt;
    art_prompt_frame_t       *frame;
    const art_prompt_rule_t  *rule;

    prompt = data;

    if (prompt->opaque > 0) {
        prompt->opaque++;
        return ART_OK;
    }

    rule = art_prompt_coming(prompt);
    node = rule == NULL ? ART_PROMPT_NO_NODE
                        : object ? rule->object : rule->array;

    if (prompt->nframes > 0) {
        prompt->frames[prompt->nframes - 1].count++;
    }

    /* of a request in the request, which comes but once, at its top */

    if (node == ART_PROMPT_ROOT && prompt->nframes > 1) {
        node = ART_PROMPT_NO_NODE;
    }

    if (rule != NULL && rule->act == ART_PROMPT_ASKED) {
        prompt->structured = 1;
    }

    if (rule != NULL && rule->act == ART_PROMPT_TEXT) {
        prompt->text->kind = node == ART_PROMPT_NO_NODE ? ART_PROMPT_OTHER
                             : object ? ART_PROMPT_OBJECT : ART_PROMPT_ARRAY;
        prompt->text->span.pos = pos;
    }

    if (node == ART_PROMPT_NO_NODE || prompt->nframes == ART_PROMPT_FRAMES
        || (node == ART_PROMPT_MESSAGE && prompt->led))
    {
        prompt->opaque = 1;
        prompt->opaque_rule = rule;
        return ART_OK;
    }

    if (node == ART_PROMPT_MESSAGE || node == ART_PROMPT_SYSTEM) {
        memset(&prompt->coming, 0, sizeof(prompt->coming));

    } else if (node == ART_PROMPT_ROOT) {
        memset(&prompt->root, 0, sizeof(prompt->root));
        prompt->fixed = 0;
        prompt->chosen = 0;
    }

    frame = &prompt->frames[prompt->nframes++];

    frame->node = node;
    frame->rule = rule;
    frame->pos = pos;
    frame->count = 0;

    return ART_OK;
}


static int
art_prompt_close(void *data, uint64_t end)
{
    art_prompt_t        *prompt;
    art_prompt_frame_t   frame;

    prompt = data;

    if (prompt->opaque == 0) {
        frame = prompt->frames[--prompt->nframes];
        art_prompt_over(prompt, &frame, end);

    } else if (--prompt->opaque == 0) {
        memset(&frame, 0, sizeof(frame));
        frame.rule = prompt->opaque_rule;
        art_prompt_over(prompt, &frame, end);
    }

    return ART_OK;
}


/* An object or array is over; its frame is off the stack already. */

static void
art_prompt_over(art_prompt_t *prompt, const art_prompt_frame_t *frame,
    uint64_t end)
{
    switch (frame->node) {

    case ART_PROMPT_ROOT:

        if (!prompt->fixed) {
            prompt->root.end = end;
            prompt->root.members = frame->count;
        }

        prompt->fixed = prompt->nframes > 0;
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

    if (frame->rule == NULL || frame->rule->act != ART_PROMPT_TEXT
        || frame->node == ART_PROMPT_SYSTEM)
    {
        return;
    }

    prompt->text->span.end = end;
    prompt->text->elements = frame->count;
}


/* A message, or Gemini's system instruction, is over. */

static void
art_prompt_message(art_prompt_t *prompt)
{
    if (prompt->row->root.key != NULL) {

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
art_prompt_key(void *data, uint64_t pos, art_str_t key)
{
    art_prompt_t             *prompt;
    art_prompt_text_t        *text;
    art_prompt_frame_t       *frame;
    const art_prompt_rule_t  *rule;

    (void) pos;
    prompt = data;

    if (prompt->opaque > 0) {
        return ART_OK;
    }

    frame = &prompt->frames[prompt->nframes - 1];
    prompt->rule = NULL;

    for (rule = prompt->row->rules;
         key.data != NULL && rule->in != ART_PROMPT_NO_NODE; rule++)
    {
        if (rule->in == frame->node && rule->key != NULL
            && art_str_eq(key, art_cstr(rule->key)))
        {
            prompt->rule = rule;
            break;
        }
    }

    if (prompt->rule == NULL || prompt->rule->act != ART_PROMPT_TEXT) {
        return ART_OK;
    }

    /* of members that stand twice the last one counts */

    if (prompt->fixed && frame->node == ART_PROMPT_ROOT) {
        prompt->rule = NULL;
        return ART_OK;
    }

    text = art_prompt_place(prompt, prompt->rule);

    text->kind = ART_PROMPT_ABSENT;
    text->filled = 0;
    text->tagged = 0;

    if (frame->node == ART_PROMPT_ROOT) {
        prompt->chosen = 0;
    }

    prompt->text = text;

    return ART_OK;
}


static size_t
art_prompt_wants(void *data)
{
    art_prompt_t             *prompt;
    const art_prompt_rule_t  *rule;

    prompt = data;
    rule = prompt->opaque > 0 ? NULL : art_prompt_coming(prompt);

    if (rule == NULL) {
        return 0;
    }

    switch (rule->act) {

    case ART_PROMPT_TEXT:
    case ART_PROMPT_WORDS:
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
art_prompt_goes_on(void *data, art_str_t text)
{
    (void) text;

    return (art_prompt_wants(data) & ~(size_t) ART_LEX_STREAM) > 0;
}


static int
art_prompt_value(void *data, const art_lex_value_t *value)
{
    art_prompt_t  *prompt;

    prompt = data;

    if (prompt->opaque > 0 || prompt->nframes == 0) {
        return ART_OK;
    }

    prompt->matched = 0;
    prompt->frames[prompt->nframes - 1].count++;

    if (prompt->frames[prompt->nframes - 1].node == ART_PROMPT_LIST) {
        prompt->led = 1;
    }

    if (art_prompt_coming(prompt) != NULL) {
        art_prompt_scalar(prompt, value);
    }

    return ART_OK;
}


static void
art_prompt_scalar(art_prompt_t *prompt, const art_lex_value_t *value)
{
    switch (art_prompt_coming(prompt)->act) {

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
}


/* Words of a system text, or of what may turn out to be one. */

static void
art_prompt_words(void *data, const uint8_t *p, size_t n, uint64_t pos)
{
    const uint8_t  *end;
    art_prompt_t   *prompt;

    (void) pos;
    prompt = data;
    prompt->text->filled = 1;

    for (end = p + n; p < end && !prompt->text->tagged; p++) {

        if (prompt->matched == 0) {
            p = memchr(p, '<', (size_t) (end - p));

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


/* The rule of the value that comes next, NULL if there is none. */

static const art_prompt_rule_t *
art_prompt_coming(const art_prompt_t *prompt)
{
    unsigned                  node;
    const art_prompt_rule_t  *rule;

    if (prompt->nframes == 0) {
        return &art_prompt_root;
    }

    node = prompt->frames[prompt->nframes - 1].node;

    if (!art_prompt_is_array(node)) {
        return prompt->rule;
    }

    for (rule = prompt->row->rules; rule->in != ART_PROMPT_NO_NODE; rule++) {
        if (rule->in == node) {
            return rule;
        }
    }

    return NULL;
}


static art_prompt_text_t *
art_prompt_place(art_prompt_t *prompt, const art_prompt_rule_t *rule)
{
    return rule->in == ART_PROMPT_ROOT ? &prompt->root : &prompt->coming;
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
