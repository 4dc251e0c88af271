
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_base64.h"
#include "core/media/art_find_int.h"
#include "core/media/art_look.h"

#ifdef ART_SIMD_X86
#include <immintrin.h>
#endif


/* Room for the bytes of all digits that are kept. */

#define ART_LOOK_BYTES    (2 * ART_LOOK_TAIL / 4 * 3 + 6)

/* Digits on both sides of one that belong to an end of an image. */

#define ART_LOOK_AROUND   (ART_LOOK_MARK - 1)


static void art_look_other(art_look_t *look, uint8_t c);
static void art_look_digits(art_look_t *look, const uint8_t *p, size_t n);
static void art_look_begin(art_look_t *look);
static void art_look_walk(art_look_t *look, const uint8_t *p, size_t n,
    uint64_t pos);
static void art_look_group(art_look_t *look);
static void art_look_jpeg(art_look_t *look, const uint8_t *p, size_t n,
    uint64_t pos);
static unsigned art_look_marks(const uint8_t *p, size_t n, uint64_t pos);
static size_t art_look_pair(const uint8_t *p, size_t i, size_t n);
#ifdef ART_SIMD_X86
static size_t art_look_pair_ssse3(const uint8_t *p, size_t i, size_t n);
#endif
static void art_look_tail(art_look_t *look, const uint8_t *p, size_t n);
static void art_look_keep(art_look_t *look, const uint8_t *p, size_t n);
static void art_look_whole(art_look_t *look);
static void art_look_pdf(art_look_t *look);
static size_t art_look_last(const art_look_t *look, uint8_t *bytes);


void
art_look_init(art_look_t *look)
{
    memset(look, 0, offsetof(art_look_t, tail));
}


void
art_look_feed(art_look_t *look, const uint8_t *p, size_t len)
{
    size_t  n;

    while (len > 0 && !look->bad) {
        n = 0;

        if (look->pads == 0) {
            n = art_find_span(p, len, look->safe ? ART_FIND_BOTH
                                                 : ART_FIND_PLAIN);
        }

        if (n == 0) {
            art_look_other(look, *p);
            n = look->pads == 0 && art_find_alphabets(*p) != 0 ? 0 : 1;

        } else {
            art_look_digits(look, p, n);
        }

        p += n;
        len -= n;
    }
}


/* A character that is not of the alphabet, as far as that is known. */

static void
art_look_other(art_look_t *look, uint8_t c)
{
    size_t               n;
    uint8_t              none[3];
    art_base64_decode_t  st;

    if (c == '=') {
        look->pads++;
        look->bad = (look->digits & 3) < 2
                    || (look->digits & 3) + look->pads > 4;
        return;
    }

    if (look->pads == 0 && art_find_alphabets(c) == ART_FIND_SAFE) {
        look->safe = 1;
        return;
    }

    /* white space is what the decoder skips */

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, none, &c, 1);

    look->white = 1;
    look->bad = n > 0 || st.bad || st.digits > 0;
}


/* Digits of the alphabet. */

static void
art_look_digits(art_look_t *look, const uint8_t *p, size_t n)
{
    size_t  used;

    art_look_tail(look, p, n);

    look->last = (unsigned) art_base64_value(p[n - 1]);
    look->digits += n;

    if (look->nsign < ART_LOOK_SIGN) {
        used = ART_LOOK_SIGN - look->nsign;
        used = used < n ? used : n;

        memcpy(look->sign + look->nsign, p, used);

        look->nsign += used;
        p += used;
        n -= used;

        if (look->nsign == ART_LOOK_SIGN) {
            art_look_begin(look);
        }
    }

    if (n > 0) {
        art_look_walk(look, p, n, look->digits - n);
    }
}


/* The first digits are there: which format it is. */

static void
art_look_begin(art_look_t *look)
{
    size_t               n;
    uint8_t              p[ART_LOOK_SIGN / 4 * 3 + 3];
    art_base64_decode_t  st;

    memset(p, 0, sizeof(p));
    memset(&st, 0, sizeof(st));

    n = art_base64_decode(&st, p, look->sign, look->nsign);
    n += art_base64_decode_end(&st, p + n);

    art_ends_begin(&look->ends, p, n);

    art_look_walk(look, look->sign, look->nsign, 0);
}


/* Reads digits, the first of which is digit "pos". */

static void
art_look_walk(art_look_t *look, const uint8_t *p, size_t n, uint64_t pos)
{
    size_t    i;
    uint64_t  from;

    if (look->ends.format == ART_ENDS_JPEG) {
        art_look_jpeg(look, p, n, pos);
        return;
    }

    if (look->ends.want == 0) {
        return;
    }

    for (i = 0; i < n; ) {

        /* a group that was begun is read to its end */

        if (look->npart == 0) {
            from = look->ends.next / 3 * 4;

            if (from >= pos + n) {
                return;
            }

            i = from > pos + i ? (size_t) (from - pos) : i;
        }

        look->part[look->npart++] = p[i++];

        if (look->npart == sizeof(look->part)) {
            look->group_pos = (pos + i - sizeof(look->part)) / 4 * 3;
            art_look_group(look);

            if (look->ends.want == 0) {
                return;
            }
        }
    }
}


/* Decodes a group, or what there is of the last one. */

static void
art_look_group(art_look_t *look)
{
    art_base64_decode_t  st;

    memset(&st, 0, sizeof(st));

    look->ngroup = art_base64_decode(&st, look->group, look->part,
                                     look->npart);
    look->ngroup += art_base64_decode_end(&st, look->group + look->ngroup);
    look->npart = 0;

    while (look->ends.want > 0
           && look->ends.next < look->group_pos + look->ngroup)
    {
        art_ends_byte(&look->ends,
                      look->group[look->ends.next - look->group_pos]);
    }
}


/*
 * Looks for FF D9 among the digits: there is a digit of only ones in it, at any
 * of its three positions in a group.
 */

static void
art_look_jpeg(art_look_t *look, const uint8_t *p, size_t n, uint64_t pos)
{
    size_t   len;
    uint8_t  buf[2 * ART_LOOK_AROUND];

    if (look->ends.whole) {
        return;
    }

    /* across the border of two pieces */

    len = n < ART_LOOK_AROUND ? n : ART_LOOK_AROUND;

    memcpy(buf, look->mark, look->nmark);
    memcpy(buf + look->nmark, p, len);

    look->ends.whole = (art_look_marks(buf, look->nmark + len,
                                       pos - look->nmark)
                        || art_look_marks(p, n, pos))
                       & 1;

    if (n >= ART_LOOK_AROUND) {
        look->nmark = ART_LOOK_AROUND;
        memcpy(look->mark, p + n - look->nmark, look->nmark);
        return;
    }

    len += look->nmark;
    look->nmark = len < ART_LOOK_AROUND ? len : ART_LOOK_AROUND;
    memcpy(look->mark, buf + len - look->nmark, look->nmark);
}


/* Whether FF D9 is in these digits. */

static unsigned
art_look_marks(const uint8_t *p, size_t n, uint64_t pos)
{
    size_t  i;

    for (i = 0; ; i++) {
        i = art_look_pair(p, i, n);

        if (i == n) {
            return 0;
        }

        switch ((pos + i) & 3) {

        case 0:  /* 111111 111101 1001.. */

            if (i + 2 < n && p[i + 1] == '9'
                && art_base64_value(p[i + 2]) >> 2 == 9)
            {
                return 1;
            }

            break;

        case 2:  /* ..1111 111111 011001 */

            if (i > 0 && i + 1 < n && p[i + 1] == 'Z'
                && (art_base64_value(p[i - 1]) & 15) == 15)
            {
                return 1;
            }

            break;

        case 3:  /* ....11 111111 110110 01.... */

            if (i > 0 && i + 2 < n && p[i + 1] == '2'
                && (art_base64_value(p[i - 1]) & 3) == 3
                && art_base64_value(p[i + 2]) >> 4 == 1)
            {
                return 1;
            }

            break;

        default:
            break;
        }
    }
}


/*
 * The first digit of the value 63 from "i" on that one follows which may be of
 * the same FF D9; else "n".
 */

static size_t
art_look_pair(const uint8_t *p, size_t i, size_t n)
{
#ifdef ART_SIMD_X86

    if (art_simd_level() != ART_SIMD_NONE) {
        i = art_look_pair_ssse3(p, i, n);
    }

#endif

    for ( /* void */ ; i + 1 < n; i++) {

        if ((p[i] == '/' || p[i] == '_')
            && (p[i + 1] == '9' || p[i + 1] == 'Z' || p[i + 1] == '2'))
        {
            return i;
        }
    }

    return n;
}


#ifdef ART_SIMD_X86

/* The same of all digits but the last ones: the first that may be one. */

art_target_ssse3 static size_t
art_look_pair_ssse3(const uint8_t *p, size_t i, size_t n)
{
    int      found;
    __m128i  one, next;

    for ( /* void */ ; i + 17 <= n; i += 16) {
        one = _mm_loadu_si128((const __m128i *) (const void *) (p + i));
        next = _mm_loadu_si128((const __m128i *) (const void *) (p + i + 1));

        one = _mm_or_si128(_mm_cmpeq_epi8(one, _mm_set1_epi8('/')),
                           _mm_cmpeq_epi8(one, _mm_set1_epi8('_')));
        next = _mm_or_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('9')),
               _mm_or_si128(_mm_cmpeq_epi8(next, _mm_set1_epi8('Z')),
                            _mm_cmpeq_epi8(next, _mm_set1_epi8('2'))));

        found = _mm_movemask_epi8(_mm_and_si128(one, next));

        if (found != 0) {
            return i + (size_t) __builtin_ctz((unsigned) found);
        }
    }

    return i;
}

#endif


/*
 * Keeps the last digits, but for the "A" at the end: files may be filled up
 * with any number of zeros.
 */

static void
art_look_tail(art_look_t *look, const uint8_t *p, size_t n)
{
    size_t   len, zeros;
    uint8_t  buf[64];

    for (len = n; len > 0 && p[len - 1] == 'A'; len--) {
        /* void */
    }

    if (len == 0) {
        look->zeros += n;
        return;
    }

    memset(buf, 'A', sizeof(buf));

    zeros = look->zeros < ART_LOOK_TAIL ? (size_t) look->zeros
                                        : ART_LOOK_TAIL;

    for ( /* void */ ; zeros > sizeof(buf); zeros -= sizeof(buf)) {
        art_look_keep(look, buf, sizeof(buf));
    }

    art_look_keep(look, buf, zeros);
    art_look_keep(look, p, len);

    look->zeros = n - len;
}


static void
art_look_keep(art_look_t *look, const uint8_t *p, size_t n)
{
    if (n > ART_LOOK_TAIL) {
        p += n - ART_LOOK_TAIL;
        n = ART_LOOK_TAIL;
    }

    if (n > sizeof(look->tail) - look->ntail) {
        memmove(look->tail, look->tail + look->ntail - ART_LOOK_TAIL,
                ART_LOOK_TAIL);
        look->ntail = ART_LOOK_TAIL;
    }

    memcpy(look->tail + look->ntail, p, n);
    look->ntail += n;
}


void
art_look_end(art_look_t *look)
{
    unsigned  rest;

    rest = (unsigned) look->digits & 3;

    look->size = look->digits / 4 * 3 + rest * 3 / 4;
    look->bad |= rest == 1 || (look->pads > 0 && rest + look->pads != 4);
    look->plain = !look->bad && !look->safe && !look->white;

    if (rest == 0) {
        look->plain &= look->pads == 0;

    } else {
        look->plain &= rest + look->pads == 4
                       && (look->last & (rest == 2 ? 15 : 3)) == 0;
    }

    if (look->bad || look->size == 0) {
        return;
    }

    if (look->nsign < ART_LOOK_SIGN) {
        art_look_begin(look);
    }

    /* the last digits are no group */

    if (look->npart > 1 && look->ends.want > 0) {
        look->group_pos = look->digits / 4 * 3;
        art_look_group(look);
    }

    art_look_whole(look);
}


/* Whether the format has its end. */

static void
art_look_whole(art_look_t *look)
{
    size_t   n;
    uint8_t  bytes[ART_LOOK_BYTES];

    switch (look->ends.format) {

    case ART_ENDS_NONE:
        return;

    case ART_ENDS_RIFF:
        look->cut = art_ends_is_short(&look->ends, look->size) & 1;
        return;

    case ART_ENDS_GIF:

        /* what is between its blocks may be anything, but not behind them */

        if (look->ends.lost) {
            n = art_look_last(look, bytes);
            look->ends.whole = n > 0 && bytes[n - 1] == ';';
        }

        break;

    case ART_ENDS_PDF:
        art_look_pdf(look);
        break;

    default:
        break;
    }

    look->cut = !look->ends.whole;
}


static void
art_look_pdf(art_look_t *look)
{
    size_t          n;
    uint8_t         bytes[ART_LOOK_BYTES];
    art_ends_pdf_t  pdf;

    n = art_look_last(look, bytes);

    art_ends_pdf(&pdf, bytes, n);

    look->ends.whole = pdf.whole;
    look->locked = pdf.locked;
    look->xref = pdf.xref < look->size ? pdf.xref : 0;
}


/* Decodes the last digits that are kept, without zeros at the end. */

static size_t
art_look_last(const art_look_t *look, uint8_t *bytes)
{
    size_t               n, skip, zeros;
    art_base64_decode_t  st;

    /* a group begins where the digits before it are a multiple of four */

    skip = (size_t) (look->ntail - (look->digits - look->zeros)) & 3;

    if (look->ntail <= skip) {
        return 0;
    }

    memset(&st, 0, sizeof(st));

    n = art_base64_decode(&st, bytes, look->tail + skip, look->ntail - skip);

    /* its last group may have some of the zeros */

    zeros = (size_t) (look->zeros - look->digits) & 3;
    zeros = zeros < look->zeros ? zeros : (size_t) look->zeros;

    n += art_base64_decode(&st, bytes + n, (const uint8_t *) "AAA", zeros);
    n += art_base64_decode_end(&st, bytes + n);

    return art_ends_trim(bytes, n);
}
