
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The line of reasons: what is in it, and how it ends when it is full.
 */


#include <stdio.h>

#include "core/render/art_reasons.h"
#include "tap.h"


static uint8_t        line[ART_REASONS_MAX];
static art_reasons_t  reasons;


static void
is_line(const char *want, const char *name)
{
    art_str_t  got;

    got = art_reasons_end(&reasons);

    ok(art_str_eq(got, art_cstr(want)), "%s", name);
}


/* With ids of any length the line has whole entries, as many as fit. */

static int
check_full(int len)
{
    int        id, more;
    size_t     n;
    char       name[1024], entry[1024], want[ART_REASONS_MAX + 16];
    art_str_t  got;

    art_reasons_init(&reasons, line);

    for (id = 0, more = 0, n = 0; id < 500; id++) {
        (void) snprintf(name, sizeof(name), "%03d%0*d", id, len - 3, 0);
        art_reasons_add(&reasons, art_cstr(name), ART_KIND_OTHER, "size");

        (void) snprintf(entry, sizeof(entry), " artifact:%.*s%s=size",
                        len > 256 ? 253 : len, name, len > 256 ? "..." : "");

        /* the room for a number of ten digits is kept */

        if (more > 0 || n + strlen(entry) > 2048 - 12) {
            more++;

        } else {
            n += (size_t) sprintf(want + n, "%s", entry + (n == 0));
        }
    }

    if (more > 0) {
        (void) sprintf(want + n, " +%d", more);
    }

    got = art_reasons_end(&reasons);

    if (!art_str_eq(got, art_cstr(want))) {
        diag("ids of %d bytes\ngot  %.*s\nwant %s", len, (int) got.len,
             (char *) got.data, want);
        return 0;
    }

    return 1;
}


/* An id is cut between its characters, as they are written. */

static void
check_cut(const char *in, const char *out)
{
    char  name[512], want[512];

    art_reasons_init(&reasons, line);

    (void) snprintf(name, sizeof(name), "%0250d%s", 0, in);
    (void) snprintf(want, sizeof(want), "artifact:%0250d%s=read", 0, out);

    art_reasons_add(&reasons, art_cstr(name), ART_KIND_OTHER, "read");
    is_line(want, in);
}


int
main(void)
{
    int  len, right;

    art_reasons_init(&reasons, line);
    is_line("", "nothing");

    art_reasons_add(&reasons, art_cstr("abc"), ART_KIND_IMAGE, "capability");
    art_reasons_add(&reasons, art_cstr("def"), ART_KIND_OTHER, "missing");
    art_reasons_add(&reasons, art_cstr("abc"), ART_KIND_IMAGE, "capability");
    art_reasons_add(&reasons, art_cstr("ab"), ART_KIND_IMAGE, "capability");
    art_reasons_add(&reasons, art_str(NULL, 0), ART_KIND_IMAGE, "type");
    art_reasons_add(&reasons, art_str(NULL, 0), ART_KIND_IMAGE, "type");
    art_reasons_add(&reasons, art_cstr("abc"), ART_KIND_IMAGE, "named");
    is_line("artifact:abc=capability artifact:def=missing "
            "artifact:ab=capability image=type artifact:abc=named",
            "each once");

    art_reasons_derived(&reasons, art_cstr("abc"), ART_KIND_IMAGE,
                        art_cstr("text/plain"));
    art_reasons_derived(&reasons, art_str(NULL, 0), ART_KIND_AUDIO,
                        art_cstr("audio/mpeg"));
    is_line("artifact:abc=capability artifact:def=missing "
            "artifact:ab=capability image=type artifact:abc=named "
            "artifact:abc=derived:text/plain audio=derived:audio/mpeg",
            "and what was converted");

    art_reasons_init(&reasons, line);
    reasons.derived = 1;
    art_reasons_add(&reasons, art_cstr("abc"), ART_KIND_IMAGE, "capability");
    is_line("", "no words are wanted");
    art_reasons_derived(&reasons, art_cstr("abc"), ART_KIND_IMAGE,
                        art_cstr("text/plain"));
    is_line("artifact:abc=derived:text/plain", "but conversions are");

    art_reasons_init(&reasons, line);
    art_reasons_add(&reasons, art_cstr("a b=%\"\\\x01\xc2\x9b\x7f~"),
                    ART_KIND_OTHER, "read");
    is_line("artifact:a%20b%3D%25%22%5C%01%C2%9B%7F~=read", "bytes");

    check_cut("abcdef", "abcdef");
    check_cut("abcdefg", "abc...");
    check_cut("abc%", "abc%25");
    check_cut("abcd%", "abc...");
    check_cut("ab%efg", "ab...");
    check_cut("a%defg", "a...");
    check_cut("%defg", "%25...");

    for (len = 4, right = 0; len < 600; len++) {
        right += check_full(len);
    }

    is_int(right, 596, "a full line, of ids of any length");

    return done();
}
