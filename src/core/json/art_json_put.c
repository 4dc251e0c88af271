
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_escape.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_scan.h"


static void art_json_put_begin(art_json_put_t *put, const char *key,
    unsigned array);
static void art_json_put_line(art_json_put_t *put);
static void art_json_put_quote(art_json_put_t *put);
static const uint8_t *art_json_run(const uint8_t *p, const uint8_t *end);


void
art_json_put_init(art_json_put_t *put, art_out_t *out, unsigned level)
{
    memset(put, 0, sizeof(art_json_put_t));

    put->out = out;
    put->level = level;
}


void
art_json_put_object(art_json_put_t *put, const char *key)
{
    art_json_put_begin(put, key, 0);
}


void
art_json_put_array(art_json_put_t *put, const char *key)
{
    art_json_put_begin(put, key, 1);
}


static void
art_json_put_begin(art_json_put_t *put, const char *key, unsigned array)
{
    art_json_put_key(put, key);
    art_out_char(put->out, array ? '[' : '{');

    put->arrays = put->arrays << 1 | array;
    put->depth++;
    put->more = 0;
}


void
art_json_put_end(art_json_put_t *put)
{
    put->depth--;

    if (put->more) {
        art_json_put_line(put);
    }

    art_out_char(put->out, put->arrays & 1 ? ']' : '}');

    put->arrays >>= 1;
    put->more = 1;
}


void
art_json_put_key(art_json_put_t *put, const char *key)
{
    if (put->more) {
        art_out_char(put->out, ',');
    }

    if (put->depth > 0) {
        art_json_put_line(put);
    }

    if (key != NULL) {
        art_json_put_quote(put);
        art_out_cstr(put->out, key);
        art_json_put_quote(put);
        art_out_cstr(put->out, put->indent ? ": " : ":");
    }

    put->more = 1;
}


void
art_json_put_number(art_json_put_t *put, const char *key, uint64_t value)
{
    art_json_put_key(put, key);
    art_out_uint(put->out, value);
}


void
art_json_put_bool(art_json_put_t *put, const char *key, unsigned value)
{
    art_json_put_key(put, key);
    art_out_cstr(put->out, value ? "true" : "false");
}


void
art_json_put_string(art_json_put_t *put, const char *key, art_str_t value)
{
    art_json_put_prefixed(put, key, "", value);
}


void
art_json_put_prefixed(art_json_put_t *put, const char *key, const char *prefix,
    art_str_t value)
{
    if (value.data == NULL) {
        return;
    }

    art_json_put_key(put, key);
    art_json_put_quote(put);
    art_out_cstr(put->out, prefix);
    art_json_string(put->out, value, put->level + 1);
    art_json_put_quote(put);
}


void
art_json_put_strings(art_json_put_t *put, const char *key,
    const art_str_t *values, unsigned n)
{
    unsigned  i;

    art_json_put_array(put, key);

    for (i = 0; i < n; i++) {
        art_json_put_string(put, NULL, values[i]);
    }

    art_json_put_end(put);
}


void
art_json_put_raw(art_json_put_t *put, const char *key, art_str_t json)
{
    if (json.len > 0) {
        art_json_put_key(put, key);
        art_json_literal(put->out, json, put->level);
    }
}


void
art_json_put_members(art_json_put_t *put, art_str_t object)
{
    if (object.len > 2) {
        art_json_put_raw(put, NULL, art_str(object.data + 1, object.len - 2));
    }
}


static void
art_json_put_line(art_json_put_t *put)
{
    unsigned  i;

    if (put->indent == 0) {
        return;
    }

    art_out_char(put->out, '\n');

    for (i = put->depth * put->indent; i > 0; i--) {
        art_out_char(put->out, ' ');
    }
}


/* Writes the backslashes that the level needs, and the quote. */

static void
art_json_put_quote(art_json_put_t *put)
{
    size_t             n;
    static const char  quote[] = "\\\\\\\"";

    n = (size_t) 1 << put->level;

    art_out_mem(put->out, quote + sizeof(quote) - 1 - n, n);
}


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


/* The next white space outside of strings, at least one byte further. */

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
