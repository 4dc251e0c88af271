
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The answer of "artifact_status".
 */


#include "http/status/ngx_http_artifact_status.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_counters.h"
#include "http/base/ngx_http_artifact_util.h"


typedef struct {
    ngx_str_t    name;
    ngx_str_t    type;
    void       (*print)(art_out_t *out, const art_counters_t *counters,
                        const uint64_t *values);
} ngx_http_artifact_status_form_t;


static ngx_http_artifact_status_form_t *ngx_http_artifact_status_form(
    ngx_str_t *name);


/* The first one is the default. */

static ngx_http_artifact_status_form_t  ngx_http_artifact_status_forms[] = {

    { ngx_string("prometheus"),
      ngx_string("text/plain; version=0.0.4; charset=utf-8"),
      art_counters_text },

    { ngx_string("json"), ngx_string("application/json"), art_counters_json },

    { ngx_null_string, ngx_null_string, NULL }
};


ngx_int_t
ngx_http_artifact_status(ngx_http_request_t *r, ngx_http_artifact_ctx_t *ctx)
{
    uint64_t                         *values;
    art_out_t                         out;
    ngx_str_t                         name;
    const art_counters_t             *counters;
    ngx_http_artifact_status_form_t  *form;

    static ngx_str_t  no_store = ngx_string("no-store");

    if (ngx_http_artifact_arg(r, "format", &name) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    form = ngx_http_artifact_status_form(&name);

    if (form == NULL) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_ARGUMENT);
    }

    values = ngx_http_artifact_counts(r, &counters);

    if (values == NULL
        || ngx_http_artifact_add_header(r, "Cache-Control", &no_store)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_memzero(&out, sizeof(art_out_t));

    do {
        form->print(&out, counters, values);
    } while (ngx_http_artifact_print_again(r->pool, &out));

    return ngx_http_artifact_send_text(r, ctx, NGX_HTTP_OK, &form->type, &out);
}


static ngx_http_artifact_status_form_t *
ngx_http_artifact_status_form(ngx_str_t *name)
{
    ngx_http_artifact_status_form_t  *form;

    form = ngx_http_artifact_status_forms;

    if (name->len == 0) {
        return form;
    }

    for ( /* void */ ; form->print; form++) {

        if (name->len == form->name.len
            && ngx_strncmp(name->data, form->name.data, name->len) == 0)
        {
            return form;
        }
    }

    return NULL;
}
