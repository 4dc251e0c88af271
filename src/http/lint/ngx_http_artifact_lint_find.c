
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where URIs and URLs lead in a configuration that has been read: nginx has
 * made its trees of locations, and its list of the addresses to listen on.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"


/* Of an artifact, as this module makes them. */

#define NGX_HTTP_ARTIFACT_LINT_ID  "01a20aaf-a517-7f55-9271-0b1e65774184"

typedef struct {
    ngx_str_t   host;
    ngx_int_t   port;                        /* -1: not known */
    unsigned    own:1;                       /* as the client has named it */
    unsigned    loopback:1;
} ngx_http_artifact_lint_host_t;


static ngx_int_t ngx_http_artifact_lint_locate(
    ngx_http_core_loc_conf_t *around, ngx_str_t *uri,
    ngx_http_core_loc_conf_t **found);
static ngx_int_t ngx_http_artifact_lint_static(
    ngx_http_location_tree_node_t *node, ngx_str_t *uri,
    ngx_http_core_loc_conf_t **found);
static u_char *ngx_http_artifact_lint_host(ngx_str_t *url,
    ngx_http_artifact_lint_host_t *host);
static ngx_uint_t ngx_http_artifact_lint_starts(u_char **p, u_char *end,
    const char *text);
static ngx_uint_t ngx_http_artifact_lint_word(ngx_str_t *word,
    const char *text);
static ngx_uint_t ngx_http_artifact_lint_named(ngx_http_core_srv_conf_t *cscf,
    ngx_str_t *host);
static ngx_uint_t ngx_http_artifact_lint_listens(
    ngx_http_core_main_conf_t *cmcf, ngx_http_core_srv_conf_t *cscf,
    ngx_int_t port);
static ngx_http_core_srv_conf_t *ngx_http_artifact_lint_local(
    ngx_http_core_main_conf_t *cmcf, ngx_int_t port);
static ngx_uint_t ngx_http_artifact_lint_is_loopback(
    struct sockaddr *sockaddr);


ngx_http_core_loc_conf_t *
ngx_http_artifact_lint_find(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    ngx_str_t *uri)
{
    ngx_http_core_loc_conf_t  *clcf, *found;

    clcf = cscf->ctx->loc_conf[ngx_http_core_module.ctx_index];
    found = NULL;

    if (uri->len == 0
        || ngx_http_artifact_lint_member(cf, cscf->ctx->loc_conf, "rewrite"))
    {
        return NULL;
    }

    (void) ngx_http_artifact_lint_locate(clcf, uri, &found);

    return found;
}


/* As ngx_http_core_find_location(), which needs a request. */

static ngx_int_t
ngx_http_artifact_lint_locate(ngx_http_core_loc_conf_t *around, ngx_str_t *uri,
    ngx_http_core_loc_conf_t **found)
{
    ngx_int_t                   rc;
#if (NGX_PCRE)
    ngx_uint_t                  noregex;
    ngx_http_core_loc_conf_t  **regex;

    noregex = 0;
#endif

    rc = ngx_http_artifact_lint_static(around->static_locations, uri, found);

    if (rc == NGX_AGAIN) {

#if (NGX_PCRE)
        noregex = (*found)->noregex;
#endif

        rc = ngx_http_artifact_lint_locate(*found, uri, found);
    }

    if (rc == NGX_OK || rc == NGX_DONE) {
        return rc;
    }

#if (NGX_PCRE)

    for (regex = noregex ? NULL : around->regex_locations;
         regex && *regex;
         regex++)
    {
        if (ngx_regex_exec((*regex)->regex->regex, uri, NULL, 0) >= 0) {
            *found = *regex;
            (void) ngx_http_artifact_lint_locate(*regex, uri, found);
            return NGX_OK;
        }
    }

#endif

    return rc;
}


/* As ngx_http_core_find_static_location(). */

static ngx_int_t
ngx_http_artifact_lint_static(ngx_http_location_tree_node_t *node,
    ngx_str_t *uri, ngx_http_core_loc_conf_t **found)
{
    size_t     len, n;
    u_char    *p;
    ngx_int_t  rc, rv;

    p = uri->data;
    len = uri->len;
    rv = NGX_DECLINED;

    while (node) {
        n = ngx_min(len, (size_t) node->len);
        rc = ngx_filename_cmp(p, node->name, n);

        if (rc != 0) {
            node = (rc < 0) ? node->left : node->right;

        } else if (len > (size_t) node->len) {

            if (node->inclusive) {
                *found = node->inclusive;
                rv = NGX_AGAIN;
                p += n;
                len -= n;
                node = node->tree;

            } else {
                node = node->right;
            }

        } else if (len == (size_t) node->len) {
            *found = node->exact ? node->exact : node->inclusive;
            return node->exact ? NGX_OK : NGX_AGAIN;

        } else {

            if (len + 1 == (size_t) node->len && node->auto_redirect) {
                *found = node->exact ? node->exact : node->inclusive;
                rv = NGX_DONE;
            }

            node = node->left;
        }
    }

    return rv;
}


/* Its own "root" may have the folder. */

ngx_uint_t
ngx_http_artifact_lint_serves(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    ngx_str_t *uri)
{
    size_t                     len;
    u_char                    *path;
    ngx_file_info_t            fi;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = cscf->ctx->loc_conf[ngx_http_core_module.ctx_index];

    if (ngx_http_artifact_lint_member(cf, cscf->ctx->loc_conf, "rewrite")
        || ngx_http_artifact_lint_member(cf, cscf->ctx->loc_conf, "try_files")
        || clcf->handler != NULL
        || clcf->root_lengths != NULL)
    {
        return 1;
    }

    for (len = uri->len; len > 0 && uri->data[len - 1] != '/'; len--) {
        /* void */
    }

    path = ngx_pnalloc(cf->temp_pool, clcf->root.len + len + 1);
    if (path == NULL) {
        return 1;
    }

    ngx_sprintf(path, "%V%*s%Z", &clcf->root, len, uri->data);

    return ngx_file_info(path, &fi) != NGX_FILE_ERROR;
}


ngx_uint_t
ngx_http_artifact_lint_asks_source(ngx_http_artifact_check_t *check)
{
    return (check->passes
            && (check->expand->expand || check->expand->argument))
           || (check->conf->role && check->conf->role->sources);
}


ngx_http_core_loc_conf_t *
ngx_http_artifact_lint_source(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_str_t                  uri;
    ngx_http_complex_value_t  *source;

    source = check->conf->source;

    if (!ngx_http_artifact_lint_fixed(source)
        || source->value.data[0] != '/'
        || ngx_strlchr(source->value.data,
                       source->value.data + source->value.len, '?'))
    {
        return NULL;
    }

    uri = ngx_http_artifact_lint_join(cf, &source->value,
                                      NGX_HTTP_ARTIFACT_LINT_ID);

    return ngx_http_artifact_lint_find(cf, check->cscf, &uri);
}


ngx_str_t
ngx_http_artifact_lint_join(ngx_conf_t *cf, ngx_str_t *prefix,
    const char *rest)
{
    ngx_str_t  uri;

    ngx_str_null(&uri);

    uri.data = ngx_pnalloc(cf->temp_pool, prefix->len + ngx_strlen(rest) + 1);

    if (uri.data) {
        uri.len = (size_t) (ngx_sprintf(uri.data, "%V%s%Z", prefix, rest)
                            - uri.data - 1);
    }

    return uri;
}


ngx_http_core_srv_conf_t *
ngx_http_artifact_lint_server(ngx_conf_t *cf, ngx_http_core_srv_conf_t *own,
    ngx_str_t *url, ngx_str_t *path)
{
    ngx_str_t                       prefix;
    ngx_uint_t                      i, here, there;
    ngx_http_core_srv_conf_t      **cscf, *one, *other;
    ngx_http_core_main_conf_t      *cmcf;
    ngx_http_artifact_lint_host_t   host;

    prefix.data = ngx_http_artifact_lint_host(url, &host);

    if (prefix.data == NULL) {
        return NULL;
    }

    prefix.len = url->len - (size_t) (prefix.data - url->data);
    *path = ngx_http_artifact_lint_join(cf, &prefix,
                                        NGX_HTTP_ARTIFACT_LINT_ID);

    if (host.own) {
        return own;
    }

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    cscf = cmcf->servers.elts;
    one = NULL;
    other = NULL;
    here = 0;
    there = 0;

    for (i = 0; i < cmcf->servers.nelts; i++) {

        if (!ngx_http_artifact_lint_named(cscf[i], &host.host)) {
            continue;
        }

        if (ngx_http_artifact_lint_listens(cmcf, cscf[i], host.port)) {
            one = cscf[i];
            here++;

        } else {
            other = cscf[i];
            there++;
        }
    }

    if (here == 1) {
        return one;
    }

    if (here == 0 && host.loopback) {
        return ngx_http_artifact_lint_local(cmcf, host.port);
    }

    /* in front of it, ports may be others */

    return here == 0 && there == 1 ? other : NULL;
}


/* The path behind the host of a URL; NULL if either is not constant. */

static u_char *
ngx_http_artifact_lint_host(ngx_str_t *url,
    ngx_http_artifact_lint_host_t *host)
{
    u_char  *p, *end, *colon, *slash;

    p = url->data;
    end = p + url->len;

    if (ngx_http_artifact_lint_starts(&p, end, "https://")) {
        host->port = 443;

    } else if (ngx_http_artifact_lint_starts(&p, end, "http://")) {
        host->port = 80;

    } else if (ngx_http_artifact_lint_starts(&p, end, "$scheme://")) {
        host->port = -1;

    } else {
        return NULL;
    }

    slash = ngx_strlchr(p, end, '/');

    if (slash == NULL || ngx_strlchr(slash, end, '$')) {
        return NULL;
    }

    colon = ngx_strlchr(p, slash, ':');

    host->host.data = p;
    host->host.len = (size_t) ((colon ? colon : slash) - p);

    host->own = ngx_http_artifact_lint_word(&host->host, "$host")
                || ngx_http_artifact_lint_word(&host->host, "$http_host")
                || ngx_http_artifact_lint_word(&host->host, "$server_name");

    host->loopback = ngx_http_artifact_lint_word(&host->host, "127.0.0.1")
                     || ngx_http_artifact_lint_word(&host->host, "localhost");

    if (!host->own && ngx_strlchr(p, slash, '$')) {
        return NULL;
    }

    if (colon) {
        host->port = ngx_atoi(colon + 1, (size_t) (slash - colon - 1));
    }

    return slash;
}


static ngx_uint_t
ngx_http_artifact_lint_starts(u_char **p, u_char *end, const char *text)
{
    size_t  len;

    len = ngx_strlen(text);

    if ((size_t) (end - *p) < len
        || ngx_strncasecmp(*p, (u_char *) text, len) != 0)
    {
        return 0;
    }

    *p += len;

    return 1;
}


static ngx_uint_t
ngx_http_artifact_lint_word(ngx_str_t *word, const char *text)
{
    u_char  *p;

    p = word->data;

    return word->len == ngx_strlen(text)
           && ngx_http_artifact_lint_starts(&p, p + word->len, text);
}


/* By a name, or by one such as "*.example.com" or ".example.com". */

static ngx_uint_t
ngx_http_artifact_lint_named(ngx_http_core_srv_conf_t *cscf, ngx_str_t *host)
{
    u_char                  *end;
    ngx_str_t                rest;
    ngx_uint_t               i;
    ngx_http_server_name_t  *name;

    name = cscf->server_names.elts;
    end = host->data + host->len;

    for (i = 0; i < cscf->server_names.nelts; i++) {
        rest = name[i].name;

        if (rest.len == host->len
            && ngx_strncasecmp(rest.data, host->data, rest.len) == 0)
        {
            return 1;
        }

        if (rest.len > 0 && rest.data[0] == '*') {
            rest.data++;
            rest.len--;
        }

        if (rest.len > 0 && rest.data[0] == '.' && host->len > rest.len
            && ngx_strncasecmp(rest.data, end - rest.len, rest.len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* On a port of any address; on any port if it is not known. */

static ngx_uint_t
ngx_http_artifact_lint_listens(ngx_http_core_main_conf_t *cmcf,
    ngx_http_core_srv_conf_t *cscf, ngx_int_t port)
{
    ngx_uint_t                  i, n, k;
    ngx_http_conf_port_t       *ports;
    ngx_http_conf_addr_t       *addr;
    ngx_http_core_srv_conf_t  **server;

    ports = cmcf->ports ? cmcf->ports->elts : NULL;

    for (i = 0; ports && i < cmcf->ports->nelts; i++) {

        if (port != -1 && (ngx_int_t) ports[i].port != port) {
            continue;
        }

        addr = ports[i].addrs.elts;

        for (n = 0; n < ports[i].addrs.nelts; n++) {
            server = addr[n].servers.elts;

            for (k = 0; k < addr[n].servers.nelts; k++) {
                if (server[k] == cscf) {
                    return 1;
                }
            }
        }
    }

    return 0;
}


/* The server that a port of this machine has for names that none has. */

static ngx_http_core_srv_conf_t *
ngx_http_artifact_lint_local(ngx_http_core_main_conf_t *cmcf, ngx_int_t port)
{
    ngx_uint_t                 i, n;
    ngx_http_conf_port_t      *ports;
    ngx_http_conf_addr_t      *addr;
    ngx_http_core_srv_conf_t  *found;

    found = NULL;
    ports = cmcf->ports ? cmcf->ports->elts : NULL;

    for (i = 0; ports && i < cmcf->ports->nelts; i++) {

        if (ports[i].family != AF_INET || (ngx_int_t) ports[i].port != port) {
            continue;
        }

        addr = ports[i].addrs.elts;

        for (n = 0; n < ports[i].addrs.nelts; n++) {

            if (addr[n].opt.wildcard
                || ngx_http_artifact_lint_is_loopback(addr[n].opt.sockaddr))
            {
                if (found && found != addr[n].default_server) {
                    return NULL;
                }

                found = addr[n].default_server;
            }
        }
    }

    return found;
}


static ngx_uint_t
ngx_http_artifact_lint_is_loopback(struct sockaddr *sockaddr)
{
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    switch (sockaddr->sa_family) {

    case AF_INET:
        sin = (struct sockaddr_in *) sockaddr;
        return (ntohl(sin->sin_addr.s_addr) >> 24) == 127;

#if (NGX_HAVE_INET6)

    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) sockaddr;
        return IN6_IS_ADDR_LOOPBACK(&sin6->sin6_addr)
               || (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)
                   && sin6->sin6_addr.s6_addr[12] == 127);

#endif

    default:  /* AF_UNIX */
        return 1;
    }
}


ngx_str_t *
ngx_http_artifact_lint_address(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf)
{
    ngx_uint_t                  i, n, k;
    ngx_http_conf_port_t       *ports;
    ngx_http_conf_addr_t       *addr;
    ngx_http_core_srv_conf_t  **server;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    ports = cmcf->ports ? cmcf->ports->elts : NULL;

    for (i = 0; ports && i < cmcf->ports->nelts; i++) {
        addr = ports[i].addrs.elts;

        for (n = 0; n < ports[i].addrs.nelts; n++) {
            server = addr[n].servers.elts;

            for (k = 0; k < addr[n].servers.nelts; k++) {

                if (server[k] == cscf
                    && !ngx_http_artifact_lint_is_loopback(
                                                       addr[n].opt.sockaddr))
                {
                    return &addr[n].opt.addr_text;
                }
            }
        }
    }

    return NULL;
}
