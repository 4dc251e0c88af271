
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words that stand for what a model cannot take, in both languages.
 */


#ifndef ART_DESCRIBE_H_INCLUDED_
#define ART_DESCRIBE_H_INCLUDED_


#include "core/render/art_view.h"


/*
 * Writes the description of a content that is not sent, escaped for a JSON
 * string of that level (art_json_escape(); 0: as it is).  Without a reason the
 * content is empty: the line that introduces it is all.  A content without an
 * id (its data is NULL) is no artifact, and described without a reference.
 */

void art_describe(art_out_t *out, const art_view_t *view, unsigned level);


/* Writes the line that introduces an image or a file, likewise. */

void art_describe_lead(art_out_t *out, const art_view_t *view,
    unsigned level);


/*
 * Writes an id as one line, likewise: that of a source which somebody else
 * serves is the path of a URI, and may decode to anything.
 */

void art_describe_id(art_out_t *out, art_str_t id, unsigned level);


/*
 * Writes a size in bytes for people: "N B", then one decimal of KB, MB or GB,
 * base 1024, rounded half up, never "1024.0" of a unit but the last.
 */

void art_describe_size(art_out_t *out, uint64_t size);


#endif /* ART_DESCRIBE_H_INCLUDED_ */
