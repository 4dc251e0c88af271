
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecar metadata: what the writers write, and what they should not.
 */


#include <jansson.h>

#include "core/text/art_utf8.h"
#include "json_alloc.h"
#include "meta_entry.h"
#include "tap.h"


/* Parses from a copy without a byte after it, for the sanitizers. */

static art_meta_status_t
parse(const char *text, size_t len, art_meta_t *meta)
{
    uint8_t            *copy;
    art_meta_status_t   status;

    copy = malloc(len + 1);
    copy = realloc(copy, len ? len : 1);
    memcpy(copy, text, len);

    status = art_meta_parse(art_str(copy, len), meta);

    memset(copy, '#', len);
    free(copy);

    return status;
}


static art_meta_status_t
parse_str(const char *text, art_meta_t *meta)
{
    return parse(text, strlen(text), meta);
}


static art_meta_status_t
parse_ws(const char *text, const char *path, art_meta_t *meta)
{
    return meta_entry(art_cstr(text), art_cstr(path), meta);
}


static int
is_field(art_str_t got, const char *want, const char *name)
{
    if (want == NULL) {
        return ok(got.data == NULL && got.len == 0, "%s", name);
    }

    return is_mem(got.data, got.len, want, strlen(want), name);
}


static void
check_artifact(void)
{
    art_meta_t         meta;
    static const char  text[] =
        "{\n  \"id\": \"abc\", \"extension\": \".png\", \"type\": \"image\","
        "\n  \"mimeType\": \"image/png\", \"name\": \"shot.png\","
        " \"filename\": \"other.png\", \"size\": 12,"
        " \"createdAt\": \"2026-01-01T00:00:00.000Z\","
        " \"updatedAt\": \"2026-01-02T00:00:00.000Z\","
        " \"expiresAt\": \"2026-01-03T00:00:00.000Z\","
        " \"messageId\": \"m1\", \"agentId\": \"a1\","
        " \"meta\": { \"name\": \"inner\", \"n\": [ 1, 0.1 ] },"
        " \"tags\": [\"x\"], \"score\": 1.5, \"nul\": \"a\\u0000b\","
        " \"t\": null }";

    is_int(parse(text, sizeof(text) - 1, &meta), ART_META_OK,
           "a sidecar with everything");
    is_field(meta.type, "image", "type");
    is_field(meta.mime, "image/png", "mimeType");
    is_field(meta.name, "shot.png", "name goes before filename");
    is_field(meta.extension, ".png", "extension");
    is_field(meta.created, "2026-01-01T00:00:00.000Z", "createdAt");
    is_field(meta.updated, "2026-01-02T00:00:00.000Z", "updatedAt");
    is_field(meta.expires, "2026-01-03T00:00:00.000Z", "expiresAt");
    is_field(meta.message_id, "m1", "messageId");
    is_field(meta.agent_id, "a1", "agentId");
    is_field(meta.object, "{\"name\":\"inner\",\"n\":[1,0.1]}", "meta");
    is_field(meta.modified_by, NULL, "no modifiedBy");
    is_field(meta.extra, "{\"tags\":[\"x\"],\"score\":1.5,"
             "\"nul\":\"a\\u0000b\",\"t\":null}", "the unknown keys in order");
    art_meta_free(&meta);
    ok(meta.memory == NULL && meta.type.data == NULL, "free clears");

    is_int(parse_str("{}", &meta), ART_META_OK, "an empty sidecar");
    ok(meta.type.data == NULL && meta.mime.data == NULL
       && meta.name.data == NULL && meta.extension.data == NULL
       && meta.created.data == NULL && meta.updated.data == NULL
       && meta.message_id.data == NULL && meta.agent_id.data == NULL
       && meta.object.data == NULL && meta.extra.data == NULL
       && meta.expires.data == NULL && !art_meta_expired(&meta, UINT64_MAX),
       "has nothing in it");
    art_meta_free(&meta);
}


static void
check_expires(void)
{
    char         text[128];
    size_t       i;
    art_meta_t   meta;

    static const struct {
        const char  *value;
        uint64_t     until;
        const char  *kept;
        unsigned     forever;
    } cases[] = {
        { "\"2026-01-01T00:00:00.007Z\"", 1767225600007,
          "2026-01-01T00:00:00.007Z", 0 },
        { "\"2026-01-01T01:00:00+01:00\"", 1767225600000,
          "2026-01-01T01:00:00+01:00", 0 },
        { "\"1969-07-20T20:17:40Z\"", 1, "1969-07-20T20:17:40Z", 0 },
        { "\"tomorrow\"", 0, "tomorrow", 1 },
        { "\"2026-02-30T00:00:00Z\"", 0, "2026-02-30T00:00:00Z", 1 },
        { "\"\"", 0, NULL, 1 },
        { "\"2026\\r\\n\"", 0, NULL, 1 },
        { "1767225600", 0, NULL, 1 },
        { "{}", 0, NULL, 1 },
        { "null", 0, NULL, 0 }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sprintf(text, "{\"expiresAt\":%s}", cases[i].value);

        (void) parse_str(text, &meta);
        is_field(meta.expires, cases[i].kept, text);
        is_int((long long) meta.until, (long long) cases[i].until, "when");
        is_int(meta.forever, cases[i].forever, "malformed");
        ok(meta.extra.data == NULL, "a known key");

        ok(cases[i].until == 0
           ? !art_meta_expired(&meta, UINT64_MAX)
           : art_meta_expired(&meta, cases[i].until)
             && !art_meta_expired(&meta, cases[i].until - 1),
           "from that millisecond on");
        art_meta_free(&meta);
    }

    (void) parse_ws("{\"files\":{\"f\":{\"expiresAt\":"
                    "\"2026-01-01T00:00:00Z\"}}}", "f", &meta);
    ok(meta.expires.data == NULL && meta.until == 0 && !meta.forever,
       "a file of a workspace does not expire");
    is_field(meta.extra, "{\"expiresAt\":\"2026-01-01T00:00:00Z\"}",
             "that is any other key");
    art_meta_free(&meta);
}


static void
check_names(void)
{
    size_t       i;
    art_meta_t   meta;

    static const struct {
        const char  *text;
        const char  *want;
    } cases[] = {
        { "{\"filename\":\"f\",\"meta\":{\"name\":\"n\"}}", "f" },
        { "{\"name\":\"\",\"filename\":\"f\"}", "f" },
        { "{\"name\":7,\"filename\":null,\"meta\":{\"name\":\"n\","
          "\"filename\":\"g\"}}", "n" },
        { "{\"meta\":{\"name\":[],\"filename\":\"g\"}}", "g" },
        { "{\"name\":\"a\\u0000b\",\"filename\":\"f\"}", "f" },
        { "{\"meta\":\"name\"}", NULL },
        { "{\"name\":\"\",\"meta\":{\"filename\":\"\"}}", NULL },
        { "{\"name\":\"a\",\"name\":\"b\"}", "b" },
        { "{\"name\":\"\\u5de5\\u4ef6\"}", "\xe5\xb7\xa5\xe4\xbb\xb6" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (parse_str(cases[i].text, &meta) != ART_META_OK) {
            ok(0, "%s", cases[i].text);
            continue;
        }

        is_field(meta.name, cases[i].want, cases[i].text);
        art_meta_free(&meta);
    }
}


static void
check_wrong_types(void)
{
    int                       absent;
    char                      text[1024];
    size_t                    i, n;
    art_meta_t                meta;
    static const char *const  values[] = { "null", "true", "7", "0.5", "[]",
                                           "[\"x\"]", "\"\"",
                                           "\"a\\u0000b\"" };

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        n = (size_t) snprintf(text, sizeof(text),
                "{\"type\":%s,\"mimeType\":%s,\"name\":%s,\"filename\":%s,"
                "\"createdAt\":%s,\"updatedAt\":%s,\"messageId\":%s,"
                "\"agentId\":%s,\"meta\":%s,\"size\":%s,\"id\":%s}",
                values[i], values[i], values[i], values[i], values[i],
                values[i], values[i], values[i], values[i], values[i],
                values[i]);

        if (parse(text, n, &meta) != ART_META_OK) {
            ok(0, "fields that are %s", values[i]);
            continue;
        }

        absent = meta.type.data == NULL && meta.mime.data == NULL
                 && meta.name.data == NULL && meta.created.data == NULL
                 && meta.updated.data == NULL && meta.message_id.data == NULL
                 && meta.agent_id.data == NULL && meta.object.data == NULL
                 && meta.extra.data == NULL;

        ok(absent, "fields that are %s count as absent", values[i]);
        art_meta_free(&meta);
    }
}


static void
check_corrupt(void)
{
    char        *deep;
    size_t       i, n;
    art_meta_t   meta;

    static const struct {
        const char         *text;
        art_meta_status_t   status;
    } cases[] = {
        { "", ART_META_CORRUPT },
        { "{", ART_META_CORRUPT },
        { "[]", ART_META_CORRUPT },
        { "\"x\"", ART_META_CORRUPT },
        { "null", ART_META_CORRUPT },
        { "{} x", ART_META_CORRUPT },
        { "{'id':1}", ART_META_CORRUPT },
        { "{\"name\":\"\xff\"}", ART_META_CORRUPT },
        { "{\"name\":\"\\ud800\"}", ART_META_CORRUPT },
        { "{\"n\":1e999}", ART_META_CORRUPT },
        { "{\"a\\u0000b\":1}", ART_META_CORRUPT },
        { "{\"extension\":\"../x\"}", ART_META_CORRUPT },
        { "{\"extension\":\"/etc/passwd\"}", ART_META_CORRUPT },
        { "{\"extension\":\"\\u0000.png\"}", ART_META_CORRUPT },
        { "{\"extension\":\".p\\nng\"}", ART_META_CORRUPT },
        { "{\"extension\":\".p\\u007f\"}", ART_META_CORRUPT },
        { "{\"extension\":\".p\\u0085\"}", ART_META_CORRUPT },
        { "{\"extension\":\".\"}", ART_META_CORRUPT },
        { "{\"extension\":\"..\"}", ART_META_CORRUPT },
        { "{\"extension\":\".meta\"}", ART_META_CORRUPT },
        { "{\"extension\":\".META\"}", ART_META_CORRUPT },
        { "{\"extension\":\".x.Meta\"}", ART_META_CORRUPT },
        { "{\"extension\":\".meta.json\"}", ART_META_CORRUPT },
        { "{\"extension\":\".json.META.Json\"}", ART_META_CORRUPT },
        { "{\"extension\":\"-123456789-123456789-123456789-123456789-123456789"
          "-123456789-1234\"}", ART_META_CORRUPT },
        { "{\"extension\":\"-123456789-123456789-123456789-123456789-123456789"
          "-123456789-123\"}", ART_META_OK },
        { "{\"extension\":\".json\"}", ART_META_OK },
        { "{\"extension\":\".metal\"}", ART_META_OK },
        { "{\"extension\":\".tar.gz\"}", ART_META_OK },
        { "{\"extension\":\"\\\\x\"}", ART_META_OK },
        { "{\"extension\":7}", ART_META_OK },
        { "{\"extension\":null}", ART_META_OK }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int(parse_str(cases[i].text, &meta),
               (long long) cases[i].status, cases[i].text);
        art_meta_free(&meta);
    }

    is_int(parse("{}\0", 3, &meta), ART_META_CORRUPT, "a NUL behind it");

    n = 5000;
    deep = malloc(2 * n + 6);
    memcpy(deep, "{\"a\":", 5);
    memset(deep + 5, '[', n);
    memset(deep + 5 + n, ']', n);
    deep[2 * n + 5] = '}';
    is_int(parse(deep, 2 * n + 6, &meta), ART_META_CORRUPT, "5000 levels");

    n = 2000;
    memset(deep + 5 + n, ']', n);
    deep[2 * n + 5] = '}';
    is_int(parse(deep, 2 * n + 6, &meta), ART_META_OK, "2000 levels");
    is_mem(meta.extra.data, meta.extra.len, deep, 2 * n + 6, "are kept");
    art_meta_free(&meta);
    free(deep);

    is_int(parse_str("{\"extension\":\"\"}", &meta), ART_META_OK,
           "an empty extension");
    ok(meta.extension.data != NULL && meta.extension.len == 0, "is kept");
    art_meta_free(&meta);
}


static void
check_limits(void)
{
    int          full, over;
    char         text[4096], *p;
    size_t       i;
    art_str_t    value;
    art_meta_t   meta;

    static const struct {
        const char  *key;
        size_t       offset;
        size_t       max;
    } fields[] = {
        { "type", offsetof(art_meta_t, type), ART_META_TYPE_MAX },
        { "mimeType", offsetof(art_meta_t, mime), ART_META_TYPE_MAX },
        { "createdAt", offsetof(art_meta_t, created), ART_META_TIME_MAX },
        { "updatedAt", offsetof(art_meta_t, updated), ART_META_TIME_MAX },
        { "expiresAt", offsetof(art_meta_t, expires), ART_META_TIME_MAX },
        { "messageId", offsetof(art_meta_t, message_id), ART_META_ID_MAX },
        { "agentId", offsetof(art_meta_t, agent_id), ART_META_ID_MAX }
    };

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        p = text + sprintf(text, "{\"%s\":\"", fields[i].key);
        memset(p, 'x', fields[i].max + 1);
        memcpy(p + fields[i].max, "\"}", 2);

        (void) parse(text, (size_t) (p - text) + fields[i].max + 2, &meta);
        memcpy(&value, (uint8_t *) &meta + fields[i].offset, sizeof(value));
        full = value.len == fields[i].max;
        art_meta_free(&meta);

        memcpy(p + fields[i].max, "x\"}", 3);

        (void) parse(text, (size_t) (p - text) + fields[i].max + 3, &meta);
        memcpy(&value, (uint8_t *) &meta + fields[i].offset, sizeof(value));
        over = value.data == NULL;
        art_meta_free(&meta);

        ok(full && over, "a longer \"%s\" is dropped", fields[i].key);
    }

    /* 1 + 341 * 3 bytes are 1024: the 342nd of these characters is cut off */

    p = text + sprintf(text, "{\"name\":\"xx");

    for (i = 0; i < 400; i++) {
        memcpy(p, "\xe4\xb8\xad", 3);
        p += 3;
    }

    memcpy(p, "\"}", 2);

    (void) parse(text, (size_t) (p - text) + 2, &meta);
    is_int((long long) meta.name.len, 2 + 340 * 3, "a long name is cut");
    ok(art_utf8_valid(meta.name.data, meta.name.len), "between characters");
    art_meta_free(&meta);

    (void) parse_str("{\"createdAt\":\"2026\\r\\nX: y\"}", &meta);
    is_field(meta.created, NULL, "a time with control characters is dropped");
    art_meta_free(&meta);
}


static void
check_numbers(void)
{
    size_t       i;
    art_meta_t   meta;

    static const char *const  cases[][2] = {
        { "{\"a\":[0.1,1.5,-2.25e-7]}", "{\"a\":[0.1,1.5,-2.25e-7]}" },
        { "{\"a\":9223372036854775807}", "{\"a\":9223372036854775807}" },
        { "{\"a\":1700000000000.123}", "{\"a\":1700000000000.123}" },
        { "{\"a\":0.30000000000000004}", "{\"a\":0.30000000000000004}" },
        { "{\"a\":3,\"b\":12345678901234567890}",
          "{\"a\":3.0,\"b\":1.2345678901234567e19}" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void) parse_str(cases[i][0], &meta);
        is_field(meta.extra, cases[i][1], cases[i][0]);
        art_meta_free(&meta);
    }
}


static void
check_workspace(void)
{
    size_t             i;
    art_meta_t         meta;

    static const char  text[] =
        "{\"workspaceId\":\"w\",\"files\":{"
        "\"src/main.js\":{\"mimeType\":\"text/javascript\","
        "\"createdAt\":\"C\",\"updatedAt\":\"U\",\"modifiedBy\":[{\"agentId\":"
        "\"a\",\"timestamp\":\"t\",\"messageId\":null}],\"agentId\":\"a\","
        "\"messageId\":\"m\",\"id\":\"evil\",\"size\":-1,\"extension\":"
        "\"../x\",\"note\":{\"k\":[]},\"meta\":{\"name\":\"Main\"}},"
        "\"a\\\\b\":{\"name\":\"as it is\"},\"a/b\":{\"name\":\"slashed\"},"
        "\"c/d\":{\"name\":\"normalised\"},\"x\":7,"
        "\"y\\\\z\":7,\"y/z\":{\"name\":\"behind\"},"
        "\"m\":{\"modifiedBy\":{}}}}";

    static const struct {
        const char         *text;
        const char         *path;
        art_meta_status_t   status;
    } cases[] = {
        { text, "nothing", ART_META_ABSENT },
        { text, "src", ART_META_ABSENT },
        { text, "", ART_META_ABSENT },
        { text, "x", ART_META_ABSENT },
        { text, "SRC/main.js", ART_META_ABSENT },
        { "{}", "a", ART_META_ABSENT },
        { "{\"files\":[]}", "a", ART_META_ABSENT },
        { "{\"files\":null}", "a", ART_META_ABSENT },
        { "{\"a\":{}}", "a", ART_META_ABSENT },
        { "[]", "a", ART_META_CORRUPT },
        { "{\"files\":{\"a\":{}}", "a", ART_META_CORRUPT },
        { "", "a", ART_META_CORRUPT }
    };

    is_int(parse_ws(text, "src/main.js", &meta), ART_META_OK,
           "a workspace entry");
    is_field(meta.mime, "text/javascript", "mimeType");
    is_field(meta.name, "Main", "meta.name");
    is_field(meta.created, "C", "createdAt");
    is_field(meta.updated, "U", "updatedAt");
    is_field(meta.agent_id, "a", "agentId");
    is_field(meta.message_id, "m", "messageId");
    is_field(meta.modified_by, "[{\"agentId\":\"a\",\"timestamp\":\"t\","
             "\"messageId\":null}]", "modifiedBy");
    is_field(meta.extension, NULL, "no extension");
    is_field(meta.object, NULL, "no meta object");
    is_field(meta.extra, "{\"extension\":\"../x\",\"note\":{\"k\":[]}}",
             "unknown keys, without the computed ones");
    art_meta_free(&meta);

    (void) parse_ws(text, "a\\b", &meta);
    is_field(meta.name, "as it is", "a backslash is looked up as it is");
    art_meta_free(&meta);

    (void) parse_ws(text, "c\\d", &meta);
    is_field(meta.name, "normalised", "then with slashes");
    art_meta_free(&meta);

    (void) parse_ws(text, "y\\z", &meta);
    is_field(meta.name, "behind", "an entry that is no object is none");
    art_meta_free(&meta);

    (void) parse_ws(text, "m", &meta);
    is_field(meta.modified_by, NULL, "a modifiedBy that is no array");
    art_meta_free(&meta);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        is_int(parse_ws(cases[i].text, cases[i].path, &meta),
               (long long) cases[i].status, cases[i].path);
    }
}


static void
check_types(void)
{
    char  name[300];

    ok(art_meta_type_valid(art_cstr("text/plain; charset=utf-8")),
       "a media type");
    ok(!art_meta_type_valid(art_cstr("")), "none");
    ok(!art_meta_type_valid(art_cstr("text/\x01")), "control character");
    ok(!art_meta_type_valid(art_cstr("text/\xff")), "no UTF-8");
    ok(art_meta_type_valid(art_str(memset(name, 'a', 255), 255)),
       "255 bytes of it");
    ok(!art_meta_type_valid(art_str(name, 256)), "256 bytes of it");
}


static void
check_memory(void)
{
    long                n, failed;
    char               *text;
    art_meta_t          meta;
    art_meta_status_t   status;

    failed = 0;
    text = strdup("{\"name\":\"n\",\"meta\":{\"a\":[1.5]},\"x\":{\"y\":[]},"
                  "\"z\":[{\"b\":\"c\"}]}");

    json_set_alloc_funcs(failing_malloc, free);

    for (n = 0; n < 1000; n++) {
        alloc_left = n;
        status = parse_str(text, &meta);

        if (status == ART_META_OK) {
            break;
        }

        failed += status == ART_META_CORRUPT && meta.memory == NULL
                  && meta.name.data == NULL;
    }

    json_set_alloc_funcs(malloc, free);

    ok(n > 10 && failed == n, "%ld allocations of jansson failing in turn", n);
    is_field(meta.extra, "{\"x\":{\"y\":[]},\"z\":[{\"b\":\"c\"}]}",
             "then the document is read");

    art_meta_free(&meta);
    free(text);
}


int
main(void)
{
    check_artifact();
    check_expires();
    check_names();
    check_wrong_types();
    check_corrupt();
    check_limits();
    check_numbers();
    check_workspace();
    check_types();
    check_memory();

    return done();
}
