
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Metadata as one block of memory, for caches.
 */


#ifndef ART_META_PACK_H_INCLUDED_
#define ART_META_PACK_H_INCLUDED_


#include "core/meta/art_meta.h"


/*
 * Packs a record into one block, which may be copied between processes of one
 * machine, and unpacks it.  art_meta_packed_size() returns the size of the
 * block, 0 for a record of 4 GB or more, which cannot be packed.
 * art_meta_pack() returns the bytes written, 0 if "room" is too small.
 * art_meta_unpack() makes *out point into "data", which must outlive it (no
 * art_meta_free() needed); ART_ERROR if the block is cut or has lengths that do
 * not fit.  The bytes of the fields are not checked.
 */

size_t art_meta_packed_size(const art_meta_t *meta);
size_t art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room);
int art_meta_unpack(const uint8_t *data, size_t len, art_meta_t *out);


#endif /* ART_META_PACK_H_INCLUDED_ */
