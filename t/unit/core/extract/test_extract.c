
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of each API: what goes in where, what is cut, and that nothing else
 * changes, however they come.
 */


#include "tap.h"
#include "extract_run.h"


/* In all of these "'" stands for a quote, and "~" for a line feed. */

#define ITEM   "{\\'type\\':\\'text\\',\\'content\\':\\'x\\'}"
#define GOT    "'artifacts':[{'type':'text','content':'x'}]"
#define BLOCK  "<artifacts>[" ITEM "]</artifacts>"

#define CHAT(text)                                                            \
    "data: {'id':'1','choices':[{'index':0,'delta':{'content':'" text "'},"   \
    "'finish_reason':null}]}~~"
#define CHAT_END(got)                                                         \
    "data: {'id':'1','choices':[{'index':0,'delta':{},"                       \
    "'finish_reason':'stop'}]" got "}~~data: [DONE]~~"

#define SAYS(text)                                                            \
    "event: response.output_text.delta~"                                      \
    "data: {'type':'response.output_text.delta','delta':'" text "'}~~"
#define AGAIN(text)                                                           \
    "data: {'type':'response.output_text.done','text':'" text "'}~~"          \
    "data: {'type':'response.content_part.done','part':{'type':"              \
    "'output_text','text':'" text "'}}~~"                                     \
    "data: {'type':'response.output_item.done','item':{'content':[{'text':"   \
    "'" text "'}]}}~~"
#define COMPLETED(text, got)                                                  \
    "data: {'type':'response.completed','response':{'output':[{'type':"       \
    "'reasoning','content':[]},{'content':[{'text':'" text "'}]}]" got "}"    \
    got "}~~"

#define CLAUDE(text)                                                          \
    "event: content_block_delta~data: {'type':'content_block_delta',"         \
    "'index':0,'delta':{'type':'text_delta','text':'" text "'}}~~"
#define CLAUDE_END(got)                                                       \
    "data: {'type':'message_delta','delta':{'stop_reason':'end_turn'},"       \
    "'usage':{}" got "}~~data: {'type':'message_stop'}~~"

#define GEMINI(text, more)                                                    \
    "{'candidates':[{'content':{'parts':[{'text':'" text "'}],'role':"        \
    "'model'}" more ",'index':0}]"

#define AGENT(type, text)  "data: {'type':'" type "','" type "':'" text "'}~~"
#define EVENT              "data: {'type':'artifacts','items':"               \
                           "[{'type':'text','content':'x'}]}~~"


static const struct {
    const char  *name;
    const char  *api;
    unsigned     how;
    const char  *in;
    const char  *on;             /* NULL: as it came */
    const char  *strip;          /* NULL: as with "on" */
} answers[] = {

    { "chat", "openai", SSE,
      CHAT("a" BLOCK "b") CHAT_END(""),
      CHAT("a" BLOCK "b") CHAT_END("," GOT),
      CHAT("ab") CHAT_END("," GOT) },

    { "a tag in pieces", "mistral", SSE,
      CHAT("a<arti") CHAT("facts") CHAT(">") CHAT("[" ITEM "]</art")
          CHAT("ifacts>") CHAT("b") CHAT_END(""),
      CHAT("a<arti") CHAT("facts") CHAT(">") CHAT("[" ITEM "]</art")
          CHAT("ifacts>") CHAT("b") CHAT_END("," GOT),
      CHAT("a") CHAT("") CHAT("") CHAT("") CHAT("") CHAT("b")
          CHAT_END("," GOT) },

    { "escaped signs", "openrouter", SSE,
      CHAT("\\u003cartifacts\\u003E[]\\u003C\\/artifacts>") CHAT_END(""),
      NULL,
      CHAT("") CHAT_END("") },

    { "a block in the final event", "openai", SSE,
      "data: {'choices':[{'index':0,'delta':{'content':'" BLOCK "'},"
          "'finish_reason':'stop'}]}~~",
      "data: {'choices':[{'index':0,'delta':{'content':'" BLOCK "'},"
          "'finish_reason':'stop'}]," GOT "}~~",
      "data: {'choices':[{'index':0,'delta':{'content':''},"
          "'finish_reason':'stop'}]," GOT "}~~" },

    { "a second choice", "openai", SSE,
      "data: {'choices':[{'index':1,'delta':{'content':'" BLOCK "'},"
          "'finish_reason':'stop'}]}~~" CHAT("a") CHAT_END(""),
      NULL, NULL },

    { "a choice that tells its number last", "openai", SSE,
      "data: {'choices':[{'delta':{'content':'" BLOCK "'},"
          "'index':1},{'delta':{'content':'a" BLOCK "'},'finish_reason':'s',"
          "'index':0}]}~~",
      "data: {'choices':[{'delta':{'content':'" BLOCK "'},"
          "'index':1},{'delta':{'content':'a" BLOCK "'},'finish_reason':'s',"
          "'index':0}]," GOT "}~~",
      "data: {'choices':[{'delta':{'content':'" BLOCK "'},"
          "'index':1},{'delta':{'content':'a'},'finish_reason':'s',"
          "'index':0}]," GOT "}~~" },

    { "two blocks", "openai", SSE,
      CHAT(BLOCK) CHAT(BLOCK) CHAT_END(""),
      CHAT(BLOCK) CHAT(BLOCK) CHAT_END("," GOT),
      CHAT("") CHAT(BLOCK) CHAT_END("," GOT) },

    { "prose, and no block", "openai", SSE,
      CHAT("the <artifacts> tag") CHAT(" <b> https://h/a.png") CHAT_END(""),
      CHAT("the <artifacts> tag") CHAT(" <b> https://h/a.png")
          CHAT_END(",'artifacts':[{'type':'image','url':'https://h/a.png'}]"),
      NULL },

    { "a block that is never closed", "openai", SSE,
      CHAT("<artifacts>[" ITEM) CHAT_END(""),
      NULL, NULL },

    { "a malformed block", "openai", SSE,
      CHAT("<artifacts>[" ITEM ",]</artifacts> http://h/a.png") CHAT_END(""),
      NULL, NULL },

    { "a block that is no array", "openai", SSE,
      CHAT("<artifacts>" ITEM "</artifacts>") CHAT_END(""),
      NULL, NULL },

    { "text behind the last of an array, which breaks off", "gemini", 0,
      "[" GEMINI("a", ",'finishReason':'STOP'") "},{'candidates':[{'content':"
          "{'parts':[{'text':'b <i",
      NULL, NULL },

    { "an event with two types", NULL, SSE,
      AGENT("text", BLOCK) "data: {'type':'text','x':0,'type':'result'}~~"
          AGENT("done", ""),
      AGENT("text", BLOCK) "data: {'type':'text','x':0,'type':'result'}~~"
          EVENT AGENT("done", ""),
      AGENT("text", "") "data: {'type':'text','x':0,'type':'result'}~~"
          EVENT AGENT("done", "") },

    { "no item is left", "openai", SSE,
      CHAT("<artifacts>[1]</artifacts> http://h/a.png") CHAT_END(""),
      NULL,
      CHAT(" http://h/a.png") CHAT_END("") },

    { "items are there already", "openai", SSE,
      CHAT(BLOCK) CHAT_END(",'artifacts':null"),
      NULL,
      CHAT("") CHAT_END(",'artifacts':null") },

    { "no final event", "openai", SSE,
      CHAT("a" BLOCK),
      NULL,
      CHAT("a") },

    { "a reason that is empty is none", "openai", SSE,
      CHAT("a" BLOCK) "data: {'choices':[{'finish_reason':''}]}~~"
          CHAT_END(""),
      CHAT("a" BLOCK) "data: {'choices':[{'finish_reason':''}]}~~"
          CHAT_END("," GOT),
      CHAT("a") "data: {'choices':[{'finish_reason':''}]}~~"
          CHAT_END("," GOT) },

    { "comments pass", "openai", SSE,
      ": a~~" CHAT("<art") ": b~~~" CHAT("ifacts>[" ITEM "]</artifacts>")
          ": c~" CHAT_END(""),
      ": a~~" CHAT("<art") ": b~~~" CHAT("ifacts>[" ITEM "]</artifacts>")
          ": c~" CHAT_END("," GOT),
      ": a~~: b~~~" CHAT("") CHAT("") ": c~" CHAT_END("," GOT) },

    { "content of parts", "mistral", SSE,
      "data: {'choices':[{'index':0,'delta':{'content':[{'type':'thinking',"
          "'thinking':[{'type':'text','text':'" BLOCK "'}]},{'type':'text',"
          "'text':'" BLOCK "'}]},'finish_reason':'stop'}]}~~",
      "data: {'choices':[{'index':0,'delta':{'content':[{'type':'thinking',"
          "'thinking':[{'type':'text','text':'" BLOCK "'}]},{'type':'text',"
          "'text':'" BLOCK "'}]},'finish_reason':'stop'}]," GOT "}~~",
      "data: {'choices':[{'index':0,'delta':{'content':[{'type':'thinking',"
          "'thinking':[{'type':'text','text':'" BLOCK "'}]},{'type':'text',"
          "'text':''}]},'finish_reason':'stop'}]," GOT "}~~" },

    { "line breaks between tokens", "openai", SSE,
      CHAT("<artifacts>\\n[\\r\\n{\\'type\\':\\'text\\',\\n "
           "\\'content\\':\\'\\\\n\\'} ,\\t2]\\n</artifacts>") CHAT_END(""),
      CHAT("<artifacts>\\n[\\r\\n{\\'type\\':\\'text\\',\\n "
           "\\'content\\':\\'\\\\n\\'} ,\\t2]\\n</artifacts>")
          CHAT_END(",'artifacts':[{'type':'text',  'content':'\\n'}]"),
      CHAT("") CHAT_END(",'artifacts':[{'type':'text',  'content':'\\n'}]") },

    { "several lines of data, no empty line at the end", "openai", SSE,
      "data: {'choices':[~data:{'index':0,~data~data: 'delta':{'content':'"
          BLOCK "'},'finish_reason':'stop'}~data: ]~data:}",
      "data: {'choices':[~data:{'index':0,~data~data: 'delta':{'content':'"
          BLOCK "'},'finish_reason':'stop'}~data: ]~data:," GOT "}",
      "data: {'choices':[~data:{'index':0,~data~data: 'delta':{'content':'"
          "'},'finish_reason':'stop'}~data: ]~data:," GOT "}" },

    { "responses", "openai_responses", SSE,
      SAYS("a<artif") SAYS("acts>[" ITEM) SAYS("]</artifacts>b")
          AGAIN("a" BLOCK "b") COMPLETED("a" BLOCK "b", ""),
      SAYS("a<artif") SAYS("acts>[" ITEM) SAYS("]</artifacts>b")
          AGAIN("a" BLOCK "b") COMPLETED("a" BLOCK "b", "," GOT),
      SAYS("a") SAYS("") SAYS("b") AGAIN("ab") COMPLETED("ab", "," GOT) },

    { "responses, keys in another order", "openai_responses", SSE,
      "data: {'delta':'" BLOCK "','type':'response.output_text.delta'}~~"
          "data: {'delta':'" BLOCK "','type':'response.refusal.delta'}~~"
          COMPLETED("", ""),
      "data: {'delta':'" BLOCK "','type':'response.output_text.delta'}~~"
          "data: {'delta':'" BLOCK "','type':'response.refusal.delta'}~~"
          COMPLETED("", "," GOT),
      "data: {'delta':'','type':'response.output_text.delta'}~~"
          "data: {'delta':'" BLOCK "','type':'response.refusal.delta'}~~"
          COMPLETED("", "," GOT) },

    { "responses, another block in what comes again", "openai_responses", SSE,
      SAYS(BLOCK) AGAIN("<artifacts>[]</artifacts>") AGAIN("<a" BLOCK)
          COMPLETED(BLOCK BLOCK, ""),
      SAYS(BLOCK) AGAIN("<artifacts>[]</artifacts>") AGAIN("<a" BLOCK)
          COMPLETED(BLOCK BLOCK, "," GOT),
      SAYS("") AGAIN("<artifacts>[]</artifacts>") AGAIN("<a")
          COMPLETED(BLOCK, "," GOT) },

    { "responses, the type behind the response", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'response':{'id':'r'},'type':'response.created'}~~"
          "data: {'response':{'id':'r','output':[{'content':[{'text':'" BLOCK
          "'}]}]~data: },'n':9,~data: 'type':'response.incomplete'}~~",
      SAYS(BLOCK) "data: {'response':{'id':'r'},'type':'response.created'}~~"
          "data: {'response':{'id':'r','output':[{'content':[{'text':'" BLOCK
          "'}]}]~data: ," GOT "},'n':9,~data: 'type':'response.incomplete',"
          GOT "}~~",
      SAYS("") "data: {'response':{'id':'r'},'type':'response.created'}~~"
          "data: {'response':{'id':'r','output':[{'content':[{'text':'"
          "'}]}]~data: ," GOT "},'n':9,~data: 'type':'response.incomplete',"
          GOT "}~~" },

    { "responses, text behind the response", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{'output':"
          "[{'content':[{'text':'" BLOCK "'}]}]},'text':'" BLOCK "'}~~",
      SAYS(BLOCK) "data: {'type':'response.completed','response':{'output':"
          "[{'content':[{'text':'" BLOCK "'}]}]," GOT "},'text':'" BLOCK
          "'," GOT "}~~",
      SAYS("") "data: {'type':'response.completed','response':{'output':"
          "[{'content':[{'text':''}]}]," GOT "},'text':'" BLOCK "'," GOT
          "}~~" },

    { "responses, an empty one", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{ }}~~",
      SAYS(BLOCK) "data: {'type':'response.completed','response':{ " GOT "},"
          GOT "}~~",
      SAYS("") "data: {'type':'response.completed','response':{ " GOT "},"
          GOT "}~~" },

    { "responses, none", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'response':null,'type':'response.completed'}~~",
      SAYS(BLOCK) "data: {'response':null,'type':'response.completed'," GOT
          "}~~",
      SAYS("") "data: {'response':null,'type':'response.completed'," GOT
          "}~~" },

    { "responses, two", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'response':{'a':1},'type':'response.completed',"
          "'response':{}}~~",
      SAYS(BLOCK) "data: {'response':{'a':1},'type':'response.completed',"
          "'response':{" GOT "}," GOT "}~~",
      SAYS("") "data: {'response':{'a':1},'type':'response.completed',"
          "'response':{" GOT "}," GOT "}~~" },

    { "responses, two, of which the last one has items", "openai_responses",
      SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{},"
          "'response':{'artifacts':[]}}~~",
      SAYS(BLOCK) "data: {'type':'response.completed','response':{},"
          "'response':{'artifacts':[]}," GOT "}~~",
      SAYS("") "data: {'type':'response.completed','response':{},"
          "'response':{'artifacts':[]}," GOT "}~~" },

    { "responses, one that has items already", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{"
          "'\\u0061rtifacts':[],'output':[{'artifacts':1}]}}~~",
      SAYS(BLOCK) "data: {'type':'response.completed','response':{"
          "'\\u0061rtifacts':[],'output':[{'artifacts':1}]}," GOT "}~~",
      SAYS("") "data: {'type':'response.completed','response':{"
          "'\\u0061rtifacts':[],'output':[{'artifacts':1}]}," GOT "}~~" },

    { "responses, an event that has items already", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{'a':{"
          "'artifacts':1}},'artifacts':0}~~",
      SAYS(BLOCK) "data: {'type':'response.completed','response':{'a':{"
          "'artifacts':1}," GOT "},'artifacts':0}~~",
      SAYS("") "data: {'type':'response.completed','response':{'a':{"
          "'artifacts':1}," GOT "},'artifacts':0}~~" },

    { "responses, both have items already", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'artifacts':0,'type':'response.completed','response'"
          ":{'artifacts':1}}~~",
      NULL,
      SAYS("") "data: {'artifacts':0,'type':'response.completed','response'"
          ":{'artifacts':1}}~~" },

    { "responses, no items", "openai_responses", SSE,
      SAYS("a") AGAIN("a") COMPLETED("a", ""),
      NULL, NULL },

    { "responses, cut short in the final event", "openai_responses", SSE,
      SAYS("a") "data: {'type':'response.completed','response':{'output':[]}",
      NULL, NULL },

    { "responses, a final event that is no JSON", "openai_responses", SSE,
      SAYS(BLOCK) "data: {'type':'response.completed','response':{}]~~: a~~"
          COMPLETED(BLOCK, ""),
      SAYS(BLOCK) "data: {'type':'response.completed','response':{}]~~: a~~"
          COMPLETED(BLOCK, "," GOT),
      SAYS("") "data: {'type':'response.completed','response':{}]~~: a~~"
          COMPLETED("", "," GOT) },

    { "anthropic", "anthropic", SSE,
      CLAUDE("<") CLAUDE("artifacts>[" ITEM "]") CLAUDE("<") CLAUDE("/")
          CLAUDE("artifacts>") CLAUDE_END(""),
      CLAUDE("<") CLAUDE("artifacts>[" ITEM "]") CLAUDE("<") CLAUDE("/")
          CLAUDE("artifacts>") CLAUDE_END("," GOT),
      CLAUDE("") CLAUDE("") CLAUDE("") CLAUDE("") CLAUDE("")
          CLAUDE_END("," GOT) },

    { "anthropic, a delta of another kind", "anthropic", SSE,
      "data: {'delta':{'text':'" BLOCK "','type':'other_delta'}}~~"
          CLAUDE_END(""),
      NULL, NULL },

    { "gemini, events", "gemini", SSE,
      "data: " GEMINI("a<artifacts>", "") "}~~data: "
          GEMINI("[" ITEM "]</artifacts>", ",'finishReason':'STOP'") "}~~",
      "data: " GEMINI("a<artifacts>", "") "}~~data: "
          GEMINI("[" ITEM "]</artifacts>", ",'finishReason':'STOP'") "," GOT
          "}~~",
      "data: " GEMINI("a", "") "}~~data: "
          GEMINI("", ",'finishReason':'STOP'") "," GOT "}~~" },

    { "gemini, an array", "gemini", 0,
      "[" GEMINI("a<artifacts>", "") ",'b':1}~,~"
          GEMINI("[" ITEM "]</artifacts>", ",'finishReason':'STOP'") "}~]",
      "[" GEMINI("a<artifacts>", "") ",'b':1}~,~"
          GEMINI("[" ITEM "]</artifacts>", ",'finishReason':'STOP'") "," GOT
          "}~]",
      "[" GEMINI("a", "") ",'b':1}~,~"
          GEMINI("", ",'finishReason':'STOP'") "," GOT "}~]" },

    { "gemini, thoughts", "gemini", 0,
      "{'candidates':[{'content':{'parts':[{'text':'" BLOCK "','thought':true"
          "},{'text':'" BLOCK "','thought':false}]}}]}",
      "{'candidates':[{'content':{'parts':[{'text':'" BLOCK "','thought':true"
          "},{'text':'" BLOCK "','thought':false}]}}]," GOT "}",
      "{'candidates':[{'content':{'parts':[{'text':'" BLOCK "','thought':true"
          "},{'text':'','thought':false}]}}]," GOT "}" },

    { "chat in JSON", "openai", 0,
      "{'choices':[{'message':{'content':'a" BLOCK "'}},{'message':{'content'"
          ":'" BLOCK "'}}],'usage':{'artifacts':1}~}~",
      "{'choices':[{'message':{'content':'a" BLOCK "'}},{'message':{'content'"
          ":'" BLOCK "'}}],'usage':{'artifacts':1}~," GOT "}~",
      "{'choices':[{'message':{'content':'a'}},{'message':{'content'"
          ":'" BLOCK "'}}],'usage':{'artifacts':1}~," GOT "}~" },

    { "responses in JSON", "openai_responses", 0,
      "{'output':[{'content':[{'type':'reasoning_text','text':'" BLOCK "'}]},"
          "{'content':[{'type':'output_text','text':'" BLOCK "'}]}]}",
      "{'output':[{'content':[{'type':'reasoning_text','text':'" BLOCK "'}]},"
          "{'content':[{'type':'output_text','text':'" BLOCK "'}]}]," GOT "}",
      "{'output':[{'content':[{'type':'reasoning_text','text':'" BLOCK "'}]},"
          "{'content':[{'type':'output_text','text':''}]}]," GOT "}" },

    { "anthropic in JSON, a block in two", "anthropic", 0,
      "{'content':[{'text':'<artifacts>[','type':'text'},{'type':'tool_use'},"
          "{'type':'text','text':'" ITEM "]</artifacts>.'}]}",
      "{'content':[{'text':'<artifacts>[','type':'text'},{'type':'tool_use'},"
          "{'type':'text','text':'" ITEM "]</artifacts>.'}]," GOT "}",
      "{'content':[{'text':'','type':'text'},{'type':'tool_use'},"
          "{'type':'text','text':'.'}]," GOT "}" },

    { "bedrock", "bedrock", 0,
      "{'output':{'message':{'content':[{'text':'" BLOCK "'}]}}}",
      "{'output':{'message':{'content':[{'text':'" BLOCK "'}]}}," GOT "}",
      "{'output':{'message':{'content':[{'text':''}]}}," GOT "}" },

    { "bedrock's events", "bedrock", SSE,
      "data: {'output':{'message':{'content':[{'text':'" BLOCK "'}]}}}~~",
      NULL, NULL },

    { "an agent with a result", NULL, SSE,
      AGENT("text", "t" BLOCK) "id: 4~" AGENT("result", "r" BLOCK)
          AGENT("done", ""),
      AGENT("text", "t" BLOCK) EVENT "id: 4~" AGENT("result", "r" BLOCK)
          AGENT("done", ""),
      AGENT("text", "t") EVENT "id: 4~" AGENT("result", "r")
          AGENT("done", "") },

    { "an agent that begins a block, and says another", NULL, SSE,
      AGENT("text", "t<artifacts>[") AGENT("result", "r" BLOCK),
      AGENT("text", "t<artifacts>[") EVENT AGENT("result", "r" BLOCK),
      AGENT("text", "t<artifacts>[") EVENT AGENT("result", "r") },

    { "an agent without one", NULL, SSE,
      AGENT("text", "t<artifacts>") AGENT("tool", BLOCK)
          AGENT("text", "[" ITEM "]</artifacts>") "data: {'type':'done'}~~",
      AGENT("text", "t<artifacts>") AGENT("tool", BLOCK)
          AGENT("text", "[" ITEM "]</artifacts>") EVENT
          "data: {'type':'done'}~~",
      AGENT("text", "t") AGENT("tool", BLOCK)
          AGENT("text", "") EVENT "data: {'type':'done'}~~" },

    { "an agent whose type comes last", NULL, SSE,
      "data: {'text':'" BLOCK "','type':'text'}~~"
          "data: {'text':'" BLOCK "','type':'tool'}~~"
          "data: {'result':7,'type':'result'}~~",
      "data: {'text':'" BLOCK "','type':'text'}~~"
          "data: {'text':'" BLOCK "','type':'tool'}~~" EVENT
          "data: {'result':7,'type':'result'}~~",
      "data: {'text':'','type':'text'}~~"
          "data: {'text':'" BLOCK "','type':'tool'}~~" EVENT
          "data: {'result':7,'type':'result'}~~" },

    { "an agent that says it itself", NULL, SSE,
      AGENT("text", "t") "data: {'type':'artifacts','items':[]}~~"
          AGENT("result", BLOCK),
      NULL,
      AGENT("text", "t") "data: {'type':'artifacts','items':[]}~~"
          AGENT("result", "") },

    { "an agent in JSON", NULL, 0,
      "{'type':'result','result':'" BLOCK "'}",
      "{'type':'result','result':'" BLOCK "'," GOT "}",
      "{'type':'result','result':''," GOT "}" },

    { "no JSON", "openai", 0, "<html>" BLOCK "</html>", NULL, NULL },
    { "cut short", "openai", 0,
      "{'choices':[{'message':{'content':'" BLOCK "<artifacts>", NULL,
      "{'choices':[{'message':{'content':'<artifacts>" },
    { "nothing", "openai", SSE, "", NULL, NULL },
    { "a mark", "openai", SSE, "\xef\xbb\xbf" CHAT("a" BLOCK) CHAT_END(""),
      "\xef\xbb\xbf" CHAT("a" BLOCK) CHAT_END("," GOT),
      "\xef\xbb\xbf" CHAT("a") CHAT_END("," GOT) }
};


/* Replaces the signs; "eol" is the line end. */

static char *
wire(const char *text, const char *eol)
{
    char    *out;
    size_t   n;

    out = must(malloc(2 * strlen(text) + 1));

    for (n = 0; *text != '\0'; text++) {

        if (*text == '~') {
            strcpy(out + n, eol);
            n += strlen(eol);

        } else {
            out[n++] = *text == '\'' ? '"' : *text;
        }
    }

    out[n] = '\0';

    return out;
}


static void
try_answer(unsigned i, unsigned how, const char *eol)
{
    char       *in, *want;
    size_t      first, wrong, len;
    run_out_t   out;
    const char *expected;

    expected = answers[i].on ? answers[i].on : answers[i].in;

    if ((how & STRIP) && answers[i].strip != NULL) {
        expected = answers[i].strip;
    }

    in = wire(answers[i].in, eol);
    want = wire(expected, eol);
    len = strlen(in);
    wrong = 0;

    for (first = 0; first <= len; first++) {

        out = run_all(answers[i].api, answers[i].how | how, in, len, first,
                      0);

        if ((!run_same(&out, want, strlen(want))
             || out.gave_up == ART_EXTRACT_STUCK) && wrong++ == 0)
        {
            diag("split at %zu, gave up %d\ngot  %.*s\nwant %s", first,
                 (int) out.gave_up, (int) out.len, (char *) out.data, want);
        }

        free(out.data);
    }

    out = run_all(answers[i].api, answers[i].how | how, in, len, 1, 1);

    wrong += !run_same(&out, want, strlen(want));
    free(out.data);

    ok(wrong == 0, "%s, %s, lines end with %zu of %d", answers[i].name,
       how & STRIP ? "strip" : "on", strlen(eol), *eol);

    free(in);
    free(want);
}


int
main(void)
{
    unsigned  i;

    for (i = 0; i < nitems(answers); i++) {
        try_answer(i, 0, "\n");
        try_answer(i, STRIP, "\n");
        try_answer(i, 0, "\r\n");
        try_answer(i, STRIP, "\r\n");

        if (answers[i].how & SSE) {
            try_answer(i, 0, "\r");
            try_answer(i, STRIP, "\r");
        }
    }

    return done();
}
