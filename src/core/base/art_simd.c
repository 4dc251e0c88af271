
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_simd.h"


static int art_simd_supported(art_simd_t level);


static const char  *art_simd_names[ART_SIMD_LEVELS] = {
    "scalar", "ssse3", "avx2", "avx512"
};


/*
 * Set by the first use; ART_SIMD_LEVELS until then.  Threads that race for it
 * store the same value, so no lock is needed.
 */

static art_simd_t  art_simd_current = ART_SIMD_LEVELS;


art_simd_t
art_simd_level(void)
{
    art_simd_t  level;

    level = __atomic_load_n(&art_simd_current, __ATOMIC_RELAXED);

    if (level == ART_SIMD_LEVELS) {
        level = ART_SIMD_LEVELS - 1;

        while (!art_simd_supported(level)) {
            level--;
        }

        __atomic_store_n(&art_simd_current, level, __ATOMIC_RELAXED);
    }

    return level;
}


const char *
art_simd_name(void)
{
    return art_simd_names[art_simd_level()];
}


int
art_simd_select(const char *name)
{
    art_simd_t  level;

    for (level = ART_SIMD_NONE; level < ART_SIMD_LEVELS; level++) {

        if (strcmp(name, art_simd_names[level]) == 0
            && art_simd_supported(level))
        {
            __atomic_store_n(&art_simd_current, level, __ATOMIC_RELAXED);
            return ART_OK;
        }
    }

    return ART_ERROR;
}


static int
art_simd_supported(art_simd_t level)
{
#ifdef ART_SIMD_X86

    /* a constructor may get here before libgcc's own has run */

    __builtin_cpu_init();

#ifdef art_target_avx512

    if (level == ART_SIMD_AVX512) {
        return __builtin_cpu_supports("avx512bw")
               && __builtin_cpu_supports("avx512vl")
               && __builtin_cpu_supports("avx512vbmi")
               && __builtin_cpu_supports("avx512vbmi2")
               && __builtin_cpu_supports("bmi2")
               && art_simd_supported(ART_SIMD_AVX2);
    }

#endif

    if (level == ART_SIMD_AVX2) {
        return __builtin_cpu_supports("avx2")
               && __builtin_cpu_supports("bmi")
               && art_simd_supported(ART_SIMD_SSSE3);
    }

    if (level == ART_SIMD_SSSE3) {
        return __builtin_cpu_supports("ssse3")
               && __builtin_cpu_supports("popcnt");
    }

#endif

    return level == ART_SIMD_NONE;
}
