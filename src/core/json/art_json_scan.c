
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_scan.h"
#include "core/text/art_utf8.h"


typedef enum {
    ART_SCAN_VALUE = 0,          /* a value must follow */
    ART_SCAN_FIRST_VALUE,        /* or "]" */
    ART_SCAN_KEY,
    ART_SCAN_FIRST_KEY,          /* or "}" */
    ART_SCAN_AFTER               /* a value has ended */
} art_scan_state_t;


typedef struct {
    const uint8_t     *p;
    const uint8_t     *end;
    art_scan_state_t   state;
    unsigned           depth;
    unsigned           depth_max;
    uint8_t            objects[ART_JSON_SCAN_DEPTH / 8];  /* zero: array */
} art_scan_t;


static int art_scan_token(art_scan_t *scan);
static int art_scan_value(art_scan_t *scan);
static int art_scan_open(art_scan_t *scan, unsigned object);
static int art_scan_close(art_scan_t *scan);
static unsigned art_scan_in_object(const art_scan_t *scan);
static int art_scan_key(art_scan_t *scan);
static int art_scan_string(art_scan_t *scan);
static const uint8_t *art_scan_plain(const uint8_t *p, const uint8_t *end);
static int art_scan_char(art_scan_t *scan);
static int art_scan_escape(art_scan_t *scan);
static int art_scan_word(art_scan_t *scan, const char *word);
static int art_scan_number(art_scan_t *scan);
static int art_scan_digits(art_scan_t *scan);


#define art_scan_digit(c)  ((c) >= '0' && (c) <= '9')


int
art_json_scan(const uint8_t **p, const uint8_t *end, unsigned around)
{
    int         rc;
    art_scan_t  scan;

    scan.p = *p;
    scan.end = end;
    scan.state = ART_SCAN_VALUE;
    scan.depth = 0;
    scan.depth_max = ART_JSON_SCAN_DEPTH - around;

    do {
        rc = art_scan_token(&scan);

    } while (rc == ART_OK
             && (scan.depth > 0 || scan.state != ART_SCAN_AFTER));

    if (rc != ART_JSON_MORE) {
        *p = scan.p;
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
art_scan_token(art_scan_t *scan)
{
    uint8_t   c;
    unsigned  object;

    scan->p = art_json_space(scan->p, scan->end);

    if (scan->p == scan->end) {
        return ART_JSON_MORE;
    }

    c = *scan->p;

    switch (scan->state) {

    case ART_SCAN_FIRST_VALUE:
        return c == ']' ? art_scan_close(scan) : art_scan_value(scan);

    case ART_SCAN_VALUE:
        return art_scan_value(scan);

    case ART_SCAN_FIRST_KEY:
        return c == '}' ? art_scan_close(scan) : art_scan_key(scan);

    case ART_SCAN_KEY:
        return art_scan_key(scan);

    default:
        break;
    }

    object = art_scan_in_object(scan);

    if (c == ',') {
        scan->p++;
        scan->state = object ? ART_SCAN_KEY : ART_SCAN_VALUE;
        return ART_OK;
    }

    return c == (object ? '}' : ']') ? art_scan_close(scan) : ART_ERROR;
}


static int
art_scan_value(art_scan_t *scan)
{
    scan->state = ART_SCAN_AFTER;

    switch (*scan->p) {

    case '"':
        return art_scan_string(scan);

    case '{':
        return art_scan_open(scan, 1);

    case '[':
        return art_scan_open(scan, 0);

    case 't':
        return art_scan_word(scan, "true");

    case 'f':
        return art_scan_word(scan, "false");

    case 'n':
        return art_scan_word(scan, "null");

    default:
        return art_scan_number(scan);
    }
}


static int
art_scan_open(art_scan_t *scan, unsigned object)
{
    uint8_t  *byte, mask;

    if (scan->depth == scan->depth_max) {
        return ART_ERROR;
    }

    byte = &scan->objects[scan->depth / 8];
    mask = (uint8_t) (1u << scan->depth % 8);

    if (mask == 1) {
        *byte = 0;
    }

    if (object) {
        *byte |= mask;
        scan->state = ART_SCAN_FIRST_KEY;

    } else {
        *byte &= (uint8_t) ~mask;
        scan->state = ART_SCAN_FIRST_VALUE;
    }

    scan->depth++;
    scan->p++;

    return ART_OK;
}


static int
art_scan_close(art_scan_t *scan)
{
    scan->depth--;
    scan->p++;
    scan->state = ART_SCAN_AFTER;

    return ART_OK;
}


static unsigned
art_scan_in_object(const art_scan_t *scan)
{
    unsigned  top;

    top = scan->depth - 1;

    return scan->objects[top / 8] >> top % 8 & 1;
}


static int
art_scan_key(art_scan_t *scan)
{
    int  rc;

    if (*scan->p != '"') {
        return ART_ERROR;
    }

    rc = art_scan_string(scan);

    if (rc != ART_OK) {
        return rc;
    }

    scan->p = art_json_space(scan->p, scan->end);

    if (scan->p == scan->end) {
        return ART_JSON_MORE;
    }

    if (*scan->p != ':') {
        return ART_ERROR;
    }

    scan->p++;
    scan->state = ART_SCAN_VALUE;

    return ART_OK;
}


static int
art_scan_string(art_scan_t *scan)
{
    int  rc;

    scan->p++;

    do {
        scan->p = art_scan_plain(scan->p, scan->end);

        if (scan->p == scan->end) {
            return ART_JSON_MORE;
        }

        if (*scan->p == '"') {
            scan->p++;
            return ART_OK;
        }

        rc = *scan->p == '\\' ? art_scan_escape(scan) : art_scan_char(scan);

    } while (rc == ART_OK);

    return rc;
}


/* Skips ASCII characters that need no check, eight at a time. */

static const uint8_t *
art_scan_plain(const uint8_t *p, const uint8_t *end)
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
art_scan_char(art_scan_t *scan)
{
    int  n;

    n = *scan->p < 0x20 ? -1 : art_utf8_char(scan->p,
                                             (size_t) (scan->end - scan->p));
    if (n > 0) {
        scan->p += n;
        return ART_OK;
    }

    return n == 0 ? ART_JSON_MORE : ART_ERROR;
}


static int
art_scan_escape(art_scan_t *scan)
{
    uint8_t   c;
    unsigned  i;

    scan->p++;

    if (scan->p == scan->end) {
        return ART_JSON_MORE;
    }

    c = *scan->p;

    if (c == '\0' || strchr("\"\\/bfnrtu", c) == NULL) {
        return ART_ERROR;
    }

    scan->p++;

    for (i = 0; c == 'u' && i < 4; i++, scan->p++) {

        if (scan->p == scan->end) {
            return ART_JSON_MORE;
        }

        if (!art_scan_digit(*scan->p)
            && ((*scan->p | 0x20) < 'a' || (*scan->p | 0x20) > 'f'))
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static int
art_scan_word(art_scan_t *scan, const char *word)
{
    for ( /* void */ ; *word != '\0'; word++, scan->p++) {

        if (scan->p == scan->end) {
            return ART_JSON_MORE;
        }

        if (*scan->p != (uint8_t) *word) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


/* The caller judges what follows the number. */

static int
art_scan_number(art_scan_t *scan)
{
    int  rc;

    if (*scan->p == '-') {
        scan->p++;
    }

    if (scan->p < scan->end && *scan->p == '0') {
        scan->p++;
        rc = ART_OK;

    } else {
        rc = art_scan_digits(scan);
    }

    if (rc == ART_OK && scan->p < scan->end && *scan->p == '.') {
        scan->p++;
        rc = art_scan_digits(scan);
    }

    if (rc == ART_OK && scan->p < scan->end && (*scan->p | 0x20) == 'e') {
        scan->p++;

        if (scan->p < scan->end && (*scan->p == '+' || *scan->p == '-')) {
            scan->p++;
        }

        rc = art_scan_digits(scan);
    }

    return rc;
}


/* One digit or more. */

static int
art_scan_digits(art_scan_t *scan)
{
    if (scan->p == scan->end) {
        return ART_JSON_MORE;
    }

    if (!art_scan_digit(*scan->p)) {
        return ART_ERROR;
    }

    while (scan->p < scan->end && art_scan_digit(*scan->p)) {
        scan->p++;
    }

    return ART_OK;
}
