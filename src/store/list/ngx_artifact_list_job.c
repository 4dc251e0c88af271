
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The memory for the details of a page.  It is mapped, because the heaps of
 * threads would not give it back.
 */


#include "store/list/ngx_artifact_list_job.h"
#include "store/disk/ngx_artifact_map.h"

#include "core/meta/art_meta.h"


/*
 * The most memory for the strings of one name, with their lengths: it may be in
 * three places, each with a sidecar.
 */

#define NGX_ARTIFACT_STRINGS                                                  \
    (3 * (128 + 2 * ART_META_TYPE_MAX + ART_META_NAME_MAX                     \
          + 2 * ART_META_TIME_MAX + 2 * ART_META_ID_MAX                       \
          + 2 * ART_REF_FILE_EXTENSION_MAX + NAME_MAX))


size_t
ngx_artifact_list_key(const ngx_artifact_list_job_t *job, art_str_t id,
    u_char *buf)
{
    ngx_artifact_place_t  place;

    ngx_artifact_place_of(&job->layout->layout, id, &place);

    ngx_memcpy(buf, place.path, place.len);
    ngx_memcpy(buf + place.len, id.data, id.len);

    return place.len + id.len;
}


ngx_int_t
ngx_artifact_list_memory(ngx_artifact_list_job_t *job)
{
    size_t                       i;
    ngx_artifact_list_item_t    *item;
    ngx_artifact_list_detail_t  *details;

    job->memory_size = job->page.n * (sizeof(ngx_artifact_list_detail_t)
                                      + NGX_ARTIFACT_STRINGS);

    job->memory = ngx_artifact_map(job->memory_size);
    if (job->memory == NULL) {
        return NGX_ERROR;
    }

    job->memory_used = job->page.n * sizeof(ngx_artifact_list_detail_t);
    details = (ngx_artifact_list_detail_t *) job->memory;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;
        item->detail = &details[i];
    }

    return NGX_OK;
}


/* Takes only what listings show: the history may be long. */

void
ngx_artifact_list_set_meta(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_meta_t *meta)
{
    size_t   size;
    u_char  *block;

    meta->object = art_str(NULL, 0);
    meta->modified_by = art_str(NULL, 0);
    meta->extra = art_str(NULL, 0);

    size = art_meta_packed_size(meta);
    block = ngx_artifact_list_alloc(job, size);

    if (block) {
        (void) art_meta_pack(meta, block, size);
        (void) art_meta_unpack(block, size, &item->detail->meta);
    }

    art_meta_free(meta);
}


/* The job's memory has room for the longest strings of all items. */

u_char *
ngx_artifact_list_alloc(ngx_artifact_list_job_t *job, size_t size)
{
    u_char  *p;

    if (size > job->memory_size - job->memory_used) {
        return NULL;
    }

    p = job->memory + job->memory_used;
    job->memory_used += size;

    return p;
}


void
ngx_artifact_list_set_info(ngx_artifact_list_item_t *item,
    ngx_file_info_t *info)
{
    item->detail->size = ngx_file_size(info);
    item->detail->mtime = info->st_mtim;
}


void
ngx_artifact_list_free(ngx_artifact_list_job_t *job)
{
    size_t  i;

    for (i = 0; i < job->page.n; i++) {
        ngx_free(job->page.items[i].data);
    }

    if (job->memory) {
        ngx_artifact_unmap(job->memory, job->memory_size);
    }
}
