
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_scan.h"
#include "core/text/art_utf8.h"


typedef enum {
    ART_VALID_VALUE = 0,         /* a value must follow */
    ART_VALID_FIRST_VALUE,       /* or "]" */
    ART_VALID_KEY,
    ART_VALID_FIRST_KEY,         /* or "}" */
    ART_VALID_AFTER              /* a value has ended */
} art_valid_state_t;


typedef struct {
    const uint8_t      *p;
    const uint8_t      *end;
    art_valid_state_t   state;
    unsigned            depth;
    unsigned            depth_max;
    uint8_t             objects[ART_JSON_SCAN_DEPTH / 8];  /* zero: array */
} art_valid_t;


static int art_valid_token(art_valid_t *valid);
static int art_valid_value(art_valid_t *valid);
static int art_valid_open(art_valid_t *valid, unsigned object);
static int art_valid_close(art_valid_t *valid);
static unsigned art_valid_in_object(const art_valid_t *valid);
static int art_valid_key(art_valid_t *valid);
static int art_valid_string(art_valid_t *valid);
static const uint8_t *art_valid_plain(const uint8_t *p, const uint8_t *end);
static int art_valid_char(art_valid_t *valid);
static int art_valid_escape(art_valid_t *valid);
static int art_valid_word(art_valid_t *valid, const char *word);
static int art_valid_number(art_valid_t *valid);
static int art_valid_digits(art_valid_t *valid);


#define art_valid_digit(c)  ((c) >= '0' && (c) <= '9')


int
art_json_scan(const uint8_t **p, const uint8_t *end, unsigned outside)
{
    int          rc;
    art_valid_t  valid;

    valid.p = *p;
    valid.end = end;
    valid.state = ART_VALID_VALUE;
    valid.depth = 0;
    valid.depth_max = ART_JSON_SCAN_DEPTH - outside;

    do {
        rc = art_valid_token(&valid);

    } while (rc == ART_OK
             && (valid.depth > 0 || valid.state != ART_VALID_AFTER));

    if (rc != ART_JSON_MORE) {
        *p = valid.p;
    }

    return rc;
}


int
art_json_valid(const uint8_t *p, size_t len)
{
    const uint8_t  *end;

    end = p + len;

    return art_json_scan(&p, end, 0) == ART_OK && art_json_space(p, end) == end;
}


const uint8_t *
art_json_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) {
        p++;
    }

    return p;
}


static int
art_valid_token(art_valid_t *valid)
{
    uint8_t   c;
    unsigned  object;

    valid->p = art_json_space(valid->p, valid->end);

    if (valid->p == valid->end) {
        return ART_JSON_MORE;
    }

    c = *valid->p;

    switch (valid->state) {

    case ART_VALID_FIRST_VALUE:
        return c == ']' ? art_valid_close(valid) : art_valid_value(valid);

    case ART_VALID_VALUE:
        return art_valid_value(valid);

    case ART_VALID_FIRST_KEY:
        return c == '}' ? art_valid_close(valid) : art_valid_key(valid);

    case ART_VALID_KEY:
        return art_valid_key(valid);

    default:
        break;
    }

    object = art_valid_in_object(valid);

    if (c == ',') {
        valid->p++;
        valid->state = object ? ART_VALID_KEY : ART_VALID_VALUE;
        return ART_OK;
    }

    return c == (object ? '}' : ']') ? art_valid_close(valid) : ART_ERROR;
}


static int
art_valid_value(art_valid_t *valid)
{
    valid->state = ART_VALID_AFTER;

    switch (*valid->p) {

    case '"':
        return art_valid_string(valid);

    case '{':
        return art_valid_open(valid, 1);

    case '[':
        return art_valid_open(valid, 0);

    case 't':
        return art_valid_word(valid, "true");

    case 'f':
        return art_valid_word(valid, "false");

    case 'n':
        return art_valid_word(valid, "null");

    default:
        return art_valid_number(valid);
    }
}


static int
art_valid_open(art_valid_t *valid, unsigned object)
{
    uint8_t  *byte, mask;

    if (valid->depth == valid->depth_max) {
        return ART_ERROR;
    }

    byte = &valid->objects[valid->depth / 8];
    mask = (uint8_t) (1u << valid->depth % 8);

    if (mask == 1) {
        *byte = 0;
    }

    if (object) {
        *byte |= mask;
        valid->state = ART_VALID_FIRST_KEY;

    } else {
        *byte &= (uint8_t) ~mask;
        valid->state = ART_VALID_FIRST_VALUE;
    }

    valid->depth++;
    valid->p++;

    return ART_OK;
}


static int
art_valid_close(art_valid_t *valid)
{
    valid->depth--;
    valid->p++;
    valid->state = ART_VALID_AFTER;

    return ART_OK;
}


static unsigned
art_valid_in_object(const art_valid_t *valid)
{
    unsigned  top;

    top = valid->depth - 1;

    return valid->objects[top / 8] >> top % 8 & 1;
}


static int
art_valid_key(art_valid_t *valid)
{
    int  rc;

    if (*valid->p != '"') {
        return ART_ERROR;
    }

    rc = art_valid_string(valid);

    if (rc != ART_OK) {
        return rc;
    }

    valid->p = art_json_space(valid->p, valid->end);

    if (valid->p == valid->end) {
        return ART_JSON_MORE;
    }

    if (*valid->p != ':') {
        return ART_ERROR;
    }

    valid->p++;
    valid->state = ART_VALID_VALUE;

    return ART_OK;
}


static int
art_valid_string(art_valid_t *valid)
{
    int  rc;

    valid->p++;

    do {
        valid->p = art_valid_plain(valid->p, valid->end);

        if (valid->p == valid->end) {
            return ART_JSON_MORE;
        }

        if (*valid->p == '"') {
            valid->p++;
            return ART_OK;
        }

        rc = *valid->p == '\\' ? art_valid_escape(valid)
                               : art_valid_char(valid);

    } while (rc == ART_OK);

    return rc;
}


/* Skips ASCII characters that need no check, eight at a time. */

static const uint8_t *
art_valid_plain(const uint8_t *p, const uint8_t *end)
{
    uint64_t  word, quote, slash;

    while (end - p >= 8) {
        memcpy(&word, p, 8);

        quote = word ^ 0x2222222222222222;
        slash = word ^ 0x5c5c5c5c5c5c5c5c;

        /* a byte below 0x20, a quote, a backslash, or not ASCII */

        if (((word - 0x2020202020202020) | (quote - 0x0101010101010101)
             | (slash - 0x0101010101010101) | word)
            & 0x8080808080808080)
        {
            break;
        }

        p += 8;
    }

    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
        p++;
    }

    return p;
}


/* A character of several bytes; a control character is an error. */

static int
art_valid_char(art_valid_t *valid)
{
    int  n;

    n = *valid->p < 0x20 ? -1 : art_utf8_char(valid->p,
                                             (size_t) (valid->end - valid->p));
    if (n > 0) {
        valid->p += n;
        return ART_OK;
    }

    return n == 0 ? ART_JSON_MORE : ART_ERROR;
}


static int
art_valid_escape(art_valid_t *valid)
{
    uint8_t   c;
    unsigned  i;

    valid->p++;

    if (valid->p == valid->end) {
        return ART_JSON_MORE;
    }

    c = *valid->p;

    if (c == '\0' || strchr("\"\\/bfnrtu", c) == NULL) {
        return ART_ERROR;
    }

    valid->p++;

    for (i = 0; c == 'u' && i < 4; i++, valid->p++) {

        if (valid->p == valid->end) {
            return ART_JSON_MORE;
        }

        if (!art_valid_digit(*valid->p)
            && ((*valid->p | 0x20) < 'a' || (*valid->p | 0x20) > 'f'))
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_valid_word(art_valid_t *valid, const char *word)
{
    for ( /* void */ ; *word != '\0'; word++, valid->p++) {

        if (valid->p == valid->end) {
            return ART_JSON_MORE;
        }

        if (*valid->p != (uint8_t) *word) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


/* The caller judges what follows the number. */

static int
art_valid_number(art_valid_t *valid)
{
    int  rc;

    if (*valid->p == '-') {
        valid->p++;
    }

    if (valid->p < valid->end && *valid->p == '0') {
        valid->p++;
        rc = ART_OK;

    } else {
        rc = art_valid_digits(valid);
    }

    if (rc == ART_OK && valid->p < valid->end && *valid->p == '.') {
        valid->p++;
        rc = art_valid_digits(valid);
    }

    if (rc == ART_OK && valid->p < valid->end && (*valid->p | 0x20) == 'e') {
        valid->p++;

        if (valid->p < valid->end && (*valid->p == '+' || *valid->p == '-')) {
            valid->p++;
        }

        rc = art_valid_digits(valid);
    }

    return rc;
}


/* One digit or more. */

static int
art_valid_digits(art_valid_t *valid)
{
    if (valid->p == valid->end) {
        return ART_JSON_MORE;
    }

    if (!art_valid_digit(*valid->p)) {
        return ART_ERROR;
    }

    while (valid->p < valid->end && art_valid_digit(*valid->p)) {
        valid->p++;
    }

    return ART_OK;
}
