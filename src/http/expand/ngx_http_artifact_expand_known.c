
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Media of a body that comes in, as base64, are not saved with it.  A session
 * sends them again with each request: what the store has is compared with that.
 * What it has not is decoded into a temporary file of the store, which is made
 * an artifact once all of the body is there.  Either way, whoever needs the
 * characters gets them from that file.
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

/*
 * Bytes that are written at once, pages and whole groups of base64, of a buffer
 * that has room for what is read at once, too.
 */

#define NGX_HTTP_ARTIFACT_KNOWN_UNIT   61440
#define NGX_HTTP_ARTIFACT_KNOWN_ROOM                                          \
    (NGX_HTTP_ARTIFACT_KNOWN_UNIT + NGX_HTTP_ARTIFACT_SCAN_PIECE)

/* Bytes of these in which the signature is. */

#define NGX_HTTP_ARTIFACT_KNOWN_SIGN   512

/*
 * Files that are open at the same time, of a request and of a process, and
 * which part of all that may be: to store a content takes some more.
 */

#define NGX_HTTP_ARTIFACT_KNOWN_MAX   64
#define NGX_HTTP_ARTIFACT_KNOWN_ALL   256
#define NGX_HTTP_ARTIFACT_KNOWN_PART  4


typedef enum {
    NGX_HTTP_ARTIFACT_KNOWN_NONE = 0,    /* no medium, or one to be saved */
    NGX_HTTP_ARTIFACT_KNOWN_BEGINNING,   /* which one it may be is not known */
    NGX_HTTP_ARTIFACT_KNOWN_COMPARE,     /* with the file of the last part */
    NGX_HTTP_ARTIFACT_KNOWN_WRITE        /* to that */
} ngx_http_artifact_known_state_e;


struct ngx_http_artifact_known_s {
    ngx_http_artifact_part_t   *parts;
    ngx_uint_t                        nparts;
    ngx_uint_t                        most;    /* of all requests */

    ngx_str_t                         root;
    ngx_str_t                         scope;
    ngx_artifact_area_t               area;    /* of new files, if any */

    /* the medium that comes in */

    ngx_http_artifact_known_state_e   state;
    off_t                             data;    /* where it begins */
    size_t                            chars;   /* of its beginning, so far */
    u_char                           *bytes;   /* decoded, not yet written */
    size_t                            nbytes;
    art_base64_decode_t               decode;
    off_t                             at;      /* compared so far */
    off_t                             size;    /* written so far */

    /* what is saved of the buffers of one call: "kept" is the next byte */

    ngx_buf_t                        *buf;     /* or NULL */
    u_char                           *kept;
    ngx_chain_t                      *out;
    ngx_chain_t                     **last;

    unsigned                          chosen:1;
    unsigned                          rootless:1;
    unsigned                          nowait:1;
    unsigned                          failed:1;
    unsigned                          full:1;      /* the disk of the store */
    unsigned                          differs:1;   /* medium and file do */
};


static ngx_uint_t ngx_http_artifact_known_most(void);
static size_t ngx_http_artifact_known_begin(ngx_http_artifact_expand_t *ex,
    size_t left, size_t len);
static ngx_int_t ngx_http_artifact_known_choose(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_known_place(ngx_http_artifact_expand_t *ex);
static size_t ngx_http_artifact_known_beginning(
    ngx_http_artifact_expand_t *ex, const u_char *p, size_t left);
static ngx_int_t ngx_http_artifact_known_find(ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_known_recent(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_part_t *part, ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_known_create_file(
    ngx_http_artifact_expand_t *ex, ngx_http_artifact_part_t *part,
    ngx_artifact_write_job_t *job);
static void ngx_http_artifact_known_job(ngx_http_artifact_expand_t *ex,
    ngx_artifact_write_job_t *job);
static art_str_t ngx_http_artifact_known_mime(
    ngx_http_artifact_known_t *known);
static size_t ngx_http_artifact_known_compare(ngx_http_artifact_expand_t *ex,
    u_char *p, size_t left);
static size_t ngx_http_artifact_known_same(ngx_http_artifact_known_t *known,
    const u_char *p, size_t len, size_t *same);
static size_t ngx_http_artifact_known_write(ngx_http_artifact_expand_t *ex,
    u_char *p, size_t left);
static size_t ngx_http_artifact_known_digits(ngx_http_artifact_expand_t *ex,
    u_char *p, size_t left);
static size_t ngx_http_artifact_known_decode(ngx_http_artifact_known_t *known,
    const u_char *p, size_t *len);
static ngx_int_t ngx_http_artifact_known_flush(ngx_http_artifact_expand_t *ex,
    size_t len);
static void ngx_http_artifact_known_return(ngx_http_artifact_expand_t *ex);
static void ngx_http_artifact_known_finish(ngx_http_artifact_expand_t *ex);
static size_t ngx_http_artifact_known_tail(ngx_http_artifact_known_t *known);
static void ngx_http_artifact_known_end(ngx_http_artifact_known_t *known);
static void ngx_http_artifact_known_release(ngx_http_artifact_known_t *known);
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

    known->area.folder = NGX_INVALID_FILE;
    known->area.control = NGX_INVALID_FILE;
    known->most = ngx_http_artifact_known_most();
    known->nowait = ngx_http_artifact_task_pool(r) != NULL;
    known->last = &known->out;

    ex->known = known;

    return NGX_OK;
}


static ngx_uint_t
ngx_http_artifact_known_most(void)
{
    struct rlimit  limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == -1) {
        return 0;
    }

    return (ngx_uint_t) ngx_min(limit.rlim_cur / NGX_HTTP_ARTIFACT_KNOWN_PART,
                                NGX_HTTP_ARTIFACT_KNOWN_ALL);
}


void
ngx_http_artifact_known_close(ngx_http_artifact_expand_t *ex)
{
    ngx_http_artifact_known_t *known = ex->known;

    if (known == NULL) {
        return;
    }

    while (known->nparts > 0) {
        ngx_http_artifact_known_release(known);
    }

    ngx_artifact_area_close(&known->area);

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

        case NGX_HTTP_ARTIFACT_KNOWN_COMPARE:
            n = ngx_http_artifact_known_compare(ex, p, (size_t) (end - p));
            break;

        default:  /* NGX_HTTP_ARTIFACT_KNOWN_WRITE */
            n = ngx_http_artifact_known_write(ex, p, (size_t) (end - p));
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

    if (data == 0 || data < end - (off_t) left) {
        return left;
    }

    if (ex->request->request_body->filter_need_buffering
        || known->nparts == NGX_HTTP_ARTIFACT_KNOWN_MAX
        || ngx_http_artifact_known_files >= known->most
        || ngx_http_artifact_known_choose(ex) != NGX_OK)
    {
        ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact known: a medium at %O is saved, files "
                       "%ui and %ui", data, known->nparts,
                       ngx_http_artifact_known_files);

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

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact known: for now root \"%V\", scope \"%V\", %i",
                   &known->root, &known->scope, rc);

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

    size = NGX_HTTP_ARTIFACT_KNOWN_MAX * sizeof(ngx_http_artifact_part_t);

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
        known->state = NGX_HTTP_ARTIFACT_KNOWN_NONE;

        if (ngx_http_artifact_known_find(ex) == NGX_OK) {
            known->state = known->parts[known->nparts - 1].fresh
                           ? NGX_HTTP_ARTIFACT_KNOWN_WRITE
                           : NGX_HTTP_ARTIFACT_KNOWN_COMPARE;
        }
    }

    return n;
}


/*
 * What begins like the medium is the next part, of no bytes yet, or else a new
 * file.
 */

static ngx_int_t
ngx_http_artifact_known_find(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t                   rc;
    ngx_artifact_write_job_t    job;
    ngx_http_artifact_part_t   *part;
    ngx_http_artifact_known_t  *known;

    known = ex->known;

    ngx_http_artifact_known_job(ex, &job);

    if (job.kind.len == 0 || ngx_artifact_content_open(&job) != NGX_OK) {
        return NGX_DECLINED;
    }

    part = &known->parts[known->nparts];

    ngx_memzero(part, sizeof(ngx_http_artifact_part_t));

    part->data = known->data;
    part->pos = known->data + NGX_HTTP_ARTIFACT_KNOWN_CHARS;
    part->end = part->pos;
    part->mime = job.kind;
    part->temp.fd = NGX_INVALID_FILE;
    part->file.log = ex->request->connection->log;

    rc = ngx_artifact_content_add(&job, known->bytes, known->nbytes);

    if (rc == NGX_OK) {
        rc = job.recent.found
             ? ngx_http_artifact_known_recent(ex, part, &job)
             : ngx_http_artifact_known_create_file(ex, part, &job);
    }

    ngx_artifact_write_close(&job);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact known: \"%s\" at %O, recent:%d, %i",
                   job.kind.data, known->data, job.recent.found, rc);

    return rc;
}


static ngx_int_t
ngx_http_artifact_known_recent(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_part_t *part, ngx_artifact_write_job_t *job)
{
    ngx_http_artifact_known_t *known = ex->known;

    known->at = part->pos;
    known->differs = 0;

    part->size = job->recent.size;
    ngx_memcpy(part->hmac, job->recent.hmac, NGX_ARTIFACT_HMAC);
    art_uuid_v8(part->id, part->hmac);

    part->file.fd = job->recent.fd;
    part->file.name.data = part->id;
    part->file.name.len = sizeof(part->id) - 1;

    job->recent.fd = NGX_INVALID_FILE;

    known->nparts++;
    ngx_http_artifact_known_files++;

    return NGX_OK;
}


/*
 * The control folder is kept open for all files of the body.  A write takes as
 * long as nginx's own would, unless the disk is another machine's: where there
 * are threads, they write to that.
 */

static ngx_int_t
ngx_http_artifact_known_create_file(ngx_http_artifact_expand_t *ex,
    ngx_http_artifact_part_t *part, ngx_artifact_write_job_t *job)
{
    ngx_http_artifact_known_t *known = ex->known;

    /* with white space in it, the beginning has fewer bytes */

    if (known->nbytes != NGX_ARTIFACT_BEGINNING) {
        return NGX_DECLINED;
    }

    if (known->area.control == NGX_INVALID_FILE) {
        known->area = job->area;
        job->area.folder = NGX_INVALID_FILE;
        job->area.control = NGX_INVALID_FILE;
    }

    if (known->full
        || (known->nowait && ngx_artifact_is_remote(known->area.control))
        || ngx_artifact_temp_open(&part->temp, known->area.control, NULL)
           != NGX_OK)
    {
        return NGX_DECLINED;
    }

    part->fresh = 1;
    part->file.fd = part->temp.fd;
    part->file.name.data = part->temp.name;
    part->file.name.len = NGX_ARTIFACT_TEMP_LEN;

    known->size = 0;
    known->nparts++;
    ngx_http_artifact_known_files++;

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
 * an empty string if no stand-in has one.
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
    ngx_http_artifact_part_t  *part;

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
    ngx_http_artifact_part_t  *part;

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


/*
 * The file is as long as its medium once that has ended, so padding is what its
 * base64 has, too.
 */

static size_t
ngx_http_artifact_known_write(ngx_http_artifact_expand_t *ex, u_char *p,
    size_t left)
{
    off_t                       end;
    size_t                      n, pads;
    ngx_http_artifact_part_t   *part;
    ngx_http_artifact_known_t  *known;

    known = ex->known;
    part = &known->parts[known->nparts - 1];

    n = part->size ? 0 : ngx_http_artifact_known_digits(ex, p, left);

    if (n == left || known->state != NGX_HTTP_ARTIFACT_KNOWN_WRITE) {
        return n;
    }

    if (part->size == 0) {
        ngx_http_artifact_known_finish(ex);

        if (known->state != NGX_HTTP_ARTIFACT_KNOWN_WRITE) {
            return n;
        }
    }

    end = part->data + (off_t) ART_BASE64_LEN(part->size);

    for (pads = n; pads < left && p[pads] == '=' && part->end < end; pads++) {
        part->end++;
    }

    if (pads > n) {
        ngx_http_artifact_known_omit(ex, p + n, pads - n);
    }

    if (pads < left) {
        ngx_http_artifact_known_end(known);
    }

    return pads;
}


/*
 * Takes the digits that come next, and returns how many there are: fewer than
 * "left" if there is something else.
 */

static size_t
ngx_http_artifact_known_digits(ngx_http_artifact_expand_t *ex, u_char *p,
    size_t left)
{
    size_t                      len;
    ngx_http_artifact_known_t  *known;

    known = ex->known;

    len = left;
    known->nbytes += ngx_http_artifact_known_decode(known, p, &len);

    if (len > 0) {
        known->parts[known->nparts - 1].end += (off_t) len;
        ngx_http_artifact_known_omit(ex, p, len);
    }

    if (known->nbytes >= NGX_HTTP_ARTIFACT_KNOWN_UNIT) {
        (void) ngx_http_artifact_known_flush(ex, NGX_HTTP_ARTIFACT_KNOWN_UNIT);
    }

    return len;
}


/*
 * Decodes the digits (RFC 4648, section 4) at the beginning of *len bytes, and
 * sets that to their number: most often these are all digits, or all but the
 * end of the string and its padding.  Returns how many bytes they make.
 */

static size_t
ngx_http_artifact_known_decode(ngx_http_artifact_known_t *known,
    const u_char *p, size_t *len)
{
    size_t                n, digits;
    u_char               *dst;
    const u_char         *end;
    art_base64_decode_t   before;

    before = known->decode;
    dst = known->bytes + known->nbytes;

    end = memchr(p, '"', *len);
    digits = end ? (size_t) (end - p) : *len;

    while (digits > 0 && p[digits - 1] == '=') {
        digits--;
    }

    n = art_base64_decode(&known->decode, dst, p, digits);

    /* white space is no digit */

    if (known->decode.bad || known->decode.pads
        || known->decode.digits != before.digits + digits
        || memchr(p, '-', digits) || memchr(p, '_', digits))
    {
        for (digits = 0; digits < *len; digits++) {
            if (art_base64_value(p[digits]) == -1
                || p[digits] == '-' || p[digits] == '_')
            {
                break;
            }
        }

        known->decode = before;
        n = art_base64_decode(&known->decode, dst, p, digits);
    }

    *len = digits;

    return n;
}


/* Writes the first "len" of the bytes; what cannot be written is returned. */

static ngx_int_t
ngx_http_artifact_known_flush(ngx_http_artifact_expand_t *ex, size_t len)
{
    ngx_http_artifact_part_t   *part;
    ngx_http_artifact_known_t  *known;

    known = ex->known;
    part = &known->parts[known->nparts - 1];

    if (ngx_artifact_write_all(part->temp.fd, known->bytes, len, known->size)
        != NGX_OK)
    {
        ngx_log_error(NGX_LOG_ERR, part->file.log, ngx_errno,
                      "pwrite() to \"%V/artifacts/" NGX_ARTIFACT_CONTROL
                      "/%V\" failed, at byte %O",
                      &known->root, &part->file.name, known->size);

        known->full = 1;
        ngx_http_artifact_known_return(ex);

        return NGX_ERROR;
    }

    known->size += (off_t) len;
    known->nbytes -= len;

    ngx_memmove(known->bytes, known->bytes + len, known->nbytes);

    return NGX_OK;
}


/*
 * The characters that were not written are saved with the body: they come
 * before all that has not been read yet.  They are in memory until then, so no
 * other file is begun.
 */

static void
ngx_http_artifact_known_return(ngx_http_artifact_expand_t *ex)
{
    off_t                       from, end;
    size_t                      len;
    ngx_buf_t                  *b;
    art_base64_t                st;
    const uint8_t              *src;
    ngx_http_artifact_part_t   *part;
    ngx_http_artifact_known_t  *known;

    known = ex->known;
    part = &known->parts[known->nparts - 1];

    len = known->nbytes + ngx_http_artifact_known_tail(known);
    from = part->data + known->size / 3 * 4;
    end = part->end;

    part->end = ngx_max(from, part->pos);

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, part->file.log, 0,
                   "http artifact known: %O bytes are saved after all",
                   end - part->end);

    if (part->end == end) {
        ngx_http_artifact_known_end(known);
        return;
    }

    b = ngx_create_temp_buf(ex->request->pool, ART_BASE64_LEN(len));

    if (b) {
        src = known->bytes;
        ngx_memzero(&st, sizeof(art_base64_t));

        b->last += art_base64_update(&st, b->pos, ART_BASE64_LEN(len), &src,
                                     &len);
        (void) art_base64_final(&st, b->last, 4);

        b->last = b->pos + (end - from);
        b->pos += part->end - from;
    }

    if (b == NULL
        || ngx_http_artifact_known_add(ex, b, &known->last) != NGX_OK)
    {
        known->failed = 1;
    }

    ngx_http_artifact_known_end(known);
}


/*
 * Writes the last bytes.  The file is a medium's, of part->size bytes, unless
 * their base64 would be another one than what has come.
 */

static void
ngx_http_artifact_known_finish(ngx_http_artifact_expand_t *ex)
{
    size_t                      held;
    ngx_uint_t                  whole;
    ngx_http_artifact_known_t  *known;

    known = ex->known;

    held = ngx_http_artifact_known_tail(known);
    whole = held == 0 || (held > 1 && known->bytes[known->nbytes + held - 1]
                                      == 0);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact known: %uz of %O bytes are left, whole:%ui",
                   known->nbytes, known->size, whole);

    known->nbytes += whole && held ? held - 1 : held;
    known->decode.held = 0;

    if (ngx_http_artifact_known_flush(ex, known->nbytes) != NGX_OK) {
        return;
    }

    if (!whole) {
        ngx_http_artifact_known_end(known);
        return;
    }

    known->parts[known->nparts - 1].size = known->size;
}


/*
 * Digits that do not make a byte yet become one each, behind the bytes, whose
 * other bits are zero: base64 of all of them begins with these digits.  Returns
 * their number.
 */

static size_t
ngx_http_artifact_known_tail(ngx_http_artifact_known_t *known)
{
    u_char    *p;
    uint32_t   bits;
    unsigned   held;

    held = known->decode.held;
    p = known->bytes + known->nbytes;
    bits = known->decode.bits << (24 - 6 * held);

    p[0] = (u_char) (bits >> 16);
    p[1] = (u_char) (bits >> 8);
    p[2] = (u_char) bits;

    return held;
}


static void
ngx_http_artifact_known_end(ngx_http_artifact_known_t *known)
{
    ngx_http_artifact_part_t *part = &known->parts[known->nparts - 1];

    known->state = NGX_HTTP_ARTIFACT_KNOWN_NONE;

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, part->file.log, 0,
                   "http artifact known: %O bytes at %O are not saved, "
                   "those of a %sfile of %O", part->end - part->pos, part->pos,
                   part->fresh ? "new " : "", part->size);

    if (part->end == part->pos) {
        ngx_http_artifact_known_release(known);
    }
}


/* Closes the file of the last part, and removes a name that it still has. */

static void
ngx_http_artifact_known_release(ngx_http_artifact_known_t *known)
{
    ngx_http_artifact_part_t *part = &known->parts[--known->nparts];

    if (part->fresh) {
        ngx_artifact_temp_close(&part->temp, known->area.control, 0);

    } else {
        ngx_artifact_close(&part->file.fd);
    }

    ngx_http_artifact_known_files--;
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
    ngx_http_artifact_part_t  *part;

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

    /* nothing more will be read */

    if (known->state == NGX_HTTP_ARTIFACT_KNOWN_WRITE
        && known->parts[known->nparts - 1].size == 0
        && (b->last_buf || ex->scan_lags
            || ex->scanning != NGX_HTTP_ARTIFACT_SCAN_INCOMING))
    {
        ngx_http_artifact_known_finish(ex);
    }

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
    ngx_http_artifact_part_t  *part;

    known = ex->known;

    if (known && known->state >= NGX_HTTP_ARTIFACT_KNOWN_COMPARE) {
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


ngx_http_artifact_part_t *
ngx_http_artifact_known_part(ngx_http_artifact_standins_t *st,
    const ngx_http_artifact_standin_t *item)
{
    ngx_uint_t                       i;
    ngx_http_artifact_known_t       *known;
    ngx_http_artifact_part_t  *part;

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
                   ? part : NULL;
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
