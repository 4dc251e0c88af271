
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names that look like others: what a misspelt one was probably meant to be.
 */


#ifndef ART_NEAR_H_INCLUDED_
#define ART_NEAR_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * The capability that an unknown name was probably meant to be: the name is a
 * letter or two away (added, missing, replaced, two of them swapped), or
 * another word for it ("image"), or a media type ("image/png"), in any case.
 * Data NULL for the name of a capability, and for one that is like none.
 */

art_str_t art_near_capability(art_str_t name);


/*
 * The same for the name of a JSON member, among "n" known ones: up to two
 * letters for names of more than five, one for shorter ones, none for those of
 * two; "max_bytes" is "maxBytes".
 */

art_str_t art_near_member(art_str_t name, const art_str_t *known, size_t n);


#endif /* ART_NEAR_H_INCLUDED_ */
