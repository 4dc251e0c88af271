
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <time.h>

#include "core/base/art_time.h"
#include "tap.h"


static void
check_time(void)
{
    char       want[64];
    size_t     i, bad;
    time_t     sec;
    uint8_t    got[ART_TIME_LEN];
    uint64_t   ms, back;
    struct tm  tm;

    static const struct {
        uint64_t     ms;
        const char  *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1767225600000, "2026-01-01T00:00:00.000Z" },
        { 951782399999, "2000-02-28T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 4107542400000, "2100-03-01T00:00:00.000Z" },
        { ART_TIME_MAX, "9999-12-31T23:59:59.999Z" },
        { UINT64_MAX, "9999-12-31T23:59:59.999Z" }
    };

    static const char *const  refused[] = {
        "", "2026-01-01T00:00:00Z", "2026-02-30T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z", "2026-13-01T00:00:00.000Z",
        "2026-01-01 00:00:00.000Z", "1969-12-31T23:59:59.999Z",
        "2026-01-01T00:00:00.00AZ", "2026-00-01T00:00:00.000Z",
        "2026-01-00T00:00:00.000Z", "////-//-//T//:/:/:///.Z  "
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        art_time_print(got, cases[i].ms);
        is_mem(got, sizeof(got), cases[i].text, ART_TIME_LEN, cases[i].text);
    }

    bad = 0;

    for (i = 0; i < 2000; i++) {
        ms = (uint64_t) tap_below((size_t) ART_TIME_MAX + 1);
        sec = (time_t) (ms / 1000);
        gmtime_r(&sec, &tm);

        (void) strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S", &tm);
        sprintf(want + strlen(want), ".%03uZ", (unsigned) (ms % 1000));

        art_time_print(got, ms);

        bad += memcmp(got, want + (strlen(want) - ART_TIME_LEN), ART_TIME_LEN)
               != 0
               || art_time_parse(art_str(got, sizeof(got)), &back) != ART_OK
               || back != ms;
    }

    is_int((long long) bad, 0, "2000 random times are as gmtime_r() has them");

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ok(art_time_parse(art_cstr(refused[i]), &back) == ART_ERROR,
           "no time: \"%s\"", refused[i]);
    }
}


/* Any time of RFC 3339. */

static void
check_read(void)
{
    size_t    i;
    uint64_t  ms;

    static const struct {
        const char  *text;
        uint64_t     ms;
    } cases[] = {
        { "2026-01-01T00:00:00.000Z", 1767225600000 },
        { "2026-01-01T00:00:00Z", 1767225600000 },
        { "2026-01-01t00:00:00z", 1767225600000 },
        { "2026-01-01T00:00:00.5Z", 1767225600500 },
        { "2026-01-01T00:00:00.123999999Z", 1767225600123 },
        { "2026-01-01T01:30:00+01:30", 1767225600000 },
        { "2025-12-31T22:00:00.0-02:00", 1767225600000 },
        { "2016-12-31T23:59:60Z", 1483228799999 },
        { "1970-01-01T00:00:00Z", 1 },
        { "1970-01-01T00:00:00.001Z", 1 },
        { "1970-01-01T00:00:00.002Z", 2 },
        { "1970-01-01T00:00:00+23:59", 1 },
        { "1969-12-31T23:59:59Z", 1 },
        { "0000-02-29T00:00:00Z", 1 },
        { "9999-12-31T23:59:59.999Z", ART_TIME_MAX },
        { "9999-12-31T23:59:59.999-01:00", ART_TIME_MAX + 3600000 }
    };

    static const char *const  refused[] = {
        "", "Z", "1767225600", "never", "2026-01-01", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00.5",
        "2026-02-30T00:00:00Z", "1900-02-29T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:00:61Z",
        "2026-01-01 00:00:00Z", " 2026-01-01T00:00:00Z",
        "2026-01-01T00:00:00Z ", "2026-01-01T00:00:00+0100",
        "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00 01:00", "2026-01-01T00:00:00+0a:00",
        "-026-01-01T00:00:00Z", "+2026-01-01T00:00:00Z",
        "19a0-01-01T00:00:00Z", "2026-01-01T00:00:00,5Z"
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        ok(art_time_read(art_cstr(cases[i].text), &ms) == ART_OK,
           "%s is a time", cases[i].text);
        is_int((long long) ms, (long long) cases[i].ms, "and which");
    }

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ms = 7;
        ok(art_time_read(art_cstr(refused[i]), &ms) == ART_ERROR && ms == 0,
           "not of RFC 3339: \"%s\"", refused[i]);
    }
}


int
main(void)
{
    check_time();
    check_read();

    return done();
}
