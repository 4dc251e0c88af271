
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_compact.h"
#include "core/json/art_json_scan.h"


static const uint8_t *art_json_run(const uint8_t *p, const uint8_t *end);


void
art_json_compact(art_out_t *out, art_str_t text)
{
    const uint8_t  *p, *end, *next;

    end = text.data + text.len;

    for (p = art_json_space(text.data, end); p < end;
         p = art_json_space(next, end))
    {
        next = art_json_run(p, end);
        art_out_mem(out, p, (size_t) (next - p));
    }
}


/* The next white space outside of strings; at least a byte further. */

static const uint8_t *
art_json_run(const uint8_t *p, const uint8_t *end)
{
    do {
        if (*p++ != '"') {
            continue;
        }

        while (p < end && *p != '"') {
            p += (*p == '\\' && end - p > 1) ? 2 : 1;
        }

        p += (p < end);

    } while (p < end && *p > ' ');

    return p;
}
