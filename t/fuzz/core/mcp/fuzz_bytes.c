
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the charset, the limit, what is
 * wanted and the sizes of pieces; a line with the range follows; the rest is
 * the content.  In pieces it must give what it gives as a whole.
 */


#include <stdlib.h>

#include "core/mcp/art_bytes.h"
#include "core/mcp/art_lines.h"
#include "core/text/art_utf8.h"


#define FUZZ_HEAD  4

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


typedef struct {
    uint8_t     *text;
    size_t       len;
    art_bytes_t  bytes;
} fuzz_t;


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


static void
fuzz_feed(fuzz_t *f, const art_bytes_conf_t *conf, const uint8_t *data,
    uint64_t seed)
{
    int             rc;
    size_t          n, left;
    uint8_t        *copy, *room;
    art_out_t       out;
    art_bytes_t    *b;
    const uint8_t  *p;

    b = &f->bytes;
    art_bytes_init(b, conf);

    f->text = NULL;
    f->len = 0;

    do {
        check(b->offset <= conf->size);

        n = (size_t) (conf->size - b->offset);
        n = seed && n > 0 ? 1 + fuzz_below(&seed, n < 90 ? n : 90) : n;

        copy = fuzz_alloc(n);
        memcpy(copy, data + b->offset, n);
        p = copy;
        left = n;

        do {
            room = fuzz_alloc(ART_BYTES_ROOM);
            out = art_out(room, ART_BYTES_ROOM);

            rc = art_bytes_update(b, &out, &p, &left);

            check(rc != ART_ERROR && out.len <= out.room);
            check(art_utf8_valid(room, out.len));

            f->text = realloc(f->text, f->len + out.len + 1);
            check(f->text != NULL);
            memcpy(f->text + f->len, room, out.len);
            f->len += out.len;
            free(room);

        } while (rc == ART_LINES_FULL);

        check(rc == ART_LINES_DONE || left == 0);
        free(copy);

    } while (rc == ART_LINES_MORE);

    check(b->to <= b->total || b->from >= b->to);
    check(b->from >= b->to || conf->max == 0
          || b->to - b->from <= conf->max);

    art_bytes_done(b);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t             n;
    uint64_t           seed;
    const uint8_t     *end;
    art_bytes_conf_t   conf;
    static fuzz_t      whole, pieces;

    static const char *const  charsets[] = {
        NULL, "UTF-8", "UTF-16LE", "UTF-16BE", "GB18030", "Shift_JIS",
        "ISO-2022-JP"
    };

    if (size < FUZZ_HEAD) {
        return 0;
    }

    memset(&conf, 0, sizeof(conf));
    conf.charset = charsets[data[0] % art_nitems(charsets)];
    conf.max = data[1];
    conf.last = ART_BYTES_END;
    conf.lang = data[2] & 1 ? ART_LANG_EN : ART_LANG_ZH;
    conf.lines = data[2] >> 1 & 1;
    conf.whole = data[2] >> 2 & 1;
    conf.only = data[2] >> 3 & 1;
    seed = 1 + (uint64_t) data[3];

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    end = size > 0 ? memchr(data, '\n', size) : NULL;
    n = end != NULL ? (size_t) (end - data) : size;

    if (!conf.whole && art_bytes_range(&conf, art_str(data, n)) != ART_OK) {
        conf.first = 0;
        conf.last = ART_BYTES_END;
        conf.tail = 0;
    }

    data += n + (end != NULL);
    size -= n + (end != NULL);
    conf.size = size;

    fuzz_feed(&whole, &conf, data, 0);
    fuzz_feed(&pieces, &conf, data, seed);

    check(whole.len == pieces.len
          && (whole.len == 0
              || memcmp(whole.text, pieces.text, whole.len) == 0));
    check(whole.bytes.from == pieces.bytes.from
          && whole.bytes.to == pieces.bytes.to
          && whole.bytes.total == pieces.bytes.total
          && whole.bytes.rows == pieces.bytes.rows);

    free(whole.text);
    free(pieces.text);

    return 0;
}
