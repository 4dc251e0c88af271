
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What art_look_t tells, worked out the simple way: all is decoded, and then
 * walked through as a whole.
 */


#ifndef LOOK_NAIVE_H_INCLUDED_
#define LOOK_NAIVE_H_INCLUDED_


#include <stdlib.h>
#include <string.h>

#include "core/text/art_base64.h"
#include "core/media/art_look.h"


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

    i = n > 1024 ? n - 1024 : 0;
    to->cut = !naive_has(p + i, n - i, "%%EOF");

    /* the trailer has to be among the last bytes */

    p += n > 2000 ? n - 2000 : 0;
    n = n > 2000 ? 2000 : n;
    i = n;

    while (i > 0 && (n - i < 7 || memcmp(p + i, "trailer", 7) != 0)) {
        i--;
    }

    to->locked = n >= 7 && memcmp(p + i, "trailer", 7) == 0
                 && naive_has(p + i, n - i, "/Encrypt");
}


static naive_t
naive_look(const uint8_t *text, size_t len)
{
    size_t               n, i;
    naive_t              to;
    uint8_t             *p;
    uint64_t             stated;
    art_base64_decode_t  st;

    memset(&to, 0, sizeof(to));
    memset(&st, 0, sizeof(st));

    p = malloc(len / 4 * 3 + 16);
    n = art_base64_decode(&st, p, text, len);
    n += art_base64_decode_end(&st, p + n);

    to.bad = st.bad;

    if (st.bad) {
        free(p);
        return to;
    }

    to.size = n;

    /* what the encoder of canonical base64 makes of it */

    {
        size_t          written, left;
        uint8_t        *again;
        const uint8_t  *src;
        art_base64_t    enc;

        memset(&enc, 0, sizeof(enc));
        again = malloc(ART_BASE64_LEN(n) + 4);
        src = p;
        left = n;
        written = art_base64_update(&enc, again, ART_BASE64_LEN(n), &src,
                                    &left);
        written += art_base64_final(&enc, again + written, 4);
        to.plain = written == len && memcmp(again, text, len) == 0;
        free(again);
    }

    if (n >= 8 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
        to.cut = !naive_png(p, n);

    } else if (n >= 4 && memcmp(p, "GIF8", 4) == 0) {
        to.cut = !naive_gif(p, n);

    } else if (n >= 3 && memcmp(p, "\xff\xd8\xff", 3) == 0) {
        to.cut = 1;

        for (i = 0; i + 2 <= n; i++) {
            if (p[i] == 0xff && p[i + 1] == 0xd9) {
                to.cut = 0;
            }
        }

    } else if (n >= 4 && memcmp(p, "RIFF", 4) == 0) {
        to.cut = 1;

        if (n >= 12) {
            stated = (uint64_t) p[7] << 24 | (uint64_t) p[6] << 16
                     | (uint64_t) p[5] << 8 | p[4];
            to.cut = stated != 0 && stated < 0x7fffffff && stated + 8 > n;
        }

    } else if (n >= 5 && memcmp(p, "%PDF-", 5) == 0) {
        naive_pdf(&to, p, n);
    }

    free(p);

    return to;
}


/* The same of art_look_t, in pieces of "piece" bytes; 0: all at once. */

static naive_t
look_pieces(const uint8_t *text, size_t len, size_t piece)
{
    size_t       n;
    naive_t      to;
    uint8_t     *copy;
    art_look_t  *look;

    look = malloc(sizeof(*look));
    memset(look, 0xa5, sizeof(*look));
    art_look_init(look);

    for ( /* void */ ; len > 0; len -= n) {
        n = piece == 0 || piece > len ? len : piece;

        /* memory of its own, so that a sanitizer sees one byte more */

        copy = malloc(n);
        memcpy(copy, text, n);
        art_look_feed(look, copy, n);
        free(copy);
        text += n;
    }

    art_look_end(look);

    memset(&to, 0, sizeof(to));

    to.bad = look->bad;

    if (!look->bad) {
        to.size = look->size;
        to.cut = look->cut;
        to.locked = look->locked;
        to.plain = look->plain;
    }

    free(look);

    return to;
}


static int
naive_same(const naive_t *one, const naive_t *other)
{
    return one->size == other->size && one->bad == other->bad
           && one->cut == other->cut && one->locked == other->locked
           && one->plain == other->plain;
}


#endif /* LOOK_NAIVE_H_INCLUDED_ */
