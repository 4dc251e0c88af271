
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URLs of contents, as the module writes them, and signatures that come back.
 */


#ifndef ART_URL_H_INCLUDED_
#define ART_URL_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/ref/art_sign.h"


/*
 * How URLs are written: "prefix", with an id appended, is the URL of a content;
 * empty if there is none.  What begins with it, or with one of the "others", is
 * a URL of a content, too.  With "keys" they are signed, for "scope", and live
 * one to two "ttl", which is not 0, from "now" on (seconds; "now" since the
 * epoch).  Nothing is owned.
 */

typedef struct {
    art_str_t               prefix;
    const art_str_t        *others;
    unsigned                nothers;
    const art_sign_keys_t  *keys;     /* NULL: unsigned */
    art_str_t               scope;
    uint64_t                ttl;
    uint64_t                now;
} art_url_t;


/* Whether contents have URLs; "url" may be NULL. */

static inline int
art_url_given(const art_url_t *url)
{
    return url != NULL && url->prefix.len > 0;
}


/*
 * Writes the URL of a canonical id (art_ref_t, "id"): the prefix, the id as in
 * URIs (art_id_uri()), behind "artifact:" if it begins with that itself, and,
 * if there are keys, "?exp=" and a time, "&sig=" and a signature.
 * The time is the next but one of those that are a multiple of
 * the ttl plus a phase, the id's hash: until the next one the URL is the same.
 * If libcrypto fails, the signature is empty.  Without a URL, it is the
 * reference as a URI: "artifact:" and the id.  "level" is that of the JSON
 * string around it (art_json_string()), 0 for none.
 */

void art_url_print(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level);


/* The time at which such a URL ends, in seconds; there are keys. */

uint64_t art_url_until(const art_url_t *url, art_str_t id);


/*
 * A ticket is the URL of a content that may be written: the same, with "&put="
 * and what becomes of it, in characters that need no escape, before "&sig=".
 * It lives for the ttl, or for ART_URL_TICKET_MAX seconds if that is less; the
 * second function returns its end.  There are a prefix and keys.
 */

#define ART_URL_TICKET_MAX  3600

void art_url_print_ticket(art_out_t *out, const art_url_t *url, art_str_t id,
    art_str_t put, unsigned level);
uint64_t art_url_ticket_until(const art_url_t *url);


typedef enum {
    ART_URL_UNSIGNED = 0,        /* the query lacks "exp" or "sig" */
    ART_URL_INVALID,
    ART_URL_EXPIRED,
    ART_URL_VALID
} art_url_status_t;


/*
 * Checks the signature in a query, without its "?", for a canonical id: the
 * first "exp", as art_url_print() writes it, and the first "sig".  Of *url,
 * keys, scope and "now" count.  "id" may be empty: nothing is valid then.  *exp
 * is set for what is expired or valid, which it is before that time.
 */

art_url_status_t art_url_check(const art_url_t *url, art_str_t id,
    art_str_t query, uint64_t *exp);


/*
 * The same for a ticket, of which the ttl counts, too: one that ends later than
 * art_url_print_ticket() would let it is not valid.  *put is the first "put",
 * in the query; its data is NULL without one, and then nothing is valid.
 */

art_url_status_t art_url_check_ticket(const art_url_t *url, art_str_t id,
    art_str_t query, art_str_t *put);


#endif /* ART_URL_H_INCLUDED_ */
