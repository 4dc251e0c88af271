
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_int.h"


/* The character after the backslash, for U+0000 to U+001F. */

static const char  art_json_short[] = "uuuuuuuubtnufruuuuuuuuuuuuuuuuuu";


/*
 * The escape of a special byte.  Each level doubles the backslashes below it,
 * and a quote gets one more.  Eight backslashes are always written: that costs
 * less than counting.
 */

size_t
art_json_unit(uint8_t unit[ART_JSON_UNIT_MAX], uint8_t c, unsigned level)
{
    size_t             n;
    static const char  hex[] = "0123456789abcdef";

    memset(unit, '\\', 8);

    if (c == '"' || c == '\\') {
        n = ((size_t) 1 << level) - 1;
        unit[n++] = c;
        return n;
    }

    n = (size_t) 1 << (level - 1);
    unit[n++] = (uint8_t) art_json_short[c];

    if (art_json_short[c] == 'u') {
        unit[n++] = '0';
        unit[n++] = '0';
        unit[n++] = (uint8_t) hex[c >> 4];
        unit[n++] = (uint8_t) hex[c & 0x0f];
    }

    return n;
}
