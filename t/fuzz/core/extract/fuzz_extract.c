
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The first bytes choose the API, a stream or a document,
 * whether blocks are cut out, and the pieces; the rest is the answer.  In
 * pieces it must give what it gives at once, JSON must stay JSON, and without
 * cutting all that came must be there, in order.  What is cut is text of JSON
 * strings, so no line break of the answer may be missing in any case.
 */


#include "core/json/art_json_scan.h"
#include "core/extract/extract_run.h"


#define FUZZ_HEAD  3

#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


/* Whether "all" is "part" with up to "times" things of one length put in. */

static int
fuzz_contains(const uint8_t *all, size_t len, const uint8_t *part, size_t n,
    unsigned times)
{
    size_t  head, tail, more;

    if (len < n) {
        return 0;
    }

    for (head = 0; head < n && all[head] == part[head]; head++) { /* void */ }

    more = head + (len - n) / 2;

    if (times == 2
        && fuzz_contains(all + more, len - more, part + head, n - head, 1))
    {
        return 1;
    }

    for (tail = 0; tail < n && all[len - tail - 1] == part[n - tail - 1];
         tail++)
    {
        /* void */
    }

    return head + tail >= n;
}


static size_t
fuzz_breaks(const uint8_t *p, size_t len)
{
    size_t  n;

    for (n = 0; len > 0; p++, len--) {
        n += *p == '\n' || *p == '\r';
    }

    return n;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned     how;
    run_out_t    once, pieces;
    const char  *api;

    static const char *const  apis[] = {
        "openai", "openai_responses", "anthropic", "gemini", "bedrock", NULL
    };

    if (size < FUZZ_HEAD || size > 60000) {
        return 0;
    }

    api = apis[data[0] % 6u];
    how = data[1] & (STRIP | SSE);

    once = run_all(api, how, data + FUZZ_HEAD, size - FUZZ_HEAD, 0, 0);
    pieces = run_all(api, how, data + FUZZ_HEAD, size - FUZZ_HEAD,
                     1 + data[2] % 16u, 1 + data[2] / 16u);

    check(run_same(&once, pieces.data, pieces.len));

    data += FUZZ_HEAD;
    size -= FUZZ_HEAD;

    check((how & STRIP)
          || fuzz_contains(once.data, once.len, data, size, 2));
    check(fuzz_breaks(once.data, once.len) >= fuzz_breaks(data, size));
    check(once.gave_up != ART_EXTRACT_STUCK);
    check((how & SSE) || !art_json_valid(data, size)
          || art_json_valid(once.data, once.len));

    free(once.data);
    free(pieces.data);

    return 0;
}
