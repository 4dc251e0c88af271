
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_render*.c.
 */


#ifndef ART_RENDER_INT_H_INCLUDED_
#define ART_RENDER_INT_H_INCLUDED_


#include "art_render.h"


/*
 * Write what stands before and after the body in the given or the chosen form;
 * a description goes with the head, which is the whole answer then.
 */

void art_render_head(const art_render_t *render, art_form_t form,
    art_out_t *out);
void art_render_tail(const art_render_t *render, art_out_t *out);

const char *art_render_template(const art_render_t *render, art_form_t form);


#endif /* ART_RENDER_INT_H_INCLUDED_ */
