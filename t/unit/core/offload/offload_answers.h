
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Runs an answer through art_offload_t and keeps what it gives.  Single quotes
 * stand for double ones; # for base64 that is long enough, ~ for some that is
 * not.
 */


#ifndef OFFLOAD_ANSWERS_H_INCLUDED_
#define OFFLOAD_ANSWERS_H_INCLUDED_


#include <jansson.h>

#include "core/offload/art_offload.h"
#include "tap.h"


#define OUT_MAX  (1 << 17)
#define MIN      64


typedef struct {
    uint8_t  data[OUT_MAX];
    size_t   len;
} bytes_t;


static art_offload_t  off;
static bytes_t        out, raw, content, contents;
static unsigned       values, nones;
static int            keep;          /* what is made of values */
static unsigned       most = 1000;


/* What is 64 characters long, and less; sound, in several spellings. */

#define LONG  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9Q"
#define SHORT "iVBORw0KGgo="


static int
put_out(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    memcpy(out.data + out.len, p, len);
    out.len += len;
    return ART_OK;
}


static int
put_raw(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    memcpy(raw.data + raw.len, p, len);
    raw.len += len;
    return ART_OK;
}


static int
put_content(void *data, const uint8_t *p, size_t len)
{
    (void) data;
    memcpy(content.data + content.len, p, len);
    content.len += len;
    return ART_OK;
}


static void
settle(art_offload_status_t status)
{
    art_offload_made_t  made;

    if (status == ART_OFFLOAD_OVER && keep) {
        made.uri = art_cstr("\"http://h/a/ID\"");
        made.name = art_cstr("\"ID.png\"");
        made.mime = art_cstr(keep == 2 ? "" : "\"image/png\"");
        made.text = art_cstr("\"[ID] text\"");
        made.marker = art_cstr("[ID]");
        made.size = content.len;

        (void) art_offload_made(&off, &made);

        values++;
        memcpy(contents.data + contents.len, content.data, content.len);
        contents.len += content.len;

    } else {
        (void) art_offload_left(&off);
        (void) put_out(NULL, raw.data, raw.len);

        nones++;
    }

    raw.len = 0;
    content.len = 0;
}


/*
 * Reads a text in pieces of "piece" bytes, 0: random ones; "links" is "mcp"
 * with links.
 */

static void
run(const char *api, unsigned stream, const uint8_t *p, size_t len,
    size_t piece)
{
    size_t                  n, read;
    uint8_t                *copy;
    unsigned                links;
    art_offload_sink_t      sink = { put_out, put_raw, put_content, NULL };
    art_offload_status_t    status;

    out.len = 0;
    raw.len = 0;
    content.len = 0;
    contents.len = 0;
    values = 0;
    nones = 0;

    links = strcmp(api, "links") == 0;

    art_offload_init(&off, art_api_find(art_cstr(links ? "mcp" : api)),
                     (stream ? ART_OFFLOAD_EVENTS : 0)
                     | (links ? ART_OFFLOAD_LINKS : 0),
                     MIN, most, &sink);

    while (len > 0) {
        n = piece ? piece : 1 + tap_below(30);
        n = n < len ? n : len;

        copy = malloc(n);
        memcpy(copy, p, n);

        status = art_offload_feed(&off, copy, n, &read);
        free(copy);

        if (status == ART_OFFLOAD_OVER || status == ART_OFFLOAD_NONE) {
            settle(status);
        }

        p += read;
        len -= read;
    }

    if (art_offload_end(&off) == ART_OFFLOAD_NONE) {
        settle(ART_OFFLOAD_NONE);
        (void) art_offload_end(&off);
    }
}


static inline size_t
text_of(char *dst, const char *text)
{
    size_t  len;

    for (len = 0; *text != '\0'; text++) {

        if (*text == '#' || *text == '~') {
            len += (size_t) sprintf(dst + len, "%s",
                                    *text == '#' ? LONG : SHORT);

        } else {
            dst[len++] = *text == '\'' ? '"' : *text;
        }
    }

    dst[len] = '\0';

    return len;
}


#define URL   "'http://h/a/ID'"
#define PARTS(part)  "{'candidates':[{'content':{'parts':[" part "]}}]}"
#define MCP(part)    "{'jsonrpc':'2.0','result':{'content':[" part "]}}"
#define LINK  "'uri':" URL ",'name':'ID.png','size':48"


#define BLOCK  "'type':'text','text':'[ID] text'"


static char  text[OUT_MAX];


static inline size_t
event_of(char *json, size_t len)
{
    memmove(json + 6, json, len);
    memcpy(json, "data: ", 6);
    memcpy(json + 6 + len, "\n\n", 3);

    return len + 8;
}


/*
 * Damages up to "most_spots" bytes of a text with characters of "marks", and
 * runs it: any pieces must do the same, what is not stored comes back as it
 * was, and JSON stays JSON.  How much of that was wrong.
 */

static inline unsigned
damage(const char *api, unsigned stream, char *text, size_t len,
    unsigned most_spots, const char *marks)
{
    json_t          *was, *is;
    unsigned         failed, k;
    static bytes_t   once;

    for (k = (unsigned) tap_below(most_spots + 1); k > 0; k--) {
        text[tap_below(len)] = marks[tap_below(strlen(marks))];
    }

    keep = 0;
    run(api, stream, (uint8_t *) text, len, 0);
    failed = out.len != len || memcmp(out.data, text, len) != 0;

    keep = 1;
    run(api, stream, (uint8_t *) text, len, len);
    memcpy(&once, &out, sizeof(out));
    run(api, stream, (uint8_t *) text, len, 0);

    if (out.len != once.len || memcmp(out.data, once.data, out.len) != 0) {
        diag("%s", text);
        failed++;
    }

    was = json_loadb(text, len, 0, NULL);
    is = json_loadb((char *) out.data, out.len, 0, NULL);

    if (was != NULL && is == NULL) {
        diag("%s", text);
        diag("%.*s", (int) out.len, (char *) out.data);
        failed++;
    }

    json_decref(was);
    json_decref(is);

    return failed;
}


#endif /* OFFLOAD_ANSWERS_H_INCLUDED_ */
