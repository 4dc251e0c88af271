
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/base/art_time.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_put.h"
#include "core/json/art_json_reprint.h"
#include "core/journal/art_history.h"


/* A write has an agent and a time at least. */

#define ART_HISTORY_WRITE_MIN  (sizeof("{\"agentId\":\"\",\"timestamp\":\"\"}"))


/* The writes one by one: those of the text, then the records. */

typedef struct {
    const art_history_t  *history;
    art_json_members_t    writes;
    size_t                record;
    unsigned              more;      /* of the text */
} art_history_walk_t;


static size_t art_history_find(const art_history_t *history, art_str_t write,
    size_t from);
static art_str_t art_history_string(art_str_t value, uint8_t *buf,
    size_t room);
static void art_history_begin(art_history_walk_t *walk,
    const art_history_t *history);
static unsigned art_history_next(art_history_walk_t *walk, art_out_t *out,
    unsigned indent, unsigned depth);
static void art_history_put(art_out_t *out,
    const art_journal_record_t *record, unsigned indent, unsigned depth);


size_t
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


/* The number behind the record that is this write, or "from" if none is. */

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


/* A string, decoded; anything else is empty. */

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
    size_t               len, left;
    unsigned             some;
    art_out_t            out;
    art_history_walk_t   walk;

    out = art_out(NULL, 0);

    history->skip = 0;
    art_history_print(&out, history, indent, depth);

    if (out.len <= max) {
        return out.len;
    }

    left = out.len;
    max -= max / 8;

    art_history_begin(&walk, history);

    for (some = 1; some && left > max; history->skip += some) {
        out = art_out(NULL, 0);
        some = art_history_next(&walk, &out, indent, depth + 1);

        art_out_char(&out, ',');
        art_json_line(&out, indent, depth + 1);

        len = out.len;
        left -= len < left ? len : left;
    }

    out = art_out(NULL, 0);
    art_history_print(&out, history, indent, depth);

    return out.len;
}


void
art_history_print(art_out_t *out, const art_history_t *history,
    unsigned indent, unsigned depth)
{
    size_t               i, len;
    unsigned             some;
    art_out_t            none;
    art_history_walk_t   walk;

    none = art_out(NULL, 0);
    art_history_begin(&walk, history);

    for (i = 0; i < history->skip; i++) {
        (void) art_history_next(&walk, &none, indent, depth + 1);
    }

    art_out_char(out, '[');

    for (some = 0; /* void */ ; some = 1) {
        len = out->len;

        if (some) {
            art_out_char(out, ',');
        }

        art_json_line(out, indent, depth + 1);

        if (!art_history_next(&walk, out, indent, depth + 1)) {
            out->len = len;
            break;
        }
    }

    if (some) {
        art_json_line(out, indent, depth);
    }

    art_out_char(out, ']');
}


static void
art_history_begin(art_history_walk_t *walk, const art_history_t *history)
{
    walk->history = history;
    walk->record = 0;
    walk->more = history->text.len > 0
                 && art_json_elements(&walk->writes, history->text) == ART_OK;
}


/* Prints the next one; 0 if there is none. */

static unsigned
art_history_next(art_history_walk_t *walk, art_out_t *out, unsigned indent,
    unsigned depth)
{
    art_str_t                    write;
    const art_journal_record_t  *record;

    if (walk->more) {

        if (art_json_element(&walk->writes, &write) == 1) {

            if (indent) {
                art_json_reprint(out, write, indent, depth);

            } else {
                art_out_str(out, write);
            }

            return 1;
        }

        walk->more = 0;
    }

    while (walk->record < walk->history->n) {
        record = &walk->history->records[walk->record++];

        if (record->agent_id.len > 0) {
            art_history_put(out, record, indent, depth);
            return 1;
        }
    }

    return 0;
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
