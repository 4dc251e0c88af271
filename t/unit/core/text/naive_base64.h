
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the tests hold art_base64 to, and memory whose end is guarded.
 */


#ifndef ART_NAIVE_BASE64_H_INCLUDED_
#define ART_NAIVE_BASE64_H_INCLUDED_


#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>


#define LEN_MAX  4000


static uint8_t  *guarded[2];


/*
 * The last byte of the result is followed by a page that cannot be touched,
 * so that not even a vector load may reach beyond the end.
 */

static uint8_t *
before_guard(unsigned which, size_t len)
{
    size_t  page, size;

    page = (size_t) sysconf(_SC_PAGESIZE);
    size = (LEN_MAX * 2 / page + 1) * page;

    if (guarded[which] == NULL) {
        guarded[which] = mmap(NULL, size + page, PROT_READ|PROT_WRITE,
                              MAP_PRIVATE|MAP_ANONYMOUS, -1, 0);

        if (guarded[which] == MAP_FAILED
            || mprotect(guarded[which] + size, page, PROT_NONE) != 0)
        {
            printf("Bail out! no guard page\n");
            exit(2);
        }
    }

    return guarded[which] + size - len;
}


/* RFC 4648 by its words: a bit string in pieces of six. */

static size_t
naive_base64(uint8_t *dst, const uint8_t *src, size_t len, int url)
{
    size_t    i, bit, n;
    unsigned  six;

    n = 0;

    for (bit = 0; bit < len * 8; bit += 6) {
        six = 0;

        for (i = bit; i < bit + 6; i++) {
            six = six << 1
                  | (i < len * 8 ? (src[i / 8] >> (7 - i % 8) & 1u) : 0);
        }

        dst[n++] = six < 26 ? (uint8_t) ('A' + six)
                   : six < 52 ? (uint8_t) ('a' + six - 26)
                   : six < 62 ? (uint8_t) ('0' + six - 52)
                   : six == 62 ? (url ? '-' : '+') : (url ? '_' : '/');
    }

    while (!url && n % 4) {
        dst[n++] = '=';
    }

    return n;
}


#endif /* ART_NAIVE_BASE64_H_INCLUDED_ */
