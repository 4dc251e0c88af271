
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The second step: a body is scanned, once.  Most are scanned as they come in,
 * before nginx writes them to a file, so that they are never read again.
 */


#include "http/sign/ngx_http_artifact_url.h"
#include "http/expand/ngx_http_artifact_expand_state.h"
#include "store/disk/ngx_artifact_area.h"


static void ngx_http_artifact_expand_scan_incoming(
    ngx_http_artifact_expand_t *ex, ngx_buf_t *buf);
static unsigned ngx_http_artifact_expand_lags(
    ngx_http_artifact_expand_t *ex, uint64_t from);
static uint64_t ngx_http_artifact_expand_cpu(void);
static ngx_int_t ngx_http_artifact_expand_scan_body(
    ngx_http_artifact_expand_t *ex);
static ngx_int_t ngx_http_artifact_expand_scan_end(
    ngx_http_artifact_expand_t *ex);


ngx_int_t
ngx_http_artifact_expand_scan_filter(ngx_http_artifact_expand_t *ex,
    ngx_chain_t *in, ngx_http_request_body_filter_pt next)
{
    ngx_chain_t  *cl;

    for (cl = in; cl; cl = cl->next) {

        if (ex->scanning == NGX_HTTP_ARTIFACT_SCAN_INCOMING
            && ngx_buf_in_memory(cl->buf))
        {
            ngx_http_artifact_expand_scan_incoming(ex, cl->buf);
        }

        if (ex->known) {
            ngx_http_artifact_known_put(ex, cl->buf);
        }
    }

    return ex->known ? ngx_http_artifact_known_pass(ex, next)
                     : next(ex->request, in);
}


/*
 * nginx reads as long as there is something to read: once a turn is over, the
 * rest is left to SCAN.
 */

static void
ngx_http_artifact_expand_scan_incoming(ngx_http_artifact_expand_t *ex,
    ngx_buf_t *buf)
{
    size_t     n;
    u_char    *p;
    uint64_t   from;

    ex->came += buf->last - buf->pos;

    /* a body that is too large is refused */

    if (ex->came > ex->conf->body_max) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: over the limit with %O bytes",
                       ex->came);

        ex->scanning = NGX_HTTP_ARTIFACT_SCAN_OVER;
        return;
    }

    for (p = buf->pos; p < buf->last && !ex->scan_lags; p += n) {
        n = ngx_min((size_t) (buf->last - p), NGX_HTTP_ARTIFACT_SCAN_PIECE);
        from = ngx_artifact_ticks();

        /* some bodies need no further scan */

        if (art_scan_feed(ex->scan, p, n) != ART_OK) {
            ex->scanning = NGX_HTTP_ARTIFACT_SCAN_OVER;
            return;
        }

        ex->scan_lags = ngx_http_artifact_expand_lags(ex, from) & 1;

        if (ex->known) {
            ngx_http_artifact_known_read(ex, buf, p, n);
        }

        ex->scanned += (off_t) n;
    }
}


/*
 * nginx reads and saves what a fast client sends without a pause.  The scan
 * keeps up while that takes more of the time than the scan itself, or makes the
 * pause only some milliseconds longer; what is left has to be read from the
 * file again.  Time that other processes had meanwhile, on a busy machine, is
 * no reason to stop.
 */

static unsigned
ngx_http_artifact_expand_lags(ngx_http_artifact_expand_t *ex,
    uint64_t from)
{
    uint64_t    now, cpu, away;
    ngx_uint_t  over;

    over = ngx_http_artifact_turn_is_over(&ex->turn);
    now = ex->turn.now;

    if (ex->began != ex->turn.began) {
        ex->began = ex->turn.began;
        ex->cpu = ngx_http_artifact_expand_cpu();
        ex->spent = 0;
        return 0;
    }

    ex->spent += now - from;

    if (!over || ex->spent <= NGX_HTTP_ARTIFACT_SCAN_SPENT
        || ex->spent <= (now - ex->began) / 2)
    {
        return 0;
    }

    cpu = ngx_http_artifact_expand_cpu() - ex->cpu;
    away = now - ex->began - ngx_min(cpu, now - ex->began);

    ngx_log_debug4(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: at %O the scan took %uL us of %uL, "
                   "away %uL", ex->scanned, ex->spent, cpu, away);

    return ex->spent > away + cpu / 2;
}


/* The processor's time that this thread had, in microseconds. */

static uint64_t
ngx_http_artifact_expand_cpu(void)
{
    struct timespec  cpu;

    (void) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);

    return (uint64_t) cpu.tv_sec * 1000000 + (uint64_t) cpu.tv_nsec / 1000;
}


ngx_int_t
ngx_http_artifact_expand_scan(ngx_http_artifact_expand_t *ex)
{
    ngx_int_t  rc;

    if (ex->scanning == NGX_HTTP_ARTIFACT_SCAN_TEXTS) {
        return ngx_http_artifact_longs_walk(ex);
    }

    if (ex->scanning == NGX_HTTP_ARTIFACT_SCAN_INCOMING
        && ex->came == ngx_http_artifact_body_size(ex->body))
    {
        ex->scanning = NGX_HTTP_ARTIFACT_SCAN_OVER;

        if (ex->scanned < ex->came) {
            ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                           "http artifact expand: scanning %O bytes, %O were "
                           "scanned as they came in", ex->came, ex->scanned);

            ex->scanning = NGX_HTTP_ARTIFACT_SCAN_BODY;

            if (ngx_http_artifact_expand_rewind(ex) != NGX_OK) {
                return NGX_ERROR;
            }

            ngx_http_artifact_body_skip(&ex->cursor, ex->scanned);
        }
    }

    if (ex->scanning != NGX_HTTP_ARTIFACT_SCAN_OVER) {
        rc = ngx_http_artifact_expand_scan_body(ex);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    rc = ngx_http_artifact_expand_scan_end(ex);

    return rc == NGX_OK ? ngx_http_artifact_longs_walk(ex) : rc;
}


/* A body that was coded, or that the filter has not seen. */

static ngx_int_t
ngx_http_artifact_expand_scan_body(ngx_http_artifact_expand_t *ex)
{
    u_char   *data;
    ssize_t   n;

    if (ex->scanning != NGX_HTTP_ARTIFACT_SCAN_BODY) {
        ex->scanning = NGX_HTTP_ARTIFACT_SCAN_BODY;

        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: scanning %O bytes, none were "
                       "scanned as they came in",
                       ngx_http_artifact_body_size(ex->body));

        if (ngx_http_artifact_expand_scan_begin(ex) != NGX_OK
            || ngx_http_artifact_expand_rewind(ex) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    do {
        n = ngx_http_artifact_body_read(&ex->cursor,
                                        NGX_HTTP_ARTIFACT_SCAN_PIECE, &data);
        if (n == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (n == 0 || art_scan_feed(ex->scan, data, (size_t) n) != ART_OK) {
            return NGX_OK;
        }

    } while (!ngx_http_artifact_turn_is_over(&ex->turn));

    return NGX_BUSY;
}


static ngx_int_t
ngx_http_artifact_expand_scan_end(ngx_http_artifact_expand_t *ex)
{
    switch (art_scan_end(ex->scan)) {

    case ART_SCAN_OK:
        ex->nslots = ex->scan->nslots;

        ngx_log_debug6(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                       "http artifact expand: scanned for \"%s\", "
                       "model \"%*s\", %uD slots, %uD references, "
                       "%uD found in texts",
                       ex->api->name, ngx_http_artifact_expand_model(ex).len,
                       ngx_http_artifact_expand_model(ex).data, ex->nslots,
                       ex->scan->occurrences, ex->scan->finds);

        if (ex->standins && ngx_http_artifact_standins_passed(ex)) {
            return NGX_ABORT;
        }

        if (ex->versioned && !ex->scan->versioned && ex->standins) {
            ngx_http_artifact_standins_foreign(ex);
            return NGX_OK;
        }

        if (ex->versioned && !ex->scan->versioned) {
            ex->why = "it has no \"anthropic_version\"";
            return NGX_DECLINED;
        }

        return NGX_OK;

    case ART_SCAN_PASS:

        if (ex->standins && ngx_http_artifact_standins_passed(ex)) {
            return NGX_ABORT;
        }

        ex->why = "it is not a request in JSON";
        return NGX_DECLINED;

    case ART_SCAN_TOO_MANY:
        ex->error = ART_MESSAGE_ERR_REFS;
        return NGX_ABORT;

    case ART_SCAN_FOREIGN:
        ex->error = ART_MESSAGE_ERR_FOREIGN;
        ex->error_ref = ex->scan->foreign;
        return NGX_ABORT;

    default:  /* ART_SCAN_NO_MEMORY */
        return NGX_ERROR;
    }
}


/*
 * The scan finds references and media.  If "artifact_prompt" is set, it also
 * finds the system text; without "artifact_expand" it finds nothing else.
 */

ngx_int_t
ngx_http_artifact_expand_scan_begin(ngx_http_artifact_expand_t *ex)
{
    art_scan_t      *scan;
    ngx_pool_t      *pool;
    art_scan_conf_t  conf;

    pool = ex->request->pool;
    scan = ex->scan;

    if (scan == NULL) {
        scan = ngx_palloc(pool, art_scan_size());
        if (scan == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_memzero(&conf, sizeof(art_scan_conf_t));

    conf.api = ex->api;
    conf.pool = ex->pool;
    conf.refs_max = (uint32_t) ex->conf->refs_max;
    conf.run_min = (uint64_t) ex->conf->offload_min;
    conf.argument = ex->argument;
    ngx_artifact_random(conf.seed, sizeof(conf.seed));

    if (ex->standins) {
        conf.standins = ART_SCAN_FORGED;

    } else if (ex->directives->expand && !ex->argument) {
        conf.standins = ART_SCAN_STANDINS;
    }

    if (ex->directives->expand == NGX_HTTP_ARTIFACT_EXPAND_STANDINS
        || (ex->standins && !ex->directives->expand))
    {
        conf.standins |= ART_SCAN_ONLY;
    }

    if (ex->directives->prompt && !ex->argument && !ex->silent
        && ex->api != &art_api_any)
    {
        ex->prompt = ngx_palloc(pool, sizeof(art_prompt_t));
        if (ex->prompt == NULL) {
            return NGX_ERROR;
        }

        art_prompt_init(ex->prompt, ex->api);

        conf.prompt = ex->prompt;
        conf.prompt_only = !ex->directives->expand && !ex->standins;
    }

    if (ngx_http_artifact_url(ex->request, ex->conf, &conf.url) != NGX_OK
        || ngx_http_artifact_longs_scan(ex, &conf) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ex->request->connection->log, 0,
                   "http artifact expand: scan, prompt %d, argument %d",
                   ex->prompt != NULL, ex->argument);

    art_scan_init(scan, &conf);

    ex->scan = scan;

    return NGX_OK;
}
