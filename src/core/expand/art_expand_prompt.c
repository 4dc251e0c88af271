
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/media/art_media.h"
#include "core/expand/art_expand_prompt.h"


#define ART_PROMPT_WORD  64      /* bytes of a role or a type */


/* What is written around the instruction's string, in order. */

typedef struct {
    const char  *before[4];
    const char  *after;
    unsigned     quoted:1;       /* the string is ours */
    unsigned     apart:1;        /* words of the client's precede it */
} art_prompt_words_t;


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
static const art_prompt_text_t *art_prompt_used(const art_prompt_t *prompt,
    const art_prompt_form_t **form);
static void art_prompt_new_message(const art_prompt_t *prompt,
    art_prompt_words_t *words, art_splice_op_t *op);
static void art_prompt_new_value(const art_prompt_text_t *text,
    const art_prompt_form_t *form, art_prompt_words_t *words,
    art_splice_op_t *op);
static void art_prompt_new_part(const art_prompt_t *prompt,
    const art_prompt_text_t *text, art_prompt_words_t *words,
    art_splice_op_t *op);
static int art_prompt_write(const art_prompt_words_t *words, art_lang_t lang,
    const art_pool_t *pool, art_splice_op_t *op);
static void art_prompt_print(art_out_t *out, const art_prompt_words_t *words,
    art_lang_t lang);


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


#define ART_PROMPT_INSTRUCTION(title)                                         \
    "When you complete your task, include an <artifacts> block at the end of" \
    " your final response\n"                                                  \
    "listing any meaningful outputs you produced. Format:\n"                  \
    "\n"                                                                      \
    "<artifacts>\n"                                                           \
    "[\n"                                                                     \
    "  { \"type\": \"image\", \"url\": \"https://...\", \"title\": \""        \
    title "\" },\n"                                                           \
    "  { \"type\": \"text\", \"content\": \"...\", \"format\": \"markdown\""  \
    " },\n"                                                                   \
    "  { \"type\": \"table\", \"title\": \"...\", \"headers\": [\"col1\"],"   \
    " \"rows\": [[\"val1\"]] },\n"                                            \
    "  { \"type\": \"file\", \"name\": \"filename.ts\", \"path\":"            \
    " \"/path/to/file\" }\n"                                                  \
    "]\n"                                                                     \
    "</artifacts>\n"                                                          \
    "\n"                                                                      \
    "Rules:\n"                                                                \
    "- Only include artifacts that are actual deliverables (generated"        \
    " images, created files, analysis results)\n"                             \
    "- Do NOT include intermediate tool outputs (file reads, grep results)"   \
    " as artifacts\n"                                                         \
    "- If your task has no meaningful artifacts, omit the <artifacts> block"  \
    " entirely\n"                                                             \
    "- The JSON inside must be valid"

/* The language is that of titles; by art_lang_t. */

static const char *const  art_prompt_instructions[] = {
    ART_PROMPT_INSTRUCTION("描述"),
    ART_PROMPT_INSTRUCTION("description")
};


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

    /* a request within the request is only found at its top */

    if (frame->node == ART_PROMPT_ROOT && prompt->walk.depth > 2) {
        frame->node = ART_PROMPT_NO_NODE;
    }

    if (act == ART_PROMPT_ASKED) {
        prompt->structured = 1;
    }

    if (act == ART_PROMPT_TEXT) {
        prompt->text->kind = frame->array ? ART_PROMPT_ARRAY
                                          : ART_PROMPT_OBJECT;

        if (frame->node == ART_PROMPT_NO_NODE) {
            prompt->text->kind = ART_PROMPT_OTHER;
        }

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
        memset(&prompt->current, 0, sizeof(prompt->current));
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
        prompt->current.end = end;
        prompt->current.members = frame->count;
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


/* A message, or Gemini's system instruction, has ended. */

static void
art_prompt_message(art_prompt_t *prompt)
{
    if (prompt->api->system.root.key != NULL) {

        prompt->chosen = 1;
        prompt->held = prompt->current;
        prompt->text = &prompt->root;

    } else if (!prompt->current.system) {
        prompt->led = 1;

    } else {
        prompt->chosen = 1;
        prompt->held = prompt->current;
        prompt->tagged |= prompt->current.tagged;
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
        text = &prompt->current;

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
        prompt->text->kind = ART_PROMPT_OTHER;

        if (value->string) {
            prompt->text->kind = ART_PROMPT_STRING;

        } else if (value->null) {
            prompt->text->kind = ART_PROMPT_NULL;
        }

        prompt->text->span.pos = value->pos;
        prompt->text->span.end = value->end;
        break;

    case ART_PROMPT_ROLE:
        prompt->current.system = value->string
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


/* Words of a system text, or of what may become one. */

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


int
art_prompt_ops(const art_prompt_t *prompt, art_lang_t lang,
    const art_pool_t *pool, art_splice_op_t *ops, size_t *nops)
{
    art_splice_op_t          *op;
    art_prompt_words_t        words;
    const art_prompt_form_t  *form;
    const art_prompt_text_t  *text;

    *nops = 0;
    text = art_prompt_used(prompt, &form);

    if (prompt->structured || prompt->tagged
        || (text != NULL && (text->tagged || text->kind == ART_PROMPT_OTHER))
        || (prompt->api->system.root.key == NULL && prompt->lists != 1)
        || prompt->root.end == 0)
    {
        return ART_OK;
    }

    memset(ops, 0, ART_PROMPT_OPS * sizeof(art_splice_op_t));
    memset(&words, 0, sizeof(words));
    op = ops;

    if (text == NULL) {
        art_prompt_new_message(prompt, &words, op);

    } else if (text->kind == ART_PROMPT_STRING) {
        words.apart = text->filled;
        op->pos = text->span.end - 1;

    } else if (text->kind == ART_PROMPT_ABSENT
               || text->kind == ART_PROMPT_NULL)
    {
        art_prompt_new_value(text, form, &words, op);

    } else {

        if (text->kind == ART_PROMPT_OBJECT) {
            op->pos = text->span.pos;
            op->text = art_cstr("[");
            op->length = op->text.len;
            op->slot = ART_SPLICE_NO_SLOT;
            op++;
        }

        art_prompt_new_part(prompt, text, &words, op);
    }

    *nops = (size_t) (op - ops) + 1;

    return art_prompt_write(&words, lang, pool, op);
}


/* The text that the instruction is added to; NULL: it gets its own message. */

static const art_prompt_text_t *
art_prompt_used(const art_prompt_t *prompt, const art_prompt_form_t **form)
{
    const art_api_system_t  *system;

    system = &prompt->api->system;
    *form = prompt->chosen ? &system->held : &system->root;

    if (prompt->chosen) {
        return &prompt->held;
    }

    return system->root.key != NULL ? &prompt->root : NULL;
}


static void
art_prompt_new_message(const art_prompt_t *prompt, art_prompt_words_t *words,
    art_splice_op_t *op)
{
    words->quoted = 1;
    words->before[0] = "{\"role\":\"system\",\"content\":";
    words->after = prompt->messages > 0 ? "}," : "}";
    op->pos = prompt->list;
}


static void
art_prompt_new_value(const art_prompt_text_t *text,
    const art_prompt_form_t *form, art_prompt_words_t *words,
    art_splice_op_t *op)
{
    words->quoted = 1;

    if (text->kind == ART_PROMPT_NULL) {
        op->pos = text->span.pos;
        op->skip = text->span.end - text->span.pos;

    } else {
        op->pos = text->end - 1;
        words->before[0] = text->members > 0 ? ",\"" : "\"";
        words->before[1] = form->key;
        words->before[2] = "\":";
    }

    words->before[3] = form->open;
    words->after = form->close;
}


static void
art_prompt_new_part(const art_prompt_t *prompt, const art_prompt_text_t *text,
    art_prompt_words_t *words, art_splice_op_t *op)
{
    unsigned  object;

    object = text->kind == ART_PROMPT_OBJECT;

    words->quoted = 1;
    words->apart = text->filled;
    words->before[0] = object || text->elements > 0 ? "," : "";
    words->before[1] = prompt->api->request.text[ART_ROLE_SYSTEM];
    words->after = object ? "}]" : "}";
    op->pos = text->span.end - !object;
}


static int
art_prompt_write(const art_prompt_words_t *words, art_lang_t lang,
    const art_pool_t *pool, art_splice_op_t *op)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    do {
        art_prompt_print(&out, words, lang);
    } while (art_out_again(&out, pool));

    if (out.data == NULL) {
        return ART_ERROR;
    }

    op->text = art_str(out.data, out.len);
    op->length = out.len;
    op->slot = ART_SPLICE_NO_SLOT;

    return ART_OK;
}


static void
art_prompt_print(art_out_t *out, const art_prompt_words_t *words,
    art_lang_t lang)
{
    size_t       i;
    const char  *quote;

    quote = words->quoted ? "\"" : "";

    for (i = 0; i < art_nitems(words->before); i++) {
        if (words->before[i] != NULL) {
            art_out_cstr(out, words->before[i]);
        }
    }

    art_out_cstr(out, quote);

    if (words->apart) {
        art_json_literal(out, art_cstr("\n\n"), 1);
    }

    art_json_literal(out, art_cstr(art_prompt_instructions[lang]), 1);
    art_out_cstr(out, quote);

    if (words->after != NULL) {
        art_out_cstr(out, words->after);
    }
}
