
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"
#include "core/text/art_utf8.h"
#include "core/media/art_sniff_faults.h"


/* What is looked at at once; its length is known, so compilers use vectors. */

#define ART_SNIFF_BLOCK  256

#define art_sniff_inline  static inline __attribute__((always_inline))


typedef struct {
    uint8_t  odd;                /* not 0 if there is a NUL or a control */
    uint8_t  all;                /* of which the high bit tells of no ASCII */
} art_sniff_block_t;


static unsigned art_sniff_plain(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static art_sniff_block_t art_sniff_block(const uint8_t *p);
static void art_sniff_odd(const uint8_t *p, size_t len,
    art_sniff_faults_t *faults);
static void art_sniff_invalid(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults);


/* Control characters are ASCII: what else is wrong hides none of them. */

void
art_sniff_count(const uint8_t *p, size_t len, unsigned whole,
    art_sniff_faults_t *faults)
{
    memset(faults, 0, sizeof(*faults));

    faults->ascii = art_sniff_plain(p, len, faults);

    if (faults->nul == 0 && !faults->ascii) {
        art_sniff_invalid(p, len, whole, faults);
    }
}


/* Counts NULs and control characters; whether all of it is ASCII. */

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

art_sniff_inline art_sniff_block_t
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
