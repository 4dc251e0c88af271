
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "core/attachment/art_attachment.h"
#include "core/format/art_route.h"


static const char *art_attachment_reason(const art_attachment_t *attachment);


void
art_attachment_reasons(const art_attachments_t *attachments,
    art_reasons_t *reasons)
{
    uint32_t                 i;
    art_str_t                id;
    const char              *reason;
    const art_attachment_t  *item;

    static const char  prefix[] = "artifact:";

    for (i = 0; i < attachments->n; i++) {
        item = &attachments->items[i];
        reason = art_attachment_reason(item);

        if (reason == NULL) {
            continue;
        }

        id = item->id;

        /* kept as it was given */

        if (item->malformed && id.len > sizeof(prefix) - 1
            && memcmp(id.data, prefix, sizeof(prefix) - 1) == 0)
        {
            id = art_str(id.data + sizeof(prefix) - 1,
                         id.len - (sizeof(prefix) - 1));
        }

        art_reasons_add(reasons, id, ART_KIND_OTHER, reason);
    }
}


static const char *
art_attachment_reason(const art_attachment_t *attachment)
{
    switch (attachment->outcome) {

    case ART_ATTACHED_GONE:
        return "missing";

    case ART_ATTACHED_UNREAD:
        return art_reason_name(ART_REASON_READ);

    case ART_ATTACHED_DESCRIBED:
        return attachment->reason == ART_REASON_NONE
               ? "empty" : art_reason_name(attachment->reason);

    default:
        return NULL;
    }
}
