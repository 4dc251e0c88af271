
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Between runs: where one may begin, and markers.
 */


#include "core/media/art_find.h"
#include "core/media/art_find_int.h"
#include "core/media/art_signature.h"


#define ART_FIND_INSIDE    4             /* an escape has not ended here */

#define ART_FIND_JUMP      64            /* the bytes worth to be passed over */

#define ART_FIND_STANDIN   8             /* characters that most are not of */


static unsigned art_find_begins(art_find_t *find, size_t i, size_t len,
    unsigned alphabets, int c);
static size_t art_find_jump(art_find_t *find, size_t i, size_t len,
    size_t *next);
static unsigned art_find_is_likely(const art_find_t *find, const uint8_t *p,
    size_t len, unsigned alphabets);
static unsigned art_find_is_standin(const uint8_t *p, size_t len);
static void art_find_stop(art_find_t *find, size_t from, size_t len);
static size_t art_find_escape(art_find_t *find, size_t from, size_t len);
static unsigned art_find_token(const art_find_t *find, size_t from, size_t i,
    size_t *pos, int *c);
static unsigned art_find_before(const art_find_t *find, size_t from, size_t i,
    unsigned more);
static size_t art_find_marker(art_find_t *find, size_t i, size_t len);
static unsigned art_find_mark(art_find_t *find, uint64_t pos);
static unsigned art_find_mark_close(art_find_t *find, uint8_t c);


unsigned
art_find_is_plain(const uint8_t *p, size_t len, uint64_t min)
{
    size_t  i;

    if (len >= min) {
        return 0;
    }

    for (i = 0; (i = art_find_colon(p, i, len)) < len; i++) {

        if (i >= 7 && memcmp(p + i - 7, "artifac", 7) == 0) {
            return 0;
        }
    }

    return 1;
}


/*
 * Whether a run may begin at the byte "i", with the character "c", where some
 * "alphabets" may; or a stand-in, which may be glued to what is before it.
 */

static unsigned
art_find_begins(art_find_t *find, size_t i, size_t len, unsigned alphabets,
    int c)
{
    unsigned        plain;
    const uint8_t  *p;

    p = find->p + i;
    plain = c == *p;

    if ((find->flags & ART_FIND_RUNS)
        && (alphabets & art_find_alphabets(c)) != 0
        && (!plain || art_find_is_likely(find, p, len - i, alphabets)))
    {
        return 1;
    }

    if ((find->flags & ART_FIND_STANDINS) && alphabets != ART_FIND_INSIDE
        && art_find_alphabets(c) != 0
        && (!plain || art_find_is_standin(p, len - i)))
    {
        find->glued = 1;
        return 1;
    }

    return 0;
}


size_t
art_find_skip(art_find_t *find, size_t from, size_t len, size_t *marker)
{
    int             c;
    size_t          i, n, pos, jump, next;
    unsigned        alphabets, within;
    const uint8_t  *p;

    p = find->p;
    jump = from;
    next = from;
    within = find->flags & ART_FIND_STANDINS;

    for (i = from; ; i += n) {

        if (i >= next) {
            jump = art_find_jump(find, i, len, &next);
        }

        n = i >= jump;
        i = n ? art_find_hint(p, i, len, within) : art_find_colon(p, i, jump);

        if (i == len) {
            art_find_stop(find, from, len);
            return len;
        }

        if (n == 0 && i == jump) {
            continue;
        }

        n = 1;

        if (p[i] == 't') {

            *marker = art_find_marker(find, i, len);

            if (*marker > 0) {
                return *marker;
            }

            continue;
        }

        alphabets = art_find_token(find, from, i, &pos, &c);

        if (art_find_begins(find, i, len, alphabets, c)) {
            break;
        }

        if (!within && alphabets == 0) {

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


/*
 * A run is long, so none begins shortly before a byte that can be in none: in a
 * text, mostly a space before the end of what may be its first part.  Returns
 * where one may begin, from "i" on; to be asked again at *next.
 */

static size_t
art_find_jump(art_find_t *find, size_t i, size_t len, size_t *next)
{
    size_t    jump, near, end;
    uint64_t  most;

    most = find->min;

    if ((find->flags & ART_FIND_STANDINS) && most > ART_STANDIN_MIN) {
        most = ART_STANDIN_MIN;

    } else if ((find->flags & ART_FIND_BEGINS) && most > ART_FIND_HEAD) {
        most = ART_FIND_HEAD;
    }

    *next = len;

    if (!(find->flags & ART_FIND_RUNS)) {
        return len;
    }

    if (most < ART_FIND_JUMP || len - i < ART_FIND_JUMP) {
        return i;
    }

    if (find->asked > find->at + i) {
        *next = (size_t) (find->asked - find->at);
        return i;
    }

    for (jump = i; len - jump >= ART_FIND_JUMP; jump = end) {
        *next = most < len - jump ? jump + (size_t) most : len;

        near = *next - ART_FIND_JUMP;
        end = art_find_breaker(find->p, near, *next);

        if (end == near) {
            break;
        }
    }

    if (jump == i) {
        find->asked = find->at + *next;
        return i;
    }

    *next = jump;

    return jump;
}


/*
 * Whether what begins at "p", not escaped, is worth taking character by
 * character: most of what looks like a beginning soon ends.
 */

static unsigned
art_find_is_likely(const art_find_t *find, const uint8_t *p, size_t len,
    unsigned alphabets)
{
    size_t    n, most;
    unsigned  next;

    most = len < ART_FIND_SIGN ? len : ART_FIND_SIGN;

    for (n = 0; n < most; n++) {
        n += art_find_span(p + n, most - n, alphabets == ART_FIND_BOTH
                                            ? 0 : alphabets);
        next = n < most ? alphabets & art_find_alphabets(p[n]) : 0;

        if (next == 0) {
            break;
        }

        alphabets = next;
    }

    if (n == ART_FIND_SIGN) {
        return art_find_may_be(p, n);
    }

    if (n == len || find->min < ART_FIND_SIGN) {
        return 1;
    }

    return p[n] == '\\'
           && (n + 1 == len || p[n + 1] == '\\' || p[n + 1] == '/'
               || p[n + 1] == 'u');
}


/* Whether a stand-in may begin at "p", as far as it has no escapes. */

static unsigned
art_find_is_standin(const uint8_t *p, size_t len)
{
    size_t  n;

    n = 0;
    len = len < ART_FIND_STANDIN ? len : ART_FIND_STANDIN;

    while (n < len && art_find_alphabets(p[n]) != 0) {
        n++;
    }

    return (n == len || p[n] == '\\')
           && art_standin_may_be(art_str(p, n)) != 0;
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


unsigned
art_find_after(int c)
{
    return ART_FIND_BOTH & ~art_find_alphabets(c);
}


size_t
art_find_window(const art_find_t *find, uint64_t pos, uint8_t *window)
{
    size_t  n, last, here;

    here = pos > find->at ? (size_t) (pos - find->at) : 0;
    last = pos < find->at ? (size_t) (find->at - pos) : 0;

    if (here >= ART_FIND_WINDOW) {
        memcpy(window, find->p + here - ART_FIND_WINDOW, ART_FIND_WINDOW);
        return ART_FIND_WINDOW;
    }

    n = find->nbehind > last ? find->nbehind - last : 0;
    last = n;
    n = n < ART_FIND_WINDOW - here ? n : ART_FIND_WINDOW - here;

    memcpy(window, find->behind + last - n, n);

    if (here > 0) {
        memcpy(window + n, find->p, here);
    }

    return n + here;
}


/* The end of a marker whose last letter may be at "i"; 0: none, so far. */

static size_t
art_find_marker(art_find_t *find, size_t i, size_t len)
{
    size_t  n;

    if (!(find->flags & ART_FIND_MARKERS)
        || !art_find_mark(find, find->at + i))
    {
        return 0;
    }

    i++;
    n = art_find_mark_read(find, find->p + i, len - i);

    return n > 0 ? i + n : 0;
}


/* Whether the letter at "pos" is the last one of "[artifact". */

static unsigned
art_find_mark(art_find_t *find, uint64_t pos)
{
    size_t          n;
    uint8_t         window[ART_FIND_WINDOW];
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


size_t
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


/* Reads "]", which may be escaped: 2 at its end, 0 for anything else. */

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


unsigned
art_find_may_be(const uint8_t *p, size_t n)
{
    uint8_t              bytes[ART_FIND_SIGN / 4 * 3 + 3];
    art_base64_decode_t  st;

    if (p[0] == 'f' || p[0] == 'F' || p[0] == 't'
        || art_find_hint(p, 0, n < ART_FIND_HINT ? n : ART_FIND_HINT, 0) != 0)
    {
        return 0;
    }

    if (n < ART_FIND_SIGN) {
        return 1;
    }

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, p, ART_FIND_SIGN);

    /* transport streams are only known by their second packet */

    return bytes[0] == 'G'
           || (art_signature_find(bytes, n, 0).sign & ART_SIGN_STRONG);
}
