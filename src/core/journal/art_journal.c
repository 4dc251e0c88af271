
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_array.h"
#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"
#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/meta/art_meta_int.h"
#include "core/journal/art_history.h"
#include "core/journal/art_journal.h"


#define ART_JOURNAL_MAGIC     "AJR1"
#define ART_JOURNAL_NSTRINGS  4
#define ART_JOURNAL_SUMMED    16     /* where the checked bytes begin */


/*
 * Both ends of a gap are rounded to its inside, so that they fit into a clock
 * record: "low" to units of about a minute, because times that go back continue
 * there, and "from" to units of most of a day.  Rounding again changes nothing.
 */

#define ART_JOURNAL_LOW   16     /* bits of milliseconds */
#define ART_JOURNAL_FROM  26
#define ART_JOURNAL_END   45     /* gaps that end later are not kept */


static int art_journal_valid(const art_journal_record_t *record);
static art_str_t art_journal_text(art_str_t text, uint8_t *buf);
static int art_journal_select(art_str_t journal, art_str_t path,
    art_journal_record_t **records, size_t *n);
static art_meta_status_t art_journal_put(art_history_t *history,
    art_meta_t *meta);
static art_str_t art_journal_id(art_str_t id);
static void art_journal_clock_record(art_journal_clock_t *clock,
    const art_journal_record_t *record);
static void art_journal_clock_add(art_journal_clock_t *clock, uint64_t time);
static void art_journal_clock_gap(art_journal_clock_t *clock, uint64_t low,
    uint64_t from);
static uint64_t art_journal_clock_up(uint64_t time);
static uint64_t art_journal_clock_max(uint64_t a, uint64_t b);


size_t
art_journal_encode(uint8_t *dst, const art_journal_record_t *record)
{
    size_t      i, len;
    uint8_t    *p, agent[ART_META_ID_MAX], message[ART_META_ID_MAX];
    art_str_t   strings[ART_JOURNAL_NSTRINGS];

    if (!art_journal_valid(record)) {
        return 0;
    }

    memset(strings, 0, sizeof(strings));

    if (record->op != ART_JOURNAL_CLOCK) {
        strings[0] = record->path;
    }

    if (record->op == ART_JOURNAL_PUT) {
        strings[1] = record->mime;
        strings[2] = art_journal_text(record->agent_id, agent);
        strings[3] = art_journal_text(record->message_id, message);
    }

    memset(dst, 0, ART_JOURNAL_HEAD);
    memcpy(dst, ART_JOURNAL_MAGIC, 4);

    dst[16] = (uint8_t) record->op;
    dst[17] = record->created != 0;

    len = ART_JOURNAL_HEAD;
    p = dst + 18;

    for (i = 0; i < ART_JOURNAL_NSTRINGS; i++) {
        p = art_bytes_put(p, strings[i].len, 2);

        if (strings[i].len > 0) {
            memcpy(dst + len, strings[i].data, strings[i].len);
            len += strings[i].len;
        }
    }

    if (record->op == ART_JOURNAL_CLOCK) {
        (void) art_bytes_put(dst + 26, record->gap, 6);
    }

    (void) art_bytes_put(dst + 32, record->time, 8);
    (void) art_bytes_put(dst + 4, len, 4);
    (void) art_bytes_put(dst + 8,
                         art_journal_sum(dst + ART_JOURNAL_SUMMED,
                                         len - ART_JOURNAL_SUMMED),
                         8);

    return len;
}


static int
art_journal_valid(const art_journal_record_t *record)
{
    if (record->time > ART_TIME_MAX) {
        return 0;
    }

    if (record->op == ART_JOURNAL_CLOCK) {
        return 1;
    }

    if ((record->op != ART_JOURNAL_PUT && record->op != ART_JOURNAL_DELETE)
        || record->path.len == 0
        || record->path.len > ART_ID_PATH_MAX
        || memchr(record->path.data, '\0', record->path.len) != NULL
        || !art_utf8_valid(record->path.data, record->path.len))
    {
        return 0;
    }

    return record->op == ART_JOURNAL_DELETE
           || art_meta_type_valid(record->mime);
}


/* Makes valid UTF-8 of at most ART_META_ID_MAX bytes, the size of "buf". */

static art_str_t
art_journal_text(art_str_t text, uint8_t *buf)
{
    art_out_t  out;

    out.data = buf;
    out.len = 0;
    out.room = ART_META_ID_MAX;

    /* every byte takes at least one: the rest would not fit anyway */

    if (text.len > ART_META_ID_MAX + 4) {
        text.len = ART_META_ID_MAX + 4;
    }

    art_json_string(&out, text, 0);

    if (out.len > out.room) {
        out.len = art_utf8_valid_len(buf, out.room);
    }

    return art_str(buf, out.len);
}


/* Eight bytes at a time, since every read checks the whole journal. */

uint64_t
art_journal_sum(const uint8_t *p, size_t len)
{
    uint64_t  sum;

    sum = ART_HASH_INIT;

    for ( /* void */ ; len >= 8; p += 8, len -= 8) {
        sum = (sum ^ art_bytes_get8(p)) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }

    return art_hash(sum, p, len);
}


unsigned
art_journal_next(art_str_t journal, size_t *pos,
    art_journal_record_t *record)
{
    size_t          i, len, size;
    uint64_t        left;
    const uint8_t  *p, *string;
    art_str_t      *strings[ART_JOURNAL_NSTRINGS] = {
                        &record->path, &record->mime, &record->agent_id,
                        &record->message_id };

    left = journal.len - *pos;

    if (left < ART_JOURNAL_HEAD) {
        return 0;
    }

    p = journal.data + *pos;
    len = (size_t) art_bytes_get(p + 4, 4);

    if (memcmp(p, ART_JOURNAL_MAGIC, 4) != 0
        || len < ART_JOURNAL_HEAD || len > ART_JOURNAL_RECORD_MAX
        || len > left
        || art_bytes_get(p + 8, 8)
           != art_journal_sum(p + ART_JOURNAL_SUMMED, len - ART_JOURNAL_SUMMED))
    {
        return 0;
    }

    memset(record, 0, sizeof(art_journal_record_t));

    record->op = (art_journal_op_t) p[16];
    record->created = p[17];
    record->time = art_bytes_get(p + 32, 8);

    if (record->op == ART_JOURNAL_CLOCK) {
        record->gap = art_bytes_get(p + 26, 6);
    }

    string = p + ART_JOURNAL_HEAD;

    for (i = 0; i < ART_JOURNAL_NSTRINGS; i++) {
        size = (size_t) art_bytes_get(p + 18 + 2 * i, 2);

        if (size > len - (size_t) (string - p)) {
            return 0;
        }

        if (size > 0) {
            *strings[i] = art_str(string, size);
        }

        string += size;
    }

    if (string != p + len
        || !art_journal_valid(record)
        || record->agent_id.len > ART_META_ID_MAX
        || record->message_id.len > ART_META_ID_MAX
        || !art_utf8_valid(record->agent_id.data, record->agent_id.len)
        || !art_utf8_valid(record->message_id.data, record->message_id.len))
    {
        return 0;
    }

    *pos += len;

    return 1;
}


unsigned
art_journal_find(art_str_t journal, art_str_t path,
    art_journal_record_t *record)
{
    size_t                pos;
    unsigned              found;
    art_journal_record_t  next;

    pos = 0;
    found = 0;

    while (art_journal_next(journal, &pos, &next)) {
        if (next.op != ART_JOURNAL_CLOCK && art_str_eq(next.path, path)) {
            *record = next;
            found = 1;
        }
    }

    return found;
}


art_meta_status_t
art_journal_apply(art_str_t journal, art_str_t path, art_meta_status_t status,
    art_meta_t *meta)
{
    art_meta_t             old;
    art_history_t          history;
    art_history_merge_t    merge;
    art_journal_record_t  *records;

    if (art_journal_select(journal, path, &records, &history.n) != ART_OK) {

        if (status == ART_META_OK) {
            art_meta_free(meta);
        }

        memset(meta, 0, sizeof(art_meta_t));

        return ART_META_CORRUPT;
    }

    if (history.n == 0) {
        return status;
    }

    memset(&old, 0, sizeof(art_meta_t));

    if (status == ART_META_OK) {
        old = *meta;
    }

    history.text = old.modified_by;
    history.records = records;

    merge = art_history_merge(&history, status == ART_META_OK);

    if (merge == ART_HISTORY_SAME) {
        free(records);
        return status;
    }

    memset(meta, 0, sizeof(art_meta_t));

    if (merge == ART_HISTORY_PUT) {
        *meta = old;
    }

    status = merge == ART_HISTORY_NONE ? ART_META_ABSENT
                                             : art_journal_put(&history, meta);

    free(records);
    art_meta_free(&old);

    return status;
}


/* The records of a path; the caller frees them.  ART_ERROR: out of memory. */

static int
art_journal_select(art_str_t journal, art_str_t path,
    art_journal_record_t **records, size_t *n)
{
    void                  *grown;
    size_t                 pos, room;
    art_journal_record_t   record;

    *n = 0;
    *records = NULL;

    room = 0;
    pos = 0;

    while (art_journal_next(journal, &pos, &record)) {

        if (record.op == ART_JOURNAL_CLOCK
            || !art_str_eq(record.path, path))
        {
            continue;
        }

        grown = art_array_grow(*records, *n, &room,
                               sizeof(art_journal_record_t));
        if (grown == NULL) {
            free(*records);
            return ART_ERROR;
        }

        *records = grown;
        (*records)[(*n)++] = record;
    }

    return ART_OK;
}


/* Applies records to an entry that does not own its strings. */

static art_meta_status_t
art_journal_put(art_history_t *history, art_meta_t *meta)
{
    size_t                       len;
    uint8_t                      created[ART_TIME_LEN], updated[ART_TIME_LEN];
    art_out_t                    out;
    const art_journal_record_t  *first, *last;

    first = &history->records[0];
    last = &history->records[history->n - 1];

    art_time_print(created, first->time);
    art_time_print(updated, last->time);

    meta->mime = last->mime;
    meta->updated = art_str(updated, sizeof(updated));
    meta->message_id = art_journal_id(last->message_id);
    meta->agent_id = art_journal_id(last->agent_id);

    if (meta->type.data != NULL) {
        meta->type = last->mime;
    }

    if (meta->created.data == NULL) {
        meta->created = art_str(created, sizeof(created));
    }

    len = art_history_fit(history, 0, 0, ART_META_ENTRY_MAX);

    meta->modified_by = art_str(NULL, 0);

    if (art_meta_copy(meta, len) != ART_OK) {
        return ART_META_CORRUPT;
    }

    out = art_out(meta->memory + meta->memory_len - len, len);
    art_history_print(&out, history, 0, 0);

    meta->modified_by = art_str(out.data, len);

    return ART_META_OK;
}


/* As in sidecars, an id that is empty or has a NUL in it is absent. */

static art_str_t
art_journal_id(art_str_t id)
{
    return id.len > 0 && memchr(id.data, '\0', id.len) == NULL
           ? id : art_str(NULL, 0);
}


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


/* Without a gap in the record, all times up to its own may have been given. */

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


/* Marks a time as given. */

static void
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
