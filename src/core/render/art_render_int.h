
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_render*.c.
 */


#ifndef ART_RENDER_INT_H_INCLUDED_
#define ART_RENDER_INT_H_INCLUDED_


#include "core/render/art_format.h"
#include "core/render/art_render_plan.h"


/*
 * Write what stands before and after the body into the scratch memory, again
 * when the form or the view has changed since.
 */

void art_render_write_head(art_render_t *render);
void art_render_write_tail(art_render_t *render);


/* Whether that form's body is escaped, and how deep. */

unsigned art_render_level(const art_render_t *render, art_form_t form);


#endif /* ART_RENDER_INT_H_INCLUDED_ */
