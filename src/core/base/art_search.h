
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Searching bytes at the speed of memory.
 */


#ifndef ART_SEARCH_H_INCLUDED_
#define ART_SEARCH_H_INCLUDED_


#include "core/base/art_core.h"


/* How often "c" occurs. */

size_t art_search_count(const uint8_t *p, size_t len, uint8_t c);


/* The last occurrence of "c", or NULL. */

const uint8_t *art_search_last(const uint8_t *p, size_t len, uint8_t c);


/* The first occurrence of a string, which is not empty, or NULL. */

const uint8_t *art_search_str(const uint8_t *p, size_t len, art_str_t s);


#endif /* ART_SEARCH_H_INCLUDED_ */
