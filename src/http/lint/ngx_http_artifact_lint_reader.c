
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Who reads what is composed or routed, and whom a cache takes for the same.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capmap.h"


static const char *ngx_http_artifact_lint_expands(
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_reads(
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_mapless(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_service(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_overrides(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, const char *name,
    ngx_http_complex_value_t *value);
static void ngx_http_artifact_lint_answers(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_request_body(
    ngx_http_artifact_lint_t *lint, ngx_http_artifact_check_t *check);


void
ngx_http_artifact_lint_reader(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_lint_service(lint, check);
    ngx_http_artifact_lint_request_body(lint, check);
    ngx_http_artifact_lint_answers(lint, check);

    if (!check->passes || !check->expand->expand) {
        return;
    }

    ngx_http_artifact_lint_mapless(lint, check);
    ngx_http_artifact_lint_overrides(lint, check, "artifact_service",
                                     check->conf->service);
    ngx_http_artifact_lint_overrides(lint, check, "artifact_accept",
                                     check->conf->accept);
}


/* Whether it matters in a location who the reader is. */

static ngx_uint_t
ngx_http_artifact_lint_reads(ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_loc_conf_t  *conf;

    conf = check->conf;

    return (check->passes && check->expand->expand)
           || (conf->role && conf->role->sources)
           || ngx_http_artifact_lint_is(conf, "artifact_mcp")
           || (conf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
               && (check->passes || ngx_http_artifact_has_refs(conf)));
}


/* The value of artifact_expand. */

static const char *
ngx_http_artifact_lint_expands(ngx_http_artifact_check_t *check)
{
    return check->expand->expand == NGX_HTTP_ARTIFACT_EXPAND_STANDINS
           ? "standins" : "on";
}


/* Unless readers name what they take in. */

static void
ngx_http_artifact_lint_mapless(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(lint->cf, ngx_artifact_module);

    if (amcf->capmap == NULL && check->conf->accept == amcf->accept) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_expand"), 0,
                       "\"artifact_expand\" is \"%s\" without "
                       "\"artifact_capabilities\": no model is known, all get "
                       "text only; load a map, or if readers name "
                       "capabilities, set \"artifact_accept\"",
                       ngx_http_artifact_lint_expands(check));
    }
}


static void
ngx_http_artifact_lint_service(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                      *service;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(lint->cf, ngx_artifact_module);

    if (amcf->capmap == NULL || check->conf->accept != amcf->accept
        || !ngx_http_artifact_lint_fixed(check->conf->service)
        || !ngx_http_artifact_lint_reads(check))
    {
        return;
    }

    service = &check->conf->service->value;

    if (art_capmap_find(amcf->capmap, ngx_artifact_str(service)) == NULL) {
        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                       ngx_http_artifact_directive(check->conf,
                                                   "artifact_service"), 0,
                       "\"artifact_service\" \"%V\" is in no capability map, "
                       "and gets text only: correct the name, or load the map "
                       "that has it", service);
    }
}


/*
 * A reader for all models of a location is no mistake where it is set for it;
 * it may be one if it comes from a block in which others read, too.
 */

static void
ngx_http_artifact_lint_overrides(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, const char *name,
    ngx_http_complex_value_t *value)
{
    ngx_uint_t                      i;
    ngx_http_artifact_check_t      *one;
    ngx_http_artifact_directive_t  *directive;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(lint->cf, ngx_artifact_module);
    directive = ngx_http_artifact_directive(check->conf, name);

    if (!ngx_http_artifact_lint_fixed(value) || directive == NULL
        || amcf->capmap == NULL || art_capmap_count(amcf->capmap) < 2
        || ngx_http_artifact_lint_own(check, name))
    {
        return;
    }

    for (i = 0; i < lint->n; i++) {
        one = &lint->checks[i];

        if (one->expand->expand && one->passes) {
            continue;
        }

        if (!ngx_http_artifact_lint_reads(one)
            || ngx_http_artifact_directive(one->conf, name) != directive)
        {
            continue;
        }

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                       "\"%s\" \"%V\", the reader of location \"%V\", also "
                       "stands for every model of location \"%V\", where "
                       "\"artifact_expand\" is \"%s\": set it where it is "
                       "meant, or to its default there", name, &value->value,
                       &one->clcf->name, &check->clcf->name,
                       ngx_http_artifact_lint_expands(check));
        return;
    }
}


/* Without the body in its key, a cache has one answer for all of them. */

static void
ngx_http_artifact_lint_answers(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    const char  *name;

    name = check->expand->expand ? "artifact_expand" : check->answers->stores;

    if (!check->passes || name == NULL
        || !ngx_http_artifact_lint_caches(lint->cf, check->conf->loc_conf)
        || ngx_http_artifact_variable_is_used(lint->cf, "artifact_body_hash")
        || ngx_http_artifact_variable_is_used(lint->cf, "request_body"))
    {
        return;
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                   ngx_http_artifact_directive(check->conf, name), 0,
                   "answers to POST are cached in location \"%V\", and no key "
                   "has the body: one prompt or call gets the answer of "
                   "another, use \"$artifact_body_hash\" in the key",
                   &check->clcf->name);
}


/* Only the caches' own modules know which key a location has. */

static void
ngx_http_artifact_lint_request_body(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t  *directive;

    if (!check->passes || (!check->expand->expand && !check->expand->prompt)
        || !ngx_http_artifact_lint_caches(lint->cf, check->conf->loc_conf)
        || ngx_http_artifact_variable_is_used(lint->cf, "artifact_body_hash")
        || !ngx_http_artifact_variable_is_used(lint->cf, "request_body"))
    {
        return;
    }

    directive = ngx_http_artifact_directive(check->conf,
                                            check->expand->expand
                                            ? "artifact_expand"
                                            : "artifact_prompt");

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"$request_body\" is empty if the body is in a file, and "
                   "lacks what \"%V\" adds to it: use "
                   "\"$artifact_body_hash\" in the key of the cache in "
                   "location \"%V\"", &directive->name,
                   &check->clcf->name);
}
