
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/journal/art_journal_clock.h"


/*
 * Both ends of a gap are rounded to its inside, so that they fit into a clock
 * record: "low" to units of about a minute, because times that go back continue
 * there, and "from" to units of most of a day.  Rounding again changes nothing.
 */

#define ART_JOURNAL_LOW   16     /* bits of milliseconds */
#define ART_JOURNAL_FROM  26
#define ART_JOURNAL_END   45     /* gaps that end later are not kept */


static void art_journal_clock_record(art_journal_clock_t *clock,
    const art_journal_record_t *record);
static void art_journal_clock_gap(art_journal_clock_t *clock, uint64_t low,
    uint64_t from);
static uint64_t art_journal_clock_up(uint64_t time);
static uint64_t art_journal_clock_max(uint64_t a, uint64_t b);


size_t
art_journal_clock_read(art_journal_clock_t *clock, art_str_t journal,
    uint64_t *after)
{
    size_t                pos;
    art_journal_record_t  record;

    pos = 0;

    while (art_journal_next(journal, &pos, &record)) {

        if (record.op == ART_JOURNAL_CLOCK) {
            art_journal_clock_record(clock, &record);
            continue;
        }

        art_journal_clock_add(clock, record.time);
        *after = record.time;
    }

    return pos;
}


/* If a record has no gap, all times up to its own may have been given. */

static void
art_journal_clock_record(art_journal_clock_t *clock,
    const art_journal_record_t *record)
{
    art_journal_clock_t  noted;

    noted.last = record->time;
    noted.low = record->gap << ART_JOURNAL_LOW
                & (((uint64_t) 1 << ART_JOURNAL_END) - 1);
    noted.from = record->gap >> (ART_JOURNAL_END - ART_JOURNAL_LOW)
                 << ART_JOURNAL_FROM;

    if (noted.from <= noted.low || noted.from > noted.last) {
        noted.low = noted.last;
        noted.from = noted.last;
    }

    (void) art_journal_clock_join(clock, &noted);
}


uint64_t
art_journal_clock_next(const art_journal_clock_t *clock, uint64_t now,
    uint64_t after)
{
    uint64_t  time;

    if (now > clock->last) {
        return now;
    }

    time = art_journal_clock_max(now, clock->low + 1);

    return after <= clock->low && time < clock->from ? time : clock->last + 1;
}


void
art_journal_clock_add(art_journal_clock_t *clock, uint64_t time)
{
    uint64_t  last;

    if (time > clock->last) {
        last = clock->last;
        clock->last = time;

        /* the time before the first record does not count as a gap */

        if (clock->low == 0 || time - last > clock->from - clock->low)
        {
            art_journal_clock_gap(clock, art_journal_clock_up(last), time);
        }

    } else if (time > clock->low && time < clock->from) {
        clock->low = time;
    }
}


unsigned
art_journal_clock_join(art_journal_clock_t *clock,
    const art_journal_clock_t *other)
{
    uint64_t                    low, between;
    art_journal_clock_t         old;
    const art_journal_clock_t  *first, *second;

    old = *clock;

    first = old.from <= other->from ? &old : other;
    second = first == &old ? other : &old;

    low = art_journal_clock_max(old.low, other->low);
    between = art_journal_clock_max(low, first->last);

    clock->last = art_journal_clock_max(old.last, other->last);

    /* keep the gap between the two clocks, or the one before them */

    if (between < second->from
        && (low == 0 || low >= first->from
            || second->from - between > first->from - low))
    {
        low = between;
        clock->from = second->from;

    } else {
        clock->from = first->from;
    }

    clock->low = low;

    if (clock->low >= clock->from) {
        clock->low = clock->last;
        clock->from = clock->last;
    }

    return clock->low != old.low || clock->from != old.from
           || clock->last != old.last;
}


/* Makes the time between two records the gap, if it is large enough. */

static void
art_journal_clock_gap(art_journal_clock_t *clock, uint64_t low, uint64_t from)
{
    from = from >> ART_JOURNAL_FROM << ART_JOURNAL_FROM;

    if (from > low && from >> ART_JOURNAL_END == 0) {
        clock->low = low;
        clock->from = from;
    }
}


static uint64_t
art_journal_clock_up(uint64_t time)
{
    time += ((uint64_t) 1 << ART_JOURNAL_LOW) - 1;

    return time >> ART_JOURNAL_LOW << ART_JOURNAL_LOW;
}


static uint64_t
art_journal_clock_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}


size_t
art_journal_clock_encode(uint8_t *dst, const art_journal_clock_t *clock)
{
    size_t                len;
    art_journal_record_t  record;

    memset(&record, 0, sizeof(art_journal_record_t));

    len = 0;
    record.op = ART_JOURNAL_CLOCK;

    if (clock->low < clock->from) {

        if (clock->low != art_journal_clock_up(clock->low)) {
            record.time = clock->low;
            len = art_journal_encode(dst, &record);

        } else {
            record.gap = clock->low >> ART_JOURNAL_LOW;
        }

        record.gap |= clock->from >> ART_JOURNAL_FROM
                      << (ART_JOURNAL_END - ART_JOURNAL_LOW);
    }

    record.time = clock->last;

    return len + art_journal_encode(dst + len, &record);
}
