
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Streams of server-sent events (html.spec.whatwg.org, "server-sent events")
 * in pieces of any size: what of the bytes is data, and where events end.
 */


#ifndef ART_SSE_H_INCLUDED_
#define ART_SSE_H_INCLUDED_


#include "core/base/art_core.h"


typedef enum {
    ART_SSE_OUTSIDE = 0,         /* a comment or an empty line of no event */
    ART_SSE_FIELD,               /* of a field, except its data */
    ART_SSE_DATA,                /* data */
    ART_SSE_LINE,                /* the end of a line of data */
    ART_SSE_END                  /* the empty line after an event */
} art_sse_token_t;


typedef enum {
    ART_SSE_AT_LINE = 0,         /* where a line begins */
    ART_SSE_IN_NAME,
    ART_SSE_AT_VALUE,            /* after the colon of "data" */
    ART_SSE_IN_DATA,
    ART_SSE_IN_OTHER,            /* another field, or a comment in an event */
    ART_SSE_IN_COMMENT           /* outside of one */
} art_sse_state_t;


/*
 * "event" is set within an event, from its first field on.  "crlf" is the last
 * line end that is known.
 */

typedef struct {
    art_sse_state_t  state;
    unsigned         mark;       /* bytes of a byte order mark */
    unsigned         name;       /* of "data" that have matched */
    unsigned         event:1;
    unsigned         cr:1;       /* a line feed would belong to it, */
    unsigned         outside:1;  /* and to a line outside */
    unsigned         crlf:2;     /* 0: LF, 1: CR, 2: CR LF */
} art_sse_t;


void art_sse_init(art_sse_t *sse);


/*
 * Reads the next bytes, at least one of "len"; *n is how many of them the token
 * has.  A line may end with LF, CR LF or CR; the LF after a CR is read on its
 * own, as the same token as its line, or as ART_SSE_FIELD.  A byte order mark
 * at the start is ART_SSE_FIELD, though it belongs to no event.
 */

art_sse_token_t art_sse_next(art_sse_t *sse, const uint8_t *p, size_t len,
    size_t *n);


/* Whether a stream continues outside of an event with the byte "c". */

int art_sse_is_outside(const art_sse_t *sse, uint8_t c);


/* The line end that the stream uses. */

const char *art_sse_eol(const art_sse_t *sse);


#endif /* ART_SSE_H_INCLUDED_ */
