
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Results of Gemini's calls, which take media of some types, or none, by the
 * model.  Single quotes stand for double ones.
 */


#include "expand_run.h"
#include "expand_shapes.h"


/* A whole PNG. */

#define PNG64  "iVBORw0KGgoAAAAASUVORK5CYII="

#define B64    "UE5HREFUQQ=="
#define PDF64  "JVBERi0x"
#define MP364  "SUQz"
#define MP464  "ZnR5cA=="

#define BLOB(mime, data)                                                      \
    "{'inlineData':{'mimeType':'" mime "','data':'" data "'}}"
#define GONE   "[Unreadable] artifact:no\\nThe artifact does not exist or "   \
               "has been deleted."

/*
 * Earlier than 3, Gemini takes no parts in a functionResponse, and since then
 * only some types: others follow in a content of their own.
 */

#define TURNS(contents)  "{'contents':[" contents "]}"
#define TURN(parts)      "{'role':'user','parts':[" parts "]}"
#define MODEL            "{'role':'model','parts':[{'text':'m'}]}"
#define RESPONSE(rest)   "{'functionResponse':{" rest "}}"
#define OUTPUT(text)     "'response':{'output':'" text "'}"
#define FILEDATA(id)                                                          \
    "{'fileData':{'fileUri':'artifact:" id "'}}"
#define TXT              "'a \\\"text\\\"\\n'"
#define NAMED(name, id)  "Artifact content (" name "): artifact:" id
#define LED(name)        "{'text':'Artifact content (" name "):'}"
#define NAMED_IMG        NAMED("shot.png", "img")
#define LED_IMG          LED("shot.png") "," BLOB("image/png", B64)
#define LED_PDF          LED("r.pdf") "," BLOB("application/pdf", PDF64)
#define LED_MP3          LED("a.mp3") "," BLOB("audio/mp3", MP364)

static const struct {
    const char  *models;
    const char  *body;
    const char  *want;
} calls[] = {
    { "models/gemini-2.5-pro", TURNS(TURN(RESPONSE(OUTPUT("artifact:img")))),
      TURNS(TURN(RESPONSE(OUTPUT(NAMED_IMG))) "," TURN(LED_IMG)) },
    { "",
      TURNS(TURN(RESPONSE(OUTPUT("artifact:img") ",'parts':["
                          FILEDATA("pdf") "]"))),
      TURNS(TURN(RESPONSE("'response':{'output':'" NAMED_IMG "','artifacts':['"
                          NAMED("r.pdf", "pdf") "']},'parts':[]")) ","
            TURN(LED_IMG "," LED_PDF)) },

    /* behind the last of consecutive contents, whatever else they have */

    { "gemini-2.5-pro",
      TURNS(MODEL "," TURN(RESPONSE(OUTPUT("x"))) ","
            TURN(RESPONSE(OUTPUT("artifact:img")) "," FILEDATA("mp3")) " ,"
            TURN("{'text':'and'}," RESPONSE("'parts':[" FILEDATA("pdf")
                 "],'response':{}")) ","
            TURN(RESPONSE(OUTPUT("x"))) "," MODEL ","
            TURN(RESPONSE(OUTPUT("artifact:mp3")))),
      TURNS(MODEL "," TURN(RESPONSE(OUTPUT("x"))) ","
            TURN(RESPONSE(OUTPUT(NAMED_IMG)) "," BLOB("audio/mp3", MP364)) " ,"
            TURN("{'text':'and'}," RESPONSE("'parts':[],'response':{"
                 "'artifacts':['" NAMED("r.pdf", "pdf") "']}")) ","
            TURN(RESPONSE(OUTPUT("x"))) "," TURN(LED_IMG "," LED_PDF) ","
            MODEL "," TURN(RESPONSE(OUTPUT(NAMED("a.mp3", "mp3")))) ","
            TURN(LED_MP3)) },

    /* some types since 3 */

    { "gemini-3-pro gemini-10-flash google/gemini-3.1-pro-preview",
      TURNS(TURN(RESPONSE(OUTPUT("artifact:img") ",'parts':["
                          FILEDATA("mp3") "," FILEDATA("pdf") "]"))),
      TURNS(TURN(RESPONSE("'response':{'output':'" NAMED_IMG "','artifacts':['"
                          NAMED("a.mp3", "mp3") "']},'parts':["
                          BLOB("application/pdf", PDF64) ","
                          BLOB("image/png", B64) "]")) ","
            TURN(LED_MP3)) },
    { "gemini-3-pro", TURNS(TURN(RESPONSE(OUTPUT("artifact:mp4")))),
      TURNS(TURN(RESPONSE(OUTPUT(NAMED("v.mp4", "mp4")))) ","
            TURN(LED("v.mp4") "," BLOB("video/mp4", MP464))) },

    /* what is text stays in the response, under a name that is free */

    { "gemini-2.0-flash gemini-3-pro",
      TURNS(TURN(RESPONSE("'response':{'artifacts':[1],'a':2},'parts':["
                          FILEDATA("txt") "," FILEDATA("no") "]"))),
      TURNS(TURN(RESPONSE("'response':{'artifacts':[1],'a':2,'artifacts_':["
                          "'a \\\"text\\\"\\n','" GONE "']},'parts':[]"))) },
    { "gemini-2.0-flash",
      TURNS(TURN(RESPONSE("'parts':[" FILEDATA("txt") "],'response':{"
                          "'artifacts_':null,'artifacts':{'x':1}}"))),
      TURNS(TURN(RESPONSE("'parts':[],'response':{'artifacts_':null,"
                          "'artifacts':{'x':1},'artifacts__':["
                          "'a \\\"text\\\"\\n']}"))) },
    { "gemini-2.0-flash", TURNS(TURN(RESPONSE("'response':{'artifacts_':1},"
                                              "'parts':[" FILEDATA("txt")
                                              "]"))),
      TURNS(TURN(RESPONSE("'response':{'artifacts_':1,'artifacts':["
                          "'a \\\"text\\\"\\n']},'parts':[]"))) },

    /* a response that is no object becomes one */

    { "gemini-2.0-flash", TURNS(TURN(RESPONSE("'name':'f','parts':["
                                              FILEDATA("txt") "]"))),
      TURNS(TURN(RESPONSE("'name':'f','parts':[],'response':{'artifacts':["
                          TXT "]}"))) },
    { "gemini-2.0-flash",
      TURNS(TURN(RESPONSE("'response': null ,'parts':[" FILEDATA("txt") ","
                          FILEDATA("txt") "]"))),
      TURNS(TURN(RESPONSE("'response': {'artifacts':[" TXT "," TXT "]} ,"
                          "'parts':[]"))) },
    { "gemini-2.0-flash",
      TURNS(TURN(RESPONSE("'parts':[" FILEDATA("txt") "],'response':'x'"))),
      TURNS(TURN(RESPONSE("'parts':[],'response':{'output':'x','artifacts':["
                          TXT "]}"))) },
    { "gemini-2.0-flash",
      TURNS(TURN(RESPONSE("'parts':[" FILEDATA("txt") "],'response':[]"))),
      TURNS(TURN(RESPONSE("'parts':[],'response':{'output':[],'artifacts':["
                          TXT "]}"))) },
    { "gemini-2.0-flash",
      TURNS(TURN(RESPONSE("'response':{'a':1},'response':null,'parts':["
                          FILEDATA("txt") "]"))),
      TURNS(TURN(RESPONSE("'response':{'a':1},'response':{'artifacts':[" TXT
                          "]},'parts':[]"))) },

    /* the client's own media, and a system text */

    { "gemini-2.5-pro",
      TURNS(TURN(RESPONSE("'response':{},'parts':[" BLOB("image/png", PNG64)
                          "]"))),
      TURNS(TURN(RESPONSE("'response':{'artifacts':['[image/png, 20 B]']},"
                          "'parts':[]")) ",{'role':'user','parts':["
            "{'text':'[image/png, 20 B]'}," BLOB("image/png", PNG64) "]}") },
    { "gemini-2.5-pro",
      "{'contents':[],'systemInstruction':{'parts':["
      RESPONSE(OUTPUT("artifact:img")) "]}}",
      "{'contents':[],'systemInstruction':{'parts':["
      RESPONSE(OUTPUT(NAMED_IMG)) "]}}" }
};


static void
check_calls(void)
{
    long     len;
    size_t   i;
    char    *body, *want, *models, *model, label[80];

    for (i = 0; i < nitems(calls); i++) {
        body = quoted(calls[i].body);
        want = quoted(calls[i].want);
        models = strdup(calls[i].models);

        model = strtok(models, " ");

        do {
            len = compose_model("gemini", body, "sees",
                                model != NULL ? model : "");
            snprintf(label, sizeof(label), "call %u, \"%s\"", (unsigned) i,
                     model != NULL ? model : "");
            is_mem(composed, len < 0 ? 0 : (size_t) len, want, strlen(want),
                   label);

        } while (model != NULL && (model = strtok(NULL, " ")) != NULL);

        free(body);
        free(want);
        free(models);
    }
}


int
main(void)
{
    check_calls();

    return done();
}
