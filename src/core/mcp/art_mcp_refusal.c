
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Arguments that cannot be used, told to a model, which may then correct them.
 */


#include "core/answer/art_error.h"
#include "core/json/art_json_error.h"
#include "core/mcp/art_mcp_request.h"


/* In these, %a is an argument, %b another, %n a number. */

typedef enum {
    ART_MCP_WORDS_MISSING = 0,
    ART_MCP_WORDS_EITHER,
    ART_MCP_WORDS_PAIR,
    ART_MCP_WORDS_LONG,
    ART_MCP_WORDS_LEAST,
    ART_MCP_WORDS_VALUES,
    ART_MCP_WORDS_STRING,
    ART_MCP_WORDS_INTEGER,
    ART_MCP_WORDS_TWO_TYPES,
    ART_MCP_WORDS_STRANGE,
    ART_MCP_WORDS_TAKEN
} art_mcp_words_t;

static const char  *art_mcp_words[][ART_LANG_MAX] = {
    [ART_MCP_WORDS_MISSING] =
      { "缺少参数 \"%a\"。", "The argument \"%a\" is missing." },
    [ART_MCP_WORDS_EITHER] =
      { "参数 \"%a\" 和 \"%b\" 必须且只能给出一个。",
        "Exactly one of the arguments \"%a\" and \"%b\" has to be given." },
    [ART_MCP_WORDS_PAIR] =
      { "参数 \"%a\" 和 \"%b\" 必须一起给出。",
        "The arguments \"%a\" and \"%b\" have to be given together." },
    [ART_MCP_WORDS_LONG] =
      { "参数 \"%a\" 太长，最多 %n 字节。",
        "The argument \"%a\" is too long, %n bytes at most." },
    [ART_MCP_WORDS_LEAST] =
      { "参数 \"%a\" 至少为 %n。",
        "The argument \"%a\" has to be at least %n." },
    [ART_MCP_WORDS_VALUES] =
      { "参数 \"%a\" 必须是其中之一: ",
        "The argument \"%a\" has to be one of these: " },
    [ART_MCP_WORDS_STRING] =
      { "参数 \"%a\" 必须是字符串。",
        "The argument \"%a\" has to be a string." },
    [ART_MCP_WORDS_INTEGER] =
      { "参数 \"%a\" 必须是整数。",
        "The argument \"%a\" has to be an integer." },
    [ART_MCP_WORDS_TWO_TYPES] =
      { "参数 \"%a\" 和 \"%b\" 不一致，只给出一个。",
        "The arguments \"%a\" and \"%b\" differ; give one of them." },
    [ART_MCP_WORDS_STRANGE] =
      { "没有此参数: ", "There is no such argument: " },
    [ART_MCP_WORDS_TAKEN] =
      { "。可用的参数: ", ". The arguments are: " }
};


static int art_mcp_refusal_kind(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang);
static int art_mcp_refusal_strange(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang, art_str_t name);
static int art_mcp_refusal_set(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang);
static int art_mcp_refusal_value(const art_mcp_request_t *m, unsigned arg,
    art_out_t *out, art_lang_t lang);
static int art_mcp_is_value(const art_mcp_arg_row_t *row, art_str_t text);
static int art_mcp_say(art_out_t *out, art_mcp_words_t words, art_lang_t lang,
    unsigned set, uint64_t n);
static const char *art_mcp_first(unsigned set);


int
art_mcp_refusal(const art_mcp_request_t *m, art_out_t *out, art_lang_t lang)
{
    unsigned  i;

    if (art_mcp_refusal_kind(m, out, lang)
        || art_mcp_refusal_set(m, out, lang))
    {
        return 1;
    }

    for (i = 0; m->seen >> i != 0; i++) {
        if (m->args[i].given && art_mcp_refusal_value(m, i, out, lang)) {
            return 1;
        }
    }

    return 0;
}


/* Arguments that the tool has not, or of other types. */

static int
art_mcp_refusal_kind(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang)
{
    unsigned  i, type, takes;

    type = art_mcp_bit(ART_MCP_ARG_MIME_TYPE);
    takes = art_mcp_tools[m->tool].takes;
    takes |= takes & type ? art_mcp_bit(ART_MCP_ARG_ALIAS) : 0;

    if (m->stranger) {
        return art_mcp_refusal_strange(m, out, lang,
                                       m->strange.data != NULL
                                       ? m->strange : art_cstr("..."));
    }

    for (i = 0; m->seen >> i != 0; i++) {

        if (!(takes & art_mcp_bit(i))
            && (m->args[i].given || m->args[i].null))
        {
            return art_mcp_refusal_strange(m, out, lang,
                                           art_cstr(art_mcp_args[i].name));
        }

        if (m->args[i].given && m->args[i].wrong) {
            return art_mcp_say(out, art_mcp_args[i].type == ART_MCP_INTEGER
                                    ? ART_MCP_WORDS_INTEGER
                                    : ART_MCP_WORDS_STRING,
                               lang, art_mcp_bit(i), 0);
        }
    }

    return m->args[ART_MCP_ARG_ALIAS].given
           ? art_mcp_say(out, ART_MCP_WORDS_TWO_TYPES, lang,
                         type | art_mcp_bit(ART_MCP_ARG_ALIAS), 0)
           : 0;
}


static int
art_mcp_refusal_strange(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang, art_str_t name)
{
    unsigned     i;
    const char  *comma;

    (void) art_mcp_say(out, ART_MCP_WORDS_STRANGE, lang, 0, 0);
    art_error_ref(out, name);
    (void) art_mcp_say(out, ART_MCP_WORDS_TAKEN, lang, 0, 0);

    comma = "";

    for (i = 0; i < ART_MCP_ARGS; i++) {
        if (art_mcp_tools[m->tool].takes & art_mcp_bit(i)) {
            art_out_cstr(out, comma);
            art_out_cstr(out, art_mcp_args[i].name);
            comma = ", ";
        }
    }

    return 1;
}


static int
art_mcp_refusal_set(const art_mcp_request_t *m, art_out_t *out,
    art_lang_t lang)
{
    unsigned               i, given, missing, either, pair;
    const art_mcp_tool_t  *tool;

    tool = &art_mcp_tools[m->tool];
    given = 0;

    for (i = 0; m->seen >> i != 0; i++) {
        given |= m->args[i].given ? art_mcp_bit(i) : 0;
    }

    missing = tool->requires & ~given;

    if (missing != 0) {
        return art_mcp_say(out, ART_MCP_WORDS_MISSING, lang, missing, 0);
    }

    /* of two bits, both or one */

    pair = tool->pair & given;

    if (pair != 0 && pair != tool->pair) {
        return art_mcp_say(out, ART_MCP_WORDS_PAIR, lang, tool->pair, 0);
    }

    either = tool->either & given;

    if (tool->either != 0 && (either == 0 || either == tool->either)) {
        return art_mcp_say(out, ART_MCP_WORDS_EITHER, lang, tool->either, 0);
    }

    return 0;
}


static int
art_mcp_refusal_value(const art_mcp_request_t *m, unsigned arg, art_out_t *out,
    art_lang_t lang)
{
    unsigned                  i, bit;
    const art_mcp_value_t    *value;
    const art_mcp_arg_row_t  *row;

    row = &art_mcp_args[arg];
    value = &m->args[arg];
    bit = art_mcp_bit(arg);

    if (value->cut) {
        return art_mcp_say(out, ART_MCP_WORDS_LONG, lang, bit, row->max);
    }

    if (row->type == ART_MCP_INTEGER && value->number < (int64_t) row->min) {
        return art_mcp_say(out, ART_MCP_WORDS_LEAST, lang, bit, row->min);
    }

    if (row->values[0] == NULL || art_mcp_is_value(row, value->text)) {
        return 0;
    }

    (void) art_mcp_say(out, ART_MCP_WORDS_VALUES, lang, bit, 0);

    for (i = 0; i < ART_MCP_VALUES; i++) {
        art_out_cstr(out, i > 0 ? ", " : "");
        art_out_cstr(out, row->values[i]);
    }

    return 1;
}


static int
art_mcp_is_value(const art_mcp_arg_row_t *row, art_str_t text)
{
    unsigned  i;

    for (i = 0; i < ART_MCP_VALUES; i++) {
        if (art_str_eq(text, art_cstr(row->values[i]))) {
            return 1;
        }
    }

    return 0;
}


static int
art_mcp_say(art_out_t *out, art_mcp_words_t words, art_lang_t lang,
    unsigned set, uint64_t n)
{
    art_error_about_t  about;

    memset(&about, 0, sizeof(about));

    about.names[0] = art_mcp_first(set);
    about.names[1] = art_mcp_first(set & (set - 1));
    about.number = n;

    art_error_say(out, art_mcp_words[words][lang], &about);

    return 1;
}


/* The name of the first of a set of arguments, NULL if there is none. */

static const char *
art_mcp_first(unsigned set)
{
    unsigned  i;

    for (i = 0; i < ART_MCP_ARGS; i++) {
        if (set & art_mcp_bit(i)) {
            return art_mcp_args[i].name;
        }
    }

    return NULL;
}
