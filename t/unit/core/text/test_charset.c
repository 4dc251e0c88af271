
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Charsets that nobody declares: what is frequent, what comes in pairs, and
 * where characters begin again.
 */


#include <iconv.h>

#include "core/text/art_charset_detect.h"
#include "core/text/art_utf8.h"
#include "tap.h"


/*
 * Whether an ideograph is frequent: only then most of a text of it and a
 * frequent one in GB18030 is, and the text is taken for that.
 */

static unsigned
frequent(iconv_t cd, unsigned code)
{
    char        *in, *end;
    size_t       left, room;
    uint8_t      utf8[4], text[8] = "\xb5\xc4";
    unsigned     guessed;
    const char  *charset;

    in = (char *) utf8;
    left = art_utf8_encode(utf8, code);
    end = (char *) text + 2;
    room = sizeof(text) - 2;

    if (iconv(cd, &in, &left, &end, &room) == (size_t) -1) {
        return 0;
    }

    charset = art_charset_detect(text, (size_t) (end - (char *) text), 1, 1,
                                 NULL, &guessed);

    return charset != NULL && strcmp(charset, "GB18030") == 0;
}


/* First and last of the table, some between, and what stands beside them. */

static void
check_frequent(void)
{
    size_t    i;
    iconv_t   cd;
    unsigned  code, count;

    static const struct {
        unsigned  code;
        unsigned  want;
    } cases[] = {
        { 0x4e00, 1 }, { 0x4e01, 0 }, { 0x7684, 1 }, { 0x7683, 0 },
        { 0x9ede, 1 }, { 0x9edd, 0 }, { 0x9edf, 0 }, { 0x9f98, 0 },
        { 0x4dff, 0 }, { 0x9fff, 0 }
    };

    cd = iconv_open("GB18030", "UTF-8");

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int(frequent(cd, cases[i].code), cases[i].want, "an ideograph");
    }

    count = 0;

    for (code = 0x4e00; code < 0xa000; code++) {
        count += frequent(cd, code);
    }

    (void) iconv_close(cd);

    is_int(count, 728, "all of the table are found");
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

        /* western letters beside ASCII, but few of them are damage */

        { "caf\xe9", 0, "CP1252" },
        { "d\xe9j\xe0 vu, l'\xe9t\xe9 est l\xe0", 1, NULL },

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


int
main(void)
{
    check_frequent();
    check_detect();
    check_faults();
    check_resume();

    return done();
}
