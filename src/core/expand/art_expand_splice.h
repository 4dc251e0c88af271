
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A body with some of its bytes replaced: what to copy, to write and to render,
 * in order.  What is not replaced stays the bytes that it was.
 */


#ifndef ART_EXPAND_SPLICE_H_INCLUDED_
#define ART_EXPAND_SPLICE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_find.h"
#include "core/expand/art_expand_slot.h"


#define ART_SPLICE_NO_SLOT  UINT32_MAX


/*
 * At "pos", replaces "skip" bytes by "text", or by the rendering of the content
 * of "slot", of "length" bytes; or, if "own_end" is set, by as many bytes of
 * the body itself, as they are or, for a slot, made canonical base64.  At the
 * same position the lower "order" is first.
 */

typedef struct {
    uint64_t             pos;
    uint64_t             skip;
    uint64_t             length;
    art_str_t            text;
    uint32_t             slot;
    uint32_t             order;
    uint64_t             own;        /* the first of the bytes, */
    uint64_t             own_end;    /* and after the last one; 0: none */
} art_splice_op_t;


typedef enum {
    ART_SPLICE_END = 0,
    ART_SPLICE_COPY,             /* bytes "pos" to "end" of the body */
    ART_SPLICE_TEXT,             /* "text" */
    ART_SPLICE_RENDER,           /* the content of "slot" */
    ART_SPLICE_AGAIN,            /* bytes "pos" to "end", out of their order */
    ART_SPLICE_OWN               /* the same, as base64 of "slot" */
} art_splice_kind_t;


typedef struct {
    art_splice_kind_t    kind;
    uint64_t             pos;
    uint64_t             end;
    art_str_t            text;
    uint32_t             slot;
} art_splice_piece_t;


typedef struct {
    const art_splice_op_t  *ops;
    size_t               nops;
    size_t               next;
    uint64_t             len;
    uint64_t             pos;        /* of the body: the next byte */
} art_splice_t;


/*
 * Adds those of "more" that share no byte with one of "ops", which has room for
 * all; returns how many there are then.  Sorts both.
 */

size_t art_splice_join(art_splice_op_t *ops, size_t nops,
    art_splice_op_t *more, size_t nmore);


/*
 * Sorts operations, and begins to apply them to a body of "len" bytes.
 * ART_ERROR if they overlap or exceed it.  *total is the length of the result.
 * The operations must outlive the splice.
 */

int art_splice_init(art_splice_t *splice, art_splice_op_t *ops, size_t nops,
    uint64_t len, uint64_t *total);


/* Sets the next piece: 1; 0 after the last one. */

int art_splice_next(art_splice_t *splice, art_splice_piece_t *piece);


/*
 * Begins ART_SPLICE_OWN: art_find_clean() follows with the bytes of the body,
 * and art_find_clean_end() with the size of the slot.
 */

void art_splice_own(art_find_decode_t *clean, const art_message_slot_t *slot);


#endif /* ART_EXPAND_SPLICE_H_INCLUDED_ */
