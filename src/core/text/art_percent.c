
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"


static size_t art_percent_control(const uint8_t *p, size_t len);
static int art_percent_reads_so(const uint8_t *p, size_t len);


void
art_percent_encode(art_out_t *out, art_str_t text, const char *safe)
{
    size_t             i;
    uint8_t            c;
    static const char  hex[] = "0123456789ABCDEF";

    for (i = 0; i < text.len; i++) {
        c = text.data[i];

        if (art_char_alnum(c) || (c != 0 && strchr(safe, c) != NULL)) {
            art_out_char(out, c);
            continue;
        }

        art_out_char(out, '%');
        art_out_char(out, hex[c >> 4]);
        art_out_char(out, hex[c & 0x0f]);
    }
}


void
art_percent_controls(art_out_t *out, art_str_t text)
{
    size_t  i, n;

    for (i = 0; i < text.len; i += n) {

        n = art_percent_control(text.data + i, text.len - i);

        if (n > 0) {
            art_percent_encode(out, art_str(text.data + i, n), "");
            continue;
        }

        n = 1;
        art_out_char(out, text.data[i]);

        if (text.data[i] == '%'
            && art_percent_reads_so(text.data + i + 1, text.len - i - 1))
        {
            art_out_cstr(out, "25");
        }
    }
}


/* The length of the control character that a text starts with, or 0. */

static size_t
art_percent_control(const uint8_t *p, size_t len)
{
    if (p[0] < 0x20 || p[0] == 0x7f) {
        return 1;
    }

    /* U+0080 to U+009F */

    return p[0] == 0xc2 && len > 1 && p[1] >= 0x80 && p[1] < 0xa0 ? 2 : 0;
}


/*
 * Whether these bytes after a "%" would read as a control character, encoded
 * once or several times ("0A", "250A", "25250A").
 */

static int
art_percent_reads_so(const uint8_t *p, size_t len)
{
    while (len > 2 && p[0] == '2' && p[1] == '5') {
        p += 2;
        len -= 2;
    }

    if (len < 2) {
        return 0;
    }

    if (p[0] == '7') {
        return p[1] == 'F';
    }

    if (p[0] == 'C') {
        return len > 3 && p[1] == '2' && p[2] == '%'
               && (p[3] == '8' || p[3] == '9');
    }

    return (p[0] == '0' || p[0] == '1')
           && ((p[1] >= '0' && p[1] <= '9') || (p[1] >= 'A' && p[1] <= 'F'));
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
