
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The instruction behind a request's own system text: every form of that, of
 * every API.  In bodies, single quotes stand for double ones; in what they have
 * to become, @ stands for the instruction.
 */


#include "expand_run.h"


static const char *const  apis[] = {
    "openai", "openrouter", "mistral", "openai_responses", "anthropic",
    "gemini", "bedrock"
};


/* What the instruction is, line by line, as it has to be in a string. */

static const char  instruction[] =
    "When you complete your task, include an <artifacts> block at the end of "
    "your final response\\n"
    "listing any meaningful outputs you produced. Format:\\n\\n"
    "<artifacts>\\n[\\n"
    "  { \\\"type\\\": \\\"image\\\", \\\"url\\\": \\\"https://...\\\", "
    "\\\"title\\\": \\\"%s\\\" },\\n"
    "  { \\\"type\\\": \\\"text\\\", \\\"content\\\": \\\"...\\\", "
    "\\\"format\\\": \\\"markdown\\\" },\\n"
    "  { \\\"type\\\": \\\"table\\\", \\\"title\\\": \\\"...\\\", "
    "\\\"headers\\\": [\\\"col1\\\"], \\\"rows\\\": [[\\\"val1\\\"]] },\\n"
    "  { \\\"type\\\": \\\"file\\\", \\\"name\\\": \\\"filename.ts\\\", "
    "\\\"path\\\": \\\"/path/to/file\\\" }\\n"
    "]\\n</artifacts>\\n\\n"
    "Rules:\\n"
    "- Only include artifacts that are actual deliverables (generated images, "
    "created files, analysis results)\\n"
    "- Do NOT include intermediate tool outputs (file reads, grep results) as "
    "artifacts\\n"
    "- If your task has no meaningful artifacts, omit the <artifacts> block "
    "entirely\\n"
    "- The JSON inside must be valid";


/* "want" of NULL: the body stays. */

static const struct {
    const char  *api;
    const char  *body;
    const char  *want;
    const char  *name;
} cases[] = {

    /* messages with roles */

    { "openai", "{'messages':[{'role':'system','content':'Be brief.'},"
                "{'role':'user','content':'Hi'}] }",
      "{'messages':[{'role':'system','content':'Be brief.\\n\\n@'},"
      "{'role':'user','content':'Hi'}] }", "a string" },
    { "openai", "{'messages':[{'content':'A','role':'system'},"
                "{'content':'B','role':'developer'},{'role':'user'},"
                "{'role':'system','content':'C'}]}",
      "{'messages':[{'content':'A','role':'system'},"
      "{'content':'B\\n\\n@','role':'developer'},{'role':'user'},"
      "{'role':'system','content':'C'}]}", "the last of the leading ones" },
    { "openai", "{'messages':[{'role':'system','content':[ {'type':'text',"
                "'text':'A','cache_control':{'type':'ephemeral'}} ] }]}",
      "{'messages':[{'role':'system','content':[ {'type':'text','text':'A',"
      "'cache_control':{'type':'ephemeral'}} ,{'type':'text','text':"
      "'\\n\\n@'}] }]}", "an array" },
    { "openai", "{'messages':[{'role':'system','content':[]}]}",
      "{'messages':[{'role':'system','content':[{'type':'text','text':'@'}]}]}",
      "an array without parts" },
    { "openai", "{'messages':[{'role':'system','content':[{'type':'text',"
                "'text':''}]}]}",
      "{'messages':[{'role':'system','content':[{'type':'text','text':''},"
      "{'type':'text','text':'@'}]}]}", "an array without words" },
    { "openai", "{'messages':[{'role':'system','content':''}]}",
      "{'messages':[{'role':'system','content':'@'}]}", "an empty string" },
    { "openai", "{'messages':[{'role':'system','content': null }]}",
      "{'messages':[{'role':'system','content': '@' }]}", "null" },
    { "openai", "{'messages':[{'role':'system'}]}",
      "{'messages':[{'role':'system','content':'@'}]}", "no content" },
    { "openai", "{'messages':[{'role':'system','content':7}]}", NULL,
      "no content that the API takes" },
    { "openai", "{'messages':[{'role':'system','content':'A','content':'B'}]}",
      "{'messages':[{'role':'system','content':'A','content':'B\\n\\n@'}]}",
      "of members that stand twice the last one" },
    { "openai", "{'messages':[ {'role':'user','content':'Hi'}]}",
      "{'messages':[{'role':'system','content':'@'}, {'role':'user',"
      "'content':'Hi'}]}", "no system message" },
    { "openai", "{'messages':[ ]}",
      "{'messages':[{'role':'system','content':'@'} ]}", "no message" },
    { "openai", "{'messages':[null,{'role':'system','content':'A'}]}",
      "{'messages':[{'role':'system','content':'@'},null,{'role':'system',"
      "'content':'A'}]}", "what is no message" },
    { "openai", "{'model':'m'}", NULL, "no messages" },
    { "openai", "{'messages':{}}", NULL, "no list of messages" },
    { "openai", "{'messages':[],'messages':[]}", NULL, "two lists" },
    { "openai", "[{'messages':[]}]", NULL, "no request" },
    { "openai", "{'messages':[{'role':'system','content':'x<artifacts>'}]}",
      NULL, "the tag is there" },
    { "openai", "{'messages':[{'content':'<<arti\\u0066acts>','role':"
                "'system'},{'role':'developer','content':'A'}]}",
      NULL, "the tag is there, escaped, in an earlier one" },
    { "openai", "{'messages':[{'role':'system','content':[{'type':'text',"
                "'text':'a<artifacts>'}]}]}", NULL, "in a part" },
    { "openai", "{'messages':[{'role':'user','content':'<artifacts>'}]}",
      "{'messages':[{'role':'system','content':'@'},{'role':'user',"
      "'content':'<artifacts>'}]}", "a user may write it" },
    { "openai", "{'messages':[{'role':'system','content':'<artifact'},"
                "{'role':'system','content':'s>'}]}",
      "{'messages':[{'role':'system','content':'<artifact'},"
      "{'role':'system','content':'s>\\n\\n@'}]}", "no tag over two texts" },
    { "openai", "{'response_format':{'type':'json_object'},'messages':[]}",
      NULL, "JSON is asked for" },
    { "openai", "{'messages':[],'response_format':{'json_schema':{'type':"
                "'text'},'type':'json_schema'}}", NULL, "by a schema" },
    { "openai", "{'response_format':{'type':'text'},'messages':[]}",
      "{'response_format':{'type':'text'},'messages':[{'role':'system',"
      "'content':'@'}]}", "text is asked for" },
    { "openai", "{'response_format':null,'tools':[{'response_format':{'type':"
                "'json_object'}}],'messages':[]}",
      "{'response_format':null,'tools':[{'response_format':{'type':"
      "'json_object'}}],'messages':[{'role':'system','content':'@'}]}",
      "nothing is asked for" },

    /* Responses */

    { "openai_responses", "{'input':'Hi'}",
      "{'input':'Hi','instructions':'@'}", "absent" },
    { "openai_responses", "{}", "{'instructions':'@'}", "an empty request" },
    { "openai_responses", "{'instructions':'A','input':[]}",
      "{'instructions':'A\\n\\n@','input':[]}", "a string" },
    { "openai_responses", "{'instructions':'','input':[]}",
      "{'instructions':'@','input':[]}", "an empty one" },
    { "openai_responses", "{'instructions':null,'input':[]}",
      "{'instructions':'@','input':[]}", "null" },
    { "openai_responses", "{'instructions':['A'],'input':[]}", NULL,
      "no string" },
    { "openai_responses", "{'instructions':'<artifacts>'}", NULL, "the tag" },
    { "openai_responses", "{'instructions':'<artifacts>','instructions':'A'}",
      "{'instructions':'<artifacts>','instructions':'A\\n\\n@'}",
      "the tag in one that does not count" },
    { "openai_responses", "{'text':{'format':{'type':'json_schema'}}}", NULL,
      "a schema" },
    { "openai_responses", "{'text':{'format':{'type':'text'},"
                          "'verbosity':'low'}}",
      "{'text':{'format':{'type':'text'},'verbosity':'low'},"
      "'instructions':'@'}", "no schema" },

    /* Anthropic */

    { "anthropic", "{'messages':[] }", "{'messages':[] ,'system':'@'}",
      "absent" },
    { "anthropic", "{'system':'A'}", "{'system':'A\\n\\n@'}", "a string" },
    { "anthropic", "{'system':'','x':1}", "{'system':'@','x':1}", "empty" },
    { "anthropic", "{'system':null}", "{'system':'@'}", "null" },
    { "anthropic", "{'system':[{'type':'text','text':'A','cache_control':"
                   "{'type':'ephemeral'}}]}",
      "{'system':[{'type':'text','text':'A','cache_control':{'type':"
      "'ephemeral'}},{'type':'text','text':'\\n\\n@'}]}", "an array" },
    { "anthropic", "{'system':[ ]}",
      "{'system':[ {'type':'text','text':'@'}]}", "an empty array" },
    { "anthropic", "{'system':{'text':'A'}}", NULL, "an object" },
    { "anthropic", "{'system':[{'type':'text','text':'<artifacts>'}]}", NULL,
      "the tag" },
    { "anthropic", "{'messages':[{'role':'user','content':'<artifacts>'}]}",
      "{'messages':[{'role':'user','content':'<artifacts>'}],'system':'@'}",
      "a user's tag" },
    { "anthropic", "{'output_format':{'type':'json_schema'}}", NULL,
      "a schema" },
    { "anthropic", "{'output_config':{'format':{'type':'json_schema'}}}",
      NULL, "a schema in the configuration" },
    { "anthropic", "{'output_format':null,'output_config':{'effort':'low',"
                   "'format':null}}",
      "{'output_format':null,'output_config':{'effort':'low','format':null},"
      "'system':'@'}", "none" },

    /* Gemini */

    { "gemini", "{'contents':[]}",
      "{'contents':[],'systemInstruction':{'parts':[{'text':'@'}]}}",
      "absent" },
    { "gemini", "{'systemInstruction':null}",
      "{'systemInstruction':{'parts':[{'text':'@'}]}}", "null" },
    { "gemini", "{'systemInstruction':{}}",
      "{'systemInstruction':{'parts':[{'text':'@'}]}}", "empty" },
    { "gemini", "{'systemInstruction':{'role':'user'}}",
      "{'systemInstruction':{'role':'user','parts':[{'text':'@'}]}}",
      "no parts" },
    { "gemini", "{'systemInstruction':{'parts':null}}",
      "{'systemInstruction':{'parts':[{'text':'@'}]}}", "null for parts" },
    { "gemini", "{'systemInstruction':{'parts':[]}}",
      "{'systemInstruction':{'parts':[{'text':'@'}]}}", "empty parts" },
    { "gemini", "{'systemInstruction':{'parts':[{'text':'A'},{'text':'B'}]}}",
      "{'systemInstruction':{'parts':[{'text':'A'},{'text':'B'},"
      "{'text':'\\n\\n@'}]}}", "parts" },
    { "gemini", "{'system_instruction':{'parts': {'text':'A'} }}",
      "{'system_instruction':{'parts': [{'text':'A'},{'text':'\\n\\n@'}] }}",
      "a part without its array" },
    { "gemini", "{'system_instruction':{'parts':{'text':'<artifacts>'}}}",
      NULL, "the tag" },
    { "gemini", "{'systemInstruction':{'parts':[{'text':'A'}]},"
                "'systemInstruction':null}",
      "{'systemInstruction':{'parts':[{'text':'A'}]},"
      "'systemInstruction':{'parts':[{'text':'@'}]}}", "twice" },
    { "gemini", "{'generateContentRequest':{'contents':[]},'x':1}",
      "{'generateContentRequest':{'contents':[],'systemInstruction':"
      "{'parts':[{'text':'@'}]}},'x':1}", "a request to be counted" },
    { "gemini", "{'generate_content_request':{'system_instruction':{'parts':"
                "[{'text':'A'}]}},'systemInstruction':null}",
      "{'generate_content_request':{'system_instruction':{'parts':"
      "[{'text':'A'},{'text':'\\n\\n@'}]}},'systemInstruction':null}",
      "one with a text" },
    { "gemini", "{'generationConfig':{'responseSchema':{}}}", NULL,
      "a schema" },
    { "gemini", "{'generation_config':{'response_json_schema':{}}}", NULL,
      "a JSON schema" },
    { "gemini", "{'generationConfig':{'responseMimeType':"
                "'application/json'}}", NULL, "a type of JSON" },
    { "gemini", "{'generationConfig':{'responseMimeType':'text/plain',"
                "'responseSchema':null}}",
      "{'generationConfig':{'responseMimeType':'text/plain','responseSchema':"
      "null},'systemInstruction':{'parts':[{'text':'@'}]}}", "text" },
    { "gemini", "{'generateContentRequest':{'generationConfig':"
                "{'responseJsonSchema':{}}}}", NULL, "a schema, counted" },

    /* Bedrock */

    { "bedrock", "{'messages':[]}", "{'messages':[],'system':[{'text':'@'}]}",
      "absent" },
    { "bedrock", "{'system':null}", "{'system':[{'text':'@'}]}", "null" },
    { "bedrock", "{'system':[]}", "{'system':[{'text':'@'}]}", "empty" },
    { "bedrock", "{'system':[{'text':'A'},{'cachePoint':{'type':'default'}}]}",
      "{'system':[{'text':'A'},{'cachePoint':{'type':'default'}},"
      "{'text':'\\n\\n@'}]}", "an array" },
    { "bedrock", "{'outputConfig':{'textFormat':{}}}", NULL, "a schema" }
};


static art_prompt_t  prompt;
static char          body[OUT_MAX], want[OUT_MAX];
static unsigned      broken;


/* Scans, with slots or without, and splices; the length, 0: it stays. */

static size_t
prompted(const char *api, const char *text, size_t len, art_lang_t lang,
    unsigned prompt_only, uint8_t *dst)
{
    size_t                n, at, nops;
    uint64_t              total;
    art_splice_t          splice;
    art_splice_op_t       ops[ART_PROMPT_OPS];
    art_scan_conf_t       conf;
    art_splice_piece_t    piece;
    art_pool_t            memory = { pool_alloc, NULL };

    memset(&conf, 0, sizeof(conf));

    conf.api = art_api_find(art_cstr(api));
    conf.pool = memory;
    conf.refs_max = 64;
    conf.prompt = &prompt;
    conf.prompt_only = prompt_only;

    art_prompt_init(&prompt, conf.api);
    art_scan_init(&scan, &conf);

    for (at = 0; at < len; at += n) {
        n = 1 + tap_below(40);
        n = n < len - at ? n : len - at;

        if (art_scan_feed(&scan, (const uint8_t *) text + at, n) != ART_OK) {
            break;
        }
    }

    if (art_scan_end(&scan) != ART_SCAN_OK
        || art_prompt_ops(&prompt, lang, &memory, ops, &nops) != ART_OK
        || nops == 0)
    {
        return 0;
    }

    if (art_splice_init(&splice, ops, nops, scan.len, &total) != ART_OK) {
        diag("operations do not hold: %s", text);
        broken++;
        return 0;
    }

    n = 0;

    while (art_splice_next(&splice, &piece)) {
        if (piece.kind == ART_SPLICE_COPY) {
            memcpy(dst + n, text + piece.pos,
                   (size_t) (piece.end - piece.pos));
            n += (size_t) (piece.end - piece.pos);

        } else {
            memcpy(dst + n, piece.text.data, piece.text.len);
            n += piece.text.len;
        }
    }

    dst[n] = '\0';

    if (n != total) {
        diag("%lu bytes, not %lu", (unsigned long) n, (unsigned long) total);
        return 0;
    }

    return n;
}


/* Quotes for single ones, the instruction for each @. */

static size_t
expected(char *dst, const char *text, const char *title)
{
    size_t  len;

    for (len = 0; *text != '\0'; text++) {

        if (*text == '@') {
            len += (size_t) sprintf(dst + len, instruction, title);

        } else {
            dst[len++] = *text == '\'' ? '"' : *text;
        }
    }

    dst[len] = '\0';

    return len;
}


static void
check_forms(void)
{
    char      name[100];
    size_t    i, len, got, wanted;
    unsigned  prompt_only;

    for (i = 0; i < nitems(cases); i++) {
        len = expected(body, cases[i].body, "");
        wanted = cases[i].want ? expected(want, cases[i].want, "描述") : 0;

        for (prompt_only = 0; prompt_only < 2; prompt_only++) {
            got = prompted(cases[i].api, body, len, ART_LANG_ZH, prompt_only,
                           composed);
            snprintf(name, sizeof(name), "%s: %s%s", cases[i].api,
                     cases[i].name, prompt_only ? ", alone" : "");
            is_mem(composed, got, want, wanted, name);
            pool_free();
        }
    }

    len = expected(body, "{'system':'A'}", "");
    wanted = expected(want, "{'system':'A\\n\\n@'}", "description");
    got = prompted("anthropic", body, len, ART_LANG_EN, 1, composed);
    is_mem(composed, got, want, wanted, "in English");
    pool_free();
}


/* What has it does not get it again, and is JSON. */

static void
check_once(void)
{
    size_t           i, len;
    unsigned         failed;
    json_t          *json;
    static uint8_t   again[OUT_MAX];

    failed = 0;

    for (i = 0; i < nitems(cases); i++) {
        len = expected(body, cases[i].body, "");
        len = prompted(cases[i].api, body, len, ART_LANG_ZH, i & 1, composed);
        pool_free();

        if (len == 0) {
            continue;
        }

        json = json_loadb((char *) composed, len, 0, NULL);
        failed += json == NULL;
        json_decref(json);

        failed += prompted(cases[i].api, (char *) composed, len, ART_LANG_ZH,
                           0, again) != 0;
        pool_free();
    }

    is_int((int) failed, 0, "what has the instruction stays as it is");
}


/* Damaged bodies, of any API, give JSON or stay. */

static void
check_damaged(void)
{
    size_t    i, n, len;
    unsigned  failed;

    failed = 0;

    for (i = 0; i < 40000; i++) {
        len = expected(body, cases[tap_below(nitems(cases))].body, "");

        for (n = tap_below(3); n > 0; n--) {
            body[tap_below(len)] = "{}[],:\"\\n<1"[tap_below(11)];
        }

        n = prompted(apis[tap_below(nitems(apis))], body, len, ART_LANG_ZH,
                     i & 1, composed);
        pool_free();

        if (n > 0) {
            json_t *json = json_loadb((char *) composed, n, JSON_DECODE_ANY
                                      | JSON_ALLOW_NUL, NULL);
            json_t *was = json_loadb(body, len, JSON_DECODE_ANY
                                     | JSON_ALLOW_NUL, NULL);

            if (was != NULL && json == NULL) {
                diag("%s", body);
                diag("%s", composed);
                failed++;
            }

            json_decref(json);
            json_decref(was);
        }
    }

    is_int((int) failed, 0, "damaged requests stay what they are");
    is_int((int) broken, 0, "all operations hold");
}


static void
check_memory(void)
{
    size_t              nops;
    art_splice_op_t     ops[ART_PROMPT_OPS];
    art_pool_t  memory = { pool_alloc, NULL };

    (void) prompted("anthropic", "{}", 2, ART_LANG_ZH, 1, composed);
    pool_free();

    pool_left = 0;
    is_int(art_prompt_ops(&prompt, ART_LANG_ZH, &memory, ops, &nops),
           ART_ERROR, "without memory that is told");
    pool_left = SIZE_MAX;
}


int
main(void)
{
    check_forms();
    check_once();
    check_damaged();
    check_memory();

    return done();
}
