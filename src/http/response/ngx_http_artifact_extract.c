
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The stage that extracts the artifacts which an agent declares in its answer.
 */


#include "http/base/ngx_http_artifact_api.h"
#include "http/base/ngx_http_artifact_zone.h"
#include "http/response/ngx_http_artifact_response.h"
#include "core/extract/art_extract.h"


/* Bytes that are read between two looks at the clock. */

#define NGX_HTTP_ARTIFACT_EXTRACT_SLICE  8192


typedef struct {
    ngx_http_request_t         *request;
    ngx_http_artifact_turn_t    turn;
    art_extract_t               state;
    art_extract_gave_up_t       logged;
} ngx_http_artifact_extract_t;


static void ngx_http_artifact_extract_cleanup(void *data);
static ngx_int_t ngx_http_artifact_extract_next(void *data,
    ngx_http_artifact_piece_t *in, art_str_t *bytes);
static ngx_int_t ngx_http_artifact_extract_read(
    ngx_http_artifact_extract_t *extract, ngx_http_artifact_piece_t *in);
static void ngx_http_artifact_extract_gave_up(
    ngx_http_artifact_extract_t *extract);


ngx_int_t
ngx_http_artifact_extract_create(ngx_http_request_t *r, ngx_uint_t events,
    ngx_http_artifact_resume_pt resume, ngx_http_artifact_stage_t *stage)
{
    unsigned                           flags;
    const art_api_t                   *api;
    ngx_pool_cleanup_t                *cln;
    ngx_http_artifact_extract_t       *extract;
    ngx_http_artifact_answers_conf_t  *conf;

    conf = ngx_http_get_module_loc_conf(r, ngx_http_artifact_answers_module);

    if (ngx_http_artifact_request_api(r, &api, &flags) != NGX_OK) {
        return NGX_ERROR;
    }

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_artifact_extract_t));
    if (cln == NULL) {
        return NGX_ERROR;
    }

    extract = cln->data;

    extract->request = r;
    extract->logged = ART_EXTRACT_FINE;

    art_extract_init(&extract->state, api ? api : &art_api_agent,
                     events != 0,
                     conf->extract == NGX_HTTP_ARTIFACT_EXTRACT_STRIP);

    cln->handler = ngx_http_artifact_extract_cleanup;

    if (ngx_http_artifact_turn_init(&extract->turn, r) != NGX_OK) {
        return NGX_ERROR;
    }

    extract->turn.resume = resume;

    stage->next = ngx_http_artifact_extract_next;
    stage->data = extract;

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                   "http artifact extract: api \"%s\"",
                   api ? api->name : "unknown");

    return NGX_OK;
}


static void
ngx_http_artifact_extract_cleanup(void *data)
{
    ngx_http_artifact_extract_t *extract = data;

    ngx_http_artifact_count(ART_COUNT_DECLARED, NULL, extract->state.nitems);

    art_extract_done(&extract->state);
}


static ngx_int_t
ngx_http_artifact_extract_next(void *data, ngx_http_artifact_piece_t *in,
    art_str_t *bytes)
{
    ngx_http_artifact_extract_t *extract = data;

    int        got;
    ngx_int_t  rc;

    do {
        got = art_extract_next(&extract->state, bytes);

        if (got == ART_ERROR) {
            ngx_log_error(NGX_LOG_ERR, extract->request->connection->log, 0,
                          "no memory for the artifacts declared in an answer");
            return NGX_ERROR;
        }

        if (extract->state.gave_up != extract->logged) {
            extract->logged = extract->state.gave_up;
            ngx_http_artifact_extract_gave_up(extract);
        }

        if (got) {
            return NGX_OK;
        }

        rc = ngx_http_artifact_extract_read(extract, in);

    } while (rc == NGX_OK);

    return rc;
}


/*
 * What was read may be held, or compressed to nothing: a cached answer would
 * keep this worker busy to its end.
 */

static ngx_int_t
ngx_http_artifact_extract_read(ngx_http_artifact_extract_t *extract,
    ngx_http_artifact_piece_t *in)
{
    size_t  n;

    if (in->bytes.len == 0 && !in->last) {
        return NGX_DECLINED;
    }

    if (ngx_http_artifact_turn_is_over(&extract->turn)) {
        ngx_http_artifact_turn_end(&extract->turn, extract->request);
        return NGX_AGAIN;
    }

    n = ngx_min(in->bytes.len, NGX_HTTP_ARTIFACT_EXTRACT_SLICE);

    art_extract_feed(&extract->state, in->bytes.data, n,
                     in->last && n == in->bytes.len);

    in->bytes.data += n;
    in->bytes.len -= n;
    in->last = in->last && in->bytes.len > 0;

    return NGX_OK;
}


static void
ngx_http_artifact_extract_gave_up(ngx_http_artifact_extract_t *extract)
{
    ngx_log_t  *log;

    log = extract->request->connection->log;

    switch (extract->logged) {

    case ART_EXTRACT_LARGE:
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "upstream sent a block of artifacts of more than %uz "
                      "bytes, which is passed over", (size_t) ART_BLOCK_MAX);
        break;

    case ART_EXTRACT_LONG:
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "upstream sent a block of artifacts in more than %uz "
                      "bytes of events, which is left in the answer",
                      (size_t) ART_EXTRACT_HELD);
        break;

    default:  /* ART_EXTRACT_STUCK */
        ngx_log_error(NGX_LOG_ALERT, log, 0,
                      "held bytes of an answer were not released before its "
                      "end");
    }
}
