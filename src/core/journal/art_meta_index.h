
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The index of a workspace's ".meta.json": where the entry of each file
 * stands in it, so that one is found with three small reads.  All functions
 * work on buffers; the caller reads and writes.
 */


#ifndef ART_META_INDEX_H_INCLUDED_
#define ART_META_INDEX_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * The file, numbers in little-endian order on any machine:
 *
 *   0  "ARTINDX2"
 *   8  u64, inode of the document
 *  16  u64, its size in bytes
 *  24  u64, its modification time, nanoseconds since 1970
 *  32  u64, number of entries n
 *  40  u32, fan-out bits b; u32, milliseconds that the fold took until then
 *  48  two u64, the seed of the hashes
 *  64  u64, checksum of the 64 bytes before
 *  72  2^b + 1 times u32: how many entries have a hash whose b upper bits are
 *      less than the position
 *      n times an entry: u64 hash, u64 offset, u32 length, in this order
 *
 * b is chosen so that 8 to 16 entries share a position.  The seed is random,
 * and another one in each index: those who choose the keys cannot choose any
 * that share one.  "ARTINDX1" had none; such an index is no index any more.
 */

#define ART_META_INDEX_HEADER    72
#define ART_META_INDEX_SLOT      8    /* two positions of the fan-out */
#define ART_META_INDEX_ENTRY     20
#define ART_META_INDEX_BITS_MAX  24


/* Buckets larger than this are no work of chance: such an index is no use. */

#define ART_META_INDEX_BUCKET_MAX  (512 * ART_META_INDEX_ENTRY)


typedef struct {
    uint64_t  ino;
    uint64_t  size;
    uint64_t  mtime;             /* nanoseconds */
    uint64_t  count;
    unsigned  bits;
    unsigned  spent;             /* milliseconds */
    uint64_t  seed[2];
} art_meta_index_header_t;


typedef struct {
    uint64_t  hash;
    uint64_t  offset;            /* in the document, of the key's quote */
    uint32_t  len;               /* bytes, to the end of the value */
} art_meta_index_entry_t;


/*
 * An index being built, zeroed but for a random "seed" and for "entries", the
 * caller's memory with room for "max" of them.  "over" is set when there were
 * more, or one longer than 32 bits can say: the document is then left without
 * an index.
 */

typedef struct {
    art_meta_index_entry_t  *entries;
    size_t                   max;
    size_t                   count;
    size_t                   sorted;      /* steps of it */
    unsigned                 over;
    uint64_t                 seed[2];
} art_meta_index_t;


/* The hash of a key, plain UTF-8, by the seed of its index. */

uint64_t art_meta_index_hash(const uint64_t seed[2], art_str_t key);


/* Adds an entry; sets "over" if it cannot. */

void art_meta_index_add(art_meta_index_t *index, uint64_t hash, uint64_t offset,
    uint64_t len);


/*
 * Sorts the entries when all are there, in so many steps at most; returns 1
 * when they are sorted, which takes less than two steps for each entry.
 */

unsigned art_meta_index_sort(art_meta_index_t *index, size_t steps);


/*
 * Sorts what is not sorted and writes the whole file by "write", in pieces of
 * at most 4 KB; "header" gives ino, size and mtime of the document and the time
 * spent, count, bits and seed are set here.  Not to be called with "over" set.
 * ART_ERROR if "write" did not return ART_OK.
 */

int art_meta_index_write(art_meta_index_t *index,
    art_meta_index_header_t *header, art_sink_pt write, void *data);


/*
 * Looking up.  1. Read ART_META_INDEX_HEADER bytes at 0:
 * art_meta_index_decode() gives ART_ERROR for what is no header.
 * art_meta_index_fits() tells whether the index belongs to the document as it
 * is now and has the size it says.  2. Read ART_META_INDEX_SLOT bytes at
 * art_meta_index_slot().  art_meta_index_bucket() tells where the entries are:
 * offset and bytes, 0 bytes if there are none; ART_ERROR if the slot is not
 * sound or the bucket larger than ART_META_INDEX_BUCKET_MAX.  3. Read them,
 * and art_meta_index_search(): *last is at first the "len" bytes read; the
 * last entry of this hash before *last is given, and *last set to where it
 * starts; returns 0 when there are no more.
 *
 * Hashes may collide: read the member from the document and let
 * art_meta_parse_member() compare its key; ART_META_ABSENT there means to
 * search on.  The later of two members counts, so the first that fits is
 * right.  After any ART_ERROR the document itself has to be searched.
 */

int art_meta_index_decode(const uint8_t *p, art_meta_index_header_t *header);
int art_meta_index_fits(const art_meta_index_header_t *header, uint64_t ino,
    uint64_t size, uint64_t mtime, uint64_t index_size);
uint64_t art_meta_index_slot(const art_meta_index_header_t *header,
    uint64_t hash);
int art_meta_index_bucket(const art_meta_index_header_t *header,
    const uint8_t *slot, uint64_t *offset, size_t *len);
unsigned art_meta_index_search(const uint8_t *bucket, size_t *last,
    uint64_t hash, art_meta_index_entry_t *entry);


#endif /* ART_META_INDEX_H_INCLUDED_ */
