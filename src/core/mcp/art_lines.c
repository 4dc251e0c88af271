
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_search.h"
#include "core/text/art_charset.h"
#include "core/text/art_utf8.h"
#include "core/mcp/art_lines.h"


/* This many bytes of a line show whether more of it follows what is shown. */

#define ART_LINES_LOOK     (ART_LINES_SHOWN + 4)

#define ART_LINES_SPACING  65536

/* Bytes before a place that is searched next. */

#define ART_LINES_TAIL     (ART_LINES_AROUND + 4)


typedef enum {
    ART_LINES_SKIP = 0,          /* to the first line of the range */
    ART_LINES_PRINT,             /* all lines */
    ART_LINES_GREP,              /* those that match */
    ART_LINES_MATCH,             /* at a match */
    ART_LINES_EMIT,              /* prints its context, and then its line */
    ART_LINES_PIECE,             /* prints a match of a long line */
    ART_LINES_LONG,              /* to the next one of it */
    ART_LINES_BREAK,             /* to the end of the line */
    ART_LINES_COUNT,             /* to the end of the text */
    ART_LINES_STATES
} art_lines_state_t;


typedef int (*art_lines_step_pt)(art_lines_t *l, art_out_t *out);


static void art_lines_restart(art_lines_t *l);
static int art_lines_fill(art_lines_t *l, const uint8_t **src, size_t *len);
static void art_lines_slide(art_lines_t *l);
static void art_lines_remove(art_lines_t *l, int64_t from, int64_t to);
static int64_t art_lines_back(art_lines_t *l, uint64_t *n, unsigned shorten);
static int art_lines_begin(art_lines_t *l, const uint8_t **src, size_t *len);
static void art_lines_charset(art_lines_t *l, const char *mark);
static void art_lines_take(art_lines_t *l, size_t max, const uint8_t **src,
    size_t *len);
static int art_lines_convert(art_lines_t *l, const uint8_t **src, size_t *len,
    unsigned last);
static int art_lines_run(art_lines_t *l, art_out_t *out);
static size_t art_lines_even(const art_lines_t *l, const uint8_t *p,
    size_t len);
static void art_lines_stop(art_lines_t *l);
static uint64_t art_lines_at(const art_lines_t *l, int64_t pos);
static uint64_t art_lines_offset(const art_lines_t *l, int64_t pos);
static int art_lines_skip(art_lines_t *l, art_out_t *out);
static int art_lines_skip_bytes(art_lines_t *l);
static int art_lines_print(art_lines_t *l, art_out_t *out);
static int art_lines_search(art_lines_t *l, art_out_t *out);
static int art_lines_search_after(art_lines_t *l, art_out_t *out);
static int art_lines_match(art_lines_t *l, art_out_t *out);
static unsigned art_lines_is_long(const art_lines_t *l);
static int art_lines_emit(art_lines_t *l, art_out_t *out);
static int art_lines_piece(art_lines_t *l, art_out_t *out);
static int art_lines_long(art_lines_t *l, art_out_t *out);
static int art_lines_break(art_lines_t *l, art_out_t *out);
static int art_lines_count(art_lines_t *l, art_out_t *out);
static unsigned art_lines_is_between(const art_json_text_t *in);
static void art_lines_mark(art_lines_t *l);
static int art_lines_finish(art_lines_t *l, art_out_t *out);
static void art_lines_sum(art_lines_t *l, art_out_t *out, uint64_t total);
static void art_lines_say(art_out_t *out, const char *const words[2],
    uint64_t n);
static void art_lines_put_line(art_lines_t *l, art_out_t *out, int mark,
    uint64_t number, int64_t from, int64_t eol);
static void art_lines_put_piece(art_lines_t *l, art_out_t *out, int64_t from,
    int64_t to, int64_t eol);
static void art_lines_put_shown(art_lines_t *l, art_out_t *out,
    art_out_t *prefix, uint64_t number, art_str_t shown, unsigned before,
    unsigned after);
static void art_lines_put(art_lines_t *l, art_out_t *out, const void *data,
    size_t len);
static void art_lines_advance(art_lines_t *l, int64_t to);
static int64_t art_lines_eol(const art_lines_t *l, int64_t from);
static int64_t art_lines_find(const art_lines_t *l, int64_t from, int64_t to);


static const art_lines_step_pt  art_lines_steps[ART_LINES_STATES] = {
    art_lines_skip,
    art_lines_print,
    art_lines_search,
    art_lines_match,
    art_lines_emit,
    art_lines_piece,
    art_lines_long,
    art_lines_break,
    art_lines_count
};


/* The line at the end: each text is followed by a number and the next text. */

typedef struct {
    const char  *lines[2];
    const char  *none[2];        /* no line has the range's first number */
    const char  *matches[2];
    const char  *cut[2];
    const char  *next[2];
    const char  *whole;
    const char  *shortened[2];
    const char  *around[2];
} art_lines_end_t;

static const art_lines_end_t  art_lines_ends[ART_LANG_MAX] = {
    { { "[文件共 ", " 行" }, { "；没有第 ", " 行" }, { "；匹配 ", " 行" },
      { "；已在 ", " 字节处截断" },
      { "，可用 \\\"lines\\\": \\\"", "-\\\" 继续" }, "；内容完整",
      { "；过长的行只显示 ", " 字节" },
      { "；过长的行在 @ 后给出匹配的字节位置，只显示前后 ", " 字节" } },
    { { "[lines in the file: ", "" }, { "; there is no line ", "" },
      { "; lines that match: ", "" }, { "; cut after ", " bytes" },
      { ", go on with \\\"lines\\\": \\\"", "-\\\"" }, "; complete",
      { "; long lines are shortened to ", " bytes" },
      { "; of long lines each match with the byte at which it begins and ",
        " bytes around it" } }
};


void
art_lines_init(art_lines_t *l, const art_lines_conf_t *conf)
{
    memset(l, 0, offsetof(art_lines_t, marks));

    l->conf = *conf;
    l->spacing = ART_LINES_SPACING;
    l->state = conf->tail > 0 ? ART_LINES_COUNT : ART_LINES_SKIP;
    l->line = 1;

    art_json_text_init(&l->in, conf->charset, 0, 0);
    art_json_text_init(&l->out, NULL, conf->max, 1);
    art_json_text_inner(&l->out);

    if (conf->nuls) {
        art_json_text_nuls(&l->in);
        art_json_text_nuls(&l->out);
    }
}


void
art_lines_done(art_lines_t *l)
{
    art_json_text_done(&l->in);
}


/*
 * The second reading, for the last lines: from where it is known how many have
 * ended, or from the beginning if that is not enough to convert the rest.
 */

static void
art_lines_restart(art_lines_t *l)
{
    size_t  i;

    l->state = ART_LINES_SKIP;
    l->again = 1;
    l->ended = 0;
    l->pos = 0;
    l->len = 0;
    l->start = 0;
    l->line_at = 0;
    l->drift = 0;
    l->drift_next = 0;

    /*
     * what lines have told of the charset is known from the beginning now; they
     * would tell another one than the first reading found, as others come first
     */

    l->mixed = l->in.mixed;

    if (l->in.lines && l->in.convert) {
        l->conf.charset = l->in.charset;
    }

    art_json_text_done(&l->in);

    for (i = l->nmarks; i > 0; i--) {

        if (l->marks[i - 1].lines + 1 < l->conf.first) {
            l->offset = l->marks[i - 1].offset;
            l->line = l->marks[i - 1].lines + 1;
            l->end = l->stored ? l->offset : l->marks[i - 1].end;

            art_lines_charset(l, NULL);
            return;
        }
    }

    l->begun = 0;
    l->offset = 0;
    l->line = 1;
    l->end = 0;
}


int
art_lines_update(art_lines_t *l, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    int  rc;

    for (;;) {
        rc = l->begun ? art_lines_run(l, out) : ART_LINES_MORE;

        if (rc != ART_LINES_MORE
            || (*len == 0 && l->offset < l->conf.size))
        {
            return rc;
        }

        if (art_lines_fill(l, src, len) != ART_OK) {
            return ART_ERROR;
        }
    }
}


/* Appends what there is room for to the window. */

static int
art_lines_fill(art_lines_t *l, const uint8_t **src, size_t *len)
{
    int      rc;
    size_t   n, left;
    int64_t  before;

    art_lines_slide(l);

    if (!l->begun) {
        return art_lines_begin(l, src, len);
    }

    if (l->convert) {
        n = art_lines_even(l, *src, *len);
        left = n;
        before = l->len;
        l->drift = l->drift_next;

        rc = art_lines_convert(l, src, &left, l->offset + n == l->conf.size);

        *len -= n - left;
        l->offset += n - left;
        l->end += (uint64_t) (l->len - before);

        if (l->stored && left < n && (*src)[-1] == '\n'
            && art_lines_is_between(&l->in))
        {
            l->drift_next = (int64_t) (l->offset - l->end);
        }

        if (*len > 0) {
            l->ended = 0;
        }

        return rc;
    }

    art_lines_take(l, ART_LINES_WINDOW, src, len);

    l->end = l->offset;
    l->ended = l->offset == l->conf.size;

    return ART_OK;
}


/*
 * How many bytes are to be converted at once.  What is repaired, or in another
 * charset, has another length in the text.  So what is not just copied is
 * converted line by line: then where the next line begins is known again.
 */

static size_t
art_lines_even(const art_lines_t *l, const uint8_t *p, size_t len)
{
    const uint8_t  *eol;

    if (!l->stored || len == 0
        || (art_lines_is_between(&l->in)
            && (int64_t) (l->offset - l->end) == l->drift_next
            && memchr(p, '\0', len) == NULL
            && art_utf8_valid_len(p, len) == len))
    {
        return len;
    }

    eol = memchr(p, '\n', len);

    return eol != NULL ? (size_t) (eol - p) + 1 : len;
}


/*
 * Drops what was examined, but for the context that a match may need.  Of long
 * lines only what may be shown is kept.
 */

static void
art_lines_slide(art_lines_t *l)
{
    int64_t   from;
    uint64_t  n;

    if (l->state == ART_LINES_COUNT || l->state == ART_LINES_SKIP) {
        art_lines_remove(l, 0, l->pos);
        return;
    }

    art_lines_remove(l, l->start + ART_LINES_LOOK, l->pos - ART_LINES_TAIL);

    from = art_lines_back(l, &n, 1);

    art_lines_remove(l, 0, from);
}


/* Removes a part of the window, if there is any, which ends before "pos". */

static void
art_lines_remove(art_lines_t *l, int64_t from, int64_t to)
{
    int64_t  n;

    n = to - from;

    if (n <= 0) {
        return;
    }

    memmove(l->window + from, l->window + to, (size_t) (l->len - to));

    l->len -= n;
    l->pos -= n;

    /* what has left the window has a negative index */

    l->start -= from == 0 || l->start >= to ? n : 0;
    l->shown -= from == 0 || l->shown >= to ? n : 0;
}


/*
 * Finds where the context before the current line begins: *n lines before it,
 * none of which was shown.  "shorten" removes what is not shown of long ones.
 */

static int64_t
art_lines_back(art_lines_t *l, uint64_t *n, unsigned shorten)
{
    int64_t  at, from, lowest, size, room;

    at = l->start;
    lowest = l->shown > 0 ? l->shown : 0;
    room = ART_LINES_HISTORY;

    for (*n = 0; *n < l->conf.context && at > lowest; (*n)++) {

        for (from = at - 1; from > lowest; from--) {
            if (l->window[from - 1] == '\n') {
                break;
            }
        }

        size = at - from;

        if (size > ART_LINES_LOOK + 1) {
            size = ART_LINES_LOOK + 1;
        }

        if (size > room) {
            break;
        }

        if (shorten) {
            art_lines_remove(l, from + ART_LINES_LOOK, at - 1);
        }

        room -= size;
        at = from;
    }

    return at;
}


/* Takes the first bytes, until it is known whether they begin with a mark. */

static int
art_lines_begin(art_lines_t *l, const uint8_t **src, size_t *len)
{
    int             rc;
    size_t          n, mark;
    uint8_t         head[4];
    const char     *charset;
    const uint8_t  *p;

    art_lines_take(l, sizeof(head), src, len);

    charset = art_charset_mark(l->window, (size_t) l->len,
                               l->offset == l->conf.size, &mark);

    if (mark == ART_CHARSET_UNDECIDED) {
        return ART_OK;
    }

    l->begun = 1;
    l->stored = charset != NULL ? strcmp(charset, "UTF-8") == 0
                : l->conf.charset == NULL
                  || strcmp(l->conf.charset, "UTF-8") == 0;

    n = (size_t) l->len - mark;
    memcpy(head, l->window + mark, n);
    memcpy(l->window, head, n);
    l->len = (int64_t) n;

    art_lines_charset(l, charset);

    l->convert = l->in.convert || l->in.lines;

    l->end = l->stored ? mark : 0;
    l->line_at = l->end;

    if (!l->convert) {
        l->end = l->offset;
        l->ended = l->offset == l->conf.size;
        return ART_OK;
    }

    l->len = 0;
    p = head;
    rc = art_lines_convert(l, &p, &n, 0);
    l->end += (uint64_t) l->len;

    return rc;
}


/* Prepares the converter; "mark" is the charset of a byte order mark. */

static void
art_lines_charset(art_lines_t *l, const char *mark)
{
    unsigned  lines;

    lines = l->conf.lines && (mark == NULL || strcmp(mark, "UTF-8") == 0);

    art_json_text_init(&l->in, mark == NULL || lines ? l->conf.charset : mark,
                       0, 0);
    art_json_text_inner(&l->in);

    if (l->conf.nuls) {
        art_json_text_nuls(&l->in);
    }

    if (lines) {
        art_json_text_lines(&l->in);

        if (l->again) {
            art_json_text_again(&l->in, l->mixed);
        }
    }
}


/* Takes input until the window has "max" bytes. */

static void
art_lines_take(art_lines_t *l, size_t max, const uint8_t **src, size_t *len)
{
    size_t  n;

    n = max - (size_t) l->len;
    n = *len < n ? *len : n;

    if (n > 0) {
        memcpy(l->window + l->len, *src, n);
        *src += n;
        *len -= n;
        l->len += (int64_t) n;
        l->offset += n;
    }
}


static int
art_lines_convert(art_lines_t *l, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t  n;

    n = art_json_text_update(&l->in, l->window + l->len,
                             ART_LINES_WINDOW - (size_t) l->len, src, len,
                             last);

    if (n == ART_JSON_TEXT_ERROR) {
        return ART_ERROR;
    }

    l->len += (int64_t) n;
    l->ended = last && n == 0 && *len == 0;

    return ART_OK;
}


static int
art_lines_run(art_lines_t *l, art_out_t *out)
{
    int  rc;

    do {
        if (out->len > out->room || out->room - out->len < ART_LINES_ROOM) {
            return ART_LINES_FULL;
        }

        art_lines_stop(l);

        rc = art_lines_steps[l->state](l, out);

    } while (rc == ART_OK);

    return l->ended ? art_lines_finish(l, out) : rc;
}


/* What is searched may end before the text does. */

static void
art_lines_stop(art_lines_t *l)
{
    uint64_t  end;

    l->stop = l->len;
    l->closed = l->ended;

    end = art_lines_offset(l, l->len);

    if (l->conf.to <= end) {
        l->stop -= (int64_t) (end - l->conf.to);
        l->closed = 1;
    }

    l->early = l->closed && !(l->ended && l->stop == l->len);
}


/*
 * The bytes of the text before a place in the window behind which nothing was
 * removed; and its offset, as others tell it.
 */

static uint64_t
art_lines_at(const art_lines_t *l, int64_t pos)
{
    return l->end - (uint64_t) (l->len - pos);
}


static uint64_t
art_lines_offset(const art_lines_t *l, int64_t pos)
{
    return art_lines_at(l, pos) + (uint64_t) l->drift;
}


static int
art_lines_skip(art_lines_t *l, art_out_t *out)
{
    size_t  n;

    (void) out;

    if (l->conf.from > 0) {
        return art_lines_skip_bytes(l);
    }

    n = art_search_count(l->window + l->pos, (size_t) (l->len - l->pos), '\n');

    if (n < l->conf.first - l->line) {
        art_lines_advance(l, l->len);
        return ART_LINES_MORE;
    }

    while (l->line < l->conf.first) {
        art_lines_advance(l, art_lines_eol(l, l->pos) + 1);
    }

    l->shown = l->start;
    l->state = l->conf.grep.len > 0 ? ART_LINES_GREP : ART_LINES_PRINT;

    return ART_OK;
}


/* To the first byte of what is searched, which may be within a line. */

static int
art_lines_skip_bytes(art_lines_t *l)
{
    uint64_t  end;

    end = art_lines_offset(l, l->len);

    if (end < l->conf.from) {
        art_lines_advance(l, l->len);
        return ART_LINES_MORE;
    }

    if (art_lines_offset(l, l->pos) < l->conf.from) {
        art_lines_advance(l, l->len - (int64_t) (end - l->conf.from));
    }

    l->start = l->pos;
    l->shown = l->pos;
    l->line_at = art_lines_at(l, l->pos);
    l->state = ART_LINES_GREP;

    return ART_OK;
}


static int
art_lines_print(art_lines_t *l, art_out_t *out)
{
    int64_t  eol;

    if (l->line > l->conf.last || l->out.truncated) {
        l->state = ART_LINES_COUNT;
        return ART_OK;
    }

    eol = art_lines_eol(l, l->pos);

    if (eol < 0
        && (l->ended ? l->pos == l->len : l->len - l->pos < ART_LINES_LOOK))
    {
        return ART_LINES_MORE;
    }

    art_lines_put_line(l, out, ':', l->line, l->pos, eol);
    l->state = ART_LINES_BREAK;

    return ART_OK;
}


/*
 * Lines that have no match are passed over many at a time, unless they are the
 * context of the last one that had.
 */

static int
art_lines_search(art_lines_t *l, art_out_t *out)
{
    int64_t  to;

    if (l->line > l->conf.last || l->pos > l->stop
        || (l->pos == l->stop && l->early))
    {
        l->state = ART_LINES_COUNT;
        return ART_OK;
    }

    if (l->after > 0 && !l->out.truncated) {
        return art_lines_search_after(l, out);
    }

    to = art_lines_find(l, l->pos, l->stop);

    if (to >= 0) {
        art_lines_advance(l, to);
        l->state = ART_LINES_MATCH;
        return ART_OK;
    }

    /* a match may have begun */

    to = l->closed ? l->stop : l->stop - (int64_t) l->conf.grep.len + 1;

    if (to > l->pos) {
        art_lines_advance(l, to);
    }

    return l->early ? ART_OK : ART_LINES_MORE;
}


/* A line after a match, whose end decides what it is. */

static int
art_lines_search_after(art_lines_t *l, art_out_t *out)
{
    int64_t  eol, end, to;

    eol = art_lines_eol(l, l->pos);
    end = eol < 0 ? l->stop : eol;

    to = art_lines_find(l, l->pos, end);

    if (to >= 0) {
        l->pos = to;
        l->state = ART_LINES_MATCH;
        return ART_OK;
    }

    if (eol < 0 && (!l->closed || l->start == l->stop)) {
        to = l->stop - (int64_t) l->conf.grep.len + 1;
        l->pos = to > l->pos ? to : l->pos;

        return ART_LINES_MORE;
    }

    art_lines_put_line(l, out, '-', l->line, l->start, eol);

    l->after--;
    l->pos = end;
    l->state = ART_LINES_BREAK;

    return ART_OK;
}


static int
art_lines_match(art_lines_t *l, art_out_t *out)
{
    uint64_t  n;

    (void) out;

    if (l->line > l->conf.last) {
        l->state = ART_LINES_COUNT;
        return ART_OK;
    }

    if (l->out.truncated) {
        l->matches++;
        l->state = ART_LINES_BREAK;
        return ART_OK;
    }

    /* it may be a long line, with CR LF at its end */

    if (!l->closed && art_lines_eol(l, l->pos) < 0
        && l->end - l->line_at <= ART_LINES_SHOWN + 1)
    {
        return ART_LINES_MORE;
    }

    l->emit = art_lines_back(l, &n, 0);
    l->from = l->line - n;
    l->state = ART_LINES_EMIT;

    return ART_OK;
}


/* Whether the line at "pos" has more bytes than are shown of one. */

static unsigned
art_lines_is_long(const art_lines_t *l)
{
    int64_t  eol;

    eol = art_lines_eol(l, l->pos);

    if (eol < 0) {
        eol = l->stop;
    }

    if (eol > l->pos && l->window[eol - 1] == '\r') {
        eol--;
    }

    return art_lines_at(l, eol) - l->line_at > ART_LINES_SHOWN;
}


static int
art_lines_emit(art_lines_t *l, art_out_t *out)
{
    int64_t  eol;

    l->gap = l->printed && l->emit > l->shown && l->conf.context > 0;

    if (l->emit < l->start) {
        eol = art_lines_eol(l, l->emit);
        art_lines_put_line(l, out, '-', l->from, l->emit, eol);

        l->emit = eol + 1;
        l->shown = l->emit;
        l->from++;

        return ART_OK;
    }

    l->matches++;
    l->after = l->conf.context;

    if (art_lines_is_long(l)) {
        l->state = ART_LINES_PIECE;
        return ART_OK;
    }

    art_lines_put_line(l, out, ':', l->line, l->start,
                       art_lines_eol(l, l->pos));
    l->state = ART_LINES_BREAK;

    return ART_OK;
}


/* A match in a long line, at "pos", with what is around it. */

static int
art_lines_piece(art_lines_t *l, art_out_t *out)
{
    int64_t  eol, from, to;

    eol = art_lines_eol(l, l->pos);
    from = l->pos - ART_LINES_AROUND;
    to = l->pos + (int64_t) l->conf.grep.len + ART_LINES_AROUND;

    /* the CR before a LF, which may be the next one, is not of the line */

    if (eol < 0 && !l->closed && l->stop < to + 2) {
        return ART_LINES_MORE;
    }

    art_lines_put_piece(l, out, from, to, eol);

    l->pos += (int64_t) l->conf.grep.len;
    l->state = l->out.truncated ? ART_LINES_BREAK : ART_LINES_LONG;

    return ART_OK;
}


static int
art_lines_long(art_lines_t *l, art_out_t *out)
{
    int64_t  eol, to;

    (void) out;

    eol = art_lines_eol(l, l->pos);
    to = art_lines_find(l, l->pos, eol < 0 ? l->stop : eol);

    if (to >= 0) {
        l->pos = to;
        l->state = ART_LINES_PIECE;
        return ART_OK;
    }

    if (eol >= 0 || l->closed) {
        l->state = ART_LINES_BREAK;
        return ART_OK;
    }

    to = l->stop - (int64_t) l->conf.grep.len + 1;
    l->pos = to > l->pos ? to : l->pos;

    return ART_LINES_MORE;
}


static int
art_lines_break(art_lines_t *l, art_out_t *out)
{
    int64_t  eol;

    (void) out;

    eol = art_lines_eol(l, l->pos);

    if (eol < 0 && l->early) {
        l->pos = l->stop;
        l->state = ART_LINES_COUNT;
        return ART_OK;
    }

    if (eol < 0) {
        l->pos = l->len;
        return ART_LINES_MORE;
    }

    l->pos = eol + 1;
    l->start = l->pos;
    l->shown = l->pos;
    l->line_at = art_lines_at(l, l->pos);
    l->line++;
    l->state = l->conf.grep.len > 0 ? ART_LINES_GREP : ART_LINES_PRINT;

    return ART_OK;
}


static int
art_lines_count(art_lines_t *l, art_out_t *out)
{
    (void) out;

    art_lines_advance(l, l->len);

    if (l->conf.tail > 0 && !l->again
        && (!l->convert || art_lines_is_between(&l->in)))
    {
        art_lines_mark(l);
    }

    return ART_LINES_MORE;
}


/* Whether the conversion may begin again here, with nothing that is held. */

static unsigned
art_lines_is_between(const art_json_text_t *in)
{
    return in->lines && !in->other && in->clear == 0 && in->nline == 0
           && in->nin == 0 && in->nout == 0;
}


/* Of too many marks, every second one is dropped. */

static void
art_lines_mark(art_lines_t *l)
{
    size_t    i;
    uint64_t  last;

    last = l->nmarks > 0 ? l->marks[l->nmarks - 1].offset : 0;

    if (l->offset - last < l->spacing) {
        return;
    }

    if (l->nmarks == ART_LINES_MARKS) {
        for (i = 0; i < ART_LINES_MARKS / 2; i++) {
            l->marks[i] = l->marks[2 * i + 1];
        }

        l->nmarks = ART_LINES_MARKS / 2;
        l->spacing *= 2;
        return;
    }

    l->marks[l->nmarks].offset = l->offset;
    l->marks[l->nmarks].lines = l->line - 1;
    l->marks[l->nmarks].end = l->end;
    l->nmarks++;
}


static int
art_lines_finish(art_lines_t *l, art_out_t *out)
{
    uint64_t  total;

    total = l->line - 1 + (l->start < l->len);

    if (l->conf.tail > 0 && !l->again && total > 0) {
        l->conf.first = total > l->conf.tail ? total - l->conf.tail + 1 : 1;
        art_lines_restart(l);

        return ART_LINES_MORE;
    }

    if (l->out.truncated && !l->printed) {
        art_out_cstr(out, "\\n");
    }

    art_lines_sum(l, out, total);

    return ART_LINES_DONE;
}


static void
art_lines_sum(art_lines_t *l, art_out_t *out, uint64_t total)
{
    const art_lines_end_t  *words;

    words = &art_lines_ends[l->conf.lang];

    art_lines_say(out, words->lines, total);

    if (l->conf.tail == 0 && l->conf.first > total
        && (total > 0 || l->conf.first > 1))
    {
        art_lines_say(out, words->none, l->conf.first);

    } else {
        if (l->conf.grep.len > 0) {
            art_lines_say(out, words->matches, l->matches);
        }

        if (l->out.truncated) {
            art_lines_say(out, words->cut, l->conf.max);

            if (l->printed && l->conf.to == ART_LINES_END) {
                art_lines_say(out, words->next, l->next);
            }

        } else {
            art_out_cstr(out, words->whole);
        }

        if (l->shortened) {
            art_lines_say(out, words->shortened, ART_LINES_SHOWN);
        }

        if (l->around) {
            art_lines_say(out, words->around, ART_LINES_AROUND);
        }
    }

    art_out_char(out, ']');
}


static void
art_lines_say(art_out_t *out, const char *const words[2], uint64_t n)
{
    art_out_cstr(out, words[0]);
    art_out_uint(out, n);
    art_out_cstr(out, words[1]);
}


/*
 * Prints the line that ends at "eol" (negative: it does not end in the window)
 * from index "from" on.  Only the first line is cut at the limit.
 */

static void
art_lines_put_line(art_lines_t *l, art_out_t *out, int mark, uint64_t number,
    int64_t from, int64_t eol)
{
    size_t     n, shown;
    int64_t    end;
    uint8_t    digits[48];
    art_out_t  prefix;

    end = eol < 0 ? l->stop : eol;

    if ((eol >= 0 || l->closed) && end > from && l->window[end - 1] == '\r') {
        end--;
    }

    n = (size_t) (end - from);
    shown = art_utf8_cut(l->window + from, n, ART_LINES_SHOWN);

    prefix = art_out(digits, sizeof(digits));
    art_out_uint(&prefix, number);
    art_out_char(&prefix, mark);

    art_lines_put_shown(l, out, &prefix, number,
                        art_str(l->window + from, shown), 0, shown < n);

    l->shortened |= !l->out.truncated && shown < n;
}


/* Prints what is around the match at "pos", of the line that ends at "eol". */

static void
art_lines_put_piece(art_lines_t *l, art_out_t *out, int64_t from, int64_t to,
    int64_t eol)
{
    int64_t    end;
    size_t     shown;
    uint8_t    digits[48];
    unsigned   before, after;
    art_out_t  prefix;

    end = eol < 0 ? l->stop : eol;

    if ((eol >= 0 || l->closed) && end > l->pos && l->window[end - 1] == '\r')
    {
        end--;
    }

    from = from > l->start ? from : l->start;
    before = from > l->start;

    /* not within a character */

    while (before && from < l->pos && (l->window[from] & 0xc0) == 0x80) {
        from++;
    }

    to = to < end ? to : end;
    shown = art_utf8_cut(l->window + from, (size_t) (end - from),
                         to - from < ART_LINES_SHOWN ? (size_t) (to - from)
                                                     : ART_LINES_SHOWN);
    after = from + (int64_t) shown < end;

    prefix = art_out(digits, sizeof(digits));
    art_out_uint(&prefix, l->line);
    art_out_char(&prefix, '@');
    art_out_uint(&prefix, art_lines_offset(l, l->pos));
    art_out_char(&prefix, ':');

    art_lines_put_shown(l, out, &prefix, l->line,
                        art_str(l->window + from, shown), before, after);

    l->around |= !l->out.truncated;
}


static void
art_lines_put_shown(art_lines_t *l, art_out_t *out, art_out_t *prefix,
    uint64_t number, art_str_t shown, unsigned before, unsigned after)
{
    size_t  len;

    if (l->out.truncated) {
        return;
    }

    len = out->len;

    art_lines_put(l, out, "--\n", l->gap ? 3 : 0);
    art_lines_put(l, out, prefix->data, prefix->len);
    art_lines_put(l, out, "...", before ? 3 : 0);
    art_lines_put(l, out, shown.data, shown.len);
    art_lines_put(l, out, "...", after ? 3 : 0);
    art_lines_put(l, out, "\n", 1);

    l->gap = 0;
    l->next = number;

    if (l->out.truncated && l->printed) {
        out->len = len;
        return;
    }

    l->printed = !l->out.truncated;
}


/* There is room, so that all of it is written, or beyond the limit. */

static void
art_lines_put(art_lines_t *l, art_out_t *out, const void *data, size_t len)
{
    const uint8_t  *p;

    if (len == 0) {
        return;
    }

    p = data;

    do {
        out->len += art_json_text_update(&l->out, out->data + out->len,
                                         out->room - out->len, &p, &len, 0);
    } while (len > 0);
}


/* Makes "to" the position, where a line may begin or not. */

static void
art_lines_advance(art_lines_t *l, int64_t to)
{
    size_t  n;

    n = art_search_count(l->window + l->pos, (size_t) (to - l->pos), '\n');

    if (n > 0) {
        l->line += n;

        for (l->start = to; l->window[l->start - 1] != '\n'; l->start--) {
            /* void */
        }

        l->line_at = art_lines_at(l, l->start);
    }

    l->pos = to;
}


/* The end of a line, within what is searched; negative if it is not there. */

static int64_t
art_lines_eol(const art_lines_t *l, int64_t from)
{
    const uint8_t  *p;

    p = memchr(l->window + from, '\n', (size_t) (l->stop - from));

    return p != NULL ? p - l->window : -1;
}


static int64_t
art_lines_find(const art_lines_t *l, int64_t from, int64_t to)
{
    const uint8_t  *p;

    p = art_search_str(l->window + from, (size_t) (to - from), l->conf.grep);

    return p != NULL ? p - l->window : -1;
}
