
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Messages with attachments: a message as it comes in (docs/heritage.md), and
 * the answer to it, piece by piece.
 */


#ifndef ART_ATTACHMENT_H_INCLUDED_
#define ART_ATTACHMENT_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_capmap.h"
#include "core/media/art_media.h"
#include "core/api/art_api_format.h"
#include "core/format/art_route.h"
#include "core/render/art_view.h"
#include "core/render/art_reasons.h"
#include "core/expand/art_expand_value.h"


typedef enum {
    ART_ATTACHED_PENDING = 0,    /* not requested yet */
    ART_ATTACHED_PART,           /* its content, or the line that names it */
    ART_ATTACHED_DESCRIBED,      /* the reader does not get it */
    ART_ATTACHED_UNREAD,         /* it could not be read */
    ART_ATTACHED_GONE,           /* it does not exist, or must not be read */
    ART_ATTACHED_EXPIRED         /* ... any more */
} art_attached_t;


/*
 * An attachment: at first what the message claims, then what the store knows.
 * "id" is canonical, without "artifact:"; a malformed reference is kept as it
 * was given.  "name" is one line.  Unknown strings have data NULL, an unknown
 * kind is ART_KIND_MAX.  "needs" (ART_CAP_*) and "reason" are those of the
 * decision, "end" may tell why it could not be read.  "words" replace the
 * built-in ones if they are not empty.  "derived" is the type of another form
 * that is sent instead, "unconverted" is set if making one has failed.  Nothing
 * is owned.
 */

typedef struct {
    art_str_t        id;
    art_str_t        name;
    art_str_t        mime;
    art_str_t        words;
    art_str_t        derived;
    uint64_t         size;       /* bytes */
    uint32_t         width;      /* pixels, of an image; 0: unknown */
    uint32_t         height;
    art_kind_t       kind;
    unsigned         needs;
    art_reason_t     reason;
    art_end_t        end;
    art_attached_t   outcome;
    unsigned         malformed:1;
    unsigned         size_known:1;
    unsigned         filed:1;    /* is a document's part */
    unsigned         unconverted:1;
} art_attachment_t;


/* Whether words replace the attachment. */

int art_attachment_is_unsupported(const art_attachment_t *attachment);


/*
 * Writes those words, escaped for a JSON string of that level
 * (art_json_escape.h; 0: as they are): what is known, a line each, why it is
 * omitted, and who could take it.  English words speak of forwarding it only
 * where there are "agents".
 */

void art_attachment_words(art_out_t *out, const art_attachment_t *attachment,
    const art_suggestions_t *suggestions, art_lang_t lang, unsigned agents,
    unsigned level);


/* Bytes of what a message claims; longer strings are ignored. */

#define ART_ATTACHMENT_NAME_MAX  1024
#define ART_ATTACHMENT_REF_MAX   8192


typedef enum {
    ART_ATTACHMENTS_OK = 0,
    ART_ATTACHMENTS_BAD,         /* not JSON, or not such a message */
    ART_ATTACHMENTS_MANY,
    ART_ATTACHMENTS_MEMORY
} art_attachments_status_t;


/* Reads at most "max" attachments; what begins like a URL is a reference. */

typedef struct {
    art_pool_t   pool;
    art_url_t            url;
    uint32_t             max;
} art_attachments_conf_t;


/*
 * "text" is the position of the text's JSON string in the message; "blank": it
 * has only white space.  "service" is empty if the message names none.
 */

typedef struct {
    art_span_t           text;
    art_str_t            service;
    art_attachment_t    *items;
    uint32_t             n;
    unsigned             blank:1;
} art_attachments_t;


/*
 * Reads {"payload":{"text","attachments"},"service"}.  Either member may also
 * be at the top if the payload lacks it, and a payload that is a string is the
 * text.  An attachment is a reference (docs/ids.md), a URL that is one, or an
 * object {"artifactRef","type","filename","size","mimeType"}.  A byte order
 * mark is skipped; of a repeated key the last one counts.
 *
 * One pass checks all of it (RFC 8259, UTF-8, 2048 levels), a few more read
 * what matters; there is no tree.  Memory: 136 bytes for each attachment, and
 * its strings, which outlive "body".  Null members are absent.  Members of
 * other types make the message ART_ATTACHMENTS_BAD; in the object of an
 * attachment they are absent.
 */

art_attachments_status_t art_attachments_read(art_attachments_t *out,
    art_str_t body, const art_attachments_conf_t *conf);


/*
 * "format" is that of the answer.  "except" is the requested service, which is
 * not suggested, or NULL; "map" may be NULL as well.
 */

typedef struct {
    art_attachments_t    *message;
    const art_format_t   *format;
    const art_capmap_t   *map;
    const art_service_t  *except;
    art_lang_t            lang;
} art_reply_conf_t;


/* The next step. */

typedef enum {
    ART_REPLY_PIECE = 0,         /* what art_reply_print() writes */
    ART_REPLY_TEXT,              /* message->text, as the message has it */
    ART_REPLY_CONTENT,           /* the rendering of attachment reply->at */
    ART_REPLY_END
} art_reply_step_t;


typedef enum {
    ART_REPLY_AT_START = 0,
    ART_REPLY_AT_OPEN,
    ART_REPLY_AT_TEXT,
    ART_REPLY_AT_TEXT_END,
    ART_REPLY_AT_COMMA,
    ART_REPLY_AT_CONTENT,
    ART_REPLY_AT_WORDS,
    ART_REPLY_AT_CLOSE,
    ART_REPLY_AT_UNSUPPORTED,
    ART_REPLY_AT_DESCRIBED,
    ART_REPLY_AT_DESCRIPTION,
    ART_REPLY_AT_TAIL,
    ART_REPLY_AT_END
} art_reply_state_t;


typedef struct {
    art_reply_conf_t    conf;
    art_reply_state_t   state;
    uint32_t            at;              /* index of the attachment */
    uint32_t            parts;           /* so far */
    uint32_t            unsupported;
    uint32_t            listed;          /* unsupported ones, so far */
    unsigned            has_text:1;      /* a text part so far */
    unsigned            has_document:1;
} art_reply_t;


/* Initializes a reply, which "conf"'s pointers must outlive. */

void art_reply_init(art_reply_t *reply, const art_reply_conf_t *conf);


/*
 * Returns the next step.  After ART_REPLY_CONTENT the outcome of the attachment
 * has to be set first, by art_reply_decide() or by the caller; unless it is
 * ART_ATTACHED_PART nothing may have been written.
 */

art_reply_step_t art_reply_next(art_reply_t *reply);


/*
 * Writes the current piece, which involves at most one attachment.  May be
 * called any number of times.
 */

void art_reply_print(const art_reply_t *reply, art_out_t *out);


/*
 * Sets the outcome of attachment reply->at from the decision in "view": either
 * a part, which is then rendered with "view", or words, and any rendering is
 * dropped.  "empty": the source has no bytes.  May be called again when more is
 * known.  ART_ERROR when out of memory.
 */

int art_reply_decide(art_reply_t *reply, art_view_t *view, unsigned empty,
    const art_pool_t *pool);


/*
 * Adds the attachments that became words, with the reason of the description,
 * "missing", "expired", "read" or "empty"; and those that were converted.
 */

void art_attachment_reasons(const art_attachments_t *attachments,
    art_reasons_t *reasons);


/* The reason of one attachment; NULL if it did not become words. */

const char *art_attachment_reason(const art_attachment_t *attachment);


#endif /* ART_ATTACHMENT_H_INCLUDED_ */
