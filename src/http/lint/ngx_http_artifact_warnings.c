
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Configurations that are valid and yet probably a mistake.  A warning is about
 * a directive, not about each of the locations that inherit it, and only about
 * what is certain.  docs/warnings.md lists them.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "http/list/ngx_http_artifact_list.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/api/art_api.h"
#include "core/derive/art_derive.h"
#include "core/format/art_delivery.h"


/* nginx's default of client_max_body_size. */

#define NGX_HTTP_ARTIFACT_BODY_DEFAULT  (1024 * 1024)

typedef struct {
    ngx_array_t                      *checks;     /* while it is read */
} ngx_http_artifact_lint_main_conf_t;


typedef struct {
    void                            **outer;      /* of the block around it */
} ngx_http_artifact_lint_conf_t;


extern ngx_module_t  ngx_http_artifact_lint_module;


static void *ngx_http_artifact_lint_create_main_conf(ngx_conf_t *cf);
static void *ngx_http_artifact_lint_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_lint_merge(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_lint_add(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_artifact_lint_conf_t *lint);
static ngx_int_t ngx_http_artifact_check_delivery(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf,
    ngx_http_artifact_expand_conf_t *expand);
static ngx_int_t ngx_http_artifact_warnings(ngx_conf_t *cf);
static void ngx_http_artifact_note_fits(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static ngx_http_artifact_directive_t *ngx_http_artifact_origins(
    ngx_http_artifact_loc_conf_t *conf);
static ngx_uint_t ngx_http_artifact_is_sourceless(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static uint64_t ngx_http_artifact_underived(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static ngx_http_core_loc_conf_t **ngx_http_artifact_converters(
    ngx_conf_t *cf, ngx_http_artifact_loc_conf_t *conf);
static ngx_http_core_loc_conf_t *ngx_http_artifact_converter(
    ngx_queue_t *locations, ngx_str_t *uri);
static ngx_http_core_loc_conf_t *ngx_http_artifact_longest(
    ngx_queue_t *locations, ngx_str_t *uri);
static ngx_uint_t ngx_http_artifact_is_nowhere(ngx_conf_t *cf,
    ngx_http_complex_value_t *value);
static void **ngx_http_artifact_constant(ngx_conf_t *cf,
    ngx_http_complex_value_t *value, ngx_str_t *prefix);
static ngx_queue_t *ngx_http_artifact_locations(void **loc_conf);
static ngx_uint_t ngx_http_artifact_may_serve(ngx_conf_t *cf,
    void **loc_conf, ngx_str_t *prefix);
static ngx_uint_t ngx_http_artifact_matches(ngx_queue_t *locations,
    ngx_str_t *prefix);
static ngx_str_t *ngx_http_artifact_redirects(ngx_conf_t *cf, void **loc_conf);
static ngx_uint_t ngx_http_artifact_is_open(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static ngx_uint_t ngx_http_artifact_passes(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_returns(ngx_conf_t *cf, void **loc_conf);
static void ngx_http_artifact_warn_uri(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_is_pair(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_root(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_route(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_argument(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_format(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_body(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_is_body_set(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_is_mcp(ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_source(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_derive(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_origin(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_stranger(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_warn_redirect(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive, void **loc_conf);


static ngx_http_artifact_lint_pt  ngx_http_artifact_looks[] = {
    ngx_http_artifact_warn_uri,
    ngx_http_artifact_warn_root,
    ngx_http_artifact_lint_effect,
    ngx_http_artifact_warn_route,
    ngx_http_artifact_warn_argument,
    ngx_http_artifact_warn_format,
    ngx_http_artifact_warn_body,
    ngx_http_artifact_warn_source,
    ngx_http_artifact_warn_derive,
    ngx_http_artifact_warn_origin,
    ngx_http_artifact_warn_stranger,
    ngx_http_artifact_lint_place,
    ngx_http_artifact_lint_urls,
    ngx_http_artifact_lint_store,
    ngx_http_artifact_lint_access,
    ngx_http_artifact_lint_reader,
    ngx_http_artifact_lint_convert,
    ngx_http_artifact_lint_undo,
    ngx_http_artifact_lint_exposed,
    NULL
};


static ngx_command_t  ngx_http_artifact_lint_commands[] = {
      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_lint_module_ctx = {
    .postconfiguration = ngx_http_artifact_warnings,
    .create_main_conf = ngx_http_artifact_lint_create_main_conf,
    .create_loc_conf = ngx_http_artifact_lint_create_conf,
    .merge_loc_conf = ngx_http_artifact_lint_merge
};


ngx_module_t  ngx_http_artifact_lint_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_lint_module_ctx,
                             ngx_http_artifact_lint_commands);


static void *
ngx_http_artifact_lint_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_lint_main_conf_t));
}


/* In a block that begins, the context is that of the block around it. */

static void *
ngx_http_artifact_lint_create_conf(ngx_conf_t *cf)
{
    ngx_http_conf_ctx_t            *ctx;
    ngx_http_artifact_lint_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_lint_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    if (cf->module_type == NGX_HTTP_MODULE) {
        ctx = cf->ctx;
        conf->outer = ctx->loc_conf;
    }

    return conf;
}


/* This module is the last: all others have merged theirs. */

static char *
ngx_http_artifact_lint_merge(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_core_loc_conf_t          *clcf;
    ngx_http_artifact_loc_conf_t      *conf;
    ngx_http_artifact_expand_conf_t   *expand;

    conf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    expand = ngx_http_artifact_conf_of(conf, ngx_http_artifact_expand_module);

    /* a server's own configuration counts only if it has no locations */

    if (clcf->name.len == 0 && !clcf->noname && clcf->locations != NULL) {
        return NGX_CONF_OK;
    }

    if (ngx_http_artifact_check_delivery(cf, conf, expand) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_lint_add(cf, conf, clcf, child);
}


static char *
ngx_http_artifact_lint_add(ngx_conf_t *cf, ngx_http_artifact_loc_conf_t *conf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_artifact_lint_conf_t *lint)
{
    ngx_http_artifact_check_t           *check;
    ngx_http_artifact_lint_main_conf_t  *lmcf;

    lmcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_lint_module);

    if (lmcf->checks == NULL) {
        lmcf->checks = ngx_array_create(cf->temp_pool, 16,
                                        sizeof(ngx_http_artifact_check_t));
        if (lmcf->checks == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    check = ngx_array_push(lmcf->checks);
    if (check == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(check, sizeof(ngx_http_artifact_check_t));

    check->conf = conf;
    check->expand = ngx_http_artifact_conf_of(conf,
                                              ngx_http_artifact_expand_module);
    check->answers = ngx_http_artifact_conf_of(conf,
                                             ngx_http_artifact_answers_module);
    check->clcf = clcf;
    check->cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
    check->outer = lint->outer;
    check->used = conf->role != NULL
                  || check->expand->expand
                  || check->expand->argument != NULL
                  || check->expand->standins != NULL
                  || check->expand->prompt
                  || check->answers->stores
                  || ngx_http_artifact_origins(conf) != NULL
                  || conf->route == NGX_HTTP_ARTIFACT_ROUTE_ON;

    /* only now: nginx will make a tree of the list of locations */

    if (check->used) {
        check->sourceless = ngx_http_artifact_is_sourceless(cf, check);
        check->underived = ngx_http_artifact_underived(cf, conf);
        check->converters = ngx_http_artifact_converters(cf, conf);
    }

    return NGX_CONF_OK;
}


/*
 * Only where requests or messages are composed: what is inherited elsewhere has
 * no effect.  A value of a variable may be "inline" where it matters.
 */

static ngx_int_t
ngx_http_artifact_check_delivery(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf, ngx_http_artifact_expand_conf_t *expand)
{
    ngx_uint_t                      level;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_main_conf_t  *amcf;
    ngx_http_artifact_directive_t  *directive;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (conf->delivery == NULL
        || (conf->delivery->lengths == NULL
            && art_delivery_find(ngx_artifact_str(&conf->delivery->value))
               != ART_DELIVERY_URL))
    {
        return NGX_OK;
    }

    amcf->delivers = 1;

    if (conf->url != NULL
        || (!expand->expand && !(conf->role && conf->role->sources)))
    {
        return NGX_OK;
    }

    level = conf->delivery->lengths ? NGX_LOG_WARN : NGX_LOG_EMERG;

    directive = ngx_http_artifact_directive(conf, "artifact_delivery");

    ngx_http_artifact_log_error(cf, level, directive, 0,
                                "\"artifact_delivery\" needs "
                                "\"artifact_url\", which location \"%V\" has "
                                "not%s", &clcf->name,
                                level == NGX_LOG_WARN
                                ? ": its media are sent inline" : "");

    return level == NGX_LOG_WARN ? NGX_OK : NGX_ERROR;
}

/* All other modules have installed their handlers. */

static ngx_int_t
ngx_http_artifact_warnings(ngx_conf_t *cf)
{
    ngx_uint_t                           i;
    ngx_http_artifact_lint_t             lint;
    ngx_http_artifact_lint_pt           *look;
    ngx_http_artifact_main_conf_t       *amcf;
    ngx_http_artifact_lint_main_conf_t  *lmcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    lmcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_lint_module);

    if (lmcf->checks == NULL) {
        amcf->warned = NULL;
        return NGX_OK;
    }

    lint.cf = cf;
    lint.checks = lmcf->checks->elts;
    lint.n = lmcf->checks->nelts;

    for (i = 0; i < lint.n; i++) {
        ngx_http_artifact_note_fits(cf, &lint.checks[i]);
    }

    for (i = 0; i < lint.n; i++) {

        if (!lint.checks[i].used) {
            continue;
        }

        for (look = ngx_http_artifact_looks; *look; look++) {
            (*look)(&lint, &lint.checks[i]);
        }
    }

    /* both are in cf->temp_pool */

    lmcf->checks = NULL;
    amcf->warned = NULL;

    return NGX_OK;
}


/* What a directive has an effect in: one of its locations is enough. */

static void
ngx_http_artifact_note_fits(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t  *route;

    check->passes = ngx_http_artifact_passes(cf, check) & 1;
    ngx_http_artifact_lint_note(check);

    route = ngx_http_artifact_directive(check->conf, "artifact_route");

    if (route) {
        route->fits |= ngx_http_artifact_is_open(cf, check->conf) & 1;
    }
}


/* The directive that names origins, or NULL. */

static ngx_http_artifact_directive_t *
ngx_http_artifact_origins(ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_directive(conf, "artifact_origin");

    if (directive == NULL) {
        directive = ngx_http_artifact_directive(conf, "artifact_mcp_origin");
    }

    return directive;
}


/* Whether no location of the server matches the source of this location. */

static ngx_uint_t
ngx_http_artifact_is_sourceless(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_loc_conf_t  *conf;

    conf = check->conf;

    return (check->expand->expand || check->expand->argument
            || (conf->role && conf->role->sources))
           && ngx_http_artifact_is_nowhere(cf, conf->source);
}


/* A bit for each of the first 64 rules of "artifact_derive". */

static uint64_t
ngx_http_artifact_underived(ngx_conf_t *cf, ngx_http_artifact_loc_conf_t *conf)
{
    uint64_t                         bits;
    ngx_uint_t                       i;
    ngx_array_t                     *rules;
    art_derive_rule_t               *rule;
    ngx_http_artifact_derive_uri_t  *uri;

    bits = 0;
    rules = ngx_http_artifact_rules(conf);

    if (rules == NULL) {
        return bits;
    }

    rule = rules->elts;

    for (i = 0; i < ngx_min(rules->nelts, 64); i++) {
        uri = rule[i].data;

        if (ngx_http_artifact_is_nowhere(cf, &uri->value)) {
            bits |= (uint64_t) 1 << i;
        }
    }

    return bits;
}


/* The locations of the rules' URIs; NULL where that is not certain. */

static ngx_http_core_loc_conf_t **
ngx_http_artifact_converters(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    void                            **server;
    ngx_str_t                         uri;
    ngx_uint_t                        i;
    ngx_array_t                      *rules;
    art_derive_rule_t                *rule;
    ngx_http_core_loc_conf_t        **converters;
    ngx_http_artifact_derive_uri_t   *data;

    rules = ngx_http_artifact_rules(conf);

    if (rules == NULL) {
        return NULL;
    }

    converters = ngx_pcalloc(cf->temp_pool, rules->nelts * sizeof(void *));
    if (converters == NULL) {
        return NULL;
    }

    rule = rules->elts;

    for (i = 0; i < rules->nelts; i++) {
        data = rule[i].data;
        server = ngx_http_artifact_constant(cf, &data->value, &uri);

        if (server) {
            converters[i] = ngx_http_artifact_converter(
                                 ngx_http_artifact_locations(server), &uri);
        }
    }

    return converters;
}


/*
 * As nginx finds the location of a URI, of its lists of locations, which it has
 * not sorted yet.  An id follows a slash: what a regular expression says of it
 * is not known.
 */

static ngx_http_core_loc_conf_t *
ngx_http_artifact_converter(ngx_queue_t *locations, ngx_str_t *uri)
{
    ngx_http_core_loc_conf_t  *found, *best;

#if (NGX_PCRE)

    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_location_queue_t  *lq;

#endif

    found = NULL;

    while (locations) {
        best = ngx_http_artifact_longest(locations, uri);

#if (NGX_PCRE)

        for (q = ngx_queue_head(locations);
             q != ngx_queue_sentinel(locations)
             && (best == NULL || (!best->noregex && !best->exact_match));
             q = ngx_queue_next(q))
        {
            lq = (ngx_http_location_queue_t *) q;
            clcf = lq->exact ? lq->exact : lq->inclusive;

            if (clcf->regex
                && (uri->data[uri->len - 1] == '/'
                    || ngx_regex_exec(clcf->regex->regex, uri, NULL, 0) >= 0))
            {
                return NULL;
            }
        }

#endif

        found = best ? best : found;
        locations = best ? best->locations : NULL;
    }

    return found;
}


/* The one of the URI itself, else of the longest prefix. */

static ngx_http_core_loc_conf_t *
ngx_http_artifact_longest(ngx_queue_t *locations, ngx_str_t *uri)
{
    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *clcf, *best;
    ngx_http_location_queue_t  *lq;

    best = NULL;

    for (q = ngx_queue_head(locations);
         q != ngx_queue_sentinel(locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;
        clcf = lq->exact ? lq->exact : lq->inclusive;

        if (clcf->named || clcf->noname
#if (NGX_PCRE)
            || clcf->regex
#endif
            || clcf->name.len > uri->len
            || ngx_memcmp(clcf->name.data, uri->data, clcf->name.len) != 0)
        {
            continue;
        }

        if (clcf->exact_match) {

            if (clcf->name.len == uri->len
                && uri->data[uri->len - 1] != '/')
            {
                return clcf;
            }

        } else if (best == NULL || clcf->name.len > best->name.len) {
            best = clcf;
        }
    }

    return best;
}


/* Whether no location of the server matches a constant URI, or its prefix. */

static ngx_uint_t
ngx_http_artifact_is_nowhere(ngx_conf_t *cf, ngx_http_complex_value_t *value)
{
    void       **server;
    ngx_str_t    prefix;

    server = ngx_http_artifact_constant(cf, value, &prefix);

    return server != NULL
           && !ngx_http_artifact_matches(ngx_http_artifact_locations(server),
                                         &prefix)
           && !ngx_http_artifact_may_serve(cf, server, &prefix);
}


/*
 * The path of a constant URI, and the configuration of the server that it is
 * asked in.  NULL for a value that has variables, or is no URI.
 */

static void **
ngx_http_artifact_constant(ngx_conf_t *cf, ngx_http_complex_value_t *value,
    ngx_str_t *prefix)
{
    size_t                     len;
    ngx_http_conf_ctx_t       *ctx;
    ngx_http_core_srv_conf_t  *cscf;

    *prefix = value->value;

    if (value->lengths != NULL || prefix->len == 0 || prefix->data[0] != '/') {
        return NULL;
    }

    for (len = 0; len < prefix->len && prefix->data[len] != '?'; len++) {
        /* void */
    }

    prefix->len = len;

    cscf = ngx_http_conf_get_module_srv_conf(cf, ngx_http_core_module);
    ctx = cscf->ctx;

    return ctx->loc_conf;
}


static ngx_queue_t *
ngx_http_artifact_locations(void **loc_conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = loc_conf[ngx_http_core_module.ctx_index];

    return clcf->locations;
}


/*
 * Whether a server may answer without a location: it rewrites URIs, or its own
 * "root" has such a folder.
 */

static ngx_uint_t
ngx_http_artifact_may_serve(ngx_conf_t *cf, void **loc_conf, ngx_str_t *prefix)
{
    u_char                    *path;
    ngx_file_info_t            fi;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = loc_conf[ngx_http_core_module.ctx_index];

    if (ngx_http_artifact_lint_member(cf, loc_conf, "rewrite")
        || ngx_http_artifact_lint_member(cf, loc_conf, "try_files")
        || clcf->root_lengths != NULL)
    {
        return 1;
    }

    path = ngx_pnalloc(cf->temp_pool, clcf->root.len + prefix->len + 1);
    if (path == NULL) {
        return 1;
    }

    ngx_sprintf(path, "%V%V%Z", &clcf->root, prefix);

    return ngx_file_info(path, &fi) != NGX_FILE_ERROR;
}


/*
 * Whether a location may get a URI, or URIs with a prefix.  One in a regular
 * expression may get any.
 */

static ngx_uint_t
ngx_http_artifact_matches(ngx_queue_t *locations, ngx_str_t *prefix)
{
    size_t                      least;
    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_location_queue_t  *lq;

    if (locations == NULL) {
        return 0;
    }

    /* an id follows a slash */

    least = prefix->len - (prefix->data[prefix->len - 1] != '/');

    for (q = ngx_queue_head(locations);
         q != ngx_queue_sentinel(locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;
        clcf = lq->exact ? lq->exact : lq->inclusive;

#if (NGX_PCRE)
        if (clcf->regex) {
            return 1;
        }
#endif

        if (clcf->named || clcf->noname
            || (clcf->exact_match && clcf->name.len <= least))
        {
            continue;
        }

        if (ngx_memcmp(clcf->name.data, prefix->data,
                       ngx_min(clcf->name.len, prefix->len))
            == 0)
        {
            return 1;
        }
    }

    return 0;
}


/*
 * The directive by which a location would not follow X-Accel-Redirect; NULL if
 * it has that, or passes nothing on.
 */

static ngx_str_t *
ngx_http_artifact_redirects(ngx_conf_t *cf, void **loc_conf)
{
    ngx_str_t                 *name;
    ngx_uint_t                 i;
    ngx_http_upstream_conf_t  *upstream;

    i = 0;

    while ((upstream = ngx_http_artifact_lint_upstream(cf, loc_conf, &i,
                                                       &name))
           != NULL)
    {
        if (upstream->upstream
            && !(upstream->ignore_headers & NGX_HTTP_UPSTREAM_IGN_XA_REDIRECT))
        {
            return name;
        }
    }

    return NULL;
}


/* Whether some readers may get more than text. */

static ngx_uint_t
ngx_http_artifact_is_open(ngx_conf_t *cf, ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    return amcf->capmap != NULL
           || conf->accept != amcf->accept
           || (conf->format != NULL
               && ngx_strcmp(conf->format->value.data, "object") == 0);
}


/*
 * Whether a location may pass requests on.  What has another content handler is
 * taken for one that does; without any, "error_page 405" can, since nginx
 * serves no file to a POST request.
 */

static ngx_uint_t
ngx_http_artifact_passes(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_uint_t                 i;
    ngx_http_err_page_t       *page;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = check->clcf;

    if (clcf->handler != NULL && !ngx_http_artifact_handles(clcf)) {
        return 1;
    }

    if (ngx_http_artifact_lint_member(cf, check->conf->loc_conf, "try_files"))
    {
        return 1;
    }

    if (clcf->error_pages == NULL) {
        return 0;
    }

    page = clcf->error_pages->elts;

    for (i = 0; i < clcf->error_pages->nelts; i++) {
        if (page[i].status == NGX_HTTP_NOT_ALLOWED) {
            return 1;
        }
    }

    return 0;
}


/*
 * Whether the first directive of the rewrite module is a "return" that needs
 * none of the variables of the location's URI.
 */

static ngx_uint_t
ngx_http_artifact_returns(ngx_conf_t *cf, void **loc_conf)
{
    ngx_str_t                       *text;
    ngx_array_t                     *codes;
    ngx_http_script_return_code_t   *ret;

    codes = ngx_http_artifact_lint_member(cf, loc_conf, "rewrite");

    if (codes == NULL || codes->nelts < sizeof(ngx_http_script_return_code_t))
    {
        return 0;
    }

    ret = codes->elts;
    text = &ret->text.value;

    return ret->code == ngx_http_script_return_code
           && (text->len == 0
               || ngx_strnstr(text->data, "artifact_", text->len) == NULL);
}


static void
ngx_http_artifact_warn_uri(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    clcf = check->clcf;
    conf = check->conf;

    /* blocks of "if" and "limit_except" may have handlers of their own */

    if (conf->role == NULL || clcf->noname) {
        return;
    }

    directive = ngx_http_artifact_role_directive(conf);

    if (!ngx_http_artifact_decodes(conf)
        && (directive->beside || !ngx_http_artifact_handles(clcf)))
    {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"%V\" is in location \"%V\" beside "
                                    "another directive that answers requests, "
                                    "such as \"proxy_pass\": only the last of "
                                    "them has an effect",
                                    &directive->name, &clcf->name);
    }

    if (ngx_http_artifact_returns(lint->cf, check->conf->loc_conf)) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"%V\" has no effect in location \"%V\", "
                                    "since \"return\" answers all requests",
                                    &directive->name, &clcf->name);
    }

    if (clcf->exact_match
        && ((conf->role->uploads
             && !ngx_http_artifact_is_pair(lint->cf, check))
            || (!ngx_http_artifact_lists(conf) && !conf->writes
                && ngx_http_artifact_has_refs(conf))))
    {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"%V\" is in location \"= %V\", which "
                                    "gets no URI with a reference, use "
                                    "\"location %V\"",
                                    &directive->name, &clcf->name,
                                    &clcf->name);
    }
}


/* Whether what is below an exact location gets to one for the same. */

static ngx_uint_t
ngx_http_artifact_is_pair(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_str_t                  uri;
    ngx_http_core_loc_conf_t  *clcf;

    uri = ngx_http_artifact_lint_join(cf, &check->clcf->name, "/file");
    clcf = ngx_http_artifact_lint_find(cf, check->cscf, &uri);

    return clcf
           && ngx_http_artifact_lint_conf(clcf)->role == check->conf->role;
}


/* The root may be a mount, or another user's: only what is certain. */

static void
ngx_http_artifact_warn_root(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_err_t                       err;
    ngx_str_t                      *root;
    ngx_file_info_t                 fi;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;

    if (!ngx_http_artifact_is_local(conf) && !check->answers->stores
        && check->expand->standins == NULL)
    {
        return;
    }

    if (conf->root == NULL) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                                    ngx_http_artifact_role_directive(conf),
                                    0, "no \"artifact_root\" is defined "
                                    "for location \"%V\": nothing will be "
                                    "found in it", &conf->prefix);
        return;
    }

    if (conf->root->lengths != NULL) {
        return;
    }

    root = &conf->root->value;
    directive = ngx_http_artifact_directive(conf, "artifact_root");

    if (ngx_file_info(root->data, &fi) == NGX_FILE_ERROR) {
        err = ngx_errno;

        if (err == NGX_ENOENT || err == NGX_ENOTDIR) {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, err,
                                        "\"artifact_root\": " ngx_file_info_n
                                        " \"%V\" failed", root);
        }

    } else if (!ngx_is_dir(&fi)) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"artifact_root\": \"%V\" is not a "
                                    "directory", root);
    }
}


static void
ngx_http_artifact_warn_route(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_directive(check->conf, "artifact_route");

    if (check->conf->route == NGX_HTTP_ARTIFACT_ROUTE_ON && !directive->fits) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"artifact_route\" is \"on\" without "
                                    "\"artifact_capabilities\": no service is "
                                    "known, all get text only; if readers "
                                    "name capabilities, set "
                                    "\"artifact_accept\"");
    }
}


static void
ngx_http_artifact_warn_argument(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;

    if (check->expand->argument == NULL) {
        return;
    }

    directive = ngx_http_artifact_directive(conf, "artifact_argument");

    /* a variable may be "off" where it matters */

    if (check->expand->argument->lengths != NULL
        || !check->passes)
    {
        return;
    }

    if (check->expand->expand) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"artifact_argument\" and "
                                    "\"artifact_expand\" are both set in "
                                    "location \"%V\": \"artifact_expand\" has "
                                    "no effect, set one of them to \"off\"",
                                    &check->clcf->name);
    }

    if (conf->url == NULL
        && art_argument_find(ngx_artifact_str(&check->expand->argument->value))
           == ART_ARGUMENT_URL)
    {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"artifact_argument\" is \"url\" without "
                                    "\"artifact_url\" in location \"%V\": "
                                    "calls with references will be refused",
                                    &check->clcf->name);
    }
}


/*
 * With a format that is no API, the path does not count.  There is no warning
 * for MCP, an API of answers, where artifact_expand may be inherited.
 */

static void
ngx_http_artifact_warn_format(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    unsigned                        flags;
    art_str_t                       name, path;
    ngx_http_complex_value_t       *format;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;
    format = conf->format;

    if (!check->expand->expand || format == NULL || format->lengths != NULL
        || format->value.len == 0 || !check->passes)
    {
        return;
    }

    path = art_cstr("/");
    name = ngx_artifact_str(&format->value);

    if (art_api_of_request(path, name, &flags) != NULL
        || art_api_of_base64(path, name) != NULL)
    {
        return;
    }

    directive = ngx_http_artifact_directive(conf, "artifact_expand");

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                "\"artifact_expand\" has no effect with "
                                "\"artifact_format\" \"%V\", which is no API "
                                "of requests", &format->value);
}


/* Where media of answers are stored, requests are likely to have media, too. */

static void
ngx_http_artifact_warn_body(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    const char                     *name;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;

    if (ngx_http_artifact_is_body_set(lint->cf, check)) {
        return;
    }

    if (conf->role && conf->role->uploads) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                                    ngx_http_artifact_role_directive(conf),
                                    0, "\"artifact_files\" with a "
                                    "\"client_max_body_size\" of 1m, nginx's "
                                    "default: larger uploads are refused with "
                                    "413");
        return;
    }

    if (!check->passes
        || (!check->expand->expand && check->expand->standins == NULL
            && (!check->answers->offload || ngx_http_artifact_is_mcp(check))))
    {
        return;
    }

    name = check->answers->offload ? "artifact_offload"
                                   : "artifact_offload_request";

    directive = ngx_http_artifact_directive(conf, check->expand->expand
                                                  ? "artifact_expand" : name);

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                "\"%V\" with a \"client_max_body_size\" of 1m, "
                                "nginx's default: larger requests, as with "
                                "images in base64, are refused with 413",
                                &directive->name);
}


/*
 * After the merge, a value of 1m may be the default.  It is not if the http
 * block, whose own configuration is not merged, has a value.
 */

static ngx_uint_t
ngx_http_artifact_is_body_set(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    return clcf->client_max_body_size != NGX_CONF_UNSET
           || check->clcf->client_max_body_size
              != NGX_HTTP_ARTIFACT_BODY_DEFAULT;
}


/* Requests to a tool's server are small. */

static ngx_uint_t
ngx_http_artifact_is_mcp(ngx_http_artifact_check_t *check)
{
    ngx_str_t                 *name;
    ngx_http_complex_value_t  *format;

    name = &check->clcf->name;
    format = check->conf->format;

    return (format != NULL && ngx_strcmp(format->value.data, "mcp") == 0)
           || (name->len >= 4
               && ngx_strncmp(name->data + name->len - 4, "/mcp", 4) == 0);
}


static void
ngx_http_artifact_warn_source(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                      *source;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;

    if (!check->sourceless
        || (!(conf->role && conf->role->sources)
            && !check->passes))
    {
        return;
    }

    source = &conf->source->value;
    directive = ngx_http_artifact_directive(conf, "artifact_source");

    if (directive != NULL) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "no location of the server matches "
                                    "\"artifact_source\" \"%V\": no reference "
                                    "will be found", source);
        return;
    }

    if (check->expand->expand) {
        directive = ngx_http_artifact_directive(conf, "artifact_expand");

    } else if (check->expand->argument) {
        directive = ngx_http_artifact_directive(conf, "artifact_argument");

    } else {
        directive = ngx_http_artifact_role_directive(conf);
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                "no location of the server matches \"%V\", "
                                "the default of \"artifact_source\": \"%V\" "
                                "will find no reference",
                                source, &directive->name);
}


static void
ngx_http_artifact_warn_derive(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                       i;
    art_derive_rule_t               *rule;
    ngx_http_artifact_derive_uri_t  *uri;

    for (i = 0; i < 64 && check->underived >> i; i++) {

        if (!(check->underived >> i & 1)) {
            continue;
        }

        rule = ngx_http_artifact_rules(check->conf)->elts;
        uri = rule[i].data;

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, uri->directive, 0,
                                    "no location of the server matches the URI "
                                    "\"%V\" of \"artifact_derive\": requests "
                                    "that need it will fail",
                                    &uri->value.value);
    }
}


static void
ngx_http_artifact_warn_origin(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_origins(check->conf);

    if (directive != NULL && !ngx_http_artifact_has_origins(check->conf)
        && !check->clcf->noname)
    {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                    "\"%V\" has no effect in location \"%V\", "
                                    "which has no \"artifact_mcp\", "
                                    "\"artifact_files\" or \"artifact\" with "
                                    "\"artifact_write\"",
                                    &directive->name, &check->clcf->name);
    }
}


/*
 * Servers of others: an MCP server, the API of a model, a converter that a file
 * may have taken over.
 */

static void
ngx_http_artifact_warn_stranger(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                       i, n;
    ngx_array_t                     *rules;
    art_derive_rule_t               *rule;
    ngx_http_artifact_loc_conf_t    *conf;
    ngx_http_artifact_derive_uri_t  *uri;

    conf = check->conf;
    rules = ngx_http_artifact_rules(conf);

    if (check->expand->argument && check->expand->argument->lengths == NULL) {
        ngx_http_artifact_warn_redirect(lint->cf,
                       ngx_http_artifact_directive(conf, "artifact_argument"),
                       check->conf->loc_conf);

    } else if (check->answers->stores) {
        ngx_http_artifact_warn_redirect(lint->cf,
                       ngx_http_artifact_directive(conf,
                                                   check->answers->stores),
                       check->conf->loc_conf);
    }

    for (i = 0; check->converters && i < rules->nelts; i++) {

        for (n = 0; check->converters[n] != check->converters[i]; n++) {
            /* void */
        }

        if (check->converters[i] && n == i) {
            rule = rules->elts;
            uri = rule[i].data;

            ngx_http_artifact_warn_redirect(lint->cf, uri->directive,
                                            check->converters[i]->loc_conf);
        }
    }
}


/* One location of a directive is enough to find the others by. */

static void
ngx_http_artifact_warn_redirect(ngx_conf_t *cf,
    ngx_http_artifact_directive_t *directive, void **loc_conf)
{
    ngx_str_t                 *ignore;
    ngx_http_core_loc_conf_t  *clcf;

    ignore = ngx_http_artifact_redirects(cf, loc_conf);
    clcf = loc_conf[ngx_http_core_module.ctx_index];

    if (ignore == NULL || directive->redirects) {
        return;
    }

    directive->redirects = 1;

    ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                                "\"%V\": location \"%V\" passes requests on "
                                "without \"%V X-Accel-Redirect\": the server "
                                "there could open any internal location",
                                &directive->name, &clcf->name, ignore);
}
