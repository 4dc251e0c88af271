
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Rules of conversion: which other form of a content is asked for when a reader
 * does not take it.
 */


#ifndef ART_DERIVE_H_INCLUDED_
#define ART_DERIVE_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"
#include "core/format/art_route.h"


/*
 * "from" are canonical media types and ranges, "kinds" a bit 1 << art_kind_t
 * for each binary type; "to" is a canonical media type.  "body": the bytes are
 * sent to the converter, which otherwise finds them by their id.  "words": if
 * it fails, the content is described.
 */

typedef struct {
    art_str_t            from;       /* separated by commas */
    unsigned             kinds;
    art_str_t            to;
    art_kind_t           kind;       /* of "to" */
    unsigned             body:1;
    unsigned             words:1;
    void                *data;       /* the caller's */
} art_derive_rule_t;


typedef enum {
    ART_DERIVE_OK = 0,
    ART_DERIVE_FROM,                 /* "from" has something else, *bad */
    ART_DERIVE_TO,                   /* "to" is no media type */
    ART_DERIVE_MEMORY
} art_derive_error_t;


/*
 * Sets "from" (media types, ranges such as "image/" and an asterisk, "image",
 * "audio", "video", "document", "other", separated by commas) and "to" of a
 * rule, both in any case, with aliases replaced.  The memory is the pool's.
 */

art_derive_error_t art_derive_parse(art_derive_rule_t *rule, art_str_t from,
    art_str_t to, const art_pool_t *pool, art_str_t *bad);


/*
 * A content that may be derived from.  "literal": only rules that name its type
 * match, since it can be read as text.  Without an id ("named") a converter
 * cannot find it; without "bytes" none can be sent to it.
 */

typedef struct {
    art_str_t            mime;
    art_kind_t           kind;
    unsigned             literal:1;
    unsigned             named:1;
    unsigned             bytes:1;
} art_derive_source_t;


/*
 * Whether another form of a content could do, after the routing decision about
 * it: the reader lacks the capability, or the type, size or number of pixels is
 * not taken; or it is a page (SVG, HTML) that would be read as text by a reader
 * who sees.  Sets mime, kind and literal of "source".
 */

int art_derive_wanted(const art_question_t *question,
    const art_decision_t *decision, art_derive_source_t *source);


/*
 * Whether a content may have been made by a rule.  What a location has really
 * answered with counts, but HTML instead of media is some error's page.
 */

static inline int
art_derive_is_made(const art_derive_rule_t *rule, art_str_t mime)
{
    return rule->kind == ART_KIND_TEXT
           || !art_str_eq(mime, art_cstr("text/html"));
}


/* Whether the reader takes what a rule makes; "data" is the caller's. */

typedef int (*art_derive_takes_pt)(void *data, const art_derive_rule_t *rule);


/*
 * The first rule from number "i" on that matches the content and whose result
 * the reader takes; "n" if no rule is left.
 */

unsigned art_derive_next(const art_derive_rule_t *rules, unsigned n,
    unsigned i, const art_derive_source_t *source, art_derive_takes_pt takes,
    void *data);


/*
 * Whether an image of that type becomes another image by some rule that sends
 * its bytes to a converter.
 */

int art_derive_fits(const art_derive_rule_t *rules, unsigned n,
    art_str_t mime);


/*
 * An art_derive_takes_pt for answers; "data" is the const art_question_t about
 * the original.  The size of what will be derived is not known.
 */

int art_derive_takes(void *data, const art_derive_rule_t *rule);


#endif /* ART_DERIVE_H_INCLUDED_ */
