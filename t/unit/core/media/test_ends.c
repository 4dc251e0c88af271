
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media that can be read at any place: whole, cut at any byte, filled up,
 * followed by something else, longer than is looked at, against the simple way.
 * No content that has an end is ever called cut.
 */


#include "cut_media.h"
#include "ends_naive.h"
#include "ends_run.h"


#define LARGE_MAX  (3 << 20)


static uint8_t  large[LARGE_MAX];
static size_t   large_len;


static void
put(const void *p, size_t n)
{
    memcpy(large + large_len, p, n);
    large_len += n;
}


static void
put_byte(size_t n, uint8_t c)
{
    memset(large + large_len, c, n);
    large_len += n;
}


static art_end_t
large_end(void)
{
    unsigned  steps;

    return ends_of(large, large_len, UINT32_MAX, &steps);
}


/* A PNG of chunks of "len" bytes, without its last one. */

static void
make_large_png(unsigned n, uint32_t len)
{
    uint8_t  head[8] = { 0, 0, 0, 0, 'I', 'D', 'A', 'T' };

    head[0] = (uint8_t) (len >> 24);
    head[1] = (uint8_t) (len >> 16);
    head[2] = (uint8_t) (len >> 8);
    head[3] = (uint8_t) len;

    large_len = 0;
    put("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0abcd", 33);

    while (n-- > 0) {
        put(head, 8);
        put_byte(len, 0x55);
        put("sumC", 4);
    }
}


/* Where the end is not among the last bytes, all that matters is walked. */

static void
check_far(void)
{
    make_large_png(60, 8192);
    is_int(large_end(), ART_END_CUT, "a PNG of 480 KB in chunks of 8 KB");
    put("\0\0\0\0IEND\xae\x42\x60\x82", 12);
    is_int(large_end(), ART_END_WHOLE, "... with its end");
    put_byte(90000, 'x');
    is_int(large_end(), ART_END_WHOLE, "... and 90 KB behind it");

    make_large_png(2, 1 << 20);
    is_int(large_end(), ART_END_CUT, "a PNG of 2 MB in two chunks");
    large_len -= 1000;
    is_int(large_end(), ART_END_CUT, "... and less");

    make_large_png(300, 8192);
    is_int(large_end(), ART_END_WHOLE, "too many chunks to be sure");

    large_len = 0;
    put("GIF89a\1\0\1\0\0\0\0,\0\0\0\0\1\0\1\0\0\2\2\x44\1\0", 28);
    is_int(large_end(), ART_END_CUT, "a GIF without an end");
    put(";", 1);
    put_byte(200000, 'x');
    is_int(large_end(), ART_END_WHOLE, "a GIF with 200 KB behind it");

    large_len = 0;
    put("\xff\xd8\xff\xe1\xff\xd9", 6);
    put_byte(300000, 'x');
    is_int(large_end(), ART_END_WHOLE, "a JPEG with an end at its beginning");
    large[5] = 0xd8;
    is_int(large_end(), ART_END_CUT, "without one");
    large[ART_ENDS_PIECE - 1] = 0xff;
    large[ART_ENDS_PIECE] = 0xd9;
    is_int(large_end(), ART_END_WHOLE, "at the border of two pieces");
    large[ART_ENDS_PIECE] = 0;
    put_byte(300000, 'x');
    is_int(large_end(), ART_END_WHOLE, "too long to be sure");

    large_len = 0;
    put("%PDF-1.7\n%%EOF\n", 15);
    put_byte(8000, 0);
    is_int(large_end(), ART_END_WHOLE, "a PDF, and zeros");
    put_byte(700000, 0);
    is_int(large_end(), ART_END_WHOLE, "too many to be sure");
    large_len = 9;
    put_byte(8000, 0);
    is_int(large_end(), ART_END_CUT, "zeros, but no end");
    put_byte(2000, 'x');
    is_int(large_end(), ART_END_CUT, "no end among the last bytes of a PDF");
}


/* A stream of references, at any place. */

static void
check_locked(void)
{
    size_t    at;
    char      end[64];
    unsigned  i;

    for (i = 0; i < 4; i++) {
        large_len = 0;
        put("%PDF-1.5\n", 9);
        put_byte(i & 1 ? 9000 : 10, 'x');
        at = large_len;
        put("7 0 obj\n<</Type/XRef/W[1 2 1]", 29);
        put(i & 2 ? "/Encrypt 5 0 R" : "/Info    5 0 R", 14);
        put(">>\nstream\n", 10);
        put_byte(4500, 0x81);
        put("\nendstream\n", 11);
        put(end, (size_t) snprintf(end, sizeof(end),
                                   "startxref\n%zu\n%%%%EOF\n", at));
        is_int(large_end(), i & 2 ? ART_END_LOCKED : ART_END_WHOLE,
               i & 2 ? "a stream of references with a password"
                     : "a stream of references without one");
    }

    for (i = 0; i < 2; i++) {
        large_len = 0;
        put("%PDF-1.5\nxref\n0 1\n0000000015 00000 n \ntrailer\n<<", 48);
        put(i ? "/Encrypt 5 0 R" : "/Info    5 0 R", 14);
        put(">>\nstartxref\n0\n%%EOF\n/Encrypt", 29);
        put_byte(9000, 'x');
        put("trailer\n<</Size 1>>\nstartxref\n9\n%%EOF\n", 38);
        is_int(large_end(), i ? ART_END_LOCKED : ART_END_WHOLE,
               i ? "the first trailer of a linearized PDF, with a password"
                 : "one without a password");
    }

    large_len = 0;
    put("%PDF-1.5\nstartxref\n99999999999999999999\n%%EOF", 45);
    is_int(large_end(), ART_END_WHOLE, "references that are nowhere");
}


/*
 * Whether the last bytes have what need not be an end, but may be one, or a GIF
 * has what nobody knows.
 */

static int
may_end(void)
{
    size_t          n;
    art_ends_t      ends;
    const uint8_t  *p;

    art_ends_begin(&ends, medium, medium_len);

    while (ends.want > 0 && ends.next < medium_len) {
        art_ends_byte(&ends, medium[ends.next]);
    }

    if (ends.lost) {
        return 1;
    }

    n = medium_len > ART_ENDS_PIECE ? ART_ENDS_PIECE : medium_len;
    p = medium + medium_len - n;

    if (memcmp(medium, "\x89P", 2) == 0) {
        return naive_has(p, n, "IEND\xae\x42\x60\x82");
    }

    n = art_ends_trim(p, n);

    return memcmp(medium, "GI", 2) == 0 && n > 1 && p[n - 1] == ';'
           && p[n - 2] == 0;
}


static unsigned
is_wrong(void)
{
    naive_t    want;
    unsigned   steps, times;
    art_end_t  got;

    memset(&want, 0, sizeof(want));
    naive_medium(&want, medium, medium_len);

    got = ends_of(medium, medium_len, UINT32_MAX, &steps);

    if (steps == UINT32_MAX
        || (medium_len == 0 ? got != ART_END_UNKNOWN
            : want.cut ? got != ART_END_CUT && !may_end()
            : got != (want.locked ? ART_END_LOCKED : ART_END_WHOLE)))
    {
        diag("%zu bytes: end %d, cut %u, locked %u", medium_len, (int) got,
             want.cut, want.locked);
        return 1;
    }

    if (steps == 0) {
        return 0;
    }

    return ends_of(medium, medium_len, below(steps), &times)
           != ART_END_UNKNOWN;
}


int
main(void)
{
    size_t    whole;
    unsigned  i, wrong;

    static void (*const  make[])(void) = { make_png, make_gif };

    check_far();
    check_locked();

    wrong = 0;

    for (i = 0; i < nitems(make); i++) {
        medium_len = 0;
        make[i]();
        whole = medium_len;

        for (medium_len = 0; medium_len < whole; medium_len++) {
            wrong += is_wrong();
        }
    }

    is_int(wrong, 0, "a PNG and a GIF, cut at each byte");

    wrong = 0;

    for (i = 0; i < 30000 && wrong < 5; i++) {
        make_medium();
        wrong += is_wrong();
    }

    is_int(wrong, 0, "30000 media, as the simple way sees them");

    return done();
}
