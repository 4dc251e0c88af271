
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Stand-ins: what is printed is read again, in all spellings of base64 that
 * mean the same bytes, and nothing else is.
 */


#define _GNU_SOURCE              /* memmem() */

#include "core/media/art_standin.h"
#include "core/media/art_sniff.h"
#include "core/media/art_media.h"
#include "core/text/art_base64.h"
#include "tap.h"


static const char  *id = "0123abcd-4567-8fed-89ab-fedcba987654";


static art_standin_t
read_text(const uint8_t *p, size_t len, uint8_t *got, size_t *at)
{
    uint8_t        *copy;
    art_standin_t   kind;

    /* of the exact size, so that a sanitizer sees what is read behind it */

    copy = malloc(len + 1);
    memcpy(copy + 1, p, len);

    kind = art_standin_read(art_str(copy + 1, len), got, at);
    free(copy);

    return kind;
}


/* The decoded medium is what its type says, and has its parts in place. */

static void
check_bytes(art_standin_t kind)
{
    size_t               n, len;
    uint8_t              text[ART_STANDIN_MAX], bytes[ART_STANDIN_MAX];
    art_evidence_t       evidence;
    art_base64_decode_t  st;

    len = art_standin_len(kind);
    art_standin_print(kind, (const uint8_t *) id, text);

    memset(&st, 0, sizeof(st));
    n = art_base64_decode(&st, bytes, text, len);

    ok(n == len / 4 * 3 && !st.bad, "whole groups");
    ok(memmem(bytes, n, "artifact:0123abcd-4567-8fed-89ab-fedcba987654", 45)
       != NULL, "the id follows \"artifact:\"");

    art_sniff(bytes, n, 1, &evidence);

    ok(evidence.media != 0
       && art_str_eq(art_cstr(art_media_row(evidence.media - 1u)->mime),
                     art_standin_mime(kind)), "a medium of its type");
    is_int(art_standin_of(art_standin_mime(kind)), kind, "found by its type");
}


static void
check_spellings(art_standin_t kind)
{
    size_t   i, n, at, len;
    uint8_t  text[ART_STANDIN_MAX], other[3 * ART_STANDIN_MAX];
    uint8_t  got[ART_STANDIN_ID];

    len = art_standin_len(kind);
    art_standin_print(kind, (const uint8_t *) id, text);

    ok(read_text(text, len, got, &at) == kind && at == 0
       && memcmp(got, id, ART_STANDIN_ID) == 0, "read");

    n = 0;

    for (i = 0; i < len; i++) {
        other[n++] = text[i] == '+' ? '-' : text[i] == '/' ? '_' : text[i];

        if (i % 76 == 75) {
            other[n++] = '\r';
            other[n++] = '\n';
        }
    }

    ok(read_text(other, n, got, &at) == kind, "URL-safe, in lines");

    memcpy(other, "DATA:x/y;base64,", 16);
    memcpy(other + 16, text, len);

    ok(read_text(other, 16 + len, got, &at) == kind && at == 16, "a data URL");
}


/* Any other character at any place, any end, any id that is none. */

static void
check_others(art_standin_t kind)
{
    size_t    i, at, len;
    uint8_t   text[ART_STANDIN_MAX + 1], got[ART_STANDIN_ID], was;
    unsigned  n;

    len = art_standin_len(kind);
    n = 0;

    for (i = 0; i < len; i++) {
        art_standin_print(kind, (const uint8_t *) id, text);
        n += read_text(text, i, got, &at) != ART_STANDIN_NONE;

        was = text[i];
        text[i] = '*';
        n += read_text(text, len, got, &at) != ART_STANDIN_NONE;

        text[i] = was == 'A' ? 'B' : 'A';

        if (read_text(text, len, got, &at) != ART_STANDIN_NONE) {
            n += memcmp(got, id, ART_STANDIN_ID) == 0;
        }
    }

    text[len] = 'A';
    n += read_text(text, len + 1, got, &at) != ART_STANDIN_NONE;

    is_int(n, 0, "nothing else is read as this one");
}


static void
check_ids(void)
{
    size_t    i, at;
    uint8_t   text[ART_STANDIN_MAX], got[ART_STANDIN_ID];
    unsigned  n;

    static const char *const  ids[] = {
        "0123abcd-4567-7fed-89ab-fedcba987654",
        "0123abcd-4567-8fed-79ab-fedcba987654",
        "0123ABCD-4567-8fed-89ab-fedcba987654",
        "0123abcd04567-8fed-89ab-fedcba987654",
        "0123abcd-4567-8fed-89ab-fedcba98765g",
        "0123abcd-4567-8fed-89ab-fedcba98765\n"
    };

    n = 0;

    for (i = 0; i < art_nitems(ids); i++) {
        art_standin_print(ART_STANDIN_GIF, (const uint8_t *) ids[i], text);
        n += art_standin_read(art_str(text, art_standin_len(ART_STANDIN_GIF)),
                              got, &at) != ART_STANDIN_NONE;
    }

    is_int(n, 0, "an id is a UUID of version 8 in lower case");
    is_int(art_standin_of(art_cstr("image/bmp")), ART_STANDIN_NONE,
           "not all media have one");
    is_int(art_standin_of(art_cstr("")), ART_STANDIN_NONE, "nor has no type");
    is_int(art_standin_read(art_str("data:,", 6), got, &at), ART_STANDIN_NONE,
           "nothing is none");
}


int
main(void)
{
    art_standin_t  kind;

    for (kind = ART_STANDIN_PNG; kind < ART_STANDIN_KINDS; kind++) {
        diag("%s", (const char *) art_standin_name(kind).data);
        check_bytes(kind);
        check_spellings(kind);
        check_others(kind);
    }

    check_ids();

    return done();
}
