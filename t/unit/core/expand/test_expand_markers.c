
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Markers in the texts of tools, in each API, byte by byte.  Single quotes
 * stand for double ones.
 */


#include "expand_run.h"


#define MARK    "[artifact:" IMG_ID "]"
#define PDFMARK "[artifact:" PDF_ID "]"
#define TXTMARK "[artifact:" TXT_ID "]"
#define NOMARK  "[artifact:" GONE_ID "]"

#define CANNOT                                                                \
    "\\nThe current model cannot read this kind of file. Consider asking "    \
    "for it in another form."
#define SHOT    "[Unreadable] shot.png (artifact:" IMG_ID ")\\nType: PNG "    \
                "image\\nSize: 7 B" CANNOT
#define GONE    "[Unreadable] artifact:" GONE_ID                              \
                "\\nThe artifact does not exist or has been deleted."
#define NAMED   "Artifact content (shot.png): artifact:" IMG_ID

#define LEAD    "{'type':'text','text':'Artifact content (shot.png):'}"
#define B64     "UE5HREFUQQ=="
#define PDF64   "JVBERi0x"
#define IMG     "{'type':'image_url','image_url':{'url':'data:image/png;"     \
                "base64," B64 "'}}"


typedef struct {
    const char  *api;
    const char  *reader;
    const char  *body;
    const char  *want;           /* NULL: it stays as it is */
} vector_t;


/* A conversation with the result of a tool. */

#define TOOL(more, content, after)                                            \
    "{'messages':[{'role':'user','content':'x'},{" more "'role':'tool',"      \
    "'tool_call_id':'c','content':" content "}" after "]}"
#define PART(text)  "{'type':'text','text':'" text "'}"

#define ITEM(output)                                                          \
    "{'input':[{'type':'function_call_output','call_id':'c','output':"        \
    output "}]}"
#define INPUT(text)  "{'type':'input_text','text':'" text "'}"
#define INIMG        "{'type':'input_image','detail':'auto','image_url':"     \
                     "'data:image/png;base64," B64 "'}"

#define RESULT(content, more)                                                 \
    "{'messages':[{'role':'user','content':[{'type':'tool_result',"           \
    "'tool_use_id':'c','content':" content more "}]}]}"
#define BLOCK        "{'type':'image','source':{'type':'base64',"             \
                     "'media_type':'image/png','data':'" B64 "'}}"

#define DOC          "{'type':'document','title':'r.pdf','source':{'type':"    \
                     "'base64','media_type':'application/pdf','data':'" PDF64 \
                     "'}}"
#define NEUTRAL      "{'type':'artifact','artifact':'artifact:" IMG_ID "'}"

#define CONVERSE(content)                                                     \
    "{'messages':[{'role':'user','content':[{'toolResult':{'toolUseId':'c',"  \
    "'content':[" content "]}}]}]}"
#define BEDIMG       "{'image':{'format':'png','source':{'bytes':'" B64 "'}}}"

#define CALL(response, more)                                                  \
    "{'contents':[{'role':'user','parts':[{'functionResponse':{'name':'f',"   \
    "'response':" response more "}}]}]}"
#define INLINE       "{'inlineData':{'mimeType':'image/png','data':'" B64     \
                     "'}}"


static const vector_t  vectors[] = {

    /* Chat Completions: media behind the messages, words in the string */

    { "openai", "sees", TOOL("", "'a " MARK " b'", ""),
      TOOL("", "'a " MARK " b'",
           ",{'role':'user','content':[" LEAD "," IMG "]}") },
    { "openai", "sees",
      "{'messages':[{'content':'" MARK "','role':'tool'},{'role':'user',"
      "'content':'x'}]}",
      "{'messages':[{'content':'" MARK "','role':'tool'},{'role':'user',"
      "'content':[" LEAD "," IMG "]},{'role':'user','content':'x'}]}" },
    { "openai", "sees",
      "{'messages':[{'content':'" MARK "','role':'user'},{'role':'assistant',"
      "'content':'" MARK "'},{'role':'system','content':[" PART(MARK) "]},"
      "{'content':[" PART(MARK) "]}]}", NULL },
    { "openai", "sees", TOOL("", "'" MARK MARK PDFMARK "'", ""),
      TOOL("", "'" MARK MARK PDFMARK "'",
           ",{'role':'user','content':[" LEAD "," IMG ","
           "{'type':'text','text':'Artifact content (r.pdf):'},{'type':'file',"
           "'file':{'filename':'r.pdf','file_data':'data:application/pdf;"
           "base64," PDF64 "'}}]}") },
    { "openai", "text", TOOL("", "'a " MARK "'", ""),
      TOOL("", "'a " MARK "\\n" SHOT "'", "") },
    { "openai", "sees", TOOL("", "'a " NOMARK "'", ""),
      TOOL("", "'a " NOMARK "\\n" GONE "'", "") },
    { "openai", "sees", TOOL("", "'a " TXTMARK "'", ""),
      TOOL("", "'a " TXTMARK "\\na \\\"text\\\"\\n'", "") },
    { "openai", "sees", TOOL("", "[" PART("a " TXTMARK NOMARK) "]", ""),
      TOOL("", "[" PART("a " TXTMARK NOMARK "\\na \\\"text\\\"\\n\\n" GONE)
           "]", "") },
    { "openai", "unknown", TOOL("", "'" MARK PDFMARK "'", ""),
      TOOL("", "'" MARK PDFMARK "\\n[Unreadable] r.pdf (artifact:" PDF_ID
           ")\\nType: PDF document\\nSize: 6 B" CANNOT "'",
           ",{'role':'user','content':[" LEAD "," IMG "]}") },
    { "openai", "sees", TOOL("", "'artifact:" IMG_ID " [artifact:img]'", ""),
      NULL },

    /* a part that is replaced as a whole, and a string that is a reference */

    { "openai", "sees", TOOL("", "'https://h/a/" MARK "'", ""),
      TOOL("", "'[Unreadable] artifact:" MARK "\\nThe artifact does not exist "
           "or has been deleted.'", "") },

    /* Mistral: an array */

    { "mistral", "sees", TOOL("", "'a " MARK "'", ""),
      TOOL("", "[" PART("a " MARK) ",{'type':'image_url','image_url':"
           "'data:image/png;base64," B64 "'}]", "") },
    { "mistral", "text", TOOL("", "[" PART(MARK) "," PART("z") "]", ""),
      TOOL("", "[" PART(MARK) "," PART(SHOT) "," PART("z") "]", "") },

    /* Responses */

    { "openai_responses", "sees", ITEM("'a " MARK TXTMARK "'"),
      ITEM("[" INPUT("a " MARK TXTMARK) "," INIMG ","
           INPUT("a \\\"text\\\"\\n") "]") },
    { "openai_responses", "sees", ITEM("[" INPUT(MARK) "," INPUT(MARK) "]"),
      ITEM("[" INPUT(MARK) "," INIMG "," INPUT(MARK) "]") },
    { "openai_responses", "sees",
      "{'input':[{'type':'message','role':'user','content':'" MARK "'},"
      "{'type':'mcp_call','output':'" MARK "'},{'role':'user','content':["
      INPUT(MARK) "]}]}", NULL },

    /* Anthropic */

    { "anthropic", "sees", RESULT("'a " MARK "'", ""),
      RESULT("[" PART("a " MARK) "," BLOCK "]", "") },
    { "anthropic", "sees", RESULT("[" PART("a " MARK) "]", ""),
      RESULT("[" PART("a " MARK) "," BLOCK "]", "") },
    { "anthropic", "sees",
      "{'messages':[{'content':[{'content':'" MARK "','type':'tool_result'},"
      "{'type':'text','text':'" MARK "'}],'role':'user'}]}",
      "{'messages':[{'content':[{'content':[" PART(MARK) "," BLOCK "],"
      "'type':'tool_result'},{'type':'text','text':'" MARK "'}],"
      "'role':'user'}]}" },
    { "anthropic", "sees",
      "{'messages':[{'role':'user','content':[{'type':'web_fetch_tool_result',"
      "'content':[" PART(MARK) "]},{'type':'mcp_tool_result','content':'" MARK
      "'},{'type':'document','source':{'type':'content','content':["
      PART(MARK) "]}}]}]}", NULL },
    { "anthropic", "sees", RESULT("'" MARK "'", ",'is_error':true"),
      RESULT("[" PART(MARK) "," PART(NAMED) "]", ",'is_error':true") },
    { "anthropic", "sees", RESULT("'" MARK "'", ",'is_error':false"),
      RESULT("[" PART(MARK) "," BLOCK "]", ",'is_error':false") },

    /* Bedrock */

    { "bedrock", "sees", CONVERSE("{'text':'" MARK "'},{'text':'b'}"),
      CONVERSE("{'text':'" MARK "'}," BEDIMG ",{'text':'b'}") },
    { "bedrock", "sees",
      CONVERSE("{'json':{'a':[1,{'" NOMARK "':'x " MARK "'}],'b':null}}"),
      CONVERSE("{'json':{'a':[1,{'" NOMARK "':'x " MARK "'}],'b':null}},"
               BEDIMG) },
    { "bedrock", "sees", CONVERSE("{'json':'" MARK "'}"),
      CONVERSE("{'json':'" MARK "'}," BEDIMG) },
    { "bedrock", "sees",
      "{'messages':[{'role':'user','content':[{'text':'" MARK "'},"
      "{'toolUse':{'input':{'a':'" MARK "'}}}]}]}", NULL },

    /* Gemini */

    { "gemini", "sees", CALL("{'output':'a " MARK "','x':1}", ""),
      CALL("{'output':'a " MARK "','x':1}", ",'parts':[" INLINE "]") },
    { "gemini", "sees", CALL("{'a':{'b':['" MARK "']}}", ",'parts':[]"),
      CALL("{'a':{'b':['" MARK "']}}", ",'parts':[" INLINE "]") },
    { "gemini", "sees", CALL("{'a':['" MARK "']}", ",'parts': null"),
      CALL("{'a':['" MARK "']}", ",'parts': [" INLINE "]") },
    { "gemini", "sees", CALL("{'result':{'output':'" MARK NOMARK "'}}", ""),
      CALL("{'result':{'output':'" MARK NOMARK "'},'artifacts':['" GONE "']}",
           ",'parts':[" INLINE "]") },
    { "gemini", "text", CALL("{'artifacts':['" MARK "']}", ""),
      CALL("{'artifacts':['" MARK "'],'artifacts_':['" SHOT "']}", "") },

    /* an artifact that is also a part of the result is sent once */

    { "anthropic", "sees",
      RESULT("[" PART("a " MARK) "," NEUTRAL "," PART(PDFMARK MARK) "]", ""),
      RESULT("[" PART("a " MARK) "," BLOCK "," PART(PDFMARK MARK) "," DOC "]",
             "") },
    { "anthropic", "sees", RESULT("[" NEUTRAL "]},{'type':'tool_result',"
                                  "'content':'" MARK "'", ""),
      RESULT("[" BLOCK "]},{'type':'tool_result','content':[" PART(MARK) ","
             BLOCK "]", "") },
    { "anthropic", "sees",
      RESULT("[{'type':'document','source':{'type':'content','content':["
             NEUTRAL "]}}," PART(MARK) "]", ""),
      RESULT("[{'type':'document','source':{'type':'content','content':["
             BLOCK "]}}," PART(MARK) "," BLOCK "]", "") },
    { "mistral", "sees", TOOL("", "[" NEUTRAL "," PART(MARK) "]", ""),
      TOOL("", "[{'type':'image_url','image_url':'data:image/png;base64," B64
           "'}," PART(MARK) "]", "") },
    { "openai", "sees", TOOL("", "[" PART(MARK) "," PART("artifact:" IMG_ID)
                             "]", ""),
      TOOL("", "[" PART(MARK) "," PART(NAMED) "]",
           ",{'role':'user','content':[" LEAD "," IMG "]}") },
    { "gemini", "sees", CALL("{'output':'artifact:" IMG_ID "','x':'" MARK "'}",
                             ""),
      CALL("{'output':'" NAMED "','x':'" MARK "'}", ",'parts':[" INLINE "]") }
};


static void
check_vectors(void)
{
    char      label[60];
    size_t    i;
    const vector_t  *v;

    for (i = 0; i < nitems(vectors); i++) {
        v = &vectors[i];
        snprintf(label, sizeof(label), "%s, %s, vector %u", v->api, v->reader,
                 (unsigned) i);
        becomes(v->api, v->body, v->reader, v->want ? v->want : v->body,
                label);
    }
}


/* The same, wherever a body is cut. */

static void
check_cuts(void)
{
    char                  *body;
    long                   len, got;
    size_t                 i, k, n;
    uint8_t               *whole;
    unsigned               wrong;
    art_message_reader_t   who;

    whole = malloc(OUT_MAX);

    for (i = 0; i < nitems(vectors); i++) {
        body = strdup(vectors[i].body);
        n = strlen(body);
        wrong = 0;

        for (k = 0; k < n; k++) {
            body[k] = body[k] == '\'' ? '"' : body[k];
        }

        len = compose(vectors[i].api, body, vectors[i].reader);
        memcpy(whole, composed, len < 0 ? 0 : (size_t) len);

        who = reader_of(vectors[i].reader);
        who.model = art_cstr("gemini-3-pro");

        for (k = 1; k <= n; k++) {
            got = scan_body(vectors[i].api, body, n, k, 64) == ART_SCAN_OK
                  && plan_body(&who) == ART_OK
                  ? splice_body((uint8_t *) body, composed) : -1;
            pool_free();

            wrong += got != len || memcmp(whole, composed, (size_t) len) != 0;
        }

        ok(len >= 0 && wrong == 0, "vector %u, cut anywhere", (unsigned) i);
        free(body);
    }

    free(whole);
}


int
main(void)
{
    check_vectors();
    check_cuts();

    return done();
}
