
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Scans of bodies that are odd or hostile: what is no JSON passes, nothing
 * grows without bound, and pieces do not matter.
 */


#include "expand_run.h"


#define BIG  (64 << 20)

/* The most memory that any body may take: the lists, and their strings. */

#define POOL_MAX  (8u << 20)


#define USER  "{\"messages\":[{\"role\":\"user\",\"content\":["
#define PART  "{\"type\":\"image_url\",\"image_url\":{\"url\":"
#define USER_PART  USER PART


static uint8_t  big[BIG + 65536];


static const struct {
    const char         *body;
    art_scan_status_t   want;
} texts[] = {
    { "", ART_SCAN_PASS },
    { " ", ART_SCAN_PASS },
    { "{", ART_SCAN_PASS },
    { "{}", ART_SCAN_OK },
    { "\xef\xbb\xbf{}", ART_SCAN_OK },
    { "\xef\xbb{}", ART_SCAN_PASS },
    { "\xef\xbb\xbf\xef\xbb\xbf{}", ART_SCAN_PASS },
    { "{}{}", ART_SCAN_PASS },
    { "{},", ART_SCAN_PASS },
    { "[]", ART_SCAN_OK },
    { "1", ART_SCAN_OK },
    { "\"a\"", ART_SCAN_OK },
    { "null", ART_SCAN_OK },
    { "nul", ART_SCAN_PASS },
    { "nulll", ART_SCAN_PASS },
    { "tru e", ART_SCAN_PASS },
    { "-", ART_SCAN_PASS },
    { "-0.5e+10", ART_SCAN_OK },
    { "01", ART_SCAN_PASS },
    { "1.", ART_SCAN_PASS },
    { ".5", ART_SCAN_PASS },
    { "1e", ART_SCAN_PASS },
    { "1e-", ART_SCAN_PASS },
    { "+1", ART_SCAN_PASS },
    { "1180591620717411303424", ART_SCAN_OK },
    { "[1,]", ART_SCAN_PASS },
    { "[,1]", ART_SCAN_PASS },
    { "[1 2]", ART_SCAN_PASS },
    { "[}", ART_SCAN_PASS },
    { "{\"a\"}", ART_SCAN_PASS },
    { "{\"a\":}", ART_SCAN_PASS },
    { "{\"a\":1,}", ART_SCAN_PASS },
    { "{a:1}", ART_SCAN_PASS },
    { "{'a':1}", ART_SCAN_PASS },
    { "{\"a\":1 \"b\":2}", ART_SCAN_PASS },
    { "\"\\x\"", ART_SCAN_PASS },
    { "\"\\u12g4\"", ART_SCAN_PASS },
    { "\"\\u00e9\\ud83d\\ude00\\ud83d\"", ART_SCAN_OK },
    { "\"a\nb\"", ART_SCAN_PASS },
    { "\"\x7f\xff\xc0\"", ART_SCAN_OK },
    { "{\"model\":\"a\",\"model\":\"b\"}", ART_SCAN_OK },
    { "{\"messages\":{},\"model\":7}", ART_SCAN_OK },
    { "{\"messages\":[],\"messages\":[]}", ART_SCAN_PASS },
    { "{\"messages\":[1,null,\"a\",[{}],{\"content\":{\"type\":1}}]}",
      ART_SCAN_OK },
    { "{\"messages\":[{\"role\":[],\"content\":[[],1,{\"type\":{},"
      "\"image_url\":{\"url\":{\"url\":\"artifact:x\"}}}]}]}", ART_SCAN_OK },
    { "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":"
      "{\"url\":\"artifact:x\",\"url\":7}}]}]}", ART_SCAN_OK },
    { "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":"
      "{\"url\":\"artifact:x\"},\"image_url\":{}}]}]}", ART_SCAN_OK },
    { "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":"
      "{\"url\":\"artifact:x\"}}],\"content\":\"a\"}]}", ART_SCAN_OK }
};


static void
check_texts(void)
{
    char      label[60];
    size_t    i, piece;
    unsigned  same;

    for (i = 0; i < nitems(texts); i++) {
        same = 1;

        for (piece = 1; piece < 5; piece++) {
            same &= scan_body("openai", texts[i].body, strlen(texts[i].body),
                              piece, 64) == texts[i].want
                    && scan.nslots == 0;
            pool_free();
        }

        snprintf(label, sizeof(label), "text %u", (unsigned) i);
        ok(same != 0, "%s", label);
    }

    scan_body("openai", "[\"a\0b\"]", 7, 0, 64);
    is_int(scan.status, ART_SCAN_PASS, "a NUL");
    is_int(scan.refused, 0, "is no JSON");
    pool_free();

    scan_body("openai", "{\"messages\":[],\"messages\":[]}", 30, 0, 64);
    is_int(scan.refused, 1, "two lists of messages are JSON");
    pool_free();
}


static void
check_models(void)
{
    static const char  body[] =
        "{\"model\":\"a\",\"tools\":[{\"model\":\"x\"}],\"models\":[\"b\",7,"
        "\"\\u0063\"],\"model\":\"d\\/e\"}";

    is_int(scan_body("openrouter", body, sizeof(body) - 1, 0, 64),
           ART_SCAN_OK, "models");
    is_int(scan.nmodels, 3, "three of them");
    is_mem(scan.models[0].data, scan.models[0].len, "d/e", 3, "the last one");
    is_mem(scan.models[1].data, scan.models[1].len, "b", 1, "another");
    is_mem(scan.models[2].data, scan.models[2].len, "c", 1, "and another");
    pool_free();

    scan_body("anthropic", "{\"a\":{\"anthropic_version\":1}}", 29, 0, 64);
    ok(!scan.versioned, "a version is the body's own");
    scan_body("anthropic", "{\"anthropic_version\":\"x\"}", 25, 0, 64);
    ok(scan.versioned, "the version of Anthropic's API");
    pool_free();
}


/* Ids as their escapes decode; what no artifact can have is malformed. */

static void
check_ids(void)
{
    size_t  i;
    char    body[300];

    static const struct {
        const char  *url;
        const char  *id;
        unsigned     malformed;
    } urls[] = {
        { "artifact:a\\u00e9\\ud83d\\ude00", "a\xc3\xa9\xf0\x9f\x98\x80",
          0 },
        { "artifact:x\\ud800", "x\xef\xbf\xbd", 0 },
        { "artifact:x\\ud800\\u0001", "x\xef\xbf\xbd\1", 1 },
        { "artifact:x\\udc00y", "x\xef\xbf\xbdy", 0 },
        { "artifact:ws:w:YQ==", "ws:w:YQ", 0 },
        { "artifact:ws:w:!", "ws:w:!", 1 },
        { "artifact:artifact:x", "artifact:x", 0 },
        { "artifact:.x", ".x", 1 },
        { "artifact:a\xff", "a\xff", 1 },
        { "https://h/a/x%2Fy", "x/y", 1 },
        { "https://h/a/x%2", "x%2", 1 },
        { "https://h/a/artifact:x%20y#z", "x y", 0 },
        { "artifact:a\\u200by", "a\xe2\x80\x8by", 0 }
    };

    for (i = 0; i < nitems(urls); i++) {
        snprintf(body, sizeof(body), USER_PART "\"%s\"}}]}]}", urls[i].url);
        scan_body("openai", body, strlen(body), 0, 64);

        if (is_int(scan.nslots, 1, urls[i].url)) {
            is_mem(art_scan_slot(&scan, 0)->text.data,
                   art_scan_slot(&scan, 0)->text.len, urls[i].id,
                   strlen(urls[i].id), "its id");
            is_int(art_scan_slot(&scan, 0)->malformed, urls[i].malformed,
                   "and whether it is one");
        }

        pool_free();
    }
}


/* White space makes prose of what begins as a reference. */

static void
check_prose(void)
{
    size_t  i;
    char    body[300];

    static const char  *texts[] = {
        "artifact:x y", "artifact:x\\ty", "artifact:x\\n", "artifact: x",
        "artifact:x\\r\\n", "artifact:x\\fy", "artifact:x\\u000by",
        "artifact:x\\u0085y", "artifact:x\\u00a0y", "artifact:x\\u1680y",
        "artifact:x\\u2000y", "artifact:x\\u200ay", "artifact:x\\u2028y",
        "artifact:x\\u2029y", "artifact:x\\u202fy", "artifact:x\\u205fy",
        "artifact:x\\u3000y", "artifact:x\xe3\x80\x80y", "artifact:ws:w:! ",
        "artifact:.x y", "artifact:a\xff y", "https://h/a/x y",
        "https://h/a/artifact:x#y z"
    };

    for (i = 0; i < nitems(texts); i++) {
        snprintf(body, sizeof(body), USER_PART "\"%s\"}}]}]}", texts[i]);
        scan_body("openai", body, strlen(body), 0, 64);

        is_int(scan.nrefs, 0, texts[i]);
        ok(scan.nslots == 1 && art_scan_slot(&scan, 0)->held != ART_HELD_REF,
           "and the slot holds something else");

        pool_free();
    }
}


/* "open" so many times, then "inner", then "close". */

static size_t
nested(const char *open, const char *inner, const char *close, size_t depth)
{
    size_t  i, len;

    len = 0;

    for (i = 0; i < depth; i++) {
        memcpy(big + len, open, strlen(open));
        len += strlen(open);
    }

    memcpy(big + len, inner, strlen(inner));
    len += strlen(inner);

    for (i = 0; i < depth; i++) {
        memcpy(big + len, close, strlen(close));
        len += strlen(close);
    }

    return len;
}


static void
check_depth(void)
{
    size_t  len;

    len = nested("[", "", "]", 512);
    is_int(scan_body("openai", big, len, 4000, 64), ART_SCAN_OK, "512 deep");
    len = nested("[", "", "]", 513);
    is_int(scan_body("openai", big, len, 4000, 64), ART_SCAN_PASS, "513 deep");
    len = nested("{\"messages\":[{\"content\":[", "", "]}]}", 128);
    is_int(scan_body("openai", big, len, 4000, 64), ART_SCAN_OK, "a tower");
    len = nested("{\"generateContentRequest\":", "{}", "}", 500);
    is_int(scan_body("gemini", big, len, 4000, 64), ART_SCAN_OK,
           "requests in requests");
    len = nested("{\"x\":", "1", "}", 10000);
    is_int(scan_body("openai", big, len, 4000, 64), ART_SCAN_PASS,
           "10,000 deep");

    pool_free();

    memset(big, '[', BIG);
    is_int(scan_body("openai", big, BIG, 65536, 64), ART_SCAN_PASS,
           "64 MB of brackets");
    pool_free();
}


/* One member after the other, "middle" with its number, up to "max" bytes. */

static size_t
many(const char *before, const char *middle, const char *after, size_t n,
    size_t max)
{
    size_t  i, len;

    len = (size_t) sprintf((char *) big, "%s", before);

    for (i = 0; i < n && len < max; i++) {
        len += (size_t) sprintf((char *) big + len, "%s", i > 0 ? "," : "");
        len += (size_t) sprintf((char *) big + len, middle, (int) i);
    }

    return len + (size_t) sprintf((char *) big + len, "%s", after);
}


static void
check_many(void)
{
    size_t  len;

    len = many(USER, PART "\"artifact:%d\"}}", "]}]}", 64, BIG);
    is_int(scan_body("openai", big, len, 5000, 64), ART_SCAN_OK,
           "as many references as may be");
    is_int(scan.nrefs, 64, "each is another");
    pool_free();

    len = many(USER, PART "\"artifact:%d\"}}", "]}]}", 65, BIG);
    is_int(scan_body("openai", big, len, 5000, 64), ART_SCAN_TOO_MANY,
           "one more");
    is_int(scan.nslots, 0, "none is left then");
    pool_free();

    len = many(USER, "{\"x\":%d,\"type\":\"image_url\",\"image_url\":"
               "{\"url\":\"artifact:a\"}}", "]}]}", 4096, BIG);
    is_int(scan_body("openai", big, len, 5000, 9999), ART_SCAN_OK,
           "4096 references");
    ok(scan.nslots == 4096 && scan.nrefs == 1, "to the same artifact");
    ok(pool_bytes < POOL_MAX, "%lu bytes", (unsigned long) pool_bytes);
    pool_free();

    len = many(USER, PART "\"artifact:%d\"}}", "]}]}", 4097, BIG);
    is_int(scan_body("openai", big, len, 5000, 9999), ART_SCAN_TOO_MANY,
           "4097 references");
    pool_free();

    len = many(USER, PART "\"http://h/%d\"}}", "]}]}", SIZE_MAX, BIG / 8);
    is_int(scan_body("openai", big, len, 65536, 64), ART_SCAN_OK,
           "8 MB of URLs");
    ok(scan.full && scan.nslots == 16384, "of which 16384 are slots");
    ok(pool_bytes < POOL_MAX, "%lu bytes", (unsigned long) pool_bytes);
    pool_free();
}


/*
 * Groups, of which a slot may need two: its call's, and that of the messages
 * of tools around it.
 */

static void
check_groups(void)
{
    size_t  i, n, len;

#define MARK    "[artifact:" IMG_ID "]"
#define CALL    "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{"
#define MODEL   "}}]},{\"role\":\"model\",\"parts\":[]}"

    static const struct {
        const char  *member;
        size_t       n;
    } calls[] = {
        { "\"response\":{\"a\":\"" MARK "\"}", 2048 },
        { "\"parts\":[{\"functionResponse\":{\"parts\":[{\"inlineData\":"
          "{\"data\":\"aaaa\"}}]}}]", 4096 }
    };

    len = many("{\"messages\":[{", "\"content\":[{\"content\":\"" MARK "\","
               "\"type\":\"tool_result\",\"tool_use_id\":\"%d\"}]", "}]}",
               9000, BIG);
    is_int(scan_body("anthropic", big, len, 65536, 64), ART_SCAN_OK,
           "9000 contents of a message");
    ok(scan.nslots == 1 && scan.ngroups == 1, "the last one counts");
    pool_free();

    len = (size_t) sprintf((char *) big, "{\"contents\":[{}");

    for (i = 0; i < nitems(calls); i++) {
        for (n = 0; n < calls[i].n; n++) {
            len += (size_t) sprintf((char *) big + len, ",%s%s%s", CALL,
                                    calls[i].member, MODEL);
        }
    }

    len += (size_t) sprintf((char *) big + len, "]}");

    is_int(scan_body("gemini", big, len, 65536, 64), ART_SCAN_OK,
           "as many slots and finds as may be");
    is_int(scan.ngroups, 2 * (4096 + 2048), "two groups for each");
    ok(pool_bytes < POOL_MAX, "%lu bytes", (unsigned long) pool_bytes);
    pool_free();
}


/* What is no slot in the end takes no memory. */

static void
check_memory(void)
{
    size_t    i, len;

    static const struct {
        const char  *before;
        const char  *middle;
        const char  *after;
    } bodies[] = {
        { USER, "{\"type\":\"text\",\"text\":\"artifact:%d\"}", "]}]}" },
        { USER "{\"type\":\"image_url\",\"image_url\":{",
          "\"url\":\"artifact:%d\"", "}}]}]}" },
        { USER "{\"type\":\"x\",\"image_url\":{", "\"url\":\"artifact:%d\"",
          "}}]}]}" },
        { "{\"messages\":[", "{\"role\":\"user\",\"content\":\"artifact:%d\"}",
          "]}" },
        { "{\"messages\":[{\"role\":\"user\",", "\"content\":\"artifact:%d\"",
          "}]}" },
        { "{\"messages\":[{\"role\":\"user\",",
          "\"content\":[" PART "\"artifact:%d\"}}]",
          ",\"content\":1}]}" },
        { "{", "\"model\":\"%d\"", "}" },
        { "{\"models\":[", "\"%d\"", "]}" },
        { "[", "%d", "]" }
    };

    for (i = 0; i < nitems(bodies); i++) {
        len = many(bodies[i].before, bodies[i].middle, bodies[i].after,
                   SIZE_MAX, 4 << 20);
        is_int(scan_body("openai", big, len, 65536, 64), ART_SCAN_OK,
               "4 MB of it");
        is_int(scan.nslots, 0, "none is a slot");
        ok(pool_bytes < 200000, "%lu bytes of memory",
           (unsigned long) pool_bytes);
        pool_free();
    }
}


/* Slots that were found, as text. */

static void
print_slots(char *out, size_t room)
{
    size_t                len;
    uint32_t              i;
    art_message_slot_t   *s;

    len = 0;
    out[0] = '\0';

    for (i = 0; i < scan.nslots && len + 300 < room; i++) {
        s = art_scan_slot(&scan, i);

        len += (size_t) snprintf(out + len, room - len,
            "%d %d %d %ld+%ld %ld+%ld %ld+%ld %ld+%ld %ld %ld %u %u %u %u %d"
            " %.*s %.*s %.*s %ld|",
            s->held, s->role, s->place, (long) s->part.pos,
            (long) s->part.end, (long) s->target.pos, (long) s->target.end,
            (long) s->mime.pos, (long) s->mime.end, (long) s->keep[0].pos,
            (long) s->keep[1].end, (long) s->before, (long) s->after,
            s->index, s->message, s->group, s->ref, s->malformed,
            (int) s->text.len, s->text.len ? (char *) s->text.data : "",
            (int) s->name.len, s->name.len ? (char *) s->name.data : "",
            (int) s->mime_type.len,
            s->mime_type.len ? (char *) s->mime_type.data : "",
            (long) s->size);
    }
}


static const char *const  bodies[] = {
    "{\"messages\":[{\"content\":[{\"type\":\"image_url\",\"image_url\":"
    "{\"detail\":\"low\",\"url\":\"\\u0061rtifact:im\\u00e9\\ud83d\\ude00"
    "\\ud800x\"},\"cache_control\":{\"a\":[1,2]}},{\"image_url\":{\"url\":"
    "\"data:image/jpg;base64,AAAA\\/AAA=\"},\"type\":\"image_url\"},"
    "{\"type\":\"file\",\"file\":{\"file_id\":\"https:\\/\\/h\\/a\\/x%41?q\","
    "\"filename\":\"\\t\\\"a\"}}],\"role\":\"user\"},{\"role\":\"tool\","
    "\"content\":\"artifact:t\"},{\"role\":\"tool\",\"content\":[{\"type\":"
    "\"text\",\"text\":\"artifact:u\"}]}],\"model\":\"m\",\"n\":-1.5e+3}"
};


static void
check_pieces(void)
{
    size_t       i, n, len;
    unsigned     failed;
    static char  whole[9000], pieces[9000];

    for (i = 0; i < nitems(bodies); i++) {
        len = strlen(bodies[i]);
        failed = scan_body("openai", bodies[i], len, len, 64) != ART_SCAN_OK;

        print_slots(whole, sizeof(whole));
        is_int(scan.nslots, 5, "slots");
        pool_free();

        for (n = 1; n < 400; n++) {
            failed |= scan_body("openai", bodies[i], len,
                                n < 200 ? n : 0, 64) != ART_SCAN_OK;
            print_slots(pieces, sizeof(pieces));
            failed |= strcmp(whole, pieces) != 0;
            pool_free();
        }

        ok(!failed, "any pieces give the same list");

        for (n = 0; n < len; n++) {
            failed |= scan_body("openai", bodies[i], n, 0, 64)
                      != ART_SCAN_PASS || scan.nslots != 0;
            pool_free();
        }

        ok(!failed, "cut anywhere, it passes");
    }
}


/* Without memory anywhere it says so. */

static void
check_no_memory(void)
{
    size_t                n;
    unsigned              failed;
    art_scan_status_t     status;
    art_message_reader_t  reader;

    failed = 0;
    reader = reader_of("text");

    for (n = 0; n < 40; n++) {
        pool_left = n;
        status = scan_body("openai", bodies[0], strlen(bodies[0]), 0, 64);

        if (status == ART_SCAN_OK && plan_body(&reader) == ART_OK
            && splice_body((const uint8_t *) bodies[0], composed) > 0)
        {
            break;
        }

        failed |= status != ART_SCAN_OK && status != ART_SCAN_NO_MEMORY;
        pool_free();
    }

    ok(!failed && n > 8 && n < 40, "%lu allocations, each may fail",
       (unsigned long) n);

    pool_left = SIZE_MAX;
    pool_free();
}


int
main(void)
{
    check_texts();
    check_models();
    check_ids();
    check_prose();
    check_depth();
    check_many();
    check_groups();
    check_memory();
    check_pieces();
    check_no_memory();

    return done();
}
