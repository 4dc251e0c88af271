
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Rules of conversion, and the locations that they name.
 */


#include "http/lint/ngx_http_artifact_lint.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/convert/ngx_http_artifact_convert.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "core/derive/art_derive.h"


static void ngx_http_artifact_lint_replaced(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, ngx_array_t *rules);
static ngx_uint_t ngx_http_artifact_lint_lacks(ngx_array_t *rules,
    const art_derive_rule_t *outer, art_str_t *type);
static ngx_uint_t ngx_http_artifact_lint_covers(ngx_array_t *rules,
    art_str_t type);
static art_str_t ngx_http_artifact_lint_type(art_str_t *list);
static void ngx_http_artifact_lint_rule(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, const art_derive_rule_t *rule);
static void ngx_http_artifact_lint_converter(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, const art_derive_rule_t *rule,
    ngx_http_core_loc_conf_t *clcf);
static ngx_uint_t ngx_http_artifact_lint_composes(
    ngx_http_artifact_check_t *check);


void
ngx_http_artifact_lint_convert(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check)
{
    ngx_uint_t                  i, n;
    ngx_array_t                *rules;
    art_derive_rule_t          *rule;
    ngx_http_core_loc_conf_t  **clcf;

    clcf = check->converters;
    rules = ngx_http_artifact_rules(check->conf);

    if (rules == NULL
        || (!ngx_http_artifact_lint_composes(check)
            && check->conf->route == NGX_HTTP_ARTIFACT_ROUTE_OFF))
    {
        return;
    }

    ngx_http_artifact_lint_replaced(lint, check, rules);

    rule = rules->elts;

    for (i = 0; i < rules->nelts; i++) {
        ngx_http_artifact_lint_rule(lint->cf, check, &rule[i]);

        for (n = 0; clcf && clcf[n] != clcf[i]; n++) {
            /* void */
        }

        if (clcf && clcf[i] && n == i) {
            ngx_http_artifact_lint_converter(lint->cf, check, &rule[i],
                                             clcf[i]);
        }
    }
}


/* Whether a location asks for conversions of many contents, or of none's id. */

static ngx_uint_t
ngx_http_artifact_lint_composes(ngx_http_artifact_check_t *check)
{
    return (check->passes && check->expand->expand)
           || (check->conf->role && check->conf->role->sources);
}


/* Rules of a block replace all of the block around it. */

static void
ngx_http_artifact_lint_replaced(ngx_http_artifact_lint_t *lint,
    ngx_http_artifact_check_t *check, ngx_array_t *rules)
{
    art_str_t                          type;
    ngx_uint_t                         i;
    ngx_array_t                       *outer;
    art_derive_rule_t                 *rule, *own;
    ngx_http_artifact_derive_uri_t    *there, *here;
    ngx_http_artifact_convert_conf_t  *convert;

    if (check->outer == NULL) {
        return;
    }

    convert = check->outer[ngx_http_artifact_convert_module.ctx_index];
    outer = convert->rules;

    if (outer == NULL || outer == rules) {
        return;
    }

    own = rules->elts;
    rule = outer->elts;

    for (i = 0; i < outer->nelts; i++) {

        if (ngx_http_artifact_lint_lacks(rules, &rule[i], &type)) {
            here = own->data;
            there = rule[i].data;

            ngx_http_artifact_log_error(lint->cf, NGX_LOG_WARN,
                           here->directive, 0,
                           "\"artifact_derive\" in location \"%V\" replaces "
                           "all rules of the block around it, and \"%*s\" of "
                           "%V:%ui is not converted any more: repeat that "
                           "rule here", &check->clcf->name, type.len,
                           type.data, &there->directive->file,
                           there->directive->line);
            return;
        }
    }
}


/* Whether a type or a kind of a rule is in none of others. */

static ngx_uint_t
ngx_http_artifact_lint_lacks(ngx_array_t *rules,
    const art_derive_rule_t *outer, art_str_t *type)
{
    unsigned            kind, kinds;
    art_str_t           list;
    ngx_uint_t          i;
    art_derive_rule_t  *rule;

    kinds = 0;
    rule = rules->elts;

    for (i = 0; i < rules->nelts; i++) {
        kinds |= rule[i].kinds;
    }

    for (kind = 0; outer->kinds >> kind; kind++) {

        if (outer->kinds >> kind & 1 && !(kinds >> kind & 1)) {
            *type = art_cstr(art_kind_name((art_kind_t) kind));
            return 1;
        }
    }

    for (list = outer->from; list.len > 0; /* void */) {
        *type = ngx_http_artifact_lint_type(&list);

        if (!(kinds >> art_media_traits(*type).kind & 1)
            && !ngx_http_artifact_lint_covers(rules, *type))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_uint_t
ngx_http_artifact_lint_covers(ngx_array_t *rules, art_str_t type)
{
    art_str_t           list, one;
    ngx_uint_t          i;
    art_derive_rule_t  *rule;

    rule = rules->elts;

    for (i = 0; i < rules->nelts; i++) {

        for (list = rule[i].from; list.len > 0; /* void */) {
            one = ngx_http_artifact_lint_type(&list);

            if (art_media_in(one, type)) {
                return 1;
            }
        }
    }

    return 0;
}


/* The first type of a list, which is shortened. */

static art_str_t
ngx_http_artifact_lint_type(art_str_t *list)
{
    art_str_t       type;
    const uint8_t  *comma;

    type = *list;
    comma = memchr(list->data, ',', list->len);

    if (comma) {
        type.len = (size_t) (comma - list->data);
        list->data = comma + 1;
        list->len -= type.len + 1;

    } else {
        list->len = 0;
    }

    return type;
}


static void
ngx_http_artifact_lint_rule(ngx_conf_t *cf, ngx_http_artifact_check_t *check,
    const art_derive_rule_t *rule)
{
    ngx_str_t                       *text;
    ngx_http_artifact_derive_uri_t  *uri;

    uri = rule->data;
    text = &uri->value.value;

    if (!rule->body && uri->value.lengths == NULL && text->len > 0
        && text->data[text->len - 1] != '/'
        && ngx_http_artifact_lint_composes(check))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, uri->directive, 0,
                       "\"artifact_derive\" asks \"%V\" for a conversion, and "
                       "does not tell of what: add \"body\", or a slash at "
                       "the end, which the id follows", text);
    }
}


/* The location of a rule, and of others after it. */

static void
ngx_http_artifact_lint_converter(ngx_conf_t *cf,
    ngx_http_artifact_check_t *check, const art_derive_rule_t *rule,
    ngx_http_core_loc_conf_t *clcf)
{
    ngx_http_artifact_derive_uri_t   *uri;
    ngx_http_artifact_expand_conf_t  *expand;

    uri = rule->data;

    if (clcf->handler == NULL || ngx_http_artifact_handles(clcf)) {
        return;
    }

    expand = ngx_http_artifact_conf_of(ngx_http_artifact_lint_conf(clcf),
                                       ngx_http_artifact_expand_module);

    if (expand->expand || expand->standins) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, uri->directive, 0,
                       "\"artifact_derive\" asks \"%V\", which leads to "
                       "location \"%V\": what is to be converted is sent to "
                       "a model's API, add a location for the converter",
                       &uri->value.value, &clcf->name);
        return;
    }

    if (clcf->name.len == 1 && clcf->name.data[0] == '/') {
        return;
    }

    if (!ngx_http_artifact_lint_protects(cf, check->cscf, clcf->loc_conf)) {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, uri->directive, 0,
                       "\"artifact_derive\": location \"%V\" is open to "
                       "clients, which could have anything converted: add "
                       "\"internal\" to it", &clcf->name);
    }

    if (rule->body
        && ngx_http_artifact_lint_caches(cf, clcf->loc_conf)
        && !ngx_http_artifact_variable_is_used(cf, "artifact_version")
        && !ngx_http_artifact_variable_is_used(cf, "artifact_body_hash"))
    {
        ngx_http_artifact_log_error(cf, NGX_LOG_WARN, uri->directive, 0,
                       "\"artifact_derive\": conversions are cached in "
                       "location \"%V\", and no key has what is converted: "
                       "one content gets the form of another, use "
                       "\"$artifact_version\" in the key", &clcf->name);
    }
}
