
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A page of a listing as JSON.
 */


#include "http/base/ngx_http_artifact_util.h"
#include "http/source/ngx_http_artifact_classify.h"
#include "http/list/ngx_http_artifact_list.h"
#include "store/disk/ngx_artifact_str.h"
#include "core/base/art_time.h"
#include "core/media/art_classify.h"


static void ngx_http_artifact_list_entry(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_listing_t *list,
    ngx_artifact_list_item_t *item, art_json_put_t *put);


void
ngx_http_artifact_list_print(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_out_t *out)
{
    size_t                     i, count;
    art_str_t                  next;
    art_listing_t              list;
    art_json_put_t             put;
    ngx_artifact_list_item_t  *item;

    list.kind = job->kind;
    list.workspace = ngx_artifact_str(&job->workspace);
    list.path = ngx_artifact_str(&job->path);

    art_json_put_init(&put, out, 0);
    art_listing_begin(&put, &list);

    count = 0;
    next = art_str(NULL, 0);

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (!item->detail->gone) {
            ngx_http_artifact_list_entry(r, job, &list, item, &put);
            count++;
        }

        if (job->page.more) {
            next = job->page.items[i].name;
            next = art_str(next.data + job->id, next.len - job->id);
        }
    }

    art_listing_end(&put, count, next);
}


static void
ngx_http_artifact_list_entry(ngx_http_request_t *r,
    ngx_artifact_list_job_t *job, art_listing_t *list,
    ngx_artifact_list_item_t *item, art_json_put_t *put)
{
    u_char                       time[ART_TIME_LEN];
    uint64_t                     ms;
    ngx_str_t                    path, last;
    art_claims_t                 claims;
    art_verdict_t                verdict;
    art_listing_entry_t          entry;
    ngx_artifact_list_detail_t  *detail;

    detail = item->detail;

    ngx_memzero(&entry, sizeof(art_listing_entry_t));

    ms = detail->mtime.tv_sec < 0
         ? 0 : (uint64_t) detail->mtime.tv_sec * 1000
               + (uint64_t) detail->mtime.tv_nsec / 1000000;

    art_time_print(time, ms);

    path.data = detail->file ? detail->file : item->name;
    path.len = detail->file ? ngx_strlen(detail->file) : item->len;

    ngx_http_artifact_last_name(&path, &last);

    entry.id = ngx_artifact_list_name(job, item);
    entry.path = entry.id;
    entry.name = detail->meta.name.len > 0
                 && list->kind == ART_LISTING_ARTIFACTS
                 ? detail->meta.name : ngx_artifact_str(&last);
    entry.size = (uint64_t) detail->size;
    entry.folder = detail->folder;
    entry.created = detail->meta.created;
    entry.updated = detail->meta.updated.data ? detail->meta.updated
                                            : art_str(time, ART_TIME_LEN);
    entry.type = detail->meta.type;
    entry.message_id = detail->meta.message_id;

    if (list->kind != ART_LISTING_WORKSPACES && !detail->folder) {
        ngx_http_artifact_claims(r, &detail->meta, ngx_artifact_str(&last),
                                 &claims);

        if (art_classify(&claims, NULL, &verdict) != ART_OK) {
            art_classify_unknown(&verdict);
        }

        entry.mime = art_str(verdict.type.buf, verdict.type.len);
    }

    art_listing_entry(put, list, &entry);
}
