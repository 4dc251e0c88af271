
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A session sends its media again with each request.  Of a body that comes in,
 * base64 of what the store has is compared with that, and not saved: later on
 * it is read from the store.
 */


#include "http/expand/ngx_http_artifact_expand_standin.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/media/art_media.h"
#include "core/media/art_signature.h"
#include "core/media/art_sniff.h"


/* Characters that have the bytes by which a content is found. */

#define NGX_HTTP_ARTIFACT_KNOWN_CHARS  (NGX_ARTIFACT_BEGINNING / 3 * 4)
#define NGX_HTTP_ARTIFACT_KNOWN_ROOM   (NGX_ARTIFACT_BEGINNING + 3)

/* Bytes of these in which the signature is. */

#define NGX_HTTP_ARTIFACT_KNOWN_SIGN   512

/* Files that are open at the same time, of a request and of a process. */

#define NGX_HTTP_ARTIFACT_KNOWN_MAX   64
#define NGX_HTTP_ARTIFACT_KNOWN_ALL   256


typedef enum {
    NGX_HTTP_ARTIFACT_KNOWN_NONE = 0,    /* no medium, or one to be saved */
    NGX_HTTP_ARTIFACT_KNOWN_BEGINNING,   /* which one it may be is not known */
    NGX_HTTP_ARTIFACT_KNOWN_COMPARE      /* with the file of the last part */
} ngx_http_artifact_known_state_e;


/*
 * A part of the body from "pos" to before "end" that was not saved: characters
 * of the base64 of a file, which begins at "data" of the body.
 */

typedef struct {
    off_t                             pos;
    off_t                             end;
    off_t                             data;
    off_t                             size;    /* of the file */
    ngx_file_t                        file;
    u_char                            hmac[NGX_ARTIFACT_HMAC];
    u_char                            id[NGX_ARTIFACT_TEMP_ID + 1];
    art_str_t                         mime;
} ngx_http_artifact_known_part_t;


struct ngx_http_artifact_known_s {
    ngx_http_artifact_known_part_t   *parts;
    ngx_uint_t                        nparts;

    ngx_str_t                         root;
    ngx_str_t                         scope;

    /* the medium that comes in */

    ngx_http_artifact_known_state_e   state;
    off_t                             data;    /* where it begins */
    size_t                            chars;   /* of its beginning, so far */
    u_char                           *bytes;   /* the same, decoded */
    size_t                            nbytes;
    art_base64_decode_t               decode;
    off_t                             at;      /* compared so far */

    /* what is saved of the buffers of one call: "kept" is the next byte */

    ngx_buf_t                        *buf;     /* or NULL */
    u_char                           *kept;
    ngx_chain_t                      *out;
    ngx_chain_t                     **last;

    unsigned                          chosen:1;
    unsigned                          rootless:1;
    unsigned                          nowait:1;
    unsigned                          failed:1;
    unsigned                          differs:1;   /* medium and file do */
};


static size_t ngx_http_artifact_known_begin(ngx_http_artifact_expand_t *ex,
    size_t left, size_t len);
static ngx_int_t ngx_http_artifact_known_choose(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_known_place(ngx_http_artifact_expand_t *ex);
static size_t ngx_http_artifact_known_beginning(
    ngx_http_artifact_expand_t *ex, const u_char *p, size_t left);
static ngx_int_t ngx_http_artifact_known_find(ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_known_job(ngx_http_artifact_expand_t *ex,
    ngx_artifact_write_job_t *job);
static art_str_t ngx_http_artifact_known_mime(
    ngx_http_artifact_known_t *known);
static size_t ngx_http_artifact_known_compare(ngx_http_artifact_expand_t *ex,
    u_char *p, size_t left);
static size_t ngx_http_artifact_known_same(ngx_http_artifact_known_t *known,
    const u_char *p, size_t len, size_t *same);
static void ngx_http_artifact_known_end(ngx_http_artifact_known_t *known);
static void ngx_http_artifact_known_omit(ngx_http_artifact_expand_t *ex,
    u_char *p, size_t len);
static ngx_int_t ngx_http_artifact_known_add(ngx_http_artifact_expand_t *ex,
    ngx_buf_t *b, ngx_chain_t ***last);
static ngx_int_t ngx_http_artifact_known_piece(ngx_http_artifact_expand_t *ex,
    ngx_buf_t *from, off_t len, ngx_chain_t ***last);


/* Bytes of files, and their base64: used within one call. */

static u_char  ngx_http_artifact_known_raw[NGX_HTTP_ARTIFACT_SCAN_PIECE];
static u_char  ngx_http_artifact_known_text[NGX_HTTP_ARTIFACT_SCAN_PIECE + 8];

static ngx_uint_t  ngx_http_artifact_known_files;


ngx_int_t
ngx_http_artifact_known_create(ngx_http_artifact_expand_t *ex)
{
    ngx_http_request_t         *r;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_artifact_known_t  *known;

    r = ex->request;
    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    /* a body that fits into the buffer is not saved */

    if (r->request_body_in_file_only || r->request_body_in_single_buf
        || (r->headers_in.content_length_n != -1
            && r->headers_in.content_length_n
               <= (off_t) clcf->client_body_buffer_size))
    {
        return NGX_OK;
    }

    known = ngx_pcalloc(r->pool, sizeof(ngx_http_artifact_known_t));
    if (known == NULL) {
        return NGX_ERROR;
    }

    known->nowait = ngx_http_artifact_task_pool(r) != NULL;
    known->last = &known->out;

    ex->known = known;

    return NGX_OK;
}


void
ngx_http_artifact_known_close(ngx_http_artifact_expand_t *ex)
{
    ngx_http_artifact_known_t *known = ex->known;

    if (known == NULL) {
        return;
    }

    while (known->nparts > 0) {
        known->nparts--;
        ngx_artifact_close(&known->parts[known->nparts].file.fd);
        ngx_http_artifact_known_files--;
    }

    known->state = NGX_HTTP_ARTIFACT_KNOWN_NONE;
}


void
ngx_http_artifact_known_read(ngx_http_artifact_expand_t *ex, ngx_buf_t *b,
    u_char *p, size_t len)
{
    size_t   n;
    u_char  *end;

    if (ex->known->buf == NULL) {
        ex->known->buf = b;
        ex->known->kept = b->pos;
    }

    for (end = p + len; p < end; p += n) {

        switch (ex->known->state) {

        case NGX_HTTP_ARTIFACT_KNOWN_NONE:
            n = ngx_http_artifact_known_begin(ex, (size_t) (end - p), len);
            break;

        case NGX_HTTP_ARTIFACT_KNOWN_BEGINNING:
            n = ngx_http_artifact_known_beginning(ex, p, (size_t) (end - p));
            break;

        default:  /* NGX_HTTP_ARTIFACT_KNOWN_COMPARE */
            n = ngx_http_artifact_known_compare(ex, p, (size_t) (end - p));
        }
    }
}


/*
 * The next functions take, of the last "left" bytes of what was scanned, as
 * many as they return.  The first one skips to the medium that is open at their
 * end: one whose beginning has passed by is saved.  So are all where a filter
 * of another module may hold what was read before.
 */

static size_t
ngx_http_artifact_known_begin(ngx_http_artifact_expand_t *ex, size_t left,
    size_t len)
{
    off_t                       end, data;
    ngx_http_artifact_known_t  *known;

    known = ex->known;

    end = ex->scanned + (off_t) len;
    data = (off_t) art_scan_media(ex->scan);

    if (data == 0 || data < end - (off_t) left
        || ex->request->request_body->filter_need_buffering
        || known->nparts == NGX_HTTP_ARTIFACT_KNOWN_MAX
        || ngx_http_artifact_known_files >= NGX_HTTP_ARTIFACT_KNOWN_ALL
        || ngx_http_artifact_known_choose(ex) != NGX_OK)
    {
        return left;
    }

    known->data = data;
    known->chars = 0;
    known->nbytes = 0;
    ngx_memzero(&known->decode, sizeof(art_base64_decode_t));

    known->state = NGX_HTTP_ARTIFACT_KNOWN_BEGINNING;

    return left - (size_t) (end - data);
}


/*
 * Where the body's media go to.  Variables may depend on the body, and are not
 * known yet: none keeps a value that it has now, and no regular expression its
 * captures.  It is asked again when all of the body is there, and what was
 * found elsewhere does not count.
 */

static ngx_int_t
ngx_http_artifact_known_choose(ngx_http_artifact_expand_t *ex)
{
    size_t                      size;
    ngx_int_t                   rc;
    ngx_http_request_t         *r;
    ngx_http_core_main_conf_t  *cmcf;
    ngx_http_artifact_known_t  *known;
    ngx_http_variable_value_t  *values;
#if (NGX_PCRE)
    int                        *captures;
    u_char                     *captures_data;
    unsigned                    realloc_captures;
    ngx_uint_t                  ncaptures;
#endif

    r = ex->request;
    known = ex->known;

    if (known->chosen) {
        return known->rootless ? NGX_DECLINED : NGX_OK;
    }

    known->chosen = 1;
    known->rootless = 1;

    cmcf = ngx_http_get_module_main_conf(r, ngx_http_core_module);
    size = cmcf->variables.nelts * sizeof(ngx_http_variable_value_t);

    values = ngx_palloc(r->pool, size);
    if (values == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(values, r->variables, size);

#if (NGX_PCRE)
    captures = r->captures;
    captures_data = r->captures_data;
    ncaptures = r->ncaptures;
    realloc_captures = r->realloc_captures;
    r->realloc_captures = 1;
#endif

    rc = ngx_http_artifact_known_place(ex);

#if (NGX_PCRE)
    r->captures = captures;
    r->captures_data = captures_data;
    r->ncaptures = ncaptures;
    r->realloc_captures = realloc_captures & 1;
#endif

    ngx_memcpy(r->variables, values, size);
    (void) ngx_pfree(r->pool, values);

    known->rootless = (rc != NGX_OK);

    return rc;
}


static ngx_int_t
ngx_http_artifact_known_place(ngx_http_artifact_expand_t *ex)
{
    size_t                      size;
    ngx_int_t                   rc;
    ngx_http_request_t         *r;
    ngx_http_artifact_ctx_t    *ctx;
    ngx_http_artifact_known_t  *known;

    r = ex->request;
    known = ex->known;

    size = NGX_HTTP_ARTIFACT_KNOWN_MAX * sizeof(ngx_http_artifact_known_part_t);

    known->parts = ngx_palloc(r->pool, size);
    known->bytes = ngx_palloc(r->pool, NGX_HTTP_ARTIFACT_KNOWN_ROOM);
    ctx = ngx_http_artifact_get_ctx(r);

    if (known->parts == NULL || known->bytes == NULL || ctx == NULL) {
        return NGX_ERROR;
    }

    /* in the order of STORE: regular expressions may depend on it */

    rc = ngx_http_artifact_root_now(r, ctx, &known->root);

    if (rc == NGX_OK && ex->directives->scope) {
        rc = ngx_http_complex_value(r, ex->directives->scope, &known->scope);
    }

    return rc;
}


static size_t
ngx_http_artifact_known_beginning(ngx_http_artifact_expand_t *ex,
    const u_char *p, size_t left)
{
    size_t                      n;
    ngx_http_artifact_known_t  *known;

    known = ex->known;
    n = ngx_min(left, NGX_HTTP_ARTIFACT_KNOWN_CHARS - known->chars);

    known->chars += n;
    known->nbytes += art_base64_decode(&known->decode,
                                       known->bytes + known->nbytes, p, n);

    /* the other alphabet is not that of the rest */

    if (known->decode.bad || memchr(p, '-', n) || memchr(p, '_', n)) {
        known->state = NGX_HTTP_ARTIFACT_KNOWN_NONE;

    } else if (known->chars == NGX_HTTP_ARTIFACT_KNOWN_CHARS) {
        known->state = ngx_http_artifact_known_find(ex) == NGX_OK
                       ? NGX_HTTP_ARTIFACT_KNOWN_COMPARE
                       : NGX_HTTP_ARTIFACT_KNOWN_NONE;
    }

    return n;
}


/* What begins like the medium is the next part, of no bytes yet. */

static ngx_int_t
ngx_http_artifact_known_find(ngx_http_artifact_expand_t *ex)
{
    ngx_artifact_write_job_t         job;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_known_part_t  *part;

    known = ex->known;

    ngx_http_artifact_known_job(ex, &job);

    if (job.kind.len == 0 || ngx_artifact_content_open(&job) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (ngx_artifact_content_add(&job, known->bytes, known->nbytes) != NGX_OK
        || !job.recent.found)
    {
        ngx_artifact_write_close(&job);
        return NGX_DECLINED;
    }

    part = &known->parts[known->nparts++];
    ngx_http_artifact_known_files++;

    ngx_memzero(part, sizeof(ngx_http_artifact_known_part_t));

    part->data = known->data;
    part->pos = known->data + NGX_HTTP_ARTIFACT_KNOWN_CHARS;
    part->end = part->pos;
    known->at = part->pos;
    known->differs = 0;
    part->size = job.recent.size;
    part->mime = job.kind;
    ngx_memcpy(part->hmac, job.recent.hmac, NGX_ARTIFACT_HMAC);

    part->file.fd = job.recent.fd;
    part->file.log = ex->request->connection->log;
    art_uuid_v8(part->id, part->hmac);
    part->file.name.data = part->id;
    part->file.name.len = sizeof(part->id) - 1;

    job.recent.fd = NGX_INVALID_FILE;
    ngx_artifact_write_close(&job);

    return NGX_OK;
}


static void
ngx_http_artifact_known_job(ngx_http_artifact_expand_t *ex,
    ngx_artifact_write_job_t *job)
{
    ngx_http_artifact_known_t *known = ex->known;

    ngx_memzero(job, sizeof(ngx_artifact_write_job_t));
    ngx_artifact_write_init(job);

    job->log = ex->request->connection->log;
    job->root = ngx_artifact_str(&known->root);
    job->scope = ngx_artifact_str(&known->scope);
    job->layout = ngx_http_artifact_layout(ex->conf);
    job->kind = ngx_http_artifact_known_mime(known);
    job->artifact = 1;
    job->by_content = 1;
    job->standin = 1;
    job->looks = 1;
    job->hint = NGX_ARTIFACT_HINT_NONE;
    job->recent.buf = ngx_http_artifact_known_raw;
    job->recent.room = sizeof(ngx_http_artifact_known_raw);
}


/*
 * Returns the media type of the stand-in for a content with this signature, or
 * an empty string if there is none.
 */

static art_str_t
ngx_http_artifact_known_mime(ngx_http_artifact_known_t *known)
{
    art_standin_t   kind;
    art_evidence_t  evidence;

    kind = ART_STANDIN_NONE;
    art_sniff(known->bytes,
              ngx_min(known->nbytes, NGX_HTTP_ARTIFACT_KNOWN_SIGN), 0,
              &evidence);

    if (evidence.media != 0 && (evidence.sign & ART_SIGN_STRONG)) {
        kind = art_standin_of(art_cstr(art_media_row(evidence.media - 1u)
                                       ->mime));
    }

    return kind != ART_STANDIN_NONE ? art_standin_mime(kind)
                                    : art_str(NULL, 0);
}


/*
 * After a difference as well, so that the time does not tell where it is: to
 * the end of the file's base64, or of the string.
 */

static size_t
ngx_http_artifact_known_compare(ngx_http_artifact_expand_t *ex, u_char *p,
    size_t left)
{
    size_t                           n, same;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_known_part_t  *part;

    known = ex->known;
    part = &known->parts[known->nparts - 1];

    n = ngx_http_artifact_known_same(known, p, left, &same);

    if (!known->differs && same > 0) {
        part->end += (off_t) same;
        ngx_http_artifact_known_omit(ex, p, same);
    }

    known->at += (off_t) n;
    known->differs |= same < n;

    if (n < left
        || (known->differs
            && (off_t) art_scan_media(ex->scan) != part->data))
    {
        ngx_http_artifact_known_end(known);
    }

    return n;
}


/*
 * Compares the next characters with those of the file: returns how many there
 * are, and sets *same to how many are the same before any other.
 */

static size_t
ngx_http_artifact_known_same(ngx_http_artifact_known_t *known,
    const u_char *p, size_t len, size_t *same)
{
    off_t                            pos, left;
    size_t                           n, skip, want;
    ssize_t                          read;
    art_base64_t                     st;
    const uint8_t                   *src;
    ngx_http_artifact_known_part_t  *part;

    *same = 0;
    part = &known->parts[known->nparts - 1];

    pos = known->at - part->data;
    left = (off_t) ART_BASE64_LEN(part->size) - pos;

    if (left <= 0) {
        return 0;
    }

    len = (size_t) ngx_min((off_t) len, left);

    skip = (size_t) (pos % 4);
    want = (skip + len + 3) / 4 * 3;
    want = (size_t) ngx_min((off_t) want, part->size - pos / 4 * 3);

    read = known->nowait
           ? ngx_artifact_read_cached(part->file.fd,
                                      ngx_http_artifact_known_raw, want,
                                      pos / 4 * 3)
           : ngx_artifact_read_all(part->file.fd, ngx_http_artifact_known_raw,
                                   want, pos / 4 * 3);

    if (read != (ssize_t) want) {
        return 0;
    }

    src = ngx_http_artifact_known_raw;
    ngx_memzero(&st, sizeof(art_base64_t));

    n = art_base64_update(&st, ngx_http_artifact_known_text,
                          sizeof(ngx_http_artifact_known_text), &src, &want);

    (void) art_base64_final(&st, ngx_http_artifact_known_text + n, 4);

    src = ngx_http_artifact_known_text + skip;
    n = len;

    if (ngx_memcmp(p, src, len) != 0) {
        for (n = 0; p[n] == src[n]; n++) { /* void */ }
    }

    *same = n;

    return len;
}


static void
ngx_http_artifact_known_end(ngx_http_artifact_known_t *known)
{
    ngx_http_artifact_known_part_t  *part;

    part = &known->parts[known->nparts - 1];
    known->state = NGX_HTTP_ARTIFACT_KNOWN_NONE;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, part->file.log, 0,
                   "http artifact known: %O bytes at %O are not saved, "
                   "those of a file of %O", part->end - part->pos, part->pos,
                   part->size);

    if (part->end == part->pos) {
        ngx_artifact_close(&part->file.fd);
        ngx_http_artifact_known_files--;
        known->nparts--;
    }
}


/*
 * Of the buffer that is read, these bytes are not saved: unless what came
 * before is still in memory, where nginx's $request_body would find it.
 */

static void
ngx_http_artifact_known_omit(ngx_http_artifact_expand_t *ex, u_char *p,
    size_t len)
{
    ngx_buf_t                       *b;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_known_part_t  *part;

    known = ex->known;

    if (ex->request->request_body->temp_file == NULL) {
        part = &known->parts[known->nparts - 1];
        part->pos = part->end;
        return;
    }

    if (p > known->kept) {
        b = ngx_calloc_buf(ex->request->pool);

        if (b == NULL) {
            known->failed = 1;
            return;
        }

        b->pos = known->kept;
        b->last = p;
        b->start = b->pos;
        b->end = b->last;
        b->temporary = 1;

        if (ngx_http_artifact_known_add(ex, b, &known->last) != NGX_OK) {
            known->failed = 1;
        }
    }

    known->kept = p + len;
}


static ngx_int_t
ngx_http_artifact_known_add(ngx_http_artifact_expand_t *ex, ngx_buf_t *b,
    ngx_chain_t ***last)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(ex->request->pool);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    cl->buf = b;
    cl->next = NULL;

    **last = cl;
    *last = &cl->next;

    return NGX_OK;
}


void
ngx_http_artifact_known_put(ngx_http_artifact_expand_t *ex, ngx_buf_t *b)
{
    ngx_http_artifact_known_t *known = ex->known;

    if (known->buf == b) {
        b->pos = known->kept;
    }

    known->buf = NULL;

    if (b->pos == b->last && ngx_buf_in_memory(b)) {
        b->temporary = 0;
        b->memory = 0;

        if (!b->last_buf && !b->flush && !b->sync) {
            return;
        }
    }

    if (ngx_http_artifact_known_add(ex, b, &known->last) != NGX_OK) {
        known->failed = 1;
    }
}


/* The save filter writes all bytes before nginx uses their memory again. */

ngx_int_t
ngx_http_artifact_known_pass(ngx_http_artifact_expand_t *ex,
    ngx_http_request_body_filter_pt next)
{
    ngx_int_t                   rc;
    ngx_chain_t                *cl;
    ngx_http_request_t         *r;
    ngx_http_artifact_known_t  *known;

    r = ex->request;
    known = ex->known;

    if (known->failed) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    *known->last = NULL;
    rc = next(r, known->out);

    while (known->out) {
        cl = known->out;
        known->out = cl->next;
        ngx_free_chain(r->pool, cl);
    }

    known->last = &known->out;

    return rc;
}


/* What was saved is in a file: see ngx_http_artifact_known_omit(). */

ngx_int_t
ngx_http_artifact_known_body(ngx_http_artifact_expand_t *ex,
    ngx_chain_t **body)
{
    off_t                            pos;
    ngx_buf_t                        saved, omitted;
    ngx_uint_t                       i;
    ngx_chain_t                     *cl, **last;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_known_part_t  *part;

    known = ex->known;

    if (known && known->state == NGX_HTTP_ARTIFACT_KNOWN_COMPARE) {
        ngx_http_artifact_known_end(known);
    }

    if (known == NULL || known->nparts == 0) {
        return NGX_OK;
    }

    cl = *body;
    last = body;
    *body = NULL;

    ngx_http_artifact_known_drop(ex);

    if (cl == NULL || !cl->buf->in_file || cl->next) {
        return NGX_ERROR;
    }

    saved = *cl->buf;
    pos = 0;

    ngx_memzero(&omitted, sizeof(ngx_buf_t));

    omitted.in_file = 1;
    omitted.tag = ngx_http_artifact_body_base64;

    for (i = 0; i < known->nparts; i++) {
        part = &known->parts[i];

        omitted.file = &part->file;
        omitted.file_pos = part->pos - part->data;
        omitted.file_last = part->end - part->data;

        if (ngx_http_artifact_known_piece(ex, &saved, part->pos - pos, &last)
            != NGX_OK
            || ngx_http_artifact_known_piece(ex, &omitted,
                                             part->end - part->pos, &last)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        pos = part->end;
    }

    if (ngx_http_artifact_known_piece(ex, &saved,
                                      saved.file_last - saved.file_pos, &last)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ex->length = ngx_http_artifact_body_size(*body);

    return NGX_OK;
}


/* Appends the next bytes of a buffer in a file. */

static ngx_int_t
ngx_http_artifact_known_piece(ngx_http_artifact_expand_t *ex, ngx_buf_t *from,
    off_t len, ngx_chain_t ***last)
{
    ngx_buf_t  *b;

    if (len < 0 || from->file_pos + len > from->file_last) {
        return NGX_ERROR;
    }

    b = ngx_alloc_buf(ex->request->pool);
    if (b == NULL) {
        return NGX_ERROR;
    }

    *b = *from;

    from->file_pos += len;
    b->file_last = from->file_pos;

    return ngx_http_artifact_known_add(ex, b, last);
}


const u_char *
ngx_http_artifact_known_content(ngx_http_artifact_standins_t *st,
    const ngx_http_artifact_standin_t *item)
{
    ngx_uint_t                       i;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_known_part_t  *part;

    known = st->expand->known;

    if (known == NULL || known->nparts == 0
        || item->text || item->rendered || item->forged
        || !art_str_eq(ngx_artifact_str(&known->root),
                       ngx_artifact_str(&st->root))
        || !art_str_eq(ngx_artifact_str(&known->scope),
                       ngx_artifact_str(&st->scope)))
    {
        return NULL;
    }

    for (i = 0; i < known->nparts; i++) {
        part = &known->parts[i];

        if ((uint64_t) part->data == item->span.pos) {
            return (uint64_t) part->end == item->span.end
                   && (uint64_t) part->size == item->size
                   && art_str_eq(part->mime, art_standin_mime(item->kind))
                   ? part->hmac : NULL;
        }
    }

    return NULL;
}


void
ngx_http_artifact_known_drop(ngx_http_artifact_expand_t *ex)
{
    if (ngx_http_artifact_known_omits(ex) && ex->request->request_body) {
        ex->content_length = ex->request->headers_in.content_length;

        ex->request->request_body->bufs = NULL;
        ex->request->headers_in.content_length = NULL;
        ex->request->headers_in.content_length_n = 0;
    }
}


ngx_uint_t
ngx_http_artifact_known_omits(ngx_http_artifact_expand_t *ex)
{
    return ex->known && ex->known->nparts > 0 && ex->sent == NULL;
}
