
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 that was pasted into the texts of tools, byte by byte, wherever the
 * body is cut, and how much memory finds may take.  Single quotes stand for
 * double ones.
 */


#include "expand_run.h"


/* A PNG of 88 bytes; the same cut off, and URL-safe in lines. */

#define LINE1   "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4"
#define LINE2   "z8AAAAMBAQDJ/pLvAAAAB3RFWHT7/777/777LuNeDgAAAABJRU5ErkJggg=="
#define PNG64   LINE1 LINE2
#define HALF    LINE1 "z8AAAAMBAQDJ/pLvAAAAB3RFWHT7/7"
#define SAFE    LINE1 "z8AAAAMBAQDJ_pLvAAAAB3RFWHT7_777_777LuNeDgAAAABJRU5"   \
                "ErkJggg"
#define LINES   LINE1 "\\n" LINE2
#define DEEP    LINE1 "z8AAAAMBAQDJ\\\\\\/pLvAAAAB3RFWHT7\\\\\\/777"          \
                "\\\\\\/777LuNeDgAAAABJRU5ErkJggg\\\\u003D="

#define SHORT   "[image/png, 88 B]"
#define CUT     "[image/png, 67 B]"

#define CANNOT                                                                \
    "[Unreadable] Image\\nType: PNG image\\nSize: 88 B\\nThe current model "  \
    "cannot read this kind of file. Consider asking for it in another form."
#define BROKEN                                                                \
    "[File processing failed: Image]\\nError: the file content could not be " \
    "read\\nPlease check whether the file is damaged"

#define TOOL(content, after)                                                  \
    "{'messages':[{'role':'tool','content':" content "}" after "]}"
#define TEXT(text)  "{'type':'text','text':'" text "'}"
#define IMAGE_PART  "{'type':'image_url','image_url':"                        \
                    "'data:image/png;base64," PNG64 "'}"
#define MARK        "[artifact:" IMG_ID "]"
#define STORED      "{'type':'image_url','image_url':"                        \
                    "'data:image/png;base64,UE5HREFUQQ=='}"
#define HOISTED     ",{'role':'user','content':[" TEXT(SHORT)                 \
                    ",{'type':'image_url','image_url':{'url':"                \
                    "'data:image/png;base64," PNG64 "'}}]}"
#define SEEN(text)  TOOL("[" TEXT(text) "," IMAGE_PART "]", "")


typedef struct {
    const char  *api;
    const char  *reader;
    const char  *body;
    const char  *want;
} vector_t;


static const vector_t  vectors[] = {
    { "mistral", "sees", TOOL("'a " PNG64 " z'", ""),
      SEEN("a " SHORT " z") },
    { "mistral", "sees", TOOL("'" PNG64 "'", ""), SEEN(SHORT) },
    { "mistral", "sees", TOOL("'data:a/b;base64," PNG64 "'", ""),
      SEEN(SHORT) },
    { "mistral", "sees", TOOL("'a " SAFE " z'", ""), SEEN("a " SHORT " z") },
    { "mistral", "sees", TOOL("'a\\n" LINES "\\nz'", ""),
      SEEN("a\\n" SHORT "\\nz") },
    { "mistral", "sees", TOOL("'{\\\"a\\\":\\\"" DEEP "\\\"}'", ""),
      SEEN("{\\\"a\\\":\\\"" SHORT "\\\"}") },
    { "mistral", "text", TOOL("'a " PNG64 " z'", ""),
      TOOL("[" TEXT("a " SHORT " z") "," TEXT(CANNOT) "]", "") },
    { "mistral", "unknown", TOOL("'a " PNG64 " z'", ""),
      TOOL("'a " PNG64 " z'", "") },
    { "mistral", "sees", TOOL("'a " HALF "...'", ""),
      TOOL("[" TEXT("a " CUT "...") "," TEXT(BROKEN) "]", "") },
    { "mistral", "sees",
      "{'messages':[{'role':'tool','content':'" MARK "'},{'role':'tool',"
      "'content':[{'type':'artifact','artifact':'artifact:" IMG_ID "'},"
      TEXT(PNG64) "]}]}",
      "{'messages':[{'role':'tool','content':[" TEXT(MARK) "," STORED "]},"
      "{'role':'tool','content':[" STORED "," TEXT(SHORT) "," IMAGE_PART
      "]}]}" },
    { "openai", "sees", TOOL("'a " PNG64 " z'", ""),
      TOOL("'a " SHORT " z'", HOISTED) },
    { "openai", "text", TOOL("'a " PNG64 " z'", ""),
      TOOL("'a " SHORT " z\\n" CANNOT "'", "") },
    { "openai", "sees",
      "{'messages':[{'role':'user','content':'" PNG64 "'}]}",
      "{'messages':[{'role':'user','content':'" PNG64 "'}]}" },
    { "anthropic", "sees",
      "{'messages':[{'content':[{'content':'" PNG64 "','is_error':true,"
      "'type':'tool_result'}]}]}",
      "{'messages':[{'content':[{'content':'" SHORT "','is_error':true,"
      "'type':'tool_result'}]}]}" }
};


/* As it is, and cut into pieces of any size. */

static void
check_vectors(void)
{
    long                   got;
    char                  *body, *want;
    size_t                 i, k, n;
    unsigned               wrong;
    const vector_t        *v;
    art_message_reader_t   who;

    for (i = 0; i < nitems(vectors); i++) {
        v = &vectors[i];

        becomes(v->api, v->body, v->reader, v->want, v->body);

        body = strdup(v->body);
        want = strdup(v->want);
        n = strlen(body);
        who = reader_of(v->reader);
        wrong = 0;

        for (k = 0; body[k] != '\0'; k++) {
            body[k] = body[k] == '\'' ? '"' : body[k];
        }

        for (k = 0; want[k] != '\0'; k++) {
            want[k] = want[k] == '\'' ? '"' : want[k];
        }

        for (k = 1; k <= n; k++) {
            got = scan_body(v->api, body, n, k, 64) == ART_SCAN_OK
                  && plan_body(&who) == ART_OK
                  ? splice_body((uint8_t *) body, composed) : -1;
            pool_free();

            wrong += got < 0 || strcmp((char *) composed, want) != 0;
        }

        ok(wrong == 0, "vector %u, cut anywhere", (unsigned) i);

        free(body);
        free(want);
    }
}


/* What a service takes counts. */

static void
check_accepts(void)
{
    unsigned               i;
    art_message_reader_t   reader;

    static const art_str_t  types[] = {
        art_string("image/png"), art_string("image/jpeg")
    };
    static const char       body[] =
        "{\"messages\":[{\"role\":\"tool\",\"content\":\"" PNG64 "\"}]}";

    for (i = 0; i < 2; i++) {
        reader = reader_of("sees");
        reader.accepts = &types[i];
        reader.naccepts = 1;

        scan_body("mistral", body, strlen(body), 0, 64);
        plan_body(&reader);
        is_int(plan_of.edits[0].becomes,
               i == 0 ? ART_BECOMES_PART : ART_BECOMES_DESCRIBED,
               (const char *) types[i].data);
        pool_free();
    }
}


/* Any number of finds: as many stay as may, in memory that does not grow. */

static void
check_many(unsigned n, uint32_t max)
{
    char      *body;
    size_t     len;
    uint32_t   i, runs, refs;
    unsigned   h, cut;

    body = malloc(n * 400 + 100);
    len = (size_t) sprintf(body, "{\"messages\":[");

    for (i = 0; i < n; i++) {
        len += (size_t) sprintf(body + len, "%s{\"role\":\"tool\",\"content\":"
                                "\"[artifact:0190a5f0-0000-7000-8000-%012x] "
                                "%s\"}", i ? "," : "", i, PNG64);
    }

    len += (size_t) sprintf(body + len, "]}");

    is_int(scan_body("openai", body, len, 4096, max), ART_SCAN_OK,
           "a search that ends");

    runs = 0;
    refs = 0;

    for (i = 0; i < scan.nslots; i++) {
        runs += art_scan_slot(&scan, i)->held == ART_HELD_RUN
                && !art_scan_slot(&scan, i)->old;
        refs += art_scan_slot(&scan, i)->held == ART_HELD_REF;
    }

    n = n * 2 < ART_MESSAGE_FINDS_MAX ? n * 2 : ART_MESSAGE_FINDS_MAX;
    h = max > 1 ? max / 2 : 1;
    cut = n > max ? (n - max + h - 1) / h * h : 0;

    is_int(scan.finds, n, "finds");
    is_int(runs + refs, n - cut, "of which the last stay");
    is_int(scan.occurrences, refs, "markers are references");
    ok(pool_bytes < (2u << 20), "%u finds: %lu bytes", n,
       (unsigned long) pool_bytes);

    pool_free();
    free(body);
}


int
main(void)
{
    check_vectors();
    check_accepts();
    check_many(4, 8);
    check_many(5, 8);
    check_many(100, 8);
    check_many(1000, 1);
    check_many(1024, 4096);
    check_many(5000, 64);

    return done();
}
