
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bedrock refuses a message that has a document and no text: one is added.
 */


#include "expand_run.h"


#define USER(parts)  "{'messages':[{'role':'user','content':[" parts "]}]}"
#define TEXT(text)  "{'text':'" text "'}"
#define DOC(name, bytes)                                                      \
    "{'document':{'format':'pdf','name':'" name "','source':{'bytes':'" bytes \
    "'}}}"
#define OWN     DOC("my report", "JVBERi0xLjQKJeLjz9MKJSVFT0YK")
#define REF     "{'artifact':'artifact:pdf'}"
#define IMAGE   "{'image':{'format':'png','source':{'bytes':"              \
                "'iVBORw0KGgoAAAAASUVORK5CYII='}}}"
#define GONE    "[Unreadable] artifact:no\\nThe artifact does not exist or "  \
                "has been deleted."
#define LEAD(name)  TEXT("Artifact content (" name "):") ","


/* "want" of NULL: it stays as it is. */

static const struct {
    const char  *reader;
    const char  *body;
    const char  *want;
} vectors[] = {
    { "sees", USER(OWN), USER(LEAD("my report") OWN) },
    { "unknown", USER(OWN), USER(LEAD("my report") OWN) },
    { "sees", USER(IMAGE " , " OWN "," OWN),
      USER(IMAGE " , " LEAD("my report") OWN "," OWN) },

    /* a text before it, behind it, or one that takes a place */

    { "sees", USER(TEXT("a") "," OWN), NULL },
    { "sees", USER(OWN "," TEXT("a")), NULL },
    { "sees", USER(OWN ",{'artifact':'artifact:no'}"),
      USER(OWN "," TEXT(GONE)) },
    { "sees", USER("{'artifact':'artifact:txt'}," OWN),
      USER(TEXT("a \\\"text\\\"\\n") "," OWN) },

    /* no document, or none in that message */

    { "sees", USER(IMAGE), NULL },
    { "sees", "{'messages':[{'role':'user','content':[" TEXT("a") "]},"
      "{'role':'user','content':[" OWN "]}]}",
      "{'messages':[{'role':'user','content':[" TEXT("a") "]},"
      "{'role':'user','content':[" LEAD("my report") OWN "]}]}" },
    { "sees", USER("{'toolResult':{'toolUseId':'t','content':[" OWN "]}}"),
      NULL },
    { "sees", USER("{'toolResult':{'toolUseId':'t','content':[" TEXT("a")
                   "]}}," OWN),
      USER("{'toolResult':{'toolUseId':'t','content':[" TEXT("a") "]}},"
           LEAD("my report") OWN) }
};


int
main(void)
{
    long     len;
    char    *body, *want;
    size_t   i;

    for (i = 0; i < nitems(vectors); i++) {
        becomes("bedrock", vectors[i].body, vectors[i].reader,
                vectors[i].want, vectors[i].body);
    }

    /* the lead-in of an artifact; its name is made for it */

    body = quoted(USER(REF));
    len = compose("bedrock", body, "sees");
    want = quoted("{'messages':[{'role':'user','content':["
                  LEAD("r.pdf") "{'document'");
    ok(len > 0 && strncmp((char *) composed, want, strlen(want)) == 0,
       "an artifact is led in");
    free(body);
    free(want);

    return done();
}
