
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/text/art_utf8.h"
#include "core/json/art_json_error.h"
#include "core/json/art_json_escape.h"


void
art_error_say(art_out_t *out, const char *words,
    const art_error_about_t *about)
{
    size_t  len;

    for ( /* void */ ; *words != '\0'; words++) {

        if (*words != '%') {
            art_out_char(out, *words);

        } else if (*++words == 'n') {
            art_out_uint(out, about->number);

        } else if (*words == 's') {
            len = about->text.len;

            if (len > ART_ERROR_TEXT_MAX) {
                len = art_utf8_cut(about->text.data, len, ART_ERROR_TEXT_MAX);
            }

            art_utf8_name(out, art_str(about->text.data, len));

        } else if (about->names[*words == 'b'] != NULL) {
            art_out_cstr(out, about->names[*words == 'b']);
        }
    }
}


void
art_json_rpc_error(art_json_put_t *put, art_str_t id, int code,
    const char *message, const char *prefix, art_str_t detail)
{
    art_json_put_object(put, NULL);
    art_json_put_string(put, "jsonrpc", art_cstr("2.0"));
    art_json_put_raw(put, "id", id);
    art_json_put_object(put, "error");
    art_json_put_key(put, "code");
    art_out_char(put->out, '-');
    art_out_uint(put->out, (uint64_t) -code);

    art_json_put_key(put, "message");
    art_out_char(put->out, '"');
    art_json_literal(put->out, art_cstr(message), 1);

    if (detail.data != NULL) {
        art_out_cstr(put->out, ": ");
        art_out_cstr(put->out, prefix);
        art_json_string(put->out, detail, 1);
    }

    art_out_char(put->out, '"');
}
