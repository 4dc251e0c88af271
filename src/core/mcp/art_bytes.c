
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_search.h"
#include "core/text/art_charset.h"
#include "core/mcp/art_bytes.h"
#include "core/mcp/art_lines.h"


typedef enum {
    ART_BYTES_MARK = 0,          /* the first bytes tell the charset */
    ART_BYTES_FIRST,             /* those at the range's beginning */
    ART_BYTES_LAST,              /* those before its end */
    ART_BYTES_MEASURE,           /* converts all, to know its size */
    ART_BYTES_SAY,
    ART_BYTES_COPY,
    ART_BYTES_CONVERT,           /* the same of another charset */
    ART_BYTES_COUNT,             /* lines, to the end */
    ART_BYTES_STATES
} art_bytes_state_t;


typedef int (*art_bytes_step_pt)(art_bytes_t *b, art_out_t *out,
    const uint8_t **src, size_t *len);


/* Texts between the numbers of the first and the last byte, and of all. */

typedef struct {
    const char  *range[3];
    const char  *converted;
    const char  *end;
    const char  *none[3];        /* no byte has the range's first number */
    const char  *partial[4];     /* not one character is whole */
} art_bytes_words_t;

static const art_bytes_words_t  art_bytes_words[ART_LANG_MAX] = {
    { { "[第 ", " 至 ", " 字节，共 " }, " 字节（UTF-8）]\\n", " 字节]\\n",
      { "[全文共 ", " 字节，没有第 ", " 字节]\\n" },
      { "[第 ", " 至 ", " 字节内没有完整的字符，全文共 ", " 字节]\\n" } },
    { { "[bytes ", " to ", " of " }, ", as UTF-8]\\n", "]\\n",
      { "[the text has ", " bytes, there is no byte ", "]\\n" },
      { "[no whole character in bytes ", " to ", " of ", "]\\n" } }
};


static int art_bytes_number(art_str_t value, uint64_t *number);
static int art_bytes_mark(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);
static int art_bytes_first(art_bytes_t *b, art_out_t *out,
    const uint8_t **src, size_t *len);
static int art_bytes_last(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);
static int art_bytes_measure(art_bytes_t *b, art_out_t *out,
    const uint8_t **src, size_t *len);
static int art_bytes_tell(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);
static int art_bytes_copy(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);
static int art_bytes_convert(art_bytes_t *b, art_out_t *out,
    const uint8_t **src, size_t *len);
static int art_bytes_count(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len);
static int art_bytes_gather(art_bytes_t *b, size_t most, const uint8_t **src,
    size_t *len);
static void art_bytes_set(art_bytes_t *b);
static void art_bytes_asked(const art_bytes_t *b, uint64_t *from,
    uint64_t *to);
static void art_bytes_edges(art_bytes_t *b);
static void art_bytes_rows(art_bytes_t *b, const uint8_t *p, size_t len);
static void art_bytes_jump(art_bytes_t *b, art_bytes_state_t state,
    uint64_t offset, const uint8_t **src, size_t *len);
static void art_bytes_restart(art_bytes_t *b);
static int art_bytes_window(art_bytes_t *b, const uint8_t **src, size_t *len);
static int art_bytes_is_inner(uint8_t c);
static int art_bytes_is_cut(uint8_t c, size_t n);


static const art_bytes_step_pt  art_bytes_steps[ART_BYTES_STATES] = {
    art_bytes_mark,
    art_bytes_first,
    art_bytes_last,
    art_bytes_measure,
    art_bytes_tell,
    art_bytes_copy,
    art_bytes_convert,
    art_bytes_count
};


int
art_bytes_range(art_bytes_conf_t *conf, art_str_t value)
{
    size_t          n;
    art_str_t       rest;
    const uint8_t  *dash;

    dash = value.len > 0 ? memchr(value.data, '-', value.len) : NULL;

    if (dash == NULL) {
        return ART_ERROR;
    }

    n = (size_t) (dash - value.data);
    rest = art_str(dash + 1, value.len - n - 1);
    value.len = n;

    if (n == 0) {
        return art_bytes_number(rest, &conf->tail) == ART_OK && conf->tail > 0
               ? ART_OK : ART_ERROR;
    }

    conf->last = ART_BYTES_END;

    return art_bytes_number(value, &conf->first) != ART_OK
           || (rest.len > 0 && art_bytes_number(rest, &conf->last) != ART_OK)
           || conf->last < conf->first
           ? ART_ERROR : ART_OK;
}


/* A number of any length: no file has more bytes than the largest. */

static int
art_bytes_number(art_str_t value, uint64_t *number)
{
    size_t    i;
    uint64_t  n, digit;

    n = 0;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9') {
            return ART_ERROR;
        }

        digit = (uint64_t) (value.data[i] - '0');
        n = n > (INT64_MAX - digit) / 10 ? INT64_MAX : n * 10 + digit;
    }

    *number = n;

    return value.len > 0 ? ART_OK : ART_ERROR;
}


void
art_bytes_init(art_bytes_t *b, const art_bytes_conf_t *conf)
{
    memset(b, 0, offsetof(art_bytes_t, head));

    b->conf = *conf;
    b->pos = 0;
    b->len = 0;

    art_json_text_init(&b->in, NULL, 0, 0);
    art_json_text_init(&b->out, NULL, 0, 1);
}


void
art_bytes_done(art_bytes_t *b)
{
    art_json_text_done(&b->in);
    art_json_text_done(&b->out);
}


int
art_bytes_update(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    int  rc;

    do {
        if (out->len > out->room || out->room - out->len < ART_BYTES_ROOM) {
            return ART_LINES_FULL;
        }

        rc = art_bytes_steps[b->state](b, out, src, len);

    } while (rc == ART_OK);

    return rc;
}


static int
art_bytes_mark(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t       mark;
    unsigned     utf8;
    const char  *charset;

    (void) out;

    if (art_bytes_gather(b, sizeof(b->head), src, len) != ART_OK) {
        return ART_LINES_MORE;
    }

    charset = art_charset_mark(b->head, b->nhead, 1, &mark);

    if (charset == NULL) {
        utf8 = b->conf.charset == NULL
               || strcmp(b->conf.charset, "UTF-8") == 0;

    } else {
        utf8 = strcmp(charset, "UTF-8") == 0;
    }

    if (!utf8) {
        art_bytes_restart(b);
        art_bytes_jump(b, ART_BYTES_MEASURE, 0, src, len);
        return ART_LINES_MORE;
    }

    b->stored = 1;
    b->total = b->conf.size;

    art_bytes_set(b);

    if (b->from >= b->to) {
        b->state = ART_BYTES_SAY;
        return ART_OK;
    }

    art_bytes_jump(b, ART_BYTES_FIRST, b->from, src, len);

    return ART_LINES_MORE;
}


/* A character that begins before the range is not whole. */

static int
art_bytes_first(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t  i;

    (void) out;

    if (b->from > 0) {
        if (art_bytes_gather(b, 3, src, len) != ART_OK) {
            return ART_LINES_MORE;
        }

        for (i = 0; i < b->nhead && art_bytes_is_inner(b->head[i]); i++) {
            b->from++;
        }
    }

    art_bytes_jump(b, ART_BYTES_LAST, b->to > 4 ? b->to - 4 : 0, src, len);

    return ART_LINES_MORE;
}


/* ... nor is one that ends after it; that one begins at most 3 bytes before. */

static int
art_bytes_last(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t   i, n;
    uint8_t  c;

    (void) out;

    if (b->to < b->total) {
        n = b->to > 4 ? 4 : (size_t) b->to;

        if (art_bytes_gather(b, n, src, len) != ART_OK) {
            return ART_LINES_MORE;
        }

        for (i = 1; i <= 3 && i <= n; i++) {
            c = b->head[n - i];

            if (art_bytes_is_inner(c)) {
                continue;
            }

            if (art_bytes_is_cut(c, i)) {
                b->to -= i;
            }

            break;
        }
    }

    b->state = ART_BYTES_SAY;

    return ART_OK;
}


/*
 * A text in another charset: its range is known when its size is, which is
 * measured again if what lines tell of the charset was not known from the
 * beginning.
 */

static int
art_bytes_measure(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    int  rc;

    (void) out;

    rc = art_bytes_window(b, src, len);

    if (rc != ART_OK) {
        return rc;
    }

    if (b->len > 0) {
        art_bytes_edges(b);
        art_bytes_rows(b, b->window, b->len);

        b->at += b->len;
        b->len = 0;

        return ART_OK;
    }

    /* the end */

    b->total = b->at;

    if (b->conf.lines && !b->learned) {
        b->learned = 1;

    } else if (!b->ranged) {
        b->ranged = 1;
        art_bytes_set(b);

        if (b->from >= b->to) {
            b->state = ART_BYTES_SAY;
            return ART_OK;
        }

    } else {
        b->state = ART_BYTES_SAY;
        return ART_OK;
    }

    art_bytes_restart(b);
    art_bytes_jump(b, ART_BYTES_MEASURE, 0, src, len);

    return ART_LINES_MORE;
}


static int
art_bytes_tell(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    uint64_t  rows;

    if (!b->conf.whole && !b->conf.only) {
        art_bytes_say(b, out);
    }

    if (b->conf.only || (!b->conf.whole && b->from >= b->to)) {
        return ART_LINES_DONE;
    }

    if (!b->stored) {

        /* it is UTF-8 already, and its lines were counted */

        art_json_text_inner(&b->out);

        rows = b->rows;
        art_bytes_restart(b);
        b->rows = rows;

        art_bytes_jump(b, ART_BYTES_CONVERT, 0, src, len);

        return ART_LINES_MORE;
    }

    if (b->conf.lines) {
        art_json_text_init(&b->out, b->conf.charset, 0, 1);
    }

    if (b->from > 0) {
        art_json_text_inner(&b->out);
    }

    if (b->conf.lines) {
        art_json_text_lines(&b->out);
    }

    art_bytes_jump(b, ART_BYTES_COPY, b->from, src, len);

    return ART_LINES_MORE;
}


static int
art_bytes_copy(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t          n, left, written;
    unsigned        last;
    const uint8_t  *p;

    left = *len;

    if (b->offset >= b->to || left > b->to - b->offset) {
        left = b->offset < b->to ? (size_t) (b->to - b->offset) : 0;
    }

    n = left;
    p = *src;
    last = b->offset + n >= b->to;

    if (n == 0 && !last) {
        return ART_LINES_MORE;
    }

    written = art_json_text_update(&b->out, out->data + out->len,
                                   out->room - out->len, src, &left, last);

    if (written == ART_JSON_TEXT_ERROR) {
        return ART_ERROR;
    }

    out->len += written;
    n -= left;
    *len -= n;
    b->offset += n;

    if (b->conf.whole && n > 0) {
        art_bytes_rows(b, p, n);
    }

    if (!last || left > 0 || written > 0) {
        return ART_OK;
    }

    if (!b->conf.whole) {
        return ART_LINES_DONE;
    }

    b->state = ART_BYTES_COUNT;

    return ART_OK;
}


static int
art_bytes_convert(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    int             rc;
    size_t          n, left, written;
    const uint8_t  *p;

    if (b->at + b->pos >= b->to) {
        return ART_LINES_DONE;
    }

    if (b->pos == b->len) {
        b->at += b->len;
        b->pos = 0;
        b->len = 0;

        rc = art_bytes_window(b, src, len);

        return rc != ART_OK || b->len > 0 ? rc : ART_LINES_DONE;
    }

    if (b->at + b->len <= b->from) {
        b->pos = b->len;
        return ART_OK;
    }

    if (b->at + b->pos < b->from) {
        b->pos = (size_t) (b->from - b->at);
    }

    n = b->at + b->len > b->to ? (size_t) (b->to - b->at) : b->len;
    p = b->window + b->pos;
    left = n - b->pos;

    written = art_json_text_update(&b->out, out->data + out->len,
                                   out->room - out->len, &p, &left, 0);

    out->len += written;
    b->pos = n - left;

    return ART_OK;
}


static int
art_bytes_count(art_bytes_t *b, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    (void) out;

    if (*len > 0) {
        art_bytes_rows(b, *src, *len);

        b->offset += *len;
        *src += *len;
        *len = 0;
    }

    return b->offset < b->conf.size ? ART_LINES_MORE : ART_LINES_DONE;
}


/* Collects bytes until there are "most", or no more. */

static int
art_bytes_gather(art_bytes_t *b, size_t most, const uint8_t **src,
    size_t *len)
{
    size_t  n;

    n = most - b->nhead;
    n = *len < n ? *len : n;

    if (n > 0) {
        memcpy(b->head + b->nhead, *src, n);
        *src += n;
        *len -= n;
        b->nhead += n;
        b->offset += n;
    }

    return b->nhead == most || b->offset >= b->conf.size ? ART_OK : ART_ERROR;
}


/* Sets the range of a text whose size is known; it is empty if from >= to. */

static void
art_bytes_set(art_bytes_t *b)
{
    art_bytes_asked(b, &b->from, &b->to);

    if (b->conf.max > 0 && b->from < b->to
        && b->to - b->from > b->conf.max)
    {
        b->to = b->from + b->conf.max;
    }
}


/* The range as it was asked for, in a text whose size is known. */

static void
art_bytes_asked(const art_bytes_t *b, uint64_t *from, uint64_t *to)
{
    *from = b->conf.first;
    *to = b->total;

    if (b->conf.tail > 0) {
        *from = b->total > b->conf.tail ? b->total - b->conf.tail : 0;

    } else if (b->conf.last < b->total) {
        *to = b->conf.last + 1;
    }
}


/* The window has whole characters of UTF-8. */

static void
art_bytes_edges(art_bytes_t *b)
{
    uint64_t  end;

    if (!b->ranged) {
        return;
    }

    end = b->at + b->len;

    while (b->from >= b->at && b->from < end
           && art_bytes_is_inner(b->window[b->from - b->at]))
    {
        b->from++;
    }

    while (b->to > b->at && b->to < end
           && art_bytes_is_inner(b->window[b->to - b->at]))
    {
        b->to--;
    }
}


/* Lines end with a line feed, but the last one need not. */

static void
art_bytes_rows(art_bytes_t *b, const uint8_t *p, size_t len)
{
    if (b->rows == 0 || b->broken) {
        b->rows++;
    }

    b->broken = p[len - 1] == '\n';
    b->rows += art_search_count(p, len, '\n') - b->broken;
}


/* Goes on at another place: what is left of the input is not from there. */

static void
art_bytes_jump(art_bytes_t *b, art_bytes_state_t state, uint64_t offset,
    const uint8_t **src, size_t *len)
{
    *src += *len;
    *len = 0;

    b->state = state;
    b->offset = offset;
    b->nhead = 0;
}


/* The converter begins, or begins again with what it has found out. */

static void
art_bytes_restart(art_bytes_t *b)
{
    if (b->again) {
        b->mixed = b->in.mixed;

        if (b->in.lines && b->in.convert) {
            b->conf.charset = b->in.charset;
        }
    }

    art_json_text_done(&b->in);
    art_json_text_init(&b->in, b->conf.charset, 0, 0);

    if (b->conf.lines) {
        art_json_text_lines(&b->in);

        if (b->again) {
            art_json_text_again(&b->in, b->mixed);
        }
    }

    b->again = 1;
    b->at = 0;
    b->pos = 0;
    b->len = 0;
    b->rows = 0;
    b->broken = 0;
}


/* Converts the next bytes; at the end the window stays empty. */

static int
art_bytes_window(art_bytes_t *b, const uint8_t **src, size_t *len)
{
    size_t    n, written;
    unsigned  last;

    n = *len;
    last = b->offset + n >= b->conf.size;

    if (n == 0 && !last) {
        return ART_LINES_MORE;
    }

    written = art_json_text_update(&b->in, b->window, ART_BYTES_WINDOW, src,
                                   len, last);

    if (written == ART_JSON_TEXT_ERROR) {
        return ART_ERROR;
    }

    b->offset += n - *len;
    b->len = written;

    return written == 0 && *len == 0 && !last ? ART_LINES_MORE : ART_OK;
}


static int
art_bytes_is_inner(uint8_t c)
{
    return (c & 0xc0) == 0x80;
}


/* Whether a character that begins with "c" has more than "n" bytes, up to 3. */

static int
art_bytes_is_cut(uint8_t c, size_t n)
{
    static const uint8_t  least[] = { 0xc2, 0xe0, 0xf0 };

    return c >= least[n - 1] && c <= 0xf4;
}


void
art_bytes_say(const art_bytes_t *b, art_out_t *out)
{
    uint64_t                  from, to;
    const char               *end;
    const char *const        *text;
    const art_bytes_words_t  *words;

    from = b->from;
    to = b->to;
    words = &art_bytes_words[b->conf.lang];
    end = b->stored ? words->end : words->converted;

    if (from < to) {
        text = words->range;

    } else if (b->total == 0
               || (b->conf.tail == 0 && b->conf.first >= b->total))
    {
        art_out_cstr(out, words->none[0]);
        art_out_uint(out, b->total);
        art_out_cstr(out, words->none[1]);
        art_out_uint(out, b->conf.first);
        art_out_cstr(out, words->none[2]);

        return;

    } else {
        text = words->partial;
        end = text[3];
        art_bytes_asked(b, &from, &to);
    }

    art_out_cstr(out, text[0]);
    art_out_uint(out, from);
    art_out_cstr(out, text[1]);
    art_out_uint(out, to > 0 ? to - 1 : 0);
    art_out_cstr(out, text[2]);
    art_out_uint(out, b->total);
    art_out_cstr(out, end);
}
