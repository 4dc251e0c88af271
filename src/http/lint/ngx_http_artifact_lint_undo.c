
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Directives of nginx that undo what a location is for: what was composed is
 * not sent, what is missing becomes a page.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "core/derive/art_derive.h"


static void ngx_http_artifact_lint_unsent(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_emptied(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_body(ngx_conf_t *cf,
    void **loc_conf, ngx_str_t *body);
static void ngx_http_artifact_lint_pages(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_page(ngx_conf_t *cf,
    ngx_http_core_srv_conf_t *cscf, ngx_http_err_page_t *page);
static void ngx_http_artifact_lint_itself(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);


void
ngx_http_artifact_lint_undo(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_lint_unsent(lint, check);
    ngx_http_artifact_lint_emptied(lint, check);
    ngx_http_artifact_lint_pages(lint, check);
    ngx_http_artifact_lint_itself(lint, check);
}


static void
ngx_http_artifact_lint_unsent(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                       body;
    ngx_http_artifact_directive_t  *directive;

    if (!check->passes
        || (!check->expand->expand && !check->expand->argument))
    {
        return;
    }

    if (!ngx_http_artifact_lint_body(lint->cf, check->conf->loc_conf, &body)) {
        return;
    }

    directive = ngx_http_artifact_directive(check->conf,
                                            check->expand->argument
                                            ? "artifact_argument"
                                            : "artifact_expand");

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"%V\" has no effect in location \"%V\" beside \"%V\": "
                   "the body that it makes is not sent, remove that directive",
                   &directive->name, &check->clcf->name, &body);
}


/* What a converter is sent by "body". */

static void
ngx_http_artifact_lint_emptied(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                       i;
    ngx_str_t                        body;
    ngx_array_t                     *rules;
    art_derive_rule_t               *rule;
    ngx_http_artifact_derive_uri_t  *uri;

    rules = ngx_http_artifact_rules(check->conf);

    for (i = 0; check->converters && i < rules->nelts; i++) {
        rule = rules->elts;
        uri = rule[i].data;

        if (check->converters[i] == NULL || !rule[i].body) {
            continue;
        }

        if (ngx_http_artifact_lint_body(lint->cf,
                                        check->converters[i]->loc_conf, &body))
        {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, uri->directive,
                           0, "\"artifact_derive\": location \"%V\" has "
                           "\"%V\", and does not send on what is to be "
                           "converted: remove that directive",
                           &check->converters[i]->name, &body);
        }
    }
}


/*
 * Whether a location sends another body than the request's, or none, and the
 * directive that says so.  What is inherited counts only for the module that
 * passes requests on; with variables, it is not known which one does.
 */

static ngx_uint_t
ngx_http_artifact_lint_body(ngx_conf_t *cf, void **loc_conf, ngx_str_t *body)
{
    ngx_str_t                 *name;
    ngx_uint_t                 i;
    ngx_http_upstream_conf_t  *upstream;

    ngx_str_null(body);
    i = 0;

    while ((upstream = ngx_http_artifact_lint_upstream(cf, loc_conf, &i,
                                                       &name))
           != NULL)
    {
        if (!upstream->pass_request_body) {
            *body = *name;

        } else if (upstream->upstream) {
            ngx_str_null(body);
        }

        if (upstream->upstream) {
            break;
        }
    }

    if (body->len > 0) {
        body->len -= sizeof("ignore_headers") - 1;
        *body = ngx_http_artifact_lint_join(cf, body, "pass_request_body off");

    } else if (ngx_http_artifact_lint_member(cf, loc_conf, "proxy_set_body")) {
        ngx_str_set(body, "proxy_set_body");
    }

    return body->len > 0;
}


/*
 * A page with a status of its own instead of that of an error: a client, and a
 * request that refers to what is missing, take it for the content.
 */

static void
ngx_http_artifact_lint_pages(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                      i;
    ngx_http_err_page_t            *page;
    ngx_http_artifact_directive_t  *directive;

    if (!ngx_http_artifact_has_refs(check->conf) || check->clcf->noname
        || check->clcf->error_pages == NULL)
    {
        return;
    }

    page = check->clcf->error_pages->elts;
    directive = ngx_http_artifact_role_directive(check->conf);

    for (i = 0; i < check->clcf->error_pages->nelts; i++) {

        if (ngx_http_artifact_lint_is_page(lint->cf, check->cscf, &page[i])) {
            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                           "\"%V\" in location \"%V\" answers with \"%V\" and "
                           "another status instead of %i (\"error_page\"): "
                           "that page becomes the content of what is missing, "
                           "set an \"error_page\" here without \"=\"",
                           &directive->name, &check->clcf->name,
                           &page[i].value.value, page[i].status);
            return;
        }
    }
}


/* The file of a location without a handler; a second store has one. */

static ngx_uint_t
ngx_http_artifact_lint_is_page(ngx_conf_t *cf, ngx_http_core_srv_conf_t *cscf,
    ngx_http_err_page_t *page)
{
    void                     **loc_conf;
    ngx_str_t                 *uri;
    ngx_http_core_loc_conf_t  *clcf;

    uri = &page->value.value;

    if ((page->status != NGX_HTTP_NOT_FOUND
         && page->status != NGX_HTTP_FORBIDDEN)
        || page->value.lengths != NULL
        || uri->len == 0 || uri->data[0] != '/'
        || (page->overwrite != 0 && page->overwrite != NGX_HTTP_OK))
    {
        return 0;
    }

    clcf = ngx_http_artifact_lint_find(cf, cscf, uri);

    loc_conf = clcf ? clcf->loc_conf : cscf->ctx->loc_conf;
    clcf = loc_conf[ngx_http_core_module.ctx_index];

    /* with "=" alone, the status of a "return" may be right */

    return clcf->handler == NULL
           && !ngx_http_artifact_lint_member(cf, loc_conf, "try_files")
           && (page->overwrite == NGX_HTTP_OK
               || !ngx_http_artifact_lint_member(cf, loc_conf, "rewrite"));
}


/* References that a location looks up in itself are asked of the model. */

static void
ngx_http_artifact_lint_itself(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_core_loc_conf_t       *found;
    ngx_http_artifact_directive_t  *directive;

    if (check->clcf->noname || check->conf->role
        || !ngx_http_artifact_lint_asks_source(check))
    {
        return;
    }

    found = ngx_http_artifact_lint_source(lint->cf, check);

    if (found != check->clcf) {
        return;
    }

    directive = ngx_http_artifact_directive(check->conf, "artifact_source");

    if (directive == NULL) {
        directive = ngx_http_artifact_directive(check->conf,
                                                check->expand->argument
                                                ? "artifact_argument"
                                                : "artifact_expand");
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"artifact_source\" \"%V\" of location \"%V\" leads to "
                   "this location itself, which passes requests on: "
                   "references need a location with artifacts",
                   &check->conf->source->value, &check->clcf->name);
}
