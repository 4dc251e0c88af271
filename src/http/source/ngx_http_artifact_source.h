
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content that is being served, and its origin: the data root, or any
 * response.
 */


#ifndef NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "store/disk/ngx_artifact_area.h"
#include "core/answer/art_error.h"
#include "core/media/art_classify.h"
#include "core/media/art_ends.h"
#include "core/meta/art_meta.h"


/* ngx_http_artifact_open_cache.h */

typedef struct ngx_http_artifact_cached_s  ngx_http_artifact_cached_t;


/* The version of a source, in hexadecimal. */

#define NGX_HTTP_ARTIFACT_VERSION_LEN  64


/* A date in a header, as ngx_http_time() writes it. */

#define NGX_HTTP_ARTIFACT_DATE_LEN                                            \
    (sizeof("Mon, 28 Sep 1970 06:00:00 GMT") - 1)


/*
 * What is known about the bytes of a content as long as it is cached.  The
 * verdict is that of the location "judge", with its "types"; "sent" is the
 * version of what a converter gets that is told the type "told".
 */

typedef struct {
    art_evidence_t              evidence;
    art_verdict_t               verdict;
    void                       *judge;       /* NULL: no verdict yet */
    u_char                      version[NGX_HTTP_ARTIFACT_VERSION_LEN];
    u_char                      sent[NGX_HTTP_ARTIFACT_VERSION_LEN];
    u_char                      told[ART_MEDIA_TYPE_MAX];
    size_t                      told_len;    /* 0: no such version yet */
    u_char                      etag[NGX_ARTIFACT_ETAG_LEN];
    size_t                      etag_len;    /* 0: likewise */
    u_char                      date[NGX_HTTP_ARTIFACT_DATE_LEN];
    size_t                      date_len;    /* ... of Last-Modified */
    unsigned                    known:1;     /* the evidence is */
    unsigned                    readable:1;  /* it was read */
    unsigned                    verified:1;  /* the verdict is */
    unsigned                    versioned:1;
} ngx_http_artifact_facts_t;


/*
 * What is known before the bytes are sent.  A local source has its file open;
 * the others have only the headers of the response.
 */

struct ngx_http_artifact_source_s {
    art_meta_t                  meta;        /* all absent without a sidecar */
    art_str_t                   id;          /* or the path of its URI */
    art_str_t                   workspace;   /* may be empty */
    art_str_t                   path;        /* in the workspace */
    art_str_t                   name;        /* one line */
    ngx_str_t                   last_name;   /* last component of its path */
    ngx_str_t                   root;        /* of a local one, if not cached */
    off_t                       size;        /* bytes, -1 if not known */

    unsigned                    local:1;
    unsigned                    offered:1;   /* the next header is its own */
    ngx_file_t                  file;
    ngx_file_info_t             info;
    ngx_pool_cleanup_t         *cleanup;     /* closes it */
    ngx_http_artifact_cached_t *cached;      /* NULL: not in the cache */
    ngx_http_artifact_facts_t  *facts;       /* NULL: likewise */
    ngx_atomic_uint_t           generation;  /* before it was opened */

    ngx_str_t                   etag;        /* of a response, or empty */
    time_t                      modified;    /* the same, -1: not known */
    u_char                     *head;        /* first bytes of a response */
    size_t                      head_len;
    size_t                      head_room;   /* bytes that it may have */
    unsigned                    coded:1;     /* they are in gzip */
    unsigned                    wanted:1;    /* they have to be awaited */
    unsigned                    whole:1;     /* there are no more */
    unsigned                    ended:1;     /* ... for the moment */
    unsigned                    flush:1;     /* they are to be sent at once */

    art_verdict_t               verdict;
    unsigned                    classified:1;

    uint32_t                    width;       /* pixels; 0: unknown */
    uint32_t                    height;
    unsigned                    measured:1;  /* no more can be known */

    art_end_t                   end;         /* as far as it was looked for */
    ngx_file_t                 *stored;      /* a response's bytes, or NULL: */
    off_t                       stored_at;   /* where they are in it */
};


/*
 * Opens the content and the sidecar that the context's reference names.  NGX_OK
 * with ctx->source set, NGX_DECLINED with *error set, or NGX_ERROR when out of
 * memory.  NGX_AGAIN if a thread is at work: the request's write event handler
 * is called at its end, and has to call the second function.
 */

ngx_int_t ngx_http_artifact_open_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);
ngx_int_t ngx_http_artifact_open_source_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, art_error_t *error);


/*
 * Sets source->name from the metadata's name or source->last_name, as one line
 * of at most ART_UTF8_FILE_NAME_MAX bytes.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_set_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


/*
 * Reads the sidecar "name" of an open folder into ctx->source->meta, which
 * stays empty if it is missing (NGX_DECLINED), unreadable or corrupt (NGX_OK).
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_read_meta(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name);


/*
 * The same for a file of a workspace, with the document "name" of workspaces;
 * NGX_OK also if there is no entry.  NGX_AGAIN if a thread reads the document,
 * which is large: the request's write event handler is called at its end, and
 * has to call the second function, which returns the same.
 */

ngx_int_t ngx_http_artifact_read_entry(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx, ngx_fd_t folder, ngx_str_t *name);
ngx_int_t ngx_http_artifact_read_entry_again(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * Creates a source for a response that is about to be sent, from its headers;
 * sets ctx->source, with source->wanted if its first bytes have to be awaited
 * to know its type.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_response_source(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx);


/*
 * The version of a request's source, in hexadecimal: a hash that changes when
 * the bytes may have changed, and never is another source's.  Without a source,
 * or if that has nothing to tell versions apart, it is the request's own.
 * NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_version(ngx_http_request_t *r,
    ngx_str_t *version);


/*
 * The version of what a converter is sent: of a content, and of the media type
 * that the converter is told.  The content is the request's source, by its own
 * version, or has this SHA-256.  Allocated from r->pool; NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_version_sent(ngx_http_request_t *r,
    art_str_t mime, ngx_str_t *version);
ngx_int_t ngx_http_artifact_version_told(ngx_http_request_t *r,
    art_str_t content, art_str_t mime, ngx_str_t *version);


/*
 * Decodes the first bytes of a source in gzip into source->head, to be
 * examined; the bytes themselves are not changed.  NGX_DECLINED if they are not
 * gzip, NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_response_decode(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


#endif /* NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_ */
