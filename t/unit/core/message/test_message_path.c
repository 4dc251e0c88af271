
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * APIs and models by the paths of requests.
 */


#include "core/message/art_message_path.h"
#include "tap.h"


static const struct {
    const char  *path;
    const char  *api;            /* NULL: none */
    unsigned     versioned;
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
    { "/v1/responses/resp_1", NULL, 0, "" },
    { "/v1/messages", "anthropic", 0, "" },
    { "/v1/messages/count_tokens", "anthropic", 0, "" },
    { "/v1/messages/batches", NULL, 0, "" },
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


int
main(void)
{
    size_t                    i;
    uint8_t                   buf[300];
    unsigned                  versioned;
    art_str_t                 model;
    const art_message_api_t  *api;

    for (i = 0; i < nitems(paths); i++) {
        api = art_message_path_api(art_cstr(paths[i].path), &versioned);

        is_str(api != NULL ? api->name : "none",
               paths[i].api != NULL ? paths[i].api : "none", paths[i].path);
        is_int(versioned, paths[i].versioned, "and whether by its version");

        model = art_message_path_model(art_cstr(paths[i].path), buf);
        is_mem(model.data, model.len, paths[i].model, strlen(paths[i].model),
               "its model");
    }

    return done();
}
