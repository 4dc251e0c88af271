
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses: a sidecar; a workspace's sidecar
 * behind a path and a line feed; a packed block.  A record that comes out of
 * it packs, unpacks and prints, expires when it did before, and what is printed
 * of a parsed one is JSON with no key twice.  A search for many entries finds
 * what one for each does.
 */


#include <stdlib.h>

#include <jansson.h>

#include "core/ref/art_id.h"
#include "core/text/art_utf8.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta.h"
#include "core/journal/art_meta_index.h"
#include "core/meta/meta_entry.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static uint8_t *
fuzz_alloc(size_t len)
{
    uint8_t  *p;

    p = malloc(len + (len == 0));
    check(p != NULL);

    return p;
}


static void
fuzz_pack(const art_meta_t *meta)
{
    size_t       len;
    uint8_t     *block, *again;
    art_meta_t   back;

    len = art_meta_packed_size(meta);
    block = fuzz_alloc(len);
    again = fuzz_alloc(len);

    check(art_meta_pack(meta, block, len - 1) == 0);
    check(art_meta_pack(meta, block, len) == len);
    check(art_meta_unpack(block, len, &back) == ART_OK);
    check(art_meta_pack(&back, again, len) == len);
    check(memcmp(block, again, len) == 0);
    check(back.until == meta->until);

    free(again);
    free(block);
}


static void
fuzz_print(const art_meta_t *meta, const char *workspace, unsigned parsed)
{
    json_t            *json;
    art_out_t          out;
    art_meta_known_t   known;

    memset(&known, 0, sizeof(known));

    known.id = art_cstr("abc");
    known.workspace = art_cstr(workspace);
    known.path = art_cstr("d/f.js");
    known.name = meta->name;
    known.mime = art_cstr("text/javascript");
    known.size = 7;

    memset(&out, 0, sizeof(out));
    art_meta_print(&out, meta, &known);

    out.data = fuzz_alloc(out.len);
    out.room = out.len;
    out.len = 0;
    art_meta_print(&out, meta, &known);
    check(out.len == out.room);

    if (parsed) {
        json = json_loadb((char *) out.data, out.len,
                          JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL
                          |JSON_DECODE_INT_AS_REAL, NULL);
        check(json_is_object(json));
        json_decref(json);
    }

    free(out.data);
}


/* What is packed expires when the sidecar does, and what is no time never. */

static void
fuzz_expires(const art_meta_t *meta)
{
    check(!meta->forever || meta->until == 0);
    check(meta->until == 0 || meta->expires.len > 0);
    check(!art_utf8_control(meta->expires));
    check(art_meta_expired(meta, meta->until) == (meta->until != 0));
    check(!art_meta_expired(meta, meta->until - 1) || meta->until == 0);
    check(art_meta_expired(meta, UINT64_MAX) == (meta->until != 0));
}


static void
fuzz_text(art_str_t text)
{
    art_meta_t  meta;

    if (art_meta_parse(text, &meta) != ART_META_OK) {
        check(meta.memory == NULL);
        return;
    }

    if (meta.extension.len > 0) {
        check(art_id_component(meta.extension));
        check(!art_ref_name_reserved(meta.extension));
    }

    check(!art_utf8_control(meta.created) && !art_utf8_control(meta.updated));

    fuzz_expires(&meta);
    fuzz_pack(&meta);
    fuzz_print(&meta, "", 1);
    art_meta_free(&meta);
}


static void
fuzz_page(art_str_t text, art_str_t path)
{
    size_t              i;
    unsigned            found;
    art_str_t           created;
    art_meta_t          one, many;
    art_meta_wanted_t   wanted[3];

    memset(wanted, 0, sizeof(wanted));

    wanted[0].key = path;
    wanted[1].key = art_cstr("a.txt");
    wanted[2].key = path;

    art_meta_sort(wanted, 3);
    (void) art_meta_find(text, wanted, 3);

    for (i = 0; i < 3 && path.len <= ART_ID_PATH_MAX; i++) {
        found = art_meta_parse_key(text, wanted[i].key, 0, &one)
                == ART_META_OK;

        check(found == (art_meta_parse_entry(wanted[i].entry, 0, &many)
                        == ART_META_OK));
        check(art_str_eq(one.mime, many.mime));

        art_meta_free(&one);
        art_meta_free(&many);
    }

    created = art_meta_created(text);
    check(created.len <= ART_META_TIME_MAX && !art_utf8_control(created));
}


static void
fuzz_workspace(art_str_t text)
{
    art_str_t       path;
    art_meta_t      meta;
    const uint8_t  *lf;

    lf = text.len ? memchr(text.data, '\n', text.len) : NULL;

    if (lf == NULL) {
        return;
    }

    path = art_str(text.data, (size_t) (lf - text.data));
    text = art_str(lf + 1, text.len - path.len - 1);

    fuzz_page(text, path);

    if (meta_entry(text, path, &meta) != ART_META_OK) {
        check(meta.memory == NULL);
        return;
    }

    check(meta.until == 0 && !meta.forever);
    fuzz_pack(&meta);
    fuzz_print(&meta, "w", 1);
    art_meta_free(&meta);
}


static void
fuzz_block(art_str_t block)
{
    art_meta_t  meta;

    if (art_meta_unpack(block.data, block.len, &meta) == ART_OK) {
        check(art_meta_packed_size(&meta) == block.len);
        fuzz_pack(&meta);
        fuzz_print(&meta, "", 0);
        fuzz_print(&meta, "w", 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t    *copy;
    art_str_t   input;

    if (size == 0) {
        return 0;
    }

    /* a copy of its own, so that one byte too many is seen */

    copy = fuzz_alloc(size - 1);
    memcpy(copy, data + 1, size - 1);
    input = art_str(copy, size - 1);

    switch (data[0] % 3) {
    case 0:
        fuzz_text(input);
        break;
    case 1:
        fuzz_workspace(input);
        break;
    default:
        fuzz_block(input);
        break;
    }

    free(copy);

    return 0;
}
