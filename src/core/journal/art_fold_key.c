
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_hash.h"
#include "core/journal/art_fold_int.h"
#include "core/journal/art_meta_index.h"


static void art_fold_key_unit(art_fold_key_t *key);
static void art_fold_key_char(art_fold_key_t *key, unsigned code);
static void art_fold_key_byte(art_fold_key_t *key, unsigned c);


void
art_fold_key_start(art_fold_key_t *key)
{
    key->raw_len = 0;
    key->len = 0;
    key->hash = ART_HASH_INIT;
    key->strange = 0;
    key->escape = 0;
    key->high = 0;
}


void
art_fold_key_add(art_fold_key_t *key, uint8_t c)
{
    const char         *at;
    static const char   from[] = "bfnrt";
    static const char   to[] = "\b\f\n\r\t";

    if (key->escape > 1) {
        key->code = key->code << 4
                    | (c <= '9' ? c - (unsigned) '0'
                                : (c | 0x20u) - (unsigned) 'a' + 10);

        if (++key->escape == 6) {
            key->escape = 0;
            art_fold_key_unit(key);
        }

        return;
    }

    if (key->escape == 0 && c == '\\') {
        key->escape = 1;
        return;
    }

    if (key->escape == 1 && c == 'u') {
        key->escape = 2;
        key->code = 0;
        return;
    }

    if (key->escape == 1) {
        at = strchr(from, c);
        c = (uint8_t) (at != NULL ? to[at - from] : c);
        key->escape = 0;
    }

    /* half of a pair has to be followed by the other */

    key->strange |= key->high;
    key->high = 0;

    art_fold_key_byte(key, c);
}


void
art_fold_key_end(art_fold_key_t *key)
{
    key->strange |= key->high;
    key->hash = art_meta_index_mix(key->hash);
}


/* A code unit of UTF-16. */

static void
art_fold_key_unit(art_fold_key_t *key)
{
    unsigned  code, high;

    code = key->code;
    high = key->high;
    key->high = 0;

    if ((code & 0xfc00) == 0xdc00 && high != 0) {
        art_fold_key_char(key, 0x10000 + ((high & 0x3ff) << 10)
                               + (code & 0x3ff));
        return;
    }

    key->strange |= high;

    if ((code & 0xfc00) == 0xd800) {
        key->high = code;
        return;
    }

    key->strange |= (code & 0xfc00) == 0xdc00;

    art_fold_key_char(key, code);
}


static void
art_fold_key_char(art_fold_key_t *key, unsigned code)
{
    if (code < 0x80) {
        art_fold_key_byte(key, code);
        return;
    }

    if (code < 0x800) {
        art_fold_key_byte(key, 0xc0 | code >> 6);

    } else if (code < 0x10000) {
        art_fold_key_byte(key, 0xe0 | code >> 12);
        art_fold_key_byte(key, 0x80 | (code >> 6 & 0x3f));

    } else {
        art_fold_key_byte(key, 0xf0 | code >> 18);
        art_fold_key_byte(key, 0x80 | (code >> 12 & 0x3f));
        art_fold_key_byte(key, 0x80 | (code >> 6 & 0x3f));
    }

    art_fold_key_byte(key, 0x80 | (code & 0x3f));
}


static void
art_fold_key_byte(art_fold_key_t *key, unsigned c)
{
    uint8_t  byte;

    byte = (uint8_t) c;
    key->hash = art_hash(key->hash, &byte, 1);

    if (key->len == sizeof(key->text)) {
        key->strange = 1;
        return;
    }

    key->text[key->len++] = byte;
}
