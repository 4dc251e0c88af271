
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/meta/art_meta_int.h"
#include "core/meta/art_meta_pack.h"


/*
 * A block: ART_META_MAGIC, the length of the block, the length of every field
 * (ART_META_NONE if absent), then the bytes of the fields.  Numbers have 32
 * bits in the machine's byte order, at any alignment.
 */

#define ART_META_MAGIC  0x314d5241    /* "ARM1" */
#define ART_META_NONE   UINT32_MAX
#define ART_META_HEAD   ((2 + ART_META_NFIELDS) * sizeof(uint32_t))


static uint8_t *art_meta_put_number(uint8_t *dst, size_t n);
static uint32_t art_meta_get_number(const uint8_t *src, size_t i);
static int art_meta_sound(const art_meta_field_t *field, art_str_t value);


size_t
art_meta_packed_size(const art_meta_t *meta)
{
    size_t  i, size;

    size = ART_META_HEAD;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        size += art_meta_get(meta, i).len;
    }

    /* lengths must fit in 32 bits; a sidecar is nowhere near */

    return size < ART_META_NONE ? size : 0;
}


size_t
art_meta_pack(const art_meta_t *meta, uint8_t *dst, size_t room)
{
    size_t      i, size;
    uint8_t    *p;
    art_str_t   value;

    size = art_meta_packed_size(meta);

    if (size == 0 || size > room) {
        return 0;
    }

    p = art_meta_put_number(dst, ART_META_MAGIC);
    p = art_meta_put_number(p, size);

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_get(meta, i);
        p = art_meta_put_number(p, value.data ? value.len : ART_META_NONE);
    }

    for (i = 0; i < ART_META_NFIELDS; i++) {
        value = art_meta_get(meta, i);

        if (value.len > 0) {
            memcpy(p, value.data, value.len);
            p += value.len;
        }
    }

    return size;
}


int
art_meta_unpack(const uint8_t *data, size_t len, art_meta_t *out)
{
    size_t     i, n, pos;
    art_str_t  value;

    memset(out, 0, sizeof(art_meta_t));

    if (len < ART_META_HEAD
        || art_meta_get_number(data, 0) != ART_META_MAGIC
        || art_meta_get_number(data, 1) != len)
    {
        return ART_ERROR;
    }

    pos = ART_META_HEAD;

    for (i = 0; i < ART_META_NFIELDS; i++) {
        n = art_meta_get_number(data, 2 + i);

        if (n == ART_META_NONE) {
            continue;
        }

        if (n > len - pos) {
            goto failed;
        }

        value = art_str(data + pos, n);
        pos += n;

        if (!art_meta_sound(&art_meta_fields[i], value)) {
            goto failed;
        }

        art_meta_set(out, i, value);
    }

    if (pos != len) {
        goto failed;
    }

    return ART_OK;

failed:

    memset(out, 0, sizeof(art_meta_t));

    return ART_ERROR;
}


static uint8_t *
art_meta_put_number(uint8_t *dst, size_t n)
{
    uint32_t  number;

    number = (uint32_t) n;
    memcpy(dst, &number, sizeof(number));

    return dst + sizeof(number);
}


static uint32_t
art_meta_get_number(const uint8_t *src, size_t i)
{
    uint32_t  number;

    memcpy(&number, src + i * sizeof(number), sizeof(number));

    return number;
}


/* A block may only have what the parser could have made. */

static int
art_meta_sound(const art_meta_field_t *field, art_str_t value)
{
    if (field->max > 0) {
        return value.len <= field->max;
    }

    return value.len >= 2
           && value.data[0] == (uint8_t) field->open
           && value.data[value.len - 1] == (uint8_t) field->close;
}
