
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first byte seeds the sizes of pieces; a line with the
 * value of Content-Type follows; the rest is the body.  Read in pieces it must
 * give what it gives as a whole, as a form and as an upload.
 */


#include <stdlib.h>

#include "core/text/art_utf8.h"
#include "core/form/art_multipart.h"
#include "core/files/art_upload.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


/* Names and bytes of parts, as long as all of them are. */

typedef struct {
    uint8_t        *data;
    size_t          len;
    size_t          parts;
    const uint8_t  *piece;
    size_t          npiece;
    const uint8_t  *own;
} fuzz_log_t;


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static uint8_t *
fuzz_alloc(size_t len)
{
    uint8_t  *p;

    p = malloc(len + (len == 0));
    check(p != NULL);

    return p;
}


static void
fuzz_append(fuzz_log_t *log, const uint8_t *p, size_t len)
{
    if (len > 0) {
        memcpy(log->data + log->len, p, len);
        log->len += len;
    }
}


static int
fuzz_begin(void *data, const art_multipart_part_t *part)
{
    fuzz_log_t  *log = data;

    check(part->name.len + part->filename.len + part->type.len
          <= ART_MULTIPART_HEADER);

    fuzz_append(log, part->name.data, part->name.len);
    fuzz_append(log, part->filename.data, part->filename.len);
    fuzz_append(log, part->type.data, part->type.len);

    check(++log->parts <= ART_MULTIPART_PARTS);

    return ART_OK;
}


static int
fuzz_bytes(void *data, const uint8_t *p, size_t len)
{
    fuzz_log_t  *log = data;

    check(len > 0);
    check((p >= log->piece && p + len <= log->piece + log->npiece)
          || (p >= log->own && p + len <= log->own + ART_MULTIPART_DELIMITER));

    fuzz_append(log, p, len);

    return ART_OK;
}


static int
fuzz_end(void *data)
{
    (void) data;

    return ART_OK;
}


static const art_multipart_sink_t  fuzz_sink = {
    fuzz_begin, fuzz_bytes, fuzz_end
};


static size_t
fuzz_size(uint32_t *seed, size_t left)
{
    size_t  n;

    if (*seed == 0) {
        return left;
    }

    *seed = *seed * 1664525 + 1013904223;
    n = 1 + (*seed >> 16) % (*seed & 0x100 ? 3 : 40);

    return n < left ? n : left;
}


static art_multipart_error_t
fuzz_form(fuzz_log_t *log, art_str_t type, art_str_t body, uint32_t seed)
{
    size_t                 n;
    uint8_t               *copy;
    art_multipart_t       *m;
    art_multipart_error_t  error;

    m = (art_multipart_t *) (void *) fuzz_alloc(sizeof(art_multipart_t));

    log->data = fuzz_alloc(2 * body.len);
    log->len = 0;
    log->parts = 0;
    log->own = m->delimiter;

    if (art_multipart_init(m, type, &fuzz_sink, log) == ART_OK) {

        for ( /* void */ ; body.len > 0; body.data += n, body.len -= n) {
            n = fuzz_size(&seed, body.len);
            copy = fuzz_alloc(n);
            memcpy(copy, body.data, n);

            log->piece = copy;
            log->npiece = n;

            check((art_multipart_feed(m, copy, n) == ART_OK)
                  == (m->error == ART_MULTIPART_SOUND));
            free(copy);
        }

        check((art_multipart_end(m) == ART_OK)
              == (m->error == ART_MULTIPART_SOUND));
    }

    error = m->error;
    free(m);

    return error;
}


static int
fuzz_file(void *data, const uint8_t *p, size_t len)
{
    (void) p;

    *(size_t *) data += len;

    return ART_OK;
}


static void
fuzz_upload(art_str_t type, art_str_t body, uint32_t seed)
{
    int            rc;
    size_t         n, size;
    art_upload_t  *u;

    u = (art_upload_t *) (void *) fuzz_alloc(sizeof(art_upload_t));
    size = 0;

    rc = art_upload_init(u, type, fuzz_file, &size);

    for ( /* void */ ; rc == ART_OK && body.len > 0;
         body.data += n, body.len -= n)
    {
        n = fuzz_size(&seed, body.len);
        rc = art_upload_feed(u, body.data, n);
    }

    if (rc == ART_OK) {
        rc = art_upload_end(u);
    }

    check((rc == ART_OK) == (u->error.reason == ART_FILE_SOUND));
    check(u->size == size && u->name.len <= ART_UTF8_FILE_NAME_MAX);
    check(art_utf8_valid(u->name.data, u->name.len)
          && !art_utf8_control(u->name)
          && (u->name.len == 0
              || memchr(u->name.data, '/', u->name.len) == NULL));

    free(u);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t               seed;
    art_str_t              type, body;
    fuzz_log_t             whole, pieces;
    const uint8_t         *line;
    art_multipart_error_t  error;

    if (size < 2) {
        return 0;
    }

    seed = 1u + data[0];
    line = memchr(data + 1, '\n', size - 1);
    line = line != NULL ? line : data + size - 1;

    type = art_str(data + 1, (size_t) (line - data) - 1);
    body = art_str(line + 1, size - (size_t) (line - data) - 1);

    error = fuzz_form(&whole, type, body, 0);
    check(fuzz_form(&pieces, type, body, seed) == error);
    check(whole.len == pieces.len && whole.parts == pieces.parts
          && (whole.len == 0
              || memcmp(whole.data, pieces.data, whole.len) == 0));

    fuzz_upload(type, body, seed);

    free(whole.data);
    free(pieces.data);

    return 0;
}
