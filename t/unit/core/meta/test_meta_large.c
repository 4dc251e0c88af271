
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Entries of ".meta.json" around the lengths from which less is taken.
 */


#include "core/journal/art_fold.h"
#include "core/meta/art_meta.h"
#include "tap.h"


#define BRIEF_MIN  32768         /* as art_meta.h states it */


/* A member "f" whose entry has so many bytes, most of them its history. */

static art_str_t
make_member(size_t size)
{
    size_t              len, head;
    uint8_t            *text;
    static const char   first[] =
        "{\"f\":{\"mimeType\":\"a/b\",\"type\":\"image\",\"name\":\"n\\u0041\","
        "\"createdAt\":\"c\",\"updatedAt\":\"u\",\"messageId\":\"m\","
        "\"agentId\":\"a\",\"meta\":{\"filename\":\"other\"},\"more\":1,"
        "\"modifiedBy\":[";
    static const char   write[] = "{\"agentId\":\"w\"},";
    static const char   last[] = "{}]";

    head = strlen("{\"f\":");
    text = malloc(size + head + 1);

    len = strlen(first);
    memcpy(text, first, len);

    while (len + strlen(write) + strlen(last) + 1 <= size + head) {
        memcpy(text + len, write, strlen(write));
        len += strlen(write);
    }

    memcpy(text + len, last, strlen(last));
    len += strlen(last);

    memset(text + len, ' ', size + head - 1 - len);
    memcpy(text + size + head - 1, "}}", 2);

    return art_str(text, size + head + 1);
}


static void
check_size(size_t size, unsigned brief, unsigned whole)
{
    art_str_t   text;
    art_meta_t  meta;

    text = make_member(size);

    ok(art_meta_parse_member(text, art_cstr("f"), brief, &meta)
       == ART_META_OK, "%zu bytes, brief %u", size, brief);

    free((void *) (uintptr_t) text.data);

    ok(art_str_eq(meta.mime, art_cstr("a/b"))
       && art_str_eq(meta.type, art_cstr("image"))
       && art_str_eq(meta.name, art_cstr("nA"))
       && art_str_eq(meta.created, art_cstr("c"))
       && art_str_eq(meta.updated, art_cstr("u"))
       && art_str_eq(meta.message_id, art_cstr("m"))
       && art_str_eq(meta.agent_id, art_cstr("a")), "its fields");
    ok((meta.modified_by.data != NULL) == whole, "its history: %u", whole);
    ok((meta.extra.data != NULL) == whole, "keys not known: %u", whole);

    art_meta_free(&meta);
}


/* A name that is in "meta" only, and fields that are too long. */

static void
check_fields(void)
{
    char        *text, *pad;
    art_meta_t   meta;

    text = malloc(200000);
    pad = malloc(80001);
    memset(pad, 'x', 80000);
    pad[80000] = '\0';

    snprintf(text, 200000, "{\"f\":{\"meta\":{\"filename\":\"inner\"},"
             "\"pad\":\"%s\"}}", pad);
    ok(art_meta_parse_member(art_cstr(text), art_cstr("f"), 1, &meta)
       == ART_META_OK, "a name in meta");
    ok(art_str_eq(meta.name, art_cstr("inner")), "is found");
    art_meta_free(&meta);

    snprintf(text, 200000, "{\"f\":{\"name\":\"%s\",\"mimeType\":\"a/b\"}}",
             pad);
    ok(art_meta_parse_member(art_cstr(text), art_cstr("f"), 1, &meta)
       == ART_META_OK, "a name that is too long");
    ok(meta.name.data == NULL, "is left out");
    ok(art_str_eq(meta.mime, art_cstr("a/b")), "but not what follows");
    art_meta_free(&meta);

    ok(art_meta_parse_member(art_cstr(text), art_cstr("f"), 0, &meta)
       == ART_META_OK, "the same, not brief");
    ok(meta.name.len == ART_META_NAME_MAX, "is cut");
    art_meta_free(&meta);

    free(text);
    free(pad);
}


int
main(void)
{
    ok(ART_META_ENTRY_MAX >= ART_FOLD_ENTRY_MAX,
       "readers take what a fold makes");

    check_size(ART_FOLD_ENTRY_MAX, 0, 1);
    check_size(ART_META_ENTRY_MAX + 1, 0, 0);
    check_size(BRIEF_MIN, 1, 1);
    check_size(BRIEF_MIN + 1, 1, 0);
    check_size(BRIEF_MIN + 1, 0, 1);
    check_size(ART_META_ENTRY_MAX + 1, 1, 0);
    check_fields();

    return done();
}
