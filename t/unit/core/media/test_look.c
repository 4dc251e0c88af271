
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media in base64 as they stream: whole, cut at any byte, filled up, broken, of
 * hostile lengths, in either alphabet and in lines, against the simple way, in
 * pieces of any size.
 */


#include "cut_media.h"
#include "look_naive.h"


#define TEXT_MAX  (4 * MEDIUM_MAX)


static uint8_t   text[TEXT_MAX];
static size_t    text_len;
static unsigned  failures;
static unsigned  honest;         /* no text is spoilt */


/* The medium as people write base64. */

static void
make_text(void)
{
    size_t          i, n, left;
    uint8_t         plain[ART_BASE64_LEN(MEDIUM_MAX) + 4];
    unsigned        width, safe, bare;
    const uint8_t  *src;
    art_base64_t    st;

    static const uint8_t  wrong[] = { '=', '*', 0, 'A', ' ', '\\', '_', '/' };

    memset(&st, 0, sizeof(st));
    src = medium;
    left = medium_len;
    n = art_base64_update(&st, plain, sizeof(plain), &src, &left);
    n += art_base64_final(&st, plain + n, 4);

    width = below(4) ? 0 : 1 + below(90);
    safe = below(4) == 0;
    bare = below(4) == 0;
    text_len = 0;

    for (i = 0; i < n; i++) {

        if (width && i > 0 && i % width == 0) {
            text[text_len++] = below(2) ? '\n' : ' ';
        }

        if (bare && plain[i] == '=') {
            continue;
        }

        text[text_len++] = safe && plain[i] == '+' ? '-'
                           : safe && plain[i] == '/' ? '_' : plain[i];
    }

    if (!honest && below(20) == 0 && text_len > 0) {
        text[below(text_len)] = wrong[below(sizeof(wrong))];
    }

    if (!honest && below(20) == 0 && text_len > 0) {
        text_len = below(text_len + 1);
    }
}


static void
check(void)
{
    size_t   i;
    naive_t  want, got;

    static const size_t  pieces[] = { 0, 1, 2, 3, 5, 17, 64, 1000 };

    want = naive_look(text, text_len);

    for (i = 0; i < nitems(pieces); i++) {
        got = look_pieces(text, text_len, pieces[i]);

        if (naive_same(&got, &want)) {
            continue;
        }

        if (failures++ < 5) {
            diag("pieces of %zu: size %llu bad %u cut %u locked %u plain %u",
                 pieces[i], (unsigned long long) got.size, got.bad, got.cut,
                 got.locked, got.plain);
            diag("should be: size %llu bad %u cut %u locked %u plain %u",
                 (unsigned long long) want.size, want.bad, want.cut,
                 want.locked, want.plain);
            diag_mem("text", text, text_len);
        }
    }
}


/* Every place that a medium can be cut at. */

static void
check_cuts(void (*make)(void), const char *name)
{
    size_t    i, whole;
    naive_t   got;
    unsigned  wrong;

    medium_len = 0;
    honest = 1;
    make();
    whole = medium_len;
    wrong = 0;

    for (i = 1; i <= whole; i++) {
        medium_len = i;
        make_text();
        got = look_pieces(text, text_len, 7);
        wrong += !got.bad && got.size == i && i > 12 && got.cut != (i < whole);
    }

    honest = 0;

    is_int(wrong, 0, name);
}


/* Lengths that would take a walk round in circles, or past all numbers. */

static void
check_hostile(void)
{
    size_t       i, n;
    naive_t      got;
    art_look_t  *look;

    medium_len = 0;
    add("\x89PNG\r\n\x1a\n\xff\xff\xff\xf4IDAT", 16);
    make_text();
    got = look_pieces(text, text_len, 0);
    ok(got.bad || got.cut, "a chunk of 4 GB ends nowhere");

    look = malloc(sizeof(*look));
    art_look_init(look);
    n = 0;

    for (i = 0; i < 3000; i++) {
        medium_len = 0;

        if (i == 0) {
            add("GIF89a\1\0\1\0\0\0\0!\xfe", 15);
        }

        while (medium_len < 6000) {
            add("\1x", 2);
        }

        medium_len = 6000;
        n += medium_len;

        {
            const uint8_t  *src = medium;
            size_t          left = medium_len;
            art_base64_t    st;

            memset(&st, 0, sizeof(st));
            text_len = art_base64_update(&st, text, sizeof(text), &src, &left);
        }

        art_look_feed(look, text, text_len);
    }

    art_look_end(look);
    ok(look->cut && look->size == n, "18 MB of the smallest blocks of a GIF");
    free(look);
}


int
main(void)
{
    unsigned  i;

    check_cuts(make_png, "a PNG, cut at each byte");
    check_cuts(make_gif, "a GIF, cut at each byte");
    check_hostile();

    for (i = 0; i < 8000; i++) {
        make_medium();
        make_text();
        check();
    }

    is_int(failures, 0, "8000 media, as the simple way sees them");

    return done();
}
