
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Documents of any source with a NUL between them become
 * the layers of a map; the first byte is the list of capabilities that
 * suggestions are asked for.  Every service is found by its id and its model,
 * suggestions are the first own ones that can, warnings are one clean line, a
 * refused document leaves the map alone, and queries are answered in JSON.
 */


#include <stdlib.h>

#include "core/capability/art_capmap.h"
#include "core/json/art_json_scan.h"
#include "core/capability/art_model.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_services.h"
#include "core/text/art_utf8.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_warn(void *data, int line, const char *text)
{
    art_str_t  warning;

    warning = art_cstr(text);

    check(data != NULL && line >= 0);
    check(warning.len > 0 && warning.len < 1024);
    check(art_utf8_valid(warning.data, warning.len));
    check(!art_utf8_control(warning));
}


static void
fuzz_caps(const art_caps_t *caps)
{
    unsigned  i, bits;

    bits = 0;

    for (i = 0; i < caps->nnames; i++) {
        check(caps->names[i].len > 0);
        bits |= art_capability_bit(caps->names[i]);
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
        found = art_capmap_find(map, s->id);

        check(s->id.len > 0);
        check(found == s || art_str_eq(found->model, s->id));

        check(s->model.len == 0 || art_capmap_find(map, s->model) != NULL);

        fuzz_caps(&s->input);
        fuzz_caps(&s->output);
    }
}


static void
fuzz_suggest(const art_capmap_t *map, unsigned needs)
{
    unsigned              i, position;
    art_suggestions_t     got;
    const art_service_t  *s, *except;

    except = art_capmap_get(map, needs >> 6);
    art_capmap_suggest(map, needs, except, &got);

    check(got.nservices <= ART_CAPMAP_SERVICES_MAX);
    check(got.nagents <= ART_CAPMAP_AGENTS_MAX);

    for (i = 0; i < got.nservices; i++) {
        position = art_capmap_position(map, got.services[i]);
        s = art_capmap_get(map, position);

        check(s != NULL && s != except && (s->input.bits & needs));
        check(art_capmap_own(map, position));
    }

    for (i = 0; i < art_capmap_count(map); i++) {
        s = art_capmap_get(map, i);

        check(got.nservices > 0 || s == except || !art_capmap_own(map, i)
              || !(s->input.bits & needs));
    }
}


/* Parts of names find something, and what is found is printed. */

static void
fuzz_query(const art_capmap_t *map, unsigned i)
{
    uint8_t                buf[ART_MODEL_NAME_MAX];
    uint8_t                spelled[ART_MODEL_NAME_MAX];
    uint8_t                again[ART_MODEL_NAME_MAX];
    unsigned               k, n;
    art_out_t              out;
    art_str_t              id, name, text;
    art_model_key_t        keys[ART_MODEL_KEYS_MAX];
    art_services_query_t   query;

    id = art_capmap_get(map, i)->id;
    name = art_model_spell(id, spelled);
    n = art_model_keys(name, keys);
    check(n <= ART_MODEL_KEYS_MAX);

    for (k = 0; k < n; k++) {
        text = art_model_key_text(name, &keys[k], buf);

        /* alone, a part may be spelled otherwise: "us.openai:m" */

        check(!art_str_eq(art_model_spell(text, again), text)
              || art_capmap_find(map, text) != NULL);
    }

    check(art_services_locate(map, id, &query) == ART_OK);

    if (i == 0) {
        query.what = ART_SERVICES_LIST;
        query.limit = ART_PAGE_LIMIT;
    }

    memset(&out, 0, sizeof(out));
    art_services_print(&out, map, &query);

    out.room = out.len;
    out.data = malloc(out.room);
    check(out.data != NULL);

    out.len = 0;
    art_services_print(&out, map, &query);

    check(out.len == out.room);
    check(art_json_valid(out.data, out.len));

    free(out.data);
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

    art_capmap_redact(copy, len);

    before = art_capmap_count(map);

    if (art_capmap_add(map, art_str(copy, len), fuzz_warn, &err, &err)
        != ART_OK)
    {
        check(art_capmap_count(map) == before);
        check(err.line > 0 && err.column > 0 && err.text[0] != '\0');
    }

    (void) art_capability_parse(art_str(copy, len));

    free(copy);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t          len;
    unsigned        i, needs;
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

    for (i = 0; i < art_capmap_count(map) && i < 100; i++) {
        fuzz_query(map, i);
    }

    art_capmap_destroy(map);

    return 0;
}
