
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#include "core/text/art_base64.h"
#include "core/ref/art_sign.h"


#define ART_SIGN_DIGEST  32      /* bytes of SHA-256 */
#define ART_SIGN_HEX     64      /* digits, from which on a line is hex */

/* Bytes of a decoded line. */

#define ART_SIGN_ROOM    (ART_SIGN_FILE_MAX / 4 * 3 + 3)


static art_sign_status_t art_sign_lines(art_sign_keys_t *keys, uint8_t *text,
    size_t len, unsigned *line);
static art_sign_status_t art_sign_line(art_sign_keys_t *keys, uint8_t *p,
    uint8_t *end);
static int art_sign_decode(uint8_t *key, size_t *n, uint8_t *p, size_t len);
static int art_sign_is_hex(const uint8_t *p, size_t len);
static int art_sign_add(art_sign_keys_t *keys, const uint8_t *key, size_t len);
static int art_sign_hash(EVP_MD_CTX *md, const art_str_t *texts, unsigned n,
    uint8_t *digest);


art_sign_status_t
art_sign_parse(art_sign_keys_t *keys, uint8_t *text, size_t len,
    unsigned *line)
{
    EVP_MD_CTX         *md;
    art_sign_status_t   status;

    *line = 0;
    keys->n = 0;

    /* fetched once: later on the context is only reset */

    md = EVP_MD_CTX_new();
    keys->md = md;

    status = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1
             ? art_sign_lines(keys, text, len, line) : ART_SIGN_NO_MEMORY;

    OPENSSL_cleanse(text, len);

    if (status != ART_SIGN_OK) {
        art_sign_free(keys);
    }

    return status;
}


void
art_sign_free(art_sign_keys_t *keys)
{
    EVP_MD_CTX_free(keys->md);
    OPENSSL_cleanse(keys, sizeof(art_sign_keys_t));
}


static art_sign_status_t
art_sign_lines(art_sign_keys_t *keys, uint8_t *text, size_t len,
    unsigned *line)
{
    uint8_t            *p, *end, *last;
    art_sign_status_t   status;

    last = text + len;

    for (p = text; p < last; p = end + 1) {
        end = memchr(p, '\n', (size_t) (last - p));
        end = end != NULL ? end : last;

        ++*line;

        status = art_sign_line(keys, p, end);

        if (status != ART_SIGN_OK) {
            return status;
        }
    }

    return keys->n > 0 ? ART_SIGN_OK : ART_SIGN_NONE;
}


static art_sign_status_t
art_sign_line(art_sign_keys_t *keys, uint8_t *p, uint8_t *end)
{
    size_t             n;
    uint8_t            key[ART_SIGN_ROOM];
    art_sign_status_t  status;

    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }

    while (p < end && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }

    if (p == end || *p == '#') {
        return ART_SIGN_OK;
    }

    if (keys->n == ART_SIGN_KEYS_MAX) {
        return ART_SIGN_MANY;
    }

    if (end - p > ART_SIGN_FILE_MAX
        || art_sign_decode(key, &n, p, (size_t) (end - p)) != ART_OK)
    {
        status = ART_SIGN_BAD;

    } else if (n < ART_SIGN_KEY_MIN) {
        status = ART_SIGN_SHORT;

    } else {
        status = art_sign_add(keys, key, n) == ART_OK ? ART_SIGN_OK
                                                      : ART_SIGN_NO_MEMORY;
    }

    OPENSSL_cleanse(key, sizeof(key));

    return status;
}


static int
art_sign_decode(uint8_t *key, size_t *n, uint8_t *p, size_t len)
{
    size_t  i;

    if (len >= ART_SIGN_HEX && art_sign_is_hex(p, len)) {

        for (i = 0; i < len / 2; i++) {
            key[i] = (uint8_t) (art_char_hex(p[2 * i]) * 16
                                + art_char_hex(p[2 * i + 1]));
        }

        *n = len / 2;

        return len % 2 == 0 ? ART_OK : ART_ERROR;
    }

    for (i = 0; i < len; i++) {
        p[i] = p[i] == '+' ? '-' : p[i] == '/' ? '_' : p[i];
    }

    return art_base64url_decode(key, n, p, len);
}


static int
art_sign_is_hex(const uint8_t *p, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        if (art_char_hex(p[i]) < 0) {
            return 0;
        }
    }

    return 1;
}


/* RFC 2104, section 2: a key that is longer than a block is hashed first. */

static int
art_sign_add(art_sign_keys_t *keys, const uint8_t *key, size_t len)
{
    size_t     i;
    uint8_t    block[ART_SIGN_BLOCK];
    art_str_t  text;

    memset(block, 0, sizeof(block));

    if (len <= sizeof(block)) {
        memcpy(block, key, len);

    } else {
        text = art_str(key, len);

        if (art_sign_hash(keys->md, &text, 1, block) != ART_OK) {
            return ART_ERROR;
        }
    }

    for (i = 0; i < sizeof(block); i++) {
        keys->keys[keys->n].inner[i] = block[i] ^ 0x36;
        keys->keys[keys->n].outer[i] = block[i] ^ 0x5c;
    }

    OPENSSL_cleanse(block, sizeof(block));

    keys->n++;

    return ART_OK;
}


int
art_sign_print(const art_sign_keys_t *keys, unsigned i, art_str_t scope,
    art_str_t ref, art_str_t exp, uint8_t text[ART_SIGN_LEN])
{
    uint8_t    digest[ART_SIGN_DIGEST];
    art_str_t  texts[7];

    texts[0] = art_str(keys->keys[i].inner, ART_SIGN_BLOCK);
    texts[1] = art_cstr("artifact-url-v1\n");
    texts[2] = scope;
    texts[3] = art_cstr("\n");
    texts[4] = ref;
    texts[5] = art_cstr("\n");
    texts[6] = exp;

    if (art_sign_hash(keys->md, texts, 7, digest) != ART_OK) {
        return ART_ERROR;
    }

    texts[0] = art_str(keys->keys[i].outer, ART_SIGN_BLOCK);
    texts[1] = art_str(digest, sizeof(digest));

    if (art_sign_hash(keys->md, texts, 2, digest) != ART_OK) {
        return ART_ERROR;
    }

    (void) art_base64url_encode(text, digest, sizeof(digest));

    return ART_OK;
}


int
art_sign_check(const art_sign_keys_t *keys, art_str_t scope, art_str_t ref,
    art_str_t exp, art_str_t text)
{
    int       found;
    uint8_t   want[ART_SIGN_LEN];
    unsigned  i;

    if (text.len != ART_SIGN_LEN) {
        return 0;
    }

    found = 0;

    for (i = 0; i < keys->n; i++) {
        if (art_sign_print(keys, i, scope, ref, exp, want) != ART_OK) {
            return 0;
        }

        found |= CRYPTO_memcmp(want, text.data, ART_SIGN_LEN) == 0;
    }

    return found;
}


/*
 * Libcrypto's list of errors is emptied, or nginx would report them with the
 * next connection that uses TLS.
 */

static int
art_sign_hash(EVP_MD_CTX *md, const art_str_t *texts, unsigned n,
    uint8_t *digest)
{
    int       ok;
    unsigned  i;

    ok = EVP_DigestInit_ex(md, NULL, NULL);

    for (i = 0; ok && i < n; i++) {
        ok = texts[i].len == 0
             || EVP_DigestUpdate(md, texts[i].data, texts[i].len);
    }

    if (!ok || !EVP_DigestFinal_ex(md, digest, NULL)) {
        ERR_clear_error();
        return ART_ERROR;
    }

    return ART_OK;
}
