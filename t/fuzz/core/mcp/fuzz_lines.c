
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the charset, the limit, the context
 * and the sizes of pieces; two lines with the range, or "b" and where bytes
 * begin and how many there are, and the string follow; the rest is the content.
 * In pieces it must give what it gives as a whole.
 */


#include <stdlib.h>

#include "core/mcp/art_lines.h"
#include "core/text/art_utf8.h"


#define FUZZ_HEAD  5

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


/* Returns the length of the answer, which is the caller's to free. */

static size_t
fuzz_lines(const art_lines_conf_t *conf, const uint8_t *data, uint64_t seed,
    uint8_t **answer)
{
    int             rc;
    size_t          n, left, len;
    uint8_t        *copy, *room;
    art_out_t       out;
    art_lines_t    *l;
    const uint8_t  *p;

    l = (art_lines_t *) (void *) fuzz_alloc(sizeof(art_lines_t));
    art_lines_init(l, conf);

    *answer = NULL;
    len = 0;

    do {
        n = (size_t) (conf->size - l->offset);
        n = seed && n > 0 ? 1 + fuzz_below(&seed, n < 90 ? n : 90) : n;

        copy = fuzz_alloc(n);
        memcpy(copy, data + l->offset, n);
        p = copy;
        left = n;

        do {
            room = fuzz_alloc(ART_LINES_ROOM);
            out = art_out(room, ART_LINES_ROOM);

            rc = art_lines_update(l, &out, &p, &left);

            check(rc != ART_ERROR && out.len <= out.room);
            check(art_utf8_valid(room, out.len));

            *answer = realloc(*answer, len + out.len + 1);
            check(*answer != NULL);
            memcpy(*answer + len, room, out.len);
            len += out.len;
            free(room);

        } while (rc == ART_LINES_FULL);

        check(left == 0 && p == copy + n);
        free(copy);

    } while (rc == ART_LINES_MORE);

    art_lines_done(l);
    free(l);

    return len;
}


static art_str_t
fuzz_line(const uint8_t **data, size_t *size)
{
    art_str_t       s;
    const uint8_t  *end;

    end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    s = art_str(*data, end != NULL ? (size_t) (end - *data) : *size);

    *data += s.len + (end != NULL);
    *size -= s.len + (end != NULL);

    return s;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t             len;
    uint8_t           *whole, *pieces;
    uint64_t           seed;
    art_str_t          range, grep;
    art_lines_conf_t   conf;

    static const char *const  charsets[] = {
        NULL, "UTF-16LE", "UTF-16BE", "GB18030", "Shift_JIS", "ISO-2022-JP"
    };

    if (size < FUZZ_HEAD) {
        return 0;
    }

    art_lines_conf(&conf);
    conf.charset = charsets[data[0] % art_nitems(charsets)];
    conf.max = (uint64_t) data[1] * 8;
    conf.context = data[2];
    conf.lang = data[3] & 1 ? ART_LANG_EN : ART_LANG_ZH;
    conf.lines = data[3] >> 1 & 1;
    seed = 1 + (uint64_t) data[4];

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    range = fuzz_line(&data, &size);
    grep = fuzz_line(&data, &size);

    (void) art_lines_range(&conf, range);
    (void) art_lines_grep(&conf, grep);
    conf.size = size;

    if (range.len > 2 && range.data[0] == 'b' && conf.grep.len > 0) {
        conf.from = range.data[1];
        conf.to = conf.from + 1 + range.data[2];
    }

    len = fuzz_lines(&conf, data, 0, &whole);

    check(fuzz_lines(&conf, data, seed, &pieces) == len);
    check(memcmp(whole, pieces, len) == 0);

    free(whole);
    free(pieces);

    return 0;
}
