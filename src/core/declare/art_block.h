
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The block in which an agent declares what it made:
 * "<artifacts>[...]</artifacts>", in a text that comes in pieces of any size.
 */


#ifndef ART_BLOCK_H_INCLUDED_
#define ART_BLOCK_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"


#define ART_BLOCK_MAX  (256 * 1024)  /* bytes between the tags */


typedef enum {
    ART_BLOCK_NONE = 0,          /* the first tag has not come */
    ART_BLOCK_OPEN,              /* it may be an array, up to now */
    ART_BLOCK_BAD,               /* it cannot, but its end has not come */
    ART_BLOCK_ARRAY,             /* complete, and an array of JSON */
    ART_BLOCK_MALFORMED          /* complete, and none */
} art_block_state_t;


/* What a step has come to; all are of interest to who cuts blocks out. */

typedef enum {
    ART_BLOCK_REST = 0,          /* the end of the piece */
    ART_BLOCK_MAYBE,             /* the last byte may be the first of a block */
    ART_BLOCK_NOT,               /* what began so is none, or malformed */
    ART_BLOCK_OVER               /* the last byte is that of an array's end */
} art_block_event_t;


/* "data" is the text between the tags, decoded; owned. */

typedef struct {
    art_block_state_t    state;
    size_t               matched;    /* bytes of the tag that is looked for */
    uint8_t             *data;
    size_t               len;
    size_t               room;
    unsigned             large:1;    /* had more than ART_BLOCK_MAX */
    unsigned             failed:1;   /* out of memory */
    art_lex_t            lex;
    uint8_t              key[ART_LEX_KEY_MAX];
} art_block_t;


void art_block_init(art_block_t *block);
void art_block_done(art_block_t *block);


/*
 * Reads on, "len" bytes (not 0), up to the next event; *n says how many were
 * read.  The first block of a text is the only one: of what stands behind it
 * nothing is read.  Between the tags may stand whatever is UTF-8 and JSON
 * nested no deeper than ART_LEX_DEPTH; all is known as soon as it can be.
 */

art_block_event_t art_block_read(art_block_t *block, const uint8_t *p,
    size_t len, size_t *n);


/* Whether a block is complete, whatever is in it. */

#define art_block_is_complete(block)  ((block)->state >= ART_BLOCK_ARRAY)


extern const art_str_t  art_block_tag;       /* how a block begins */
extern const art_str_t  art_block_end;       /* and how it ends */


#endif /* ART_BLOCK_H_INCLUDED_ */
