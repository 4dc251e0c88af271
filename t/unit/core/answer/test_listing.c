
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The JSON of listings; entries of many files found in one pass; times and
 * ids that listings show.
 */


#include <jansson.h>

#include "core/ref/art_id.h"
#include "core/journal/art_journal.h"
#include "core/json/art_json_members.h"
#include "core/answer/art_listing.h"
#include "core/meta/art_meta.h"
#include "core/journal/art_meta_index.h"
#include "tap.h"


#define CASES  400
#define PATHS  24


static uint8_t  memory[65536];


static art_out_t
room(void)
{
    art_out_t  out;

    out.data = memory;
    out.len = 0;
    out.room = sizeof(memory);

    return out;
}


static void
test_print(void)
{
    art_out_t            out;
    art_listing_t        list;
    art_json_put_t       put;
    art_listing_entry_t  entry;

    memset(&list, 0, sizeof(list));
    memset(&entry, 0, sizeof(entry));

    out = room();
    list.kind = ART_LISTING_WORKSPACES;
    entry.id = art_cstr("w\"1");
    entry.created = art_cstr("C");
    entry.updated = art_cstr("U");

    art_json_put_init(&put, &out, 0);
    art_listing_begin(&put, &list);
    art_listing_entry(&put, &list, &entry);
    entry.created = art_str(NULL, 0);
    art_listing_entry(&put, &list, &entry);
    art_listing_end(&put, 2, "next", art_cstr("w\"1"));

    out.data[out.len] = '\0';
    is_str((char *) out.data,
           "{\"workspaces\":[{\"id\":\"w\\\"1\",\"createdAt\":\"C\","
           "\"updatedAt\":\"U\"},{\"id\":\"w\\\"1\",\"updatedAt\":\"U\"}],"
           "\"count\":2,\"next\":\"w\\\"1\"}", "workspaces");

    out = room();
    list.kind = ART_LISTING_FOLDER;
    list.workspace = art_cstr("w");
    list.path = art_cstr("src");
    entry.path = art_cstr("src/a");
    entry.name = art_cstr("a");
    entry.mime = art_cstr("text/plain");
    entry.size = 18446744073709551615u;

    art_json_put_init(&put, &out, 0);
    art_listing_begin(&put, &list);
    art_listing_entry(&put, &list, &entry);
    entry.folder = 1;
    art_listing_entry(&put, &list, &entry);
    art_listing_end(&put, 2, "next", art_str(NULL, 0));

    out.data[out.len] = '\0';
    is_str((char *) out.data,
           "{\"workspaceId\":\"w\",\"path\":\"src\",\"entries\":["
           "{\"path\":\"src/a\",\"name\":\"a\",\"kind\":\"file\","
           "\"id\":\"ws:w:c3JjL2E\",\"mimeType\":\"text/plain\","
           "\"size\":18446744073709551615,\"updatedAt\":\"U\"},"
           "{\"path\":\"src/a\",\"name\":\"a\",\"kind\":\"folder\","
           "\"updatedAt\":\"U\"}],\"count\":2}", "a folder");

    out = room();
    list.kind = ART_LISTING_ARTIFACTS;
    entry.id = art_cstr("x\\y");
    entry.name = art_cstr("a\nb\xff");
    entry.size = 0;
    entry.message_id = art_cstr("m");

    art_json_put_init(&put, &out, 0);
    art_listing_begin(&put, &list);
    art_listing_entry(&put, &list, &entry);
    art_listing_end(&put, 1, "next", art_str(NULL, 0));

    out.data[out.len] = '\0';
    is_str((char *) out.data,
           "{\"artifacts\":[{\"id\":\"x\\\\y\",\"artifactRef\":"
           "\"artifact:x\\\\y\",\"name\":\"a_b\xef\xbf\xbd\","
           "\"type\":\"text/plain\",\"mimeType\":\"text/plain\",\"size\":0,"
           "\"updatedAt\":\"U\",\"messageId\":\"m\"}],\"count\":1}",
           "artifacts");
}


/* The longest id there is fits. */

static void
test_longest(void)
{
    json_t              *json, *item;
    art_out_t            out;
    art_listing_t        list;
    art_json_put_t       put;
    art_listing_entry_t  entry;
    uint8_t              path[ART_ID_PATH_MAX], workspace[ART_ID_NAME_MAX];

    memset(path, 'p', sizeof(path));
    memset(workspace, '"', sizeof(workspace));
    memset(&entry, 0, sizeof(entry));

    list.kind = ART_LISTING_FOLDER;
    list.workspace = art_str(workspace, sizeof(workspace));
    list.path = art_str(NULL, 0);
    entry.path = art_str(path, sizeof(path));
    entry.name = art_str(path, 255);

    out = room();
    art_json_put_init(&put, &out, 0);
    art_listing_begin(&put, &list);
    art_listing_entry(&put, &list, &entry);
    art_listing_end(&put, 1, "next", art_str(NULL, 0));

    json = json_loadb((char *) out.data, out.len, 0, NULL);
    item = json_array_get(json_object_get(json, "entries"), 0);

    is_int((long long) json_string_length(json_object_get(item, "id")),
           3 + 255 + 1 + 5460, "the longest id there is");
    is_str(json_string_value(json_object_get(json, "path")), "",
           "no path is an empty one");

    json_decref(json);
}


/* Random paths of few letters, in order, some of them twice. */

static void
random_paths(art_meta_wanted_t *wanted, uint8_t text[][8])
{
    size_t  i, k, len;

    static const char  alphabet[] = "a/\\\"";

    for (i = 0; i < PATHS; i++) {
        len = 1 + tap_below(4);

        for (k = 0; k < len; k++) {
            text[i][k] = (uint8_t) alphabet[tap_below(4)];
        }

        wanted[i].key = art_str(text[i], len);
        wanted[i].item = i;
    }

    art_meta_sort(wanted, PATHS);
}


/* A sidecar with some of them, keys escaped or not, some of them twice. */

static size_t
random_sidecar(char *doc, const art_meta_wanted_t *wanted)
{
    char       key[128];
    size_t     i, k, len, used;
    art_str_t  path;

    used = (size_t) sprintf(doc, "{\"createdAt\":\"T\", \"files\": {");

    for (i = 0; i < PATHS; i++) {
        path = wanted[tap_below(PATHS)].key;
        len = 0;

        for (k = 0; k < path.len; k++) {
            len += (size_t) sprintf(key + len,
                                    tap_below(3) == 0 ? "\\u%04x"
                                    : path.data[k] == '"'
                                      || path.data[k] == '\\' ? "\\%c" : "%c",
                                    path.data[k]);
        }

        used += (size_t) sprintf(doc + used, "%s\"%.*s\" : %s",
                                 i ? " ,\n" : "", (int) len, key,
                                 tap_below(5) == 0 ? "null" : "{");

        if (doc[used - 1] == '{') {
            used += (size_t) sprintf(doc + used, "\"mimeType\":\"x/%zu\"}", i);
        }
    }

    used += (size_t) sprintf(doc + used, "}}");

    return used;
}


static void
test_find(void)
{
    char                doc[PATHS * 160];
    size_t              i, k, len, found;
    uint8_t             text[PATHS][8];
    unsigned            wrong;
    art_meta_t          one, many;
    art_meta_status_t   status;
    art_meta_wanted_t   wanted[PATHS];

    wrong = 0;
    found = 0;

    for (i = 0; i < CASES; i++) {
        random_paths(wanted, text);
        len = random_sidecar(doc, wanted);

        /* cut ones are corrupt for both */

        if (i % 10 == 0) {
            len = tap_below(len);
        }

        if (art_meta_find(art_str(doc, len), wanted, PATHS) != ART_OK) {
            wrong += i % 10 != 0;
        }

        for (k = 0; k < PATHS; k++) {
            status = art_meta_parse_key(art_str(doc, len), wanted[k].key,
                                        0, &one);

            wrong += (status == ART_META_OK)
                     != (art_meta_parse_entry(wanted[k].entry, 0, &many)
                         == ART_META_OK);

            if (status == ART_META_OK) {
                wrong += !art_str_eq(one.mime, many.mime);
                found++;
            }

            art_meta_free(&one);
            art_meta_free(&many);
        }
    }

    is_int(wrong, 0, "many entries are found as each is by itself");
    ok(found > CASES, "some are found, %zu of them", found);

    is_int(art_meta_find(art_cstr("{\"files\":[]}"), wanted, 1), ART_OK,
           "files that are no object");
    ok(wanted[0].entry.data == NULL, "have no entries");
    is_int(art_meta_find(art_cstr("[]"), wanted, 1), ART_ERROR,
           "a document that is none");
}


/* A journal of random writes to some paths and others, at times torn. */

static art_str_t
random_journal(uint8_t *journal, const art_meta_wanted_t *wanted,
    uint64_t *time)
{
    size_t                i, n, len;
    char                  mime[32];
    art_journal_record_t  record;

    static const art_journal_op_t  ops[] = {
        ART_JOURNAL_PUT, ART_JOURNAL_PUT, ART_JOURNAL_DELETE,
        ART_JOURNAL_CLOCK
    };

    len = 0;
    n = tap_below(40);

    for (i = 0; i < n; i++) {
        memset(&record, 0, sizeof(record));

        *time += 1 + tap_below(3);
        snprintf(mime, sizeof(mime), "x/%zu", i);

        record.op = ops[tap_below(4)];
        record.time = *time;
        record.path = tap_below(4) == 0 ? art_cstr("elsewhere")
                                        : wanted[tap_below(PATHS)].key;
        record.mime = art_cstr(mime);
        record.agent_id = art_cstr(tap_below(2) ? "agent" : "");

        len += art_journal_encode(journal + len, &record);
    }

    return art_str(journal, len - (tap_below(4) == 0 && len > 0 ? 1 : 0));
}


static void
test_records(void)
{
    size_t              i, k, found;
    uint8_t             text[PATHS][8], buf[2][8192], records[2 * 8192];
    uint64_t            time;
    unsigned            wrong;
    art_str_t           journals[2];
    art_meta_t          all, own;
    art_meta_status_t   one, many;
    art_meta_wanted_t   wanted[PATHS];

    wrong = 0;
    found = 0;
    time = 1700000000000;

    for (i = 0; i < CASES; i++) {
        random_paths(wanted, text);
        journals[0] = random_journal(buf[0], wanted, &time);
        journals[1] = random_journal(buf[1], wanted, &time);

        art_meta_records(journals, 2, wanted, PATHS, records);

        for (k = 0; k < PATHS; k++) {
            memset(&all, 0, sizeof(all));
            memset(&own, 0, sizeof(own));

            one = art_journal_apply(journals[0], wanted[k].key,
                                    ART_META_ABSENT, &all);
            one = art_journal_apply(journals[1], wanted[k].key, one, &all);
            many = art_journal_apply(wanted[k].records, wanted[k].key,
                                     ART_META_ABSENT, &own);

            wrong += one != many
                     || !art_str_eq(all.mime, own.mime)
                     || !art_str_eq(all.created, own.created)
                     || !art_str_eq(all.updated, own.updated)
                     || !art_str_eq(all.modified_by, own.modified_by);

            found += one == ART_META_OK;

            art_meta_free(&all);
            art_meta_free(&own);
        }
    }

    is_int(wrong, 0, "the records of a key say what the journals say of it");
    ok(found > CASES, "some are found, %zu of them", found);
}


static void
test_created(void)
{
    size_t     i;
    art_str_t  time;

    static const struct {
        const char  *text;
        const char  *time;
    } heads[] = {
        { "{\"workspaceId\":\"w\",\"createdAt\":\"2024\",\"files\":{}}",
          "2024" },
        { "{\"createdAt\":\"2024\",\"files\":{\"a\":{\"mime", "2024" },
        { "{\"createdAt\":\"1\",\"createdAt\":\"2\"}", "2" },
        { "{\"createdAt\":\"1\",\"createdAt\":7}", NULL },
        { "{\"createdAt\":\"20", NULL },
        { "{\"files\":{\"createdAt\":\"2024\"}}", NULL },
        { "{\"createdAt\":\"\"}", NULL },
        { "{\"createdAt\":\"a\\u0041\"}", NULL },
        { "{\"createdAt\":\"a\nb\"}", NULL },
        { "{\"createdAt\":\"\xff\"}", NULL },
        { "[]", NULL },
        { "", NULL }
    };

    for (i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        time = art_meta_created(art_cstr(heads[i].text));

        ok(heads[i].time ? art_str_eq(time, art_cstr(heads[i].time))
                         : time.data == NULL,
           "createdAt in %s", heads[i].text);
    }
}


static void
test_key(void)
{
    uint8_t    buf[8];
    art_str_t  key;

    is_int(art_json_key(art_cstr("plain"), buf, 5, &key), ART_OK, "a key");
    is_mem(key.data, key.len, "plain", 5, "is itself");
    is_int(art_json_key(art_cstr("plain"), buf, 4, &key), ART_ERROR,
           "unless it is too long");
    is_int(art_json_key(art_cstr("\\ud83d\\ude00\\/\\n"), buf, 6, &key),
           ART_OK, "a key with escapes");
    is_mem(key.data, key.len, "\xf0\x9f\x98\x80/\n", 6, "is decoded");
    is_int(art_json_key(art_cstr("\\ud83d\\ude00\\/\\n"), buf, 5, &key),
           ART_ERROR, "unless it is too long");
    is_int(art_json_key(art_cstr("\\ud83d"), buf, 8, &key), ART_ERROR,
           "half a pair");
    is_int(art_json_key(art_cstr("\\x"), buf, 8, &key), ART_ERROR,
           "no escape");
}


static void
test_regular(void)
{
    uint8_t          buf[512];
    char             ref[64];
    size_t           i;
    art_ref_t        parsed;
    art_id_status_t  status;

    static const char *const  ids[] = {
        "a", "a.b", "ws", "ws:", "ws:a:eA", "artifact:a", "artifact:ws:a:eA",
        ".a", "..", ".", "", "a/b", "a\x01", "\xff", "wsx:y"
    };

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        snprintf(ref, sizeof(ref), "artifact:%s", ids[i]);
        status = art_id_parse(art_cstr(ref), buf, &parsed);

        ok((art_id_regular(art_cstr(ids[i])) != 0)
           == (status == ART_ID_OK && parsed.kind == ART_ID_REGULAR
               && art_str_eq(parsed.id, art_cstr(ids[i]))),
           "\"%s\" is a regular id if a reference names it", ids[i]);
    }
}


int
main(void)
{
    test_print();
    test_longest();
    test_find();
    test_records();
    test_created();
    test_key();
    test_regular();

    return done();
}
