
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/media/art_media.h"
#include "core/ref/art_ref_name.h"
#include "core/meta/art_meta.h"
#include "tap.h"


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



int
main(void)
{
    check_workspace();
    check_reserved();
    check_artifact();
    check_extension();

    return done();
}
