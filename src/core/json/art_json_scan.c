
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_scan.h"


typedef enum {
    ART_SCAN_VALUE = 0,          /* a value has to come */
    ART_SCAN_FIRST_VALUE,        /* or "]" */
    ART_SCAN_KEY,
    ART_SCAN_FIRST_KEY,          /* or "}" */
    ART_SCAN_COLON,
    ART_SCAN_AFTER,              /* a value is over; space may stand so far */
    ART_SCAN_STRING,
    ART_SCAN_ESCAPE,
    ART_SCAN_HEX,
    ART_SCAN_UTF8,
    ART_SCAN_WORD,
    ART_SCAN_MINUS,              /* the parts of a number, by what was read */
    ART_SCAN_ZERO,
    ART_SCAN_INT,
    ART_SCAN_POINT,
    ART_SCAN_FRACTION,
    ART_SCAN_E,
    ART_SCAN_SIGN,
    ART_SCAN_EXPONENT
} art_scan_state_t;


static int art_scan_syntax(art_json_scan_t *scan, uint8_t c);
static int art_scan_value(art_json_scan_t *scan, uint8_t c);
static int art_scan_open(art_json_scan_t *scan, unsigned object);
static int art_scan_after(art_json_scan_t *scan, uint8_t c);
static int art_scan_close(art_json_scan_t *scan);
static int art_scan_string(art_json_scan_t *scan, uint8_t c);
static int art_scan_lead(art_json_scan_t *scan, uint8_t c);
static int art_scan_word(art_json_scan_t *scan, uint8_t c);
static int art_scan_number(art_json_scan_t *scan, uint8_t c);
static int art_scan_number_digit(art_json_scan_t *scan, uint8_t c);
static unsigned art_scan_in_object(const art_json_scan_t *scan);


#define art_scan_space(c)                                                    \
    ((c) == ' ' || (c) == '\t' || (c) == '\n' || (c) == '\r')

#define art_scan_digit(c)  ((c) >= '0' && (c) <= '9')


void
art_json_scan_init(art_json_scan_t *scan)
{
    memset(scan, 0, sizeof(art_json_scan_t));
}


int
art_json_scan(art_json_scan_t *scan, uint8_t c)
{
    scan->ended = 0;
    scan->level = scan->depth;

    switch (scan->state) {

    case ART_SCAN_STRING:
    case ART_SCAN_ESCAPE:
    case ART_SCAN_HEX:
    case ART_SCAN_UTF8:
        return art_scan_string(scan, c);

    case ART_SCAN_WORD:
        return art_scan_word(scan, c);

    case ART_SCAN_MINUS:
    case ART_SCAN_ZERO:
    case ART_SCAN_INT:
    case ART_SCAN_POINT:
    case ART_SCAN_FRACTION:
    case ART_SCAN_E:
    case ART_SCAN_SIGN:
    case ART_SCAN_EXPONENT:
        return art_scan_number(scan, c);

    default:
        return art_scan_syntax(scan, c);
    }
}


size_t
art_json_scan_run(const art_json_scan_t *scan, const uint8_t *p, size_t len)
{
    size_t  i;

    i = 0;

    if (scan->state == ART_SCAN_STRING) {

        while (i < len && p[i] >= 0x20 && p[i] < 0x80 && p[i] != '"'
               && p[i] != '\\')
        {
            i++;
        }

    } else if (scan->state <= ART_SCAN_AFTER) {

        while (i < len && art_scan_space(p[i])) {
            i++;
        }
    }

    return i;
}


int
art_json_scan_done(const art_json_scan_t *scan)
{
    return scan->state == ART_SCAN_AFTER && scan->depth == 0;
}


int
art_json_valid(const uint8_t *p, size_t len)
{
    size_t           i;
    art_json_scan_t  scan;

    art_json_scan_init(&scan);

    for (i = 0; i < len; i++) {
        i += art_json_scan_run(&scan, p + i, len - i);

        if (i < len && art_json_scan(&scan, p[i]) != ART_OK) {
            return 0;
        }
    }

    /* a space behind the document ends a number, too */

    return art_json_scan(&scan, ' ') == ART_OK && art_json_scan_done(&scan);
}


static int
art_scan_syntax(art_json_scan_t *scan, uint8_t c)
{
    if (art_scan_space(c)) {
        scan->kind = ART_JSON_SPACE;
        return ART_OK;
    }

    switch (scan->state) {

    case ART_SCAN_FIRST_VALUE:
        return c == ']' ? art_scan_close(scan) : art_scan_value(scan, c);

    case ART_SCAN_VALUE:
        return art_scan_value(scan, c);

    case ART_SCAN_FIRST_KEY:
        if (c == '}') {
            return art_scan_close(scan);
        }

        /* fall through */

    case ART_SCAN_KEY:
        scan->kind = ART_JSON_KEY_START;
        scan->key = 1;
        scan->state = ART_SCAN_STRING;
        return c == '"' ? ART_OK : ART_ERROR;

    case ART_SCAN_COLON:
        scan->kind = ART_JSON_COLON;
        scan->state = ART_SCAN_VALUE;
        return c == ':' ? ART_OK : ART_ERROR;

    default:
        return art_scan_after(scan, c);
    }
}


static int
art_scan_value(art_json_scan_t *scan, uint8_t c)
{
    scan->kind = ART_JSON_VALUE_START;

    switch (c) {

    case '{':
    case '[':
        return art_scan_open(scan, c == '{');

    case '"':
        scan->key = 0;
        scan->state = ART_SCAN_STRING;
        return ART_OK;

    case 't':
        scan->word = "rue";
        break;

    case 'f':
        scan->word = "alse";
        break;

    case 'n':
        scan->word = "ull";
        break;

    case '-':
        scan->state = ART_SCAN_MINUS;
        return ART_OK;

    case '0':
        scan->state = ART_SCAN_ZERO;
        return ART_OK;

    default:
        scan->state = ART_SCAN_INT;
        return art_scan_digit(c) ? ART_OK : ART_ERROR;
    }

    scan->state = ART_SCAN_WORD;

    return ART_OK;
}


static int
art_scan_open(art_json_scan_t *scan, unsigned object)
{
    uint8_t  mask;

    if (scan->depth == ART_JSON_SCAN_DEPTH) {
        return ART_ERROR;
    }

    mask = (uint8_t) (1u << (scan->depth % 8));

    if (object) {
        scan->bits[scan->depth / 8] |= mask;
        scan->state = ART_SCAN_FIRST_KEY;

    } else {
        scan->bits[scan->depth / 8] &= (uint8_t) ~mask;
        scan->state = ART_SCAN_FIRST_VALUE;
    }

    scan->depth++;

    return ART_OK;
}


static int
art_scan_after(art_json_scan_t *scan, uint8_t c)
{
    unsigned  object;

    if (scan->depth == 0) {
        return ART_ERROR;
    }

    object = art_scan_in_object(scan);

    if (c == ',') {
        scan->kind = ART_JSON_COMMA;
        scan->state = object ? ART_SCAN_KEY : ART_SCAN_VALUE;
        return ART_OK;
    }

    return c == (object ? '}' : ']') ? art_scan_close(scan) : ART_ERROR;
}


static int
art_scan_close(art_json_scan_t *scan)
{
    scan->depth--;

    scan->kind = ART_JSON_VALUE_END;
    scan->level = scan->depth;
    scan->state = ART_SCAN_AFTER;

    return ART_OK;
}


static int
art_scan_string(art_json_scan_t *scan, uint8_t c)
{
    scan->kind = scan->key ? ART_JSON_KEY : ART_JSON_VALUE;

    switch (scan->state) {

    case ART_SCAN_ESCAPE:
        scan->state = c == 'u' ? ART_SCAN_HEX : ART_SCAN_STRING;
        scan->left = 4;

        return c != '\0' && strchr("\"\\/bfnrtu", c) != NULL ? ART_OK
                                                             : ART_ERROR;

    case ART_SCAN_HEX:
        if (--scan->left == 0) {
            scan->state = ART_SCAN_STRING;
        }

        return art_scan_digit(c)
               || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
               ? ART_OK : ART_ERROR;

    case ART_SCAN_UTF8:
        if (c < scan->low || c > scan->high) {
            return ART_ERROR;
        }

        scan->low = 0x80;
        scan->high = 0xbf;

        if (--scan->left == 0) {
            scan->state = ART_SCAN_STRING;
        }

        return ART_OK;

    default:
        break;
    }

    if (c == '"') {
        scan->kind = scan->key ? ART_JSON_KEY_END : ART_JSON_VALUE_END;
        scan->state = scan->key ? ART_SCAN_COLON : ART_SCAN_AFTER;

    } else if (c == '\\') {
        scan->state = ART_SCAN_ESCAPE;

    } else if (c >= 0x80) {
        return art_scan_lead(scan, c);

    } else if (c < 0x20) {
        return ART_ERROR;
    }

    return ART_OK;
}


/* The first byte of a character of several (RFC 3629, section 4). */

static int
art_scan_lead(art_json_scan_t *scan, uint8_t c)
{
    scan->state = ART_SCAN_UTF8;
    scan->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    scan->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    scan->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;

    return c >= 0xc2 && c <= 0xf4 ? ART_OK : ART_ERROR;
}


static int
art_scan_word(art_json_scan_t *scan, uint8_t c)
{
    if (c != (uint8_t) *scan->word) {
        return ART_ERROR;
    }

    scan->kind = ART_JSON_VALUE;

    if (*++scan->word == '\0') {
        scan->kind = ART_JSON_VALUE_END;
        scan->state = ART_SCAN_AFTER;
    }

    return ART_OK;
}


static int
art_scan_number(art_json_scan_t *scan, uint8_t c)
{
    unsigned  state;

    state = scan->state;
    scan->kind = ART_JSON_VALUE;

    if (art_scan_digit(c)) {
        return art_scan_number_digit(scan, c);
    }

    if (state == ART_SCAN_E && (c == '+' || c == '-')) {
        scan->state = ART_SCAN_SIGN;
        return ART_OK;
    }

    if (state == ART_SCAN_MINUS || state == ART_SCAN_POINT
        || state == ART_SCAN_E || state == ART_SCAN_SIGN)
    {
        return ART_ERROR;
    }

    if (c == '.' && (state == ART_SCAN_ZERO || state == ART_SCAN_INT)) {
        scan->state = ART_SCAN_POINT;
        return ART_OK;
    }

    if ((c == 'e' || c == 'E') && state != ART_SCAN_EXPONENT) {
        scan->state = ART_SCAN_E;
        return ART_OK;
    }

    scan->ended = scan->level + 1;
    scan->state = ART_SCAN_AFTER;

    return art_scan_syntax(scan, c);
}


static int
art_scan_number_digit(art_json_scan_t *scan, uint8_t c)
{
    switch (scan->state) {

    case ART_SCAN_ZERO:
        return ART_ERROR;

    case ART_SCAN_MINUS:
        scan->state = c == '0' ? ART_SCAN_ZERO : ART_SCAN_INT;
        return ART_OK;

    case ART_SCAN_POINT:
        scan->state = ART_SCAN_FRACTION;
        return ART_OK;

    case ART_SCAN_E:
    case ART_SCAN_SIGN:
        scan->state = ART_SCAN_EXPONENT;
        return ART_OK;

    default:
        return ART_OK;
    }
}


static unsigned
art_scan_in_object(const art_json_scan_t *scan)
{
    unsigned  top;

    top = scan->depth - 1;

    return scan->bits[top / 8] >> (top % 8) & 1;
}
