
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_hash.h"
#include "tap.h"


#define KEYS   20000
#define SMALL  64                /* words */
#define LARGE  8192


static const uint64_t  seed[2] = { 0x243f6a8885a308d3, 0x13198a2e03707344 };


static art_str_t
key(char *buf, const char *prefix, unsigned i)
{
    return art_str(buf, (size_t) sprintf(buf, "%s%u", prefix, i));
}


/* How many of the strings are taken for some that were added. */

static unsigned
count(const art_bloom_t *bloom, const char *prefix, unsigned n)
{
    char      buf[64];
    unsigned  i, found;

    found = 0;

    for (i = 0; i < n; i++) {
        found += (unsigned) art_bloom_has(bloom, key(buf, prefix, i));
    }

    return found;
}


static void
add(art_bloom_t *bloom, unsigned from, unsigned to)
{
    char      buf[64];
    unsigned  i;

    for (i = from; i < to; i++) {
        art_bloom_add(bloom, key(buf, "Name-", i));
    }
}


static void
check_sizes(void)
{
    unsigned     others;
    art_bloom_t  bloom;

    ok(art_bloom_init(&bloom, SMALL, seed) == ART_OK, "made");
    is_int(count(&bloom, "Name-", 1000), 0, "empty: nothing was added");

    add(&bloom, 0, 200);
    is_int(count(&bloom, "Name-", 200), 200, "what was added is there");

    ok(art_bloom_grow(&bloom, LARGE) == ART_OK, "made larger");
    is_int(count(&bloom, "Name-", 200), 200, "nothing is lost");

    add(&bloom, 200, KEYS);
    is_int(count(&bloom, "Name-", KEYS), KEYS, "more is added");
    is_int(count(&bloom, "nAME-", KEYS), KEYS, "in any case of letters");

    others = count(&bloom, "other-", KEYS);
    ok(others < KEYS / 100, "%u of %u others", others, KEYS);

    ok(art_bloom_grow(&bloom, SMALL) == ART_OK && bloom.size == LARGE,
       "it does not grow smaller");

    art_bloom_free(&bloom);
    art_bloom_free(&bloom);
}


static void
check_shrink(void)
{
    unsigned     others;
    art_bloom_t  bloom;

    ok(art_bloom_init(&bloom, LARGE, seed) == ART_OK, "made");

    add(&bloom, 0, 1000);
    art_bloom_shrink(&bloom);

    ok(bloom.size == 256, "%zu words for 1000 strings", bloom.size);
    is_int(count(&bloom, "Name-", 1000), 1000, "nothing is lost");

    others = count(&bloom, "other-", KEYS);
    ok(others < KEYS / 100, "%u of %u others", others, KEYS);

    art_bloom_free(&bloom);

    (void) art_bloom_init(&bloom, LARGE, seed);
    art_bloom_shrink(&bloom);
    ok(bloom.size == 1 && count(&bloom, "Name-", 1000) == 0, "nothing in it");
    art_bloom_free(&bloom);
}


static void
check_long(void)
{
    uint8_t      text[ART_BLOOM_STRING_MAX + 1];
    art_bloom_t  bloom;

    memset(text, 'x', sizeof(text));

    (void) art_bloom_init(&bloom, SMALL, seed);

    art_bloom_add(&bloom, art_str(text, sizeof(text)));
    ok(art_bloom_has(&bloom, art_str(text, sizeof(text))), "a long string");
    ok(!art_bloom_has(&bloom, art_str(text, sizeof(text) - 2)),
       "a shorter one");
    ok(!art_bloom_has(&bloom, art_str(NULL, 0)), "an empty one");

    art_bloom_free(&bloom);
}


int
main(void)
{
    check_sizes();
    check_shrink();
    check_long();

    return done();
}
