
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_charset.h"
#include "core/text/art_utf8.h"
#include "core/media/art_sniff.h"
#include "core/media/art_sniff_text.h"


/* Undeclared content with more faults than 1 in 32 bytes is not text. */

#define ART_SNIFF_STRAY_SHARE   32

/* So few bad bytes in a short content may be damage in a text. */

#define ART_SNIFF_FEW           4

/* UTF-16 is guessed from at least 4 units, and one in 10 may be odd. */

#define ART_SNIFF_UTF16_UNITS   4
#define ART_SNIFF_UTF16_OF      10

/* Fewer runs of bad bytes than this are damage, not a charset. */

#define ART_SNIFF_SCATTERED     3

/* Bytes that are read at once, a constant so that compilers use vectors. */

#define ART_SNIFF_BLOCK         256


/*
 * "nul" and "control" count characters, "invalid" sequences that are not UTF-8;
 * "ascii" tells that all bytes are ASCII.  Counting ends where more of the kind
 * changes nothing: with a NUL; with an invalid sequence beside control
 * characters; with more than ART_SNIFF_FEW invalid ones that are more than
 * their share.
 */

typedef struct {
    size_t    nul;
    size_t    control;
    size_t    invalid;
    unsigned  ascii;
} art_sniff_faults_t;


typedef struct {
    uint8_t  odd;                /* not 0 if there is a NUL or a control */
    uint8_t  all;                /* the high bit is set unless all is ASCII */
} art_sniff_block_t;


typedef struct {
    unsigned  first;
    unsigned  last;
} art_sniff_range_t;


static unsigned art_sniff_class(const art_sniff_faults_t *faults, size_t len);
static int art_sniff_white(unsigned code);
static unsigned art_sniff_mark(const uint8_t *p, size_t len,
    const char **charset);
static unsigned art_sniff_utf16(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_utf32(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_unmarked(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_script(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_unit(const uint8_t *p, unsigned big);
static int art_sniff_bad(unsigned unit);
static int art_sniff_common(unsigned unit);
static int art_sniff_latin(unsigned unit);
static void art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);
static unsigned art_sniff_plain(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static art_sniff_block_t art_sniff_block(const uint8_t *p);
static void art_sniff_odd(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static void art_sniff_invalid(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);


/*
 * Scripts whose texts have hardly any other characters but ASCII: UTF-16 is
 * recognized in them without a NUL, too.
 */

static const art_sniff_range_t  art_sniff_scripts[] = {
    { 0x0370, 0x03ff },          /* Greek */
    { 0x0400, 0x052f },          /* Cyrillic */
    { 0x0530, 0x058f },          /* Armenian */
    { 0x0590, 0x05ff },          /* Hebrew */
    { 0x0600, 0x06ff },          /* Arabic */
    { 0x0900, 0x097f },          /* Devanagari */
    { 0x0980, 0x09ff },          /* Bengali */
    { 0x0b80, 0x0bff },          /* Tamil */
    { 0x0c00, 0x0c7f },          /* Telugu */
    { 0x0e00, 0x0e7f },          /* Thai */
    { 0x0e80, 0x0eff },          /* Lao */
    { 0x10a0, 0x10ff }           /* Georgian */
};


unsigned
art_sniff_text(const uint8_t *p, size_t len, unsigned whole,
    const char **charset, unsigned *ascii)
{
    unsigned            text;
    art_sniff_faults_t  faults;

    *charset = NULL;
    *ascii = 0;

    if (len == 0) {
        *ascii = 1;
        return ART_TEXT_EMPTY;
    }

    if (art_sniff_mark(p, len, charset)) {
        return ART_TEXT_MARKED;
    }

    art_sniff_count(p, len, whole, &faults);
    text = art_sniff_class(&faults, len);

    if (text == ART_TEXT_CLEAN) {
        *ascii = faults.ascii;
        return text;
    }

    if (faults.nul > 0 ? art_sniff_unmarked(p, len, 0)
                       : faults.control > 0 && art_sniff_script(p, len, 0))
    {
        *charset = "UTF-16LE";
        return ART_TEXT_UTF16LE;
    }

    if (faults.nul > 0 ? art_sniff_unmarked(p, len, 1)
                       : faults.control > 0 && art_sniff_script(p, len, 1))
    {
        *charset = "UTF-16BE";
        return ART_TEXT_UTF16BE;
    }

    return text;
}


unsigned
art_sniff_text_sample(const uint8_t *p, size_t len, unsigned whole,
    unsigned *ascii)
{
    size_t              skip;
    unsigned            text;
    art_sniff_faults_t  faults;

    /* a sample may begin within a character */

    for (skip = 0; skip < 3 && skip < len && (p[skip] & 0xc0) == 0x80; skip++)
    {
        /* void */
    }

    p += skip;
    len -= skip;

    art_sniff_count(p, len, whole, &faults);
    text = len > 0 ? art_sniff_class(&faults, len) : ART_TEXT_CLEAN;

    *ascii = text == ART_TEXT_CLEAN && faults.ascii;

    return text;
}


static unsigned
art_sniff_class(const art_sniff_faults_t *faults, size_t len)
{
    if (faults->nul > 0) {
        return ART_TEXT_BINARY;
    }

    if (faults->control > 0 && faults->invalid > 0) {
        return ART_TEXT_MIXED;
    }

    if (faults->control == 0 && faults->invalid == 0) {
        return ART_TEXT_CLEAN;
    }

    if ((faults->control + faults->invalid) * ART_SNIFF_STRAY_SHARE <= len) {
        return ART_TEXT_STRAY;
    }

    return faults->control > 0 || faults->invalid <= ART_SNIFF_FEW
           ? ART_TEXT_LOOSE : ART_TEXT_FOREIGN;
}


unsigned
art_sniff_wide(const uint8_t *p, size_t len, const char *charset)
{
    unsigned  big;

    big = strcmp(charset + strlen(charset) - 2, "BE") == 0;

    return strncmp(charset, "UTF-32", 6) == 0 ? art_sniff_utf32(p, len, big)
                                              : art_sniff_utf16(p, len, big);
}


unsigned
art_sniff_scattered(const uint8_t *p, size_t len)
{
    int      n;
    size_t   i, bad, runs;
    uint8_t  first;

    bad = 0;
    runs = 0;
    first = 0;

    for (i = 0; i < len; i += (size_t) n) {

        if (p[i] < 0x80) {
            n = 1;
            continue;
        }

        n = art_utf8_char(p + i, len - i);

        if (n > 0) {
            return 0;
        }

        n = n == 0 ? (int) (len - i) : -1 - n;
        runs += i == 0 || p[i - 1] < 0x80;

        if (runs == 1 && first == 0) {
            first = p[i];
        }

        bad += p[i] != first;
    }

    return runs >= ART_SNIFF_SCATTERED && bad > 0;
}


unsigned
art_sniff_blank(const uint8_t *p, size_t len, const char *charset)
{
    int       n;
    size_t    i;
    unsigned  big;

    if (charset != NULL && strncmp(charset, "UTF-16", 6) == 0) {
        big = charset[6] == 'B';

        for (i = 0; i + 2 <= len; i += 2) {
            if (!art_sniff_white(art_sniff_unit(p + i, big))) {
                return 0;
            }
        }

        return i == len;
    }

    for (i = 0; charset == NULL && i < len; i += (size_t) n) {
        n = art_utf8_char(p + i, len - i);

        /* white space has three bytes at most */

        if (n < 1 || n > 3) {
            return 0;
        }

        if (!art_sniff_white(art_utf8_code(p + i, n))) {
            return 0;
        }
    }

    return charset == NULL;
}


/* White space, and characters without a width: a byte order mark is one. */

static int
art_sniff_white(unsigned code)
{
    return art_utf8_white(code) || code == 0x200b || code == 0xfeff;
}


/* Whether a byte order mark of UTF-16 or UTF-32 is followed by text. */

static unsigned
art_sniff_mark(const uint8_t *p, size_t len, const char **charset)
{
    size_t  mark;

    *charset = art_charset_mark(p, len, 1, &mark);

    if (*charset != NULL && art_charset_wide(*charset)
        && art_sniff_wide(p + mark, len - mark, *charset))
    {
        return 1;
    }

    *charset = NULL;

    return 0;
}


/*
 * Whether the bytes after a byte order mark may be text: they have no NUL
 * characters, and hardly a unit that does not occur in texts.
 */

static unsigned
art_sniff_utf16(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, bad, units;
    unsigned  unit, high, low;

    bad = 0;
    units = len / 2;
    high = 0;

    for (i = 0; i < units; i++) {
        unit = art_sniff_unit(p + 2 * i, big);

        if (unit == 0) {
            return 0;
        }

        low = (unit & 0xfc00) == 0xdc00;
        bad += (size_t) (high != low || art_sniff_bad(unit));
        high = (unit & 0xfc00) == 0xd800;
    }

    return bad <= 1 || bad * 20 <= units;
}


static unsigned
art_sniff_utf32(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i;
    uint32_t  unit;

    for (i = 0; i + 4 <= len; i += 4) {
        unit = big ? (uint32_t) art_sniff_unit(p + i, 1) << 16
                     | art_sniff_unit(p + i + 2, 1)
                   : (uint32_t) art_sniff_unit(p + i + 2, 0) << 16
                     | art_sniff_unit(p + i, 0);

        if (unit == 0 || unit > 0x10ffff || (unit & 0xfffff800) == 0xd800) {
            return 0;
        }
    }

    return 1;
}


/*
 * The same without a mark, where most bytes with NULs are binary.  No unit may
 * be bad, nearly all must be common, and few may have their NUL on the other
 * side.  If all bytes are ASCII (or NUL), only a few units may look like a pair
 * of letters.
 */

static unsigned
art_sniff_unmarked(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, common, units, odd, wide, pairs;
    unsigned  unit;

    units = len / 2;

    if (units < ART_SNIFF_UTF16_UNITS) {
        return 0;
    }

    common = 0;
    odd = 0;
    wide = 0;
    pairs = 0;

    for (i = 0; i < units; i++) {
        unit = art_sniff_unit(p + 2 * i, big);

        if (unit == 0 || art_sniff_bad(unit)) {
            return 0;
        }

        common += (size_t) art_sniff_common(unit);
        odd += (unit & 0xff) == 0;
        wide += (unit & 0x8080) != 0;
        pairs += unit >= 0x2000;
    }

    return (common * ART_SNIFF_UTF16_OF >= units * (ART_SNIFF_UTF16_OF - 1)
            || art_sniff_script(p, len, big))
           && odd * ART_SNIFF_UTF16_OF <= units
           && (wide > 0 || pairs * ART_SNIFF_UTF16_OF <= units)
           && art_sniff_utf16(p, len, big);
}


/*
 * The same without a NUL: at least half of the units are of one script, and
 * nearly all of that or of Latin.
 */

static unsigned
art_sniff_script(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, k, latin, units, most, counts[art_nitems(art_sniff_scripts)];
    unsigned  unit;

    units = len / 2;

    if (units < 2 * ART_SNIFF_UTF16_UNITS) {
        return 0;
    }

    latin = 0;
    most = 0;
    memset(counts, 0, sizeof(counts));

    for (i = 0; i < units; i++) {
        unit = art_sniff_unit(p + 2 * i, big);

        if (unit == 0 || art_sniff_bad(unit)) {
            return 0;
        }

        latin += (size_t) art_sniff_latin(unit);

        for (k = 0; k < art_nitems(art_sniff_scripts); k++) {
            counts[k] += unit >= art_sniff_scripts[k].first
                         && unit <= art_sniff_scripts[k].last;
        }
    }

    for (k = 0; k < art_nitems(art_sniff_scripts); k++) {
        most = counts[k] > most ? counts[k] : most;
    }

    return 2 * most >= units
           && (most + latin) * ART_SNIFF_UTF16_OF
              >= units * (ART_SNIFF_UTF16_OF - 1);
}


static unsigned
art_sniff_unit(const uint8_t *p, unsigned big)
{
    return big ? (unsigned) p[0] << 8 | p[1] : (unsigned) p[1] << 8 | p[0];
}


/* Units that texts do not have: controls, private use, noncharacters. */

static int
art_sniff_bad(unsigned unit)
{
    return (unit < 0x20 && unit != 0x1b && (unit < '\b' || unit > '\r'))
           || (unit >= 0x7f && unit < 0xa0)
           || (unit >= 0xe000 && unit < 0xf900)
           || (unit >= 0xfdd0 && unit < 0xfdf0)
           || unit >= 0xfffe;
}


static int
art_sniff_common(unsigned unit)
{
    return art_sniff_latin(unit)
           || (unit >= 0x370 && unit < 0x530)    /* Greek, Cyrillic */
           || (unit >= 0xac00 && unit < 0xd7a4)  /* Hangul */
           || (unit >= 0xd800 && unit < 0xe000)  /* surrogates, in pairs */
           || (unit >= 0x3000 && unit < 0x3100)  /* kana, CJK punctuation */
           || (unit >= 0x4e00 && unit < 0xa000)  /* CJK ideographs */
           || (unit >= 0xff00 && unit < 0xffef);
}


static int
art_sniff_latin(unsigned unit)
{
    return (unit >= '\t' && unit <= '\r')
           || (unit >= 0x20 && unit < 0x7f)
           || (unit >= 0xa0 && unit < 0x180)
           || (unit >= 0x1e00 && unit < 0x1f00)  /* Vietnamese */
           || (unit >= 0x2010 && unit < 0x2040); /* punctuation */
}


/*
 * Control characters are ASCII, so no other fault hides one.  A character that
 * is cut off at the end is invalid if nothing follows ("whole").
 */

static void
art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    memset(faults, 0, sizeof(*faults));

    faults->ascii = art_sniff_plain(p, len, faults);

    if (faults->nul == 0 && !faults->ascii) {
        art_sniff_invalid(p, len, whole, faults);
    }
}


/* Counts NULs and control characters; returns whether all is ASCII. */

static unsigned
art_sniff_plain(const uint8_t *p, size_t len, art_sniff_faults_t *faults)
{
    size_t             i, n;
    uint8_t            all, buf[ART_SNIFF_BLOCK];
    const uint8_t     *from;
    art_sniff_block_t  block;

    all = 0;

    for (i = 0; i < len && faults->nul == 0; i += n) {
        from = p + i;
        n = ART_SNIFF_BLOCK;

        if (len - i < n) {
            n = len - i;
            from = buf;

            memcpy(buf, p + i, n);
            memset(buf + n, ' ', sizeof(buf) - n);
        }

        block = art_sniff_block(from);
        all |= block.all;

        if (block.odd) {
            art_sniff_odd(from, n, faults);
        }
    }

    return all < 0x80;
}


/* The same loop for each set of instructions. */

static inline __attribute__((always_inline)) art_sniff_block_t
art_sniff_block_loop(const uint8_t *p)
{
    uint8_t            c, odd, all;
    unsigned           i;

    odd = 0;
    all = 0;

    for (i = 0; i < ART_SNIFF_BLOCK; i++) {
        c = p[i];
        all |= c;
        odd |= (uint8_t) (((c < 0x20) & ((uint8_t) (c - '\b') > '\r' - '\b')
                           & (c != 0x1b))
                          | (c == 0x7f));
    }

    return (art_sniff_block_t) { odd, all };
}


#ifdef ART_SIMD_X86

art_target_avx2
static art_sniff_block_t
art_sniff_block_avx2(const uint8_t *p)
{
    return art_sniff_block_loop(p);
}

#endif


static art_sniff_block_t
art_sniff_block(const uint8_t *p)
{
#ifdef ART_SIMD_X86

    if (art_simd_level() >= ART_SIMD_AVX2) {
        return art_sniff_block_avx2(p);
    }

#endif

    return art_sniff_block_loop(p);
}


static void
art_sniff_odd(const uint8_t *p, size_t len, art_sniff_faults_t *faults)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < len; i++) {
        c = p[i];

        if (c == 0) {
            faults->nul++;

        } else if (c == 0x7f
                   || (c < 0x20 && c != 0x1b && (c < '\b' || c > '\r')))
        {
            faults->control++;
        }
    }
}


static void
art_sniff_invalid(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    int     n;
    size_t  i;

    for (i = art_utf8_valid_len(p, len); i < len;
         i += art_utf8_valid_len(p + i, len - i))
    {
        n = art_utf8_char(p + i, len - i);

        if (n == 0) {
            faults->invalid += whole;
            return;
        }

        faults->invalid++;
        i += (size_t) (-1 - n);

        if (faults->control > 0
            || (faults->invalid > ART_SNIFF_FEW
                && faults->invalid * ART_SNIFF_STRAY_SHARE > len))
        {
            return;
        }
    }
}
