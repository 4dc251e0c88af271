
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses JSON or events, and the ends that
 * are left.  Where texts are left, the answer stays; where they are replaced,
 * it does not depend on pieces, what is stored is UTF-8 of the size that it
 * says, and JSON stays JSON.
 */


#include <stdlib.h>

#include "core/json/art_json_scan.h"
#include "core/offload/art_shorten.h"
#include "core/text/art_utf8.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)

#define FUZZ_MAX   60000
#define FUZZ_SIZE  64


typedef struct {
    size_t   len;
    uint8_t  data[FUZZ_MAX * 24];
} fuzz_bytes_t;


static art_shorten_t  shorten;
static fuzz_bytes_t   raw, content;
static void          *blocks[2];
static size_t         nblocks;


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


static void *
fuzz_memory(void *data, size_t size)
{
    (void) data;

    check(nblocks < 2);
    blocks[nblocks] = malloc(size);
    check(blocks[nblocks] != NULL);

    return blocks[nblocks++];
}


static void
fuzz_settle(art_offload_status_t status, unsigned make, fuzz_bytes_t *out)
{
    size_t     sent;
    art_out_t  type;
    uint8_t    text[ART_SHORTEN_TYPE];

    check(status == ART_OFFLOAD_OVER || status == ART_OFFLOAD_NONE);

    if (status == ART_OFFLOAD_OVER) {
        check(content.len >= FUZZ_SIZE
              && content.len == shorten.excerpt.size
              && art_utf8_valid(content.data, content.len));
    }

    if (status == ART_OFFLOAD_OVER && make) {
        type = art_out(text, sizeof(text));
        art_shorten_type(&type, &shorten);
        check(type.len > 0 && type.len <= sizeof(text));

        check(art_shorten_made(&shorten, art_cstr("1"), ART_LANG_EN)
              == ART_OK);

    } else {
        sent = art_shorten_sent(&shorten);
        check(art_shorten_left(&shorten) == ART_OK);
        check(sent <= raw.len);

        if (raw.len > sent) {
            (void) fuzz_put(out, raw.data + sent, raw.len - sent);
        }
    }

    raw.len = 0;
    content.len = 0;
}


static void
fuzz_run(unsigned events, size_t head, size_t tail, const uint8_t *p,
    size_t len, size_t piece, unsigned make, fuzz_bytes_t *out)
{
    size_t                  n, read, before;
    uint8_t                *copy;
    art_offload_sink_t      sink = { fuzz_out, fuzz_raw, fuzz_content, out };
    art_offload_status_t    status;
    art_shorten_limits_t    limits = { FUZZ_SIZE, head, tail };

    out->len = 0;
    raw.len = 0;
    content.len = 0;

    art_shorten_init(&shorten, art_api_find(art_cstr("mcp")), events, &limits,
                     &sink, fuzz_memory);

    while (len > 0 || art_shorten_is_behind(&shorten)) {
        n = piece < len ? piece : len;
        n = n < ART_EXCERPT_STEP ? n : ART_EXCERPT_STEP;

        copy = malloc(n + 1);
        check(copy != NULL);
        memcpy(copy, p, n);

        before = content.len;
        status = art_shorten_feed(&shorten, copy, n, &read);
        free(copy);

        check(read <= n);
        check(content.len - before <= 3 * ART_EXCERPT_STEP + 512);

        if (status != ART_OFFLOAD_MORE) {
            fuzz_settle(status, make, out);
        }

        p += read;
        len -= read;

        if (piece % 2 && !art_shorten_is_behind(&shorten)) {
            art_shorten_idle(&shorten);
        }
    }

    status = art_shorten_end(&shorten);

    if (status != ART_OFFLOAD_MORE) {
        fuzz_settle(status, make, out);
        check(art_shorten_end(&shorten) == ART_OFFLOAD_MORE);
    }

    check(raw.len == 0);

    while (nblocks > 0) {
        free(blocks[--nblocks]);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t               head, tail;
    unsigned             events;
    static fuzz_bytes_t  whole, pieces;

    if (size < 1 || size > FUZZ_MAX) {
        return 0;
    }

    events = data[0] >> 7;
    head = data[0] & 7;
    tail = (data[0] >> 3) & 7;
    data++;
    size--;

    fuzz_run(events, head, tail, data, size, 1 + size / 3, 0, &whole);
    check(whole.len == size && memcmp(whole.data, data, size) == 0);

    fuzz_run(events, head, tail, data, size, size + 1, 1, &whole);
    fuzz_run(events, head, tail, data, size, 1, 1, &pieces);
    check(whole.len == pieces.len
          && memcmp(whole.data, pieces.data, whole.len) == 0);

    fuzz_run(events, head, tail, data, size, 6, 1, &pieces);
    check(whole.len == pieces.len
          && memcmp(whole.data, pieces.data, whole.len) == 0);

    check(events || !art_json_valid(data, size)
          || art_json_valid(whole.data, whole.len));

    return 0;
}
