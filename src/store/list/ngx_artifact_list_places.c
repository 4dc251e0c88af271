
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/list/ngx_artifact_list_places.h"
#include "store/list/ngx_artifact_list_walk.h"


/* The folders of a level that exist, a bit for each number. */

typedef struct {
    const art_ref_layout_t  *layout;
    ngx_uint_t               depth;
    uint64_t                 bits[4];
    ngx_uint_t               next;           /* the next number to try */
    size_t                   len;            /* of the path above */
} ngx_artifact_places_level_t;


static ngx_int_t ngx_artifact_places_walk(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout);
static ngx_int_t ngx_artifact_places_leaf(ngx_artifact_list_job_t *job,
    ngx_artifact_place_t *place);
static ngx_int_t ngx_artifact_places_read(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, ngx_uint_t depth,
    ngx_artifact_place_t *place, ngx_artifact_places_level_t *level);
static void ngx_artifact_places_name(void *data, art_str_t name);
static ngx_uint_t ngx_artifact_places_next(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, ngx_uint_t depth,
    ngx_artifact_place_t *place, ngx_artifact_places_level_t *level);


ngx_int_t
ngx_artifact_list_places(ngx_artifact_list_job_t *job)
{
    if (job->layout->changes
        && ngx_artifact_places_walk(job, &job->layout->old) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_artifact_places_walk(job, &job->layout->layout);
}


/* Walks over each folder and what is below it, in the order of names. */

static ngx_int_t
ngx_artifact_places_walk(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout)
{
    ngx_int_t                    rc;
    ngx_uint_t                   depth;
    ngx_artifact_place_t         place;
    ngx_artifact_places_level_t  levels[ART_REF_LAYOUT_LEVELS];

    depth = 0;

    place.len = 0;
    place.path[0] = '\0';

    for ( ;; ) {

        if (depth == layout->n) {
            rc = ngx_artifact_places_leaf(job, &place);

        } else {
            rc = ngx_artifact_places_read(job, layout, depth, &place,
                                          &levels[depth]);
            depth++;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        while (depth > 0
               && !ngx_artifact_places_next(job, layout, depth - 1, &place,
                                            &levels[depth - 1]))
        {
            depth--;
        }

        if (depth == 0) {
            return NGX_OK;
        }
    }
}


static ngx_int_t
ngx_artifact_places_leaf(ngx_artifact_list_job_t *job,
    ngx_artifact_place_t *place)
{
    ngx_int_t  rc;
    ngx_str_t  path;

    job->folders++;

    path.data = place->path;
    path.len = place->len ? place->len - 1 : 0;
    path.data[path.len] = '\0';

    rc = ngx_artifact_list_walk(job, &path);

    /* ignore a link that leads out of the store */

    return rc == NGX_ERROR && place->len
           && ngx_artifact_place_empty(ngx_errno) ? NGX_OK : rc;
}


static ngx_int_t
ngx_artifact_places_read(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, ngx_uint_t depth,
    ngx_artifact_place_t *place, ngx_artifact_places_level_t *level)
{
    ngx_memzero(level, sizeof(ngx_artifact_places_level_t));

    level->layout = layout;
    level->depth = depth;
    level->len = place->len;

    return ngx_artifact_place_read(job->top, place, job->follow,
                                   ngx_artifact_places_name, level);
}


static void
ngx_artifact_places_name(void *data, art_str_t name)
{
    ngx_artifact_places_level_t *level = data;

    int  number;

    number = art_ref_layout_number(level->layout, (unsigned) level->depth,
                                   name);

    if (number >= 0) {
        level->bits[number / 64] |= (uint64_t) 1 << number % 64;
    }
}


/* Only folders of the current layout can be skipped by the page's order. */

static ngx_uint_t
ngx_artifact_places_next(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, ngx_uint_t depth,
    ngx_artifact_place_t *place, ngx_artifact_places_level_t *level)
{
    ngx_uint_t  number;

    while (level->next < 256) {
        number = level->next++;

        if (!(level->bits[number / 64] >> number % 64 & 1)) {
            continue;
        }

        place->len = level->len;
        place->len += art_ref_layout_name(layout, (unsigned) depth,
                                          (unsigned) number,
                                          place->path + place->len);
        place->path[place->len++] = '/';
        place->path[place->len] = '\0';

        if (layout != &job->layout->layout
            || !art_page_skips(&job->page, art_str(place->path, place->len)))
        {
            return 1;
        }
    }

    return 0;
}
