
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Properties that hold for any request: without references not a byte changes,
 * with them only those of their slots; the result is JSON, has nothing left to
 * change, and does not depend on pieces; damaged bodies do no harm.
 */


#define RUN_REAL

#include "expand_run.h"
#include "core/expand/art_expand_limit.h"
#include "expand_shapes.h"


#define BODY_MAX  20000


static char     body[BODY_MAX];
static uint8_t  again[OUT_MAX];


/* Strings that are none of ours, whatever they look like; or nothing. */

static const char *const  prose[] = {
    "", "artifact:", "see artifact:img", "\\u00e9\\ud83d\\ude00", "\\ud800",
    "\\\"type\\\":\\\"image_url\\\"", "2^70 \\/ \\\\", "\xe5\xb7\xa5",
    "https://h/a/", "]}]}", "artifac", "\\u0000"
};

static const char *const  spaces[] = { "", "", "", " ", "\n\t", "\r\n  " };

static const char *const  extras[] = {
    "'x':1180591620717411303424", "'x':{'url':'artifact:img'}",
    "'stream':true,'x':null", "'x':[[],{},-0.0e-7]", "'':[{'':''}]",
    "'metadata':{'messages':[{'content':'artifact:img'}]}"
};

static const char *const  ids[] = {
    "img", "pdf", "mp3", "mp4", "txt", "nil", "svg", "zip", "no", "a/b", "ws:x"
};

static const char *const  readers[] = { "sees", "text", "unknown" };


#define pick(list)  list[tap_below(nitems(list))]


/* A random request of an API with up to five parts; the number of slots. */

static unsigned
make_body(const char *api, unsigned refs)
{
    char      part[600], list[4000], value[100], text[6000];
    size_t    i, s, p, n, len;
    unsigned  made;

    made = 0;
    list[0] = '\0';
    n = tap_below(6);

    for (s = 0; strcmp(shapes[s].api, api) != 0; s++) { /* void */ }

    for (i = 0; i < n; i++) {

        do {
            p = tap_below(nitems(parts));
        } while (strcmp(parts[p].api, api) != 0
                 || (!refs && is_data(parts[p].part)));

        if (refs && tap_below(3)) {
            snprintf(value, sizeof(value), "artifact:%s", pick(ids));
            made++;

        } else {
            snprintf(value, sizeof(value), "%s",
                     prose[!refs + tap_below(nitems(prose) - !refs)]);
        }

        snprintf(part, sizeof(part), parts[p].part, value);

        len = strlen(list);
        snprintf(list + len, sizeof(list) - len, "%s%s%s%s", i ? "," : "",
                 pick(spaces), part, pick(spaces));
    }

    snprintf(text, sizeof(text), shapes[s].bodies[tap_below(ART_ROLE_MAX)],
             list);
    snprintf(body, sizeof(body), "%s{%s%s%s,%s%s", tap_below(9)
             ? "" : "\xef\xbb\xbf", pick(spaces), pick(extras), pick(spaces),
             pick(spaces), text + 1);
    quote(body);

    return made;
}


/* Neither a slot of the client's own, nor one of ours: not a byte changes. */

static void
check_untouched(void)
{
    long         len;
    size_t       i;
    unsigned     failed;
    const char  *api;

    failed = 0;

    for (i = 0; i < 3000 && !failed; i++) {
        api = pick(shapes).api;

        make_body(api, 0);

        /* a document may need a text beside it */

        if (strcmp(api, "bedrock") == 0
            && strstr(body, "\"document\"") != NULL)
        {
            continue;
        }

        len = compose(api, body, "leaves");

        failed = len != (long) strlen(body)
                 || memcmp(composed, body, (size_t) len) != 0;

        if (failed) {
            diag("%s %s", api, body);
            diag("%s", composed);
        }
    }

    ok(!failed, "3000 requests without references");
}


/* Whether a change is in a slot, or where its content may be moved to. */

static int
is_within(const art_splice_op_t *op)
{
    uint32_t                    i;
    const art_message_slot_t   *slot;
    const art_message_group_t  *group;

    for (i = 0; i < scan.nslots; i++) {
        slot = art_scan_slot(&scan, i);

        if (op->pos >= slot->before && slot->place != ART_PLACE_PART
            && op->pos + op->skip <= (slot->after ? slot->after
                                                  : slot->part.end))
        {
            return 1;
        }

        if (op->pos >= slot->part.pos && op->pos + op->skip <= slot->part.end)
        {
            return 1;
        }
    }

    for (i = 0; i < scan.ngroups; i++) {
        group = art_scan_group(&scan, i);

        if (op->skip == 0 && (op->pos == group->at
                              || op->pos == group->object.end - 1
                              || op->pos == group->array.end - 1))
        {
            return 1;
        }
    }

    return 0;
}


static unsigned
run_edited(const char *api, const char *reader)
{
    long                   len, second;
    size_t                 i, nops;
    json_t                *json;
    uint32_t               n;
    unsigned               failed;
    json_error_t           error;
    art_splice_op_t       *ops;
    art_message_reader_t   who;

    who = reader_of(reader);
    who.model = art_cstr(tap_below(2) ? "gemini-3" : "gemini-2.5");
    who.max_media = tap_below(3);

    failed = scan_body(api, body, strlen(body), 0, 64) != ART_SCAN_OK
             || plan_body(&who) != ART_OK
             || art_limit_media(&plan_of, &n) != ART_OK
             || art_edit_ops(&plan_of, 0, scan.nslots, &ops, &nops) != ART_OK;

    len = splice_body((const uint8_t *) body, composed);

    for (i = 0; i < nops; i++) {
        failed |= !is_within(&ops[i]);
    }

    pool_free();

    json = json_loads((char *) composed,
                      JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    failed |= len < 0 || json == NULL;
    json_decref(json);

    if (failed) {
        return 1;
    }

    /* the same again: what is there now is the client's own */

    if (scan_body(api, composed, (size_t) len, 0, 64) != ART_SCAN_OK
        || plan_body(&who) != ART_OK
        || art_limit_media(&plan_of, &n) != ART_OK)
    {
        return 1;
    }

    second = splice_body(composed, again);
    failed = second != len || memcmp(again, composed, (size_t) len) != 0;

    pool_free();

    return failed;
}


static void
check_edited(void)
{
    size_t       i, made;
    unsigned     failed;
    const char  *api, *reader;

    failed = 0;
    made = 0;

    for (i = 0; i < 20000 && !failed; i++) {
        api = pick(shapes).api;
        reader = pick(readers);

        /* JSON that jansson takes: it knows neither marks nor lone halves */

        do {
            made += make_body(api, 1);
        } while (body[0] != '{' || strstr(body, "ud800") != NULL
                 || strstr(body, "1180591") != NULL);

        failed = run_edited(api, reader);

        if (failed) {
            diag("%s %s %s", api, reader, body);
            diag("%s", composed);
            diag("%s", again);
        }
    }

    ok(!failed, "20000 requests with %lu references", (unsigned long) made);
}


/* Bytes changed, cut out or doubled: the same in any pieces. */

static void
check_damaged(void)
{
    size_t              i, k, n, len, at;
    unsigned            failed;
    uint32_t            slots;
    uint64_t            total;
    const char         *api;
    art_scan_status_t   status;

    failed = 0;

    for (i = 0; i < 20000 && !failed; i++) {
        api = pick(shapes).api;
        make_body(api, 1);
        len = strlen(body);

        for (k = tap_below(4); k > 0; k--) {
            at = tap_below(len);
            n = tap_below(4) ? 1 : tap_below(len - at);

            if (tap_below(2)) {
                body[at] = (char) "\"\\{}[],:0a\0\xff\n"[tap_below(13)];

            } else if (len > n + 10) {
                memmove(body + at, body + at + n, len - at - n);
                len -= n;
            }
        }

        status = scan_body(api, body, len, len, 64);
        slots = scan.nslots;
        total = 0;

        for (k = 0; k < slots; k++) {
            total += art_scan_slot(&scan, (uint32_t) k)->part.pos
                     * 31 + art_scan_slot(&scan, (uint32_t) k)->target.end;
        }

        pool_free();

        failed = scan_body(api, body, len, 0, 64) != status
                 || scan.nslots != slots;

        for (k = 0; k < slots && !failed; k++) {
            total -= art_scan_slot(&scan, (uint32_t) k)->part.pos
                     * 31 + art_scan_slot(&scan, (uint32_t) k)->target.end;
        }

        failed |= total != 0;
        pool_free();
    }

    ok(!failed, "20000 damaged requests");
}


int
main(void)
{
    check_untouched();
    check_edited();
    check_damaged();

    return done();
}
