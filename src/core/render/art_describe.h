
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The words for content that a model cannot take, in both languages.
 */


#ifndef ART_DESCRIBE_H_INCLUDED_
#define ART_DESCRIBE_H_INCLUDED_


#include "core/render/art_view.h"


/*
 * Writes the description of content that is not sent, escaped for a JSON string
 * of that level (art_json_escape(); 0: not escaped).  Without a reason the
 * content is empty, and only the line that introduces it is written.  Content
 * without an id (data NULL) is not an artifact and gets no reference.  Of a
 * derived content its origin is described.  English words speak of agents only
 * if view->agents; Chinese ones are those of the platform, always.
 */

void art_describe(art_out_t *out, const art_view_t *view, unsigned level);


/* Writes the line that introduces an image or a file, escaped likewise. */

void art_describe_lead(art_out_t *out, const art_view_t *view,
    unsigned level);


/*
 * Writes the line, with its line feed, that precedes a derived text, escaped
 * likewise.
 */

void art_describe_converted(art_out_t *out, const art_view_t *view,
    unsigned level);


/*
 * Writes an id as one line, escaped in the same way.  The id of another
 * server's source is the path of a URI, which may decode to any bytes.
 */

void art_describe_id(art_out_t *out, art_str_t id, unsigned level);


/*
 * Writes a size in bytes for people: "N B", then one decimal of KB, MB or GB,
 * base 1024, rounded half up; "1024.0" only in the last unit.
 */

void art_describe_size(art_out_t *out, uint64_t size);


/* Writes the pixels of an image, "640x480". */

void art_describe_pixels(art_out_t *out, uint32_t width, uint32_t height);


#endif /* ART_DESCRIBE_H_INCLUDED_ */
