
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Signatures of URLs: the directives, and the access phase of locations that
 * demand one.
 */


#include "http/base/ngx_http_artifact_directive.h"
#include "http/base/ngx_http_artifact_answer.h"
#include "http/base/ngx_http_artifact_role.h"
#include "http/sign/ngx_http_artifact_url.h"

#include <sys/mman.h>


/* 10 years, so that times do not overflow. */

#define NGX_HTTP_ARTIFACT_SIGN_TTL_MAX  (10 * 365 * 24 * 60 * 60)


static ngx_int_t ngx_http_artifact_sign_preinit(ngx_conf_t *cf);
static ngx_int_t ngx_http_artifact_sign_init(ngx_conf_t *cf);
static void *ngx_http_artifact_sign_create_conf(ngx_conf_t *cf);
static char *ngx_http_artifact_sign_merge_conf(ngx_conf_t *cf, void *parent,
    void *child);
static char *ngx_http_artifact_set_sign_key(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static char *ngx_http_artifact_sign_scope(ngx_conf_t *cf,
    ngx_http_artifact_sign_conf_t *slcf);
static ngx_int_t ngx_http_artifact_sign_file(ngx_conf_t *cf, ngx_str_t *file,
    art_sign_keys_t *keys);
static ngx_int_t ngx_http_artifact_sign_read(ngx_conf_t *cf, ngx_file_t *file,
    art_sign_keys_t *keys);
static ngx_int_t ngx_http_artifact_sign_keys(ngx_conf_t *cf, ngx_str_t *file,
    art_sign_keys_t *keys, u_char *text, size_t len);
static art_sign_keys_t *ngx_http_artifact_sign_alloc(ngx_conf_t *cf);
static void ngx_http_artifact_sign_cleanup(void *data);
static char *ngx_http_artifact_set_sign_ttl(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_artifact_access_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_artifact_signature_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data);


static ngx_command_t  ngx_http_artifact_sign_commands[] = {

    { ngx_string("artifact_sign_key"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE12,
      ngx_http_artifact_set_sign_key,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("artifact_sign_ttl"),
      NGX_HTTP_ARTIFACT_ANY_CONF|NGX_CONF_TAKE1,
      ngx_http_artifact_set_sign_ttl,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_sign_conf_t, ttl),
      NULL },

    { ngx_string("artifact_signed"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_artifact_sign_conf_t, required),
      &ngx_http_artifact_noted },

      ngx_null_command
};


static ngx_http_variable_t  ngx_http_artifact_sign_variables[] = {

    { ngx_string("artifact_signature"), NULL,
      ngx_http_artifact_signature_variable,
      0, NGX_HTTP_VAR_NOCACHEABLE, 0 },

      ngx_http_null_variable
};


static ngx_http_module_t  ngx_http_artifact_sign_module_ctx = {
    .preconfiguration = ngx_http_artifact_sign_preinit,
    .postconfiguration = ngx_http_artifact_sign_init,
    .create_loc_conf = ngx_http_artifact_sign_create_conf,
    .merge_loc_conf = ngx_http_artifact_sign_merge_conf
};


ngx_module_t  ngx_http_artifact_sign_module =
    NGX_HTTP_ARTIFACT_MODULE(&ngx_http_artifact_sign_module_ctx,
                             ngx_http_artifact_sign_commands);


static ngx_int_t
ngx_http_artifact_sign_preinit(ngx_conf_t *cf)
{
    return ngx_http_artifact_variables_add(cf,
                                           ngx_http_artifact_sign_variables);
}


/* Where no location of ours answers, nothing is signed. */

static ngx_int_t
ngx_http_artifact_sign_init(ngx_conf_t *cf)
{
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (!amcf->used) {
        return NGX_OK;
    }

    return ngx_http_artifact_add_handler(cf, NGX_HTTP_ACCESS_PHASE,
                                         ngx_http_artifact_access_handler);
}


static void *
ngx_http_artifact_sign_create_conf(ngx_conf_t *cf)
{
    ngx_http_artifact_sign_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_artifact_sign_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    conf->ttl = NGX_CONF_UNSET;
    conf->required = NGX_CONF_UNSET;

    return conf;
}


static char *
ngx_http_artifact_set_sign_key(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_sign_conf_t *slcf = conf;

    ngx_str_t        *value;
    art_sign_keys_t  *keys;

    value = cf->args->elts;

    if (slcf->keys) {
        return "is duplicate";
    }

    if (ngx_conf_full_name(cf->cycle, &value[1], 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    keys = ngx_http_artifact_sign_alloc(cf);

    if (keys == NULL
        || ngx_http_artifact_sign_file(cf, &value[1], keys) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    slcf->keys = keys;

    if (cf->args->nelts == 3
        && ngx_http_artifact_sign_scope(cf, slcf) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_directive_add(cf) ? NGX_CONF_OK : NGX_CONF_ERROR;
}


static char *
ngx_http_artifact_sign_scope(ngx_conf_t *cf,
    ngx_http_artifact_sign_conf_t *slcf)
{
    ngx_str_t  *value, scope;

    value = cf->args->elts;

    if (ngx_strncmp(value[2].data, "scope=", 6) != 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\" in \"%V\" directive, it "
                           "must be \"scope=value\"", &value[2], &value[0]);
        return NGX_CONF_ERROR;
    }

    scope.data = value[2].data + 6;
    scope.len = value[2].len - 6;

    slcf->scope = ngx_pcalloc(cf->pool, sizeof(ngx_http_complex_value_t));
    if (slcf->scope == NULL) {
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_compile(cf, &scope, slcf->scope) == NGX_OK
           ? NGX_CONF_OK : NGX_CONF_ERROR;
}


static ngx_int_t
ngx_http_artifact_sign_file(ngx_conf_t *cf, ngx_str_t *name,
    art_sign_keys_t *keys)
{
    ngx_int_t   rc;
    ngx_file_t  file;

    ngx_memzero(&file, sizeof(ngx_file_t));

    file.name = *name;
    file.log = cf->log;

    file.fd = ngx_open_file(name->data, NGX_FILE_RDONLY|NGX_FILE_NONBLOCK,
                            NGX_FILE_OPEN, 0);

    if (file.fd == NGX_INVALID_FILE) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    rc = ngx_http_artifact_sign_read(cf, &file, keys);

    if (ngx_close_file(file.fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    return rc;
}


static ngx_int_t
ngx_http_artifact_sign_read(ngx_conf_t *cf, ngx_file_t *file,
    art_sign_keys_t *keys)
{
    u_char           text[ART_SIGN_FILE_MAX];
    ssize_t          n;
    ngx_file_info_t  fi;

    if (ngx_fd_info(file->fd, &fi) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_fd_info_n " \"%V\" failed", &file->name);
        return NGX_ERROR;
    }

    if (!ngx_is_file(&fi) || ngx_file_size(&fi) > ART_SIGN_FILE_MAX) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" is not a regular file of at most %d bytes",
                           &file->name, ART_SIGN_FILE_MAX);
        return NGX_ERROR;
    }

    if (ngx_file_access(&fi) & (S_IROTH|S_IWOTH)) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, 0,
                           "the keys in \"%V\" may be read or written by "
                           "others", &file->name);
    }

    n = ngx_read_file(file, text, (size_t) ngx_file_size(&fi), 0);

    if (n == NGX_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_read_file_n " \"%V\" failed", &file->name);
        return NGX_ERROR;
    }

    return ngx_http_artifact_sign_keys(cf, &file->name, keys, text,
                                       (size_t) n);
}


/* No message quotes a line of the file: it may be a key. */

static ngx_int_t
ngx_http_artifact_sign_keys(ngx_conf_t *cf, ngx_str_t *file,
    art_sign_keys_t *keys, u_char *text, size_t len)
{
    unsigned  line;

    switch (art_sign_parse(keys, text, len, &line)) {

    case ART_SIGN_OK:
        return NGX_OK;

    case ART_SIGN_NONE:
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "no key in \"%V\"", file);
        return NGX_ERROR;

    case ART_SIGN_BAD:
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "line %ud of \"%V\" is not a key in hex or base64",
                           line, file);
        return NGX_ERROR;

    case ART_SIGN_SHORT:
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "the key in line %ud of \"%V\" has less than %d "
                           "bytes", line, file, ART_SIGN_KEY_MIN);
        return NGX_ERROR;

    default:  /* ART_SIGN_MANY */
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "line %ud of \"%V\" is one key too many, the limit "
                           "is %d", line, file, ART_SIGN_KEYS_MAX);
        return NGX_ERROR;
    }
}


/* Memory that a core dump leaves out, and that is wiped after a reload. */

static art_sign_keys_t *
ngx_http_artifact_sign_alloc(ngx_conf_t *cf)
{
    art_sign_keys_t     *keys;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    keys = mmap(NULL, sizeof(art_sign_keys_t), PROT_READ|PROT_WRITE,
                MAP_PRIVATE|MAP_ANON, -1, 0);

    if (keys == MAP_FAILED) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           "mmap(%uz) failed", sizeof(art_sign_keys_t));
        return NULL;
    }

    cln->handler = ngx_http_artifact_sign_cleanup;
    cln->data = keys;

#ifdef MADV_DONTDUMP
    if (madvise(keys, sizeof(art_sign_keys_t), MADV_DONTDUMP) == -1) {
        ngx_conf_log_error(NGX_LOG_WARN, cf, ngx_errno,
                           "madvise(MADV_DONTDUMP) failed");
    }
#endif

    return keys;
}


static void
ngx_http_artifact_sign_cleanup(void *data)
{
    art_sign_wipe(data);

    (void) munmap(data, sizeof(art_sign_keys_t));
}


static char *
ngx_http_artifact_set_sign_ttl(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    time_t      ttl;
    ngx_str_t  *value;

    value = cf->args->elts;
    ttl = ngx_parse_time(&value[1], 1);

    if (ttl == (time_t) NGX_ERROR || ttl == 0
        || ttl > NGX_HTTP_ARTIFACT_SIGN_TTL_MAX)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V\" in \"%V\" directive, it must "
                           "be a time from 1 second to 10 years, such as "
                           "\"24h\"", &value[1], &value[0]);
        return NGX_CONF_ERROR;
    }

    return ngx_conf_set_sec_slot(cf, cmd, conf);
}


static char *
ngx_http_artifact_sign_merge_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_artifact_sign_conf_t *prev = parent;
    ngx_http_artifact_sign_conf_t *conf = child;

    const char                     *requires;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_loc_conf_t   *alcf;
    ngx_http_artifact_directive_t  *directive;

    ngx_conf_merge_sec_value(conf->ttl, prev->ttl, 24 * 60 * 60);
    ngx_conf_merge_value(conf->required, prev->required, 0);

    if (conf->keys == NULL) {
        conf->keys = prev->keys;
        conf->scope = prev->scope;
    }

    if (!conf->required) {
        return NGX_CONF_OK;
    }

    alcf = ngx_http_conf_get_module_loc_conf(cf, ngx_artifact_module);

    if (!ngx_http_artifact_has_refs(alcf)) {
        requires = "\"artifact\", \"artifact_workspace\" or "
                   "\"artifact_decode\"";

    } else if (conf->keys == NULL) {
        requires = "\"artifact_sign_key\"";

    } else {
        return NGX_CONF_OK;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    directive = ngx_http_artifact_directive(alcf, "artifact_signed");

    ngx_http_artifact_log_error(cf, NGX_LOG_EMERG, directive, 0,
                                "\"artifact_signed\" in location \"%V\" "
                                "requires %s", &clcf->name, requires);
    return NGX_CONF_ERROR;
}


/*
 * As nginx's own access modules: not for subrequests, for which nginx runs no
 * access phase.  This one runs before those, as the modules loaded last do.
 */

static ngx_int_t
ngx_http_artifact_access_handler(ngx_http_request_t *r)
{
    uint64_t                       exp;
    art_url_status_t               status;
    ngx_http_artifact_ctx_t       *ctx;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_sign_conf_t  *slcf;

    static const art_error_t  errors[] = {
        ART_ERR_UNSIGNED, ART_ERR_SIGNATURE, ART_ERR_EXPIRED
    };

    slcf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_sign_module);

    if (!slcf->required) {
        return NGX_DECLINED;
    }

    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL
        || ngx_http_artifact_url_check(r, ctx, &status, &exp) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (status == ART_URL_VALID) {
        ctx->signed_until = exp;
        ctx->ticket = r->method == NGX_HTTP_PUT;

        return NGX_OK;
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact signature: no access, status %d",
                   status);

    clcf = ngx_http_get_module_loc_conf(r, ngx_http_core_module);

    if (clcf->satisfy == NGX_HTTP_SATISFY_ANY) {
        return NGX_HTTP_FORBIDDEN;
    }

    ngx_http_finalize_request(r,
                        ngx_http_artifact_send_error(r, ctx, errors[status]));
    return NGX_DONE;
}


static ngx_int_t
ngx_http_artifact_signature_variable(ngx_http_request_t *r,
    ngx_http_variable_value_t *v, uintptr_t data)
{
    uint64_t                        exp;
    art_url_status_t                status;
    ngx_http_artifact_ctx_t        *ctx;
    ngx_http_artifact_sign_conf_t  *slcf;

    static const char *const  words[] = { "", "invalid", "expired", "valid" };

    r = ngx_http_artifact_variable_owner(r);
    ctx = ngx_http_artifact_get_ctx(r);

    if (ctx == NULL) {
        return NGX_ERROR;
    }

    slcf = ngx_http_artifact_conf_of(ctx->conf, ngx_http_artifact_sign_module);

    if (slcf->keys == NULL) {
        v->not_found = 1;
        return NGX_OK;
    }

    if (ngx_http_artifact_url_check(r, ctx, &status, &exp) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_http_artifact_variable_set(v, art_cstr(words[status]));

    return NGX_OK;
}
