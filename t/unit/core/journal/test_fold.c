
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_fold: documents before and after.
 */



#include "tap.h"

#include "fold_run.h"


static fold_run_t  run;


/* Puts "path" with agent "A" and message "m" at T0 + ms. */

static void
put(const char *path, unsigned ms)
{
    fold_add(&run, ART_JOURNAL_PUT, path, "x/y", FOLD_T0 + ms, "A", "m");
}


static void
del(const char *path, unsigned ms)
{
    fold_add(&run, ART_JOURNAL_DELETE, path, "", FOLD_T0 + ms, "", "");
}


/* The fold of "doc" is "want", and folding that again changes nothing. */

static void
becomes(const char *doc, const char *want, const char *name)
{
    char               *again;
    size_t              len;
    art_fold_status_t   status;

    status = fold_run(&run, doc, strlen(doc), 7);

    if (status != ART_FOLD_OK) {
        ok(0, "%s: status %d", name, (int) status);
        return;
    }

    is_mem(run.out, run.out_len, want, strlen(want), name);

    len = run.out_len;
    again = malloc(len + 1);
    memcpy(again, run.out, len);

    ok(fold_run(&run, again, len, 3) == ART_FOLD_OK && run.out_len == len
       && memcmp(run.out, again, len) == 0, "%s, again", name);

    free(again);
}


#define NEW(key, ms)                                                         \
    "    \"" key "\": {\n"                                                   \
    "      \"mimeType\": \"x/y\",\n"                                         \
    "      \"createdAt\": \"2026-01-01T00:00:00." ms "Z\",\n"                \
    "      \"updatedAt\": \"2026-01-01T00:00:00." ms "Z\",\n"                \
    "      \"modifiedBy\": [\n"                                              \
    "        {\n"                                                            \
    "          \"agentId\": \"A\",\n"                                        \
    "          \"timestamp\": \"2026-01-01T00:00:00." ms "Z\",\n"            \
    "          \"messageId\": \"m\"\n"                                       \
    "        }\n"                                                            \
    "      ],\n"                                                             \
    "      \"messageId\": \"m\",\n"                                          \
    "      \"agentId\": \"A\"\n"                                             \
    "    }"


static void
check_new(void)
{
    fold_reset(&run);
    put("src/main.js", 1);
    del("gone", 2);
    put("gone/too", 3);
    del("gone/too", 4);
    put("\xe4\xb8\xad\"\\", 5);

    becomes("",
            "{\n"
            "  \"workspaceId\": \"ws\\\"1\",\n"
            "  \"createdAt\": \"2026-01-01T00:00:00.001Z\",\n"
            "  \"files\": {\n"
            NEW("src/main.js", "001") ",\n"
            NEW("\xe4\xb8\xad\\\"\\\\", "005") "\n"
            "  }\n"
            "}", "no document");

    ok(fold_run(&run, " \n\t", 3, 1) == ART_FOLD_OK && run.out[0] == '{',
       "white space is none either");

    fold_reset(&run);
    del("x", 7);
    becomes("", "{\n  \"workspaceId\": \"ws\\\"1\",\n"
            "  \"createdAt\": \"2026-01-01T00:00:00.007Z\",\n"
            "  \"files\": {}\n}", "nothing but a delete");

    /* a write without an agent has no author, and no message to name */

    fold_reset(&run);
    fold_add(&run, ART_JOURNAL_PUT, "a", "x/y", FOLD_T0, "", "");
    becomes("{\"files\":{}}",
            "{\"files\":{\n    \"a\": {\n      \"mimeType\": \"x/y\",\n"
            "      \"createdAt\": \"2026-01-01T00:00:00.000Z\",\n"
            "      \"updatedAt\": \"2026-01-01T00:00:00.000Z\",\n"
            "      \"modifiedBy\": []\n    }\n  }}", "an unknown author");
}


static void
check_merge(void)
{
    fold_reset(&run);
    put("a", 5);

    becomes("{\"files\": {\"a\" : {\"tag\":[1.5,0.1,12345678901234567],"
            "\"createdAt\":\"C\",\"size\":9,\"type\":\"t\",\"modifiedBy\":"
            "[{\"agentId\":\"Z\"}]} }}",
            "{\"files\": {\"a\": {\n"
            "      \"tag\": [\n        1.5,\n        0.1,\n"
            "        12345678901234567\n      ],\n"
            "      \"createdAt\": \"C\",\n      \"type\": \"x/y\",\n"
            "      \"modifiedBy\": [\n"
            "        {\"agentId\":\"Z\"},\n"
            "        {\n          \"agentId\": \"A\",\n"
            "          \"timestamp\": \"2026-01-01T00:00:00.005Z\",\n"
            "          \"messageId\": \"m\"\n        }\n      ],\n"
            "      \"mimeType\": \"x/y\",\n"
            "      \"updatedAt\": \"2026-01-01T00:00:00.005Z\",\n"
            "      \"messageId\": \"m\",\n      \"agentId\": \"A\"\n"
            "    } }}", "unknown keys stay, computed ones do not");

    becomes("{\"files\":{\"b\":1,\"a\":null , \"c\":-2.5e3}}",
            "{\"files\":{\"b\":1,\"a\": {\n"
            "      \"mimeType\": \"x/y\",\n"
            "      \"createdAt\": \"2026-01-01T00:00:00.005Z\",\n"
            "      \"updatedAt\": \"2026-01-01T00:00:00.005Z\",\n"
            "      \"modifiedBy\": [\n        {\n"
            "          \"agentId\": \"A\",\n"
            "          \"timestamp\": \"2026-01-01T00:00:00.005Z\",\n"
            "          \"messageId\": \"m\"\n        }\n      ],\n"
            "      \"messageId\": \"m\",\n      \"agentId\": \"A\"\n    }"
            " , \"c\":-2.5e3}}", "an entry that is none is begun anew");

    (void) fold_run(&run, "{\"files\":{\"a\":1}}", 17, 5);
    is_int(run.replaced, 1, "which is told");
    (void) fold_run(&run, "{\"files\":{\"a\":{\"x\":1e999}}}", 27, 5);
    is_int(run.replaced, 1, "of what jansson does not take, too");
}


static void
check_drop(void)
{
    fold_reset(&run);
    del("a", 1);
    del("\xe4\xb8\xad", 2);
    del("a/b", 3);

    becomes("{ \"files\" : {\n  \"a\" : 1 ,\n  \"b\":2,\n\t"
            "\"\\u4e2d\":[3]\n}}",
            "{ \"files\" : {\n  \"b\":2\n}}", "escaped keys are the same");
    becomes("{\"files\":{\"b\":2,\"a\":1}}", "{\"files\":{\"b\":2}}",
            "the last member goes");
    becomes("{\"files\":{\"a\":1,\"b\":2}}", "{\"files\":{\"b\":2}}",
            "the first");
    becomes("{\"files\":{\"a\":1}}", "{\"files\":{}}", "the only one");
    becomes("{\"files\":{\"b\":0,\"a\":1,\"c\":{\"a\":7},\"a\\/b\":1}}",
            "{\"files\":{\"b\":0,\"c\":{\"a\":7}}}", "one in the middle");
    becomes("{\"files\":{\"a\":1,\"a\":2,\"b\":1,\"a\":3,\"b\":2}}",
            "{\"files\":{\"b\":1,\"b\":2}}", "all of a key");
    becomes("{\"a\":{\"a\":1},\"files\":{\"\\ud83d\":1,\"\\udc00a\":2,"
            "\"\\ud83da\":3,\"aa\":4,\"a\\ud83d\":5}}",
            "{\"a\":{\"a\":1},\"files\":{\"\\ud83d\":1,\"\\udc00a\":2,"
            "\"\\ud83da\":3,\"aa\":4,\"a\\ud83d\":5}}",
            "other keys stay");
}


static void
check_double(void)
{
    fold_reset(&run);
    fold_add(&run, ART_JOURNAL_PUT, "a", "x/y", FOLD_T0, "", "");

    becomes("{\"files\":{\"a\":{\"createdAt\":\"1\"},\"b\":1,"
            "\"\\u0061\":{\"createdAt\":\"2\"},\"c\":1}}",
            "{\"files\":{\"b\":1,\"\\u0061\": {\n"
            "      \"createdAt\": \"2\",\n      \"mimeType\": \"x/y\",\n"
            "      \"updatedAt\": \"2026-01-01T00:00:00.000Z\",\n"
            "      \"modifiedBy\": []\n    },\"c\":1}}",
            "of two entries the last counts");

    fold_reset(&run);
    del("a", 0);

    becomes("{\"files\":{\"a\":1,\"z\":1},\"x\":1, \"f\\u0069les\":{\"b\":1,"
            "\"a\":2}}",
            "{\"x\":1, \"f\\u0069les\":{\"b\":1}}",
            "of two \"files\" the last counts");
    becomes("{\"files\":[1,{\"a\":2}],\"files\":{\"b\":1}}",
            "{\"files\":{\"b\":1}}", "whatever the first is");
    becomes("{\"files\":{\"b\":1},\"files\":null}", "{\"files\":{}}",
            "null is no files");
}


static void
check_files(void)
{
    fold_reset(&run);
    put("k", 1);

    becomes("{}", "{\n  \"files\": {\n" NEW("k", "001") "\n  }\n}",
            "an empty object");
    becomes(" { \n } \n", " {\n  \"files\": {\n" NEW("k", "001")
            "\n  }\n} \n", "with white space");
    becomes("{\n  \"workspaceId\": \"w\"\n}\n",
            "{\n  \"workspaceId\": \"w\",\n  \"files\": {\n" NEW("k", "001")
            "\n  }\n}\n", "without files");
    becomes("{\"x\":1}", "{\"x\":1,\n  \"files\": {\n" NEW("k", "001")
            "\n  }\n}", "on one line");
    becomes("{\"files\":null,\"x\":2}", "{\"files\":{\n" NEW("k", "001")
            "\n  },\"x\":2}", "null");
    becomes("{\n  \"files\": {\n    \"a\": {}\n  },\n"
            "  \"x\": {\"files\":{}}\n}",
            "{\n  \"files\": {\n    \"a\": {},\n" NEW("k", "001")
            "\n  },\n  \"x\": {\"files\":{}}\n}", "behind the others");
}


static void
check_corrupt(void)
{
    size_t  i;
    char   *deep;

    static const char *const  bad[] = {
        "[]", "1", "\"x\"", "null", "{", "{}x", "{}{}", "{\"files\":[]}",
        "{\"files\":1}", "{\"files\":{},\"files\":true}",
        "{\"files\":\"\"}", "\xef\xbb\xbf{}", "{\"a\":01}", "{\"a\":1.}",
        "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":-}", "{\"a\":tru}",
        "{\"a\":nul}", "{\"a\":1,}", "{,}", "{\"a\"}", "{\"a\":}", "{a:1}",
        "{\"a\":[1,]}", "{\"a\":[,1]}", "{\"a\":[1 2]}", "{\"a\":[}",
        "{\"a\":]}", "{\"a\":\"\n\"}", "{\"a\":\"\\x\"}",
        "{\"a\":\"\\u12g4\"}", ("{\"a\":\"\\u12\x11" "4\"}"),
        "{\"a\":\"\xff\"}", "{\"a\":\"\xc0\xaf\"}", "{\"a\":\"\xed\xa0\x80\"}",
        "{\"a\":\"\xf4\x90\x80\x80\"}", "{\"a\":\"\xe4\xb8\"}",
        "{\"\xff\":1}", "{\"a\":1}}", "{'a':1}", "{\"a\" 1}",
        "{\"a\":1 \"b\":2}",
        "{\"files\":{\"a\":1}", "{\"files\":{\"a\":1,}}", "{\"a\":--1}",
        "{\"a\":1.5.5}", "{\"a\":1e5e5}", "{\"a\":1e+}", "{\"a\":truex}"
    };

    fold_reset(&run);
    put("a", 1);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(fold_run(&run, bad[i], strlen(bad[i]), 1) == ART_FOLD_CORRUPT
           && run.out_len == 0, "corrupt document %zu", i);
    }

    ok(fold_run(&run, "{\"a\":\"\0\"}", 9, 1) == ART_FOLD_CORRUPT, "a NUL");

    deep = malloc(5 + 2 * 3000);
    memcpy(deep, "{\"a\":", 5);

    memset(deep + 5, '[', 2047);
    memset(deep + 5 + 2047, ']', 2047);
    deep[5 + 2 * 2047] = '}';
    ok(fold_run(&run, deep, 6 + 2 * 2047, 100) == ART_FOLD_OK, "2048 deep");

    memset(deep + 5, '[', 2048);
    memset(deep + 5 + 2048, ']', 2048);
    deep[5 + 2 * 2048] = '}';
    ok(fold_run(&run, deep, 6 + 2 * 2048, 100) == ART_FOLD_CORRUPT,
       "2049 deep");

    free(deep);
}


static int
refuse(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    (void) p;
    (void) len;

    return ART_ERROR;
}


static int
refuse_read(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    return offset > 5 ? ART_ERROR : fold_read(data, offset, buf, len);
}


/* Another document from the second time on that its beginning is read. */

static const char  *second;


static int
read_second(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    static unsigned  begun;

    begun = offset == 0 ? begun + 1 : begun;

    if (begun == 2 && second != NULL) {
        run.doc = second;
        run.doc_len = strlen(second);
        second = NULL;
        begun = 0;
    }

    return fold_read(data, offset, buf, len);
}


/* A key that does not end. */

static int
read_endless(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    (void) data;

    memset(buf, 'x', *len);

    if (offset == 0) {
        memcpy(buf, "{\"", 2);
    }

    return ART_OK;
}


static void
check_failures(void)
{
    size_t     i;
    fold_as_t  as;

    static const char  doc[] = "{\"files\":{\"b\":1}}";

    static const char *const  others[] = {
        "{\"files\":{\"c\":1}}", "{]", "{\"fil", "",
        "{\"files\":{\"b\":1}} "
    };

    fold_reset(&run);
    put("a", 1);

    as = fold_as;
    as.write = refuse;
    ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as) == ART_FOLD_FAILED,
       "no place to write to");

    as = fold_as;
    as.read = refuse_read;
    ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as) == ART_FOLD_FAILED
       && run.out_len == 0, "a document that cannot be read");

    as.read = read_endless;
    ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as) == ART_FOLD_TOO_LONG
       && run.out_len == 0, "a member that does not end");

    as.read = read_second;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        second = others[i];
        ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as)
           == ART_FOLD_CHANGED, "another document, %zu", i);
    }

    as = fold_as;
    as.max = 1;
    ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as) == ART_FOLD_OK
       && run.index.over && run.out_len > sizeof(doc),
       "an index that is full");

    as.max = 0;
    ok(fold_run_as(&run, doc, sizeof(doc) - 1, 5, &as) == ART_FOLD_OK
       && run.index.over, "an index of nothing");

    (void) fold_run(&run, "{\"a\":1, ]", 9, 3);
    is_int((long long) run.position, 8, "it tells where a document breaks");
    (void) fold_run(&run, "{\"a\":1", 6, 3);
    is_int((long long) run.position, 6, "or ends");
}


/* Small steps, whatever there is to do. */

static void
check_steps(void)
{
    char        *doc, path[16];
    size_t       i, len;

    doc = malloc(1000000);
    len = (size_t) sprintf(doc, "{\"files\":{\"\":0");

    for (i = 0; i < 20000; i++) {
        len += (size_t) sprintf(doc + len, ",\"f%zu\":{\"n\":%zu}", i, i);
    }

    len += (size_t) sprintf(doc + len, "}}");

    fold_reset(&run);

    for (i = 0; i < 500; i++) {
        sprintf(path, i % 2 ? "f%zu" : "new%zu", i);
        put(path, (unsigned) i);
    }

    ok(fold_run(&run, doc, len, 4096) == ART_FOLD_OK
       && run.index.count == 20251, "much to do");
    ok(run.steps > 500 + 2 * len / 4096, "is done in steps");
    ok(run.largest <= 2 * 4096, "of a piece, read or written");

    ok(fold_run(&run, "", 0, 1) == ART_FOLD_OK && run.steps > 500
       && run.largest < 1000, "and so is a new document");

    free(doc);
}


static void
check_long(void)
{
    char        *doc;
    size_t       i, len;
    json_t      *json, *history;

    /* a history that has no room */

    doc = malloc(4 * ART_FOLD_ENTRY_MAX);
    len = (size_t) sprintf(doc, "{\"files\":{\"a\":{\"modifiedBy\":[0");

    for (i = 1; len < ART_FOLD_ENTRY_MAX - 100; i++) {
        len += (size_t) sprintf(doc + len, ",{\"n\":%zu}", i);
    }

    len += (size_t) sprintf(doc + len, "]}}}");

    fold_reset(&run);
    put("a", 1);

    ok(fold_run(&run, doc, len, 4096) == ART_FOLD_OK
       && run.out_len <= ART_FOLD_ENTRY_MAX + 50 && run.replaced == 0,
       "a long history is cut");

    json = json_loadb(run.out, run.out_len, 0, NULL);
    history = json_object_get(json_object_get(json_object_get(json, "files"),
                                              "a"), "modifiedBy");
    ok(json_array_size(history) > 5000
       && json_object_size(json_array_get(history,
                                          json_array_size(history) - 1)) == 3,
       "the newest stay");
    ok(run.out_len > ART_FOLD_ENTRY_MAX / 8 * 7 - 1000,
       "and as many as there is room for");
    is_int(json_integer_value(json_object_get(
               json_array_get(history, json_array_size(history) - 2), "n")),
           (long long) i - 1, "in order");
    json_decref(json);

    /* nested so deep that its indentation is larger than everything else */

    len = (size_t) sprintf(doc, "{\"files\":{\"a\":{\"x\":");
    memset(doc + len, '[', 1500);
    len += 1500;
    for (i = 0; i < 100000; i++) {
        len += (size_t) sprintf(doc + len, "0,");
    }
    len += (size_t) sprintf(doc + len, "0");
    memset(doc + len, ']', 1500);
    len += 1500;
    len += (size_t) sprintf(doc + len, "}}}");

    ok(fold_run(&run, doc, len, 4096) == ART_FOLD_OK
       && run.out_len < len + 500, "no room is lost to indentation");

    /* a history of such would be gigabytes, if all of it was indented */

    len = (size_t) sprintf(doc, "{\"files\":{\"a\":{\"modifiedBy\":[0");
    for (i = 0; i < 250; i++) {
        doc[len++] = ',';
        memset(doc + len, '[', 2000);
        memset(doc + len + 2000, ']', 2000);
        len += 4000;
    }
    len += (size_t) sprintf(doc + len, "]}}}");

    ok(fold_run(&run, doc, len, 4096) == ART_FOLD_OK
       && run.out_len > len && run.out_len < len + 500,
       "a nested history stays as it is written");

    /* an entry that is too long to be read */

    len = (size_t) sprintf(doc, "{\"files\":{\"a\":{\"x\":\"");
    memset(doc + len, 'x', ART_FOLD_ENTRY_MAX);
    len += ART_FOLD_ENTRY_MAX;
    len += (size_t) sprintf(doc + len, "\"},\"b\":{\"x\":\"");
    memset(doc + len, 'x', ART_FOLD_ENTRY_MAX);
    len += ART_FOLD_ENTRY_MAX;
    len += (size_t) sprintf(doc + len, "\"}}}");

    ok(fold_run(&run, doc, len, 4096) == ART_FOLD_OK && run.replaced == 1
       && run.out_len > ART_FOLD_ENTRY_MAX
       && run.out_len < ART_FOLD_ENTRY_MAX + 1000,
       "an entry too long is begun anew, another stays");

    /* a key that is too long to be a path */

    len = (size_t) sprintf(doc, "{\"%s\":{\"a\":1,\"", "files");
    for (i = 0; i < 30000; i++) {
        len += (size_t) sprintf(doc + len, "\\u0061");
    }
    len += (size_t) sprintf(doc + len, "\":3,\"k\":4}}");

    fold_reset(&run);
    del("zz", 1);
    ok(fold_run(&run, doc, len, 1000) == ART_FOLD_OK && run.out_len == len
       && memcmp(run.out, doc, len) == 0 && run.index.count == 3,
       "a long key stays");

    /* and the longest that is one */

    len = (size_t) sprintf(doc, "{\"files\":{\"k\":4,\"");
    for (i = 0; i < ART_ID_PATH_MAX; i++) {
        len += (size_t) sprintf(doc + len, "\\u0061");
    }
    len += (size_t) sprintf(doc + len, "\":3}}");

    fold_reset(&run);
    memset(doc + len, 'a', ART_ID_PATH_MAX);
    doc[len + ART_ID_PATH_MAX] = '\0';
    del(doc + len, 1);
    ok(fold_run(&run, doc, len, 1000) == ART_FOLD_OK, "the longest path");
    is_mem(run.out, run.out_len, "{\"files\":{\"k\":4}}", 17, "is found");

    /* white space */

    len = (size_t) sprintf(doc, "{%5000s\"files\":{\"k\":4%5000s,%5000s"
                           "\"a\":1%9s}%8000s}", "", "", "", "", "");
    ok(fold_run(&run, doc, len, 1000) == ART_FOLD_OK
       && run.out_len < 300, "long white space is cut");

    free(doc);
}


int
main(void)
{
    check_new();
    check_merge();
    check_drop();
    check_double();
    check_files();
    check_corrupt();
    check_failures();
    check_steps();
    check_long();

    fold_free(&run);

    return done();
}
