
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/media/art_media.h"
#include "core/media/art_media_parse.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


/* Undeclared content with more faults than 1 in 32 bytes is not text. */

#define ART_SNIFF_STRAY_SHARE   32

/* UTF-16 is guessed from at least 4 units, and one in 10 may be odd. */

#define ART_SNIFF_UTF16_UNITS   4
#define ART_SNIFF_UTF16_OF      10


typedef struct {
    size_t  nul;
    size_t  control;
    size_t  invalid;
} art_sniff_faults_t;


static unsigned art_sniff_text(const uint8_t *p, size_t len, unsigned whole);
static unsigned art_sniff_mark(const uint8_t *p, size_t len);
static void art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);
static void art_sniff_controls(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static void art_sniff_ascii(uint8_t c, art_sniff_faults_t *faults);
static unsigned art_sniff_utf16(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_utf32(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_unmarked(const uint8_t *p, size_t len,
    unsigned big);
static unsigned art_sniff_unit(const uint8_t *p, unsigned big);
static int art_sniff_bad(unsigned unit);
static int art_sniff_common(unsigned unit);


void
art_sniff(const uint8_t *p, size_t len, unsigned whole, art_evidence_t *out)
{
    art_signature_t  found;

    memset(out, 0, sizeof(*out));

    if (len > ART_SNIFF_MAX) {
        len = ART_SNIFF_MAX;
        whole = 0;
    }

    out->text = (uint8_t) art_sniff_text(p, len, whole);

    found = art_signature_find(p, len, out->text == ART_TEXT_CLEAN
                                       || out->text == ART_TEXT_STRAY);

    if (found.mime != NULL) {
        out->media = (uint16_t)
                        (art_media_index(art_media_find(art_cstr(found.mime)))
                         + 1);
        out->sign = (uint8_t) found.sign;

        if ((found.sign & ART_SIGN_STRONG)
            && (out->text == ART_TEXT_UTF16LE || out->text == ART_TEXT_UTF16BE))
        {
            out->text = ART_TEXT_BINARY;
        }
    }
}


void
art_sniff_magic(art_evidence_t *evidence, art_str_t mime)
{
    art_media_type_t  type;

    art_media_parse(mime, &type);

    evidence->magic_asked = 1;
    evidence->magic_len = (uint8_t) type.len;
    memcpy(evidence->magic, type.buf, type.len);
}


int
art_text_is_text(unsigned text)
{
    return text != ART_TEXT_LOOSE && text != ART_TEXT_MIXED
           && text != ART_TEXT_BINARY;
}


static unsigned
art_sniff_text(const uint8_t *p, size_t len, unsigned whole)
{
    art_sniff_faults_t  faults;

    if (len == 0) {
        return ART_TEXT_EMPTY;
    }

    if (art_sniff_mark(p, len)) {
        return ART_TEXT_MARKED;
    }

    art_sniff_count(p, len, whole, &faults);

    if (faults.nul > 0) {

        if (art_sniff_unmarked(p, len, 0)) {
            return ART_TEXT_UTF16LE;
        }

        return art_sniff_unmarked(p, len, 1) ? ART_TEXT_UTF16BE
                                             : ART_TEXT_BINARY;
    }

    if (faults.control > 0 && faults.invalid > 0) {
        return ART_TEXT_MIXED;
    }

    if (faults.control == 0 && faults.invalid == 0) {
        return ART_TEXT_CLEAN;
    }

    return (faults.control + faults.invalid) * ART_SNIFF_STRAY_SHARE <= len
           ? ART_TEXT_STRAY : ART_TEXT_LOOSE;
}


/* A byte order mark of UTF-16 or UTF-32, and behind it what can be text. */

static unsigned
art_sniff_mark(const uint8_t *p, size_t len)
{
    if (len >= 4 && memcmp(p, "\xff\xfe\0\0", 4) == 0) {
        return art_sniff_utf32(p + 4, len - 4, 0);
    }

    if (len >= 4 && memcmp(p, "\0\0\xfe\xff", 4) == 0) {
        return art_sniff_utf32(p + 4, len - 4, 1);
    }

    if (len >= 2 && p[0] == 0xff && p[1] == 0xfe) {
        return art_sniff_utf16(p + 2, len - 2, 0);
    }

    if (len >= 2 && p[0] == 0xfe && p[1] == 0xff) {
        return art_sniff_utf16(p + 2, len - 2, 1);
    }

    return 0;
}


static void
art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    int     n;
    size_t  i;

    memset(faults, 0, sizeof(*faults));

    /* of most texts all is valid, which is found faster at once */

    i = art_utf8_valid_len(p, len);
    art_sniff_controls(p, i, faults);

    while (i < len) {

        if (p[i] < 0x80) {
            art_sniff_ascii(p[i++], faults);
            continue;
        }

        n = art_utf8_char(p + i, len - i);

        if (n > 0) {
            i += (size_t) n;

        } else if (n < 0) {
            i += (size_t) (-1 - n);
            faults->invalid++;

        } else {
            faults->invalid += whole;
            return;
        }
    }
}


/* Counts in valid UTF-8. */

static void
art_sniff_controls(const uint8_t *p, size_t len, art_sniff_faults_t *faults)
{
    size_t          i, end;
    uint64_t        v, del, found;
    const uint64_t  ones = 0x0101010101010101;

    for (i = 0; i < len; /* void */ ) {
        end = i + 1;

        if (len - i >= 8) {
            memcpy(&v, p + i, 8);

            /* the high bit: ASCII and below 0x20, or 0x7f, or above one */

            del = v ^ ones * 0x7f;
            found = (((v - ones * 0x20) & ~v) | ((del - ones) & ~del))
                    & ones * 0x80;
            end = i + 8;

            if (found == 0) {
                i = end;
                continue;
            }
        }

        for ( /* void */ ; i < end; i++) {
            art_sniff_ascii(p[i], faults);
        }
    }
}


/* What is not ASCII, or no control character, counts for nothing. */

static void
art_sniff_ascii(uint8_t c, art_sniff_faults_t *faults)
{
    if (c == 0) {
        faults->nul++;

    } else if (c == 0x7f
               || (c < 0x20 && c != 0x1b && (c < '\b' || c > '\r')))
    {
        faults->control++;
    }
}


/*
 * Whether the bytes behind a byte order mark may be text: no NUL characters,
 * and hardly a unit that no text holds.
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
 * The same without a mark, where most bytes with NULs are no text at all.  No
 * unit is bad and nearly all are common; few have their NUL on the other side.
 * If all bytes are ASCII (or NUL), no more than a few units look like a pair
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

    return common * ART_SNIFF_UTF16_OF >= units * (ART_SNIFF_UTF16_OF - 1)
           && odd * ART_SNIFF_UTF16_OF <= units
           && (wide > 0 || pairs * ART_SNIFF_UTF16_OF <= units)
           && art_sniff_utf16(p, len, big);
}


static unsigned
art_sniff_unit(const uint8_t *p, unsigned big)
{
    return big ? (unsigned) p[0] << 8 | p[1] : (unsigned) p[1] << 8 | p[0];
}


/* Units that no text holds: controls, private use, noncharacters. */

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
    return (unit >= '\t' && unit <= '\r')
           || (unit >= 0x20 && unit < 0x7f)
           || (unit >= 0xa0 && unit < 0x180)     /* Latin */
           || (unit >= 0x370 && unit < 0x530)    /* Greek, Cyrillic */
           || (unit >= 0x2010 && unit < 0x2040)  /* punctuation */
           || (unit >= 0xac00 && unit < 0xd7a4)  /* Hangul */
           || (unit >= 0xd800 && unit < 0xe000)  /* surrogates, in pairs */
           || (unit >= 0x3000 && unit < 0x3100)  /* kana, CJK punctuation */
           || (unit >= 0x4e00 && unit < 0xa000)  /* CJK ideographs */
           || (unit >= 0xff00 && unit < 0xffef);
}
