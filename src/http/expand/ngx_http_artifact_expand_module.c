
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The module of expansion: its directives, its variables, and where nginx calls
 * it.
 */


#include "http/expand/ngx_http_artifact_expand.h"
#include "http/expand/ngx_http_artifact_expand_standin.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/upkeep/ngx_http_artifact_upkeep.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/api/art_api.h"
#include "core/expand/art_expand_edit.h"


/* A variable's text, of an expansion that may be NULL. */

typedef art_str_t (*ngx_http_artifact_expand_text_pt)(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex);


static void *ngx_http_artifact_expand_create_main_conf(ngx_conf_t *cf);
static void *ngx_http_artifact_expand_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_expand_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_set_argument(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_set_standins(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_artifact_expand_rooted(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *alcf);
static ngx_int_t ngx_http_artifact_expand_preinit(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_expand_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_expand_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);
static ngx_int_t ngx_http_artifact_expand_log(ngx_http_request_t *r);
static art_became_t ngx_http_artifact_expand_became(
    ngx_http_artifact_expand_t *ex, uint32_t i);
static void ngx_http_artifact_expand_part(ngx_http_artifact_expand_t *ex,
    uint32_t i, unsigned *kind, unsigned *outcome);
static void ngx_http_artifact_expand_count_standins(ngx_http_request_t *r);
static unsigned ngx_http_artifact_expand_standin_outcome(
    ngx_http_artifact_expand_t *ex, uint32_t i);
static ngx_http_artifact_expand_t *ngx_http_artifact_expand_ended(
    ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_expand_count_variable(
    ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data);
static ngx_int_t ngx_http_artifact_expand_text_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);
static art_str_t ngx_http_artifact_expand_api_name(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex);
static art_str_t ngx_http_artifact_expand_model_name(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex);
static art_str_t ngx_http_artifact_expand_body_hash(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex);


static ngx_http_request_body_filter_pt  ngx_http_next_request_body_filter;


static ngx_conf_enum_t  ngx_http_artifact_expand_names[] = {
    { ngx_string("off"), NGX_HTTP_ARTIFACT_EXPAND_OFF },
    { ngx_string("on"), NGX_HTTP_ARTIFACT_EXPAND_ON },
    { ngx_string("standins"), NGX_HTTP_ARTIFACT_EXPAND_STANDINS },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_http_artifact_expand_commands[] = {

    { ngx_string("artifact_expand"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_enum,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_expand_conf_t, expand),
      &ngx_http_artifact_expand_names },

    { ngx_string("artifact_prompt"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_expand_conf_t, prompt),
      &ngx_http_artifact_noted },

    { ngx_string("artifact_argument"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_argument,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_expand_conf_t, argument),
      NULL },

    { ngx_string("artifact_offload_request"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE12,
      ngx_http_artifact_set_standins,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_expand_conf_t, standins),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_expand_module_ctx = {
    .preconfiguration = ngx_http_artifact_expand_preinit,
    .postconfiguration = ngx_http_artifact_expand_init,
    .create_main_conf = ngx_http_artifact_expand_create_main_conf,
    .create_loc_conf = ngx_http_artifact_expand_create_conf,
    .merge_loc_conf = ngx_http_artifact_expand_merge_conf
};


ngx_module_t  ngx_http_artifact_expand_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_expand_module_ctx,
                             ngx_http_artifact_expand_commands);


/* The counts are numbered from 0. */

static ngx_http_variable_t  ngx_http_artifact_expand_variables[] = {

    { ngx_string("artifact_model"), NULL,
      ngx_http_artifact_expand_text_variable,
      (uintptr_t) ngx_http_artifact_expand_model_name,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_api"), NULL,
      ngx_http_artifact_expand_text_variable,
      (uintptr_t) ngx_http_artifact_expand_api_name,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_body_hash"), NULL,
      ngx_http_artifact_expand_text_variable,
      (uintptr_t) ngx_http_artifact_expand_body_hash,
      NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_refs"), NULL,
      ngx_http_artifact_expand_count_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_expanded"), NULL,
      ngx_http_artifact_expand_count_variable,
      1, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_degraded"), NULL,
      ngx_http_artifact_expand_count_variable,
      2, NGX_HTTP_VAR_NOCACHEABLE, 0 },

    { ngx_string("artifact_saved"), NULL,
      ngx_http_artifact_expand_count_variable,
      3, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


static void *
ngx_http_artifact_expand_create_main_conf(ngx_conf_t *cf)
{
    return ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_expand_main_conf_t));
}


static void *
ngx_http_artifact_expand_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_expand_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_expand_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->expand = NGX_CONF_UNSET_UINT;
    conf->prompt = NGX_CONF_UNSET;

    return conf;
}


static char *
ngx_http_artifact_expand_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_expand_conf_t *prev = parent;
    ngx_http_artifact_expand_conf_t *conf = child;

    ngx_http_artifact_loc_conf_t          *alcf;
    ngx_http_artifact_main_conf_t         *amcf;
    ngx_http_artifact_expand_main_conf_t  *emcf;

    ngx_conf_merge_uint_value(conf->expand, prev->expand,
                              NGX_HTTP_ARTIFACT_EXPAND_OFF);
    ngx_conf_merge_value(conf->prompt, prev->prompt, 0);

    if (conf->argument == NULL) {
        conf->argument = prev->argument;
    }

    if (conf->argument && conf->argument->lengths == NULL
        && art_argument_find(ngx_artifact_str(&conf->argument->value))
           == ART_ARGUMENT_OFF)
    {
        conf->argument = NULL;
    }

    if (conf->standins == NULL) {
        conf->standins = prev->standins;
        conf->scope = prev->scope;
    }

    if (conf->standins && conf->standins->lengths == NULL
        && art_str_eq(ngx_artifact_str(&conf->standins->value),
                      art_cstr("off")))
    {
        conf->standins = NULL;
    }

    if (!conf->expand && !conf->prompt && !conf->argument && !conf->standins) {
        return NGX_CONF_OK;
    }

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    emcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_expand_module);
    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);

    amcf->used = 1;
    emcf->used = 1;
    alcf->requests = ngx_http_artifact_expand_too_large;

    return conf->standins == NULL
           || ngx_http_artifact_expand_rooted(cf, alcf) == NGX_OK
           ? NGX_CONF_OK : NGX_CONF_ERROR;
}


/* A server's own configuration counts only if it has no locations. */

static ngx_int_t
ngx_http_artifact_expand_rooted(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *alcf)
{
    ngx_http_core_loc_conf_t  *clcf;

    if (alcf->root) {
        return ngx_http_artifact_upkeep_root(cf, alcf);
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->name.len == 0 && !clcf->noname) {
        return NGX_OK;
    }

    ngx_http_artifact_log_error(cf, NGX_LOG_EMERG,
                                ngx_http_artifact_directive(alcf,
                                                "artifact_offload_request"), 0,
                                "\"artifact_offload_request\" in location "
                                "\"%V\" requires \"artifact_root\"",
                                &clcf->name);
    return NGX_ERROR;
}


/* "on" or "off", or a value that is known only later; and the scope. */

static char *
ngx_http_artifact_set_standins(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_expand_conf_t *elcf = conf;

    ngx_str_t  *value, scope;

    value = cf->args->elts;

    if (ngx_http_script_variables_count(&value[1]) == 0
        && !art_str_eq(ngx_artifact_str(&value[1]), art_cstr("on"))
        && !art_str_eq(ngx_artifact_str(&value[1]), art_cstr("off")))
    {
        return ngx_http_artifact_set_invalid(cf, "\"on\" or \"off\"");
    }

    if (cf->args->nelts > 2 && elcf->standins == NULL) {

        if (ngx_strncmp(value[2].data, "scope=", sizeof("scope=") - 1) != 0) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               "invalid parameter \"%V\"", &value[2]);
            return NGX_CONF_ERROR;
        }

        scope.data = value[2].data + sizeof("scope=") - 1;
        scope.len = value[2].len - (sizeof("scope=") - 1);

        elcf->scope = ngx_pcalloc(cf->pool, sizeof(ngx_http_complex_value_t));

        if (elcf->scope == NULL
            || ngx_http_artifact_compile(cf, &scope, elcf->scope) != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    return ngx_http_artifact_set_complex(cf, cmd, conf);
}


/* Only a constant can be checked. */

static char *
ngx_http_artifact_set_argument(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    unsigned                      i;
    ngx_str_t                    *value;
    ngx_http_artifact_choices_t   choices;

    value = cf->args->elts;

    if (ngx_http_script_variables_count(&value[1]) > 0
        || art_argument_find(ngx_artifact_str(&value[1])) != ART_ARGUMENT_MAX)
    {
        return ngx_http_artifact_set_complex(cf, cmd, conf);
    }

    choices.p = choices.text;

    for (i = 0; i < ART_ARGUMENT_MAX; i++) {
        ngx_http_artifact_choice(&choices, art_cstr(art_argument_names[i]),
                                 i == ART_ARGUMENT_MAX - 1);
    }

    return ngx_http_artifact_set_invalid(cf, (char *) choices.text);
}


static ngx_int_t
ngx_http_artifact_expand_preinit(ngx_conf_t *cf)
{
    return ngx_http_artifact_variables_add(cf,
                                           ngx_http_artifact_expand_variables);
}


/*
 * A filter that runs after this one might change the body: if there is one, no
 * body is scanned as it comes in.
 */

static ngx_int_t
ngx_http_artifact_expand_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t         *amcf;
    ngx_http_artifact_expand_main_conf_t  *emcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);
    emcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_artifact_expand_module);

    if (!emcf->used) {
        return NGX_OK;
    }

    emcf->hashes = ngx_http_artifact_variable_is_used(cf, "artifact_body_hash")
                   & 1;
    emcf->names = ngx_http_artifact_variable_is_used(cf, "artifact_model") & 1;

    ngx_http_next_request_body_filter = NULL;

    if (ngx_http_top_request_body_filter
        == ngx_http_request_body_save_filter)
    {
        ngx_http_next_request_body_filter = ngx_http_top_request_body_filter;
        ngx_http_top_request_body_filter =
                                          ngx_http_artifact_expand_body_filter;
    }

    if (amcf->status
        && ngx_http_artifact_add_handler(cf, NGX_HTTP_LOG_PHASE,
                                         ngx_http_artifact_expand_log)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_artifact_add_handler(cf, NGX_HTTP_PRECONTENT_PHASE,
                                         ngx_http_artifact_expand_handler);
}


static ngx_int_t
ngx_http_artifact_expand_body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    ngx_chain_t                 *cl;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r);

    for (cl = in; ex && ex->name && cl; cl = cl->next) {

        if (ngx_buf_in_memory(cl->buf)) {
            art_name_feed(ex->name, cl->buf->pos,
                          (size_t) (cl->buf->last - cl->buf->pos));
        }
    }

    if (ex) {
        return ngx_http_artifact_expand_scan_filter(ex, in,
                                            ngx_http_next_request_body_filter);
    }

    return ngx_http_next_request_body_filter(r, in);
}


/*
 * What became of each part.  The context is that of the request, which an error
 * page may have redirected.
 */

static ngx_int_t
ngx_http_artifact_expand_log(ngx_http_request_t *r)
{
    uint32_t                          i;
    unsigned                          at[3];
    art_edit_counts_t                 counts;
    ngx_http_artifact_expand_t       *ex;
    ngx_http_artifact_expand_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_expand_module);

    if (r != r->main) {
        return NGX_OK;
    }

    ngx_http_artifact_expand_count_standins(r);

    ex = ngx_http_artifact_expand_ended(r);

    if (ex == NULL || ex->parts == NULL
        || (!conf->expand && !conf->argument))
    {
        return NGX_OK;
    }

    ngx_memzero(&counts, sizeof(art_edit_counts_t));
    art_edit_count(&ex->plan, &counts);

    ngx_http_artifact_count(ART_COUNT_SAVED, NULL, counts.saved);

    if (ex->unknown) {
        ngx_http_artifact_count_one(ART_COUNT_UNKNOWN, ART_COUNT_BY_API);
    }

    if (ex->api == &art_api_any) {
        return NGX_OK;
    }

    at[0] = art_api_request_number(ex->api);

    for (i = 0; i < ex->nslots; i++) {
        ngx_http_artifact_expand_part(ex, i, &at[1], &at[2]);
        ngx_http_artifact_count(ART_COUNT_PARTS, at, 1);
    }

    return NGX_OK;
}


/* What a slot holds, as far as it is known, and what became of it. */

static void
ngx_http_artifact_expand_part(ngx_http_artifact_expand_t *ex, uint32_t i,
    unsigned *kind, unsigned *outcome)
{
    const art_message_slot_t        *slot;
    const art_message_edit_t        *edit;
    ngx_http_artifact_expand_ref_t  *ref;

    static const unsigned  outcomes[] = {
        ART_COUNT_KEPT,              /* ART_BECOMES_ITSELF */
        ART_COUNT_AS_PART,           /* ART_BECOMES_PART */
        ART_COUNT_AS_TEXT,           /* ART_BECOMES_TEXT */
        ART_COUNT_DESCRIBED,         /* ART_BECOMES_DESCRIBED */
        ART_COUNT_NAMED              /* ART_BECOMES_NAMED */
    };

    slot = art_scan_slot(ex->scan, i);
    edit = &ex->plan.edits[i];
    ref = NULL;
    *kind = slot->kind;

    if (slot->held == ART_HELD_REF) {
        ref = slot->malformed ? NULL : &ex->refs[slot->ref];
        *kind = ref && ref->known ? ref->view.kind : ART_KIND_OTHER;
    }

    if (edit->dropped) {
        *outcome = ART_COUNT_DROPPED;

    } else if (slot->malformed || (ref && ref->missing)) {
        *outcome = edit->expired ? ART_COUNT_PART_EXPIRED : ART_COUNT_MISSING;

    } else {
        *outcome = edit->by_url ? ART_COUNT_AS_URL : outcomes[edit->becomes];
    }
}


/*
 * What became of the stand-ins in a request that comes from a gateway.  An
 * error page must not hide from alerts what is missing.
 */

static void
ngx_http_artifact_expand_count_standins(ngx_http_request_t *r)
{
    uint32_t                     i;
    unsigned                     at[3];
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand_last(r);

    if (ex == NULL || ex->scan == NULL || ex->standins
        || (ex->step != NGX_HTTP_ARTIFACT_EXPAND_DONE && !ex->refused))
    {
        return;
    }

    at[0] = ART_COUNT_BEHIND;
    at[2] = ART_COUNT_STANDIN_UNTOUCHED;

    for (at[1] = ART_STANDIN_PNG; at[1] < ART_STANDIN_KINDS; at[1]++) {

        if (ex->scan->untouched[at[1]] > 0) {
            ngx_http_artifact_count(ART_COUNT_STANDINS, at,
                                    ex->scan->untouched[at[1]]);
        }
    }

    for (i = 0; ex->plan.edits && i < ex->nslots; i++) {
        slot = art_scan_slot(ex->scan, i);

        if (slot->held == ART_HELD_REF && slot->standin != ART_STANDIN_NONE) {
            at[1] = slot->standin;
            at[2] = ngx_http_artifact_expand_standin_outcome(ex, i);

            if (at[2] < ART_COUNT_STANDIN_UNTOUCHED) {
                ngx_http_artifact_count(ART_COUNT_STANDINS, at, 1);
            }
        }
    }
}


/* Of a request that is refused, only what was the reason counts. */

static unsigned
ngx_http_artifact_expand_standin_outcome(ngx_http_artifact_expand_t *ex,
    uint32_t i)
{
    const art_message_edit_t        *edit;
    ngx_http_artifact_expand_ref_t  *ref;

    edit = &ex->plan.edits[i];

    if (ex->refused) {

        if (i != ex->slot || ex->error != ART_MESSAGE_ERR_SOURCE) {
            return ART_COUNT_STANDIN_UNTOUCHED;
        }

        ref = &ex->refs[art_scan_slot(ex->scan, i)->ref];

        return ref->mismatch ? ART_COUNT_STANDIN_MISMATCH
                             : ART_COUNT_STANDIN_MISSING;
    }

    return edit->dropped || edit->becomes >= ART_BECOMES_DESCRIBED
           ? ART_COUNT_STANDIN_DESCRIBED : ART_COUNT_STANDIN_EXPANDED;
}


ngx_int_t
ngx_http_artifact_expand_asked(ngx_http_request_t *r,
    ngx_http_artifact_asked_t *asked)
{
    ngx_http_artifact_expand_t        *ex;
    const ngx_http_artifact_reader_t  *reader;

    ex = ngx_http_artifact_expand_last(r);

    if (ex == NULL || (ex->api == NULL && ex->name == NULL)) {
        return NGX_DECLINED;
    }

    asked->api = ngx_http_artifact_expand_api_name(r, ex);
    asked->model = ngx_http_artifact_expand_model_name(r, ex);
    asked->unknown = ex->unknown;

    reader = ex->readers;

    if (reader && reader->service) {
        asked->service = reader->service->id;
    }

    return NGX_OK;
}


void
ngx_http_artifact_expand_recent(ngx_http_request_t *r, art_recent_t *recent)
{
    uint32_t                     i;
    art_str_t                    id, none;
    ngx_uint_t                   fine;
    art_became_t                 became;
    const art_message_slot_t    *slot;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand_last(r);
    none = art_str(NULL, 0);

    if (ex->refused) {
        art_recent_add(recent, ART_BECAME_REFUSED, ART_KIND_OTHER,
                       ex->error_ref, art_message_error_code(ex->error));
        return;
    }

    if (ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE || ex->parts == NULL) {
        return;
    }

    for (fine = 0; fine < 2; fine++) {

        for (i = 0; i < ex->nslots; i++) {
            became = ngx_http_artifact_expand_became(ex, i);

            if (fine != (became < ART_BECAME_DEGRADED)) {
                continue;
            }

            slot = art_scan_slot(ex->scan, i);
            id = slot->held == ART_HELD_REF && !slot->standin ? slot->text
                                                              : none;

            art_recent_add(recent, became, slot->kind,
                           slot->malformed ? art_recent_given(id) : id,
                           became == ART_BECAME_DEGRADED
                           ? art_plan_reason(&ex->plan.edits[i]) : NULL);
        }
    }
}


static art_became_t
ngx_http_artifact_expand_became(ngx_http_artifact_expand_t *ex, uint32_t i)
{
    unsigned  kind, outcome;

    static const art_became_t  became[] = {
        ART_BECAME_KEPT,             /* ART_COUNT_KEPT */
        ART_BECAME_EXPANDED,         /* ART_COUNT_AS_PART */
        ART_BECAME_EXPANDED,         /* ART_COUNT_AS_TEXT */
        ART_BECAME_DEGRADED,         /* ART_COUNT_DESCRIBED */
        ART_BECAME_DEGRADED,         /* ART_COUNT_NAMED */
        ART_BECAME_DEGRADED,         /* ART_COUNT_DROPPED */
        ART_BECAME_MISSING,          /* ART_COUNT_MISSING */
        ART_BECAME_URL,              /* ART_COUNT_AS_URL */
        ART_BECAME_EXPIRED           /* ART_COUNT_PART_EXPIRED */
    };

    ngx_http_artifact_expand_part(ex, i, &kind, &outcome);

    return ex->plan.edits[i].derived && became[outcome] == ART_BECAME_EXPANDED
           ? ART_BECAME_DERIVED : became[outcome];
}


/* The expansion of a request once it is known what became of its parts. */

static ngx_http_artifact_expand_t *
ngx_http_artifact_expand_ended(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    if (ex == NULL || ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE
        || ex->scan == NULL)
    {
        return NULL;
    }

    return ex;
}


void
ngx_http_artifact_expand_reasons(ngx_http_request_t *r, art_reasons_t *reasons)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand(r->main);

    if (ex && ex->step >= NGX_HTTP_ARTIFACT_EXPAND_DONE && ex->plan.edits) {
        art_plan_reasons(&ex->plan, reasons);
    }
}


ngx_http_artifact_reader_t *
ngx_http_artifact_expand_reader(ngx_http_request_t *r)
{
    ngx_http_artifact_expand_t  *ex;

    ex = r == r->main ? ngx_http_artifact_expand_ended(r) : NULL;

    return ex && !ex->argument ? ex->readers : NULL;
}


static ngx_int_t
ngx_http_artifact_expand_count_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                      *p;
    uint64_t                     n[4];
    art_edit_counts_t            counts;
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand_ended(r);

    if (ex == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    ngx_memzero(&counts, sizeof(art_edit_counts_t));

    if (ex->plan.edits) {
        art_edit_count(&ex->plan, &counts);
    }

    n[0] = ex->scan->occurrences;
    n[1] = counts.expanded;
    n[2] = counts.degraded;
    n[3] = counts.saved;

    p = ngx_pnalloc(r->pool, NGX_INT64_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v,
                   art_str(p, (size_t) (ngx_sprintf(p, "%uL", n[data]) - p)));

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_expand_offloaded(ngx_http_request_t *r, uint64_t *count,
    uint64_t *bytes)
{
    ngx_http_artifact_expand_t  *ex;

    ex = ngx_http_artifact_expand_last(r->main);

    if (ex == NULL || ex->standins == NULL
        || ex->step < NGX_HTTP_ARTIFACT_EXPAND_DONE)
    {
        return NGX_DECLINED;
    }

    *count += ex->standins->count;
    *bytes += ex->standins->bytes;

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_expand_text_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_http_artifact_expand_text_pt  text;

    text = (ngx_http_artifact_expand_text_pt) data;

    return ngx_http_artifact_variable_text(r, v,
                                  text(r, ngx_http_artifact_expand(r->main)));
}


static art_str_t
ngx_http_artifact_expand_api_name(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex)
{
    if (ex && ex->name) {
        return art_cstr(ex->named->name);
    }

    return ex && ex->api ? art_cstr(ex->api->name) : art_str(NULL, 0);
}


static art_str_t
ngx_http_artifact_expand_model_name(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex)
{
    if (ex && ex->name && art_name_model(ex->name).len > 0) {
        return art_name_model(ex->name);
    }

    return ex ? ngx_http_artifact_expand_model(ex) : art_str(NULL, 0);
}


/*
 * SHA-256 of the body that is sent on, hexadecimal.  Empty without a body,
 * before it is known, and where bodies are not examined; the last case is
 * logged if it may be the key under which an upstream's answer is cached.
 */

static art_str_t
ngx_http_artifact_expand_body_hash(ngx_http_request_t *r,
    ngx_http_artifact_expand_t *ex)
{
    /* an empty key would be shared by all bodies */

    if (ex == NULL && r->upstream && !r->header_sent
        && (r->headers_in.content_length_n > 0 || r->headers_in.chunked))
    {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "\"$artifact_body_hash\" is empty without "
                      "\"artifact_expand\" and \"artifact_prompt\"");
    }

    return ex && ex->hash ? art_str(ex->hash, NGX_HTTP_ARTIFACT_EXPAND_DIGITS)
                          : art_str(NULL, 0);
}
