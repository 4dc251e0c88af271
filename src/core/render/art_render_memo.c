
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Remembering what stands around a content: rendering it costs more than
 * encoding a small content does.
 */


#include "core/render/art_render_int.h"


/*
 * The form of a JSON document may still change, and so may the tail of a text
 * that may be cut.
 */

size_t
art_render_memo_size(const art_render_t *render)
{
    if (render->form == ART_FORM_JSON
        || (render->form == ART_FORM_TEXT && render->conf.text_max != 0))
    {
        return 0;
    }

    return sizeof(art_render_memo_t) + render->head_len + render->tail_len;
}


void
art_render_memo_make(const art_render_t *render, art_render_memo_t *memo)
{
    memo->form = render->form;
    memo->hash = art_render_hash(render);
    memo->head_len = render->head_len;
    memo->tail_len = render->tail_len;

    memcpy(memo->data, render->scratch, render->head_len);
    memcpy(memo->data + render->head_len, render->scratch + render->head_room,
           render->tail_len);
}


void
art_render_memo_use(art_render_t *render)
{
    const art_render_memo_t  *memo;

    memo = render->conf.memo;

    render->scratch = memo->data;
    render->head_room = memo->head_len;
    render->head_len = memo->head_len;
    render->tail_len = memo->tail_len;
}
