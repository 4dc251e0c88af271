
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Of the key and of the URI that a store is asked for, what is not the artifact
 * itself: where the latter differ, the former have to.
 */


#include "http/route/ngx_http_artifact_cache_key.h"


#if (NGX_HTTP_CACHE)

/* Of each cache, the last answer that came from the store. */

#define NGX_HTTP_ARTIFACT_CACHES  16

typedef struct {
    ngx_http_file_cache_t  *cache;
    uint32_t                key;
    uint32_t                place;
} ngx_http_artifact_cache_parts_t;


static ngx_uint_t ngx_http_artifact_cache_parts(ngx_http_request_t *r,
    ngx_http_artifact_cache_parts_t *parts);


static ngx_http_artifact_cache_parts_t
    ngx_http_artifact_cache_last[NGX_HTTP_ARTIFACT_CACHES];


void
ngx_http_artifact_check_cache_key(ngx_http_request_t *r)
{
    ngx_uint_t                        i;
    ngx_http_core_loc_conf_t         *clcf;
    ngx_http_artifact_cache_parts_t   parts, *last;

    if (!ngx_http_artifact_cache_parts(r, &parts)) {
        return;
    }

    last = ngx_http_artifact_cache_last;

    for (i = 0; i < NGX_HTTP_ARTIFACT_CACHES - 1; i++) {
        if (last[i].cache == NULL || last[i].cache == parts.cache) {
            break;
        }
    }

    if (last[i].cache == parts.cache && last[i].key == parts.key
        && last[i].place != parts.place)
    {
        clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "the key of the cache in location \"%V\" is the same "
                      "for \"%V\" and for an artifact of that name elsewhere "
                      "in the store: one tenant may get what is another's, "
                      "add all that is passed on to the key", &clcf->name,
                      &r->upstream->uri);
    }

    last[i] = parts;
}


/* What is left of both without the artifact; none if it is in one only. */

static ngx_uint_t
ngx_http_artifact_cache_parts(ngx_http_request_t *r,
    ngx_http_artifact_cache_parts_t *parts)
{
    u_char                     *p;
    ngx_str_t                   name, *key, *uri;
    ngx_http_variable_value_t  *id;

    if (r->cache == NULL || r->upstream == NULL || r->cache->keys.nelts != 1
        || r->upstream->uri.len == 0)
    {
        return 0;
    }

    ngx_str_set(&name, "artifact_key");

    id = ngx_http_get_variable(r, &name, ngx_hash_key(name.data, name.len));
    key = r->cache->keys.elts;
    uri = &r->upstream->uri;

    if (id == NULL || id->not_found || id->len == 0 || uri->len < id->len
        || ngx_memcmp(uri->data + uri->len - id->len, id->data, id->len) != 0)
    {
        return 0;
    }

    for (p = key->data; p + id->len <= key->data + key->len; p++) {

        if (ngx_memcmp(p, id->data, id->len) == 0) {
            parts->cache = r->cache->file_cache;
            parts->place = ngx_crc32_long(uri->data, uri->len - id->len);

            ngx_crc32_init(parts->key);
            ngx_crc32_update(&parts->key, key->data,
                             (size_t) (p - key->data));
            ngx_crc32_update(&parts->key, p + id->len,
                             (size_t) (key->data + key->len - p) - id->len);
            return 1;
        }
    }

    return 0;
}

#else

void
ngx_http_artifact_check_cache_key(ngx_http_request_t *r)
{
    /* nothing is cached */
}

#endif
