
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


/* With ids of any length the line is never longer, and has whole entries. */

static void
check_full(size_t len)
{
    char        id[1024];
    size_t      i, shown, wrong;
    art_str_t   got;
    const char  tail[] = "=capability";

    art_reasons_init(&reasons, line);

    for (i = 0; i < 5000; i++) {
        memset(id, 'x', len);
        (void) snprintf(id, 6, "%05u", (unsigned) i);
        id[5] = 'x';

        art_reasons_add(&reasons, art_str((uint8_t *) id, len),
                        ART_KIND_OTHER, tail + 1);
    }

    got = art_reasons_end(&reasons);
    shown = 5000 - reasons.more;
    wrong = got.len > ART_REASONS_MAX || shown == 0;

    /* the last entry is whole, and the mark follows */

    for (i = got.len; i > 0 && got.data[i - 1] != ' '; i--) { /* void */ }

    wrong += got.data[i] != '+' || i < sizeof(tail)
             || memcmp(got.data + i - sizeof(tail), tail, sizeof(tail) - 1)
                != 0;

    ok(wrong == 0, "full, ids of %d bytes", (int) len);
}


int
main(void)
{
    size_t  len;

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

    art_reasons_init(&reasons, line);
    art_reasons_add(&reasons, art_cstr("a b=%\"\\\x01\xc2\x9b\x7f~"),
                    ART_KIND_OTHER, "read");
    is_line("artifact:a%20b%3D%25%22%5C%01%C2%9B%7F~=read", "bytes");

    for (len = 6; len < 1000; len = len * 5 / 4 + 1) {
        check_full(len);
    }

    return done();
}
