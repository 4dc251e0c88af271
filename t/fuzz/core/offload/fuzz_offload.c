
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses the API, whether the rest is JSON
 * or events, and links.  Where nothing is made of values, the answer stays;
 * where artifacts are, it does not depend on pieces, and JSON stays JSON.
 */


#include <stdlib.h>

#include "core/json/art_json_scan.h"
#include "core/offload/art_offload.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)

#define FUZZ_MAX  60000
#define FUZZ_MIN  16
#define FUZZ_VALUES  5


typedef struct {
    size_t   len;
    uint8_t  data[FUZZ_MAX * 8];
} fuzz_bytes_t;


static art_offload_t  off;
static fuzz_bytes_t   raw, content;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static int
fuzz_put(fuzz_bytes_t *to, const uint8_t *p, size_t len)
{
    check(len > 0 && len <= sizeof(to->data) - to->len);

    memcpy(to->data + to->len, p, len);
    to->len += len;

    return ART_OK;
}


static int
fuzz_out(void *data, const uint8_t *p, size_t len)
{
    return fuzz_put(data, p, len);
}


static int
fuzz_raw(void *data, const uint8_t *p, size_t len)
{
    (void) data;

    return fuzz_put(&raw, p, len);
}


static int
fuzz_content(void *data, const uint8_t *p, size_t len)
{
    (void) data;

    return fuzz_put(&content, p, len);
}


static void
fuzz_settle(art_offload_status_t status, unsigned make, fuzz_bytes_t *out)
{
    art_offload_made_t  made;

    check(status == ART_OFFLOAD_OVER || status == ART_OFFLOAD_NONE);

    if (status == ART_OFFLOAD_OVER) {
        check(content.len >= FUZZ_MIN / 4 * 3 - 2 && content.len < raw.len);
    }

    if (status == ART_OFFLOAD_OVER && make) {
        made.uri = art_cstr("\"u:1\"");
        made.name = art_cstr("\"1.a\"");
        made.mime = art_cstr(content.data[0] & 1 ? "\"a/b\"" : "");
        made.text = art_cstr("\"[1] a/b\"");
        made.marker = art_cstr("[1]");
        made.size = content.len;

        check(art_offload_made(&off, &made) == ART_OK);

    } else {
        check(art_offload_left(&off) == ART_OK);

        if (raw.len > 0) {
            (void) fuzz_put(out, raw.data, raw.len);
        }
    }

    raw.len = 0;
    content.len = 0;
}


static void
fuzz_run(const art_api_t *api, unsigned flags, const uint8_t *p,
    size_t len, size_t piece, unsigned make, fuzz_bytes_t *out)
{
    size_t                  n, read;
    uint8_t                *copy;
    art_offload_sink_t      sink = { fuzz_out, fuzz_raw, fuzz_content, out };
    art_offload_status_t    status;

    out->len = 0;
    raw.len = 0;
    content.len = 0;

    art_offload_init(&off, api, flags, FUZZ_MIN, FUZZ_VALUES, &sink);

    while (len > 0) {
        n = piece < len ? piece : len;

        copy = malloc(n);
        check(copy != NULL);
        memcpy(copy, p, n);

        status = art_offload_feed(&off, copy, n, &read);
        free(copy);

        check(read <= n && (read == n || status != ART_OFFLOAD_MORE));

        if (status != ART_OFFLOAD_MORE) {
            fuzz_settle(status, make, out);
        }

        p += read;
        len -= read;
    }

    status = art_offload_end(&off);

    if (status != ART_OFFLOAD_MORE) {
        fuzz_settle(status, make, out);
        check(art_offload_end(&off) == ART_OFFLOAD_MORE);
    }

    check(raw.len == 0);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned             flags;
    const art_api_t     *api;
    static fuzz_bytes_t  whole, pieces;

    static const char *const  apis[] = {
        "images", "openai", "openrouter", "mistral", "gemini", "mcp"
    };

    if (size < 1 || size > FUZZ_MAX) {
        return 0;
    }

    flags = (data[0] & 0x80 ? ART_OFFLOAD_EVENTS : 0)
            | (data[0] & 0x40 ? ART_OFFLOAD_LINKS : 0);
    api = art_api_find(art_cstr(apis[(data[0] & 0x3f) % 6u]));
    data++;
    size--;

    fuzz_run(api, flags, data, size, 1 + size / 3, 0, &whole);
    check(whole.len == size && memcmp(whole.data, data, size) == 0);

    fuzz_run(api, flags, data, size, size + 1, 1, &whole);
    fuzz_run(api, flags, data, size, 1, 1, &pieces);
    check(whole.len == pieces.len
          && memcmp(whole.data, pieces.data, whole.len) == 0);

    fuzz_run(api, flags, data, size, 7, 1, &pieces);
    check(whole.len == pieces.len
          && memcmp(whole.data, pieces.data, whole.len) == 0);

    check((flags & ART_OFFLOAD_EVENTS) || !art_json_valid(data, size)
          || art_json_valid(whole.data, whole.len));

    return 0;
}
