
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Any bytes as a reference, as a workspace path, and as a
 * path: what is taken is clean, stays inside, and has a canonical form that
 * parses to itself.
 */


#include <stdlib.h>

#include "core/ref/art_id.h"
#include "core/text/art_utf8.h"


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


/* No name between slashes is empty, "." or "..". */

static void
fuzz_resolved(art_str_t path)
{
    size_t  i, start, len;

    if (path.len == 0) {
        return;
    }

    for (start = 0, i = 0; i <= path.len; i++) {
        if (i < path.len && path.data[i] != '/') {
            continue;
        }

        len = i - start;

        check(len > 0);
        check(len != 1 || path.data[start] != '.');
        check(len != 2 || memcmp(path.data + start, "..", 2) != 0);

        start = i + 1;
    }
}


static void
fuzz_key(const art_ref_t *ref)
{
    size_t      i;
    art_out_t   measure, out;

    measure.data = NULL;
    measure.len = 0;
    measure.room = 0;

    art_id_key(&measure, ref);

    out.data = fuzz_alloc(measure.len);
    out.len = 0;
    out.room = measure.len;

    art_id_key(&out, ref);
    check(out.len == measure.len);

    for (i = 0; i < out.len; i++) {
        check(out.data[i] > 0x20 && out.data[i] < 0x7f);
    }

    free(out.data);
}


static void
fuzz_ref(const art_ref_t *ref, size_t len)
{
    uint8_t    *buf;
    art_ref_t   again;

    check(ref->id.len <= ART_ID_ROOM(len));
    check(art_utf8_valid(ref->id.data, ref->id.len));
    check(!art_utf8_control(ref->id));

    fuzz_key(ref);

    if (ref->kind == ART_ID_WORKSPACE) {
        check(art_id_component(ref->workspace));
        check(art_utf8_valid(ref->path.data, ref->path.len));
        fuzz_resolved(ref->path);

        if (ref->path.len == 0) {
            check(ref->folder);
            return;
        }

    } else if (ref->id.len >= 9 && memcmp(ref->id.data, "artifact:", 9) == 0)
    {
        /* stripped once only, so that it would be now */

        return;
    }

    buf = fuzz_alloc(ART_ID_ROOM(ref->id.len));

    check(art_id_parse(ref->id, buf, &again) == ART_ID_OK);
    check(again.kind == ref->kind);
    check(art_str_eq(again.id, ref->id));
    check(art_str_eq(again.workspace, ref->workspace));
    check(art_str_eq(again.path, ref->path));

    free(buf);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t    *buf;
    art_ref_t   ref;

    buf = fuzz_alloc(ART_ID_ROOM(size));

    if (art_id_parse(art_str(data, size), buf, &ref) == ART_ID_OK) {
        fuzz_ref(&ref, size);
    }

    if (art_id_from_path(art_str(data, size), buf, &ref) == ART_ID_OK) {
        check(ref.kind == ART_ID_WORKSPACE);
        check(ref.path.len <= size);
        fuzz_ref(&ref, size);
    }

    free(buf);

    return 0;
}
