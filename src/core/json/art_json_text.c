
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <errno.h>

#include "core/base/art_search.h"
#include "core/text/art_charset.h"
#include "core/text/art_charset_detect.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_text.h"


/*
 * ART_JSON_TEXT_WINDOW: bytes validated before they are escaped, while they are
 * still in the first-level cache.  ART_JSON_TEXT_PIECE: bytes that iconv gets
 * at a time: glibc converts again what did not fit into the output, so most of
 * a piece should fit.
 */

#define ART_JSON_TEXT_NUL     "\xe2\x90\x80"    /* U+2400 */
#define ART_JSON_TEXT_WINDOW  4096
#define ART_JSON_TEXT_PIECE   (ART_JSON_TEXT_PENDING / 2)

/*
 * Bytes that are validated before it is known whether their last line is whole;
 * how often the charset of a line is looked for, and how many bytes of it have
 * to be other than ASCII.
 */

#define ART_JSON_TEXT_AHEAD   32768
#define ART_JSON_TEXT_TRIES   8
#define ART_JSON_TEXT_HIGH    4


/* What a step of the stream needs next. */

typedef enum {
    ART_JSON_TEXT_AGAIN = 0,          /* there may be more to do */
    ART_JSON_TEXT_STOP,               /* needs more input or more room */
    ART_JSON_TEXT_FAILED
} art_json_text_next_t;


static void art_json_text_emit(art_json_text_t *t, art_out_t *out,
    const uint8_t **src, size_t *len);
static void art_json_text_put(art_json_text_t *t, art_out_t *out,
    const uint8_t **src, size_t *len);
static size_t art_json_text_copy(uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len);
static void art_json_text_drain(art_json_text_t *t, art_out_t *out);
static void art_json_text_begin(art_json_text_t *t);
static int art_json_text_start(art_json_text_t *t, const uint8_t **src,
    size_t *len, unsigned last);
static art_json_text_next_t art_json_text_by_lines(art_json_text_t *t,
    art_out_t *out, const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_part(art_json_text_t *t,
    art_out_t *out, const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_other(art_json_text_t *t,
    const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_held_line(art_json_text_t *t,
    art_out_t *out, unsigned last);
static size_t art_json_text_ahead(const art_json_text_t *t, const uint8_t *p,
    size_t len);
static art_json_text_next_t art_json_text_line(art_json_text_t *t,
    const uint8_t **src, size_t *len, unsigned last);
static void art_json_text_decide(art_json_text_t *t, const uint8_t *p,
    size_t len, unsigned cut);
static unsigned art_json_text_guess(art_json_text_t *t, const uint8_t *p,
    size_t len);
static art_json_text_next_t art_json_text_utf8(art_json_text_t *t,
    art_out_t *out, const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_utf8_held(art_json_text_t *t,
    const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_convert(art_json_text_t *t,
    const uint8_t **src, size_t *len, unsigned last);
static art_json_text_next_t art_json_text_open(art_json_text_t *t);
static int art_json_text_iconv(art_json_text_t *t, const uint8_t *p, size_t *n);
static int art_json_text_half(art_json_text_t *t, size_t *n);
static void art_json_text_flush(art_json_text_t *t);
static void art_json_text_replace(art_json_text_t *t, uint8_t c);
static void art_json_text_take(art_json_text_t *t, size_t n,
    const uint8_t **src, size_t *len);
static void art_json_text_hold(art_json_text_t *t, size_t n,
    const uint8_t **src, size_t *len);


void
art_json_text_init(art_json_text_t *t, const char *charset, uint64_t max,
    unsigned level)
{
    memset(t, 0, offsetof(art_json_text_t, in));

    t->cd = (iconv_t) -1;
    t->charset = charset ? charset : "UTF-8";
    t->left = max;
    t->limited = max != 0;
    t->level = level;
}


void
art_json_text_inner(art_json_text_t *t)
{
    art_json_text_begin(t);
}


void
art_json_text_lines(art_json_text_t *t)
{
    t->lines = !(art_charset_traits(t->charset)
                 & (ART_CHARSET_UNIT2|ART_CHARSET_UNIT4|ART_CHARSET_PAIRS7));
}


void
art_json_text_nuls(art_json_text_t *t)
{
    t->nuls = 1;
}


void
art_json_text_again(art_json_text_t *t, unsigned mixed)
{
    t->mixed = mixed & 1;
    t->again = 1;
}


/* The charset is known. */

static void
art_json_text_begin(art_json_text_t *t)
{
    t->traits = art_charset_traits(t->charset);
    t->convert = strcmp(t->charset, "UTF-8") != 0;
    t->started = 1;
}


void
art_json_text_limit(art_json_text_t *t, uint64_t max)
{
    t->chars = max;
    t->counted = 1;
}


void
art_json_text_done(art_json_text_t *t)
{
    if (t->cd != (iconv_t) -1) {
        (void) iconv_close(t->cd);
        t->cd = (iconv_t) -1;
    }
}


size_t
art_json_text_update(art_json_text_t *t, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last)
{
    art_out_t             out;
    art_json_text_next_t  next;

    out = art_out(dst, room);

    do {
        art_json_text_drain(t, &out);

        if (t->truncated) {
            t->nout = 0;
            t->nline = 0;
            art_json_text_take(t, t->nin + *len, src, len);
            break;
        }

        if (t->nout > 0) {
            break;
        }

        if (!t->started && !art_json_text_start(t, src, len, last)) {
            break;
        }

        if (t->lines) {
            next = art_json_text_by_lines(t, &out, src, len, last);

        } else if (t->convert) {
            next = art_json_text_convert(t, src, len, last);

        } else {
            next = art_json_text_utf8(t, &out, src, len, last);
        }

        if (next == ART_JSON_TEXT_FAILED) {
            return ART_JSON_TEXT_ERROR;
        }

    } while (next == ART_JSON_TEXT_AGAIN);

    return out.len;
}


/* Writes valid UTF-8, with others in place of NULs, as far as room allows. */

static void
art_json_text_emit(art_json_text_t *t, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t          n, left;
    const uint8_t  *p;

    while (*len > 0 && !t->truncated) {
        p = memchr(*src, '\0', *len);
        n = p != NULL ? (size_t) (p - *src) : *len;
        left = n;

        if (n > 0) {
            art_json_text_put(t, out, src, &left);
            *len -= n - left;

        } else {
            p = (const uint8_t *) (t->nuls ? ART_JSON_TEXT_NUL
                                           : ART_UTF8_REPLACEMENT);
            left = sizeof(ART_UTF8_REPLACEMENT) - 1;

            art_json_text_put(t, out, &p, &left);

            if (left == 0) {
                *src += 1;
                *len -= 1;
            }
        }

        if (left > 0) {
            return;
        }
    }
}


/* Escapes valid UTF-8 into the output, as far as room and limit allow. */

static void
art_json_text_put(art_json_text_t *t, art_out_t *out, const uint8_t **src,
    size_t *len)
{
    size_t          n, allowed;
    const uint8_t  *p;

    p = *src;
    allowed = *len;

    if (t->limited && allowed > t->left) {
        allowed = art_utf8_cut(*src, *len, (size_t) t->left);
    }

    if (t->counted && allowed > t->chars) {
        allowed = art_utf8_first(*src, allowed, (size_t) t->chars);
    }

    n = allowed;

    if (t->level > 0) {
        out->len += art_json_escape(out->data + out->len,
                                    out->room - out->len, src, &n, t->level);

    } else {
        out->len += art_json_text_copy(out->data + out->len,
                                       out->room - out->len, src, &n);
    }

    if (!t->shown) {
        t->shown = !art_utf8_is_blank(p, allowed - n);
    }

    if (t->limited) {
        t->left -= allowed - n;
    }

    if (t->counted) {
        t->chars -= art_utf8_chars(p, allowed - n);
    }

    if (n == 0 && allowed < *len) {
        t->truncated = 1;
    }

    *len -= allowed - n;
}


/* As art_json_escape() for what is not to be escaped. */

static size_t
art_json_text_copy(uint8_t *dst, size_t room, const uint8_t **src, size_t *len)
{
    size_t  n;

    n = art_utf8_cut(*src, *len, room);

    if (n > 0) {
        memcpy(dst, *src, n);
        *src += n;
        *len -= n;
    }

    return n;
}


static void
art_json_text_drain(art_json_text_t *t, art_out_t *out)
{
    size_t          n;
    const uint8_t  *p;

    if (t->nout == 0) {
        return;
    }

    p = t->out + t->pout;
    n = t->nout - t->pout;

    art_json_text_emit(t, out, &p, &n);

    t->pout = t->nout - (unsigned) n;

    if (n == 0) {
        t->nout = 0;
        t->pout = 0;
    }
}


/*
 * Looks for a byte order mark; returns 0 while more bytes are needed.  "in"
 * collects them, since they may come one at a time.
 */

static int
art_json_text_start(art_json_text_t *t, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t       n, mark;
    uint8_t      head[4];
    const char  *charset;

    n = *len < sizeof(head) - t->nin ? *len : sizeof(head) - t->nin;

    memcpy(head, t->in, t->nin);

    if (n > 0) {
        memcpy(head + t->nin, *src, n);
    }

    n += t->nin;

    charset = art_charset_mark(head, n, last, &mark);

    if (mark == ART_CHARSET_UNDECIDED) {
        art_json_text_hold(t, n, src, len);
        return 0;
    }

    /* lines that are not UTF-8 may have been appended to one that is */

    if (charset && !(t->lines && strcmp(charset, "UTF-8") == 0)) {
        t->charset = charset;
        t->lines = 0;
    }

    art_json_text_begin(t);

    if (mark > 0) {
        art_json_text_take(t, mark, src, len);
    }

    if (t->lines && t->nin > 0) {

        /* they may be the beginning of a line */

        memcpy(t->line, t->in, t->nin);
        t->nline = t->nin;
        t->nin = 0;
        t->clear = art_utf8_ascii_len(t->line, t->nline);
        t->decided = t->clear > 0;
    }

    return 1;
}


/* One step of a text whose lines may be in two charsets. */

static art_json_text_next_t
art_json_text_by_lines(art_json_text_t *t, art_out_t *out,
    const uint8_t **src, size_t *len, unsigned last)
{
    size_t  none;

    if (t->nin > 0 && t->clear == 0 && !t->other) {

        /* what was decided ends within a character */

        none = 0;
        return art_json_text_utf8(t, out, src, &none, 1);
    }

    if (t->decided) {
        return art_json_text_held_line(t, out, last && *len == 0);
    }

    if (t->nline == 0) {

        if (t->other || t->clear > 0) {
            return art_json_text_part(t, out, src, len, last);
        }

        if (*len == 0) {
            if (!last || t->ended || t->cd == (iconv_t) -1) {
                return ART_JSON_TEXT_STOP;
            }

            t->ended = 1;
            art_json_text_flush(t);

            return ART_JSON_TEXT_AGAIN;
        }

        t->clear = art_json_text_ahead(t, *src, *len);

        if (t->clear > 0) {
            t->valid = 1;
            return art_json_text_part(t, out, src, len, 0);
        }
    }

    return art_json_text_line(t, src, len, last);
}


/* Bytes of which it is known what they are. */

static art_json_text_next_t
art_json_text_part(art_json_text_t *t, art_out_t *out, const uint8_t **src,
    size_t *len, unsigned last)
{
    size_t                n, left;
    art_json_text_next_t  next;

    if (t->other) {
        return art_json_text_other(t, src, len, last);
    }

    n = *len < t->clear ? *len : t->clear;

    if (t->valid && n == t->clear) {
        n = art_utf8_cut(*src, n, ART_JSON_TEXT_WINDOW);
        left = n;

        art_json_text_emit(t, out, src, &left);
        next = left == 0 || t->truncated ? ART_JSON_TEXT_AGAIN
                                         : ART_JSON_TEXT_STOP;

    } else {
        left = n;
        next = art_json_text_utf8(t, out, src, &left, n == t->clear);
    }

    n -= left;
    *len -= n;
    t->clear -= n;

    /* what is left may be the next line's */

    return next == ART_JSON_TEXT_STOP && n > 0 ? ART_JSON_TEXT_AGAIN : next;
}


/* A line in the other charset, of which some bytes may be held. */

static art_json_text_next_t
art_json_text_other(art_json_text_t *t, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t                n, left;
    unsigned              end;
    const uint8_t        *lf;
    art_json_text_next_t  next;

    n = 0;
    end = t->nin > 0 && t->in[t->nin - 1] == '\n';

    if (!end && *len > 0) {

        /* no more than one conversion takes */

        n = *len < ART_JSON_TEXT_PIECE ? *len : ART_JSON_TEXT_PIECE;
        lf = memchr(*src, '\n', n);
        end = lf != NULL;
        n = end ? (size_t) (lf - *src) + 1 : n;
    }

    left = n;
    next = art_json_text_convert(t, src, &left, end || (last && n == *len));

    *len -= n - left;

    if (end && left == 0 && t->nin == 0) {
        t->other = 0;
        t->ended = 0;

        return next == ART_JSON_TEXT_STOP ? ART_JSON_TEXT_AGAIN : next;
    }

    return next;
}


/* The same of a line that was held until it was known what it is. */

static art_json_text_next_t
art_json_text_held_line(art_json_text_t *t, art_out_t *out, unsigned last)
{
    size_t                n;
    const uint8_t        *p;
    art_json_text_next_t  next;

    p = t->line + t->pline;
    n = t->nline - t->pline;

    next = art_json_text_part(t, out, &p, &n, last);

    t->pline = t->nline - (unsigned) n;

    if (n == 0 || (!t->other && t->clear == 0)) {

        /* what is left is a character that was cut off */

        memmove(t->line, p, n);
        t->nline = (unsigned) n;
        t->pline = 0;
        t->decided = 0;

        return next == ART_JSON_TEXT_STOP ? ART_JSON_TEXT_AGAIN : next;
    }

    return next;
}


/*
 * How many bytes are UTF-8 for certain: whole lines, and of the last one what
 * would be decided at once, up to ASCII.  Where pairs of bytes may be both,
 * only ASCII is.
 */

static size_t
art_json_text_ahead(const art_json_text_t *t, const uint8_t *p, size_t len)
{
    size_t          n, from;
    const uint8_t  *lf;

    len = len < ART_JSON_TEXT_AHEAD ? len : ART_JSON_TEXT_AHEAD;

    if (t->convert && !t->mixed && (t->traits & ART_CHARSET_PAIRS)) {
        return art_utf8_ascii_len(p, len);
    }

    n = art_utf8_valid_len(p, len);

    lf = art_search_last(p, n, '\n');
    from = lf != NULL ? (size_t) (lf - p) + 1 : 0;

    for ( ;; ) {
        from += art_utf8_ascii_len(p + from, n - from);

        if (n - from < ART_JSON_TEXT_LINE) {
            return from;
        }

        from += art_utf8_cut(p + from, n - from, ART_JSON_TEXT_LINE);
    }
}


/*
 * A line that begins with a byte that is not ASCII: it is decided if enough of
 * it is there, else held.
 */

static art_json_text_next_t
art_json_text_line(art_json_text_t *t, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t          n, back;
    const uint8_t  *lf;

    n = ART_JSON_TEXT_LINE - t->nline;
    n = *len < n ? *len : n;

    lf = n > 0 ? memchr(*src, '\n', n) : NULL;
    n = lf != NULL ? (size_t) (lf - *src) + 1 : n;

    if (t->nline == 0
        && (lf != NULL || n == ART_JSON_TEXT_LINE || (last && n > 0)))
    {
        art_json_text_decide(t, *src, n,
                             lf == NULL && n == ART_JSON_TEXT_LINE);
        return ART_JSON_TEXT_AGAIN;
    }

    if (n > 0) {
        memcpy(t->line + t->nline, *src, n);
        t->nline += (unsigned) n;
        *src += n;
        *len -= n;
    }

    if (lf == NULL && t->nline < ART_JSON_TEXT_LINE && !(last && *len == 0)) {
        return ART_JSON_TEXT_STOP;
    }

    art_json_text_decide(t, t->line, t->nline,
                         lf == NULL && t->nline == ART_JSON_TEXT_LINE);
    t->decided = 1;

    /* a character that is cut off goes back, or there would always be one */

    back = t->other ? 0 : t->nline - t->clear;

    if (back > 0 && back <= n) {
        t->nline -= (unsigned) back;
        *src -= back;
        *len += back;
    }

    return ART_JSON_TEXT_AGAIN;
}


/* Decides what a line is; "cut": up to here, and more of it follows. */

static void
art_json_text_decide(art_json_text_t *t, const uint8_t *p, size_t len,
    unsigned cut)
{
    size_t      n;
    art_line_t  line;

    line = art_charset_line(p, len);

    if (line == ART_LINE_OTHER) {
        t->other = t->convert || art_json_text_guess(t, p, len);

    } else {
        t->other = line == ART_LINE_UNSURE && t->convert && !t->mixed
                   && (t->traits & ART_CHARSET_PAIRS);
        t->mixed |= line == ART_LINE_UTF8 && t->convert && !t->again;
    }

    if (t->other) {
        return;
    }

    t->clear = len;
    t->valid = 0;

    for (n = 1; cut && n < 4; n++) {
        if (art_utf8_char(p + len - n, n) == 0) {
            t->clear = len - n;
        }
    }
}


/* Whether a line tells its charset, which then is the text's. */

static unsigned
art_json_text_guess(art_json_text_t *t, const uint8_t *p, size_t len)
{
    size_t       i, n, high;
    uint8_t      foreign[ART_JSON_TEXT_LINE];
    unsigned     guessed;
    const char  *charset;

    if (t->again || t->tries == ART_JSON_TEXT_TRIES) {
        return 0;
    }

    t->tries++;

    n = art_charset_foreign(p, len, foreign);

    for (i = 0, high = 0; i < n; i++) {
        high += foreign[i] >= 0x80;
    }

    charset = high < ART_JSON_TEXT_HIGH ? NULL
              : art_charset_detect(foreign, n, 0, 0, NULL, &guessed);

    if (charset == NULL) {
        return 0;
    }

    t->charset = charset;
    art_json_text_begin(t);

    return t->convert;
}


static art_json_text_next_t
art_json_text_utf8(art_json_text_t *t, art_out_t *out, const uint8_t **src,
    size_t *len, unsigned last)
{
    int             n;
    size_t          valid, left;
    const uint8_t  *p;

    if (t->nin > 0) {
        return art_json_text_utf8_held(t, src, len, last);
    }

    if (*len == 0) {
        return ART_JSON_TEXT_STOP;
    }

    /* escaping never shortens: no more input than room can be used */

    p = *src;
    left = out->room - out->len;
    left = left < ART_JSON_TEXT_WINDOW ? left : ART_JSON_TEXT_WINDOW;

    valid = art_utf8_valid_len(p, *len < left ? *len : left);

    if (valid > 0) {
        left = valid;
        art_json_text_emit(t, out, src, &left);
        *len -= valid - left;

        return left == 0
        || t->truncated ? ART_JSON_TEXT_AGAIN : ART_JSON_TEXT_STOP;
    }

    n = art_utf8_char(p, *len);

    if (n > 0) {
        return ART_JSON_TEXT_STOP;
    }

    if (n == 0) {
        art_json_text_hold(t, *len, src, len);
        return ART_JSON_TEXT_AGAIN;
    }

    art_json_text_replace(t, *p);
    art_json_text_take(t, (size_t) (-1 - n), src, len);

    return ART_JSON_TEXT_AGAIN;
}


/* The same for a character that the last piece of input left incomplete. */

static art_json_text_next_t
art_json_text_utf8_held(art_json_text_t *t, const uint8_t **src, size_t *len,
    unsigned last)
{
    int     n;
    size_t  used;

    n = art_utf8_char(t->in, t->nin);

    if (n == 0 && *len > 0) {
        art_json_text_hold(t, t->nin + 1, src, len);
        return ART_JSON_TEXT_AGAIN;
    }

    if (n == 0 && !last) {
        return ART_JSON_TEXT_STOP;
    }

    if (n > 0) {
        used = (size_t) n;
        memcpy(t->out, t->in, used);
        t->nout = (unsigned) n;

    } else {
        used = n < 0 ? (size_t) (-1 - n) : t->nin;
        art_json_text_replace(t, t->in[0]);
    }

    art_json_text_take(t, used, src, len);

    return ART_JSON_TEXT_AGAIN;
}


/*
 * One step of conversion into "out", which is empty: from the bytes held with
 * some new ones after them, or from a piece of the new ones.
 */

static art_json_text_next_t
art_json_text_convert(art_json_text_t *t, const uint8_t **src, size_t *len,
    unsigned last)
{
    int             incomplete;
    size_t          n, used;
    const uint8_t  *p;

    if (t->cd == (iconv_t) -1) {
        return art_json_text_open(t);
    }

    if (t->nin > 0) {
        n = ART_JSON_TEXT_HOLD - t->nin;
        n = *len < n ? *len : n;

        if (n > 0) {
            memcpy(t->in + t->nin, *src, n);
        }

        n += t->nin;
        p = t->in;

    } else {
        n = *len < ART_JSON_TEXT_PIECE ? *len : ART_JSON_TEXT_PIECE;
        p = *src;
    }

    if (n == 0) {
        if (!last || t->ended) {
            return ART_JSON_TEXT_STOP;
        }

        t->ended = 1;
        art_json_text_flush(t);

        return ART_JSON_TEXT_AGAIN;
    }

    used = n;
    incomplete = art_json_text_iconv(t, p, &used);

    if (used == 0 && t->nout == 0) {

        /* no progress; if "n" is below the hold's size, it is all the input */

        if (incomplete && n < ART_JSON_TEXT_HOLD) {
            used = last ? n : 0;

        } else {
            used = art_charset_bad_len(t->traits, p, n, last);
        }

        if (used == 0) {
            art_json_text_hold(t, n, src, len);
            return ART_JSON_TEXT_STOP;
        }

        if (t->traits & ART_CHARSET_COMBINES) {
            art_json_text_flush(t);
        }

        art_json_text_replace(t, *p);
    }

    art_json_text_take(t, used, src, len);

    return ART_JSON_TEXT_AGAIN;
}


/* Not every C library has every charset: then the text is read as UTF-8. */

static art_json_text_next_t
art_json_text_open(art_json_text_t *t)
{
    t->cd = art_charset_open(t->charset);

    if (t->cd == (iconv_t) -1) {
        if (errno != EINVAL) {
            return ART_JSON_TEXT_FAILED;
        }

        t->convert = 0;
        t->traits = 0;
        t->other = 0;
        t->tries = ART_JSON_TEXT_TRIES;
    }

    return ART_JSON_TEXT_AGAIN;
}


/*
 * Converts *n bytes from p into "out"; sets *n to the bytes used.  Returns
 * whether it stopped at an incomplete character.
 */

static int
art_json_text_iconv(art_json_text_t *t, const uint8_t *p, size_t *n)
{
    char    *in, *out;
    size_t   left, room, rc;

    in = (char *) (uintptr_t) p;
    left = *n;
    out = (char *) t->out;
    room = sizeof(t->out);

    rc = iconv(t->cd, &in, &left, &out, &room);

    *n -= left;
    t->nout = (unsigned) (sizeof(t->out) - room);

    if ((t->traits & (ART_CHARSET_UNIT2|ART_CHARSET_UNIT4))
        && art_json_text_half(t, n))
    {
        return 0;
    }

    return rc == (size_t) -1 && errno == EINVAL;
}


/*
 * Handles the second half of a surrogate pair alone, which glibc refuses except
 * on s390x, whose own converters return it as three bytes of invalid UTF-8.  If
 * there is one, it and what follows are undone.
 */

static int
art_json_text_half(art_json_text_t *t, size_t *n)
{
    size_t  i, valid;

    valid = art_utf8_valid_len(t->out, t->nout);

    if (valid == t->nout) {
        return 0;
    }

    t->nout = (unsigned) valid;
    *n = 0;

    for (i = 0; i < valid; i++) {
        if (t->out[i] < 0x80 || t->out[i] >= 0xc0) {
            *n += (t->traits & ART_CHARSET_UNIT4) || t->out[i] >= 0xf0 ? 4 : 2;
        }
    }

    return 1;
}


/* Flushes a character held back by iconv, with which another may combine. */

static void
art_json_text_flush(art_json_text_t *t)
{
    char    *out;
    size_t   room;

    out = (char *) t->out;
    room = sizeof(t->out);

    (void) iconv(t->cd, NULL, NULL, &out, &room);

    t->nout = (unsigned) (sizeof(t->out) - room);
}


/* Writes the replacement of an ill-formed sequence that starts with c. */

static void
art_json_text_replace(art_json_text_t *t, uint8_t c)
{
    if ((t->traits & ART_CHARSET_C1) && (t->other || !t->lines)
        && c >= 0x80 && c < 0xa0)
    {
        t->out[t->nout++] = 0xc2;
        t->out[t->nout++] = c;
        return;
    }

    memcpy(t->out + t->nout, ART_UTF8_REPLACEMENT,
           sizeof(ART_UTF8_REPLACEMENT) - 1);
    t->nout += sizeof(ART_UTF8_REPLACEMENT) - 1;
}


/* Drops n bytes of input, beginning with those held. */

static void
art_json_text_take(art_json_text_t *t, size_t n, const uint8_t **src,
    size_t *len)
{
    if (n < t->nin) {
        t->nin -= (unsigned) n;
        memmove(t->in, t->in + n, t->nin);
        return;
    }

    n -= t->nin;
    t->nin = 0;

    if (n > 0) {
        *src += n;
        *len -= n;
    }
}


/* Takes input until n bytes are held. */

static void
art_json_text_hold(art_json_text_t *t, size_t n, const uint8_t **src,
    size_t *len)
{
    n -= t->nin;

    if (n > 0) {
        memcpy(t->in + t->nin, *src, n);
        t->nin += (unsigned) n;
        *src += n;
        *len -= n;
    }
}
