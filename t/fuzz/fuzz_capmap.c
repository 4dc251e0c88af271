
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Documents with a NUL between them become the layers of a
 * map; the first byte is the list of capabilities that suggestions are asked
 * for.  Every service is found by its id and its model, suggestions are the
 * first that can, warnings are one clean line, and a refused document leaves
 * the map alone.
 */


#include <stdlib.h>

#include "../../src/core/art_capmap.h"
#include "../../src/core/art_id.h"
#include "../../src/core/art_utf8.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_warn(void *data, const char *text)
{
    art_str_t  line;

    line = art_cstr(text);

    check(data != NULL);
    check(line.len > 0 && line.len < 1024);
    check(art_utf8_valid(line.data, line.len));
    check(!art_id_control(line));
}


static void
fuzz_caps(const art_caps_t *caps)
{
    unsigned  i, bits;

    bits = 0;

    for (i = 0; i < caps->nnames; i++) {
        check(caps->names[i].len > 0);
        bits |= art_cap_bit(caps->names[i]);
    }

    check(bits == caps->bits);
}


static void
fuzz_services(const art_capmap_t *map)
{
    unsigned              i;
    const art_service_t  *s, *found;

    for (i = 0; i < art_capmap_count(map); i++) {
        s = art_capmap_get(map, i);

        check(s->id.len > 0);
        check(art_capmap_find(map, s->id) == s);

        if (s->model.len > 0) {
            found = art_capmap_find(map, s->model);
            check(found != NULL);
            check(art_str_eq(found->model, s->model)
                  || art_str_eq(found->id, s->model));
        }

        fuzz_caps(&s->input);
        fuzz_caps(&s->output);
    }
}


static void
fuzz_suggest(const art_capmap_t *map, unsigned needs)
{
    unsigned              i, n, got;
    art_str_t             ids[ART_CAPMAP_SUGGEST_MAX];
    const art_service_t  *s;

    got = art_capmap_suggest(map, needs, ids, ART_CAPMAP_SUGGEST_MAX);
    n = 0;

    for (i = 0; i < art_capmap_count(map) && n < ART_CAPMAP_SUGGEST_MAX; i++)
    {
        s = art_capmap_get(map, i);

        if (s->input.bits & needs) {
            check(n < got && art_str_eq(ids[n], s->id));
            n++;
        }
    }

    check(n == got);
}


static void
fuzz_layer(art_capmap_t *map, const uint8_t *data, size_t len)
{
    uint8_t             *copy;
    unsigned             before;
    art_capmap_error_t   err;

    copy = malloc(len + (len == 0));
    check(copy != NULL);

    if (len > 0) {
        memcpy(copy, data, len);
    }

    before = art_capmap_count(map);

    if (art_capmap_add(map, art_str(copy, len), fuzz_warn, &err, &err)
        != ART_OK)
    {
        check(art_capmap_count(map) == before);
        check(err.line > 0 && err.column > 0 && err.text[0] != '\0');
    }

    (void) art_caps_parse_list(art_str(copy, len));

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          len;
    unsigned        needs;
    art_capmap_t   *map;
    const uint8_t  *nul;

    if (size == 0) {
        return 0;
    }

    needs = *data++;
    size--;

    map = art_capmap_create();
    check(map != NULL);

    for ( ;; ) {
        nul = size > 0 ? memchr(data, '\0', size) : NULL;
        len = nul ? (size_t) (nul - data) : size;

        fuzz_layer(map, data, len);

        if (nul == NULL) {
            break;
        }

        data += len + 1;
        size -= len + 1;
    }

    check(art_capmap_finish(map) == ART_OK);

    fuzz_services(map);
    fuzz_suggest(map, needs);

    art_capmap_destroy(map);

    return 0;
}
