
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * An attachment of a message: what is known of it, and the words for one that
 * a model does not get.
 */


#ifndef ART_ATTACHMENT_H_INCLUDED_
#define ART_ATTACHMENT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_capmap.h"
#include "core/format/art_route.h"
#include "core/media/art_media.h"


typedef enum {
    ART_ATTACHED_PENDING = 0,    /* nobody has asked for it yet */
    ART_ATTACHED_PART,           /* its content, or the line that names it */
    ART_ATTACHED_DESCRIBED,      /* the reader does not get it */
    ART_ATTACHED_UNREAD,         /* it could not be read */
    ART_ATTACHED_GONE            /* there is none, or none that may be read */
} art_attached_t;


/*
 * First what the message claims; what the store knows takes its place.  "id" is
 * canonical, without "artifact:"; of a malformed reference it is the reference
 * as it was given.  "name" is one line.  A string that is not known has data
 * NULL, a kind that is not is ART_KIND_MAX.  "needs" (ART_CAP_*) and "reason"
 * are those of the decision, and "words" replace the built-in ones if they are
 * not empty.  Nothing is owned.
 */

typedef struct {
    art_str_t        id;
    art_str_t        name;
    art_str_t        mime;
    art_str_t        words;
    uint64_t         size;       /* bytes */
    art_kind_t       kind;
    unsigned         needs;
    art_reason_t     reason;
    art_attached_t   outcome;
    unsigned         malformed:1;
    unsigned         size_known:1;
    unsigned         filed:1;    /* a part that is a document */
} art_attachment_t;


/* Whether it is one that the reader has to be told of in words. */

int art_attachment_is_unsupported(const art_attachment_t *attachment);


/*
 * Writes the words for one that is unsupported, escaped for a JSON string of
 * that level (art_json_escape.h; 0: as they are): what is known, a line each,
 * why it is left out, and who could take it.
 */

void art_attachment_words(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned level);


/* Writes the same for programs: an object, without what is not known. */

void art_attachment_print(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions);


/*
 * The capability that a model needs for an attachment of that kind, one of
 * ART_CAP_*; 0 for text, and where the kind is not known.
 */

unsigned art_attachment_requires(const art_attachment_t *attachment);


#endif /* ART_ATTACHMENT_H_INCLUDED_ */
