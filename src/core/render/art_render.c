
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_charset.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_scan.h"
#include "core/render/art_render.h"
#include "core/render/art_render_int.h"


static int art_render_hold(art_render_t *render, const uint8_t **src,
    size_t *len, unsigned last);
static void art_render_start(art_render_t *render);
static size_t art_render_body(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);
static size_t art_render_encode(art_render_t *render, uint8_t *dst,
    size_t room, const uint8_t **src, size_t *len, unsigned last);
static unsigned art_render_is_cut(const art_render_t *render);
static void art_render_finish(art_render_t *render);
static size_t art_render_copy(art_render_t *render, uint8_t *dst,
    size_t room);


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

        render->state = art_render_needs_content(render) ? ART_RENDER_BODY
                                                         : ART_RENDER_DONE;
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


void
art_render_close(art_render_t *render)
{
    if (render->open) {
        art_json_text_done(&render->text);
        render->open = 0;
    }
}


/* Collects a JSON document; 0 while more of it is wanted. */

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
    render->out = render->scratch;
    render->left = render->head_len;

    if (render->form == ART_FORM_TEXT) {
        art_json_text_init(&render->text, render->conf.charset,
                           render->conf.text_max,
                           art_render_level(render, render->form));
        render->open = 1;

        if (render->text_chars != 0) {
            art_json_text_limit(&render->text, render->text_chars);
        }
    }
}


/* The body comes from what was held first, then from the input. */

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


/* Encodes one piece; with the end of the last one the tail begins. */

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
        render->taken += before - *len;

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


/* By the converter, or by a source that brought no more than the limit. */

static unsigned
art_render_is_cut(const art_render_t *render)
{
    uint64_t  limit;

    limit = art_render_input_limit(render);

    return render->text.truncated
           || (limit != 0 && render->taken == limit
               && render->conf.view->size_known
               && render->conf.view->size > limit);
}


static void
art_render_finish(art_render_t *render)
{
    render->out = render->scratch + render->head_room;
    render->left = render->tail_len;
    render->state = ART_RENDER_TAIL;
}


static size_t
art_render_copy(art_render_t *render, uint8_t *dst, size_t room)
{
    size_t  n;

    n = render->left < room ? render->left : room;

    memcpy(dst, render->out, n);

    render->out += n;
    render->left -= n;

    return n;
}
