
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media that clients put into results of tools, where the API takes none: they
 * follow the results, byte for byte.
 */


#include "core/expand/art_expand_limit.h"
#include "expand_run.h"


#define PNG64  "iVBORw0KGgoAAAAASUVORK5CYII="
#define PNG    "data:image/png;base64," PNG64
#define PDF64  "JVBERi0xLjQKJeLjz9MKJSVFT0YK"
#define MP364  "SUQzBAAA"
#define NAME   "[image/png, 20 B]"
#define TEXT(text)  "{'type':'text','text':'" text "'}"
#define IMAGE(url, more)                                                      \
    "{'type':'image_url', 'image_url':{'url':'" url "','detail':'low'}" more "}"
#define TOOL(parts)                                                           \
    "{'role':'tool','tool_call_id':'c','content':[" parts "]}"
#define USER(parts)  "{'role':'user','content':[" parts "]}"
#define CHAT(messages)  "{'messages':[" messages ",{'role':'assistant'," \
                        "'content':'x'}]}"
#define CACHE  ",'cache_control':{'type':'ephemeral'}"

#define CALL(response, parts)                                                 \
    "{'functionResponse':{'name':'f','response':{" response "},'parts':["     \
    parts "]}}"
#define GEMINI(contents)  "{'contents':[" contents "]}"
#define CONTENT(parts)  "{'role':'user','parts':[" parts "]}"
#define INLINE(more)                                                          \
    "{'inlineData':{'mimeType':'image/png'," more "'data':'" PNG64 "'}}"

#define CANNOT                                                                \
    "\\nThe current model cannot read this kind of file. Consider asking "    \
    "for it in another form."


/* "want" of NULL: it stays as it is. */

static const struct {
    const char  *api;
    const char  *reader;
    const char  *model;
    const char  *body;
    const char  *want;
} vectors[] = {

    /* a known reader, an unknown one; members of the part go along */

    { "openai", "sees", "m", CHAT(TOOL(IMAGE(PNG, ""))),
      CHAT(TOOL(TEXT(NAME)) "," USER(TEXT(NAME) "," IMAGE(PNG, ""))) },
    { "openai", "unknown", "m", CHAT(TOOL(IMAGE(PNG, ""))),
      CHAT(TOOL(TEXT(NAME)) "," USER(TEXT(NAME) "," IMAGE(PNG, ""))) },
    { "openrouter", "sees", "m", CHAT(TOOL(TEXT("a") "," IMAGE(PNG, CACHE))),
      CHAT(TOOL(TEXT("a") "," TEXT(NAME)) ","
           USER(TEXT(NAME) "," IMAGE(PNG, CACHE))) },
    { "openai", "leaves", "m", CHAT(TOOL(IMAGE(PNG, ""))), NULL },
    { "openai", "text", "m", CHAT(TOOL(IMAGE(PNG, CACHE))),
      CHAT(TOOL("{'type':'text','text':'[Unreadable] Image\\nType: PNG image"
                "\\nSize: 20 B" CANNOT "'" CACHE "}")) },
    { "mistral", "sees", "m", CHAT(TOOL(IMAGE(PNG, ""))), NULL },
    { "openai", "sees", "m", CHAT(USER(IMAGE(PNG, ""))), NULL },

    /* behind the last result, in their order, with references */

    { "openai", "sees", "m",
      CHAT(TOOL(IMAGE(PNG, "")) "," TOOL(TEXT("b") ","
           IMAGE("https://u:p@h/x.png?k=v", "") ","
           "{'type':'image_url','image_url':{'url':'artifact:img'}}")),
      CHAT(TOOL(TEXT(NAME)) "," TOOL(TEXT("b") "," TEXT("[image, h/x.png]")
           "," TEXT("Artifact content (shot.png): artifact:img")) ","
           USER(TEXT(NAME) "," IMAGE(PNG, "") "," TEXT("[image, h/x.png]") ","
                IMAGE("https://u:p@h/x.png?k=v", "") ","
                TEXT("Artifact content (shot.png):") ",{'type':'image_url',"
                "'image_url':{'url':'data:image/png;base64,UE5HREFUQQ=='}}"))
    },
    { "openai", "unknown", "m", CHAT(TOOL("{'type':'file','file':{'file_id':"
      "'file-abc'}},{'type':'input_audio','input_audio':{'data':'" MP364 "','"
      "format':'mp3'}}")),
      CHAT(TOOL(TEXT("[document, file-abc]") "," TEXT("[audio/mpeg, 6 B]")) ","
           USER(TEXT("[document, file-abc]") ",{'type':'file','file':{"
                "'file_id':'file-abc'}}," TEXT("[audio/mpeg, 6 B]") ",{'type':"
                "'input_audio','input_audio':{'data':'" MP364 "','"
                "format':'mp3'}}"))
    },

    /* the files of tool_message, whose form is no provider's */

    { "openai", "sees", "m", CHAT(TOOL(TEXT("a") ",{'type':'file','file':{"
      "'filename':'r.pdf','mimeType':'application/pdf','data':'" PDF64 "'}}")),
      CHAT(TOOL(TEXT("a") "," TEXT("[application/pdf, 21 B]")) ","
           USER(TEXT("[application/pdf, 21 B]") ",{'type':'file','file':{"
                "'filename':'r.pdf','file_data':"
                "'data:application/pdf;base64," PDF64 "'}}")) },

    /* Gemini: before the third one, and what that does not take */

    { "gemini", "sees", "gemini-2.5-pro",
      GEMINI(CONTENT(CALL("'a':1", INLINE("")))),
      GEMINI(CONTENT(CALL("'a':1,'artifacts':['" NAME "']", "")) ","
             CONTENT("{'text':'" NAME "'}," INLINE(""))) },
    { "gemini", "unknown", "gemini-2.5-pro",
      GEMINI(CONTENT(CALL("'a':1", INLINE("'displayName':'n',")))),
      GEMINI(CONTENT(CALL("'a':1,'artifacts':['" NAME "']", "")) ","
             CONTENT("{'text':'" NAME "'}," INLINE(""))) },
    { "gemini", "sees", "gemini-3-pro",
      GEMINI(CONTENT(CALL("'a':1", INLINE("'displayName':'n',")))), NULL },
    { "gemini", "leaves", "gemini-2.5-pro",
      GEMINI(CONTENT(CALL("'a':1", INLINE("")))), NULL }
};


static void
check_vectors(void)
{
    size_t  i;

    for (i = 0; i < nitems(vectors); i++) {
        becomes_for(vectors[i].api, vectors[i].body, vectors[i].reader,
                    vectors[i].model, vectors[i].want, vectors[i].body);
    }
}


/* They can be left out as any other media can. */

static void
check_dropped(void)
{
    char                  *body;
    uint32_t               n;
    art_message_reader_t   who;

    body = quoted("{'messages':[" TOOL(IMAGE(PNG, "")) "," USER(TEXT("a")) ","
                  TOOL(IMAGE(PNG, "")) "]}");
    who = reader_of("sees");
    who.max_media = 1;

    (void) scan_body("openai", body, strlen(body), 0, 64);
    (void) plan_body(&who);

    is_int(art_limit_media(&plan_of, &n), ART_OK, "two media, one allowed");
    is_int(plan_of.edits[0].becomes, ART_BECOMES_DESCRIBED, "the older goes");
    is_int(plan_of.edits[1].becomes, ART_BECOMES_PART, "the last one stays");
    ok(splice_body((const uint8_t *) body, composed) > 0, "it holds together");
    ok(strstr((char *) composed, "[Unreadable] Image") != NULL,
       "words are there");

    pool_free();
    free(body);
}


int
main(void)
{
    check_vectors();
    check_dropped();

    return done();
}
