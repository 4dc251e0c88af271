
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"
#include "core/json/art_json_members.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta_int.h"
#include "core/journal/art_journal.h"
#include "core/journal/art_meta_index.h"


#define ART_META_INDEX_MAGIC   "ARTINDX2"
#define ART_META_INDEX_SUMMED  64

/* The least number of entries that should share a slot. */

#define ART_META_INDEX_SHARE   8

#define ART_META_INDEX_PIECE   4096


/* A buffer for the numbers to write. */

typedef struct {
    uint8_t       buf[ART_META_INDEX_PIECE];
    size_t        len;
    art_sink_pt   write;
    void         *data;
} art_meta_index_out_t;


static int art_meta_index_write_slots(const art_meta_index_t *index,
    unsigned bits, art_meta_index_out_t *out);
static void art_meta_index_sift(art_meta_index_entry_t *entries, size_t i,
    size_t n);
static int art_meta_index_less(const art_meta_index_entry_t *a,
    const art_meta_index_entry_t *b);
static unsigned art_meta_index_bits(uint64_t count);
static size_t art_meta_index_position(uint64_t hash, unsigned bits);
static void art_meta_index_encode(uint8_t *p,
    const art_meta_index_header_t *header);
static int art_meta_index_put(art_meta_index_out_t *out, uint64_t n,
    unsigned size);
static int art_meta_index_flush(art_meta_index_out_t *out);
static uint64_t art_meta_index_start(const art_meta_index_header_t *header);
static int art_meta_wanted_cmp(const void *a, const void *b);
static int art_meta_match(art_str_t files, art_meta_wanted_t *wanted,
    size_t n);
static art_meta_wanted_t *art_meta_first(art_meta_wanted_t *wanted, size_t n,
    art_str_t key);
static void art_meta_select(art_str_t journal, art_meta_wanted_t *wanted,
    size_t n, uint8_t *buf);


uint64_t
art_meta_index_hash(const uint64_t seed[2], art_str_t key)
{
    return art_hash_keyed(seed, key.data, key.len);
}


void
art_meta_index_add(art_meta_index_t *index, uint64_t hash, uint64_t offset,
    uint64_t len)
{
    art_meta_index_entry_t  *entry;

    if (index->count == index->max || len > UINT32_MAX) {
        index->over = 1;
    }

    if (index->over) {
        return;
    }

    entry = &index->entries[index->count++];
    entry->hash = hash;
    entry->offset = offset;
    entry->len = (uint32_t) len;

    index->sorted = 0;
}


int
art_meta_index_write(art_meta_index_t *index, art_meta_index_header_t *header,
    art_sink_pt write, void *data)
{
    size_t                         i;
    art_meta_index_out_t           out;
    const art_meta_index_entry_t  *entry;

    (void) art_meta_index_sort(index, SIZE_MAX);

    header->count = index->count;
    header->bits = art_meta_index_bits(index->count);
    header->seed[0] = index->seed[0];
    header->seed[1] = index->seed[1];

    out.write = write;
    out.data = data;
    out.len = ART_META_INDEX_HEADER;

    art_meta_index_encode(out.buf, header);

    if (art_meta_index_write_slots(index, header->bits, &out) != ART_OK) {
        return ART_ERROR;
    }

    for (i = 0; i < index->count; i++) {
        entry = &index->entries[i];

        if (art_meta_index_put(&out, entry->hash, 8) != ART_OK
            || art_meta_index_put(&out, entry->offset, 8) != ART_OK
            || art_meta_index_put(&out, entry->len, 4) != ART_OK)
        {
            return ART_ERROR;
        }
    }

    return art_meta_index_flush(&out);
}


static int
art_meta_index_write_slots(const art_meta_index_t *index, unsigned bits,
    art_meta_index_out_t *out)
{
    size_t  i, position;

    i = 0;

    for (position = 0; position <= (size_t) 1 << bits; position++) {

        while (i < index->count
               && art_meta_index_position(index->entries[i].hash,
                                          bits) < position)
        {
            i++;
        }

        if (art_meta_index_put(out, i, 4) != ART_OK) {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


int
art_meta_index_decode(const uint8_t *p, art_meta_index_header_t *header)
{
    if (memcmp(p, ART_META_INDEX_MAGIC, 8) != 0
        || art_bytes_get(p + ART_META_INDEX_SUMMED, 8)
           != art_hash(ART_HASH_INIT, p, ART_META_INDEX_SUMMED))
    {
        return ART_ERROR;
    }

    header->ino = art_bytes_get(p + 8, 8);
    header->size = art_bytes_get(p + 16, 8);
    header->mtime = art_bytes_get(p + 24, 8);
    header->count = art_bytes_get(p + 32, 8);
    header->bits = (unsigned) art_bytes_get(p + 40, 4);
    header->spent = (unsigned) art_bytes_get(p + 44, 4);
    header->seed[0] = art_bytes_get(p + 48, 8);
    header->seed[1] = art_bytes_get(p + 56, 8);

    return header->count <= UINT32_MAX
           && header->bits <= ART_META_INDEX_BITS_MAX
           ? ART_OK : ART_ERROR;
}


int
art_meta_index_fits(const art_meta_index_header_t *header, uint64_t ino,
    uint64_t size, uint64_t mtime, uint64_t index_size)
{
    return header->ino == ino
           && header->size == size
           && header->mtime == mtime
           && art_meta_index_start(header)
              + header->count * ART_META_INDEX_ENTRY == index_size;
}


uint64_t
art_meta_index_slot(const art_meta_index_header_t *header, uint64_t hash)
{
    return ART_META_INDEX_HEADER + 4 * art_meta_index_position(hash,
                                                               header->bits);
}


int
art_meta_index_bucket(const art_meta_index_header_t *header,
    const uint8_t *slot, uint64_t *offset, size_t *len)
{
    uint64_t  first, end;

    first = art_bytes_get(slot, 4);
    end = art_bytes_get(slot + 4, 4);

    if (first > end || end > header->count
        || end - first > ART_META_INDEX_BUCKET_MAX / ART_META_INDEX_ENTRY)
    {
        return ART_ERROR;
    }

    *offset = art_meta_index_start(header) + first * ART_META_INDEX_ENTRY;
    *len = (size_t) (end - first) * ART_META_INDEX_ENTRY;

    return ART_OK;
}


unsigned
art_meta_index_search(const uint8_t *bucket, size_t *last, uint64_t hash,
    art_meta_index_entry_t *entry)
{
    const uint8_t  *p;

    while (*last >= ART_META_INDEX_ENTRY) {
        *last -= ART_META_INDEX_ENTRY;
        p = bucket + *last;

        if (art_bytes_get(p, 8) == hash) {
            entry->hash = hash;
            entry->offset = art_bytes_get(p + 8, 8);
            entry->len = (uint32_t) art_bytes_get(p + 16, 4);
            return 1;
        }
    }

    return 0;
}


/*
 * Heapsort: in place, at the same cost for any order, and easy to interrupt.
 * First, half of the entries sink into the heap, the last of them first; then
 * its top is removed once for each entry but one.
 */

unsigned
art_meta_index_sort(art_meta_index_t *index, size_t steps)
{
    size_t                   i, n;
    art_meta_index_entry_t   entry, *entries;

    n = index->count;
    entries = index->entries;

    for ( /* void */ ; index->sorted < n / 2; index->sorted++) {

        if (steps-- == 0) {
            return 0;
        }

        art_meta_index_sift(entries, n / 2 - 1 - index->sorted, n);
    }

    for ( /* void */ ; index->sorted + 1 < n + n / 2; index->sorted++) {

        if (steps-- == 0) {
            return 0;
        }

        i = n - 1 - (index->sorted - n / 2);

        entry = entries[0];
        entries[0] = entries[i];
        entries[i] = entry;

        art_meta_index_sift(entries, 0, i);
    }

    return 1;
}


static void
art_meta_index_sift(art_meta_index_entry_t *entries, size_t i, size_t n)
{
    size_t                  child;
    art_meta_index_entry_t  entry;

    entry = entries[i];

    for ( ;; ) {
        child = 2 * i + 1;

        if (child >= n) {
            break;
        }

        if (child + 1 < n
            && art_meta_index_less(&entries[child], &entries[child + 1]))
        {
            child++;
        }

        if (!art_meta_index_less(&entry, &entries[child])) {
            break;
        }

        entries[i] = entries[child];
        i = child;
    }

    entries[i] = entry;
}


static int
art_meta_index_less(const art_meta_index_entry_t *a,
    const art_meta_index_entry_t *b)
{
    return a->hash != b->hash ? a->hash < b->hash : a->offset < b->offset;
}


static unsigned
art_meta_index_bits(uint64_t count)
{
    unsigned  bits;

    bits = 0;

    while (bits < ART_META_INDEX_BITS_MAX
           && count >> (bits + 1) >= ART_META_INDEX_SHARE)
    {
        bits++;
    }

    return bits;
}


static size_t
art_meta_index_position(uint64_t hash, unsigned bits)
{
    return bits ? (size_t) (hash >> (64 - bits)) : 0;
}


static void
art_meta_index_encode(uint8_t *p, const art_meta_index_header_t *header)
{
    const uint8_t  *start;

    start = p;

    memcpy(p, ART_META_INDEX_MAGIC, 8);

    p = art_bytes_put(p + 8, header->ino, 8);
    p = art_bytes_put(p, header->size, 8);
    p = art_bytes_put(p, header->mtime, 8);
    p = art_bytes_put(p, header->count, 8);
    p = art_bytes_put(p, header->bits, 4);
    p = art_bytes_put(p, header->spent, 4);
    p = art_bytes_put(p, header->seed[0], 8);
    p = art_bytes_put(p, header->seed[1], 8);

    (void) art_bytes_put(p,
                         art_hash(ART_HASH_INIT, start, ART_META_INDEX_SUMMED),
                         8);
}


static int
art_meta_index_put(art_meta_index_out_t *out, uint64_t n, unsigned size)
{
    if (sizeof(out->buf) - out->len < size
        && art_meta_index_flush(out) != ART_OK)
    {
        return ART_ERROR;
    }

    (void) art_bytes_put(out->buf + out->len, n, size);
    out->len += size;

    return ART_OK;
}


static int
art_meta_index_flush(art_meta_index_out_t *out)
{
    size_t  len;

    len = out->len;
    out->len = 0;

    return out->write(out->data, out->buf, len) == ART_OK ? ART_OK
                                                          : ART_ERROR;
}


/* The offset of the first entry. */

static uint64_t
art_meta_index_start(const art_meta_index_header_t *header)
{
    return ART_META_INDEX_HEADER + 4 * (((uint64_t) 1 << header->bits) + 1);
}


void
art_meta_sort(art_meta_wanted_t *wanted, size_t n)
{
    qsort(wanted, n, sizeof(art_meta_wanted_t), art_meta_wanted_cmp);
}


static int
art_meta_wanted_cmp(const void *a, const void *b)
{
    return art_str_cmp(((const art_meta_wanted_t *) a)->key,
                       ((const art_meta_wanted_t *) b)->key);
}


int
art_meta_find(art_str_t text, art_meta_wanted_t *wanted, size_t n)
{
    int                 rc;
    size_t              i;
    art_str_t           files;
    art_meta_status_t   status;

    for (i = 0; i < n; i++) {
        wanted[i].entry = art_str(NULL, 0);
    }

    status = art_meta_files(text, &files);

    if (status == ART_META_OK) {
        rc = art_meta_match(files, wanted, n);

    } else {
        rc = status == ART_META_ABSENT ? ART_OK : ART_ERROR;
    }

    for (i = 0; i < n; i++) {

        if (rc != ART_OK) {
            wanted[i].entry = art_str(NULL, 0);

        } else if (i > 0 && art_str_eq(wanted[i].key, wanted[i - 1].key)) {

            /* only the first of equal keys has got the entry */

            wanted[i].entry = wanted[i - 1].entry;
        }
    }

    return rc;
}


static int
art_meta_match(art_str_t files, art_meta_wanted_t *wanted, size_t n)
{
    int                  rc;
    uint8_t              buf[ART_ID_PATH_MAX];
    art_str_t            key, value;
    art_meta_wanted_t   *first;
    art_json_members_t   members;

    if (art_json_members(&members, files) != ART_OK) {
        return ART_ERROR;
    }

    while ((rc = art_json_next(&members, &key, &value)) == 1) {

        /* a malformed or longer key is not among the wanted ones */

        if (art_json_key(key, buf, sizeof(buf), &key) != ART_OK) {
            continue;
        }

        first = art_meta_first(wanted, n, key);

        if (first != NULL) {
            first->entry = value;
        }
    }

    return rc;
}


/* The first item that wants this key, or NULL. */

static art_meta_wanted_t *
art_meta_first(art_meta_wanted_t *wanted, size_t n, art_str_t key)
{
    size_t  low, high, mid;

    low = 0;
    high = n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (art_str_cmp(wanted[mid].key, key) < 0) {
            low = mid + 1;

        } else {
            high = mid;
        }
    }

    return low < n && art_str_eq(wanted[low].key, key) ? &wanted[low] : NULL;
}


void
art_meta_records(const art_str_t *journals, size_t njournals,
    art_meta_wanted_t *wanted, size_t n, uint8_t *buf)
{
    size_t    i;
    uint8_t  *p;

    p = buf;

    for (i = 0; i < n; i++) {
        wanted[i].records = art_str(NULL, 0);
    }

    for (i = 0; i < njournals; i++) {
        art_meta_select(journals[i], wanted, n, NULL);
    }

    for (i = 0; i < n; i++) {
        wanted[i].records.data = p;
        p += wanted[i].records.len;
        wanted[i].records.len = 0;
    }

    for (i = 0; i < njournals; i++) {
        art_meta_select(journals[i], wanted, n, buf);
    }

    for (i = 1; i < n; i++) {
        if (art_str_eq(wanted[i].key, wanted[i - 1].key)) {
            wanted[i].records = wanted[i - 1].records;
        }
    }
}


/* Measures the records of each key ("buf" is NULL) or collects them. */

static void
art_meta_select(art_str_t journal, art_meta_wanted_t *wanted, size_t n,
    uint8_t *buf)
{
    size_t                 pos, start;
    art_str_t             *records;
    art_meta_wanted_t     *first;
    art_journal_record_t   record;

    pos = 0;
    start = 0;

    for ( /* void */ ; art_journal_next(journal, &pos, &record); start = pos) {

        first = record.op != ART_JOURNAL_CLOCK
                ? art_meta_first(wanted, n, record.path) : NULL;

        if (first == NULL) {
            continue;
        }

        records = &first->records;

        if (buf != NULL) {
            memcpy(buf + (records->data - buf) + records->len,
                   journal.data + start, pos - start);
        }

        records->len += pos - start;
    }
}
