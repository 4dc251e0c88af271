
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A share of the counters for each worker, lines of the processor's cache apart
 * from others.  While a configuration is changed, an old worker and a new one
 * have the same number and so the same share: additions are atomic, which on a
 * line that nobody else writes to takes some nanoseconds.
 */


#include "http/base/ngx_http_artifact_counters.h"


/* Workers beyond that share theirs with others. */

#define NGX_HTTP_ARTIFACT_SHARES  32

#define NGX_HTTP_ARTIFACT_LINE    64


/*
 * What is kept open ends with its process, even one that crashes: a number for
 * each slot, of which two processes never have the same.
 */

typedef struct {
    ngx_atomic_t   open[NGX_MAX_PROCESSES];
    ngx_atomic_t  *shares;
} ngx_http_artifact_counters_t;


static ngx_int_t ngx_http_artifact_counters_init(ngx_shm_zone_t *zone,
    void *data);
static size_t ngx_http_artifact_share_size(void);
static void ngx_http_artifact_count_zone(ngx_http_request_t *r,
    uint64_t *values);


/* The same for every configuration of this module. */

static art_counters_t  ngx_http_artifact_places;

static ngx_http_artifact_counters_t  *ngx_http_artifact_counters;
static ngx_atomic_t                  *ngx_http_artifact_share;
static ngx_int_t                      ngx_http_artifact_open;


/*
 * nginx makes a zone anew when its size changes: counters of another version of
 * the module, of which there is another number, are not taken for these.
 */

ngx_int_t
ngx_http_artifact_counters_create(ngx_conf_t *cf,
    ngx_http_artifact_main_conf_t *amcf)
{
    size_t     size;
    ngx_str_t  name;

    if (!amcf->status) {
        return NGX_OK;
    }

    art_counters_init(&ngx_http_artifact_places);

    size = NGX_HTTP_ARTIFACT_SHARES * ngx_http_artifact_share_size()
           + sizeof(ngx_http_artifact_counters_t);

    size = ngx_align(size, ngx_pagesize) + 8 * ngx_pagesize;

    ngx_str_set(&name, "artifact_counters");

    amcf->counters = ngx_shared_memory_add(cf, &name, size,
                                           &ngx_artifact_module);
    if (amcf->counters == NULL) {
        return NGX_ERROR;
    }

    amcf->counters->init = ngx_http_artifact_counters_init;
    amcf->counters->data = amcf;

    return NGX_OK;
}


static size_t
ngx_http_artifact_share_size(void)
{
    return ngx_align(ngx_http_artifact_places.n * sizeof(ngx_atomic_t),
                     NGX_HTTP_ARTIFACT_LINE);
}


static ngx_int_t
ngx_http_artifact_counters_init(ngx_shm_zone_t *zone, void *data)
{
    ngx_slab_pool_t               *shpool;
    ngx_http_artifact_counters_t  *counters;

    shpool = (ngx_slab_pool_t *) zone->shm.addr;

    if (data || zone->shm.exists) {
        return NGX_OK;
    }

    counters = ngx_slab_calloc(shpool, sizeof(ngx_http_artifact_counters_t));
    if (counters == NULL) {
        return NGX_ERROR;
    }

    /* whole pages: on the border of a line */

    counters->shares = ngx_slab_calloc(shpool,
                                       NGX_HTTP_ARTIFACT_SHARES
                                       * ngx_http_artifact_share_size());
    if (counters->shares == NULL) {
        return NGX_ERROR;
    }

    shpool->data = counters;

    return NGX_OK;
}


ngx_int_t
ngx_http_artifact_counters_attach(ngx_cycle_t *cycle)
{
    ngx_slab_pool_t                *shpool;
    ngx_http_artifact_main_conf_t  *amcf;

    ngx_http_artifact_counters = NULL;
    ngx_http_artifact_share = NULL;

    amcf = ngx_http_cycle_get_module_main_conf(cycle, ngx_artifact_module);

    if (amcf == NULL || amcf->counters == NULL) {
        return NGX_OK;
    }

    shpool = (ngx_slab_pool_t *) amcf->counters->shm.addr;

    ngx_http_artifact_counters = shpool->data;
    ngx_http_artifact_share = ngx_http_artifact_counters->shares;

    return NGX_OK;
}


void
ngx_http_artifact_counters_begin(void)
{
    size_t  size;

    if (ngx_http_artifact_counters == NULL) {
        return;
    }

    ngx_http_artifact_counters->open[ngx_process_slot] = 0;

    size = ngx_http_artifact_share_size() / sizeof(ngx_atomic_t);

    ngx_http_artifact_share = ngx_http_artifact_counters->shares
                              + ngx_worker % NGX_HTTP_ARTIFACT_SHARES * size;
}


void
ngx_http_artifact_count(art_count_t family, const unsigned *at, uint64_t n)
{
    unsigned  place;

    if (ngx_http_artifact_share == NULL) {
        return;
    }

    place = art_counters_index(&ngx_http_artifact_places, family, at);

    if (place < ngx_http_artifact_places.n) {
        (void) ngx_atomic_fetch_add(&ngx_http_artifact_share[place],
                                    (ngx_atomic_int_t) n);
    }
}


void
ngx_http_artifact_count_one(art_count_t family, unsigned value)
{
    ngx_http_artifact_count(family, &value, 1);
}


void
ngx_http_artifact_count_open(ngx_int_t change)
{
    ngx_http_artifact_open += change;

    if (ngx_http_artifact_counters) {
        ngx_http_artifact_counters->open[ngx_process_slot] =
                                     (ngx_atomic_uint_t) ngx_http_artifact_open;
    }
}


uint64_t *
ngx_http_artifact_counts(ngx_http_request_t *r,
    const art_counters_t **counters)
{
    size_t         size;
    uint64_t      *values;
    ngx_uint_t     i, n;
    ngx_atomic_t  *share;

    *counters = &ngx_http_artifact_places;

    values = ngx_pcalloc(r->pool,
                         ngx_http_artifact_places.n * sizeof(uint64_t));

    if (values == NULL || ngx_http_artifact_counters == NULL) {
        return values;
    }

    size = ngx_http_artifact_share_size() / sizeof(ngx_atomic_t);

    for (n = 0; n < NGX_HTTP_ARTIFACT_SHARES; n++) {
        share = ngx_http_artifact_counters->shares + n * size;

        for (i = 0; i < ngx_http_artifact_places.n; i++) {
            values[i] += share[i];
        }
    }

    ngx_http_artifact_count_zone(r, values);

    return values;
}


/* What is no sum of events. */

static void
ngx_http_artifact_count_zone(ngx_http_request_t *r, uint64_t *values)
{
    ngx_uint_t                      i;
    ngx_slab_pool_t                *shpool;
    const unsigned                 *first;
    ngx_http_artifact_main_conf_t  *amcf;

    amcf = ngx_http_get_module_main_conf(r, ngx_artifact_module);
    shpool = (ngx_slab_pool_t *) amcf->zone->shm.addr;
    first = ngx_http_artifact_places.first;

    values[first[ART_COUNT_ZONE_SIZE]] = amcf->zone->shm.size;
    values[first[ART_COUNT_ZONE_USED]] = amcf->zone->shm.size
                                         - shpool->pfree * ngx_pagesize;

    for (i = 0; i < NGX_MAX_PROCESSES; i++) {
        values[first[ART_COUNT_OPEN]] += ngx_http_artifact_counters->open[i];
    }
}
