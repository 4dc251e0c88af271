
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What references and media in requests become, byte by byte, one API after
 * the other.  Single quotes stand for double ones.
 */


#include "core/expand/art_expand_words.h"
#include "expand_run.h"


#define CANNOT                                                                \
    "\\nThe current model cannot read this kind of file. Consider asking "    \
    "for it in another form."
#define TYPE                                                                  \
    "\\nThe interface of the current model does not take this format, the "   \
    "content is left out. Consider converting it."
#define SHOT   "[Unreadable] shot.png (artifact:img)\\nType: PNG image"       \
               "\\nSize: 7 B" CANNOT
#define RPDF   "[Unreadable] r.pdf (artifact:pdf)\\nType: PDF document"       \
               "\\nSize: 6 B" CANNOT
#define GONE   "[Unreadable] artifact:no\\nThe artifact does not exist or "   \
               "has been deleted."
#define INLINE(type, size)  "[Unreadable] Image\\nType: " type "\\nSize: "    \
                            size CANNOT

#define B64    "UE5HREFUQQ=="
#define PDF64  "JVBERi0x"
#define MP364  "SUQz"
#define MP464  "ZnR5cA=="
#define IMG    "data:image/png;base64," B64
#define PNG64  "iVBORw0KGgoAAAAASUVORK5CYII="
#define OWN    "data:image/png;base64," PNG64
#define HEIC   "data:image/heic;base64,AAAAGGZ0eXBoZWljAAAAAGhlaWNtaWYx"
#define PDF    "data:application/pdf;base64," PDF64

/* A chat message with one part. */

#define CHAT(role, part)                                                      \
    "{'messages':[{'role':'" role "','content':[" part "]}],'model':'m'}"
#define USER(part)  CHAT("user", part)
#define TEXT(text)  "{'type':'text','text':'" text "'}"
#define URL(url)    "{'type':'image_url','image_url':{'url':'" url "'}}"


typedef struct {
    const char  *api;
    const char  *reader;
    const char  *body;
    const char  *want;           /* NULL: it stays as it is */
} vector_t;


static const vector_t  openai[] = {
    { "openai", "sees", USER(URL("artifact:img")), USER(URL(IMG)) },
    { "openai", "text", USER(URL("artifact:img")), USER(TEXT(SHOT)) },
    { "openai", "unknown", USER(URL("artifact:img")), USER(URL(IMG)) },
    { "openai", "sees", USER(URL("artifact:no")), USER(TEXT(GONE)) },
    { "openai", "sees", USER(URL("artifact:a/b")),
      USER(TEXT("[Unreadable] artifact:a/b\\nThe artifact does not exist or "
                "has been deleted.")) },
    { "openai", "text", USER(URL("artifact:txt")),
      USER(TEXT("a \\\"text\\\"\\n")) },
    { "openai", "sees", USER(URL("artifact:svg")), USER(TEXT("<svg/>")) },
    { "openai", "unknown", USER(URL("artifact:pdf")), USER(TEXT(RPDF)) },

    /* escapes, a prefix, a query; what is not a whole string is none */

    { "openai", "sees", USER(URL("\\u0061rtifact:im\\u0067")),
      USER(URL(IMG)) },
    { "openai", "sees", USER(URL("https:\\/\\/h/a/im%67?x=1")),
      USER(URL(IMG)) },
    { "openai", "sees", USER(URL("https://h/a/artifact:img")),
      USER(URL(IMG)) },
    { "openai", "sees", USER(URL("https://h/a/")), NULL },
    { "openai", "sees", USER(URL("https://h/b/img")), NULL },
    { "openai", "sees", USER(TEXT("artifact:img")), NULL },
    { "openai", "sees", USER(URL("artifact:")), NULL },
    { "openai", "sees", USER(URL("see artifact:img")), NULL },
    { "openai", "sees", USER("{'type':'text','image_url':{'url':"
                             "'artifact:img'}}"), NULL },
    { "openai", "sees",
      "{'tools':[{'url':'artifact:img'}],'metadata':{'content':["
      URL("artifact:img") "]},'messages':[{'role':'assistant','tool_calls':"
      "[{'function':{'arguments':'artifact:img'}}]}]}", NULL },

    /* everything else stays: other members, spaces, order, numbers */

    { "openai", "sees",
      "{ 'seed' : 1e400 , 'messages':[ {'content' : [\n"
      "{'image_url':{'detail':'low' ,'url' :\t'artifact:img' } , "
      "'type':'image_url'} ] ,'role':'user'}],'x':'\\u00e9','x':2}",
      "{ 'seed' : 1e400 , 'messages':[ {'content' : [\n"
      "{'image_url':{'detail':'low' ,'url' :\t'" IMG "' } , "
      "'type':'image_url'} ] ,'role':'user'}],'x':'\\u00e9','x':2}" },
    { "openai", "text",
      USER("{'cache_control':{'type':'e'},'type':'image_url','image_url':"
           "{'url':'artifact:img'}, 'prompt_cache_breakpoint' : true, 'z':0 }"),
      USER("{'type':'text','text':'" SHOT "','cache_control':{'type':'e'},"
           "'prompt_cache_breakpoint' : true}") },

    /* files and sound: their names and formats */

    { "openai", "sees",
      USER("{'type':'file','file':{'file_id':'artifact:pdf'}}"),
      USER("{'type':'file','file':{'file_data':'" PDF "','filename':"
           "'r.pdf'}}") },
    { "openai", "sees",
      USER("{'type':'file','file':{'filename':'x','file_data':"
           "'artifact:pdf'}}"),
      USER("{'type':'file','file':{'filename':'x','file_data':'" PDF "'}}") },
    { "openai", "sees",
      USER("{'type':'file','file':{'file_id':'artifact:img','x':1}}"),
      USER(URL(IMG)) },
    { "openai", "sees",
      USER("{'type':'file','file':{'file_id':'artifact:pdf','file_data':"
           "null}}"),
      USER("{'type':'file','file':{'filename':'r.pdf','file_data':'" PDF
           "'}}") },
    { "openai", "sees",
      USER("{'type':'input_audio','input_audio':{'data':'artifact:mp3',"
           "'format':'wav'}}"),
      USER("{'type':'input_audio','input_audio':{'data':'" MP364 "',"
           "'format':'mp3'}}") },
    { "openai", "sees",
      USER("{'type':'input_audio','input_audio':{'data':'artifact:mp3'}}"),
      USER("{'type':'input_audio','input_audio':{'data':'" MP364 "',"
           "'format':'mp3'}}") },
    { "openai", "sees", USER("{'type':'artifact','artifact':'artifact:pdf'}"),
      USER("{'type':'file','file':{'filename':'r.pdf','file_data':'" PDF
           "'}}") },
    { "openai", "unknown",
      USER("{'type':'artifact','artifact':'artifact:pdf'}"),
      USER(TEXT(RPDF)) },
    { "openai", "sees", USER("{'type':'artifact','artifact':'artifact:nil'}"),
      USER(TEXT("Artifact content (e.txt):")) },

    /* where media cannot stand */

    { "openai", "sees", CHAT("system", URL("artifact:img")),
      CHAT("system", TEXT("Artifact content (shot.png): artifact:img")) },
    { "openai", "sees", CHAT("developer", URL("artifact:txt")),
      CHAT("developer", TEXT("a \\\"text\\\"\\n")) },
    { "openai", "text", CHAT("assistant", URL("artifact:img")),
      CHAT("assistant", TEXT(SHOT)) },
    { "openai", "sees", CHAT("assistant", URL("artifact:img")),
      CHAT("assistant", TEXT("Artifact content (shot.png): artifact:img")) },

    /* tools: behind the last of them, the role may come last */

    { "openai", "sees",
      "{'messages':[{'role':'assistant'},{'content':'artifact:img','role':"
      "'tool'},{'role':'tool','content':'ok'} ,{'role':'user','content':'?'}]}",
      "{'messages':[{'role':'assistant'},{'content':'Artifact content "
      "(shot.png): artifact:img','role':'tool'},{'role':'tool','content':'ok'},"
      "{'role':'user','content':[" TEXT("Artifact content (shot.png):") ","
      URL(IMG) "]} ,{'role':'user','content':'?'}]}" },
    { "openai", "text", "{'messages':[{'role':'tool','content':"
      "'artifact:img'}]}",
      "{'messages':[{'role':'tool','content':'" SHOT "'}]}" },
    { "openai", "unknown", "{'messages':[{'role':'tool','content':"
      "'artifact:img'}]}",
      "{'messages':[{'role':'tool','content':'" SHOT "'}]}" },
    { "openai", "sees", "{'messages':[{'role':'tool','content':"
      "'artifact:txt'}]}",
      "{'messages':[{'role':'tool','content':'a \\\"text\\\"\\n'}]}" },
    { "openai", "sees", CHAT("tool", TEXT("artifact:txt")),
      CHAT("tool", TEXT("a \\\"text\\\"\\n")) },
    { "openai", "sees", CHAT("tool", TEXT("artifact:txt") "," TEXT("x")),
      CHAT("tool", TEXT("a \\\"text\\\"\\n") "," TEXT("x")) },
    { "openai", "sees", CHAT("tool", TEXT("x") "," TEXT("artifact:no") " ,"
                             TEXT("artifact:txt")),
      CHAT("tool", TEXT("x") "," TEXT(GONE) " ,"
           TEXT("a \\\"text\\\"\\n")) },
    { "openai", "sees", CHAT("tool", TEXT("x") "," TEXT("see artifact:txt")),
      NULL },
    { "openai", "sees", USER(TEXT("x") "," TEXT("artifact:txt")), NULL },
    { "openai", "sees", "{'messages':[{'role':'user','content':"
      "'artifact:img'}]}", NULL },

    /* what the client put there itself */

    { "openai", "sees", USER(URL(OWN)), NULL },
    { "openai", "unknown", USER(URL("data:image/x-odd;base64,AAAA")), NULL },
    { "openai", "text", USER(URL("data:image/png;base64,AAAAAA==")),
      USER(TEXT(INLINE("PNG image", "4 B"))) },
    { "openai", "text", USER(URL("data:;base64," B64)),
      USER(TEXT(INLINE("Image", "7 B"))) },
    { "openai", "text", USER(URL("data:;base64,iVBORw0KGgo=")),
      USER(TEXT(INLINE("PNG image", "8 B"))) },
    { "openai", "text", USER(URL("https://me:pw@h/x.png?sig=s")),
      USER(TEXT("[Unreadable] h/x.png\\nType: Image" CANNOT)) },
    { "openai", "sees", USER(URL(HEIC)),
      USER(TEXT("[Unreadable] Image\\nType: HEIC image\\nSize: 24 B" TYPE)) },
    { "openai", "sees", CHAT("tool", URL(HEIC)),
      CHAT("tool", TEXT("[Unreadable] Image\\nType: HEIC image\\nSize: 24 B"
                        TYPE)) },
    { "openai", "text", CHAT("tool", URL(IMG)),
      CHAT("tool", TEXT(INLINE("PNG image", "7 B"))) },
    { "openai", "text",
      USER("{'type':'file','file':{'filename':'q.pdf','file_id':'file-1'}}"),
      USER(TEXT("[Unreadable] q.pdf\\nType: Document" CANNOT)) }
};


#define ITEM(item)       "{'input':[" item "]}"
#define RUSER(part)      ITEM("{'role':'user','content':[" part "]}")
#define RTEXT(text)      "{'type':'input_text','text':'" text "'}"

static const vector_t  responses[] = {
    { "openai_responses", "sees",
      RUSER("{'type':'input_image','image_url':'artifact:img'}"),
      RUSER("{'type':'input_image','image_url':'" IMG "'}") },
    { "openai_responses", "sees",
      RUSER("{'type':'input_image','detail':'low','file_id':'artifact:img'}"),
      RUSER("{'type':'input_image','detail':'low','image_url':'" IMG "'}") },
    { "openai_responses", "sees",
      RUSER("{'type':'input_image','file_id':'artifact:img','image_url':"
            "null}"),
      RUSER("{'type':'input_image','detail':'auto','image_url':'" IMG "'}") },
    { "openai_responses", "sees",
      RUSER("{'type':'input_file','file_url':'artifact:pdf'}"),
      RUSER("{'type':'input_file','file_data':'" PDF "','filename':"
            "'r.pdf'}") },
    { "openai_responses", "sees",
      RUSER("{'type':'input_file','file_id':'artifact:img','file_url':"
            "'artifact:pdf'}"),
      RUSER("{'type':'input_file','filename':'r.pdf','file_data':'" PDF
            "'}") },
    { "openai_responses", "text",
      RUSER("{'type':'input_file','file_data':'artifact:pdf'}"),
      RUSER(RTEXT(RPDF)) },
    { "openai_responses", "sees",
      ITEM("{'type':'message','role':'assistant','content':[{'type':"
           "'input_image','image_url':'artifact:img'}]}"),
      ITEM("{'type':'message','role':'assistant','content':[{'type':"
           "'output_text','annotations':[],'text':'Artifact content (shot.png"
           "): artifact:img'}]}") },
    { "openai_responses", "sees",
      ITEM("{'output':'artifact:img','type':'function_call_output'}"),
      ITEM("{'output':[{'type':'input_image','detail':'auto','image_url':'"
           IMG "'}],'type':'function_call_output'}") },
    { "openai_responses", "text",
      ITEM("{'output':'artifact:img','type':'custom_tool_call_output'}"),
      ITEM("{'output':'" SHOT "','type':'custom_tool_call_output'}") },
    { "openai_responses", "sees",
      ITEM("{'output':[{'type':'input_file','file_id':'artifact:pdf'},"
           "{'type':'input_text','text':'artifact:pdf'}],'type':"
           "'function_call_output'}"),
      ITEM("{'output':[{'type':'input_file','file_data':'" PDF "','filename':"
           "'r.pdf'},{'type':'input_file','filename':'r.pdf','file_data':'"
           PDF "'}],'type':'function_call_output'}") },
    { "openai_responses", "text",
      ITEM("{'type':'computer_call_output','output':{'type':"
           "'computer_screenshot','image_url':'" IMG "'}}"), NULL },
    { "openai_responses", "sees",
      ITEM("{'type':'mcp_call','output':'artifact:img'}"), NULL },
    { "openai_responses", "sees",
      ITEM("{'type':'reasoning','content':[{'type':'input_image','image_url':"
           "'artifact:img'}]}"), NULL },
    { "openai_responses", "text",
      ITEM("{'type':'image_generation_call','result':'AAAA'}"), NULL },
    { "openai_responses", "sees", "{'input':'artifact:img'}", NULL }
};


#define AUSER(block)  "{'messages':[{'role':'user','content':[" block "]}]}"
#define SOURCE(kind, source)  "{'type':'" kind "','source':{" source "}}"
#define ASRC(mime, data)                                                      \
    "'type':'base64','media_type':'" mime "','data':'" data "'"
#define RESULT(content)                                                       \
    AUSER("{'type':'tool_result','tool_use_id':'t','content':" content "}")

static const vector_t  anthropic[] = {
    { "anthropic", "sees",
      AUSER(SOURCE("image", "'type':'url','url':'artifact:img'")),
      AUSER(SOURCE("image", ASRC("image/png", B64))) },
    { "anthropic", "sees",
      AUSER(SOURCE("image", "'data':'artifact:img','type':'base64'")),
      AUSER(SOURCE("image", ASRC("image/png", B64))) },
    { "anthropic", "sees",
      AUSER("{'type':'document','title':'T','citations':{'enabled':true},"
            "'source':{'type':'file','file_id':'artifact:pdf'},"
            "'cache_control':{}}"),
      AUSER("{'type':'document','title':'T','citations':{'enabled':true},"
            "'source':{" ASRC("application/pdf", PDF64) "},"
            "'cache_control':{}}") },
    { "anthropic", "sees",
      AUSER("{'type':'document','title':'T','cache_control':{},"
            "'source':{'type':'file','file_id':'artifact:img'}}"),
      AUSER("{'type':'image','source':{" ASRC("image/png", B64) "},"
            "'cache_control':{}}") },
    { "anthropic", "text",
      AUSER(SOURCE("image", "'type':'url','url':'artifact:img'")),
      AUSER(TEXT(SHOT)) },
    { "anthropic", "text",
      AUSER(SOURCE("document", "'type':'text','data':'artifact:pdf'")),
      NULL },
    { "anthropic", "sees", AUSER(SOURCE("image",
                                 "'type':'x','url':'artifact:img'")), NULL },
    { "anthropic", "sees",
      AUSER("{'type':'artifact','artifact':'artifact:nil'}"),
      AUSER(TEXT("Artifact content (e.txt):")) },
    { "anthropic", "sees",
      "{'system':[" SOURCE("image", "'type':'url','url':'artifact:img'")
      "],'messages':[]}",
      "{'system':[" TEXT("Artifact content (shot.png): artifact:img")
      "],'messages':[]}" },
    { "anthropic", "sees", RESULT("'artifact:img'"),
      RESULT("[" SOURCE("image", ASRC("image/png", B64)) "]") },
    { "anthropic", "sees", RESULT("[" TEXT("artifact:img") "]"),
      RESULT("[" SOURCE("image", ASRC("image/png", B64)) "]") },
    { "anthropic", "sees", RESULT("[" TEXT("artifact:txt") "]"),
      RESULT("[" TEXT("a \\\"text\\\"\\n") "]") },
    { "anthropic", "sees",
      RESULT("[" TEXT("a") "," TEXT("artifact:img") ",{'cache_control':{},"
             "'type':'text','text':'artifact:pdf'}]"),
      RESULT("[" TEXT("a") "," SOURCE("image", ASRC("image/png", B64))
             ",{'type':'document','title':'r.pdf','source':{"
             ASRC("application/pdf", PDF64) "},'cache_control':{}}]") },
    { "anthropic", "unknown", RESULT("'artifact:img'"),
      RESULT("'" SHOT "'") },
    { "anthropic", "sees",
      RESULT("[" TEXT("x") ","
             SOURCE("document", "'type':'file','file_id':'artifact:pdf'") "]"),
      RESULT("[" TEXT("x") ","
             SOURCE("document", ASRC("application/pdf", PDF64)) "]") },
    { "anthropic", "sees",
      AUSER("{'type':'document','source':{'type':'content','content':["
            SOURCE("image", "'type':'url','url':'artifact:img'") ","
            TEXT("artifact:img") ",{'type':'artifact','artifact':"
            "'artifact:pdf'}]}}"),
      AUSER("{'type':'document','source':{'type':'content','content':["
            SOURCE("image", ASRC("image/png", B64)) ","
            TEXT("artifact:img") ","
            TEXT("Artifact content (r.pdf): artifact:pdf") "]}}") },
    { "anthropic", "sees",
      AUSER("{'type':'search_result','content':["
            SOURCE("image", "'type':'url','url':'artifact:img'") "]}"), NULL },
    { "anthropic", "sees",
      AUSER("{'type':'tool_use','input':{'source':{'type':'url','url':"
            "'artifact:img'}}}"), NULL },
    { "anthropic", "text",
      AUSER(SOURCE("image", "'type':'base64','media_type':'image/jpg',"
                   "'data':'AAAA'")),
      AUSER(TEXT(INLINE("JPEG image", "3 B"))) },
    { "anthropic", "text",
      AUSER("{'type':'container_upload','file_id':'f'}"), NULL }
};


#define GEMINI(part)  "{'contents':[{'role':'user','parts':[" part "]}]}"
#define BLOB(mime, data)                                                      \
    "{'inlineData':{'mimeType':'" mime "','data':'" data "'}}"
#define CALL(rest)  GEMINI("{'functionResponse':{'name':'f'," rest "}}")

static const vector_t  gemini[] = {
    { "gemini", "sees", GEMINI("{'fileData':{'fileUri':'artifact:img'}}"),
      GEMINI(BLOB("image/png", B64)) },
    { "gemini", "sees",
      GEMINI("{'videoMetadata':{},'file_data':{'file_uri':'artifact:mp4'}}"),
      GEMINI("{'videoMetadata':{},'inlineData':{'mimeType':'video/mp4',"
             "'data':'" MP464 "'}}") },
    { "gemini", "sees",
      GEMINI("{'inline_data':{'mime_type':'x/y','data':'artifact:pdf'}}"),
      GEMINI("{'inline_data':{'mime_type':'application/pdf','data':'" PDF64
             "'}}") },
    { "gemini", "sees", GEMINI("{'artifact':'artifact:mp3'}"),
      GEMINI(BLOB("audio/mp3", MP364)) },
    { "gemini", "text", GEMINI("{'fileData':{'fileUri':'artifact:img'}}"),
      GEMINI("{'text':'" SHOT "'}") },
    { "gemini", "sees",
      "{'contents':[{'role':'model','parts':[{'artifact':'artifact:img'}]}]}",
      "{'contents':[{'role':'model','parts':[" BLOB("image/png", B64)
      "]}]}" },
    { "gemini", "sees",
      "{'systemInstruction':{'parts':[{'artifact':'artifact:img'}]}}",
      "{'systemInstruction':{'parts':[{'text':'Artifact content (shot.png): "
      "artifact:img'}]}}" },
    { "gemini", "sees", CALL("'response':{'output':'artifact:img'}"),
      CALL("'response':{'output':'Artifact content (shot.png): "
           "artifact:img'},'parts':[" BLOB("image/png", B64) "]") },
    { "gemini", "sees",
      CALL("'response':{'output':'artifact:img'},'parts':[{'artifact':"
           "'artifact:txt'}]"),
      CALL("'response':{'output':'Artifact content (shot.png): "
           "artifact:img','artifacts':['a \\\"text\\\"\\n']},'parts':["
           BLOB("image/png", B64) "]") },
    { "gemini", "sees",
      CALL("'parts':[" BLOB("image/png", PNG64) "],'response':{'output':"
           "'artifact:img'}"),
      CALL("'parts':[" BLOB("image/png", PNG64) ","
           BLOB("image/png", B64) "],'response':{'output':"
           "'Artifact content (shot.png): artifact:img'}") },
    { "gemini", "text", CALL("'response':{'result':'artifact:img'}"),
      CALL("'response':{'result':'" SHOT "'}") },
    { "gemini", "sees",
      CALL("'parts':[{'fileData':{'fileUri':'artifact:img'}}],'response':{}"),
      CALL("'parts':[" BLOB("image/png", B64) "],'response':{}") },
    { "gemini", "text",
      CALL("'parts':[{'fileData':{'fileUri':'artifact:img'}}],'response':{}"),
      CALL("'parts':[],'response':{'artifacts':['" SHOT "']}") },
    { "gemini", "sees",
      CALL("'response':{'a':1 },'parts':[{'artifact':'artifact:txt'} , "
           BLOB("image/png", PNG64) " , {'artifact':'artifact:no'} ]"),
      CALL("'response':{'a':1 ,'artifacts':['a \\\"text\\\"\\n','" GONE "']},"
           "'parts':[" BLOB("image/png", PNG64) " ]") },
    { "gemini", "text", CALL("'parts':[" BLOB("image/png", "AAAA") "]"),
      CALL("'parts':[],'response':{'artifacts':['"
           INLINE("PNG image", "3 B") "']}") },
    { "gemini", "text", GEMINI(BLOB("image/png", "AAAA")),
      GEMINI("{'text':'" INLINE("PNG image", "3 B") "'}") },
    { "gemini", "sees", GEMINI("{'functionCall':{'args':{'fileUri':"
                               "'artifact:img'}}}"), NULL }
};


#define BLOCK(kind, rest)                                                     \
    "{'messages':[{'role':'user','content':[{'" kind "':{" rest "}}]}]}"
#define BTEXT(text)                                                           \
    "{'messages':[{'role':'user','content':[{'text':'" text "'}]}]}"
#define LED_IN                                                                \
    "{'messages':[{'role':'user','content':[{'text':'Artifact content "       \
    "(r.pdf):'},{'document':{"
#define S3(uri)  "'source':{'s3Location':{'uri':'" uri "'}}"

static const vector_t  bedrock[] = {
    { "bedrock", "sees", BLOCK("image", "'format':'jpeg'," S3("artifact:img")),
      BLOCK("image", "'format':'png','source':{'bytes':'" B64 "'}") },
    { "bedrock", "sees", BLOCK("image", S3("artifact:img")),
      BLOCK("image", "'source':{'bytes':'" B64 "'},'format':'png'") },
    { "bedrock", "sees",
      BLOCK("document", S3("artifact:pdf") ",'name':'n','format':'pdf'"),
      LED_IN "'source':{'bytes':'" PDF64 "'},'name':'n','format':'pdf'}}]}]}"
    },
    { "bedrock", "sees", BLOCK("document", S3("artifact:pdf")),
      LED_IN "'source':{'bytes':'" PDF64 "'},'format':'pdf',"
      "'name':'r-pdf [21ae044c]'}}]}]}" },
    { "bedrock", "sees",
      "{'messages':[{'content':[{'artifact':'artifact:pdf'},"
      "{'artifact':'artifact:pdf'}]}]}",
      "{'messages':[{'content':[{'text':'Artifact content (r.pdf):'},"
      "{'document':{'format':'pdf','name':'r-pdf [21ae044c]','source':{"
      "'bytes':'" PDF64 "'}}},{'document':"
      "{'format':'pdf','name':'r-pdf [a0d5d1a6]','source':{'bytes':'" PDF64
      "'}}}]}]}" },
    { "bedrock", "text", BLOCK("image", "'format':'png'," S3("artifact:img")),
      BTEXT(SHOT) },
    { "bedrock", "text", BLOCK("image", "'format':'png'," S3("s3://b/k")),
      BTEXT("[Unreadable] s3://b/k\\nType: PNG image" CANNOT) },
    { "bedrock", "sees",
      BLOCK("toolResult", "'toolUseId':'t','content':[{'text':"
            "'artifact:img'}]"),
      BLOCK("toolResult", "'toolUseId':'t','content':[{'image':{'format':"
            "'png','source':{'bytes':'" B64 "'}}}]") },
    { "bedrock", "sees",
      BLOCK("toolResult", "'content':[{'json':{}},{'image':{'format':'png',"
            S3("artifact:img") "}}]"),
      BLOCK("toolResult", "'content':[{'json':{}},{'image':{'format':'png',"
            "'source':{'bytes':'" B64 "'}}}]") },
    { "bedrock", "sees",
      BLOCK("toolResult", "'content':[{'artifact':'artifact:mp3'}]"),
      BLOCK("toolResult", "'content':[{'text':'Artifact content (a.mp3): "
            "artifact:mp3'}]") },
    { "bedrock", "sees",
      "{'system':[{'artifact':'artifact:txt'}],'messages':[]}",
      "{'system':[{'text':'a \\\"text\\\"\\n'}],'messages':[]}" },
    { "bedrock", "sees",
      BLOCK("toolUse", "'input':{'source':{'s3Location':{'uri':"
            "'artifact:img'}}}"), NULL }
};


static const vector_t  mistral[] = {
    { "mistral", "sees",
      USER("{'type':'image_url','image_url':'artifact:img'}"),
      USER("{'type':'image_url','image_url':'" IMG "'}") },
    { "mistral", "sees", USER(URL("artifact:img")), USER(URL(IMG)) },
    { "mistral", "sees",
      USER("{'type':'document_url','document_url':'artifact:pdf'}"),
      USER("{'type':'document_url','document_url':'" PDF "'}") },
    { "mistral", "sees",
      USER("{'type':'input_audio','input_audio':'artifact:mp3'}"),
      USER("{'type':'input_audio','input_audio':'" MP364 "'}") },
    { "mistral", "sees", USER("{'type':'file','file_id':'artifact:pdf'}"),
      USER("{'type':'document_url','document_url':'" PDF "',"
           "'document_name':'r.pdf'}") },
    { "mistral", "sees", "{'messages':[{'role':'tool','content':"
                         "'artifact:img'}]}",
      "{'messages':[{'role':'tool','content':[{'type':'image_url',"
      "'image_url':'" IMG "'}]}]}" }
};


#define IMAGES(content, images)                                               \
    "{'messages':[{'role':'assistant'," content "'images':[" images "]}]}"

static const vector_t  openrouter[] = {
    { "openrouter", "sees", IMAGES("'content':'a',", URL("artifact:img")),
      IMAGES("'content':'a',", URL(IMG)) },
    { "openrouter", "text", IMAGES("'content':'a',", URL("artifact:img")),
      IMAGES("'content':[" TEXT("a") "," TEXT(SHOT) "],", "") },
    { "openrouter", "sees",
      IMAGES("", "{'type':'artifact','artifact':'artifact:img'}"),
      IMAGES("", URL(IMG)) },
    { "openrouter", "sees", IMAGES("'content':'',", URL("artifact:pdf")),
      IMAGES("'content':[" TEXT("Artifact content (r.pdf): artifact:pdf")
             "],", "") },
    { "openrouter", "text", IMAGES("'content':null,", URL("artifact:img")),
      IMAGES("'content':[" TEXT(SHOT) "],", "") },
    { "openrouter", "text", IMAGES("", URL("artifact:img")),
      "{'messages':[{'role':'assistant','images':[],'content':[" TEXT(SHOT)
      "]}]}" },
    { "openrouter", "sees",
      IMAGES("'content':[" TEXT("a") "],", URL("artifact:img") ","
             URL("artifact:no") "," URL("artifact:txt")),
      IMAGES("'content':[" TEXT("a") "," TEXT(GONE) ","
             TEXT("a \\\"text\\\"\\n") "],", URL(IMG)) },
    { "openrouter", "sees",
      USER("{'type':'video_url','video_url':{'url':'artifact:mp4'}}"),
      USER("{'type':'video_url','video_url':{'url':"
           "'data:video/mp4;base64," MP464 "'}}") }
};


static void
check(const char *name, const vector_t *vectors, size_t n)
{
    char     label[80];
    size_t   i;

    for (i = 0; i < n; i++) {
        snprintf(label, sizeof(label), "%s %u, %s", name, (unsigned) i,
                 vectors[i].reader);

        becomes(vectors[i].api, vectors[i].body, vectors[i].reader,
                vectors[i].want ? vectors[i].want : vectors[i].body, label);
    }
}


/* What a service takes counts for what is known of media. */

static void
check_accepts(void)
{
    size_t                 i;
    art_message_reader_t   reader;
    static const art_str_t jpeg = art_string("image/jpeg");

    static const struct {
        const char  *url;
        unsigned     stays;
    } urls[] = {
        { OWN, 0 },
        { "data:image/jpeg;base64,/9j/2Q==", 1 },
        { "https://h/x.png", 1 },
        { "artifact:img", 0 }
    };
    char  body[300];

    reader = reader_of("sees");
    reader.accepts = &jpeg;
    reader.naccepts = 1;

    for (i = 0; i < nitems(urls); i++) {
        snprintf(body, sizeof(body), "{\"messages\":[{\"role\":\"user\","
                 "\"content\":[{\"type\":\"image_url\",\"image_url\":"
                 "{\"url\":\"%s\"}}]}]}", urls[i].url);

        scan_body("openai", body, strlen(body), 0, 64);
        plan_body(&reader);
        is_int(plan_of.edits[0].becomes,
               urls[i].stays ? ART_BECOMES_ITSELF : ART_BECOMES_DESCRIBED,
               urls[i].url);
        pool_free();
    }

    /* and so does what it takes at once, but not what is for artifacts */

    reader = reader_of("sees");
    reader.service_max = 2;
    scan_body("openai", body, strlen(body), 0, 64);
    plan_body(&reader);
    is_int(plan_of.edits[0].becomes, ART_BECOMES_DESCRIBED, "too large");
    pool_free();
}


/* Names and ids are shown as one line, and not more than there is room for. */

static void
check_lines(void)
{
    uint8_t    text[ART_WORDS_LABEL + 50], buf[ART_WORDS_LINE];
    art_str_t  line;

    memset(text, 'a', sizeof(text));

    line = art_words_line(art_str(text, ART_WORDS_LABEL), buf);
    is_mem(line.data, line.len, text, ART_WORDS_LABEL, "all of a text");

    line = art_words_line(art_str(text, sizeof(text)), buf);
    is_mem(line.data, line.len, text, ART_WORDS_LABEL, "its beginning");

    memcpy(text + ART_WORDS_LABEL - 2, "\xc3\xa9", 2);
    line = art_words_line(art_str(text, sizeof(text)), buf);
    is_mem(line.data, line.len, text, ART_WORDS_LABEL, "a whole character");

    memcpy(text + ART_WORDS_LABEL - 2, "a\xc3\xa9", 3);
    line = art_words_line(art_str(text, sizeof(text)), buf);
    is_mem(line.data, line.len, text, ART_WORDS_LABEL - 1, "or not cut");
}


static void
check_counts(void)
{
    art_edit_counts_t      counts;
    art_message_reader_t   reader;
    static const char      body[] = "{\"messages\":[{\"role\":\"user\","
        "\"content\":[{\"type\":\"image_url\",\"image_url\":{\"url\":"
        "\"artifact:txt\"}},{\"type\":\"image_url\",\"image_url\":"
        "{\"url\":\"artifact:img\"}},{\"type\":\"image_url\","
        "\"image_url\":{\"url\":\"http://h/x\"}}]}]}";

    reader = reader_of("text");

    scan_body("openai", body, sizeof(body) - 1, 0, 64);
    plan_body(&reader);
    art_edit_count(&plan_of, &counts);

    is_int(counts.expanded, 1, "a text is expanded");
    is_int(counts.degraded, 2, "two images are described");
    is_int((long long) counts.saved, 0, "which takes more bytes");
    pool_free();
}


int
main(void)
{
    check("openai", openai, nitems(openai));
    check("responses", responses, nitems(responses));
    check("anthropic", anthropic, nitems(anthropic));
    check("gemini", gemini, nitems(gemini));
    check("bedrock", bedrock, nitems(bedrock));
    check("mistral", mistral, nitems(mistral));
    check("openrouter", openrouter, nitems(openrouter));
    check_accepts();
    check_lines();
    check_counts();

    return done();
}
