
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which vector instructions the inner loops of base64, UTF-8 and JSON use: one
 * choice for all of them, the best that the processor has.
 */


#ifndef ART_SIMD_H_INCLUDED_
#define ART_SIMD_H_INCLUDED_


#include "core/base/art_core.h"


/* Defined where the x86 vector code compiles; its functions name a target. */

#if (defined(__x86_64__) || defined(__i386__))                               \
    && (defined(__GNUC__) || defined(__clang__))
#define ART_SIMD_X86  1

#define art_target_ssse3  __attribute__((target("ssse3,popcnt")))
#define art_target_avx2   __attribute__((target("avx2,popcnt,bmi")))

#ifdef __x86_64__
#define art_target_avx512                                                    \
    __attribute__((target("avx2,popcnt,bmi2,avx512f,avx512bw,avx512vl,"      \
                          "avx512vbmi,avx512vbmi2")))
#endif
#endif


/*
 * Each level includes those below it.  ART_SIMD_SSSE3 includes POPCNT,
 * ART_SIMD_AVX2 the first BMI; ART_SIMD_AVX512 includes what Intel's Ice Lake
 * and AMD's Zen 4 brought: BW, VL, VBMI and VBMI2.
 */

typedef enum {
    ART_SIMD_NONE = 0,
    ART_SIMD_SSSE3,
    ART_SIMD_AVX2,
    ART_SIMD_AVX512,
    ART_SIMD_LEVELS
} art_simd_t;


/* The level in use: the processor's best, unless one was forced. */

art_simd_t art_simd_level(void);


/*
 * Its name: "avx512", "avx2", "ssse3", or "scalar" for no vectors.
 * art_simd_select() forces a level (for tests and benchmarks); ART_ERROR if the
 * name is unknown or the processor lacks the level: nothing changes then.
 */

const char *art_simd_name(void);
int art_simd_select(const char *name);


#endif /* ART_SIMD_H_INCLUDED_ */
