
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Runs an answer through the core, whole or in pieces, each in memory of its
 * own size.
 */


#ifndef EXTRACT_RUN_H_INCLUDED_
#define EXTRACT_RUN_H_INCLUDED_


#include "core/extract/art_extract.h"
#include "exact.h"


#define STRIP  1
#define SSE    2


typedef struct {
    uint8_t  *data;
    size_t    len;
    size_t    room;
    size_t    waiting;           /* of the input, while it came, at most */
    art_extract_gave_up_t  gave_up;
} run_out_t;


static inline void
run_put(run_out_t *out, art_str_t s)
{
    if (out->room - out->len < s.len) {
        out->room = (out->len + s.len) * 2;
        out->data = must(realloc(out->data, out->room));
    }

    memcpy(out->data + out->len, s.data, s.len);
    out->len += s.len;
}


static inline int
run_piece(art_extract_t *d, const uint8_t *p, size_t len, unsigned last,
    run_out_t *out)
{
    int        rc;
    uint8_t   *copy;
    art_str_t  s;

    copy = exact(p, len);
    art_extract_feed(d, copy, len, last);

    while ((rc = art_extract_next(d, &s)) == 1) {
        run_put(out, s);
    }

    free(copy);

    if (d->edits.pos - d->edits.base > out->waiting) {
        out->waiting = (size_t) (d->edits.pos - d->edits.base);
    }

    return rc;
}


/* "step": of the size of pieces, 0: whole, and "first" that of the first. */

static inline run_out_t
run_all(const char *api, unsigned how, const void *in, size_t len,
    size_t first, size_t step)
{
    size_t          n;
    run_out_t       out;
    const uint8_t  *p;
    art_extract_t   d;

    memset(&out, 0, sizeof(out));
    out.data = exact(NULL, out.room = 64);

    art_extract_init(&d, api ? art_api_find(art_cstr(api)) : &art_api_agent,
                     (how & SSE) != 0, how & STRIP);
    p = in;

    for (n = first ? first : step; len > 0; p += n, len -= n, n = step) {
        n = n == 0 || n > len ? len : n;
        (void) run_piece(&d, p, n, 0, &out);
    }

    (void) run_piece(&d, p, 0, 1, &out);
    out.gave_up = d.gave_up;
    art_extract_done(&d);

    return out;
}


/*
 * What a text declares, read in pieces; returns the number of items.  The room
 * for its URLs is told, too.
 */

static size_t  run_urls_room;

static inline size_t
run_text(const void *p, size_t len, size_t step, art_out_t *out)
{
    size_t             n, i;
    art_answer_text_t  answer;
    art_edits_t        edits;
    art_answer_run_t   run;
    const uint8_t     *text;

    text = p;

    memset(&edits, 0, sizeof(edits));
    art_answer_init(&answer, 0);

    for (i = 0; i < len; i += n) {
        n = len - i < step ? len - i : step;

        run.p = text + i;
        run.n = n;
        run.pos = i;
        run.end = i + n;

        art_answer_read(&answer, &edits, &run, ART_EXTRACT_NOWHERE, 0);
    }

    n = art_answer_print(&answer, out);
    run_urls_room = answer.urls.room;

    art_answer_done(&answer);
    art_edits_done(&edits);

    return n;
}


static inline int
run_same(const run_out_t *a, const void *data, size_t len)
{
    return a->len == len && memcmp(a->data, data, len) == 0;
}


#endif /* EXTRACT_RUN_H_INCLUDED_ */
