
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/mcp/art_lines.h"
#include "lines_feed.h"


#define MB  (1024 * 1024)


static const struct {
    const char  *value;
    int          good;
    uint64_t     first;
    uint64_t     last;
    uint64_t     tail;
} ranges[] = {
    { "100-200", 1, 100, 200, 0 },
    { "5", 1, 5, 5, 0 },
    { "5-", 1, 5, ART_LINES_END, 0 },
    { "-50", 1, 1, ART_LINES_END, 50 },
    { "7-7", 1, 7, 7, 0 },
    { "0007", 1, 7, 7, 0 },
    { "99999999999999999999999", 1, INT64_MAX, INT64_MAX, 0 },
    { "1-18446744073709551616", 1, 1, INT64_MAX, 0 },
    { "", 0, 0, 0, 0 },
    { "-", 0, 0, 0, 0 },
    { "0", 0, 0, 0, 0 },
    { "-0", 0, 0, 0, 0 },
    { "0-5", 0, 0, 0, 0 },
    { "200-100", 0, 0, 0, 0 },
    { "1-2-3", 0, 0, 0, 0 },
    { "--5", 0, 0, 0, 0 },
    { " 5", 0, 0, 0, 0 },
    { "5 - 7", 0, 0, 0, 0 },
    { "+5", 0, 0, 0, 0 },
    { "1,3", 0, 0, 0, 0 },
    { "five", 0, 0, 0, 0 }
};


static void
test_ranges(void)
{
    int               rc;
    size_t            i;
    art_lines_conf_t  conf;

    for (i = 0; i < nitems(ranges); i++) {
        art_lines_conf(&conf);

        rc = art_lines_range(&conf, art_cstr(ranges[i].value));

        ok(ranges[i].good
           ? rc == ART_OK && conf.tail == ranges[i].tail
             && conf.first == ranges[i].first && conf.last == ranges[i].last
           : rc == ART_ERROR, "lines \"%s\"", ranges[i].value);
    }
}


static void
test_strings(void)
{
    uint8_t          *p;
    art_lines_conf_t  conf;

    art_lines_conf(&conf);
    p = exact(NULL, ART_LINES_GREP_MAX + 1);
    memset(p, 'a', ART_LINES_GREP_MAX + 1);

    ok(art_lines_grep(&conf, art_str(NULL, 0)) == ART_ERROR, "grep \"\"");
    ok(art_lines_grep(&conf, art_cstr("a\nb")) == ART_ERROR, "two lines");
    ok(art_lines_grep(&conf, art_cstr("\r")) == ART_ERROR, "a line's end");
    ok(art_lines_grep(&conf, art_str(p, ART_LINES_GREP_MAX + 1)) == ART_ERROR,
       "too long");
    ok(art_lines_grep(&conf, art_str(p, ART_LINES_GREP_MAX)) == ART_OK,
       "as long as can be");

    free(p);
}


/* Whole, and byte by byte. */

static void
is_lines(art_lines_conf_t conf, const char *lines, const char *grep,
    const void *data, size_t len, const char *want, const char *name)
{
    text_t  got;

    memset(&got, 0, sizeof(got));
    conf.size = len;

    if ((lines != NULL && art_lines_range(&conf, art_cstr(lines)) != ART_OK)
        || (grep != NULL && art_lines_grep(&conf, art_cstr(grep)) != ART_OK))
    {
        ok(0, "%s: bad arguments", name);
        return;
    }

    if (lines_feed(&got, &conf, data, len + 1, 0) == 0) {
        diag("it failed");
    }

    is_mem(got.data, got.len, want, strlen(want), name);

    if (len <= 1000) {
        lines_feed(&got, &conf, data, 1, 0);

        ok(got.len == strlen(want) && memcmp(got.data, want, got.len) == 0,
           "%s: byte by byte", name);
    }

    free(got.data);
}


#define NUMBERS  "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

#define is(lines, grep, text, want)                                          \
    is_lines(conf, lines, grep, text, sizeof(text) - 1, want,                \
             "lines " #lines " grep " #grep " of " #text)


static void
test_vectors(unsigned lines)
{
    art_lines_conf_t  conf;

    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;
    conf.lines = lines;

    is("2-3", NULL, NUMBERS, "2:two\n3:three\n[lines in the file: 8; "
       "complete]");
    is("-2", NULL, NUMBERS, "7:seven\n8:eight\n[lines in the file: 8; "
       "complete]");
    is("-9", NULL, "a\nb", "1:a\n2:b\n[lines in the file: 2; complete]");
    is("7-", NULL, NUMBERS, "7:seven\n8:eight\n[lines in the file: 8; "
       "complete]");
    is("9", NULL, NUMBERS, "[lines in the file: 8; there is no line 9]");
    is("8-100", NULL, NUMBERS, "8:eight\n[lines in the file: 8; complete]");
    is(NULL, NULL, "", "[lines in the file: 0; complete]");
    is("1", NULL, "", "[lines in the file: 0; complete]");
    is("-3", NULL, "", "[lines in the file: 0; complete]");
    is("2", NULL, "", "[lines in the file: 0; there is no line 2]");
    is(NULL, NULL, "\n\n", "1:\n2:\n[lines in the file: 2; complete]");
    is(NULL, NULL, "a\r\nb\rc\r\n\r\nd", "1:a\n2:b\rc\n3:\n4:d\n"
       "[lines in the file: 4; complete]");
    is(NULL, NULL, "\xef\xbb\xbf" "a\n\xef\xbb\xbf" "b\n\xff\xfe" "c\n",
       "1:a\n2:\xef\xbb\xbf" "b\n3:\xef\xbf\xbd\xef\xbf\xbd" "c\n"
       "[lines in the file: 3; complete]");
    is(NULL, NULL, "a\xe4\xb8\nb", "1:a\xef\xbf\xbd\n2:b\n"
       "[lines in the file: 2; complete]");
    is(NULL, "b", "\xff\xfe" "a\0b\0\n\0c\0", "1:ab\n2-c\n"
       "[lines in the file: 2; lines that match: 1; complete]");

    is(NULL, "four", NUMBERS, "2-two\n3-three\n4:four\n5-five\n6-six\n"
       "[lines in the file: 8; lines that match: 1; complete]");
    is("4-5", "f", NUMBERS, "4:four\n5:five\n"
       "[lines in the file: 8; lines that match: 2; complete]");
    is("-3", "e", NUMBERS, "6-six\n7:seven\n8:eight\n"
       "[lines in the file: 8; lines that match: 2; complete]");
    is(NULL, "nine", NUMBERS, "[lines in the file: 8; lines that match: 0; "
       "complete]");
    is("9-", "e", NUMBERS, "[lines in the file: 8; there is no line 9]");

    conf.context = 1;
    is(NULL, "t", NUMBERS, "1-one\n2:two\n3:three\n4-four\n--\n7-seven\n"
       "8:eight\n[lines in the file: 8; lines that match: 3; complete]");
    conf.context = 0;
    is(NULL, "t", NUMBERS, "2:two\n3:three\n8:eight\n"
       "[lines in the file: 8; lines that match: 3; complete]");

    conf.max = 9;
    is(NULL, "t", NUMBERS, "2:two\n"
       "[lines in the file: 8; lines that match: 3; cut after 9 bytes, go on "
       "with \"lines\": \"3-\"]");
    conf.max = 2;
    is(NULL, "t", NUMBERS, "2:\n"
       "[lines in the file: 8; lines that match: 3; cut after 2 bytes]");
    conf.max = 6;
    is(NULL, NULL, NUMBERS, "1:one\n"
       "[lines in the file: 8; cut after 6 bytes, go on with \"lines\": "
       "\"2-\"]");
    conf.max = 4;
    is(NULL, NULL, "a\xe4\xb8\xad", "1:a\n"
       "[lines in the file: 1; cut after 4 bytes]");
    conf.max = 0;

    conf.charset = "GB18030";
    is("-1", NULL, "a\n\xd6\xd0\n", "2:\xe4\xb8\xad\n"
       "[lines in the file: 2; complete]");

    conf.lang = ART_LANG_ZH;
    conf.max = 4;
    is(NULL, "b", "ab\nb\n", "1:ab\n[文件共 2 行；匹配 2 行；"
       "已在 4 字节处截断]");
    is("9", NULL, "a", "[文件共 1 行；没有第 9 行]");
    conf.max = 0;
    is("1", NULL, "a", "1:a\n[文件共 1 行；内容完整]");
}


/* What is looked for is UTF-8, whatever charset the line is in. */

static void
test_two_charsets(void)
{
    art_lines_conf_t  conf;

    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;
    conf.lines = 1;
    conf.context = 0;

    is(NULL, "\xe6\x96\x87\xe4\xbb\xb6", "one\n\xe6\x96\x87\xe4\xbb\xb6\n"
       "\xb4\xf2\xbf\xaa\xce\xc4\xbc\xfe\xca\xa7\xb0\xdc\nfour\n",
       "2:\xe6\x96\x87\xe4\xbb\xb6\n3:\xe6\x89\x93\xe5\xbc\x80\xe6\x96\x87"
       "\xe4\xbb\xb6\xe5\xa4\xb1\xe8\xb4\xa5\n"
       "[lines in the file: 4; lines that match: 2; complete]");
    is(NULL, "two", "one\n\0two\0\nthree\n", "2:\xef\xbf\xbdtwo\xef\xbf\xbd\n"
       "[lines in the file: 3; lines that match: 1; complete]");

    /* the second reading knows what the first one found */

    is("-2", NULL, "\xd6\xd0\n\xb4\xf2\xbf\xaa\xce\xc4\xbc\xfe\n",
       "1:\xe4\xb8\xad\n2:\xe6\x89\x93\xe5\xbc\x80\xe6\x96\x87\xe4\xbb\xb6"
       "\n[lines in the file: 2; complete]");
}


/* The last lines of a long text, of which one in the middle is in GBK. */

static void
test_late_charset(void)
{
    size_t            i, len, pieces;
    char              want[200];
    text_t            text, got;
    art_lines_conf_t  conf;

    static const char  chinese[] = "\xd6\xd0\xce\xc4\xc4\xda\xc8\xdd\n";
    static const char  utf8[] = "\xe4\xb8\xad\xe6\x96\x87\n";

    memset(&text, 0, sizeof(text));
    memset(&got, 0, sizeof(got));

    for (i = 0; i < 100000; i++) {

        if (i == 50000) {
            text_add(&text, chinese, sizeof(chinese) - 1);

        } else if (i % 10 == 9) {
            text_add(&text, utf8, sizeof(utf8) - 1);

        } else {
            text_add(&text, "some words\n", 11);
        }
    }

    text_add(&text, chinese, sizeof(chinese) - 1);
    len = text.len;

    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;
    conf.lines = 1;
    conf.tail = 2;
    conf.size = len;

    pieces = lines_feed(&got, &conf, text.data, 32768, 0);

    (void) snprintf(want, sizeof(want), "100000:%s100001:%s[lines in the file: "
                    "100001; complete]", utf8, "\xe4\xb8\xad\xe6\x96\x87"
                    "\xe5\x86\x85\xe5\xae\xb9\n");
    is_mem(got.data, got.len, want, strlen(want), "the last lines");
    ok(pieces > 0 && pieces < len / 32768 * 3 / 2,
       "without all of the rest: %zu pieces", pieces);

    conf.tail = 0;
    conf.first = 50001;
    conf.last = 50001;

    lines_feed(&got, &conf, text.data, 5000, 1);
    (void) snprintf(want, sizeof(want), "50001:%s[lines in the file: 100001; "
                    "complete]", "\xe4\xb8\xad\xe6\x96\x87\xe5\x86\x85"
                    "\xe5\xae\xb9\n");
    is_mem(got.data, got.len, want, strlen(want), "a line between");

    free(got.data);
    free(text.data);
}


/*
 * Lines at the end would tell the charset if the text began with them, but not
 * after others that tell none; it does not matter from where they are read.
 */

static void
test_told_nothing(void)
{
    size_t            i;
    text_t            text, whole, got;
    art_lines_conf_t  conf;

    memset(&text, 0, sizeof(text));
    memset(&whole, 0, sizeof(whole));
    memset(&got, 0, sizeof(got));

    for (i = 0; i < 8; i++) {
        text_add(&text, "a \xff\xfe\xff\xfe \x81\xff\n", 10);
    }

    for (i = 0; i < 100000; i++) {
        text_add(&text, "some words\n", 11);
    }

    text_add(&text, "\xb4\xf2\xbf\xaa\xce\xc4\xbc\xfe\xca\xa7\xb0\xdc\n", 13);

    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;
    conf.lines = 1;
    conf.tail = 1;
    conf.size = text.len;

    lines_feed(&whole, &conf, text.data, text.len, 0);
    lines_feed(&got, &conf, text.data, 32768, 0);

    is_mem(got.data, got.len, whole.data, whole.len,
           "a charset that was not told");

    free(got.data);
    free(whole.data);
    free(text.data);
}


/* A line of 10 MB, in the memory that there is for a line of any length. */

static void
test_long_line(void)
{
    size_t            i, len;
    uint8_t          *p;
    text_t            want;
    art_lines_conf_t  conf;

    len = 10 * MB;
    p = exact(NULL, len + 9);
    memset(p, 'x', len);
    memcpy(p, "first\n", 6);
    memcpy(p + len, "\r\nlast\n", 7);
    memcpy(p + len - 5000, "\xe4\xb8\xad", 3);
    memcpy(p + len - 5000 + 202, "needle", 6);

    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;

    memset(&want, 0, sizeof(want));
    text_add(&want, "1-first\n2@10480962:...", 22);

    /* two bytes of a character come before what is shown */

    text_add(&want, p + len - 5000 + 3, 199 + 6 + 200);
    text_add(&want, "...\n3-last\n", 11);
    text_add(&want, "[lines in the file: 3; lines that match: 1; complete; "
             "of long lines each match with the byte at which it begins and "
             "200 bytes around it]", 136);

    is_lines(conf, NULL, "needle", p, len + 7, (char *) want.data,
             "a match late in a line of 10 MB");

    want.len = 0;
    text_add(&want, "1:first\n2-", 10);

    for (i = 0; i < 2000; i++) {
        text_add(&want, "x", 1);
    }

    text_add(&want, "...\n3-last\n", 11);
    text_add(&want, "[lines in the file: 3; lines that match: 1; complete; "
             "long lines are shortened to 2000 bytes]", 93);

    is_lines(conf, NULL, "first", p, len + 7, (char *) want.data,
             "such a line as context");

    free(want.data);
    free(p);
}


/* The last lines are read again from near them, however many there are. */

static void
test_tail(void)
{
    size_t            i, n, len, pieces;
    char             *p, want[64];
    text_t            got;
    art_lines_conf_t  conf;

    n = 4 * MB;
    len = n * 8;
    p = (char *) exact(NULL, len + 1);

    for (i = 0; i < n; i++) {
        snprintf(p + i * 8, 9, "%07zu\n", i + 1);
    }

    memset(&got, 0, sizeof(got));
    art_lines_conf(&conf);
    conf.lang = ART_LANG_EN;
    conf.tail = 1;
    conf.size = len;

    for (conf.tail = 1; conf.tail <= 64; conf.tail *= 8) {
        pieces = lines_feed(&got, &conf, p, 65536, 0);

        snprintf(want, sizeof(want), "%zu:%07zu\n",
                 n + 1 - (size_t) conf.tail, n + 1 - (size_t) conf.tail);

        ok(got.len > 20 && memcmp(got.data, want, strlen(want)) == 0,
           "the last %u of %zu", (unsigned) conf.tail, n);
        ok(pieces > 0 && pieces <= len / 65536 + len / 65536 / 64,
           "in %zu pieces", pieces);
    }

    conf.tail = 3 * MB;
    conf.max = 100;
    snprintf(want, sizeof(want), "%u:%07u\n", MB + 1, MB + 1);
    lines_feed(&got, &conf, p, 65536, 0);
    ok(memcmp(got.data, want, strlen(want)) == 0, "three quarters of them");

    /* a last line that begins long before the place to go back to */

    memset(p, 'x', MB);
    memcpy(p, "a\nlast", 6);
    conf.tail = 1;
    conf.size = MB;
    lines_feed(&got, &conf, p, 65536, 0);
    ok(memcmp(got.data, "2:lastx", 7) == 0, "a last line of 1 MB");

    free(got.data);
    free(p);
}


int
main(void)
{
    test_ranges();
    test_strings();
    test_vectors(0);
    test_vectors(1);
    test_two_charsets();
    test_late_charset();
    test_told_nothing();
    test_long_line();
    test_tail();

    return done();
}
