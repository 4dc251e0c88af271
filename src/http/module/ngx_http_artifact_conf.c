
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The setters of directives that need more than a slot, and what follows from
 * a configuration that is complete.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_open_cache.h"
#include "http/write/ngx_http_artifact_write.h"
#include "http/inspector/ngx_http_artifact_inspector.h"
#include "store/disk/ngx_artifact_os.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/text/art_utf8.h"
#include "core/capability/art_capmap.h"
#include "core/api/art_api_format.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif


/* A map larger than this is taken for a mistake; the public ones have 4 MB. */

#define NGX_HTTP_ARTIFACT_MAP_MAX  (64 * 1024 * 1024)


static char *ngx_http_artifact_load_map(ngx_conf_t *cf, ngx_str_t *name,
    ngx_http_artifact_main_conf_t *amcf);
static ngx_int_t ngx_http_artifact_check_map(ngx_conf_t *cf,
    ngx_file_t *file);
static ngx_int_t ngx_http_artifact_read_map(ngx_conf_t *cf, ngx_str_t *name,
    ngx_str_t *text);
static void ngx_http_artifact_map_warning(void *data, const char *text);
static void ngx_http_artifact_map_cleanup(void *data);
static ngx_int_t ngx_http_artifact_layout_value(ngx_str_t *value,
    const char *name, art_ref_layout_t *layout);
static char *ngx_http_artifact_set_uri(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_http_artifact_settle_offload(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf);
static void ngx_http_artifact_inherit_uri(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf);


/* What a warning needs to name its file. */

typedef struct {
    ngx_conf_t  *cf;
    ngx_str_t   *name;
} ngx_http_artifact_map_file_t;


char *
ngx_http_artifact_set_capabilities(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf)
{
    ngx_http_artifact_main_conf_t *amcf = conf;

    uint64_t             seed[2];
    ngx_str_t           *value;
    ngx_pool_cleanup_t  *cln;

    value = cf->args->elts;

    if (amcf->capmap == NULL) {

        cln = ngx_pool_cleanup_add(cf->pool, 0);
        if (cln == NULL) {
            return NGX_CONF_ERROR;
        }

        amcf->capmap = art_capmap_create();
        if (amcf->capmap == NULL) {
            return NGX_CONF_ERROR;
        }

        cln->handler = ngx_http_artifact_map_cleanup;
        cln->data = amcf->capmap;

        ngx_artifact_random(seed, sizeof(seed));
        art_capmap_seed(amcf->capmap, seed);
    }

    if (ngx_conf_full_name(cf->cycle, &value[1], 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_load_map(cf, &value[1], amcf);
}


static char *
ngx_http_artifact_load_map(ngx_conf_t *cf, ngx_str_t *name,
    ngx_http_artifact_main_conf_t *amcf)
{
    int                            rc;
    ngx_str_t                      text;
    art_capmap_error_t             error;
    ngx_http_artifact_map_file_t   file;

    if (ngx_http_artifact_read_map(cf, name, &text) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    file.cf = cf;
    file.name = name;

    /* keys neither get into copies nor stay in this one */

    art_capmap_redact(text.data, text.len);

    rc = art_capmap_add(amcf->capmap, ngx_artifact_str(&text),
                        ngx_http_artifact_map_warning, &file, &error);

    ngx_explicit_memzero(text.data, text.len);
    ngx_free(text.data);

    if (rc != ART_OK) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" line %d, column %d: %s",
                           name, error.line, error.column, error.text);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/* Whether an open file may be a map; its information is set. */

static ngx_int_t
ngx_http_artifact_check_map(ngx_conf_t *cf, ngx_file_t *file)
{
    off_t  size;

    if (ngx_fd_info(file->fd, &file->info) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, ngx_errno,
                           ngx_fd_info_n " \"%V\" failed", &file->name);
        return NGX_ERROR;
    }

    if (!ngx_is_file(&file->info)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" is not a file",
                           &file->name);
        return NGX_ERROR;
    }

    size = ngx_file_size(&file->info);

    if (size > NGX_HTTP_ARTIFACT_MAP_MAX) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "\"%V\" has %O bytes, a capability map may have "
                           "at most %d", &file->name, size,
                           NGX_HTTP_ARTIFACT_MAP_MAX);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* Reads a whole file into memory that the caller frees. */

static ngx_int_t
ngx_http_artifact_read_map(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *text)
{
    size_t      size;
    ssize_t     n;
    ngx_int_t   rc;
    ngx_file_t  file;

    rc = NGX_ERROR;

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

    if (ngx_http_artifact_check_map(cf, &file) != NGX_OK) {
        goto done;
    }

    size = (size_t) ngx_file_size(&file.info);

    text->data = ngx_alloc(size + 1, cf->log);
    if (text->data == NULL) {
        goto done;
    }

    n = ngx_read_file(&file, text->data, size, 0);

    if (n != (ssize_t) size) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, n == NGX_ERROR ? ngx_errno : 0,
                           "reading \"%V\" failed", name);
        ngx_free(text->data);
        goto done;
    }

    text->len = size;
    rc = NGX_OK;

done:

    if (ngx_close_file(file.fd) == NGX_FILE_ERROR) {
        ngx_log_error(NGX_LOG_ALERT, cf->log, ngx_errno,
                      ngx_close_file_n " \"%V\" failed", name);
    }

    return rc;
}


ngx_int_t
ngx_http_artifact_finish_map(ngx_http_artifact_main_conf_t *amcf)
{
    if (art_capmap_finish(amcf->capmap) != ART_OK) {
        return NGX_ERROR;
    }

    /*
     * The trees of large documents are gone by now, but their memory would
     * stay in this process and all workers: ten times that of the map.
     */

#ifdef __GLIBC__
    (void) malloc_trim(0);
#endif

    return NGX_OK;
}


static void
ngx_http_artifact_map_warning(void *data, const char *text)
{
    ngx_http_artifact_map_file_t *file = data;

    ngx_conf_log_error(NGX_LOG_WARN, file->cf, 0, "%s in \"%V\"", text,
                       file->name);
}


static void
ngx_http_artifact_map_cleanup(void *data)
{
    art_capmap_destroy(data);
}


char *
ngx_http_artifact_set_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_main_conf_t *amcf = conf;

    ssize_t     size;
    ngx_str_t  *value;

    if (amcf->zone_size != NGX_CONF_UNSET_SIZE) {
        return "is duplicate";
    }

    value = cf->args->elts;

    size = ngx_parse_size(&value[1]);

    if (size == NGX_ERROR) {
        return "invalid value";
    }

    if (size < (ssize_t) (8 * ngx_pagesize)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "zone size \"%V\" is too small", &value[1]);
        return NGX_CONF_ERROR;
    }

    amcf->zone_size = (size_t) size;

    return NGX_CONF_OK;
}


char *
ngx_http_artifact_set_format(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_http_script_variables_count(&value[1]) == 0 && value[1].len > 0
        && art_format_find(ngx_artifact_str(&value[1])) == NULL)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "unknown format \"%V\"", &value[1]);
        return NGX_CONF_ERROR;
    }

    return ngx_http_set_complex_value_slot(cf, cmd, conf);
}


/* The maps themselves know of no formats, and a later one may replace this. */

ngx_int_t
ngx_http_artifact_check_formats(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    unsigned              i;
    art_out_t             id, format;
    const art_service_t  *service;

    for (i = 0; amcf->capmap && i < art_capmap_count(amcf->capmap); i++) {
        service = art_capmap_get(amcf->capmap, i);

        if (service->format.len == 0 || art_format_find(service->format)) {
            continue;
        }

        /* one line, whatever the map says */

        id = ngx_http_artifact_out(cf->temp_pool, 3 * service->id.len);
        format = ngx_http_artifact_out(cf->temp_pool, 3 * service->format.len);

        if (id.data == NULL || format.data == NULL) {
            return NGX_ERROR;
        }

        art_utf8_name(&id, service->id);
        art_utf8_name(&format, service->format);

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "service \"%*s\" has an unknown format \"%*s\", "
                      "\"route\" is used for it",
                      id.len, id.data, format.len, format.data);
    }

    return NGX_OK;
}


/* A constant relative root is below the prefix, as that of "root" is. */

char *
ngx_http_artifact_set_root(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (value[1].len == 0) {
        return "is empty";
    }

    if (value[1].data[0] != '$'
        && ngx_conf_full_name(cf->cycle, &value[1], 0) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    return ngx_http_set_complex_value_slot(cf, cmd, conf);
}


char *
ngx_http_artifact_set_layout(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    ngx_str_t              *value;
    ngx_artifact_layout_t  *layout;

    if (alcf->layout) {
        return "is duplicate";
    }

    layout = ngx_pcalloc(cf->pool, sizeof(ngx_artifact_layout_t));
    if (layout == NULL) {
        return NGX_CONF_ERROR;
    }

    alcf->layout = layout;
    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "flat") != 0
        && (ngx_http_artifact_layout_value(&value[1], "levels=",
                                           &layout->layout)
            != NGX_OK
            || layout->layout.n == 0))
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid layout \"%V\", it must be \"flat\" or "
                           "\"levels=\" with one to three numbers of digits, "
                           "1 or 2, as \"1:2\"", &value[1]);
        return NGX_CONF_ERROR;
    }

    /* a store that gets levels was flat, unless one says otherwise */

    layout->changes = (layout->layout.n > 0);

    if (cf->args->nelts == 2) {
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value[2].data, "from=none") == 0) {
        layout->changes = 0;
        return NGX_CONF_OK;
    }

    if (ngx_http_artifact_layout_value(&value[2], "from=", &layout->old)
        != NGX_OK)
    {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid parameter \"%V\", it must be "
                           "\"from=flat\", \"from=none\" or \"from=\" with one "
                           "to three numbers of digits, 1 or 2, as \"1:2\"",
                           &value[2]);
        return NGX_CONF_ERROR;
    }

    layout->changes = ngx_memcmp(&layout->layout, &layout->old,
                                 sizeof(art_ref_layout_t))
                      != 0;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_artifact_layout_value(ngx_str_t *value, const char *name,
    art_ref_layout_t *layout)
{
    size_t  len;

    len = ngx_strlen(name);

    return value->len >= len && ngx_strncmp(value->data, name, len) == 0
           && art_ref_layout_parse(art_str(value->data + len,
                                           value->len - len), layout)
              == ART_OK
           ? NGX_OK : NGX_DECLINED;
}


char *
ngx_http_artifact_set_source(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char                      *rv;
    ngx_http_core_loc_conf_t  *clcf;

    rv = ngx_http_artifact_set_uri(cf, cmd, conf);

    if (rv == NGX_CONF_OK) {
        clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
        clcf->handler = ngx_http_artifact_handler;
    }

    return rv;
}


/* Nothing is read from its URI: it may be any location. */

char *
ngx_http_artifact_set_message(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    ngx_http_core_loc_conf_t  *clcf;

    if (alcf->uri != NGX_HTTP_ARTIFACT_NONE) {
        return "is duplicate, or the location reads its URI otherwise";
    }

    alcf->uri = NGX_HTTP_ARTIFACT_MESSAGE;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
    clcf->handler = ngx_http_artifact_handler;

    return NGX_CONF_OK;
}


/* The page's files stand below it, by relative links. */

char *
ngx_http_artifact_set_inspector(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    char                      *rv;
    ngx_http_core_loc_conf_t  *clcf;

    rv = ngx_http_artifact_set_source(cf, cmd, conf);

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->exact_match) {
        return "cannot be used in a location of the form \"= /path\", since "
               "its files stand below it";
    }

    if (clcf->name.len > 0 && clcf->name.data[clcf->name.len - 1] == '/') {
        clcf->auto_redirect = 1;
    }

    return ngx_http_artifact_inspector_paths(cf, &alcf->inspect);
}


char *
ngx_http_artifact_set_decode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (ngx_strcasecmp(value[1].data, (u_char *) "off") == 0) {
        return NGX_CONF_OK;
    }

    if (ngx_strcasecmp(value[1].data, (u_char *) "on") != 0) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "invalid value \"%V\" in \"%V\" directive, "
                           "it must be \"on\" or \"off\"",
                           &value[1], &cmd->name);
        return NGX_CONF_ERROR;
    }

    return ngx_http_artifact_set_uri(cf, cmd, conf);
}


/* What stands below a location can be told only where it has a prefix. */

static char *
ngx_http_artifact_set_uri(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_artifact_loc_conf_t *alcf = conf;

    ngx_str_t                      *prefix;
    ngx_http_core_loc_conf_t       *clcf;
    ngx_http_artifact_main_conf_t  *amcf;

    if (alcf->uri != NGX_HTTP_ARTIFACT_NONE) {
        return "is duplicate, or the location reads its URI otherwise";
    }

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (clcf->named
#if (NGX_PCRE)
        || clcf->regex
#endif
       )
    {
        return "cannot be used in a named location or in a location given by "
               "a regular expression, since no reference stands below these";
    }

    alcf->uri = (ngx_http_artifact_uri_e) (uintptr_t) cmd->post;
    alcf->prefix = clcf->name;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    if (amcf->prefixes == NULL) {
        amcf->prefixes = ngx_array_create(cf->pool, 4, sizeof(ngx_str_t));

        if (amcf->prefixes == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    prefix = ngx_array_push(amcf->prefixes);
    if (prefix == NULL) {
        return NGX_CONF_ERROR;
    }

    *prefix = clcf->name;

    return NGX_CONF_OK;
}


ngx_int_t
ngx_http_artifact_settle_loc_conf(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf)
{
    ngx_uint_t                      local;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_conf_get_module_main_conf(cf, ngx_artifact_module);

    ngx_http_artifact_inherit_uri(cf, prev, conf);

    if (conf->uri == NGX_HTTP_ARTIFACT_STATUS) {
        amcf->status = 1;
    }

    if (conf->expand || conf->prompt) {
        amcf->expands = 1;
    }

    if ((conf->uri != NGX_HTTP_ARTIFACT_NONE
         && conf->uri != NGX_HTTP_ARTIFACT_SERVICES
         && conf->uri != NGX_HTTP_ARTIFACT_INSPECTOR)
        || conf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
        || conf->extract != NGX_HTTP_ARTIFACT_EXTRACT_OFF
        || conf->expand
        || conf->prompt
        || conf->offload)
    {
        amcf->used = 1;
    }

    if (conf->route != NGX_HTTP_ARTIFACT_ROUTE_OFF
        && conf->extract != NGX_HTTP_ARTIFACT_EXTRACT_OFF)
    {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"artifact_extract\" and \"artifact_route\" cannot be "
                      "used in one location: an answer that is routed is no "
                      "model's");
        return NGX_ERROR;
    }

    if (conf->offload) {
        amcf->offloads = 1;

        if (ngx_http_artifact_settle_offload(cf, conf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    local = conf->uri == NGX_HTTP_ARTIFACT_REFERENCE
            || conf->uri == NGX_HTTP_ARTIFACT_PATH;

    if (local && conf->root == NULL) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "no \"artifact_root\" is defined for location \"%V\": "
                      "nothing will be found in it", &conf->prefix);
    }

    if (!local || conf->root == NULL || conf->root->lengths) {
        return NGX_OK;
    }

    if (conf->write && ngx_http_artifact_write_root(cf, conf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_open_cache_create(cf, conf);
}


/* Of a server only the locations count, but where there are none. */

static ngx_int_t
ngx_http_artifact_settle_offload(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (conf->root == NULL && (clcf->name.len > 0 || clcf->noname)) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "\"artifact_offload\" in location \"%V\" requires "
                      "\"artifact_root\"", &clcf->name);
        return NGX_ERROR;
    }

    if (conf->root == NULL || conf->root->lengths) {
        return NGX_OK;
    }

    return ngx_http_artifact_write_root(cf, conf);
}


/* "if" and "limit_except" blocks serve what their location serves. */

static void
ngx_http_artifact_inherit_uri(ngx_conf_t *cf,
    ngx_http_artifact_loc_conf_t *prev, ngx_http_artifact_loc_conf_t *conf)
{
    ngx_http_core_loc_conf_t  *clcf;

    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (!clcf->noname || conf->uri != NGX_HTTP_ARTIFACT_NONE
        || prev->uri == NGX_HTTP_ARTIFACT_NONE)
    {
        return;
    }

    conf->uri = prev->uri;
    conf->prefix = prev->prefix;
    conf->inspect = prev->inspect;

    if (clcf->handler == NULL && conf->uri != NGX_HTTP_ARTIFACT_DECODE) {
        clcf->handler = ngx_http_artifact_handler;
    }
}


/* Which locations have which key, only their modules know. */

void
ngx_http_artifact_check_keys(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    ngx_uint_t    i;
    ngx_path_t  **path;

    amcf->hashes = ngx_http_artifact_uses_variable(cf, "artifact_body_hash")
                   & 1;

    if (!amcf->expands || amcf->hashes
        || !ngx_http_artifact_uses_variable(cf, "request_body"))
    {
        return;
    }

    /* the paths of caches have a manager */

    path = cf->cycle->paths.elts;

    for (i = 0; i < cf->cycle->paths.nelts; i++) {

        if (path[i]->manager == NULL) {
            continue;
        }

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"$request_body\" is empty for a body that is in a "
                      "file, and does not tell what \"artifact_expand\" has "
                      "put into it: the key of a cache needs "
                      "\"$artifact_body_hash\"");
        return;
    }
}
