
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Feeds a form to the reader in pieces of any size, each a copy of its own, and
 * collects what the reader tells in one string.
 */


#ifndef ART_FORM_FEED_H_INCLUDED_
#define ART_FORM_FEED_H_INCLUDED_


#include "core/form/art_multipart.h"
#include "exact.h"


/* "bad": bytes that lie neither in the piece nor in the reader. */

typedef struct {
    uint8_t                *log;
    size_t                  len;
    size_t                  room;
    const uint8_t          *piece;
    size_t                  npiece;
    unsigned                bad;
    art_multipart_t         m;
} form_t;


static inline void
form_log(form_t *f, const void *p, size_t len)
{
    if (f->room - f->len < len) {
        f->room = (f->len + len) * 2;
        f->log = must(realloc(f->log, f->room));
    }

    if (len > 0) {
        memcpy(f->log + f->len, p, len);
        f->len += len;
    }
}


static inline int
form_begin(void *data, const art_multipart_part_t *part)
{
    form_t  *f = data;

    form_log(f, "[", 1);
    form_log(f, part->name.data, part->name.len);

    if (part->filename.data != NULL) {
        form_log(f, "|", 1);
        form_log(f, part->filename.data, part->filename.len);
    }

    if (part->type.len > 0) {
        form_log(f, "|", 1);
        form_log(f, part->type.data, part->type.len);
    }

    form_log(f, ":", 1);

    return ART_OK;
}


static inline int
form_bytes(void *data, const uint8_t *p, size_t len)
{
    form_t         *f = data;
    const uint8_t  *own;

    own = f->m.delimiter;

    f->bad += len == 0
              || !((p >= f->piece && p + len <= f->piece + f->npiece)
                   || (p >= own && p + len <= own + f->m.ndelimiter + 1));
    form_log(f, p, len);

    return ART_OK;
}


static inline int
form_end(void *data)
{
    form_log(data, "]", 1);

    return ART_OK;
}


static const art_multipart_sink_t  form_sink = {
    form_begin, form_bytes, form_end
};


/*
 * Reads a body in pieces of 1 to "most" bytes, which "below" draws; with "most"
 * 0 in two, cut after "cut" bytes.  Returns the error; the log is the caller's
 * to free.
 */

static inline art_multipart_error_t
form_feed(form_t *f, const char *type, const uint8_t *p, size_t len,
    size_t most, size_t cut, size_t (*below)(size_t n))
{
    int       rc;
    size_t    n;
    uint8_t  *copy;

    memset(f, 0, sizeof(form_t));
    rc = art_multipart_init(&f->m, art_cstr(type), &form_sink, f);

    while (rc == ART_OK && len > 0) {
        n = most > 0 ? 1 + below(most) : cut;
        n = n == 0 || n > len ? len : n;
        cut = 0;

        copy = exact(p, n);
        f->piece = copy;
        f->npiece = n;

        rc = art_multipart_feed(&f->m, copy, n);

        free(copy);
        p += n;
        len -= n;
    }

    if (f->m.error != ART_MULTIPART_NO_BOUNDARY) {
        (void) art_multipart_end(&f->m);
    }

    return f->m.error;
}


#endif /* ART_FORM_FEED_H_INCLUDED_ */
