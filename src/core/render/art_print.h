
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The JSON fragments that templates of art_format.c are filled with.
 */


#ifndef ART_PRINT_H_INCLUDED_
#define ART_PRINT_H_INCLUDED_


#include "core/render/art_view.h"


/*
 * Writes the metadata object of a routed answer, keys in the contract's order
 * (docs/formats.md), absent ones left out; "level" counts the JSON strings
 * that the object stands in.
 */

void art_print_metadata(art_out_t *out, const art_view_t *view,
    unsigned level);


/* Writes the store's "meta" value: an object, or null. */

void art_print_object(art_out_t *out, const art_view_t *view);


/* Writes a JSON string, or null for an absent one. */

void art_print_nullable(art_out_t *out, art_str_t s);


/*
 * Writes what is to be noted of a content, members that go on with an object:
 * whether it was cut, and the reason why it goes out otherwise.
 */

void art_print_notes(art_out_t *out, const art_view_t *view);


/* Writes a "size" member that goes on with an object, if the size is known. */

void art_print_size(art_out_t *out, const art_view_t *view);


/* The declared type if there is one, else the media type in effect. */

art_str_t art_print_type(const art_view_t *view);


#endif /* ART_PRINT_H_INCLUDED_ */
