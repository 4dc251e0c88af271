
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media of the client's own that the scan has looked at, but that show only in
 * the middle what they are: PDFs with a stream of references in place of a
 * trailer, which tells whether they need a password.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"


/* So many PDFs of a request are looked at, the first ones. */

#define NGX_HTTP_ARTIFACT_EXPAND_PDFS  64


static ngx_int_t ngx_http_artifact_expand_look_at(
    ngx_http_artifact_expand_t *ex, art_message_slot_t *slot);


ngx_int_t
ngx_http_artifact_expand_look(ngx_http_artifact_expand_t *ex)
{
    uint32_t             i;
    ngx_uint_t           n;
    const art_format_t  *format;
    art_message_slot_t  *slot;

    n = 0;
    format = art_api_request_format(ex->api);

    if (format == NULL || !(format->flags & ART_FORMAT_UNLOCKED)) {
        return NGX_OK;
    }

    for (i = 0; i < ex->nslots && n < NGX_HTTP_ARTIFACT_EXPAND_PDFS; i++) {
        slot = art_scan_slot(ex->scan, i);

        if (slot->xref == 0 || slot->locked) {
            continue;
        }

        n++;

        if (ngx_http_artifact_expand_look_at(ex, slot) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * Decodes the bytes from there on; in lines, or with escapes, nobody knows
 * where they are.
 */

static ngx_int_t
ngx_http_artifact_expand_look_at(ngx_http_artifact_expand_t *ex,
    art_message_slot_t *slot)
{
    u_char                    *data;
    u_char                     bytes[ART_ENDS_XREF + 3];
    size_t                     n, len;
    ssize_t                    read;
    uint64_t                   pos;
    art_base64_decode_t        st;
    ngx_http_artifact_body_t   body;

    if (slot->raw.end - slot->raw.pos > ART_BASE64_LEN(slot->size)) {
        return NGX_OK;
    }

    if (ngx_http_artifact_expand_rewind(ex) != NGX_OK) {
        return NGX_ERROR;
    }

    pos = slot->raw.pos + slot->xref / 3 * 4;
    len = 0;

    ngx_memzero(&st, sizeof(art_base64_decode_t));

    ngx_http_artifact_body_init(&body, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&body, (off_t) pos);

    while (pos < slot->raw.end && len + 3 <= ART_ENDS_XREF) {

        /* no more than there is room for */

        n = (ART_ENDS_XREF - len) / 3 * 4;
        n = (size_t) ngx_min(slot->raw.end - pos, n);

        read = ngx_http_artifact_body_read(&body, n, &data);

        if (read <= 0) {
            return NGX_ERROR;
        }

        len += art_base64_decode(&st, bytes + len, data, (size_t) read);
        pos += (uint64_t) read;
    }

    /* the group of the first byte begins before it */

    n = ngx_min(len, (size_t) (slot->xref % 3));

    slot->locked = art_ends_is_locked(bytes + n, len - n) & 1;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: document at %uL, %uz bytes, "
                   "locked:%d", slot->raw.pos, len - n, slot->locked);

    return NGX_OK;
}
