
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What other modules have configured, by the tables of their directives, which
 * any module has: none of them need be there.  And what this module has.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/sign/ngx_http_artifact_url.h"


static ngx_command_t *ngx_http_artifact_lint_command(ngx_conf_t *cf,
    const char *name, ngx_module_t **module);
static ngx_uint_t ngx_http_artifact_lint_is_password(ngx_conf_t *cf,
    void **loc_conf);
static ngx_uint_t ngx_http_artifact_lint_is_certified(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf);
static ngx_uint_t ngx_http_artifact_lint_is_foreign(ngx_conf_t *cf);


/* Of nginx, their modules have a handler of the access phase each. */

static const char  *ngx_http_artifact_lint_handlers[] = {
    "allow",
    "auth_basic",
    "auth_request",
    NULL
};


static ngx_command_t *
ngx_http_artifact_lint_command(ngx_conf_t *cf, const char *name,
    ngx_module_t **module)
{
    ngx_uint_t      i;
    ngx_command_t  *cmd;

    for (i = 0; (*module = cf->cycle->modules[i]) != NULL; i++) {

        if ((*module)->type != NGX_HTTP_MODULE) {
            continue;
        }

        for (cmd = (*module)->commands; cmd && cmd->name.len; cmd++) {
            if (ngx_strcmp(cmd->name.data, name) == 0) {
                return cmd;
            }
        }
    }

    return NULL;
}


void *
ngx_http_artifact_lint_member(ngx_conf_t *cf, void **loc_conf,
    const char *directive)
{
    void           *p;
    u_char         *conf;
    ngx_command_t  *cmd;
    ngx_module_t   *module;

    cmd = ngx_http_artifact_lint_command(cf, directive, &module);

    if (cmd == NULL || cmd->conf != NGX_HTTP_LOC_CONF_OFFSET) {
        return NULL;
    }

    conf = loc_conf[module->ctx_index];

    if (conf == NULL) {
        return NULL;
    }

    ngx_memcpy(&p, conf + cmd->offset, sizeof(p));

    return p == NGX_CONF_UNSET_PTR ? NULL : p;
}


ngx_uint_t
ngx_http_artifact_lint_asks(ngx_conf_t *cf, void **loc_conf)
{
    return ngx_http_artifact_lint_is_password(cf, loc_conf)
           || ngx_http_artifact_lint_member(cf, loc_conf, "auth_request");
}


ngx_uint_t
ngx_http_artifact_lint_protects(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    void **loc_conf)
{
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_sign_conf_t  *sign;

    clcf = loc_conf[ngx_http_core_module.ctx_index];
    sign = loc_conf[ngx_http_artifact_sign_module.ctx_index];

    return clcf->internal
           || clcf->limit_except
           || sign->required
           || ngx_http_artifact_lint_is_password(cf, loc_conf)
           || ngx_http_artifact_lint_checks(cf, cscf, loc_conf);
}


ngx_uint_t
ngx_http_artifact_lint_checks(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    void **loc_conf)
{
    return ngx_http_artifact_lint_member(cf, loc_conf, "allow")
           || ngx_http_artifact_lint_member(cf, loc_conf, "auth_request")
           || ngx_http_artifact_lint_member(cf, loc_conf, "rewrite")
           || ngx_http_artifact_lint_member(cf, cscf->ctx->loc_conf, "rewrite")
           || ngx_http_artifact_lint_is_certified(cf, cscf)
           || ngx_http_artifact_lint_is_foreign(cf);
}


static ngx_uint_t
ngx_http_artifact_lint_is_password(ngx_conf_t *cf, void **loc_conf)
{
    ngx_http_complex_value_t  *realm;

    realm = ngx_http_artifact_lint_member(cf, loc_conf, "auth_basic");

    return realm != NULL
           && !(realm->value.len == 3
                && ngx_strncmp(realm->value.data, "off", 3) == 0);
}


static ngx_uint_t
ngx_http_artifact_lint_is_certified(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf)
{
    u_char         *conf;
    ngx_uint_t      verify;
    ngx_command_t  *cmd;
    ngx_module_t   *module;

    cmd = ngx_http_artifact_lint_command(cf, "ssl_verify_client", &module);

    if (cmd == NULL || cmd->conf != NGX_HTTP_SRV_CONF_OFFSET) {
        return 0;
    }

    conf = cscf->ctx->srv_conf[module->ctx_index];
    ngx_memcpy(&verify, conf + cmd->offset, sizeof(ngx_uint_t));

    return verify != 0 && verify != NGX_CONF_UNSET_UINT;
}


/*
 * Whether a module that is not known has a handler of the access phase, or one
 * that may refuse requests before: it may protect any location.
 */

static ngx_uint_t
ngx_http_artifact_lint_is_foreign(ngx_conf_t *cf)
{
    ngx_uint_t                      i, known;
    ngx_module_t                   *module;
    ngx_http_core_main_conf_t      *cmcf;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    known = amcf->used;                      /* artifact_signed */

    for (i = 0; ngx_http_artifact_lint_handlers[i]; i++) {
        if (ngx_http_artifact_lint_command(cf,
                                        ngx_http_artifact_lint_handlers[i],
                                        &module))
        {
            known++;
        }
    }

    return cmcf->phases[NGX_HTTP_ACCESS_PHASE].handlers.nelts > known
           || cmcf->phases[NGX_HTTP_REWRITE_PHASE].handlers.nelts > 1;
}


ngx_http_upstream_conf_t *
ngx_http_artifact_lint_upstream(ngx_conf_t *cf, void **loc_conf,
    ngx_uint_t *i, ngx_str_t **ignore)
{
    u_char         *p;
    ngx_module_t   *module;
    ngx_command_t  *cmd;

    while ((module = cf->cycle->modules[*i]) != NULL) {
        (*i)++;

        if (module->type != NGX_HTTP_MODULE) {
            continue;
        }

        for (cmd = module->commands; cmd && cmd->name.len; cmd++) {

            if (cmd->post == &ngx_http_upstream_ignore_headers_masks
                && cmd->conf == NGX_HTTP_LOC_CONF_OFFSET)
            {
                *ignore = &cmd->name;

                p = loc_conf[module->ctx_index];
                p += cmd->offset - offsetof(ngx_http_upstream_conf_t,
                                            ignore_headers);

                return (ngx_http_upstream_conf_t *) p;
            }
        }
    }

    return NULL;
}


/* What is inherited has no effect where another module passes requests on. */

ngx_uint_t
ngx_http_artifact_lint_caches(ngx_conf_t *cf, void **loc_conf)
{
    ngx_uint_t                 caches;
#if (NGX_HTTP_CACHE)
    ngx_str_t                 *name;
    ngx_uint_t                 i, here;
    ngx_http_upstream_conf_t  *upstream;
#endif

    caches = 0;

#if (NGX_HTTP_CACHE)

    i = 0;

    while ((upstream = ngx_http_artifact_lint_upstream(cf, loc_conf, &i,
                                                       &name))
           != NULL)
    {
        here = upstream->cache > 0
               && (upstream->cache_methods & NGX_HTTP_POST) != 0;

        if (upstream->upstream) {
            return here;
        }

        caches |= here;
    }

#endif

    return caches;
}


ngx_http_artifact_directive_t *
ngx_http_artifact_lint_own(ngx_http_artifact_check_t *check, const char *name)
{
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_directive(check->conf, name);

    return directive && check->outer
           && ngx_http_artifact_directive(
                          check->outer[ngx_artifact_module.ctx_index], name)
              == directive
           ? NULL : directive;
}


ngx_uint_t
ngx_http_artifact_lint_is(ngx_http_artifact_loc_conf_t *conf,
    const char *name)
{
    return conf->role
           && ngx_strcmp(ngx_http_artifact_role_directive(conf)->name.data,
                         name)
              == 0;
}


ngx_uint_t
ngx_http_artifact_lint_differ(ngx_http_complex_value_t *a,
    ngx_http_complex_value_t *b)
{
    if ((a && a->lengths) || (b && b->lengths)) {
        return 0;
    }

    if (a && b) {
        return !ngx_http_artifact_lint_same(a, b);
    }

    return (a && a->value.len > 0) || (b && b->value.len > 0);
}
