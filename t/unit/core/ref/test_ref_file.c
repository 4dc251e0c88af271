
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of the files of artifacts and workspaces, ids from them, and layouts.
 */


#include "core/media/art_media.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta.h"
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
        ok(buf[len] == '\0', "and a zero after it");
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


static void
check_workspace(void)
{
    char    name[300];
    size_t  i;

    static const char *const  good[] = {
        "a", "agent-abc123", "A_b:c", "v1.2", "x.meta", "a..b", "meta.json",
        ":", "-", "x.meta.jsonl"
    };

    static const char *const  bad[] = {
        "", ".", "..", ".artifact", "a.", "a/b", "a b", "\xe4\xb8\xad", "a%",
        "x.meta.json", "X.Meta.JSON", "a\\b", "a\n", "a+b", "a~"
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(art_ref_name_workspace(art_cstr(good[i])), "workspace %s", good[i]);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(!art_ref_name_workspace(art_cstr(bad[i])), "no workspace %zu", i);
    }

    ok(!art_ref_name_workspace(art_str("a\0b", 3)), "no NUL");

    memset(name, 'a', sizeof(name));
    ok(art_ref_name_workspace(art_str(name, 245)), "245 bytes");
    ok(!art_ref_name_workspace(art_str(name, 246)), "246 bytes");

    ok(art_ref_name_path(art_str(name, 255)), "a component of 255 bytes");
    ok(!art_ref_name_path(art_str(name, 256)), "one of 256 bytes");
    name[20] = '/';
    ok(art_ref_name_path(art_str(name, 276)), "255 bytes at the end");
    ok(!art_ref_name_path(art_str(name, 277)), "256 bytes at the end");
    name[277] = '/';
    ok(!art_ref_name_path(art_str(name, 280)), "256 bytes in the middle");
}


static void
check_reserved(void)
{
    size_t  i;

    static const struct {
        const char  *name;
        int          reserved;
    } cases[] = {
        { "abc.meta", 1 }, { "abc.META", 1 }, { ".meta", 1 },
        { "abc.meta.json", 1 }, { "abc.Meta.JSON", 1 }, { "meta", 0 },
        { "abc.metadata", 0 }, { "abc.meta.js", 0 }, { "meta.json", 0 },
        { "", 0 }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int(art_ref_name_reserved(art_cstr(cases[i].name)),
               cases[i].reserved, cases[i].name);
    }
}


static void
check_artifact(void)
{
    size_t     i;
    uint8_t    buf[1024];
    art_str_t  name;

    static const struct {
        const char  *value;
        const char  *name;       /* NULL: refused */
    } cases[] = {
        { "shot.png", "shot.png" },
        { "%E5%9B%BE%20a.png", "\xe5\x9b\xbe a.png" },
        { "a+b", "a+b" },
        { "%2e%2E.x", "...x" },
        { "a%252fb", "a%2fb" },
        { "C:%5Cx.png", "C:\\x.png" },
        { "%2", NULL }, { "%", NULL }, { "%g0", NULL }, { "%0g", NULL },
        { "a/b", NULL }, { "a%2Fb", NULL }, { "..", NULL }, { "%2e", NULL },
        { "a%00b", NULL }, { "a%0ab", NULL }, { "%7f", NULL },
        { "%c2%85", NULL }, { "%ff", NULL }, { "%c0%af", NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        if (cases[i].name == NULL) {
            ok(art_ref_name_artifact(art_cstr(cases[i].value), buf, &name)
               == ART_ERROR && name.data == NULL,
               "refused: %s", cases[i].value);
            continue;
        }

        (void) art_ref_name_artifact(art_cstr(cases[i].value), buf, &name);
        is_mem(name.data, name.len, cases[i].name, strlen(cases[i].name),
               cases[i].value);
    }

    ok(art_ref_name_artifact(art_cstr(""), buf, &name) == ART_OK
       && name.data == NULL, "an empty value is no name");
}


static void
check_extension(void)
{
    char        text[64];
    size_t      i, bad;
    uint8_t     buf[ART_REF_NAME_EXTENSION_MAX];
    unsigned    row;
    art_str_t   got;
    art_meta_t  meta;

    static const struct {
        const char  *name;
        const char  *type;
        const char  *want;
    } cases[] = {
        { "shot.png", "image/jpeg", ".png" },
        { "SHOT.PNG", "", ".png" },
        { "a.tar.gz", "application/gzip", ".gz" },
        { "a.c++", "text/plain", ".c++" },
        { "", "image/png", ".png" },
        { "noext", "IMAGE/PNG; x=y", ".png" },
        { "noext", "image/jpg", ".jpg" },
        { "noext", "application/octet-stream", "" },
        { "noext", "x/unknown", "" },
        { "noext", "garbage", "" },
        { "x.meta", "image/png", ".png" },
        { "x.META", "application/x-nothing", "" },
        { "x.meta.json", "text/plain", ".json" },
        { "Report 1. final", "application/pdf", ".pdf" },
        { "dot.", "application/pdf", ".pdf" },
        { "a.\xe5\x9b\xbe", "application/pdf", ".pdf" },
        { "a.12345678901234567", "application/pdf", ".pdf" },
        { "a.1234567890123456", "application/pdf", ".1234567890123456" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        got = art_ref_name_extension(art_cstr(cases[i].name),
                                     art_cstr(cases[i].type), buf);
        sprintf(text, "%s, %s", cases[i].name, cases[i].type);
        is_mem(got.data, got.len, cases[i].want, strlen(cases[i].want), text);
    }

    bad = 0;

    for (row = 0; art_media_row(row) != NULL; row++) {
        got = art_ref_name_extension(art_str(NULL, 0),
                                     art_cstr(art_media_row(row)->mime), buf);
        sprintf(text, "{\"extension\":\"%.*s\"}", (int) got.len,
                (const char *) got.data);

        if (art_meta_parse(art_cstr(text), &meta) != ART_META_OK) {
            bad++;
            continue;
        }

        bad += !art_str_eq(meta.extension, got) || art_ref_name_reserved(got);
        art_meta_free(&meta);
    }

    ok(row > 50 && bad == 0, "the extension of every media type is sound");
}


static const struct {
    const char  *text;
    int          rc;
    unsigned     n;
    size_t       len;            /* of a sub-folder */
    const char  *place;          /* of the hash below */
} layouts[] = {
    { "flat", ART_OK, 0, 0, "" },
    { "1", ART_OK, 1, 2, "c/" },
    { "2", ART_OK, 1, 3, "9c/" },
    { "1:2", ART_OK, 2, 5, "c/29/" },
    { "2:1", ART_OK, 2, 5, "9c/2/" },
    { "2:2", ART_OK, 2, 6, "9c/02/" },
    { "1:1:1", ART_OK, 3, 6, "c/9/2/" },
    { "2:2:2", ART_OK, 3, 9, "9c/02/65/" },
    { "", ART_ERROR, 0, 0, NULL },
    { "0", ART_ERROR, 0, 0, NULL },
    { "3", ART_ERROR, 0, 0, NULL },
    { "12", ART_ERROR, 0, 0, NULL },
    { "1:", ART_ERROR, 0, 0, NULL },
    { ":1", ART_ERROR, 0, 0, NULL },
    { "1::2", ART_ERROR, 0, 0, NULL },
    { "1:2:", ART_ERROR, 0, 0, NULL },
    { "1:2:2:", ART_ERROR, 0, 0, NULL },
    { "1:2:1:1", ART_ERROR, 0, 0, NULL },
    { "1,2", ART_ERROR, 0, 0, NULL },
    { "-1", ART_ERROR, 0, 0, NULL },
    { "Flat", ART_ERROR, 0, 0, NULL },
    { "flat:1", ART_ERROR, 0, 0, NULL }
};


/* that of the example in the documentation of nginx's caches */

static const uint8_t  hash[ART_REF_LAYOUT_HASH] = {
    0xb7, 0xf5, 0x4b, 0x2d, 0xf7, 0x77, 0x37, 0x22,
    0xd3, 0x82, 0xf4, 0x80, 0x9d, 0x65, 0x02, 0x9c
};


static void
check_layouts(void)
{
    int               rc;
    size_t            i, len;
    uint8_t           buf[ART_REF_LAYOUT_PLACE];
    art_ref_layout_t  layout;

    for (i = 0; i < art_nitems(layouts); i++) {
        rc = art_ref_layout_parse(art_cstr(layouts[i].text), &layout);
        ok(rc == layouts[i].rc, "layout \"%s\"", layouts[i].text);

        if (layouts[i].place == NULL) {
            continue;
        }

        ok(layout.n == layouts[i].n, "its levels");
        ok(art_ref_layout_len(&layout) == layouts[i].len, "its length");

        len = art_ref_layout_place(&layout, hash, buf);
        is_mem(buf, len, layouts[i].place, strlen(layouts[i].place),
               "its sub-folder");
    }
}


/* Every number of a level has a name of its own. */

static void
check_numbers(void)
{
    size_t            i, len;
    uint8_t           buf[ART_REF_LAYOUT_WIDTH];
    unsigned          number, level, wrong;
    art_ref_layout_t  layout;

    static const char *const  none[] = {
        "", "0", "000", "0A", "g0", "0g", ".a", "a.", "0/", "ab\n"
    };

    (void) art_ref_layout_parse(art_cstr("2:1"), &layout);

    wrong = 0;

    for (level = 0; level < 2; level++) {
        for (number = 0; number < 1u << 4 * layout.width[level]; number++) {
            len = art_ref_layout_name(&layout, level, number, buf);

            wrong += len != layout.width[level]
                     || art_ref_layout_number(&layout, level,
                                              art_str(buf, len))
                        != (int) number;
        }
    }

    is_int(wrong, 0, "names of all numbers");

    for (i = 0; i < art_nitems(none); i++) {
        ok(art_ref_layout_number(&layout, 0, art_cstr(none[i])) == -1,
           "\"%s\" is no number", i + 1 < art_nitems(none) ? none[i] : "..");
    }
}


/* Each of those that can be, once. */

static void
check_any(void)
{
    unsigned          i, j, same, found[art_nitems(layouts)];
    art_ref_layout_t  any, layout;

    same = 0;
    memset(found, 0, sizeof(found));

    for (i = 0; art_ref_layout_any(i, &any) == ART_OK; i++) {

        for (j = 0; j < i; j++) {
            (void) art_ref_layout_any(j, &layout);
            same += memcmp(&any, &layout, sizeof(art_ref_layout_t)) == 0;
        }

        for (j = 0; j < art_nitems(layouts); j++) {

            if (art_ref_layout_parse(art_cstr(layouts[j].text), &layout)
                == ART_OK)
            {
                found[j] += memcmp(&any, &layout, sizeof(art_ref_layout_t))
                            == 0;
            }
        }
    }

    is_int(i, 15, "layouts there are");
    is_int(same, 0, "none of them twice");

    for (j = 0; j < art_nitems(layouts); j++) {
        ok(found[j] == (layouts[j].rc == ART_OK), "\"%s\" is%s among them",
           layouts[j].text, layouts[j].rc == ART_OK ? "" : " not");
    }
}


int
main(void)
{
    check_names();
    check_longest();
    check_ids();
    check_guesses();
    check_workspace();
    check_reserved();
    check_artifact();
    check_extension();
    check_layouts();
    check_any();
    check_numbers();

    return done();
}
