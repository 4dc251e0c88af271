
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What became of a request's artifacts, and why: records of the last requests
 * (docs/status.md), for people who look for one of them.
 */


#ifndef ART_RECENT_H_INCLUDED_
#define ART_RECENT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


/* How many requests are kept, and the bytes of one. */

#define ART_RECENT_REQUESTS  1000
#define ART_RECENT_BYTES     1024

/* The longest id of an artifact in a record, in bytes. */

#define ART_RECENT_REF_MAX   192


/* Texts of a record; their longest lengths are in art_recent.c. */

typedef enum {
    ART_RECENT_METHOD = 0,
    ART_RECENT_LOCATION,
    ART_RECENT_API,
    ART_RECENT_CALL,             /* of MCP: what is called */
    ART_RECENT_MODEL,            /* as the request names it */
    ART_RECENT_SERVICE,
    ART_RECENT_TENANT,
    ART_RECENT_ID,
    ART_RECENT_TEXTS
} art_recent_text_t;


/* What became of an artifact, or of media of a client's own. */

typedef enum {
    ART_BECAME_SENT = 0,         /* raw, as it is stored */
    ART_BECAME_STORED,
    ART_BECAME_REMOVED,
    ART_BECAME_KEPT,             /* a client's own, unchanged */
    ART_BECAME_EXPANDED,
    ART_BECAME_URL,              /* a part with its URL */
    ART_BECAME_DERIVED,          /* another form of it */
    ART_BECAME_DEGRADED,         /* to words, for a reason */
    ART_BECAME_MISSING,
    ART_BECAME_EXPIRED,          /* missing since then */
    ART_BECAME_REFUSED,          /* with an error, the request as well */
    ART_BECAME_PENDING           /* the client left before */
} art_became_t;


/*
 * A record.  "data" has the texts, in order, and then an entry for each
 * content: art_became_t, art_kind_t, the lengths of reason and id, reason and
 * id.  It is copied by bytes, and nothing in it is a pointer.
 */

typedef struct {
    uint64_t    number;          /* from 1, one more for each request */
    uint64_t    time;            /* of its end, milliseconds since 1970 */
    uint64_t    connection;      /* as in the error log */
    uint32_t    msec;            /* that it took */
    uint16_t    status;
    uint16_t    more;            /* entries left out */
    uint16_t    len;             /* of "data" */
    uint8_t     handler;         /* art_count_handler_t */
    uint8_t     unknown;         /* no map has the reader */
    uint8_t     texts[ART_RECENT_TEXTS];
    uint8_t     data[ART_RECENT_BYTES - 36 - ART_RECENT_TEXTS];
} art_recent_t;


/*
 * To write one: initialized, it has neither texts nor entries.  The texts that
 * there are have to be set in their order, then entries are added.  What is too
 * long ends in "...".  An entry without an id is about media of a client's own,
 * or, if it is refused, about the request.  "reason" may be NULL.  An entry
 * that is there already is not repeated; one that does not fit is counted.
 */

void art_recent_init(art_recent_t *recent);
void art_recent_set(art_recent_t *recent, art_recent_text_t text,
    art_str_t value);
void art_recent_add(art_recent_t *recent, art_became_t became,
    art_kind_t kind, art_str_t id, const char *reason);


/*
 * A malformed reference, as it was given, without "artifact:" and without
 * arguments, which may be a signature.
 */

art_str_t art_recent_given(art_str_t ref);


/* How many bytes of a record have to be copied. */

size_t art_recent_size(const art_recent_t *recent);


/*
 * What is looked for, by the arguments of a URL.  Values are strings of the
 * argument's; an empty one matches everything.
 */

typedef enum {
    ART_RECENT_BY_MODEL = 0,     /* these are a part of the text, */
    ART_RECENT_BY_SERVICE,
    ART_RECENT_BY_TENANT,
    ART_RECENT_BY_ID,
    ART_RECENT_BY_API,
    ART_RECENT_BY_REF,
    ART_RECENT_BY_HANDLER,       /* the whole of it */
    ART_RECENT_BY_REASON,        /* the whole of it, or what it became */
    ART_RECENT_BY_STATUS,        /* the beginning of it: "5", "404" */
    ART_RECENT_BY_SINCE,         /* a time (RFC 3339), or seconds since 1970 */
    ART_RECENT_BY_BEFORE,        /* a number */
    ART_RECENT_BY_LIMIT,
    ART_RECENT_ARGS
} art_recent_arg_t;

typedef struct {
    art_str_t   values[ART_RECENT_ARGS];
    uint64_t    since;
    uint64_t    before;          /* 0: from the last one on */
    size_t      limit;
} art_recent_query_t;


/* The name of an argument; NULL from ART_RECENT_ARGS on. */

const char *art_recent_arg(unsigned arg);


/*
 * The first one begins a query, the second one sets an argument: ART_ERROR if
 * it is malformed.  The third one tells whether a record is looked for;
 * "before" and "limit" are the caller's.
 */

void art_recent_query_init(art_recent_query_t *query);
int art_recent_query_set(art_recent_query_t *query, art_recent_arg_t arg,
    art_str_t value);
int art_recent_matches(const art_recent_query_t *query,
    const art_recent_t *recent);


/*
 * Writes {"requests":[..],"kept":N,"next":"number"}: "n" records, and the
 * number of the last one if there are "more".
 */

void art_recent_print(art_out_t *out, const art_recent_t *const *list,
    size_t n, unsigned more);


#endif /* ART_RECENT_H_INCLUDED_ */
