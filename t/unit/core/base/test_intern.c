
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Bytes that are kept once.
 */


#include "core/base/art_hash.h"
#include "tap.h"


#define STRINGS  4000


int
main(void)
{
    int            same, once, aligned;
    char           text[64];
    size_t         i, n, len, align;
    art_intern_t   intern;
    const void    *kept[STRINGS];

    memset(&intern, 0, sizeof(intern));
    same = once = aligned = 1;

    for (i = 0; i < STRINGS; i++) {
        len = (size_t) snprintf(text, sizeof(text), "string %zu%.*s", i,
                                (int) (i % 40), "........................");
        align = (size_t) 1 << i % 4;
        kept[i] = art_intern(&intern, text, len, align);
        aligned &= ((uintptr_t) kept[i] & (align - 1)) == 0;
    }

    n = intern.table.n;

    for (i = 0; i < STRINGS; i++) {
        len = (size_t) snprintf(text, sizeof(text), "string %zu%.*s", i,
                                (int) (i % 40), "........................");
        same &= memcmp(kept[i], text, len) == 0;
        once &= art_intern(&intern, text, len, 1) == kept[i];
    }

    ok(same, "%d different strings are kept", STRINGS);
    ok(once && intern.table.n == n, "and each of them once");
    ok(aligned, "aligned as asked");
    ok(art_intern(&intern, NULL, 0, 1) != NULL, "no bytes are something");

    memset(text, 'x', sizeof(text));
    kept[0] = art_intern(&intern, text, 5, 1);
    ok(art_intern(&intern, text, 5, 8) != NULL
       && ((uintptr_t) art_intern(&intern, text, 5, 8) & 7) == 0,
       "the same bytes with another alignment");

    art_intern_seal(&intern);
    ok(intern.table.slots == NULL && intern.pieces == NULL
       && memcmp(kept[1], "string 1.", 9) == 0, "sealed: without its table");
    kept[2] = art_intern(&intern, text, 5, 1);
    ok(kept[2] != NULL && kept[2] != kept[0] && memcmp(kept[2], text, 5) == 0,
       "and still able to keep more");

    art_intern_destroy(&intern);

    return done();
}
