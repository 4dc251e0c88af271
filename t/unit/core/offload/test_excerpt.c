
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Excerpts of long strings: of any string, cut into any pieces, they are what a
 * naive reading makes of it.
 */


#include "core/offload/art_excerpt.h"
#include "core/text/art_utf8.h"
#include "simd_each.h"
#include "tap.h"


#define RAW_MAX   200000
#define ENDS_MAX  20000


/* A string as a naive reader has it: its characters, one by one. */

typedef struct {
    size_t    raw;
    size_t    n;
    uint8_t   utf8[4];
} char_t;


static uint8_t  raw[RAW_MAX];
static size_t   raw_len;
static char_t   chars[RAW_MAX];
static size_t   nchars;

static uint8_t  text[RAW_MAX * 3];
static size_t   text_len;
static uint8_t  got[RAW_MAX * 3];
static size_t   got_len;
static uint8_t  want[RAW_MAX];
static uint8_t  made[RAW_MAX];
static uint8_t  memory[art_excerpt_memory(ENDS_MAX, ENDS_MAX)];


static int
put_text(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    memcpy(got + got_len, p, len);
    got_len += len;
    return ART_OK;
}


/* Adds a character as it stands in the string and in the text. */

static void
add(const char *bytes, const char *utf8)
{
    char_t  *c;

    c = &chars[nchars++];

    c->raw = strlen(bytes);
    c->n = strlen(utf8);
    memcpy(raw + raw_len, bytes, c->raw);
    raw_len += c->raw;

    memcpy(c->utf8, utf8, c->n);
    memcpy(text + text_len, utf8, c->n);
    text_len += c->n;
}


static void
begin(void)
{
    raw_len = 0;
    nchars = 0;
    text_len = 0;
}


static size_t
sum(size_t from, size_t to, unsigned of_raw)
{
    size_t  n;

    for (n = 0; from < to; from++) {
        n += of_raw ? chars[from].raw : chars[from].n;
    }

    return n;
}


static unsigned
is_feed(size_t i)
{
    return chars[i].n == 1 && chars[i].utf8[0] == '\n';
}


static uint64_t
lines_of(size_t from, size_t to)
{
    uint64_t  n;

    n = to > from && !is_feed(to - 1);

    for (/* void */; from < to; from++) {
        n += is_feed(from);
    }

    return n;
}


/* How many of the first characters fit; the lines of them that do, or none. */

static size_t
first_of(size_t max, unsigned *whole)
{
    size_t  i, n, line;

    line = 0;

    for (i = 0, n = 0; i < nchars && n + chars[i].n <= max; i++) {
        n += chars[i].n;
        line = is_feed(i) ? i + 1 : line;
    }

    *whole = line > 0 || max == 0;

    return *whole ? line : i;
}


static size_t
last_of(size_t max, unsigned *whole)
{
    size_t  i, n, line;

    line = nchars;

    for (i = nchars, n = 0; i > 0 && n + chars[i - 1].n <= max; i--) {
        n += chars[i - 1].n;

        if (i == 1 || is_feed(i - 2)) {
            line = i - 1;
        }
    }

    *whole = line < nchars || max == 0;

    return *whole ? line : i;
}


static void
size_of(char *dst, size_t n)
{
    if (n < 1024) {
        (void) sprintf(dst, "%zu B", n);

    } else if (n < 1024 * 1024 - 51) {
        (void) sprintf(dst, "%zu.%zu KB", (n * 10 + 512) / 1024 / 10,
                       (n * 10 + 512) / 1024 % 10);
    } else {
        (void) sprintf(dst, "large");
    }
}


static size_t
naive(size_t head, size_t tail, art_lang_t lang)
{
    size_t    from, to, first, last, n, len;
    char      left[32], all[32], what[256];
    unsigned  whole_head, whole_tail;

    from = first_of(head, &whole_head);
    to = last_of(tail, &whole_tail);
    len = sum(0, from, 1);
    memcpy(want, raw, len);

    size_of(left, sum(from, to, 0));
    size_of(all, text_len);

    if (from > 0 && !whole_head) {
        len += (size_t) sprintf((char *) want + len, "\\n");
    }

    if (whole_head && whole_tail) {
        first = (size_t) lines_of(0, from) + 1;
        n = (size_t) lines_of(0, nchars);
        last = n - (size_t) lines_of(to, nchars);

    } else {
        first = sum(0, from, 0);
        last = sum(0, to, 0) - 1;
        n = text_len;
    }

    if (lang == ART_LANG_EN) {
        (void) sprintf(what, "%s %zu to %zu of %zu are left out, %s of %s. "
                       "The whole text is artifact:ID; read_artifact reads "
                       "parts of it: ", whole_head && whole_tail ? "lines"
                                                                 : "bytes",
                       first, last, n, left, all);
        len += (size_t) sprintf((char *) want + len, "[.. %s"
                                "\\\"lines\\\", \\\"bytes\\\", \\\"grep\\\".]",
                                what);
    } else {
        (void) sprintf(what, "%zu 至 %zu %s（共 %zu %s，%s / %s）。全文: "
                       "artifact:ID，可用 read_artifact 的 ", first, last,
                       whole_head && whole_tail ? "行" : "字节", n,
                       whole_head && whole_tail ? "行" : "字节", left, all);
        len += (size_t) sprintf((char *) want + len, "[.. 此处省略第 %s"
                                "\\\"lines\\\"、\\\"bytes\\\"、\\\"grep\\\" "
                                "分段读取]", what);
    }

    if (to < nchars) {
        len += (size_t) sprintf((char *) want + len, "\\n");
    }

    n = sum(to, nchars, 1);
    memcpy(want + len, raw + raw_len - n, n);

    return len + n;
}


static size_t
run(size_t head, size_t tail, size_t piece, art_lang_t lang)
{
    size_t              i, n;
    uint8_t            *copy;
    art_out_t           out;
    art_str_t           bytes;
    art_excerpt_t       excerpt;
    art_excerpt_tail_t  last;

    got_len = 0;

    art_excerpt_init(&excerpt, head, tail, memory, put_text, NULL);

    for (i = 0; i < raw_len; i += n) {
        n = piece ? piece : 1 + tap_below(raw_len > 3000 ? 4096 : 9);
        n = n < raw_len - i ? n : raw_len - i;

        copy = malloc(n);
        memcpy(copy, raw + i, n);
        (void) art_excerpt_feed(&excerpt, copy, n);
        free(copy);
    }

    (void) art_excerpt_end(&excerpt);

    out = art_out(made, sizeof(made));
    bytes = art_excerpt_head(&excerpt);
    art_out_str(&out, bytes);

    n = out.len;
    art_excerpt_tail(&excerpt, &last);
    art_excerpt_print(&out, &excerpt, &last, art_cstr("ID"), lang);

    if (out.len - n > ART_EXCERPT_SENTENCE) {
        return 0;
    }

    art_out_str(&out, last.bytes);

    return out.len;
}


static int
agrees(size_t head, size_t tail, size_t piece, art_lang_t lang)
{
    size_t  len, wanted;

    wanted = naive(head, tail, lang);
    len = run(head, tail, piece, lang);

    if (got_len != text_len || memcmp(got, text, text_len) != 0) {
        diag_mem("text", got, got_len);
        diag_mem("want", text, text_len);
        diag_mem("raw", raw, raw_len);
        return 0;
    }

    if (len != wanted || memcmp(made, want, len) != 0) {
        diag("head %zu, tail %zu, piece %zu", head, tail, piece);
        diag_mem("raw", raw, raw_len);
        diag_mem("got", made, len);
        diag_mem("want", want, wanted);
        return 0;
    }

    return 1;
}


/* Characters in all spellings, and what is none. */

static const struct {
    const char  *raw;
    const char  *utf8;
} kinds[] = {
    { "a", "a" }, { "\xc3\xa9", "\xc3\xa9" }, { "\\u00e9", "\xc3\xa9" },
    { "\xe4\xb8\xad", "\xe4\xb8\xad" }, { "\\u4E2d", "\xe4\xb8\xad" },
    { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    { "\\ud83d\\uDE00", "\xf0\x9f\x98\x80" }, { "\\n", "\n" },
    { "\\u000a", "\n" }, { "\\r", "\r" }, { "\\\\", "\\" }, { "\\\"", "\"" },
    { "\\/", "/" }, { "\\t", "\t" }, { "\\b", "\b" }, { "\\f", "\f" },
    { "\\u2028", "\xe2\x80\xa8" }, { "\xe2\x80\xa8", "\xe2\x80\xa8" },
    { "\\ud83dx", "\xef\xbf\xbdx" }, { "\\ude00", "\xef\xbf\xbd" },
    { "\\ud83d\\n", "\xef\xbf\xbd\n" },
    { "\\ud83d\\u0041", "\xef\xbf\xbd" "A" },
    { "\xff", "\xef\xbf\xbd" }, { "\xe4\xb8\\t", "\xef\xbf\xbd\t" },
    { "\xf0\x9fx", "\xef\xbf\xbdx" }, { " ", " " }, { "\x7f", "\x7f" },
    { "\\u0041", "A" }
};


/* Some of the rows above are two characters. */

static void
add_kind(size_t i)
{
    char    one[16];
    size_t  n;

    n = strlen(kinds[i].utf8);

    if (strncmp(kinds[i].utf8, ART_UTF8_REPLACEMENT, 3) == 0 && n == 4) {
        n = kinds[i].raw[0] == '\\' ? 6 : strcspn(kinds[i].raw, "\\x");

        memcpy(one, kinds[i].raw, n);
        one[n] = '\0';

        add(one, ART_UTF8_REPLACEMENT);
        add(kinds[i].raw + n, kinds[i].utf8 + 3);
        return;
    }

    add(kinds[i].raw, kinds[i].utf8);
}


/* Those of "kinds" that are read by many at once: one letter, or an escape. */

static const size_t  simple[] = { 0, 7, 9, 10, 10, 11, 12, 13, 14, 15 };


static void
check_random(const char *impl)
{
    size_t    i, n, ends[2], kind, lines;
    int       good;

    for (good = 1, i = 0; i < 30000 && good; i++) {
        begin();

        n = 1 + tap_below(i % 500 == 0 ? 12000 : 200);
        kind = tap_below(6);
        lines = 1 + tap_below(30);

        while (nchars < n) {

            if (kind == 5 && tap_below(200) > 0) {
                add_kind(simple[tap_below(nitems(simple))]);

            } else if (kind > 0 && tap_below((unsigned) lines) == 0) {
                add_kind(7);

            } else if (kind > 1) {
                add("x", "x");

            } else {
                add_kind(tap_below(nitems(kinds)));
            }
        }

        ends[0] = tap_below(3) ? tap_below((unsigned) text_len / 4 + 1) : 0;
        ends[1] = tap_below(3) ? tap_below((unsigned) text_len / 4 + 1) : 0;

        good = agrees(ends[0], ends[1], i % 3 ? 0 : 4096,
                      i % 2 ? ART_LANG_EN : ART_LANG_ZH);
    }

    ok(good, "any string in any pieces, %s", impl);
}


/* A character of any kind at any place of a cut, in pieces of any size. */

static void
check_cuts(void)
{
    size_t    kind, piece, at;
    int       good;

    for (good = 1, kind = 0; kind < nitems(kinds) && good; kind++) {
        for (at = 0; at < 12 && good; at++) {
            begin();

            while (text_len < at) {
                add("x", "x");
            }

            add_kind(kind);
            add_kind(kind);

            while (text_len < 80) {
                add("y", "y");
            }

            add_kind(kind);
            add_kind(kind);

            while (text_len % 16 < at) {
                add("z", "z");
            }

            for (piece = 1; piece < 20 && good; piece++) {
                good = agrees(10, 10, piece, ART_LANG_EN)
                       && agrees(9, 0, piece, ART_LANG_EN)
                       && agrees(0, 9, piece, ART_LANG_EN);
            }
        }
    }

    ok(good, "any character at a cut");
}


/* The ring of the tail: far more than it has room for, all of it escapes. */

static void
check_long(void)
{
    size_t    i, max;
    int       good;

    for (good = 1, max = 1; max < 6000 && good; max = max * 3 + 1) {
        begin();

        for (i = 0; i < 30000; i++) {
            add_kind(i % 700 == 699 ? 7 : 27);
        }

        good = agrees(max, max, 0, ART_LANG_EN)
               && agrees(max, max, 4096, ART_LANG_EN);
    }

    ok(good, "many times the tail");
}


static void
check_words(void)
{
    size_t  i, len;

    begin();

    for (i = 0; i < 100; i++) {
        add("l", "l");
        add("\\n", "\n");
    }

    len = run(5, 4, 0, ART_LANG_EN);
    made[len] = '\0';
    is_str((char *) made, "l\\nl\\n[.. lines 3 to 98 of 100 are left out, 192 "
           "B of 200 B. The whole text is artifact:ID; read_artifact reads "
           "parts of it: \\\"lines\\\", \\\"bytes\\\", \\\"grep\\\".]\\nl\\n"
           "l\\n", "lines");

    len = run(1, 4, 0, ART_LANG_EN);
    made[len] = '\0';
    is_str((char *) made, "l\\n[.. bytes 1 to 195 of 200 are left out, 195 B "
           "of 200 B. The whole text is artifact:ID; read_artifact reads parts "
           "of it: \\\"lines\\\", \\\"bytes\\\", \\\"grep\\\".]\\nl\\nl\\n",
           "bytes, since the first line does not fit");

    len = run(0, 0, 0, ART_LANG_ZH);
    made[len] = '\0';
    is_str((char *) made, "[.. 此处省略第 1 至 100 行（共 100 行，200 B / "
           "200 B）。全文: artifact:ID，可用 read_artifact 的 \\\"lines\\\"、"
           "\\\"bytes\\\"、\\\"grep\\\" 分段读取]", "no ends, in Chinese");

    len = run(2, 1, 0, ART_LANG_ZH);
    made[len] = '\0';
    is_str((char *) made, "l\\n[.. 此处省略第 2 至 198 字节（共 200 字节，"
           "197 B / 200 B）。全文: artifact:ID，可用 read_artifact 的 "
           "\\\"lines\\\"、\\\"bytes\\\"、\\\"grep\\\" 分段读取]\\n\\n",
           "bytes, in Chinese");
}


/* What is nothing but base64 or a data URL; "|" is a line feed. */

static const struct {
    const char  *text;
    int          is;
} solids[] = {
    { "QUJD", 1 }, { "QUI", 1 }, { "QUI=", 1 }, { "QQ==", 1 }, { "Q", 0 },
    { "QUJDQ", 0 }, { "QUJD=", 0 }, { "QQ=", 0 }, { "QQ==Q", 0 },
    { "a+b/", 1 }, { "a-b_", 1 }, { "a+b_", 0 }, { "", 0 }, { "ab cd", 0 },
    { "{\"a\":1}", 0 }, { "data:image/png;base64,QUJD", 1 },
    { "DATA:;Base64,QUJD", 1 }, { "data:;base64,QU JD", 0 },
    { "data:text/plain,a%20b", 1 }, { "data:text/plain,a b", 0 },
    { "data: x,y", 0 }, { "data:", 0 }, { "data", 1 }, { "dat", 1 },
    { "dataQUJD", 1 }, { "data:text/plain", 0 }, { "ab|cd", 0 },
    { "abcd|", 1 }, { "deadbeef|cafebabe|", 0 }
};


static void
check_solid(void)
{
    size_t       i, k, n;
    char         lines[1000];
    int          good;
    art_solid_t  solid;

    for (i = 0; i < nitems(solids); i++) {
        memset(&solid, 0, sizeof(solid));

        for (k = 0; solids[i].text[k] != '\0'; k++) {
            art_solid_feed(&solid, solids[i].text[k] == '|'
                                   ? (const uint8_t *) "\n"
                                   : (const uint8_t *) &solids[i].text[k], 1);
        }

        is_int(art_solid_is(&solid), solids[i].is, solids[i].text);
    }

    /* lines of any length */

    for (good = 1, n = 1; n < 120; n++) {
        memset(lines, 'A', 4 * (n + 2));

        for (k = 1; k < 4; k++) {
            lines[k * (n + 2) - 2] = '\r';
            lines[k * (n + 2) - 1] = '\n';
        }

        lines[3 * (n + 2)] = '\0';
        k = 3 * (n + 2) + (n % 4);
        memset(lines + 3 * (n + 2), 'A', n % 4);

        memset(&solid, 0, sizeof(solid));
        art_solid_feed(&solid, (uint8_t *) lines, k);

        good &= art_solid_is(&solid)
                == (n >= 60 && n <= 100 && (3 * n + n % 4) % 4 != 1);
    }

    ok(good, "base64 in lines");
}


int
main(void)
{
    check_words();
    check_cuts();
    check_long();
    simd_each(check_random);
    check_solid();

    return done();
}
