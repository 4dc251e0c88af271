
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_charset_detect.c: ideographs that nearly every text has.
 */


#ifndef ART_CHARSET_FREQUENT_H_INCLUDED_
#define ART_CHARSET_FREQUENT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Whether an ideograph, 3 bytes of UTF-8, is among the most frequent ones of
 * Chinese, simplified or traditional, or Japanese.
 */

unsigned art_charset_is_frequent(const uint8_t *utf8);


#endif /* ART_CHARSET_FREQUENT_H_INCLUDED_ */
