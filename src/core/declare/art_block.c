
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/json/art_json_scan.h"
#include "core/declare/art_block.h"


static art_block_event_t art_block_matched(art_block_t *block);
static int art_block_take(art_block_t *block, const uint8_t *p, size_t n);
static int art_block_is_array(art_block_t *block, const uint8_t *p, size_t n);
static int art_block_keep(art_block_t *block, const uint8_t *p, size_t n);


const art_str_t  art_block_tag = art_string("<artifacts>");
const art_str_t  art_block_end = art_string("</artifacts>");


/* Only the lexer's own judgment matters. */

static const art_lex_handler_t  art_block_handler;


void
art_block_init(art_block_t *block)
{
    memset(block, 0, sizeof(art_block_t));
}


void
art_block_done(art_block_t *block)
{
    free(block->data);
    art_block_init(block);
}


art_block_event_t
art_block_read(art_block_t *block, const uint8_t *p, size_t len, size_t *n)
{
    size_t          i, lt;
    art_str_t       tag;
    const uint8_t  *found;

    for (i = 0; i < len && !art_block_is_complete(block); /* void */ ) {

        tag = block->state == ART_BLOCK_NONE ? art_block_tag : art_block_end;
        *n = i;

        if (block->matched == 0) {
            found = memchr(p + i, '<', len - i);
            lt = found != NULL ? (size_t) (found - p) : len;

            *n = lt;

            if (art_block_take(block, p + i, lt - i) != ART_OK) {
                return ART_BLOCK_NOT;
            }

            i = lt;

            if (found != NULL) {
                block->matched = 1;
                *n = ++i;

                if (block->state == ART_BLOCK_NONE) {
                    return ART_BLOCK_MAYBE;
                }
            }

            continue;
        }

        if (p[i] == tag.data[block->matched]) {
            *n = ++i;

            if (++block->matched == tag.len
                && art_block_matched(block) != ART_BLOCK_REST)
            {
                return block->state == ART_BLOCK_ARRAY ? ART_BLOCK_OVER
                                                       : ART_BLOCK_NOT;
            }

            continue;
        }

        /* "<" stands nowhere else in a tag, so this is none, or anew */

        lt = block->matched;
        block->matched = 0;

        if (block->state == ART_BLOCK_NONE
            || art_block_take(block, tag.data, lt) != ART_OK)
        {
            return ART_BLOCK_NOT;
        }
    }

    *n = len;

    return ART_BLOCK_REST;
}


/* A tag is complete. */

static art_block_event_t
art_block_matched(art_block_t *block)
{
    block->matched = 0;

    switch (block->state) {

    case ART_BLOCK_NONE:
        block->state = ART_BLOCK_OPEN;
        art_lex_init(&block->lex, &art_block_handler, block, block->key,
                     sizeof(block->key));

        return ART_BLOCK_REST;

    case ART_BLOCK_OPEN:

        /* to the letter of UTF-8, too */

        if (art_lex_end(&block->lex) == ART_OK
            && art_json_valid(block->data, block->len))
        {
            block->state = ART_BLOCK_ARRAY;
            return ART_BLOCK_OVER;
        }

        /* fall through */

    default:
        block->state = ART_BLOCK_MALFORMED;
        return ART_BLOCK_NOT;
    }
}


/* Bytes that are no tag; ART_ERROR if the block is malformed by them. */

static int
art_block_take(art_block_t *block, const uint8_t *p, size_t n)
{
    if (block->state != ART_BLOCK_OPEN || n == 0) {
        return ART_OK;
    }

    if (art_block_is_array(block, p, n)) {
        block->large = n > ART_BLOCK_MAX - block->len;

        if (!block->large && art_block_keep(block, p, n) == ART_OK) {
            return ART_OK;
        }
    }

    free(block->data);

    block->data = NULL;
    block->len = 0;
    block->room = 0;
    block->state = ART_BLOCK_BAD;

    return ART_ERROR;
}


static int
art_block_is_array(art_block_t *block, const uint8_t *p, size_t n)
{
    const uint8_t  *first;

    if (art_lex_is_blank(&block->lex)) {
        first = art_json_space(p, p + n);

        if (first < p + n && *first != '[') {
            return 0;
        }
    }

    return art_lex_feed(&block->lex, p, n) == ART_OK;
}


static int
art_block_keep(art_block_t *block, const uint8_t *p, size_t n)
{
    uint8_t  *data;

    data = art_array_extend(block->data, block->len, n, &block->room, 1);

    if (data == NULL) {
        block->failed = 1;
        return ART_ERROR;
    }

    memcpy(data + block->len, p, n);

    block->data = data;
    block->len += n;

    return ART_OK;
}
