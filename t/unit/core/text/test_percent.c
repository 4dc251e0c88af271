
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
check_controls(void)
{
    char       name[32];
    size_t     i;
    uint8_t    buf[64];
    art_out_t  out;

    static const struct {
        art_str_t   text;
        const char  *want;
    } cases[] = {
        { art_string("a b%c\"\\/?#\xe4\xb8\xad"),
          "a b%c\"\\/?#\xe4\xb8\xad" },
        { art_string("\r\n\t\0\x1b\x1f\x7f"), "%0D%0A%09%00%1B%1F%7F" },
        { art_string("\xc2\x80\xc2\x85\xc2\x9f"), "%C2%80%C2%85%C2%9F" },
        { art_string("\xc2\xa0\xe2\x80\xa8\xc3\x85"),
          "\xc2\xa0\xe2\x80\xa8\xc3\x85" },
        { art_string("\x85\xff"), "\x85\xff" },
        { art_string("a\xc2"), "a\xc2" },
        { art_string("%0A%1F%7F%C2%85%C2%9F"),
          "%250A%251F%257F%25C2%85%25C2%9F" },
        { art_string("%250A%25250A"), "%25250A%2525250A" },
        { art_string("%25%2541%2525.%0%0g%0a%2A%7E%C2%A0%C2"),
          "%25%2541%2525.%0%0g%0a%2A%7E%C2%A0%C2" },
        { art_string("%\n0A%%0A"), "%%0A0A%%250A" },
        { art_string("%25%0A"), "%25%250A" },
        { art_string(""), "" }
    };

    for (i = 0; i < art_nitems(cases); i++) {
        out = art_out(buf, sizeof(buf));
        art_percent_controls(&out, cases[i].text);
        snprintf(name, sizeof(name), "controls, row %u", (unsigned) i);
        is_mem(buf, out.len, cases[i].want, strlen(cases[i].want), name);
    }
}


/*
 * All short texts of the characters that count: no two of them are written
 * alike, which is so if the text can be read from what is written.
 */

static size_t
read_controls(uint8_t *dst, const uint8_t *p, size_t len)
{
    int     c;
    size_t  i, k, n;

    n = 0;

    for (i = 0; i < len; i++) {
        dst[n++] = p[i];

        if (p[i] != '%') {
            continue;
        }

        for (k = i + 1; k + 2 < len && p[k] == '2' && p[k + 1] == '5'; k += 2)
        {
            /* void */
        }

        c = k + 1 < len && p[k] == '0' ? art_char_hex(p[k + 1]) : -1;

        if (c == -1) {
            continue;
        }

        if (k == i + 1) {
            dst[n - 1] = (uint8_t) c;
        }

        i += 2;
    }

    return n;
}


static void
check_different(void)
{
    size_t     i, j, len, n, bad;
    uint8_t    text[8], buf[64], back[64];
    art_out_t  out;

    static const char  chars[] = "%25A0\n";

    bad = 0;

    for (i = 0; i < 6 * 6 * 6 * 6 * 6 * 6 * 6; i++) {
        len = 0;

        for (j = i; j > 0; j /= 6) {
            text[len++] = (uint8_t) chars[j % 6];
        }

        out = art_out(buf, sizeof(buf));
        art_percent_controls(&out, art_str(text, len));
        n = read_controls(back, buf, out.len);

        bad += n != len || memcmp(back, text, len) != 0;
    }

    is_int((long long) bad, 0, "no two texts are written alike");
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
    check_controls();
    check_different();
    check_decode();

    return done();
}
