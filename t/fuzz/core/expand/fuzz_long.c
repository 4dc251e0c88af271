
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte chooses the API, and whether the model has
 * to be able to read; the rest is the body.  Long texts must be strings of the
 * body, in order, and the same ones however the body is cut.
 */


#include <stdlib.h>

#include "core/expand/art_expand_long.h"
#include "core/expand/art_expand_scan.h"


#define FUZZ_SIZE  16

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


typedef struct {
    art_scan_status_t    status;
    uint32_t             n;
    art_span_t           texts[ART_LONG_MAX];
} fuzz_found_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void  *blocks[4096];
static size_t  nblocks;


static void *
fuzz_alloc(void *data, size_t size)
{
    (void) data;

    if (nblocks == art_nitems(blocks)) {
        return NULL;
    }

    return blocks[nblocks++] = malloc(size);
}


static void
fuzz_scan(fuzz_found_t *found, const art_api_t *api, unsigned always,
    const uint8_t *p, size_t size, size_t piece)
{
    size_t             i, n;
    art_long_t         texts;
    art_scan_t        *scan;
    art_scan_conf_t    conf;

    memset(&conf, 0, sizeof(conf));

    conf.api = api;
    conf.pool.alloc = fuzz_alloc;
    conf.refs_max = 64;
    conf.run_min = 80;
    conf.long_min = FUZZ_SIZE;

    art_long_init(&texts, api, &conf.url, FUZZ_SIZE, always, &conf.pool,
                  conf.seed);

    scan = malloc(art_scan_size());
    check(scan != NULL);

    art_scan_init(scan, &conf);

    for (i = 0; i < size; i += n) {
        n = piece < size - i ? piece : size - i;

        if (art_scan_feed(scan, p + i, n) != ART_OK) {
            break;
        }
    }

    found->status = art_scan_end(scan);

    for (i = 0; found->status == ART_SCAN_OK && i < size; /* void */ ) {
        n = piece < size - i ? piece : size - i;
        i = (size_t) art_long_feed(&texts, p + i, n, &scan->longs);
        check(i <= size);
    }

    found->n = found->status == ART_SCAN_OK ? texts.n : 0;

    if (found->n > 0) {
        memcpy(found->texts, texts.texts, found->n * sizeof(art_span_t));
    }

    free(scan);

    while (nblocks > 0) {
        free(blocks[--nblocks]);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t             i;
    unsigned             always;
    const art_span_t    *text;
    const art_api_t     *api;
    static fuzz_found_t  whole, pieces, every;

    if (size < 2 || size > 60000) {
        return 0;
    }

    api = art_api_request_row(data[0] % 9u);
    always = data[0] >> 7;

    if (api->results == NULL) {
        return 0;
    }

    data++;
    size--;

    fuzz_scan(&whole, api, always, data, size, size);
    fuzz_scan(&pieces, api, always, data, size, 1 + size % 7);

    check(whole.status == pieces.status && whole.n == pieces.n);
    check(memcmp(whole.texts, pieces.texts, whole.n * sizeof(art_span_t)) == 0);

    for (i = 0; i < whole.n; i++) {
        text = &whole.texts[i];

        check(text->pos > 0 && text->pos < text->end && text->end < size);
        check(i == 0 || text[-1].end < text->pos);
        check(data[text->pos - 1] == '"' && data[text->end] == '"');
    }

    /* who can read changes nothing but whether anything leaves */

    fuzz_scan(&every, api, 1, data, size, size);
    check(whole.n <= every.n);

    return 0;
}
