
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_journal: records, torn ends, and what a reader makes of them.
 */


#include <jansson.h>

#include "journal_add.h"
#include "tap.h"

#include "core/journal/art_journal.h"
#include "core/base/art_time.h"
#include "core/meta/art_meta.h"


#define T0  1767225600000        /* 2026-01-01T00:00:00.000Z */


static uint8_t  journal[65536];
static size_t   journal_len;


static void
add(art_journal_op_t op, const char *path, const char *mime, uint64_t time,
    const char *agent, const char *message)
{
    journal_add(journal, &journal_len, op, path, mime, time, agent, message);
}


static size_t
whole_of(art_str_t text)
{
    uint64_t             time;
    art_journal_clock_t  clock;

    memset(&clock, 0, sizeof(clock));

    return art_journal_clock_read(&clock, text, &time);
}


static uint64_t
next_time(art_str_t text, uint64_t now)
{
    uint64_t             after;
    art_journal_clock_t  clock;

    after = 0;
    memset(&clock, 0, sizeof(clock));

    (void) art_journal_clock_read(&clock, text, &after);

    return art_journal_clock_next(&clock, now, after);
}


static art_str_t
all(void)
{
    return art_str(journal, journal_len);
}


static void
check_encode(void)
{
    size_t                pos, len;
    uint8_t               buf[ART_JOURNAL_RECORD_MAX];
    static char           text[5000];
    art_journal_record_t  record, back;

    memset(&record, 0, sizeof(record));

    record.op = ART_JOURNAL_PUT;
    record.created = 1;
    record.time = T0;
    record.path = art_cstr("src/main.js");
    record.mime = art_cstr("text/javascript");
    record.agent_id = art_cstr("agent-1");
    record.message_id = art_cstr("msg-1");

    len = art_journal_encode(buf, &record);
    is_int((long long) len, ART_JOURNAL_HEAD + 11 + 15 + 7 + 5, "its length");

    /* the format is on disk: it does not change from machine to machine */

    ok(memcmp(buf, "AJR1\x4e\0\0\0", 8) == 0, "magic and length");
    ok(memcmp(buf + 16, "\1\1\x0b\0\x0f\0\7\0\5\0\0\0\0\0\0\0", 16) == 0,
       "op, created and lengths");
    is_mem(buf + 8, 8, "\x1e\xd3\x53\xa0\xf7\xf8\x58\x16", 8,
           "checksum");

    pos = 0;
    ok(art_journal_next(art_str(buf, len), &pos, &back) && pos == len
       && back.op == ART_JOURNAL_PUT && back.created == 1 && back.time == T0
       && art_str_eq(back.path, record.path)
       && art_str_eq(back.mime, record.mime)
       && art_str_eq(back.agent_id, record.agent_id)
       && art_str_eq(back.message_id, record.message_id), "reads back");

    record.agent_id = art_str("a\xff\xe5", 3);
    memset(text, 'x', sizeof(text));
    memcpy(text + 254, "\xe4\xb8\xad", 3);
    record.message_id = art_str(text, 300);

    len = art_journal_encode(buf, &record);
    pos = 0;
    ok(art_journal_next(art_str(buf, len), &pos, &back) == 1, "odd strings");
    is_mem(back.agent_id.data, back.agent_id.len,
           "a\xef\xbf\xbd\xef\xbf\xbd", 7, "are made UTF-8");
    is_mem(back.message_id.data, back.message_id.len, text, 254,
           "and cut between characters");

    memset(text, 'x', sizeof(text));
    record.path = art_str(text, ART_ID_PATH_MAX);
    record.mime = art_str(text, ART_META_TYPE_MAX);
    record.agent_id = art_str(text, sizeof(text));
    record.message_id = record.agent_id;
    is_int((long long) art_journal_encode(buf, &record),
           ART_JOURNAL_RECORD_MAX, "the largest record");

    record.mime.len++;
    ok(art_journal_encode(buf, &record) == 0, "a long media type");
    record.mime.len = 0;
    ok(art_journal_encode(buf, &record) == 0, "no media type");

    record.op = ART_JOURNAL_DELETE;
    ok(art_journal_encode(buf, &record) > 0, "a delete has none");
    record.time = ART_TIME_MAX + 1;
    ok(art_journal_encode(buf, &record) == 0, "the year 10000");
    record.time = T0;
    record.path.len++;
    ok(art_journal_encode(buf, &record) == 0, "a long path");
    record.path = art_cstr("");
    ok(art_journal_encode(buf, &record) == 0, "no path");
    record.path = art_str("a\0b", 3);
    ok(art_journal_encode(buf, &record) == 0, "a NUL in it");
    record.path = art_cstr("\xff");
    ok(art_journal_encode(buf, &record) == 0, "no UTF-8");
    record.path = art_cstr("a");
    record.op = (art_journal_op_t) 4;
    ok(art_journal_encode(buf, &record) == 0, "an unknown op");
    record.op = ART_JOURNAL_CLOCK;
    is_int((long long) art_journal_encode(buf, &record), ART_JOURNAL_HEAD,
           "a clock record has a head only");
}


static void
check_torn(void)
{
    size_t                i, j, pos, bad, bounds[21];
    uint8_t              *copy;
    art_journal_record_t  record;

    journal_len = 0;

    for (i = 0; i < 20; i++) {
        bounds[i] = journal_len;
        add(i % 5 == 4 ? ART_JOURNAL_DELETE : ART_JOURNAL_PUT,
            i % 2 ? "a/b" : "c", "text/plain", T0 + i, "agent", "m");
    }

    bounds[20] = journal_len;
    bad = 0;

    for (i = 0, j = 0; i <= journal_len; i++) {

        if (j < 20 && i == bounds[j + 1]) {
            j++;
        }

        copy = malloc(i + 1);
        memcpy(copy, journal, i);
        bad += whole_of(art_str(copy, i)) != bounds[j];
        free(copy);
    }

    is_int((long long) bad, 0, "cut anywhere, whole records count");

    bad = 0;

    for (i = 0; i < journal_len; i++) {
        journal[i] ^= (uint8_t) (1 + tap_below(255));
        pos = whole_of(all());

        for (j = 0; bounds[j + 1] <= i; j++) {
            /* void */
        }

        bad += pos != bounds[j];

        for (pos = 0; art_journal_next(all(), &pos, &record); /* void */) {
            /* void */
        }

        bad += pos != bounds[j];

        journal_len = 0;
        for (j = 0; j < 20; j++) {
            add(j % 5 == 4 ? ART_JOURNAL_DELETE : ART_JOURNAL_PUT,
                j % 2 ? "a/b" : "c", "text/plain", T0 + j, "agent", "m");
        }
    }

    is_int((long long) bad, 0, "a changed byte ends the journal before it");

    ok(next_time(all(), T0 + 5) == T0 + 20, "the clock goes on");
    ok(next_time(all(), T0 + 19) == T0 + 20, "by a millisecond");
    ok(next_time(all(), T0 + 500) == T0 + 500, "or as it is");
    ok(next_time(art_str(NULL, 0), 7) == 7, "in an empty journal");

    ok(art_journal_find(all(), art_cstr("c"), &record)
       && record.time == T0 + 18, "the newest record of a path");
    ok(art_journal_find(all(), art_cstr("a/b"), &record)
       && record.time == T0 + 19 && record.op == ART_JOURNAL_DELETE,
       "which may be a delete");
    ok(!art_journal_find(all(), art_cstr("a"), &record), "no other path");
}


static void
is_field(art_str_t got, const char *want, const char *name)
{
    is_mem(got.data, got.len, want ? want : "", want ? strlen(want) : 0, name);
}


static void
check_apply(void)
{
    json_t      *history;
    art_meta_t   meta;

    static const char  doc[] =
        "{\"files\":{\"a\":{\"mimeType\":\"x/old\",\"type\":\"x/old\","
        "\"createdAt\":\"C\",\"updatedAt\":\"U\",\"size\":7,\"name\":\"n\","
        "\"tag\":[1,0.1],\"messageId\":\"old\",\"modifiedBy\":["
        "{\"agentId\":\"A\",\"timestamp\":\"2026-01-01T00:00:00.001Z\","
        "\"messageId\":\"M\"}]}}}";

    journal_len = 0;
    add(ART_JOURNAL_PUT, "a", "x/1", T0 + 1, "A", "M");
    add(ART_JOURNAL_PUT, "b", "x/2", T0 + 2, "A", "M");
    add(ART_JOURNAL_CLOCK, "", "", T0 + 2, "", "");

    ok(art_meta_parse_key(art_cstr(doc), art_cstr("a"), 0, &meta)
       == ART_META_OK, "an entry");
    ok(art_journal_apply(all(), art_cstr("z"), ART_META_OK, &meta)
       == ART_META_OK, "no record");
    ok(art_journal_apply(all(), art_cstr("a"), ART_META_OK, &meta)
       == ART_META_OK, "a folded record");
    is_field(meta.mime, "x/old", "changes nothing");

    add(ART_JOURNAL_PUT, "a", "x/3", T0 + 3, "B", "");
    add(ART_JOURNAL_PUT, "a", "x/4", T0 + 4, "", "");

    ok(art_journal_apply(all(), art_cstr("a"), ART_META_OK, &meta)
       == ART_META_OK, "new ones");
    is_field(meta.mime, "x/4", "mimeType");
    is_field(meta.type, "x/4", "type");
    is_field(meta.created, "C", "createdAt stays");
    is_field(meta.updated, "2026-01-01T00:00:00.004Z", "updatedAt");
    is_field(meta.name, "n", "name stays");
    is_field(meta.extra, "{\"tag\":[1,0.1]}", "unknown keys stay");
    is_field(meta.message_id, NULL, "messageId is of the last write");
    is_field(meta.modified_by,
             "[{\"agentId\":\"A\",\"timestamp\":\"2026-01-01T00:00:00.001Z\","
             "\"messageId\":\"M\"},"
             "{\"agentId\":\"B\",\"timestamp\":\"2026-01-01T00:00:00.003Z\","
             "\"messageId\":null}]", "modifiedBy");
    ok(art_journal_apply(all(), art_cstr("a"), ART_META_OK, &meta)
       == ART_META_OK, "and once more");
    history = json_loadb((char *) meta.modified_by.data, meta.modified_by.len,
                         0, NULL);
    is_int((long long) json_array_size(history), 2, "is the same");
    json_decref(history);

    add(ART_JOURNAL_DELETE, "a", "", T0 + 5, "", "");
    ok(art_journal_apply(all(), art_cstr("a"), ART_META_OK, &meta)
       == ART_META_ABSENT && meta.memory == NULL, "a delete");

    add(ART_JOURNAL_PUT, "a", "x/6", T0 + 6, "A", "M6");
    ok(art_journal_apply(all(), art_cstr("a"), ART_META_ABSENT, &meta)
       == ART_META_OK, "a new file");
    is_field(meta.created, "2026-01-01T00:00:00.006Z", "has a new createdAt");
    is_field(meta.message_id, "M6", "messageId");
    is_field(meta.agent_id, "A", "agentId");
    art_meta_free(&meta);

    ok(art_journal_apply(all(), art_cstr("b"), ART_META_CORRUPT, &meta)
       == ART_META_OK, "a corrupt document is as good as none");
    art_meta_free(&meta);
}


static void
check_keys(void)
{
    uint8_t     buf[16];
    art_str_t   key;
    art_meta_t  meta;

    static const char  doc[] =
        "{\"files\":{\"a/b\":{\"mimeType\":\"x/1\"},"
        "\"\\u4e2d\":{\"mimeType\":\"x/2\"},\"n\":3}}";

    ok(art_meta_other_key(art_cstr("a\\b"), buf, &key) == 1, "another key");
    is_field(key, "a/b", "with slashes");
    ok(!art_meta_other_key(art_cstr("a/b"), buf, &key), "no other key");

    ok(art_meta_parse_key(art_cstr(doc), art_cstr("a\\b"), 0, &meta)
       == ART_META_ABSENT, "keys are compared exactly");
    ok(art_meta_parse_key(art_cstr(doc), art_cstr("\xe4\xb8\xad"), 0, &meta)
       == ART_META_OK, "and decoded");
    art_meta_free(&meta);
    ok(art_meta_parse_key(art_cstr(doc), art_cstr("n"), 0, &meta)
       == ART_META_ABSENT, "a number is no entry");
    ok(art_meta_parse_key(art_cstr("{"), art_cstr("n"), 0, &meta)
       == ART_META_CORRUPT, "a cut document");

    ok(art_meta_parse_member(art_cstr("{\"\\u0061\" :{\"mimeType\":\"m\"}}"),
                             art_cstr("a"), 0, &meta) == ART_META_OK,
       "a member by itself");
    art_meta_free(&meta);
    ok(art_meta_parse_member(art_cstr("{\"ab\":{}}"), art_cstr("a"), 0, &meta)
       == ART_META_ABSENT, "of another key");
    ok(art_meta_parse_member(art_cstr("{b\":{}}"), art_cstr("a"), 0, &meta)
       == ART_META_CORRUPT, "no member");
}


int
main(void)
{
    check_encode();
    check_torn();
    check_apply();
    check_keys();

    return done();
}
