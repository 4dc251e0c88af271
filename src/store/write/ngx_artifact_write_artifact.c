
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A new artifact is put in its place: first the marker of an upload, then its
 * sidecar, so that nobody finds the content without them, then the content.
 */


#include "store/write/ngx_artifact_write.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_due.h"
#include "store/files/ngx_artifact_marker.h"

#include "core/base/art_time.h"
#include "core/meta/art_meta.h"

#include <sys/syscall.h>

#if !defined(RENAME_NOREPLACE)
#define RENAME_NOREPLACE  1
#endif


static ngx_int_t ngx_artifact_write_in_subfolder(
    ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_upload(ngx_artifact_write_job_t *job);
static ngx_fd_t ngx_artifact_write_make_subfolder(ngx_fd_t folder,
    const ngx_artifact_subfolder_t *sub);
static ngx_int_t ngx_artifact_write_rename_artifact(
    ngx_artifact_write_job_t *job, ngx_fd_t folder);
static ngx_int_t ngx_artifact_write_expires(ngx_artifact_write_job_t *job);
static ngx_int_t ngx_artifact_write_sidecar(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static int ngx_artifact_rename_new(ngx_artifact_write_job_t *job,
    const char *name, ngx_fd_t to, const char *new_name);


ngx_int_t
ngx_artifact_write_publish_artifact(ngx_artifact_write_job_t *job)
{
    ngx_int_t  rc;

    if (job->upload.len == 0) {
        return ngx_artifact_write_in_subfolder(job);
    }

    if (ngx_artifact_write_upload(job) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_write_in_subfolder(job);

    if (!job->published) {
        ngx_artifact_marker_remove(job->area.control, job->id);
    }

    return rc;
}


static ngx_int_t
ngx_artifact_write_in_subfolder(ngx_artifact_write_job_t *job)
{
    ngx_fd_t                  folder;
    ngx_int_t                 rc;
    ngx_artifact_subfolder_t  sub;

    ngx_artifact_subfolder_of(&job->layout->layout, art_cstr(job->id), &sub);

    folder = ngx_artifact_write_make_subfolder(job->area.folder, &sub);

    if (folder == NGX_INVALID_FILE) {

        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "open");

        /* a file or a link in place of the folder is not the client's fault */

        if (ngx_artifact_is_missing(job->err)) {
            job->error = ART_ERR_WRITE;
        }

        return rc;
    }

    rc = ngx_artifact_write_rename_artifact(job, folder);

    if (folder != job->area.folder) {
        ngx_artifact_close(&folder);
    }

    return rc;
}


static ngx_int_t
ngx_artifact_write_upload(ngx_artifact_write_job_t *job)
{
    char  id[NGX_ARTIFACT_TEMP_ID + 1];

    ngx_artifact_uuid(id);

    if (ngx_artifact_write_name(job, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_artifact_marker_make(job->area.control, id, job->sync) != NGX_OK) {
        job->file = NGX_ARTIFACT_CONTROL "/files";
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    return NGX_OK;
}


ngx_int_t
ngx_artifact_write_name(ngx_artifact_write_job_t *job, const char *id)
{
    u_char  name[sizeof(job->temp.name)];

    (void) ngx_snprintf(name, sizeof(name), NGX_ARTIFACT_TEMP "%s%Z", id);

    if (renameat(job->area.control, (char *) job->temp.name,
                 job->area.control, (char *) name)
        == -1)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
    }

    ngx_memcpy(job->temp.name, name, sizeof(name));
    ngx_memcpy(job->id, id, sizeof(job->id));

    return NGX_OK;
}


/*
 * Opens a sub-folder, made when missing, with its name on the disk.
 * NGX_INVALID_FILE with errno; "folder" itself for an empty path.
 */

static ngx_fd_t
ngx_artifact_write_make_subfolder(ngx_fd_t folder,
    const ngx_artifact_subfolder_t *sub)
{
    u_char    *name, *end, path[ART_REF_LAYOUT_PLACE + 1];
    ngx_fd_t   fd, parent;

    ngx_memcpy(path, sub->path, sub->len + 1);

    fd = folder;

    for (name = path; *name && fd != NGX_INVALID_FILE; name = end + 1) {
        end = (u_char *) ngx_strchr(name, '/');
        *end = '\0';

        parent = fd;
        fd = ngx_artifact_folder(parent, (char *) name, 0755, 1);

        if (parent != folder) {
            ngx_artifact_close(&parent);
        }
    }

    return fd;
}


/* The sidecar comes first, so that nobody finds the content without it. */

static ngx_int_t
ngx_artifact_write_rename_artifact(ngx_artifact_write_job_t *job,
    ngx_fd_t folder)
{
    char  meta[NGX_ARTIFACT_TEMP_ID + sizeof(".meta")];
    char  name[NGX_ARTIFACT_TEMP_ID + ART_REF_NAME_EXTENSION_MAX + 1];

    job->time = ngx_artifact_now();

    (void) ngx_snprintf((u_char *) meta, sizeof(meta), "%s.meta%Z", job->id);
    (void) ngx_snprintf((u_char *) name, sizeof(name), "%s%*s%Z", job->id,
                        job->extension_len, job->extension);

    if (ngx_fd_info(job->temp.fd, &job->info) == NGX_FILE_ERROR) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fstat");
    }

    if (ngx_artifact_write_expires(job) != NGX_OK
        || ngx_artifact_write_sidecar(job, folder, meta) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_artifact_rename_new(job, (char *) job->temp.name, folder, name)
        == -1)
    {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
        (void) unlinkat(folder, meta, 0);
        return NGX_ERROR;
    }

    job->published = 1;
    job->created = 1;

    if (job->sync && fsync(folder) == -1) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
    }

    return NGX_OK;
}


/*
 * The marker comes first, so that nothing that expires is without one.  If the
 * write fails, the marker is removed when it is due.
 */

static ngx_int_t
ngx_artifact_write_expires(ngx_artifact_write_job_t *job)
{
    job->expires = 0;

    if (job->lifetime == 0) {
        return NGX_OK;
    }

    job->expires = ngx_min(job->time + job->lifetime, ART_TIME_MAX);

    if (ngx_artifact_due_mark(job->area.control, job->id, job->expires,
                              job->sync)
        != NGX_OK)
    {
        job->file = NGX_ARTIFACT_CONTROL "/" NGX_ARTIFACT_DUE;
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_write_sidecar(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    art_out_t            out;
    ngx_int_t            rc;
    ngx_artifact_temp_t  temp;

    out = art_out(NULL, 0);

    do {
        ngx_artifact_print_sidecar(job, &out);
    } while (art_out_again(&out, NULL));

    if (out.data == NULL) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "malloc");
    }

    rc = ngx_artifact_temp_open(&temp, job->area.control, NULL);

    if (rc != NGX_OK) {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
        free(out.data);
        return NGX_ERROR;
    }

    if (ngx_artifact_write_all(temp.fd, out.data, out.len, 0) != NGX_OK
        || (job->sync && fsync(temp.fd) == -1)
        || ngx_artifact_rename_new(job, (char *) temp.name, folder, name)
           == -1)
    {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "write");
    }

    ngx_artifact_temp_close(&temp, job->area.control, rc == NGX_OK);
    free(out.data);

    return rc;
}


void
ngx_artifact_print_sidecar(ngx_artifact_write_job_t *job, art_out_t *out)
{
    art_meta_new_t  meta;

    ngx_memzero(&meta, sizeof(art_meta_new_t));

    meta.id = art_cstr(job->id);
    meta.extension = art_str(job->extension, job->extension_len);
    meta.mime = job->mime;
    meta.name = job->path;
    meta.size = (uint64_t) job->size;
    meta.created = job->time;
    meta.expires = job->expires;
    meta.digest = art_str(job->sum_len ? job->sum : NULL, job->sum_len);
    meta.file = job->upload;
    meta.standin = job->standin;
    meta.text = job->text;

    if (job->message.len) {
        meta.message_id = job->message;
    }

    if (job->agent.len) {
        meta.agent_id = job->agent;
    }

    art_meta_print_new(out, &meta);
}


/*
 * Renames, never over another file if the file system can promise that; but
 * what has a content's id, and is not whole, is replaced.
 */

static int
ngx_artifact_rename_new(ngx_artifact_write_job_t *job, const char *name,
    ngx_fd_t to, const char *new_name)
{
#if defined(SYS_renameat2)
    if (!job->by_content) {

        if (syscall(SYS_renameat2, job->area.control, name, to, new_name,
                    RENAME_NOREPLACE)
            == 0)
        {
            return 0;
        }

        if (ngx_errno != ENOSYS && ngx_errno != EINVAL && ngx_errno != EPERM) {
            return -1;
        }
    }
#endif

    return renameat(job->area.control, name, to, new_name);
}
