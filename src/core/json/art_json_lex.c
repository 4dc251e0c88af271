
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_lex.h"
#include "core/json/art_json_skip.h"


/* The states of a number. */

enum {
    ART_LEX_MINUS = 0,
    ART_LEX_ZERO,
    ART_LEX_INTEGER,
    ART_LEX_POINT,
    ART_LEX_FRACTION,
    ART_LEX_E,
    ART_LEX_SIGN,
    ART_LEX_EXPONENT,
    ART_LEX_OVER
};


static const uint8_t *art_lex_structure(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_value(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_after(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_open(art_lex_t *lex, const uint8_t *p,
    unsigned object);
static const uint8_t *art_lex_close(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_begin(art_lex_t *lex, const uint8_t *p,
    unsigned is_key);
static const uint8_t *art_lex_string(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static const uint8_t *art_lex_close_string(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_escape(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_hex(art_lex_t *lex, const uint8_t *p);
static void art_lex_unit(art_lex_t *lex, uint64_t end);
static void art_lex_char(art_lex_t *lex, unsigned code, uint64_t end);
static void art_lex_lone(art_lex_t *lex);
static void art_lex_take(art_lex_t *lex, const uint8_t *p, size_t n,
    uint64_t end);
static void art_lex_keep(art_lex_t *lex, const uint8_t *p, size_t n);
static const uint8_t *art_lex_word(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_number(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);
static unsigned art_lex_step(unsigned state, uint8_t c);
static void art_lex_scalar(art_lex_t *lex, const uint8_t *end);
static const uint8_t *art_lex_refuse(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_fail(art_lex_t *lex, const uint8_t *p);
static const uint8_t *art_lex_mark(art_lex_t *lex, const uint8_t *p,
    const uint8_t *end);


#define art_lex_at(lex, p)  ((lex)->offset + (uint64_t) ((p) - (lex)->piece))

#define art_lex_space(c)                                                      \
    ((c) == ' ' || (c) == '\n' || (c) == '\r' || (c) == '\t')


void
art_lex_init(art_lex_t *lex, const art_lex_handler_t *handler, void *data,
    uint8_t *text, size_t room)
{
    memset(lex, 0, sizeof(art_lex_t));

    lex->handler = handler;
    lex->data = data;
    lex->text = text;
    lex->room = room;
}


int
art_lex_feed(art_lex_t *lex, const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    lex->piece = p;
    lex->stopped = 0;
    end = p + len;

    p = art_lex_mark(lex, p, end);

    while (p < end && lex->state != ART_LEX_FAILED && !lex->stopped) {

        switch (lex->state) {

        case ART_LEX_STRING:
            p = art_lex_string(lex, p, end);
            break;

        case ART_LEX_ESCAPE:
            p = art_lex_escape(lex, p);
            break;

        case ART_LEX_HEX:
            p = art_lex_hex(lex, p);
            break;

        case ART_LEX_NUMBER:
            p = art_lex_number(lex, p, end);
            break;

        case ART_LEX_WORD:
            p = art_lex_word(lex, p);
            break;

        default:
            p = art_lex_space(*p) ? p + 1 : art_lex_structure(lex, p);
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

    if (art_lex_feed(lex, &space, 1) != ART_OK) {
        return ART_ERROR;
    }

    return lex->depth == 0 && lex->state == ART_LEX_AFTER ? ART_OK : ART_ERROR;
}


int
art_lex_in_key(const art_lex_t *lex, uint64_t *pos)
{
    *pos = lex->value.pos;

    return lex->is_key
           && (lex->state == ART_LEX_STRING || lex->state == ART_LEX_ESCAPE
               || lex->state == ART_LEX_HEX);
}


int
art_lex_in_escape(const art_lex_t *lex)
{
    return lex->streams
           && (lex->state == ART_LEX_ESCAPE || lex->state == ART_LEX_HEX);
}


/* Skips U+FEFF at the very beginning (RFC 8259, section 8.1). */

static const uint8_t *
art_lex_mark(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    static const uint8_t  mark[] = { 0xef, 0xbb, 0xbf };

    while (p < end && lex->mark < sizeof(mark)) {

        if (*p != mark[lex->mark]) {

            if (lex->mark > 0) {
                return art_lex_fail(lex, p);
            }

            lex->mark = sizeof(mark);
            break;
        }

        lex->mark++;
        p++;
    }

    return p;
}


static const uint8_t *
art_lex_structure(art_lex_t *lex, const uint8_t *p)
{
    switch (lex->state) {

    case ART_LEX_FIRST_VALUE:
        return *p == ']' ? art_lex_close(lex, p) : art_lex_value(lex, p);

    case ART_LEX_VALUE:
        return art_lex_value(lex, p);

    case ART_LEX_FIRST_KEY:

        if (*p == '}') {
            return art_lex_close(lex, p);
        }

        /* fall through */

    case ART_LEX_KEY:
        return *p == '"' ? art_lex_begin(lex, p, 1) : art_lex_fail(lex, p);

    case ART_LEX_COLON:

        if (*p != ':') {
            return art_lex_fail(lex, p);
        }

        lex->state = ART_LEX_VALUE;
        return p + 1;

    default:
        return art_lex_after(lex, p);
    }
}


static const uint8_t *
art_lex_value(art_lex_t *lex, const uint8_t *p)
{
    switch (*p) {

    case '"':
        return art_lex_begin(lex, p, 0);

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

    if (lex->word != NULL) {
        lex->value.null = *p == 'n';
        lex->state = ART_LEX_WORD;
        return p;
    }

    if (*p != '-' && (*p < '0' || *p > '9')) {
        return art_lex_fail(lex, p);
    }

    lex->state = ART_LEX_NUMBER;
    lex->number = *p == '-' ? ART_LEX_MINUS
                  : *p == '0' ? ART_LEX_ZERO : ART_LEX_INTEGER;
    return p + 1;
}


static const uint8_t *
art_lex_after(art_lex_t *lex, const uint8_t *p)
{
    unsigned  top, object;

    if (lex->depth == 0) {
        return art_lex_fail(lex, p);
    }

    top = lex->depth - 1;
    object = lex->objects[top / 8] >> top % 8 & 1;

    if (*p == ',') {
        lex->state = object ? ART_LEX_KEY : ART_LEX_VALUE;
        return p + 1;
    }

    return *p == (object ? '}' : ']') ? art_lex_close(lex, p)
                                      : art_lex_fail(lex, p);
}


static const uint8_t *
art_lex_open(art_lex_t *lex, const uint8_t *p, unsigned object)
{
    int      rc;
    uint8_t  mask;

    if (lex->depth == ART_LEX_DEPTH) {
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


static const uint8_t *
art_lex_begin(art_lex_t *lex, const uint8_t *p, unsigned is_key)
{
    memset(&lex->value, 0, sizeof(lex->value));

    lex->value.pos = art_lex_at(lex, p);
    lex->value.first = *p;
    lex->value.string = 1;
    lex->is_key = is_key & 1;
    lex->probed = 0;
    lex->high = 0;
    lex->kept = 0;
    lex->keep = lex->skipped > 0 ? 0 : is_key ? ART_LEX_KEY_MAX
                : lex->handler->wants == NULL ? 0
                : lex->handler->wants(lex->data, lex->value.pos);
    lex->streams = (lex->keep & ART_LEX_STREAM) != 0;
    lex->keep &= ~(size_t) ART_LEX_STREAM;
    lex->state = ART_LEX_STRING;

    if (lex->keep > lex->room) {
        lex->keep = lex->room;
    }

    lex->decodes = lex->streams || lex->keep > 0;

    return p + 1;
}


static const uint8_t *
art_lex_string(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    const uint8_t  *plain;

    do {
        plain = p;
        p = lex->decodes || lex->is_key ? art_skip_plain(p, end)
                                        : art_skip_string(p, end);

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
            return art_lex_fail(lex, p);     /* a control character */
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

    if (lex->skipped == 0 && lex->handler->key != NULL
        && lex->handler->key(lex->data, lex->value.pos, art_lex_at(lex, p),
                             text)
           != ART_OK)
    {
        return art_lex_refuse(lex, p);
    }

    return p;
}


static const uint8_t *
art_lex_escape(art_lex_t *lex, const uint8_t *p)
{
    uint8_t  c;

    switch (*p) {

    case '"':
    case '\\':
    case '/':
        c = *p;
        break;

    case 'b':
        c = '\b';
        break;

    case 'f':
        c = '\f';
        break;

    case 'n':
        c = '\n';
        break;

    case 'r':
        c = '\r';
        break;

    case 't':
        c = '\t';
        break;

    case 'u':
        lex->digits = 4;
        lex->unit = 0;
        lex->state = ART_LEX_HEX;
        return p + 1;

    default:
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
    unsigned  high, unit;

    unit = lex->unit;
    high = lex->high;

    if (high != 0 && art_utf16_is_low(unit)) {
        lex->high = 0;
        art_lex_char(lex, art_utf16_pair(high, unit), end);
        return;
    }

    if (high != 0) {
        art_lex_lone(lex);
    }

    if (art_utf16_is_high(unit)) {
        lex->high = unit;
        lex->high_end = end;
        return;
    }

    art_lex_char(lex, art_utf16_is_low(unit) ? 0xfffd : unit, end);
}


static void
art_lex_char(art_lex_t *lex, unsigned code, uint64_t end)
{
    size_t   n;
    uint8_t  utf8[4];

    n = art_utf8_encode(utf8, code);
    art_lex_take(lex, utf8, n, end);
}


static void
art_lex_lone(art_lex_t *lex)
{
    lex->high = 0;
    art_lex_char(lex, 0xfffd, lex->high_end);
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
art_lex_word(art_lex_t *lex, const uint8_t *p)
{
    if (*p != (uint8_t) *lex->word) {
        return art_lex_fail(lex, p);
    }

    p++;

    if (*++lex->word == '\0') {
        art_lex_scalar(lex, p);
    }

    return p;
}


static const uint8_t *
art_lex_number(art_lex_t *lex, const uint8_t *p, const uint8_t *end)
{
    unsigned  next;

    while (p < end) {
        next = art_lex_step(lex->number, *p);

        if (next == ART_LEX_OVER) {

            if (lex->number == ART_LEX_ZERO || lex->number == ART_LEX_INTEGER
                || lex->number == ART_LEX_FRACTION
                || lex->number == ART_LEX_EXPONENT)
            {
                art_lex_scalar(lex, p);
                return p;
            }

            return art_lex_fail(lex, p);
        }

        lex->number = next;
        p++;
    }

    return p;
}


static unsigned
art_lex_step(unsigned state, uint8_t c)
{
    if (c >= '0' && c <= '9') {

        switch (state) {

        case ART_LEX_MINUS:
            return c == '0' ? ART_LEX_ZERO : ART_LEX_INTEGER;

        case ART_LEX_ZERO:
            return ART_LEX_OVER;

        case ART_LEX_INTEGER:
            return ART_LEX_INTEGER;

        case ART_LEX_POINT:
        case ART_LEX_FRACTION:
            return ART_LEX_FRACTION;

        default:
            return ART_LEX_EXPONENT;
        }
    }

    if (c == '.' && (state == ART_LEX_ZERO || state == ART_LEX_INTEGER)) {
        return ART_LEX_POINT;
    }

    if ((c | 0x20) == 'e' && (state == ART_LEX_ZERO || state == ART_LEX_INTEGER
                              || state == ART_LEX_FRACTION))
    {
        return ART_LEX_E;
    }

    return (c == '+' || c == '-') && state == ART_LEX_E ? ART_LEX_SIGN
                                                        : ART_LEX_OVER;
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

    return p;
}
