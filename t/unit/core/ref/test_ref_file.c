
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of the files of artifacts, and ids from them.
 */


#include "core/media/art_media.h"
#include "core/ref/art_ref_file.h"
#include "tap.h"


static const struct {
    const char  *id;
    const char  *extension;
    const char  *name;           /* NULL: a sidecar's */
} names[] = {
    { "a", "", "a" },
    { "a", ".txt", "a.txt" },
    { "a", "txt", "a.txt" },
    { "a.b", "c", "a.b.c" },
    { "a", ".", "a." },
    { "a", ".meta", NULL },
    { "a", "MeTa", NULL },
    { "a.meta", "", NULL },
    { "a.meta", ".json", NULL },
    { "a.meta", "json", NULL },
    { "a.meta", ".txt", "a.meta.txt" }
};


static const struct {
    const char  *name;
    const char  *id;
} ids[] = {
    { "report.pdf", "report" },
    { "report.PDF", "report.PDF" },
    { "report", "report" },
    { "report.v2", "report.v2" },
    { "report.tar.gz", "report.tar" },
    { ".pdf", ".pdf" },
    { "a.", "a." },
    { "", "" }
};


static void
check_names(void)
{
    size_t   i, len;
    uint8_t  buf[ART_REF_FILE_NAME];

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        len = art_ref_file_name(buf, art_cstr(names[i].id),
                                art_cstr(names[i].extension));

        if (names[i].name == NULL) {
            is_int((long long) len, 0, names[i].extension);
            continue;
        }

        is_mem(buf, len, names[i].name, strlen(names[i].name), names[i].name);
        ok(buf[len] == '\0', "and a zero behind it");
    }
}


static void
check_longest(void)
{
    size_t    len;
    uint8_t   id[ART_ID_NAME_MAX], extension[ART_REF_FILE_EXTENSION_MAX];
    uint8_t  *buf;

    memset(id, 'i', sizeof(id));
    memset(extension, 'e', sizeof(extension));

    /* on the heap, for sanitizers to see its end */

    buf = malloc(ART_REF_FILE_NAME);
    if (buf == NULL) {
        abort();
    }

    len = art_ref_file_name(buf, art_str(id, sizeof(id)),
                            art_str(extension, sizeof(extension)));

    is_int((long long) len, ART_REF_FILE_NAME - 1, "the longest name fits");
    free(buf);
}


static void
check_ids(void)
{
    size_t     i;
    art_str_t  id;

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        id = art_ref_file_id(art_cstr(ids[i].name));
        is_mem(id.data, id.len, ids[i].id, strlen(ids[i].id), ids[i].name);
    }
}


/* Each is tried once, and an id is found again under every one of them. */

static void
check_guesses(void)
{
    size_t                n, wrong, total;
    unsigned              i;
    uint8_t               buf[ART_REF_FILE_NAME];
    art_str_t             extension, id;
    const char           *p;
    const art_media_t    *media;
    art_ref_file_guess_t  guess;

    total = 1;

    for (i = 0; (media = art_media_row(i)) != NULL; i++) {
        for (p = media->extensions; *p != '\0'; p++) {
            total += p == media->extensions || p[-1] == ' ';
        }
    }

    n = 0;
    wrong = 0;

    memset(&guess, 0, sizeof(guess));

    while (art_ref_file_guess(&guess, &extension) && n <= total) {

        if (n++ == 0) {
            ok(extension.len == 0, "first without one");
            wrong += art_ref_file_rank(extension) != 0;
            continue;
        }

        wrong += art_ref_file_rank(extension) != (int) n - 1;
        wrong += extension.len == 0 || memchr(extension.data, ' ',
                                              extension.len) != NULL;
        id = art_str(buf, art_ref_file_name(buf, art_cstr("id"), extension));
        wrong += !art_str_eq(art_ref_file_id(id), art_cstr("id"));
    }

    is_int((long long) n, (long long) total, "every known extension");
    is_int((long long) wrong, 0, "and each leads back to the id");
    ok(n <= ART_REF_FILE_GUESSES, "%zu of them", n);
    is_int(art_ref_file_rank(art_cstr("PDF")), -1, "none in capitals");
    is_int(art_ref_file_rank(art_cstr("pdfx")), -1, "none that is longer");
    ok(!art_ref_file_guess(&guess, &extension), "the end stays the end");
}


int
main(void)
{
    check_names();
    check_longest();
    check_ids();
    check_guesses();

    return done();
}
