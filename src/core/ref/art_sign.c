
/*
 * Copyright (C) ngx_artifact_module authors
 */


/*
 * Libcrypto's other functions allocate memory for each hash, and cannot go on
 * from a hash of before without; that costs a GET 2 percent.
 */

#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/crypto.h>

#include "core/text/art_base64.h"
#include "core/ref/art_sign.h"


#define ART_SIGN_HEX     64      /* digits, from which on a line is hex */

/* Bytes of a decoded line. */

#define ART_SIGN_ROOM    (ART_SIGN_FILE_MAX / 4 * 3 + 3)


static art_sign_status_t art_sign_lines(art_sign_keys_t *keys, uint8_t *text,
    size_t len, unsigned *line);
static art_sign_status_t art_sign_line(art_sign_keys_t *keys, uint8_t *p,
    uint8_t *end);
static int art_sign_decode(uint8_t *key, size_t *n, uint8_t *p, size_t len);
static int art_sign_is_hex(const uint8_t *p, size_t len);
static void art_sign_add(art_sign_keys_t *keys, const uint8_t *key,
    size_t len);
static void art_sign_line_add(SHA256_CTX *hash, art_str_t line);


art_sign_status_t
art_sign_parse(art_sign_keys_t *keys, uint8_t *text, size_t len,
    unsigned *line)
{
    art_sign_status_t  status;

    *line = 0;
    keys->n = 0;

    status = art_sign_lines(keys, text, len, line);

    OPENSSL_cleanse(text, len);

    return status;
}


void
art_sign_wipe(art_sign_keys_t *keys)
{
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
        art_sign_add(keys, key, n);
        status = ART_SIGN_OK;
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

        if (p[i] == '+') {
            p[i] = '-';

        } else if (p[i] == '/') {
            p[i] = '_';
        }
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

static void
art_sign_add(art_sign_keys_t *keys, const uint8_t *key, size_t len)
{
    size_t       i;
    uint8_t      inner[SHA256_CBLOCK], outer[SHA256_CBLOCK];
    SHA256_CTX  *hash;

    memset(inner, 0, sizeof(inner));

    if (len <= sizeof(inner)) {
        memcpy(inner, key, len);

    } else {
        (void) SHA256(key, len, inner);
    }

    for (i = 0; i < sizeof(inner); i++) {
        outer[i] = inner[i] ^ 0x5c;
        inner[i] ^= 0x36;
    }

    hash = &keys->keys[keys->n].inner;
    (void) SHA256_Init(hash);
    (void) SHA256_Update(hash, inner, sizeof(inner));

    hash = &keys->keys[keys->n].outer;
    (void) SHA256_Init(hash);
    (void) SHA256_Update(hash, outer, sizeof(outer));

    OPENSSL_cleanse(inner, sizeof(inner));
    OPENSSL_cleanse(outer, sizeof(outer));

    keys->n++;
}


void
art_sign_print(const art_sign_keys_t *keys, unsigned i,
    const art_signed_t *what, uint8_t text[ART_SIGN_LEN])
{
    uint8_t     digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX  hash;

    hash = keys->keys[i].inner;

    (void) SHA256_Update(&hash, what->put.data != NULL ? "artifact-put-v1"
                                                       : "artifact-url-v1",
                         15);
    art_sign_line_add(&hash, what->scope);
    art_sign_line_add(&hash, what->ref);
    art_sign_line_add(&hash, what->exp);

    if (what->put.data != NULL) {
        art_sign_line_add(&hash, what->put);
    }

    (void) SHA256_Final(digest, &hash);

    hash = keys->keys[i].outer;

    (void) SHA256_Update(&hash, digest, sizeof(digest));
    (void) SHA256_Final(digest, &hash);

    (void) art_base64url_encode(text, digest, sizeof(digest));
}


static void
art_sign_line_add(SHA256_CTX *hash, art_str_t line)
{
    (void) SHA256_Update(hash, "\n", 1);
    (void) SHA256_Update(hash, line.data, line.len);
}


int
art_sign_check(const art_sign_keys_t *keys, const art_signed_t *what,
    art_str_t text)
{
    int       found;
    uint8_t   want[ART_SIGN_LEN];
    unsigned  i;

    if (text.len != ART_SIGN_LEN) {
        return 0;
    }

    found = 0;

    for (i = 0; i < keys->n; i++) {
        art_sign_print(keys, i, what, want);
        found |= CRYPTO_memcmp(want, text.data, ART_SIGN_LEN) == 0;
    }

    return found;
}
