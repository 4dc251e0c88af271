
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What other machines may do that only some should: without anything that could
 * be meant as protection, everybody may.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/list/ngx_http_artifact_list.h"


typedef struct {
    const char   *directive;
    unsigned      writes:1;                  /* only with artifact_write */
    unsigned      lists:1;                   /* only with artifact_index */
    const char   *who;
} ngx_http_artifact_lint_open_t;


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
