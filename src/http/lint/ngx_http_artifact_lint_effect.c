
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Directives that have no effect in any of the locations that they apply to.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/texts/ngx_http_artifact_texts.h"


typedef struct {
    const char   *name;
    ngx_uint_t  (*is_on)(ngx_http_artifact_check_t *check);
    ngx_uint_t    answers;    /* it is about answers, else about requests */
} ngx_http_artifact_lint_effect_t;


static ngx_uint_t ngx_http_artifact_lint_has_effect(
    ngx_http_artifact_check_t *check,
    const ngx_http_artifact_lint_effect_t *effect);
static ngx_uint_t ngx_http_artifact_lint_is_expand(
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_argument(
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_standins(
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_offload(
    ngx_http_artifact_check_t *check);
static ngx_uint_t ngx_http_artifact_lint_is_extract(
    ngx_http_artifact_check_t *check);


static const ngx_http_artifact_lint_effect_t  ngx_http_artifact_lint_effects[] =
{
    { "artifact_expand", ngx_http_artifact_lint_is_expand, 0 },
    { "artifact_argument", ngx_http_artifact_lint_is_argument, 0 },
    { "artifact_offload_request", ngx_http_artifact_lint_is_standins, 0 },
    { "artifact_offload", ngx_http_artifact_lint_is_offload, 1 },
    { "artifact_offload_text", ngx_http_artifact_lint_shortens, 1 },
    { "artifact_extract", ngx_http_artifact_lint_is_extract, 1 },
    { NULL, NULL, 0 }
};


/* One location of a directive is enough. */

void
ngx_http_artifact_lint_note(ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t          *directive;
    const ngx_http_artifact_lint_effect_t  *effect;

    for (effect = ngx_http_artifact_lint_effects; effect->name; effect++) {

        directive = ngx_http_artifact_directive(check->conf, effect->name);

        if (directive) {
            directive->fits |= ngx_http_artifact_lint_has_effect(check, effect)
                               & 1;
        }
    }
}


/* Answers may be anybody's but the module's own. */

static ngx_uint_t
ngx_http_artifact_lint_has_effect(ngx_http_artifact_check_t *check,
    const ngx_http_artifact_lint_effect_t *effect)
{
    return check->passes
           || (effect->answers && check->conf->role == NULL);
}


void
ngx_http_artifact_lint_effect(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_directive_t          *directive;
    const ngx_http_artifact_lint_effect_t  *effect;

    for (effect = ngx_http_artifact_lint_effects; effect->name; effect++) {

        directive = ngx_http_artifact_directive(check->conf, effect->name);

        if (directive == NULL || directive->fits || !effect->is_on(check)) {
            continue;
        }

        ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN, directive, 0,
                       "\"%s\" has no effect: no location that it applies to "
                       "passes requests on, as \"proxy_pass\" does",
                       effect->name);
    }
}


static ngx_uint_t
ngx_http_artifact_lint_is_expand(ngx_http_artifact_check_t *check)
{
    return check->expand->expand != NGX_HTTP_ARTIFACT_EXPAND_OFF;
}


static ngx_uint_t
ngx_http_artifact_lint_is_argument(ngx_http_artifact_check_t *check)
{
    return check->expand->argument != NULL;
}


static ngx_uint_t
ngx_http_artifact_lint_is_standins(ngx_http_artifact_check_t *check)
{
    return check->expand->standins != NULL;
}


static ngx_uint_t
ngx_http_artifact_lint_is_offload(ngx_http_artifact_check_t *check)
{
    return check->answers->offload != NGX_HTTP_ARTIFACT_OFFLOAD_OFF;
}


ngx_uint_t
ngx_http_artifact_lint_shortens(ngx_http_artifact_check_t *check)
{
    ngx_http_artifact_texts_conf_t  *texts;

    texts = ngx_http_artifact_conf_of(check->conf,
                                      ngx_http_artifact_texts_module);

    return !texts->off;
}


static ngx_uint_t
ngx_http_artifact_lint_is_extract(ngx_http_artifact_check_t *check)
{
    return check->answers->extract != NGX_HTTP_ARTIFACT_EXTRACT_OFF;
}
