
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The version of a source: it changes with the bytes, as far as that can be
 * told without reading them, and never is that of another source.
 */


#include "http/source/ngx_http_artifact_source.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "store/disk/ngx_artifact_str.h"

#include <openssl/evp.h>


/* What the version is made of comes first, so that kinds do not mix. */

typedef enum {
    NGX_HTTP_ARTIFACT_VERSION_FILE = 0,
    NGX_HTTP_ARTIFACT_VERSION_RESPONSE,
    NGX_HTTP_ARTIFACT_VERSION_REQUEST,
    NGX_HTTP_ARTIFACT_VERSION_TOLD
} ngx_http_artifact_version_e;


static ngx_http_artifact_facts_t *ngx_http_artifact_version_facts(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_version_copy(ngx_http_request_t *r,
    const u_char *data, ngx_str_t *version);
static ngx_int_t ngx_http_artifact_version_make(ngx_http_request_t *r,
    u_char *version);
static EVP_MD_CTX *ngx_http_artifact_version_begin(void);
static ngx_int_t ngx_http_artifact_version_end(EVP_MD_CTX *md,
    u_char *version);
static ngx_int_t ngx_http_artifact_version_hash(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, EVP_MD_CTX *md);
static int ngx_http_artifact_version_file(ngx_http_artifact_source_t *source,
    ngx_str_t *root, EVP_MD_CTX *md);
static ngx_uint_t ngx_http_artifact_has_validators(
    ngx_http_artifact_source_t *source);
static int ngx_http_artifact_version_response(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, EVP_MD_CTX *md);
static int ngx_http_artifact_version_request(ngx_http_request_t *r,
    EVP_MD_CTX *md);
static int ngx_http_artifact_version_put(EVP_MD_CTX *md, const void *data,
    size_t len);


ngx_int_t
ngx_http_artifact_version(ngx_http_request_t *r, ngx_str_t *version)
{
    ngx_http_artifact_facts_t  *facts;

    facts = ngx_http_artifact_version_facts(r);

    if (facts && facts->versioned) {
        return ngx_http_artifact_version_copy(r, facts->version, version);
    }

    version->len = NGX_HTTP_ARTIFACT_VERSION_LEN;
    version->data = ngx_pnalloc(r->pool, version->len);

    if (version->data == NULL
        || ngx_http_artifact_version_make(r, version->data) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (facts) {
        ngx_memcpy(facts->version, version->data, version->len);
        facts->versioned = 1;
    }

    return NGX_OK;
}


/* A content is only cached below a root without variables. */

static ngx_http_artifact_facts_t *
ngx_http_artifact_version_facts(ngx_http_request_t *r)
{
    ngx_http_artifact_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    return ctx && ctx->source ? ctx->source->facts : NULL;
}


static ngx_int_t
ngx_http_artifact_version_copy(ngx_http_request_t *r, const u_char *data,
    ngx_str_t *version)
{
    version->len = NGX_HTTP_ARTIFACT_VERSION_LEN;
    version->data = ngx_pnalloc(r->pool, version->len);

    if (version->data == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(version->data, data, version->len);

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_version_sent(ngx_http_request_t *r, art_str_t mime,
    ngx_str_t *version)
{
    ngx_http_artifact_facts_t  *facts;

    facts = ngx_http_artifact_version_facts(r);

    if (facts && facts->told_len > 0
        && art_str_eq(mime, art_str(facts->told, facts->told_len)))
    {
        return ngx_http_artifact_version_copy(r, facts->sent, version);
    }

    if (ngx_http_artifact_version(r, version) != NGX_OK
        || ngx_http_artifact_version_told(r, ngx_artifact_str(version), mime,
                                          version)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (facts && mime.len > 0 && mime.len <= sizeof(facts->told)) {
        ngx_memcpy(facts->sent, version->data, version->len);
        ngx_memcpy(facts->told, mime.data, mime.len);
        facts->told_len = mime.len;
    }

    return NGX_OK;
}


/*
 * The type is the client's word, and decides what a converter makes of the same
 * bytes.  The kind keeps own bytes from being chosen so that they hash to the
 * version of a file.
 */

ngx_int_t
ngx_http_artifact_version_told(ngx_http_request_t *r, art_str_t content,
    art_str_t mime, ngx_str_t *version)
{
    uint64_t     kind;
    EVP_MD_CTX  *md;

    version->len = NGX_HTTP_ARTIFACT_VERSION_LEN;
    version->data = ngx_pnalloc(r->pool, version->len);

    md = ngx_http_artifact_version_begin();

    kind = NGX_HTTP_ARTIFACT_VERSION_TOLD;

    if (version->data == NULL || md == NULL
        || !ngx_http_artifact_version_put(md, &kind, sizeof(kind))
        || !ngx_http_artifact_version_put(md, content.data, content.len)
        || !ngx_http_artifact_version_put(md, mime.data, mime.len))
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_version_end(md, version->data);
}


static ngx_int_t
ngx_http_artifact_version_make(ngx_http_request_t *r, u_char *version)
{
    EVP_MD_CTX               *md;
    ngx_http_artifact_ctx_t  *ctx;

    md = ngx_http_artifact_version_begin();
    ctx = ngx_http_get_module_ctx(r, ngx_artifact_module);

    if (md == NULL || ngx_http_artifact_version_hash(r, ctx, md) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_version_end(md, version);
}


static EVP_MD_CTX *
ngx_http_artifact_version_begin(void)
{
    /* kept: to make one takes longer than to use it */

    static EVP_MD_CTX  *md;

    if (md == NULL) {
        md = EVP_MD_CTX_new();

        if (md == NULL || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1) {
            EVP_MD_CTX_free(md);
            md = NULL;

            return NULL;
        }
    }

    return EVP_DigestInit_ex(md, NULL, NULL) == 1 ? md : NULL;
}


static ngx_int_t
ngx_http_artifact_version_end(EVP_MD_CTX *md, u_char *version)
{
    u_char  digest[NGX_HTTP_ARTIFACT_VERSION_LEN / 2];

    if (EVP_DigestFinal_ex(md, digest, NULL) != 1) {
        return NGX_ERROR;
    }

    (void) ngx_hex_dump(version, digest, sizeof(digest));

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_version_hash(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, EVP_MD_CTX *md)
{
    int                          ok;
    ngx_str_t                    root;
    ngx_http_artifact_source_t  *source;

    source = ctx ? ctx->source : NULL;

    if (source && source->local) {

        if (ngx_http_artifact_root(r, ctx, &root) != NGX_OK) {
            return NGX_ERROR;
        }

        ok = ngx_http_artifact_version_file(source, &root, md);

    } else if (source && ngx_http_artifact_has_validators(source)) {
        ok = ngx_http_artifact_version_response(r, source, md);

    } else {
        ok = ngx_http_artifact_version_request(r, md);
    }

    return ok ? NGX_OK : NGX_ERROR;
}


static int
ngx_http_artifact_version_file(ngx_http_artifact_source_t *source,
    ngx_str_t *root, EVP_MD_CTX *md)
{
    ngx_http_artifact_cache_key_t  key;

    ngx_http_artifact_cache_key(&key, NGX_HTTP_ARTIFACT_VERSION_FILE,
                                &source->info);

    return ngx_http_artifact_version_put(md, &key, sizeof(key))
           && ngx_http_artifact_version_put(md, root->data, root->len)
           && ngx_http_artifact_version_put(md, source->id.data,
                                            source->id.len);
}


/*
 * A strong tag, or date and length: a weak tag may stay while the bytes change
 * (RFC 9110, section 8.8.1).
 */

static ngx_uint_t
ngx_http_artifact_has_validators(ngx_http_artifact_source_t *source)
{
    return (source->etag.len > 0 && source->etag.data[0] != 'W')
           || (source->modified != -1 && source->size >= 0);
}


/*
 * A tag is only unique for its URL.  An upstream's URL may have variables; its
 * answer's key in a cache has all that it depends on.
 */

static int
ngx_http_artifact_version_response(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source, EVP_MD_CTX *md)
{
    int64_t               facts[3];
    ngx_str_t             host, uri;
    ngx_http_upstream_t  *u;

    ngx_str_null(&host);
    ngx_str_null(&uri);

    u = r->upstream;

    if (u) {
        uri = u->uri;
    }

    if (u && u->resolved) {
        host = u->resolved->host;

    } else if (u && u->upstream) {
        host = u->upstream->host;
    }

#if (NGX_HTTP_CACHE)

    /* found in a cache, no upstream is chosen */

    if (r->cache) {
        ngx_str_null(&host);
        uri.data = r->cache->key;
        uri.len = NGX_HTTP_CACHE_KEY_LEN;
    }

#endif

    facts[0] = NGX_HTTP_ARTIFACT_VERSION_RESPONSE;
    facts[1] = (int64_t) source->modified;
    facts[2] = (int64_t) source->size;

    return ngx_http_artifact_version_put(md, facts, sizeof(facts))
           && ngx_http_artifact_version_put(md, source->etag.data,
                                            source->etag.len)
           && ngx_http_artifact_version_put(md, host.data, host.len)
           && ngx_http_artifact_version_put(md, uri.data, uri.len)
           && ngx_http_artifact_version_put(md, r->uri.data, r->uri.len)
           && ngx_http_artifact_version_put(md, r->args.data, r->args.len)
           && ngx_http_artifact_version_put(md, r->headers_in.server.data,
                                            r->headers_in.server.len);
}


/* Of this request alone, of all workers, also after a restart. */

static int
ngx_http_artifact_version_request(ngx_http_request_t *r, EVP_MD_CTX *md)
{
    uint64_t             facts[8];
    ngx_http_request_t  *main;

    static uint64_t  seed[2];

    if (seed[0] == 0) {
        seed[0] = (uint64_t) ngx_random() << 32 | (uint64_t) ngx_random() | 1;
        seed[1] = (uint64_t) ngx_time();
    }

    main = r->main;

    facts[0] = NGX_HTTP_ARTIFACT_VERSION_REQUEST;
    facts[1] = seed[0];
    facts[2] = seed[1];
    facts[3] = (uint64_t) ngx_pid;
    facts[4] = (uint64_t) main->connection->number;
    facts[5] = (uint64_t) main->connection->requests;
    facts[6] = (uint64_t) main->start_sec * 1000 + main->start_msec;
    facts[7] = (uint64_t) (uintptr_t) main;

    return ngx_http_artifact_version_put(md, facts, sizeof(facts))
           && ngx_http_artifact_version_put(md, r->uri.data, r->uri.len);
}


static int
ngx_http_artifact_version_put(EVP_MD_CTX *md, const void *data, size_t len)
{
    return EVP_DigestUpdate(md, &len, sizeof(len)) == 1
           && (len == 0 || EVP_DigestUpdate(md, data, len) == 1);
}
