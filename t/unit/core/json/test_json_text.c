
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset.h"
#include "text_feed.h"


#define BAD  "\xef\xbf\xbd"


/* Whole, byte by byte, and with the smallest room; escaped, and not. */

static void
is_text(const char *charset, const void *src, size_t len, const char *want,
    const char *name)
{
    size_t           i, n;
    unsigned         level;
    static result_t  res;

    static const feed_t  ways[] = {
        { OUT_MAX, OUT_MAX, 0 },
        { 1, OUT_MAX, 0 },
        { OUT_MAX, ART_JSON_UNIT_MAX, 0 },
        { 1, ART_JSON_UNIT_MAX, 0 }
    };

    n = strlen(want);

    for (i = 0; i < 2 * nitems(ways); i++) {
        level = i < nitems(ways);

        if (!feed(&res, charset, 0, level, src, len, &ways[i % nitems(ways)])
            || !unescape(&res, level)
            || res.len != n || memcmp(res.data, want, n) != 0)
        {
            diag("way %zu of feeding", i);
            break;
        }
    }

    is_mem(res.data, res.len, want, n, name);
}


#define text(charset, src, want, name)                                       \
    is_text(charset, src, sizeof(src) - 1, want, name)


static void
test_utf8(void)
{
    text(NULL, "", "", "nothing");
    text(NULL, "a\"b\\c\n", "a\"b\\c\n", "escapes");
    text("UTF-8", "\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80",
         "\xe4\xb8\xad\xe6\x96\x87 \xf0\x9f\x98\x80", "Chinese and an emoji");
    text(NULL, "a\xff" "b\xe4\xb8" "c\xed\xa0\x80", "a" BAD "b" BAD "c" BAD
         BAD BAD, "ill-formed bytes");
    text(NULL, "\xf0\x9f\x98\xf0\x9f\x98\x80", BAD "\xf0\x9f\x98\x80",
         "unfinished, then the same again");
    text(NULL, "a\xe4\xb8", "a" BAD, "unfinished at the end");
    text(NULL, "\xf0\x9f\x98", BAD, "unfinished as a whole");
    text(NULL, "\xc0\xaf\xf4\x90\x80\x80", BAD BAD BAD BAD BAD BAD,
         "overlong and too high");
}


static void
test_marks(void)
{
    text(NULL, "\xef\xbb\xbf" "a", "a", "UTF-8's mark");
    text("GB18030", "\xef\xbb\xbf\xe4\xb8\xad", "\xe4\xb8\xad",
         "UTF-8's mark overrides a charset");
    text(NULL, "\xff\xfe" "a\0\x2d\x4e", "a\xe4\xb8\xad", "UTF-16LE's mark");
    text(NULL, "\xfe\xff\0a\x4e\x2d", "a\xe4\xb8\xad", "UTF-16BE's mark");
    text("UTF-16BE", "\xff\xfe" "a\0", "a", "a mark overrides the order");
    text("CP1252", "\xff\xfe" "a\0", "a", "a mark overrides a charset");
    text(NULL, "\xff\xfe\0\0a\0\0\0", "a", "UTF-32LE's mark");
    text(NULL, "\0\0\xfe\xff\0\0\0a", "a", "UTF-32BE's mark");
    text(NULL, "\xff\xfe", "", "UTF-16LE's mark alone");
    text(NULL, "\xff\xfe\0", BAD, "UTF-16LE's mark and half a unit");
    text(NULL, "\xff\xfe\xff\xfe" "a\0", "\xef\xbb\xbf" "a",
         "only the first mark is taken away");
    text(NULL, "\xff", BAD, "shorter than a mark: FF");
    text(NULL, "\xef\xbb", BAD, "shorter than a mark: EF BB");
    text(NULL, "\xef\xbb" "a", BAD "a", "no mark: EF BB 61");
    text(NULL, "\xff\xff", BAD BAD, "no mark: FF FF");
    text("CP1252", "\xef", "\xc3\xaf", "shorter than a mark, in a charset");
    text("CP1252", "\xef\xbb", "\xc3\xaf\xc2\xbb", "the same of two bytes");
    text("UTF-16LE", "\0", BAD, "half a unit that could be a mark");
    text("CP1252", "a\xff\xfe", "a\xc3\xbf\xc3\xbe", "a mark later is text");
}


static void
test_zero_start(void)
{
    static result_t  res;

    /* NULs cannot stand in the text() vectors */

    ok(feed(&res, NULL, 0, 1, "\0\0\xfe", 3, &whole)
       && res.len == 9 && memcmp(res.data, BAD BAD BAD, 9) == 0,
       "no mark: 00 00 FE");
    ok(feed(&res, NULL, 0, 1, "a\0b\0", 4, &whole)
       && res.len == 8 && memcmp(res.data, "a" BAD "b" BAD, 8) == 0,
       "a NUL in UTF-8");
    ok(feed(&res, "GB18030", 0, 1, "\xd6\xd0\0b", 4, &whole)
       && res.len == 7 && memcmp(res.data, "\xe4\xb8\xad" BAD "b", 7) == 0,
       "a NUL in another charset");
    ok(feed(&res, "UTF-16LE", 0, 1, "a\0\0\0b\0", 6, &whole)
       && res.len == 5 && memcmp(res.data, "a" BAD "b", 5) == 0,
       "a NUL in UTF-16");
    ok(feed(&res, NULL, 3, 1, "a\0b", 3, &whole)
       && res.len == 1 && res.truncated, "one that exceeds the limit");
    ok(feed(&res, "UTF-16LE", 0, 1, "\xff\xfe" "a\0", 4, &whole)
       && strcmp(res.charset, "UTF-16LE") == 0
       && feed(&res, NULL, 0, 1, "\xfe\xff\0a", 4, &whole)
       && strcmp(res.charset, "UTF-16BE") == 0
       && feed(&res, NULL, 0, 1, "a", 1, &whole)
       && strcmp(res.charset, "UTF-8") == 0, "the charset in effect is told");
}


/* No mark in the middle of a text. */

static void
test_inner(void)
{
    size_t           n, len;
    uint8_t          dst[64];
    const uint8_t   *p;
    art_json_text_t  t;

    art_json_text_init(&t, NULL, 0, 0);
    art_json_text_inner(&t);

    p = (const uint8_t *) "\xef\xbb\xbf" "a";
    len = 4;
    n = art_json_text_update(&t, dst, sizeof(dst), &p, &len, 0);
    is_mem(dst, n, "\xef\xbb\xbf" "a", 4, "a mark that is text");

    p = (const uint8_t *) "a\0b";
    len = 3;
    n = art_json_text_update(&t, dst, sizeof(dst), &p, &len, 0);
    is_mem(dst, n, "a" BAD "b", 5, "a NUL of a text");
    art_json_text_done(&t);
}


static void
test_wide(void)
{
    text("UTF-16LE", "a\0\x2d\x4e\x3d\xd8\x00\xde",
         "a\xe4\xb8\xad\xf0\x9f\x98\x80", "UTF-16LE");
    text("UTF-16BE", "\0a\x4e\x2d\xd8\x3d\xde\x00",
         "a\xe4\xb8\xad\xf0\x9f\x98\x80", "UTF-16BE");
    text("UTF-16", "\0a\x4e\x2d", "a\xe4\xb8\xad",
         "UTF-16 without a mark is big-endian");
    text("UTF-16LE", "\x3d\xd8" "a\0", BAD "a", "a high surrogate alone");
    text("UTF-16LE", "\x00\xde" "a\0", BAD "a", "a low surrogate alone");
    text("UTF-16LE", "a\0\x3d\xd8", "a" BAD, "a high surrogate at the end");
    text("UTF-16LE", "a\0\x3d\xd8\x00", "a" BAD, "and half a low one");
    text("UTF-16LE", "a\0b", "a" BAD, "half a unit at the end");
    text("UTF-32LE", "a\0\0\0\x00\xf6\x01\x00", "a\xf0\x9f\x98\x80",
         "UTF-32LE");
    text("UTF-32BE", "\0\0\0a\x00\x01\xf6\x00", "a\xf0\x9f\x98\x80",
         "UTF-32BE");
    text("UTF-32", "\0\0\0a", "a", "UTF-32 without a mark is big-endian");
    text("UTF-32BE", "\0\x11\0\0\0\0\xd8\0\0\0\0a", BAD BAD "a",
         "UTF-32: too high, a surrogate");
    text("UTF-32LE", "a\0\0\0b\0\0", "a" BAD, "UTF-32: unfinished");
}


static void
test_east_asian(void)
{
    text("GB18030", "a\xd6\xd0\xce\xc4\x81\x30\x81\x30",
         "a\xe4\xb8\xad\xe6\x96\x87\xc2\x80", "GBK and GB18030");
    text("GB18030", "a\xff" "b\xd6", "a" BAD "b" BAD, "GB18030: bad bytes");
    text("GB18030", "\xd6" "1\xd6\xd0", BAD "1\xe4\xb8\xad",
         "GB18030: the second byte is ASCII");
    text("GB18030", "a\x81\x30\x81", "a" BAD, "GB18030: three bytes of four");
    text("CP950", "\xa4\xa4\xa4\xe5\xa1\x45", "\xe4\xb8\xad\xe6\x96\x87"
         "\xe2\x80\xa7", "Big5");
    text("BIG5-HKSCS", "\x88\x62\xa4\xa4\x88\x66", "\xc3\x8a\xcc\x84"
         "\xe4\xb8\xad\xc3\x8a", "Big5-HKSCS: one character, two code points");
    text("BIG5-HKSCS", "\x88\x66\xff", "\xc3\x8a" BAD,
         "Big5-HKSCS: what is held back stays before a bad byte");
    text("CP932", "\\\x93\xfa\x96\x7b\xb1~\x81\x60",
         "\\\xe6\x97\xa5\xe6\x9c\xac\xef\xbd\xb1~\xef\xbd\x9e", "Shift_JIS");
    text("CP932", "\x81\xad\x82\xa0\xa0\x82\xa0",
         BAD "\xe3\x81\x82" BAD "\xe3\x81\x82",
         "Shift_JIS: an unassigned pair, a stray byte");
    text("EUC-JP-MS", "\xc6\xfc\xcb\xdc\x8e\xb1\xad\xa1",
         "\xe6\x97\xa5\xe6\x9c\xac\xef\xbd\xb1\xe2\x91\xa0", "EUC-JP");
    text("EUC-JP-MS", "\xa9\xa1\xa4\xa2", BAD "\xe3\x81\x82",
         "EUC-JP: an unassigned pair");
    text("UHC", "\xc7\xd1\xb1\xdb\x81\x41", "\xed\x95\x9c\xea\xb8\x80"
         "\xea\xb0\x82", "EUC-KR");
    text("UHC", "\xc9\xa1\xb0\xa1\xc9" "A", BAD "\xea\xb0\x80" BAD "A",
         "EUC-KR: a pair for users, a lead byte alone");
    text("UHC", "a\xc9", "a" BAD, "EUC-KR: its lead byte at the end");
}


static void
test_stateful(void)
{
    text("ISO-2022-JP", "a\x1b$BF|K\\\x1b(Bb", "a\xe6\x97\xa5\xe6\x9c\xac" "b",
         "ISO-2022-JP");
    text("ISO-2022-JP", "\x1b$BF|K\\", "\xe6\x97\xa5\xe6\x9c\xac",
         "ISO-2022-JP left in two-byte mode");
    text("ISO-2022-JP", "\x1b(J\\\x1b(B\\", "\xc2\xa5\\",
         "ISO-2022-JP's Roman set");
    text("ISO-2022-JP", "a\xe4" "b\x1b$BF|", "a" BAD "b\xe6\x97\xa5",
         "ISO-2022-JP: bytes of 8 bits");
    text("ISO-2022-JP", "\x1b$B)!$\"F", BAD "\xe3\x81\x82" BAD,
         "ISO-2022-JP: an unassigned pair, half a pair");
    text("ISO-2022-JP", "a\x1bzb", "a\x1bzb",
         "ISO-2022-JP: an escape that starts nothing is a control character");
    text("ISO-2022-JP", "a\x1b$", "a" BAD, "ISO-2022-JP: half an escape");
}


static void
test_single_byte(void)
{
    char    in[1500], want[4501];
    size_t  i;

    text("CP1252", "\x93" "a\x94\x80\xe9", "\xe2\x80\x9c" "a\xe2\x80\x9d"
         "\xe2\x82\xac\xc3\xa9", "windows-1252");
    text("CP1252", "\x81\x8d\x8f\x90\x9d", "\xc2\x81\xc2\x8d\xc2\x8f\xc2\x90"
         "\xc2\x9d", "windows-1252: unassigned bytes are C1 controls");
    text("CP1253", "\x81\xaa\xd2", "\xc2\x81" BAD BAD,
         "windows-1253: above them they are not");
    text("ISO-8859-7", "\xe1\xae", "\xce\xb1" BAD, "ISO-8859-7");
    text("KOI8-R", "\xf0\xf2", "\xd0\x9f\xd0\xa0", "KOI8-R");
    text("CP1255", "\xf9\xd1\xf9", "\xef\xac\xaa\xd7\xa9",
         "windows-1255: what combines, and what is held back at the end");
    text("CP1255", "\xf9\xff\xf9\x81", "\xd7\xa9" BAD "\xd7\xa9\xc2\x81",
         "windows-1255: held back before bad bytes");
    text("CP1258", "A\xcc\xc0", "\xc3\x80\xc3\x80", "windows-1258");

    /* three times as long in UTF-8: iconv runs out of room */

    for (i = 0; i < sizeof(in); i++) {
        in[i] = (char) (0xa1 + i % 50);
        (void) naive_encode((uint8_t *) want + i * 3,
                            (uint32_t) (0xe01 + i % 50));
    }

    want[i * 3] = '\0';
    is_text("CP874", in, sizeof(in), want, "windows-874, long");
}


static void
test_unknown(void)
{
    art_json_text_t  t;

    text("NO-SUCH-CHARSET", "t\xc3\xa9xt \x82\xa0", "t\xc3\xa9xt " BAD BAD,
         "a charset that iconv does not know is read as UTF-8");

    art_json_text_init(&t, "CP1252", 0, 1);
    art_json_text_done(&t);
    ok(t.cd == (iconv_t) -1, "done before it begins");
}


static void
test_labels(void)
{
    size_t       i;
    iconv_t      cd;
    unsigned     unknown;
    const char  *name;

    static const char  *v[][2] = {
        { "utf-8", "UTF-8" }, { "UTF8", "UTF-8" }, { "us-ascii", "UTF-8" },
        { "ASCII", "UTF-8" }, { " utf-8\t\r\n\f", "UTF-8" },
        { "utf-16", "UTF-16" }, { "UTF-16LE", "UTF-16LE" },
        { "utf-16be", "UTF-16BE" }, { "unicode", "UTF-16LE" },
        { "utf-32", "UTF-32" }, { "utf-32le", "UTF-32LE" },
        { "UTF-32BE", "UTF-32BE" }, { "GB2312", "GB18030" },
        { "gbk", "GB18030" }, { "GB18030", "GB18030" }, { "CP936", "GB18030" },
        { "big5", "CP950" }, { "Big5-HKSCS", "BIG5-HKSCS" },
        { "Shift_JIS", "CP932" }, { "windows-31j", "CP932" },
        { "sjis", "CP932" }, { "EUC-JP", "EUC-JP-MS" },
        { "iso-2022-jp", "ISO-2022-JP" }, { "euc-kr", "UHC" },
        { "ks_c_5601-1987", "UHC" }, { "latin1", "CP1252" },
        { "ISO-8859-1", "CP1252" }, { "iso_8859-1:1987", "CP1252" },
        { "iso-8859-2", "ISO-8859-2" }, { "iso-8859-3", "ISO-8859-3" },
        { "iso-8859-4", "ISO-8859-4" }, { "iso-8859-5", "ISO-8859-5" },
        { "iso-8859-6", "ISO-8859-6" }, { "iso-8859-7", "ISO-8859-7" },
        { "iso-8859-8", "ISO-8859-8" }, { "iso-8859-9", "CP1254" },
        { "iso-8859-10", "ISO-8859-10" }, { "iso-8859-11", "CP874" },
        { "iso-8859-13", "ISO-8859-13" }, { "iso-8859-14", "ISO-8859-14" },
        { "iso-8859-15", "ISO-8859-15" }, { "iso-8859-16", "ISO-8859-16" },
        { "windows-874", "CP874" }, { "windows-1250", "CP1250" },
        { "windows-1251", "CP1251" }, { "cp1252", "CP1252" },
        { "windows-1253", "CP1253" }, { "windows-1254", "CP1254" },
        { "windows-1255", "CP1255" }, { "windows-1256", "CP1256" },
        { "windows-1257", "CP1257" }, { "x-cp1258", "CP1258" },
        { "koi8-r", "KOI8-R" }, { "KOI8-U", "KOI8-U" },
        { "ibm866", "IBM866" }, { "macintosh", "MACINTOSH" },
        { "x-mac-cyrillic", "MAC-UK" },

        { "", NULL }, { " ", NULL }, { "utf-7", NULL }, { "utf", NULL },
        { "utf-8 utf8", NULL }, { "utf-8utf8", NULL }, { "utf-88", NULL },
        { "UTF-8//TRANSLIT", NULL }, { "hz-gb-2312", NULL }, { "8", NULL },
        { "x-user-defined", NULL }, { "../../etc/passwd", NULL },
        { "a-label-much-longer-than-any-that-is-known", NULL }
    };

    unknown = 0;

    for (i = 0; i < nitems(v); i++) {
        name = art_charset_find(art_cstr(v[i][0]));

        if ((name == NULL) != (v[i][1] == NULL)
            || (name && strcmp(name, v[i][1]) != 0))
        {
            diag("\"%s\" is %s", v[i][0], name ? name : "unknown");
            break;
        }

        if (name == NULL) {
            continue;
        }

        cd = art_charset_open(name);

        if (cd == (iconv_t) -1) {
            diag("iconv knows no %s", name);
            unknown++;
            continue;
        }

        (void) iconv_close(cd);
    }

    ok(i == nitems(v), "labels");

    /* musl has no charsets of old Macintoshs */

#ifdef __GLIBC__
    is_int(unknown, 0, "iconv knows their charsets");
#else
    is_int(unknown, 2, "iconv knows their charsets");
#endif

    ok(art_charset_find(art_str("utf-8\0", 6)) == NULL,
       "a label with a NUL");
    ok(art_charset_find(art_str(NULL, 0)) == NULL, "no label");

    ok(art_charset_wide("UTF-16") && art_charset_wide("UTF-16LE")
       && art_charset_wide("UTF-32BE") && !art_charset_wide("UTF-8")
       && !art_charset_wide("GB18030") && !art_charset_wide("?"),
       "wide charsets");
}


static void
test_limit_vectors(void)
{
    static result_t  res;

    ok(feed(&res, NULL, 3, 1, "abc", 3, &whole) && res.len == 3
       && !res.truncated, "a limit that is just met");
    ok(feed(&res, NULL, 3, 1, "abcd", 4, &whole) && res.len == 3
       && res.truncated, "a limit that is exceeded by one");
    ok(feed(&res, NULL, 1, 1, "\"\"", 2, &whole) && res.len == 2
       && res.truncated, "a limit counts before escaping");
    ok(feed(&res, NULL, 5, 1, "\xe4\xb8\xad\xe6\x96\x87", 6, &whole)
       && res.len == 3 && res.truncated, "a limit inside a character");
    ok(feed(&res, NULL, 2, 1, "\xff", 1, &whole) && res.len == 0
       && res.truncated, "a limit below U+FFFD");
    ok(feed(&res, "ISO-2022-JP", 3, 1, "\x1b$BF|\x1b(B", 8, &whole)
       && res.len == 3 && !res.truncated,
       "an escape sequence behind the limit is no text");
}


/* Whatever a text turns out to be, it goes on: all of it comes. */

static void
test_endless(void)
{
    size_t           i, n, len;
    uint8_t          dst[400], src[300];
    const uint8_t   *p;
    art_json_text_t  t;

    static const uint8_t  bad[] = { 0, 0xff, 0x80 };

    for (i = 0; i < nitems(bad); i++) {
        memset(src, bad[i], sizeof(src));
        art_json_text_init(&t, NULL, 0, 1);
        len = 0;

        for (n = 0; n < 100000; n += sizeof(src)) {
            size_t  left = sizeof(src);

            p = src;

            while (left > 0) {
                len += art_json_text_update(&t, dst, sizeof(dst), &p, &left,
                                            0);
            }
        }

        ok(len == 3 * n, "%zu bytes %02x", n, bad[i]);
        art_json_text_done(&t);
    }
}


int
main(void)
{
    test_utf8();
    test_marks();
    test_endless();
    test_zero_start();
    test_inner();
    test_wide();
    test_east_asian();
    test_stateful();
    test_single_byte();
    test_unknown();
    test_labels();
    test_limit_vectors();

    return done();
}
