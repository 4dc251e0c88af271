
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The keys that sign URLs, and signatures: HMAC-SHA256 (RFC 2104) in base64url
 * without padding.
 */


#ifndef ART_SIGN_H_INCLUDED_
#define ART_SIGN_H_INCLUDED_


#include <openssl/sha.h>

#include "core/base/art_core.h"


#define ART_SIGN_LEN       43            /* characters of a signature */
#define ART_SIGN_KEY_MIN   32            /* bytes of a key */
#define ART_SIGN_KEYS_MAX  16
#define ART_SIGN_FILE_MAX  (16 * 1024)   /* bytes of a file with keys */


typedef enum {
    ART_SIGN_OK = 0,
    ART_SIGN_NONE,               /* the file has no key */
    ART_SIGN_BAD,                /* neither hex nor base64 */
    ART_SIGN_SHORT,
    ART_SIGN_MANY
} art_sign_status_t;


/*
 * The keys of a file: the first one signs, all verify.  Of a key there are the
 * hashes of the two blocks that HMAC makes of it, which are not hashed again
 * for each signature.  They are the caller's memory, so that it can be left out
 * of a core dump.
 */

typedef struct {
    unsigned        n;

    struct {
        SHA256_CTX  inner;
        SHA256_CTX  outer;
    } keys[ART_SIGN_KEYS_MAX];
} art_sign_keys_t;


/*
 * Reads the text of a file: a key a line, of at least ART_SIGN_KEY_MIN bytes,
 * in hex if the line is 64 or more hexadecimal digits, else in base64 of either
 * alphabet; a line has at most ART_SIGN_FILE_MAX characters.  Blank lines and
 * those that begin with "#" are passed over.  The text is overwritten.  *line
 * is set to the number of a line that is refused, from 1.  The caller wipes the
 * keys with art_sign_wipe() in the end.
 */

art_sign_status_t art_sign_parse(art_sign_keys_t *keys, uint8_t *text,
    size_t len, unsigned *line);
void art_sign_wipe(art_sign_keys_t *keys);


/*
 * What is signed: a canonical reference (art_ref_t, "id") that may be read, or
 * one that may be written, with what becomes of it in "put", whose data is NULL
 * for the former.
 */

typedef struct {
    art_str_t       scope;
    art_str_t       ref;
    art_str_t       exp;
    art_str_t       put;
} art_signed_t;


/*
 * Writes its signature with key number "i": of
 *
 *     "artifact-url-v1" LF scope LF reference LF exp
 *     "artifact-put-v1" LF scope LF reference LF exp LF put
 *
 * Nothing but the scope may have a line feed, so that no two of these texts are
 * the same.
 */

void art_sign_print(const art_sign_keys_t *keys, unsigned i,
    const art_signed_t *what, uint8_t text[ART_SIGN_LEN]);


/*
 * Whether "text" is the signature with any of the keys: all characters are
 * compared, with all keys, however many of them are right.
 */

int art_sign_check(const art_sign_keys_t *keys, const art_signed_t *what,
    art_str_t text);


#endif /* ART_SIGN_H_INCLUDED_ */
