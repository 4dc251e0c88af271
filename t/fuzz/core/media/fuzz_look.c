
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte says how the rest is cut, and whether it is
 * base64 or a medium that is encoded first.  Whatever it is: the same is found
 * whole and in pieces, and as by the simple way.
 */


#include "core/media/look_naive.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          len, left, piece;
    naive_t         want, whole, cut;
    uint8_t        *text;
    unsigned        encode;
    const uint8_t  *src;
    art_base64_t    st;

    if (size < 2) {
        return 0;
    }

    encode = data[0] & 1;
    piece = data[0] / 2 + 1u;
    src = data + 1;
    left = size - 1;
    len = left;

    text = malloc(ART_BASE64_LEN(left) + 4);
    check(text != NULL);

    if (encode) {
        memset(&st, 0, sizeof(st));
        len = art_base64_update(&st, text, ART_BASE64_LEN(left), &src, &left);
        len += art_base64_final(&st, text + len, 4);

    } else {
        memcpy(text, src, len);
    }

    want = naive_look(text, len);
    whole = look_pieces(text, len, 0);
    cut = look_pieces(text, len, piece);

    check(naive_same(&whole, &want));
    check(naive_same(&cut, &want));

    free(text);

    return 0;
}
