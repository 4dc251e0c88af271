
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the charset, the escaping level,
 * the vector instructions, the limit, and seed the sizes of pieces and rooms;
 * the rest is the text.  Fed in pieces it must give what it gives at once
 * without vectors, which must be valid JSON string content, and valid UTF-8
 * below; of UTF-8, the text repaired by definition.
 */


#include <limits.h>
#include <stdlib.h>

#include "core/json/art_json_escape.h"
#include "core/base/art_simd.h"
#include "core/json/art_json_text.h"
#include "core/text/art_utf8.h"
#include "core/text/naive_utf8.h"


#define FUZZ_HEAD  8

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


typedef struct {
    size_t       len;
    unsigned     truncated;
    const char  *charset;
    uint8_t     *data;
} fuzz_result_t;


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


/* One piece; "seed" 0: with all the room there can be need of. */

static void
fuzz_piece(art_json_text_t *t, fuzz_result_t *res, const uint8_t *src,
    size_t len, unsigned last, uint64_t *seed)
{
    size_t          n, left, room;
    uint8_t        *copy, *dst;
    const uint8_t  *p;

    copy = fuzz_alloc(len);
    memcpy(copy, src, len);

    p = copy;
    left = len;

    do {
        room = ART_JSON_UNIT_MAX;

        if (*seed == 0) {
            room += (len + 16) * 12;

        } else {
            room += fuzz_below(seed, fuzz_below(seed, 4) ? 80 : 400);
        }

        dst = fuzz_alloc(room);

        n = art_json_text_update(t, dst, room, &p, &left, last);

        check(n <= room && p + left == copy + len && (n > 0 || left == 0));

        memcpy(res->data + res->len, dst, n);
        res->len += n;
        free(dst);

    } while (n > 0);

    free(copy);
}


/* Whether each line may be UTF-8. */

static unsigned  fuzz_by_lines;


static void
fuzz_feed(fuzz_result_t *res, const char *charset, uint64_t max,
    unsigned level, const uint8_t *src, size_t len, uint64_t seed)
{
    size_t           n;
    unsigned         last;
    art_json_text_t  t;

    res->len = 0;
    res->data = fuzz_alloc((len + 16) * 27);

    art_json_text_init(&t, charset, max, level);

    if (fuzz_by_lines) {
        art_json_text_lines(&t);
    }

    do {
        n = seed ? fuzz_below(&seed, 40) : len;
        n = n < len ? n : len;
        last = n == len && (n == 0 || seed == 0 || fuzz_below(&seed, 2));

        fuzz_piece(&t, res, src, n, last, &seed);

        src += n;
        len -= n;

    } while (!last);

    res->truncated = t.truncated;
    res->charset = t.charset;

    art_json_text_done(&t);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long           n;
    size_t         want;
    uint8_t       *fixed;
    uint64_t       limit, seed;
    unsigned       i, level;
    const char    *charset, *impl;
    fuzz_result_t  ref, got;

    static const char  *impls[] = { "avx512", "avx2", "ssse3", "scalar" };

    static const char  *charsets[] = {
        "UTF-8", "UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE",
        "UTF-32BE", "GB18030", "CP950", "BIG5-HKSCS", "CP932", "EUC-JP-MS",
        "ISO-2022-JP", "UHC", "CP1252", "CP1255", "CP1258", "CP874",
        "ISO-8859-7", "KOI8-R"
    };

    if (size < FUZZ_HEAD) {
        return 0;
    }

    charset = charsets[data[0] % (sizeof(charsets) / sizeof(charsets[0]))];
    fuzz_by_lines = data[0] >> 7;
    level = 1 + data[1] % ART_JSON_LEVEL_MAX;
    impl = impls[data[1] / ART_JSON_LEVEL_MAX % 4];
    limit = data[2] < 128 ? 0 : (uint64_t) (data[2] - 127) * (1u + data[3]);

    /* odd, as 0 means "at once" */

    seed = ((uint64_t) data[4] << 24 | (uint64_t) data[5] << 16
            | (uint64_t) data[6] << 8 | data[7]) << 1 | 1;

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    check(art_simd_select("scalar") == ART_OK);
    fuzz_feed(&ref, charset, limit, level, data, size, 0);

    /* one that this processor lacks leaves the portable code */

    (void) art_simd_select(impl);
    fuzz_feed(&got, charset, limit, level, data, size, seed);

    check(got.len == ref.len && memcmp(got.data, ref.data, ref.len) == 0);
    check(got.truncated == ref.truncated);
    check(strcmp(got.charset, ref.charset) == 0);

    for (i = 0; i < level; i++) {
        n = naive_unescape(ref.data, ref.len);
        check(n >= 0);
        ref.len = (size_t) n;
    }

    check(naive_valid(ref.data, ref.len));
    check(art_utf8_valid(ref.data, ref.len));
    check(limit == 0 || ref.len <= limit);
    check(limit > 0 || !ref.truncated);

    if (strcmp(ref.charset, "UTF-8") == 0 && !fuzz_by_lines) {

        /* a byte order mark is no part of the text */

        if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
            data += 3;
            size -= 3;
        }

        fixed = fuzz_alloc(size * 3);
        want = naive_shown(fixed, data, size);

        check(ref.truncated == (limit > 0 && want > limit));
        check(ref.truncated ? ref.len + 4 > limit : ref.len == want);
        check(memcmp(fixed, ref.data, ref.len) == 0);

        free(fixed);
    }

    free(ref.data);
    free(got.data);

    return 0;
}
