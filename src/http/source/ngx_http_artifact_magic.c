
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libmagic: one handle for each process.
 */


#include "http/source/ngx_http_artifact_magic.h"

#include <magic.h>


static void ngx_http_artifact_magic_cleanup(void *data);


/*
 * Text is told from binary without libmagic, whose checks of text cost
 * milliseconds; what looks into compressed or large structures is off, too.
 */

ngx_int_t
ngx_http_artifact_init_magic(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    magic_t              magic;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    magic = magic_open(MAGIC_MIME_TYPE|MAGIC_NO_CHECK_COMPRESS
                       |MAGIC_NO_CHECK_TAR|MAGIC_NO_CHECK_ELF
                       |MAGIC_NO_CHECK_TEXT|MAGIC_NO_CHECK_CDF
                       |MAGIC_NO_CHECK_CSV|MAGIC_NO_CHECK_TOKENS
                       |MAGIC_NO_CHECK_ENCODING|MAGIC_NO_CHECK_JSON);

    if (magic == NULL) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, ngx_errno,
                      "magic_open() failed");
        return NGX_ERROR;
    }

    cln->handler = ngx_http_artifact_magic_cleanup;
    cln->data = magic;

    if (magic_load(magic, NULL) != 0) {
        ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                      "magic_load() failed: %s", magic_error(magic));
        return NGX_ERROR;
    }

    amcf->magic = magic;

    return NGX_OK;
}


static void
ngx_http_artifact_magic_cleanup(void *data)
{
    magic_close(data);
}


void
ngx_http_artifact_ask_magic(ngx_http_request_t *r, u_char *p, size_t len,
    art_evidence_t *evidence)
{
    const char                     *mime;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);

    mime = magic_buffer(amcf->magic, p, len);

    if (mime == NULL) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "magic_buffer() failed: %s", magic_error(amcf->magic));
        mime = "";
    }

    art_sniff_magic(evidence, art_cstr(mime));
}
