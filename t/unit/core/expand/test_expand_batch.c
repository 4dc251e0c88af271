
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Batches: each request in one has a model, a reader, messages and limits of
 * its own.
 */


#include "core/expand/art_expand_limit.h"
#include "expand_run.h"


#define IMG    "data:image/png;base64,UE5HREFUQQ=="
#define DATA64 "UE5HREFUQQ=="
#define LEAD   "Artifact content (shot.png):"
#define REF    "{'type':'image','source':{'type':'url','url':'artifact:img'}}"
#define PART   "{'type':'image','source':{'type':'base64','media_type':"      \
               "'image/png','data':'" DATA64 "'}}"
#define SHOT   "{'type':'text','text':'[Unreadable] shot.png (artifact:img)"  \
               "\\nType: PNG image\\nSize: 7 B\\nThe current model cannot "   \
               "read this kind of file. Consider asking for it in another "   \
               "form.'}"
#define USER(part)  "{'role':'user','content':[" part "]}"
#define ONE(model, part)                                                      \
    "{'custom_id':'c','params':{'messages':[" USER(part) "],'model':'" model  \
    "'}}"
#define BATCH(requests)  "{'requests':[" requests "]}"

#define ASKED(model, part)                                                    \
    "{'request':{'contents':[{'parts':[" part "]}],'model':'" model "'},"     \
    "'metadata':{'key':'k'}}"
#define GEMINI(input, requests)                                               \
    "{'batch':{'displayName':'d','" input "':{'requests':{'requests':["       \
    requests "]}}}}"
#define FILE_REF   "{'fileData':{'fileUri':'artifact:img'}}"
#define FILE_PART  "{'inlineData':{'mimeType':'image/png','data':'" DATA64    \
                   "'}}"
#define FILE_SHOT  "{'text':'[Unreadable] shot.png (artifact:img)"            \
                   "\\nType: PNG image\\nSize: 7 B\\nThe current model "      \
                   "cannot read this kind of file. Consider asking for it "   \
                   "in another form.'}"


/* A model "sees", reads "text" or is "unknown".  "want" of NULL: it passes. */

static const struct {
    const char  *api;
    const char  *body;
    const char  *want;
} vectors[] = {
    { "anthropic", BATCH(ONE("sees", REF) "," ONE("text", REF) ","
                         ONE("text", "{'type':'text','text':'x'}") ","
                         ONE("unknown", REF)),
      BATCH(ONE("sees", PART) "," ONE("text", SHOT) ","
            ONE("text", "{'type':'text','text':'x'}") ","
            ONE("unknown", PART)) },

    /* the model may come first, or twice */

    { "anthropic", BATCH("{'params':{'model':'sees','model':'text',"
                         "'system':[],'messages':[" USER(REF) "]}}"),
      BATCH("{'params':{'model':'sees','model':'text','system':[],"
            "'messages':[" USER(SHOT) "]}}") },

    /* a model of another object is none */

    { "anthropic", BATCH("{'params':{'messages':[" USER(REF) "],'metadata':{"
                         "'model':'text'}},'model':'text'}"),
      BATCH("{'params':{'messages':[" USER(PART) "],'metadata':{'model':"
            "'text'}},'model':'text'}") },

    { "gemini", GEMINI("inputConfig", ASKED("sees", FILE_REF) ","
                       ASKED("text", FILE_REF)),
      GEMINI("inputConfig", ASKED("sees", FILE_PART) ","
             ASKED("text", FILE_SHOT)) },
    { "gemini", GEMINI("input_config", ASKED("text", FILE_REF)),
      GEMINI("input_config", ASKED("text", FILE_SHOT)) },

    /* tool messages that end one request do not go on in the next */

    { "gemini", GEMINI("inputConfig",
                       ASKED("sees", "{'functionResponse':{'response':{"
                             "'output':'artifact:img'}}}") ","
                       ASKED("sees", "{'functionResponse':{'response':{"
                             "'output':'artifact:img'}}}")),
      GEMINI("inputConfig",
             "{'request':{'contents':[{'parts':[{'functionResponse':{"
             "'response':{'output':'" LEAD " artifact:img'}}}]},"
             "{'role':'user','parts':[{'text':'" LEAD "'},"
             FILE_PART "]}],'model':'sees'},'metadata':{'key':'k'}},"
             "{'request':{'contents':[{'parts':[{'functionResponse':{"
             "'response':{'output':'" LEAD " artifact:img'}}}]},"
             "{'role':'user','parts':[{'text':'" LEAD "'},"
             FILE_PART "]}],'model':'sees'},'metadata':{'key':'k'}}") },

    /* what has messages both in requests and beside them */

    { "anthropic", "{'messages':[" USER(REF) "],'requests':["
                   ONE("sees", REF) "]}", NULL },
    { "anthropic", "{'requests':[" ONE("sees", REF) "],'messages':["
                   USER(REF) "]}", NULL },
    { "anthropic", BATCH("{'params':{'messages':[" USER(REF) "],'messages':["
                         USER(REF) "]}}"), NULL }
};


static art_message_reader_t  readers[ART_MESSAGE_SLOTS_MAX];


/* Scans and plans, with a reader for each request, after its model. */

static art_scan_status_t
planned(const char *api, const char *body, uint32_t refs_max)
{
    char               name[32];
    uint32_t           i;
    art_str_t          model;
    art_scan_status_t  rc;

    rc = scan_body(api, body, strlen(body), 0, refs_max);

    if (rc != ART_SCAN_OK) {
        return rc;
    }

    for (i = 0; i < scan.nrequests; i++) {
        model = art_scan_request(&scan, i)->model;
        snprintf(name, sizeof(name), "%.*s", (int) model.len,
                 model.len > 0 ? (const char *) model.data : "");
        readers[i] = reader_of(name[0] != '\0' ? name : "unknown");
        readers[i].model = model;
    }

    return scan.nrequests > 0 && plan_readers(readers) != ART_OK
           ? ART_SCAN_NO_MEMORY : ART_SCAN_OK;
}


static void
check_vectors(void)
{
    char               *body, *want;
    long                len;
    size_t              i;
    art_scan_status_t   rc;

    for (i = 0; i < nitems(vectors); i++) {
        body = quoted(vectors[i].body);
        want = quoted(vectors[i].want != NULL ? vectors[i].want : "");

        rc = planned(vectors[i].api, body, 64);

        if (vectors[i].want == NULL) {
            is_int(rc, ART_SCAN_PASS, vectors[i].body);

        } else {
            len = rc == ART_SCAN_OK
                  ? splice_body((const uint8_t *) body, composed) : -1;
            is_composed(len, want, vectors[i].body);
        }

        pool_free();
        free(body);
        free(want);
    }
}


/* References are counted, and media left out, request by request. */

static void
check_limits(void)
{
    char      *body;
    uint32_t   i, n;

    body = quoted(BATCH(ONE("sees", REF "," REF) "," ONE("sees", REF)));

    is_int(planned("anthropic", body, 2), ART_SCAN_OK, "two and one");
    is_int(scan.nrequests, 2, "are those of two requests");
    is_int(scan.occurrences, 3, "of three in all");
    is_int(scan.nrefs, 1, "to one artifact");

    for (i = 0; i < scan.nslots; i++) {
        ok(art_scan_is_last(&scan, art_scan_slot(&scan, i)),
           "each is in the last message of its own");
    }

    pool_free();
    is_int(planned("anthropic", body, 1), ART_SCAN_TOO_MANY,
           "two of one request are too many");
    pool_free();
    free(body);

    /* the older of two messages is left out, and no other request is */

    body = quoted(BATCH("{'params':{'model':'sees','messages':[" USER(REF) ","
                        USER(REF) "]}}," ONE("sees", REF)));

    (void) planned("anthropic", body, 64);

    for (i = 0; i < scan.nrequests; i++) {
        readers[i].max_media = 1;
    }

    (void) plan_readers(readers);
    is_int(art_limit_media(&plan_of, &n), ART_OK, "a limit of one medium");
    is_int(n, 1, "leaves one out");
    is_int(plan_of.edits[0].dropped, 1, "the first");
    is_int(plan_of.edits[2].dropped, 0, "none of another request");

    pool_free();
    free(body);
}


/* The budget is that of a request: what is too large is one of them. */

static void
check_budget(void)
{
    char      *body;
    size_t     len;
    uint64_t   total;

    body = quoted(BATCH("{'params':{'messages':[" USER(REF) "," USER(
                        "{'type':'text','text':'x'}") "],'model':'sees'}},"
                        ONE("sees", REF)));
    len = strlen(body);

    (void) planned("anthropic", body, 64);

    total = art_edit_total(&plan_of);
    ok(total > len, "the body grows");
    is_int(art_edit_budget(&plan_of, total - 100), ART_BUDGET_OK,
           "each is smaller than all of them");
    is_int((long long) art_edit_total(&plan_of), (long long) total,
           "nothing is left out");
    is_int(art_edit_budget(&plan_of, 10), ART_BUDGET_TOO_LARGE,
           "the last message of one is too large");

    pool_free();
    free(body);
}


/* The oldest finds go, of each request by itself. */

static void
check_finds(void)
{
    char      *body;
    uint32_t   i, n;

    body = quoted(BATCH(
        ONE("sees", "{'type':'tool_result','tool_use_id':'t','content':"
            "'[artifact:" IMG_ID "] [artifact:" PDF_ID "] [artifact:" TXT_ID
            "]'}") "," ONE("sees", "{'type':'tool_result','tool_use_id':'t',"
            "'content':'[artifact:" IMG_ID "]'}")));

    is_int(planned("anthropic", body, 2), ART_SCAN_OK, "four markers");
    is_int(scan.nslots, 3, "one of three is too old");
    is_int(scan.nrequests, 2, "in two requests");

    n = 0;

    for (i = 0; i < scan.nslots; i++) {
        n += art_scan_slot(&scan, i)->request == 1;
    }

    is_int(n, 1, "the other one has its own");
    ok(splice_body((const uint8_t *) body, composed) > 0, "it holds together");

    pool_free();
    free(body);
}


/* As many requests as there may be slots; the rest have none. */

static void
check_many(void)
{
    char      *body, *p;
    uint32_t   i;

    body = malloc(5000 * 128);
    p = body;

    p += sprintf(p, "{\"requests\":[");

    for (i = 0; i < 5000; i++) {
        p += sprintf(p, "%s{\"params\":{\"messages\":[{\"content\":[%s]}]}}",
                     i > 0 ? "," : "", i % 2 ? "{\"type\":\"text\"}"
                     : "{\"type\":\"artifact\",\"artifact\":\"artifact:x\"}");
    }

    sprintf(p, "]}");

    is_int(scan_body("anthropic", body, strlen(body), 0, 1), ART_SCAN_OK,
           "many requests");
    is_int(scan.nrequests, 2500, "those with slots are kept");
    is_int(art_scan_slot(&scan, 2499)->request, 2499, "and numbered");

    pool_free();
    free(body);
}


int
main(void)
{
    check_vectors();
    check_limits();
    check_budget();
    check_finds();
    check_many();

    return done();
}
