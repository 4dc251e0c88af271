
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The times of a workspace's records: none is given twice, whatever the
 * machine's clock does, since (agentId, timestamp, messageId) stands for one
 * write only (art_journal.h); and yet a clock that was ahead once does not
 * keep them ahead.
 *
 * For that it is not enough to know the latest time: the largest gap among the
 * times is known, too.  Times before a gap end at "low", those behind it lie
 * from "from" to "last".  When the clock shows a time within the gap, nobody
 * has been given that one: a clock that was years ahead leaves a gap of years,
 * and all that comes later moves on in there, until the times behind it are
 * reached, which are passed at once.
 */


#ifndef ART_JOURNAL_CLOCK_H_INCLUDED_
#define ART_JOURNAL_CLOCK_H_INCLUDED_


#include "core/journal/art_journal.h"


/* Milliseconds since 1970 (UTC).  All zeros: no time was given yet. */

typedef struct {
    uint64_t  low;               /* those given are this or less, */
    uint64_t  from;              /* or at least this */
    uint64_t  last;              /* and at most this */
} art_journal_clock_t;


/* What art_journal_clock_encode() writes at most. */

#define ART_JOURNAL_CLOCK_MAX  (2 * ART_JOURNAL_HEAD)


/*
 * Adds the times of a journal, torn end included, to a clock.  *after becomes
 * the time of its last put or delete, which is the latest of those; without
 * any it stays.
 *
 * Returns how many bytes of the journal are whole records.  If it is less than
 * journal.len, the rest was not acknowledged: the next writer cuts it off
 * before it appends.
 */

size_t art_journal_clock_read(art_journal_clock_t *clock, art_str_t journal,
    uint64_t *after);


/*
 * The time for a record: "now", the machine's time, if nobody has it yet, or
 * one a little later.  It is later than "after", the time of the last record
 * that may not be folded yet, or 0: records are folded in the order of their
 * times.  art_journal_clock_add() notes it as given.
 */

uint64_t art_journal_clock_next(const art_journal_clock_t *clock, uint64_t now,
    uint64_t after);
void art_journal_clock_add(art_journal_clock_t *clock, uint64_t time);


/* Adds the times of another clock; returns 0 if all were known. */

unsigned art_journal_clock_join(art_journal_clock_t *clock,
    const art_journal_clock_t *other);


/*
 * Writes a clock as the beginning of a journal, ART_JOURNAL_HEAD bytes or,
 * after the times went back into a gap, twice as many; returns how many.
 * art_journal_clock_read() reads them; a reader that knows no gaps takes the
 * latest time from them.  0 if that is after ART_TIME_MAX.
 */

size_t art_journal_clock_encode(uint8_t *dst, const art_journal_clock_t *clock);


#endif /* ART_JOURNAL_CLOCK_H_INCLUDED_ */
