
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where the bytes of an answer go: until the data begin they are held, and the
 * changes are noted; after them the changes are made as the bytes come.
 */


#include "core/offload/art_offload_int.h"


static void art_offload_delay(art_offload_t *off, const uint8_t *p, size_t n);
static void art_offload_block(art_offload_t *off);
static void art_offload_give_up(art_offload_t *off);
static void art_offload_add(art_offload_t *off, uint64_t pos,
    const char *text);


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

    if (art_offload_is_held(off) && n > ART_OFFLOAD_HELD - off->held_len) {
        art_offload_release(off);
    }

    if (art_offload_is_held(off)) {
        memcpy(off->held + off->held_len, p, n);
        off->held_len += n;

    } else if (off->state == ART_OFFLOAD_AT_RUN) {
        art_offload_delay(off, p, n);

    } else if (off->state == ART_OFFLOAD_AT_OUT) {
        art_offload_sink(off, off->sink.out, p, n);

    } else if (off->state != ART_OFFLOAD_AT_DROP) {
        art_offload_sink(off, off->sink.raw, p, n);
    }
}


/* The last bytes of a run stay held. */

static void
art_offload_delay(art_offload_t *off, const uint8_t *p, size_t n)
{
    size_t  pass;

    if (n > ART_OFFLOAD_HELD - off->held_len) {
        pass = off->held_len + n - ART_OFFLOAD_LATE;

        if (pass < off->held_len) {
            art_offload_unhold(off, off->held_pos + pass, off->sink.raw);

        } else {
            pass -= off->held_len;
            art_offload_unhold(off, off->held_pos + off->held_len,
                               off->sink.raw);
            art_offload_sink(off, off->sink.raw, p, pass);

            off->held_pos += pass;
            p += pass;
            n -= pass;
        }
    }

    memcpy(off->held + off->held_len, p, n);
    off->held_len += n;
}


void
art_offload_unhold(art_offload_t *off, uint64_t pos, art_sink_pt sink)
{
    size_t  n;

    n = (size_t) (pos - off->held_pos);

    art_offload_sink(off, sink, off->held, n);

    off->held_pos = pos;
    off->held_len -= n;
    memmove(off->held, off->held + n, off->held_len);
}


void
art_offload_hold(art_offload_t *off, uint64_t pos,
    art_offload_state_t state)
{
    art_offload_route(off, pos);

    off->state = state;
    off->held_pos = pos;
    off->held_len = 0;
    off->nedits = 0;
}


void
art_offload_release(art_offload_t *off)
{
    if (art_offload_is_waiting(off)) {
        art_offload_give_up(off);
        return;
    }

    if (off->state == ART_OFFLOAD_AT_UNIT) {
        off->unit.lost = 1;
    }

    if (off->state != ART_OFFLOAD_AT_DROP) {
        art_offload_sink(off, off->sink.out, off->held, off->held_len);
        off->held_len = 0;
    }

    off->state = ART_OFFLOAD_AT_OUT;
}


/*
 * What was held after the value follows it.  Reading stops until the caller has
 * decided about the value: another unit would hold its bytes in the same
 * buffer.
 */

static void
art_offload_give_up(art_offload_t *off)
{
    art_lex_stop(&off->lex);

    off->state = ART_OFFLOAD_AT_REFUSED;

    art_offload_sink(off, off->sink.raw, off->held + off->gap,
                     off->held_len - off->gap);
    off->held_len = off->gap;
}


int
art_offload_left(art_offload_t *off)
{
    /* what follows a run is searched */

    if (off->state == ART_OFFLOAD_AT_FOUND) {
        off->state = ART_OFFLOAD_AT_FIND;
        return off->failed ? ART_ERROR : ART_OK;
    }

    if (off->state == ART_OFFLOAD_AT_RUN) {
        art_offload_unhold(off, off->held_pos + off->held_len, off->sink.raw);
    }

    if (art_offload_is_waiting(off)) {
        art_offload_give_up(off);
    }

    off->state = ART_OFFLOAD_AT_OUT;
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
    off->taken++;

    if (off->state == ART_OFFLOAD_AT_FOUND) {
        off->state = ART_OFFLOAD_AT_FIND;
        art_offload_sink(off, off->sink.out, made->marker.data,
                         made->marker.len);
        return off->failed ? ART_ERROR : ART_OK;
    }

    off->unit.made = 1;

    if (off->api->block != NULL) {
        art_offload_block(off);
        return off->failed ? ART_ERROR : ART_OK;
    }

    off->state = ART_OFFLOAD_AT_OUT;
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


static void
art_offload_block(art_offload_t *off)
{
    size_t               i;
    art_offload_edit_t  *edit;

    art_offload_print(off, off->api->block);

    for (i = 0; i < off->nedits; i++) {
        edit = &off->edits[i];

        art_offload_sink(off, off->sink.out, (const uint8_t *) ",", 1);
        art_offload_sink(off, off->sink.out, off->held + edit->pos,
                         edit->skip);
    }

    off->state = ART_OFFLOAD_AT_DROP;

    if (!off->unit.open) {
        art_offload_sink(off, off->sink.out, (const uint8_t *) "}", 1);
        off->state = ART_OFFLOAD_AT_OUT;

    } else if (off->unit.keeping) {
        i = (size_t) (off->unit.key - off->unit.pos - off->gone);
        art_offload_sink(off, off->sink.out, (const uint8_t *) ",", 1);
        art_offload_sink(off, off->sink.out, off->held + i,
                         off->held_len - i);
        off->state = ART_OFFLOAD_AT_OUT;
    }

    off->held_len = 0;
}


void
art_offload_keep(art_offload_t *off, uint64_t pos)
{
    off->unit.keeping = 1;
    off->unit.key = pos;

    if (!off->unit.made) {
        return;
    }

    /* the key may be held */

    if (off->state == ART_OFFLOAD_AT_DROP) {
        art_offload_route(off, pos);
    }

    art_offload_sink(off, off->sink.out, (const uint8_t *) ",", 1);
    art_offload_release(off);
}


void
art_offload_kept(art_offload_t *off, uint64_t end)
{
    if (!off->unit.keeping) {
        return;
    }

    off->unit.keeping = 0;

    if (off->unit.made) {
        art_offload_route(off, end);
        off->state = ART_OFFLOAD_AT_DROP;

    } else {
        art_offload_edit(off, off->unit.key, end, NULL);
    }
}


void
art_offload_print(art_offload_t *off, const char *text)
{
    art_out_t    out;
    art_str_t    value;
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
            value = off->made.uri;
            break;

        case 'n':
            value = off->made.name;
            break;

        case 't':
            value = off->made.text;
            break;

        case 'm':
            value = off->made.mime;
            break;

        default: /* 's' */
            out = art_out(digits, sizeof(digits));
            art_out_uint(&out, off->made.size);
            value = art_str(digits, out.len);
        }

        art_offload_sink(off, off->sink.out, value.data, value.len);
        text += 2;
    }
}


void
art_offload_edit(art_offload_t *off, uint64_t pos, uint64_t end,
    const char *text)
{
    art_offload_edit_t  *edit;

    if (off->nedits == ART_OFFLOAD_EDITS) {
        off->unit.lost = 1;
        return;
    }

    edit = &off->edits[off->nedits++];

    edit->pos = (size_t) (pos - off->unit.pos
                          - (art_offload_is_waiting(off) ? off->gone : 0));
    edit->skip = (size_t) (end - pos);
    edit->text = text;
}


void
art_offload_missing(art_offload_t *off, uint64_t pos)
{
    if (!off->unit.uri_came && off->api->uri_member != NULL) {
        art_offload_add(off, pos, off->api->uri_member);
    }

    if (!off->unit.mime_came && off->api->mime_member != NULL) {
        art_offload_add(off, pos, off->api->mime_member);
    }

    off->unit.uri_came = 1;
    off->unit.mime_came = 1;
}


static void
art_offload_add(art_offload_t *off, uint64_t pos, const char *text)
{
    if (art_offload_is_waiting(off)) {
        art_offload_edit(off, pos, pos, text);
        return;
    }

    art_offload_route(off, pos);

    if (off->made.mime.len > 0 || strstr(text, "%m") == NULL) {
        art_offload_print(off, text);
    }
}
