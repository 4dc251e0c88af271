
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the API, the reader, and the
 * request's limit; the rest is the body.  Scanned in pieces it must give the
 * slots that it gives at once; composed, operations must hold, JSON must stay
 * JSON, and what comes out must have nothing left to change, but for markers in
 * texts of tools.
 */


#define RUN_REAL

#include "core/json/art_json_scan.h"
#include "core/expand/expand_run.h"
#include "core/expand/art_expand_limit.h"


#define FUZZ_HEAD  3

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static uint64_t
fuzz_slots(void)
{
    uint32_t             i;
    uint64_t             sum;
    art_message_slot_t  *s;

    sum = scan.nslots;

    for (i = 0; i < scan.nslots; i++) {
        s = art_scan_slot(&scan, i);

        check(s->part.pos < s->part.end && s->part.end <= scan.len);
        check(s->target.pos < s->target.end && s->target.end <= scan.len);
        check(i == 0
              || art_scan_slot(&scan, i - 1)->part.pos < s->part.pos);

        sum = sum * 31 + s->part.pos;
        sum = sum * 31 + s->target.end;
        sum = sum * 31 + s->mime.end + s->before + s->after + s->group;
        sum = sum * 31 + s->text.len + s->size + s->ref + s->role;
    }

    return sum;
}


/* The length of what comes of a body that is scanned; -1: it passes. */

static long
fuzz_compose(const char *api, const art_message_reader_t *reader,
    const uint8_t *body, size_t len, uint64_t limit, uint8_t *dst)
{
    uint32_t  n;

    if (scan_body(api, body, len, len, 64) != ART_SCAN_OK) {
        return -1;
    }

    check(plan_body(reader) == ART_OK);
    check(art_limit_media(&plan_of, &n) == ART_OK && n <= scan.nslots);

    if (limit > 0) {
        (void) art_edit_budget(&plan_of, limit);
    }

    len = (size_t) splice_body(body, dst);
    check(len != (size_t) -1);

    return (long) len;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long                   len, again;
    uint64_t               slots, limit;
    const char            *api;
    art_scan_status_t      status;
    art_message_reader_t   reader;
    static uint8_t         once[OUT_MAX], twice[OUT_MAX];

    if (size < FUZZ_HEAD || size > 60000) {
        return 0;
    }

    api = art_api_request_row(data[0] % 9u)->name;
    scan_argument = strcmp(api, "mcp") != 0
                    ? ART_ARGUMENT_OFF
                    : (art_argument_t) (ART_ARGUMENT_DATA + data[1] % 3);
    scan_standins = scan_argument == ART_ARGUMENT_OFF && data[2] & 4
                    ? ART_SCAN_STANDINS | (data[2] & 8 ? ART_SCAN_ONLY : 0)
                    : 0;
    reader = reader_of(scan_argument != ART_ARGUMENT_OFF ? "unknown"
                       : data[2] & 2 ? "fetches"
                       : data[1] % 3 == 0 ? "sees" : data[1] % 3 == 1 ? "text"
                                                   : "unknown");
    reader.model = art_cstr(data[1] & 0x80 ? "gemini-3" : "gemini-2.5");
    reader.max_media = reader.known ? data[1] >> 4 & 3 : 0;
    limit = data[2] & 1 ? (size_t) data[2] * 16 : 0;

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    status = scan_body(api, data, size, size, 64);
    slots = fuzz_slots();
    pool_free();

    check(scan_body(api, data, size, 0, 64) == status);
    check(fuzz_slots() == slots);
    pool_free();

    /* bytes that are no UTF-8 are nobody's business, all else is */

    check(status != ART_SCAN_PASS || !art_json_valid(data, size)
          || scan.refused);

    len = fuzz_compose(api, &reader, data, size, limit, once);
    pool_free();

    if (len < 0) {
        return 0;
    }

    check(!art_json_valid(data, size) || art_json_valid(once, (size_t) len));

    /* words may quote a malformed reference that has a marker in it */

    if (limit == 0 && scan.finds == 0) {
        again = fuzz_compose(api, &reader, once, (size_t) len, 0, twice);

        check(scan.finds > 0
              || (again == len && memcmp(once, twice, (size_t) len) == 0));
        pool_free();
    }

    return 0;
}
