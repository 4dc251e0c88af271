
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the configuration is made with.
 */


#ifndef NGX_HTTP_ARTIFACT_CONF_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_CONF_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"


/* Setters of the directives that need more than a slot. */

char *ngx_http_artifact_set_capabilities(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_zone(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_format(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_root(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_layout(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_source(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_message(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_inspector(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_decode(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/* What follows from a location's configuration once it is merged. */

ngx_int_t ngx_http_artifact_settle_loc_conf(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf);


/* Makes the capability maps that were read ready for look-ups. */

ngx_int_t ngx_http_artifact_finish_map(ngx_http_artifact_main_conf_t *amcf);


/* Warns of the services of a map whose format is unknown. */

ngx_int_t ngx_http_artifact_check_formats(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


/*
 * Finds out whether bodies have to be hashed, and warns of a cache whose key
 * may be the same for bodies that are not.
 */

void ngx_http_artifact_check_keys(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


#endif /* NGX_HTTP_ARTIFACT_CONF_H_INCLUDED_ */
