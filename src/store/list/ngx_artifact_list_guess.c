
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/list/ngx_artifact_list_guess.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/metadata/ngx_artifact_load.h"

#include "core/ref/art_ref_file.h"


/* One look-up of a name takes as long as reading so many names. */

#define NGX_ARTIFACT_LOOK  4


static ngx_uint_t ngx_artifact_guess_same(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, size_t i,
    const ngx_artifact_place_t *place);
static ngx_int_t ngx_artifact_guess_place(ngx_artifact_list_job_t *job,
    const ngx_artifact_place_t *place, size_t begin, size_t end);
static void ngx_artifact_guess_name(void *data, art_str_t name);
static void ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    ngx_uint_t all);


/* Adjacent items in the same place are handled together. */

ngx_int_t
ngx_artifact_list_guess(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout)
{
    size_t                     i, begin;
    ngx_artifact_place_t       place;
    ngx_artifact_list_item_t  *item;

    for (begin = 0; begin < job->page.n; begin = i) {
        item = job->page.items[begin].data;
        i = begin + 1;

        if (!item->detail->guess) {
            continue;
        }

        ngx_artifact_place_of(layout, ngx_artifact_list_name(job, item),
                              &place);

        while (i < job->page.n
               && ngx_artifact_guess_same(job, layout, i, &place))
        {
            i++;
        }

        if (ngx_artifact_guess_place(job, &place, begin, i) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_artifact_guess_same(ngx_artifact_list_job_t *job,
    const art_ref_layout_t *layout, size_t i,
    const ngx_artifact_place_t *place)
{
    ngx_artifact_place_t  other;

    ngx_artifact_place_of(layout,
                          ngx_artifact_list_name(job, job->page.items[i].data),
                          &other);

    return ngx_memcmp(other.path, place->path, place->len) == 0;
}


static ngx_int_t
ngx_artifact_guess_place(ngx_artifact_list_job_t *job,
    const ngx_artifact_place_t *place, size_t begin, size_t end)
{
    size_t                     i, n;
    ngx_uint_t                 all;
    ngx_artifact_list_item_t  *item;

    n = 0;

    for (i = begin; i < end; i++) {
        item = job->page.items[i].data;
        n += item->detail->guess;
    }

    /* assume that the folder has as many names as those walked over */

    all = n * ART_REF_FILE_GUESSES
          < job->names / ngx_max(job->folders, 1) / NGX_ARTIFACT_LOOK;

    if (!all
        && ngx_artifact_place_read(job->top, place, job->follow,
                                   ngx_artifact_guess_name, job)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = begin; i < end; i++) {
        item = job->page.items[i].data;

        if (item->detail->guess) {
            ngx_artifact_guess_try(job, item, place, all);
        }
    }

    return NGX_OK;
}


/* Marks the extension for each id whose content the name may be. */

static void
ngx_artifact_guess_name(void *data, art_str_t name)
{
    ngx_artifact_list_job_t *job = data;

    int                        rank;
    size_t                     i, len;
    u_char                     key[NGX_ARTIFACT_LIST_KEY];
    art_page_item_t           *found;
    ngx_artifact_list_item_t  *item;

    /* file systems in user space may have longer names */

    if (name.len > NAME_MAX) {
        return;
    }

    for (i = 1; i <= name.len; i++) {

        if (i < name.len && name.data[i] != '.') {
            continue;
        }

        len = ngx_artifact_list_key(job, art_str(name.data, i), key);
        found = art_page_get(&job->page, art_str(key, len));

        if (found == NULL) {
            continue;
        }

        item = found->data;

        if (!item->detail->guess) {
            continue;
        }

        rank = art_ref_file_rank(i < name.len
                                 ? art_str(name.data + i + 1,
                                           name.len - i - 1)
                                 : art_str(NULL, 0));

        if (rank >= 0) {
            item->detail->ranks[rank / 64] |= (uint64_t) 1 << rank % 64;
        }
    }
}


/* Tries the extensions that were seen, or all, in the order of requests. */

static void
ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    ngx_uint_t all)
{
    u_char                buf[ART_REF_LAYOUT_PLACE
                              + NGX_ARTIFACT_SIDECAR_NAME];
    ngx_int_t             rc;
    ngx_str_t             name;
    ngx_uint_t            rank;
    art_str_t             extension;
    art_ref_file_guess_t  guess;

    rc = NGX_DECLINED;

    ngx_memzero(&guess, sizeof(art_ref_file_guess_t));

    for (rank = 0;
         rc == NGX_DECLINED && art_ref_file_guess(&guess, &extension);
         rank++)
    {
        if (all || (item->detail->ranks[rank / 64] >> rank % 64 & 1)) {
            rc = ngx_artifact_list_content(job, item, place, extension);
        }
    }

    /* its sidecar has come meanwhile: the next pass finds it by that */

    if (rc == NGX_OK && item->detail->bare
        && ngx_artifact_list_sidecar(job, item, place, buf, &name))
    {
        rc = NGX_DECLINED;
    }

    ngx_memzero(item->detail->ranks, sizeof(item->detail->ranks));

    item->detail->guess = 0;
    item->detail->gone = (rc != NGX_OK);
}


ngx_int_t
ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    art_str_t extension)
{
    size_t           len;
    u_char          *p, buf[ART_REF_LAYOUT_PLACE + ART_REF_FILE_NAME];
    ngx_file_info_t  info;

    p = ngx_cpymem(buf, place->path, place->len);
    len = art_ref_file_name(p, ngx_artifact_list_name(job, item), extension);

    if (len == 0
        || fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == -1
        || ngx_artifact_stat(job->top, (char *) buf, job->follow, &info)
           != NGX_OK
        || !ngx_is_file(&info))
    {
        return NGX_DECLINED;
    }

    item->detail->file = ngx_artifact_list_alloc(job, len + 1);

    if (item->detail->file) {
        ngx_memcpy(item->detail->file, p, len + 1);
    }

    ngx_artifact_list_set_info(item, &info);

    return NGX_OK;
}


ngx_uint_t
ngx_artifact_list_sidecar(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, const ngx_artifact_place_t *place,
    u_char *buf, ngx_str_t *name)
{
    u_char           *p;
    ngx_file_info_t   info;

    p = ngx_cpymem(buf, place->path, place->len);

    if (ngx_artifact_sidecar_name(p, name, ngx_artifact_list_name(job, item),
                                  ".meta")
        != NGX_OK)
    {
        return 0;
    }

    name->data = buf;
    name->len += place->len;

    return fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == 0;
}
