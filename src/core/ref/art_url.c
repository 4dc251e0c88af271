
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_hash.h"
#include "core/form/art_pair.h"
#include "core/json/art_json_escape.h"
#include "core/ref/art_id.h"
#include "core/ref/art_url.h"


#define ART_URL_EXP_MAX  19      /* digits that fit into 64 bits */


static void art_url_sign(art_out_t *out, const art_url_t *url, art_str_t id);
static int art_url_expires(art_str_t text, uint64_t *exp);


void
art_url_print(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level)
{
    if (!art_url_given(url)) {
        art_out_cstr(out, "artifact:");
        art_id_uri(out, id);

        return;
    }

    art_json_string(out, url->prefix, level);

    if (id.len >= 9 && memcmp(id.data, "artifact:", 9) == 0) {

        /* it is stripped once where the URL is read */

        art_out_cstr(out, "artifact:");
    }

    art_id_uri(out, id);

    if (url->keys != NULL) {
        art_url_sign(out, url, id);
    }
}


/*
 * Nothing in the query needs an escape.  The phase spreads the moments at which
 * URLs change; the hash is the same on all machines.
 */

static void
art_url_sign(art_out_t *out, const art_url_t *url, art_str_t id)
{
    uint8_t    exp[20], text[ART_SIGN_LEN];
    uint64_t   phase;
    art_out_t  digits;

    phase = art_hash(ART_HASH_INIT, id.data, id.len) % url->ttl;
    digits = art_out(exp, sizeof(exp));

    /* the phase is less than the ttl, so that this never falls below zero */

    art_out_uint(&digits, ((url->now + url->ttl - phase) / url->ttl + 1)
                          * url->ttl + phase);

    art_out_cstr(out, "?exp=");
    art_out_mem(out, exp, digits.len);
    art_out_cstr(out, "&sig=");

    art_sign_print(url->keys, 0, url->scope, id, art_str(exp, digits.len),
                   text);
    art_out_mem(out, text, sizeof(text));
}


art_url_status_t
art_url_check(const art_url_t *url, art_str_t id, art_str_t query,
    uint64_t *exp)
{
    art_str_t  expires, signature;

    expires = art_query_find(query, "exp");
    signature = art_query_find(query, "sig");

    if (expires.data == NULL || signature.data == NULL) {
        return ART_URL_UNSIGNED;
    }

    if (id.len == 0 || art_url_expires(expires, exp) != ART_OK
        || !art_sign_check(url->keys, url->scope, id, expires, signature))
    {
        return ART_URL_INVALID;
    }

    return *exp > url->now ? ART_URL_VALID : ART_URL_EXPIRED;
}


/* Digits only, without a zero in front. */

static int
art_url_expires(art_str_t text, uint64_t *exp)
{
    size_t  i;

    if (text.len == 0 || text.len > ART_URL_EXP_MAX
        || (text.data[0] == '0' && text.len > 1))
    {
        return ART_ERROR;
    }

    *exp = 0;

    for (i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9') {
            return ART_ERROR;
        }

        *exp = *exp * 10 + (uint64_t) (text.data[i] - '0');
    }

    return ART_OK;
}
