
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include "store/list/ngx_artifact_list_guess.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_ref_file.h"

#include <dirent.h>


/* So many looks for one name take as long as reading a name. */

#define NGX_ARTIFACT_LOOK  4


static ngx_int_t ngx_artifact_guess_read(ngx_artifact_list_job_t *job);
static void ngx_artifact_guess_name(ngx_artifact_list_job_t *job,
    art_str_t name);
static void ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, ngx_uint_t all);


ngx_int_t
ngx_artifact_list_guess(ngx_artifact_list_job_t *job)
{
    size_t                     i, n;
    ngx_uint_t                 all;
    ngx_artifact_list_item_t  *item;

    n = 0;

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;
        n += item->detail->guess;
    }

    all = n * ART_REF_FILE_GUESSES < job->names / NGX_ARTIFACT_LOOK;

    if (n > 0 && !all && ngx_artifact_guess_read(job) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < job->page.n; i++) {
        item = job->page.items[i].data;

        if (item->detail->guess) {
            ngx_artifact_guess_try(job, item, all);
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_guess_read(ngx_artifact_list_job_t *job)
{
    DIR            *dir;
    ngx_fd_t        fd;
    ngx_err_t       err;
    struct dirent  *entry;

    fd = openat(job->top, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    dir = fdopendir(fd);

    if (dir == NULL) {
        ngx_artifact_close(&fd);
        return NGX_ERROR;
    }

    for ( ;; ) {
        ngx_set_errno(0);
        entry = readdir(dir);

        if (entry == NULL) {
            break;
        }

        ngx_artifact_guess_name(job, art_cstr(entry->d_name));
    }

    err = ngx_errno;
    (void) closedir(dir);
    ngx_set_errno(err);

    return err == 0 ? NGX_OK : NGX_ERROR;
}


/* Notes the extension for each id that the name may be a content of. */

static void
ngx_artifact_guess_name(ngx_artifact_list_job_t *job, art_str_t name)
{
    int                        rank;
    size_t                     i;
    art_page_item_t           *found;
    ngx_artifact_list_item_t  *item;

    for (i = 1; i <= name.len; i++) {

        if (i < name.len && name.data[i] != '.') {
            continue;
        }

        found = art_page_get(&job->page, art_str(name.data, i));

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


/* Those that were seen, or all of them, in the order of a request. */

static void
ngx_artifact_guess_try(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, ngx_uint_t all)
{
    ngx_int_t             rc;
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
            rc = ngx_artifact_list_content(job, item, extension);
        }
    }

    item->detail->guess = 0;
    item->detail->gone = (rc != NGX_OK);
}


ngx_int_t
ngx_artifact_list_content(ngx_artifact_list_job_t *job,
    ngx_artifact_list_item_t *item, art_str_t extension)
{
    size_t           len;
    u_char           buf[ART_REF_FILE_NAME];
    ngx_file_info_t  info;

    len = art_ref_file_name(buf, art_str(item->name, item->len), extension);

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
        ngx_memcpy(item->detail->file, buf, len + 1);
    }

    ngx_artifact_list_set_info(item, &info);

    return NGX_OK;
}
