
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Which contents became words, and why, or another form of themselves, in one
 * line for logs: "artifact:abc=capability image=type
 * artifact:def=derived:text/plain".
 */


#ifndef ART_REASONS_H_INCLUDED_
#define ART_REASONS_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/media/art_media.h"


/* The longest line, and the longest id in it, as it is written, in bytes. */

#define ART_REASONS_MAX     2048
#define ART_REASONS_ID_MAX  256


typedef struct {
    uint8_t   *data;
    size_t     len;
    uint32_t   more;             /* left out since the line is full */
    unsigned   derived:1;        /* no words are wanted */
} art_reasons_t;


/* Begins a line in "data", which has ART_REASONS_MAX bytes. */

void art_reasons_init(art_reasons_t *reasons, uint8_t *data);


/*
 * Adds an artifact or, if its id is empty, media of that kind.  What is in the
 * line already is not repeated.  Of an id, all but visible ASCII characters,
 * and " % = \, are percent-encoded, so that blanks and "=" separate; one that
 * is longer than ART_REASONS_ID_MAX ends in "...".  What does not fit is
 * counted.
 */

void art_reasons_add(art_reasons_t *reasons, art_str_t id, art_kind_t kind,
    const char *reason);


/* The same for a content that was converted into "mime". */

void art_reasons_derived(art_reasons_t *reasons, art_str_t id,
    art_kind_t kind, art_str_t mime);


/* The line; it ends in " +N" if N were left out. */

art_str_t art_reasons_end(art_reasons_t *reasons);


#endif /* ART_REASONS_H_INCLUDED_ */
