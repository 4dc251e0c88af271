
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_reprint.h"
#include "core/json/art_json_scan.h"


static const uint8_t *art_json_token(const uint8_t *p, const uint8_t *end);


void
art_json_reprint(art_out_t *out, art_str_t text, unsigned indent,
    unsigned depth)
{
    const uint8_t  *p, *end, *next;

    end = text.data + text.len;

    for (p = art_json_space(text.data, end); p < end;
         p = art_json_space(next, end))
    {
        next = p + 1;

        switch (*p) {

        case '{':
        case '[':
            art_out_char(out, *p);
            next = art_json_space(next, end);

            if (next < end && (*next == '}' || *next == ']')) {
                art_out_char(out, *next++);
                break;
            }

            art_json_line(out, indent, ++depth);
            break;

        case '}':
        case ']':
            art_json_line(out, indent, --depth);
            art_out_char(out, *p);
            break;

        case ',':
            art_out_char(out, ',');
            art_json_line(out, indent, depth);
            break;

        case ':':
            art_out_cstr(out, indent ? ": " : ":");
            break;

        default:
            next = art_json_token(p, end);
            art_out_mem(out, p, (size_t) (next - p));
        }
    }
}


/* The end of a string, a number or a word. */

static const uint8_t *
art_json_token(const uint8_t *p, const uint8_t *end)
{
    if (*p != '"') {
        while (p < end && *p > ' ' && *p != ',' && *p != '}' && *p != ']') {
            p++;
        }

        return p;
    }

    for (p++; p < end && *p != '"'; p++) {
        p += (*p == '\\');
    }

    return p < end ? p + 1 : end;
}


void
art_json_line(art_out_t *out, unsigned indent, unsigned depth)
{
    size_t  n;

    if (indent == 0) {
        return;
    }

    art_out_char(out, '\n');

    n = (size_t) indent * depth;

    if (out->len < out->room) {
        memset(out->data + out->len, ' ',
               n < out->room - out->len ? n : out->room - out->len);
    }

    out->len += n;
}
