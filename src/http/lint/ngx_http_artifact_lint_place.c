
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What a location serves has to get there, and to be opened by it.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"


/*
 * The URIs of a feature, behind the name of its location without a slash at
 * its end.  Some may be meant for another location that names this one.
 */

typedef struct {
    const char   *directive;
    const char   *rest;
    unsigned      may:1;
} ngx_http_artifact_lint_uri_t;


static void ngx_http_artifact_lint_taken(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_meant(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_str_t *base,
    ngx_http_core_loc_conf_t *found, ngx_uint_t may);
static void ngx_http_artifact_lint_beside(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_looks(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check);
static void ngx_http_artifact_lint_standins(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, ngx_http_core_loc_conf_t *found);
static ngx_uint_t ngx_http_artifact_lint_hides(ngx_http_artifact_lint_t *lint,
    ngx_http_core_loc_conf_t *found);


static ngx_http_artifact_lint_uri_t  ngx_http_artifact_lint_uris[] = {
    { "artifact", "/01a20aaf-a517-7f55-9271-0b1e65774184", 0 },
    { "artifact", "/01a20aaf-a517-7f55-9271-0b1e65774184/metadata", 1 },
    { "artifact_decode", "/01a20aaf-a517-7f55-9271-0b1e65774184", 0 },
    { "artifact_workspace", "/agent-1/src/main.js", 1 },
    { "artifact_workspace", "/agent-1/shot.png", 1 },
    { "artifact_workspace", "/agent-1/photo.jpg", 1 },
    { "artifact_workspace", "/agent-1/page.html", 1 },
    { "artifact_workspace", "/agent-1/style.css", 1 },
    { "artifact_workspace", "/agent-1/index.php", 1 },
    { "artifact_workspace", "/agent-1/data.json", 1 },
    { "artifact_workspace", "/agent-1/report.pdf", 1 },
    { "artifact_workspace", "/agent-1/notes.txt", 1 },
    { "artifact_files", "", 0 },
    { "artifact_files", "/file-art-01a20aafa5177f5592710b1e65774184", 0 },
    { "artifact_files", "/file-art-01a20aafa5177f5592710b1e65774184/content",
      0 },
    { "artifact_services", "/gpt-5", 1 },
    { "artifact_services", "/gpt-5/capabilities", 1 },
    { "artifact_inspector", "/inspector.js", 1 },
    { "artifact_inspector", "/inspector.css", 1 },
    { "artifact_inspector", "/icon.svg", 1 },
    { "artifact_mcp", NULL, 0 },
    { "artifact_message", NULL, 0 },
    { "artifact_requests", NULL, 1 },
    { "artifact_status", NULL, 1 },
    { NULL, NULL, 0 }
};


void
ngx_http_artifact_lint_place(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_lint_looks(lint, check);

    if (check->conf->role == NULL || check->clcf->noname) {
        return;
    }

    ngx_http_artifact_lint_taken(lint->cf, check);
    ngx_http_artifact_lint_beside(lint->cf, check);
}


/* One URI is enough. */

static void
ngx_http_artifact_lint_taken(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_str_t                       base, uri, *name;
    ngx_http_core_loc_conf_t       *found;
    ngx_http_artifact_lint_uri_t   *sample;
    ngx_http_artifact_directive_t  *directive;

    name = &check->clcf->name;

    if (name->len == 0 || name->data[0] != '/' || check->clcf->named
        || check->clcf->exact_match
#if (NGX_PCRE)
        || check->clcf->regex
#endif
       )
    {
        return;
    }

    base = *name;
    base.len -= (base.data[base.len - 1] == '/');
    directive = ngx_http_artifact_role_directive(check->conf);

    for (sample = ngx_http_artifact_lint_uris; sample->directive; sample++) {

        if (ngx_strcmp(directive->name.data, sample->directive) != 0) {
            continue;
        }

        uri = ngx_http_artifact_lint_join(cf, sample->rest ? &base : name,
                                          sample->rest ? sample->rest : "");

        if (uri.len == 0) {
            continue;
        }

        found = ngx_http_artifact_lint_find(cf, check->cscf, &uri);

        if (found == check->clcf
            || ngx_http_artifact_lint_is_meant(cf, check, &base, found,
                                               sample->may))
        {
            continue;
        }

        if (found == NULL) {
            ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                           "\"%V\" in location \"%V\" does not get \"%V\", "
                           "which belongs to it: use \"location %V\"",
                           &directive->name, name, &uri, &base);
        } else {
            ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                           "\"%V\" in location \"%V\" does not get \"%V\", "
                           "which belongs to it: location \"%V\" takes it; "
                           "use \"location ^~ %V\", and none within it",
                           &directive->name, name, &uri, &found->name,
                           sample->may || base.len == 0 ? name : &base);
        }

        return;
    }
}


/*
 * Another location of the same feature, or one that refuses on purpose; or for
 * some URIs one that has the feature's location in its own name.
 */

static ngx_uint_t
ngx_http_artifact_lint_is_meant(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, ngx_str_t *base,
    ngx_http_core_loc_conf_t *found, ngx_uint_t may)
{
    ngx_str_t  *name;

    if (found == NULL) {
        return ngx_http_artifact_lint_member(cf, check->cscf->ctx->loc_conf,
                                             "rewrite")
               != NULL;
    }

    if (ngx_http_artifact_lint_conf(found)->role == check->conf->role
        || ngx_http_artifact_lint_member(cf, found->loc_conf, "rewrite"))
    {
        return 1;
    }

    if (found->handler == NULL
        && ngx_http_artifact_lint_member(cf, found->loc_conf, "allow"))
    {
        return 1;
    }

    name = &found->name;

    return may && base->len > 0
           && ngx_strnstr(name->data, (char *) base->data, name->len) != NULL;
}


/* Directives that are no handlers, and yet take a handler's requests. */

static void
ngx_http_artifact_lint_beside(ngx_conf_t *cf, ngx_http_artifact_check_t *check)
{
    ngx_http_core_loc_conf_t       *outer;
    ngx_http_artifact_directive_t  *directive;

    directive = ngx_http_artifact_role_directive(check->conf);

    if (check->conf->role->handler == NULL) {
        return;
    }

    if (ngx_http_artifact_lint_member(cf, check->conf->loc_conf, "try_files"))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "\"%V\" is in location \"%V\" beside \"try_files\", "
                       "which looks for files below \"root\" and takes its "
                       "requests: remove \"try_files\"", &directive->name,
                       &check->clcf->name);
    }

    outer = check->outer ? check->outer[ngx_http_core_module.ctx_index] : NULL;

    if (check->clcf->alias && ngx_http_artifact_is_local(check->conf)
        && (outer == NULL || outer->root.data != check->clcf->root.data))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, directive, 0,
                       "\"%V\" is in location \"%V\" beside \"alias\", which "
                       "has no effect on it: name the folder that holds "
                       "\"artifacts/\" and \"workspaces/\" with "
                       "\"artifact_root\"", &directive->name,
                       &check->clcf->name);
    }
}


/* Where references are looked up, there have to be artifacts. */

static void
ngx_http_artifact_lint_looks(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_str_t                      *source;
    ngx_http_core_loc_conf_t       *found;
    ngx_http_artifact_loc_conf_t   *conf;
    ngx_http_artifact_directive_t  *directive;

    if (!ngx_http_artifact_lint_asks_source(check)) {
        return;
    }

    found = ngx_http_artifact_lint_source(lint->cf, check);

    if (found && check->passes
        && check->expand->expand == NGX_HTTP_ARTIFACT_EXPAND_STANDINS)
    {
        ngx_http_artifact_lint_standins(lint, check, found);
        return;
    }

    conf = found ? ngx_http_artifact_lint_conf(found) : NULL;

    if (conf == NULL || conf->role == NULL
        || conf->role->uri == NGX_HTTP_ARTIFACT_URI_ID)
    {
        return;
    }

    source = &check->conf->source->value;
    directive = ngx_http_artifact_directive(check->conf, "artifact_source");

    if (directive == NULL) {
        directive = ngx_http_artifact_role_directive(conf);
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"artifact_source\" \"%V\" of location \"%V\" leads to "
                   "location \"%V\", which has \"%V\": references need a "
                   "location with \"artifact\"", source, &check->clcf->name,
                   &found->name,
                   &ngx_http_artifact_role_directive(conf)->name);
}


/* What a stand-in leads to is in the data root, and no client gets there. */

static void
ngx_http_artifact_lint_standins(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, ngx_http_core_loc_conf_t *found)
{
    ngx_http_artifact_directive_t  *directive;

    if (ngx_http_artifact_lint_hides(lint, found)) {
        return;
    }

    directive = ngx_http_artifact_directive(check->conf, "artifact_source");

    if (directive == NULL) {
        directive = ngx_http_artifact_directive(check->conf,
                                                "artifact_expand");
    }

    ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                   "\"artifact_expand\" is \"standins\" in location \"%V\", "
                   "whose \"artifact_source\" \"%V\" leads to location "
                   "\"%V\": stand-ins need one that is \"internal\", with "
                   "\"artifact\"", &check->clcf->name,
                   &check->conf->source->value, &found->name);
}


/* A location without a role may lead on to one that has it. */

static ngx_uint_t
ngx_http_artifact_lint_hides(ngx_http_artifact_lint_t *lint,
    ngx_http_core_loc_conf_t *found)
{
    ngx_uint_t                     i;
    ngx_http_artifact_loc_conf_t  *conf;

    conf = ngx_http_artifact_lint_conf(found);

    if (conf->role) {
        return found->internal && ngx_http_artifact_lint_is(conf, "artifact");
    }

    for (i = 0; i < lint->n; i++) {
        if (lint->checks[i].clcf == found && lint->checks[i].passes) {
            return 0;
        }
    }

    return 1;
}
