
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is held, and for how long: blocks and events that are too large, text
 * that waits to be told what it is, memory that stays bounded.
 */


#include "tap.h"
#include "extract_run.h"


#define KB  1024


static char    *in, *want;
static size_t   in_len, want_len;
static int      gave_up;


static void
add(char **s, size_t *len, const char *text, size_t times)
{
    size_t  n;

    n = strlen(text);
    *s = must(realloc(*s, *len + n * times + 1));

    while (times-- > 0) {
        memcpy(*s + *len, text, n);
        *len += n;
    }
}


/* To both, to what comes, to what is expected. */

static void
both(const char *text, size_t times)
{
    add(&in, &in_len, text, times);
    add(&want, &want_len, text, times);
}


static void
comes(const char *text, size_t times)
{
    add(&in, &in_len, text, times);
}


static void
goes(const char *text)
{
    add(&want, &want_len, text, 1);
}


/* "most" bytes may wait. */

static void
check(const char *name, const char *api, unsigned how, size_t most)
{
    size_t     i, waiting;
    int        same;
    run_out_t  out;

    static const size_t  steps[] = { 0, 1, 7, 4096, 300001 };

    same = 1;
    waiting = 0;

    for (i = 0; i < nitems(steps); i++) {
        out = run_all(api, how, in, in_len, steps[i], steps[i]);

        if (!run_same(&out, want, want_len)) {
            diag("in steps of %zu: %zu bytes of %zu", steps[i], out.len,
                 want_len);
            same = 0;
        }

        waiting = out.waiting > waiting ? out.waiting : waiting;
        gave_up = (int) out.gave_up;
        free(out.data);
    }

    ok(same, "%s", name);
    ok(waiting <= most, "%s: %zu bytes wait at most", name, waiting);

    in_len = 0;
    want_len = 0;
}


#define DELTA(text)                                                           \
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text        \
    "\"}}]}\n\n"
#define WIDE(text)                                                            \
    "data: {\"id\":\"chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT\",\"object\":"     \
    "\"chat.completion.chunk\",\"created\":1790000000,\"model\":\"gpt-9\","   \
    "\"service_tier\":\"default\",\"system_fingerprint\":\"fp_b376dfbbd5\","  \
    "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" text               \
    "\"},\"logprobs\":null,\"finish_reason\":null}],\"obfuscation\":\"vRxY\"}" \
    "\n\n"
#define FINAL(more)                                                           \
    "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]" more "}\n\n"
#define X100                                                                  \
    "0123456789012345678901234567890123456789012345678901234567890123456789"  \
    "012345678901234567890123456789"
#define X1000  X100 X100 X100 X100 X100 X100 X100 X100 X100 X100
#define X3000  X1000 X1000 X1000
#define GOT    ",\"artifacts\":[{\"type\":\"text\",\"content\":\"\"}]"
#define URL                                                                   \
    ",\"artifacts\":[{\"type\":\"image\",\"url\":\"http://h/a.png\"}]"
#define ITEM   "{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"\\\"}"


static void
chat(void)
{
    both(DELTA("<artifacts>["), 1);
    both(DELTA(" "), 80000);
    both(DELTA(ITEM "]</artifacts>"), 1);
    comes(FINAL(""), 1);
    goes(FINAL(GOT));
    check("events of more than 4 MB: a block stays, but counts", "openai",
          SSE | STRIP, 4096 * KB);
    is_int(gave_up, ART_EXTRACT_LONG, "and that is told");

    comes(DELTA("a<artifacts>["), 1);
    comes(DELTA("   "), 3000);
    comes(DELTA(ITEM "]</artifacts>"), 1);
    comes(FINAL(""), 1);
    add(&want, &want_len, DELTA("a"), 1);
    add(&want, &want_len, DELTA(""), 3000);
    goes(DELTA(""));
    goes(FINAL(GOT));
    check("less: it is cut out", "openai", SSE | STRIP, 256 * KB);
    is_int(gave_up, ART_EXTRACT_FINE, "and nothing is told");

    comes(DELTA("<artifacts>[{\\\"type\\\":\\\"text\\\",\\\"content\\\":"
                "\\\"\\\",\\\"more\\\":\\\""), 1);
    comes(DELTA(X3000), 85);
    comes(DELTA("\\\"}]</artifacts>"), 1);
    comes(FINAL(""), 1);
    add(&want, &want_len, DELTA(""), 87);
    goes(FINAL(",\"artifacts\":[{\"type\":\"text\",\"content\":\"\","
               "\"more\":\""));
    want_len -= strlen("}\n\n");
    add(&want, &want_len, X3000, 85);
    goes("\"}]}\n\n");
    check("a block of 255 KB in pieces of 3,000", "openai", SSE | STRIP,
          300 * KB);

    comes(DELTA("<artifacts>[" ITEM), 1);
    comes(WIDE(" \\n\\u0020 "), 12 * KB);
    comes(DELTA("]</artifacts>"), 1);
    comes(FINAL(""), 1);
    goes(DELTA(""));
    add(&want, &want_len, WIDE(""), 12 * KB);
    goes(DELTA(""));
    goes(FINAL(GOT));
    check("one of 48 KB, four characters in an event of 330 bytes", "openai",
          SSE | STRIP, 4096 * KB);

    both("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"", 1);
    both("<artifacts>[{\\\"type\\\":\\\"text\\\",\\\"content\\\":\\\"", 1);
    both("0123456789abcdef", 16 * KB);
    both("\\\"}]</artifacts> http://h/a.png\"}}]}\n\n", 1);
    both(FINAL(""), 1);
    check("a block of more than 256 KB is malformed", "openai", SSE | STRIP,
          257 * KB);
    is_int(gave_up, ART_EXTRACT_LARGE, "and that is told");

    both("data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[\"", 1);
    both("0123456789abcdef", 100 * KB);
    both("\"]}}]}\n\n", 1);
    check("images stream through", "openai", SSE | STRIP, 8 * KB);

    both("data: {\"choices\":[{\"index\":0,\"delta\":{\"images\":[\"", 1);
    both("0123456789abcdef", 100 * KB);
    both("\"],\"content\":\"x", 1);
    comes("<artifacts>[]</artifacts>", 1);
    both("y\"}}]}\n\n", 1);
    check("and what is cut may stand behind", "openai", SSE | STRIP, 8 * KB);

    comes(DELTA("<artifacts>"), 1);
    both(": 0123456789abcdef\n", 20 * KB);
    goes(DELTA("<artifacts>"));
    check("comments do not count", "openai", SSE | STRIP, 256 * KB);
}


static void
others(void)
{
    /* text of megabytes that is known to be some, and that is not */

    both("{\"choices\":[{\"message\":{\"content\":\"", 1);
    both("0123456789abcde ", 200 * KB);
    comes("<artifacts>[" ITEM "]</artifacts>", 1);
    both("0123456789abcde ", 200 * KB);
    both("\"}}]", 1);
    goes(GOT);
    both("}", 1);
    check("a long answer", "openai", STRIP, 1 * KB);

    both("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"", 1);
    both("<artifacts>[", 1);
    both("0123456789abcde ", 10 * KB);
    both("]</artifacts>\",\"thought\":true},{\"text\":\"", 1);
    comes("<artifacts>[" ITEM "]</artifacts>", 1);
    both("\"}]}}]", 1);
    goes(GOT);
    both("}", 1);
    check("a long thought", "gemini", STRIP, 256 * KB);

    both("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"", 1);
    both("0123456789abcde ", 20 * KB);
    comes("<artifacts>[" ITEM "]</artifacts>", 1);
    both("\",\"thought\":true}]}}]", 1);
    goes(GOT);
    both("}", 1);
    check("one too long to be waited for is text", "gemini", STRIP, 256 * KB);

    both("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"", 1);
    both("\\u56fe\\u8868", 40 * KB);
    both("<artifacts>[" ITEM "]</artifacts>\",\"thought\":true}]}}]}", 1);
    check("240 KB of escaped text are not too long", "gemini", STRIP,
          256 * KB);

    both("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"", 1);
    both("\\n\\u003cx\\n", 20 * KB);
    comes("<artifacts>[" ITEM "]</artifacts>", 1);
    both("\",\"thought\":true}]}}]", 1);
    goes(GOT);
    both("}", 1);
    check("and so is one of too many escapes", "gemini", STRIP, 256 * KB);

    /* the answer in the last event of Responses */

    both("data: {\"type\":\"response.output_text.delta\",\"delta\":\""
         "http://h/a.png\"}\n\n", 1);
    both("data: {\"type\":\"response.completed\",\"response\":{\"a\":\"", 1);
    both("0123456789abcdef", 400 * KB);
    both("\"", 1);
    goes(URL);
    both("},\"b\":\"", 1);
    both("0123456789abcdef", 100 * KB);
    both("\"", 1);
    goes(URL);
    both("}\n\n", 1);
    check("a long answer in an event, and what follows in it",
          "openai_responses", SSE | STRIP, 1601 * KB);

    both("data: {\"type\":\"response.output_text.delta\",\"delta\":\""
         "http://h/a.png\"}\n\n", 1);
    both("data: {\"response\":{},\"b\":\"", 1);
    both("0123456789abcdef", 400 * KB);
    both("\",\"type\":\"response.completed\"", 1);
    goes(URL);
    both("}\n\n", 1);
    check("so much that the answer has no items", "openai_responses", SSE,
          4096 * KB);
    is_int(gave_up, ART_EXTRACT_FINE, "which is not worth telling");

    /* an agent's results */

    both("data: {\"type\":\"text\",\"text\":\"x\"}\n\n", 1);
    goes("data: {\"type\":\"artifacts\",\"items\":"
         "[{\"type\":\"text\",\"content\":\"\"}]}\n\n");
    both("data: {\"type\":\"result\",\"result\":\"", 1);
    both("0123456789abcdef", 60 * KB);
    comes("<artifacts>[" ITEM "]</artifacts>", 1);
    both("\"}\n\n", 1);
    both("data: {\"type\":\"done\"}\n\n", 1);
    check("a result of less than 1 MB waits", NULL, SSE | STRIP, 1024 * KB);

    both("data: {\"type\":\"result\",\"result\":\"", 1);
    both("0123456789abcdef", 70 * KB);
    both("<artifacts>[" ITEM "]</artifacts>", 1);
    both("\"}\n\n", 1);
    goes("data: {\"type\":\"artifacts\",\"items\":"
         "[{\"type\":\"text\",\"content\":\"\"}]}\n\n");
    both("data: {\"type\":\"done\"}\n\n", 1);
    check("one of more goes first", NULL, SSE, 1024 * KB);

    both("data: {\"blob\":\"", 1);
    both("0123456789abcdef", 100 * KB);
    both("\",\"type\":\"image\"}\n\n", 1);
    check("and what does not tell what it is", NULL, SSE, 1024 * KB);

    both("data: {\"type\":\"tool\",\"blob\":\"", 1);
    both("0123456789abcdef", 100 * KB);
    both("\"}\n\n", 1);
    check("what tells it passes", NULL, SSE, 64);
}


/* A hold that nothing ends: the answer must have its end all the same. */

static void
stuck(void)
{
    size_t         i, n;
    run_out_t      out;
    art_str_t      s;
    art_extract_t  d;

    static const char  begin[] = DELTA("<artifacts>["), rest[] = FINAL("");

    memset(&out, 0, sizeof(out));
    art_extract_init(&d, art_api_find(art_cstr("openai")), 1, 1);
    (void) run_piece(&d, (const uint8_t *) begin, sizeof(begin) - 1, 0, &out);

    art_extract_feed(&d, (const uint8_t *) rest, sizeof(rest) - 1, 1);
    (void) art_extract_next(&d, &s);
    run_put(&out, s);

    d.answer.hold = 0;
    art_edits_cut(&d.edits, 3, d.edits.pos);

    while (art_extract_next(&d, &s) == 1) {
        run_put(&out, s);
    }

    is_mem(out.data, out.len, DELTA("<artifacts>[") FINAL(""),
           sizeof(begin) + sizeof(rest) - 2, "what is held for ever goes out");
    is_int(d.gave_up, ART_EXTRACT_STUCK, "and that is told");

    art_extract_done(&d);
    free(out.data);

    /* in mid-stream: half an escape, of which nothing more comes */

    memset(&out, 0, sizeof(out));
    add(&in, &in_len, ": 0123456789abcdef\n", 300 * KB);
    art_extract_init(&d, art_api_find(art_cstr("openai")), 1, 1);
    d.doc.lex.streams = 1;
    d.doc.lex.state = ART_LEX_ESCAPE;

    for (i = 0; i < in_len; i += 4096) {
        n = in_len - i < 4096 ? in_len - i : 4096;
        (void) run_piece(&d, (uint8_t *) in + i, n, i + n == in_len, &out);
    }

    ok(out.waiting <= 4096 * KB + 4096, "%zu bytes wait", out.waiting);
    ok(run_same(&out, in, in_len), "and so does what is held in mid-stream");
    is_int(d.gave_up, ART_EXTRACT_STUCK, "and that is told, too");

    art_extract_done(&d);
    free(out.data);
}


int
main(void)
{
    chat();
    others();
    stuck();

    free(in);
    free(want);

    return done();
}
