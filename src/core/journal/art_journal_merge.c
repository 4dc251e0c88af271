
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/journal/art_journal_merge.h"
#include "core/base/art_time.h"


static int art_journal_merge_put(json_t *entry,
    const art_journal_record_t *first, const art_journal_record_t *last);
static int art_journal_merge_set(json_t *object, const char *key,
    art_str_t value);


art_journal_merge_t
art_journal_merge(art_history_t *history, unsigned exists)
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
        return exists ? ART_JOURNAL_MERGE_PUT : ART_JOURNAL_MERGE_NEW;
    }

    return exists ? ART_JOURNAL_MERGE_SAME : ART_JOURNAL_MERGE_NONE;
}


int
art_journal_merge_tree(json_t *entry, art_history_t *history, json_t **merged)
{
    art_journal_merge_t  rc;

    *merged = NULL;

    rc = art_journal_merge(history, entry != NULL);

    if (rc == ART_JOURNAL_MERGE_NONE || rc == ART_JOURNAL_MERGE_NEW) {
        json_decref(entry);
        entry = rc == ART_JOURNAL_MERGE_NEW ? json_object() : NULL;
    }

    if (history->n > 0
        && art_journal_merge_put(entry, &history->records[0],
                                 &history->records[history->n - 1])
           != ART_OK)
    {
        json_decref(entry);
        return ART_ERROR;
    }

    *merged = entry;

    return ART_OK;
}


/*
 * The keys of a new entry are in the order of the platform's own writer:
 * mimeType, createdAt, updatedAt, modifiedBy, messageId, agentId.
 */

static int
art_journal_merge_put(json_t *entry, const art_journal_record_t *first,
    const art_journal_record_t *last)
{
    uint8_t    created_at[ART_TIME_LEN], updated_at[ART_TIME_LEN];
    json_t    *created;

    art_time_print(created_at, first->time);
    art_time_print(updated_at, last->time);

    if (art_journal_merge_set(entry, "mimeType", last->mime) != ART_OK) {
        return ART_ERROR;
    }

    /* the "type" of other writers would win when the entry is read */

    if (json_object_get(entry, "type") != NULL
        && art_journal_merge_set(entry, "type", last->mime) != ART_OK)
    {
        return ART_ERROR;
    }

    created = json_object_get(entry, "createdAt");

    if ((created == NULL || json_is_null(created))
        && art_journal_merge_set(entry, "createdAt",
                                 art_str(created_at, ART_TIME_LEN))
           != ART_OK)
    {
        return ART_ERROR;
    }

    (void) json_object_del(entry, "size");

    if (art_journal_merge_set(entry, "updatedAt",
                              art_str(updated_at, ART_TIME_LEN))
           != ART_OK
        || json_object_set_new(entry, "modifiedBy", json_null()) != 0
        || art_journal_merge_set(entry, "messageId", last->message_id)
           != ART_OK
        || art_journal_merge_set(entry, "agentId", last->agent_id) != ART_OK)
    {
        return ART_ERROR;
    }

    return ART_OK;
}


/* Sets a string; an empty one is removed. */

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
