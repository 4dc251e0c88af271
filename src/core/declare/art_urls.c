
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/declare/art_urls.h"


static size_t art_urls_is_last(const art_urls_t *urls, const char *word);
static void art_urls_begin(art_urls_t *urls);
static void art_urls_go_on(art_urls_t *urls, uint8_t c);
static void art_urls_finish(art_urls_t *urls);
static size_t art_urls_ending(const art_urls_t *urls);
static int art_urls_is_space(uint64_t last);
static int art_urls_put(art_urls_t *urls, uint8_t c);


static const char *const  art_urls_schemes[] = { "http://", "https://" };

static const char *const  art_urls_endings[] = {
    ".png", ".jpg", ".jpeg", ".webp", ".gif"
};


void
art_urls_init(art_urls_t *urls)
{
    memset(urls, 0, sizeof(art_urls_t));
}


void
art_urls_done(art_urls_t *urls)
{
    free(urls->data);
    art_urls_init(urls);
}


void
art_urls_read(art_urls_t *urls, const uint8_t *p, size_t len)
{
    size_t          i, end;
    const uint8_t  *slash;

    for (i = 0; i < len && !urls->over; /* void */ ) {

        end = len;

        if (!urls->within) {

            /* of interest are slashes, and what can be a scheme before */

            slash = memchr(p + i, '/', len - i);
            end = slash != NULL ? (size_t) (slash - p) + 1 : len;

            if (end - i > sizeof(urls->last)) {
                i = end - sizeof(urls->last);
            }
        }

        do {
            urls->last = urls->last << 8 | p[i];
            urls->lower = urls->lower << 8 | art_char_lower(p[i]);

            if (urls->within) {
                art_urls_go_on(urls, p[i++]);
                break;
            }

            if (p[i++] == '/') {
                art_urls_begin(urls);
            }

        } while (i < end);
    }
}


art_str_t
art_urls_found(art_urls_t *urls)
{
    if (urls->within) {
        art_urls_finish(urls);
    }

    return art_str(urls->data, urls->run);
}


/* How many of the bytes read last are "word"; 0: they are another one. */

static size_t
art_urls_is_last(const art_urls_t *urls, const char *word)
{
    size_t    i, n;
    uint64_t  last;

    n = strlen(word);
    last = urls->lower;

    for (i = n; i > 0 && (uint8_t) last == (uint8_t) word[i - 1]; i--) {
        last >>= 8;
    }

    return i == 0 ? n : 0;
}


static void
art_urls_begin(art_urls_t *urls)
{
    size_t    i, n;

    for (i = 0, n = 0; i < art_nitems(art_urls_schemes) && n == 0; i++) {
        n = art_urls_is_last(urls, art_urls_schemes[i]);
    }

    if (n == 0) {
        return;
    }

    urls->within = 1;
    urls->scheme = n;
    urls->end = 0;

    while (n > 0 && art_urls_put(urls, (uint8_t) (urls->last >> 8 * (n - 1)))) {
        n--;
    }
}


static void
art_urls_go_on(art_urls_t *urls, uint8_t c)
{
    size_t  n;

    if (art_urls_is_space(urls->last)) {
        art_urls_finish(urls);
        return;
    }

    if (urls->len - urls->run == ART_URLS_RUN || !art_urls_put(urls, c)) {
        return;
    }

    n = art_urls_ending(urls);

    if (n > 0 && urls->len - urls->run > urls->scheme + n) {
        urls->end = urls->len - urls->run;
    }
}


static void
art_urls_finish(art_urls_t *urls)
{
    urls->within = 0;
    urls->len = urls->run + urls->end;

    if (urls->end > 0 && art_urls_put(urls, '\n')) {
        urls->run = urls->len;
    }

    urls->len = urls->run;
    urls->over = urls->len >= ART_URLS_MAX;
}


static size_t
art_urls_ending(const art_urls_t *urls)
{
    size_t  i, n;

    for (i = 0, n = 0; i < art_nitems(art_urls_endings) && n == 0; i++) {
        n = art_urls_is_last(urls, art_urls_endings[i]);
    }

    return n;
}


/* White space as ECMAScript has it, with its last byte. */

static int
art_urls_is_space(uint64_t last)
{
    unsigned  c;

    c = (unsigned) last & 0xff;

    if (c < 0x80) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    if ((last & 0xffff) == 0xc2a0) {
        return 1;
    }

    c = (unsigned) last & 0xffffff;

    return c == 0xe19a80 || (c >= 0xe28080 && c <= 0xe2808a) || c == 0xe280a8
           || c == 0xe280a9 || c == 0xe280af || c == 0xe2819f || c == 0xe38080
           || c == 0xefbbbf;
}


static int
art_urls_put(art_urls_t *urls, uint8_t c)
{
    uint8_t  *data;

    data = art_array_grow(urls->data, urls->len, &urls->room, 1);

    if (data == NULL) {
        urls->failed = 1;
        urls->over = 1;
        return 0;
    }

    urls->data = data;
    urls->data[urls->len++] = c;

    return 1;
}
