
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Counters in shared memory, which outlive workers and reloads.
 */


#ifndef NGX_HTTP_ARTIFACT_COUNTERS_H_INCLUDED_
#define NGX_HTTP_ARTIFACT_COUNTERS_H_INCLUDED_


#include "http/base/ngx_http_artifact.h"
#include "core/answer/art_counters.h"


/*
 * Adds to a counter; "at" as art_counters_index() has it, NULL without labels.
 * Takes no lock, and does nothing where nobody has "artifact_status".
 */

void ngx_http_artifact_count(art_count_t family, const unsigned *at,
    uint64_t n);
void ngx_http_artifact_count_one(art_count_t family, unsigned value);


/* One file more is kept open by this process, or one less. */

void ngx_http_artifact_count_open(ngx_int_t change);


/*
 * The sums of all workers, in memory of the request's pool, by the places of
 * *counters.  NULL when out of memory.
 */

uint64_t *ngx_http_artifact_counts(ngx_http_request_t *r,
    const art_counters_t **counters);


/*
 * The zone, if amcf->status; to be called for each configuration that is taken;
 * and by each process that begins.
 */

ngx_int_t ngx_http_artifact_counters_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf);
ngx_int_t ngx_http_artifact_counters_attach(ngx_cycle_t *cycle);
void ngx_http_artifact_counters_begin(void);


#endif /* NGX_HTTP_ARTIFACT_COUNTERS_H_INCLUDED_ */
