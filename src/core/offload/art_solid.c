
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/offload/art_solid.h"


/* Characters of a line, where base64 has lines. */

#define ART_SOLID_LINE_MIN  60
#define ART_SOLID_LINE_MAX  100

/* Alphabets: RFC 4648, section 4 and section 5. */

#define ART_SOLID_PLAIN  1
#define ART_SOLID_SAFE   2
#define ART_SOLID_BOTH   (ART_SOLID_PLAIN|ART_SOLID_SAFE)


static const char  art_solid_data[] = "data:";
static const char  art_solid_base64[] = ";base64";


static void art_solid_char(art_solid_t *solid, uint8_t c);
static void art_solid_begin(art_solid_t *solid, uint8_t c);
static void art_solid_again(art_solid_t *solid);
static void art_solid_head(art_solid_t *solid, uint8_t c);
static void art_solid_digit(art_solid_t *solid, uint8_t c);
static void art_solid_line(art_solid_t *solid);


void
art_solid_feed(art_solid_t *solid, const uint8_t *p, size_t len)
{
    size_t  i;

    for (i = 0; i < len && art_solid_may_be(solid); i++) {
        art_solid_char(solid, p[i]);
    }
}


static void
art_solid_char(art_solid_t *solid, uint8_t c)
{
    switch (solid->state) {

    case ART_SOLID_BEGIN:
        art_solid_begin(solid, c);
        break;

    case ART_SOLID_HEAD:
        art_solid_head(solid, c);
        break;

    case ART_SOLID_URL:

        if (c <= ' ' || c >= 0x7f) {
            solid->state = ART_SOLID_NOT;
        }

        break;

    default:
        art_solid_digit(solid, c);
    }
}


static void
art_solid_begin(art_solid_t *solid, uint8_t c)
{
    if (art_char_lower(c) != (uint8_t) art_solid_data[solid->nhead]) {
        art_solid_again(solid);
        art_solid_char(solid, c);
        return;
    }

    solid->head[solid->nhead++] = c;

    if (solid->nhead == sizeof(art_solid_data) - 1) {
        solid->state = ART_SOLID_HEAD;
    }
}


/* What was taken for "data:" are digits. */

static void
art_solid_again(art_solid_t *solid)
{
    size_t  i;

    solid->state = ART_SOLID_BASE64;

    for (i = 0; i < solid->nhead; i++) {
        art_solid_digit(solid, solid->head[i]);
    }
}


static void
art_solid_head(art_solid_t *solid, uint8_t c)
{
    size_t  n;

    n = sizeof(art_solid_base64) - 1;

    if (c == ',') {
        solid->state = solid->nhead >= n
                       && art_str_is(art_str(solid->head + solid->nhead - n,
                                             n), art_solid_base64)
                       ? ART_SOLID_BASE64 : ART_SOLID_URL;

    } else if (c <= ' ' || c >= 0x7f
               || solid->nhead == sizeof(solid->head))
    {
        solid->state = ART_SOLID_NOT;

    } else {
        solid->head[solid->nhead++] = c;
    }
}


static void
art_solid_digit(art_solid_t *solid, uint8_t c)
{
    if (c == '\r' && !solid->cr) {
        solid->cr = 1;
        return;
    }

    if (c == '\n') {
        art_solid_line(solid);
        return;
    }

    if (solid->cr || solid->last) {
        solid->state = ART_SOLID_NOT;
        return;
    }

    solid->fed = 0;

    if (c == '=' && solid->count > 0 && solid->pads < 2) {
        solid->state = ART_SOLID_PAD;
        solid->pads++;
        solid->line++;
        return;
    }

    if (c == '+' || c == '/') {
        solid->alphabets |= ART_SOLID_SAFE;

    } else if (c == '-' || c == '_') {
        solid->alphabets |= ART_SOLID_PLAIN;

    } else if (!art_char_alnum(c)) {
        solid->state = ART_SOLID_NOT;
    }

    if (solid->state == ART_SOLID_PAD
        || solid->alphabets == ART_SOLID_BOTH)
    {
        solid->state = ART_SOLID_NOT;
    }

    solid->count++;
    solid->line++;
}


/* All lines are of one length, but for the last one, which may be shorter. */

static void
art_solid_line(art_solid_t *solid)
{
    if (solid->width == 0) {
        solid->width = solid->line;

        if (solid->line < ART_SOLID_LINE_MIN
            || solid->line > ART_SOLID_LINE_MAX)
        {
            solid->last = 1;
        }
    }

    if (solid->fed || solid->line == 0 || solid->line > solid->width) {
        solid->state = ART_SOLID_NOT;
    }

    if (solid->line < solid->width || solid->state == ART_SOLID_PAD) {
        solid->last = 1;
    }

    solid->cr = 0;
    solid->fed = 1;
    solid->line = 0;
}


int
art_solid_is(const art_solid_t *solid)
{
    art_solid_t  copy;

    if (solid->state == ART_SOLID_URL) {
        return 1;
    }

    copy = *solid;

    if (copy.state == ART_SOLID_BEGIN) {
        art_solid_again(&copy);
    }

    if (copy.state != ART_SOLID_BASE64 && copy.state != ART_SOLID_PAD) {
        return 0;
    }

    return copy.count > 0 && copy.count % 4 != 1 && !copy.cr
           && (copy.pads == 0 || (copy.count + copy.pads) % 4 == 0)
           && (copy.width == 0 || copy.line <= copy.width);
}
