
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <errno.h>

#include "../../src/core/art_json.h"
#include "../../src/core/art_text.h"
#include "naive_utf8.h"
#include "tap.h"


#define LEN_MAX  3000
#define OUT_MAX  (LEN_MAX * 30)
#define BAD      "\xef\xbf\xbd"

#define nitems(a)  (sizeof(a) / sizeof((a)[0]))


/* How a text is fed: random sizes below these two if "vary". */

typedef struct {
    size_t      chunk;
    size_t      room;
    int         vary;
} feed_t;


typedef struct {
    size_t      len;
    unsigned    truncated;
    const char *charset;
    uint8_t     data[OUT_MAX];
} result_t;


static const feed_t  whole = { OUT_MAX, OUT_MAX, 0 };


static uint8_t *
exact(const void *data, size_t len)
{
    uint8_t  *p;

    p = malloc(len + (len == 0));

    if (p == NULL) {
        printf("Bail out! no memory\n");
        exit(2);
    }

    if (len > 0 && data) {
        memcpy(p, data, len);
    }

    return p;
}


static size_t
feed_room(const feed_t *how)
{
    return how->vary ? ART_JSON_UNIT_MAX + tap_below(how->room) : how->room;
}


/* Offers one piece until all is taken; 0 on a broken promise. */

static int
feed_piece(art_text_t *t, result_t *res, const uint8_t *src, size_t len,
    unsigned last, const feed_t *how)
{
    size_t          n, room, left;
    uint8_t        *dst, *copy;
    const uint8_t  *p;

    copy = len ? exact(src, len) : NULL;
    p = copy;
    left = len;

    do {
        room = feed_room(how);
        dst = exact(NULL, room);

        n = art_text_update(t, dst, room, &p, &left, last);

        if (n == ART_TEXT_ERROR || n > room || (n == 0 && left > 0)
            || p != (copy ? copy + (len - left) : NULL)
            || !naive_valid(dst, n))
        {
            diag("%zu bytes for a room of %zu, %zu left", n, room, left);
            free(dst);
            free(copy);
            return 0;
        }

        memcpy(res->data + res->len, dst, n);
        res->len += n;
        free(dst);

    } while (n > 0);

    free(copy);

    return 1;
}


/* Converts a text; the result is still escaped. */

static int
feed(result_t *res, const char *charset, uint64_t max, unsigned level,
    const void *src, size_t len, const feed_t *how)
{
    int             good;
    size_t          n;
    unsigned        last;
    art_text_t      t;
    const uint8_t  *p;

    art_text_init(&t, charset, max, level);

    p = src;
    res->len = 0;
    last = 0;
    good = 1;

    while (good && !last) {
        n = how->vary ? tap_below(how->chunk + 1) : how->chunk;
        n = n < len ? n : len;

        /* the end may be known with the last bytes, or only after them */

        last = n == len && (n == 0 || (how->vary && tap_below(2)));

        good = feed_piece(&t, res, p, n, last, how);
        p += n;
        len -= n;
    }

    res->truncated = t.truncated;
    res->charset = t.charset;

    art_text_done(&t);

    return good;
}


static int
unescape(result_t *res, unsigned level)
{
    long  n;

    while (level-- > 0) {
        n = naive_unescape(res->data, res->len);

        if (n < 0) {
            return 0;
        }

        res->len = (size_t) n;
    }

    return 1;
}


/* Whole, byte by byte, and with the smallest room. */

static void
is_text(const char *charset, const void *src, size_t len, const char *want,
    const char *name)
{
    size_t           i, n;
    static result_t  res;

    static const feed_t  ways[] = {
        { OUT_MAX, OUT_MAX, 0 },
        { 1, OUT_MAX, 0 },
        { OUT_MAX, ART_JSON_UNIT_MAX, 0 },
        { 1, ART_JSON_UNIT_MAX, 0 }
    };

    n = strlen(want);

    for (i = 0; i < nitems(ways); i++) {
        if (!feed(&res, charset, 0, 1, src, len, &ways[i])
            || !unescape(&res, 1)
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
    text(NULL, "\xef\xbb\xbf" "a", "\xef\xbb\xbf" "a", "UTF-8's mark stays");
    text("GB18030", "\xef\xbb\xbf\xe4\xb8\xad", "\xef\xbb\xbf\xe4\xb8\xad",
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

    /* NULs cannot stand in the text() vectors' expectations */

    ok(feed(&res, NULL, 0, 1, "\0\0\xfe", 3, &whole)
       && res.len == 15 && memcmp(res.data, "\\u0000\\u0000" BAD, 15) == 0,
       "no mark: 00 00 FE");
    ok(feed(&res, "UTF-16LE", 0, 1, "\xff\xfe" "a\0", 4, &whole)
       && strcmp(res.charset, "UTF-16LE") == 0
       && feed(&res, NULL, 0, 1, "\xfe\xff\0a", 4, &whole)
       && strcmp(res.charset, "UTF-16BE") == 0
       && feed(&res, NULL, 0, 1, "a", 1, &whole)
       && strcmp(res.charset, "UTF-8") == 0, "the charset in effect is told");
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
test_error(void)
{
    size_t          len;
    uint8_t         dst[32];
    art_text_t      t;
    const uint8_t  *p;

    art_text_init(&t, "NO-SUCH-CHARSET", 0, 1);

    p = (const uint8_t *) "text";
    len = 4;

    ok(art_text_update(&t, dst, sizeof(dst), &p, &len, 1) == ART_TEXT_ERROR,
       "a charset unknown to iconv");

    art_text_done(&t);
    art_text_done(&t);
    ok(t.cd == (iconv_t) -1, "done twice");
}


static void
test_labels(void)
{
    size_t       i;
    iconv_t      cd;
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

        cd = iconv_open("UTF-8", name);

        if (cd == (iconv_t) -1) {
            diag("iconv knows no %s", name);
            break;
        }

        (void) iconv_close(cd);
    }

    ok(i == nitems(v), "labels, and iconv knows their charsets");

    ok(art_charset_find(art_str("utf-8\0", 6)) == NULL,
       "a label with a NUL");
    ok(art_charset_find(art_str(NULL, 0)) == NULL, "no label");

    ok(art_charset_wide("UTF-16") && art_charset_wide("UTF-16LE")
       && art_charset_wide("UTF-32BE") && !art_charset_wide("UTF-8")
       && !art_charset_wide("GB18030") && !art_charset_wide("?"),
       "wide charsets");
}


static const char  *charsets[] = {
    "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE",
    "UTF-32BE", "GB18030", "CP950", "BIG5-HKSCS", "CP932", "EUC-JP-MS",
    "ISO-2022-JP", "UHC", "CP1252", "ISO-8859-2", "ISO-8859-3", "ISO-8859-4",
    "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "ISO-8859-8", "ISO-8859-10",
    "ISO-8859-13", "ISO-8859-14", "ISO-8859-15", "ISO-8859-16", "CP874",
    "CP1250", "CP1251", "CP1253", "CP1254", "CP1255", "CP1256", "CP1257",
    "CP1258", "KOI8-R", "KOI8-U", "IBM866", "MACINTOSH", "MAC-UK"
};


/* Random characters, those that the charset has; returns the length. */

static size_t
random_text(uint8_t *dst, size_t max, const char *charset)
{
    char      utf8[4], *in, *out;
    size_t    left, room;
    iconv_t   cd;
    uint32_t  base, size;

    static const uint32_t  ranges[][2] = {
        { 0, 0x80 }, { ' ', 0x5f }, { 0x80, 0x780 }, { 0xe00, 0x60 },
        { 0x3000, 0x100 }, { 0x4e00, 0x5200 }, { 0x10000, 0x100000 }
    };

    cd = iconv_open(charset, "UTF-8");

    if (cd == (iconv_t) -1) {
        return 0;
    }

    out = (char *) dst;
    room = max;
    base = ranges[0][0];
    size = ranges[0][1];

    while (room >= 16) {
        if (tap_below(8) == 0) {
            left = tap_below(nitems(ranges));
            base = ranges[left][0];
            size = ranges[left][1];
        }

        in = utf8;
        left = naive_encode((uint8_t *) utf8,
                            base + (uint32_t) tap_below(size));

        if (iconv(cd, &in, &left, &out, &room) == (size_t) -1) {
            base = ranges[1][0];
            size = ranges[1][1];
        }
    }

    (void) iconv_close(cd);

    return max - room;
}


/* A text of the charset, or one with errors, or noise; returns its length. */

static size_t
random_input(uint8_t *dst, size_t max, const char *charset)
{
    size_t  i, len;

    static const char  *marks[] = { "\xff\xfe", "\xfe\xff", "\xef\xbb\xbf",
                                    "\xef\xbb" };

    len = 0;

    if (max >= 20 && tap_below(6) == 0) {
        i = tap_below(nitems(marks));
        len = strlen(marks[i]);
        memcpy(dst, marks[i], len);
    }

    if (tap_below(4) == 0) {
        for ( ; len < max; len++) {
            dst[len] = tap_below(3) ? (uint8_t) tap_rand()
                                    : (uint8_t) "\x1b$B(J\\\"a\n"[tap_below(9)];
        }

        return len;
    }

    len += random_text(dst + len, max - len, charset);

    for (i = tap_below(8); i > 0 && len > 0; i--) {
        dst[tap_below(len)] = (uint8_t) tap_rand();
    }

    return len > 3 ? len - tap_below(4) : len;
}


static int
same(const result_t *a, const result_t *b)
{
    return a->len == b->len && memcmp(a->data, b->data, a->len) == 0
           && a->truncated == b->truncated
           && strcmp(a->charset, b->charset) == 0;
}


/* Neither the pieces nor the rooms matter, in any charset. */

static void
test_random(const char *what, size_t max, size_t chunk, size_t room)
{
    int              good;
    size_t           i, k, len;
    uint64_t         limit;
    unsigned         level, failed;
    const char      *charset;
    const feed_t     how = { chunk, room, 1 };
    static uint8_t   src[LEN_MAX];
    static result_t  ref, got;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        charset = charsets[i % nitems(charsets)];
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = random_input(src, tap_below(max + 1), charset);
        limit = tap_below(3) ? 0 : tap_below(len + 2);

        good = feed(&ref, charset, limit, level, src, len, &whole);

        for (k = 0; k < 3 && good; k++) {
            good = feed(&got, charset, limit, level, src, len, &how)
                   && same(&got, &ref);
        }

        if (!good || !unescape(&ref, level)
            || !naive_valid(ref.data, ref.len)
            || (limit && ref.len > limit))
        {
            diag("%s, level %u, limit %llu", charset, level,
                 (unsigned long long) limit);
            diag_mem("source", src, len);
            diag_mem("got", got.data, got.len);
            failed++;
        }
    }

    ok(failed == 0, "any charset: %s", what);
}


/* UTF-8 against the definition. */

static void
test_repair(void)
{
    int              good;
    size_t           i, len, want;
    unsigned         level, failed;
    const feed_t     how = { 100, 50, 1 };
    static uint8_t   src[LEN_MAX], fixed[LEN_MAX * 3];
    static result_t  res;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        level = 1 + (unsigned) i % ART_JSON_LEVEL_MAX;
        len = random_input(src, tap_below(400), "UTF-8");

        /* no mark of another charset */

        if (len > 0 && src[0] >= 0xfe) {
            src[0] = 'x';
        }

        want = naive_repair(fixed, src, len);

        good = feed(&res, i % 2 ? NULL : "UTF-8", 0, level, src, len,
                    i % 3 ? &how : &whole)
               && unescape(&res, level)
               && res.len == want && memcmp(res.data, fixed, want) == 0;

        if (!good) {
            diag_mem("source", src, len);
            diag_mem("got", res.data, res.len);
            failed++;
        }
    }

    ok(failed == 0, "UTF-8: repaired as defined");
}


/* UTF-16 against the definition: D91 of Unicode 15. */

static size_t
naive_utf16(uint8_t *dst, const uint8_t *p, size_t len, int big)
{
    size_t    i, n;
    uint32_t  unit, high;

    n = 0;
    high = 0;

    for (i = 0; i + 1 < len; i += 2) {
        unit = big ? (uint32_t) (p[i] << 8 | p[i + 1])
                   : (uint32_t) (p[i + 1] << 8 | p[i]);

        if (high && unit >= 0xdc00 && unit <= 0xdfff) {
            n += naive_encode(dst + n, 0x10000 + ((high - 0xd800) << 10)
                                       + (unit - 0xdc00));
            high = 0;
            continue;
        }

        if (high) {
            n += naive_encode(dst + n, 0xfffd);
            high = 0;
        }

        if (unit >= 0xd800 && unit <= 0xdbff) {
            high = unit;

        } else if (unit >= 0xdc00 && unit <= 0xdfff) {
            n += naive_encode(dst + n, 0xfffd);

        } else {
            n += naive_encode(dst + n, unit);
        }
    }

    /* whatever is unfinished at the end is one sequence */

    if (high || i < len) {
        n += naive_encode(dst + n, 0xfffd);
    }

    return n;
}


static void
test_utf16(void)
{
    int              big, good;
    size_t           i, k, len, want;
    unsigned         failed;
    const feed_t     how = { 50, 50, 1 };
    static uint8_t   src[600], decoded[1800];
    static result_t  res;

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        big = (int) (i % 2);
        len = tap_below(sizeof(src));

        for (k = 0; k < len; k++) {
            src[k] = k % 2 != (size_t) big && tap_below(2)
                     ? (uint8_t) (0xd8 + tap_below(8)) : (uint8_t) tap_rand();
        }

        if (len > 0) {
            src[0] = 'x';
        }

        want = naive_utf16(decoded, src, len, big);

        good = feed(&res, big ? "UTF-16BE" : "UTF-16LE", 0, 1, src, len,
                    i % 3 ? &how : &whole)
               && unescape(&res, 1)
               && res.len == want && memcmp(res.data, decoded, want) == 0;

        if (!good) {
            diag_mem(big ? "big-endian" : "little-endian", src, len);
            diag_mem("got", res.data, res.len);
            diag_mem("expected", decoded, want);
            failed++;
        }
    }

    ok(failed == 0, "UTF-16: surrogates as defined");
}


/* A limit leaves the longest prefix of characters that it can hold. */

static void
test_limit(void)
{
    int              good;
    size_t           i, len, cut, limit;
    unsigned         failed;
    const char      *charset;
    const feed_t     how = { 60, 40, 1 };
    static uint8_t   src[300];
    static result_t  all, res;

    static const char  *some[] = { "UTF-8", "GB18030", "UTF-16LE", "CP1252",
                                   "ISO-2022-JP", "CP1255" };

    failed = 0;

    for (i = 0; i < 900 && failed == 0; i++) {
        charset = some[i % nitems(some)];
        len = random_input(src, tap_below(sizeof(src) + 1), charset);

        good = feed(&all, charset, 0, 1, src, len, &whole)
               && unescape(&all, 1);

        limit = 1 + tap_below(all.len + 3);

        for (cut = limit; cut < all.len && (all.data[cut] & 0xc0) == 0x80; ) {
            cut--;
        }

        cut = cut < all.len ? cut : all.len;

        good = good && feed(&res, charset, limit, 1, src, len,
                            i % 3 ? &how : &whole)
               && unescape(&res, 1)
               && res.len == cut && memcmp(res.data, all.data, cut) == 0
               && res.truncated == (cut < all.len);

        if (!good) {
            diag("%s, limit %zu of %zu: %zu", charset, limit, all.len,
                 res.len);
            diag_mem("source", src, len);
            failed++;
        }
    }

    ok(failed == 0, "a limit cuts between characters");
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


int
main(void)
{
    test_utf8();
    test_marks();
    test_zero_start();
    test_wide();
    test_east_asian();
    test_stateful();
    test_single_byte();
    test_error();
    test_labels();
    test_random("any pieces, small rooms", 300, 60, 10);
    test_random("small pieces, any room", 300, 5, 400);
    test_random("long texts", LEN_MAX, 1500, 2000);
    test_repair();
    test_utf16();
    test_limit();
    test_limit_vectors();

    return done();
}
