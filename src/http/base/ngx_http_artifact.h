
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The configuration of ngx_artifact_module, which all files of src/http read.
 */


#ifndef NGX_HTTP_ARTIFACT_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "store/disk/ngx_artifact_layout.h"
#include "core/capability/art_capmap.h"


/* Values of artifact_route. */

#define NGX_HTTP_ARTIFACT_ROUTE_OFF     0
#define NGX_HTTP_ARTIFACT_ROUTE_ON      1
#define NGX_HTTP_ARTIFACT_ROUTE_ALWAYS  2


typedef struct ngx_http_artifact_ctx_s   ngx_http_artifact_ctx_t;
typedef struct ngx_http_artifact_role_s  ngx_http_artifact_role_t;


/* http/base/ngx_http_artifact_directive.h */

typedef struct ngx_http_artifact_directive_s  ngx_http_artifact_directive_t;


/* ngx_http_artifact_open_cache.h */

typedef struct ngx_http_artifact_open_cache_s  ngx_http_artifact_open_cache_t;


typedef struct {
    art_capmap_t               *capmap;
    ngx_array_t                *maps;        /* ngx_str_t: its files */
    struct magic_set           *magic;       /* libmagic's */
    ngx_shm_zone_t             *zone;        /* of the cache */
    ngx_shm_zone_t             *generations; /* of contents */
    ngx_shm_zone_t             *counters;    /* NULL: nothing is counted */
    size_t                      zone_size;
    ngx_http_complex_value_t   *service;     /* the defaults */
    ngx_http_complex_value_t   *accept;
    ngx_http_complex_value_t   *source;
    ngx_http_header_handler_pt  redirect;    /* nginx's: X-Accel-Redirect */
    ngx_array_t                *prefixes;    /* ngx_str_t: of locations */
    ngx_array_t                 caches;      /* pointers: of open contents */
    ngx_array_t                *warned;      /* ngx_str_t: while it is read */
    ngx_array_t                *own;         /* ngx_uint_t: variables of which
                                                a source has its own values */

    /* whether any location uses the module, or the following */

    unsigned                    used:1;
    unsigned                    status:1;    /* artifact_status */
    unsigned                    delivers:1;  /* artifact_delivery */
} ngx_http_artifact_main_conf_t;


/*
 * Prints the error of a request whose body is too large, as the clients of its
 * API know it.  NGX_DECLINED if it is for no API, NGX_ERROR when out of memory.
 */

typedef ngx_int_t (*ngx_http_artifact_error_pt)(ngx_http_request_t *r,
    art_out_t *out);


/* What all features share; ngx_http_artifact_conf_of() has one's own. */

typedef struct {
    void                      **loc_conf;    /* of all modules */
    const ngx_http_artifact_role_t  *role;   /* NULL: none of ours */
    ngx_str_t                   prefix;      /* the location's name */
    ngx_str_t                   inspect;     /* JSON for the inspector */

    ngx_http_complex_value_t   *service;
    ngx_http_complex_value_t   *accept;
    ngx_http_complex_value_t   *format;
    ngx_http_complex_value_t   *description;
    ngx_http_complex_value_t   *root;
    ngx_artifact_layout_t      *layout;      /* of artifacts in the root */
    ngx_http_complex_value_t   *source;
    ngx_http_complex_value_t   *url;         /* the one that is written */
    ngx_array_t                *urls;        /* pointers: others, or NULL */
    ngx_http_complex_value_t   *delivery;    /* NULL: inline */

    ngx_http_artifact_directive_t  *directives;  /* where they are */

    ngx_http_artifact_open_cache_t  *cache;  /* NULL: no files stay open */

    ngx_uint_t                  route;
    ngx_uint_t                  language;
    ngx_flag_t                  verify;
    off_t                       inline_max;
    off_t                       text_max;
    off_t                       body_max;
    ngx_int_t                   refs_max;
    size_t                      offload_min;

    /* set by features when they are merged: which bodies they read, */

    ngx_http_artifact_error_pt  requests;    /* to models' APIs, or NULL */
    unsigned                    answers:1;   /* of models' APIs */
    unsigned                    writes:1;    /* and whether clients may write */
} ngx_http_artifact_loc_conf_t;


/* The configuration of a feature's module in the same location. */

#define ngx_http_artifact_conf_of(alcf, module)                               \
    (alcf)->loc_conf[module.ctx_index]


extern ngx_module_t  ngx_artifact_module;


/* A module of HTTP that has nothing to do at the start or end of processes. */

#define NGX_HTTP_ARTIFACT_MODULE(ctx, commands)                               \
    {                                                                         \
        NGX_MODULE_V1, ctx, commands, NGX_HTTP_MODULE,                        \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NGX_MODULE_V1_PADDING       \
    }


#endif /* NGX_HTTP_ARTIFACT_H_INCLUDED_ */
