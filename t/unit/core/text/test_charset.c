
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Charsets that nobody declares: what is frequent, what comes in pairs, and
 * where characters begin again.
 */


#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/text/art_charset_frequent.h"
#include "core/text/art_utf8.h"
#include "tap.h"


/* What a character tells for a language. */

static unsigned
tells(art_frequent_t language, unsigned code)
{
    uint8_t  utf8[4];

    (void) art_utf8_encode(utf8, code);

    return art_charset_frequent(language, utf8);
}


/*
 * All of each list are found, so the lists are sorted; one character is found
 * in the lists of the languages that have it, and only there.
 */

static void
check_frequent(void)
{
    size_t    i;
    unsigned  code, often, known, told;

    static const struct {
        art_frequent_t  language;
        unsigned        often;
        unsigned        known;
    } lists[] = {
        { ART_FREQUENT_SIMPLIFIED, 200, 805 },
        { ART_FREQUENT_TRADITIONAL, 200, 815 },
        { ART_FREQUENT_JAPANESE, 150, 601 },
        { ART_FREQUENT_KOREAN, 150, 356 }
    };

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        often = 0;
        known = 0;

        for (code = 0x3400; code < 0xd800; code++) {
            told = tells(lists[i].language, code);
            often += told == ART_FREQUENT_OFTEN;
            known += told == ART_FREQUENT_KNOWN;
        }

        is_int(often, lists[i].often, "all that are frequent are found");
        is_int(known, lists[i].known, "all that are known are found");
    }

    is_int(tells(ART_FREQUENT_SIMPLIFIED, 0x6570), ART_FREQUENT_OFTEN,
           "a number, in simplified Chinese");
    is_int(tells(ART_FREQUENT_TRADITIONAL, 0x6570), 0,
           "the same is not written so in traditional Chinese");
    is_int(tells(ART_FREQUENT_KOREAN, 0x6570), 0, "nor in Korean");
    is_int(tells(ART_FREQUENT_JAPANESE, 0x306e), ART_FREQUENT_OFTEN, "kana");
    is_int(tells(ART_FREQUENT_SIMPLIFIED, 0x306e), 0, "no kana in Chinese");
    is_int(tells(ART_FREQUENT_KOREAN, 0x3002), ART_FREQUENT_KNOWN,
           "punctuation");
}


static void
check_detect(void)
{
    size_t          i, len;
    unsigned        guessed;
    const char     *got, *says;
    const uint8_t  *text;

    static const struct {
        const char  *text;
        unsigned     few;
        const char  *want;
    } cases[] = {

        /*
         * By their characters alone, which is all that is asked where there
         * are few bytes that are not ASCII: pairs, of which some seconds are
         * ASCII, and four bytes in GB18030.
         */

        { "\xb9\xa4\xbc\xfe\xc2\xb7\xd3\xc9 \xb5\xc4", 1, "GB18030" },
        { "\xb9\xa4\xb5\xc4\xbc\xfe\x81\x30\x84\x36\xb5\xc4\xca\xc7", 1,
          "GB18030" },
        { "\xa4\x75\xaa\xba\xa5\xf3\xaa\xba\xac\x4f.", 1, "CP950" },

        /* kana of one byte and of two, before ASCII */

        { "\xb1\xb2\xb3 \x83\x65\x83\x58\x83\x67\x82\xcc\x82\xbd", 1, "CP932" },

        /* three bytes of EUC-JP, before ASCII */

        { "\xa4\xb3\xa4\xce\x8f\xb0\xa1 \xa4\xcf\xa4\xb9\xa4\xeb", 1,
          "EUC-JP-MS" },

        /* a comment alone, in Korean syllables that nobody uses */

        { "// \xb3\xf5\xca\xbc\xbb\xaf\xca\xfd\xbe\xdd\xbf\xe2\xc1\xac"
          "\xbd\xd3", 1, "GB18030" },
        { "/* \xb1\xb8\xd7\xa2 */", 1, "GB18030" },
        { "# \xbb\xe7\xbf\xeb\xc0\xda", 1, "UHC" },

        /* one letter is damage, unless it is within a word */

        { "caf\xe9", 0, NULL },
        { "Gr\xf6sse", 1, "CP1252" },
        { "d\xe9j\xe0 vu, l'\xe9t\xe9 est l\xe0", 1, "CP1252" },

        /* parts of UTF-8 are damage, and so is the same byte again */

        { "words \xc0\xaf and others", 0, NULL },
        { "words \xff and \xff others, \xff as well", 0, NULL },

        /* letters that have others beside them are no pairs */

        { "nieprawid\xb3owy kr\xf3tki b\xb3\xb1" "d", 0, "ISO-8859-2" },

        /* the same languages as Windows has them */

        { "Chyba p\xf8ipojen\xed k datab\xe1zi, p\xf8\xedli\x9a "
          "\x9elu\x9dou\xe8k\xfd", 0, "CP1250" },

        /* a character that is cut off at the end, among a few or many */

        { "# \xbb\xe7\xbf\xeb\xc0\xda\xc0", 1, "UHC" },
        { "\xb6\xa9\xb5\xa5\xb4\xa6\xc0\xed\xca\xa7\xb0\xdc\xa3\xac"
          "\xc7\xeb\xbc\xec\xb2\xe9\xca\xfd\xbe\xdd\xbf\xe2\xc1\xac\xbd",
          0, "GB18030" },

        /* what it says, if it holds */

        { "# -*- coding: iso-8859-2 -*-\n\xb3\xf3" "d\xbc", 1, "ISO-8859-2" },
        { "@charset \"gbk\"; \xb9\x20", 1, NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        text = (const uint8_t *) cases[i].text;
        len = strlen(cases[i].text);
        says = art_charset_says(text, len);

        got = art_charset_detect(text, len, 1, cases[i].few, says, &guessed);

        is_str(got ? got : "none", cases[i].want ? cases[i].want : "none",
               "a charset");
        ok(got == NULL || guessed == (got != says), "guessed or not");
    }
}


/* What lines are, and what is taken of them. */

static void
check_lines(void)
{
    size_t    i, n;
    uint8_t   out[200];
    char      text[200];

    static const struct {
        const char  *line;
        art_line_t   want;
        const char  *name;
    } lines[] = {
        { "words\n", ART_LINE_UTF8, "ASCII" },
        { "\xe4\xb8\xad\n", ART_LINE_UTF8, "three bytes of UTF-8" },
        { "\xc5\xae\n", ART_LINE_UNSURE, "two bytes, in GBK an ideograph" },
        { "\xd0\x9f\xd1\x80\xd0\xb8\xd0\xb2\xd0\xb5\xd1\x82\n",
          ART_LINE_UTF8, "a word of Russian" },
        { "\xd6\xd0\xce\xc4\n", ART_LINE_OTHER, "GBK" },
        { "\xce\xc4 \xe4\xb8\xad\n", ART_LINE_OTHER, "both in one line" },
        { "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\n", ART_LINE_UTF8,
          "UTF-8 that was cut" },
        { "\xe4\xb8\xad\xe6", ART_LINE_UTF8, "UTF-8 that goes on" },
        { "caf\xe9 ole", ART_LINE_OTHER, "a byte that is not UTF-8" }
    };

    for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        is_int(art_charset_line((const uint8_t *) lines[i].line,
                                strlen(lines[i].line)),
               lines[i].want, lines[i].name);
    }

    (void) snprintf(text, sizeof(text), "%s",
                    "one\n\xe4\xb8\xad\n0123456789abc \xd6\xd0 abcdefghij"
                    "klmnopqrstuvw \xce\xc4\nmore\n\xb9\xa4");

    n = art_charset_foreign((const uint8_t *) text, strlen(text), out);
    is_mem(out, n, "6789abc \xd6\xd0 abcdefgqrstuvw \xce\xc4\n\xb9\xa4", 31,
           "what is not ASCII in lines that are not UTF-8, and what is near");

    is_int((long long) art_charset_foreign((const uint8_t *) "\xe4\xb8\xad", 3,
                                           out), 0, "nothing of UTF-8");
}


static void
check_faults(void)
{
    static const uint8_t  text[] = "\xb9\xa4 \xb9";

    is_int((long long) art_charset_faults("GB18030", text, 4, 1), 1,
           "a character that is cut off");
    is_int((long long) art_charset_faults("GB18030", text, 4, 0), 0,
           "but not if more follows");
    is_int((long long) art_charset_faults("CP1252", text, 4, 1), 0,
           "any byte may be a character");
    is_int((long long) art_charset_faults("NO-SUCH", text, 4, 1), 4,
           "no charset");
}


static void
check_resume(void)
{
    uint8_t  text[400];

    memset(text, 0xb9, sizeof(text));

    is_int((long long) art_charset_resume(text, sizeof(text)), 0,
           "nothing to begin again at");

    text[256] = ' ';
    is_int((long long) art_charset_resume(text, sizeof(text)), 0,
           "too far away");

    text[255] = 0x2f;
    is_int((long long) art_charset_resume(text, sizeof(text)), 255,
           "the last place that is looked at");

    text[100] = '0';
    text[101] = '\n';
    is_int((long long) art_charset_resume(text, sizeof(text)), 101,
           "digits may be second");
}


/* Whether the C library has loaded the tables of UHC as a file. */

static unsigned
is_loaded(void)
{
    char      line[4096];
    FILE     *maps;
    unsigned  found;

    maps = fopen("/proc/self/maps", "r");
    found = 0;

    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        found |= strstr(line, "/UHC.so") != NULL;
    }

    if (maps != NULL) {
        fclose(maps);
    }

    return found;
}


/* What was loaded once stays, however many other charsets come. */

static void
check_kept(void)
{
    size_t    i, k;
    iconv_t   cd;
    unsigned  before;

    static const char *const  charsets[] = { "CP1251", "KOI8-R", "IBM866" };

    cd = art_charset_open("UHC");
    before = is_loaded();
    (void) iconv_close(cd);

    for (i = 0; i < 20; i++) {
        for (k = 0; k < sizeof(charsets) / sizeof(charsets[0]); k++) {
            (void) iconv_close(art_charset_open(charsets[k]));
        }
    }

    is_int(is_loaded(), before, "tables stay loaded");
}


int
main(void)
{
    check_kept();
    check_frequent();
    check_detect();
    check_lines();
    check_faults();
    check_resume();

    return done();
}
