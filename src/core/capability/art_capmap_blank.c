
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/capability/art_capmap_blank.h"


static size_t art_capmap_string_end(const uint8_t *json, size_t len,
    size_t pos);
static size_t art_capmap_space(const uint8_t *json, size_t len, size_t pos);
static int art_capmap_is_secret(art_str_t key);


/*
 * A string is a key if a colon follows.  The parser reports malformed JSON.
 */

void
art_capmap_blank(uint8_t *json, size_t len)
{
    size_t     pos, end, next;
    art_str_t  key;

    pos = 0;

    for ( ;; ) {
        while (pos < len && json[pos] != '"') {
            pos++;
        }

        end = art_capmap_string_end(json, len, pos);

        if (end >= len) {
            return;
        }

        key = art_str(json + pos + 1, end - pos - 1);
        pos = end + 1;

        if (!art_capmap_is_secret(key)) {
            continue;
        }

        next = art_capmap_space(json, len, pos);

        if (next == len || json[next] != ':') {
            continue;
        }

        next = art_capmap_space(json, len, next + 1);
        end = art_capmap_string_end(json, len, next);

        if (next < len && json[next] == '"' && end < len) {
            memset(json + next + 1, '*', end - next - 1);
            pos = end + 1;
        }
    }
}


/* The closing quote of the string that opens at "pos", or "len" without one. */

static size_t
art_capmap_string_end(const uint8_t *json, size_t len, size_t pos)
{
    for (pos++; pos < len; pos++) {
        if (json[pos] == '"') {
            return pos;
        }

        if (json[pos] == '\\') {
            pos++;
        }
    }

    return len;
}


static size_t
art_capmap_space(const uint8_t *json, size_t len, size_t pos)
{
    while (pos < len && (json[pos] == ' ' || json[pos] == '\t'
                         || json[pos] == '\r' || json[pos] == '\n'))
    {
        pos++;
    }

    return pos;
}


static int
art_capmap_is_secret(art_str_t key)
{
    static const art_str_t  secrets[] = {
        art_string("apiKey"), art_string("baseURL")
    };

    return art_str_eq(key, secrets[0]) || art_str_eq(key, secrets[1]);
}
