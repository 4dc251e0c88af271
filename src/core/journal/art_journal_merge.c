
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/journal/art_journal_merge.h"
#include "core/base/art_time.h"


static size_t art_journal_merge_folded(const json_t *entry,
    const art_journal_record_t *records, size_t n);
static int art_journal_merge_same(const json_t *write,
    const art_journal_record_t *record);
static int art_journal_merge_put(json_t *entry,
    const art_journal_record_t *record);
static int art_journal_merge_history(json_t *entry,
    const art_journal_record_t *record, art_str_t time);
static int art_journal_merge_set(json_t *object, const char *key,
    art_str_t value);


int
art_journal_merge(json_t *entry, const art_journal_record_t *records,
    size_t n, json_t **merged)
{
    size_t  i;

    *merged = NULL;

    for (i = n; i > 0; i--) {
        if (records[i - 1].op == ART_JOURNAL_DELETE) {
            json_decref(entry);
            entry = NULL;
            break;
        }
    }

    if (i == n) {
        *merged = entry;
        return ART_OK;
    }

    if (entry == NULL) {
        entry = json_object();

    } else {
        i += art_journal_merge_folded(entry, records, n);
    }

    for ( /* void */ ; i < n; i++) {
        if (art_journal_merge_put(entry, &records[i]) != ART_OK) {
            json_decref(entry);
            return ART_ERROR;
        }
    }

    *merged = entry;

    return ART_OK;
}


/*
 * How many of the records stand in the entry already: all up to the last of
 * those in "modifiedBy", as writes without an agent leave no trace there.
 * Both may be long: the times of the records ascend, so that each write of the
 * history is looked up once.
 */

static size_t
art_journal_merge_folded(const json_t *entry,
    const art_journal_record_t *records, size_t n)
{
    size_t         i, low, high, mid, folded;
    uint64_t       time;
    const json_t  *history, *write, *stamp;

    folded = 0;
    history = json_object_get(entry, "modifiedBy");

    json_array_foreach(history, i, write) {
        stamp = json_object_get(write, "timestamp");

        if (art_time_parse(art_str(json_string_value(stamp),
                                   json_string_length(stamp)), &time)
            != ART_OK)
        {
            continue;
        }

        low = folded;
        high = n;

        while (low < high) {
            mid = low + (high - low) / 2;

            if (records[mid].time < time) {
                low = mid + 1;

            } else {
                high = mid;
            }
        }

        if (low < n && records[low].time == time
            && art_journal_merge_same(write, &records[low]))
        {
            folded = low + 1;
        }
    }

    return folded;
}


static int
art_journal_merge_same(const json_t *write, const art_journal_record_t *record)
{
    art_str_t      agent, message;
    const json_t  *node;

    node = json_object_get(write, "agentId");
    agent = art_str(json_string_value(node), json_string_length(node));

    node = json_object_get(write, "messageId");
    message = art_str(json_string_value(node), json_string_length(node));

    return agent.len > 0
           && art_str_eq(agent, record->agent_id)
           && art_str_eq(message, record->message_id);
}


/*
 * The keys of a new entry stand in the order of the platform's own writer:
 * mimeType, createdAt, updatedAt, modifiedBy, messageId, agentId.
 */

static int
art_journal_merge_put(json_t *entry, const art_journal_record_t *record)
{
    uint8_t    buf[ART_TIME_LEN];
    json_t    *created;
    art_str_t  time;

    art_time_print(buf, record->time);
    time = art_str(buf, sizeof(buf));

    if (art_journal_merge_set(entry, "mimeType", record->mime) != ART_OK) {
        return ART_ERROR;
    }

    /* what other writers use for it would win over it when it is read */

    if (json_object_get(entry, "type") != NULL
        && art_journal_merge_set(entry, "type", record->mime) != ART_OK)
    {
        return ART_ERROR;
    }

    created = json_object_get(entry, "createdAt");

    if ((created == NULL || json_is_null(created))
        && art_journal_merge_set(entry, "createdAt", time) != ART_OK)
    {
        return ART_ERROR;
    }

    (void) json_object_del(entry, "size");

    if (art_journal_merge_set(entry, "updatedAt", time) != ART_OK
        || art_journal_merge_history(entry, record, time) != ART_OK
        || art_journal_merge_set(entry, "messageId", record->message_id)
           != ART_OK
        || art_journal_merge_set(entry, "agentId", record->agent_id) != ART_OK)
    {
        return ART_ERROR;
    }

    return ART_OK;
}


static int
art_journal_merge_history(json_t *entry, const art_journal_record_t *record,
    art_str_t time)
{
    json_t  *history, *write;

    history = json_object_get(entry, "modifiedBy");

    if (!json_is_array(history)) {
        history = json_array();

        if (json_object_set_new(entry, "modifiedBy", history) != 0) {
            return ART_ERROR;
        }
    }

    if (record->agent_id.len == 0) {
        return ART_OK;
    }

    write = json_object();

    if (art_journal_merge_set(write, "agentId", record->agent_id) != ART_OK
        || art_journal_merge_set(write, "timestamp", time) != ART_OK
        || (record->message_id.len > 0
            ? art_journal_merge_set(write, "messageId", record->message_id)
            : json_object_set_new(write, "messageId", json_null())) != ART_OK)
    {
        json_decref(write);
        return ART_ERROR;
    }

    return json_array_append_new(history, write) == 0 ? ART_OK : ART_ERROR;
}


/* Sets a string; an empty one leaves the object. */

static int
art_journal_merge_set(json_t *object, const char *key, art_str_t value)
{
    json_t  *node;

    if (value.len == 0) {
        (void) json_object_del(object, key);
        return ART_OK;
    }

    node = json_stringn((const char *) value.data, value.len);

    return json_object_set_new(object, key, node) == 0 ? ART_OK : ART_ERROR;
}
