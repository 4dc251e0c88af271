
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_scan.h"
#include "core/journal/art_history.h"


/* A write has at least an agent and a time. */

#define ART_HISTORY_WRITE_MIN  (sizeof("{\"agentId\":\"\",\"timestamp\":\"\"}"))


static size_t art_history_folded(const art_history_t *history);
static size_t art_history_find(const art_history_t *history, art_str_t write,
    size_t from);
static art_str_t art_history_string(art_str_t value, uint8_t *buf,
    size_t room);
static size_t art_history_cut_text(art_history_t *history, size_t excess);
static void art_history_cut_records(art_history_t *history, unsigned indent,
    unsigned depth, size_t excess);
static art_str_t art_history_kept(const art_history_t *history);
static void art_history_put(art_out_t *out,
    const art_journal_record_t *record, unsigned indent, unsigned depth);
static void art_history_line(art_out_t *out, unsigned indent,
    unsigned depth);


art_history_merge_t
art_history_merge(art_history_t *history, unsigned exists)
{
    size_t                       i, n;
    const art_journal_record_t  *records;

    n = history->n;
    records = history->records;

    for (i = n; i > 0 && records[i - 1].op != ART_JOURNAL_DELETE; i--);

    if (i > 0 || !exists) {
        exists = 0;
        history->text = art_str(NULL, 0);

    } else {
        i = art_history_folded(history);
    }

    history->records += i;
    history->n -= i;

    if (history->n > 0) {
        return exists ? ART_HISTORY_PUT : ART_HISTORY_NEW;
    }

    return exists ? ART_HISTORY_SAME : ART_HISTORY_NONE;
}


/*
 * How many of the records are in the history already: all up to the last one
 * found in it, since writes without an agent are not in it.
 */

static size_t
art_history_folded(const art_history_t *history)
{
    size_t               folded;
    art_str_t            write;
    art_json_members_t   writes;

    folded = 0;

    if (history->text.len == 0
        || art_json_elements(&writes, history->text) != ART_OK)
    {
        return 0;
    }

    while (folded < history->n && art_json_element(&writes, &write) == 1) {
        if (write.len >= ART_HISTORY_WRITE_MIN && write.data[0] == '{') {
            folded = art_history_find(history, write, folded);
        }
    }

    return folded;
}


/* The index after the record of this write, or "from" if no record matches. */

static size_t
art_history_find(const art_history_t *history, art_str_t write, size_t from)
{
    size_t                       low, high, mid;
    uint8_t                      buf[ART_META_ID_MAX];
    uint64_t                     time;
    art_str_t                    values[3];
    const art_journal_record_t  *record;

    static const art_str_t  keys[] = {
        art_string("agentId"), art_string("timestamp"), art_string("messageId")
    };

    if (art_json_find(write, keys, 3, values) != ART_OK
        || art_time_parse(art_history_string(values[1], buf, sizeof(buf)),
                          &time)
           != ART_OK)
    {
        return from;
    }

    low = from;
    high = history->n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (history->records[mid].time < time) {
            low = mid + 1;

        } else {
            high = mid;
        }
    }

    if (low == history->n || history->records[low].time != time) {
        return from;
    }

    record = &history->records[low];

    return record->agent_id.len > 0
           && art_str_eq(art_history_string(values[0], buf, sizeof(buf)),
                         record->agent_id)
           && art_str_eq(art_history_string(values[2], buf, sizeof(buf)),
                         record->message_id)
           ? low + 1 : from;
}


/* Decodes a string; empty for anything else. */

static art_str_t
art_history_string(art_str_t value, uint8_t *buf, size_t room)
{
    art_str_t  s;

    if (value.len < 2 || value.data[0] != '"'
        || art_json_key(art_str(value.data + 1, value.len - 2), buf, room, &s)
           != ART_OK)
    {
        return art_str(NULL, 0);
    }

    return s;
}


size_t
art_history_fit(art_history_t *history, unsigned indent, unsigned depth,
    size_t max)
{
    size_t     excess;
    art_out_t  out;

    out = art_out(NULL, 0);

    history->skip = 0;
    art_history_print(&out, history, indent, depth);

    if (out.len <= max) {
        return out.len;
    }

    excess = art_history_cut_text(history, out.len - (max - max / 8));
    art_history_cut_records(history, indent, depth, excess);

    out = art_out(NULL, 0);
    art_history_print(&out, history, indent, depth);

    return out.len;
}


/* Drops the oldest writes of the text; returns the remaining excess. */

static size_t
art_history_cut_text(art_history_t *history, size_t excess)
{
    size_t               skip;
    art_str_t            write;
    art_json_members_t   writes;

    if (history->text.len == 0
        || art_json_elements(&writes, history->text) != ART_OK)
    {
        return excess;
    }

    while (art_json_element(&writes, &write) == 1) {
        skip = (size_t) (write.data - history->text.data);

        if (skip > excess) {
            history->skip = skip;
            return 0;
        }
    }

    skip = history->text.len;
    history->text = art_str(NULL, 0);

    return excess > skip ? excess - skip : 0;
}


static void
art_history_cut_records(art_history_t *history, unsigned indent,
    unsigned depth, size_t excess)
{
    art_out_t  out;

    out = art_out(NULL, 0);

    for ( /* void */ ; history->n > 0 && out.len < excess; history->n--) {

        if (history->records->agent_id.len > 0) {
            art_out_char(&out, ',');
            art_history_line(&out, indent, depth + 1);
            art_history_put(&out, history->records, indent, depth + 1);
        }

        history->records++;
    }
}


void
art_history_print(art_out_t *out, const art_history_t *history,
    unsigned indent, unsigned depth)
{
    size_t      i;
    unsigned    some;
    art_str_t   kept;

    art_out_char(out, '[');

    kept = art_history_kept(history);
    some = kept.len > 0;

    if (some) {
        art_history_line(out, indent, depth + 1);
        art_out_str(out, kept);
    }

    for (i = 0; i < history->n; i++) {

        if (history->records[i].agent_id.len == 0) {
            continue;
        }

        if (some) {
            art_out_char(out, ',');
        }

        some = 1;

        art_history_line(out, indent, depth + 1);
        art_history_put(out, &history->records[i], indent, depth + 1);
    }

    if (some) {
        art_history_line(out, indent, depth);
    }

    art_out_char(out, ']');
}


/* The writes of the text, without the brackets and white space inside them. */

static art_str_t
art_history_kept(const art_history_t *history)
{
    const uint8_t  *p, *end;

    if (history->text.len == 0) {
        return art_str(NULL, 0);
    }

    p = history->text.data + (history->skip > 0 ? history->skip : 1);
    end = history->text.data + history->text.len - 1;

    p = art_json_space(p, end);

    while (end > p && art_json_space(end - 1, end) == end) {
        end--;
    }

    return art_str(p, (size_t) (end - p));
}


static void
art_history_put(art_out_t *out, const art_journal_record_t *record,
    unsigned indent, unsigned depth)
{
    uint8_t         time[ART_TIME_LEN];
    art_json_put_t  put;

    art_time_print(time, record->time);

    art_json_put_init(&put, out, 0);
    put.indent = indent;

    art_json_put_object(&put, NULL);
    put.depth = depth + 1;

    art_json_put_string(&put, "agentId", record->agent_id);
    art_json_put_string(&put, "timestamp", art_str(time, sizeof(time)));

    if (record->message_id.len > 0) {
        art_json_put_string(&put, "messageId", record->message_id);

    } else {
        art_json_put_raw(&put, "messageId", art_cstr("null"));
    }

    art_json_put_end(&put);
}


/* Writes a new line and the indentation of a value at that depth. */

static void
art_history_line(art_out_t *out, unsigned indent, unsigned depth)
{
    size_t  n;

    if (indent == 0) {
        return;
    }

    art_out_char(out, '\n');

    for (n = (size_t) indent * depth; n > 0; n--) {
        art_out_char(out, ' ');
    }
}
