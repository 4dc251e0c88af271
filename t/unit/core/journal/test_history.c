
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/json/art_json_members.h"
#include "core/journal/art_history.h"
#include "tap.h"


#define TIME      1767225600000          /* 2026-01-01T00:00:00.000Z */
#define RECORDS   3000


static art_journal_record_t  records[RECORDS];


static void
make_records(void)
{
    size_t  i;

    memset(records, 0, sizeof(records));

    for (i = 0; i < RECORDS; i++) {
        records[i].op = ART_JOURNAL_PUT;
        records[i].time = TIME + i;
        records[i].agent_id = art_cstr(i % 3 == 2 ? "" : "a\"1");
        records[i].message_id = art_cstr(i % 2 ? "m" : "");
    }
}


static void
is_folded(const char *text, size_t n, long long want, const char *name)
{
    art_history_t  history;

    memset(&history, 0, sizeof(history));
    history.text = art_cstr(text);
    history.records = records;
    history.n = n;

    (void) art_history_merge(&history, 1);

    is_int((long long) (history.records - records), want, name);
}


#define WRITE(agent, time, message)                                          \
    "{\"messageId\":" message ",\"more\":[1], \"agentId\" : \"" agent "\","   \
    "\"timestamp\":\"2026-01-01T00:00:00." time "Z\"}"

static void
check_folded(void)
{
    is_folded("", 4, 0, "no history");
    is_folded("[]", 4, 0, "an empty one");
    is_folded("[" WRITE("a\\\"1", "000", "null") "]", 4, 1, "the first");
    is_folded("[" WRITE("a\\u00221", "001", "\"m\"") ", 7,{}]", 4, 2,
              "and all before it");
    is_folded("[" WRITE("a\\\"1", "000", "\"m\"") "]", 4, 0,
              "another message");
    is_folded("[" WRITE("b", "000", "null") "]", 4, 0, "another agent");
    is_folded("[" WRITE("", "002", "null") "]", 4, 0, "no agent");
    is_folded("[" WRITE("a\\\"1", "009", "\"m\"") "]", 4, 0, "none of them");
    is_folded("[" WRITE("a\\\"1", "003", "\"m\"") ","
              WRITE("a\\\"1", "000", "null") "]", 4, 4, "in any order");
    is_folded("[{\"agentId\":1,\"timestamp\":2,\"messageId\":[333333333]}]", 4,
              0, "no strings");
}


/* Prints a history; the writes in it are counted. */

static size_t
print(art_history_t *history, unsigned indent, size_t max, art_str_t *last)
{
    size_t              len, n;
    art_out_t           out;
    art_json_members_t  writes;

    static uint8_t  *buf;

    len = art_history_fit(history, indent, 3, max);

    free(buf);
    buf = malloc(len + 1);
    buf[len] = 'x';

    out = art_out(buf, len);
    art_history_print(&out, history, indent, 3);

    ok(out.len == len && buf[len] == 'x' && len <= max,
       "%zu bytes of %zu", len, max);

    n = 0;

    if (art_json_elements(&writes, art_str(buf, len)) == ART_OK) {
        while (art_json_element(&writes, last) == 1) {
            n++;
        }
    }

    return n;           /* "last" is in "buf", until the next call */
}


/* Earlier writes stay as they are written; the oldest are dropped first. */

static void
check_text(const char *text, unsigned indent, size_t max, const char *want)
{
    uint8_t        buf[256];
    art_out_t      out;
    art_history_t  history;

    memset(&history, 0, sizeof(history));
    history.text = art_cstr(text);
    history.records = records;
    history.n = 1;

    (void) art_history_fit(&history, indent, 3, max);

    out = art_out(buf, sizeof(buf));
    art_history_print(&out, &history, indent, 3);

    is_mem(buf, out.len < strlen(want) ? out.len : strlen(want), want,
           strlen(want), text);
}


static void
check_print(void)
{
    size_t         all, n;
    art_str_t      last;
    art_history_t  history;

    static const char  newest[] =
        "{\"agentId\":\"a\\\"1\",\"timestamp\":\"2026-01-01T00:00:02.998Z\","
        "\"messageId\":null}";

    memset(&history, 0, sizeof(history));
    history.text = art_cstr("[{},{\"agentId\":\"old\"}]");

    is_int((long long) print(&history, 0, 1000, &last), 2, "what was there");

    history.records = records;
    history.n = RECORDS;

    all = 2 + RECORDS / 3 * 2;

    is_int((long long) print(&history, 0, 1000000, &last), (long long) all,
           "and all records with an agent");
    is_mem(last.data, last.len, newest, strlen(newest), "the newest is last");

    n = print(&history, 0, 100000, &last);
    ok(n > 1000 && n < all, "too long: %zu are left", n);
    is_mem(last.data, last.len, newest, strlen(newest), "the newest is last");

    n = print(&history, 2, 100000, &last);
    ok(n > 500 && n < 1000, "with white space %zu", n);

    is_int((long long) print(&history, 2, 2, &last), 0, "no room for any");

    check_text("[ {} ,\n{\"a\": [1]}  ]", 0, 100, "[{} ,\n{\"a\": [1]},{");
    check_text("[\t1000000000, 2000000000,\n[3, 4], \"]\" ]", 0, 105,
               "[[3, 4], \"]\",{");
    check_text("[\t1000000000, 2000000000,\n[3, 4], \"]\" ]", 0, 111,
               "[[3, 4], \"]\",{");
    check_text("[\t1000000000, 2000000000,\n[3, 4], \"]\" ]", 0, 112,
               "[1000000000, 2000000000,\n[3, 4], \"]\",{");
    check_text("[\n]", 0, 100, "[{\"agentId\":");
    check_text("[1,2]", 2, 200, "[\n        1,2,\n        {\n          \"");
    check_text("[1,2,3]", 0, 80, "[]");
}


int
main(void)
{
    make_records();
    check_folded();
    check_print();

    return done();
}
