
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Times of records: whatever the machine's clock does, and whenever a journal
 * is folded, or removed, none is given twice.
 */


#include "core/journal/art_journal.h"
#include "journal_add.h"
#include "tap.h"


#define HOUR   3600000ull
#define DAY    (24 * HOUR)
#define YEAR   (365 * DAY)
#define T0     1767225600000ull          /* 2026-01-01 */

#define STEPS  400


/* A journal, and what its writers do to it. */

static uint8_t   journal[(STEPS + 8) * 128];
static size_t    journal_len;
static uint64_t  given[STEPS + 64];
static size_t    ngiven;

static art_journal_clock_t  common;      /* of journals that are gone */


static void
begin(void)
{
    journal_len = 0;
    ngiven = 0;
    memset(&common, 0, sizeof(common));
}


static size_t
state(art_journal_clock_t *clock, uint64_t *after)
{
    *after = 0;
    memset(clock, 0, sizeof(*clock));

    return art_journal_clock_read(clock, art_str(journal, journal_len), after);
}


static uint64_t
append(uint64_t now)
{
    uint64_t             time, after;
    art_journal_clock_t  clock;

    if (state(&clock, &after) == 0) {
        clock = common;

        if (clock.last > 0) {
            journal_len = art_journal_clock_encode(journal, &clock);
        }
    }

    time = art_journal_clock_next(&clock, now, after);
    given[ngiven++] = time;

    journal_add(journal, &journal_len, ART_JOURNAL_PUT, "p", "x/y", time, "a",
                "");

    return time;
}


static void
fold(void)
{
    uint64_t             after;
    art_journal_clock_t  clock;

    (void) state(&clock, &after);

    journal_len = clock.last > 0 ? art_journal_clock_encode(journal, &clock)
                                 : 0;
}


static void
drop(void)
{
    uint64_t             after;
    art_journal_clock_t  clock, all;

    fold();
    (void) state(&clock, &after);

    all = common;
    (void) art_journal_clock_join(&common, &clock);
    (void) art_journal_clock_join(&all, &common);

    if (memcmp(&all, &common, sizeof(all)) != 0
        || art_journal_clock_join(&all, &clock))
    {
        ok(0, "what was joined is known");
    }

    /* and outlives being written */

    journal_len = common.last > 0 ? art_journal_clock_encode(journal, &common)
                                  : 0;
    (void) state(&common, &after);

    journal_len = 0;
}


static int
cmp(const void *a, const void *b)
{
    uint64_t  x, y;

    x = *(const uint64_t *) a;
    y = *(const uint64_t *) b;

    return (x > y) - (x < y);
}


static size_t
twice(void)
{
    size_t  i, n;

    n = 0;
    qsort(given, ngiven, sizeof(given[0]), cmp);

    for (i = 1; i < ngiven; i++) {
        n += given[i] == given[i - 1];
    }

    return n;
}


static void
test_plain(void)
{
    begin();

    is_int((long long) append(T0), T0, "the first time");
    is_int((long long) append(T0), T0 + 1, "in the same millisecond");
    is_int((long long) append(T0 - 5000), T0 + 2, "a clock that went back");
    fold();
    is_int((long long) journal_len, ART_JOURNAL_HEAD, "folded");
    is_int((long long) append(T0 - 2 * DAY), T0 - 2 * DAY,
           "to when nothing was written, when folded");
    is_int((long long) append(T0 - 2 * DAY), T0 - 2 * DAY + 1,
           "and goes on");
    is_int((long long) append(T0), T0 + 3, "to what was given");
    is_int((long long) append(T0 + DAY), T0 + DAY, "a day later");
    drop();
    is_int((long long) append(T0), T0 + DAY + 1, "a journal that is gone");
    is_int((long long) twice(), 0, "no time twice");
}


static void
test_ahead(void)
{
    uint64_t  ahead;

    begin();

    ahead = T0 + 10 * YEAR;

    (void) append(T0);
    (void) append(ahead);
    is_int((long long) append(T0 + 5), (long long) ahead + 1,
           "before it is folded, a clock that was ahead counts");
    fold();
    is_int((long long) append(T0 + HOUR), T0 + HOUR,
           "then the time comes back");
    is_int((long long) append(T0 + HOUR), T0 + HOUR + 1,
           "and goes on");
    fold();
    is_int((long long) journal_len, ART_JOURNAL_CLOCK_MAX, "both are noted");
    is_int((long long) append(T0 + HOUR), T0 + HOUR + 2,
           "folded again");
    drop();
    is_int((long long) append(T0 + 3 * HOUR), T0 + 3 * HOUR, "removed");
    is_int((long long) append(ahead), (long long) ahead + 2,
           "the times that were given are passed in the end");
    fold();
    is_int((long long) append(ahead + DAY), (long long) (ahead + DAY),
           "and the clock is right again");
    is_int((long long) twice(), 0, "no time twice");

    begin();

    (void) append(ahead);
    fold();
    is_int((long long) append(T0), T0, "ahead from the first one on");

    /* a record of an earlier version: no gap is known */

    begin();

    journal_add(journal, &journal_len, ART_JOURNAL_CLOCK, "", "", ahead, "",
                "");
    is_int((long long) append(T0), (long long) ahead + 1,
           "a clock without gaps");
}


static void
test_random(void)
{
    size_t    i, wrong;
    uint64_t  now, last, time;
    unsigned  round;

    static const uint64_t  jumps[] = {
        0, 1, 500, HOUR / 2, 2 * HOUR, DAY, 40 * DAY, 3 * YEAR, 20 * YEAR
    };

    wrong = 0;

    for (round = 0; round < 3000; round++) {
        begin();

        now = T0;
        last = 0;

        for (i = 0; i < STEPS / 4; i++) {
            time = jumps[tap_rand() % nitems(jumps)];
            now = tap_rand() % 3 && now > time + DAY ? now - time : now + time;
            now = now > T0 + 100 * YEAR ? T0 : now;

            switch (tap_rand() % 6) {

            case 0:
                fold();
                last = 0;
                break;

            case 1:
                drop();
                last = 0;
                break;

            default:
                time = append(now);
                wrong += time <= last || time < now;
                last = time;
                break;
            }
        }

        wrong += twice();
    }

    is_int((long long) wrong, 0, "times that are wrong");
}


/* A time that either clock may have given is given for both joined. */

static unsigned
has(const art_journal_clock_t *clock, uint64_t time)
{
    return time <= clock->low || (time >= clock->from && time <= clock->last);
}


static void
test_join(void)
{
    size_t               i, wrong;
    uint64_t             time;
    art_journal_clock_t  clocks[3];

    wrong = 0;

    for (i = 0; i < 100000; i++) {
        for (time = 0; time < 2; time++) {
            clocks[time].low = tap_below(8);
            clocks[time].from = clocks[time].low + tap_below(5);
            clocks[time].last = clocks[time].from + tap_below(5);
        }

        clocks[2] = clocks[0];
        (void) art_journal_clock_join(&clocks[2], &clocks[1]);

        for (time = 0; time < 20; time++) {
            wrong += (has(&clocks[0], time) || has(&clocks[1], time))
                     && !has(&clocks[2], time);
        }
    }

    is_int((long long) wrong, 0, "times that are lost among clocks");
}


int
main(void)
{
    test_plain();
    test_ahead();
    test_random();
    test_join();

    return done();
}
