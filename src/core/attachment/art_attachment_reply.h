
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The answer to a message with attachments, piece by piece: what is written,
 * and where the contents come in between.
 */


#ifndef ART_ATTACHMENT_REPLY_H_INCLUDED_
#define ART_ATTACHMENT_REPLY_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_capmap.h"
#include "core/api/art_api_format.h"
#include "core/render/art_view.h"
#include "core/attachment/art_attachment_request.h"


/*
 * "format" is that of the answer; "except" the service that is asked for, or
 * NULL, which is not suggested; "map" may be NULL.
 */

typedef struct {
    art_attachments_t    *message;
    const art_format_t   *format;
    const art_capmap_t   *map;
    const art_service_t  *except;
    art_lang_t            lang;
} art_reply_conf_t;


/* What comes next. */

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
} art_reply_place_t;


typedef struct {
    art_reply_conf_t           conf;
    const art_format_message_t  *shape;
    art_reply_place_t          place;
    uint32_t                   at;           /* the attachment */
    uint32_t                   parts;        /* so far */
    uint32_t                   unsupported;
    uint32_t                   listed;       /* of them, so far */
    unsigned                   told:1;       /* there is a text part */
    unsigned                   filed:1;      /* and a document */
} art_reply_t;


/* Begins; what "conf" points to must outlive the reply. */

void art_reply_init(art_reply_t *reply, const art_reply_conf_t *conf);


/*
 * Goes on to the next step.  That of an attachment's content ends with its
 * outcome set (art_reply_decide(), or by the caller): of one that is no
 * ART_ATTACHED_PART nothing may have been written.
 */

art_reply_step_t art_reply_next(art_reply_t *reply);


/*
 * Writes the piece that art_reply_next() has come to, as often as asked: one
 * attachment's at most.
 */

void art_reply_print(const art_reply_t *reply, art_out_t *out);


/*
 * Tells what the source of attachment reply->at is, and has decided: it becomes
 * a part, which is rendered with "view", or words, and the rendering is not
 * used.  "empty": it has no bytes.  May be called again if more comes to light.
 * ART_ERROR when out of memory.
 */

int art_reply_decide(art_reply_t *reply, art_view_t *view, unsigned empty,
    const art_pool_t *pool);


#endif /* ART_ATTACHMENT_REPLY_H_INCLUDED_ */
