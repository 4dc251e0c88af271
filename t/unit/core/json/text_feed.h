
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Feeds art_text with pieces of any size and rooms of any size, and checks
 * what it promises of each call.
 */


#ifndef ART_TEXT_FEED_H_INCLUDED_
#define ART_TEXT_FEED_H_INCLUDED_



#include "core/json/art_json_escape.h"
#include "core/json/art_json_text.h"
#include "exact.h"
#include "core/text/naive_utf8.h"
#include "tap.h"


#define LEN_MAX  3000
#define OUT_MAX  (LEN_MAX * 30)


/* How a text is fed: random sizes below these two if "vary". */

typedef struct {
    size_t      chunk;
    size_t      room;
    int         vary;
} feed_t;


typedef struct {
    size_t      len;
    unsigned    truncated;
    const char *charset;
    uint8_t     data[OUT_MAX];
} result_t;


static const feed_t  whole = { OUT_MAX, OUT_MAX, 0 };

/* Whether each line may be UTF-8. */

static unsigned  feed_lines;


static size_t
feed_room(const feed_t *how)
{
    return how->vary ? ART_JSON_UNIT_MAX + tap_below(how->room) : how->room;
}


/* Offers one piece until all is taken; 0 on a broken promise. */

static int
feed_piece(art_json_text_t *t, result_t *res, const uint8_t *src, size_t len,
    unsigned last, const feed_t *how)
{
    size_t          n, room, left;
    uint8_t        *dst, *copy;
    const uint8_t  *p;

    copy = len ? exact(src, len) : NULL;
    p = copy;
    left = len;

    do {
        room = feed_room(how);
        dst = exact(NULL, room);

        n = art_json_text_update(t, dst, room, &p, &left, last);

        if (n == ART_JSON_TEXT_ERROR || n > room || (n == 0 && left > 0)
            || p != (copy ? copy + (len - left) : NULL)
            || !naive_valid(dst, n))
        {
            diag("%zu bytes for a room of %zu, %zu left", n, room, left);
            free(dst);
            free(copy);
            return 0;
        }

        memcpy(res->data + res->len, dst, n);
        res->len += n;
        free(dst);

    } while (n > 0);

    free(copy);

    return 1;
}


/* Converts a text; the result is still escaped. */

static int
feed(result_t *res, const char *charset, uint64_t max, unsigned level,
    const void *src, size_t len, const feed_t *how)
{
    int              good;
    size_t           n;
    unsigned         last;
    const uint8_t   *p;
    art_json_text_t  t;

    art_json_text_init(&t, charset, max, level);

    if (feed_lines) {
        art_json_text_lines(&t);
    }

    p = src;
    res->len = 0;
    last = 0;
    good = 1;

    while (good && !last) {
        n = how->vary ? tap_below(how->chunk + 1) : how->chunk;
        n = n < len ? n : len;

        /* the end may be known with the last bytes, or only after them */

        last = n == len && (n == 0 || (how->vary && tap_below(2)));

        good = feed_piece(&t, res, p, n, last, how);
        p += n;
        len -= n;
    }

    res->truncated = t.truncated;
    res->charset = t.charset;

    art_json_text_done(&t);

    return good;
}


static int
unescape(result_t *res, unsigned level)
{
    long  n;

    while (level-- > 0) {
        n = naive_unescape(res->data, res->len);

        if (n < 0) {
            return 0;
        }

        res->len = (size_t) n;
    }

    return 1;
}


#endif /* ART_TEXT_FEED_H_INCLUDED_ */
