
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_charset_detect.c: the ideographs of nearly every text.
 */


#ifndef ART_CHARSET_FREQUENT_H_INCLUDED_
#define ART_CHARSET_FREQUENT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Whether an ideograph, 3 bytes of UTF-8, is one of the most frequent ones in
 * Chinese (simplified or traditional) or Japanese.
 */

unsigned art_charset_is_frequent(const uint8_t *utf8);


#endif /* ART_CHARSET_FREQUENT_H_INCLUDED_ */
