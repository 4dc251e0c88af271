
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the bytes of an answer go: out, or aside until it is known what becomes
 * of them.
 */


#include "core/offload/art_offload_int.h"


void
art_offload_sink(art_offload_t *off, art_sink_pt sink, const uint8_t *p,
    size_t len)
{
    if (len > 0 && !off->failed && sink(off->sink.data, p, len) != ART_OK) {
        off->failed = 1;
    }
}


void
art_offload_route(art_offload_t *off, uint64_t end)
{
    size_t          n;
    const uint8_t  *p;

    if (end <= off->routed) {
        return;
    }

    n = (size_t) (end - off->routed);
    p = off->piece + (off->routed - off->piece_pos);
    off->routed = end;

    if (off->to == ART_OFFLOAD_TO_HELD && n > ART_OFFLOAD_HELD - off->held_len)
    {
        art_offload_release(off);
    }

    switch (off->to) {

    case ART_OFFLOAD_TO_OUT:
        art_offload_sink(off, off->sink.out, p, n);
        break;

    case ART_OFFLOAD_TO_RAW:
        art_offload_sink(off, off->sink.raw, p, n);
        break;

    default:
        memcpy(off->held + off->held_len, p, n);
        off->held_len += n;
    }
}


void
art_offload_hold(art_offload_t *off, uint64_t pos)
{
    art_offload_route(off, pos);

    off->to = ART_OFFLOAD_TO_HELD;
    off->held_len = 0;
    off->nedits = 0;
}


/* What it was held for does not come about. */

void
art_offload_release(art_offload_t *off)
{
    if (off->waiting) {
        art_offload_give_up(off);
        return;
    }

    off->to = ART_OFFLOAD_TO_OUT;

    if (!off->tentative && !off->replacing) {
        off->unit.lost = 1;
    }

    off->tentative = 0;
    off->replacing = 0;

    art_offload_sink(off, off->sink.out, off->held, off->held_len);
    off->held_len = 0;
}


void
art_offload_drop(art_offload_t *off)
{
    off->to = ART_OFFLOAD_TO_OUT;
    off->replacing = 0;
    off->held_len = 0;
}


/*
 * What was held behind the value follows it.  Nothing more is read before the
 * caller has said what becomes of it: another unit would hold its bytes in the
 * same place.
 */

void
art_offload_give_up(art_offload_t *off)
{
    art_lex_stop(&off->lex);

    off->other = 1;
    off->waiting = 0;
    off->to = ART_OFFLOAD_TO_RAW;

    art_offload_sink(off, off->sink.raw, off->held + off->gap,
                     off->held_len - off->gap);
    off->held_len = off->gap;
}


int
art_offload_left(art_offload_t *off)
{
    if (off->waiting) {
        art_offload_give_up(off);
    }

    off->to = ART_OFFLOAD_TO_OUT;
    off->reading = 0;
    off->unit.lost = 1;
    off->unit.open &= off->unit.depth > 0;

    art_offload_sink(off, off->sink.out, off->held, off->held_len);
    off->held_len = 0;

    return off->failed ? ART_ERROR : ART_OK;
}


int
art_offload_made(art_offload_t *off, const art_offload_made_t *made)
{
    size_t               i, pos;
    art_offload_edit_t  *edit;

    off->made = *made;
    off->to = ART_OFFLOAD_TO_OUT;
    off->reading = 0;
    off->waiting = 0;

    off->unit.made = 1;
    off->unit.open &= off->unit.depth > 0;
    pos = 0;

    for (i = 0; i < off->nedits; i++) {
        edit = &off->edits[i];

        art_offload_sink(off, off->sink.out, off->held + pos, edit->pos - pos);
        pos = edit->pos;

        if (made->mime.len > 0 || strstr(edit->text, "%m") == NULL) {
            art_offload_print(off, edit->text);
            pos += edit->skip;
        }
    }

    art_offload_sink(off, off->sink.out, off->held + pos, off->held_len - pos);
    off->held_len = 0;

    return off->failed ? ART_ERROR : ART_OK;
}


void
art_offload_print(art_offload_t *off, const char *text)
{
    art_out_t    out;
    uint8_t      digits[20];
    const char  *p;

    for (p = text; *p != '\0'; p = text) {

        text = p + strcspn(p, "%");
        art_offload_sink(off, off->sink.out, (const uint8_t *) p,
                         (size_t) (text - p));

        if (*text == '\0') {
            return;
        }

        switch (text[1]) {

        case 'u':
            art_offload_sink(off, off->sink.out, off->made.uri.data,
                             off->made.uri.len);
            break;

        case 'n':
            art_offload_sink(off, off->sink.out, off->made.name.data,
                             off->made.name.len);
            break;

        case 'm':
            art_offload_sink(off, off->sink.out, off->made.mime.data,
                             off->made.mime.len);
            break;

        default: /* 's' */
            out = art_out(digits, sizeof(digits));
            art_out_uint(&out, off->made.size);
            art_offload_sink(off, off->sink.out, digits, out.len);
        }

        text += 2;
    }
}
