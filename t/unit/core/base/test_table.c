
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "tap.h"


#define KEYS  5000


static char  names[KEYS][16];


/* The number of a name, or -1. */

static long
find(const art_table_t *table, const char *name)
{
    uint32_t         *item;
    art_table_key_t   key;

    art_table_key(table, &key, name, strlen(name));

    while ((item = art_table_next(table, &key)) != NULL) {
        if (strcmp(names[*item], name) == 0) {
            return (long) *item;
        }
    }

    return -1;
}


static int
add(art_table_t *table, uint32_t item)
{
    art_table_key_t  key;

    art_table_key(table, &key, names[item], strlen(names[item]));

    return art_table_add(table, &key, item);
}


static void
check_hash(void)
{
    size_t    i, same;
    uint8_t   text[64];
    uint64_t  key[2], hash[64];

    static const uint64_t  zero[2] = { 0, 0 };

    /* what CPython 3.11 says with PYTHONHASHSEED=0, and Rust's own test */

    ok(art_hash_keyed(zero, "a", 1) == 0x407448d2b89b1813, "one byte");
    ok(art_hash_keyed(zero, "artifact", 8) == 0xa9c961f9214070f4, "a word");
    ok(art_hash_keyed(zero, "a hash table of numbers", 23)
       == 0x4cf5c7c0a9d30b7b, "several");

    key[0] = 0x0706050403020100;
    key[1] = 0x0f0e0d0c0b0a0908;
    ok(art_hash_keyed(key, NULL, 0) == 0xabac0158050fc4dc, "nothing, keyed");

    memset(text, 0, sizeof(text));
    same = 0;

    for (i = 0; i < 64; i++) {
        hash[i] = art_hash_keyed(key, text, i);
        same += i > 0 && hash[i] == hash[i - 1];
    }

    is_int((long long) same, 0, "zeros of different lengths differ");
}


static void
check_table(void)
{
    long         n;
    size_t       i, size;
    unsigned     bad;
    art_table_t  table;

    for (i = 0; i < KEYS; i++) {
        sprintf(names[i], "%zu.txt", i * 7);
    }

    memset(&table, 0, sizeof(table));
    table.seed[0] = 1;

    is_int(find(&table, "0.txt"), -1, "nothing in no table");

    bad = 0;

    for (i = 0; i < KEYS; i++) {
        bad += find(&table, names[i]) != -1;
        bad += add(&table, (uint32_t) i) != ART_OK;
        bad += find(&table, names[i]) != (long) i;
        bad += table.n * 3 > table.size * 2;
    }

    for (i = 0; i < KEYS; i++) {
        bad += find(&table, names[i]) != (long) i;
    }

    is_int(bad, 0, "each key is found from its addition on");
    is_int(find(&table, "1.txt"), -1, "another one is not");
    ok(table.n == KEYS && table.size < 4 * KEYS, "the table is not too large");

    art_table_free(&table);

    memset(&table, 0, sizeof(table));
    ok(art_table_room(&table, KEYS) == ART_OK, "room");
    size = table.size;

    for (i = 0; i < KEYS; i++) {
        (void) add(&table, (uint32_t) i);
    }

    ok(table.size == size, "which is enough");

    n = find(&table, names[7]);
    ok(n == 7 && art_table_room(&table, 1) == ART_OK && table.size == size,
       "and never less");

    art_table_free(&table);
}


/* Other items may take the place of one with the same key. */

static void
check_replace(void)
{
    uint32_t         *item;
    art_table_t       table;
    art_table_key_t   key;

    memset(&table, 0, sizeof(table));

    art_table_key(&table, &key, "x", 1);
    ok(art_table_add(&table, &key, 3) == ART_OK, "added");

    item = art_table_next(&table, &key);
    ok(item != NULL && *item == 3, "found");
    *item = 0;
    ok(art_table_next(&table, &key) == NULL, "only once");

    art_table_key(&table, &key, "x", 1);
    item = art_table_next(&table, &key);
    ok(item != NULL && *item == 0, "replaced");

    art_table_free(&table);
}


/* Names whose FNV-1a ends in the same bits are spread by a seed. */

static void
check_seed(void)
{
    char             name[16];
    size_t           i, n, tried;
    uint32_t        *item;
    art_table_t      table;
    art_table_key_t  key;

    memset(&table, 0, sizeof(table));
    table.seed[0] = 0x243f6a8885a308d3;
    table.seed[1] = 0x13198a2e03707344;

    n = 0;
    tried = 0;

    for (i = 0; n < 500; i++) {
        sprintf(name, "%zu", i);

        if (art_hash(ART_HASH_INIT, name, strlen(name)) & 0x3ff) {
            continue;
        }

        art_table_key(&table, &key, name, strlen(name));
        (void) art_table_add(&table, &key, (uint32_t) n++);

        art_table_key(&table, &key, name, strlen(name));

        do {
            item = art_table_next(&table, &key);
        } while (item != NULL && *item != n - 1);

        tried += key.tried;
    }

    ok(tried < 10 * 500, "%zu slots tried for 500 hostile names", tried);

    art_table_free(&table);
}


/* A table in memory of the caller's takes as many items as were asked for. */

static void
check_use(void)
{
    size_t             n, size;
    uint32_t           item;
    unsigned           wrong;
    art_table_t        table;
    art_table_slot_t  *slots;

    wrong = 0;

    for (n = 0; n <= KEYS; n += 1 + n / 3) {
        size = art_table_size(n);
        slots = malloc(size * sizeof(art_table_slot_t));

        memset(&table, 0, sizeof(table));
        art_table_use(&table, slots, size);

        for (item = 0; item < n; item++) {
            wrong += find(&table, names[item]) != -1
                     || add(&table, item) != ART_OK
                     || find(&table, names[item]) != (long) item;
        }

        wrong += table.slots != slots;
        free(slots);
    }

    is_int(wrong, 0, "a table in memory of the caller's");
}


int
main(void)
{
    check_hash();
    check_table();
    check_replace();
    check_seed();
    check_use();

    return done();
}
