
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Setters of directives that hold values: nginx's own, with messages that name
 * the directive, the value and the choices.
 */


#ifndef NGX_HTTP_ARTIFACT_SET_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_SET_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "core/base/art_core.h"


#define NGX_HTTP_ARTIFACT_ANY_CONF                                            \
    NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF


/* Names that may be chosen from, "\"a\", \"b\" or \"c\"". */

typedef struct {
    u_char      *p;
    u_char       text[1024];
} ngx_http_artifact_choices_t;


/*
 * The first two note where the directive stands.  cmd->post: of a number, its
 * ngx_conf_num_bounds_t.
 */

char *ngx_http_artifact_set_complex(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_enum(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_size(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_off(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
char *ngx_http_artifact_set_num(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/* A complex value that ids are put behind: one without "/" gets a warning. */

char *ngx_http_artifact_set_prefix(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/* Compiles a text, which must last, into *value. */

ngx_int_t ngx_http_artifact_compile(ngx_conf_t *cf, ngx_str_t *text,
    ngx_http_complex_value_t *value);


/*
 * Sets *conf, if it is NULL, to the outer block's value, or else to the default
 * "text", which may be NULL.  NGX_ERROR when out of memory.
 */

ngx_int_t ngx_http_artifact_merge_complex(ngx_conf_t *cf,
    ngx_http_complex_value_t **conf, ngx_http_complex_value_t *prev,
    const char *text);


/* For postconfiguration; nginx runs a phase's handlers in reverse order. */

ngx_int_t ngx_http_artifact_add_handler(ngx_conf_t *cf, ngx_uint_t phase,
    ngx_http_handler_pt handler);


/*
 * Logs that the first value is invalid, and what it "must" be; returns
 * NGX_CONF_ERROR.
 */

char *ngx_http_artifact_set_invalid(ngx_conf_t *cf, const char *must);


/* Adds a name to the choices, of which "p" is "text" in the beginning. */

void ngx_http_artifact_choice(ngx_http_artifact_choices_t *choices,
    art_str_t name, ngx_uint_t last);


#endif /* NGX_HTTP_ARTIFACT_SET_H_INCLUDED_ */
