
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Capability maps: their files are read with the configuration.
 */


#include "http/module/ngx_http_artifact_module.h"
#include "http/base/ngx_http_artifact_util.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/capability/art_capmap.h"
#include "core/api/art_api_format.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif


/* A larger map is taken for a mistake; the public ones have 4 MB. */

#define NGX_HTTP_ARTIFACT_MAP_MAX  (64 * 1024 * 1024)


typedef struct {
    ngx_conf_t  *cf;
    ngx_str_t   *name;
} ngx_http_artifact_map_file_t;


static char *ngx_http_artifact_load_map(ngx_conf_t *cf, ngx_str_t *name,
    ngx_http_artifact_main_conf_t *amcf);
static ngx_int_t ngx_http_artifact_read_map(ngx_conf_t *cf, ngx_str_t *name,
    ngx_str_t *text);
static ngx_int_t ngx_http_artifact_check_map(ngx_conf_t *cf,
    ngx_file_t *file);
static void ngx_http_artifact_map_warning(void *data, int line,
    const char *text);
static void ngx_http_artifact_map_cleanup(void *data);
static ngx_int_t ngx_http_artifact_check_formats(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);
static ngx_int_t ngx_http_artifact_check_agents(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);


char *
ngx_http_artifact_set_capabilities(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf)
{
    ngx_http_artifact_main_conf_t *amcf = conf;

    uint64_t             seed[2];
    ngx_str_t           *value, *name;
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

        amcf->maps = ngx_array_create(cf->pool, 4, sizeof(ngx_str_t));
        if (amcf->maps == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_artifact_random(seed, sizeof(seed));
        art_capmap_seed(amcf->capmap, seed);
    }

    if (ngx_conf_full_name(cf->cycle, &value[1], 1) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    name = ngx_array_push(amcf->maps);
    if (name == NULL) {
        return NGX_CONF_ERROR;
    }

    *name = value[1];

    return ngx_http_artifact_load_map(cf, name, amcf);
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

    /* secrets in the file are neither copied nor left in this memory */

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


/* Reads a whole file into memory, which the caller frees. */

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

        /* ngx_read_file() has logged its errors */

        if (n != NGX_ERROR) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                               ngx_read_file_n " \"%V\" returned only "
                               "%z bytes instead of %uz", name, n, size);
        }

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


/* Whether an open file may be a map; sets file->info. */

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


static void
ngx_http_artifact_map_warning(void *data, int line, const char *text)
{
    ngx_http_artifact_map_file_t *file = data;

    if (line > 0) {
        ngx_conf_log_error(NGX_LOG_WARN, file->cf, 0, "%s in \"%V\" line %d",
                           text, file->name, line);
        return;
    }

    ngx_conf_log_error(NGX_LOG_WARN, file->cf, 0, "%s in \"%V\"", text,
                       file->name);
}


static void
ngx_http_artifact_map_cleanup(void *data)
{
    art_capmap_destroy(data);
}


ngx_int_t
ngx_http_artifact_finish_maps(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    if (amcf->capmap == NULL) {
        return NGX_OK;
    }

    if (art_capmap_finish(amcf->capmap) != ART_OK) {
        return NGX_ERROR;
    }

    /*
     * The trees of large documents have been freed, but without this their
     * memory, ten times the map's, would stay with this process and all
     * workers.
     */

#ifdef __GLIBC__
    (void) malloc_trim(0);
#endif

    if (ngx_http_artifact_check_formats(cf, amcf) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_artifact_check_agents(cf, amcf);
}


/* Only now: the maps know no formats, and a later map may replace a service. */

static ngx_int_t
ngx_http_artifact_check_formats(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    unsigned              i;
    ngx_str_t             id, format;
    const art_service_t  *service;

    for (i = 0; i < art_capmap_count(amcf->capmap); i++) {
        service = art_capmap_get(amcf->capmap, i);

        if (service->format.len == 0 || art_format_find(service->format)) {
            continue;
        }

        if (ngx_http_artifact_line(cf->temp_pool, service->id, &id) != NGX_OK
            || ngx_http_artifact_line(cf->temp_pool, service->format, &format)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "service \"%V\" has an unknown format \"%V\", "
                      "\"route\" is used for it", &id, &format);
    }

    return NGX_OK;
}


/* Only now, for the same reason. */

static ngx_int_t
ngx_http_artifact_check_agents(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    unsigned            i;
    ngx_str_t          *names, id, service;
    art_capmap_lost_t   lost;

    i = 0;
    names = amcf->maps->elts;

    while (art_capmap_lost(amcf->capmap, &i, &lost)) {

        if (ngx_http_artifact_line(cf->temp_pool, lost.id, &id) != NGX_OK
            || ngx_http_artifact_line(cf->temp_pool, lost.service, &service)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "agent \"%V\" has the service \"%V\", which is in no "
                      "capability map, in \"%V\" line %d",
                      &id, &service, &names[lost.document], lost.line);
    }

    return NGX_OK;
}
