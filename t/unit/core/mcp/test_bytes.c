
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Ranges of bytes of random texts, in pieces of any size, against what a plain
 * reading of the whole text gives.
 */


#include "core/mcp/art_bytes.h"
#include "core/text/art_utf8.h"
#include "lines_feed.h"


#define ROUNDS  6000
#define LIMIT   20000


static uint8_t  content[LIMIT + 8];
static uint8_t  units[2 * LIMIT + 8];


/* Returns 0 on errors. */

static int
bytes_feed(text_t *res, art_bytes_t *b, const art_bytes_conf_t *conf,
    const uint8_t *data, size_t piece)
{
    int             rc;
    size_t          n, left, turns;
    uint8_t        *copy, *room;
    art_out_t       out;
    const uint8_t  *p;

    memset(b, 0x5a, sizeof(art_bytes_t));
    art_bytes_init(b, conf);

    res->len = 0;
    turns = 0;

    do {
        n = (size_t) (conf->size - b->offset);
        n = n < piece ? n : piece;
        n = piece < 100 && n > 0 ? 1 + tap_below(n) : n;

        copy = exact(data + b->offset, n);
        p = copy;
        left = n;

        do {
            room = exact(NULL, ART_BYTES_ROOM);
            out = art_out(room, ART_BYTES_ROOM);

            rc = art_bytes_update(b, &out, &p, &left);

            text_add(res, room, out.len);
            free(room);

            if (out.len > ART_BYTES_ROOM) {
                rc = ART_ERROR;
            }

        } while (rc == ART_LINES_FULL);

        if ((rc == ART_LINES_MORE && left > 0) || ++turns > 10 * LIMIT) {
            rc = ART_ERROR;
        }

        free(copy);

    } while (rc == ART_LINES_MORE);

    art_bytes_done(b);
    text_unescape(res);

    return rc == ART_LINES_DONE;
}


static size_t
random_text(uint8_t *p, size_t max)
{
    size_t       n;
    const char  *s;

    static const char *const  chars[] = {
        "a", "b", "\n", "\r\n", "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80"
    };

    for (n = 0; n + 4 < max; n += strlen(s)) {
        s = chars[tap_below(nitems(chars))];
        memcpy(p + n, s, strlen(s));
    }

    return n;
}


static unsigned
is_inner(uint8_t c)
{
    return (c & 0xc0) == 0x80;
}


/* "p" is the text in UTF-8, of which "mark" bytes are not shown. */

static int
is_range(const art_bytes_conf_t *conf, const art_bytes_t *b,
    const text_t *got, const uint8_t *p, size_t len, size_t mark)
{
    char     words[256];
    size_t   i, from, to, at, rows;
    text_t   want;
    int      good;

    memset(&want, 0, sizeof(want));

    from = conf->tail == 0 ? (size_t) (conf->first < len ? conf->first : len)
           : conf->tail < len ? len - (size_t) conf->tail : 0;
    to = conf->tail == 0 && conf->last < len ? (size_t) conf->last + 1 : len;

    if (conf->max > 0 && to > from && to - from > conf->max) {
        to = from + (size_t) conf->max;
    }

    at = from;

    while (from > 0 && from < len && is_inner(p[from])) {
        from++;
    }

    while (to > 0 && to < len && is_inner(p[to])) {
        to--;
    }

    if (!conf->whole && from < to) {
        text_add(&want, words, (size_t) snprintf(words, sizeof(words),
                                   "[bytes %zu to %zu of %zu%s]\n", from,
                                   to - 1, len, conf->charset ? ", as UTF-8"
                                                              : ""));
    }

    if (from < to && !conf->only) {
        i = from > mark ? from : mark;

        /* a mark that is cut is a character as others are */

        if (from > 0 || to < mark) {
            i = from;
        }

        text_add(&want, p + i, to > i ? to - i : 0);
    }

    good = 1;

    if (!conf->only && (conf->whole || from < to)) {
        good = got->len == want.len
               && (want.len == 0 || memcmp(got->data, want.data, want.len)
                                    == 0);

    } else if (!conf->only) {
        good = got->len > 10 && got->data[got->len - 1] == '\n'
               && got->data[0] == '['
               && (strstr((char *) got->data, "there is no byte") != NULL)
                  == (conf->tail == 0 ? conf->first >= len : len == 0);
    }

    if (from < to) {
        good &= b->from == from && b->to == to;
    }

    good &= b->total == len && b->stored == (conf->charset == NULL);

    if (conf->whole) {
        rows = len > 0 && p[len - 1] != '\n';

        for (i = 0; i < len; i++) {
            rows += p[i] == '\n';
        }

        good &= b->rows == rows;
    }

    if (!good) {
        diag("first %llu last %lld tail %llu max %llu whole %u: %zu to %zu, "
             "%llu to %llu of %llu, at %zu",
             (unsigned long long) conf->first, (long long) conf->last,
             (unsigned long long) conf->tail, (unsigned long long) conf->max,
             conf->whole, from, to, (unsigned long long) b->from,
             (unsigned long long) b->to, (unsigned long long) b->total, at);
        diag_mem("content", p, len);
        diag_mem("got", got->data, got->len);
        diag_mem("want", want.data, want.len);
    }

    free(want.data);

    return good;
}


static void
random_conf(art_bytes_conf_t *conf, size_t len)
{
    memset(conf, 0, sizeof(art_bytes_conf_t));

    conf->lang = ART_LANG_EN;
    conf->last = ART_BYTES_END;
    conf->max = tap_below(2) ? 0 : 1 + tap_below(len + 5);

    switch (tap_below(4)) {

    case 0:
        conf->whole = 1;
        break;

    case 1:
        conf->tail = 1 + tap_below(len + 5);
        break;

    default:
        conf->first = tap_below(len + 3);

        if (tap_below(3)) {
            conf->last = conf->first + tap_below(len + 3);
        }
    }

    conf->only = !conf->whole && tap_below(8) == 0;
}


static void
test_utf8(void)
{
    int                good;
    size_t             i, len, mark;
    text_t             got;
    art_bytes_t       *b;
    art_bytes_conf_t   conf;

    b = must(malloc(sizeof(art_bytes_t)));
    memset(&got, 0, sizeof(got));
    good = 1;

    for (i = 0; i < ROUNDS && good; i++) {
        mark = tap_below(3) ? 0 : 3;
        memcpy(content, "\xef\xbb\xbf", 3);
        len = mark + random_text(content + mark,
                                 tap_below(i % 50 ? 40 : LIMIT - 3));

        random_conf(&conf, len);
        conf.size = len;
        conf.lines = (unsigned) tap_below(2);

        good = bytes_feed(&got, b, &conf, content, i & 1 ? LIMIT : 7)
               && is_range(&conf, b, &got, content, len, mark);
    }

    ok(good, "UTF-8");

    free(got.data);
    free(b);
}


static void
test_utf16(void)
{
    int                good;
    size_t             i, k, n, len;
    text_t             got;
    uint32_t           code;
    art_bytes_t       *b;
    art_bytes_conf_t   conf;

    b = must(malloc(sizeof(art_bytes_t)));
    memset(&got, 0, sizeof(got));
    good = 1;

    for (i = 0; i < ROUNDS / 4 && good; i++) {
        n = 0;
        len = 0;

        if (tap_below(2)) {
            units[n++] = 0xff;
            units[n++] = 0xfe;
        }

        for (k = tap_below(i % 50 ? 20 : 5000); k > 0; k--) {
            code = tap_below(3) ? 'a' : tap_below(2) ? 0x4e2d : '\n';
            len += art_utf8_encode(content + len, code);
            units[n++] = (uint8_t) code;
            units[n++] = (uint8_t) (code >> 8);
        }

        random_conf(&conf, len);
        conf.charset = "UTF-16LE";
        conf.size = n;

        good = bytes_feed(&got, b, &conf, units, i & 1 ? 2 * LIMIT : 7)
               && is_range(&conf, b, &got, content, len, 0);
    }

    ok(good, "UTF-16");

    free(got.data);
    free(b);
}


static void
test_ranges(void)
{
    size_t            i;
    art_bytes_conf_t  conf;

    static const struct {
        const char  *value;
        int64_t      first, last, tail;
    } rows[] = {
        { "0-0", 0, 0, 0 }, { "0-4095", 0, 4095, 0 }, { "7-", 7, -1, 0 },
        { "-2000", 0, 0, 2000 }, { "007-0009", 7, 9, 0 },
        { "0-99999999999999999999", 0, INT64_MAX, 0 },
        { "", -1, 0, 0 }, { "-", -1, 0, 0 }, { "5", -1, 0, 0 },
        { "-0", -1, 0, 0 }, { "3-2", -1, 0, 0 }, { "1-2-3", -1, 0, 0 },
        { " 1-2", -1, 0, 0 }, { "--1", -1, 0, 0 }, { "a-b", -1, 0, 0 },
        { "1-a", -1, 0, 0 }
    };

    for (i = 0; i < nitems(rows); i++) {
        memset(&conf, 0, sizeof(conf));

        if (rows[i].first == -1) {
            ok(art_bytes_range(&conf, art_cstr(rows[i].value)) == ART_ERROR,
               "\"%s\" is none", rows[i].value);
            continue;
        }

        ok(art_bytes_range(&conf, art_cstr(rows[i].value)) == ART_OK
           && (int64_t) conf.tail == rows[i].tail
           && (conf.tail != 0 || ((int64_t) conf.first == rows[i].first
                                  && (int64_t) conf.last == rows[i].last)),
           "\"%s\"", rows[i].value);
    }
}


int
main(void)
{
    test_ranges();
    test_utf8();
    test_utf16();

    return done();
}
