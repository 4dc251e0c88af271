
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media of all formats that have an end, at random: whole, filled up, followed
 * by something else, cut.
 */


#ifndef CUT_MEDIA_H_INCLUDED_
#define CUT_MEDIA_H_INCLUDED_


#include "tap.h"


#define MEDIUM_MAX  8192


static uint8_t   medium[MEDIUM_MAX];
static size_t    medium_len;


static unsigned
below(size_t n)
{
    return (unsigned) tap_below(n);
}


static void
add(const void *p, size_t n)
{
    if (n > sizeof(medium) - medium_len) {
        n = sizeof(medium) - medium_len;
    }

    memcpy(medium + medium_len, p, n);
    medium_len += n;
}


static void
add_byte(unsigned c)
{
    uint8_t  byte;

    byte = (uint8_t) c;
    add(&byte, 1);
}


static void
add_noise(size_t n)
{
    while (n-- > 0) {
        add_byte(below(8) ? below(256) : 0xff);
    }
}


static void
make_png(void)
{
    unsigned  i, n, len;

    add("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1\0\0\0\1\x08\2\0\0\0abcd", 33);

    n = below(6);

    for (i = 0; i < n; i++) {
        len = below(300);
        add_byte(0);
        add_byte(below(40) ? 0 : 0xff);
        add_byte(len >> 8);
        add_byte(len);
        add(below(10) ? "IDAT" : "IENX", 4);
        add_noise(len);
        add("sumC", 4);
    }

    add("\0\0\0\0IEND\xae\x42\x60\x82", 12);
}


static void
make_gif(void)
{
    unsigned  i, n, len;

    add("GIF89a\1\0\1\0", 10);
    n = below(4) ? 0x80 + below(8) : 0;
    add_byte(n);
    add("\0\0", 2);
    add_noise(n ? (size_t) 3 << ((n & 7) + 1) : 0);

    n = below(5);

    for (i = 0; i < n; i++) {

        if (below(2)) {
            add("!\xf9", 2);

        } else {
            add(",\0\0\0\0\1\0\1\0\0\2", 11);
        }

        while (below(4)) {
            len = 1 + below(255);
            add_byte(len);
            add_noise(len);
        }

        add_byte(0);
    }

    if (below(12) == 0) {
        add_byte(below(256));
    }

    add(";", 1);
}


static void
make_medium(void)
{
    uint32_t    n;
    uint8_t     len[4];
    unsigned    kind;

    medium_len = 0;
    kind = below(7);

    switch (kind) {

    case 0:
        make_png();
        break;

    case 1:
        make_gif();
        break;

    case 2:
        add("\xff\xd8\xff\xe0", 4);
        n = below(3000);

        while (n-- > 0) {
            add_byte(below(5) ? below(0xd8) : 0xff);
        }

        add("\xff\xd9", 2);
        break;

    case 3:
        n = below(200);
        memset(len, 0, sizeof(len));
        len[0] = (uint8_t) n;
        len[3] = (uint8_t) (below(8) ? 0 : 0x7f + below(2) * 0x80);

        if (len[3] && below(2)) {
            memset(len, 0xff, 3);
        }

        add("RIFF", 4);
        add(len, 4);
        add("WEBP", 4);
        add_noise(n > 4 ? n - 4 : 0);
        break;

    case 4:
        add("%PDF-1.7\n", 9);
        add_noise(below(3000));
        add("trailer <</Size 1/Root 1 0 R", 28);
        add(below(2) ? "/Encrypt 5 0 R" : "/ID [<00>]    ", 14);
        add(">>\nstartxref\n9\n%%EOF\n", 21);
        break;

    case 5:
        add("\x89PNG\r\n\x1a\n", below(9));
        break;

    default:
        add_noise(below(400));
    }

    if (below(4) == 0) {
        add_noise(below(1500));
    }

    if (below(4) == 0) {

        for (n = below(3000); n > 0; n--) {
            add_byte(0);
        }
    }

    if (below(3) == 0 && medium_len > 0) {
        medium_len = below(medium_len + 1);
    }
}


#endif /* CUT_MEDIA_H_INCLUDED_ */
