
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "tap.h"


static void
check_uuid(void)
{
    size_t    i, j, bad;
    uint8_t   id[ART_UUID_LEN], old[ART_UUID_LEN], random[ART_UUID_RANDOM];
    uint64_t  last, now;

    /* the example of RFC 9562, appendix A.6, but for the sub-milliseconds */

    last = 0;
    memcpy(random, "\x0c\x07\x39\x8f\xc6\x0c\xc4\x18", sizeof(random));

    art_uuid_v7(id, &last, 1645557742000ULL * 1000000, random);
    ok(memcmp(id, "017f22e2-79b0-7000-", 19) == 0, "milliseconds, version");
    ok(strchr("89ab", id[19]) != NULL, "variant");

    last = 0;
    art_uuid_v7(id, &last, 1645557742000ULL * 1000000 + 500000, random);
    ok(memcmp(id, "017f22e2-79b0-7800-", 19) == 0, "half a millisecond");

    memset(random, 0, sizeof(random));
    art_uuid_v7(old, &last, 1645557742000ULL * 1000000 + 500000, random);
    ok(memcmp(id, old, 19) < 0, "at the same time, a larger one");

    last = 0;
    now = 1767225600000ULL * 1000000;
    memset(old, 0, sizeof(old));
    bad = 0;

    for (i = 0; i < 5000; i++) {

        for (j = 0; j < sizeof(random); j++) {
            random[j] = (uint8_t) tap_rand();
        }

        now = now + tap_below(1000) - tap_below(1000);
        art_uuid_v7(id, &last, now, random);

        bad += memcmp(old, id, sizeof(id)) >= 0;
        bad += id[14] != '7' || memchr("89ab", id[19], 4) == NULL;

        for (j = 0; j < ART_UUID_LEN; j++) {
            bad += (j == 8 || j == 13 || j == 18 || j == 23)
                   ? id[j] != '-'
                   : memchr("0123456789abcdef", id[j], 16) == NULL;
        }

        memcpy(old, id, sizeof(id));
    }

    is_int((long long) bad, 0, "5000 ids ascend though the clock jumps");

    /* by less than a day; what was further ahead was wrong */

    art_uuid_v7(id, &last, now - 86399000ULL * 1000000, random);
    ok(memcmp(id, old, sizeof(id)) > 0, "and though it goes back for hours");

    last = 0;
    art_uuid_v7(old, &last, now, random);
    art_uuid_v7(id, &last, now + 3650 * 86400000ULL * 1000000, random);
    art_uuid_v7(id, &last, now + 1000000, random);
    ok(memcmp(id, old, 8) == 0 && memcmp(id, old, sizeof(id)) > 0,
       "a clock that was ten years ahead is right again");
}



/* The examples of RFC 9562, appendixes B.1 and B.2. */

static void
check_uuid_of_bytes(void)
{
    uint8_t  id[ART_UUID_LEN];

    art_uuid_v8(id, (const uint8_t *) "\x24\x89\xe9\xad\x2e\xe2\x0e\x00"
                    "\x0e\xc9\x32\xd5\xf6\x91\x81\xc0");
    is_mem(id, sizeof(id), "2489e9ad-2ee2-8e00-8ec9-32d5f69181c0", 36,
           "of time");

    art_uuid_v8(id, (const uint8_t *) "\x5c\x14\x6b\x14\x3c\x52\x4a\xfd"
                    "\x93\x8a\x37\x5d\x0d\xf1\xfb\xf6");
    is_mem(id, sizeof(id), "5c146b14-3c52-8afd-938a-375d0df1fbf6", 36,
           "of a hash");

    memset(id, 0xff, sizeof(id));
    art_uuid_v8(id, (const uint8_t *) "\xff\xff\xff\xff\xff\xff\xff\xff"
                    "\xff\xff\xff\xff\xff\xff\xff\xff");
    is_mem(id, sizeof(id), "ffffffff-ffff-8fff-bfff-ffffffffffff", 36,
           "version and variant");
}


int
main(void)
{
    check_uuid();
    check_uuid_of_bytes();

    return done();
}
