
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Long texts in results of tools (docs/offload.md): another walk through a
 * request, which notes where they are.  A result counts if its call is in the
 * request, has another tool than the one that reads artifacts, and was made by
 * the model itself; and if the model has that tool.
 */


#ifndef ART_EXPAND_LONG_H_INCLUDED_
#define ART_EXPAND_LONG_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_walk.h"
#include "core/api/art_api.h"
#include "core/expand/art_expand_value.h"


#define ART_LONG_MAX     1024    /* texts of a body */
#define ART_LONG_FRAMES  12
#define ART_LONG_CALLS   2048    /* the last ones; a call has up to three */
#define ART_LONG_NAME    512     /* bytes of a name or an id */


/* An object or array; what is known of the call or result that it is. */

typedef struct {
    art_walk_frame_t       walk;
    uint32_t               texts;    /* before it */
    uint64_t               ids[2];   /* hashes, as the next one; 0: none */
    uint64_t               name;
    unsigned               call:1;
    unsigned               result:1;
    unsigned               reader:1; /* its tool reads artifacts */
    unsigned               indirect:1;   /* a program has called it */
    unsigned               other:1;  /* a block that is no text */
} art_long_frame_t;


/*
 * All is private but the "n" first "texts", which are set after the whole body:
 * what is between their quotes, in order.  "full": there were more, or no
 * memory for any.  19 KB, and 16 KB of the pool for a body with a text of
 * "size" bytes.
 */

typedef struct {
    art_span_t            *texts;
    uint32_t               n;
    unsigned               full:1;

    art_pool_t             pool;
    art_url_t              url;
    uint64_t               size;
    uint64_t               seed[2];
    unsigned               always:1;
    uint32_t               ncalls;
    uint64_t               calls[ART_LONG_CALLS];
    art_walk_t             walk;
    art_long_frame_t       frames[ART_LONG_FRAMES + ART_WALK_SPARE];
    art_lex_t              lex;
    uint8_t                text[ART_LONG_NAME];
} art_long_t;


/*
 * Begins a request that a scan has read to its end.  The API has "results".
 * Only strings of at least "size" bytes, as they stand, are noted, and shorter
 * ones that may be references (art_message_may_refer()); with "always", also
 * if the model has no tool that reads them.  "seed" is random, "url" as in
 * art_scan_conf_t.
 */

void art_long_init(art_long_t *texts, const art_api_t *api,
    const art_url_t *url, uint64_t size, unsigned always,
    const art_pool_t *pool, const uint64_t *seed);


/*
 * Takes the next piece, and returns where the next one begins: long strings
 * that the scan has noted are passed over.
 */

uint64_t art_long_feed(art_long_t *texts, const uint8_t *p, size_t len,
    const art_lex_longs_t *longs);


#endif /* ART_EXPAND_LONG_H_INCLUDED_ */
