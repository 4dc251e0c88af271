
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Between runs, art_find_hint() skips to where one may begin.  From there on
 * characters are taken one by one (or line by line), until it is clear that
 * there is none: that takes three of them, as a rule.
 */


#include "core/base/art_bytes.h"
#include "core/media/art_find.h"
#include "core/media/art_find_int.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


#define ART_FIND_LINE_MIN  60            /* characters of a line that goes on */
#define ART_FIND_LINE_MAX  100

#define ART_FIND_INSIDE    4             /* an escape has not ended here */

/* Bytes at the end of a PDF that have its mark. */

#define ART_FIND_PDF_END   1024


typedef enum {
    ART_FIND_IDLE = 0,
    ART_FIND_MAYBE,              /* characters that may become a run */
    ART_FIND_SIGNED              /* they are media */
} art_find_state_t;


typedef enum {
    ART_FIND_BY_LENGTH = 0,
    ART_FIND_BY_RIFF,
    ART_FIND_BY_PNG,
    ART_FIND_BY_JPEG,
    ART_FIND_BY_GIF,
    ART_FIND_BY_PDF
} art_find_ending_t;


static size_t art_find_skip(art_find_t *find, size_t from, size_t len,
    size_t *marker);
static void art_find_stop(art_find_t *find, size_t from, size_t len);
static size_t art_find_escape(art_find_t *find, size_t from, size_t len);
static unsigned art_find_token(const art_find_t *find, size_t from, size_t i,
    size_t *pos, int *c);
static unsigned art_find_before(const art_find_t *find, size_t from, size_t i,
    unsigned more);
static unsigned art_find_after(int c);
static unsigned art_find_starts(const art_find_t *find);
static void art_find_keep(art_find_t *find, size_t len);
static size_t art_find_window(const art_find_t *find, uint64_t pos,
    uint8_t *window);
static unsigned art_find_mark(art_find_t *find, uint64_t pos);
static size_t art_find_mark_read(art_find_t *find, const uint8_t *p,
    size_t len);
static unsigned art_find_mark_close(art_find_t *find, uint8_t c);
static size_t art_find_line(art_find_t *find, const uint8_t *p, size_t len,
    uint64_t pos);
static void art_find_read(art_find_t *find, uint8_t byte, size_t *i);
static art_find_event_t art_find_take(art_find_t *find);
static unsigned art_find_goes_on(const art_find_t *find);
static art_find_event_t art_find_char(art_find_t *find);
static art_find_event_t art_find_close(art_find_t *find);
static void art_find_idle(art_find_t *find);
static void art_find_open(art_find_t *find, uint64_t pos, unsigned alphabets);
static size_t art_find_prefix(const art_find_t *find, uint64_t pos);
static void art_find_push(art_find_t *find, const uint8_t *p, size_t n);
static void art_find_again(art_find_t *find, size_t n);
static unsigned art_find_sign(art_find_t *find, uint64_t count);
static unsigned art_find_ends(const art_find_t *find, size_t drop,
    unsigned exactly);
static unsigned art_find_is_canonical(const art_find_t *find, size_t drop);
static size_t art_find_bytes(const art_find_t *find, size_t drop,
    uint8_t *bytes);
static uint64_t art_find_size(uint64_t count);


void
art_find_init(art_find_t *find, uint64_t min, unsigned flags)
{
    memset(find, 0, offsetof(art_find_t, tail));

    find->min = min;
    find->flags = flags;
    find->prev = ART_FIND_BOTH;
}


art_find_event_t
art_find_feed(art_find_t *find, const uint8_t *p, size_t len, size_t *n)
{
    size_t            i, marker;
    art_find_event_t  event;

    find->p = p;
    event = ART_FIND_MORE;
    marker = find->mark > 0 ? art_find_mark_read(find, p, len) : 0;

    for (i = 0; event == ART_FIND_MORE && marker == 0; ) {

        if (find->ready) {
            event = art_find_take(find);
            continue;
        }

        if (i == len) {
            break;
        }

        if (find->esc == ART_FIND_NO_ESC) {
            if (find->state == ART_FIND_IDLE) {
                i = art_find_skip(find, i, len, &marker);
                continue;
            }

            *n = art_find_line(find, p + i, len - i, find->at + i);

            if (*n > 0) {
                i += *n;
                continue;
            }
        }

        art_find_read(find, p[i], &i);
    }

    if (marker > 0) {
        i = marker;
        event = ART_FIND_MARKER;
        art_find_idle(find);
        find->prev = ART_FIND_BOTH;
        find->esc = ART_FIND_NO_ESC;
        find->ready = 0;
        find->pos = find->mark_pos;
        find->end = find->at + i;
    }

    art_find_keep(find, i);
    *n = i;

    return event;
}


art_find_event_t
art_find_end(art_find_t *find)
{
    art_find_event_t  event;

    if (!find->ready && find->state != ART_FIND_IDLE) {
        find->ready = 1;
        find->c = 0;
        find->c_pos = find->esc ? find->esc_pos : find->at;
        find->c_end = find->at;
    }

    find->esc = ART_FIND_NO_ESC;

    for (event = ART_FIND_MORE; find->ready && event == ART_FIND_MORE; ) {
        event = art_find_take(find);
    }

    return event;
}


uint64_t
art_find_from(const art_find_t *find)
{
    uint64_t  pos;

    if (find->state == ART_FIND_SIGNED
        || (find->state == ART_FIND_MAYBE
            && find->at - find->run_pos <= ART_FIND_BEHIND))
    {
        return find->run_pos;
    }

    pos = find->ready ? find->c_pos : find->esc ? find->esc_pos : find->at;

    if (find->at - pos > ART_FIND_FIRST) {
        pos = find->at;
    }

    return pos > ART_FIND_PREFIX ? pos - ART_FIND_PREFIX : 0;
}


/*
 * Skips what is neither a run nor a marker; *marker is set to the end of a
 * marker.  An escape is never cut: what is before "from" does not matter.
 */

static size_t
art_find_skip(art_find_t *find, size_t from, size_t len, size_t *marker)
{
    int             c;
    size_t          i, n, pos;
    unsigned        alphabets;
    const uint8_t  *p;

    p = find->p;

    for (i = from; ; i += n) {
        i += art_find_hint(p + i, len - i);

        if (i == len) {
            art_find_stop(find, from, len);
            return len;
        }

        n = 1;

        if (p[i] == 't') {

            if ((find->flags & ART_FIND_MARKERS)
                && art_find_mark(find, find->at + i))
            {
                *marker = art_find_mark_read(find, p + i + 1, len - i - 1);

                if (*marker > 0) {
                    *marker += i + 1;
                    return *marker;
                }
            }

            continue;
        }

        alphabets = art_find_token(find, from, i, &pos, &c);

        if ((find->flags & ART_FIND_RUNS)
            && (alphabets & art_find_alphabets(c)) != 0)
        {
            break;
        }

        if (alphabets == 0) {

            /* nothing begins within a word */

            n = art_find_span(p + i, len - i, 0);
            n = n > 0 ? n : 1;
        }
    }

    find->prev = alphabets;
    find->ready = 1;
    find->c = c;
    find->c_pos = find->at + pos;
    find->c_end = find->at + i + 1;

    return i + 1;
}


/* All bytes were skipped: what the next ones may follow. */

static void
art_find_stop(art_find_t *find, size_t from, size_t len)
{
    size_t  pos;

    if (len == from) {
        return;
    }

    pos = art_find_escape(find, from, len);

    while (pos < len && pos > from && find->p[pos - 1] == '\\') {
        pos--;
    }

    find->prev = art_find_before(find, from, pos, 0);
    find->esc_pos = find->at + pos;
}


/* Where an escape has begun that has not ended at "len"; else "len". */

static size_t
art_find_escape(art_find_t *find, size_t from, size_t len)
{
    size_t          i, n;
    const uint8_t  *p;

    p = find->p;

    if (p[len - 1] == '\\') {
        find->esc = ART_FIND_SLASHES;
        return len - 1;
    }

    for (n = 0; n < 4 && len - from >= n + 2; n++) {
        i = len - 1 - n;

        if (p[i] == 'u' && p[i - 1] == '\\') {
            find->esc = ART_FIND_DIGITS + (unsigned) n;
            find->value = 0;

            for (i++; i < len; i++) {
                find->value = find->value << 4
                              | (unsigned) art_char_hex(p[i]);
            }

            return len - 1 - n;
        }

        if (art_char_hex(p[i]) < 0) {
            break;
        }
    }

    return len;
}


/*
 * The character at "i", and in *pos where it begins: its escape does.  Returns
 * the alphabets that may begin with it, or ART_FIND_INSIDE.
 */

static unsigned
art_find_token(const art_find_t *find, size_t from, size_t i, size_t *pos,
    int *c)
{
    const uint8_t  *p;

    p = find->p;
    *c = p[i];
    *pos = i;

    if (p[i] == 'f' || p[i] == 'F') {

        if (i - from < 5 || memcmp(p + i - 5, "\\u002", 5) != 0) {
            *c = 0;
            return ART_FIND_INSIDE;
        }

        *c = '/';
        *pos = i - 4;
    }

    while (*c == '/' && *pos > from && p[*pos - 1] == '\\') {
        (*pos)--;
    }

    return art_find_before(find, from, *pos,
                           *pos == i && art_char_hex(p[i]) >= 0);
}


/*
 * The alphabets that the byte before "i" is not of; "more": the one at "i" is a
 * digit, which an escape may go on with.
 */

static unsigned
art_find_before(const art_find_t *find, size_t from, size_t i, unsigned more)
{
    size_t          n;
    const uint8_t  *p;

    if (i == from) {
        return find->prev;
    }

    p = find->p + i - 1;
    i -= from;

    if (!art_char_alnum(*p)) {
        return art_find_after(*p);
    }

    if (i >= 2 && p[-1] == '\\' && strchr("bfnrt", *p) != NULL) {
        return ART_FIND_BOTH;
    }

    for (n = 0; n <= 4 && i >= n + 2; n++, p--) {

        if (p[0] == 'u' && p[-1] == '\\') {

            if (n < 4) {
                return more ? ART_FIND_INSIDE : ART_FIND_BOTH;
            }

            return memcmp(p + 1, "002", 3) == 0
                   && ((p[4] | 0x20) == 'b' || (p[4] | 0x20) == 'f')
                   ? ART_FIND_SAFE : ART_FIND_BOTH;
        }

        if (art_char_hex(*p) < 0) {
            break;
        }
    }

    return 0;
}


/* The alphabets that may begin behind a character. */

static unsigned
art_find_after(int c)
{
    return ART_FIND_BOTH & ~art_find_alphabets(c);
}


/* Whether a run may begin with it, and with those that follow. */

static unsigned
art_find_starts(const art_find_t *find)
{
    size_t   n;
    uint8_t  chars[3];

    n = (size_t) find->count;
    memcpy(chars, find->tail, n);
    chars[n] = (uint8_t) find->c;

    return chars[0] != 'f' && chars[0] != 'F' && chars[0] != 't'
           && art_find_hint(chars, n + 1) == 0;
}


/* Keeps the last bytes before the next ones. */

static void
art_find_keep(art_find_t *find, size_t len)
{
    size_t  n, room;

    find->at += len;
    room = sizeof(find->behind);

    if (len >= room) {
        memcpy(find->behind, find->p + len - room, room);
        find->nbehind = room;

    } else if (len > 0) {
        n = find->nbehind < room - len ? find->nbehind : room - len;

        memmove(find->behind, find->behind + find->nbehind - n, n);
        memcpy(find->behind + n, find->p, len);
        find->nbehind = n + len;
    }
}


/* Copies the bytes before "pos", ART_FIND_PREFIX at most; their number. */

static size_t
art_find_window(const art_find_t *find, uint64_t pos, uint8_t *window)
{
    size_t  n, last, here;

    here = pos > find->at ? (size_t) (pos - find->at) : 0;
    last = pos < find->at ? (size_t) (find->at - pos) : 0;

    if (here >= ART_FIND_PREFIX) {
        memcpy(window, find->p + here - ART_FIND_PREFIX, ART_FIND_PREFIX);
        return ART_FIND_PREFIX;
    }

    n = find->nbehind > last ? find->nbehind - last : 0;
    last = n;
    n = n < ART_FIND_PREFIX - here ? n : ART_FIND_PREFIX - here;

    memcpy(window, find->behind + last - n, n);

    if (here > 0) {
        memcpy(window + n, find->p, here);
    }

    return n + here;
}


/* Whether the letter at "pos" is the last one of "[artifact". */

static unsigned
art_find_mark(art_find_t *find, uint64_t pos)
{
    size_t          n;
    uint8_t         window[ART_FIND_PREFIX];
    const uint8_t  *p;

    n = art_find_window(find, pos, window);
    p = window + n;

    if (n < 8 || memcmp(p - 7, "artifac", 7) != 0) {
        return 0;
    }

    if (p[-8] == '[') {
        find->mark_pos = pos - 8;

    } else if (n >= 13 && (p[-8] | 0x20) == 'b'
               && memcmp(p - 13, "\\u005", 5) == 0)
    {
        find->mark_pos = pos - 13;

    } else {
        return 0;
    }

    find->mark = 1;
    find->mark_esc = 0;

    return 1;
}


/* Reads on behind that letter; returns the bytes to the marker's end, or 0. */

static size_t
art_find_mark_read(art_find_t *find, const uint8_t *p, size_t len)
{
    size_t    i, n;
    unsigned  good;

    for (i = 0; i < len && find->mark > 0; i++) {

        if (find->mark > ART_FIND_ID + 1) {
            good = art_find_mark_close(find, p[i]);

            if (good == 2) {
                find->mark = 0;
                return i + 1;
            }

        } else if (find->mark == 1) {
            good = p[i] == ':';
            find->mark++;

        } else {
            n = find->mark++ - 2;
            find->id[n] = p[i];
            good = n == 8 || n == 13 || n == 18 || n == 23
                   ? p[i] == '-' : art_char_hex(p[i]) >= 0;
        }

        if (!good) {
            find->mark = 0;
        }
    }

    return 0;
}


/* Reads "]", which may be escaped; returns 2 at its end, 0 if it is none. */

static unsigned
art_find_mark_close(art_find_t *find, uint8_t c)
{
    static const char  close[] = "\\u005d";

    if (c == ']' && find->mark_esc <= 1) {
        return 2;
    }

    if (c == '\\' && find->mark_esc <= 1) {
        find->mark_esc = 1;
        return 1;
    }

    if (find->mark_esc == 0
        || art_char_lower(c) != (uint8_t) close[find->mark_esc]
        || c == 'U')
    {
        return 0;
    }

    find->mark_esc++;

    return close[find->mark_esc] == '\0' ? 2 : 1;
}


/* Takes many characters of a line at once; returns their number. */

static size_t
art_find_line(art_find_t *find, const uint8_t *p, size_t len, uint64_t pos)
{
    size_t  n;

    if (find->pads > 0 || find->count < 3) {
        return 0;
    }

    if (find->width > 0 && len > find->width - find->line) {
        len = (size_t) (find->width - find->line);
    }

    if (find->state == ART_FIND_MAYBE) {

        /* the last one goes to art_find_char() */

        if (len > ART_FIND_HEAD - 1 - find->count) {
            len = (size_t) (ART_FIND_HEAD - 1 - find->count);
        }

        if (pos + len - find->run_pos > ART_FIND_BEHIND) {
            return 0;
        }
    }

    n = art_find_span(p, len, find->alphabets == ART_FIND_BOTH
                              ? 0 : find->alphabets);

    if (n == 0) {
        return 0;
    }

    if (find->line == 0) {
        find->line_pos = pos;
    }

    art_find_push(find, p, n);
    find->run_end = pos + n;

    return n;
}


/* Reads the byte at *i, unless an escape ends before it. */

static void
art_find_read(art_find_t *find, uint8_t byte, size_t *i)
{
    uint64_t  pos;
    unsigned  esc, done;

    pos = find->at + *i;
    esc = find->esc;
    done = art_find_lex(&find->esc, &find->value, byte, &find->c);

    if (esc == ART_FIND_NO_ESC) {
        find->esc_pos = pos;
    }

    if (done & ART_FIND_READ) {
        (*i)++;
        pos++;
    }

    if (done & ART_FIND_READY) {
        find->ready = 1;
        find->c_pos = find->esc_pos;
        find->c_end = pos;
    }
}


/* Takes the character; "ready" stays set if it is to be taken again. */

static art_find_event_t
art_find_take(art_find_t *find)
{
    unsigned  alphabets;

    alphabets = art_find_alphabets(find->c);

    if (find->state == ART_FIND_IDLE) {
        find->count = 0;

        if ((find->flags & ART_FIND_RUNS) && (find->prev & alphabets) != 0
            && find->c_end - find->c_pos <= ART_FIND_FIRST
            && art_find_starts(find))
        {
            art_find_open(find, find->c_pos, find->prev);
            return ART_FIND_MORE;
        }

        find->prev = art_find_after(find->c);
        find->ready = 0;

        return ART_FIND_MORE;
    }

    if (find->state == ART_FIND_MAYBE
        && (find->c_end - find->run_pos > ART_FIND_BEHIND
            || (alphabets != 0 && find->count < 3 && !art_find_starts(find))))
    {
        art_find_idle(find);
        return ART_FIND_MORE;
    }

    if (!art_find_goes_on(find)) {
        return art_find_close(find);
    }

    find->ready = 0;

    if (alphabets != 0) {
        return art_find_char(find);
    }

    if (find->c == '=') {
        find->pads++;
        find->run_end = find->c_end;
        find->line_break = 0;

    } else {

        if (find->line > 0) {
            find->width = find->line;
            find->line_end = find->run_end;
            find->line = 0;
        }

        find->line_break = find->c;
    }

    if (find->c_end - find->c_pos > 1) {
        find->escaped = 1;
    }

    return ART_FIND_MORE;
}


/* Whether the character belongs to the run. */

static unsigned
art_find_goes_on(const art_find_t *find)
{
    unsigned  alphabets, rest;

    if (find->c == '=') {
        rest = (unsigned) find->count & 3;

        return find->pads == 0 ? rest >= 2
                               : find->pads == 1 && rest == 2
                                 && find->line_break == 0;
    }

    if (find->c == 0 || find->pads > 0) {
        return 0;
    }

    alphabets = art_find_alphabets(find->c);

    if (alphabets != 0) {
        return (find->alphabets & alphabets) != 0
               && (find->width == 0 || find->line < find->width);
    }

    if (find->line == 0) {
        return find->line_break == '\r' && find->c == '\n';
    }

    return find->line >= ART_FIND_LINE_MIN && find->line <= ART_FIND_LINE_MAX
           && (find->width == 0 || find->line == find->width);
}


static art_find_event_t
art_find_char(art_find_t *find)
{
    uint8_t  c;

    c = (uint8_t) find->c;
    find->alphabets &= art_find_alphabets(c);

    if (find->line == 0) {
        find->line_pos = find->c_pos;
    }

    if (find->c_end - find->c_pos > 1) {
        find->escaped = 1;
    }

    art_find_push(find, &c, 1);
    find->run_end = find->c_end;

    if (find->state == ART_FIND_SIGNED || find->count < ART_FIND_HEAD) {
        return ART_FIND_MORE;
    }

    if (!art_find_sign(find, ART_FIND_HEAD)) {
        art_find_idle(find);
        return ART_FIND_MORE;
    }

    find->state = ART_FIND_SIGNED;

    if (!(find->flags & ART_FIND_BEGINS)) {
        return ART_FIND_MORE;
    }

    find->told = 1;
    find->pos = find->run_pos;

    return ART_FIND_BEGIN;
}


/*
 * The run ends before the character.  A line that is longer than those before
 * it is no part of it; nor is a last one that is shorter, if the content was
 * whole without it, and is not with it: some text that follows.
 */

static art_find_event_t
art_find_close(art_find_t *find)
{
    size_t            drop;
    unsigned          good;
    uint64_t          count;
    art_find_event_t  event;

    drop = 0;

    if (find->width > 0 && find->line == find->width
        && (find->alphabets & art_find_alphabets(find->c)) != 0)
    {
        drop = (size_t) find->line;
    }

    count = find->count - drop;
    good = count >= find->min
           && (find->state == ART_FIND_SIGNED || art_find_sign(find, count));

    if (good && drop == 0 && find->width > 0 && find->line > 0
        && find->pads == 0 && !art_find_ends(find, 0, 1)
        && art_find_ends(find, (size_t) find->line, 1))
    {
        drop = (size_t) find->line;
        count -= drop;
    }

    good = good && count >= find->min && count % 4 != 1;
    event = good ? ART_FIND_RUN : find->told ? ART_FIND_LEFT : ART_FIND_MORE;

    if (good) {
        find->state = ART_FIND_SIGNED;
        find->pos = find->run_pos;

        if ((find->flags & ART_FIND_BEGINS) && !find->told) {
            find->told = 1;
            return ART_FIND_BEGIN;
        }

        find->end = drop > 0 ? find->line_end : find->run_end;
        find->size = art_find_size(count);
        find->whole = art_find_ends(find, drop, 0);
        find->form = (find->alphabets == ART_FIND_SAFE ? ART_FIND_URL_SAFE : 0)
                     | (find->width > 0 && count > find->width
                        ? ART_FIND_WRAPPED : 0)
                     | (find->escaped ? ART_FIND_ESCAPED : 0);
    }

    if (drop > 0) {
        art_find_again(find, drop);

    } else {
        art_find_idle(find);
    }

    return event;
}


/* No run any more; the next one may begin behind the last character. */

static void
art_find_idle(art_find_t *find)
{
    find->state = ART_FIND_IDLE;
    find->prev = find->count == 0 || find->pads > 0 || find->line_break != 0
                 ? ART_FIND_BOTH
                 : art_find_after(find->tail[find->ntail - 1]);
}


static void
art_find_open(art_find_t *find, uint64_t pos, unsigned alphabets)
{
    find->state = ART_FIND_MAYBE;
    find->run_pos = pos - art_find_prefix(find, pos);
    find->alphabets = alphabets;
    find->escaped = 0;
    find->pads = 0;
    find->told = 0;
    find->line_break = 0;
    find->line = 0;
    find->width = 0;
    find->count = 0;
    find->ntail = 0;
}


/* The bytes of a "data:..;base64," before "pos", 0 if there is none. */

static size_t
art_find_prefix(const art_find_t *find, uint64_t pos)
{
    size_t    n, i;
    uint8_t   window[ART_FIND_PREFIX];
    uint8_t  *p;

    n = art_find_window(find, pos, window);

    if (n < 13 || !art_str_is(art_str(window + n - 8, 8), ";base64,")) {
        return 0;
    }

    for (i = n - 8; i-- > 0; ) {
        p = window + i;

        if (n - 8 - i >= 5 && art_str_is(art_str(p, 5), "data:")) {
            return n - i;
        }

        if (*p <= ' ' || *p >= 0x7f || strchr("\"',<>", *p) != NULL
            || (*p == '\\' && p[1] != '\\' && p[1] != '/' && p[1] != 'u'))
        {
            break;
        }
    }

    return 0;
}


static void
art_find_push(art_find_t *find, const uint8_t *p, size_t n)
{
    find->count += n;
    find->line += n;
    find->line_break = 0;

    if (n > ART_FIND_TAIL) {
        p += n - ART_FIND_TAIL;
        n = ART_FIND_TAIL;
    }

    if (find->ntail + n > sizeof(find->tail)) {
        memmove(find->tail, find->tail + find->ntail - ART_FIND_TAIL,
                ART_FIND_TAIL);
        find->ntail = ART_FIND_TAIL;
    }

    memcpy(find->tail + find->ntail, p, n);
    find->ntail += n;
}


/* The last line begins anew. */

static void
art_find_again(art_find_t *find, size_t n)
{
    size_t    i;
    int       c;
    uint8_t   line[ART_FIND_LINE_MAX];
    uint64_t  end;

    c = find->c;
    end = find->run_end;

    memcpy(line, find->tail + find->ntail - n, n);
    art_find_open(find, find->line_pos, ART_FIND_BOTH);

    for (i = 0; i < n; i++) {
        find->c = line[i];

        if (i < 3 && !art_find_starts(find)) {
            break;
        }

        find->alphabets &= art_find_alphabets(line[i]);
        art_find_push(find, line + i, 1);
    }

    find->c = c;
    find->run_end = end;

    if (i < n) {
        find->tail[0] = line[n - 1];
        find->ntail = 1;
        find->count = 1;
        art_find_idle(find);
    }
}


/* Whether the first characters are media; sets what is told of it. */

static unsigned
art_find_sign(art_find_t *find, uint64_t count)
{
    size_t               i, n;
    uint8_t              bytes[ART_FIND_HEAD / 4 * 3 + 3];
    art_evidence_t       evidence;
    const art_media_t   *media;
    art_base64_decode_t  st;

    static const struct {
        const char         *mime;
        art_find_ending_t   ending;
    } endings[] = {
        { "image/png", ART_FIND_BY_PNG },
        { "image/jpeg", ART_FIND_BY_JPEG },
        { "image/gif", ART_FIND_BY_GIF },
        { "application/pdf", ART_FIND_BY_PDF }
    };

    n = count < ART_FIND_HEAD ? (size_t) count : ART_FIND_HEAD;

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, find->tail, n);
    n += art_base64_decode_end(&st, bytes + n);

    art_sniff(bytes, n, count < ART_FIND_HEAD, &evidence);

    if (evidence.media == 0 || !(evidence.sign & ART_SIGN_STRONG)) {
        return 0;
    }

    media = art_media_row(evidence.media - 1u);

    if (media->kind != ART_KIND_IMAGE && media->kind != ART_KIND_AUDIO
        && media->kind != ART_KIND_VIDEO
        && strcmp(media->mime, "application/pdf") != 0)
    {
        return 0;
    }

    find->mime = media->mime;
    find->ending = ART_FIND_BY_LENGTH;

    if (art_bytes_at(bytes, n, 0, "RIFF", 4)) {
        find->ending = ART_FIND_BY_RIFF;
        find->riff = art_bytes_get(bytes + 4, 4) + 8;
    }

    for (i = 0; i < art_nitems(endings); i++) {
        if (strcmp(media->mime, endings[i].mime) == 0) {
            find->ending = endings[i].ending;
        }
    }

    return 1;
}


/*
 * Whether the content without the last "drop" characters has the end that its
 * format wants; "exactly": with nothing behind it but white space and zeros,
 * and by more than its length.  Providers mind no bytes behind the end.
 */

static unsigned
art_find_ends(const art_find_t *find, size_t drop, unsigned exactly)
{
    size_t          n, last;
    uint8_t         bytes[ART_FIND_TAIL * 2 / 4 * 3 + 3];
    uint64_t        size;
    const uint8_t  *p;

    n = art_find_bytes(find, drop, bytes);
    size = art_find_size(find->count - drop);

    for (last = n; last > 0 && (bytes[last - 1] == 0 || bytes[last - 1] == ' '
                                || (bytes[last - 1] >= '\t'
                                    && bytes[last - 1] <= '\r')); last--)
    {
        /* void */
    }

    switch (find->ending) {

    case ART_FIND_BY_PNG:
        p = art_bytes_find(bytes, n, "IEND\xae\x42\x60\x82");
        return p != NULL && (!exactly || p + 8 == bytes + last);

    case ART_FIND_BY_JPEG:
        return last >= 2 && memcmp(bytes + last - 2, "\xff\xd9", 2) == 0;

    case ART_FIND_BY_GIF:
        return last >= 1 && bytes[last - 1] == 0x3b;

    case ART_FIND_BY_PDF:

        if (exactly) {
            return last >= 5 && memcmp(bytes + last - 5, "%%EOF", 5) == 0;
        }

        p = n > ART_FIND_PDF_END ? bytes + n - ART_FIND_PDF_END : bytes;

        return art_bytes_find(p, (size_t) (bytes + n - p), "%%EOF") != NULL;

    case ART_FIND_BY_RIFF:

        if (find->riff > 8 && find->riff < (uint64_t) UINT32_MAX + 8) {
            return exactly ? size - find->riff <= (find->riff & 1)
                           : size >= find->riff;
        }

        /* its writer did not know the size */

        return !exactly && art_find_is_canonical(find, drop);

    default:
        return !exactly && art_find_is_canonical(find, drop);
    }
}


/* Whether the last group is whole, or without padding has no spare bits. */

static unsigned
art_find_is_canonical(const art_find_t *find, size_t drop)
{
    int       value;
    unsigned  rest;

    rest = (unsigned) (find->count - drop) & 3;

    if (rest == 0 || (drop == 0 && find->pads > 0)) {
        return rest == 0 || rest + find->pads == 4;
    }

    value = art_base64_value(find->tail[find->ntail - drop - 1]);

    return (value & (rest == 2 ? 0x0f : 0x03)) == 0;
}


/* Decodes the last characters that are kept. */

static size_t
art_find_bytes(const art_find_t *find, size_t drop, uint8_t *bytes)
{
    size_t               n, skip;
    art_base64_decode_t  st;

    /* a group begins where the characters before it are a multiple of four */

    skip = (size_t) (find->ntail - find->count) & 3;
    n = find->ntail - drop;

    if (n <= skip) {
        return 0;
    }

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, find->tail + skip, n - skip);

    return n + art_base64_decode_end(&st, bytes + n);
}


/* The bytes of so many characters. */

static uint64_t
art_find_size(uint64_t count)
{
    return count / 4 * 3 + count % 4 * 3 / 4;
}
