
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_percent.h"
#include "tap.h"


static void
check_encode(void)
{
    uint8_t    buf[64];
    art_out_t  out;

    out = art_out(buf, sizeof(buf));
    art_percent_encode(&out, art_str("aZ09-/\xe4%\0", 9), "-");
    is_mem(buf, out.len, "aZ09-%2F%E4%25%00", 17, "but letters and the like");

    out = art_out(buf, sizeof(buf));
    art_percent_encode(&out, art_cstr("@[`{"), "");
    is_mem(buf, out.len, "%40%5B%60%7B", 12, "what stands around letters");
}


static void
check_decode(void)
{
    size_t     i, n, bad;
    uint8_t    byte, buf[64], back[64];
    art_out_t  out;

    static const char *const  refused[] = { "%", "a%", "%2", "%g0", "%0G" };

    ok(art_percent_decode(buf, &n, art_cstr("a+%2fB%e4%B8%ad%00")) == ART_OK,
       "sound");
    is_mem(buf, n, "a+/B\xe4\xb8\xad", 8, "decoded, digits in any case");

    ok(art_percent_decode(buf, &n, art_cstr("")) == ART_OK && n == 0,
       "nothing");

    for (i = 0; i < art_nitems(refused); i++) {
        ok(art_percent_decode(buf, &n, art_cstr(refused[i])) == ART_ERROR,
           "refused: %s", refused[i]);
    }

    bad = 0;

    for (i = 0; i < 256; i++) {
        byte = (uint8_t) i;
        out = art_out(buf, sizeof(buf));
        art_percent_encode(&out, art_str(&byte, 1), "");

        bad += art_percent_decode(back, &n, art_str(buf, out.len)) != ART_OK
               || n != 1 || back[0] != byte;
    }

    is_int((long long) bad, 0, "every byte comes back");
}


int
main(void)
{
    check_encode();
    check_decode();

    return done();
}
