
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Texts whose lines are in two charsets: one of them UTF-8, the other known,
 * or told by a line, in whatever pieces the text comes.
 */


#include "text_feed.h"


#define BAD    "\xef\xbf\xbd"

#define ZHONG  "\xe4\xb8\xad"                  /* an ideograph in UTF-8 */
#define WEN    "\xe6\x96\x87"
#define GBK    "\xd6\xd0\xce\xc4"              /* both in GBK */
#define NV     "\xc5\xae"                      /* one that is UTF-8 as well */
#define X100   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" \
               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X1000  X100 X100 X100 X100 X100 X100 X100 X100 X100 X100

/* a line that tells that it is GBK */

#define TOLD   "\xb4\xf2\xbf\xaa\xce\xc4\xbc\xfe\xca\xa7\xb0\xdc\n"
#define SAYS   "\xe6\x89\x93\xe5\xbc\x80\xe6\x96\x87\xe4\xbb\xb6\xe5\xa4\xb1" \
               "\xe8\xb4\xa5\n"


static const struct {
    const char  *name;
    const char  *charset;
    const char  *text;
    const char  *want;
} cases[] = {
    { "each line as it is", "GB18030", ZHONG "\n" GBK "\n" WEN "\r\nx\n" GBK,
      ZHONG "\n" ZHONG WEN "\n" WEN "\r\nx\n" ZHONG WEN },
    { "the same of one byte", "CP1251", ZHONG "\n\xcf\xf0\xe8\n\xd0\x9f\n",
      ZHONG "\n\xd0\x9f\xd1\x80\xd0\xb8\n\xd0\x9f\n" },
    { "a line that may be both, before UTF-8", "GB18030",
      GBK "\n" NV "\n" ZHONG "\n" NV "\n",
      ZHONG WEN "\n\xe5\xa5\xb3\n" ZHONG "\n" NV "\n" },
    { "UTF-8 that was cut within a line", "GB18030",
      GBK "\n" ZHONG WEN ZHONG "\xe6\nx", ZHONG WEN "\n" ZHONG WEN ZHONG BAD
      "\nx" },
    { "a pair that was cut by a line", "GB18030", GBK "\xd6\n" GBK "\xd6",
      ZHONG WEN BAD "\n" ZHONG WEN BAD },
    { "no charset, and a line that tells it", NULL,
      "one\n" ZHONG "\n" TOLD ZHONG "\n" GBK "\n",
      "one\n" ZHONG "\n" SAYS ZHONG "\n" ZHONG WEN "\n" },
    { "no charset, and none that is told", NULL, "a\xff" "b\n" ZHONG "\n\xe4",
      "a" BAD "b\n" ZHONG "\n" BAD },
    { "control characters of damage", "CP1252",
      ZHONG WEN ZHONG "\x81\n\x81\xe9t\xe9\n",
      ZHONG WEN ZHONG BAD "\n\xc2\x81\xc3\xa9t\xc3\xa9\n" },
    { "a mark of UTF-8, then another charset", "GB18030",
      "\xef\xbb\xbf" GBK "\n" ZHONG, ZHONG WEN "\n" ZHONG },
    { "a mark of another charset", "GB18030", "\x84\x31\x95\x33" GBK "\n"
      NV, ZHONG WEN "\n\xe5\xa5\xb3" },
    { "what might have been a mark", NULL, "\xef\xbb\n\xef" "a\n",
      BAD "\n" BAD "a\n" },
    { "a long line of UTF-8, damaged far away", "GB18030",
      ZHONG X1000 WEN X1000 ZHONG WEN ZHONG "\xff" X100 "\n" GBK,
      ZHONG X1000 WEN X1000 ZHONG WEN ZHONG BAD X100 "\n" ZHONG WEN },
    { "a long line of another charset", "GB18030",
      GBK X1000 GBK X1000 ZHONG "\n" WEN, ZHONG WEN X1000 ZHONG WEN X1000
      "\xe6\xb6\x93" BAD "\n" WEN },
    { "a character where a long line is cut", "GB18030",
      ZHONG X1000 X100 WEN "\n" WEN X1000 "0123456789abcdefghi" ZHONG ZHONG,
      ZHONG X1000 X100 WEN "\n" WEN X1000 "0123456789abcdefghi" ZHONG ZHONG },
    { "an alphabet whose letters combine", "CP1255", "\xe0\xe1\n\xe0\xc8",
      "\xd7\x90\xd7\x91\n\xef\xac\xaf" },
    { "a charset that iconv lacks", "no-such",
      "x\n" GBK "\n" ZHONG X1000 "\n" GBK "\xd6", "x\n" BAD BAD BAD BAD "\n"
      ZHONG X1000 "\n" BAD BAD BAD BAD BAD },
    { "a stateful charset is one as a whole", "ISO-2022-JP",
      "\x1b$B$3\x1b(B\n\x1b$B$3", "\xe3\x81\x93\n\xe3\x81\x93" }
};


static void
check_cases(void)
{
    int              good;
    size_t           i, k, len;
    static result_t  res;

    static const feed_t  ways[] = {
        { OUT_MAX, OUT_MAX, 0 },
        { 1, ART_JSON_UNIT_MAX, 0 },
        { 7, 40, 1 }
    };

    for (i = 0; i < nitems(cases); i++) {
        len = strlen(cases[i].want);
        good = 1;

        for (k = 0; k < nitems(ways); k++) {
            if (!feed(&res, cases[i].charset, 0, 0, cases[i].text,
                      strlen(cases[i].text), &ways[k])
                || res.len != len || memcmp(res.data, cases[i].want, len) != 0)
            {
                diag_mem("got", res.data, res.len);
                good = 0;
            }
        }

        ok(good, "%s", cases[i].name);
    }
}


/* Lines of all sorts, some of them long, some broken. */

static size_t
random_lines(uint8_t *dst)
{
    size_t       n, k, len;
    const char  *word;

    static const char *const  words[] = {
        ZHONG, WEN, GBK, NV, "word ", "\xe9t\xe9 ", "\xd0\x9f\xd1\x80",
        "\xcf\xf0\xe8", "\xff", "\xe6\x96", "\xf0\x9f\x98\x80", "x", "0",
        X100, "\xb4\xf2\xbf\xaa\xce\xc4\xbc\xfe", "\x81\x30"
    };

    len = 0;

    while (len < 2000) {
        k = tap_below(nitems(words));

        for (n = tap_below(tap_below(8) ? 6 : 30); n > 0; n--) {
            k = tap_below(3) ? k : tap_below(nitems(words));
            word = words[k];

            if (len + strlen(word) >= LEN_MAX - 2) {
                return len;
            }

            memcpy(dst + len, word, strlen(word));
            len += strlen(word);
        }

        dst[len++] = '\n';
    }

    return len;
}


static void
check_random(void)
{
    size_t           i, len;
    feed_t           how;
    unsigned         failed;
    const char      *charset;
    static uint8_t   src[LEN_MAX];
    static result_t  ref, got;

    static const char *const  charsets[] = {
        NULL, NULL, "GB18030", "CP950", "CP932", "EUC-JP-MS", "UHC", "CP1252",
        "CP1251", "CP1255", "BIG5-HKSCS"
    };

    failed = 0;

    for (i = 0; i < 600 && failed == 0; i++) {
        len = random_lines(src);
        charset = charsets[i % nitems(charsets)];
        how = (feed_t) { 1 + tap_below(i % 3 ? 30 : 900),
                         1 + tap_below(i % 2 ? 40 : 3000), 1 };

        failed += !feed(&ref, charset, 0, 1, src, len, &whole)
                  || !feed(&got, charset, 0, 1, src, len, &how)
                  || !unescape(&ref, 1) || !unescape(&got, 1)
                  || got.len != ref.len
                  || memcmp(got.data, ref.data, ref.len) != 0
                  || strcmp(got.charset, ref.charset) != 0;
    }

    if (!ok(failed == 0, "the pieces do not matter")) {
        diag("%s, in pieces %s", charset != NULL ? charset : "-", got.charset);
        diag_mem("at once", ref.data, ref.len);
        diag_mem("in pieces", got.data, got.len);
        diag_mem("source", src, len);
    }
}


int
main(void)
{
    feed_lines = 1;

    check_cases();
    check_random();

    return done();
}
