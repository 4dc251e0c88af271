
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"


#define art_hash_turn(n, bits)  ((n) << (bits) | (n) >> (64 - (bits)))


static void art_hash_round(uint64_t v[4]);


uint64_t
art_hash_keyed(const uint64_t key[2], const void *data, size_t len)
{
    size_t          left;
    uint64_t        word, v[4];
    const uint8_t  *p;

    v[0] = key[0] ^ 0x736f6d6570736575;
    v[1] = key[1] ^ 0x646f72616e646f6d;
    v[2] = key[0] ^ 0x6c7967656e657261;
    v[3] = key[1] ^ 0x7465646279746573;

    p = data;

    for (left = len; left >= 8; left -= 8) {
        word = art_bytes_get8(p);
        p += 8;

        v[3] ^= word;
        art_hash_round(v);
        v[0] ^= word;
    }

    word = art_bytes_get(p, (unsigned) left) | (uint64_t) len << 56;

    v[3] ^= word;
    art_hash_round(v);
    v[0] ^= word;

    v[2] ^= 0xff;
    art_hash_round(v);
    art_hash_round(v);
    art_hash_round(v);

    return v[0] ^ v[1] ^ v[2] ^ v[3];
}


static void
art_hash_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = art_hash_turn(v[1], 13) ^ v[0];
    v[0] = art_hash_turn(v[0], 32);
    v[2] += v[3];
    v[3] = art_hash_turn(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = art_hash_turn(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = art_hash_turn(v[1], 17) ^ v[2];
    v[2] = art_hash_turn(v[2], 32);
}
