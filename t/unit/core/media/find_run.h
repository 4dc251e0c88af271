
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The finder, run on a string that is cut into pieces, and compared with the
 * naive one.
 */


#ifndef ART_FIND_RUN_H_INCLUDED_
#define ART_FIND_RUN_H_INCLUDED_


#include "core/media/find_naive.h"
#include "exact.h"


#define find_check(cond)  do { if (!(cond)) { return #cond; } } while (0)

/* Pieces of random lengths of up to n bytes; 0: one piece. */

typedef struct {
    uint64_t  seed;
    size_t    most;
} find_cuts_t;


static size_t
find_below(find_cuts_t *cuts, size_t n)
{
    cuts->seed = cuts->seed * 6364136223846793005ULL + 1442695040888963407ULL;

    return (size_t) (cuts->seed >> 33) % n;
}


static size_t
find_cut(find_cuts_t *cuts, size_t len)
{
    size_t  n;

    n = cuts->most > 0 ? 1 + find_below(cuts, cuts->most) : len;

    return n < len ? n : len;
}


/* Reads a run's bytes, "over" of which follow its end, as a user would. */

static const char *
find_decoded(const naive_t *naive, const naive_found_t *run, size_t over,
    find_cuts_t *cuts)
{
    size_t              i, n, k, m, room, total;
    uint8_t            *in, *out, *all, *clean;
    const uint8_t      *p;
    art_base64_t        base64;
    art_find_decode_t   decode, cleaner;

    n = run->end - run->pos + over;
    all = exact(NULL, run->size);
    clean = exact(NULL, ART_BASE64_LEN(run->size));
    total = 0;
    k = 0;

    memset(&decode, 0, sizeof(decode));
    memset(&cleaner, 0, sizeof(cleaner));

    for (i = 0; i < n; i += m) {
        m = find_cut(cuts, n - i);
        in = exact(naive->p + run->pos + i, m);

        for (p = in, room = m; room > 0; ) {
            size_t  size = 1 + find_below(cuts, 200);

            out = exact(NULL, size);
            size = art_find_decode(&decode, out, size, &p, &room);
            find_check(total + size <= run->size);
            memcpy(all + total, out, size);
            total += size;
            free(out);
        }

        for (p = in, room = m; room > 0; ) {
            size_t  size = 8 + find_below(cuts, 200);

            out = exact(NULL, size);
            size = art_find_clean(&cleaner, out, size, &p, &room);
            find_check(k + size <= ART_BASE64_LEN(run->size));
            memcpy(clean + k, out, size);
            k += size;
            free(out);
        }

        free(in);
    }

    out = exact(NULL, ART_FIND_LAG);
    m = art_find_decode_end(&decode, run->size, out);
    find_check(total + m == run->size);
    memcpy(all + total, out, m);
    free(out);
    find_check(memcmp(all, run->bytes, run->size) == 0);

    out = exact(NULL, ART_FIND_CLEAN_END);
    m = art_find_clean_end(&cleaner, run->size, out);
    find_check(k + m == ART_BASE64_LEN(run->size));
    memcpy(clean + k, out, m);
    free(out);

    out = exact(NULL, ART_BASE64_LEN(run->size));
    memset(&base64, 0, sizeof(base64));
    p = run->bytes;
    m = run->size;
    n = art_base64_update(&base64, out, ART_BASE64_LEN(run->size), &p, &m);
    (void) art_base64_final(&base64, out + n, 4);
    find_check(memcmp(out, clean, ART_BASE64_LEN(run->size)) == 0);

    free(out);
    free(all);
    free(clean);

    return NULL;
}


/* What is wrong with the next event; NULL: nothing. */

static const char *
find_compare(const naive_t *naive, const naive_found_t *want,
    const art_find_t *find, art_find_event_t event, size_t at,
    find_cuts_t *cuts)
{
    find_check(event == want->event);
    find_check(find->pos == want->pos);
    find_check(find->end == want->end);

    if (event == ART_FIND_MARKER) {
        find_check(find->end == at);
        find_check(memcmp(find->id, want->bytes, ART_FIND_ID) == 0);
        return NULL;
    }

    find_check(find->end <= at);
    find_check(find->size == want->size);
    find_check(find->mime == want->mime);
    find_check(find->whole == want->whole);

    return find_decoded(naive, want, find_below(cuts, 2) ? at - want->end : 0,
                        cuts);
}


static const char *
find_run(const naive_t *naive, unsigned flags, find_cuts_t cuts)
{
    size_t               n, m, at, i, from;
    uint64_t             begun;
    uint8_t             *p;
    const char          *fault;
    art_find_t           find;
    const char          *mime;
    art_find_event_t     event;

    memset(&find, 0xa5, sizeof(find));
    art_find_init(&find, naive->min, flags);

    i = 0;
    begun = UINT64_MAX;
    mime = NULL;
    from = 0;

    for (at = 0; ; at += n) {
        m = find_cut(&cuts, naive->len - at);
        p = exact(naive->p + at, m);

        if (at < naive->len) {
            event = art_find_feed(&find, p, m, &n);
            find_check(n <= m && (event != ART_FIND_MORE || n == m));

        } else {
            event = art_find_end(&find);
            n = 0;
        }

        free(p);

        find_check(begun != UINT64_MAX || at + n - from <= ART_FIND_BEHIND + m
                   || !(flags & ART_FIND_BEGINS));

        switch (event) {

        case ART_FIND_MORE:

            if (at == naive->len) {
                find_check(begun == UINT64_MAX);

                while (i < naive->nfound
                       && !(flags & (naive->found[i].event == ART_FIND_MARKER
                                     ? ART_FIND_MARKERS : ART_FIND_RUNS)))
                {
                    i++;
                }

                find_check(i == naive->nfound);
                return NULL;
            }

            break;

        case ART_FIND_BEGIN:
            find_check(flags & ART_FIND_BEGINS);
            find_check(begun == UINT64_MAX);
            find_check(find.pos >= from);
            begun = find.pos;
            mime = find.mime;
            break;

        case ART_FIND_LEFT:
            find_check(begun != UINT64_MAX);
            begun = UINT64_MAX;
            break;

        case ART_FIND_RUN:

            if (flags & ART_FIND_BEGINS) {
                find_check(begun == find.pos && mime == find.mime);
            }

            find_check(find.pos >= from);
            begun = UINT64_MAX;

            /* fall through */

        case ART_FIND_MARKER:

            while (i < naive->nfound
                   && !(flags & (naive->found[i].event == ART_FIND_MARKER
                                 ? ART_FIND_MARKERS : ART_FIND_RUNS)))
            {
                i++;
            }

            find_check(i < naive->nfound);

            fault = find_compare(naive, &naive->found[i++], &find, event,
                                 at + n, &cuts);

            if (fault != NULL) {
                return fault;
            }

            break;
        }

        m = (size_t) art_find_from(&find);
        find_check(m >= from);
        find_check(m <= at + n && m <= begun);
        from = m;
    }
}


#endif /* ART_FIND_RUN_H_INCLUDED_ */
