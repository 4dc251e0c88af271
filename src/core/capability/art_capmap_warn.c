
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Warnings and errors about documents with faults.
 */


#include <stdio.h>

#include "core/text/art_utf8.h"
#include "core/capability/art_capmap_int.h"


/* How many bytes of an id a warning shows. */

#define ART_CAPMAP_SHOWN  200


void
art_capmap_warn(art_capmap_reader_t *reader, const char *what, art_str_t id,
    const char *text)
{
    char       line[ART_CAPMAP_SHOWN * 3 + ART_CAPMAP_FAULT * 2];
    art_out_t  out;

    if (reader->warn == NULL) {
        return;
    }

    out = art_out(line, sizeof(line) - 1);

    art_out_cstr(&out, what);
    art_out_cstr(&out, " \"");
    art_utf8_name(&out, art_str(id.data, art_utf8_cut(id.data, id.len,
                                                      ART_CAPMAP_SHOWN)));
    art_out_cstr(&out, id.len > ART_CAPMAP_SHOWN ? "...\"" : "\"");
    art_out_cstr(&out, text);

    line[out.len < out.room ? out.len : out.room] = '\0';

    reader->warn(reader->data, line);
}


void
art_capmap_warn_at(art_capmap_reader_t *reader, const char *array, size_t i,
    const char *text)
{
    char  line[ART_CAPMAP_FAULT];

    if (reader->warn != NULL) {
        snprintf(line, sizeof(line), "%s[%zu] %s", array, i, text);
        reader->warn(reader->data, line);
    }
}


void
art_capmap_fail(art_capmap_error_t *err, int line, int column,
    const char *text)
{
    err->line = line > 0 ? line : 1;
    err->column = column > 0 ? column : 1;

    snprintf(err->text, sizeof(err->text), "%s", text);
}
