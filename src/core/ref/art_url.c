
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/ref/art_id.h"
#include "core/ref/art_url.h"


void
art_url_print(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level)
{
    if (!art_url_given(url)) {
        art_out_cstr(out, "artifact:");
        art_id_uri(out, id);

        return;
    }

    art_json_string(out, url->prefix, level);
    art_id_uri(out, id);
}
