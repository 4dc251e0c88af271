
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_sniff.h"
#include "art_signature.h"
#include "art_utf8.h"


/* Undeclared content with more faults than 1 in 32 bytes is not text. */

#define ART_SNIFF_STRAY_SHARE   32

/* UTF-16 is guessed from at least 4 units, 9 of 10 of them common. */

#define ART_SNIFF_UTF16_UNITS   4
#define ART_SNIFF_UTF16_COMMON  9
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
static int art_sniff_utf16(const uint8_t *p, size_t len, unsigned big);
static int art_sniff_unmarked(const uint8_t *p, size_t len, unsigned big);
static unsigned art_sniff_unit(const uint8_t *p, unsigned big);
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

    found = art_signature_find(p, len, out->text);

    if (found.mime != NULL) {
        out->media = (uint16_t)
                        (art_media_index(art_media_find(art_cstr(found.mime)))
                         + 1);
        out->sign = (uint8_t) found.sign;
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
    return text != ART_TEXT_LOOSE && text != ART_TEXT_BINARY;
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

        if (art_sniff_unmarked(p, len, 1)) {
            return ART_TEXT_UTF16BE;
        }

        return ART_TEXT_BINARY;
    }

    if (faults.control > 0 && faults.invalid > 0) {
        return ART_TEXT_BINARY;
    }

    if (faults.control == 0 && faults.invalid == 0) {
        return ART_TEXT_CLEAN;
    }

    return (faults.control + faults.invalid) * ART_SNIFF_STRAY_SHARE <= len
           ? ART_TEXT_STRAY : ART_TEXT_LOOSE;
}


/*
 * A byte order mark of UTF-16 or UTF-32, and behind it what could be such
 * text: whole units, no stray surrogates, no NUL characters.
 */

static unsigned
art_sniff_mark(const uint8_t *p, size_t len)
{
    if (len >= 4 && memcmp(p, "\xff\xfe\0\0", 4) == 0) {
        return len < 8 || (p[6] <= 0x10 && p[7] == 0);
    }

    if (len >= 4 && memcmp(p, "\0\0\xfe\xff", 4) == 0) {
        return len < 8 || (p[4] == 0 && p[5] <= 0x10);
    }

    if (len >= 2 && p[0] == 0xff && p[1] == 0xfe) {
        return len < 4 || art_sniff_utf16(p + 2, len - 2, 0);
    }

    if (len >= 2 && p[0] == 0xfe && p[1] == 0xff) {
        return len < 4 || art_sniff_utf16(p + 2, len - 2, 1);
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

    for (i = 0; i < len; /* void */ ) {

        if (p[i] >= 0x80) {
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

            continue;
        }

        if (p[i] == 0) {
            faults->nul++;

        } else if (p[i] == 0x7f
                   || (p[i] < 0x20 && p[i] != 0x1b
                       && (p[i] < '\b' || p[i] > '\r')))
        {
            faults->control++;
        }

        i++;
    }
}


/*
 * Whether the bytes behind a byte order mark may be UTF-16: no NUL characters,
 * and nearly all units such as texts are made of.
 */

static int
art_sniff_utf16(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, common, units;
    unsigned  unit, high;

    common = 0;
    units = len / 2;
    high = 0;

    for (i = 0; i < units; i++) {
        unit = art_sniff_unit(p + 2 * i, big);

        if (unit == 0) {
            return 0;
        }

        /* half a pair counts as a fault */

        common += (size_t) (art_sniff_common(unit)
                            && high == (unsigned) ((unit & 0xfc00) == 0xdc00));
        high = (unit & 0xfc00) == 0xd800;
    }

    return common * ART_SNIFF_UTF16_OF >= units * ART_SNIFF_UTF16_COMMON;
}


/*
 * The same without a mark, where most bytes with NULs are no text at all:
 * every unit is common, the characters of ASCII have their NULs on one side
 * only, and if all bytes are ASCII (or NUL), so are nearly all characters.
 */

static int
art_sniff_unmarked(const uint8_t *p, size_t len, unsigned big)
{
    size_t    i, ascii, units, odd, wide;
    unsigned  unit;

    units = len / 2;

    if (units < ART_SNIFF_UTF16_UNITS || !art_sniff_utf16(p, len, big)) {
        return 0;
    }

    ascii = 0;
    odd = 0;
    wide = 0;

    for (i = 0; i < units; i++) {
        unit = art_sniff_unit(p + 2 * i, big);

        if (!art_sniff_common(unit)) {
            return 0;
        }

        ascii += unit < 0x80;
        odd += (unit & 0xff) == 0;
        wide += (unit & 0x80) != 0 || (unit & 0x8000) != 0;
    }

    if (wide == 0) {
        return ascii * ART_SNIFF_UTF16_OF >= units * ART_SNIFF_UTF16_COMMON;
    }

    return ascii > 0 && odd * ART_SNIFF_UTF16_OF <= units;
}


static unsigned
art_sniff_unit(const uint8_t *p, unsigned big)
{
    return big ? (unsigned) p[0] << 8 | p[1] : (unsigned) p[1] << 8 | p[0];
}


static int
art_sniff_common(unsigned unit)
{
    return (unit >= '\t' && unit <= '\r')
           || (unit >= 0x20 && unit < 0x7f)
           || (unit >= 0xa0 && unit < 0x180)     /* Latin */
           || (unit >= 0x370 && unit < 0x530)    /* Greek, Cyrillic */
           || (unit >= 0x2010 && unit < 0x2040)  /* punctuation */
           || (unit >= 0x3000 && unit < 0x3100)  /* CJK punctuation, kana */
           || (unit >= 0x4e00 && unit < 0xa000)  /* CJK ideographs */
           || (unit >= 0xac00 && unit < 0xd7a4)  /* Hangul */
           || (unit >= 0xd800 && unit < 0xe000)  /* surrogates, in pairs */
           || (unit >= 0xff00 && unit < 0xffef);
}
