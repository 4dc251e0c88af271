
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a location is for: all that the rest of the module knows of a feature
 * that has a content handler.
 */


#ifndef NGX_HTTP_ARTIFACT_ROLE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_ROLE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/answer/art_error.h"


/* What the URI below a location is. */

typedef enum {
    NGX_HTTP_ARTIFACT_URI_NONE = 0,          /* it has no meaning */
    NGX_HTTP_ARTIFACT_URI_NAME,              /* no reference */
    NGX_HTTP_ARTIFACT_URI_ID,                /* a reference */
    NGX_HTTP_ARTIFACT_URI_PATH               /* a workspace and a path */
} ngx_http_artifact_uri_e;


/*
 * What a directive, by its "post", makes of a location: a row in the folder of
 * its feature.  "handler" returns what a content handler does; without it
 * another module answers, below references ("artifact_decode").
 *
 * The other functions may be NULL.  "set" ends the directive's setter.  "has"
 * tells whether an artifact that was found is one for the location.  "error"
 * sends an error, and "too_large" prints one about the body, in the shape that
 * clients of the feature know, if that is not the module's own.  "log" counts a
 * request that has ended; its context may be NULL.
 */

struct ngx_http_artifact_role_s {
    ngx_http_artifact_uri_e   uri;
    unsigned                  counter;       /* ART_COUNT_BY_* */

    ngx_int_t               (*handler)(ngx_http_request_t *r,
                                       ngx_http_artifact_ctx_t *ctx);
    ngx_uint_t              (*has)(ngx_http_artifact_ctx_t *ctx);
    char                   *(*set)(ngx_conf_t *cf,
                                   ngx_http_artifact_loc_conf_t *conf);
    ngx_int_t               (*error)(ngx_http_request_t *r,
                                     ngx_http_artifact_ctx_t *ctx,
                                     art_error_t error);
    ngx_http_artifact_error_pt   too_large;
    void                    (*log)(ngx_http_request_t *r,
                                   ngx_http_artifact_ctx_t *ctx,
                                   ngx_uint_t status);

    const char               *vary;          /* a header of requests, or NULL */
    ngx_uint_t                methods;       /* 0: GET and HEAD */

    unsigned                  asked:1;       /* it looks at methods itself */
    unsigned                  local:1;       /* it opens files of the root */
    unsigned                  uploads:1;     /* also without artifact_write */
    unsigned                  posts:1;       /* any page could make it write */
    unsigned                  raw:1;         /* never routed */
    unsigned                  sources:1;     /* it asks artifact_source */
    unsigned                  light:1;       /* it needs maps at most */
};


/* The counter of what is not counted. */

#define NGX_HTTP_ARTIFACT_NOBODY  ((unsigned) -1)


/* Whether the reference below a location is for another module. */

static ngx_inline ngx_uint_t
ngx_http_artifact_decodes(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->handler == NULL;
}


/* Whether there are references below a location, of whatever kind. */

static ngx_inline ngx_uint_t
ngx_http_artifact_has_refs(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->uri >= NGX_HTTP_ARTIFACT_URI_ID;
}


static ngx_inline ngx_uint_t
ngx_http_artifact_has_paths(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->uri == NGX_HTTP_ARTIFACT_URI_PATH;
}


/* Whether a location opens files of the data root. */

static ngx_inline ngx_uint_t
ngx_http_artifact_is_local(ngx_http_artifact_loc_conf_t *conf)
{
    return conf->role && conf->role->local;
}



/*
 * The setter of the directives: cmd->post is the role, and cmd->offset 0.  All
 * but "artifact_decode" install the content handler.  An "if" or "limit_except"
 * block without such a directive inherits the role of its location.
 */

char *ngx_http_artifact_set_role(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
void ngx_http_artifact_inherit_role(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf);


/* Whether the content handler of a location is ours. */

ngx_uint_t ngx_http_artifact_handles(ngx_http_core_loc_conf_t *clcf);


#endif /* NGX_HTTP_ARTIFACT_ROLE_H_INCLUDED_ */
