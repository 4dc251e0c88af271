
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * TAP output and a repeatable random source for the unit tests.  To be
 * included by exactly one source file of a test program.
 */


#ifndef ART_TAP_H_INCLUDED_
#define ART_TAP_H_INCLUDED_


#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define TAP_UNUSED  __attribute__((unused))

#define nitems(a)   (sizeof(a) / sizeof((a)[0]))


static unsigned  tap_planned;
static unsigned  tap_count;
static unsigned  tap_failed;
static uint64_t  tap_state;


/* States the number of tests beforehand; without it done() prints the plan. */

static TAP_UNUSED void
plan(unsigned n)
{
    tap_planned = n;

    printf("1..%u\n", n);
}


static TAP_UNUSED __attribute__((format(printf, 1, 2))) void
diag(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    printf("# ");
    vprintf(fmt, args);
    printf("\n");
    va_end(args);
}


static void
tap_result(int pass, const char *fmt, va_list args)
{
    tap_count++;

    if (!pass) {
        tap_failed++;
    }

    printf("%sok %u - ", pass ? "" : "not ", tap_count);
    vprintf(fmt, args);
    printf("\n");

    fflush(stdout);
}


static TAP_UNUSED __attribute__((format(printf, 2, 3))) int
ok(int cond, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    tap_result(cond != 0, fmt, args);
    va_end(args);

    return cond != 0;
}


static TAP_UNUSED int
is_int(long long got, long long want, const char *name)
{
    if (ok(got == want, "%s", name)) {
        return 1;
    }

    diag("     got: %lld", got);
    diag("expected: %lld", want);

    return 0;
}


/* A byte string as a diagnostic line, what is not printable as \xNN. */

static TAP_UNUSED void
diag_mem(const char *label, const void *data, size_t len)
{
    size_t          i;
    const uint8_t  *p;

    p = data;

    printf("# %s: %zu bytes \"", label, len);

    for (i = 0; i < len && i < 400; i++) {
        if (p[i] >= 0x20 && p[i] < 0x7f && p[i] != '"' && p[i] != '\\') {
            printf("%c", p[i]);

        } else {
            printf("\\x%02x", p[i]);
        }
    }

    printf("\"%s\n", i < len ? "..." : "");
}


static TAP_UNUSED int
is_mem(const void *got, size_t gotlen, const void *want, size_t wantlen,
    const char *name)
{
    int  same;

    same = gotlen == wantlen
           && (wantlen == 0 || memcmp(got, want, wantlen) == 0);

    if (ok(same, "%s", name)) {
        return 1;
    }

    diag_mem("     got", got, gotlen);
    diag_mem("expected", want, wantlen);

    return 0;
}


static TAP_UNUSED int
is_str(const char *got, const char *want, const char *name)
{
    return is_mem(got, strlen(got), want, strlen(want), name);
}


/* The seed is fixed unless ART_SEED is set, and printed in either case. */

static TAP_UNUSED uint64_t
tap_rand(void)
{
    const char  *env;

    if (tap_state == 0) {
        env = getenv("ART_SEED");
        tap_state = env ? strtoull(env, NULL, 0) : 20240229;

        if (tap_state == 0) {
            tap_state = 1;
        }

        diag("seed %llu", (unsigned long long) tap_state);
    }

    /* xorshift64*, Marsaglia 2003 and Vigna 2016 */

    tap_state ^= tap_state >> 12;
    tap_state ^= tap_state << 25;
    tap_state ^= tap_state >> 27;

    return (tap_state * 0x2545f4914f6cdd1dULL) >> 16;
}


/* A random number of 0 to n - 1; n is not 0 and below 2^48. */

static TAP_UNUSED size_t
tap_below(size_t n)
{
    return (size_t) (tap_rand() % n);
}


/* The end of main(): the value to return from it. */

static TAP_UNUSED int
done(void)
{
    if (tap_planned == 0) {
        printf("1..%u\n", tap_count);

    } else if (tap_planned != tap_count) {
        diag("planned %u tests but ran %u", tap_planned, tap_count);
        return 1;
    }

    if (tap_failed) {
        diag("failed %u of %u", tap_failed, tap_count);
        return 1;
    }

    return 0;
}


#endif /* ART_TAP_H_INCLUDED_ */
