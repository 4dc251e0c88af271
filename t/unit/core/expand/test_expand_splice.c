
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Operations on a body that are joined: compared with each pair of them.
 */


#include <stdlib.h>

#include "core/expand/art_expand_splice.h"
#include "tap.h"


#define MANY    40
#define PLACES  300
#define LARGE   18432


static art_splice_op_t  ops[2 * LARGE], more[LARGE], before[2 * MANY];


/* Operations that do not overlap, in any order; some only insert. */

static size_t
make(art_splice_op_t *to, size_t most)
{
    size_t           i, k, n;
    uint64_t         pos;
    art_splice_op_t  other;

    pos = (uint64_t) rand() % 9;

    for (n = 0; n < most && pos < PLACES; n++) {
        memset(&to[n], 0, sizeof(to[n]));

        to[n].pos = pos;
        to[n].skip = rand() % 4 ? (uint64_t) rand() % 12 : 0;
        to[n].slot = (uint32_t) n;
        to[n].order = (uint32_t) n;

        pos += to[n].skip + (uint64_t) rand() % 9 + (to[n].skip == 0);
    }

    for (i = 1; i < n; i++) {
        k = (size_t) rand() % i;
        other = to[i];
        to[i] = to[k];
        to[k] = other;
    }

    return n;
}


static int
overlap(const art_splice_op_t *a, const art_splice_op_t *b)
{
    return a->pos < b->pos + b->skip && a->pos + a->skip > b->pos;
}


/* Each that may be there is, and no other. */

static int
is_joined(size_t nops, size_t nmore, size_t n)
{
    size_t  i, j, k, left;

    left = n - nops;

    for (i = 0; i < nmore; i++) {
        for (j = 0; j < nops && !overlap(&more[i], &before[j]); j++) {
            /* void */
        }

        for (k = nops; k < n && memcmp(&ops[k], &more[i], sizeof(ops[k]));
             k++)
        {
            /* void */
        }

        if ((j == nops) != (k < n)) {
            return 0;
        }

        left -= j == nops;
    }

    return left == 0;
}


static void
test_random(void)
{
    size_t  i, n, nops, nmore, wrong;

    wrong = 0;

    for (i = 0; i < 20000; i++) {
        nops = make(ops, MANY);
        nmore = make(more, MANY);
        memcpy(before, ops, nops * sizeof(ops[0]));

        n = art_splice_join(ops, nops, more, nmore);

        wrong += !is_joined(nops, nmore, n);
    }

    ok(wrong == 0, "joined as pairs tell: %lu wrong", (unsigned long) wrong);
}


int
main(void)
{
    size_t        i;
    uint64_t      total;
    art_splice_t  splice;

    srand(39);

    test_random();

    ok(art_splice_join(ops, 0, more, 0) == 0, "nothing and nothing");

    for (i = 0; i < LARGE; i++) {
        memset(&ops[i], 0, sizeof(ops[i]));
        ops[i].pos = 20 * (LARGE - i);
        ops[i].skip = 10;

        more[i] = ops[i];
        more[i].pos += i % 2 ? 10 : 0;
    }

    ok(art_splice_join(ops, LARGE, more, LARGE) == LARGE + LARGE / 2,
       "as many as there may be");
    ok(art_splice_init(&splice, ops, LARGE + LARGE / 2, 20 * (LARGE + 1),
                       &total) == ART_OK
       && total == 20 * (LARGE + 1) - 15 * LARGE, "and none overlaps");

    return done();
}
