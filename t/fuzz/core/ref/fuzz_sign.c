
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  Up to a NUL the text of a file of keys, then a scope, an
 * id, and a query: what a query has is valid only if it is the signature; URLs
 * that are written are valid, and those with another character are not.  So it
 * is with tickets, of which what the query has in JSON becomes one.
 */


#include <stdlib.h>

#include "core/answer/art_ticket.h"
#include "core/ref/art_sign.h"
#include "core/ref/art_url.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)

#define FUZZ_NOW     1790000000


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* In memory of its own, so that reading past its end is seen. */

static art_str_t
fuzz_field(const uint8_t **p, const uint8_t *last)
{
    size_t          len;
    uint8_t        *copy;
    const uint8_t  *end;

    end = *p < last ? memchr(*p, '\0', (size_t) (last - *p)) : NULL;
    end = end != NULL ? end : last;

    len = (size_t) (end - *p);
    copy = malloc(len + (len == 0));
    check(copy != NULL);

    if (len > 0) {
        memcpy(copy, *p, len);
    }

    *p = end < last ? end + 1 : last;

    return art_str(copy, len);
}


static void
fuzz_query(const art_url_t *url, art_str_t id, art_str_t query)
{
    int               found;
    size_t            i;
    uint8_t           sig[ART_SIGN_LEN], digits[20];
    uint64_t          exp;
    unsigned          k;
    art_out_t         out;
    art_signed_t      what;
    art_url_status_t  status;

    status = art_url_check(url, id, query, &exp);

    if (status != ART_URL_VALID && status != ART_URL_EXPIRED) {
        return;
    }

    check(id.len > 0);
    check((status == ART_URL_VALID) == (exp > url->now));

    out = art_out(digits, sizeof(digits));
    art_out_uint(&out, exp);

    what.scope = url->scope;
    what.ref = id;
    what.exp = art_str(digits, out.len);
    what.put = art_str(NULL, 0);

    for (found = 0, k = 0; k < url->keys->n; k++) {
        art_sign_print(url->keys, k, &what, sig);

        for (i = 0; i + ART_SIGN_LEN <= query.len; i++) {
            found |= memcmp(query.data + i, sig, ART_SIGN_LEN) == 0;
        }
    }

    check(found);
}


static void
fuzz_url(const art_url_t *url, art_str_t id, art_str_t seed)
{
    size_t      at;
    uint8_t    *text;
    uint64_t    exp;
    art_out_t   out;
    art_str_t   query;

    out = art_out(NULL, 0);
    art_url_print(&out, url, id, 0);

    text = malloc(out.len);
    check(text != NULL);

    out = art_out(text, out.len);
    art_url_print(&out, url, id, 0);

    query.data = memchr(text, '?', out.len);
    check(query.data != NULL);

    query.data++;
    query.len = out.len - (size_t) (query.data - text);

    check(art_url_check(url, id, query, &exp) == ART_URL_VALID);
    check(exp - url->now > url->ttl - 1 && exp - url->now <= 2 * url->ttl);

    /* behind "exp=" and "sig=" */

    at = seed.len > 0 ? seed.data[0] : 0;
    at = query.len - 1 - at % ART_SIGN_LEN;

    text[(size_t) (query.data - text) + at] ^= 1;
    check(art_url_check(url, id, query, &exp) == ART_URL_INVALID);

    free(text);
}


/* A ticket is no URL to read by, and the other way round. */

static void
fuzz_ticket(const art_url_t *url, art_str_t id, art_str_t seed)
{
    size_t        at, n;
    uint8_t      *text, *buf, put[ART_TICKET_PUT_MAX];
    uint64_t      exp;
    art_out_t     out;
    art_str_t     query, found;
    art_ticket_t  what, same;

    buf = malloc(ART_TICKET_ROOM(seed.len + ART_TICKET_PUT_MAX));
    check(buf != NULL);

    (void) art_ticket_parse(seed, buf, &what);

    if (art_ticket_ask(seed, buf, &what) != ART_ERR_MAX) {
        what.name = art_cstr("\"a\\b");
        what.type = art_cstr("text/plain");
        what.size = seed.len;
        what.sized = seed.len & 1;
    }

    n = art_ticket_put(&what, put);
    check(n <= sizeof(put));

    out = art_out(NULL, 0);
    art_url_print_ticket(&out, url, id, art_str(put, n), 0);

    text = malloc(out.len);
    check(text != NULL);

    out = art_out(text, out.len);
    art_url_print_ticket(&out, url, id, art_str(put, n), 0);

    query.data = memchr(text, '?', out.len);
    check(query.data != NULL);
    query.data++;
    query.len = out.len - (size_t) (query.data - text);

    check(art_url_check_ticket(url, id, query, &found) == ART_URL_VALID);
    check(art_str_eq(found, art_str(put, n)));
    check(art_url_check(url, id, query, &exp) == ART_URL_INVALID);

    free(buf);
    buf = malloc(ART_TICKET_ROOM(n));
    check(buf != NULL);

    check(art_ticket_parse(found, buf, &same) == ART_OK);
    check(art_str_eq(same.name, what.name) && art_str_eq(same.type, what.type)
          && same.sized == what.sized
          && (!same.sized || same.size == what.size));

    /* behind "exp=", "put=" and "sig=" */

    at = seed.len > 0 ? seed.data[0] : 0;
    at = at & 1 ? query.len - 1 - at % ART_SIGN_LEN
                : (size_t) (found.data - query.data) + at % n;

    text[(size_t) (query.data - text) + at] ^= 1;
    check(art_url_check_ticket(url, id, query, &found) == ART_URL_INVALID);

    free(buf);
    free(text);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned           line;
    art_str_t          text, scope, id, query;
    art_url_t          url;
    const uint8_t     *p, *last;
    art_sign_keys_t    keys;
    art_sign_status_t  status;

    p = data;
    last = data + size;

    text = fuzz_field(&p, last);
    scope = fuzz_field(&p, last);
    id = fuzz_field(&p, last);
    query = fuzz_field(&p, last);

    status = art_sign_parse(&keys, (uint8_t *) text.data, text.len, &line);

    if (status == ART_SIGN_OK) {
        check(keys.n >= 1 && keys.n <= ART_SIGN_KEYS_MAX);

        url.prefix = art_cstr("https://example.com/");
        url.keys = &keys;
        url.scope = scope;
        url.ttl = 1 + query.len;
        url.now = FUZZ_NOW;

        fuzz_query(&url, id, query);

        if (id.len > 0) {
            fuzz_url(&url, id, query);
            fuzz_ticket(&url, id, query);
        }
    }

    art_sign_wipe(&keys);

    free((uint8_t *) text.data);
    free((uint8_t *) scope.data);
    free((uint8_t *) id.data);
    free((uint8_t *) query.data);

    return 0;
}
