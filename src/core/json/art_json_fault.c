
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_fault.h"
#include "core/json/art_json_scan.h"


int
art_json_fault(art_str_t text, art_json_fault_t *place)
{
    int             rc;
    size_t          i, line;
    const uint8_t  *p, *end;

    p = text.data;
    end = text.data + text.len;

    rc = art_json_scan(&p, end, 0);

    if (rc == ART_JSON_MORE) {
        p = end;

    } else if (rc == ART_OK) {
        p = art_json_space(p, end);

        if (p == end) {
            return ART_OK;
        }
    }

    place->line = 1;
    place->byte = (size_t) (p - text.data);

    for (i = 0, line = 0; i < place->byte; i++) {
        if (text.data[i] == '\n') {
            line = i + 1;
            place->line++;
        }
    }

    place->column = place->byte - line + 1;

    return ART_ERROR;
}
