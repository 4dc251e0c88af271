
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/extract/art_stream_edits.h"


/* Bytes of memory kept for the next time. */

#define ART_EDITS_SPARE  8192


static uint64_t art_edits_stop(art_edits_t *edits, uint64_t upto);
static uint64_t art_edits_skip(art_edits_t *edits, uint64_t upto,
    art_str_t *out);
static void art_edits_pass(art_edits_t *edits, uint64_t upto, art_str_t *out);
static void art_edits_free_room(art_edits_t *edits);
static art_edits_item_t *art_edits_add(art_edits_t *edits);


void
art_edits_done(art_edits_t *edits)
{
    free(edits->data);
    free(edits->items);
    free(edits->text);

    memset(edits, 0, sizeof(art_edits_t));
}


void
art_edits_read(art_edits_t *edits, const uint8_t *p, size_t n)
{
    if (edits->pos - edits->base == edits->len - edits->from) {
        edits->piece = p;
    }

    edits->pos += n;
}


void
art_edits_keep(art_edits_t *edits)
{
    size_t    held, n;
    uint8_t  *data;

    held = edits->len - edits->from;
    n = (size_t) (edits->pos - edits->base) - held;

    if (n == 0) {
        return;
    }

    if (edits->from > 0) {
        memmove(edits->data, edits->data + edits->from, held);
        edits->from = 0;
        edits->len = held;
    }

    data = art_array_extend(edits->data, held, n, &edits->room, 1);

    if (data == NULL) {
        edits->failed = 1;
        return;
    }

    memcpy(data + held, edits->piece, n);

    edits->data = data;
    edits->len = held + n;
}


int
art_edits_next(art_edits_t *edits, uint64_t upto, art_str_t *out)
{
    uint64_t  stop;

    do {
        *out = art_str(NULL, 0);
        stop = art_edits_stop(edits, upto);

        if (stop > edits->base) {
            art_edits_pass(edits, stop, out);
            return 1;
        }

        stop = art_edits_skip(edits, upto, out);

    } while (stop > 0 && out->len == 0);

    art_edits_free_room(edits);

    return out->len > 0;
}


/* Up to where bytes are sent as they are. */

static uint64_t
art_edits_stop(art_edits_t *edits, uint64_t upto)
{
    uint64_t  stop;

    stop = upto < edits->pos ? upto : edits->pos;

    if (edits->next < edits->nitems && edits->items[edits->next].pos < stop) {
        stop = edits->items[edits->next].pos;
    }

    return stop;
}


/* Makes the next edit if it is due; returns whether it was. */

static uint64_t
art_edits_skip(art_edits_t *edits, uint64_t upto, art_str_t *out)
{
    size_t             rest;
    uint64_t           n;
    art_str_t          gone;
    art_edits_item_t  *edit;

    if (edits->next == edits->nitems
        || edits->items[edits->next].pos > edits->base)
    {
        return 0;
    }

    edit = &edits->items[edits->next];

    if (edit->skip == ART_EDITS_TEXT || edit->skip == ART_EDITS_REST) {
        rest = edit->skip == ART_EDITS_REST;
        *out = art_str(edits->text + rest, edits->text_len - rest);
        edits->next++;
        return 1;
    }

    /* an edit of bytes already sent must not hold up the rest */

    if (edit->pos + edit->skip <= edits->base) {
        edits->next++;
        return 1;
    }

    n = upto < edits->pos ? upto : edits->pos;
    n = n < edit->pos + edit->skip ? n : edit->pos + edit->skip;

    if (n <= edits->base) {
        return 0;
    }

    edit->skip -= n - edit->pos;
    edit->pos = n;
    edits->next += edit->skip == 0;

    /* first what is held, then the piece */

    do {
        art_edits_pass(edits, n, &gone);
    } while (edits->base < n);

    return 1;
}


static void
art_edits_pass(art_edits_t *edits, uint64_t upto, art_str_t *out)
{
    size_t  n, held;

    n = (size_t) (upto - edits->base);
    held = edits->len - edits->from;

    if (held > 0) {
        n = n < held ? n : held;
        *out = art_str(edits->data + edits->from, n);
        edits->from += n;

    } else {
        *out = art_str(edits->piece, n);
        edits->piece += n;
    }

    edits->base += n;
}


static void
art_edits_free_room(art_edits_t *edits)
{
    if (edits->next == edits->nitems && edits->base == edits->pos) {
        edits->next = 0;
        edits->settled = 0;
        edits->nitems = 0;

        if (edits->items_room * sizeof(art_edits_item_t) > ART_EDITS_SPARE) {
            free(edits->items);
            edits->items = NULL;
            edits->items_room = 0;
        }
    }

    if (edits->from == edits->len) {
        edits->from = 0;
        edits->len = 0;

        if (edits->room > ART_EDITS_SPARE) {
            free(edits->data);
            edits->data = NULL;
            edits->room = 0;
        }
    }
}


void
art_edits_cut(art_edits_t *edits, uint64_t pos, uint64_t end)
{
    uint64_t           until;
    art_edits_item_t  *last;

    if (edits->nitems > 0) {
        last = &edits->items[edits->nitems - 1];
        until = last->pos + last->skip;

        pos = pos > until ? pos : until;

        if (pos >= end) {
            return;
        }

        if (pos == until && edits->nitems > edits->settled) {
            last->skip += end - pos;
            return;
        }
    }

    last = art_edits_add(edits);

    if (last != NULL) {
        last->pos = pos;
        last->skip = end - pos;
    }
}


void
art_edits_put(art_edits_t *edits, uint64_t pos, uint64_t what)
{
    size_t             i;
    art_edits_item_t  *edit;

    edit = art_edits_add(edits);

    if (edit == NULL) {
        return;
    }

    for (i = edits->nitems - 1;
         i > edits->next && edits->items[i - 1].pos >= pos;
         i--)
    {
        edits->items[i] = edits->items[i - 1];
    }

    edits->items[i].pos = pos;
    edits->items[i].skip = what;
    edits->settled = edits->nitems;
}


static art_edits_item_t *
art_edits_add(art_edits_t *edits)
{
    art_edits_item_t  *items;

    items = art_array_grow(edits->items, edits->nitems, &edits->items_room,
                           sizeof(art_edits_item_t));
    if (items == NULL) {
        edits->failed = 1;
        return NULL;
    }

    edits->items = items;

    return &items[edits->nitems++];
}
