
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * URLs that a location writes with "artifact_url", and that lead into this
 * configuration: where they are fetched, they have to give the content.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/sign/ngx_http_artifact_url.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/format/art_delivery.h"


/* The URLs of one location, and the one that they lead to. */

typedef struct {
    ngx_http_artifact_lint_t       *lint;
    ngx_http_artifact_check_t      *check;
    ngx_str_t                       path;    /* with an id */
    ngx_http_core_srv_conf_t       *cscf;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_loc_conf_t   *conf;    /* there */
    ngx_http_artifact_sign_conf_t  *here;
    ngx_http_artifact_sign_conf_t  *there;
    ngx_http_complex_value_t       *root;    /* of what the URLs name */
    unsigned                        fetched:1; /* by somebody else */
} ngx_http_artifact_lint_url_t;


typedef struct {
    ngx_uint_t    (*wrong)(ngx_http_artifact_lint_url_t *url);
    const char     *text;
} ngx_http_artifact_lint_url_rule_t;


static ngx_uint_t ngx_http_artifact_lint_writes(
    ngx_http_artifact_check_t *check, ngx_uint_t *fetched);
static void ngx_http_artifact_lint_unread(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_knows(
    ngx_http_artifact_loc_conf_t *conf, ngx_http_complex_value_t *url);
static ngx_uint_t ngx_http_artifact_lint_begins(ngx_http_complex_value_t *url,
    ngx_http_complex_value_t *prefix);
static ngx_uint_t ngx_http_artifact_lint_is_linked(
    ngx_http_artifact_loc_conf_t *conf);
static ngx_http_complex_value_t *ngx_http_artifact_lint_url_root(
    ngx_http_artifact_lint_t *lint, ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_delivery(
    ngx_http_complex_value_t *delivery);
static ngx_uint_t ngx_http_artifact_lint_is_hidden(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_itself(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_other(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_deeper(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_static(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_unsigned(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_unchecked(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_other_key(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_other_scope(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_other_root(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_read_only(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_routed(
    ngx_http_artifact_lint_url_t *url);
static ngx_uint_t ngx_http_artifact_lint_is_asked(
    ngx_http_artifact_lint_url_t *url);


/* The first that applies. */

static ngx_http_artifact_lint_url_rule_t  ngx_http_artifact_lint_url_rules[] = {

    { ngx_http_artifact_lint_is_hidden,
      "is \"internal\": nobody can fetch them; remove \"internal\", and have "
      "the URLs signed" },

    { ngx_http_artifact_lint_is_itself,
      "passes them on, as these requests: put \"artifact\" into a location of "
      "its own" },

    { ngx_http_artifact_lint_is_other,
      "serves something else: URLs of artifacts need a location with "
      "\"artifact\"" },

    { ngx_http_artifact_lint_is_deeper,
      "takes all behind its own path for the id: end \"artifact_url\" with "
      "the path of the location" },

    { ngx_http_artifact_lint_is_static,
      "serves no artifacts: URLs of artifacts need a location with "
      "\"artifact\"" },

    { ngx_http_artifact_lint_is_unsigned,
      "has \"artifact_signed\", and they are not signed: set "
      "\"artifact_sign_key\" here, too" },

    { ngx_http_artifact_lint_is_unchecked,
      "does not check their signatures: set \"artifact_sign_key\" and "
      "\"artifact_signed on\" there" },

    { ngx_http_artifact_lint_is_other_key,
      "does not have the key that signs them: use the same file for "
      "\"artifact_sign_key\"" },

    { ngx_http_artifact_lint_is_other_scope,
      "has another scope of \"artifact_sign_key\": every signature is "
      "invalid, use the same one" },

    { ngx_http_artifact_lint_is_other_root,
      "has another \"artifact_root\" than these artifacts: use the same one" },

    { ngx_http_artifact_lint_is_read_only,
      "takes no uploads, and \"request_upload\" makes URLs for them: set "
      "\"artifact_write on\" there" },

    { ngx_http_artifact_lint_is_routed,
      "answers with JSON (\"artifact_route\") instead of the content: set "
      "\"artifact_route off\" there" },

    { ngx_http_artifact_lint_is_asked,
      "asks for a password, or another server (\"auth_basic\", "
      "\"auth_request\"), and a provider has none: use \"artifact_signed\" "
      "instead" },

    { NULL, NULL }
};


void
ngx_http_artifact_lint_urls(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                          *text;
    ngx_uint_t                          fetched;
    ngx_http_artifact_lint_url_t        url;
    ngx_http_artifact_directive_t      *directive;
    ngx_http_artifact_lint_url_rule_t  *rule;

    if (check->conf->url == NULL
        || !ngx_http_artifact_lint_writes(check, &fetched))
    {
        return;
    }

    ngx_http_artifact_lint_unread(lint, check);

    ngx_memzero(&url, sizeof(ngx_http_artifact_lint_url_t));

    text = &check->conf->url->value;
    url.cscf = ngx_http_artifact_lint_server(lint->cf, check->cscf, text,
                                             &url.path);
    if (url.cscf == NULL) {
        return;
    }

    directive = ngx_http_artifact_directive(check->conf, "artifact_url");
    url.clcf = ngx_http_artifact_lint_find(lint->cf, url.cscf, &url.path);

    if (url.clcf == NULL) {

        if (!ngx_http_artifact_lint_serves(lint->cf, url.cscf, &url.path)) {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                        "no location of the server matches "
                                        "\"artifact_url\" \"%V\": URLs of "
                                        "artifacts need a location with "
                                        "\"artifact\"", text);
        }

        return;
    }

    url.lint = lint;
    url.check = check;
    url.conf = ngx_http_artifact_lint_conf(url.clcf);
    url.here = ngx_http_artifact_conf_of(check->conf,
                                         ngx_http_artifact_sign_module);
    url.there = ngx_http_artifact_conf_of(url.conf,
                                          ngx_http_artifact_sign_module);
    url.root = ngx_http_artifact_lint_url_root(lint, check);
    url.fetched = fetched & 1;

    for (rule = ngx_http_artifact_lint_url_rules; rule->wrong; rule++) {

        if (rule->wrong(&url)) {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                                        "the URLs of \"artifact_url\" that "
                                        "location \"%V\" writes lead to "
                                        "location \"%V\", which %s",
                                        &check->clcf->name, &url.clcf->name,
                                        rule->text);
            return;
        }
    }
}


/*
 * What a client gets it sends back: where references of the same root are
 * expanded, the URLs have to be known as such.
 */

static void
ngx_http_artifact_lint_unread(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                  i;
    ngx_http_complex_value_t   *root;
    ngx_http_artifact_check_t  *one;

    if (!check->passes || !check->answers->offload) {
        return;
    }

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];

        if (one == check || one->cscf != check->cscf || one->clcf->noname
            || !one->passes || !one->expand->expand || one->answers->offload
            || ngx_http_artifact_lint_knows(one->conf, check->conf->url))
        {
            continue;
        }

        root = ngx_http_artifact_lint_url_root(lint, one);

        if (root == NULL
            || !ngx_http_artifact_lint_same(root, check->conf->root))
        {
            continue;
        }

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_url"), 0,
                       "the URLs of \"artifact_url\" that location \"%V\" "
                       "writes are no references in location \"%V\", where "
                       "clients send them back: set \"artifact_url\" in the "
                       "block around both", &check->clcf->name,
                       &one->clcf->name);
        return;
    }
}


static ngx_uint_t
ngx_http_artifact_lint_knows(ngx_http_artifact_loc_conf_t *conf,
    ngx_http_complex_value_t *url)
{
    ngx_uint_t                  i;
    ngx_http_complex_value_t  **other;

    if (conf->url && ngx_http_artifact_lint_begins(url, conf->url)) {
        return 1;
    }

    other = conf->urls ? conf->urls->elts : NULL;

    for (i = 0; other && i < conf->urls->nelts; i++) {
        if (ngx_http_artifact_lint_begins(url, other[i])) {
            return 1;
        }
    }

    return 0;
}


/* What has variables may be any. */

static ngx_uint_t
ngx_http_artifact_lint_begins(ngx_http_complex_value_t *url,
    ngx_http_complex_value_t *prefix)
{
    return url->lengths || prefix->lengths
           || (prefix->value.len <= url->value.len
               && ngx_memcmp(prefix->value.data, url->value.data,
                             prefix->value.len)
                  == 0);
}


/* Whether a location writes URLs, and whether others than its clients get. */

static ngx_uint_t
ngx_http_artifact_lint_writes(ngx_http_artifact_check_t *check,
    ngx_uint_t *fetched)
{
    ngx_uint_t                     composes;
    ngx_http_complex_value_t      *argument;
    ngx_http_artifact_loc_conf_t  *conf;

    conf = check->conf;
    argument = check->expand->argument;

    composes = (check->passes && check->expand->expand)
               || (conf->role && conf->role->sources);

    *fetched = (composes && ngx_http_artifact_lint_is_delivery(conf->delivery))
               || (check->passes && argument && argument->lengths == NULL
                   && argument->value.len == 3
                   && ngx_strncmp(argument->value.data, "url", 3) == 0);

    return *fetched
           || (check->passes && check->answers->offload)
           || ngx_http_artifact_lint_is_linked(conf);
}


/* Whether a location answers with links, as MCP has them. */

static ngx_uint_t
ngx_http_artifact_lint_is_linked(ngx_http_artifact_loc_conf_t *conf)
{
    return ngx_http_artifact_lint_is(conf, "artifact_mcp")
           || (ngx_http_artifact_is_local(conf)
               && conf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
               && conf->format
               && ngx_strcmp(conf->format->value.data, "mcp") == 0);
}


static ngx_uint_t
ngx_http_artifact_lint_is_delivery(ngx_http_complex_value_t *delivery)
{
    return delivery
           && (delivery->lengths
               || art_delivery_find(ngx_artifact_str(&delivery->value))
                  == ART_DELIVERY_URL);
}


/* Where the artifacts are that a location writes URLs of; NULL: not certain. */

static ngx_http_complex_value_t *
ngx_http_artifact_lint_url_root(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_core_loc_conf_t      *clcf;
    ngx_http_artifact_loc_conf_t  *conf;

    if ((check->passes && check->answers->stores)
        || ngx_http_artifact_is_local(check->conf))
    {
        return check->conf->root;
    }

    clcf = ngx_http_artifact_lint_source(lint->cf, check);
    conf = clcf ? ngx_http_artifact_lint_conf(clcf) : NULL;

    return conf && ngx_http_artifact_is_local(conf) ? conf->root : NULL;
}


static ngx_uint_t
ngx_http_artifact_lint_is_hidden(ngx_http_artifact_lint_url_t *url)
{
    return url->clcf->internal;
}


/* Nobody but this server has what was stored or looked up here. */

static ngx_uint_t
ngx_http_artifact_lint_is_itself(ngx_http_artifact_lint_url_t *url)
{
    return url->clcf == url->check->clcf && url->check->passes
           && !ngx_http_artifact_decodes(url->conf);
}


static ngx_uint_t
ngx_http_artifact_lint_is_other(ngx_http_artifact_lint_url_t *url)
{
    return url->conf->role
           && url->conf->role->uri != NGX_HTTP_ARTIFACT_URI_ID;
}


static ngx_uint_t
ngx_http_artifact_lint_is_deeper(ngx_http_artifact_lint_url_t *url)
{
    u_char     *p, *end;
    ngx_str_t  *name;

    name = &url->clcf->name;

    if (url->conf->role == NULL || url->path.len <= name->len) {
        return 0;
    }

    p = url->path.data + name->len;
    end = url->path.data + url->path.len;
    p += (*p == '/');

    return ngx_strlchr(p, end, '/') != NULL;
}


/* Neither a handler nor a folder of that name. */

static ngx_uint_t
ngx_http_artifact_lint_is_static(ngx_http_artifact_lint_url_t *url)
{
    u_char           *path;
    ngx_str_t        *name;
    ngx_conf_t       *cf;
    ngx_file_info_t   fi;

    cf = url->lint->cf;
    name = &url->clcf->name;

    if (url->conf->role || url->clcf->handler || url->clcf->root_lengths
        || url->clcf->alias || url->clcf->error_pages
        || name->len == 0 || name->data[0] != '/'
#if (NGX_PCRE)
        || url->clcf->regex
#endif
        || ngx_http_artifact_lint_member(cf, url->conf->loc_conf, "rewrite")
        || ngx_http_artifact_lint_member(cf, url->conf->loc_conf, "try_files"))
    {
        return 0;
    }

    name = &url->check->conf->url->value;
    path = ngx_strlchr(name->data, name->data + name->len, ':');
    path = path ? ngx_strlchr(path + 3, name->data + name->len, '/') : NULL;

    if (path == NULL) {
        return 0;
    }

    path = ngx_http_artifact_lint_join(cf, &url->clcf->root,
                                       (char *) path).data;

    return path && ngx_file_info(path, &fi) == NGX_FILE_ERROR;
}


static ngx_uint_t
ngx_http_artifact_lint_is_unsigned(ngx_http_artifact_lint_url_t *url)
{
    return url->there->required && url->here->keys == NULL
           && url->clcf->satisfy != NGX_HTTP_SATISFY_ANY;
}


static ngx_uint_t
ngx_http_artifact_lint_is_unchecked(ngx_http_artifact_lint_url_t *url)
{
    return url->here->keys && !url->there->required
           && !ngx_http_artifact_lint_protects(url->lint->cf, url->cscf,
                                               url->clcf->loc_conf);
}


/* Tried with some text. */

static ngx_uint_t
ngx_http_artifact_lint_is_other_key(ngx_http_artifact_lint_url_t *url)
{
    uint8_t       signature[ART_SIGN_LEN];
    art_signed_t  what;

    if (url->here->keys == NULL || !url->there->required) {
        return 0;
    }

    ngx_memzero(&what, sizeof(art_signed_t));

    art_sign_print(url->here->keys, 0, &what, signature);

    return !art_sign_check(url->there->keys, &what,
                           art_str(signature, ART_SIGN_LEN));
}


static ngx_uint_t
ngx_http_artifact_lint_is_other_scope(ngx_http_artifact_lint_url_t *url)
{
    return url->here->keys && url->there->required
           && ngx_http_artifact_lint_differ(url->here->scope,
                                            url->there->scope);
}


static ngx_uint_t
ngx_http_artifact_lint_is_other_root(ngx_http_artifact_lint_url_t *url)
{
    return ngx_http_artifact_is_local(url->conf) && url->conf->root
           && url->root
           && ngx_http_artifact_lint_differ(url->conf->root, url->root);
}


/* For tickets of "artifact_mcp". */

static ngx_uint_t
ngx_http_artifact_lint_is_read_only(ngx_http_artifact_lint_url_t *url)
{
    return url->here->keys && url->check->conf->writes
           && ngx_http_artifact_lint_is(url->check->conf, "artifact_mcp")
           && ngx_http_artifact_lint_is(url->conf, "artifact")
           && !url->conf->writes;
}


static ngx_uint_t
ngx_http_artifact_lint_is_routed(ngx_http_artifact_lint_url_t *url)
{
    return url->conf->role
           && (url->conf->route == NGX_HTTP_ARTIFACT_ROUTE_ALWAYS
               || (url->conf->route == NGX_HTTP_ARTIFACT_ROUTE_ON
                   && (ngx_http_artifact_lint_fixed(url->conf->service)
                       || ngx_http_artifact_lint_fixed(url->conf->accept))));
}


static ngx_uint_t
ngx_http_artifact_lint_is_asked(ngx_http_artifact_lint_url_t *url)
{
    return url->fetched
           && !(url->there->required
                && url->clcf->satisfy == NGX_HTTP_SATISFY_ANY)
           && ngx_http_artifact_lint_asks(url->lint->cf,
                                          url->clcf->loc_conf);
}
