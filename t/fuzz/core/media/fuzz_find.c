
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the least length of a run, what is
 * looked for and the pieces; the rest is a JSON string.  However it is cut, the
 * finder must find what the naive one finds, with the same bytes.
 */


#include "core/base/art_simd.h"
#include "core/media/find_run.h"


#define FUZZ_HEAD  4

/* A longer run without a signature is given up, which the naive one is not. */

#define FUZZ_MAX   ART_FIND_BEHIND


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t        i;
    naive_t       naive;
    unsigned      flags;
    find_cuts_t   cuts;

    static const char  *impls[] = { "scalar", "ssse3", "avx2", "avx512" };

    if (size < FUZZ_HEAD || size > FUZZ_HEAD + FUZZ_MAX) {
        return 0;
    }

    flags = data[1] & (ART_FIND_MARKERS | ART_FIND_RUNS | ART_FIND_BEGINS);

    (void) art_simd_select("scalar");
    naive_find(&naive, data + FUZZ_HEAD, size - FUZZ_HEAD,
               ART_FIND_SIGN + (size_t) data[0]);

    for (i = 0; i < art_nitems(impls); i++) {

        if (art_simd_select(impls[i]) != ART_OK) {
            continue;
        }

        for (cuts.most = 0; cuts.most < 2; cuts.most++) {
            cuts.seed = data[3];

            if (find_run(&naive, flags, cuts) != NULL) {
                abort();
            }
        }

        cuts.most = 2 + (size_t) data[2];

        if (find_run(&naive, flags, cuts) != NULL) {
            abort();
        }
    }

    naive_free(&naive);

    return 0;
}
