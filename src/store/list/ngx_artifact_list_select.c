
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Decides which names in a folder are listed, under what name, and whether they
 * belong on the page.
 */


#include "store/list/ngx_artifact_list_select.h"
#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_id.h"
#include "core/ref/art_ref_file.h"

#include <dirent.h>


static ngx_int_t ngx_artifact_select_file(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_workspace(
    ngx_artifact_list_job_t *job, art_str_t name, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_artifact(
    ngx_artifact_list_job_t *job, art_str_t path, ngx_uint_t type);
static ngx_int_t ngx_artifact_select_content(
    ngx_artifact_list_job_t *job, art_str_t path, ngx_uint_t type);
static ngx_uint_t ngx_artifact_select_claimed(
    ngx_artifact_list_job_t *job, art_str_t path, art_str_t id);
static ngx_uint_t ngx_artifact_select_wants(
    ngx_artifact_list_job_t *job, art_str_t name);
static ngx_int_t ngx_artifact_select_add(ngx_artifact_list_job_t *job,
    art_str_t path, size_t base);


ngx_int_t
ngx_artifact_list_select(ngx_artifact_list_job_t *job, art_str_t path,
    ngx_uint_t type)
{
    switch (job->kind) {

    case ART_LISTING_ARTIFACTS:
        return ngx_artifact_select_artifact(job, path, type);

    case ART_LISTING_WORKSPACES:
        return ngx_artifact_select_workspace(job, path, type);

    default:
        return ngx_artifact_select_file(job, path, type);
    }
}


/* Selects a file, a link or a folder of a workspace. */

static ngx_int_t
ngx_artifact_select_file(ngx_artifact_list_job_t *job, art_str_t path,
    ngx_uint_t type)
{
    art_str_t         name;
    ngx_file_info_t   info;

    name = art_str(path.data + job->base, path.len - job->base);

    if ((type != DT_REG && type != DT_DIR && type != DT_LNK)
        || !ngx_artifact_select_wants(job, name))
    {
        return NGX_OK;
    }

    /* a link that leads out must not even cause a next page */

    if (type == DT_LNK
        && (ngx_artifact_stat(job->top, (char *) path.data, job->follow,
                              &info)
            != NGX_OK
            || (job->recursive && ngx_is_dir(&info))))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, path, job->base);
}


/* Workspaces are real folders; the control folder beside them is skipped. */

static ngx_int_t
ngx_artifact_select_workspace(ngx_artifact_list_job_t *job,
    art_str_t name, ngx_uint_t type)
{
    if (type != DT_DIR
        || !art_id_component(name)
        || art_str_eq(name, art_cstr(NGX_ARTIFACT_CONTROL))
        || !ngx_artifact_select_wants(job, name))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, name, 0);
}


/*
 * The id of an artifact comes from its sidecar or, without one, from the name
 * of its content without a known extension.  Both give the same id, which is
 * added to the page once.
 */

static ngx_int_t
ngx_artifact_select_artifact(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type)
{
    u_char     key[NGX_ARTIFACT_LIST_KEY];
    art_str_t  id, name;

    static const art_str_t  suffix = art_string(".meta");

    if (type != DT_REG && type != DT_LNK) {
        return NGX_OK;
    }

    id = art_str(path.data + job->base, path.len - job->base);

    if (id.len <= suffix.len
        || ngx_memcmp(id.data + id.len - suffix.len, suffix.data, suffix.len)
           != 0)
    {
        return ngx_artifact_select_content(job, path, type);
    }

    id.len -= suffix.len;
    name = art_str(key, ngx_artifact_list_key(job, id, key));

    return art_id_regular(id) && ngx_artifact_select_wants(job, name)
           ? ngx_artifact_select_add(job, name, 0) : NGX_OK;
}


static ngx_int_t
ngx_artifact_select_content(ngx_artifact_list_job_t *job,
    art_str_t path, ngx_uint_t type)
{
    u_char            key[NGX_ARTIFACT_LIST_KEY];
    art_str_t         id, name;
    ngx_file_info_t   info;

    name = art_str(path.data + job->base, path.len - job->base);
    id = art_ref_file_id(name);

    if (art_ref_name_reserved(name) || !art_id_regular(id)) {
        return NGX_OK;
    }

    name = art_str(key, ngx_artifact_list_key(job, id, key));

    if (!ngx_artifact_select_wants(job, name)
        || ngx_artifact_select_claimed(job, path, id)
        || (type == DT_LNK
            && ngx_artifact_stat(job->top, (char *) path.data,
                                 job->follow, &info)
               != NGX_OK))
    {
        return NGX_OK;
    }

    return ngx_artifact_select_add(job, name, 0);
}


/*
 * Whether there is also the sidecar of another id whose content this may be:
 * "report.meta" for "report.tar.gz".
 */

static ngx_uint_t
ngx_artifact_select_claimed(ngx_artifact_list_job_t *job,
    art_str_t path, art_str_t id)
{
    size_t            i;
    u_char            buf[ART_REF_LAYOUT_PLACE + NAME_MAX + sizeof(".meta")];
    ngx_file_info_t   info;

    for (i = job->base + 1; i <= path.len; i++) {

        if (i == job->base + id.len || (i < path.len && path.data[i] != '.')) {
            continue;
        }

        ngx_memcpy(buf, path.data, i);
        ngx_memcpy(buf + i, ".meta", sizeof(".meta"));

        if (fstatat(job->top, (char *) buf, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            return 1;
        }
    }

    return 0;
}


/* When a next page is known to exist, names beyond this one do not matter. */

static ngx_uint_t
ngx_artifact_select_wants(ngx_artifact_list_job_t *job, art_str_t name)
{
    switch (art_page_position(&job->page, name)) {

    case ART_PAGE_IN:
        return 1;

    case ART_PAGE_BEYOND:
        return !job->page.more;

    default:
        return 0;
    }
}


static ngx_int_t
ngx_artifact_select_add(ngx_artifact_list_job_t *job, art_str_t path,
    size_t base)
{
    art_str_t                  name;
    ngx_artifact_list_item_t  *item;

    name = art_str(path.data + base, path.len - base);

    if (art_page_position(&job->page, name) == ART_PAGE_BEYOND) {
        job->page.more = 1;
        return NGX_OK;
    }

    item = ngx_calloc(sizeof(ngx_artifact_list_item_t) + path.len, job->log);
    if (item == NULL) {
        ngx_set_errno(NGX_ENOMEM);
        return NGX_ERROR;
    }

    ngx_memcpy(item->name, path.data, path.len);
    item->len = path.len;

    art_page_add(&job->page, art_str(item->name + base, name.len), item);

    while ((item = art_page_excess(&job->page)) != NULL) {
        ngx_free(item);
    }

    return NGX_OK;
}
