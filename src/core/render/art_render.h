
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The rendering of one answer as a stream: head, encoded body, tail, in
 * bounded memory, for any chunking of input and any room for output.
 */


#ifndef ART_RENDER_H_INCLUDED_
#define ART_RENDER_H_INCLUDED_


#include "core/render/art_render_plan.h"


/*
 * Writes the next bytes of the answer into dst, "room" bytes (at least
 * ART_JSON_UNIT_MAX), from *src, *len bytes of content, advancing both.  "last"
 * tells that the content ends with this input.  Returns the bytes written, or
 * ART_JSON_TEXT_ERROR when the charset cannot be converted, or what should be
 * text is none (render->text.binary).  The state becomes
 * ART_RENDER_DONE with the answer's last byte; input is then ignored.  When
 * nothing is written and the input is used up, more input is wanted.
 */

size_t art_render_update(art_render_t *render, uint8_t *dst, size_t room,
    const uint8_t **src, size_t *len, unsigned last);


/* Frees what a rendering holds (a charset converter); may come at any time. */

void art_render_close(art_render_t *render);


#endif /* ART_RENDER_H_INCLUDED_ */
