
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/extract/art_tape.h"


/* Bytes of memory kept for the next time. */

#define ART_TAPE_SPARE  8192


static uint64_t art_tape_stop(art_tape_t *tape, uint64_t upto);
static uint64_t art_tape_skip(art_tape_t *tape, uint64_t upto,
    art_str_t *out);
static void art_tape_pass(art_tape_t *tape, uint64_t upto, art_str_t *out);
static void art_tape_spare(art_tape_t *tape);
static art_tape_edit_t *art_tape_edit(art_tape_t *tape);


void
art_tape_done(art_tape_t *tape)
{
    free(tape->data);
    free(tape->edits);
    free(tape->text);

    memset(tape, 0, sizeof(art_tape_t));
}


void
art_tape_read(art_tape_t *tape, const uint8_t *p, size_t n)
{
    if (tape->pos - tape->base == tape->len - tape->from) {
        tape->piece = p;
    }

    tape->pos += n;
}


void
art_tape_keep(art_tape_t *tape)
{
    size_t    held, n;
    uint8_t  *data;

    held = tape->len - tape->from;
    n = (size_t) (tape->pos - tape->base) - held;

    if (n == 0) {
        return;
    }

    if (tape->from > 0) {
        memmove(tape->data, tape->data + tape->from, held);
        tape->from = 0;
        tape->len = held;
    }

    data = art_array_extend(tape->data, held, n, &tape->room, 1);

    if (data == NULL) {
        tape->failed = 1;
        return;
    }

    memcpy(data + held, tape->piece, n);

    tape->data = data;
    tape->len = held + n;
}


int
art_tape_next(art_tape_t *tape, uint64_t upto, art_str_t *out)
{
    uint64_t  stop;

    do {
        *out = art_str(NULL, 0);
        stop = art_tape_stop(tape, upto);

        if (stop > tape->base) {
            art_tape_pass(tape, stop, out);
            return 1;
        }

        stop = art_tape_skip(tape, upto, out);

    } while (stop > 0 && out->len == 0);

    art_tape_spare(tape);

    return out->len > 0;
}


/* Up to where bytes are sent as they are. */

static uint64_t
art_tape_stop(art_tape_t *tape, uint64_t upto)
{
    uint64_t  stop;

    stop = upto < tape->pos ? upto : tape->pos;

    if (tape->next < tape->nedits && tape->edits[tape->next].pos < stop) {
        stop = tape->edits[tape->next].pos;
    }

    return stop;
}


/* Makes the next edit if it is due; returns whether it was. */

static uint64_t
art_tape_skip(art_tape_t *tape, uint64_t upto, art_str_t *out)
{
    size_t            rest;
    uint64_t          n;
    art_str_t         gone;
    art_tape_edit_t  *edit;

    if (tape->next == tape->nedits
        || tape->edits[tape->next].pos > tape->base)
    {
        return 0;
    }

    edit = &tape->edits[tape->next];

    if (edit->skip == ART_TAPE_TEXT || edit->skip == ART_TAPE_REST) {
        rest = edit->skip == ART_TAPE_REST;
        *out = art_str(tape->text + rest, tape->text_len - rest);
        tape->next++;
        return 1;
    }

    /* an edit of bytes already sent must not hold up the rest */

    if (edit->pos + edit->skip <= tape->base) {
        tape->next++;
        return 1;
    }

    n = upto < tape->pos ? upto : tape->pos;
    n = n < edit->pos + edit->skip ? n : edit->pos + edit->skip;

    if (n <= tape->base) {
        return 0;
    }

    edit->skip -= n - edit->pos;
    edit->pos = n;
    tape->next += edit->skip == 0;

    /* first what is held, then the piece */

    do {
        art_tape_pass(tape, n, &gone);
    } while (tape->base < n);

    return 1;
}


static void
art_tape_pass(art_tape_t *tape, uint64_t upto, art_str_t *out)
{
    size_t  n, held;

    n = (size_t) (upto - tape->base);
    held = tape->len - tape->from;

    if (held > 0) {
        n = n < held ? n : held;
        *out = art_str(tape->data + tape->from, n);
        tape->from += n;

    } else {
        *out = art_str(tape->piece, n);
        tape->piece += n;
    }

    tape->base += n;
}


static void
art_tape_spare(art_tape_t *tape)
{
    if (tape->next == tape->nedits && tape->base == tape->pos) {
        tape->next = 0;
        tape->settled = 0;
        tape->nedits = 0;

        if (tape->edits_room * sizeof(art_tape_edit_t) > ART_TAPE_SPARE) {
            free(tape->edits);
            tape->edits = NULL;
            tape->edits_room = 0;
        }
    }

    if (tape->from == tape->len) {
        tape->from = 0;
        tape->len = 0;

        if (tape->room > ART_TAPE_SPARE) {
            free(tape->data);
            tape->data = NULL;
            tape->room = 0;
        }
    }
}


void
art_tape_cut(art_tape_t *tape, uint64_t pos, uint64_t end)
{
    uint64_t          until;
    art_tape_edit_t  *last;

    if (tape->nedits > 0) {
        last = &tape->edits[tape->nedits - 1];
        until = last->pos + last->skip;

        pos = pos > until ? pos : until;

        if (pos >= end) {
            return;
        }

        if (pos == until && tape->nedits > tape->settled) {
            last->skip += end - pos;
            return;
        }
    }

    last = art_tape_edit(tape);

    if (last != NULL) {
        last->pos = pos;
        last->skip = end - pos;
    }
}


void
art_tape_put(art_tape_t *tape, uint64_t pos, uint64_t what)
{
    size_t            i;
    art_tape_edit_t  *edit;

    edit = art_tape_edit(tape);

    if (edit == NULL) {
        return;
    }

    for (i = tape->nedits - 1;
         i > tape->next && tape->edits[i - 1].pos >= pos;
         i--)
    {
        tape->edits[i] = tape->edits[i - 1];
    }

    tape->edits[i].pos = pos;
    tape->edits[i].skip = what;
    tape->settled = tape->nedits;
}


static art_tape_edit_t *
art_tape_edit(art_tape_t *tape)
{
    art_tape_edit_t  *edits;

    edits = art_array_grow(tape->edits, tape->nedits, &tape->edits_room,
                           sizeof(art_tape_edit_t));
    if (edits == NULL) {
        tape->failed = 1;
        return NULL;
    }

    tape->edits = edits;

    return &edits[tape->nedits++];
}
