
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where directives stand, for messages about what is only known once the whole
 * configuration has been read.
 */


#ifndef NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/*
 * A directive of a location's configuration, of the blocks around it after
 * those of its own block.
 */

struct ngx_http_artifact_directive_s {
    ngx_str_t                       name;
    ngx_str_t                       file;
    ngx_uint_t                      line;
    ngx_http_artifact_directive_t  *next;

    unsigned                    role:1;    /* it gives the location its role */
    unsigned                    beside:1;  /* of another content handler */
    unsigned                    fits:1;    /* one location at least */
    unsigned                    redirects:1; /* a stranger's are followed */
    unsigned                    layouts:1;   /* another one was warned about */
};


/*
 * Notes the directive that is being read as the first of the block's, of
 * whatever feature it is.  NULL when out of memory.  The "post" of nginx's own
 * setters does so, too.
 */

ngx_http_artifact_directive_t *ngx_http_artifact_directive_add(
    ngx_conf_t *cf);

extern ngx_conf_post_t  ngx_http_artifact_noted;


/* Adds the outer block's directives. */

void ngx_http_artifact_directive_inherit(ngx_http_artifact_loc_conf_t *prev,
    ngx_http_artifact_loc_conf_t *conf);


/*
 * The directive in effect that has that name, or that gives the location its
 * role; NULL if there is none.
 */

ngx_http_artifact_directive_t *ngx_http_artifact_directive(
    ngx_http_artifact_loc_conf_t *conf, const char *name);
ngx_http_artifact_directive_t *ngx_http_artifact_role_directive(
    ngx_http_artifact_loc_conf_t *conf);


/*
 * Logs a message about a directive, which may be NULL, with its file and line,
 * as ngx_conf_log_error() does.  The same warning about the same line, as of a
 * file that is included twice, is logged once.
 */

void ngx_http_artifact_log_error(ngx_conf_t *cf, ngx_uint_t level,
    ngx_http_artifact_directive_t *directive, ngx_err_t err, const char *fmt,
    ...);


#endif /* NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_ */
