
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "art_disposition.h"


static int art_attr_char(unsigned c);


void
art_disposition(art_out_t *out, art_str_t name, unsigned attachment)
{
    size_t    i;
    uint8_t   c;
    unsigned  plain;

    static const char  hex[] = "0123456789ABCDEF";

    art_out_cstr(out, attachment ? "attachment" : "inline");

    if (name.len == 0) {
        return;
    }

    art_out_cstr(out, "; filename=\"");
    plain = 1;

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        /*
         * "%" and the quoted characters are read differently by different
         * clients (RFC 6266 appendix D), so they are left to filename*
         */

        if (c >= 0x80 || c == '"' || c == '%') {
            plain = 0;

            /* one "_" for a character: its continuation bytes are dropped */

            if ((c & 0xc0) != 0x80) {
                art_out_char(out, '_');
            }

            continue;
        }

        art_out_char(out, c == '/' || c == '\\' ? '_' : c);
    }

    art_out_char(out, '"');

    if (plain) {
        return;
    }

    art_out_cstr(out, "; filename*=UTF-8''");

    for (i = 0; i < name.len; i++) {
        c = name.data[i];

        if (c == '/' || c == '\\') {
            c = '_';
        }

        if (art_attr_char(c)) {
            art_out_char(out, c);
            continue;
        }

        art_out_char(out, '%');
        art_out_char(out, hex[c >> 4]);
        art_out_char(out, hex[c & 0xf]);
    }
}


/* attr-char of RFC 8187 section 3.2.1 */

static int
art_attr_char(unsigned c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9')
           || (c != 0 && c < 0x80 && strchr("!#$&+-.^_`|~", (int) c) != NULL);
}
