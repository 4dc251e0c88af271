
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

#define ART_LINES_TAIL     (ART_LINES_BEFORE + 4)


typedef enum {
    ART_LINES_SKIP = 0,          /* to the first line of the range */
    ART_LINES_PRINT,             /* all lines */
    ART_LINES_GREP,              /* those that match */
    ART_LINES_MATCH,             /* at a match */
    ART_LINES_EMIT,              /* prints its context, and then its line */
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
static int art_lines_skip(art_lines_t *l, art_out_t *out);
static int art_lines_print(art_lines_t *l, art_out_t *out);
static int art_lines_search(art_lines_t *l, art_out_t *out);
static int art_lines_search_after(art_lines_t *l, art_out_t *out);
static int art_lines_match(art_lines_t *l, art_out_t *out);
static int64_t art_lines_shown_from(const art_lines_t *l);
static int art_lines_emit(art_lines_t *l, art_out_t *out);
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
    art_lines_break,
    art_lines_count
};


/* The line at the end: each text is followed by a number and the next text. */

typedef struct {
    const char  *lines[2];
    const char  *none[2];        /* no line has the range's first number */
    const char  *matches[2];
    const char  *cut[2];
    const char  *whole;
    const char  *shortened[2];
} art_lines_end_t;

static const art_lines_end_t  art_lines_ends[ART_LANG_MAX] = {
    { { "[文件共 ", " 行" }, { "；没有第 ", " 行" }, { "；匹配 ", " 行" },
      { "；已在 ", " 字节处截断" }, "；内容完整",
      { "；过长的行只显示 ", " 字节" } },
    { { "[lines in the file: ", "" }, { "; there is no line ", "" },
      { "; lines that match: ", "" }, { "; cut after ", " bytes" },
      "; complete", { "; long lines are shortened to ", " bytes" } }
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

            art_lines_charset(l, NULL);
            return;
        }
    }

    l->begun = 0;
    l->offset = 0;
    l->line = 1;
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
    int     rc;
    size_t  n;

    art_lines_slide(l);

    if (!l->begun) {
        return art_lines_begin(l, src, len);
    }

    if (l->convert) {
        n = *len;
        rc = art_lines_convert(l, src, len, l->offset + n == l->conf.size);
        l->offset += n - *len;
        return rc;
    }

    art_lines_take(l, ART_LINES_WINDOW, src, len);

    l->ended = l->offset == l->conf.size;

    return ART_OK;
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

    n = (size_t) l->len - mark;
    memcpy(head, l->window + mark, n);
    memcpy(l->window, head, n);
    l->len = (int64_t) n;

    art_lines_charset(l, charset);

    l->convert = l->in.convert || l->in.lines;

    if (!l->convert) {
        l->ended = l->offset == l->conf.size;
        return ART_OK;
    }

    l->len = 0;
    p = head;

    return art_lines_convert(l, &p, &n, 0);
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

        rc = art_lines_steps[l->state](l, out);

    } while (rc == ART_OK);

    return l->ended ? art_lines_finish(l, out) : rc;
}


static int
art_lines_skip(art_lines_t *l, art_out_t *out)
{
    size_t  n;

    (void) out;

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

    if (l->line > l->conf.last) {
        l->state = ART_LINES_COUNT;
        return ART_OK;
    }

    if (l->after > 0 && !l->out.truncated) {
        return art_lines_search_after(l, out);
    }

    to = art_lines_find(l, l->pos, l->len);

    if (to >= 0) {
        art_lines_advance(l, to);
        l->state = ART_LINES_MATCH;
        return ART_OK;
    }

    /* a match may have begun */

    to = l->ended ? l->len : l->len - (int64_t) l->conf.grep.len + 1;

    if (to > l->pos) {
        art_lines_advance(l, to);
    }

    return ART_LINES_MORE;
}


/* A line after a match, whose end decides what it is. */

static int
art_lines_search_after(art_lines_t *l, art_out_t *out)
{
    int64_t  eol, end, to;

    eol = art_lines_eol(l, l->pos);
    end = eol < 0 ? l->len : eol;

    to = art_lines_find(l, l->pos, end);

    if (to >= 0) {
        l->pos = to;
        l->state = ART_LINES_MATCH;
        return ART_OK;
    }

    if (eol < 0 && (!l->ended || l->start == l->len)) {
        to = l->len - (int64_t) l->conf.grep.len + 1;
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

    if (!l->ended && art_lines_eol(l, l->pos) < 0
        && l->len - art_lines_shown_from(l) < ART_LINES_LOOK)
    {
        return ART_LINES_MORE;
    }

    l->emit = art_lines_back(l, &n, 0);
    l->from = l->line - n;
    l->state = ART_LINES_EMIT;

    return ART_OK;
}


/* Where the part of a line begins that is shown with its match at "pos". */

static int64_t
art_lines_shown_from(const art_lines_t *l)
{
    int64_t  from;

    from = l->pos - ART_LINES_BEFORE;

    if (l->pos + (int64_t) l->conf.grep.len - l->start <= ART_LINES_SHOWN
        || from <= l->start)
    {
        return l->start;
    }

    /* not within a character */

    while (from < l->pos && (l->window[from] & 0xc0) == 0x80) {
        from++;
    }

    return from;
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

    art_lines_put_line(l, out, ':', l->line, art_lines_shown_from(l),
                       art_lines_eol(l, l->pos));
    l->matches++;
    l->after = l->conf.context;
    l->state = ART_LINES_BREAK;

    return ART_OK;
}


static int
art_lines_break(art_lines_t *l, art_out_t *out)
{
    int64_t  eol;

    (void) out;

    eol = art_lines_eol(l, l->pos);

    if (eol < 0) {
        l->pos = l->len;
        return ART_LINES_MORE;
    }

    l->pos = eol + 1;
    l->start = l->pos;
    l->shown = l->pos;
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

        } else {
            art_out_cstr(out, words->whole);
        }

        if (l->shortened) {
            art_lines_say(out, words->shortened, ART_LINES_SHOWN);
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
    size_t     n, shown, before;
    int64_t    end;
    uint8_t    digits[24];
    unsigned   late;
    art_out_t  prefix;

    if (l->out.truncated) {
        return;
    }

    end = eol < 0 ? l->len : eol;

    if ((eol >= 0 || l->ended) && end > from && l->window[end - 1] == '\r') {
        end--;
    }

    n = (size_t) (end - from);
    shown = art_utf8_cut(l->window + from, n, ART_LINES_SHOWN);
    late = mark == ':' && from > l->start;

    prefix = art_out(digits, sizeof(digits));
    art_out_uint(&prefix, number);
    art_out_char(&prefix, mark);

    before = out->len;

    art_lines_put(l, out, "--\n", l->gap ? 3 : 0);
    art_lines_put(l, out, prefix.data, prefix.len);
    art_lines_put(l, out, "...", late ? 3 : 0);
    art_lines_put(l, out, l->window + from, shown);
    art_lines_put(l, out, "...", shown < n ? 3 : 0);
    art_lines_put(l, out, "\n", 1);

    l->gap = 0;

    if (l->out.truncated && l->printed) {
        out->len = before;
        return;
    }

    l->printed = !l->out.truncated;
    l->shortened |= late || shown < n;
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
    }

    l->pos = to;
}


static int64_t
art_lines_eol(const art_lines_t *l, int64_t from)
{
    const uint8_t  *p;

    p = memchr(l->window + from, '\n', (size_t) (l->len - from));

    return p != NULL ? p - l->window : -1;
}


static int64_t
art_lines_find(const art_lines_t *l, int64_t from, int64_t to)
{
    const uint8_t  *p;

    p = art_search_str(l->window + from, (size_t) (to - from), l->conf.grep);

    return p != NULL ? p - l->window : -1;
}
