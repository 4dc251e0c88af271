
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long texts of tools in requests: which strings are found, in whole bodies and
 * in bodies cut at each byte.  In bodies, single quotes stand for double ones,
 * and ~ stands for a long text.
 */


#include "core/expand/art_expand_long.h"
#include "core/expand/art_expand_scan.h"
#include "tap.h"


#define SIZE  40
#define TEXT  "0123456789012345678901234567890123456789"

#define ESCAPES  "\\\\\\'\\n\\ud83d\\ude00\\\\\\\\\\t\\'"

#define READS  "'tools':[{'function':{'name':'read_artifact'}}]"
#define CALL   "{'tool_calls':[{'id':'a','function':{'name':'get'}}]}"
#define TOOL   "{'role':'tool','tool_call_id':'a','content':'~'}"
#define CHAT(messages)  "{'messages':[" messages "]," READS "}"

#define USE    "{'content':[{'type':'tool_use','id':'a','name':'get'}]}"
#define RESULT(content)                                                       \
    "{'content':[{'type':'tool_result','tool_use_id':'a','content':"          \
    content "}]}"
#define CLAUDE(messages)                                                      \
    "{'messages':[" messages "],'tools':[{'name':'x-read_artifact'}]}"


static const struct {
    const char  *api;
    const char  *body;
    uint32_t     n;
    const char  *name;
} cases[] = {
    { "openai", CHAT(CALL "," TOOL), 1, "a string" },
    { "openai", CHAT(TOOL "," CALL), 0, "a result before its call" },
    { "openai", "{'messages':[" CALL "," TOOL "]}", 0, "nobody reads" },
    { "openai", "{" READS ",'messages':[" CALL "," TOOL "," TOOL "]}", 2,
      "tools first, two results" },
    { "openai", CHAT(CALL ",{'content':[{'text':'~','type':'text'},"
                "{'type':'image','text':'~'},{'text':'~'}],"
                "'tool_call_id':'a','role':'tool'}"), 2, "parts, type last" },
    { "openai", CHAT(CALL ",{'role':'tool','tool_call_id':'a','content':["
                "{'type':'a-type-of-more-than-thirty-two-bytes','text':'~'}]}"),
      0, "a long type" },
    { "openai", CHAT("{'role':'assistant','content':'~','tool_calls':[{'id':"
                "'a','function':{'name':'get','arguments':'~'}}]}," TOOL), 1,
      "a text and arguments of the model" },
    { "openai", CHAT("{'function_call':{'name':'get'}},"
                "{'role':'function','name':'get','content':'~'}"), 1,
      "older clients" },
    { "openai", CHAT("{'function_call':{'name':'read_artifact'}},"
                "{'role':'function','name':'read_artifact','content':'~'}"), 0,
      "their reader" },
    { "openai", "{'messages':[{'tool_calls':[{'id':'b','custom':{'name':"
                "'m__read_artifact'}}]}," CALL "," TOOL "]}", 1,
      "a call of the reader" },
    { "openai", CHAT(CALL ",{'tool_calls':[{'function':{'name':"
                "'read_artifact'},'id':'a'}]}," TOOL), 0,
      "the last call of an id is the reader's" },
    { "openai", "{'functions':[{'name':'read_artifact'}],'messages':[" CALL ","
                TOOL "]}", 1, "functions" },
    { "openai_responses", "{'input':[{'type':'function_call','call_id':'a'},"
                "{'type':'function_call_output','output':'~','call_id':'a'},"
                "{'type':'mcp_list_tools','tools':[{'name':'read_artifact'}]},"
                "{'type':'mcp_call','id':'a','output':'~'}]}", 1,
      "tools that were listed, and a server's own call" },
    { "openai_responses", "{'input':[{'call_id':'a','type':'shell_call'},"
                "{'type':'shell_call_output','call_id':'a','output':[{"
                "'stdout':'~','stderr':'~'}]}],'tools':[{'tools':[{'name':"
                "'read_artifact'}]}]}", 2, "a shell, a namespace" },
    { "openai_responses", "{'input':[{'type':'custom_tool_call','call_id':'a',"
                "'caller':{'type':'program'}},{'type':"
                "'custom_tool_call_output','call_id':'a','output':'~'}],"
                "'tools':[{'name':'read_artifact'}]}", 0, "a program" },
    { "anthropic", CLAUDE(USE "," RESULT("'~'")), 1, "a string" },
    { "anthropic", CLAUDE(USE "," RESULT("[{'type':'text','text':'~'},"
                "{'type':'document','source':{'type':'text','data':'~'}}]")), 1,
      "blocks" },
    { "anthropic", "{'requests':[{'params':" CLAUDE(USE "," RESULT("'~'"))
                "},{'params':{'messages':[" USE "," RESULT("'~'") "]}}]}", 1,
      "a batch: one can read" },
    { "anthropic", "{'messages':[" USE "," RESULT("'~'") "],'mcp_servers':[{"
                "'tool_configuration':{'allowed_tools':['read_artifact']}}]}",
      1, "allowed tools" },
    { "gemini", "{'contents':[{'parts':[{'functionCall':{'name':'get'}},"
                "{'function_call':{'name':'read_artifact'}}]},{'parts':["
                "{'functionResponse':{'name':'get','response':{'a':'~',"
                "'b':{'c':'~'}}}},{'functionResponse':{'response':{'a':'~'},"
                "'name':'read_artifact'}}]}]}", 2, "by the name" },
    { "gemini", "{'contents':[{'parts':[{'functionCall':{'name':'get'}}]},"
                "{'parts':[{'functionResponse':{'id':'7','name':'get',"
                "'response':{'a':'~'}}}]}],'tools':{'function_declarations':"
                "{'name':'read_artifact'}}}", 0, "an id that no call has" },
    { "bedrock", "{'messages':[{'content':[{'toolUse':{'toolUseId':'a'}}]},"
                "{'content':[{'toolResult':{'content':[{'text':'~'},"
                "{'json':{'a':'~'}}],'toolUseId':'a'}}]}],'toolConfig':{"
                "'tools':[{'toolSpec':{'name':'read_artifact'}}]}}", 2,
      "text, JSON" }
};


static uint8_t  body[8192];
static size_t   len;
static art_long_t  texts;

static void    *blocks[64];
static size_t   nblocks;


/* Memory that lasts until the next body is scanned. */

static void *
take(void *data, size_t size)
{
    (void) data;

    return nblocks < nitems(blocks) ? (blocks[nblocks++] = malloc(size)) : NULL;
}


static void
release(void)
{
    while (nblocks > 0) {
        free(blocks[--nblocks]);
    }
}


static void
make(const char *text)
{
    size_t  n;

    n = 0;

    for ( /* void */ ; *text != '\0'; text++) {

        if (*text == '~') {
            memcpy(body + n, TEXT, SIZE);
            n += SIZE;

        } else {
            body[n++] = *text == '\'' ? '"' : (uint8_t) *text;
        }
    }

    len = n;
}


/* The walk, which passes over what it need not read. */

static void
walk(size_t at, const art_lex_longs_t *longs)
{
    size_t  pos, n;

    for (pos = 0; pos < len; /* void */ ) {
        n = pos < at ? at - pos : len - pos;
        pos = (size_t) art_long_feed(&texts, body + pos, n, longs);
    }
}


/* Returns how many are found in a body that is cut at "at". */

static uint32_t
find(const char *name, size_t at, unsigned always)
{
    uint32_t           n;
    art_scan_t        *scan;
    art_scan_conf_t    conf;

    release();
    memset(&conf, 0, sizeof(conf));

    conf.api = art_api_find(art_cstr(name));
    conf.pool.alloc = take;
    conf.refs_max = 16;
    conf.run_min = 1000;
    conf.long_min = SIZE;

    art_long_init(&texts, conf.api, &conf.url, SIZE, always, &conf.pool,
                  conf.seed);

    scan = malloc(art_scan_size());
    art_scan_init(scan, &conf);

    (void) art_scan_feed(scan, body, at);
    (void) art_scan_feed(scan, body + at, len - at);

    n = 99;

    if (art_scan_end(scan) == ART_SCAN_OK) {
        walk(at, &scan->longs);
        n = texts.n;
    }

    free(scan);

    return n;
}


static int
are_texts(void)
{
    uint32_t  i;

    for (i = 0; i < texts.n; i++) {
        if (texts.texts[i].end - texts.texts[i].pos != SIZE
            || memcmp(body + texts.texts[i].pos, TEXT, SIZE) != 0)
        {
            return 0;
        }
    }

    return 1;
}


int
main(void)
{
    size_t    i, at;
    int       same;

    for (i = 0; i < nitems(cases); i++) {
        make(cases[i].body);

        is_int(find(cases[i].api, 0, 0), cases[i].n, cases[i].name);
        ok(are_texts(), "%s: they are the texts", cases[i].name);

        same = 1;

        for (at = 1; at < len; at++) {
            same &= find(cases[i].api, at, 0) == cases[i].n;
        }

        ok(same, "%s: cut anywhere", cases[i].name);
    }

    /* what is passed over may have escapes, and other strings before */

    make(CHAT(CALL ",{'role':'tool','tool_call_id':'a','content':'" ESCAPES
              ESCAPES "'},{'role':'user','content':'" ESCAPES ESCAPES "'}"));
    same = 1;

    for (at = 0; at < len; at++) {
        same &= find("openai", at, 0) == 1;
    }

    ok(same, "escapes, cut anywhere");

    make("{'messages':[" CALL "," TOOL "," TOOL "]}");
    is_int(find("openai", 0, 1), 2, "always");

    make("{'messages':[" TOOL "]}");
    is_int(find("openai", 0, 1), 0, "always, without a call");

    release();

    return done();
}
