
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/expand/art_expand_splice.h"


/* Room that nothing is written into. */

#define ART_SPLICE_ROOM  16


static int art_splice_cmp(const void *one, const void *two);


size_t
art_splice_join(art_splice_op_t *ops, size_t nops, art_splice_op_t *more,
    size_t nmore)
{
    size_t                  i, j, n;
    const art_splice_op_t  *op;

    if (nops > 0) {
        qsort(ops, nops, sizeof(art_splice_op_t), art_splice_cmp);
    }

    if (nmore > 0) {
        qsort(more, nmore, sizeof(art_splice_op_t), art_splice_cmp);
    }

    n = nops;
    j = 0;

    for (i = 0; i < nmore; i++) {
        op = &more[i];

        while (j < nops && ops[j].pos + ops[j].skip <= op->pos) {
            j++;
        }

        if (j == nops || ops[j].pos >= op->pos + op->skip) {
            ops[n++] = *op;
        }
    }

    return n;
}


int
art_splice_init(art_splice_t *splice, art_splice_op_t *ops, size_t nops,
    uint64_t len, uint64_t *total)
{
    size_t    i;
    uint64_t  pos;

    if (nops > 0) {
        qsort(ops, nops, sizeof(art_splice_op_t), art_splice_cmp);
    }

    memset(splice, 0, sizeof(*splice));

    splice->ops = ops;
    splice->nops = nops;
    splice->len = len;

    pos = 0;
    *total = len;

    for (i = 0; i < nops; i++) {

        if (ops[i].pos < pos || ops[i].pos > len
            || ops[i].skip > len - ops[i].pos)
        {
            return ART_ERROR;
        }

        pos = ops[i].pos + ops[i].skip;
        *total = *total - ops[i].skip + ops[i].length;
    }

    return ART_OK;
}


int
art_splice_next(art_splice_t *splice, art_splice_piece_t *piece)
{
    uint64_t                end;
    const art_splice_op_t  *op;

    memset(piece, 0, sizeof(*piece));

    for ( ;; ) {
        op = splice->next < splice->nops ? &splice->ops[splice->next] : NULL;
        end = op != NULL ? op->pos : splice->len;

        if (splice->pos < end) {
            piece->kind = ART_SPLICE_COPY;
            piece->pos = splice->pos;
            piece->end = end;
            splice->pos = end;
            return 1;
        }

        if (op == NULL) {
            return 0;
        }

        splice->next++;
        splice->pos = op->pos + op->skip;

        if (op->own_end > 0) {

            if (op->length == 0) {
                continue;
            }

            piece->kind = op->slot == ART_SPLICE_NO_SLOT ? ART_SPLICE_AGAIN
                                                         : ART_SPLICE_OWN;
            piece->pos = op->own;
            piece->end = op->own_end;
            piece->slot = op->slot;
            return 1;
        }

        if (op->slot != ART_SPLICE_NO_SLOT) {
            piece->kind = ART_SPLICE_RENDER;
            piece->slot = op->slot;
            return 1;
        }

        if (op->text.len > 0) {
            piece->kind = ART_SPLICE_TEXT;
            piece->text = op->text;
            return 1;
        }
    }
}


void
art_splice_own(art_find_decode_t *clean, const art_message_slot_t *slot)
{
    size_t          n;
    uint8_t         none[ART_SPLICE_ROOM];
    const uint8_t  *p;

    memset(clean, 0, sizeof(*clean));

    if (slot->held == ART_HELD_RUN) {
        return;
    }

    /* a prefix of a data URL: without one, any base64 might look like it */

    p = (const uint8_t *) "data:,";
    n = sizeof("data:,") - 1;

    (void) art_find_clean(clean, none, sizeof(none), &p, &n);
}


static int
art_splice_cmp(const void *one, const void *two)
{
    const art_splice_op_t  *a, *b;

    a = one;
    b = two;

    if (a->pos != b->pos) {
        return a->pos < b->pos ? -1 : 1;
    }

    return a->order < b->order ? -1 : a->order > b->order;
}
