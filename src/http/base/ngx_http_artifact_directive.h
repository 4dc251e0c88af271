
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What directives and variables of all features have in common: where a
 * directive stands, for messages about what is only known once the whole
 * configuration has been read; setters of values, which are nginx's own, with
 * messages that name the directive, the value and the choices; how variables
 * are added and set.
 */


#ifndef NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/base/art_core.h"


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


/* Adds those of an array, which ends with ngx_http_null_variable. */

ngx_int_t ngx_http_artifact_variables_add(ngx_conf_t *cf,
    ngx_http_variable_t *v);


/* Whether the configuration, which has been read, uses a variable. */

ngx_uint_t ngx_http_artifact_variable_is_used(ngx_conf_t *cf,
    const char *name);


/*
 * Set a value, none if its data is NULL, which lives as long as the request.
 * nginx puts variables into headers, FastCGI parameters and logs unchanged.
 * Ours come from JSON, base64 and percent-encoding, where a client can write
 * line breaks: control characters are percent-encoded, as in $artifact_key.
 * The second function is for values that have none.  NGX_ERROR when out of
 * memory.
 */

ngx_int_t ngx_http_artifact_variable_text(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, art_str_t text);
void ngx_http_artifact_variable_set(ngx_http_variable_value_t *v,
    art_str_t value);


/*
 * The request that a variable of the URI is about.  A subrequest that decides
 * about another request, such as that of auth_request, must see that request's
 * reference.
 */

ngx_http_request_t *ngx_http_artifact_variable_owner(ngx_http_request_t *r);


#endif /* NGX_HTTP_ARTIFACT_DIRECTIVE_H_INCLUDED_ */
