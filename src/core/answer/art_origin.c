
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/answer/art_origin.h"


static size_t art_origin_scheme(art_str_t origin);
static int art_origin_is_port(art_str_t s);
static int art_origin_ends(art_str_t host, art_str_t lower);
static int art_origin_is(art_str_t host, art_str_t lower);


art_str_t
art_origin_host(art_str_t origin)
{
    size_t     n;
    art_str_t  rest, host;

    n = art_origin_scheme(origin);
    rest = art_str(origin.data + n, origin.len - n);

    if (n == 0 || rest.len == 0) {
        return art_str(NULL, 0);
    }

    if (rest.data[0] == '[') {

        for (n = 1; n < rest.len && rest.data[n] != ']'; n++) {
            /* void */
        }

        if (n == rest.len) {
            return art_str(NULL, 0);
        }

        host = art_str(rest.data + 1, n - 1);
        n++;

    } else {

        for (n = 0;
             n < rest.len
             && (art_char_alnum(rest.data[n]) || rest.data[n] == '.'
                 || rest.data[n] == '-' || rest.data[n] == '_');
             n++)
        {
            /* void */
        }

        host = art_str(rest.data, n);
    }

    return art_origin_is_port(art_str(rest.data + n, rest.len - n))
           ? host : art_str(NULL, 0);
}


/* The length of "scheme://", or 0. */

static size_t
art_origin_scheme(art_str_t origin)
{
    size_t  n;

    for (n = 0;
         n < origin.len
         && (art_char_alnum(origin.data[n]) || origin.data[n] == '+'
             || origin.data[n] == '-' || origin.data[n] == '.');
         n++)
    {
        /* void */
    }

    return n > 0 && origin.len - n >= 3
           && memcmp(origin.data + n, "://", 3) == 0 ? n + 3 : 0;
}


/* Nothing, or a colon and digits. */

static int
art_origin_is_port(art_str_t s)
{
    size_t  i;

    for (i = 1; i < s.len && s.data[i] >= '0' && s.data[i] <= '9'; i++) {
        /* void */
    }

    return s.len == 0 || (s.data[0] == ':' && s.len > 1 && i == s.len);
}


int
art_origin_is_loopback(art_str_t host)
{
    size_t  i, dots;

    if (art_str_is(host, "localhost") || art_str_is(host, "::1")
        || art_origin_ends(host, art_cstr(".localhost")))
    {
        return 1;
    }

    dots = 0;

    for (i = 0; i < host.len; i++) {

        if (host.data[i] == '.') {
            dots++;

        } else if (host.data[i] < '0' || host.data[i] > '9') {
            return 0;
        }
    }

    return dots == 3 && host.len > 4 && memcmp(host.data, "127.", 4) == 0;
}


int
art_origin_has_name(art_str_t host, art_str_t name)
{
    if (host.len == 0 || name.len < 2) {
        return 0;
    }

    if (name.data[0] == '*') {
        return art_origin_ends(host, art_str(name.data + 1, name.len - 1));
    }

    if (name.data[0] == '.') {
        return art_origin_ends(host, name)
               || art_origin_is(host, art_str(name.data + 1, name.len - 1));
    }

    if (name.data[name.len - 1] == '*') {
        name.len--;

        return host.len > name.len
               && art_origin_is(art_str(host.data, name.len), name);
    }

    return art_origin_is(host, name);
}


/* Whether a host is longer than "lower", and ends with it. */

static int
art_origin_ends(art_str_t host, art_str_t lower)
{
    return host.len > lower.len
           && art_origin_is(art_str(host.data + host.len - lower.len,
                                    lower.len),
                            lower);
}


static int
art_origin_is(art_str_t host, art_str_t lower)
{
    size_t  i;

    for (i = 0; i < host.len && i < lower.len; i++) {
        if (art_char_lower(host.data[i]) != lower.data[i]) {
            return 0;
        }
    }

    return host.len == lower.len;
}
