
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * First what is known of an answer before its content comes: form, length,
 * memory, and the hash for its tag; head and tail, which may be cached, as
 * rendering them costs more than encoding a small content does.  Then the
 * stream.
 */


#include "core/base/art_hash.h"
#include "core/text/art_charset.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_scan.h"
#include "core/render/art_describe.h"
#include "core/render/art_render.h"


/* Bytes of a text, such as marks and escapes, that are not characters. */

#define ART_RENDER_TEXT_SLACK  4096


/* Pieces of an answer, in order; the content stands before the tail. */

enum {
    ART_RENDER_BEFORE = 0,       /* of the envelope */
    ART_RENDER_ITS_HEAD,
    ART_RENDER_ITS_TAIL,
    ART_RENDER_CUT,              /* of the envelope */
    ART_RENDER_AFTER
};


static uint64_t art_render_text_max(const art_render_conf_t *conf);
static void art_render_write_head(art_render_t *render);
static void art_render_write_tail(art_render_t *render);
static void art_render_set_hash(art_render_t *render);
static unsigned art_render_head(const art_render_t *render, art_form_t form,
    art_out_t *out);
static void art_render_tail(const art_render_t *render, art_out_t *out);
static unsigned art_render_is_open(const art_render_t *render);
static void art_render_measure(art_render_t *render);
static int art_render_hold(art_render_t *render, const uint8_t **src,
    size_t *len, unsigned last);
static void art_render_start(art_render_t *render);
static size_t art_render_body(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);
static size_t art_render_encode(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);
static unsigned art_render_is_cut(const art_render_t *render);
static void art_render_finish(art_render_t *render);
static void art_render_piece(art_render_t *render, unsigned piece);
static size_t art_render_copy(art_render_t *render, uint8_t *dst, size_t room);


void
art_render_init(art_render_t *render, const art_render_conf_t *conf)
{
    uint64_t  max;

    /* all but what a text holds, which is more than the rest */

    memset(render, 0, offsetof(art_render_t, text.in));

    render->conf = *conf;

    if (conf->memo != NULL) {
        render->form = conf->memo->form;
        render->level = conf->memo->level;
        render->hash = conf->memo->hash;
        render->state = ART_RENDER_HEAD;
        render->scratch = conf->memo->data;
        render->head_room = conf->memo->head_len;
        render->head_len = conf->memo->head_len;
        render->tail_len = conf->memo->tail_len;
        render->conf.draft = NULL;
        return;
    }

    /* a JSON document in another charset is only text (RFC 8259 8.1) */

    render->form = art_format_form(conf->format, conf->view,
                                   conf->json && conf->charset == NULL
                                   && (!conf->view->size_known
                                       || conf->view->size
                                          <= ART_RENDER_JSON_MAX));

    if (render->form == ART_FORM_JSON) {
        render->state = ART_RENDER_HOLD;
        render->hold_room = conf->view->size_known
                            ? (size_t) conf->view->size + 1
                            : ART_RENDER_JSON_MAX;

    } else {
        render->state = ART_RENDER_HEAD;
    }

    /* a character takes at least a byte, in any charset */

    max = art_render_text_max(conf);

    if (!conf->view->size_known || conf->view->size > max) {
        render->text_chars = max;
    }

    art_render_measure(render);
}


/* The format's limit, less the line that precedes a derived text. */

static uint64_t
art_render_text_max(const art_render_conf_t *conf)
{
    uint64_t   max;
    art_out_t  line;

    max = conf->format->text_max;

    if (max == 0 || conf->view->origin == NULL) {
        return max;
    }

    line = art_out(NULL, 0);
    art_describe_converted(&line, conf->view, 0);

    return max > line.len ? max - line.len : 1;
}


int
art_render_needs_content(const art_render_t *render)
{
    return render->form != ART_FORM_DESCRIBED
           && render->form != ART_FORM_URL
           && render->form != ART_FORM_CACHED;
}


void
art_render_memory(art_render_t *render, uint8_t *scratch, uint8_t *hold)
{
    render->memory = scratch;
    render->scratch = scratch;
    render->hold = hold;

    if (render->conf.draft != NULL
        && render->head_len + render->tail_len <= render->conf.draft_room)
    {
        memcpy(scratch, render->conf.draft, render->head_len);
        memcpy(scratch + render->head_room,
               render->conf.draft + render->head_len, render->tail_len);

    } else {
        art_render_write_head(render);
        art_render_write_tail(render);
    }

    render->conf.draft = NULL;

    art_render_set_hash(render);
}


/*
 * These two write into the scratch memory, and again after the form or the view
 * has changed.
 */

static void
art_render_write_head(art_render_t *render)
{
    art_out_t  out;

    out = art_out(render->memory, render->head_room);

    render->level = art_render_head(render, render->form, &out);
    render->head_len = out.len;
}


static void
art_render_write_tail(art_render_t *render)
{
    art_out_t  out;

    /* ends that were kept are those of what is not cut */

    if (render->memory == NULL) {
        return;
    }

    out = art_out(render->memory + render->head_room,
                  render->room - render->head_room);

    art_render_tail(render, &out);
    render->tail_len = out.len;
}


/* That of a description goes with its head. */

static void
art_render_tail(const art_render_t *render, art_out_t *out)
{
    if (render->form != ART_FORM_DESCRIBED) {
        (void) art_format_print(out, render->conf.format, render->form,
                                render->conf.view, 1);
    }
}


/*
 * The form of a JSON document may still change, and so may the tail of a text
 * that may be cut.
 */

static unsigned
art_render_is_open(const art_render_t *render)
{
    return render->form == ART_FORM_JSON
           || (render->form == ART_FORM_TEXT
               && (render->conf.text_max != 0 || render->text_chars != 0));
}


size_t
art_render_memo_size(const art_render_t *render)
{
    if (render->form == ART_FORM_JSON
        || (render->form == ART_FORM_TEXT
            && (art_render_may_cut(render->conf.view, render->conf.text_max)
                || render->text_chars != 0)))
    {
        return 0;
    }

    return sizeof(art_render_memo_t) + render->head_len + render->tail_len;
}


void
art_render_memo_make(const art_render_t *render, art_render_memo_t *memo)
{
    memo->form = render->form;
    memo->level = render->level;
    memo->hash = render->hash;
    memo->head_len = render->head_len;
    memo->tail_len = render->tail_len;

    memcpy(memo->data, render->scratch, render->head_len);
    memcpy(memo->data + render->head_len, render->scratch + render->head_room,
           render->tail_len);
}


void
art_render_memo_answer(const art_render_t *render, const uint8_t *answer,
    size_t len, art_render_memo_t *memo)
{
    memo->form = ART_FORM_CACHED;
    memo->level = 0;
    memo->hash = render->hash;
    memo->head_len = len;
    memo->tail_len = 0;

    memcpy(memo->data, answer, len);
}


int
art_render_may_cut(const art_view_t *view, uint64_t max)
{
    return max != 0 && (!view->size_known || view->size > max / 3);
}


uint64_t
art_render_input_limit(const art_render_t *render)
{
    uint64_t  max;

    max = render->conf.text_max;

    if (max == 0 || (render->text_chars != 0 && max > render->text_chars)) {
        max = render->text_chars;
    }

    if (render->form != ART_FORM_TEXT || max == 0 || max > UINT32_MAX) {
        return 0;
    }

    /* a byte of UTF-8, or a character, takes at most 8 bytes in any charset */

    return 8 * max + ART_RENDER_TEXT_SLACK;
}


int
art_render_length(const art_render_t *render, uint64_t *length)
{
    uint64_t               size;
    const art_envelope_t  *envelope;

    envelope = &render->conf.envelope;
    size = envelope->before.len + envelope->after.len + render->head_len;

    if (!art_render_needs_content(render)) {
        *length = size;
        return 1;
    }

    if (render->form != ART_FORM_BASE64 || !render->conf.view->size_known) {
        return 0;
    }

    *length = size + render->tail_len
              + ART_BASE64_LEN(render->conf.view->size);

    return 1;
}


static void
art_render_set_hash(art_render_t *render)
{
    uint64_t  hash;

    hash = art_hash_words(ART_HASH_INIT, &render->form, sizeof(render->form));
    hash = art_hash_words(hash, &render->conf.lines, sizeof(unsigned));
    hash = art_hash_words(hash, &render->conf.text_max, sizeof(uint64_t));
    hash = art_hash_words(hash, render->conf.format->name,
                          strlen(render->conf.format->name));

    if (render->conf.nuls) {
        hash = art_hash_words(hash, &render->conf.nuls, sizeof(unsigned));
    }

    if (render->conf.charset != NULL) {
        hash = art_hash_words(hash, render->conf.charset,
                              strlen(render->conf.charset));
    }

    hash = art_hash_words(hash, render->scratch, render->head_len);

    render->hash = art_hash_words(hash, render->scratch + render->head_room,
                                  render->tail_len);
}


/*
 * A description goes with the head, so the head is the whole answer.  Returns
 * the JSON escaping level of the body.
 */

static unsigned
art_render_head(const art_render_t *render, art_form_t form, art_out_t *out)
{
    unsigned           level;
    const art_view_t  *view;

    view = render->conf.view;

    level = art_format_print(out, render->conf.format, form, view, 0);

    if (form != ART_FORM_DESCRIBED || level == 0) {
        return level;
    }

    if (render->conf.description.len > 0) {
        art_json_string(out, render->conf.description, level);

    } else {
        art_describe(out, view, level);
    }

    return art_format_print(out, render->conf.format, form, view, 1);
}


/*
 * Measures head and tail, into the draft: a JSON document may still turn out to
 * be text, and a text to be cut.
 */

static void
art_render_measure(art_render_t *render)
{
    unsigned   truncated;
    art_out_t  out;

    out = art_out(render->conf.draft, render->conf.draft_room);

    render->level = art_render_head(render, render->form, &out);
    render->head_len = out.len;
    render->head_room = out.len;

    art_render_tail(render, &out);
    render->tail_len = out.len - render->head_len;

    render->room = render->head_room + render->tail_len;

    if (!art_render_is_open(render)) {
        return;
    }

    if (render->form == ART_FORM_JSON) {
        out = art_out(NULL, 0);
        (void) art_render_head(render, ART_FORM_TEXT, &out);

        if (out.len > render->head_room) {
            render->head_room = out.len;
        }
    }

    truncated = render->conf.view->truncated;
    render->conf.view->truncated = 1;

    out = art_out(NULL, 0);
    art_render_tail(render, &out);

    render->conf.view->truncated = truncated & 1;

    /* a text form's tail has a quote more than a JSON form's */

    render->room = render->head_room + out.len + 1;
}


size_t
art_render_update(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last)
{
    size_t  n, written;

    written = 0;

    if (render->state == ART_RENDER_HOLD
        && !art_render_hold(render, src, len, last))
    {
        return 0;
    }

    if (render->state == ART_RENDER_HEAD) {

        if (!render->started) {
            art_render_start(render);
        }

        written = art_render_copy(render, dst, room);

        if (render->left > 0) {
            return written;
        }

        if (art_render_needs_content(render)) {
            render->state = ART_RENDER_BODY;

        } else {
            art_render_finish(render);
        }
    }

    if (render->state == ART_RENDER_BODY) {
        n = art_render_body(render, dst + written, room - written, src, len,
                            last);
        if (n == ART_JSON_TEXT_ERROR) {
            return n;
        }

        written += n;
    }

    if (render->state == ART_RENDER_TAIL) {
        written += art_render_copy(render, dst + written, room - written);

        if (render->left == 0) {
            render->state = ART_RENDER_DONE;
        }
    }

    if (render->state == ART_RENDER_DONE && *len > 0) {
        *src += *len;
        *len = 0;
    }

    return written;
}


int
art_render_is_blank(const art_render_t *render)
{
    return render->form == ART_FORM_TEXT && !render->text.shown;
}


void
art_render_close(art_render_t *render)
{
    if (render->open) {
        art_json_text_done(&render->text);
        render->open = 0;
    }
}


/* Collects a JSON document; 0 while it is incomplete. */

static int
art_render_hold(art_render_t *render, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t  n, mark;

    n = render->hold_room - render->held;

    if (n > *len) {
        n = *len;
    }

    if (n > 0) {
        memcpy(render->hold + render->held, *src, n);

        render->held += n;
        *src += n;
        *len -= n;
    }

    if (*len == 0 && !last) {
        return 0;
    }

    (void) art_charset_mark(render->hold, render->held, 1, &mark);

    if (*len > 0
        || (render->conf.text_max != 0
            && render->held - mark > render->conf.text_max)
        || !art_json_valid(render->hold + mark, render->held - mark))
    {
        render->form = ART_FORM_TEXT;
        art_render_write_head(render);
        art_render_write_tail(render);

    } else {
        render->hold_pos = mark;
    }

    render->state = ART_RENDER_HEAD;

    return 1;
}


/* The form is final now. */

static void
art_render_start(art_render_t *render)
{
    render->started = 1;
    art_render_piece(render, ART_RENDER_BEFORE);

    if (render->form == ART_FORM_TEXT) {
        art_json_text_init(&render->text, render->conf.charset,
                           render->conf.text_max, render->level);
        render->open = 1;

        if (render->conf.lines) {
            art_json_text_lines(&render->text);
        }

        if (render->conf.nuls) {
            art_json_text_nuls(&render->text);
        }

        if (render->text_chars != 0) {
            art_json_text_limit(&render->text, render->text_chars);
        }
    }
}


/* Encodes what was held first, then the input. */

static size_t
art_render_body(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last)
{
    size_t          n, written, held;
    const uint8_t  *p;

    written = 0;

    if (render->hold_pos < render->held) {
        p = render->hold + render->hold_pos;
        held = render->held - render->hold_pos;

        written = art_render_encode(render, dst, room, &p, &held,
                                    last && *len == 0);

        render->hold_pos = render->held - held;

        if (written == ART_JSON_TEXT_ERROR || held > 0
            || render->state != ART_RENDER_BODY)
        {
            return written;
        }
    }

    if (*len == 0 && !last) {
        return written;
    }

    n = art_render_encode(render, dst + written, room - written, src, len,
                          last);

    return n == ART_JSON_TEXT_ERROR ? n : written + n;
}


/* Encodes one piece; the tail starts after the last one. */

static size_t
art_render_encode(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last)
{
    size_t  n, before;

    before = *len;

    switch (render->form) {

    case ART_FORM_TEXT:

        if (room < ART_JSON_UNIT_MAX) {
            return 0;
        }

        n = art_json_text_update(&render->text, dst, room, src, len, last);
        render->consumed += before - *len;

        if (n == ART_JSON_TEXT_ERROR) {
            return n;
        }

        if (render->text.truncated || (n == 0 && *len == 0 && last)) {
            if (art_render_is_cut(render)) {
                render->conf.view->truncated = 1;
                art_render_write_tail(render);
            }

            art_render_finish(render);
        }

        return n;

    case ART_FORM_JSON:
        n = *len < room ? *len : room;

        if (n > 0) {
            memcpy(dst, *src, n);

            *src += n;
            *len -= n;
        }

        if (*len == 0 && last) {
            art_render_finish(render);
        }

        return n;

    default:  /* base64 */
        n = art_base64_update(&render->base64, dst, room, src, len);

        if (*len == 0 && last) {

            if (render->base64.n > 0 && room - n < 4) {
                return n;
            }

            n += art_base64_final(&render->base64, dst + n, room - n);
            art_render_finish(render);
        }

        return n;
    }
}


/* Whether the converter cut the text, or its source stopped at the limit. */

static unsigned
art_render_is_cut(const art_render_t *render)
{
    uint64_t  limit;

    limit = art_render_input_limit(render);

    return render->text.truncated
           || (limit != 0 && render->consumed == limit
               && render->conf.view->size_known
               && render->conf.view->size > limit);
}


static void
art_render_finish(art_render_t *render)
{
    art_render_piece(render, ART_RENDER_ITS_TAIL);
    render->state = ART_RENDER_TAIL;
}


static void
art_render_piece(art_render_t *render, unsigned piece)
{
    art_str_t              text;
    const art_envelope_t  *envelope;

    envelope = &render->conf.envelope;

    switch (piece) {

    case ART_RENDER_BEFORE:
        text = envelope->before;
        break;

    case ART_RENDER_ITS_HEAD:
        text = art_str(render->scratch, render->head_len);
        break;

    case ART_RENDER_ITS_TAIL:
        text = art_str(render->scratch + render->head_room, render->tail_len);
        break;

    case ART_RENDER_CUT:
        text = art_str(envelope->cut.data,
                       render->conf.view->truncated ? envelope->cut.len : 0);
        break;

    default:  /* ART_RENDER_AFTER */
        text = envelope->after;
    }

    render->piece = piece;
    render->out = text.data;
    render->left = text.len;
}


/* Writes the pieces of the head, or of the tail, one after the other. */

static size_t
art_render_copy(art_render_t *render, uint8_t *dst, size_t room)
{
    size_t  n, written;

    written = 0;

    for ( ;; ) {
        n = render->left < room - written ? render->left : room - written;

        if (n > 0) {
            memcpy(dst + written, render->out, n);

            written += n;
            render->out += n;
            render->left -= n;
        }

        if (render->left > 0 || render->piece == ART_RENDER_ITS_HEAD
            || render->piece == ART_RENDER_AFTER)
        {
            return written;
        }

        art_render_piece(render, render->piece + 1);
    }
}
