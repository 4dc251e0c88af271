
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A message with attachments, as it comes in (docs/message.md).
 */


#ifndef ART_ATTACHMENT_REQUEST_H_INCLUDED_
#define ART_ATTACHMENT_REQUEST_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/attachment/art_attachment.h"
#include "core/message/art_message_slot.h"


/* Bytes of what a message claims; longer strings are not known. */

#define ART_ATTACHMENT_NAME_MAX  1024
#define ART_ATTACHMENT_REF_MAX   8192


typedef enum {
    ART_ATTACHMENTS_OK = 0,
    ART_ATTACHMENTS_BAD,         /* no JSON, or not such a message */
    ART_ATTACHMENTS_MANY,
    ART_ATTACHMENTS_MEMORY
} art_attachments_status_t;


/* "max" counts attachments; what begins with "url_prefix" is a reference. */

typedef struct {
    art_pool_t           pool;
    art_str_t            url_prefix;
    uint32_t             max;
} art_attachments_conf_t;


/*
 * "text" is where the text's JSON string stands in the message; it is "blank"
 * if nobody could read a word in it.  "service" is empty if none is told.
 */

typedef struct {
    art_span_t           text;
    art_str_t            service;
    art_attachment_t    *items;
    uint32_t             n;
    unsigned             blank:1;
} art_attachments_t;


/*
 * Reads {"payload":{"text","attachments"},"service"}: both members may stand at
 * the top, too, where the payload does not have them, and a payload that is a
 * string is the text.  An attachment is a reference (docs/ids.md), a URL that
 * is one, or an object {"artifactRef","type","filename","size","mimeType"}.  A
 * byte order mark is passed over; of a key that stands twice the last counts.
 *
 * One pass to check all of it (RFC 8259, UTF-8, 2048 levels), a few more over
 * what matters; no tree.  Memory: 136 bytes for each attachment, and its
 * strings, which outlive "body".  What is null is absent; other types than
 * these are ART_ATTACHMENTS_BAD, but absent in the object of an attachment.
 */

art_attachments_status_t art_attachments_read(art_attachments_t *out,
    art_str_t body, const art_attachments_conf_t *conf);


#endif /* ART_ATTACHMENT_REQUEST_H_INCLUDED_ */
