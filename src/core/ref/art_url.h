
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URLs of contents, as the module writes them.
 */


#ifndef ART_URL_H_INCLUDED_
#define ART_URL_H_INCLUDED_


#include "core/base/art_core.h"


typedef struct art_sign_keys_s  art_sign_keys_t;


/*
 * How URLs are written: "prefix", with an id appended, is the URL of a content;
 * empty if there is none.  With "keys" they are signed, for "scope", and live
 * one to two "ttl", from "now" on (seconds; "now" since the epoch).  Nothing is
 * owned.
 */

typedef struct {
    art_str_t               prefix;
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
 * URIs (art_id_uri()), and the signature if there are keys.  Without a URL, it
 * is the reference as a URI: "artifact:" and the id.  "level" is that of the
 * JSON string around it (art_json_string()), 0 for none.
 */

void art_url_print(art_out_t *out, const art_url_t *url, art_str_t id,
    unsigned level);


#endif /* ART_URL_H_INCLUDED_ */
