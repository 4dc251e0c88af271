
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_hash.h"
#include "core/form/art_pair.h"
#include "core/json/art_json_escape.h"
#include "core/ref/art_id.h"
#include "core/ref/art_url.h"


#define ART_URL_EXP_MAX  19      /* digits that fit into 64 bits */


static void art_url_place(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level);
static void art_url_sign(art_out_t *out, const art_url_t *url, art_str_t id,
    uint64_t until, art_str_t put);
static art_url_status_t art_url_verify(const art_url_t *url, art_str_t id,
    art_str_t query, art_str_t put, uint64_t *exp);
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

    art_url_place(out, url, id, level);

    if (url->keys != NULL) {
        art_url_sign(out, url, id, art_url_until(url, id), art_str(NULL, 0));
    }
}


void
art_url_print_ticket(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put, unsigned level)
{
    art_url_place(out, url, id, level);
    art_url_sign(out, url, id, art_url_ticket_until(url), put);
}


static void
art_url_place(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level)
{
    art_json_string(out, url->prefix, level);

    if (id.len >= 9 && memcmp(id.data, "artifact:", 9) == 0) {

        /* it is stripped once where the URL is read */

        art_out_cstr(out, "artifact:");
    }

    art_id_uri(out, id);
}


/*
 * The phase spreads the moments at which URLs change; the hash is the same on
 * all machines.
 */

uint64_t
art_url_until(const art_url_t *url, art_str_t id)
{
    uint64_t  phase;

    phase = art_hash(ART_HASH_INIT, id.data, id.len) % url->ttl;

    /* the phase is less than the ttl, so that this never falls below zero */

    return ((url->now + url->ttl - phase) / url->ttl + 1) * url->ttl + phase;
}


uint64_t
art_url_ticket_until(const art_url_t *url)
{
    return url->now + (url->ttl < ART_URL_TICKET_MAX ? url->ttl
                                                     : ART_URL_TICKET_MAX);
}


/* Nothing in the query needs an escape. */

static void
art_url_sign(art_out_t *out, const art_url_t *url, art_str_t id,
    uint64_t until, art_str_t put)
{
    uint8_t       exp[20], text[ART_SIGN_LEN];
    art_out_t     digits;
    art_signed_t  what;

    digits = art_out(exp, sizeof(exp));
    art_out_uint(&digits, until);

    what.scope = url->scope;
    what.ref = id;
    what.exp = art_str(exp, digits.len);
    what.put = put;

    art_out_cstr(out, "?exp=");
    art_out_str(out, what.exp);

    if (put.data != NULL) {
        art_out_cstr(out, "&put=");
        art_out_str(out, put);
    }

    art_out_cstr(out, "&sig=");

    art_sign_print(url->keys, 0, &what, text);
    art_out_mem(out, text, sizeof(text));
}


art_url_status_t
art_url_check(const art_url_t *url, art_str_t id, art_str_t query,
    uint64_t *exp)
{
    return art_url_verify(url, id, query, art_str(NULL, 0), exp);
}


art_url_status_t
art_url_check_ticket(const art_url_t *url, art_str_t id, art_str_t query,
    art_str_t *put)
{
    uint64_t          exp;
    art_url_status_t  status;

    *put = art_query_find(query, "put");

    status = art_url_verify(url, put->data != NULL ? id : art_str(NULL, 0),
                            query, *put, &exp);

    return status == ART_URL_VALID && exp > art_url_ticket_until(url)
           ? ART_URL_INVALID : status;
}


static art_url_status_t
art_url_verify(const art_url_t *url, art_str_t id, art_str_t query,
    art_str_t put, uint64_t *exp)
{
    art_str_t     signature;
    art_signed_t  what;

    what.scope = url->scope;
    what.ref = id;
    what.exp = art_query_find(query, "exp");
    what.put = put;

    signature = art_query_find(query, "sig");

    if (what.exp.data == NULL || signature.data == NULL) {
        return ART_URL_UNSIGNED;
    }

    if (id.len == 0 || art_url_expires(what.exp, exp) != ART_OK
        || !art_sign_check(url->keys, &what, signature))
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
