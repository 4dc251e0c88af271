
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_lex.h"
#include "core/json/art_json_skip.h"


/* The states of a number, which may end in those from ART_LEX_ZERO on. */

enum {
    ART_LEX_OVER = 0,
    ART_LEX_START,
    ART_LEX_MINUS,
    ART_LEX_POINT,
    ART_LEX_E,
    ART_LEX_SIGN,
    ART_LEX_ZERO,
    ART_LEX_INTEGER,
    ART_LEX_FRACTION,
    ART_LEX_EXPONENT
};


static const uint8_t *art_lex_token(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_structure(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_value(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_after(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_open(art_lex_t *lex, const uint8_t *p,
    unsigned object);
static const uint8_t *art_lex_close(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_key(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_begin(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end, unsigned is_key);
static const uint8_t *art_lex_short(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_string(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_close_string(art_lex_t *lex, const uint8_t *p);
static void art_lex_long(art_lex_t *lex, uint64_t end);
static const uint8_t *art_lex_escape(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_hex(art_lex_t *lex, const uint8_t *p);
static void art_lex_unit(art_lex_t *lex, uint64_t end);
static void art_lex_lone(art_lex_t *lex);
static void art_lex_take(art_lex_t *lex, const uint8_t *p, size_t n,
    uint64_t end);
static void art_lex_keep(art_lex_t *lex, const uint8_t *p, size_t n);
static const uint8_t *art_lex_word(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_number(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static void art_lex_scalar(art_lex_t *lex, const uint8_t *end);
static const uint8_t *art_lex_refuse(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_fail(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_mark(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);


/* What a character after a backslash means (RFC 8259 section 7). */

static const uint8_t  art_lex_escapes[] = {
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b', ['f'] = '\f',
    ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'
};


/* The kinds of characters in numbers, and the next state after each kind. */

static const uint8_t  art_lex_kinds[256] = {
    ['0'] = 1, ['1'] = 2, ['2'] = 2, ['3'] = 2, ['4'] = 2, ['5'] = 2,
    ['6'] = 2, ['7'] = 2, ['8'] = 2, ['9'] = 2, ['.'] = 3, ['e'] = 4,
    ['E'] = 4, ['-'] = 5, ['+'] = 6
};

static const uint8_t  art_lex_steps[][8] = {
    [ART_LEX_START] = { 0, ART_LEX_ZERO, ART_LEX_INTEGER, 0, 0,
                        ART_LEX_MINUS },
    [ART_LEX_MINUS] = { 0, ART_LEX_ZERO, ART_LEX_INTEGER },
    [ART_LEX_POINT] = { 0, ART_LEX_FRACTION, ART_LEX_FRACTION },
    [ART_LEX_E] = { 0, ART_LEX_EXPONENT, ART_LEX_EXPONENT, 0, 0, ART_LEX_SIGN,
                    ART_LEX_SIGN },
    [ART_LEX_SIGN] = { 0, ART_LEX_EXPONENT, ART_LEX_EXPONENT },
    [ART_LEX_ZERO] = { 0, 0, 0, ART_LEX_POINT, ART_LEX_E },
    [ART_LEX_INTEGER] = { 0, ART_LEX_INTEGER, ART_LEX_INTEGER, ART_LEX_POINT,
                          ART_LEX_E },
    [ART_LEX_FRACTION] = { 0, ART_LEX_FRACTION, ART_LEX_FRACTION, 0,
                           ART_LEX_E },
    [ART_LEX_EXPONENT] = { 0, ART_LEX_EXPONENT, ART_LEX_EXPONENT }
};


#define art_lex_at(lex, p)  ((lex)->offset + (uint64_t) ((p) - (lex)->piece))

#define art_lex_space(c)                                                      \
    ((c) <= ' ' && ((c) == ' ' || (c) == '\n' || (c) == '\r' || (c) == '\t'))


void
art_lex_init(art_lex_t *lex, const art_lex_handler_t *handler, void *data,
    uint8_t *text, size_t room)
{
    memset(lex, 0, offsetof(art_lex_t, objects));

    lex->handler = handler;
    lex->data = data;
    lex->text = text;
    lex->room = room;
    lex->depth_max = ART_LEX_DEPTH;
}


int
art_lex_feed(art_lex_t *lex, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    lex->piece = p;
    lex->stopped = 0;
    end = p + len;

    p = art_lex_mark(lex, p, end);

    while (p < end && !lex->stopped) {
        if (lex->state > ART_LEX_AFTER) {
            p = art_lex_token(lex, p, end);

        } else if (art_lex_space(*p)) {
            p++;

        } else {
            p = art_lex_structure(lex, p, end);
        }
    }

    lex->offset += lex->stopped ? (size_t) (p - lex->piece) : len;
    lex->piece = NULL;

    return lex->state == ART_LEX_FAILED ? ART_ERROR : ART_OK;
}


int
art_lex_end(art_lex_t *lex)
{
    static const uint8_t  space = ' ';

    /* white space may follow any text, and ends a number */

    return art_lex_feed(lex, &space, 1) == ART_OK && lex->depth == 0
           && lex->state == ART_LEX_AFTER ? ART_OK : ART_ERROR;
}


void
art_lex_leap(art_lex_t *lex, const art_lex_longs_t *longs)
{
    unsigned  i;

    if (lex->state != ART_LEX_STRING || lex->decodes) {
        return;
    }

    for (i = 0; i < longs->n; i++) {
        if (longs->pos[i] == lex->value.pos) {
            lex->offset = longs->end[i] - 1;
            return;
        }
    }
}


/* Skips U+FEFF at the very beginning (RFC 8259, section 8.1). */

static const uint8_t *
art_lex_mark(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    static const uint8_t  mark[ART_LEX_MARKED] = { 0xef, 0xbb, 0xbf };

    for ( /* void */ ; p < end && lex->mark < ART_LEX_MARKED; p++) {

        if (*p == mark[lex->mark]) {
            lex->mark++;

        } else if (lex->mark > 0) {
            return art_lex_fail(lex, p);

        } else {
            lex->mark = ART_LEX_MARKED;
            break;
        }
    }

    return p;
}


static const uint8_t *
art_lex_token(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    switch (lex->state) {

    case ART_LEX_STRING:
        return art_lex_string(lex, p, end);

    case ART_LEX_ESCAPE:
        return art_lex_escape(lex, p);

    case ART_LEX_HEX:
        return art_lex_hex(lex, p);

    case ART_LEX_NUMBER:
        return art_lex_number(lex, p, end);

    case ART_LEX_WORD:
        return art_lex_word(lex, p, end);

    default:  /* ART_LEX_FAILED */
        return end;
    }
}


static const uint8_t *
art_lex_structure(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    switch (lex->state) {

    case ART_LEX_FIRST_VALUE:
        return *p == ']' ? art_lex_close(lex, p) : art_lex_value(lex, p, end);

    case ART_LEX_VALUE:
        return art_lex_value(lex, p, end);

    case ART_LEX_FIRST_KEY:
    case ART_LEX_KEY:

        if (*p == '"') {
            return art_lex_key(lex, p, end);
        }

        if (*p == '}' && lex->state == ART_LEX_FIRST_KEY) {
            return art_lex_close(lex, p);
        }

        return art_lex_fail(lex, p);

    case ART_LEX_COLON:

        if (*p != ':') {
            return art_lex_fail(lex, p);
        }

        lex->state = ART_LEX_VALUE;
        return p + 1;

    default:
        return art_lex_after(lex, p, end);
    }
}


static const uint8_t *
art_lex_value(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    switch (*p) {

    case '"':
        return art_lex_begin(lex, p, end, 0);

    case '{':
        return art_lex_open(lex, p, 1);

    case '[':
        return art_lex_open(lex, p, 0);

    case 't':
        lex->word = "true";
        break;

    case 'f':
        lex->word = "false";
        break;

    case 'n':
        lex->word = "null";
        break;

    default:
        lex->word = NULL;
    }

    memset(&lex->value, 0, sizeof(lex->value));
    lex->value.pos = art_lex_at(lex, p);
    lex->value.first = *p;
    lex->value.null = *p == 'n';

    if (lex->word != NULL) {
        lex->state = ART_LEX_WORD;
        return art_lex_word(lex, p, end);
    }

    lex->number = ART_LEX_START;
    lex->state = ART_LEX_NUMBER;
    return art_lex_number(lex, p, end);
}


static const uint8_t *
art_lex_after(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    unsigned  top, object;

    if (lex->depth == 0) {
        return art_lex_fail(lex, p);
    }

    top = lex->depth - 1;
    object = lex->objects[top / 8] >> top % 8 & 1;

    if (*p == ',') {
        lex->state = object ? ART_LEX_KEY : ART_LEX_VALUE;
        p++;

        return object && p < end && *p == '"' ? art_lex_key(lex, p, end) : p;
    }

    if (*p == (object ? '}' : ']')) {
        return art_lex_close(lex, p);
    }

    return art_lex_fail(lex, p);
}


static const uint8_t *
art_lex_open(art_lex_t *lex, const uint8_t *p, unsigned object)
{
    int      rc;
    uint8_t  mask;

    if (lex->depth == lex->depth_max) {
        return art_lex_refuse(lex, p);
    }

    if (lex->skipped == 0 && lex->handler->open != NULL) {
        rc = lex->handler->open(lex->data, art_lex_at(lex, p), object);

        if (rc == ART_LEX_SKIP) {
            lex->skipped = lex->depth + 1;

        } else if (rc != ART_OK) {
            return art_lex_refuse(lex, p);
        }
    }

    mask = (uint8_t) (1u << lex->depth % 8);

    if (object) {
        lex->objects[lex->depth / 8] |= mask;
        lex->state = ART_LEX_FIRST_KEY;

    } else {
        lex->objects[lex->depth / 8] &= (uint8_t) ~mask;
        lex->state = ART_LEX_FIRST_VALUE;
    }

    lex->depth++;

    return p + 1;
}


static const uint8_t *
art_lex_close(art_lex_t *lex, const uint8_t *p)
{
    lex->state = ART_LEX_AFTER;

    if (lex->depth-- == lex->skipped) {
        lex->skipped = 0;
    }

    if (lex->skipped == 0 && lex->handler->close != NULL
        && lex->handler->close(lex->data, art_lex_at(lex, p) + 1) != ART_OK)
    {
        return art_lex_refuse(lex, p);
    }

    return p + 1;
}


/*
 * Most keys are short, have no escape, and have come as a whole, with their
 * colon: reads such a one where it is.
 */

static const uint8_t *
art_lex_key(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    uint64_t        pos;
    const uint8_t  *key, *last, *limit;

    key = p + 1;
    limit = end - key > ART_LEX_KEY_MAX ? key + ART_LEX_KEY_MAX + 1 : end;
    last = art_skip_plain(key, limit);

    if (last == limit || *last != '"') {
        return art_lex_begin(lex, p, end, 1);
    }

    pos = art_lex_at(lex, p);
    p = last + 1;
    lex->state = ART_LEX_COLON;

    if (lex->skipped == 0 && lex->handler->key != NULL
        && lex->handler->key(lex->data, pos, art_lex_at(lex, p),
                             art_str(key, (size_t) (last - key)))
           != ART_OK)
    {
        return art_lex_refuse(lex, p);
    }

    if (p < end && *p == ':') {
        lex->state = ART_LEX_VALUE;
        p++;
    }

    return p;
}


static const uint8_t *
art_lex_begin(art_lex_t *lex, const uint8_t *p, const uint8_t *end,
    unsigned is_key)
{
    const uint8_t  *last;

    memset(&lex->value, 0, sizeof(lex->value));

    lex->value.pos = art_lex_at(lex, p);
    lex->value.first = *p;
    lex->value.string = 1;
    lex->is_key = is_key & 1;
    lex->probed = 0;
    lex->high = 0;
    lex->kept = 0;
    lex->keep = 0;

    if (lex->skipped == 0 && is_key) {
        lex->keep = ART_LEX_KEY_MAX;

    } else if (lex->skipped == 0 && lex->handler->wants) {
        lex->keep = lex->handler->wants(lex->data, lex->value.pos);
    }

    lex->streams = (lex->keep & ART_LEX_STREAM) != 0;
    lex->keep &= ~(size_t) ART_LEX_STREAM;
    lex->state = ART_LEX_STRING;

    if (lex->keep > lex->room) {
        lex->keep = lex->room;
    }

    lex->decodes = lex->streams || lex->keep > 0;

    p++;

    if (lex->stopped) {
        return p;
    }

    last = lex->keep > 0 && !lex->streams && !is_key
           ? art_lex_short(lex, p, end) : NULL;

    return last != NULL ? art_lex_close_string(lex, last + 1)
                        : art_lex_string(lex, p, end);
}


/*
 * Most values are short, have no escape, and have come as a whole: keeps such
 * a one, and returns its last quote; else NULL.
 */

static const uint8_t *
art_lex_short(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    size_t          n, most;
    const uint8_t  *last;

    /* of a longer value the handler is asked before its end */

    most = lex->keep < ART_LEX_PROBE ? lex->keep : ART_LEX_PROBE - 1;
    end = (size_t) (end - p) > most ? p + most + 1 : end;

    last = art_skip_plain(p, end);

    if (last == end || *last != '"') {
        return NULL;
    }

    n = (size_t) (last - p);

    if (n > 0) {
        memcpy(lex->text, p, n);

        lex->value.tail[0] = n > 1 ? p[n - 2] : 0;
        lex->value.tail[1] = p[n - 1];
    }

    lex->value.len = n;
    lex->kept = n;

    return last;
}


static const uint8_t *
art_lex_string(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *plain;

    do {
        plain = p;
        p = lex->decodes ? art_skip_plain(p, end) : art_skip_string(p, end);

        if (lex->decodes && p > plain) {
            art_lex_take(lex, plain, (size_t) (p - plain),
                         art_lex_at(lex, p));
        }

        if (p == end) {
            return p;
        }

        if (*p == '"') {
            return art_lex_close_string(lex, p + 1);
        }

        if (*p++ != '\\') {
            return art_lex_fail(lex, p - 1);     /* a control character */
        }

        if (p == end) {
            lex->state = ART_LEX_ESCAPE;
            return p;
        }

        p = art_lex_escape(lex, p);

    } while (lex->state == ART_LEX_STRING && p < end);

    return p;
}


static const uint8_t *
art_lex_close_string(art_lex_t *lex, const uint8_t *p)
{
    art_str_t  text;

    if (lex->longs != NULL && !lex->is_key) {
        art_lex_long(lex, art_lex_at(lex, p));
    }

    if (lex->skipped > 0) {
        lex->state = lex->is_key ? ART_LEX_COLON : ART_LEX_AFTER;
        return p;
    }

    if (lex->high != 0) {
        art_lex_lone(lex);
    }

    text = art_str(lex->text, lex->kept);

    if (!lex->is_key) {
        lex->value.text = text;
        art_lex_scalar(lex, p);
        return p;
    }

    if (lex->value.len > lex->kept) {
        text = art_str(NULL, 0);
    }

    lex->state = ART_LEX_COLON;

    if (lex->handler->key != NULL
        && lex->handler->key(lex->data, lex->value.pos, art_lex_at(lex, p),
                             text)
           != ART_OK)
    {
        return art_lex_refuse(lex, p);
    }

    return p;
}


static void
art_lex_long(art_lex_t *lex, uint64_t end)
{
    art_lex_longs_t  *longs;

    longs = lex->longs;

    if (end - lex->value.pos >= longs->least && longs->n < ART_LEX_LONGS) {
        longs->pos[longs->n] = lex->value.pos;
        longs->end[longs->n] = end;
        longs->n++;
    }
}


static const uint8_t *
art_lex_escape(art_lex_t *lex, const uint8_t *p)
{
    uint8_t  c;

    if (*p == 'u') {
        lex->digits = 4;
        lex->unit = 0;
        lex->state = ART_LEX_HEX;
        return p + 1;
    }

    c = *p < sizeof(art_lex_escapes) ? art_lex_escapes[*p] : 0;

    if (c == 0) {
        return art_lex_fail(lex, p);
    }

    if (lex->decodes) {
        art_lex_take(lex, &c, 1, art_lex_at(lex, p) + 1);
    }

    lex->state = ART_LEX_STRING;

    return p + 1;
}


static const uint8_t *
art_lex_hex(art_lex_t *lex, const uint8_t *p)
{
    int  digit;

    digit = art_char_hex(*p);

    if (digit < 0) {
        return art_lex_fail(lex, p);
    }

    lex->unit = lex->unit << 4 | (unsigned) digit;

    if (--lex->digits == 0) {
        lex->state = ART_LEX_STRING;

        if (lex->decodes) {
            art_lex_unit(lex, art_lex_at(lex, p) + 1);
        }
    }

    return p + 1;
}


/* A code unit of UTF-16; a surrogate without its other half becomes U+FFFD. */

static void
art_lex_unit(art_lex_t *lex, uint64_t end)
{
    size_t    n;
    uint8_t   utf8[4];
    unsigned  unit;

    unit = lex->unit;

    if (art_utf16_is_high(unit)) {

        if (lex->high != 0) {
            art_lex_lone(lex);
        }

        lex->high = unit;
        lex->high_end = end;
        return;
    }

    if (art_utf16_is_low(unit)) {
        unit = lex->high != 0 ? art_utf16_pair(lex->high, unit) : 0xfffd;
        lex->high = 0;
    }

    n = art_utf8_encode(utf8, unit);
    art_lex_take(lex, utf8, n, end);
}


static void
art_lex_lone(art_lex_t *lex)
{
    lex->high = 0;
    art_lex_take(lex, (const uint8_t *) ART_UTF8_REPLACEMENT,
                 sizeof(ART_UTF8_REPLACEMENT) - 1, lex->high_end);
}


/* Passes the next decoded bytes of a string on; they end at "end". */

static void
art_lex_take(art_lex_t *lex, const uint8_t *p, size_t n, uint64_t end)
{
    if (lex->high != 0) {
        art_lex_lone(lex);
    }

    lex->value.len += n;
    lex->value.tail[0] = n > 1 ? p[n - 2] : lex->value.tail[1];
    lex->value.tail[1] = p[n - 1];

    if (lex->keep > 0) {
        art_lex_keep(lex, p, n);
    }

    if (lex->streams) {
        lex->handler->text(lex->data, p, n, end);
    }
}


static void
art_lex_keep(art_lex_t *lex, const uint8_t *p, size_t n)
{
    size_t  room;

    room = lex->keep - lex->kept;
    room = n < room ? n : room;

    memcpy(lex->text + lex->kept, p, room);
    lex->kept += room;

    if (lex->kept >= ART_LEX_PROBE && !lex->probed) {
        lex->probed = 1;

        if (!lex->is_key && lex->handler->goes_on != NULL
            && !lex->handler->goes_on(lex->data,
                                      art_str(lex->text, lex->kept)))
        {
            lex->keep = 0;
            lex->decodes = lex->streams;
            lex->kept = 0;
        }
    }
}


static const uint8_t *
art_lex_word(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    for ( /* void */ ; p < end && *lex->word != '\0'; p++) {
        if (*p != (uint8_t) *lex->word++) {
            return art_lex_fail(lex, p);
        }
    }

    if (*lex->word == '\0') {
        art_lex_scalar(lex, p);
    }

    return p;
}


static const uint8_t *
art_lex_number(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    unsigned  state, next;

    for (state = lex->number; p < end; state = next) {
        next = art_lex_steps[state][art_lex_kinds[*p]];

        if (next == ART_LEX_OVER) {

            if (state < ART_LEX_ZERO) {
                return art_lex_fail(lex, p);
            }

            art_lex_scalar(lex, p);
            return p;
        }

        /* further digits do not change these */

        do {
            p++;
        } while (next >= ART_LEX_INTEGER && p < end
                 && *p >= '0' && *p <= '9');
    }

    lex->number = state;

    return p;
}


/* A string, a number or a word has ended, at "end". */

static void
art_lex_scalar(art_lex_t *lex, const uint8_t *end)
{
    lex->value.end = art_lex_at(lex, end);
    lex->state = ART_LEX_AFTER;

    if (lex->skipped == 0 && lex->handler->value != NULL
        && lex->handler->value(lex->data, &lex->value) != ART_OK)
    {
        (void) art_lex_refuse(lex, end);
    }
}


static const uint8_t *
art_lex_refuse(art_lex_t *lex, const uint8_t *p)
{
    lex->refused = 1;

    return art_lex_fail(lex, p);
}


static const uint8_t *
art_lex_fail(art_lex_t *lex, const uint8_t *p)
{
    lex->state = ART_LEX_FAILED;
    lex->value.pos = art_lex_at(lex, p);

    return p;
}
