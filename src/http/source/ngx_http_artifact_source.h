
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The content that is being served.
 */


#ifndef NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_


#include "http/base/ngx_http_artifact_context.h"
#include "core/media/art_classify.h"
#include "core/meta/art_meta.h"


/* ngx_http_artifact_open_content.h */

typedef struct ngx_http_artifact_open_content_s
    ngx_http_artifact_open_content_t;


/*
 * The content being served: what its source knows before the bytes.  A local
 * source has its file open; that of a response knows what its headers say.
 */

struct ngx_http_artifact_source_s {
    art_meta_t                  meta;        /* all absent without a sidecar */
    art_str_t                   id;          /* or the path of its URI */
    art_str_t                   workspace;   /* empty: none */
    art_str_t                   path;        /* in it */
    art_str_t                   name;        /* one line */
    ngx_str_t                   last_name;   /* last component of its path */
    off_t                       size;        /* bytes, -1 if not known */

    unsigned                    local:1;
    unsigned                    offered:1;   /* the next header is its own */
    ngx_file_t                  file;
    ngx_file_info_t             info;
    ngx_pool_cleanup_t         *cleanup;     /* closes it */
    ngx_http_artifact_open_content_t *opened;      /* it is kept open */
    ngx_atomic_uint_t           generation;  /* before it was opened */

    u_char                     *head;        /* first bytes of a response */
    size_t                      head_len;
    unsigned                    coded:1;     /* ... in gzip, as all others */
    unsigned                    wanted:1;    /* ... are to be taken first */
    unsigned                    whole:1;     /* ... and there are no more */
    unsigned                    ended:1;     /* ... for the moment */
    unsigned                    flush:1;     /* ... and are to go out at once */

    art_verdict_t               verdict;
    unsigned                    classified:1;
};


/*
 * Sets source->name from the metadata's name or source->last_name, made one
 * line of at most ART_UTF8_FILE_NAME_MAX bytes.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_set_name(ngx_http_request_t *r,
    ngx_http_artifact_source_t *source);


#endif /* NGX_HTTP_ARTIFACT_SOURCE_H_INCLUDED_ */
