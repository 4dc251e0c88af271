
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The vector code of UTF-8 validation.
 */


#ifndef ART_UTF8_INT_H_INCLUDED_
#define ART_UTF8_INT_H_INCLUDED_


#include "core/base/art_simd.h"


#ifdef ART_SIMD_X86

/*
 * The length of a valid prefix of whole characters.  It is found by blocks, so
 * it may be too short by a block (32 bytes at most) and a character.
 */

size_t art_utf8_blocks_ssse3(const uint8_t *p, size_t len);
size_t art_utf8_blocks_avx2(const uint8_t *p, size_t len);

#endif


#endif /* ART_UTF8_INT_H_INCLUDED_ */
