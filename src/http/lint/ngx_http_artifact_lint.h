
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of warnings share: the locations of the configuration, where
 * URIs lead in it, and what protects a location.
 */


#ifndef NGX_HTTP_ARTIFACT_LINT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_LINT_H_INCLUDED_


#include "http/base/ngx_http_artifact_directive.h"
#include "http/expand/ngx_http_artifact_expand.h"
#include "http/response/ngx_http_artifact_response.h"


/*
 * A location, or a block in one, as it was merged.  "outer" is what
 * all modules have for the block around it.
 */

typedef struct {
    ngx_http_artifact_loc_conf_t      *conf;
    ngx_http_artifact_expand_conf_t   *expand;
    ngx_http_artifact_answers_conf_t  *answers;
    ngx_http_core_loc_conf_t          *clcf;
    ngx_http_core_srv_conf_t          *cscf;
    void                             **outer;
    ngx_uint_t                         sourceless; /* no location matches */
    uint64_t                           underived;  /* rules of no location */
    ngx_http_core_loc_conf_t         **converters; /* of rules, each or NULL */
    unsigned                           used:1;     /* by the module */
    unsigned                           passes:1;   /* requests on */
    unsigned                           returns:1;  /* and nothing else */
} ngx_http_artifact_check_t;


/* Of this size, and in the order of the configuration. */

typedef struct {
    ngx_conf_t                        *cf;
    ngx_http_artifact_check_t         *checks;
    ngx_uint_t                         n;
} ngx_http_artifact_lint_t;


/* Warns about one location, after all have been merged. */

typedef void (*ngx_http_artifact_lint_pt)(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);

void ngx_http_artifact_lint_urls(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_store(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_place(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_access(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_reader(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_convert(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_undo(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_exposed(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
void ngx_http_artifact_lint_effect(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);


/* Before: notes which directives have an effect in a location. */

void ngx_http_artifact_lint_note(ngx_http_artifact_check_t *check);


/* Whether "artifact_offload_text" is on in a location, or may be. */

ngx_uint_t ngx_http_artifact_lint_shortens(ngx_http_artifact_check_t *check);


/*
 * The location that a URI leads to in a server, as nginx would find it; NULL if
 * there is none, or if that is not certain, since the server rewrites URIs.
 */

ngx_http_core_loc_conf_t *ngx_http_artifact_lint_find(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_str_t *uri);


/* Whether a server may serve a URI without a location. */

ngx_uint_t ngx_http_artifact_lint_serves(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_str_t *uri);


/*
 * The server of a public URL and its path; NULL if it is not certain that it is
 * one of this configuration.  "own" is the server of "$host".
 */

ngx_http_core_srv_conf_t *ngx_http_artifact_lint_server(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *own, ngx_str_t *url, ngx_str_t *path);


/*
 * Whether a location looks references up, and the location in which it does;
 * NULL if that is not certain.
 */

ngx_uint_t ngx_http_artifact_lint_asks_source(ngx_http_artifact_check_t *check);
ngx_http_core_loc_conf_t *ngx_http_artifact_lint_source(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);


/* A URI with what follows it, in cf->temp_pool; empty when out of memory. */

ngx_str_t ngx_http_artifact_lint_join(ngx_conf_t *cf, ngx_str_t *prefix,
    const char *rest);


/*
 * The first member that the module of a directive has for a location, or the
 * one that the directive sets: a pointer, or a length.  NULL if it is not set,
 * or if no module has such a directive.
 */

void *ngx_http_artifact_lint_member(ngx_conf_t *cf, void **loc_conf,
    const char *directive);


/*
 * How a location is protected: by passwords or another server's answer, which
 * nobody but its own clients has; by what may look at any part of a request; or
 * by whatever could be meant as protection, of this module, of nginx, or of a
 * module that is not known.
 */

ngx_uint_t ngx_http_artifact_lint_asks(ngx_conf_t *cf, void **loc_conf);
ngx_uint_t ngx_http_artifact_lint_checks(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, void **loc_conf);
ngx_uint_t ngx_http_artifact_lint_protects(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, void **loc_conf);


/*
 * An address that a server listens on and other machines may reach, as it is
 * written; NULL if there is none.
 */

ngx_str_t *ngx_http_artifact_lint_address(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf);


/*
 * The next configuration of upstreams that a location has, from module "*i" on,
 * and the name of its directive for headers to ignore.  Any module that has
 * upstreams has such a directive, which shows where their configuration is; an
 * upstream with variables is not in it.  NULL if there are no more.
 */

ngx_http_upstream_conf_t *ngx_http_artifact_lint_upstream(ngx_conf_t *cf,
    void **loc_conf, ngx_uint_t *i, ngx_str_t **ignore);


/* Whether a location caches the answers to POST. */

ngx_uint_t ngx_http_artifact_lint_caches(ngx_conf_t *cf, void **loc_conf);


/* The module's configuration of a location that was found. */

static ngx_inline ngx_http_artifact_loc_conf_t *
ngx_http_artifact_lint_conf(ngx_http_core_loc_conf_t *clcf)
{
    return clcf->loc_conf[ngx_artifact_module.ctx_index];
}


/* The directive in effect, unless it is the outer block's. */

ngx_http_artifact_directive_t *ngx_http_artifact_lint_own(
    ngx_http_artifact_check_t *check, const char *name);


/* Whether a location has a role, which a directive of that name gives. */

ngx_uint_t ngx_http_artifact_lint_is(ngx_http_artifact_loc_conf_t *conf,
    const char *name);


/* A value that is there, is not empty, and has no variables. */

static ngx_inline ngx_uint_t
ngx_http_artifact_lint_fixed(ngx_http_complex_value_t *value)
{
    return value != NULL && value->lengths == NULL && value->value.len > 0;
}


/* Whether two such values, of which one may be NULL, differ for certain. */

ngx_uint_t ngx_http_artifact_lint_differ(ngx_http_complex_value_t *a,
    ngx_http_complex_value_t *b);


/* Whether two values have the same text, with or without variables. */

static ngx_inline ngx_uint_t
ngx_http_artifact_lint_same(ngx_http_complex_value_t *a,
    ngx_http_complex_value_t *b)
{
    return a == b
           || (a && b && a->value.len == b->value.len
               && ngx_memcmp(a->value.data, b->value.data, a->value.len) == 0);
}


#endif /* NGX_HTTP_ARTIFACT_LINT_H_INCLUDED_ */
