
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * ASCII characters, whatever the locale.
 */


#ifndef ART_CHAR_H_INCLUDED_
#define ART_CHAR_H_INCLUDED_


#include <stdint.h>


static inline uint8_t
art_char_lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? (uint8_t) (c | 0x20) : c;
}


/* Whether "c" is a letter or a digit. */

static inline int
art_char_alnum(uint8_t c)
{
    return (art_char_lower(c) >= 'a' && art_char_lower(c) <= 'z')
           || (c >= '0' && c <= '9');
}


/* The value of a hexadecimal digit in either case, -1 for other characters. */

static inline int
art_char_hex(uint8_t c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }

    c |= 0x20;

    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}


#endif /* ART_CHAR_H_INCLUDED_ */
