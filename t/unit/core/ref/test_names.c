
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_time, art_uuid, art_name, art_precond and the ".meta" of a new artifact.
 */


#include <time.h>

#include <jansson.h>

#include "tap.h"

#include "core/ref/art_id.h"
#include "core/media/art_media.h"
#include "core/meta/art_meta.h"
#include "core/ref/art_ref_name.h"
#include "core/answer/art_precondition.h"
#include "core/base/art_time.h"
#include "core/base/art_uuid.h"


static void
check_time(void)
{
    char       want[64];
    size_t     i, bad;
    time_t     sec;
    uint8_t    got[ART_TIME_LEN];
    uint64_t   ms, back;
    struct tm  tm;

    static const struct {
        uint64_t     ms;
        const char  *text;
    } cases[] = {
        { 0, "1970-01-01T00:00:00.000Z" },
        { 1767225600000, "2026-01-01T00:00:00.000Z" },
        { 951782399999, "2000-02-28T23:59:59.999Z" },
        { 951782400000, "2000-02-29T00:00:00.000Z" },
        { 4107542400000, "2100-03-01T00:00:00.000Z" },
        { ART_TIME_MAX, "9999-12-31T23:59:59.999Z" },
        { UINT64_MAX, "9999-12-31T23:59:59.999Z" }
    };

    static const char *const  refused[] = {
        "", "2026-01-01T00:00:00Z", "2026-02-30T00:00:00.000Z",
        "2026-01-01T24:00:00.000Z", "2026-13-01T00:00:00.000Z",
        "2026-01-01 00:00:00.000Z", "1969-12-31T23:59:59.999Z",
        "2026-01-01T00:00:00.00AZ", "2026-00-01T00:00:00.000Z",
        "2026-01-00T00:00:00.000Z", "////-//-//T//:/:/:///.Z  "
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        art_time_print(got, cases[i].ms);
        is_mem(got, sizeof(got), cases[i].text, ART_TIME_LEN, cases[i].text);
    }

    bad = 0;

    for (i = 0; i < 2000; i++) {
        ms = (uint64_t) tap_below((size_t) ART_TIME_MAX + 1);
        sec = (time_t) (ms / 1000);
        gmtime_r(&sec, &tm);

        (void) strftime(want, sizeof(want), "%Y-%m-%dT%H:%M:%S", &tm);
        sprintf(want + strlen(want), ".%03uZ", (unsigned) (ms % 1000));

        art_time_print(got, ms);

        bad += memcmp(got, want + (strlen(want) - ART_TIME_LEN), ART_TIME_LEN)
               != 0
               || art_time_parse(art_str(got, sizeof(got)), &back) != ART_OK
               || back != ms;
    }

    is_int((long long) bad, 0, "2000 random times are as gmtime_r() has them");

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        ok(art_time_parse(art_cstr(refused[i]), &back) == ART_ERROR,
           "no time: \"%s\"", refused[i]);
    }
}


static void
check_uuid(void)
{
    size_t    i, j, bad;
    uint8_t   id[ART_UUID_LEN], old[ART_UUID_LEN], random[ART_UUID_RANDOM];
    uint64_t  last, now;

    /* the example of RFC 9562, appendix A.6, but for the sub-milliseconds */

    last = 0;
    memcpy(random, "\x0c\x07\x39\x8f\xc6\x0c\xc4\x18", sizeof(random));

    art_uuid_v7(id, &last, 1645557742000ULL * 1000000, random);
    ok(memcmp(id, "017f22e2-79b0-7000-", 19) == 0, "milliseconds, version");
    ok(strchr("89ab", id[19]) != NULL, "variant");

    last = 0;
    art_uuid_v7(id, &last, 1645557742000ULL * 1000000 + 500000, random);
    ok(memcmp(id, "017f22e2-79b0-7800-", 19) == 0, "half a millisecond");

    memset(random, 0, sizeof(random));
    art_uuid_v7(old, &last, 1645557742000ULL * 1000000 + 500000, random);
    ok(memcmp(id, old, 19) < 0, "at the same time, a larger one");

    last = 0;
    now = 1767225600000ULL * 1000000;
    memset(old, 0, sizeof(old));
    bad = 0;

    for (i = 0; i < 5000; i++) {

        for (j = 0; j < sizeof(random); j++) {
            random[j] = (uint8_t) tap_rand();
        }

        now = now + tap_below(1000) - tap_below(1000);
        art_uuid_v7(id, &last, now, random);

        bad += memcmp(old, id, sizeof(id)) >= 0;
        bad += id[14] != '7' || memchr("89ab", id[19], 4) == NULL;

        for (j = 0; j < ART_UUID_LEN; j++) {
            bad += (j == 8 || j == 13 || j == 18 || j == 23)
                   ? id[j] != '-'
                   : memchr("0123456789abcdef", id[j], 16) == NULL;
        }

        memcpy(old, id, sizeof(id));
    }

    is_int((long long) bad, 0, "5000 ids ascend though the clock jumps");
}


static void
check_workspace(void)
{
    char    name[300];
    size_t  i;

    static const char *const  good[] = {
        "a", "agent-abc123", "A_b:c", "v1.2", "x.meta", "a..b", "meta.json",
        ":", "-", "x.meta.jsonl"
    };

    static const char *const  bad[] = {
        "", ".", "..", ".artifact", "a.", "a/b", "a b", "\xe4\xb8\xad", "a%",
        "x.meta.json", "X.Meta.JSON", "a\\b", "a\n", "a+b", "a~"
    };

    for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        ok(art_ref_name_workspace(art_cstr(good[i])), "workspace %s", good[i]);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ok(!art_ref_name_workspace(art_cstr(bad[i])), "no workspace %zu", i);
    }

    ok(!art_ref_name_workspace(art_str("a\0b", 3)), "no NUL");

    memset(name, 'a', sizeof(name));
    ok(art_ref_name_workspace(art_str(name, 245)), "245 bytes");
    ok(!art_ref_name_workspace(art_str(name, 246)), "246 bytes");

    ok(art_ref_name_path(art_str(name, 255)), "a component of 255 bytes");
    ok(!art_ref_name_path(art_str(name, 256)), "one of 256 bytes");
    name[20] = '/';
    ok(art_ref_name_path(art_str(name, 276)), "255 bytes at the end");
    ok(!art_ref_name_path(art_str(name, 277)), "256 bytes at the end");
    name[277] = '/';
    ok(!art_ref_name_path(art_str(name, 280)), "256 bytes in the middle");

    ok(art_ref_name_mime(art_cstr("text/plain; charset=utf-8")),
       "a media type");
    ok(!art_ref_name_mime(art_cstr("")), "none");
    ok(!art_ref_name_mime(art_cstr("text/\x01")), "control character");
    ok(!art_ref_name_mime(art_cstr("text/\xff")), "no UTF-8");
    ok(art_ref_name_mime(art_str(memset(name, 'a', 255), 255)),
       "255 bytes of it");
    ok(!art_ref_name_mime(art_str(name, 256)), "256 bytes of it");
}


static void
check_artifact(void)
{
    size_t     i;
    uint8_t    buf[1024];
    art_str_t  name;

    static const struct {
        const char  *value;
        const char  *name;       /* NULL: refused */
    } cases[] = {
        { "shot.png", "shot.png" },
        { "%E5%9B%BE%20a.png", "\xe5\x9b\xbe a.png" },
        { "a+b", "a+b" },
        { "%2e%2E.x", "...x" },
        { "a%252fb", "a%2fb" },
        { "C:%5Cx.png", "C:\\x.png" },
        { "%2", NULL }, { "%", NULL }, { "%g0", NULL }, { "%0g", NULL },
        { "a/b", NULL }, { "a%2Fb", NULL }, { "..", NULL }, { "%2e", NULL },
        { "a%00b", NULL }, { "a%0ab", NULL }, { "%7f", NULL },
        { "%c2%85", NULL }, { "%ff", NULL }, { "%c0%af", NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {

        if (cases[i].name == NULL) {
            ok(art_ref_name_artifact(art_cstr(cases[i].value), buf, &name)
               == ART_ERROR && name.data == NULL,
               "refused: %s", cases[i].value);
            continue;
        }

        (void) art_ref_name_artifact(art_cstr(cases[i].value), buf, &name);
        is_mem(name.data, name.len, cases[i].name, strlen(cases[i].name),
               cases[i].value);
    }

    ok(art_ref_name_artifact(art_cstr(""), buf, &name) == ART_OK
       && name.data == NULL, "an empty value is no name");
}


static void
check_extension(void)
{
    char        text[64];
    size_t      i, bad;
    uint8_t     buf[ART_REF_NAME_EXTENSION_MAX];
    unsigned    row;
    art_str_t   got;
    art_meta_t  meta;

    static const struct {
        const char  *name;
        const char  *type;
        const char  *want;
    } cases[] = {
        { "shot.png", "image/jpeg", ".png" },
        { "SHOT.PNG", "", ".png" },
        { "a.tar.gz", "application/gzip", ".gz" },
        { "a.c++", "text/plain", ".c++" },
        { "", "image/png", ".png" },
        { "noext", "IMAGE/PNG; x=y", ".png" },
        { "noext", "image/jpg", ".jpg" },
        { "noext", "application/octet-stream", "" },
        { "noext", "x/unknown", "" },
        { "noext", "garbage", "" },
        { "x.meta", "image/png", ".png" },
        { "x.META", "application/x-nothing", "" },
        { "x.meta.json", "text/plain", ".json" },
        { "Report 1. final", "application/pdf", ".pdf" },
        { "dot.", "application/pdf", ".pdf" },
        { "a.\xe5\x9b\xbe", "application/pdf", ".pdf" },
        { "a.12345678901234567", "application/pdf", ".pdf" },
        { "a.1234567890123456", "application/pdf", ".1234567890123456" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        got = art_ref_name_extension(art_cstr(cases[i].name),
                                     art_cstr(cases[i].type), buf);
        sprintf(text, "%s, %s", cases[i].name, cases[i].type);
        is_mem(got.data, got.len, cases[i].want, strlen(cases[i].want), text);
    }

    bad = 0;

    for (row = 0; art_media_row(row) != NULL; row++) {
        got = art_ref_name_extension(art_str(NULL, 0),
                                     art_cstr(art_media_row(row)->mime), buf);
        sprintf(text, "{\"extension\":\"%.*s\"}", (int) got.len,
                (const char *) got.data);

        if (art_meta_parse(art_cstr(text), &meta) != ART_META_OK) {
            bad++;
            continue;
        }

        bad += !art_str_eq(meta.extension, got) || art_meta_reserved(got);
        art_meta_free(&meta);
    }

    ok(row > 50 && bad == 0, "the extension of every media type is sound");
}


static void
check_precond(void)
{
    size_t     i;
    char       text[128];
    art_str_t  values[2];

    static const struct {
        art_precondition_t  kind;
        const char         *value;
        const char         *etag;     /* NULL: there is no file */
        int                 want;
    } cases[] = {
#define M   ART_IF_MATCH
#define N   ART_IF_NONE_MATCH
        { M, "*", "\"a\"", 1 },
        { M, " * ", "\"a\"", 1 },
        { M, "*", NULL, 0 },
        { M, "\"a\"", "\"a\"", 1 },
        { M, "\"a\"", NULL, 0 },
        { M, "\"b\" , \"a\"", "\"a\"", 1 },
        { M, ",,\"b\",\t,\"a\",", "\"a\"", 1 },
        { M, "\"b\"", "\"a\"", 0 },
        { M, "W/\"a\"", "\"a\"", 0 },
        { M, "\"a\"", "W/\"a\"", 0 },
        { M, "W/\"a\"", "W/\"a\"", 0 },
        { M, "\"a,b\"", "\"a,b\"", 1 },
        { M, "\"a,b\"", "\"a\"", 0 },
        { M, "\"\"", "\"\"", 1 },
        { M, "\"\x80\"", "\"\x80\"", 1 },
        { M, "", "\"a\"", 0 },
        { M, ",", "\"a\"", 0 },
        { M, "a", "\"a\"", 0 },
        { M, "\"a\" \"a\"", "\"a\"", 0 },
        { M, "\"a\"\"b\"", "\"a\"", 0 },
        { M, "\"a\", *", "\"a\"", 0 },
        { M, "\"a\", b", "\"a\"", 0 },
        { M, "\"a", "\"a\"", 0 },
        { M, "w/\"a\"", "\"a\"", 0 },
        { M, "\"a b\"", "\"a b\"", 0 },
        { N, "*", "\"a\"", 0 },
        { N, "*", NULL, 1 },
        { N, "\"a\"", "\"a\"", 0 },
        { N, "W/\"a\"", "\"a\"", 0 },
        { N, "\"a\"", "W/\"a\"", 0 },
        { N, "\"b\"", "\"a\"", 1 },
        { N, "\"a\"", NULL, 1 },
        { N, "", "\"a\"", 1 },
        { N, "\"b\", W/\"a\"", "\"a\"", 0 },
        { N, "b", "\"a\"", 0 },
        { N, "b", NULL, 0 }
#undef M
#undef N
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        values[0] = art_cstr(cases[i].value);
        sprintf(text, "%s: %s against %s",
                cases[i].kind == ART_IF_MATCH ? "If-Match"
                                                      : "If-None-Match",
                cases[i].value, cases[i].etag ? cases[i].etag : "nothing");

        is_int(art_precondition_holds(cases[i].kind, values, 1,
                                      cases[i].etag != NULL,
                                      cases[i].etag ? art_cstr(cases[i].etag)
                                               : art_str(NULL, 0)),
               cases[i].want, text);
    }

    values[0] = art_cstr("\"b\"");
    values[1] = art_cstr("\"a\"");
    ok(art_precondition_holds(ART_IF_MATCH, values, 2, 1,
                              art_cstr("\"a\"")), "two lines are one list");
    ok(art_precondition_holds(ART_IF_MATCH, NULL, 0, 0,
                              art_str(NULL, 0)), "no line, no condition");
    values[0] = art_cstr("*");
    ok(!art_precondition_holds(ART_IF_MATCH, values, 2, 1,
                               art_cstr("\"a\"")), "* stands alone");
}


static void
check_meta(void)
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
        "  \"messageId\": \"m\",\n  \"agentId\": \"a\"\n}\n";

    memset(&created, 0, sizeof(created));

    created.id = art_cstr("0190-a");
    created.extension = art_cstr(".png");
    created.mime = art_cstr("image/png");
    created.name = art_cstr("a \"b\".png");
    created.size = UINT64_MAX;
    created.created = 1767225600007;
    created.message_id = art_cstr("m");
    created.agent_id = art_cstr("a");

    out.data = buf;
    out.len = 0;
    out.room = sizeof(buf);

    art_meta_print_new(&out, &created);
    is_mem(buf, out.len, want, sizeof(want) - 1, "a new .meta");

    created.name = art_str(NULL, 0);
    created.extension = art_cstr("");
    created.message_id = art_cstr("\xff\n");
    created.agent_id = art_str(NULL, 0);
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
    check_time();
    check_uuid();
    check_workspace();
    check_artifact();
    check_extension();
    check_precond();
    check_meta();

    return done();
}
