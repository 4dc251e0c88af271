
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers of every API, escaped in every way that JSON has, cut into pieces at
 * every byte, against a reference that reads them whole (extract_naive.h).
 */


#include "tap.h"
#include "extract_naive.h"
#include "extract_run.h"


#define CHARS   600
#define SEGS    2000
#define ROUNDS  20               /* texts for each API and way to escape */


/* How text is written. */

enum { PLAIN = 0, ASCII, ASCII_UPPER, HTML, SLASHES, ALL, ALL_UPPER, MIXED };

static const char *const  escapes[] = {
    "plain", "ASCII", "ASCII in upper case", "HTML-safe", "slashes", "all",
    "all in upper case", "mixed"
};


/* The text as code points, and where each begins in UTF-8. */

static unsigned  text[CHARS];
static size_t    at[CHARS + 1];
static size_t    text_len;


/* An answer: what stands in it, characters of the text, and what comes in. */

typedef enum {
    SEG_LITERAL = 0,
    SEG_TEXT,
    SEG_MEMBER,
    SEG_EVENT
} seg_kind_t;

typedef struct {
    seg_kind_t   kind;
    const char  *literal;
    size_t       from;
    size_t       to;
    uint64_t     seed;           /* of how its characters are written */
} seg_t;

static seg_t        segs[SEGS];
static size_t       nsegs;
static unsigned     escape;
static const char  *eol;


static const char *const  pieces[] = {
    "<artifacts>", "</artifacts>", "<artifacts", "<", "</", "[", "]", " ",
    "{\"type\":\"text\",\"content\":\"<i>\"}", ",", "prose & \"more\"", "\n",
    "[{\"type\":\"file\",\"name\":\"\\u00e9\",\"path\":\"/a/b\"}]", "[]",
    "<artifacts>[{\"type\":\"image\",\"url\":\"u\"}, 3]</artifacts>",
    "https://h/a.png", "http://h/b.GIF?x", ".png", "\\", "\xe5\xb7\xa5",
    "\xc3\xa9", "\xf0\x9f\x98\x80", "\xe5\x9b\xbe\xe8\xa1\xa8", "\t", "\x7f"
};

static const char *const  blocks[] = {
    "[{\"type\":\"image\",\"url\":\"https://x.test/a.png\",\"title\":"
    "\"\xe5\x9b\xbe\"},{\"type\":\"text\",\"content\":\"\xf0\x9f\x98\x80 "
    "<b>\\u5de5</b>\\n\",\"format\":\"markdown\"}]",
    "\n[\n {\"type\":\"table\",\"headers\":[\"\xc3\xa9\"],\n  \"rows\":[[\"1\","
    "\"</\"],[]]},\n null, {\"type\":\"image\",\"url\":3}\r\n]\n",
    "[{\"type\":\"file\",\"name\":\"\xe5\xb7\xa5.ts\",\"path\":\"/a\\\\b\"}]",
    "[]", "[\"\xe5\x9b\xbe\"]", "{\"no\":\"\xe5\x9b\xbe\"}", "[\xe5\x9b\xbe]"
};


static void
add_text(const char *p)
{
    int       i, more;
    unsigned  c;

    for ( /* void */ ; *p != '\0' && text_len < CHARS - 1; p += more + 1) {
        c = (uint8_t) *p;
        more = c < 0x80 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
        c &= more ? 0x3fu >> more : 0x7f;

        for (i = 1; i <= more; i++) {
            c = c << 6 | ((uint8_t) p[i] & 0x3f);
        }

        text[text_len] = c;
        at[text_len + 1] = at[text_len] + (size_t) more + 1;
        text_len++;
    }
}


static void
make_text(size_t most)
{
    size_t  n, block;

    text_len = 0;
    n = 1 + tap_below(most);
    block = tap_below(n + 2);

    for ( /* void */ ; n > 0; n--) {

        if (n == block) {
            add_text("<artifacts>");
            add_text(blocks[tap_below(nitems(blocks))]);
            add_text("</artifacts>");
        }

        add_text(pieces[tap_below(nitems(pieces))]);
    }
}


/* A character as it stands in a JSON string. */

static size_t
write_char(char *out, unsigned c, unsigned how)
{
    int          n;
    const char  *p;

    static const char  shorts[] = "\"\"\\\\\nn\tt\rr";

    if (how == MIXED) {
        how = (unsigned) tap_below(MIXED);
    }

    if (how == ALL || how == ALL_UPPER || c < 0x20
        || (c >= 0x80 && (how == ASCII || how == ASCII_UPPER))
        || (how == HTML && (c == '<' || c == '>' || c == '&')))
    {
        p = memchr(shorts, (int) c, sizeof(shorts) - 1);

        if (how < ALL && p != NULL) {
            return (size_t) sprintf(out, "\\%c", p[1]);
        }

        n = 0;

        if (c >= 0x10000) {
            n = sprintf(out, how == ALL_UPPER || how == ASCII_UPPER
                             ? "\\u%04X" : "\\u%04x",
                        0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + (c & 0x3ff);
        }

        return (size_t) n
               + (size_t) sprintf(out + n,
                                  how == ALL_UPPER || how == ASCII_UPPER
                                  ? "\\u%04X" : "\\u%04x", c);
    }

    if (c == '"' || c == '\\' || (c == '/' && how == SLASHES)) {
        return (size_t) sprintf(out, "\\%c", c);
    }

    if (c < 0x80) {
        return (size_t) sprintf(out, "%c", c);
    }

    if (c < 0x800) {
        return (size_t) sprintf(out, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 63));
    }

    n = c < 0x10000 ? sprintf(out, "%c", 0xe0 | c >> 12)
                    : sprintf(out, "%c%c", 0xf0 | c >> 18,
                              0x80 | (c >> 12 & 63));

    return (size_t) n + (size_t) sprintf(out + n, "%c%c", 0x80 | (c >> 6 & 63),
                                         0x80 | (c & 63));
}


static void
seg(seg_kind_t kind, const char *literal, size_t from, size_t to)
{
    segs[nsegs].kind = kind;
    segs[nsegs].literal = literal;
    segs[nsegs].from = from;
    segs[nsegs].to = to;
    segs[nsegs].seed = tap_rand() | 1;
    nsegs++;
}


static void
literal(const char *s)
{
    seg(SEG_LITERAL, s, 0, 0);
}


/* The answer as it comes, or with what was found. */

static size_t
print(char *out, const naive_found_t *found, unsigned strip)
{
    size_t       i, k, n;
    uint64_t     state;
    const char  *p;

    n = 0;
    state = tap_state;

    for (i = 0; i < nsegs; i++) {
        tap_state = segs[i].seed;

        for (p = segs[i].literal; p != NULL && *p != '\0'; p++) {
            n += (size_t) sprintf(out + n, *p == '~' ? "%s" : "%.1s",
                                  *p == '~' ? eol : p);
        }

        for (k = segs[i].from; k < segs[i].to; k++) {
            char  c[16];

            size_t  len = write_char(c, text[k], escape);

            if (found == NULL || !strip || at[k] < found->from
                || at[k] >= found->to)
            {
                memcpy(out + n, c, len);
                n += len;
            }
        }

        if (found == NULL || found->nitems == 0) {
            continue;
        }

        if (segs[i].kind == SEG_MEMBER) {
            n += (size_t) sprintf(out + n, ",\"artifacts\":%.*s",
                                  (int) found->len, found->items);

        } else if (segs[i].kind == SEG_EVENT) {
            n += (size_t) sprintf(out + n, "data: {\"type\":\"artifacts\","
                                  "\"items\":%.*s}%s%s", (int) found->len,
                                  found->items, eol, eol);
        }
    }

    tap_state = state;
    out[n] = '\0';

    return n;
}


/* What stands around a piece of text, the whole one, and the end. */

typedef struct {
    const char  *name;
    const char  *api;
    unsigned     how;
    const char  *begin;
    const char  *before;
    const char  *after;
    const char  *noise;          /* among the pieces */
    const char  *again;          /* up to the whole text, which comes again */
    const char  *last;           /* "^" is the whole text, "`" the items */
    const char  *end;
} shape_t;

#define BLOCK  "<artifacts>[{\\\"type\\\":\\\"text\\\"}]</artifacts>"

static const shape_t  shapes[] = {

    { "openai", "openai", SSE,
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"a\",\"content\":"
      "\"\"}}]}~~",
      "data: {\"id\":\"\\u00e9\",\"choices\":[{\"index\":0,\"delta\":"
      "{\"content\":\"", "\"},\"finish_reason\":null}]}~~",
      "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"" BLOCK
      "\"}}]}~~", NULL,
      "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"index\":"
      "0}]", "}~~data: {\"choices\":[],\"usage\":{}}~~data: [DONE]~~" },

    { "openrouter, the number last", "openrouter", SSE, "",
      "data: {\"choices\":[{\"delta\":{\"content\":\"",
      "\",\"reasoning\":\"<artifacts>\"},\"index\":0}]}~~",
      "data: {\"choices\":[{\"delta\":{\"content\":\"" BLOCK
      "\"},\"index\":1}]}~~", NULL,
      "id: 1~data: {\"choices\":[{\"delta\":{\"content\":\"\"},\"index\":0,"
      "\"finish_reason\":\"stop\"}]", "}~~" },

    { "mistral, parts", "mistral", SSE, "",
      "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[{\"type\":"
      "\"text\",\"text\":\"", "\"}]}}]}~~",
      "event: x~data: {\"choices\":[]}~~", NULL,
      "data: {~data: \"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]",
      "}~~data: [DONE]~~" },

    { "openai_responses", "openai_responses", SSE,
      "event: response.created~data: {\"type\":\"response.created\","
      "\"response\":{\"output\":[]}}~~",
      "event: response.output_text.delta~data: {\"type\":"
      "\"response.output_text.delta\",\"delta\":\"", "\",\"n\":1}~~",
      "data: {\"type\":\"response.reasoning_text.delta\",\"delta\":\"" BLOCK
      "\"}~~",
      "data: {\"type\":\"response.output_text.done\",\"text\":\"^\"}~~"
      "data: {\"type\":\"response.content_part.done\",\"part\":{\"type\":"
      "\"output_text\",\"text\":\"^\"}}~~"
      "data: {\"type\":\"response.output_item.done\",\"item\":{\"content\":"
      "[{\"annotations\":[],\"text\":\"^\"}]}}~~",
      "event: response.completed~data: {\"type\":\"response.completed\","
      "\"response\":{\"output\":[{\"summary\":[]},{\"content\":[{\"text\":"
      "\"^\"}]}]`}", "}~~" },

    { "openai_responses, the type last", "openai_responses", SSE, "",
      "data: {\"delta\":\"", "\",\"type\":\"response.output_text.delta\"}~~",
      "data: {\"delta\":\"" BLOCK "\",\"type\":\"response.x.delta\"}~~",
      "data: {\"text\":\"^\",\"type\":\"response.output_text.done\"}~~",
      "data: {\"response\":{\"output\":[{\"content\":[{\"text\":\"^\"}]}]`},"
      "\"type\":\"response.incomplete\"", "}~~" },

    { "anthropic", "anthropic", SSE,
      "event: message_start~data: {\"type\":\"message_start\"}~~",
      "event: content_block_delta~data: {\"delta\":{\"type\":\"text_delta\","
      "\"text\":\"", "\"}}~~",
      "data: {\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"" BLOCK
      "\"}}~~event: ping~data: {\"type\":\"ping\"}~~", NULL,
      "event: message_delta~data: {\"delta\":{\"stop_reason\":\"end_turn\"}",
      "}~~event: message_stop~data: {\"type\":\"message_stop\"}~~" },

    { "anthropic, the type last", "anthropic", SSE, "",
      "data: {\"delta\":{\"text\":\"", "\",\"type\":\"text_delta\"}}~~",
      "data: {\"delta\":{\"text\":\"" BLOCK "\",\"type\":\"x\"}}~~", NULL,
      "data: {\"delta\":{\"stop_reason\":\"end_turn\"}", "}~~" },

    { "gemini", "gemini", SSE, "",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"",
      "\"}],\"role\":\"model\"},\"index\":0}]}~~",
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" BLOCK
      "\",\"thought\":true}]}}]}~~", NULL,
      "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},"
      "\"finishReason\":\"STOP\"}]", "}~~" },

    { "gemini, an array", "gemini", 0, "[",
      "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"",
      "\"}]}}]}\n,\r\n",
      "{\"candidates\":[{\"content\":{\"parts\":[{\"thought\":true,\"text\":\""
      BLOCK "\"}]}}]},", NULL, "{\"candidates\":[{\"finishReason\":\"STOP\"}]",
      "}\n]\n" },

    { "an agent's", NULL, SSE, "data: {\"type\":\"start\"}~~",
      "data: {\"type\":\"text\",\"text\":\"", "\"}~~",
      "event: x~data: {\"type\":\"tool\",\"text\":\"" BLOCK "\"}~~", NULL,
      "", "data: {\"type\":\"done\"}~~" },

    { "an agent's with a result", NULL, SSE, "",
      "data: {\"text\":\"", "\",\"type\":\"text\"}~~",
      "data: {\"type\":\"tool\",\"result\":\"" BLOCK "\"}~~", NULL,
      "", "data: {\"type\":\"result\",\"result\":\"^\"}~~"
      "data: {\"type\":\"done\"}~~" },

    { "openai, JSON", "openai", 0,
      "{\"choices\":[{\"index\":0,\"message\":{\"content\":[{\"text\":\"\"}",
      ",{\"type\":\"text\",\"text\":\"", "\"}", ",{\"x\":\"" BLOCK "\"}", NULL,
      "]}},{\"index\":1,\"message\":{\"content\":\"" BLOCK "\"}}]", "}" },

    { "openai_responses, JSON", "openai_responses", 0,
      "{\"output\":[{\"content\":[{\"text\":\"" BLOCK "\"}]},{\"content\":[{}",
      ",{\"text\":\"", "\",\"type\":\"output_text\"}", ",{\"text\":\"" BLOCK
      "\",\"type\":\"x\"}", NULL, "]}]", "}\n" },

    { "anthropic, JSON", "anthropic", 0, "{\"content\":[{}",
      ",{\"text\":\"", "\",\"type\":\"text\"}", ",{\"type\":\"thinking\","
      "\"thinking\":\"" BLOCK "\"}", NULL, "]", "}" },

    { "gemini, JSON", "gemini", 0,
      "{\"candidates\":[{\"content\":{\"parts\":[{}", ",{\"text\":\"", "\"}",
      ",{\"text\":\"" BLOCK "\",\"thought\":true}", NULL,
      "]},\"finishReason\":\"STOP\"}]", "}" },

    { "bedrock, JSON", "bedrock", 0,
      "{\"output\":{\"message\":{\"content\":[{}", ",{\"text\":\"", "\"}",
      ",{\"reasoningContent\":{\"text\":\"" BLOCK "\"}}", NULL, "]}}", "}" },

    { "an agent's, JSON", NULL, 0, "{\"text\":\"" BLOCK "\"",
      NULL, NULL, NULL, NULL, ",\"result\":\"^\"", "}" }
};


/* A literal in which the whole text and the items come. */

static void
add_again(const char *s)
{
    size_t              n;
    static char        *copy;
    static char         room[8][2048];
    static unsigned     next;

    for ( /* void */ ; s != NULL && *s != '\0'; s += n + (s[n] != '\0')) {
        n = strcspn(s, "^`");
        copy = room[next++ % nitems(room)];
        memcpy(copy, s, n);
        copy[n] = '\0';

        literal(copy);

        if (s[n] == '^') {
            seg(SEG_TEXT, NULL, 0, text_len);

        } else if (s[n] == '`') {
            seg(SEG_MEMBER, NULL, 0, 0);
        }
    }
}


static void
make_answer(const shape_t *s, size_t least)
{
    size_t  i, to, step;

    nsegs = 0;
    step = least + tap_below(15);
    eol = (s->how & SSE) ? (const char *[]) { "\n", "\r\n", "\r" }[tap_below(3)]
                         : "\n";

    literal(s->begin);

    for (i = 0; i < text_len && s->before != NULL; i = to) {
        to = i + step < text_len ? i + step : text_len;

        literal(s->before);
        seg(SEG_TEXT, NULL, i, to);
        literal(s->after);

        if (tap_below(8) == 0) {
            literal(s->noise);
        }
    }

    add_again(s->again);
    add_again(s->last);
    seg(s->api == NULL && (s->how & SSE) ? SEG_EVENT : SEG_MEMBER, NULL, 0, 0);
    add_again(s->end);
}


/* Reads what comes, and says what is to be made of it; 0: it is not the text */

static int
reference(const shape_t *s, const char *in, naive_found_t *found)
{
    json_t               *root;
    naive_text_t         *all;
    static naive_text_t   said, result;

    said.len = result.len = 0;

    if (s->how & SSE) {
        naive_stream(&said, &result, in, s->api);

    } else {
        root = json_loads(in, JSON_ALLOW_NUL, NULL);
        naive_json(&said, root, s->api);
        json_decref(root);
    }

    all = result.len > 0 ? &result : &said;
    naive_find(found, all);

    return all->len == at[text_len];
}


static int
try_pieces(const shape_t *s, unsigned strip, const char *in, size_t n,
    size_t first, size_t step, const char *want, size_t len)
{
    int        same;
    run_out_t  out;

    out = run_all(s->api, s->how | strip, in, n, first, step);
    same = run_same(&out, want, len);

    if (!same) {
        diag("%s, %s, %zu then %zu\n# in   %s\n# got  %.*s\n# want %s",
             s->name, escapes[escape], first, step, in, (int) out.len,
             (char *) out.data, want);
    }

    free(out.data);

    return same;
}


/* One text; "every" byte is a place to cut at. */

static int
try_text(const shape_t *s, unsigned strip, unsigned every)
{
    size_t                n, len, first;
    static char           in[NAIVE_MAX], want[NAIVE_MAX];
    static naive_found_t  found;

    make_text(every ? 2 : 9);
    make_answer(s, every ? 16 : 1);

    n = print(in, NULL, 0);

    if (!reference(s, in, &found)) {
        diag("%s: the reference reads another text\n# in   %s", s->name, in);
        return 0;
    }

    len = print(want, &found, strip);

    for (first = 1; every && first < n; first++) {
        if (!try_pieces(s, strip, in, n, first, 0, want, len)) {
            return 0;
        }
    }

    return try_pieces(s, strip, in, n, 0, 0, want, len)
           && try_pieces(s, strip, in, n, 1, 1, want, len)
           && try_pieces(s, strip, in, n, 1 + tap_below(n), 1 + tap_below(40),
                         want, len);
}


int
main(void)
{
    unsigned  i, n, right, strip;

    for (i = 0; i < nitems(shapes); i++) {
        for (strip = 0; strip <= STRIP; strip++) {
            right = n = 0;

            for (escape = PLAIN; escape <= MIXED; escape++) {
                while (n < (escape + 1) * ROUNDS) {
                    n++;
                    right += (unsigned) try_text(&shapes[i], strip,
                                                 n % ROUNDS == 0);

                    if (n - right > 2) {
                        break;
                    }
                }
            }

            ok(right == n, "%s, %s: as the reference, %u of %u",
               shapes[i].name, strip ? "strip" : "on", right, n);
        }
    }

    return done();
}
