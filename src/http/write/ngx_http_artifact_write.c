
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Writes, on the side of the request: what its header says about the target and
 * the body; the body, which is written to a file piece by piece; and the
 * removal of files, which needs no body.
 */


#include "http/base/ngx_http_artifact_context.h"
#include "http/upkeep/ngx_http_artifact_upkeep.h"
#include "http/write/ngx_http_artifact_form.h"
#include "http/write/ngx_http_artifact_origin.h"
#include "http/write/ngx_http_artifact_ticket.h"
#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/base/ngx_http_artifact_util.h"
#include "http/base/ngx_http_artifact_work.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/write/ngx_http_artifact_write.h"
#include "store/disk/ngx_artifact_str.h"
#include "store/write/ngx_artifact_write.h"
#include "core/ref/art_ref_file.h"
#include "core/meta/art_meta.h"


static void *ngx_http_artifact_write_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_write_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_set_expires(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_uint_t ngx_http_artifact_write_is_form(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_write_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error);
static ngx_int_t ngx_http_artifact_write_answer_form(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_write_complete(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form);
static ngx_int_t ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_write_preconds(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_http_artifact_write_run(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_artifact_run_pt run,
    ngx_http_artifact_write_pt next);
static void ngx_http_artifact_write_ran(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_write_checked(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_upload(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);
static ngx_int_t ngx_http_artifact_upload_failed(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_int_t status);
static void ngx_http_artifact_upload_run(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_upload_feed(ngx_http_request_t *r,
    void *data);
static off_t ngx_http_artifact_upload_length(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write);


static const ngx_http_artifact_form_owner_t  ngx_http_artifact_write_owner = {
    ngx_http_artifact_write_refuse,
    ngx_http_artifact_write_answer_form,
    ngx_http_artifact_write_complete
};


static ngx_command_t  ngx_http_artifact_write_commands[] = {

    { ngx_string("artifact_write"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_write_conf_t, write),
      &ngx_http_artifact_noted },

    { ngx_string("artifact_sync"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_write_conf_t, sync),
      &ngx_http_artifact_noted },

    { ngx_string("artifact_expires"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_expires,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_write_conf_t, expires),
      &ngx_http_artifact_noted },

    { ngx_string("artifact_agent"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_complex,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_write_conf_t, agent),
      NULL },

    { ngx_string("artifact_message_id"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_complex,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_write_conf_t, message_id),
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_artifact_write_module_ctx = {
    .create_loc_conf = ngx_http_artifact_write_create_conf,
    .merge_loc_conf = ngx_http_artifact_write_merge_conf
};


ngx_module_t  ngx_http_artifact_write_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_write_module_ctx,
                             ngx_http_artifact_write_commands);


static void *
ngx_http_artifact_write_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_write_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_write_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->write = NGX_CONF_UNSET;
    conf->sync = NGX_CONF_UNSET;
    conf->expires = NGX_CONF_UNSET;

    return conf;
}


static char *
ngx_http_artifact_write_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_write_conf_t *prev = parent;
    ngx_http_artifact_write_conf_t *conf = child;

    ngx_http_artifact_loc_conf_t  *alcf;

    ngx_conf_merge_value(conf->write, prev->write, 0);
    ngx_conf_merge_value(conf->sync, prev->sync, 1);
    ngx_conf_merge_sec_value(conf->expires, prev->expires, 0);

    if (ngx_http_artifact_merge_complex(cf, &conf->agent, prev->agent,
                                        "$http_x_agent_id")
        != NGX_OK
        || ngx_http_artifact_merge_complex(cf, &conf->message_id,
                                           prev->message_id,
                                           "$http_x_message_id")
           != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);
    alcf->writes = conf->write & 1;

    if (ngx_http_artifact_is_local(alcf) && alcf->root
        && (conf->write || alcf->role->uploads)
        && ngx_http_artifact_upkeep_root(cf, alcf) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* "off" is 0, and resets what is inherited. */

static char *
ngx_http_artifact_set_expires(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    time_t      sec;
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        ngx_str_set(&value[1], "0");
        return ngx_conf_set_sec_slot(cf, cmd, conf);
    }

    sec = ngx_parse_time(&value[1], 1);

    if (sec == (time_t) NGX_ERROR || sec == 0) {
        return ngx_http_artifact_set_invalid(cf, "a time of a second or more, "
                                             "such as \"30d\", or \"off\"");
    }

    if (sec < 3600 && ngx_atoi(value[1].data, value[1].len) == sec) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "\"artifact_expires\" \"%V\" is a time in seconds: "
                           "write \"%Vd\" for days, \"%Vm\" for minutes, or "
                           "\"%Vs\"", &value[1], &value[1], &value[1],
                           &value[1]);
    }

    return ngx_conf_set_sec_slot(cf, cmd, conf);
}


ngx_int_t
ngx_http_artifact_write_handler(ngx_http_request_t *r,
    ngx_http_artifact_ctx_t *ctx)
{
    ngx_int_t                   rc;
    ngx_artifact_write_job_t   *job;
    ngx_http_artifact_write_t  *write;

    /* for PUT and DELETE a browser asks the server first */

    rc = r->method == NGX_HTTP_POST
         ? ngx_http_artifact_check_request_origin(r, ctx->conf) : NGX_OK;

    if (rc == NGX_DECLINED) {
        return ngx_http_artifact_send_error(r, ctx, ART_ERR_PERMISSION);
    }

    if (rc == NGX_OK && r->method == NGX_HTTP_POST
        && ngx_http_artifact_write_is_form(r))
    {
        return ngx_http_artifact_form_upload(r, ctx,
                                          &ngx_http_artifact_write_owner, 1);
    }

    write = rc == NGX_OK ? ngx_http_artifact_write_create(r, ctx) : NULL;

    if (write == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    job = &write->job;

    job->remove = (r->method == NGX_HTTP_DELETE);
    job->artifact = (r->method == NGX_HTTP_POST || ctx->ticket);
    job->given = ctx->ticket;

    rc = ngx_http_artifact_write_check(r, write);

    if (job->error != ART_ERR_MAX) {
        return ngx_http_artifact_write_answer(r, write);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact write: %V \"%*s\", length %O",
                   &r->method_name, ctx->ref.id.len, ctx->ref.id.data,
                   r->headers_in.content_length_n);

    if (job->remove) {
        return ngx_http_artifact_write_run(r, write, ngx_artifact_write_remove,
                                           ngx_http_artifact_write_answer);
    }

    /* refuse what can be refused before the body is read */

    return job->artifact && !job->given
           ? ngx_http_artifact_upload(r, write)
           : ngx_http_artifact_write_run(r, write,
                                         job->given ? ngx_artifact_given_check
                                                    : ngx_artifact_write_check,
                                         ngx_http_artifact_write_checked);
}


static ngx_uint_t
ngx_http_artifact_write_is_form(ngx_http_request_t *r)
{
    ngx_table_elt_t  *type;

    static u_char  form[] = "multipart/form-data";

    type = r->headers_in.content_type;

    return type && type->value.len >= sizeof(form) - 1
           && ngx_strncasecmp(type->value.data, form, sizeof(form) - 1) == 0;
}


static ngx_int_t
ngx_http_artifact_write_refuse(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form, const art_file_error_t *error)
{
    ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                  "client sent a form without one whole file: %*s",
                  error->detail.len, error->detail.data);

    (void) ngx_artifact_write_fail(&form->write->job, ART_ERR_ONE_FILE, NULL);

    return ngx_http_artifact_write_answer(r, form->write);
}


static ngx_int_t
ngx_http_artifact_write_answer_form(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    return ngx_http_artifact_write_answer(r, form->write);
}


/* The argument "name" counts before that of the file. */

static ngx_int_t
ngx_http_artifact_write_complete(ngx_http_request_t *r,
    ngx_http_artifact_form_t *form)
{
    return ngx_http_artifact_write_name(r, &form->write->job);
}


/*
 * Checks the request's header.  NGX_ERROR with job->error set, or when out of
 * memory.
 */

static ngx_int_t
ngx_http_artifact_write_check(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t                  rc;
    ngx_artifact_write_job_t  *job;

    job = &write->job;

    if (job->given) {
        rc = ngx_http_artifact_ticket_read(r, write);

    } else {
        rc = job->artifact ? ngx_http_artifact_write_name(r, job)
                           : ngx_http_artifact_write_target(r, write);
    }

    if (rc == NGX_OK && !job->remove) {
        rc = ngx_http_artifact_write_body(r, job);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (r->headers_in.if_unmodified_since) {
        job->unmodified_since = ngx_parse_http_time(
                               r->headers_in.if_unmodified_since->value.data,
                               r->headers_in.if_unmodified_since->value.len);
    }

    if ((!job->artifact || job->given)
        && ngx_http_artifact_write_preconds(r, job) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_artifact_write_place(r, write) != NGX_OK) {
        return NGX_ERROR;
    }

    if (job->artifact) {
        ngx_http_artifact_write_artifact(write);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_name(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    u_char     *buf;
    ngx_str_t   value;

    if (ngx_http_arg(r, (u_char *) "name", 4, &value) != NGX_OK) {
        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact write: name \"%V\"",
                   &value);

    buf = ngx_pnalloc(r->pool, value.len + 1);
    if (buf == NULL) {
        return NGX_ERROR;
    }

    if (art_ref_name_artifact(ngx_artifact_str(&value), buf, &job->path)
        != ART_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_NAME, NULL);
    }

    return NGX_OK;
}


/* Checks what the header says about the body, and whether there is one. */

static ngx_int_t
ngx_http_artifact_write_body(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    if (r->headers_in.content_range) {
        return ngx_artifact_write_fail(job, ART_ERR_PIECE, NULL);
    }

    /* a coding is not recorded, so the content would be served undecoded */

    if (ngx_http_artifact_is_encoded(&r->headers_in.headers)) {
        return ngx_artifact_write_fail(job, ART_ERR_MEDIA_TYPE, NULL);
    }

    if (r->headers_in.content_type && !job->given) {
        job->mime = ngx_artifact_str(&r->headers_in.content_type->value);
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact write: body of %O bytes, type \"%*s\"",
                   r->headers_in.content_length_n, job->mime.len,
                   job->mime.data);

    /* a tool that sends a form means the file in it */

    if (!job->given && ngx_http_artifact_write_is_form(r)) {
        return ngx_artifact_write_fail(job, ART_ERR_FORM, NULL);
    }

    if (!art_meta_type_valid(job->mime)) {
        return ngx_artifact_write_fail(job, ART_ERR_MIME, NULL);
    }

    /* without a body a file must not be replaced by an empty one */

    if (r->headers_in.content_length_n < 0 && !r->headers_in.chunked)
    {
        return ngx_artifact_write_fail(job, ART_ERR_LENGTH, NULL);
    }

    return job->sized && r->headers_in.content_length_n >= 0
           && r->headers_in.content_length_n != job->exact
           ? ngx_artifact_write_fail(job, ART_ERR_SIZE, NULL) : NGX_OK;
}


static ngx_int_t
ngx_http_artifact_write_preconds(ngx_http_request_t *r,
    ngx_artifact_write_job_t *job)
{
    size_t            n;
    ngx_uint_t        i, kind;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *header;

    /* indexed by art_precondition_t */

    static const char *const  names[2] = { "If-Match", "If-None-Match" };

    n = 0;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        n += part->nelts;
    }

    job->preconds[0] = ngx_palloc(r->pool, 2 * n * sizeof(art_str_t));
    if (job->preconds[0] == NULL) {
        return NGX_ERROR;
    }

    job->preconds[1] = job->preconds[0] + n;

    for (part = &r->headers_in.headers.part; part; part = part->next) {

        header = part->elts;

        for (i = 0; i < part->nelts; i++) {

            for (kind = 0; kind < 2; kind++) {

                if (ngx_http_artifact_header_is(&header[i], names[kind])) {
                    job->preconds[kind][job->npreconds[kind]++] =
                                          ngx_artifact_str(&header[i].value);
                }
            }
        }
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact write: %ud If-Match, %ud If-None-Match",
                   job->npreconds[0], job->npreconds[1]);

    return NGX_OK;
}


/* Runs a job without a body; "next" returns what the content handler has to. */

static ngx_int_t
ngx_http_artifact_write_run(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_artifact_run_pt run,
    ngx_http_artifact_write_pt next)
{
    write->next = next;
    r->write_event_handler = ngx_http_artifact_write_ran;

    if (ngx_http_artifact_request_task(r, &write->task, run, &write->job)
        == NGX_AGAIN)
    {
        r->main->count++;
        return NGX_DONE;
    }

    r->write_event_handler = ngx_http_request_empty_handler;

    return next(r, write);
}


static void
ngx_http_artifact_write_ran(ngx_http_request_t *r)
{
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);

    r->write_event_handler = ngx_http_request_empty_handler;

    ngx_http_finalize_request(r, write->next(r, write));
}


static ngx_int_t
ngx_http_artifact_write_checked(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, r->connection->log, write->job.err,
                   "http artifact write checked: exists:%d refused:%d",
                   write->job.exists, write->job.error != ART_ERR_MAX);

    return write->job.error != ART_ERR_MAX
           ? ngx_http_artifact_write_answer(r, write)
           : ngx_http_artifact_upload(r, write);
}


/*
 * Reads the body, writes it step by step, and answers; returns what the content
 * handler has to return.  At most one buffer is in memory, and nothing is read
 * while it is being written.
 */

static ngx_int_t
ngx_http_artifact_upload(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_int_t  rc;

    write->reader.run = ngx_http_artifact_upload_run;
    write->reader.feed = ngx_http_artifact_upload_feed;
    write->reader.data = write;

    rc = ngx_http_artifact_body_reader_start(&write->reader, r);

    if (rc == NGX_BUSY) {
        (void) ngx_artifact_write_fail(&write->job, ART_ERR_BODY,
                                       "another handler reads the body");

        return ngx_http_artifact_write_answer(r, write);
    }

    return rc == NGX_DONE ? NGX_DONE
                          : ngx_http_artifact_upload_failed(r, write, rc);
}


/* Answers an error of nginx's body reader, as JSON if it has a code. */

static ngx_int_t
ngx_http_artifact_upload_failed(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write, ngx_int_t status)
{
    art_error_t  error;

    error = art_error_of_http((unsigned) status);

    if (error == ART_ERR_MAX) {
        return status;
    }

    r->keepalive = 0;

    (void) ngx_artifact_write_fail(&write->job, error, NULL);

    return ngx_http_artifact_write_answer(r, write);
}


/* Reads and writes in turn; called again by events and by threads. */

static void
ngx_http_artifact_upload_run(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_artifact_write_t  *write;

    if (r->aio) {
        return;
    }

    write = ngx_http_get_module_ctx(r, ngx_http_artifact_write_module);

    rc = ngx_http_artifact_body_reader_run(&write->reader, r);

    if (rc == NGX_AGAIN) {
        return;
    }

    ngx_http_finalize_request(r,
                         rc == NGX_OK
                         ? ngx_http_artifact_write_answer(r, write)
                         : ngx_http_artifact_upload_failed(r, write, rc));
}


/* Writes a piece of the body: the last one ends the write. */

static ngx_int_t
ngx_http_artifact_upload_feed(ngx_http_request_t *r, void *data)
{
    ngx_http_artifact_write_t *write = data;

    ngx_artifact_write_job_t         *job;
    ngx_http_artifact_body_reader_t  *reader;

    job = &write->job;
    reader = &write->reader;

    if (write->running) {
        write->running = 0;

    } else if (!reader->failed && (reader->in || reader->last)) {

        job->in = reader->in;
        job->last = reader->last;

        if (job->last) {
            job->length = ngx_http_artifact_upload_length(r, write);
        }

        ngx_http_artifact_body_reader_pause(reader, r);

        if (ngx_http_artifact_request_task(r, &write->task,
                                           ngx_artifact_write_step, job)
            == NGX_AGAIN)
        {
            write->running = 1;
            return NGX_AGAIN;
        }
    }

    job->in = NULL;

    if (job->error != ART_ERR_MAX) {
        ngx_http_artifact_body_reader_fail(reader);
    }

    return NGX_OK;
}


/*
 * The size of the body, as it was declared or as nginx has counted it; -1 if it
 * is not known.  Before a redirect another handler may have dropped or used
 * some of the body: then the rest is not what the client has sent.
 */

static off_t
ngx_http_artifact_upload_length(ngx_http_request_t *r,
    ngx_http_artifact_write_t *write)
{
    ngx_table_elt_t          *header;
    ngx_http_request_body_t  *rb;

    rb = r->request_body;
    header = r->headers_in.content_length;

    if (header) {
        return ngx_atoof(header->value.data, header->value.len);
    }

    if (rb == NULL) {
        return -1;
    }

    if (write->reader.own) {
        return rb->rest == 0 ? write->reader.received : -1;
    }

    /* dropped chunks are neither counted nor saved */

    return r->headers_in.content_length_n > 0 || rb->last_saved
           ? r->headers_in.content_length_n : -1;
}
