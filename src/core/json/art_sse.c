
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_sse.h"


static art_sse_token_t art_sse_part(const art_sse_t *sse,
    art_sse_token_t data);
static art_sse_token_t art_sse_line(art_sse_t *sse, uint8_t c);
static art_sse_token_t art_sse_name(art_sse_t *sse, uint8_t c);
static art_sse_token_t art_sse_eol_of(art_sse_t *sse, uint8_t c,
    art_sse_token_t token);
static size_t art_sse_rest(const uint8_t *p, size_t len);


static const uint8_t  art_sse_mark[] = { 0xef, 0xbb, 0xbf };

static const char  art_sse_data[] = "data";


#define ART_SSE_STEP  512

#define art_sse_is_eol(c)  ((c) == '\n' || (c) == '\r')


void
art_sse_init(art_sse_t *sse)
{
    memset(sse, 0, sizeof(art_sse_t));
}


art_sse_token_t
art_sse_next(art_sse_t *sse, const uint8_t *p, size_t len, size_t *n)
{
    uint8_t  c;

    c = *p;
    *n = 1;

    if (sse->cr) {
        sse->cr = 0;
        sse->crlf = c == '\n' ? 2 : 1;

        if (c == '\n') {
            return sse->outside ? ART_SSE_OUTSIDE : ART_SSE_FIELD;
        }
    }

    switch (sse->state) {

    case ART_SSE_AT_LINE:
        return art_sse_line(sse, c);

    case ART_SSE_IN_NAME:
        return art_sse_name(sse, c);

    case ART_SSE_AT_VALUE:
        sse->state = ART_SSE_IN_DATA;

        if (c == ' ') {
            return ART_SSE_FIELD;
        }

        break;

    default:
        break;
    }

    if (art_sse_is_eol(c)) {
        return art_sse_eol_of(sse, c, art_sse_part(sse, ART_SSE_LINE));
    }

    *n = art_sse_rest(p, len);

    return art_sse_part(sse, ART_SSE_DATA);
}


/* What a byte is where it stands; "data": in the value of a "data" field. */

static art_sse_token_t
art_sse_part(const art_sse_t *sse, art_sse_token_t data)
{
    switch (sse->state) {

    case ART_SSE_IN_DATA:
        return data;

    case ART_SSE_IN_OTHER:
        return ART_SSE_FIELD;

    default:
        return ART_SSE_OUTSIDE;
    }
}


int
art_sse_is_outside(const art_sse_t *sse, uint8_t c)
{
    if (sse->cr && c == '\n') {
        return sse->outside;
    }

    return sse->state == ART_SSE_IN_COMMENT
           || (sse->state == ART_SSE_AT_LINE && !sse->event
               && (c == ':' || art_sse_is_eol(c)));
}


const char *
art_sse_eol(const art_sse_t *sse)
{
    static const char *const  eols[] = { "\n", "\r", "\r\n" };

    return eols[sse->crlf];
}


static art_sse_token_t
art_sse_line(art_sse_t *sse, uint8_t c)
{
    if (sse->mark < sizeof(art_sse_mark)) {

        if (c == art_sse_mark[sse->mark]) {
            sse->mark++;
            return ART_SSE_FIELD;
        }

        /* a part of it starts some other field's name */

        if (sse->mark > 0) {
            sse->mark = sizeof(art_sse_mark);
            sse->event = 1;
            sse->name = sizeof(art_sse_data);
            return art_sse_name(sse, c);
        }

        sse->mark = sizeof(art_sse_mark);
    }

    if (art_sse_is_eol(c)) {
        return art_sse_eol_of(sse, c,
                              sse->event ? ART_SSE_END : ART_SSE_OUTSIDE);
    }

    if (c == ':') {
        sse->state = sse->event ? ART_SSE_IN_OTHER : ART_SSE_IN_COMMENT;
        return sse->event ? ART_SSE_FIELD : ART_SSE_OUTSIDE;
    }

    sse->event = 1;
    sse->name = 0;

    return art_sse_name(sse, c);
}


static art_sse_token_t
art_sse_name(art_sse_t *sse, uint8_t c)
{
    unsigned  data;

    data = sse->name == sizeof(art_sse_data) - 1;

    if (art_sse_is_eol(c)) {
        return art_sse_eol_of(sse, c, data ? ART_SSE_LINE : ART_SSE_FIELD);
    }

    if (c == ':') {
        sse->state = data ? ART_SSE_AT_VALUE : ART_SSE_IN_OTHER;
        return ART_SSE_FIELD;
    }

    sse->state = ART_SSE_IN_NAME;

    if (sse->name < sizeof(art_sse_data)) {
        sse->name = !data && c == (uint8_t) art_sse_data[sse->name]
                    ? sse->name + 1 : sizeof(art_sse_data);
    }

    return ART_SSE_FIELD;
}


static art_sse_token_t
art_sse_eol_of(art_sse_t *sse, uint8_t c, art_sse_token_t token)
{
    sse->state = ART_SSE_AT_LINE;
    sse->cr = c == '\r';
    sse->crlf = c == '\r' ? sse->crlf : 0;
    sse->outside = token == ART_SSE_OUTSIDE;

    if (token == ART_SSE_END) {
        sse->event = 0;
    }

    return token;
}


/*
 * The bytes up to the end of a line.  It searches in steps: in a stream of
 * short lines that all end in one way, the search for the other would go to the
 * end of the piece each time.
 */

static size_t
art_sse_rest(const uint8_t *p, size_t len)
{
    size_t          n, step;
    const uint8_t  *cr, *eol;

    for (n = 0; n < len; n += step) {

        step = len - n < ART_SSE_STEP ? len - n : ART_SSE_STEP;

        eol = memchr(p + n, '\n', step);
        step = eol != NULL ? (size_t) (eol - p) - n : step;

        cr = memchr(p + n, '\r', step);
        eol = cr != NULL ? cr : eol;

        if (eol != NULL) {
            return (size_t) (eol - p);
        }
    }

    return len;
}
