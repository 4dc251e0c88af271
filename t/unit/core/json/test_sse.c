
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Streams of events: their data, where they end, what stands between them.
 */


#include "tap.h"
#include "core/json/art_sse.h"


/* What is told: data, "/" for a line's end, "." an event's, "o" outside. */

static const struct {
    const char  *name;
    const char  *in;
    const char  *told;
} streams[] = {
    { "an event", "data: ab\n\n", "ab/." },
    { "carriage returns", "data: a\r\rdata:b\r\r", "a/.b/." },
    { "both", "data: a\r\n\r\ndata:b\r\n\r\n", "a/.b/." },
    { "mixed", "data: a\n\r\ndata:b\r\n\ndata:c\r\r\n", "a/.b/.c/." },
    { "one space goes, no more", "data:  a \n\n", " a /." },
    { "several lines", "data: a\ndata\ndata:\ndata:b\n\n", "a///b/." },
    { "other fields", "event: x\ndat: y\ndatax: z\nid\ndata: a\nretry:1\n\n",
      "a/." },
    { "fields without data", "event: x\n\ndata: a\n\n", ".a/." },
    { "comments", ": x\n\n\n:\r\ndata: a\n: y\n\n: z\n", "oooooooooa/.oooo" },
    { "empty lines with both", "\r\n\r\ndata: a\r\n\r\n\r\n", "ooooa/.oo" },
    { "no empty line at the end", "data: a\n", "a/" },
    { "no end at all", "data: a", "a" },
    { "a mark", "\xef\xbb\xbf" "data: a\n\n", "a/." },
    { "half a mark", "\xef\xbb" "data: a\n\ndata: b\n\n", ".b/." },
    { "a mark later", "data: a\n\n\xef\xbb\xbf" "data: b\n\n", "a/.." },
    { "names in other letters", "Data: a\n\nDATA:b\n\n data: c\n\n", "..." },
    { "colons", "data: a:b: c\n\n", "a:b: c/." },
    { "a colon alone", "data:\n\n", "/." }
};


static void
try_stream(size_t i, size_t step)
{
    char             told[200];
    size_t           n, k, len, used;
    art_sse_t        sse;
    const uint8_t   *p;
    art_sse_token_t  token;

    art_sse_init(&sse);

    p = (const uint8_t *) streams[i].in;
    len = strlen(streams[i].in);
    k = 0;

    for (n = 0; n < len; n += used) {
        token = art_sse_next(&sse, p + n, len - n < step ? len - n : step,
                             &used);

        if (token == ART_SSE_DATA) {
            memcpy(told + k, p + n, used);
            k += used;

        } else if (token == ART_SSE_OUTSIDE) {
            memset(told + k, 'o', used);
            k += used;

        } else if (token != ART_SSE_FIELD) {
            told[k++] = token == ART_SSE_LINE ? '/' : '.';
        }
    }

    told[k] = '\0';

    is_str(told, streams[i].told, streams[i].name);
}


int
main(void)
{
    size_t  i;

    for (i = 0; i < nitems(streams); i++) {
        try_stream(i, 1);
        try_stream(i, 3);
        try_stream(i, 1000);
    }

    return done();
}
