
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Whether a medium has its end, worked out the simple way: it is walked through
 * as a whole.
 */


#ifndef ENDS_NAIVE_H_INCLUDED_
#define ENDS_NAIVE_H_INCLUDED_


#include <stdint.h>
#include <string.h>


typedef struct {
    uint64_t             size;
    unsigned             bad;
    unsigned             cut;
    unsigned             locked;
    unsigned             plain;
} naive_t;


static int
naive_has(const uint8_t *p, size_t len, const char *word)
{
    size_t  i, n;

    n = strlen(word);

    for (i = 0; i + n <= len; i++) {
        if (memcmp(p + i, word, n) == 0) {
            return 1;
        }
    }

    return 0;
}


static int
naive_png(const uint8_t *p, size_t n)
{
    uint64_t  at, len;

    for (at = 8; at + 8 <= n; at += len + 12) {
        len = (uint64_t) p[at] << 24 | (uint64_t) p[at + 1] << 16
              | (uint64_t) p[at + 2] << 8 | p[at + 3];

        if (memcmp(p + at + 4, "IEND", 4) == 0) {
            return at + len + 12 <= n;
        }
    }

    return 0;
}


static size_t
naive_table(uint8_t flags)
{
    return flags & 0x80 ? (size_t) 3 << ((flags & 7) + 1) : 0;
}


static int
naive_gif(const uint8_t *p, size_t n)
{
    size_t  at, end;

    if (n < 11) {
        return 0;
    }

    at = 13 + naive_table(p[10]);

    while (at < n && p[at] != ';') {

        if (p[at] == '!') {
            at += 2;

        } else if (p[at] == ',') {

            if (at + 9 >= n) {
                return 0;
            }

            at += 11 + naive_table(p[at + 9]);

        } else {
            for (end = n; end > 0 && p[end - 1] == 0; end--) {
                /* void */
            }

            return end > 0 && p[end - 1] == ';';
        }

        while (at < n && p[at] != 0) {
            at += 1u + p[at];
        }

        at++;
    }

    return at < n;
}


static void
naive_pdf(naive_t *to, const uint8_t *p, size_t n)
{
    size_t  i;

    while (n > 0 && p[n - 1] == 0) {
        n--;
    }

    /* the end and the trailer have to be among the last bytes */

    p += n > 2000 ? n - 2000 : 0;
    n = n > 2000 ? 2000 : n;
    i = n;

    to->cut = !naive_has(p, n, "%%EOF");

    while (i > 0 && (n - i < 7 || memcmp(p + i, "trailer", 7) != 0)) {
        i--;
    }

    to->locked = n >= 7 && memcmp(p + i, "trailer", 7) == 0
                 && naive_has(p + i, n - i, "/Encrypt");
}


/* Sets "cut" and "locked". */

static void
naive_medium(naive_t *to, const uint8_t *p, size_t n)
{
    size_t    i;
    uint64_t  stated;

    if (n >= 8 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        to->cut = !naive_png(p, n);

    } else if (n >= 4 && memcmp(p, "GIF8", 4) == 0) {
        to->cut = !naive_gif(p, n);

    } else if (n >= 3 && memcmp(p, "\xff\xd8\xff", 3) == 0) {
        to->cut = 1;

        for (i = 0; i + 2 <= n; i++) {
            if (p[i] == 0xff && p[i + 1] == 0xd9) {
                to->cut = 0;
            }
        }

    } else if (n >= 4 && memcmp(p, "RIFF", 4) == 0) {
        to->cut = 1;

        if (n >= 12) {
            stated = (uint64_t) p[7] << 24 | (uint64_t) p[6] << 16
                     | (uint64_t) p[5] << 8 | p[4];
            stated += memcmp(p + 8, "WAVE", 4) == 0 ? 0 : 8;
            to->cut = stated > 8 && stated < 0x7ff00008 && stated > n;
        }

    } else if (n >= 5 && memcmp(p, "%PDF-", 5) == 0) {
        naive_pdf(to, p, n);
    }
}


#endif /* ENDS_NAIVE_H_INCLUDED_ */
