
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf16.h"


/* UTF-16 is guessed from at least 4 units, and one in 10 may be odd. */

#define ART_UTF16_UNITS  4
#define ART_UTF16_OF     10


typedef struct {
    unsigned  first;
    unsigned  last;
} art_utf16_range_t;


static unsigned art_utf16_units(const uint8_t *p, size_t len, unsigned big);
static unsigned art_utf32_units(const uint8_t *p, size_t len, unsigned big);
static unsigned art_utf16_unmarked(const uint8_t *p, size_t len, unsigned big);
static unsigned art_utf16_script(const uint8_t *p, size_t len, unsigned big);
static int art_utf16_bad(unsigned unit);
static int art_utf16_common(unsigned unit);
static int art_utf16_latin(unsigned unit);


/*
 * Scripts whose texts have hardly any other characters but ASCII: UTF-16 in
 * them is recognized even without a NUL.
 */

static const art_utf16_range_t  art_utf16_scripts[] = {
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
art_utf16_is_text(const uint8_t *p, size_t len, const char *charset)
{
    unsigned  big;

    big = strcmp(charset + strlen(charset) - 2, "BE") == 0;

    return strncmp(charset, "UTF-32", 6) == 0 ? art_utf32_units(p, len, big)
                                              : art_utf16_units(p, len, big);
}


const char *
art_utf16_detect(const uint8_t *p, size_t len, unsigned nul)
{
    unsigned  big;

    for (big = 0; big < 2; big++) {

        if (nul ? art_utf16_unmarked(p, len, big)
                : art_utf16_script(p, len, big))
        {
            return big ? "UTF-16BE" : "UTF-16LE";
        }
    }

    return NULL;
}


/*
 * Whether the bytes after a byte order mark may be text: they have no NUL
 * characters, and hardly a unit that does not occur in texts.
 */

static unsigned
art_utf16_units(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, bad, units;
    unsigned  unit, high, low;

    bad = 0;
    units = len / 2;
    high = 0;

    for (i = 0; i < units; i++) {
        unit = art_utf16_unit(p + 2 * i, big);

        if (unit == 0) {
            return 0;
        }

        low = (unit & 0xfc00) == 0xdc00;
        bad += (size_t) (high != low || art_utf16_bad(unit));
        high = (unit & 0xfc00) == 0xd800;
    }

    return bad <= 1 || bad * 20 <= units;
}


static unsigned
art_utf32_units(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i;
    uint32_t  unit;

    for (i = 0; i + 4 <= len; i += 4) {
        unit = big ? (uint32_t) art_utf16_unit(p + i, 1) << 16
                     | art_utf16_unit(p + i + 2, 1)
                   : (uint32_t) art_utf16_unit(p + i + 2, 0) << 16
                     | art_utf16_unit(p + i, 0);

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
art_utf16_unmarked(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, common, units, odd, wide, pairs;
    unsigned  unit;

    units = len / 2;

    if (units < ART_UTF16_UNITS) {
        return 0;
    }

    common = 0;
    odd = 0;
    wide = 0;
    pairs = 0;

    for (i = 0; i < units; i++) {
        unit = art_utf16_unit(p + 2 * i, big);

        if (unit == 0 || art_utf16_bad(unit)) {
            return 0;
        }

        common += (size_t) art_utf16_common(unit);
        odd += (unit & 0xff) == 0;
        wide += (unit & 0x8080) != 0;
        pairs += unit >= 0x2000;
    }

    return (common * ART_UTF16_OF >= units * (ART_UTF16_OF - 1)
            || art_utf16_script(p, len, big))
           && odd * ART_UTF16_OF <= units
           && (wide > 0 || pairs * ART_UTF16_OF <= units)
           && art_utf16_units(p, len, big);
}


/*
 * The same without a NUL: at least half of the units are of one script, and
 * nearly all of that or of Latin.
 */

static unsigned
art_utf16_script(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, k, latin, units, most, counts[art_nitems(art_utf16_scripts)];
    unsigned  unit;

    units = len / 2;

    if (units < 2 * ART_UTF16_UNITS) {
        return 0;
    }

    latin = 0;
    most = 0;
    memset(counts, 0, sizeof(counts));

    for (i = 0; i < units; i++) {
        unit = art_utf16_unit(p + 2 * i, big);

        if (unit == 0 || art_utf16_bad(unit)) {
            return 0;
        }

        latin += (size_t) art_utf16_latin(unit);

        for (k = 0; k < art_nitems(art_utf16_scripts); k++) {
            counts[k] += unit >= art_utf16_scripts[k].first
                         && unit <= art_utf16_scripts[k].last;
        }
    }

    for (k = 0; k < art_nitems(art_utf16_scripts); k++) {
        most = counts[k] > most ? counts[k] : most;
    }

    return 2 * most >= units
           && (most + latin) * ART_UTF16_OF
              >= units * (ART_UTF16_OF - 1);
}


/* Units that texts do not have: controls, private use, noncharacters. */

static int
art_utf16_bad(unsigned unit)
{
    return (unit < 0x20 && unit != 0x1b && (unit < '\b' || unit > '\r'))
           || (unit >= 0x7f && unit < 0xa0)
           || (unit >= 0xe000 && unit < 0xf900)
           || (unit >= 0xfdd0 && unit < 0xfdf0)
           || unit >= 0xfffe;
}


static int
art_utf16_common(unsigned unit)
{
    return art_utf16_latin(unit)
           || (unit >= 0x370 && unit < 0x530)    /* Greek, Cyrillic */
           || (unit >= 0xac00 && unit < 0xd7a4)  /* Hangul */
           || (unit >= 0xd800 && unit < 0xe000)  /* surrogates, in pairs */
           || (unit >= 0x3000 && unit < 0x3100)  /* kana, CJK punctuation */
           || (unit >= 0x4e00 && unit < 0xa000)  /* CJK ideographs */
           || (unit >= 0xff00 && unit < 0xffef);
}


static int
art_utf16_latin(unsigned unit)
{
    return (unit >= '\t' && unit <= '\r')
           || (unit >= 0x20 && unit < 0x7f)
           || (unit >= 0xa0 && unit < 0x180)
           || (unit >= 0x1e00 && unit < 0x1f00)  /* Vietnamese */
           || (unit >= 0x2010 && unit < 0x2040); /* punctuation */
}
