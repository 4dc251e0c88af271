
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Sidecar metadata: blocks that travel between processes, and the printed
 * answer.
 */


#include <jansson.h>

#include "core/meta/art_meta.h"
#include "meta_entry.h"
#include "tap.h"


#define CASES  400


static art_meta_status_t
parse_str(const char *text, art_meta_t *meta)
{
    return art_meta_parse(art_cstr(text), meta);
}


static art_meta_status_t
parse_ws(const char *text, const char *path, art_meta_t *meta)
{
    return meta_entry(art_cstr(text), art_cstr(path), meta);
}


static int
same_record(const art_meta_t *a, const art_meta_t *b)
{
    size_t            i;
    const art_str_t  *x, *y;

    /* the strings follow each other */

    x = (const art_str_t *) a;
    y = (const art_str_t *) b;

    for (i = 0; i < offsetof(art_meta_t, memory) / sizeof(art_str_t); i++) {
        if ((x[i].data == NULL) != (y[i].data == NULL)
            || !art_str_eq(x[i], y[i]))
        {
            return 0;
        }
    }

    return 1;
}


static json_t *
random_value(unsigned depth)
{
    json_t  *value;
    size_t   n;
    char     key[8];

    switch (tap_below(depth ? 8 : 6)) {
    case 0:
        return json_null();
    case 1:
        return json_integer((json_int_t) (tap_rand() - (1ULL << 47)));
    case 2:
        return json_real((double) tap_rand() / 1e6);
    case 3:
        return json_string("\xe4\xb8\xad \" \\ / \x01 x");
    case 4:
        return json_stringn("a\0b", 3);
    case 5:
        return json_string("text");
    case 6:
        value = json_array();

        for (n = tap_below(4); n > 0; n--) {
            json_array_append_new(value, random_value(depth - 1));
        }

        return value;
    default:
        value = json_object();

        for (n = tap_below(5); n > 0; n--) {
            snprintf(key, sizeof(key), "k%zu", n);
            json_object_set_new(value, key, random_value(depth - 1));
        }

        return value;
    }
}


/* Every key of the contract may be there, be of any type, or be absent. */

static char *
random_sidecar(unsigned workspace)
{
    char                     *text;
    size_t                    i;
    json_t                   *json, *root;
    static const char *const  keys[] = { "id", "extension", "type", "mimeType",
                                         "name", "filename", "size",
                                         "createdAt", "updatedAt",
                                         "expiresAt", "messageId", "agentId",
                                         "meta", "modifiedBy",
                                         "x-\"key\"", "tags", "\xe4\xb8\xad" };

    json = json_object();

    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        switch (tap_below(4)) {
        case 0:
            break;
        case 1:
            json_object_set_new(json, keys[i], random_value(3));
            break;
        case 2:
            json_object_set_new(json, keys[i], json_string("value"));
            break;
        default:
            json_object_set_new(json, keys[i],
                                strcmp(keys[i], "modifiedBy") == 0
                                ? json_array() : json_object());
        }
    }

    if (workspace) {
        root = json_pack("{s:{s:o}}", "files", "d/f.js", json);
        json = root;
    }

    text = json_dumps(json, JSON_INDENT(tap_below(3)));
    json_decref(json);

    return text;
}


static void
check_pack(void)
{
    int          trip, small, size, cut, flip, sound;
    char        *text;
    size_t       i, j, len, bit;
    uint8_t     *block, *copy;
    unsigned     accepted;
    art_meta_t   meta, back;

    trip = small = size = cut = flip = 1;
    accepted = 0;
    sound = 0;

    for (i = 0; i < CASES; i++) {
        text = random_sidecar(i & 1);

        if ((i & 1 ? parse_ws(text, "d/f.js", &meta)
                   : parse_str(text, &meta)) != ART_META_OK)
        {
            free(text);
            continue;
        }

        sound++;

        len = art_meta_packed_size(&meta);
        block = malloc(len);

        small &= art_meta_pack(&meta, block, len - 1) == 0;
        size &= art_meta_pack(&meta, block, len) == len;

        trip &= art_meta_unpack(block, len, &back) == ART_OK
                && same_record(&meta, &back) && back.memory == NULL
                && back.until == meta.until;

        art_meta_free(&meta);

        for (j = 0; j < len; j++) {
            copy = malloc(j ? j : 1);
            memcpy(copy, block, j);
            cut &= art_meta_unpack(copy, j, &back) == ART_ERROR
                   && back.type.data == NULL;
            free(copy);
        }

        for (j = 0; j < 200; j++) {
            bit = tap_below(len * 8);
            block[bit / 8] ^= (uint8_t) (1 << bit % 8);

            if (art_meta_unpack(block, len, &back) == ART_OK) {

                /* what is taken lies within, every byte can be read */

                accepted++;
                copy = malloc(len);
                flip &= art_meta_pack(&back, copy, len) == len
                        && memcmp(copy, block, len) == 0;
                free(copy);
            }

            if (tap_below(2)) {
                block[bit / 8] ^= (uint8_t) (1 << bit % 8);
            }
        }

        free(block);
        free(text);
    }

    ok(sound > CASES / 2, "records to pack: %d", sound);
    ok(size, "a block has the size that was told");
    ok(small, "one byte less is refused");
    ok(trip, "unpacking gives the same record");
    ok(cut, "a cut block is refused at every length");
    ok(flip, "a damaged block that is taken stays within itself");
    ok(accepted > 0, "damaged blocks were taken");

    (void) parse_str("{\"expiresAt\":\"2026-01-01T00:00:00Z\"}", &meta);
    len = art_meta_packed_size(&meta);
    block = malloc(len);
    (void) art_meta_pack(&meta, block, len);
    (void) art_meta_unpack(block, len, &back);
    is_int((long long) back.until, 1767225600000, "expiresAt is unpacked");
    free(block);
    art_meta_free(&meta);
}


static void
check_print_exact(void)
{
    uint8_t            text[4096];
    art_out_t          out;
    art_meta_t         meta;
    art_meta_known_t   known;

    memset(&known, 0, sizeof(known));
    known.id = art_cstr("abc");
    known.name = art_cstr("a\"b.png");
    known.mime = art_cstr("image/png");
    known.size = 18446744073709551615ULL;

    (void) parse_str("{\"zz\":1,\"updatedAt\":\"U\",\"createdAt\":\"C\","
                 "\"meta\":{\"k\":1},\"agentId\":\"A\",\"messageId\":\"M\","
                 "\"expiresAt\":\"E\","
                 "\"type\":\"image\",\"extension\":\".png\",\"size\":5,"
                 "\"mimeType\":\"image/x\",\"id\":\"other\"}", &meta);

    out = (art_out_t) { text, 0, sizeof(text) };
    art_meta_print(&out, &meta, &known);

    text[out.len] = '\0';
    is_str((char *) text, "{\"id\":\"abc\",\"extension\":\".png\",\"type\":"
           "\"image\",\"name\":\"a\\\"b.png\",\"size\":18446744073709551615,"
           "\"createdAt\":\"C\",\"updatedAt\":\"U\","
           "\"expiresAt\":\"E\",\"messageId\":\"M\",\"agentId\":\"A\","
           "\"meta\":{\"k\":1},\"mimeType\":\"image/png\",\"zz\":1}",
           "an artifact's metadata");

    art_meta_free(&meta);

    out = (art_out_t) { text, 0, sizeof(text) };
    memset(&known.name, 0, sizeof(known.name));
    art_meta_print(&out, &meta, &known);
    text[out.len] = '\0';
    is_str((char *) text, "{\"id\":\"abc\",\"type\":\"image/png\",\"size\":"
           "18446744073709551615,\"mimeType\":\"image/png\"}",
           "without a sidecar");

    known.id = art_cstr("ws:w:ZC9mLmpz");
    known.workspace = art_cstr("w");
    known.path = art_cstr("d/f.js");
    known.name = art_cstr("F");
    known.mime = art_cstr("text/javascript");
    known.size = 0;

    (void) parse_ws("{\"files\":{\"d/f.js\":{\"type\":\"x\",\"createdAt\":"
                    "\"C\",\"messageId\":\"M\",\"modifiedBy\":[{\"a\":1}],"
                    "\"size\":3,\"id\":3,\"zz\":[],\"meta\":{\"q\":1}}}}",
                    "d/f.js", &meta);

    out = (art_out_t) { text, 0, sizeof(text) };
    art_meta_print(&out, &meta, &known);
    text[out.len] = '\0';
    is_str((char *) text, "{\"id\":\"ws:w:ZC9mLmpz\",\"type\":"
           "\"text/javascript\",\"name\":\"F\",\"size\":0,\"createdAt\":\"C\","
           "\"meta\":{\"filename\":\"f.js\",\"workspaceId\":\"w\","
           "\"relativePath\":\"d/f.js\",\"modifiedBy\":[{\"a\":1}]},"
           "\"mimeType\":\"text/javascript\",\"zz\":[]}",
           "a workspace file's metadata");
    art_meta_free(&meta);

    out = (art_out_t) { text, 0, sizeof(text) };
    known.path = art_cstr("top.js");
    art_meta_print(&out, &meta, &known);
    text[out.len] = '\0';
    is_str((char *) text, "{\"id\":\"ws:w:ZC9mLmpz\",\"type\":"
           "\"text/javascript\",\"name\":\"F\",\"size\":0,"
           "\"meta\":{\"filename\":\"top.js\",\"workspaceId\":\"w\","
           "\"relativePath\":\"top.js\",\"modifiedBy\":[]},"
           "\"mimeType\":\"text/javascript\"}",
           "modifiedBy is [] without an entry");
}


/* What was printed parses, without a key twice, and has all unknown keys. */

static void
check_print_random(void)
{
    int                wellformed, kept, measured;
    char              *text;
    size_t             i;
    json_t            *json, *root, *entry, *value;
    uint8_t           *dst;
    unsigned           n, unknown;
    const char        *key;
    art_out_t          out, empty;
    art_meta_t         meta;
    art_meta_known_t   known;

    memset(&known, 0, sizeof(known));
    known.name = art_cstr("\xe4\xb8\xad\n\"\\\xff.txt");
    known.mime = art_cstr("text/plain");
    known.size = 7;

    wellformed = kept = measured = 1;
    n = unknown = 0;

    for (i = 0; i < CASES; i++) {
        text = random_sidecar(i & 1);

        if ((i & 1 ? parse_ws(text, "d/f.js", &meta)
                   : parse_str(text, &meta)) != ART_META_OK)
        {
            free(text);
            continue;
        }

        n++;
        known.id = art_cstr(i & 1 ? "ws:w:ZC9mLmpz" : "abc");
        known.workspace = art_cstr(i & 1 ? "w" : "");
        known.path = art_cstr(i & 1 ? "d/f.js" : "");

        empty = (art_out_t) { NULL, 0, 0 };
        art_meta_print(&empty, &meta, &known);

        dst = malloc(empty.len);
        out = (art_out_t) { dst, 0, empty.len };
        art_meta_print(&out, &meta, &known);
        measured &= out.len == empty.len;

        json = json_loadb((char *) dst, out.len,
                          JSON_REJECT_DUPLICATES|JSON_ALLOW_NUL, NULL);

        if (json == NULL) {
            diag_mem("printed", dst, out.len);
            wellformed = 0;
        }

        root = json_loads(text, JSON_ALLOW_NUL, NULL);
        entry = i & 1 ? json_object_get(json_object_get(root, "files"),
                                        "d/f.js")
                      : root;

        json_object_foreach(entry, key, value) {
            if (strstr("x-\"key\" tags \xe4\xb8\xad", key) != NULL) {
                kept &= json_equal(value, json_object_get(json, key));
                unknown++;
            }
        }

        json_decref(root);
        json_decref(json);
        free(dst);
        art_meta_free(&meta);
        free(text);
    }

    ok(n > CASES / 2, "records to print: %u", n);
    ok(measured, "a pass without room measures");
    ok(wellformed, "what is printed is JSON, no key twice");
    ok(kept && unknown > 0, "with all %u unknown keys", unknown);
}


static void
check_new(void)
{
    json_t          *json;
    uint8_t          buf[1024];
    art_out_t        out;
    art_meta_t       meta;
    art_meta_new_t   created;

    static const char  want[] =
        "{\n  \"id\": \"0190-a\",\n  \"extension\": \".png\",\n"
        "  \"type\": \"image/png\",\n  \"name\": \"a \\\"b\\\".png\",\n"
        "  \"size\": 18446744073709551615,\n"
        "  \"createdAt\": \"2026-01-01T00:00:00.007Z\",\n"
        "  \"expiresAt\": \"2026-01-02T00:00:00.000Z\",\n"
        "  \"messageId\": \"m\",\n  \"agentId\": \"a\",\n"
        "  \"digest\": \"d\",\n"
        "  \"file\": {\"purpose\":\"user_data\"}\n}\n";

    memset(&created, 0, sizeof(created));

    created.id = art_cstr("0190-a");
    created.extension = art_cstr(".png");
    created.mime = art_cstr("image/png");
    created.name = art_cstr("a \"b\".png");
    created.size = UINT64_MAX;
    created.created = 1767225600007;
    created.message_id = art_cstr("m");
    created.agent_id = art_cstr("a");
    created.digest = art_cstr("d");
    created.expires = 1767312000000;
    created.file = art_cstr("{\"purpose\":\"user_data\"}");

    out.data = buf;
    out.len = 0;
    out.room = sizeof(buf);

    art_meta_print_new(&out, &created);
    is_mem(buf, out.len, want, sizeof(want) - 1, "a new .meta");

    created.name = art_str(NULL, 0);
    created.extension = art_cstr("");
    created.message_id = art_cstr("\xff\n");
    created.agent_id = art_str(NULL, 0);
    created.digest = art_str(NULL, 0);
    created.expires = 0;
    created.file = art_str(NULL, 0);
    created.size = 7;

    out.len = 0;
    art_meta_print_new(&out, &created);

    json = json_loadb((char *) buf, out.len, JSON_REJECT_DUPLICATES, NULL);
    ok(json_object_size(json) == 6, "what is not known is left out");
    json_decref(json);

    ok(art_meta_parse(art_str(buf, out.len), &meta) == ART_META_OK,
       "it reads back");
    ok(meta.extension.data != NULL && meta.extension.len == 0,
       "with an empty extension");
    is_mem(meta.message_id.data, meta.message_id.len, "\xef\xbf\xbd\n", 4,
           "and valid UTF-8");
    art_meta_free(&meta);
}


int
main(void)
{
    check_pack();
    check_print_exact();
    check_print_random();
    check_new();

    return done();
}
