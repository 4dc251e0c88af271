
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The journal of a workspace: the writes that were acknowledged but are not in
 * "{workspace}.meta.json" yet (docs/ids.md).  Records are only appended,
 * so that a write costs the same in a workspace of any size.  Every record has
 * a checksum, so that an unfinished record after a crash is detected.
 *
 * All functions take the bytes of a journal as they were read: an unfinished
 * record at the end is ignored.
 */


#ifndef ART_JOURNAL_H_INCLUDED_
#define ART_JOURNAL_H_INCLUDED_


#include "core/ref/art_id.h"
#include "core/meta/art_meta.h"


typedef enum {
    ART_JOURNAL_PUT = 1,         /* a file was created or replaced */
    ART_JOURNAL_DELETE,          /* a file was removed */
    ART_JOURNAL_CLOCK            /* no event; only keeps the time */
} art_journal_op_t;


/*
 * One record.  "path" is the resolved path (art_ref_t), 1 to ART_ID_PATH_MAX
 * bytes; "mime" is the declared media type, of a put only; "agent_id" and
 * "message_id" are empty if unknown.  "time" is in milliseconds since 1970
 * (UTC) and unique in its workspace (art_journal_clock_t): so (agentId,
 * timestamp, messageId) identifies one write, and folding twice is the same as
 * folding once.  "created": the file is new, not replaced; metadata do not
 * depend on it.  "gap" is that of a clock, in a clock record only.
 */

typedef struct {
    art_journal_op_t  op;
    unsigned          created;
    uint64_t          time;
    uint64_t          gap;
    art_str_t         path;
    art_str_t         mime;
    art_str_t         agent_id;
    art_str_t         message_id;
} art_journal_record_t;


/*
 * A record on disk, numbers in little-endian order on any machine:
 *
 *   0  "AJR1"
 *   4  u32, length of the whole record
 *   8  u64, checksum of all following bytes
 *  16  u8 op, u8 created, u16 lengths of path, mime, agent_id, message_id
 *  26  u48, gap, zero except in a clock record
 *  32  u64, time
 *  40  the four strings
 *
 * A journal begins with the clock of the previous one; if it has no more than
 * ART_JOURNAL_HEAD bytes, there is nothing to fold.
 */

#define ART_JOURNAL_HEAD        40
#define ART_JOURNAL_RECORD_MAX                                               \
    (ART_JOURNAL_HEAD + ART_ID_PATH_MAX + ART_META_TYPE_MAX                  \
     + 2 * ART_META_ID_MAX)


/*
 * Encodes a record into "dst", which has room for ART_JOURNAL_RECORD_MAX
 * bytes; returns the bytes written.  "agent_id" and "message_id" are made
 * valid UTF-8 (ill-formed bytes become U+FFFD) and cut to ART_META_ID_MAX bytes
 * at a character boundary.  Returns 0 for an invalid record: an unknown op; a
 * put or delete whose path is empty, longer than ART_ID_PATH_MAX, not UTF-8 or
 * has a NUL in it; a put whose "mime" art_meta_type_valid() refuses; a time
 * after ART_TIME_MAX.
 */

size_t art_journal_encode(uint8_t *dst, const art_journal_record_t *record);


/* The checksum of records; it protects against accidents only. */

uint64_t art_journal_sum(const uint8_t *p, size_t len);


/*
 * Reads the record at *pos (0 at first) and moves *pos to its end; the record's
 * strings point into "journal".  Returns 1, or 0 after the last complete
 * record, with *pos unchanged.  Clock records are returned as well.
 */

unsigned art_journal_next(art_str_t journal, size_t *pos,
    art_journal_record_t *record);


/* The newest put or delete of "path", compared exactly; 0 if there is none. */

unsigned art_journal_find(art_str_t journal, art_str_t path,
    art_journal_record_t *record);


/*
 * Applies the journal to the metadata of "path" (compared exactly): "status"
 * and, after ART_META_OK, *meta are those without the journal.  They are
 * unchanged if the path has no record.  Otherwise each record is applied in
 * turn:
 *
 *   put     "createdAt" is kept or, without an entry, becomes the record's
 *           time; "updatedAt", "mimeType", "messageId" and "agentId" become
 *           the record's ("type", too, if the entry has one).  If the record
 *           has an agentId, {agentId, timestamp, messageId or null} is added
 *           to "modifiedBy".  A record that is already in "modifiedBy" was
 *           folded, and so were all before it: they are skipped.  So journal
 *           and document may overlap.
 *   delete  the entry is removed.
 *
 * A journal that is being folded has to be applied before the current one.
 * Returns the new status, ART_META_OK or ART_META_ABSENT; *meta then owns its
 * memory, and what it owned before is freed.  When out of memory, it returns
 * ART_META_CORRUPT with an empty *meta.
 */

art_meta_status_t art_journal_apply(art_str_t journal, art_str_t path,
    art_meta_status_t status, art_meta_t *meta);


/*
 * The times of a workspace's records.  No time is given twice, whatever the
 * machine's clock does, because (agentId, timestamp, messageId) identifies one
 * write.  And yet a clock that was once ahead does not keep the times ahead.
 *
 * The latest time is not enough for that, so the largest gap among the times is
 * kept as well.  Times before the gap are at most "low"; those after it are
 * from "from" to "last".  No time within the gap has been given.  A clock that
 * was years ahead leaves a gap of years, and later times advance in it until
 * they reach its end; then they skip to the time after "last".
 *
 * Times are milliseconds since 1970 (UTC).  All zero: no time has been given.
 */

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
 * Returns how many bytes of the journal are complete records.  If that is less
 * than journal.len, the rest was not acknowledged: the next writer cuts it off
 * before it appends.
 */

size_t art_journal_clock_read(art_journal_clock_t *clock, art_str_t journal,
    uint64_t *after);


/*
 * Returns the time for a record: "now", the machine's time, if it has not been
 * given, else a later one.  It is later than "after", the time of the last
 * record that may not be folded yet, or 0, because records are folded in the
 * order of their times.
 */

uint64_t art_journal_clock_next(const art_journal_clock_t *clock, uint64_t now,
    uint64_t after);


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


#endif /* ART_JOURNAL_H_INCLUDED_ */
