
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Shared by the portable and the vector code of JSON escaping.
 */


#ifndef ART_JSON_INT_H_INCLUDED_
#define ART_JSON_INT_H_INCLUDED_


#include "core/base/art_simd.h"
#include "core/json/art_json_escape.h"


/* Input and output while escaping; the four advance together. */

typedef struct {
    uint8_t        *dst;
    size_t          room;
    const uint8_t  *src;
    size_t          len;
} art_json_io_t;


/*
 * Writes the escape of a byte that needs one; returns its length.  The unit
 * has room for ART_JSON_UNIT_MAX bytes, all of which may be overwritten.
 */

size_t art_json_unit(uint8_t unit[ART_JSON_UNIT_MAX], uint8_t c,
    unsigned level);


#ifdef ART_SIMD_X86

/*
 * Escape whole blocks of bytes, on level 1 or (not AVX2) 2, while there is room
 * for the longest result; the portable code does the rest.  They may stop
 * within a character.  They do nothing with less than ART_JSON_BLOCK_LEN bytes
 * of input or ART_JSON_BLOCK_ROOM bytes of room.
 */

#define ART_JSON_BLOCK_LEN   16
#define ART_JSON_BLOCK_ROOM  48

void art_json_blocks_ssse3(art_json_io_t *io, unsigned level);
void art_json_blocks_avx2(art_json_io_t *io);

#endif


#endif /* ART_JSON_INT_H_INCLUDED_ */
