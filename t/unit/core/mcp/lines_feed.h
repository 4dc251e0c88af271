
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Lines of a text, fed to the algorithm in pieces.
 */


#ifndef ART_LINES_FEED_H_INCLUDED_
#define ART_LINES_FEED_H_INCLUDED_


#include "core/mcp/art_lines.h"
#include "exact.h"
#include "tap.h"


/* A text that grows. */

typedef struct {
    uint8_t  *data;
    size_t    len;
    size_t    room;
} text_t;


static TAP_UNUSED void
text_add(text_t *t, const void *data, size_t len)
{
    if (t->len + len + 1 > t->room) {
        t->room = 2 * (t->len + len + 1);
        t->data = must(realloc(t->data, t->room));
    }

    if (len > 0) {
        memcpy(t->data + t->len, data, len);
    }

    t->len += len;
    t->data[t->len] = '\0';
}


/* Undoes the JSON escapes that the algorithm makes. */

static TAP_UNUSED void
text_unescape(text_t *t)
{
    size_t       i, n;
    const char  *p;

    static const char  from[] = "ntrbf";
    static const char  to[] = "\n\t\r\b\f";

    for (i = 0, n = 0; i < t->len; n++) {

        if (t->data[i] != '\\') {
            t->data[n] = t->data[i++];

        } else if (t->data[i + 1] == 'u') {
            /* only control characters are escaped so, and two digits do */

            t->data[n] = (uint8_t) ((t->data[i + 4] - '0') * 16
                                    + (t->data[i + 5] <= '9'
                                       ? t->data[i + 5] - '0'
                                       : t->data[i + 5] - 'a' + 10));
            i += 6;

        } else {
            p = strchr(from, t->data[i + 1]);
            t->data[n] = p != NULL ? (uint8_t) to[p - from] : t->data[i + 1];
            i += 2;
        }
    }

    t->len = n;

    if (t->data != NULL) {
        t->data[n] = '\0';
    }
}


/*
 * Feeds a content in pieces of at most "piece" bytes (random ones if "random"),
 * each in memory of its own size; returns how many there were, or 0 on errors.
 */

static TAP_UNUSED size_t
lines_feed(text_t *res, const art_lines_conf_t *conf, const void *data,
    size_t piece, unsigned random)
{
    int             rc;
    size_t          n, left, pieces;
    uint8_t        *copy, *room;
    art_out_t       out;
    art_lines_t    *l;
    const uint8_t  *p;

    l = must(malloc(sizeof(art_lines_t)));
    memset(l, 0x5a, sizeof(art_lines_t));

    art_lines_init(l, conf);

    res->len = 0;
    pieces = 0;

    do {
        n = (size_t) (conf->size - l->offset);
        n = n < piece ? n : piece;
        n = random && n > 0 ? 1 + tap_below(n) : n;

        copy = exact((const uint8_t *) data + l->offset, n);
        p = copy;
        left = n;
        pieces++;

        do {
            room = exact(NULL, ART_LINES_ROOM);
            out = art_out(room, ART_LINES_ROOM);

            rc = art_lines_update(l, &out, &p, &left);

            text_add(res, room, out.len);
            free(room);

            if (out.len > ART_LINES_ROOM) {
                rc = ART_ERROR;
            }

        } while (rc == ART_LINES_FULL);

        if (rc == ART_LINES_MORE && left > 0) {
            rc = ART_ERROR;
        }

        free(copy);

    } while (rc == ART_LINES_MORE);

    art_lines_done(l);
    free(l);

    text_unescape(res);

    return rc == ART_LINES_DONE ? pieces : 0;
}


#endif /* ART_LINES_FEED_H_INCLUDED_ */
