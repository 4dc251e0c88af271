
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_find.h"
#include "core/media/art_find_int.h"


/* The most bytes that are read at once. */

#define ART_FIND_PIECE  1024


typedef enum {
    ART_FIND_AT_START = 0,
    ART_FIND_AT_PREFIX,
    ART_FIND_AT_DATA
} art_find_at_t;


static size_t art_find_unprefix(art_find_decode_t *st, const uint8_t *p,
    size_t len);
static size_t art_find_chars(art_find_decode_t *st, uint8_t *dst,
    const uint8_t *p, size_t len);
static size_t art_find_groups(uint8_t *dst, const uint8_t *p, size_t len);


size_t
art_find_decode(art_find_decode_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len)
{
    size_t   n, piece, written;
    uint8_t  bytes[ART_FIND_LAG + ART_FIND_PIECE];

    written = 0;

    while (*len > 0 && written < room) {

        if (st->state != ART_FIND_AT_DATA) {
            piece = art_find_unprefix(st, *src, *len);

        } else {
            piece = *len < ART_FIND_PIECE ? *len : ART_FIND_PIECE;
            piece = piece < room - written ? piece : room - written;

            memcpy(bytes, st->held, st->nheld);

            n = st->nheld
                + art_find_chars(st, bytes + st->nheld, *src, piece);

            st->nheld = n < ART_FIND_LAG ? n : ART_FIND_LAG;
            n -= st->nheld;

            memcpy(dst + written, bytes, n);
            memcpy(st->held, bytes + n, st->nheld);

            written += n;
            st->size += n;
        }

        *src += piece;
        *len -= piece;
    }

    return written;
}


size_t
art_find_decode_end(art_find_decode_t *st, uint64_t size, uint8_t *dst)
{
    size_t  n;

    n = size > st->size ? st->nheld : 0;

    if (n > size - st->size) {
        n = (size_t) (size - st->size);
    }

    memcpy(dst, st->held, n);

    st->size += n;
    st->nheld = 0;

    return n;
}


size_t
art_find_clean(art_find_decode_t *st, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len)
{
    size_t          n, most, written;
    uint8_t         bytes[ART_FIND_PIECE];
    const uint8_t  *p;

    written = 0;

    while (*len > 0 && room - written >= 8) {

        /* with what base64 holds, this makes a group more */

        most = (room - written) / 4 * 3 - 3;
        most = most < sizeof(bytes) ? most : sizeof(bytes);

        n = art_find_decode(st, bytes, most, src, len);
        p = bytes;

        written += art_base64_update(&st->base64, dst + written,
                                     room - written, &p, &n);
    }

    return written;
}


size_t
art_find_clean_end(art_find_decode_t *st, uint64_t size, uint8_t *dst)
{
    size_t          n, written;
    uint8_t         bytes[ART_FIND_LAG];
    const uint8_t  *p;

    n = art_find_decode_end(st, size, bytes);
    p = bytes;

    written = art_base64_update(&st->base64, dst, ART_FIND_CLEAN_END, &p, &n);

    return written + art_base64_final(&st->base64, dst + written,
                                      ART_FIND_CLEAN_END - written);
}


/* Reads the prefix; no media begin with a "d" of either case. */

static size_t
art_find_unprefix(art_find_decode_t *st, const uint8_t *p, size_t len)
{
    const uint8_t  *comma;

    if (st->state == ART_FIND_AT_START) {
        st->state = (p[0] | 0x20) == 'd' ? ART_FIND_AT_PREFIX
                                         : ART_FIND_AT_DATA;
        return 0;
    }

    comma = memchr(p, ',', len);

    if (comma == NULL) {
        return len;
    }

    st->state = ART_FIND_AT_DATA;

    return (size_t) (comma - p) + 1;
}


/* Decodes what is of an alphabet, and skips anything else. */

static size_t
art_find_chars(art_find_decode_t *st, uint8_t *dst, const uint8_t *p,
    size_t len)
{
    int       c, value;
    size_t    i, n, groups;
    unsigned  esc, done;

    n = 0;

    for (i = 0; i < len; ) {

        if (st->nbits == 0 && st->esc == ART_FIND_NO_ESC) {
            groups = art_find_groups(dst + n, p + i, len - i);

            n += groups * 3;
            i += groups * 4;

            if (i == len) {
                break;
            }
        }

        esc = st->esc;
        done = art_find_lex(&st->esc, &st->value, p[i], &c);
        i += done & ART_FIND_READ ? 1 : 0;

        /* no letter of a run is escaped, but one of any other base64 may be */

        if (esc == ART_FIND_DIGITS + 3 && st->value < 0x80) {
            c = (int) st->value;
        }

        value = done & ART_FIND_READY && art_find_alphabets(c) != 0
                ? art_base64_value((uint8_t) c) : -1;

        if (value < 0) {
            continue;
        }

        st->bits = st->bits << 6 | (uint32_t) value;
        st->nbits += 6;

        if (st->nbits >= 8) {
            st->nbits -= 8;
            dst[n++] = (uint8_t) (st->bits >> st->nbits);
        }
    }

    return n;
}


/* Decodes groups of four characters; returns their number. */

static size_t
art_find_groups(uint8_t *dst, const uint8_t *p, size_t len)
{
    size_t               n;
    art_base64_decode_t  st;

    n = art_find_span(p, len, ART_FIND_BOTH) / 4;

    if (n > 0) {
        memset(&st, 0, sizeof(st));
        (void) art_base64_decode(&st, dst, p, n * 4);
    }

    return n;
}
