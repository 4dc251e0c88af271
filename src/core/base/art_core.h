
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The types that the whole domain shares.  Nothing in src/core includes an
 * nginx header or does I/O; strings are a pointer and a length, and memory is
 * the caller's unless a header says otherwise.
 */


#ifndef ART_CORE_H_INCLUDED_
#define ART_CORE_H_INCLUDED_


#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>


#define ART_OK     0
#define ART_ERROR  -1


/* The languages of texts for people. */

typedef enum {
    ART_LANG_ZH = 0,
    ART_LANG_EN,
    ART_LANG_MAX
} art_lang_t;


/* A byte string, not terminated by a zero; "data" is not owned. */

typedef struct {
    const uint8_t  *data;
    size_t          len;
} art_str_t;


#define art_string(text)  { (const uint8_t *) text, sizeof(text) - 1 }
#define art_null_string   { NULL, 0 }


#define art_nitems(array)  (sizeof(array) / sizeof((array)[0]))


/*
 * A bounded output.  Bytes beyond "room" are counted in "len" but not written,
 * so that a first pass with room 0 measures what a second pass writes.
 */

typedef struct {
    uint8_t        *data;
    size_t          len;
    size_t          room;
} art_out_t;


/*
 * Memory of the caller's, such as a request's pool: "alloc" returns "size"
 * bytes or NULL; only the caller frees them.
 */

typedef struct {
    void         *(*alloc)(void *data, size_t size);
    void           *data;
} art_pool_t;


/*
 * Takes the next "len" bytes of an output that is too large to be held; any
 * result but ART_OK ends the writing.
 */

typedef int (*art_sink_pt)(void *data, const uint8_t *p, size_t len);


/* ASCII characters, whatever the locale. */

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


static inline art_str_t
art_str(const void *data, size_t len)
{
    art_str_t  s;

    s.data = data;
    s.len = len;

    return s;
}


static inline art_str_t
art_cstr(const char *text)
{
    return art_str(text, strlen(text));
}


static inline int
art_str_eq(art_str_t a, art_str_t b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}


/* Orders by bytes, as memcmp() does; a prefix comes first. */

static inline int
art_str_cmp(art_str_t a, art_str_t b)
{
    int     rc;
    size_t  len;

    len = a.len < b.len ? a.len : b.len;
    rc = len > 0 ? memcmp(a.data, b.data, len) : 0;

    if (rc != 0) {
        return rc;
    }

    return a.len < b.len ? -1 : a.len > b.len;
}


/* Whether "s" is "lower", a text in lower case; the case of "s" is ignored. */

static inline int
art_str_is(art_str_t s, const char *lower)
{
    size_t  i;

    for (i = 0; i < s.len && lower[i] != '\0'; i++) {
        if (art_char_lower(s.data[i]) != (uint8_t) lower[i]) {
            return 0;
        }
    }

    return i == s.len && lower[i] == '\0';
}


static inline art_out_t
art_out(void *data, size_t room)
{
    art_out_t  out;

    out.data = data;
    out.len = 0;
    out.room = room;

    return out;
}


/*
 * Prints into memory of the exact size; the first pass measures:
 *
 *     out = art_out(NULL, 0);
 *
 *     do {
 *         art_..._print(&out, ...);
 *     } while (art_out_again(&out, pool));
 *
 * Without a pool the memory is malloc()'s, which the caller frees.  When out of
 * memory, out->data is NULL afterwards.
 */

static inline int
art_out_again(art_out_t *out, const art_pool_t *pool)
{
    if (out->data != NULL) {
        return 0;
    }

    *out = art_out(pool != NULL ? pool->alloc(pool->data, out->len)
                                : malloc(out->len), out->len);

    return out->data != NULL;
}


static inline void
art_out_mem(art_out_t *out, const void *data, size_t len)
{
    if (out->len < out->room && len > 0) {
        memcpy(out->data + out->len, data,
               len < out->room - out->len ? len : out->room - out->len);
    }

    out->len += len;
}


static inline void
art_out_str(art_out_t *out, art_str_t s)
{
    art_out_mem(out, s.data, s.len);
}


static inline void
art_out_cstr(art_out_t *out, const char *text)
{
    art_out_mem(out, text, strlen(text));
}


static inline void
art_out_char(art_out_t *out, int c)
{
    uint8_t  ch;

    ch = (uint8_t) c;
    art_out_mem(out, &ch, 1);
}


/* A number in decimal. */

static inline void
art_out_uint(art_out_t *out, uint64_t n)
{
    size_t   i;
    uint8_t  digits[20];

    i = sizeof(digits);

    do {
        digits[--i] = (uint8_t) ('0' + n % 10);
        n /= 10;

    } while (n > 0);

    art_out_mem(out, digits + i, sizeof(digits) - i);
}


#endif /* ART_CORE_H_INCLUDED_ */
