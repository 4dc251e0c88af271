
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * MCP's blocks that stand verbatim in results of tools: what they become, one
 * API after the other.  Single quotes stand for double ones.
 */


#include "expand_run.h"


#define U      "0198a7b2-0000-7000-8000-00000000cafe"

#define PNG64  "iVBORw0KGgoAAAAASUVORK5CYII="
#define PDF64  "JVBERi0xLjQKJeLjz9MKJSVFT0YK"
#define MP364  "SUQzBAAA"

/* A PNG with all digits, in either alphabet. */

#define WHOLE64                                                               \
    "iVBORw0KGgoAAAADdEVYdP/68AAAAAAAAAAASUVORK5CYII="
#define SAFE64                                                                \
    "iVBORw0KGgoAAAADdEVYdP_68AAAAAAAAAAASUVORK5CYII"

#define LEFT   "\\nThe interface of the current model does not take this "     \
               "format, the content is left out. Consider converting it."
#define CANNOT                                                                \
    "\\nThe current model cannot read this kind of file. Consider asking "    \
    "for it in another form."
#define GONE   "[Unreadable] artifact:" U "\\nThe artifact does not exist or " \
               "has been deleted."
#define DAMAGED  "[File processing failed: Image]\\nError: the file content "  \
                 "could not be read\\nPlease check whether the file is "       \
                 "damaged"
#define SHORT_PNG  "[image/png, 20 B]"


/* The blocks. */

#define IMAGE    "{'type':'image','data':'" PNG64 "','mimeType':'image/png'}"
#define ODDLY    "{'mimeType':'image/gif','annotations':{'a':[1]},'data':'"   \
                 PNG64 "','cache_control':{'t':1},'type':'image','_meta':{}}"
#define AUDIO    "{'type':'audio','mimeType':'audio/mpeg','data':'" MP364 "'}"
#define BLOB     "{'type':'resource','resource':{'uri':'file:///x/r.pdf?k=s'," \
                 "'mimeType':'application/pdf','blob':'" PDF64 "'}}"
#define WORDS    "{'resource':{'text':'a \\u0062\\n','uri':'u'},"              \
                 "'type':'resource'}"
#define LINK     "{'type':'resource_link','uri':'artifact:" U "',"             \
                 "'name':'shot.png'}"
#define ELSE     "{'type':'resource_link','name':'r.md','uri':"                \
                 "'https:\\/\\/h/r.md?s=1'}"
#define NAMELESS "{'type':'resource_link','uri':'artifact:img'}"


#define DATA(data)                                                            \
    "{'type':'image','data':'" data "','mimeType':'image/png'}"
#define MEDIA(data)                                                           \
    "{'type':'image_url','image_url':'data:image/png;base64," data "'}"


/* Results of tools. */

#define CHAT(part)                                                            \
    "{'messages':[{'role':'tool','tool_call_id':'c','content':[" part "]}]}"
#define HOISTED(part, more)                                                   \
    "{'messages':[{'role':'tool','tool_call_id':'c','content':[" part "]},"   \
    "{'role':'user','content':[" more "]}]}"
#define ITEM(part)                                                            \
    "{'input':[{'type':'function_call_output','output':[" part "]}]}"
#define CLAUDE(part)                                                          \
    "{'messages':[{'role':'user','content':[{'type':'tool_result','content'"  \
    ":[" part "],'tool_use_id':'c'}]}]}"
#define FAILED(part)                                                          \
    "{'messages':[{'role':'user','content':[{'type':'tool_result','content'"  \
    ":" part ",'is_error':true}]}]}"
#define CONVERSE(part)                                                        \
    "{'messages':[{'role':'user','content':[{'toolResult':{'content':["       \
    part "]}}]}]}"
#define CALL(parts, response, more)                                           \
    "{'contents':[{'parts':[{'functionResponse':{'parts':[" parts "],"        \
    "'response':{" response "}}}]}" more "]}"

#define TEXT(text)   "{'type':'text','text':'" text "'}"
#define INPUT(text)  "{'type':'input_text','text':'" text "'}"
#define BARE(text)   "{'text':'" text "'}"
#define URL(mime, data)                                                       \
    "{'type':'image_url','image_url':{'url':'data:" mime ";base64," data "'}}"
#define FILE(name)                                                            \
    "{'type':'file','file':{'filename':'" name "','file_data':"               \
    "'data:application/pdf;base64," PDF64 "'}}"
#define SOURCE(type, more, mime, data)                                        \
    "{'type':'" type "'," more "'source':{'type':'base64','media_type':'"     \
    mime "','data':'" data "'}"
#define INLINE(mime, data)                                                    \
    "{'inlineData':{'mimeType':'" mime "','data':'" data "'}}"


static const struct {
    const char  *api;
    const char  *reader;
    const char  *body;
    const char  *want;           /* NULL: it stays as it is */
} vectors[] = {

    /* Chat Completions: media follow, whose short name stays */

    { "openai", "sees", CHAT(TEXT("a") "," IMAGE " ," TEXT("b")),
      HOISTED(TEXT("a") "," TEXT(SHORT_PNG) " ," TEXT("b"),
              TEXT(SHORT_PNG) "," URL("image/png", PNG64)) },
    { "openai", "unknown", CHAT(IMAGE),
      HOISTED(TEXT(SHORT_PNG), TEXT(SHORT_PNG) "," URL("image/png", PNG64)) },
    { "openai", "text", CHAT(IMAGE),
      CHAT(TEXT("[Unreadable] Image\\nType: PNG image\\nSize: 20 B" CANNOT)) },
    { "openai", "sees", CHAT(ODDLY),
      HOISTED("{'type':'text','text':'" SHORT_PNG "','cache_control':{'t':1}}",
              TEXT(SHORT_PNG) "," URL("image/png", PNG64)) },
    { "openai", "sees", CHAT(BLOB "," AUDIO),
      HOISTED(TEXT("[application/pdf, 21 B]") "," TEXT("[audio/mpeg, 6 B]"),
              TEXT("[application/pdf, 21 B]") "," FILE("r.pdf") ","
              TEXT("[audio/mpeg, 6 B]") ",{'type':'input_audio',"
              "'input_audio':{'data':'" MP364 "','format':'mp3'}}") },
    { "openrouter", "sees", CHAT(IMAGE),
      HOISTED(TEXT(SHORT_PNG), TEXT(SHORT_PNG) "," URL("image/png", PNG64)) },

    /* texts and links */

    { "openai", "text", CHAT(WORDS "," ELSE "," NAMELESS "," LINK),
      CHAT(TEXT("a \\u0062\\n") "," TEXT("r.md (https:\\/\\/h/r.md?s=1)") ","
           TEXT("resource (artifact:img)") "," TEXT(GONE)) },
    { "openai", "sees",
      CHAT("{'type':'resource_link','uri':'https://h/a/" U "?exp=1&sig=x'},"
           "{'type':'resource','resource':{'text':'','uri':'u'}}"),
      CHAT(TEXT(GONE) "," TEXT("Artifact content (u):")) },

    { "openai", "sees", CHAT("{'type':'resource_link','uri':'','name':'n'},"
                             "{'uri':'','type':'resource_link'}"),
      CHAT(TEXT("Artifact content (n):") ","
           TEXT("Artifact content (resource):")) },

    /* nowhere else, and not if they are not whole blocks */

    { "openai", "text",
      "{'messages':[{'role':'user','content':[" IMAGE "," LINK "]}]}", NULL },
    { "openai", "text",
      "{'messages':[{'content':[" IMAGE "," LINK "," WORDS "]}]}", NULL },
    { "openai", "sees", CHAT("{'type':'image'},{'type':'image','data':1},"
                             "{'type':'resource'},{'type':'x','data':'AAAA'},"
                             "{'type':'resource_link','uri':null}"), NULL },
    { "openai", "sees",
      CHAT("{'type':'resource','resource':{'blob':'AAAA'},'resource':{}}"),
      NULL },

    /* bytes that are none, and types that nobody takes */

    { "openai", "sees",
      CHAT("{'type':'image','mimeType':'image/png','data':'A*AA'}"),
      CHAT(TEXT(DAMAGED)) },
    { "openai", "sees", CHAT("{'type':'image','data':'SUkqAA==',"
                             "'mimeType':'image/tiff'}"),
      CHAT(TEXT("[Unreadable] Image\\nType: TIFF image\\nSize: 4 B" LEFT)) },
    { "openai", "sees", CHAT("{'type':'image','data':'AAAA','mimeType':"
                             "'image/tiff'}"), CHAT(TEXT(DAMAGED)) },
    { "openai", "sees", CHAT("{'type':'image','data':'','mimeType':"
                             "'image/png'}"),
      CHAT(TEXT(DAMAGED)) },
    { "openai", "unknown",
      CHAT("{'type':'resource','resource':{'blob':'AAAA','uri':'a/b.bin'}}"),
      CHAT(TEXT("[Unreadable] b.bin\\nType: File\\nSize: 3 B" CANNOT)) },

    { "mistral", "sees", CHAT(IMAGE "," BLOB "," WORDS),
      CHAT("{'type':'image_url','image_url':'data:image/png;base64," PNG64
           "'},{'type':'document_url','document_url':'data:application/pdf;"
           "base64," PDF64 "','document_name':'r.pdf'},"
           TEXT("a \\u0062\\n")) },

    /* base64 as others write it becomes canonical */

    { "mistral", "sees", CHAT(DATA(SAFE64)), CHAT(MEDIA(WHOLE64)) },
    { "mistral", "sees", CHAT(DATA("\\u0069VBORw0K\\u0047goAAAAASUVORK5CYII=")),
      CHAT(MEDIA(PNG64)) },
    { "mistral", "sees", CHAT(DATA("iVBORw0KGgoAAAADdEVYdP\\/68AAA"
                                   "AAAAAAAASUVORK5CYII=")),
      CHAT(MEDIA(WHOLE64)) },
    { "mistral", "sees", CHAT(DATA("iVBORw0K\\r\\nGgoAAAADdEVYdP"
                                   "\\u002F 68AAAAAAAAAAASUVORK5CYII"
                                   "\\u003D\\n")),
      CHAT(MEDIA(WHOLE64)) },
    { "mistral", "sees", CHAT(DATA(SAFE64 "=")),
      CHAT(MEDIA(WHOLE64)) },
    { "mistral", "sees", CHAT(DATA("DAAA")), CHAT(TEXT(DAMAGED)) },
    { "mistral", "sees", CHAT(DATA("iVBORw0KGgoAAAAASUVORK5CYII")),
      CHAT(MEDIA(PNG64)) },
    { "mistral", "sees", CHAT(DATA("data:image/gif;base64," PNG64)),
      CHAT(MEDIA(PNG64)) },
    { "mistral", "sees", CHAT(DATA("data:image/png," PNG64)),
      CHAT(TEXT(DAMAGED)) },
    { "mistral", "sees", CHAT(DATA("iVBORw0KGgoA=")), CHAT(TEXT(DAMAGED)) },
    { "openai", "sees", CHAT(DATA(SAFE64)),
      HOISTED(TEXT("[image/png, 35 B]"), TEXT("[image/png, 35 B]") ","
              URL("image/png", WHOLE64)) },

    { "openai_responses", "sees", ITEM(IMAGE "," BLOB "," WORDS "," ELSE),
      ITEM("{'type':'input_image','detail':'auto','image_url':"
           "'data:image/png;base64," PNG64 "'},{'type':'input_file',"
           "'filename':'r.pdf','file_data':'data:application/pdf;base64,"
           PDF64 "'}," INPUT("a \\u0062\\n") ","
           INPUT("r.md (https:\\/\\/h/r.md?s=1)")) },
    { "openai_responses", "text", ITEM(AUDIO),
      ITEM(INPUT("[Unreadable] Audio\\nType: MP3 audio\\nSize: 6 B" CANNOT)) },

    /* Anthropic has images of that type itself, with other members */

    { "anthropic", "sees",
      CLAUDE(SOURCE("image", "", "image/png", PNG64) "}," ODDLY "," BLOB),
      CLAUDE(SOURCE("image", "", "image/png", PNG64) "},"
             SOURCE("image", "", "image/png", PNG64) ",'cache_control':"
             "{'t':1}}," SOURCE("document", "'title':'r.pdf',",
                                "application/pdf", PDF64) "}") },
    { "anthropic", "sees",
      CLAUDE("{'type':'image','source':{'type':'base64','media_type':"
             "'image/png','data':'" PNG64 "'},'data':'AAAA'}"), NULL },
    { "anthropic", "sees",
      "{'messages':[{'role':'user','content':[{'type':'web_search_tool_result',"
      "'content':[" IMAGE "," LINK "]}]}]}", NULL },
    { "anthropic", "sees", FAILED("[" IMAGE "," TEXT("artifact:img") ","
                                  TEXT("artifact:txt") "," WORDS "]"),
      FAILED("[" TEXT(SHORT_PNG) ","
             TEXT("Artifact content (shot.png): artifact:img") ","
             TEXT("a \\\"text\\\"\\n") "," TEXT("a \\u0062\\n") "]") },
    { "anthropic", "sees", FAILED("'artifact:img'"),
      FAILED("'Artifact content (shot.png): artifact:img'") },

    { "bedrock", "sees", CONVERSE(IMAGE "," BARE("x") "," BLOB "," AUDIO ","
                                  WORDS),
      CONVERSE("{'image':{'format':'png','source':{'bytes':'" PNG64 "'}}},"
               BARE("x") ",{'document':{'format':'pdf','name':"
               "'r-pdf [b359611e]','source':{'bytes':'" PDF64 "'}}},"
               BARE("[audio/mpeg, 6 B]") "," BARE("a \\u0062\\n")) },
    { "bedrock", "sees",
      CONVERSE("{'image':{'format':'png','source':{'bytes':'" PNG64 "'}},"
               "'type':'x'}"), NULL },

    /* Gemini takes some as parts; words and others go elsewhere */

    { "gemini", "sees", CALL(IMAGE "," AUDIO "," WORDS, "'a':1", ""),
      CALL(INLINE("image/png", PNG64), "'a':1,'artifacts':["
           "'[audio/mpeg, 6 B]','a \\u0062\\n']",
           ",{'role':'user','parts':[" BARE("[audio/mpeg, 6 B]") ","
           INLINE("audio/mp3", MP364) "]}") },
    { "gemini", "text", CALL(ELSE "," IMAGE, "", ""),
      CALL("", "'artifacts':['r.md (https:\\/\\/h/r.md?s=1)',"
           "'[Unreadable] Image\\nType: PNG image\\nSize: 20 B" CANNOT "']",
           "") },
    { "gemini", "sees", "{'contents':[{'parts':[" IMAGE "," LINK "]}]}",
      NULL }
};


/*
 * However it is cut, the result is the same, and nothing is left to change in
 * it.
 */

static unsigned
differs(const char *api, const char *body, const char *reader)
{
    char      *text, *want;
    unsigned   i, failed;

    text = strdup(body);
    quote(text);
    compose(api, text, reader);
    want = strdup((char *) composed);
    failed = 0;

    for (i = 0; i < 20; i++) {
        compose(api, text, reader);
        failed |= strcmp((char *) composed, want) != 0;
    }

    compose(api, want, reader);
    failed |= strcmp((char *) composed, want) != 0;

    free(text);
    free(want);

    return failed;
}


static void
check_blocks(void)
{
    size_t    i;
    char      label[80];
    unsigned  failed;

    failed = 0;

    for (i = 0; i < nitems(vectors); i++) {
        snprintf(label, sizeof(label), "block %u: %s, %s", (unsigned) i,
                 vectors[i].api, vectors[i].reader);
        becomes(vectors[i].api, vectors[i].body, vectors[i].reader,
                vectors[i].want ? vectors[i].want : vectors[i].body, label);

        failed += differs(vectors[i].api, vectors[i].body, vectors[i].reader);
    }

    is_int(failed, 0, "the same in any pieces, and as it is when it comes "
           "again");
}


/* What becomes of links: those that count, and the rest as text. */

static void
count_links(uint32_t *refs, uint32_t *words)
{
    uint32_t  i;

    *refs = 0;
    *words = 0;

    for (i = 0; i < scan.nslots; i++) {

        if (art_scan_slot(&scan, i)->held == ART_HELD_REF) {
            ++*refs;

        } else if (art_scan_slot(&scan, i)->held == ART_HELD_WORDS) {
            ++*words;
        }
    }
}


static void
check_links(void)
{
    char      body[60000];
    size_t    len;
    uint32_t  i, refs, words;

    /* a tool that lists fifty artifacts */

    len = (size_t) sprintf(body, "{'messages':[{'role':'tool','content':["
                           "{'type':'text','text':'[artifact:" U "]'}");

    for (i = 0; i < 50; i++) {
        len += (size_t) sprintf(body + len, ",{'type':'resource_link','uri':"
                                "'artifact:0198a7b2-0000-7000-8000-%012x'}",
                                (unsigned) i);
    }

    strcpy(body + len, ",{'type':'text','text':'[artifact:0198a7b2-ffff-7000-"
                       "8000-000000000000]'}]}]}");
    quote(body);

    is_int(scan_body("openai", body, strlen(body), 0, 64), ART_SCAN_OK,
           "links in one result");
    count_links(&refs, &words);
    is_int(refs, 16, "16 of them and of markers count");
    is_int(words, 35, "the other links are texts");
    is_int(scan.occurrences, 16, "they are no occurrences");
    pool_free();

    /* a session with more of them than references may be */

    len = (size_t) sprintf(body, "{'messages':[{'role':'user','content':'q'}");

    for (i = 0; i < 11; i++) {
        len += (size_t) sprintf(body + len, ",{'role':'tool','content':["
                                LINK "]},{'role':'assistant','content':'a'}");
    }

    strcpy(body + len, "]}");
    quote(body);

    is_int(scan_body("openai", body, strlen(body), 0, 4), ART_SCAN_OK,
           "more links than references may be");
    count_links(&refs, &words);
    is_int(refs, 3, "the latest of them count");
    is_int(words, 8, "the oldest, by twos, are texts");
    is_int(scan.nrefs, 1, "of one artifact");
    pool_free();

    is_int(scan_body("openai", body, strlen(body), 0, 11), ART_SCAN_OK,
           "as many as may be");
    count_links(&refs, &words);
    is_int(refs, 11, "all of them count");
    pool_free();

    len = (size_t) sprintf(body, "{'messages':[");

    for (i = 0; i < 300; i++) {
        len += (size_t) sprintf(body + len, "%s{'role':'tool','content':["
                                LINK "]}", i ? "," : "");
    }

    strcpy(body + len, "]}");
    quote(body);

    is_int(scan_body("openai", body, strlen(body), 0, 4096), ART_SCAN_OK,
           "300 of them");
    count_links(&refs, &words);
    is_int(refs, 300, "which is not too many");
    pool_free();
}


int
main(void)
{
    check_blocks();
    check_links();

    return done();
}
