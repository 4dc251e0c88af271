
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Results of tools put together at random, from texts with finds and parts of
 * all kinds: whatever they are, operations hold, JSON stays JSON, and pieces do
 * not matter.
 */


#include "expand_run.h"
#include "core/expand/art_expand_limit.h"


#define BODIES    20000
#define BODY_MAX  20000

#define MARK   "[artifact:" IMG_ID "]"
#define TEXT   "[artifact:" TXT_ID "]"
#define GONE   "[artifact:" GONE_ID "]"
#define PNG64  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4"  \
               "z8AAAAMBAQDJ/pLvAAAAB3RFWHT7/777/777LuNeDgAAAABJRU5ErkJggg=="
#define PART(text)  "{'type':'text','text':'" text "'}"


/* Results of tools, by API; "%" is where their content begins. */

static const struct {
    const char  *api;
    const char  *body;
} bodies[] = {
    { "openai", "{'messages':[{'role':'tool','content':%},{'role':'tool',"
      "'content':%},{'content':%,'role':'user'}],'model':'m'}" },
    { "mistral", "{'messages':[{'content':%,'role':'tool'},{'role':'tool',"
      "'content':%}]}" },
    { "openai_responses", "{'input':[{'output':%,'type':"
      "'function_call_output'},{'role':'user','content':%}]}" },
    { "anthropic", "{'messages':[{'content':[{'content':%,'type':"
      "'tool_result','is_error':true},{'type':'tool_result','content':%},"
      "{'type':'mcp_tool_result','content':%}]}]}" },
    { "bedrock", "{'messages':[{'role':'user','content':[{'toolResult':"
      "{'content':%}},{'toolResult':{'content':[{'json':%}]}}]}]}" },
    { "gemini", "{'contents':[{'parts':[{'functionResponse':{'response':"
      "{'output':%,'x':%},'parts':null}},{'functionResponse':{'response':"
      "{'artifacts':%}}},{'text':'a'}]}]}" }
};

static const char *const  contents[] = {
    "'a'", "''", "7", "null", "'" MARK "'", "'a " MARK "," TEXT "," GONE "'",
    "'" PNG64 "'", "'a " PNG64 " " MARK "'", "'artifact:img'",
    "'https://h/a/" MARK "'", "[]", "{}", "{'a':['" MARK "',{'b':'" PNG64
    "'}]}", "[" PART("a " TEXT) "]", "[" PART(MARK) "," PART(PNG64) ","
    PART("artifact:img") "]", "[{'type':'artifact','artifact':'artifact:img'},"
    PART(MARK) ",{'artifact':'artifact:no'}]", "[{'text':'" MARK "'},{'json':"
    "{'a':'" MARK "'}},{'json':'" GONE "'}]", "[{'text':'" MARK "','type':"
    "'other'},{'type':'image','data':'" PNG64 "','mimeType':'image/png'}]",
    "[{'type':'document','source':{'type':'content','content':["
    PART(MARK) "]}}," PART(TEXT) "]", "'" PNG64 " " PNG64 "'"
};

static const char *const  readers[] = { "sees", "text", "unknown" };


static char     body[BODY_MAX];
static uint8_t  whole[OUT_MAX];


#define pick(list)  list[tap_below(nitems(list))]


static size_t
make_body(const char *form)
{
    char        *out;
    const char  *p, *content;

    out = body;

    for (p = form; *p != '\0'; p++) {
        content = "";

        if (*p == '%') {
            content = pick(contents);

        } else {
            *out++ = *p;
        }

        strcpy(out, content);
        out += strlen(content);
    }

    *out = '\0';

    for (out = body; *out != '\0'; out++) {
        *out = *out == '\'' ? '"' : *out;
    }

    return (size_t) (out - body);
}


/* What becomes of the body; -1: anything does not hold. */

static long
run(const char *api, size_t len, size_t piece, uint32_t max, uint64_t limit,
    const art_message_reader_t *reader)
{
    long      got;
    uint32_t  n;

    got = -1;

    if (scan_body(api, body, len, piece, max) == ART_SCAN_OK
        && plan_body(reader) == ART_OK
        && art_limit_media(&plan_of, &n) == ART_OK)
    {
        if (limit > 0) {
            (void) art_edit_budget(&plan_of, limit);
        }

        got = splice_body((uint8_t *) body, composed);
    }

    return got;
}


int
main(void)
{
    long                   got;
    size_t                 i, k, len;
    json_t                *json;
    uint32_t               max;
    uint64_t               limit;
    unsigned               wrong, changed;
    json_error_t           error;
    art_message_reader_t   reader;

    for (k = 0; k < nitems(bodies); k++) {
        wrong = 0;
        changed = 0;

        for (i = 0; i < BODIES / nitems(bodies); i++) {
            len = make_body(bodies[k].body);
            max = 3 + (uint32_t) tap_below(10);
            limit = tap_below(3) == 0 ? len / 2 + tap_below(2000) : 0;
            reader = reader_of(pick(readers));
            reader.model = art_cstr(tap_below(2) ? "gemini-3" : "gemini-2");
            reader.max_media = tap_below(4);

            got = run(bodies[k].api, len, len, max, limit, &reader);
            pool_free();

            if (got < 0) {
                wrong += scan.status != ART_SCAN_TOO_MANY;
                continue;
            }

            memcpy(whole, composed, (size_t) got);
            changed += (size_t) got != len;

            json = json_loadb((char *) composed, (size_t) got,
                              JSON_REJECT_DUPLICATES, &error);
            wrong += json == NULL;
            json_decref(json);

            wrong += run(bodies[k].api, len, 0, max, limit, &reader) != got
                     || memcmp(whole, composed, (size_t) got) != 0;
            pool_free();

            if (wrong > 0) {
                diag("%s", body);
                break;
            }
        }

        ok(wrong == 0 && changed > i / 3, "%s: %u of %u changed",
           bodies[k].api, changed, (unsigned) i);
    }

    return done();
}
