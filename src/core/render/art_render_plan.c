
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What is known of an answer before its content comes: form, length, memory,
 * and the hash for its tag; head and tail, which may be remembered, as
 * rendering them costs more than encoding a small content does.
 */


#include "core/base/art_hash.h"
#include "core/json/art_json_escape.h"
#include "core/render/art_describe.h"
#include "core/render/art_render_int.h"
#include "core/render/art_render_plan.h"


/* Bytes of a text that may stand for none of its characters. */

#define ART_RENDER_TEXT_SLACK  4096


static void art_render_measure(art_render_t *render);
static void art_render_set_hash(art_render_t *render);
static void art_render_head(const art_render_t *render, art_form_t form,
    art_out_t *out);


void
art_render_init(art_render_t *render, const art_render_conf_t *conf)
{
    memset(render, 0, sizeof(*render));

    render->conf = *conf;

    if (conf->memo != NULL) {
        render->form = conf->memo->form;
        render->hash = conf->memo->hash;
        render->state = ART_RENDER_HEAD;
        render->scratch = conf->memo->data;
        render->head_room = conf->memo->head_len;
        render->head_len = conf->memo->head_len;
        render->tail_len = conf->memo->tail_len;
        return;
    }

    /* a JSON document in another charset is only text (RFC 8259 8.1) */

    render->form = art_format_form(conf->format, conf->view,
                                   conf->json && conf->charset == NULL
                                   && (!conf->view->size_known
                                       || conf->view->size
                                          <= ART_RENDER_JSON_MAX));

    render->state = render->form == ART_FORM_JSON ? ART_RENDER_HOLD
                                                  : ART_RENDER_HEAD;

    /* no character takes less than a byte, in any charset */

    if (!conf->view->size_known || conf->view->size > conf->format->text_max) {
        render->text_chars = conf->format->text_max;
    }

    art_render_measure(render);
}


int
art_render_needs_content(const art_render_t *render)
{
    return render->form != ART_FORM_DESCRIBED && render->form != ART_FORM_KEPT;
}


int
art_render_needs_hold(const art_render_t *render)
{
    return render->form == ART_FORM_JSON;
}


void
art_render_memory(art_render_t *render, uint8_t *scratch, uint8_t *hold)
{
    render->memory = scratch;
    render->scratch = scratch;
    render->hold = hold;
    render->hold_room = render->conf.view->size_known
                        ? (size_t) render->conf.view->size + 1
                        : ART_RENDER_JSON_MAX;

    art_render_write_head(render);
    art_render_write_tail(render);

    art_render_set_hash(render);
}


void
art_render_write_head(art_render_t *render)
{
    art_out_t  out;

    out = art_out(render->memory, render->head_room);

    art_render_head(render, render->form, &out);

    render->head_len = out.len;
}


void
art_render_write_tail(art_render_t *render)
{
    art_out_t  out;

    out = art_out(render->memory + render->head_room,
                  render->room - render->head_room);

    if (render->form != ART_FORM_DESCRIBED) {
        art_format_tail(&out, render->conf.format, render->form,
                        render->conf.view);
    }

    render->tail_len = out.len;
}


/*
 * The form of a JSON document may still change, and so may the tail of a text
 * that may be cut.
 */

size_t
art_render_memo_size(const art_render_t *render)
{
    if (render->form == ART_FORM_JSON
        || (render->form == ART_FORM_TEXT
            && (render->conf.text_max != 0 || render->text_chars != 0)))
    {
        return 0;
    }

    return sizeof(art_render_memo_t) + render->head_len + render->tail_len;
}


void
art_render_memo_make(const art_render_t *render, art_render_memo_t *memo)
{
    memo->form = render->form;
    memo->hash = render->hash;
    memo->head_len = render->head_len;
    memo->tail_len = render->tail_len;

    memcpy(memo->data, render->scratch, render->head_len);
    memcpy(memo->data + render->head_len, render->scratch + render->head_room,
           render->tail_len);
}


void
art_render_memo_keep(const art_render_t *render, const uint8_t *answer,
    size_t len, art_render_memo_t *memo)
{
    memo->form = ART_FORM_KEPT;
    memo->hash = render->hash;
    memo->head_len = len;
    memo->tail_len = 0;

    memcpy(memo->data, answer, len);
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

    /*
     * no charset, marked or declared, takes more bytes for one of UTF-8, nor
     * for one character
     */

    return 8 * max + ART_RENDER_TEXT_SLACK;
}


int
art_render_length(const art_render_t *render, uint64_t *length)
{
    if (!art_render_needs_content(render)) {
        *length = render->head_len;
        return 1;
    }

    if (render->form != ART_FORM_BASE64 || !render->conf.view->size_known) {
        return 0;
    }

    *length = render->head_len + render->tail_len
              + ART_BASE64_LEN(render->conf.view->size);

    return 1;
}


static void
art_render_set_hash(art_render_t *render)
{
    uint64_t  hash;

    hash = art_hash_words(ART_HASH_INIT, &render->form, sizeof(render->form));
    hash = art_hash_words(hash, &render->conf.text_max, sizeof(uint64_t));
    hash = art_hash_words(hash, render->conf.format->name,
                          strlen(render->conf.format->name));

    if (render->conf.charset != NULL) {
        hash = art_hash_words(hash, render->conf.charset,
                              strlen(render->conf.charset));
    }

    hash = art_hash_words(hash, render->scratch, render->head_len);

    render->hash = art_hash_words(hash, render->scratch + render->head_room,
                                  render->tail_len);
}


/* A description goes with the head, so the head is the whole answer. */

static void
art_render_head(const art_render_t *render, art_form_t form, art_out_t *out)
{
    unsigned           level;
    const art_view_t  *view;

    view = render->conf.view;

    art_format_head(out, render->conf.format, form, view);

    if (form != ART_FORM_DESCRIBED) {
        return;
    }

    level = art_render_level(render, form);

    if (level == 0) {
        return;
    }

    if (render->conf.description.len > 0) {
        art_json_string(out, render->conf.description, level);

    } else {
        art_describe(out, view, level);
    }

    art_format_tail(out, render->conf.format, form, view);
}


/*
 * The memory for head and tail: a JSON document may still turn out to be text,
 * and a text may still turn out to be cut.
 */

static void
art_render_measure(art_render_t *render)
{
    unsigned    truncated;
    art_out_t   out;

    memset(&out, 0, sizeof(out));

    art_render_head(render, render->form, &out);
    render->head_room = out.len;

    if (render->form == ART_FORM_JSON) {
        out.len = 0;
        art_render_head(render, ART_FORM_TEXT, &out);

        if (out.len > render->head_room) {
            render->head_room = out.len;
        }
    }

    truncated = render->conf.view->truncated;
    render->conf.view->truncated = 1;

    out.len = 0;
    art_format_tail(&out, render->conf.format, render->form,
                    render->conf.view);

    render->conf.view->truncated = truncated & 1;

    /* a text form's tail has a quote more than a JSON form's */

    render->room = render->head_room + out.len + 1;
}


unsigned
art_render_level(const art_render_t *render, art_form_t form)
{
    return art_format_body_level(art_format_template(render->conf.format, form,
                                                     render->conf.view));
}
