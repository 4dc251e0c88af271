
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Random texts and questions, in pieces of any size, against what a plain
 * reading of the whole text gives.
 */


#include "core/mcp/art_lines.h"
#include "core/text/art_utf8.h"
#include "core/text/naive_utf8.h"
#include "lines_feed.h"
#include "simd_each.h"


#define SMALL   4000
#define LARGE   150
#define LIMIT   400000


/*
 * A line without its end, or what a range has of it; "shown": 1 as context, 2
 * as a match, 3 never.
 */

typedef struct {
    size_t    at;
    size_t    len;
    size_t    match;             /* offset in the text */
    unsigned  shown;
} line_t;


static uint8_t   content[4 * LIMIT];
static uint8_t   units[2 * LIMIT + 2];
static line_t    lines[LIMIT + 1];
static size_t    nlines;


static void
split(const uint8_t *p, size_t len)
{
    size_t  i, from;

    nlines = 0;

    for (i = 0, from = 0; i <= len; i++) {

        if (i < len ? p[i] != '\n' : from == len) {
            continue;
        }

        lines[nlines].at = from;
        lines[nlines].len = i - from - (i > from && p[i - 1] == '\r');
        lines[nlines].shown = 0;
        nlines++;
        from = i + 1;
    }
}


/* Leaves of the lines what is in the range of offsets in the text "p". */

static void
narrow(const uint8_t *p, size_t from, size_t to)
{
    size_t  i, at, end, next;

    for (i = 0; i < nlines; i++) {
        at = lines[i].at;
        end = at + lines[i].len;
        end += p[end] == '\r';

        next = i + 1 < nlines ? lines[i + 1].at : SIZE_MAX;

        if (next <= from || at >= to) {
            lines[i].shown = 3;
            continue;
        }

        at = at > from ? at : from;
        end = end < to ? end : to;
        end = end > at ? end : at;

        lines[i].at = at;
        lines[i].len = end - at - (end > at && p[end - 1] == '\r');
    }
}


/* Returns how many lines match. */

static size_t
choose(const art_lines_conf_t *conf, const uint8_t *p)
{
    size_t  i, k, j, n, size, room;

    for (i = 0, n = 0; i < nlines; i++) {

        if (i + 1 < conf->first || i + 1 > conf->last || lines[i].shown == 3) {
            continue;
        }

        if (conf->grep.len == 0) {
            lines[i].shown = 2;
            continue;
        }

        for (j = 0; j + conf->grep.len <= lines[i].len; j++) {
            if (memcmp(p + lines[i].at + j, conf->grep.data, conf->grep.len)
                == 0)
            {
                break;
            }
        }

        if (j + conf->grep.len > lines[i].len) {
            continue;
        }

        n++;
        lines[i].shown = 2;
        lines[i].match = lines[i].at + j;

        room = ART_LINES_HISTORY;

        for (k = 1; k <= conf->context && k <= i && i + 1 - k >= conf->first
                    && lines[i - k].shown != 3;
             k++)
        {
            size = lines[i - k + 1].at - lines[i - k].at;
            size = size < ART_LINES_SHOWN + 5 ? size : ART_LINES_SHOWN + 5;

            if (size > room) {
                break;
            }

            room -= size;
            lines[i - k].shown |= lines[i - k].shown == 0;
        }

        for (k = 1; k <= conf->context && i + k < nlines
                    && i + k + 1 <= conf->last && lines[i + k].shown != 3;
             k++)
        {
            lines[i + k].shown |= lines[i + k].shown == 0;
        }
    }

    return n;
}


/* Whether each match of a line is shown by itself. */

static unsigned
is_long(const art_lines_conf_t *conf, const line_t *line)
{
    return conf->grep.len > 0 && line->shown == 2
           && line->len > ART_LINES_SHOWN ? 1 : 0;
}


static void
add_line(text_t *want, const uint8_t *p, const line_t *line, size_t number,
    unsigned *shortened)
{
    char            prefix[32];
    size_t          n, shown;
    static uint8_t  repaired[3 * ART_LINES_SHOWN];

    n = art_utf8_cut(p + line->at, line->len, ART_LINES_SHOWN);
    shown = naive_shown(repaired, p + line->at, n);

    text_add(want, prefix, (size_t) snprintf(prefix, sizeof(prefix), "%zu%c",
                                             number,
                                             line->shown == 2 ? ':' : '-'));
    text_add(want, repaired, shown);

    if (n < line->len) {
        text_add(want, "...", 3);
        *shortened = 1;
    }

    text_add(want, "\n", 1);
}


/* Adds the next match of a long line, from *match on; 0 after the last one. */

static int
add_piece(text_t *want, const art_lines_conf_t *conf, const uint8_t *p,
    const line_t *line, size_t number, size_t base, size_t *match)
{
    char            prefix[64];
    size_t          n, from, to, end, shown;
    static uint8_t  repaired[3 * ART_LINES_SHOWN];

    end = line->at + line->len;

    while (*match + conf->grep.len <= end
           && memcmp(p + *match, conf->grep.data, conf->grep.len) != 0)
    {
        ++*match;
    }

    if (*match + conf->grep.len > end) {
        return 0;
    }

    from = line->at;

    if (*match - line->at > ART_LINES_AROUND) {
        from = *match - ART_LINES_AROUND;

        while ((p[from] & 0xc0) == 0x80 && from < *match) {
            from++;
        }
    }

    to = *match + conf->grep.len + ART_LINES_AROUND;
    to = to < end ? to : end;

    n = art_utf8_cut(p + from, end - from, to - from);
    shown = naive_shown(repaired, p + from, n);

    text_add(want, prefix, (size_t) snprintf(prefix, sizeof(prefix),
                                             "%zu@%zu:%s", number,
                                             base + *match,
                                             from > line->at ? "..." : ""));
    text_add(want, repaired, shown);
    text_add(want, from + n < end ? "...\n" : "\n", from + n < end ? 4 : 1);

    *match += conf->grep.len;

    return 1;
}


static void
expect(text_t *want, art_lines_conf_t conf, const uint8_t *p, size_t len)
{
    char      words[512];
    size_t    i, n, at, base, match, next, shown;
    unsigned  cut, shortened, any, around;

    base = 0;

    if (len >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) {
        p += 3;
        len -= 3;
        base = 3;
    }

    split(p, len);

    if (conf.to != ART_LINES_END) {
        narrow(p, conf.from > base ? (size_t) (conf.from - base) : 0,
               (size_t) (conf.to - base));
    }

    if (conf.tail > 0) {
        conf.first = conf.tail < nlines ? nlines - conf.tail + 1 : 1;
    }

    n = choose(&conf, p);
    want->len = 0;
    shortened = 0;
    around = 0;
    cut = 0;
    next = 0;
    shown = 0;

    for (i = 0; i < nlines && !cut; i++) {

        match = lines[i].at;

        while ((lines[i].shown == 1 || lines[i].shown == 2) && !cut) {

            at = want->len;
            any = 0;

            if (at > 0 && i > 0 && !(lines[i - 1].shown % 3)
                && conf.context > 0
                && match == lines[i].at)
            {
                text_add(want, "--\n", 3);
            }

            if (!is_long(&conf, &lines[i])) {
                add_line(want, p, &lines[i], i + 1, &any);

            } else if (!add_piece(want, &conf, p, &lines[i], i + 1, base,
                                  &match))
            {
                want->len = at;
                break;
            }

            next = i + 1;
            cut = conf.max > 0 && want->len > conf.max;

            if (cut && at > 0) {
                want->len = at;

            } else if (cut) {
                want->len = art_utf8_cut(want->data, want->len,
                                         (size_t) conf.max);
                text_add(want, "\n", 1);

            } else {
                shown = 1;
                shortened |= any;
                around |= is_long(&conf, &lines[i]);
            }

            if (!is_long(&conf, &lines[i])) {
                break;
            }
        }
    }

    i = (size_t) snprintf(words, sizeof(words), "[lines in the file: %zu",
                          nlines);

    if (conf.tail == 0 && conf.first > nlines && conf.first + nlines > 1) {
        i += (size_t) snprintf(words + i, sizeof(words) - i,
                               "; there is no line %llu]",
                               (unsigned long long) conf.first);
        text_add(want, words, i);
        return;
    }

    if (conf.grep.len > 0) {
        i += (size_t) snprintf(words + i, sizeof(words) - i,
                               "; lines that match: %zu", n);
    }

    i += cut ? (size_t) snprintf(words + i, sizeof(words) - i,
                                 "; cut after %llu bytes",
                                 (unsigned long long) conf.max)
             : (size_t) snprintf(words + i, sizeof(words) - i, "; complete");

    if (cut && shown && conf.to == ART_LINES_END) {
        i += (size_t) snprintf(words + i, sizeof(words) - i,
                               ", go on with \"lines\": \"%zu-\"", next);
    }

    if (shortened) {
        i += (size_t) snprintf(words + i, sizeof(words) - i,
                               "; long lines are shortened to 2000 bytes");
    }

    if (around) {
        i += (size_t) snprintf(words + i, sizeof(words) - i,
                               "; of long lines each match with the byte at "
                               "which it begins and 200 bytes around it");
    }

    words[i++] = ']';
    text_add(want, words, i);
}


/* A text of lines that mostly are as short as "shape" says. */

static size_t
random_text(uint8_t *p, size_t max, size_t shape)
{
    size_t       n, len, i;
    const char  *s;

    static const char *const  chars[] = {
        "a", "b", "ab", "c", " ", "\xe4\xb8\xad", "\xc3\xa9", "\xff",
        "\xe4\xb8", "\r", "\xf0\x9f\x98\x80", "\0", "\"", "\\", "\x01"
    };

    n = 0;

    if (tap_below(8) == 0) {
        memcpy(p, "\xef\xbb\xbf", 3);
        n = 3;
    }

    while (n + 8 < max) {

        len = tap_below(40) == 0 ? 1 + tap_below(shape * 40)
                                 : tap_below(shape + 1);

        for (i = 0; i < len && n + 8 < max; i++) {
            s = chars[tap_below(tap_below(3) ? 3 : nitems(chars))];
            len += tap_below(4) == 0;
            memcpy(p + n, s, strlen(s) + (*s == '\0'));
            n += strlen(s) + (*s == '\0');
        }

        if (tap_below(3) == 0) {
            p[n++] = '\r';
        }

        p[n++] = '\n';

        /* a rare match, so that much comes before it */

        if (tap_below(2000) == 0 && n + 8 < max) {
            p[n++] = 'Q';
        }
    }

    return n - tap_below(3) % (n + 1);
}


static void
random_conf(art_lines_conf_t *conf, uint8_t grep[64], size_t size)
{
    size_t       i, n;
    const char  *s;

    static const char *const  strings[] = {
        "a", "ab", "bb", "abc", "\xe4\xb8\xad", "ca ", "cc", "\xff", "bbbbbb",
        "Q"
    };

    art_lines_conf(conf);
    conf->lang = ART_LANG_EN;

    if (tap_below(4)) {
        s = strings[tap_below(nitems(strings))];
        n = strlen(s);
        memcpy(grep, s, n);

        i = tap_below(4) || *s == 'Q' ? 0 : tap_below(60);

        for ( /* void */ ; i > 0 && n < 64; i--) {
            grep[n++] = (uint8_t) ('a' + tap_below(3));
        }

        (void) art_lines_grep(conf, art_str(grep, n));
    }

    switch (tap_below(4)) {

    case 0:
        conf->tail = 1 + tap_below(size / 4 + 2);
        break;

    case 1:
        conf->first = 1 + tap_below(size / 4 + 3);
        conf->last = conf->first + tap_below(size / 4 + 3);
    }

    if (conf->grep.len > 0 && conf->tail == 0 && conf->first == 1
        && conf->last == ART_LINES_END && size > 8 && tap_below(2))
    {
        n = tap_below(size - 4);
        conf->from = n;
        conf->to = n + 1 + tap_below(size - n - 4);
    }

    conf->context = tap_below(3) ? tap_below(4) : tap_below(2000);
    conf->max = tap_below(2) ? 0 : 1 + tap_below(size + 10);
}


static int
same(art_lines_conf_t *conf, const uint8_t *p, size_t len, const uint8_t *in,
    size_t size)
{
    size_t         i, piece;
    static text_t  want, got;

    conf->size = size;

    /* a range ends between characters, and not within a mark */

    if (conf->to != ART_LINES_END) {

        while (conf->from < len && (p[conf->from] & 0xc0) == 0x80) {
            conf->from++;
        }

        while (conf->to < len && (p[conf->to] & 0xc0) == 0x80) {
            conf->to++;
        }

        if (conf->from >= conf->to || conf->to < 3 || conf->to > len) {
            conf->from = 0;
            conf->to = ART_LINES_END;
        }
    }

    expect(&want, *conf, p, len);

    for (i = 0; i < 3; i++) {
        piece = i == 0 ? LIMIT * 2 : len > 10000 ? 40000 : i == 1 ? 1 : 30;

        if (lines_feed(&got, conf, in, piece, i == 2) == 0
            || got.len != want.len
            || memcmp(got.data, want.data, got.len) != 0)
        {
            diag("size %zu first %llu last %lld tail %llu context %llu "
                 "max %llu way %zu", size, (unsigned long long) conf->first,
                 (long long) conf->last, (unsigned long long) conf->tail,
                 (unsigned long long) conf->context,
                 (unsigned long long) conf->max, i);
            diag_mem("grep", conf->grep.data, conf->grep.len);
            diag_mem("content", p, len);

            for (i = 0; i < got.len && i < want.len; i++) {
                if (got.data[i] != want.data[i]) {
                    break;
                }
            }

            i = i > 40 ? i - 40 : 0;
            diag("at %zu of %zu and %zu", i, got.len, want.len);
            diag_mem("got", got.data + i, got.len - i);
            diag_mem("want", want.data + i, want.len - i);

            return 0;
        }
    }

    return 1;
}


static void
test_random(const char *impl)
{
    int               good;
    size_t            i, len, max;
    uint8_t           grep[64];
    art_lines_conf_t  conf;

    static const size_t  shapes[] = { 2, 20, 200, 3000 };

    good = 1;

    for (i = 0; i < SMALL && good; i++) {
        len = random_text(content, 8 + tap_below(200), 1 + tap_below(12));
        random_conf(&conf, grep, len);
        good = same(&conf, content, len, content, len);
    }

    ok(good, "%s: short texts", impl);

    for (i = 0; i < LARGE && good; i++) {
        max = 1000 + tap_below(LIMIT - 1000);
        len = random_text(content, max, shapes[tap_below(nitems(shapes))]);
        random_conf(&conf, grep, len);
        good = same(&conf, content, len, content, len);
    }

    ok(good, "%s: long texts, long lines", impl);
}


/* The same text in UTF-16, with a mark and without one. */

static void
test_utf16(void)
{
    int               good;
    size_t            i, k, len, n;
    uint8_t           grep[64];
    unsigned          code, big;
    art_lines_conf_t  conf;

    static const unsigned  codes[] = {
        'a', 'b', 'c', '\n', ' ', 0x4e2d, 0x0a0a, 0x0d0d, 0x1f600
    };

    good = 1;

    for (i = 0; i < 400 && good; i++) {
        big = (unsigned) tap_below(2);
        n = 0;
        len = 0;

        if (tap_below(2)) {
            units[n + big] = 0xff;
            units[n + !big] = 0xfe;
            n += 2;
        }

        for (k = tap_below(i % 40 ? 100 : 60000); k > 0; k--) {
            code = codes[tap_below(nitems(codes))];
            len += art_utf8_encode(content + len, code);

            if (code > 0xffff) {
                code -= 0x10000;
                units[n + !big] = (uint8_t) (0xd8 | code >> 18);
                units[n + big] = (uint8_t) (code >> 10);
                n += 2;
                code = 0xdc00 | (code & 0x3ff);
            }

            units[n + !big] = (uint8_t) (code >> 8);
            units[n + big] = (uint8_t) code;
            n += 2;
        }

        random_conf(&conf, grep, len);
        conf.charset = big ? "UTF-16BE" : "UTF-16LE";
        good = same(&conf, content, len, units, n);
    }

    ok(good, "UTF-16");
}


int
main(void)
{
    simd_each(test_random);
    test_utf16();

    return done();
}
