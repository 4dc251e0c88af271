
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Stand-ins in requests: what they are in a slot, in a tool's text, and in any
 * other string, however the body is cut.
 */


#define _GNU_SOURCE              /* memmem() */

#include "expand_run.h"


#define STANDIN_ID  "0123abcd-4567-8fed-89ab-fedcba987654"
#define PNG_BASE64  "UE5HREFUQQ=="
#define Q           "\\\""
#define PNG_URL     "data:image/png;base64," PNG_BASE64


/*
 * In the bodies "<png>" is a stand-in, "<gone>" one of a kind that no source
 * has, and an apostrophe a quote.
 */

static const struct {
    const char  *api;
    const char  *reader;
    unsigned     standins;
    const char  *body;
    const char  *want;
} vectors[] = {

    /* in slots */

    { "openai", "sees", ART_SCAN_ONLY, "{'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'data:image/png;base64,<png>',"
      "'detail':'low'}}]}]}",
      "{'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'" PNG_URL "',"
      "'detail':'low'}}]}]}" },
    { "anthropic", "unknown", 0, "{'messages':[{'role':'user','content':["
      "{'type':'image','source':{'type':'base64','media_type':'image/png',"
      "'data':'<png>'}}]}]}",
      "{'messages':[{'role':'user','content':["
      "{'type':'image','source':{'type':'base64','media_type':'image/png',"
      "'data':'" PNG_BASE64 "'}}]}]}" },

    /* elsewhere, also where all else is skipped */

    { "openai", "sees", 0, "{'a':{'b':[1,{'c':'<png>'}]},'messages':[{'x':"
      "'<png>','role':'user','content':'<png>','tool_calls':[{'y':['<png>']}]"
      "}],'model':'m','z':'<png>'}",
      "{'a':{'b':[1,{'c':'" PNG_BASE64 "'}]},'messages':[{'x':"
      "'" PNG_BASE64 "','role':'user','content':'" PNG_BASE64 "','tool_calls':"
      "[{'y':['" PNG_BASE64 "']}]}],'model':'m','z':'" PNG_BASE64 "'}" },
    { "openai", "text", 0, "{'a':'data:x;y=\\u00e9;base64,<png>'}",
      "{'a':'data:x;y=\xc3\xa9;base64," PNG_BASE64 "'}" },
    { "openai", "sees", 0, "{'<png>':'<png>x','b':' <png>','c':'<png>=',"
      "'messages':[{'role':'user','content':'<png>x'}]}",
      "{'<png>':'<png>x','b':'" PNG_BASE64 "','c':'<png>=',"
      "'messages':[{'role':'user','content':'<png>x'}]}" },
    { "openai", "sees", 0, "{'model':'<png>','messages':[]}",
      "{'model':'" PNG_BASE64 "','messages':[]}" },

    /* within a string that is JSON, as that of arguments */

    { "openai", "sees", ART_SCAN_ONLY, "{'messages':[{'role':'assistant',"
      "'tool_calls':[{'id':'c','function':{'name':'f','arguments':"
      "'{" Q "a" Q ":" Q "<png>" Q "," Q "b" Q ":[" Q "data:image\\/png;"
      "base64,<png>" Q "]}'}}]}]}",
      "{'messages':[{'role':'assistant',"
      "'tool_calls':[{'id':'c','function':{'name':'f','arguments':"
      "'{" Q "a" Q ":" Q PNG_BASE64 Q "," Q "b" Q ":[" Q "data:image\\/png;"
      "base64," PNG_BASE64 Q "]}'}}]}]}" },
    { "openai_responses", "text", 0, "{'input':[{'type':'function_call',"
      "'call_id':'c','name':'f','arguments':'{" Q "a" Q ":" Q "<png>" Q "}'},"
      "{'type':'custom_tool_call','call_id':'d','name':'g','input':' [<png>]'"
      "},{'type':'custom_tool_call','call_id':'e','name':'g','input':"
      "'a[<png>]'}]}",
      "{'input':[{'type':'function_call',"
      "'call_id':'c','name':'f','arguments':'{" Q "a" Q ":" Q PNG_BASE64 Q
      "}'},{'type':'custom_tool_call','call_id':'d','name':'g','input':' ["
      PNG_BASE64 "]'},{'type':'custom_tool_call','call_id':'e','name':'g',"
      "'input':'a[<png>]'}]}" },

    /* in a tool's text */

    { "openai", "sees", ART_SCAN_ONLY, "{'messages':[{'role':'tool','content':"
      "'a <png> b [artifact:" IMG_ID "]'}]}",
      "{'messages':[{'role':'tool','content':"
      "'a [image/png, 7 B] b [artifact:" IMG_ID "]'},{'role':'user','content':["
      "{'type':'text','text':'[image/png, 7 B]'},"
      "{'type':'image_url','image_url':{'url':"
      "'" PNG_URL "'}}]}]}" },
    { "openai", "unknown", 0, "{'messages':[{'role':'tool','content':"
      "'a <png> b'}]}",
      "{'messages':[{'role':'tool','content':'a " PNG_BASE64 " b'}]}" },
    { "openai", "text", 0, "{'messages':[{'role':'tool','content':'<png>'}]}",
      "{'messages':[{'role':'tool','content':'[image/png, 7 B]\\n"
      "<words>'}]}" },

    /* whatever stands before or behind */

    { "openai", "unknown", 0, "{'messages':[{'role':'tool','content':"
      "'x<png>x <png><png> 9<png>/ /<png> i<png>iVB -<png>_ U<png>=='}]}",
      "{'messages':[{'role':'tool','content':'x" PNG_BASE64 "x "
      PNG_BASE64 PNG_BASE64 " 9" PNG_BASE64 "/ /" PNG_BASE64 " i" PNG_BASE64
      "iVB -" PNG_BASE64 "_ U" PNG_BASE64 "=='}]}" },

    /* references are none, or are beside them */

    { "openai", "sees", ART_SCAN_ONLY, "{'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'artifact:img'}},"
      "{'type':'artifact','artifact':'artifact:img'},"
      "{'type':'file','file':{'file_id':'file-art-"
      "0190a5f0000070008000000000000001'}}]}]}", NULL },
    { "openai", "sees", 0, "{'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'artifact:img'}}]}]}",
      "{'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'" PNG_URL "'}}]}]}" },

    /* what leads to nothing stays: the request is refused for it */

    { "openai", "sees", 0, "{'a':'<gone>'}", NULL }
};


static size_t
expand_text(const char *text, uint8_t *dst)
{
    uint8_t        *p;
    art_standin_t   kind;

    for (p = dst; *text != '\0'; ) {
        kind = strncmp(text, "<png>", 5) == 0 ? ART_STANDIN_PNG
               : strncmp(text, "<gone>", 6) == 0 ? ART_STANDIN_GIF
                                                 : ART_STANDIN_NONE;

        if (kind == ART_STANDIN_NONE) {
            *p++ = (uint8_t) (*text == '\'' ? '"' : *text);
            text++;
            continue;
        }

        art_standin_print(kind, (const uint8_t *) STANDIN_ID, p);
        p += art_standin_len(kind);
        text = strchr(text, '>') + 1;
    }

    return (size_t) (p - dst);
}


/* Words, whatever they say, are "<words>". */

static int
is_wanted(const uint8_t *got, long len, const uint8_t *want, size_t n)
{
    size_t  head, tail;

    static const char  words[] = "<words>";

    for (head = 0; head + sizeof(words) - 1 <= n; head++) {
        if (memcmp(want + head, words, sizeof(words) - 1) == 0) {
            tail = n - head - (sizeof(words) - 1);

            return len >= (long) (head + tail)
                   && memcmp(got, want, head) == 0
                   && memcmp(got + len - tail, want + n - tail, tail) == 0;
        }
    }

    return len == (long) n && memcmp(got, want, n) == 0;
}


static void
check_vectors(void)
{
    long                   len;
    size_t                 i, n, m, piece;
    unsigned               bad;
    art_message_reader_t   reader;

    static uint8_t  body[OUT_MAX], want[OUT_MAX], got[OUT_MAX];

    for (i = 0; i < nitems(vectors); i++) {
        n = expand_text(vectors[i].body, body);
        m = expand_text(vectors[i].want != NULL ? vectors[i].want
                                                : vectors[i].body, want);
        reader = reader_of(vectors[i].reader);
        scan_standins = ART_SCAN_STANDINS | vectors[i].standins;
        bad = 0;

        for (piece = 0; piece <= n; piece += piece < 4 ? 1 : n / 8) {

            if (scan_body(vectors[i].api, body, n, piece, 64) != ART_SCAN_OK
                || plan_body(&reader) != ART_OK)
            {
                bad++;

            } else {
                len = splice_body(body, got);

                if (!is_wanted(got, len, want, m)) {
                    bad++;
                    diag_mem("got", got, (size_t) (len > 0 ? len : 0));
                    diag_mem("want", want, m);
                }
            }

            pool_free();

            if (bad > 0) {
                break;
            }
        }

        is_int(bad, 0, "a vector, in pieces of any size");
    }
}


/* Beyond 16 in a result only their names stay; none is one too many. */

static void
check_many(void)
{
    long                   len;
    size_t                 n, i, found;
    uint8_t               *p;
    art_message_reader_t   reader;

    static uint8_t  body[OUT_MAX], got[OUT_MAX];

    scan_standins = ART_SCAN_STANDINS;
    reader = reader_of("sees");

    n = expand_text("{'messages':[{'role':'tool','content':'", body);

    for (i = 0; i < 40; i++) {
        n += expand_text(" <png>", body + n);
    }

    n += expand_text("'}]}", body + n);

    is_int(scan_body("openai", body, n, 0, 64), ART_SCAN_OK, "many are read");
    is_int(scan.finds, 40, "in a text");
    ok(plan_body(&reader) == ART_OK, "planned");

    len = splice_body(body, got);
    found = 0;

    for (p = got; (p = memmem(p, (size_t) (got + len - p), PNG_URL,
                              sizeof(PNG_URL) - 1)) != NULL; p++)
    {
        found++;
    }

    is_int((long long) found, 16, "parts of the first ones follow");
    ok(memmem(got, (size_t) len, "iVBOR", 5) == NULL, "no stand-in is left");
    pool_free();

    n = expand_text("{'a':['<png>'", body);

    for (i = 0; i < 1000; i++) {
        n += expand_text(",'<png>'", body + n);
    }

    n += expand_text("]}", body + n);

    is_int(scan_body("openai", body, n, 0, 1), ART_SCAN_OK, "too many for");
    is_int(scan.nslots, 1001, "references are not too many");
    is_int(scan.nrefs, 1, "one medium");
    pool_free();
}


/* What is to be taken out in front: all, beside other media as well. */

static void
check_forged(void)
{
    size_t                     n, i;
    unsigned                   elsewhere, own;
    const art_message_slot_t  *slot;

    static uint8_t  body[OUT_MAX];

    scan_standins = ART_SCAN_FORGED;
    elsewhere = 0;
    own = 0;

    n = expand_text("{'messages':[{'role':'user','content':[{'type':'image_url'"
                    ",'name':'<png>','image_url':{'url':'data:image/png;base64,"
                    "<png>','x':'<png>'}},{'type':'text','text':'<png>'}]}],"
                    "'y':['<png>']}", body);

    is_int(scan_body("openai", body, n, 0, 1), ART_SCAN_OK, "forged");

    for (i = 0; i < scan.nslots; i++) {
        slot = art_scan_slot(&scan, (uint32_t) i);
        elsewhere += slot->held == ART_HELD_STANDIN
                     && slot->place == ART_PLACE_ELSEWHERE;
        own += slot->held == ART_HELD_DATA && slot->standin == ART_STANDIN_PNG;
    }

    is_int(own, 1, "one in a slot");
    is_int(elsewhere, 4, "all others");
    pool_free();
}


int
main(void)
{
    check_vectors();
    check_many();
    check_forged();

    return done();
}
