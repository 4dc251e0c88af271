
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first eight bytes seed the sizes of pieces and rooms,
 * the rest is the data: every implementation, fed in pieces, must give what
 * the scalar one gives at once, which must decode back; and whatever the
 * strict decoder takes must be the encoding of what it gives.
 */


#include <stdlib.h>

#include "core/text/art_base64.h"
#include "core/base/art_simd.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static uint8_t *
fuzz_alloc(size_t len)
{
    uint8_t  *p;

    p = malloc(len + (len == 0));
    check(p != NULL);

    return p;
}


static size_t
fuzz_below(uint64_t *seed, size_t n)
{
    *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;

    return (size_t) (*seed >> 33) % n;
}


static size_t
fuzz_pieces(uint8_t *out, const uint8_t *src, size_t len, uint64_t seed)
{
    size_t          n, piece, left, room, total;
    uint8_t        *copy, *dst;
    art_base64_t    st;
    const uint8_t  *p;

    memset(&st, 0, sizeof(st));
    total = 0;

    while (len > 0) {
        piece = 1 + fuzz_below(&seed, 200);
        piece = piece < len ? piece : len;
        copy = fuzz_alloc(piece);
        memcpy(copy, src, piece);

        p = copy;
        left = piece;

        do {
            room = fuzz_below(&seed, 300);
            dst = fuzz_alloc(room);
            n = art_base64_update(&st, dst, room, &p, &left);

            check(n <= room && n % 4 == 0 && st.n < 3);
            check(left == 0 || room - n < 4);
            check(p + left == copy + piece);

            memcpy(out + total, dst, n);
            total += n;
            free(dst);

        } while (left > 0);

        free(copy);
        src += piece;
        len -= piece;
    }

    dst = fuzz_alloc(4);
    n = art_base64_final(&st, dst, 4);
    memcpy(out + total, dst, n);
    free(dst);

    return total + n;
}


/* The URL-safe decoder reads the other alphabet too, once it is translated. */

static void
fuzz_decodes(const uint8_t *enc, size_t n, const uint8_t *src, size_t len)
{
    size_t    i, m;
    uint8_t  *url, *back;

    url = fuzz_alloc(n);
    back = fuzz_alloc(n / 4 * 3 + 3);

    for (i = 0; i < n; i++) {
        check(enc[i] != '-' && enc[i] != '_');
        url[i] = enc[i] == '+' ? '-' : enc[i] == '/' ? '_' : enc[i];
    }

    check(art_base64url_decode(back, &m, url, n) == ART_OK);
    check(m == len && (len == 0 || memcmp(back, src, len) == 0));

    free(url);
    free(back);
}


static void
fuzz_url(const uint8_t *src, size_t len)
{
    size_t    n, m;
    uint8_t  *enc, *back;

    enc = fuzz_alloc(ART_BASE64URL_LEN(len));
    back = fuzz_alloc(ART_BASE64URL_LEN(len) / 4 * 3 + 3);

    n = art_base64url_encode(enc, src, len);
    check(n == ART_BASE64URL_LEN(len));
    check(art_base64url_decode(back, &m, enc, n) == ART_OK);
    check(m == len && (len == 0 || memcmp(back, src, len) == 0));

    free(enc);
    free(back);

    back = fuzz_alloc(len / 4 * 3 + 3);
    enc = fuzz_alloc(len);

    if (art_base64url_decode(back, &m, src, len) == ART_OK) {
        n = ART_BASE64URL_LEN(m);
        check(n <= len && art_base64url_encode(enc, back, m) == n);
        check(n == 0 || memcmp(enc, src, n) == 0);

        for ( ; n < len; n++) {
            check(src[n] == '=' && len % 4 == 0 && len - n < 3);
        }

    } else {
        check(m == 0);
    }

    free(enc);
    free(back);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          i, n, len;
    uint8_t        *ref, *got;
    uint64_t        seed;
    art_base64_t    st;
    const uint8_t  *p;

    static const char  *impls[] = { "avx512", "avx2", "ssse3", "scalar" };

    if (size < sizeof(seed)) {
        return 0;
    }

    memcpy(&seed, data, sizeof(seed));
    data += sizeof(seed);
    size -= sizeof(seed);

    n = ART_BASE64_LEN(size);
    ref = fuzz_alloc(n);
    got = fuzz_alloc(n);

    memset(&st, 0, sizeof(st));
    p = data;
    len = size;

    check(art_simd_select("scalar") == ART_OK);
    n = art_base64_update(&st, ref, n, &p, &len);
    check(len == 0);
    n += art_base64_final(&st, ref + n, ART_BASE64_LEN(size) - n);
    check(n == ART_BASE64_LEN(size));

    fuzz_decodes(ref, n, data, size);

    for (i = 0; i < sizeof(impls) / sizeof(impls[0]); i++) {
        if (art_simd_select(impls[i]) == ART_OK) {
            check(fuzz_pieces(got, data, size, seed) == n);
            check(memcmp(got, ref, n) == 0);
        }
    }

    free(ref);
    free(got);

    fuzz_url(data, size);

    return 0;
}
