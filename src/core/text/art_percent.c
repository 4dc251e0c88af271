
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_char.h"
#include "core/text/art_percent.h"


void
art_percent_encode(art_out_t *out, art_str_t text, const char *keep)
{
    size_t             i;
    uint8_t            c;
    static const char  hex[] = "0123456789ABCDEF";

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (art_char_alnum(c) || (c != 0 && strchr(keep, c) != NULL)) {
            art_out_char(out, c);
            continue;
        }

        art_out_char(out, '%');
        art_out_char(out, hex[c >> 4]);
        art_out_char(out, hex[c & 0x0f]);
    }
}


int
art_percent_decode(uint8_t *dst, size_t *n, art_str_t text)
{
    int      high, low;
    size_t   i;
    uint8_t  c;

    *n = 0;

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (c == '%') {
            if (text.len - i < 3) {
                return ART_ERROR;
            }

            high = art_char_hex(text.data[++i]);
            low = art_char_hex(text.data[++i]);

            if (high < 0 || low < 0) {
                return ART_ERROR;
            }

            c = (uint8_t) (high << 4 | low);
        }

        dst[(*n)++] = c;
    }

    return ART_OK;
}
