
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The last steps: the edits of the body, its bytes, their hash.
 *
 * The new body is written while the sources answer: first the bytes before a
 * slot, then its rendering, and so on, so that nothing is copied again.  This
 * works as long as each rendering is used only in the slot that it was made
 * for.  Otherwise the body is copied at the end, from the renderings and the
 * original body.
 */


#include "http/expand/ngx_http_artifact_expand_state.h"
#include "http/base/ngx_http_artifact_header_table.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/expand/art_expand_edit.h"
#include "core/expand/art_expand_limit.h"

#include <openssl/evp.h>


/* Bytes before a rendering that are copied at once. */

#define NGX_HTTP_ARTIFACT_EXPAND_LEAD  (1024 * 1024)


/* Base64 that is made canonical at once. */

#define NGX_HTTP_ARTIFACT_EXPAND_CLEAN  4096


static ngx_int_t ngx_http_artifact_expand_edit_slots(
    ngx_http_artifact_expand_t *ex, art_splice_op_t **ops, size_t *nops);
static ngx_int_t ngx_http_artifact_expand_edit_add(
    ngx_http_artifact_expand_t *ex, art_splice_op_t **ops, size_t *nops);
static ngx_int_t ngx_http_artifact_expand_ahead(
    ngx_http_artifact_expand_t *ex, uint32_t to, uint64_t end);
static ngx_int_t ngx_http_artifact_expand_copy(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_splice(
    ngx_http_artifact_expand_t *ex, art_splice_t *splice,
    ngx_http_artifact_spool_t *spool, ngx_uint_t lead);
static ngx_int_t ngx_http_artifact_expand_piece(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool);
static ngx_int_t ngx_http_artifact_expand_bytes(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool, ngx_http_artifact_body_t *from,
    uint64_t end);
static ngx_int_t ngx_http_artifact_expand_rendering(
    ngx_http_artifact_expand_t *ex, ngx_http_artifact_spool_t *spool);
static ngx_int_t ngx_http_artifact_expand_own(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool);
static ngx_int_t ngx_http_artifact_expand_replace(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool);
static ngx_int_t ngx_http_artifact_expand_put(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool, ngx_str_t *length);
static ngx_int_t ngx_http_artifact_expand_variables(ngx_http_request_t *r);
static ngx_uint_t ngx_http_artifact_expand_is_stale(ngx_str_t *name);
static ngx_int_t ngx_http_artifact_expand_headers(ngx_http_request_t *r,
    ngx_str_t *length);
static void ngx_http_artifact_expand_close_file(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_hash_end(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_hash_fail(
    ngx_http_artifact_expand_t *ex, const char *call);


ngx_int_t
ngx_http_artifact_expand_edit(ngx_http_artifact_expand_t *ex)
{
    size_t            nops;
    ngx_int_t         rc;
    art_splice_op_t  *ops;

    rc = ngx_http_artifact_expand_edit_slots(ex, &ops, &nops);

    if (rc == NGX_OK) {
        rc = ngx_http_artifact_expand_edit_add(ex, &ops, &nops);
    }

    if (rc == NGX_OK && ex->standins) {
        rc = ngx_http_artifact_standins_ops(ex, &ops, &nops);
    }

    if (rc == NGX_OK && ex->longs) {
        rc = ngx_http_artifact_longs_ops(ex, &ops, &nops);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (nops == 0) {
        ex->why = "nothing changes in it";
        return NGX_DECLINED;
    }

    if (ex->aws_signed && ex->nadded == 0
        && art_plan_only_corrects(&ex->plan))
    {
        ex->why = "it is signed, and has only types to be corrected";
        return NGX_DECLINED;
    }

    if (ex->aws_signed) {
        ex->error = ART_MESSAGE_ERR_SIGNED;
        return NGX_ABORT;
    }

    if (art_splice_init(&ex->splice, ops, nops, ex->scan->len, &ex->total)
        != ART_OK)
    {
        return NGX_ERROR;
    }

    /* those of an API do not hold in front of a gateway */

    if (ex->standins && ex->total > (uint64_t) ex->conf->body_max) {
        ex->error = ART_MESSAGE_ERR_SIZE;
        return NGX_ABORT;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: %uz edits, %uL bytes",
                   nops, ex->total);

    return NGX_OK;
}


/*
 * The operations for slots; some are dropped if there are too many, or the
 * request is too large.
 */

static ngx_int_t
ngx_http_artifact_expand_edit_slots(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops)
{
    uint32_t  i, n;
    uint64_t  limit;

    *ops = NULL;
    *nops = 0;

    for (i = 0; i < ex->nslots; i++) {

        if (art_plan_is_refused(&ex->plan, i)) {
            ex->error = ART_MESSAGE_ERR_PICTURE;
            ex->error_ref = art_scan_slot(ex->scan, i)->text;
            return NGX_ABORT;
        }
    }

    if (ex->nslots == 0) {
        return NGX_OK;
    }

    if (ex->standins) {
        return art_edit_ops(&ex->plan, 0, ex->nslots, ops, nops) == ART_OK
               ? NGX_OK : NGX_ERROR;
    }

    if (art_limit_media(&ex->plan, &n) != ART_OK) {
        return NGX_ERROR;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: %uD media are too many, or too "
                   "large for so many", n);

    /* the renderings may be in the body that was begun */

    if (n > 0) {
        ex->in_order = 0;
    }

    limit = art_edit_limit(ex->api, (uint64_t) ex->conf->body_max);

    switch (art_edit_budget(&ex->plan, limit)) {

    case ART_BUDGET_OK:
        break;

    case ART_BUDGET_TOO_LARGE:
        ex->error = ART_MESSAGE_ERR_SIZE;
        return NGX_ABORT;

    default:  /* ART_BUDGET_NO_MEMORY */
        return NGX_ERROR;
    }

    /* the limit above is that of each of its requests */

    if (ex->scan->batch
        && art_edit_total(&ex->plan) > (uint64_t) ex->conf->body_max)
    {
        ex->error = ART_MESSAGE_ERR_SIZE;
        return NGX_ABORT;
    }

    return art_edit_ops(&ex->plan, 0, ex->nslots, ops, nops) == ART_OK
           ? NGX_OK : NGX_ERROR;
}


/* Adds the operations for the prompt.  NGX_ERROR when out of memory. */

static ngx_int_t
ngx_http_artifact_expand_edit_add(ngx_http_artifact_expand_t *ex,
    art_splice_op_t **ops, size_t *nops)
{
    art_splice_op_t  *all;

    if (ex->nadded == 0) {
        return NGX_OK;
    }

    all = ngx_palloc(ex->request->pool,
                     (*nops + ex->nadded) * sizeof(art_splice_op_t));
    if (all == NULL) {
        return NGX_ERROR;
    }

    if (*nops > 0) {
        ngx_memcpy(all, *ops, *nops * sizeof(art_splice_op_t));
    }

    ngx_memcpy(all + *nops, ex->added, ex->nadded * sizeof(art_splice_op_t));

    *ops = all;
    *nops += ex->nadded;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_write_to(ngx_http_artifact_expand_t *ex,
    uint32_t slot)
{
    uint64_t   end;
    ngx_int_t  rc;

    end = slot < ex->nslots ? art_scan_slot(ex->scan, slot)->part.pos
                            : ex->scan->len;

    while (ex->in_order
           && (ex->appending || ex->nahead < slot || ex->ahead.pos < end))
    {
        if (!ex->appending) {
            rc = ngx_http_artifact_expand_ahead(ex, slot, end);

            if (rc != NGX_OK) {
                return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
            }
        }

        rc = ngx_http_artifact_expand_splice(ex, &ex->ahead, &ex->rendered, 0);

        if (rc != NGX_OK) {
            return rc;
        }

        ex->appending = 0;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_write_lead(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                  rc;
    const art_message_slot_t  *slot;

    if (!ex->in_order) {
        return NGX_OK;
    }

    slot = art_scan_slot(ex->scan, ex->slot);

    /* this is copied without a turn for others */

    if (slot->part.end - slot->part.pos > NGX_HTTP_ARTIFACT_EXPAND_LEAD) {
        ex->in_order = 0;
        return NGX_OK;
    }

    rc = ngx_http_artifact_expand_ahead(ex, ex->slot + 1, slot->part.end);

    if (rc != NGX_OK) {
        return rc == NGX_DECLINED ? NGX_OK : NGX_ERROR;
    }

    return ngx_http_artifact_expand_splice(ex, &ex->ahead, &ex->rendered, 1);
}


/*
 * Makes ex->ahead: what the slots before "to" become, up to "end" of the
 * original body.  NGX_DECLINED if it does not follow what was appended: then
 * the body is no longer written in order.  NGX_ERROR when out of memory.
 */

static ngx_int_t
ngx_http_artifact_expand_ahead(ngx_http_artifact_expand_t *ex, uint32_t to,
    uint64_t end)
{
    size_t            nops;
    uint64_t          pos, total;
    art_splice_op_t  *ops;

    pos = ex->ahead.pos;

    if (art_edit_ops(&ex->plan, ex->nahead, to, &ops, &nops) != ART_OK) {
        return NGX_ERROR;
    }

    if (art_splice_init(&ex->ahead, ops, nops, end, &total) != ART_OK
        || end < pos || (nops > 0 && ops[0].pos < pos))
    {
        ex->in_order = 0;
        return NGX_DECLINED;
    }

    ex->ahead.pos = pos;
    ex->nahead = to;
    ex->appending = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_write(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                   rc;
    ngx_http_artifact_spool_t  *spool;

    rc = ngx_http_artifact_expand_write_to(ex, ex->nslots);

    if (rc != NGX_OK) {
        return rc;
    }

    spool = &ex->rendered;

    /* the budget may have shortened the body after it was written */

    if (!ex->in_order || (uint64_t) ex->rendered.size != ex->total) {
        spool = &ex->copied;
        rc = ngx_http_artifact_expand_copy(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: %O bytes written, %s", spool->size,
                   spool == &ex->copied ? "from renderings" : "in order");

    if (ngx_http_artifact_expand_replace(ex->request, spool) != NGX_OK) {
        return NGX_ERROR;
    }

    ex->sent = spool;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_copy(ngx_http_artifact_expand_t *ex)
{
    ex->in_order = 0;

    if (!ex->copying) {

        if ((ex->renderings == NULL
             && ngx_http_artifact_spool_end(&ex->rendered, &ex->renderings)
                != NGX_OK)
            || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
        {
            return NGX_ERROR;
        }

        ex->copying = 1;
    }

    return ngx_http_artifact_expand_splice(ex, &ex->splice, &ex->copied, 0);
}


/*
 * Writes the pieces of a splice into a spool: all of them, or with "lead" those
 * before its rendering, which follows by itself, without a turn for others.
 * Returns what steps return.
 */

static ngx_int_t
ngx_http_artifact_expand_splice(ngx_http_artifact_expand_t *ex,
    art_splice_t *splice, ngx_http_artifact_spool_t *spool, ngx_uint_t lead)
{
    ngx_int_t  rc;

    for ( ;; ) {

        if (!ex->writing && !art_splice_next(splice, &ex->piece)) {
            return NGX_OK;
        }

        if (lead && ex->piece.kind == ART_SPLICE_RENDER) {
            return NGX_OK;
        }

        rc = ngx_http_artifact_expand_piece(ex, spool);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        ex->writing = (rc == NGX_AGAIN);

        if (!lead && ngx_http_artifact_turn_is_over(&ex->turn)) {
            return NGX_BUSY;
        }
    }
}


/* Writes some bytes of a piece: NGX_AGAIN if there are more, else NGX_OK. */

static ngx_int_t
ngx_http_artifact_expand_piece(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool)
{
    art_splice_piece_t        *piece;
    ngx_http_artifact_body_t   body;

    piece = &ex->piece;

    switch (piece->kind) {

    case ART_SPLICE_TEXT:
        return ngx_http_artifact_spool_put(spool, piece->text.data,
                                           piece->text.len);

    case ART_SPLICE_OWN:
        return ngx_http_artifact_expand_own(ex, spool);

    case ART_SPLICE_AGAIN:
        ngx_http_artifact_body_init(&body, ex->body, ex->buf,
                                    NGX_HTTP_ARTIFACT_EXPAND_ROOM);

        return ngx_http_artifact_expand_bytes(ex, spool, &body, piece->end);

    case ART_SPLICE_RENDER:
        return ngx_http_artifact_expand_rendering(ex, spool);

    default:  /* ART_SPLICE_COPY */
        return ngx_http_artifact_expand_bytes(ex, spool, &ex->cursor,
                                              piece->end);
    }
}


/* The same for bytes that are copied, from a cursor, up to "end". */

static ngx_int_t
ngx_http_artifact_expand_bytes(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool, ngx_http_artifact_body_t *from,
    uint64_t end)
{
    u_char              *data;
    ssize_t              n;
    art_splice_piece_t  *piece;

    piece = &ex->piece;

    ngx_http_artifact_body_skip(from, (off_t) piece->pos);

    n = ngx_http_artifact_body_read(from,
                                    (size_t) ngx_min(end - piece->pos,
                                              NGX_HTTP_ARTIFACT_EXPAND_ROOM),
                                    &data);

    if (n <= 0
        || ngx_http_artifact_spool_put(spool, data, (size_t) n) != NGX_OK)
    {
        return NGX_ERROR;
    }

    piece->pos += (uint64_t) n;

    return piece->pos < piece->end ? NGX_AGAIN : NGX_OK;
}


/* The same for a rendering; what stands for its base64 is a few kilobytes. */

static ngx_int_t
ngx_http_artifact_expand_rendering(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool)
{
    uint64_t                          end;
    art_splice_piece_t               *piece;
    ngx_http_artifact_body_t          body;
    ngx_http_artifact_expand_part_t  *part;

    piece = &ex->piece;
    part = &ex->parts[piece->slot];

    if (part->size == 0) {
        return NGX_OK;
    }

    if (piece->end == 0) {
        piece->pos = (uint64_t) part->begin;
        piece->end = (uint64_t) (part->begin + part->size);
        piece->text = part->standin;
    }

    end = piece->end;

    if (piece->text.len > 0) {
        end = (uint64_t) (part->begin + part->head);

        if (piece->pos == end) {
            if (ngx_http_artifact_spool_put(spool, piece->text.data,
                                            piece->text.len)
                != NGX_OK)
            {
                return NGX_ERROR;
            }

            piece->text.len = 0;
            piece->pos += (uint64_t) part->base64;

            return piece->pos < piece->end ? NGX_AGAIN : NGX_OK;
        }
    }

    ngx_http_artifact_body_init(&body, ex->renderings, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);

    return ngx_http_artifact_expand_bytes(ex, spool, &body, end);
}


/*
 * The same for base64 of the client's own, made canonical as it is copied.  It
 * may be anywhere before in the body.
 */

static ngx_int_t
ngx_http_artifact_expand_own(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_spool_t *spool)
{
    u_char                    *data, out[NGX_HTTP_ARTIFACT_EXPAND_CLEAN];
    size_t                     n, len;
    ssize_t                    read;
    const uint8_t             *p;
    art_splice_piece_t        *piece;
    ngx_http_artifact_body_t   own;
    const art_message_slot_t  *slot;

    piece = &ex->piece;

    slot = art_scan_slot(ex->scan, piece->slot);

    if (!ex->cleaning) {
        art_splice_own(&ex->clean, slot);
        ex->cleaning = 1;
    }

    ngx_http_artifact_body_init(&own, ex->body, ex->buf,
                                NGX_HTTP_ARTIFACT_EXPAND_ROOM);
    ngx_http_artifact_body_skip(&own, (off_t) piece->pos);

    read = ngx_http_artifact_body_read(&own,
                                       (size_t) ngx_min(piece->end - piece->pos,
                                              NGX_HTTP_ARTIFACT_EXPAND_ROOM),
                                       &data);
    if (read <= 0) {
        return NGX_ERROR;
    }

    piece->pos += (uint64_t) read;
    p = data;
    len = (size_t) read;

    while (len > 0) {
        n = art_find_clean(&ex->clean, out, sizeof(out), &p, &len);

        if (ngx_http_artifact_spool_put(spool, out, n) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (piece->pos < piece->end) {
        return NGX_AGAIN;
    }

    ex->cleaning = 0;
    n = art_find_clean_end(&ex->clean, slot->size, out);

    return ngx_http_artifact_spool_put(spool, out, n);
}


/*
 * Makes a spool the body of the request, for all that send it on: not coded,
 * with its length, and without digests of the old one.  nginx's variables
 * agree, except for $request_body.  The file of the old body is closed.
 * NGX_ERROR when out of memory, or if the file cannot be written.
 */

static ngx_int_t
ngx_http_artifact_expand_replace(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool)
{
    ngx_str_t  length;

    length.data = ngx_pnalloc(r->pool, NGX_OFF_T_LEN);

    if (length.data == NULL
        || ngx_http_artifact_expand_variables(r) != NGX_OK)
    {
        return NGX_ERROR;
    }

    length.len = (size_t) (ngx_sprintf(length.data, "%O", spool->size)
                           - length.data);

    if (ngx_http_artifact_expand_put(r, spool, &length) != NGX_OK) {
        return NGX_ERROR;
    }

    r->headers_in.chunked = 0;
    r->headers_in.transfer_encoding = NULL;

    return NGX_OK;
}


/*
 * Makes a spool the body of the request, which has no other "length", or is
 * otherwise as it was; the same.
 */

static ngx_int_t
ngx_http_artifact_expand_put(ngx_http_request_t *r,
    ngx_http_artifact_spool_t *spool, ngx_str_t *length)
{
    ngx_buf_t                *buf;
    ngx_chain_t              *cl;
    ngx_http_request_body_t  *rb;

    rb = r->request_body;
    buf = NULL;

    if (ngx_http_artifact_spool_end(spool, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    /* an upstream reads the file with it, again for each of its peers */

    if (spool->file) {
        buf = ngx_create_temp_buf(r->pool, spool->room);

        if (buf == NULL) {
            return NGX_ERROR;
        }
    }

    if (length && ngx_http_artifact_expand_headers(r, length) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_expand_close_file(r);

    rb->bufs = cl;
    rb->buf = buf;
    rb->temp_file = spool->file;

    r->headers_in.content_length_n = spool->size;

    return NGX_OK;
}


/*
 * Clears cached values of variables that depend on the body.  Only
 * $request_body stays what the client sent: nginx leaves it empty if the body
 * is in a file, where new bodies are more often, and keys of a cache would then
 * be equal for different bodies.
 */

static ngx_int_t
ngx_http_artifact_expand_variables(ngx_http_request_t *r)
{
    ngx_uint_t                  i;
    ngx_http_variable_t        *v;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    v = cmcf->variables.elts;

    for (i = 0; i < cmcf->variables.nelts; i++) {

        if (art_str_eq(ngx_artifact_str(&v[i].name),
                       art_cstr("request_body")))
        {
            if (ngx_http_get_indexed_variable(r, i) == NULL) {
                return NGX_ERROR;
            }

        } else if (!(v[i].flags & NGX_HTTP_VAR_CHANGEABLE)
                   && ngx_http_artifact_expand_is_stale(&v[i].name))
        {
            r->variables[i].valid = 0;
            r->variables[i].not_found = 0;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_expand_is_stale(ngx_str_t *name)
{
    art_str_t  own;

    own = ngx_artifact_str(name);

    return art_str_eq(own, art_cstr("content_length"))
           || art_str_eq(own, art_cstr("request_body_file"))
           || ngx_http_artifact_is_variable_of(name,
                                               NGX_HTTP_ARTIFACT_HEADERS_BODY);
}


/* A proxy passes on the headers in the list. */

static ngx_int_t
ngx_http_artifact_expand_headers(ngx_http_request_t *r, ngx_str_t *length)
{
    ngx_table_elt_t  *h;

    if (ngx_http_artifact_take_headers(r, NGX_HTTP_ARTIFACT_HEADERS_BODY, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    ngx_str_set(&h->key, "Content-Length");
    h->lowcase_key = (u_char *) "content-length";
    h->hash = ngx_hash_key(h->lowcase_key, h->key.len);
    h->value = *length;

    r->headers_in.content_length = h;

    return NGX_OK;
}


/*
 * Closes the file of the old body.  A file that has a name is left for others
 * to read or remove; a body that is preserved is also sent elsewhere, as by a
 * mirror.
 */

static void
ngx_http_artifact_expand_close_file(ngx_http_request_t *r)
{
    ngx_temp_file_t  *tf;

    tf = r->request_body->temp_file;

    if (tf && !tf->persistent && !tf->clean && !r->preserve_body) {
        ngx_pool_run_cleanup_file(r->pool, tf->file.fd);
        tf->file.fd = NGX_INVALID_FILE;
    }
}


/* A body that stays as it is has to be whole for those who send it on. */

ngx_int_t
ngx_http_artifact_expand_restore(ngx_http_artifact_expand_t *ex)
{
    u_char   *data;
    ssize_t   n;

    if (!ngx_http_artifact_known_omits(ex)) {
        return NGX_OK;
    }

    if (!ex->restoring) {
        ex->restoring = 1;
        ngx_http_artifact_spool_init(&ex->restored, ex->request);

        if (ngx_http_artifact_expand_rewind(ex) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->cursor,
                                        NGX_HTTP_ARTIFACT_EXPAND_ROOM, &data);
        if (n == 0) {
            ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                           "http artifact expand: body of %O bytes is whole",
                           ex->restored.size);

            if (ex->restored.size != ex->length
                || ngx_http_artifact_expand_put(ex->request, &ex->restored,
                                                NULL)
                   != NGX_OK)
            {
                return NGX_ERROR;
            }

            ex->request->headers_in.content_length = ex->content_length;
            ngx_http_artifact_known_close(ex);

            return NGX_OK;
        }

        if (n == NGX_ERROR
            || ngx_http_artifact_spool_put(&ex->restored, data, (size_t) n)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return NGX_BUSY;
}


/* Hashes the body that is sent on, if the configuration uses the hash. */

ngx_int_t
ngx_http_artifact_expand_hash(ngx_http_artifact_expand_t *ex)
{
    u_char                                *data;
    ssize_t                                n;
    ngx_http_request_t                    *r;
    ngx_http_artifact_expand_main_conf_t  *emcf;

    r = ex->request;
    emcf = ngx_http_get_module_main_conf(r, ngx_http_artifact_expand_module);

    if (!emcf->hashes) {
        return NGX_OK;
    }

    if (ex->digest == NULL) {
        ex->body = r->request_body ? r->request_body->bufs : NULL;
        ex->digest = EVP_MD_CTX_new();

        if (ex->digest == NULL
            || EVP_DigestInit_ex(ex->digest, EVP_sha256(), NULL) != 1)
        {
            return ngx_http_artifact_expand_hash_fail(ex, "EVP_DigestInit_ex");
        }

        if (ngx_http_artifact_expand_rewind(ex) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->cursor,
                                        NGX_HTTP_ARTIFACT_EXPAND_ROOM, &data);

        if (n == 0) {
            return ngx_http_artifact_expand_hash_end(ex);
        }

        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (EVP_DigestUpdate(ex->digest, data, (size_t) n) != 1) {
            return ngx_http_artifact_expand_hash_fail(ex, "EVP_DigestUpdate");
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return NGX_BUSY;
}


static ngx_int_t
ngx_http_artifact_expand_hash_end(ngx_http_artifact_expand_t *ex)
{
    u_char  digest[NGX_HTTP_ARTIFACT_EXPAND_DIGITS / 2];

    if (EVP_DigestFinal_ex(ex->digest, digest, NULL) != 1) {
        return ngx_http_artifact_expand_hash_fail(ex, "EVP_DigestFinal_ex");
    }

    EVP_MD_CTX_free(ex->digest);
    ex->digest = NULL;

    ex->hash = ngx_pnalloc(ex->request->pool, NGX_HTTP_ARTIFACT_EXPAND_DIGITS);

    if (ex->hash == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_hex_dump(ex->hash, digest, sizeof(digest));

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: hash %*s",
                   (size_t) NGX_HTTP_ARTIFACT_EXPAND_DIGITS, ex->hash);

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_hash_fail(ngx_http_artifact_expand_t *ex,
    const char *call)
{
    ngx_log_error(NGX_LOG_ALERT, ex->request->connection->log, 0,
                  "%s() failed", call);

    return NGX_ERROR;
}
