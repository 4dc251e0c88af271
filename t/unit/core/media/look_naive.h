
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What art_look_t tells, worked out the simple way: all is decoded, and then
 * walked through as a whole.
 */


#ifndef LOOK_NAIVE_H_INCLUDED_
#define LOOK_NAIVE_H_INCLUDED_


#include <stdlib.h>
#include <string.h>

#include "core/text/art_base64.h"
#include "core/media/art_look.h"
#include "ends_naive.h"


static naive_t
naive_look(const uint8_t *text, size_t len)
{
    size_t               n;
    naive_t              to;
    uint8_t             *p;
    art_base64_decode_t  st;

    memset(&to, 0, sizeof(to));
    memset(&st, 0, sizeof(st));

    p = malloc(len / 4 * 3 + 16);
    n = art_base64_decode(&st, p, text, len);
    n += art_base64_decode_end(&st, p + n);

    to.bad = st.bad;

    if (st.bad) {
        free(p);
        return to;
    }

    to.size = n;

    /* what the encoder of canonical base64 makes of it */

    {
        size_t          written, left;
        uint8_t        *again;
        const uint8_t  *src;
        art_base64_t    enc;

        memset(&enc, 0, sizeof(enc));
        again = malloc(ART_BASE64_LEN(n) + 4);
        src = p;
        left = n;
        written = art_base64_update(&enc, again, ART_BASE64_LEN(n), &src,
                                    &left);
        written += art_base64_final(&enc, again + written, 4);
        to.plain = written == len && memcmp(again, text, len) == 0;
        free(again);
    }

    naive_medium(&to, p, n);
    free(p);

    return to;
}


/* The same of art_look_t, in pieces of "piece" bytes; 0: all at once. */

static naive_t
look_pieces(const uint8_t *text, size_t len, size_t piece)
{
    size_t       n;
    naive_t      to;
    uint8_t     *copy;
    art_look_t  *look;

    look = malloc(sizeof(*look));
    memset(look, 0xa5, sizeof(*look));
    art_look_init(look);

    for ( /* void */ ; len > 0; len -= n) {
        n = piece == 0 || piece > len ? len : piece;

        /* memory of its own, so that a sanitizer sees one byte more */

        copy = malloc(n);
        memcpy(copy, text, n);
        art_look_feed(look, copy, n);
        free(copy);
        text += n;
    }

    art_look_end(look);

    memset(&to, 0, sizeof(to));

    to.bad = look->bad;

    if (!look->bad) {
        to.size = look->size;
        to.cut = look->cut;
        to.locked = look->locked;
        to.plain = look->plain;
    }

    free(look);

    return to;
}


static int
naive_same(const naive_t *one, const naive_t *other)
{
    return one->size == other->size && one->bad == other->bad
           && one->cut == other->cut && one->locked == other->locked
           && one->plain == other->plain;
}


#endif /* LOOK_NAIVE_H_INCLUDED_ */
