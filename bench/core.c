
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Throughput of the inner loops, in GB of input per second, each
 * implementation side by side: base64, UTF-8 validation, JSON escaping, the
 * whole text stream, and of JSON strings the lexer that skips them and the
 * finder of markers and media.  Run by "make bench-core".
 *
 * The texts are made from the same seed each time.  Each figure is the best
 * of BENCH_ROUNDS, as whatever disturbs a measurement only makes it slower.
 */


#include <stdio.h>
#include <time.h>

#include "core/text/art_base64.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_lex.h"
#include "core/base/art_simd.h"
#include "core/json/art_json_text.h"
#include "core/media/art_find.h"
#include "core/text/art_utf8.h"


#define BENCH_SIZE    65536              /* bytes of text */
#define BENCH_BUF     24576              /* of an output buffer */
#define BENCH_PIECE   6500               /* of a body that comes in */
#define BENCH_ROUNDS  15
#define BENCH_CALLS   60                 /* in a round */


typedef void (*bench_text_pt)(char *line, size_t room, unsigned n);
typedef void (*bench_run_pt)(const uint8_t *p, size_t len);


static void bench_prose(char *line, size_t room, unsigned n);
static void bench_source(char *line, size_t room, unsigned n);
static void bench_log(char *line, size_t room, unsigned n);
static void bench_ansi(char *line, size_t room, unsigned n);
static void bench_chinese(char *line, size_t room, unsigned n);
static void bench_json(char *line, size_t room, unsigned n);
static void bench_nested(char *line, size_t room, unsigned n);
static void bench_coded(char *line, size_t room, unsigned n);
static void bench_base64(const uint8_t *p, size_t len);
static void bench_utf8(const uint8_t *p, size_t len);
static void bench_escape1(const uint8_t *p, size_t len);
static void bench_escape2(const uint8_t *p, size_t len);
static void bench_escape(const uint8_t *p, size_t len, unsigned level);
static void bench_stream(const uint8_t *p, size_t len);
static void bench_lex(const uint8_t *p, size_t len);
static void bench_find(const uint8_t *p, size_t len);


static const struct {
    const char     *name;
    bench_text_pt   line;
} bench_texts[] = {
    { "prose", bench_prose },
    { "source code", bench_source },
    { "log lines", bench_log },
    { "coloured log", bench_ansi },
    { "Chinese", bench_chinese },
    { "JSON", bench_json },
    { "JSON in JSON in JSON", bench_nested },
    { "base64", bench_coded }
};

static const struct {
    const char    *name;
    bench_run_pt   run;
    unsigned       level;        /* of the text */
} bench_loops[] = {
    { "base64", bench_base64, 0 },
    { "UTF-8 validation", bench_utf8, 0 },
    { "escaping, level 1", bench_escape1, 0 },
    { "escaping, level 2", bench_escape2, 0 },
    { "text stream", bench_stream, 0 },
    { "lexer", bench_lex, 1 },
    { "finder", bench_find, 1 }
};

static const char  *bench_impls[] = { "scalar", "ssse3", "avx2", "avx512" };

#define BENCH_NTEXTS  (sizeof(bench_texts) / sizeof(bench_texts[0]))
#define BENCH_NLOOPS  (sizeof(bench_loops) / sizeof(bench_loops[0]))
#define BENCH_NIMPLS  (sizeof(bench_impls) / sizeof(bench_impls[0]))


static uint64_t  bench_seed = 1;
static uint8_t   bench_out[BENCH_SIZE * 2];

/* What the loops gave, so that no compiler can leave them out. */

static volatile size_t  bench_sink;


static unsigned
bench_below(unsigned n)
{
    bench_seed = bench_seed * 6364136223846793005U + 1442695040888963407U;

    return (unsigned) (bench_seed >> 33) % n;
}


static const char *
bench_word(void)
{
    static const char  *words[] = {
        "a", "of", "the", "time", "which", "between", "answer", "request",
        "is", "content", "buffer", "it", "size", "therefore", "long", "was"
    };

    return words[bench_below(sizeof(words) / sizeof(words[0]))];
}


static void
bench_prose(char *line, size_t room, unsigned n)
{
    size_t    len;
    unsigned  i;

    len = 0;

    for (i = 0; i < 60; i++) {
        len += (size_t) snprintf(line + len, room - len,
                                 bench_below(20) ? "%s " : "\"%s\" ",
                                 bench_word());
    }

    (void) snprintf(line + len, room - len, "(%u).\n", n);
}


static void
bench_source(char *line, size_t room, unsigned n)
{
    int  indent;

    indent = (int) (4 * bench_below(4));

    switch (bench_below(4)) {

    case 0:
        (void) snprintf(line, room, "%*s%s = %s(\"%s %s\\n\", %u);\n", indent,
                        "", bench_word(), bench_word(), bench_word(),
                        bench_word(), n);
        break;

    case 1:
        (void) snprintf(line, room, "%*s}\n\n", indent, "");
        break;

    default:
        (void) snprintf(line, room, "%*sif (%s->%s != %s) {\n", indent, "",
                        bench_word(), bench_word(), bench_word());
    }
}


static void
bench_log(char *line, size_t room, unsigned n)
{
    (void) snprintf(line, room, "10.0.%u.%u - - [01/Feb/2024:10:%02u:%02u "
                    "+0000] \"GET /%s/%s/%u HTTP/1.1\" 200 %u \"-\" "
                    "\"Mozilla/5.0 (X11; Linux x86_64)\"\n", bench_below(256),
                    bench_below(256), n / 60 % 60, n % 60, bench_word(),
                    bench_word(), n, bench_below(100000));
}


static void
bench_ansi(char *line, size_t room, unsigned n)
{
    (void) snprintf(line, room, "\x1b[32m10:%02u:%02u\x1b[0m %s: %s %s %s %s "
                    "%u\n", n / 60 % 60, n % 60, bench_word(), bench_word(),
                    bench_word(), bench_word(), bench_word(), n);
}


static void
bench_chinese(char *line, size_t room, unsigned n)
{
    size_t    len;
    unsigned  i;

    static const char  *chars[] = {
        "\xe7\x9a\x84", "\xe6\x96\x87", "\xe4\xbb\xb6", "\xe5\x9b\xbe",
        "\xe7\x89\x87", "\xe3\x80\x82", "\xef\xbc\x8c", "\xe6\x98\xaf"
    };

    len = 0;

    for (i = 10 + bench_below(60); i > 0; i--) {
        len += (size_t) snprintf(line + len, room - len, "%s",
                                 chars[bench_below(8)]);
    }

    (void) snprintf(line + len, room - len, n % 4 ? "\n" : " \"%u\"\n", n);
}


static void
bench_json(char *line, size_t room, unsigned n)
{
    (void) snprintf(line, room, "{\"id\":%u,\"%s\":\"%s %s\",\"%s\":[%u,null],"
                    "\"%s\":{\"%s\":true}},\n", n, bench_word(), bench_word(),
                    bench_word(), bench_word(), bench_below(1000),
                    bench_word(), bench_word());
}


static void
bench_nested(char *line, size_t room, unsigned n)
{
    (void) snprintf(line, room, "{\\\\\\\"id\\\\\\\":%u,\\\\\\\"%s\\\\\\\":"
                    "\\\\\\\"%s\\\\\\\\n%s\\\\\\\",\\\\\\\"%s\\\\\\\":[%u]},",
                    n, bench_word(), bench_word(), bench_word(), bench_word(),
                    bench_below(1000));
}


/* Base64 of no known type. */

static void
bench_coded(char *line, size_t room, unsigned n)
{
    size_t  i;

    static const char  digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";

    (void) n;

    for (i = 0; i < room - 1; i++) {
        line[i] = digits[bench_below(64)];
    }

    line[i] = '\0';
}


/* Lines until the text is full; a character cut at its end goes. */

static size_t
bench_make(uint8_t *text, bench_text_pt make)
{
    char      line[1024];
    size_t    n, len;
    unsigned  i;

    len = 0;

    for (i = 0; len < BENCH_SIZE; i++) {
        make(line, sizeof(line), i);

        n = strlen(line);
        n = n < BENCH_SIZE - len ? n : BENCH_SIZE - len;

        memcpy(text + len, line, n);
        len += n;
    }

    return art_utf8_valid_len(text, len);
}


static void
bench_base64(const uint8_t *p, size_t len)
{
    art_base64_t  st;

    memset(&st, 0, sizeof(st));

    while (len >= 3) {
        bench_sink += art_base64_update(&st, bench_out, BENCH_BUF, &p, &len);
    }
}


static void
bench_utf8(const uint8_t *p, size_t len)
{
    bench_sink += art_utf8_valid_len(p, len);
}


static void
bench_escape1(const uint8_t *p, size_t len)
{
    bench_escape(p, len, 1);
}


static void
bench_escape2(const uint8_t *p, size_t len)
{
    bench_escape(p, len, 2);
}


static void
bench_escape(const uint8_t *p, size_t len, unsigned level)
{
    while (len > 0) {
        bench_sink += art_json_escape(bench_out, BENCH_BUF, &p, &len, level);
    }
}


static void
bench_stream(const uint8_t *p, size_t len)
{
    size_t           n;
    art_json_text_t  t;

    art_json_text_init(&t, NULL, 0, 1);

    do {
        n = art_json_text_update(&t, bench_out, BENCH_BUF, &p, &len, 1);
        bench_sink += n;

    } while (n > 0);

    art_json_text_done(&t);
}


static void
bench_lex(const uint8_t *p, size_t len)
{
    size_t     n;
    art_lex_t  lex;

    static const art_lex_handler_t  handler;

    art_lex_init(&lex, &handler, NULL, NULL, 0);

    bench_sink += (size_t) art_lex_feed(&lex, (const uint8_t *) "\"", 1);

    for ( /* void */ ; len > 0; p += n, len -= n) {
        n = len < BENCH_PIECE ? len : BENCH_PIECE;
        bench_sink += (size_t) art_lex_feed(&lex, p, n);
    }
}


static void
bench_find(const uint8_t *p, size_t len)
{
    size_t      n;
    art_find_t  find;

    art_find_init(&find, 16384, ART_FIND_MARKERS | ART_FIND_RUNS);

    bench_sink += art_find_feed(&find, p, len, &n);
    bench_sink += n;
}


/* GB/s of the best round. */

static double
bench_measure(bench_run_pt run, const uint8_t *text, size_t len)
{
    double           ns, best;
    unsigned         i, k;
    struct timespec  from, to;

    best = 0;

    for (i = 0; i < BENCH_ROUNDS; i++) {
        (void) clock_gettime(CLOCK_MONOTONIC, &from);

        for (k = 0; k < BENCH_CALLS; k++) {
            run(text, len);
        }

        (void) clock_gettime(CLOCK_MONOTONIC, &to);

        ns = (double) (to.tv_sec - from.tv_sec) * 1e9
             + (double) (to.tv_nsec - from.tv_nsec);

        if (i == 0 || ns < best) {
            best = ns;
        }
    }

    return (double) len * BENCH_CALLS / best;
}


int
main(void)
{
    size_t          i, k, m, n, len;
    const uint8_t  *p;
    static uint8_t  text[BENCH_SIZE], string[BENCH_SIZE * 6];

    printf("GB/s of %d KB%*s", BENCH_SIZE / 1024, 10, "");

    for (m = 0; m < BENCH_NIMPLS; m++) {
        printf("%10s", bench_impls[m]);
    }

    for (i = 0; i < BENCH_NLOOPS; i++) {
        printf("\n%s\n", bench_loops[i].name);

        for (k = 0; k < BENCH_NTEXTS; k++) {
            n = bench_make(text, bench_texts[k].line);
            p = text;
            len = n;

            if (bench_loops[i].level > 0) {
                len = art_json_escape(string, sizeof(string), &p, &n,
                                      bench_loops[i].level);
                p = string;
            }

            printf("  %-22s", bench_texts[k].name);

            for (m = 0; m < BENCH_NIMPLS; m++) {

                if (art_simd_select(bench_impls[m]) == ART_OK) {
                    printf("%10.2f", bench_measure(bench_loops[i].run, p, len));
                } else {
                    printf("%10s", "-");
                }
            }

            printf(k + 1 < BENCH_NTEXTS ? "\n" : "");
        }
    }

    printf("\n");

    return 0;
}
