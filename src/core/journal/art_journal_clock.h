
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The times of a workspace's records.  No time is given twice, whatever the
 * machine's clock does, because (agentId, timestamp, messageId) identifies one
 * write (art_journal.h).  And yet a clock that was once ahead does not keep the
 * times ahead.
 *
 * To know the latest time is not enough for that, so the largest gap among the
 * times is known, too.  Times before the gap are at most "low"; those after it
 * are from "from" to "last".  No time within the gap has been given.  A clock
 * that was years ahead leaves a gap of years, and later times advance in it
 * until they reach its end; then they skip to the time after "last".
 */


#ifndef ART_JOURNAL_CLOCK_H_INCLUDED_
#define ART_JOURNAL_CLOCK_H_INCLUDED_


#include "core/journal/art_journal.h"


/* Milliseconds since 1970 (UTC).  All zero: no time has been given. */

typedef struct {
    uint64_t  low;               /* the times given are at most "low", */
    uint64_t  from;              /* or at least "from" */
    uint64_t  last;              /* and at most "last" */
} art_journal_clock_t;


/* The most bytes that art_journal_clock_encode() writes. */

#define ART_JOURNAL_CLOCK_MAX  (2 * ART_JOURNAL_HEAD)


/*
 * Adds the times of a journal to a clock.  *after becomes the time of its last
 * put or delete, which is the latest of those; it is unchanged without any.
 *
 * Returns how many bytes of the journal are whole records.  If that is less
 * than journal.len, the rest was not acknowledged: the next writer cuts it off
 * before it appends.
 */

size_t art_journal_clock_read(art_journal_clock_t *clock, art_str_t journal,
    uint64_t *after);


/*
 * art_journal_clock_next() returns the time for a record: "now", the machine's
 * time, if it has not been given, else a later one.  It is later than "after",
 * the time of the last record that may not be folded yet, or 0, because records
 * are folded in the order of their times.  art_journal_clock_add() marks a time
 * as given.
 */

uint64_t art_journal_clock_next(const art_journal_clock_t *clock, uint64_t now,
    uint64_t after);
void art_journal_clock_add(art_journal_clock_t *clock, uint64_t time);


/* Adds the times of another clock; returns 0 if all were known. */

unsigned art_journal_clock_join(art_journal_clock_t *clock,
    const art_journal_clock_t *other);


/*
 * Writes a clock as the beginning of a journal.  Returns the bytes written:
 * ART_JOURNAL_HEAD or, after the times went back into a gap, twice as many; 0
 * if the latest time is after ART_TIME_MAX.  art_journal_clock_read() reads
 * them; a reader that does not know gaps takes the latest time from them.
 */

size_t art_journal_clock_encode(uint8_t *dst, const art_journal_clock_t *clock);


#endif /* ART_JOURNAL_CLOCK_H_INCLUDED_ */
