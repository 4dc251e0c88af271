
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random texts in random events against a reference that has them whole, and
 * damaged answers, which must come out alike however they come.
 */


#include "tap.h"
#include "extract_run.h"
#include "core/json/art_json_scan.h"


#define TEXT_MAX    4000
#define STREAM_MAX  200000


/* A text, and what stands in the stream for each of its characters. */

static char    text[TEXT_MAX];
static char    wire[TEXT_MAX][7];
static size_t  text_len;


static const char *const  pieces[] = {
    "<artifacts>", "</artifacts>", "<artifacts", "<", "</", "[", "]", " ",
    "{\"type\":\"text\",\"content\":\"<i>\"}", ",", "prose", "\n",
    "[{\"type\":\"file\",\"name\":\"\\u00e9\",\"path\":\"/\"}]", "[]",
    "<artifacts>[{\"type\":\"image\",\"url\":\"u\"}, 3]</artifacts>",
    "https://h/a.png", "http://h/b.GIF?x", ".png", "\\", "\xe5\xb7\xa5"
};

static const struct {
    const char  *api;
    unsigned     how;
    const char  *begin;
    const char  *before;         /* a piece of text */
    const char  *after;
    const char  *last[2];        /* the end, up to each place of items, */
    const char  *end;            /* and from there on */
} shapes[] = {
    { "openai", SSE, "", "data: {\"choices\":[{\"delta\":{\"content\":\"",
      "\"},\"index\":0}]}\n\n",
      { "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]" },
      "}\n\ndata: [DONE]\n\n" },
    { "openai_responses", SSE, "",
      "data: {\"type\":\"response.output_text.delta\",\"delta\":\"",
      "\"}\n\n", { "data: {\"response\":{\"output\":[]",
      "},\"type\":\"response.completed\"" }, "}\n\n" },
    { "anthropic", SSE, "event: x\r\n",
      "data: {\"delta\":{\"type\":\"text_delta\",\"text\":\"",
      "\"}}\r\n\r\nevent: x\r\n",
      { "data: {\"delta\":{\"stop_reason\":\"y\"}" }, "}\r\n\r\n" },
    { "gemini", 0, "[",
      "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"",
      "\"}]}}]},\n", { "{\"candidates\":[{\"finishReason\":\"STOP\"}]" },
      "}]" },
    { "anthropic", 0, "{\"content\":[", "{\"text\":\"",
      "\",\"type\":\"text\"},", { "{}]" }, "}" }
};


static void
make_text(void)
{
    size_t       i, n;
    const char  *p;

    text_len = 0;
    n = tap_below(14);

    while (n-- > 0) {
        p = pieces[tap_below(nitems(pieces))];

        for (i = 0; p[i] != '\0'; i++) {
            text[text_len] = p[i];

            if (p[i] == '\n') {
                strcpy(wire[text_len], "\\n");

            } else if (p[i] == '"' || p[i] == '\\') {
                snprintf(wire[text_len], 7, "\\%c", p[i]);

            } else if (tap_below(8) == 0 && (uint8_t) p[i] < 0x80) {
                snprintf(wire[text_len], 7, "\\u%04x", (unsigned) p[i]);

            } else {
                snprintf(wire[text_len], 7, "%c", p[i]);
            }

            text_len++;
        }
    }
}


/* What "text" declares; *from to *to is the block that is cut. */

static size_t
reference(char *items, size_t *from, size_t *to)
{
    size_t      n;
    char       *tag, *end;
    art_out_t   out;

    *from = *to = 0;
    text[text_len] = '\0';
    out = art_out(items, STREAM_MAX);

    tag = strstr(text, "<artifacts>");
    end = tag ? strstr(tag, "</artifacts>") : NULL;

    if (end == NULL) {
        return run_text(text, text_len, text_len, &out) ? out.len : 0;
    }

    n = (size_t) (end - tag) - 11;
    tag += 11;

    if (!art_json_valid((uint8_t *) tag, n)
        || *art_json_space((uint8_t *) tag, (uint8_t *) end) != '[')
    {
        return 0;
    }

    *from = (size_t) (tag - text) - 11;
    *to = (size_t) (end - text) + 12;

    return run_text(text + *from, *to - *from, *to - *from, &out) ? out.len : 0;
}


/* The answer in pieces that end at "ends", with items, or without. */

static size_t
print(char *out, unsigned s, const size_t *ends, const char *items, size_t len,
    size_t from, size_t to)
{
    size_t  i, k, n;

    n = (size_t) sprintf(out, "%s", shapes[s].begin);

    for (k = 0, i = 0; i < text_len; k++) {
        n += (size_t) sprintf(out + n, "%s", shapes[s].before);

        for ( /* void */ ; i < ends[k]; i++) {
            if (i < from || i >= to) {
                n += (size_t) sprintf(out + n, "%s", wire[i]);
            }
        }

        n += (size_t) sprintf(out + n, "%s", shapes[s].after);
    }

    for (k = 0; k < nitems(shapes[s].last) && shapes[s].last[k]; k++) {
        n += (size_t) sprintf(out + n, "%s", shapes[s].last[k]);

        if (len > 0) {
            n += (size_t) sprintf(out + n, ",\"artifacts\":%.*s", (int) len,
                                  items);
        }
    }

    return n + (size_t) sprintf(out + n, "%s", shapes[s].end);
}


static int
try_random(unsigned s, unsigned strip)
{
    int           same;
    size_t        ends[TEXT_MAX], i, k, n, len, want, from, to;
    run_out_t     out;
    static char   in[STREAM_MAX], expected[STREAM_MAX], items[STREAM_MAX];

    make_text();

    for (i = 0, k = 0; i < text_len; k++) {
        i += 1 + tap_below(12);
        ends[k] = i < text_len ? i : text_len;
    }

    len = reference(items, &from, &to);
    n = print(in, s, ends, items, 0, 0, 0);
    want = print(expected, s, ends, items, len, strip ? from : 0,
                 strip ? to : 0);

    out = run_all(shapes[s].api, shapes[s].how | strip, in, n,
                  1 + tap_below((unsigned) n), tap_below(9));
    same = run_same(&out, expected, want);

    if (!same) {
        diag("in   %s\n# got  %.*s\n# want %s", in, (int) out.len,
             (char *) out.data, expected);
    }

    free(out.data);

    return same;
}


static int
try_damaged(unsigned s, unsigned strip)
{
    int          same;
    size_t       ends[TEXT_MAX], i, n;
    run_out_t    once, out;
    static char  in[STREAM_MAX];

    make_text();

    for (i = 0; i < text_len; i++) {
        ends[i] = i + 1;
    }

    n = print(in, s, ends, "", 0, 0, 0);

    for (i = tap_below(6); i > 0; i--) {
        in[tap_below((unsigned) n)] = "\"\n\r{}[],:\\<d"[tap_below(12)];
    }

    once = run_all(shapes[s].api, shapes[s].how | strip, in, n, 0, 0);
    out = run_all(shapes[s].api, shapes[s].how | strip, in, n,
                  1 + tap_below((unsigned) n), tap_below(9));
    same = run_same(&once, out.data, out.len);

    free(once.data);
    free(out.data);

    return same;
}


int
main(void)
{
    unsigned  s, strip, i, right, alike;

    for (s = 0; s < nitems(shapes); s++) {
        for (strip = 0; strip <= STRIP; strip++) {

            for (i = right = alike = 0; i < 4000; i++) {
                right += (unsigned) try_random(s, strip);
                alike += (unsigned) try_damaged(s, strip);
            }

            ok(right == i, "%s, %s: as the reference", shapes[s].api,
               strip ? "strip" : "on");
            ok(alike == i, "%s, %s: damaged, alike in any pieces",
               shapes[s].api, strip ? "strip" : "on");
        }
    }

    return done();
}
