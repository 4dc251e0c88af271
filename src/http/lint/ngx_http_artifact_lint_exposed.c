
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Ways round the protection of a data root: its files as such, what runs in
 * them, and who may have them composed.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"


static void ngx_http_artifact_lint_files(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_constant(
    ngx_http_complex_value_t *root, ngx_str_t *folder);
static ngx_uint_t ngx_http_artifact_lint_hands_out(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, void **loc_conf, ngx_str_t *folder);
static ngx_http_core_loc_conf_t *ngx_http_artifact_lint_own_files(
    ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf, ngx_str_t *folder);
static void ngx_http_artifact_lint_source_access(
    ngx_http_artifact_lint_t *lint, ngx_http_artifact_check_t *check);


void
ngx_http_artifact_lint_exposed(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_lint_files(lint, check);
    ngx_http_artifact_lint_source_access(lint, check);
}


/* A folder above the root that nginx serves, too: with keys, to everybody. */

static void
ngx_http_artifact_lint_files(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                   folder, top;
    ngx_uint_t                  i;
    ngx_http_core_srv_conf_t  **cscf, *server;
    ngx_http_core_loc_conf_t   *clcf;
    ngx_http_core_main_conf_t  *cmcf;

    if (check->conf->root == NULL || check->clcf->noname
        || (!ngx_http_artifact_is_local(check->conf)
            && !(check->passes && check->answers->offload))
        || !ngx_http_artifact_lint_constant(check->conf->root, &folder))
    {
        return;
    }

    clcf = NULL;
    server = NULL;
    ngx_str_set(&top, "/");

    for (i = 0; clcf == NULL && i < lint->n; i++) {
        server = lint->checks[i].cscf;

        if (ngx_http_artifact_lint_hands_out(lint->cf, server,
                                             lint->checks[i].conf->loc_conf,
                                             &folder))
        {
            clcf = lint->checks[i].clcf;
        }
    }

    cmcf = ngx_http_conf_get_module_main_conf(lint->cf, ngx_http_core_module);
    cscf = cmcf->servers.elts;

    for (i = 0; clcf == NULL && i < cmcf->servers.nelts; i++) {
        server = cscf[i];
        clcf = ngx_http_artifact_lint_own_files(lint->cf, server, &folder);
    }

    if (clcf == NULL) {
        return;
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                   ngx_http_artifact_directive(check->conf, "artifact_root"),
                   0, "\"artifact_root\" \"%V\" is in \"%V\", of which "
                   "location \"%V\" serves all files: whoever reaches \"%V\" "
                   "gets contents and keys of the store past the locations "
                   "that protect them, use another folder",
                   &check->conf->root->value, &clcf->root,
                   clcf->name.len ? &clcf->name : &top,
                   ngx_http_artifact_lint_address(lint->cf, server));
}


/* The folder before the first variable, without a slash at its end. */

static ngx_uint_t
ngx_http_artifact_lint_constant(ngx_http_complex_value_t *root,
    ngx_str_t *folder)
{
    u_char  *p;

    *folder = root->value;

    if (root->lengths) {
        p = ngx_strlchr(folder->data, folder->data + folder->len, '$');
        folder->len = p ? (size_t) (p - folder->data) : 0;

        while (folder->len > 0 && folder->data[folder->len - 1] != '/') {
            folder->len--;
        }
    }

    while (folder->len > 1 && folder->data[folder->len - 1] == '/') {
        folder->len--;
    }

    return folder->len > 1 && folder->data[0] == '/';
}


/*
 * Whether files of a folder are served by a location without a handler, which
 * has a prefix: what a regular expression is for, is not known.
 */

static ngx_uint_t
ngx_http_artifact_lint_hands_out(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, void **loc_conf, ngx_str_t *folder)
{
    size_t                     len;
    ngx_str_t                  uri, rest, name;
    ngx_http_core_loc_conf_t  *clcf;

    clcf = loc_conf[ngx_http_core_module.ctx_index];
    ngx_str_null(&name);
    len = clcf->root.len;

    while (len > 0 && clcf->root.data[len - 1] == '/') {
        len--;
    }

    if (clcf->handler || clcf->noname || clcf->named || clcf->exact_match
#if (NGX_PCRE)
        || clcf->regex
#endif
        || clcf->root_lengths || len == 0 || len > folder->len
        || ngx_memcmp(clcf->root.data, folder->data, len) != 0
        || (len < folder->len && folder->data[len] != '/')
        || ngx_http_artifact_lint_address(cf, cscf) == NULL
        || ngx_http_artifact_lint_protects(cf, cscf, loc_conf))
    {
        return 0;
    }

    if (clcf->alias) {
        name = clcf->name;
        name.len -= (name.len > 0 && name.data[name.len - 1] == '/');
    }

    rest.data = folder->data + len;
    rest.len = folder->len - len;

    uri.data = ngx_pnalloc(cf->temp_pool, name.len + rest.len + 1);
    if (uri.data == NULL) {
        return 0;
    }

    uri.len = (size_t) (ngx_sprintf(uri.data, "%V%V/", &name, &rest)
                        - uri.data);
    uri = ngx_http_artifact_lint_join(cf, &uri, "artifacts/.artifact/key");

    return ngx_http_artifact_lint_find(cf, cscf, &uri)
           == (clcf->name.len ? clcf : NULL);
}


/* The server itself, where no location takes the URI. */

static ngx_http_core_loc_conf_t *
ngx_http_artifact_lint_own_files(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_str_t *folder)
{
    void  **loc_conf;

    loc_conf = cscf->ctx->loc_conf;

    return !ngx_http_artifact_lint_member(cf, loc_conf, "rewrite")
           && ngx_http_artifact_lint_hands_out(cf, cscf, loc_conf, folder)
           ? loc_conf[ngx_http_core_module.ctx_index] : NULL;
}


/*
 * nginx checks access to the location that composes, not to the one in which it
 * looks up: either without the other is open.
 */

static void
ngx_http_artifact_lint_source_access(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    void                          **here, **there;
    ngx_str_t                      *address;
    ngx_conf_t                     *cf;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    cf = lint->cf;
    here = check->conf->loc_conf;

    if (!ngx_http_artifact_lint_asks_source(check)) {
        return;
    }

    clcf = ngx_http_artifact_lint_source(cf, check);
    conf = clcf ? ngx_http_artifact_lint_conf(clcf) : NULL;

    if (conf == NULL || conf->role == NULL || check->clcf->noname) {
        return;
    }

    there = conf->loc_conf;
    directive = ngx_http_artifact_role_directive(conf);

    if (ngx_http_artifact_lint_asks(cf, there)
        && !ngx_http_artifact_lint_protects(cf, check->cscf, here))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "location \"%V\" asks for a password, or another "
                       "server, and is where location \"%V\", which asks for "
                       "nothing, looks references up: whoever reaches that "
                       "one gets all of this, protect both",
                       &clcf->name, &check->clcf->name);
        return;
    }

    address = ngx_http_artifact_lint_address(cf, check->cscf);

    if (address && conf->url == NULL && check->conf->url == NULL
        && ngx_http_artifact_is_local(conf)
        && ngx_http_artifact_lint_asks(cf, here)
        && !ngx_http_artifact_lint_protects(cf, check->cscf, there))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "location \"%V\" looks references up in location "
                       "\"%V\", and asks for a password, or another server, "
                       "which that one does not: whoever reaches \"%V\" can "
                       "read artifacts there, protect it, too, or add "
                       "\"internal\"", &check->clcf->name, &clcf->name,
                       address);
    }
}
