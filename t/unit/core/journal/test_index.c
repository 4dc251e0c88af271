
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_meta_index: what was added is found, with three small reads.
 */


#include "tap.h"

#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"
#include "core/journal/art_meta_index.h"


#define CHOSEN  600


static uint8_t                 *file;
static size_t                   file_len;
static size_t                   file_room;
static art_meta_index_entry_t   entries[600];

static const uint64_t  seed[2] = { 0x243f6a8885a308d3, 0x13198a2e03707344 };


static int
sink(void *data, const uint8_t *p, size_t len)
{
    (void) data;

    if (len > 4096) {
        return ART_ERROR;
    }

    if (file_len + len > file_room) {
        file_room = 2 * (file_len + len);
        file = realloc(file, file_room);
    }

    memcpy(file + file_len, p, len);
    file_len += len;

    return ART_OK;
}


static int
no_sink(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    (void) p;
    (void) len;

    return ART_ERROR;
}


/* The matches of a hash, last first; -1 on any error. */

static int
look_up(uint64_t hash, uint64_t *offsets, size_t max, size_t *largest)
{
    int                      n;
    size_t                   len;
    uint64_t                 offset;
    art_meta_index_entry_t   entry;
    art_meta_index_header_t  header;

    if (file_len < ART_META_INDEX_HEADER
        || art_meta_index_decode(file, &header) != ART_OK
        || !art_meta_index_fits(&header, 1, 2, 3, file_len)
        || art_meta_index_slot(&header, hash) + ART_META_INDEX_SLOT > file_len
        || art_meta_index_bucket(&header,
                                 file + art_meta_index_slot(&header, hash),
                                 &offset, &len) != ART_OK
        || offset + len > file_len)
    {
        return -1;
    }

    if (len > *largest) {
        *largest = len;
    }

    n = 0;

    while (art_meta_index_search(file + offset, &len, hash, &entry)) {
        if ((size_t) n < max) {
            offsets[n] = entry.offset;
        }

        n++;
    }

    return n;
}


static void
check_size(size_t count)
{
    char                     name[32];
    size_t                   i, bad, largest;
    uint64_t                 offsets[4], hash;
    art_meta_index_t         index;
    art_meta_index_header_t  header;

    memset(&index, 0, sizeof(index));
    memset(&header, 0, sizeof(header));

    index.entries = malloc((count + 1) * sizeof(art_meta_index_entry_t));
    index.max = count;
    header.ino = 1;
    header.size = 2;
    header.mtime = 3;
    file_len = 0;

    for (i = 0; i < count; i++) {
        sprintf(name, "src/f%zu.js", i);
        art_meta_index_add(&index, art_meta_index_hash(seed, art_cstr(name)),
                           i * 100, i % 90);
    }

    for (i = 0; !art_meta_index_sort(&index, 100); i++) {
        /* void */
    }

    ok(i <= count / 50, "%zu entries are sorted in %zu steps", count, i);

    ok(!index.over
       && art_meta_index_write(&index, &header, sink, NULL) == ART_OK,
       "%zu entries are written", count);
    free(index.entries);

    bad = 0;
    largest = 0;

    for (i = 0; i < count; i++) {
        sprintf(name, "src/f%zu.js", i);
        bad += look_up(art_meta_index_hash(seed, art_cstr(name)), offsets, 4,
                       &largest)
               != 1 || offsets[0] != i * 100;
    }

    for (i = 0; i < 1000; i++) {
        hash = tap_rand() << 20 ^ tap_rand();
        bad += look_up(hash, offsets, 4, &largest) != 0;
    }

    is_int((long long) bad, 0, "and found, and nothing else is");
    ok(largest <= 64 * ART_META_INDEX_ENTRY, "reads are small, %zu bytes",
       largest);
}


static void
check_double(void)
{
    size_t                   i, largest;
    uint64_t                 offsets[4];
    art_meta_index_t         index;
    art_meta_index_header_t  header;

    memset(&index, 0, sizeof(index));
    memset(&header, 0, sizeof(header));

    index.entries = entries;
    index.max = 600;
    header.ino = 1;
    header.size = 2;
    header.mtime = 3;
    file_len = 0;
    largest = 0;

    art_meta_index_add(&index, 5, 300, 1);
    art_meta_index_add(&index, 5, 100, 1);
    art_meta_index_add(&index, 6, 150, 1);
    art_meta_index_add(&index, 5, 200, 1);

    (void) art_meta_index_write(&index, &header, sink, NULL);

    ok(look_up(5, offsets, 4, &largest) == 3 && offsets[0] == 300
       && offsets[1] == 200 && offsets[2] == 100,
       "of one hash the last comes first");
    ok(art_meta_index_write(&index, &header, no_sink, NULL) == ART_ERROR,
       "a failure is told");

    for (i = 4; i < 600; i++) {
        art_meta_index_add(&index, 5, i * 1000, 1);
    }

    ok(!index.over, "up to the bound");

    file_len = 0;
    (void) art_meta_index_write(&index, &header, sink, NULL);
    ok(look_up(5, offsets, 4, &largest) == -1, "a huge bucket is no use");

    art_meta_index_add(&index, 7, 1, 1);
    ok(index.over == 1, "one more is too much");

    index.count = 0;
    index.over = 0;
    index.max = 10;
    art_meta_index_add(&index, 1, 0, (uint64_t) UINT32_MAX + 1);
    ok(index.over == 1, "so is an entry of 4 GB");
}


static void
check_hostile(void)
{
    size_t                   i, len, bad;
    uint64_t                 offset;
    uint8_t                  slot[ART_META_INDEX_SLOT];
    art_meta_index_t         index;
    art_meta_index_header_t  header;

    memset(&index, 0, sizeof(index));
    memset(&header, 0, sizeof(header));

    index.entries = entries;
    index.max = 1;
    index.seed[0] = seed[0];
    index.seed[1] = seed[1];
    header.ino = 0x0102030405060708;
    header.size = 2;
    header.mtime = 3;
    header.spent = 4000000000;
    file_len = 0;

    art_meta_index_add(&index, 0xffffffffffffffff, 9, 8);
    (void) art_meta_index_write(&index, &header, sink, NULL);

    header.spent = 0;
    ok(art_meta_index_decode(file, &header) == ART_OK
       && header.bits == 0 && header.spent == 4000000000,
       "it tells how long it took");
    ok(header.seed[0] == seed[0] && header.seed[1] == seed[1], "and its seed");
    is_mem(file, 16, "ARTINDX2\x08\x07\x06\x05\x04\x03\x02\x01", 16,
           "little-endian");
    is_int((long long) file_len,
           ART_META_INDEX_HEADER + 8 + ART_META_INDEX_ENTRY,
           "of the size that it says");

    bad = 0;

    for (i = 0; i < ART_META_INDEX_HEADER; i++) {
        file[i] ^= 0x40;
        bad += art_meta_index_decode(file, &header) == ART_OK;
        file[i] ^= 0x40;
    }

    is_int((long long) bad, 0, "a changed header is none");

    (void) art_meta_index_decode(file, &header);
    ok(art_meta_index_fits(&header, header.ino, 2, 3, file_len)
       && !art_meta_index_fits(&header, 1, 2, 3, file_len)
       && !art_meta_index_fits(&header, header.ino, 1, 3, file_len)
       && !art_meta_index_fits(&header, header.ino, 2, 4, file_len)
       && !art_meta_index_fits(&header, header.ino, 2, 3, file_len - 1),
       "every part has to fit");

    (void) art_bytes_put(slot, 1, 4);
    (void) art_bytes_put(slot + 4, 0, 4);
    ok(art_meta_index_bucket(&header, slot, &offset, &len) == ART_ERROR,
       "positions ascend");
    (void) art_bytes_put(slot + 4, 2, 4);
    ok(art_meta_index_bucket(&header, slot, &offset, &len) == ART_ERROR,
       "and end with the entries");
}


/*
 * Names that shared a position in an index of the first version, which had no
 * seed: FNV-1a, and what MurmurHash3 does at its end.
 */

static uint64_t
first_hash(const char *name)
{
    uint64_t  hash;

    hash = art_hash(ART_HASH_INIT, name, strlen(name));

    hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccd;
    hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53;

    return hash ^ hash >> 33;
}


static void
check_chosen(void)
{
    char                     name[CHOSEN][32];
    size_t                   i, n, bad, largest;
    uint64_t                 offsets[4];
    art_meta_index_t         index;
    art_meta_index_header_t  header;

    n = 0;

    for (i = 0; n < CHOSEN; i++) {
        sprintf(name[n], "file-%zu.txt", i);
        n += first_hash(name[n]) >> 54 == 0;
    }

    memset(&index, 0, sizeof(index));
    memset(&header, 0, sizeof(header));

    index.entries = entries;
    index.max = CHOSEN;
    index.seed[0] = seed[0];
    index.seed[1] = seed[1];
    header.ino = 1;
    header.size = 2;
    header.mtime = 3;
    file_len = 0;

    for (i = 0; i < CHOSEN; i++) {
        art_meta_index_add(&index,
                           art_meta_index_hash(seed, art_cstr(name[i])),
                           i * 100, 50);
    }

    (void) art_meta_index_write(&index, &header, sink, NULL);

    bad = 0;
    largest = 0;

    for (i = 0; i < CHOSEN; i++) {
        bad += look_up(art_meta_index_hash(seed, art_cstr(name[i])), offsets,
                       4, &largest)
               != 1 || offsets[0] != i * 100;
    }

    is_int((long long) bad, 0, "chosen names are found");
    ok(largest <= 64 * ART_META_INDEX_ENTRY, "reads are small, %zu bytes",
       largest);

    file[7] = '1';
    ok(art_meta_index_decode(file, &header) == ART_ERROR,
       "the first version is none any more");
}


int
main(void)
{
    static const size_t  sizes[] = { 0, 1, 2, 15, 16, 17, 100, 1000, 50000 };
    size_t               i;

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        check_size(sizes[i]);
    }

    check_double();
    check_hostile();
    check_chosen();

    free(file);

    return done();
}
