
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The telling of text from binary: UTF-8, UTF-16 with a mark and without, and
 * what is neither.
 */


#include "core/text/naive_utf8.h"
#include "sniff_run.h"
#include "tap.h"


typedef struct {
    const char  *bytes;
    size_t       len;
    unsigned     whole;
    unsigned     text;
    const char  *name;
} class_case_t;


#define A32  "abcdefghijklmnopqrstuvwxyz 01234"
#define ZH   "\xe5\xb7\xa5\xe4\xbb\xb6"


static const class_case_t  class_cases[] = {
    { B(""), 1, ART_TEXT_EMPTY, "nothing" },
    { B("x"), 1, ART_TEXT_CLEAN, "a letter" },
    { B("a\tb\r\nc\x0b\x0c\x08\x1b[0m\n"), 1, ART_TEXT_CLEAN,
      "white space and escapes of a terminal" },
    { B(ZH "\n"), 1, ART_TEXT_CLEAN, "Chinese" },
    { B("\xef\xbb\xbf" ZH), 1, ART_TEXT_CLEAN, "UTF-8 with its mark" },
    { B("\xf0\x9f\x98\x80"), 1, ART_TEXT_CLEAN, "an emoji" },
    { B(ZH "\xe5\xb7"), 0, ART_TEXT_CLEAN, "a character cut off" },
    { B(ZH "\xe5"), 0, ART_TEXT_CLEAN, "one cut off after a byte" },
    { B("\xf0\x9f\x98"), 0, ART_TEXT_CLEAN, "nothing but one cut off" },
    { B(ZH "\xe5\xb7"), 1, ART_TEXT_LOOSE, "one that ends so" },
    { B(A32 "\xe5\xb7"), 1, ART_TEXT_STRAY, "one that ends a longer text" },
    { B(A32 "\xe9" A32), 0, ART_TEXT_STRAY, "a byte of Latin 1" },
    { B(A32 "\x07"), 1, ART_TEXT_STRAY, "a bell" },
    { B(A32 "\x7f"), 1, ART_TEXT_STRAY, "a DEL" },
    { B("caf\xe9"), 1, ART_TEXT_LOOSE, "a word of Latin 1" },
    { B("\x01\x02"), 1, ART_TEXT_LOOSE, "control characters" },
    { B("a \x01 \xc3\xa9\n"), 1, ART_TEXT_LOOSE,
      "a control character in UTF-8, which is no Korean" },
    { B("\xb9\xa4\xbc\xfe\xc4\xda\xc8\xdd\n"), 1, ART_TEXT_CODED, "GBK" },
    { B("\xc0\xaf" A32 A32), 1, ART_TEXT_STRAY, "overlong UTF-8" },
    { B("\xed\xa0\x80" A32 A32 A32), 1, ART_TEXT_STRAY, "a surrogate" },
    { B(A32 A32 A32 A32 "\xe9\x01"), 1, ART_TEXT_MIXED,
      "a bad byte and a control character" },
    { B("\0"), 1, ART_TEXT_BINARY, "a NUL" },
    { B("words\0and more words\n"), 1, ART_TEXT_BINARY, "a NUL in a text" },
    { B("a\0b"), 1, ART_TEXT_BINARY, "a NUL between letters" },
    { B(A32 A32 A32 "\0" A32), 1, ART_TEXT_BINARY, "a NUL in a longer one" },
    { B("\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY, "NULs" },
    { B("one\0two\0three\0four\0five\0six\0"), 1, ART_TEXT_BINARY,
      "words that end in NULs" },
    { B("a\0\0\0b\0\0\0c\0\0\0d\0\0\0e\0\0\0"), 1, ART_TEXT_BINARY,
      "UTF-32 without a mark" },
    { B("\xff\xfe"), 1, ART_TEXT_MARKED, "a mark of UTF-16LE alone" },
    { B("\xfe\xff"), 1, ART_TEXT_MARKED, "a mark of UTF-16BE alone" },
    { B("\xff\xfe" "h\0"), 1, ART_TEXT_MARKED, "a mark and a letter" },
    { B("\xff\xfe\0\0h\0\0\0\x00\xf6\1\0"), 1, ART_TEXT_MARKED,
      "UTF-32LE with a mark" },
    { B("\0\0\xfe\xff\0\0\0h\0\1\xf6\0"), 1, ART_TEXT_MARKED,
      "UTF-32BE with a mark" },
    { B("\xff\xfe\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-32LE and NULs" },
    { B("\0\0\xfe\xff\0\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-32BE and NULs" },
    { B("\xff\xfe" "a\0\0\0\0\0\0\0\0\0\0\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-16LE and NULs" },
    { B("\xff\xfe" "a\0b\0\0\0c\0d\0"), 1, ART_TEXT_BINARY,
      "a mark of UTF-16LE and one NUL" },
    { B("\xff\xfe\x12\xd8\x13\xdb\x17\xe0\x01\x00\x02\x00\x05\x00"), 1,
      ART_TEXT_BINARY, "a mark of UTF-16LE and no text" }
};


/* Texts of several languages, in UTF-8. */

static const struct {
    const char  *name;
    const char  *text;
} languages[] = {
    { "English", "The quick brown fox jumps over the lazy dog.\r\n"
      "It costs 12,000 a year (or more).\n" },
    { "English with a euro sign",
      "The price rose from \xe2\x82\xac""5 \xe2\x86\x92 \xe2\x82\xac""6 "
      "\xe2\x80\x94 \xe2\x80\x9cquite a lot\xe2\x80\x9d\xe2\x84\xa2, or so "
      "they all said when they saw the new list of prices.\n" },
    { "Chinese", "工件内容读取失败。\r\n请检查文件是否损坏，"
      "然后重新上传第 2 版。\n" },
    { "Chinese with an emoji", "完成了\xf0\x9f\x8e\x89 下一步：部署到"
      "测试环境\n再通知所有的人\xe2\x9c\x85\n" },
    { "Japanese", "ファイルを読み取れませんでした。\n"
      "もう一度お試しください\n" },
    { "Korean", "파일을 읽을 수 없습니다.\n다시 시도해 주십시오.\n" },
    { "Russian", "Не удалось прочитать файл.\nПопробуйте ещё раз.\n" },
    { "German", "Die Datei ließ sich nicht lesen; prüfen Sie die Größe.\n" },
    { "Vietnamese", "Không thể đọc được tệp này, vui lòng kiểm tra lại.\n" },
    { "Arabic", "تعذرت قراءة الملف. يرجى التحقق من الملف والمحاولة\n" },
    { "Hebrew", "לא ניתן לקרוא את הקובץ. נא לבדוק את הקובץ ולנסות שוב\n" },
    { "Hindi", "फ़ाइल पढ़ी नहीं जा सकी। कृपया जाँच कर फिर प्रयास करें\n" },
    { "Thai", "ไม่สามารถอ่านไฟล์ได้ โปรดตรวจสอบไฟล์แล้วลองอีกครั้ง\n" }
};


static void
check_classes(void)
{
    size_t               i;
    art_evidence_t       evidence;
    const class_case_t  *c;

    for (i = 0; i < nitems(class_cases); i++) {
        c = &class_cases[i];

        sniff((const uint8_t *) c->bytes, c->len, c->whole, &evidence);
        is_int(evidence.text, c->text, c->name);
    }

    art_sniff(NULL, 0, 1, &evidence);
    is_int(evidence.text, ART_TEXT_EMPTY, "no bytes at all");

    ok(art_text_is_text(ART_TEXT_EMPTY) && art_text_is_text(ART_TEXT_CLEAN)
       && art_text_is_text(ART_TEXT_STRAY)
       && art_text_is_text(ART_TEXT_UTF16LE)
       && art_text_is_text(ART_TEXT_UTF16BE)
       && art_text_is_text(ART_TEXT_MARKED)
       && art_text_is_text(ART_TEXT_CODED)
       && !art_text_is_text(ART_TEXT_LOOSE)
       && !art_text_is_text(ART_TEXT_FOREIGN)
       && !art_text_is_text(ART_TEXT_MIXED)
       && !art_text_is_text(ART_TEXT_BINARY), "which of them are text");
}


/* Characters of every length across the last byte that is looked at. */

static void
check_edge(void)
{
    size_t           shift, n;
    unsigned         bad;
    art_evidence_t   evidence;

    static const char  *chars[] = { "\xc3\xa9", "\xe5\xb7\xa5",
                                    "\xf0\x9f\x98\x80" };
    bad = 0;

    for (shift = 0; shift < 4; shift++) {
        for (n = 0; n < nitems(chars); n++) {
            memset(buf, 'x', sizeof(buf));
            memcpy(buf + ART_SNIFF_MAX - shift, chars[n], strlen(chars[n]));

            sniff(buf, 5000, 1, &evidence);
            bad += evidence.text != ART_TEXT_CLEAN;

            sniff(buf, ART_SNIFF_MAX, 0, &evidence);
            bad += evidence.text != ART_TEXT_CLEAN;

            sniff(buf, ART_SNIFF_MAX, 1, &evidence);
            bad += evidence.text != (shift > 0 && shift < strlen(chars[n])
                                     ? ART_TEXT_STRAY : ART_TEXT_CLEAN);
        }
    }

    is_int(bad, 0, "a character cut at byte 4096");

    memset(buf, 'x', sizeof(buf));
    buf[ART_SNIFF_MAX] = 0;
    sniff(buf, 5000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_CLEAN, "what follows byte 4096 is ignored");

    memset(buf + ART_SNIFF_MAX - 5, 0, 5);
    sniff(buf, 5000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_BINARY, "NULs up to byte 4096");

    buf[ART_SNIFF_MAX - 1] = 'x';
    sniff(buf, 5000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_STRAY, "one in a thousand bytes");
}


/* NULs in samples of a file, of which it may have one in a thousand bytes. */

static void
check_nuls(void)
{
    size_t          i;
    unsigned        n, text;
    art_sample_t    samples[ART_SNIFF_SAMPLES];
    art_evidence_t  evidence;

    static const struct {
        uint64_t     size;
        size_t       head;       /* NULs in the first bytes, and the samples */
        size_t       end;
        size_t       middle;
        unsigned     text;
        const char  *name;
    } files[] = {
        { 100000, 0, 99, 0, ART_TEXT_STRAY, "a file that may have 99" },
        { 100000, 0, 101, 0, ART_TEXT_BINARY, "more of them" },
        { 100000, 4, 50, 40, ART_TEXT_STRAY, "in all places" },
        { 100000, 4, 60, 50, ART_TEXT_BINARY, "too many together" },
        { 5000000, 0, 0, 1024, ART_TEXT_STRAY, "half of a sample" },
        { 5000000, 0, 0, 1025, ART_TEXT_BINARY, "more than half of one" },
        { 100000, 5, 0, 0, ART_TEXT_BINARY, "too many at once" },
        { 7000, 1, 2, 0, ART_TEXT_STRAY, "a short file" }
    };

    for (i = 0; i < nitems(files); i++) {
        memset(buf, 'x', sizeof(buf));
        memset(buf + 1000, 0, files[i].head);

        sniff(buf, ART_SNIFF_MAX, 0, &evidence);
        n = art_sniff_samples(buf, ART_SNIFF_MAX, files[i].size, &evidence,
                              samples);
        text = evidence.text;

        if (n > 0) {
            memset(buf, 'x', sizeof(buf));
            memset(buf + 7, 0, files[i].end);
            art_sniff_sample(buf, samples[0].len, 1, &evidence);

            memset(buf, 'x', sizeof(buf));
            memset(buf + 7, 0, files[i].middle);
        }

        if (n > 1) {
            art_sniff_sample(buf, samples[1].len, 0, &evidence);
        }

        is_int(evidence.text, files[i].text, files[i].name);
        ok(text != ART_TEXT_BINARY || files[i].head > 4, "the first bytes");
    }

    /* NULs beside other faults */

    for (i = 0; i < 2000; i++) {
        buf[i] = (uint8_t) "some words\n"[i % 11];
    }

    buf[100] = 0;
    buf[200] = 1;
    sniff(buf, 2000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_STRAY, "a NUL and a control character");

    buf[300] = 0xff;
    sniff(buf, 2000, 1, &evidence);
    is_int(evidence.text, ART_TEXT_STRAY, "in a line that cannot be read");

    memcpy(buf + 300, "\xff\x01\xfe\x02\n\xff\x01\n\xff\x01\n\xff\x01\n", 14);
    sniff(buf, 300 + 14, 1, &evidence);
    is_int(evidence.text, ART_TEXT_BINARY, "too many bytes for a NUL");

    buf[100] = 'x';
    sniff(buf, 300 + 14, 1, &evidence);
    is_int(evidence.text, ART_TEXT_MIXED, "too many lines that cannot be");
}


static size_t
put_unit(uint8_t *dst, uint32_t unit, unsigned big)
{
    dst[big ? 0 : 1] = (uint8_t) (unit >> 8);
    dst[big ? 1 : 0] = (uint8_t) unit;

    return 2;
}


/* Valid UTF-8 as UTF-16; returns the length. */

static size_t
utf16(uint8_t *dst, const char *text, unsigned big, unsigned mark)
{
    int             i, n;
    size_t          len;
    uint32_t        code;
    const uint8_t  *p;

    len = mark ? put_unit(dst, 0xfeff, big) : 0;

    for (p = (const uint8_t *) text; *p != 0; p += n) {
        n = naive_char(p, strlen((const char *) p));
        code = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));

        for (i = 1; i < n; i++) {
            code = code << 6 | (p[i] & 0x3f);
        }

        if (code >= 0x10000) {
            len += put_unit(dst + len, 0xd7c0 + (code >> 10), big);
            code = 0xdc00 | (code & 0x3ff);
        }

        len += put_unit(dst + len, code, big);
    }

    return len;
}


static void
check_utf16(unsigned mark)
{
    size_t           i, len;
    unsigned         big, want;
    art_evidence_t   evidence;

    for (i = 0; i < nitems(languages); i++) {
        for (big = 0; big <= 1; big++) {
            want = mark ? ART_TEXT_MARKED
                        : big ? ART_TEXT_UTF16BE : ART_TEXT_UTF16LE;

            len = utf16(buf, languages[i].text, big, mark);
            sniff(buf, len, 1, &evidence);

            if (!ok(evidence.text == want && evidence.media == 0,
                    "UTF-16%s %s a mark: %s", big ? "BE" : "LE",
                    mark ? "with" : "without", languages[i].name))
            {
                diag("text class %u, %s", evidence.text,
                     media_of(&evidence));
            }
        }
    }
}


/* A long text, cut within its pairs of surrogates. */

static void
check_utf16_edge(void)
{
    size_t          len;
    unsigned        big, mark, bad;
    art_evidence_t  evidence;

    bad = 0;

    for (big = 0; big <= 1; big++) {
        for (mark = 0; mark <= 1; mark++) {
            len = 0;

            while (len < 6000) {
                len += utf16(buf + len, "ab\xf0\x9f\x98\x81", big,
                             mark && len == 0);
            }

            sniff(buf, len, 1, &evidence);
            bad += !art_text_is_text(evidence.text);

            sniff(buf, 999, 0, &evidence);
            bad += !art_text_is_text(evidence.text);
        }
    }

    is_int(bad, 0, "UTF-16 cut within a character");
}


static size_t
random_bytes(uint8_t *dst, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        dst[i] = (uint8_t) tap_rand();
    }

    return len;
}


/*
 * Random bytes are no text, not even behind a byte order mark; of UTF-16, where
 * most units are some character, it takes more of them to tell.
 */

static void
check_random_binary(void)
{
    size_t           i, k, len;
    unsigned         failed;
    art_evidence_t   evidence;

    static const struct {
        const char  *bytes;
        size_t       len;
        size_t       least;
        const char  *name;
    } starts[] = {
        { B(""), 64, "random bytes" },
        { B("\xef\xbb\xbf"), 64, "behind a mark of UTF-8" },
        { B("\xff\xfe"), 1500, "behind a mark of UTF-16LE" },
        { B("\xfe\xff"), 1500, "behind a mark of UTF-16BE" },
        { B("\xff\xfe\0\0a\0\0\0"), 64, "behind a mark of UTF-32LE" },
        { B("\0\0\xfe\xff\0\0\0a"), 64, "behind a mark of UTF-32BE" }
    };

    for (k = 0; k < nitems(starts); k++) {
        failed = 0;

        for (i = 0; i < 600 && failed == 0; i++) {
            memcpy(buf, starts[k].bytes, starts[k].len);
            len = random_bytes(buf + starts[k].len,
                               starts[k].least + tap_below(500))
                  + starts[k].len;

            sniff(buf, len, i % 2, &evidence);

            if (art_text_is_text(evidence.text)) {
                diag("class %u", evidence.text);
                diag_mem("source", buf, len);
                failed++;
            }
        }

        ok(failed == 0, "no text: %s", starts[k].name);
    }
}


/* Random characters that are no control characters; returns the length. */

static size_t
random_utf8(uint8_t *dst, size_t max)
{
    size_t    len;
    uint32_t  code;

    static const uint32_t  ranges[][2] = {
        { 0x20, 0x5f }, { 0x61, 26 }, { 0xa0, 0x760 }, { 0x4e00, 0x5000 },
        { 0x10000, 0x100000 }
    };

    len = 0;

    while (len + 4 <= max) {
        code = (uint32_t) tap_below(nitems(ranges));
        code = ranges[code][0] + (uint32_t) tap_below(ranges[code][1]);
        len += naive_encode(dst + len, code);
    }

    return len;
}


static void
check_random_text(void)
{
    size_t           i, len;
    unsigned         failed;
    art_evidence_t   evidence;

    failed = 0;

    for (i = 0; i < 1000 && failed == 0; i++) {
        len = random_utf8(buf, 8 + tap_below(i % 16 ? 300 : BYTES - 8));
        sniff(buf, len, 1, &evidence);
        failed += evidence.text != ART_TEXT_CLEAN;

        len = 1 + tap_below(len);
        sniff(buf, len, 0, &evidence);
        failed += evidence.text != ART_TEXT_CLEAN;

        sniff(buf, len, 1, &evidence);
        failed += len <= ART_SNIFF_MAX
                  && (evidence.text == ART_TEXT_CLEAN)
                     != naive_valid(buf, len);
    }

    if (!ok(failed == 0, "valid UTF-8, cut anywhere, is clean")) {
        diag_mem("source", buf, len);
    }
}


/* Words and a few NULs: "NUL bytes in declared text" are a contradiction. */

static void
check_random_nuls(void)
{
    size_t           i, k, len, words;
    unsigned         failed;
    art_evidence_t   evidence;

    failed = 0;

    for (i = 0; i < 2000 && failed == 0; i++) {
        len = 0;

        for (words = 4 + tap_below(40); words > 0; words--) {
            for (k = 1 + tap_below(8); k > 0; k--) {
                buf[len++] = (uint8_t) ('a' + tap_below(26));
            }

            buf[len++] = (uint8_t) " \n"[tap_below(8) == 0];
        }

        for (k = 1 + tap_below(3); k > 0; k--) {
            buf[tap_below(len)] = 0;
        }

        sniff(buf, len, i % 2, &evidence);
        failed += evidence.text != ART_TEXT_BINARY;
    }

    if (!ok(failed == 0, "words with NULs among them are binary")) {
        diag("class %u", evidence.text);
        diag_mem("source", buf, len);
    }
}


static void
check_random_ends(void)
{
    size_t           i, len;
    unsigned         failed;
    art_evidence_t   all, head;

    failed = 0;

    for (i = 0; i < 200 && failed == 0; i++) {
        len = i % 2 ? random_utf8(buf, BYTES) : random_bytes(buf, BYTES);
        len = ART_SNIFF_MAX + 1 + tap_below(len - ART_SNIFF_MAX - 1);

        sniff(buf, len, i % 3 == 0, &all);
        sniff(buf, ART_SNIFF_MAX, 0, &head);

        failed += memcmp(&all, &head, sizeof(all)) != 0;
    }

    ok(failed == 0, "only the first 4096 bytes count");
}


int
main(void)
{
    check_classes();
    check_edge();
    check_nuls();
    check_utf16(1);
    check_utf16(0);
    check_utf16_edge();
    check_random_binary();
    check_random_text();
    check_random_nuls();
    check_random_ends();

    return done();
}
