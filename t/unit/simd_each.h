
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Runs tests with each set of vector instructions that the processor has.
 */


#ifndef ART_SIMD_EACH_H_INCLUDED_
#define ART_SIMD_EACH_H_INCLUDED_


#include "core/base/art_simd.h"
#include "tap.h"


static const char *const  simd_impls[] = {
    "avx512", "avx2", "ssse3", "scalar"
};


/* The last implementation, "scalar", stays selected. */

static inline void
simd_each(void (*test)(const char *impl))
{
    size_t  i;

    for (i = 0; i < nitems(simd_impls); i++) {

        if (art_simd_select(simd_impls[i]) != ART_OK) {
            diag("no %s here", simd_impls[i]);
            continue;
        }

        diag("%s", art_simd_name());
        test(simd_impls[i]);
    }
}


#endif /* ART_SIMD_EACH_H_INCLUDED_ */
