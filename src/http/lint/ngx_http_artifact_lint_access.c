
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What other machines may do that only some should: without anything that could
 * be meant as protection, everybody may.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/list/ngx_http_artifact_list.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/sign/ngx_http_artifact_url.h"


typedef struct {
    const char   *directive;
    unsigned      writes:1;                  /* only with artifact_write */
    unsigned      lists:1;                   /* only with artifact_index */
    const char   *who;
} ngx_http_artifact_lint_open_t;


static void ngx_http_artifact_lint_scope(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);


static ngx_http_artifact_lint_open_t  ngx_http_artifact_lint_open[] = {
    { "artifact", 1, 0, "store artifacts" },
    { "artifact_workspace", 1, 0, "write and delete files" },
    { "artifact", 0, 1, "list all artifacts, and read them" },
    { "artifact_workspace", 0, 1, "list all files, and read them" },
    { "artifact_files", 0, 0, "store, read and remove files" },
    { "artifact_mcp", 0, 0, "list and read all of the store" },
    { "artifact_requests", 0, 0, "read what everybody asks for" },
    { "artifact_status", 0, 0, "read the counters" },
    { NULL, 0, 0, NULL }
};


void
ngx_http_artifact_lint_access(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                      *address;
    ngx_http_artifact_directive_t  *directive;
    ngx_http_artifact_lint_open_t  *open;

    if (check->conf->role == NULL || check->clcf->noname || check->clcf->named)
    {
        return;
    }

    ngx_http_artifact_lint_scope(lint->cf, check);

    directive = ngx_http_artifact_role_directive(check->conf);

    for (open = ngx_http_artifact_lint_open;
         open->directive
         && (ngx_strcmp(directive->name.data, open->directive) != 0
             || (open->writes && !check->conf->writes)
             || (open->lists && !ngx_http_artifact_lists(check->conf)));
         open++)
    {
        /* void */
    }

    if (open->directive == NULL) {
        return;
    }

    address = ngx_http_artifact_lint_address(lint->cf, check->cscf);

    if (address == NULL
        || ngx_http_artifact_lint_protects(lint->cf, check->cscf,
                                          check->conf->loc_conf))
    {
        return;
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"%V\" in location \"%V\" is open: whoever reaches \"%V\" "
                   "can %s; restrict access, as with \"allow\" and \"deny\", "
                   "\"auth_basic\" or \"auth_request\", or listen on "
                   "\"127.0.0.1\"", &directive->name, &check->clcf->name,
                   address, open->who);
}


/* A signature is of a reference and a scope: stores of tenants need both. */

static void
ngx_http_artifact_lint_scope(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_sign_conf_t  *sign;
    ngx_http_artifact_directive_t  *directive;

    conf = check->conf;
    sign = ngx_http_artifact_conf_of(conf, ngx_http_artifact_sign_module);
    directive = ngx_http_artifact_directive(conf, "artifact_sign_key");

    if (!sign->required || !ngx_http_artifact_is_local(conf)
        || conf->root == NULL || directive == NULL)
    {
        return;
    }

    if (conf->root->lengths && sign->scope == NULL) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "\"artifact_sign_key\" without a scope signs URLs of "
                       "location \"%V\", where \"artifact_root\" \"%V\" has "
                       "variables: a URL of one store opens the same "
                       "reference in any other, add \"scope=\" with them",
                       &check->clcf->name, &conf->root->value);
    }

    if (conf->root->lengths == NULL && sign->scope && sign->scope->lengths) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "\"artifact_sign_key\" has the scope \"%V\", and "
                       "\"artifact_root\" \"%V\" of location \"%V\" has no "
                       "variables: all have one store, add them to it",
                       &sign->scope->value, &conf->root->value,
                       &check->clcf->name);
    }
}
