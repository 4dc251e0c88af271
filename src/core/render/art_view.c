
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_members.h"
#include "core/render/art_view.h"


/* How a sidecar has the digest (docs/ids.md): as JSON, in hexadecimal. */

#define ART_VIEW_DIGEST  "\"hmac-sha256:"


static int art_view_digest(art_str_t extra, uint8_t *id);
static int art_view_size(const art_view_t *view);


int
art_view_is_of_standin(const art_view_t *view, art_standin_t kind,
    art_str_t id)
{
    uint8_t  own[ART_STANDIN_ID];

    return view->meta != NULL
           && art_meta_is_standin(view->meta)
           && art_str_eq(view->meta->type, art_standin_mime(kind))
           && art_view_size(view)
           && art_view_digest(view->meta->extra, own) == ART_OK
           && art_str_eq(id, art_str(own, sizeof(own)));
}


/* The id that the first 128 bits of a digest make; ART_ERROR without one. */

static int
art_view_digest(art_str_t extra, uint8_t *id)
{
    int        high, low;
    size_t     i;
    uint8_t    bytes[16];
    art_str_t  key, value;

    key = art_cstr("digest");

    if (art_json_find(extra, &key, 1, &value) != ART_OK
        || value.len < sizeof(ART_VIEW_DIGEST) - 1 + 2 * sizeof(bytes)
        || memcmp(value.data, ART_VIEW_DIGEST, sizeof(ART_VIEW_DIGEST) - 1)
           != 0)
    {
        return ART_ERROR;
    }

    value.data += sizeof(ART_VIEW_DIGEST) - 1;

    for (i = 0; i < sizeof(bytes); i++) {
        high = art_char_hex(value.data[2 * i]);
        low = art_char_hex(value.data[2 * i + 1]);

        if (high < 0 || low < 0) {
            return ART_ERROR;
        }

        bytes[i] = (uint8_t) (high << 4 | low);
    }

    art_uuid_v8(id, bytes);

    return ART_OK;
}


/* Whether the content is as long as its metadata say. */

static int
art_view_size(const art_view_t *view)
{
    size_t     i;
    uint64_t   size;
    art_str_t  key, value;

    key = art_cstr("size");

    if (art_json_find(view->meta->extra, &key, 1, &value) != ART_OK
        || value.data == NULL)
    {
        return 0;
    }

    size = 0;

    for (i = 0; i < value.len; i++) {
        if (value.data[i] < '0' || value.data[i] > '9' || size > UINT32_MAX) {
            return 0;
        }

        size = size * 10 + (uint64_t) (value.data[i] - '0');
    }

    return view->size_known && view->size == size;
}
