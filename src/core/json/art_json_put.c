
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"


void
art_json_put_key(art_out_t *out, int open, const char *key)
{
    art_out_char(out, open);
    art_out_char(out, '"');
    art_out_cstr(out, key);
    art_out_cstr(out, "\":");
}


void
art_json_put_string(art_out_t *out, int open, const char *key,
    art_str_t value)
{
    if (value.data == NULL) {
        return;
    }

    art_json_put_key(out, open, key);
    art_json_put_text(out, value);
}


void
art_json_put_number(art_out_t *out, int open, const char *key,
    uint64_t value)
{
    art_json_put_key(out, open, key);
    art_out_uint(out, value);
}


void
art_json_put_text(art_out_t *out, art_str_t value)
{
    art_out_char(out, '"');
    art_json_string(out, value, 1);
    art_out_char(out, '"');
}
