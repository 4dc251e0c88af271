
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How frequent characters are in Chinese, Japanese and Korean.  They tell a
 * charset by a few characters, since bytes that are read in a wrong one hardly
 * give frequent ones.
 */


#ifndef ART_CHARSET_FREQUENT_H_INCLUDED_
#define ART_CHARSET_FREQUENT_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_FREQUENT_SIMPLIFIED = 0, /* Chinese */
    ART_FREQUENT_TRADITIONAL,
    ART_FREQUENT_JAPANESE,
    ART_FREQUENT_KOREAN,
    ART_FREQUENT_LANGUAGES
} art_frequent_t;


/*
 * What a character of three bytes of UTF-8 tells for a language: 0 nothing, up
 * to ART_FREQUENT_OFTEN.
 */

#define ART_FREQUENT_KNOWN  2
#define ART_FREQUENT_OFTEN  3

unsigned art_charset_frequent(art_frequent_t language, const uint8_t *utf8);


#endif /* ART_CHARSET_FREQUENT_H_INCLUDED_ */
