
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <jansson.h>

#include "art_describe.h"
#include "art_render.h"


static void art_render_head(const art_render_t *render, art_form_t form,
    art_out_t *out);
static void art_render_tail(const art_render_t *render, art_out_t *out);
static size_t art_render_measure(const art_render_t *render);
static const char *art_render_template(const art_render_t *render,
    art_form_t form);
static int art_render_hold(art_render_t *render, const uint8_t **src,
    size_t *len, unsigned last);
static int art_render_json_valid(const uint8_t *p, size_t len);
static void art_render_start(art_render_t *render);
static size_t art_render_body(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);
static size_t art_render_encode(art_render_t *render, uint8_t *dst,
    size_t room, const uint8_t **src, size_t *len, unsigned last);
static void art_render_finish(art_render_t *render);
static size_t art_render_copy(art_render_t *render, uint8_t *dst,
    size_t room);


void
art_render_init(art_render_t *render, const art_render_conf_t *conf)
{
    memset(render, 0, sizeof(*render));

    render->conf = *conf;

    /* a JSON document in another charset is only text (RFC 8259 8.1) */

    render->form = art_format_form(conf->format, conf->view,
                                   conf->json && conf->charset == NULL
                                   && (!conf->view->size_known
                                       || conf->view->size
                                          <= ART_RENDER_JSON_MAX));

    render->state = render->form == ART_FORM_JSON ? ART_RENDER_HOLD
                                                  : ART_RENDER_HEAD;
    render->room = art_render_measure(render);
}


int
art_render_needs_content(const art_render_t *render)
{
    return render->form != ART_FORM_DESCRIBED;
}


int
art_render_needs_hold(const art_render_t *render)
{
    return render->form == ART_FORM_JSON;
}


void
art_render_memory(art_render_t *render, uint8_t *scratch, uint8_t *hold)
{
    render->scratch = scratch;
    render->hold = hold;
}


int
art_render_length(const art_render_t *render, uint64_t *length)
{
    art_out_t  out;

    memset(&out, 0, sizeof(out));

    art_render_head(render, render->form, &out);

    if (render->form == ART_FORM_DESCRIBED) {
        *length = out.len;
        return 1;
    }

    if (!art_form_is_base64(render->form)
        || !render->conf.view->size_known)
    {
        return 0;
    }

    art_render_tail(render, &out);

    *length = out.len + ART_BASE64_LEN(render->conf.view->size);

    return 1;
}


uint64_t
art_render_hash(const art_render_t *render)
{
    uint64_t   hash;
    art_out_t  out;

    hash = art_hash(ART_HASH_INIT, &render->form, sizeof(render->form));
    hash = art_hash(hash, &render->conf.text_max, sizeof(uint64_t));

    if (render->conf.charset != NULL) {
        hash = art_hash(hash, render->conf.charset,
                        strlen(render->conf.charset));
    }

    out.data = render->scratch;
    out.room = render->room;
    out.len = 0;

    art_render_head(render, render->form, &out);
    hash = art_hash(hash, out.data, out.len);

    if (render->form != ART_FORM_DESCRIBED) {
        out.len = 0;
        art_render_tail(render, &out);
        hash = art_hash(hash, out.data, out.len);
    }

    return hash;
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

        if (render->len == 0) {
            art_render_start(render);
        }

        written = art_render_copy(render, dst, room);

        if (render->pos < render->len) {
            return written;
        }

        render->state = render->form == ART_FORM_DESCRIBED ? ART_RENDER_DONE
                                                           : ART_RENDER_BODY;
    }

    if (render->state == ART_RENDER_BODY) {
        n = art_render_body(render, dst + written, room - written, src, len,
                            last);
        if (n == ART_TEXT_ERROR) {
            return n;
        }

        written += n;
    }

    if (render->state == ART_RENDER_TAIL) {
        written += art_render_copy(render, dst + written, room - written);

        if (render->pos == render->len) {
            render->state = ART_RENDER_DONE;
        }
    }

    if (render->state == ART_RENDER_DONE) {
        *src += *len;
        *len = 0;
    }

    return written;
}


void
art_render_close(art_render_t *render)
{
    if (render->open) {
        art_text_done(&render->text);
        render->open = 0;
    }
}


/* Collects a JSON document; 0 while more of it is wanted. */

static int
art_render_hold(art_render_t *render, const uint8_t **src, size_t *len,
    unsigned last)
{
    size_t  n;

    n = ART_RENDER_JSON_MAX - render->held;

    if (n > *len) {
        n = *len;
    }

    memcpy(render->hold + render->held, *src, n);

    render->held += n;
    *src += n;
    *len -= n;

    if (*len == 0 && !last) {
        return 0;
    }

    if (*len > 0 || !art_render_json_valid(render->hold, render->held)) {
        render->form = ART_FORM_TEXT;
    }

    render->state = ART_RENDER_HEAD;

    return 1;
}


/* Any JSON value; numbers of any length and \u0000 are sound JSON, too. */

static int
art_render_json_valid(const uint8_t *p, size_t len)
{
    json_t  *json;

    json = json_loadb((const char *) p, len,
                      JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL
                      | JSON_ALLOW_NUL, NULL);
    if (json == NULL) {
        return 0;
    }

    json_decref(json);

    return 1;
}


/* Fills the scratch with the head; the form is final now. */

static void
art_render_start(art_render_t *render)
{
    unsigned   level;
    art_out_t  out;

    out.data = render->scratch;
    out.room = render->room;
    out.len = 0;

    art_render_head(render, render->form, &out);

    render->len = out.len;
    render->pos = 0;

    if (render->form == ART_FORM_TEXT) {
        level = art_format_body_level(art_render_template(render,
                                                          render->form));
        art_text_init(&render->text, render->conf.charset,
                      render->conf.text_max, level);
        render->open = 1;
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

        if (written == ART_TEXT_ERROR || held > 0
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

    return n == ART_TEXT_ERROR ? n : written + n;
}


/* Encodes one piece; with the end of the last one the tail begins. */

static size_t
art_render_encode(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last)
{
    size_t  n;

    switch (render->form) {

    case ART_FORM_TEXT:

        if (room < ART_JSON_UNIT_MAX) {
            return 0;
        }

        n = art_text_update(&render->text, dst, room, src, len, last);

        if (n == 0 && *len == 0 && last) {
            render->conf.view->truncated = render->text.truncated;
            art_render_finish(render);
        }

        return n;

    case ART_FORM_JSON:
        n = *len < room ? *len : room;
        memcpy(dst, *src, n);

        *src += n;
        *len -= n;

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


static void
art_render_finish(art_render_t *render)
{
    art_out_t  out;

    out.data = render->scratch;
    out.room = render->room;
    out.len = 0;

    art_render_tail(render, &out);

    render->len = out.len;
    render->pos = 0;
    render->state = ART_RENDER_TAIL;
}


static size_t
art_render_copy(art_render_t *render, uint8_t *dst, size_t room)
{
    size_t  n;

    n = render->len - render->pos;

    if (n > room) {
        n = room;
    }

    memcpy(dst, render->scratch + render->pos, n);
    render->pos += n;

    return n;
}


/* A description goes with the head, so the head is the whole answer. */

static void
art_render_head(const art_render_t *render, art_form_t form, art_out_t *out)
{
    unsigned           level;
    const char        *template;
    const art_view_t  *view;

    view = render->conf.view;
    template = art_render_template(render, form);

    art_format_head(out, template, view);

    if (form != ART_FORM_DESCRIBED) {
        return;
    }

    level = art_format_body_level(template);

    if (level == 0) {
        return;
    }

    if (render->conf.description.len > 0) {
        art_json_string(out, render->conf.description, level);

    } else {
        art_describe(out, view, level);
    }

    art_format_tail(out, template, view);
}


static void
art_render_tail(const art_render_t *render, art_out_t *out)
{
    art_format_tail(out, art_render_template(render, render->form),
                    render->conf.view);
}


/*
 * The most that head or tail may take: a JSON document may still turn out to
 * be text, and a text may still turn out to be cut.
 */

static size_t
art_render_measure(const art_render_t *render)
{
    size_t      max;
    unsigned    truncated;
    art_out_t   out;

    memset(&out, 0, sizeof(out));

    art_render_head(render, render->form, &out);
    max = out.len;

    if (render->form == ART_FORM_JSON) {
        out.len = 0;
        art_render_head(render, ART_FORM_TEXT, &out);
        max = out.len > max ? out.len : max;
    }

    truncated = render->conf.view->truncated;
    render->conf.view->truncated = 1;

    out.len = 0;
    art_format_tail(&out, art_render_template(render, render->form),
                    render->conf.view);

    render->conf.view->truncated = truncated & 1;

    /* a text form's tail has a quote more than a JSON form's */

    return (out.len > max ? out.len : max) + 1;
}


static const char *
art_render_template(const art_render_t *render, art_form_t form)
{
    return render->conf.format->forms[form];
}
