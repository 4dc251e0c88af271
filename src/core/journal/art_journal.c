
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_bytes.h"
#include "core/base/art_hash.h"
#include "core/base/art_time.h"
#include "core/text/art_utf8.h"
#include "core/json/art_json_escape.h"
#include "core/journal/art_journal_merge.h"


#define ART_JOURNAL_MAGIC     "AJR1"
#define ART_JOURNAL_NSTRINGS  4
#define ART_JOURNAL_SUMMED    16     /* where the checked bytes begin */


static int art_journal_sound(const art_journal_record_t *record);
static art_str_t art_journal_text(art_str_t text, uint8_t *buf);
static size_t art_journal_select(art_str_t journal, art_str_t path,
    art_journal_record_t *records);
static json_t *art_journal_entry(const art_meta_t *meta);
static art_meta_status_t art_journal_meta(json_t *entry,
    const art_journal_record_t *records, size_t n, art_meta_t *meta);


size_t
art_journal_encode(uint8_t *dst, const art_journal_record_t *record)
{
    size_t      i, len;
    uint8_t    *p, agent[ART_META_ID_MAX], message[ART_META_ID_MAX];
    art_str_t   strings[ART_JOURNAL_NSTRINGS];

    if (!art_journal_sound(record)) {
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
    (void) art_bytes_put(dst + 8, art_journal_sum(dst + ART_JOURNAL_SUMMED,
                                               len - ART_JOURNAL_SUMMED), 8);

    return len;
}


static int
art_journal_sound(const art_journal_record_t *record)
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


/* Valid UTF-8 of at most ART_META_ID_MAX bytes, the size of "buf". */

static art_str_t
art_journal_text(art_str_t text, uint8_t *buf)
{
    art_out_t  out;

    out.data = buf;
    out.len = 0;
    out.room = ART_META_ID_MAX;

    /* every byte gives one or more: the rest would not fit anyway */

    if (text.len > ART_META_ID_MAX + 4) {
        text.len = ART_META_ID_MAX + 4;
    }

    art_json_string(&out, text, 0);

    if (out.len > out.room) {
        out.len = art_utf8_valid_len(buf, out.room);
    }

    return art_str(buf, out.len);
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
        || !art_journal_sound(record)
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
    json_t                *entry;
    size_t                 n;
    art_meta_t             old;
    art_journal_record_t  *records;

    n = art_journal_select(journal, path, NULL);

    if (n == 0) {
        return status;
    }

    memset(&old, 0, sizeof(old));

    if (status == ART_META_OK) {
        old = *meta;
    }

    memset(meta, 0, sizeof(art_meta_t));

    records = malloc(n * sizeof(art_journal_record_t));
    entry = status == ART_META_OK ? art_journal_entry(&old) : NULL;

    if (records == NULL || (status == ART_META_OK && entry == NULL)) {
        json_decref(entry);
        status = ART_META_CORRUPT;

    } else {
        (void) art_journal_select(journal, path, records);
        status = art_journal_meta(entry, records, n, meta);
    }

    free(records);
    art_meta_free(&old);

    return status;
}


/* The records of a path, counted, and written if there is where to. */

static size_t
art_journal_select(art_str_t journal, art_str_t path,
    art_journal_record_t *records)
{
    size_t                n, pos;
    art_journal_record_t  record;

    n = 0;
    pos = 0;

    while (art_journal_next(journal, &pos, &record)) {

        if (record.op == ART_JOURNAL_CLOCK
            || !art_str_eq(record.path, path))
        {
            continue;
        }

        if (records != NULL) {
            records[n] = record;
        }

        n++;
    }

    return n;
}


static art_meta_status_t
art_journal_meta(json_t *entry, const art_journal_record_t *records,
    size_t n, art_meta_t *meta)
{
    json_t             *merged;
    art_meta_status_t   status;

    if (art_journal_merge(entry, records, n, &merged) != ART_OK) {
        return ART_META_CORRUPT;
    }

    if (merged == NULL) {
        return ART_META_ABSENT;
    }

    status = art_meta_take_entry(merged, meta);

    json_decref(merged);

    return status;
}


/* The tree that a record was made of, without what the record left out. */

static json_t *
art_journal_entry(const art_meta_t *meta)
{
    json_t  *entry, *value;
    size_t   i;

    static const struct {
        const char  *key;
        size_t       offset;
    } fields[] = {
        { "mimeType", offsetof(art_meta_t, mime) },
        { "type", offsetof(art_meta_t, type) },
        { "name", offsetof(art_meta_t, name) },
        { "createdAt", offsetof(art_meta_t, created) },
        { "updatedAt", offsetof(art_meta_t, updated) },
        { "messageId", offsetof(art_meta_t, message_id) },
        { "agentId", offsetof(art_meta_t, agent_id) }
    };

    art_str_t  field;

    entry = meta->extra.data != NULL ? art_meta_load(meta->extra)
                                     : json_object();

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        memcpy(&field, (const uint8_t *) meta + fields[i].offset,
               sizeof(field));

        if (field.data == NULL) {
            continue;
        }

        value = json_stringn_nocheck((const char *) field.data, field.len);

        if (json_object_set_new(entry, fields[i].key, value) != 0) {
            goto failed;
        }
    }

    if (meta->modified_by.data != NULL) {
        value = json_loadb((const char *) meta->modified_by.data,
                           meta->modified_by.len, JSON_ALLOW_NUL, NULL);

        if (json_object_set_new(entry, "modifiedBy", value) != 0) {
            goto failed;
        }
    }

    return entry;

failed:

    json_decref(entry);

    return NULL;
}


/* Eight bytes at a time, as every read of the journal checks all of it. */

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
