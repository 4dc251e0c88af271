
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Names of models: keys lie within the name, the first is
 * the whole, the others are shorter; of the name as it is, and as it is
 * spelled.  The same bytes as a path below
 * "/services/" and as arguments, with a map that knows the name's last part.
 */


#include <stdlib.h>

#include "core/capability/art_model.h"
#include "core/answer/art_listing.h"
#include "core/answer/art_services.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_keys(art_str_t name)
{
    uint8_t           buf[ART_MODEL_NAME_MAX];
    unsigned          i, n;
    art_str_t         text;
    art_model_key_t   keys[ART_MODEL_KEYS_MAX];

    n = art_model_keys(name, keys);

    check(n <= ART_MODEL_KEYS_MAX);
    check((n == 0) == (name.len == 0 || name.len > ART_MODEL_NAME_MAX));

    for (i = 0; i < n; i++) {
        text = art_model_key_text(name, &keys[i], buf);

        check((size_t) keys[i].start + keys[i].len <= name.len);
        check(keys[i].provider <= keys[i].start);
        check(text.len > 0);
        check((i == 0) == (text.len == name.len));
        check((i == 0) == (keys[i].dropped == 0));

        (void) art_model_maker(text, name);
    }
}


static void
fuzz_path(art_str_t path)
{
    size_t                 limit;
    art_out_t              out;
    art_capmap_t          *map;
    art_direction_t        direction;
    art_capmap_error_t     err;
    art_services_query_t   query;

    map = art_capmap_create();
    check(map != NULL);

    check(art_capmap_add(map, art_cstr("{\"services\":[{\"id\":\"gpt-4o\"},"
                                       "{\"id\":\"a/b:free\"},"
                                       "{\"id\":\"x/capabilities\"}]}"),
                         NULL, NULL, &err) == ART_OK);
    check(art_capmap_finish(map) == ART_OK);

    if (art_services_locate(map, path, &query) == ART_OK) {
        check((query.service == NULL) == (query.what == ART_SERVICES_LIST));
        check(query.id.len + query.capability.len <= path.len);

        memset(&out, 0, sizeof(out));
        art_services_print(&out, map, &query);
        check(out.len > 0);
    }

    if (art_page_limit(path, &limit) == ART_OK) {
        check(limit > 0 && limit <= ART_PAGE_LIMIT_MAX);
    }

    (void) art_services_direction(path, &direction);

    art_capmap_destroy(map);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t    spelled[ART_MODEL_NAME_MAX];
    art_str_t  name;

    name = art_model_spell(art_str(data, size), spelled);
    check(name.len <= size);

    fuzz_keys(art_str(data, size));
    fuzz_keys(name);
    fuzz_path(art_str(data, size));

    return 0;
}
