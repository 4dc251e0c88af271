
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Between runs, art_find_hint() skips to where one may begin.  From there on
 * characters are taken one by one (or line by line), until it is clear that
 * no run begins there, mostly after three of them.  The characters of a run are
 * media by their signature, and whole by their end.
 */


#include "core/media/art_find.h"
#include "core/base/art_bytes.h"
#include "core/media/art_find_int.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


/* The last bytes, in which the mark of a content's end has to be. */

#define ART_FIND_END  1024


typedef enum {
    ART_FIND_BY_LENGTH = 0,
    ART_FIND_BY_RIFF,
    ART_FIND_BY_PNG,
    ART_FIND_BY_JPEG,
    ART_FIND_BY_GIF,
    ART_FIND_BY_PDF
} art_find_ending_t;


typedef enum {
    ART_FIND_IDLE = 0,
    ART_FIND_MAYBE,              /* characters that may become a run */
    ART_FIND_SIGNED              /* they are media */
} art_find_state_t;


static void art_find_keep(art_find_t *find, size_t len);
static size_t art_find_line(art_find_t *find, const uint8_t *p, size_t len,
    uint64_t pos);
static size_t art_find_read(art_find_t *find, size_t i, size_t len);
static art_find_event_t art_find_take(art_find_t *find);
static unsigned art_find_goes_on(const art_find_t *find);
static art_find_event_t art_find_char(art_find_t *find);
static art_find_event_t art_find_close(art_find_t *find);
static uint64_t art_find_stop_at(const art_find_t *find);
static art_find_event_t art_find_exact(art_find_t *find);
static unsigned art_find_is_glued(art_find_t *find);
static art_standin_t art_find_standin(art_find_t *find, uint64_t count);
static void art_find_idle(art_find_t *find);
static void art_find_open(art_find_t *find, uint64_t pos, unsigned alphabets);
static size_t art_find_prefix(const art_find_t *find, uint64_t pos);
static unsigned art_find_is_digit(const uint8_t *p, size_t i);
static void art_find_push(art_find_t *find, const uint8_t *p, size_t n);
static void art_find_again(art_find_t *find, size_t n, size_t i);
static unsigned art_find_sign(art_find_t *find, uint64_t count);
static unsigned art_find_ends(const art_find_t *find, size_t drop,
    unsigned exactly);
static uint64_t art_find_size(uint64_t count);
static unsigned art_find_ends_in(const uint8_t *p, size_t len, unsigned last,
    const char *mark);
static unsigned art_find_is_canonical(const art_find_t *find, size_t drop);
static size_t art_find_bytes(const art_find_t *find, size_t drop,
    uint8_t *bytes);


void
art_find_init(art_find_t *find, uint64_t min, unsigned flags)
{
    memset(find, 0, offsetof(art_find_t, line_pos));

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
                event = art_find_exact(find);
                continue;
            }
        }

        i = art_find_read(find, i, len);
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

    pos = find->esc ? find->esc_pos : find->at;

    if (find->ready) {
        pos = find->c_pos;
    }

    if (find->at - pos > ART_FIND_FIRST) {
        pos = find->at;
    }

    /* what looks like a run may just be a part of a prefix */

    pos = pos > ART_FIND_PREFIX ? pos - ART_FIND_PREFIX : 0;

    if (find->run_pos < pos
        && (find->state == ART_FIND_SIGNED
            || (find->state == ART_FIND_MAYBE
                && find->at - find->run_pos <= ART_FIND_BEHIND)))
    {
        pos = find->run_pos;
    }

    return pos > find->last ? pos : find->last;
}


/* Keeps the last bytes before the next ones. */

static void
art_find_keep(art_find_t *find, size_t len)
{
    size_t  n, old;

    find->at += len;

    if (len == 0) {
        return;
    }

    n = len < sizeof(find->behind) ? len : sizeof(find->behind);
    old = sizeof(find->behind) - n;
    old = find->nbehind < old ? find->nbehind : old;

    memmove(find->behind, find->behind + find->nbehind - old, old);
    memcpy(find->behind + old, find->p + len - n, n);
    find->nbehind = old + n;
}


/* Takes many characters of a line at once; returns their number. */

static size_t
art_find_line(art_find_t *find, const uint8_t *p, size_t len, uint64_t pos)
{
    size_t    n;
    uint64_t  i, most;

    if (find->pads > 0) {
        return 0;
    }

    if (find->width > 0 && len > find->width - find->line) {
        len = (size_t) (find->width - find->line);
    }

    if (find->state == ART_FIND_MAYBE) {

        /* what decides goes to art_find_take() */

        most = find->count < ART_FIND_SIGN ? ART_FIND_SIGN - 1
                                           : ART_FIND_HEAD - 1;

        if (find->count < ART_FIND_HINT || find->count >= most
            || (find->glued && find->count < ART_FIND_SIGN))
        {
            return 0;
        }

        most -= find->count;
        len = len < most ? len : (size_t) most;

        if (pos + len - find->run_pos > ART_FIND_BEHIND) {
            return 0;
        }
    }

    most = art_find_stop_at(find) - find->count;
    len = len < most ? len : (size_t) most;

    n = art_find_span(p, len, find->alphabets == ART_FIND_BOTH
                              ? 0 : find->alphabets);

    if (n == 0) {
        return 0;
    }

    most = find->line + n < ART_FIND_LINE ? find->line + n : ART_FIND_LINE;

    for (i = find->line; i < most; i++) {
        find->line_pos[i] = pos + i - find->line;
    }

    art_find_push(find, p, n);
    find->run_end = pos + n;

    return n;
}


/*
 * Reads the byte at "i", unless an escape ends before it, and all backslashes
 * that follow; returns the offset of the next one.
 */

static size_t
art_find_read(art_find_t *find, size_t i, size_t len)
{
    unsigned  esc, done;

    esc = find->esc;
    done = art_find_lex(&find->esc, &find->value, find->p[i], &find->c);

    if (esc == ART_FIND_NO_ESC) {
        find->esc_pos = find->at + i;
    }

    if (done & ART_FIND_READ) {
        i++;
    }

    if (done & ART_FIND_READY) {
        find->ready = 1;
        find->c_pos = find->esc_pos;
        find->c_end = find->at + i;
    }

    while (find->esc == ART_FIND_SLASHES && i < len && find->p[i] == '\\') {
        i++;
    }

    return i;
}


/* Takes the character; "ready" stays set if it is to be taken again. */

static art_find_event_t
art_find_take(art_find_t *find)
{
    uint8_t   c;
    unsigned  alphabets, glued;

    c = (uint8_t) find->c;
    alphabets = art_find_alphabets(c);

    if (find->state == ART_FIND_IDLE) {

        glued = find->glued || ((find->prev & alphabets) == 0
                                && (find->flags & ART_FIND_STANDINS) != 0);

        if ((find->flags & ART_FIND_RUNS) && alphabets != 0
            && (glued || (find->prev & alphabets) != 0)
            && find->c_end - find->c_pos <= ART_FIND_FIRST
            && art_find_may_be(&c, 1))
        {
            art_find_open(find, find->c_pos,
                          glued ? ART_FIND_BOTH : find->prev);
            find->glued = glued;
            return ART_FIND_MORE;
        }

        find->glued = 0;
        find->prev = art_find_after(find->c);
        find->ready = 0;

        return ART_FIND_MORE;
    }

    if (find->state == ART_FIND_MAYBE
        && find->c_end - find->run_pos > ART_FIND_BEHIND)
    {
        art_find_idle(find);
        return ART_FIND_MORE;
    }

    if (!art_find_goes_on(find) && !art_find_is_glued(find)) {
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

    return find->line >= ART_FIND_LINE_MIN && find->line <= ART_FIND_LINE
           && (find->width == 0 || find->line == find->width);
}


static art_find_event_t
art_find_char(art_find_t *find)
{
    uint8_t  c;

    c = (uint8_t) find->c;
    find->alphabets &= art_find_alphabets(c);

    if (find->line < ART_FIND_LINE) {
        find->line_pos[find->line] = find->c_pos;
    }

    art_find_push(find, &c, 1);
    find->run_end = find->c_end;

    if (find->state == ART_FIND_SIGNED) {
        return art_find_exact(find);
    }

    if (find->count <= ART_FIND_SIGN) {

        if (find->glued ? !art_standin_may_be(art_str(find->tail,
                                                      (size_t) find->count))
                        : !art_find_may_be(find->tail, (size_t) find->count))
        {
            art_find_again(find, (size_t) find->count, 1);
        }

        return ART_FIND_MORE;
    }

    if (find->count < ART_FIND_HEAD) {
        return art_find_exact(find);
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
    find->standin = drop == 0 ? art_find_standin(find, count)
                              : ART_STANDIN_NONE;

    good = (count >= find->min || find->standin != ART_STANDIN_NONE)
           && !find->glued
           && (find->state == ART_FIND_SIGNED || art_find_sign(find, count));

    if (good && drop == 0 && find->width > 0 && find->line > 0
        && find->pads == 0 && !art_find_ends(find, 0, 1)
        && art_find_ends(find, (size_t) find->line, 1))
    {
        drop = (size_t) find->line;
        count -= drop;
    }

    good = good && (count >= find->min || find->standin != ART_STANDIN_NONE)
           && count % 4 != 1;
    event = find->told ? ART_FIND_LEFT : ART_FIND_MORE;

    if (good) {
        event = ART_FIND_RUN;
        find->state = ART_FIND_SIGNED;
        find->pos = find->run_pos;

        if ((find->flags & ART_FIND_BEGINS) && !find->told) {
            find->told = 1;
            return ART_FIND_BEGIN;
        }

        find->end = drop > 0 ? find->line_end : find->run_end;
        find->size = art_find_size(count);
        find->whole = art_find_ends(find, drop, 0);
        find->last = find->end;
    }

    if (drop > 0) {
        art_find_again(find, drop, 0);

    } else if (find->state == ART_FIND_MAYBE && find->pads == 0
               && find->count < ART_FIND_SIGN)
    {
        art_find_again(find, (size_t) find->count, 1);

    } else {
        art_find_idle(find);
    }

    return event;
}


/*
 * The characters of the run that tell next whether it is a stand-in: one ends
 * after its last character, whatever is behind it.
 */

static uint64_t
art_find_stop_at(const art_find_t *find)
{
    size_t         len;
    uint64_t       next;
    art_standin_t  kind;

    next = UINT64_MAX;

    if (!(find->flags & ART_FIND_STANDINS) || find->count >= ART_STANDIN_MAX) {
        return next;
    }

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        len = art_standin_len(kind);

        if (len > find->count && len < next) {
            next = len;
        }
    }

    return next;
}


/* Whether the run is a stand-in now. */

static art_find_event_t
art_find_exact(art_find_t *find)
{
    art_standin_t  kind;

    if (!(find->flags & ART_FIND_STANDINS) || find->count < ART_STANDIN_MIN
        || find->count > ART_STANDIN_MAX)
    {
        return ART_FIND_MORE;
    }

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        if (art_standin_len(kind) == find->count) {
            break;
        }
    }

    find->standin = kind == ART_STANDIN_KINDS
                    ? ART_STANDIN_NONE : art_find_standin(find, find->count);

    if (find->standin == ART_STANDIN_NONE
        || (find->state == ART_FIND_MAYBE
            && !art_find_sign(find, find->count)))
    {
        if (find->glued && find->count == ART_STANDIN_MAX) {
            art_find_idle(find);
        }

        return ART_FIND_MORE;
    }

    find->state = ART_FIND_SIGNED;
    find->pos = find->run_pos;
    find->end = find->run_end;
    find->size = art_find_size(find->count);
    find->whole = 1;
    find->last = find->end;

    art_find_idle(find);

    return ART_FIND_RUN;
}


/*
 * Whether what is no run any more, for its alphabet, goes on as what may be a
 * stand-in behind a character of the other one.
 */

static unsigned
art_find_is_glued(art_find_t *find)
{
    size_t    n;
    unsigned  alphabets;

    alphabets = art_find_alphabets(find->c);
    n = find->count < ART_FIND_SIGN ? (size_t) find->count : ART_FIND_SIGN;

    if (!(find->flags & ART_FIND_STANDINS) || find->glued || alphabets == 0
        || (find->alphabets & alphabets) != 0 || find->pads > 0
        || find->count >= ART_STANDIN_MAX
        || !art_standin_may_be(art_str(find->tail, n)))
    {
        return 0;
    }

    find->glued = 1;
    find->alphabets = ART_FIND_BOTH;

    return art_find_goes_on(find);
}


/* Which stand-in a run of so many characters is, whose id is then set. */

static art_standin_t
art_find_standin(art_find_t *find, uint64_t count)
{
    size_t  at, len;

    if (!(find->flags & ART_FIND_STANDINS) || count < ART_STANDIN_MIN
        || count > ART_STANDIN_MAX || count > find->ntail || find->pads > 0)
    {
        return ART_STANDIN_NONE;
    }

    len = (size_t) count;

    return art_standin_read(art_str(find->tail + find->ntail - len, len),
                            find->id, &at);
}


/* No run any more; the next one may begin behind the last character. */

static void
art_find_idle(art_find_t *find)
{
    find->state = ART_FIND_IDLE;
    find->glued = 0;
    find->prev = find->count == 0 || find->pads > 0 || find->line_break != 0
                 ? ART_FIND_BOTH
                 : art_find_after(find->tail[find->ntail - 1]);
}


static void
art_find_open(art_find_t *find, uint64_t pos, unsigned alphabets)
{
    find->state = ART_FIND_MAYBE;
    find->run_pos = pos - art_find_prefix(find, pos);
    find->data = pos;
    find->alphabets = alphabets;
    find->pads = 0;
    find->told = 0;
    find->glued = 0;
    find->line_break = 0;
    find->line = 0;
    find->width = 0;
    find->count = 0;
    find->ntail = 0;
}


/* The length of a "data:..;base64," that ends at "pos", or 0. */

static size_t
art_find_prefix(const art_find_t *find, uint64_t pos)
{
    size_t    n, i;
    uint8_t   window[ART_FIND_WINDOW];
    uint8_t  *p;

    n = art_find_window(find, pos, window);

    if (n < 13 || !art_str_is(art_str(window + n - 8, 8), ";base64,")) {
        return 0;
    }

    for (i = n - 8; i-- > 0 && n - i <= ART_FIND_PREFIX; ) {
        p = window + i;

        if (n - 8 - i >= 5 && art_str_is(art_str(p, 5), "data:")) {
            return pos - (n - i) >= find->last
                   && !art_find_is_digit(window, i) ? n - i : 0;
        }

        if (*p <= ' ' || *p >= 0x7f || strchr("\"',<>", *p) != NULL
            || (*p == '\\' && p[1] != '\\' && p[1] != '/' && p[1] != 'u'))
        {
            break;
        }
    }

    return 0;
}


/* Whether the "d" or "D" at "i" is a digit of an escape. */

static unsigned
art_find_is_digit(const uint8_t *p, size_t i)
{
    size_t  n;

    for (n = 0; n < 3 && n < i && art_char_hex(p[i - 1 - n]) >= 0; n++) {
        /* void */
    }

    return n + 2 <= i && p[i - 1 - n] == 'u' && p[i - 2 - n] == '\\';
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


/*
 * The last "n" characters, all of one line, are no run, or not of this one: one
 * may begin at a later one of them, from the one at "i" on.
 */

static void
art_find_again(art_find_t *find, size_t n, size_t i)
{
    size_t    k;
    uint8_t   line[ART_FIND_LINE];
    unsigned  alphabets, glued;

    glued = 0;
    alphabets = 0;
    memcpy(line, find->tail + find->ntail - n, n);

    for ( ; i < n; i++) {
        alphabets = i == 0 ? ART_FIND_BOTH : art_find_after(line[i - 1]);

        for (k = i; k < n && alphabets != 0; k++) {
            alphabets &= art_find_alphabets(line[k]);
        }

        if (alphabets != 0 && art_find_may_be(line + i, n - i)) {
            glued = 0;
            break;
        }

        /* a line that is dropped may be longer than what is looked at */

        alphabets = ART_FIND_BOTH;

        for (k = i; k < n && alphabets != 0; k++) {
            alphabets &= art_find_alphabets(line[k]);
        }

        glued = (find->flags & ART_FIND_STANDINS) && alphabets != 0
                && art_standin_may_be(art_str(line + i, n - i < ART_FIND_SIGN
                                                        ? n - i
                                                        : ART_FIND_SIGN));
        if (glued) {
            break;
        }
    }

    if (i == n) {
        art_find_idle(find);
        return;
    }

    art_find_open(find, find->line_pos[i], alphabets);
    art_find_push(find, line + i, n - i);
    find->glued = glued;

    memmove(find->line_pos, find->line_pos + i,
            (n - i) * sizeof(find->line_pos[0]));
}


/*
 * Whether the first "count" characters are media, which find->tail has; sets
 * what is known of them.
 */

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
    find->pixels[0] = evidence.width;
    find->pixels[1] = evidence.height;
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

    p = n > ART_FIND_END ? bytes + n - ART_FIND_END : bytes;
    n -= (size_t) (p - bytes);

    for (last = n; last > 0 && (p[last - 1] == 0 || p[last - 1] == ' '
                                || (p[last - 1] >= '\t'
                                    && p[last - 1] <= '\r')); last--)
    {
        /* void */
    }

    switch (find->ending) {

    case ART_FIND_BY_PNG:
        return art_find_ends_in(p, last, exactly, "IEND\xae\x42\x60\x82");

    case ART_FIND_BY_JPEG:
        return art_find_ends_in(p, last, 1, "\xff\xd9");

    case ART_FIND_BY_GIF:
        return art_find_ends_in(p, last, 1, ";");

    case ART_FIND_BY_PDF:
        return art_find_ends_in(p, last, exactly, "%%EOF");

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


/* Whether the mark is the last of the bytes, or just among them. */

static unsigned
art_find_ends_in(const uint8_t *p, size_t len, unsigned last, const char *mark)
{
    size_t  n;

    n = strlen(mark);

    return last ? len >= n && memcmp(p + len - n, mark, n) == 0
                : art_bytes_find(p, len, mark) != NULL;
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


/* The bytes that so many characters make. */

static uint64_t
art_find_size(uint64_t count)
{
    return count / 4 * 3 + count % 4 * 3 / 4;
}
