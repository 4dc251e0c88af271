
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * How entries of a workspace's ".meta.json" are found: by its index, which has
 * the offset of each, with three small reads; or without one, those of many
 * files in one pass over the document or over its journals.  All functions work
 * on buffers; the caller reads and writes.
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
 *  40  u32, fan-out bits b; u32, milliseconds that the fold had taken
 *  48  two u64, the seed of the hashes
 *  64  u64, checksum of the 64 bytes before
 *  72  2^b + 1 slots, u32: slot i is the number of entries whose hash has b
 *      upper bits less than i
 *      n entries, sorted by hash: u64 hash, u64 offset, u32 length
 *
 * b is chosen so that 8 to 16 entries share a slot.  The seed is random and
 * differs in each index: nobody can choose keys that collide.  "ARTINDX1" had
 * no seed and is no longer accepted.
 */

#define ART_META_INDEX_HEADER    72
#define ART_META_INDEX_SLOT      8    /* bytes to read: two slots */
#define ART_META_INDEX_ENTRY     20
#define ART_META_INDEX_BITS_MAX  24


/* Bytes: larger buckets do not arise by chance, such an index is not used. */

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
 * An index being built.  It starts zeroed except for a random "seed", and
 * "entries", the caller's memory with room for "max" entries.  "over" is set if
 * there are more entries, or if one is too long for 32 bits: the document then
 * gets no index.
 */

typedef struct {
    art_meta_index_entry_t  *entries;
    size_t                   max;
    size_t                   count;
    size_t                   sorted;      /* steps of the sort so far */
    unsigned                 over;
    uint64_t                 seed[2];
} art_meta_index_t;


/* The hash of a key, plain UTF-8, by the seed of its index. */

uint64_t art_meta_index_hash(const uint64_t seed[2], art_str_t key);


/* Adds an entry; sets "over" if it does not fit. */

void art_meta_index_add(art_meta_index_t *index, uint64_t hash, uint64_t offset,
    uint64_t len);


/*
 * Sorts the entries, once all have been added, in at most so many steps;
 * returns 1 when they are sorted.  This takes less than two steps for each
 * entry.
 */

unsigned art_meta_index_sort(art_meta_index_t *index, size_t steps);


/*
 * Finishes sorting and writes the whole file by "write", in pieces of at most
 * 4 KB.  "header" has ino, size and mtime of the document and the time spent;
 * count, bits and seed are set here.  Not to be called with "over" set.
 * ART_ERROR if "write" did not return ART_OK.
 */

int art_meta_index_write(art_meta_index_t *index,
    art_meta_index_header_t *header, art_sink_pt write, void *data);


/*
 * Looking up.
 *
 * 1. Read ART_META_INDEX_HEADER bytes at 0.  art_meta_index_decode() returns
 *    ART_ERROR if they are not a header.  art_meta_index_fits() returns whether
 *    the index belongs to this version of the document and has the right size.
 * 2. Read ART_META_INDEX_SLOT bytes at art_meta_index_slot().
 *    art_meta_index_bucket() returns where the entries are, offset and bytes
 *    (0 bytes if there are none), or ART_ERROR if the slot is invalid or the
 *    bucket is larger than ART_META_INDEX_BUCKET_MAX.
 * 3. Read the bucket and call art_meta_index_search().  *last is "len", the
 *    number of bytes read, at first.  It returns the last entry of this hash
 *    before *last and sets *last to its start; it returns 0 when there are no
 *    more.
 *
 * Hashes may collide: read the member from the document and let
 * art_meta_parse_member() compare its key; after ART_META_ABSENT search on.  If
 * a key occurs twice, the later member counts, so the first match is right.
 * After any ART_ERROR the document itself has to be searched.
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


/*
 * One of the keys to find: a path, or what art_meta_other_key() makes of one.
 * Two files may want the same key.  "item" and "other" are the caller's.
 */

typedef struct {
    art_str_t   key;
    size_t      item;
    unsigned    other:1;
    art_str_t   entry;           /* found by art_meta_find() */
    art_str_t   records;         /* found by art_meta_records() */
} art_meta_wanted_t;


/* Sorts "n" keys in the order that the searches need. */

void art_meta_sort(art_meta_wanted_t *wanted, size_t n);


/*
 * Finds the entries of keys in the text of a workspace's ".meta.json", by the
 * rules of art_meta_parse_key().  "entry" becomes the text of the entry, which
 * points into the document, or data NULL if there is none.  ART_ERROR if the
 * document is corrupt: no entry is set then.
 */

int art_meta_find(art_str_t text, art_meta_wanted_t *wanted, size_t n);


/*
 * Splits journals by keys: "records" becomes a journal with the records of that
 * key alone, for art_journal_apply(), or empty.  "journals" are in the order in
 * which they apply.  "buf" has room for all of them together; "records" point
 * into it.
 */

void art_meta_records(const art_str_t *journals, size_t njournals,
    art_meta_wanted_t *wanted, size_t n, uint8_t *buf);


#endif /* ART_META_INDEX_H_INCLUDED_ */
