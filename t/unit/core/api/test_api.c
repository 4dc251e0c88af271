
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * APIs and models by the paths of requests, and what every row has to have.
 */


#include "core/api/art_api.h"
#include "core/json/art_json_walk.h"
#include "tap.h"


static const struct {
    const char  *path;
    const char  *api;            /* NULL: none */
    unsigned     flags;
    const char  *model;
} paths[] = {
    { "/v1/chat/completions", "openai", 0, "" },
    { "/v1/chat/completions/", "openai", 0, "" },
    { "/openai/deployments/gpt%2D4o/chat/completions", "openai", 0,
      "gpt-4o" },
    { "/chat/completions/x", NULL, 0, "" },
    { "/v1/xchat/completions", NULL, 0, "" },
    { "/v1/responses", "openai_responses", 0, "" },
    { "/v1/responses/input_tokens", "openai_responses", 0, "" },
    { "/v1/responses/compact", "openai_responses", ART_PATH_SILENT, "" },
    { "/v1/responses/resp_1", NULL, 0, "" },
    { "/v1/conversations", "openai_responses", ART_PATH_SILENT, "" },
    { "/v1/conversations/", "openai_responses", ART_PATH_SILENT, "" },
    { "/v1/conversations/conv_1/items", "openai_responses", ART_PATH_SILENT,
      "" },
    { "/v1/conversations/conv_1", NULL, 0, "" },
    { "/v1/conversations/conv_1/items/msg_1", NULL, 0, "" },
    { "/v1/items", NULL, 0, "" },
    { "/v1/images/edits", "images", ART_PATH_SILENT, "" },
    { "/openai/deployments/d/images/edits/", "images", ART_PATH_SILENT, "d" },
    { "/v1/messages", "anthropic", 0, "" },
    { "/v1/messages/count_tokens", "anthropic", 0, "" },
    { "/v1/messages/batches", "anthropic", ART_PATH_SILENT, "" },
    { "/v1/messages/batches/msgbatch_1/cancel", NULL, 0, "" },
    { "/v1beta/models/gemini-2.5-flash:batchGenerateContent", "gemini",
      ART_PATH_SILENT, "gemini-2.5-flash" },
    { "/v1/projects/p/locations/l/publishers/anthropic/models/"
      "claude-sonnet-4@20250514:streamRawPredict", "anthropic", 1,
      "claude-sonnet-4@20250514" },
    { "/x/models/m:rawPredict", "anthropic", 1, "m" },
    { "/model/anthropic.claude-v2%3A1/invoke", "anthropic", 1,
      "anthropic.claude-v2:1" },
    { "/model/m/invoke-with-response-stream", "anthropic", 1, "m" },
    { "/invoke", NULL, 0, "" },
    { "/v1beta/models/gemini-3-pro:generateContent", "gemini", 0,
      "gemini-3-pro" },
    { "/v1beta/tunedModels/t1:streamGenerateContent", "gemini", 0, "t1" },
    { "/v1beta/models/gemini-2.5-pro:countTokens", "gemini", 0,
      "gemini-2.5-pro" },
    { "/v1beta/models/gemini-2.5-pro:embedContent", NULL, 0,
      "gemini-2.5-pro" },
    { "/model/us.amazon.nova-pro-v1%3a0/converse", "bedrock", 0,
      "us.amazon.nova-pro-v1:0" },
    { "/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2F"
      "us.anthropic.claude-v1%3A0/converse-stream", "bedrock", 0,
      "us.anthropic.claude-v1:0" },
    { "/model/arn:aws:bedrock:r:1:inference-profile/x.y/converse", "bedrock",
      0, "x.y" },
    { "/model/%zz/converse", "bedrock", 0, "" },
    { "/converse", NULL, 0, "" },
    { "", NULL, 0, "" },
    { "/", NULL, 0, "" },
    { "/model/", NULL, 0, "" },
    { "/models/", NULL, 0, "" }
};


/* What a path and a format say together. */

static const struct {
    const char  *path;
    const char  *format;
    const char  *request;        /* NULL: none */
    const char  *base64;
} both[] = {
    { "/v1/images/generations", "", NULL, "images" },
    { "/v1/images/edits/", "openrouter", "images", "images" },
    { "/v1/images/variations", "openrouter", NULL, "images" },
    { "/v1/conversations", "openrouter", "openrouter", "openrouter" },
    { "/openai/deployments/d/images/variations", "", NULL, "images" },
    { "/mcp", "", NULL, "mcp" },
    { "/x/mcp/", "", NULL, "mcp" },
    { "/x", "mcp", NULL, "mcp" },
    { "/mcp", "gemini", "gemini", "gemini" },
    { "/v1/chat/completions", "", "openai", "openai" },
    { "/v1/chat/completions", "openrouter", "openrouter", "openrouter" },
    { "/v1/chat/completions", "openai_compatible", NULL, NULL },
    { "/v1/chat/completions", "anthropic_citations", NULL, NULL },
    { "/v1beta/models/m:streamGenerateContent", "", "gemini", "gemini" },
    { "/v1/responses", "", "openai_responses", NULL },
    { "/v1/messages", "", "anthropic", NULL },
    { "/v1/messages", "agent", NULL, NULL },
    { "/x", "bedrock", "bedrock", NULL },
    { "/x", "route", NULL, NULL },
    { "/x", "", NULL, NULL }
};


/* Paths that name a model in two ways: the API's own one counts. */

static const struct {
    const char  *path;
    const char  *api;
    const char  *model;
} models[] = {
    { "/models/x/openai/deployments/d/chat/completions", "openai", "d" },
    { "/deployments/d/models/m:generateContent", "gemini", "m" },
    { "/models/m/chat/completions", "openai", "m" },
    { "/model/m/x", "agent", "m" }
};


static const char *
name_of(const art_api_t *api)
{
    return api != NULL ? api->name : "none";
}


static void
check_paths(void)
{
    size_t            i;
    uint8_t           buf[300];
    unsigned          flags;
    art_str_t         path, model;
    const art_api_t  *api;

    for (i = 0; i < nitems(paths); i++) {
        path = art_cstr(paths[i].path);
        api = art_api_of_request(path, art_str(NULL, 0), &flags);

        is_str(name_of(api), paths[i].api != NULL ? paths[i].api : "none",
               paths[i].path);
        is_int(flags, paths[i].flags, "and what is said of it");

        model = art_api_path_model(api != NULL ? api : &art_api_agent, path,
                                   buf);
        is_mem(model.data, model.len, paths[i].model, strlen(paths[i].model),
               "its model");
    }

    for (i = 0; i < nitems(models); i++) {
        model = art_api_path_model(art_api_find(art_cstr(models[i].api)),
                                   art_cstr(models[i].path), buf);
        is_mem(model.data, model.len, models[i].model,
               strlen(models[i].model), models[i].path);
    }
}


static void
check_both(void)
{
    size_t            i;
    unsigned          flags;
    art_str_t         path, format;
    const art_api_t  *api;

    for (i = 0; i < nitems(both); i++) {
        path = art_cstr(both[i].path);
        format = art_cstr(both[i].format);

        api = art_api_of_request(path, format, &flags);
        is_str(name_of(api), both[i].request ? both[i].request : "none",
               both[i].path);

        api = art_api_of_base64(path, format);
        is_str(name_of(api), both[i].base64 ? both[i].base64 : "none",
               "and its answer's base64");
    }
}


/* Whether rules of a node are adjacent, and those of an array one. */

static int
is_ordered(const void *table, size_t size)
{
    unsigned                done, last;
    const uint8_t          *p;
    const art_walk_rule_t  *rule;

    done = 0;
    last = ART_WALK_NONE;

    for (p = table; (rule = (const void *) p)->in != ART_WALK_NONE; p += size) {

        if (rule->in == last ? rule->key == NULL : done >> rule->in & 1) {
            diag("node %u, \"%s\"", rule->in,
                 rule->key != NULL ? rule->key : "");
            return 0;
        }

        last = rule->in;
        done |= 1u << last;
    }

    return 1;
}


/* Rules that lead to text and to base64, of APIs with and without requests. */

static void
check_answers(void)
{
    int               good;
    size_t            i;
    const art_api_t  *api;

    static const char *const  names[] = {
        "openai", "openai_responses", "anthropic", "gemini", "bedrock",
        "mistral", "openrouter", "mcp", "images", "agent"
    };

    for (i = 0; i < nitems(names); i++) {
        api = art_api_find(art_cstr(names[i]));

        good = api->text.json == NULL
               || is_ordered(api->text.json, sizeof(art_extract_rule_t));
        good &= api->text.stream == NULL
                || is_ordered(api->text.stream, sizeof(art_extract_rule_t));
        good &= api->base64.json == NULL
                || (is_ordered(api->base64.json, sizeof(art_offload_rule_t))
                    && is_ordered(api->base64.stream,
                                  sizeof(art_offload_rule_t)));

        ok(good, "%s: the rules of answers are in order", names[i]);
    }
}


/* All that requests and their answers need is there if one of it is. */

static void
check_rows(void)
{
    unsigned             i;
    const art_api_t     *api;
    const art_format_t  *format;

    for (i = 0; (api = art_api_request_row(i)) != NULL; i++) {
        ok(art_api_find(art_cstr(api->name)) == api
           && art_api_request_number(api) == i, "%s is found", api->name);

        format = api->request.format != NULL ? api->request.format
                                             : api->formats[0];

        ok(format != NULL && strcmp(format->name, api->name) == 0,
           "its parts are rendered");

        if (api->request.rules == NULL) {
            ok(is_ordered(api->call.rules, sizeof(art_message_rule_t)),
               "the rules of its calls are in order");
            continue;
        }

        ok(api->request.forms != NULL && api->request.text[0] != NULL,
           "and all of it is told");

        /* one without messages has no system text, and no words in answers */

        if (api->request.sole != NULL) {
            ok(is_ordered(api->request.rules, sizeof(art_message_rule_t)),
               "its rules are in order");
            continue;
        }

        ok(api->system.rules != NULL && api->text.json != NULL,
           "and what answers need");

        ok(is_ordered(api->request.rules, sizeof(art_message_rule_t))
           && is_ordered(api->system.rules, sizeof(art_walk_rule_t)),
           "its rules are in order");
    }

    for (i = 0; (format = art_format_row(i)) != NULL; i++) {
        ok(art_format_find(art_cstr(format->name)) == format
           && art_format_number(format) == i
           && format->text != NULL && format->message.open != NULL,
           "%s is found", format->name);
    }
}


int
main(void)
{
    check_paths();
    check_both();
    check_answers();
    check_rows();

    return done();
}
