
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The instruction, in the form that the place wants.
 */


#include "core/json/art_json_escape.h"
#include "core/message/art_message_prompt.h"


/* What is written around the instruction's string, in order. */

typedef struct {
    const char  *before[4];
    const char  *after;
    unsigned     quoted:1;       /* the string is ours */
    unsigned     apart:1;        /* words of the client's stand before it */
} art_prompt_words_t;


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


/* The text that the instruction goes to; NULL: to a message of its own. */

static const art_prompt_text_t *
art_prompt_used(const art_prompt_t *prompt, const art_prompt_form_t **form)
{
    const art_api_system_t  *system;

    system = &prompt->api->system;
    *form = prompt->chosen ? &system->held : &system->root;

    return prompt->chosen ? &prompt->held
           : system->root.key != NULL ? &prompt->root : NULL;
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
