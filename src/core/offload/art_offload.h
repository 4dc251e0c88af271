
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Base64 in answers of models' APIs, found and decoded as it streams, and what
 * goes in its place.  Whoever uses it keeps what was decoded, and then says
 * what there is instead.
 */


#ifndef ART_OFFLOAD_H_INCLUDED_
#define ART_OFFLOAD_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_sse.h"
#include "core/json/art_json_walk.h"
#include "core/api/art_api.h"
#include "core/media/art_find.h"
#include "core/text/art_base64.h"


#define ART_OFFLOAD_HELD    4096     /* bytes around the data */
#define ART_OFFLOAD_FRAMES  12
#define ART_OFFLOAD_EDITS   12
#define ART_OFFLOAD_TYPE    128      /* bytes of a media type, or a kind */


/*
 * Where bytes go; returns ART_OK, or what ends the reading.  "out" takes those
 * of the answer; "raw" the value being read, as it came, which continues the
 * answer if it is not replaced; "content" the decoded value.
 */

typedef struct {
    art_sink_pt          out;
    art_sink_pt          raw;
    art_sink_pt          content;
    void                *data;
} art_offload_sink_t;


/*
 * What a value has become: its reference, its artifact's name, and so on, as
 * JSON strings with their quotes.
 */

typedef struct {
    art_str_t            uri;
    art_str_t            name;
    art_str_t            mime;       /* empty: unknown */
    art_str_t            text;       /* with the marker */
    art_str_t            marker;     /* that alone, without quotes */
    uint64_t             size;
} art_offload_made_t;


typedef enum {
    ART_OFFLOAD_MORE = 0,        /* all bytes were read */
    ART_OFFLOAD_OVER,            /* a value and all that decides on it */
    ART_OFFLOAD_NONE,            /* it is not what it seemed to be */
    ART_OFFLOAD_FAILED           /* a sink failed */
} art_offload_status_t;


/*
 * The state of the reading.
 *
 *     state     bytes go  ends with, and is followed by
 *     OUT       out       a piece that ends within a key: KEY; a unit: UNIT;
 *                         a data URL: URL; a member that is made: REPLACED;
 *                         a member that a block has kept: DROP
 *     DROP      nowhere   a piece that ends within a key: KEY; a member that
 *                         the block keeps, or its end: OUT
 *     KEY       held      the key: UNIT, or it is not a unit's: OUT, DROP
 *     UNIT      held      the data: DATA; its end, or too much of it: OUT
 *     REPLACED  held      the value, whose text is put out instead: OUT
 *     FIND      held      what may begin a run in a string that is searched:
 *                         OUT; a run: RUN
 *     FOUND     held      art_offload_made(), art_offload_left(): FIND
 *     URL       raw       the comma, or what is no data URL: DATA
 *     DATA      raw       the end of the string: REST
 *     REST      held      a member that says what the data are: NOTE; enough
 *                         is known, or there is room for no more: END, REFUSED
 *     NOTE      held      the end of that member's string: REST
 *     END       held      art_offload_made(): OUT, of a block DROP;
 *                         art_offload_left(): OUT
 *     RUN       held, raw it ends or turns out not to be one: FOUND.  A
 *                         line behind it may have been read and is held
 *     REFUSED   raw       art_offload_left(): OUT
 *
 * From each state from URL on, art_offload_left() leads to OUT.
 */

typedef enum {
    ART_OFFLOAD_AT_OUT = 0,
    ART_OFFLOAD_AT_DROP,
    ART_OFFLOAD_AT_KEY,
    ART_OFFLOAD_AT_UNIT,
    ART_OFFLOAD_AT_REPLACED,
    ART_OFFLOAD_AT_FIND,
    ART_OFFLOAD_AT_REST,         /* ... to END: what comes after the data */
    ART_OFFLOAD_AT_NOTE,
    ART_OFFLOAD_AT_END,
    ART_OFFLOAD_AT_FOUND,
    ART_OFFLOAD_AT_URL,
    ART_OFFLOAD_AT_DATA,
    ART_OFFLOAD_AT_RUN,
    ART_OFFLOAD_AT_REFUSED
} art_offload_state_t;


/*
 * At "pos", a position in what is held, "skip" bytes are replaced, or, for a
 * block, kept; a text with the media type is for values that have one.
 */

typedef struct {
    size_t               pos;
    size_t               skip;
    const char          *text;
} art_offload_edit_t;


/* The current unit: all of it is private. */

typedef struct {
    unsigned             open:1;     /* there is one */
    unsigned             lost:1;     /* it will not be replaced */
    unsigned             made:1;
    unsigned             kind_came:1;
    unsigned             uri_came:1;
    unsigned             mime_came:1;
    unsigned             keeping:1;  /* in a member that the block keeps, */
    uint64_t             key;        /* which begins here */
    unsigned             flat;       /* depth of its inner object, plus 1 */
    unsigned             depth;      /* frames, with its own object */
    unsigned             level;      /* ... with the one that ends it */
    uint64_t             pos;        /* where it begins */
    size_t               kind_len;
    uint8_t              kind[ART_OFFLOAD_TYPE];
} art_offload_unit_t;


/*
 * 11 KB.  "declared" is the media type beside the value, or in it, as it came,
 * or empty.  The rest is private.
 */

typedef struct {
    size_t                     declared_len;
    uint8_t                    declared[ART_OFFLOAD_TYPE];

    const art_api_base64_t    *api;
    const art_offload_rule_t  *rules;
    art_offload_sink_t         sink;
    uint64_t                   min;
    unsigned                   max;
    unsigned                   taken;    /* of this answer, or message */
    art_offload_made_t         made;

    uint64_t                   pos;      /* of the next byte of the stream */
    uint64_t                   routed;   /* not passed on from here */
    const uint8_t             *piece;
    uint64_t                   piece_pos;
    art_offload_state_t        state;

    unsigned                   events:1;
    unsigned                   ended:1;      /* an event, within a value */
    unsigned                   failed:1;     /* a sink failed */
    unsigned                   dead:1;       /* no JSON from here on */
    unsigned                   searching:1;  /* a string */
    unsigned                   typed:1;      /* a data URL has declared it */
    uint64_t                   searched;     /* where its text begins */
    uint64_t                   held_pos;     /* of FIND, FOUND and RUN */
    const art_offload_rule_t  *data;         /* of the current value */

    art_offload_unit_t         unit;
    art_base64_decode_t        base64;
    size_t                     url_len;  /* of a data URL, to its comma */
    uint8_t                    url[ART_OFFLOAD_TYPE];
    size_t                     nedits;
    art_offload_edit_t         edits[ART_OFFLOAD_EDITS];
    uint64_t                   gone;     /* bytes of the value, */
    size_t                     gap;      /* whose position this is in "held" */
    size_t                     held_len;
    uint8_t                    held[ART_OFFLOAD_HELD];
    art_find_t                 find;
    art_find_decode_t          run;
    art_sse_t                  sse;
    uint8_t                    kept[ART_OFFLOAD_TYPE];
    art_lex_t                  lex;
    art_walk_t                 walk;
    art_walk_frame_t           frames[ART_OFFLOAD_FRAMES + ART_WALK_SPARE];
} art_offload_t;


/*
 * Begins with an answer: one JSON text, or (ART_OFFLOAD_EVENTS) server-sent
 * events whose data are one each; ART_OFFLOAD_LINKS asks for links where the
 * API has both.  Values of less than "min" characters of base64 are left as
 * they are, and so are all after "max" values that were replaced.  "sink" is
 * copied.
 */

#define ART_OFFLOAD_EVENTS  0x01
#define ART_OFFLOAD_LINKS   0x02

void art_offload_init(art_offload_t *off, const art_api_t *api,
    unsigned flags, uint64_t min, unsigned max,
    const art_offload_sink_t *sink);


/*
 * Reads up to "len" bytes; *n is how many were read.  After ART_OFFLOAD_OVER
 * and ART_OFFLOAD_NONE the caller decides about the value before it continues:
 * art_offload_made(), or art_offload_left() and then it sends what went to
 * "raw" itself, of which at most ART_OFFLOAD_HELD bytes come within that call.
 * art_offload_left() may also be called between any two pieces while a value is
 * read: the rest of the value is then passed like any other byte.
 */

art_offload_status_t art_offload_feed(art_offload_t *off, const uint8_t *p,
    size_t len, size_t *n);


/*
 * Ends the answer, whose bytes were all read: ART_OFFLOAD_NONE if a value was
 * incomplete; then it is called once more after art_offload_left().
 */

art_offload_status_t art_offload_end(art_offload_t *off);


/*
 * Replaces a value by "made", whose strings must outlive the reading, or leaves
 * it.  ART_ERROR if a sink failed.
 */

int art_offload_made(art_offload_t *off, const art_offload_made_t *made);
int art_offload_left(art_offload_t *off);


/*
 * After ART_OFFLOAD_NONE: whether the value was long enough, and was refused
 * because of its base64, not its kind or what follows it.
 */

int art_offload_is_unsound(const art_offload_t *off);


#endif /* ART_OFFLOAD_H_INCLUDED_ */
