
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What comes out of a fold: the new document and its index in their places,
 * or a document that nobody can read out of the way.  Runs in threads.
 */


#include "store/metadata/ngx_artifact_fold_int.h"


static ngx_int_t ngx_artifact_fold_rights(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_index(ngx_artifact_fold_t *f,
    ngx_file_info_t *info);


/* The new document takes the place of the one that was read, or of none. */

ngx_int_t
ngx_artifact_fold_publish(ngx_artifact_fold_t *f)
{
    ngx_file_info_t  now, info;

    if (f->fd != NGX_INVALID_FILE
        && ngx_artifact_fold_rights(f) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_artifact_touch(f->temp.fd) != NGX_OK
        || fsync(f->temp.fd) == -1
        || ngx_fd_info(f->temp.fd, &info) == NGX_FILE_ERROR)
    {
        return NGX_ERROR;
    }

    /* there before the document is: readers must not have to search that */

    if (ngx_artifact_fold_index(f, &info) != NGX_OK) {
        ngx_log_error(NGX_LOG_WARN, f->log, ngx_errno,
                      "artifact metadata \"%s\" has no index", f->name);
    }

    /* what another writer has put there since is not lost */

    if (fstatat(f->area.folder, f->name, &now, 0) == -1) {

        if (ngx_errno != NGX_ENOENT) {
            return NGX_ERROR;
        }

        ngx_memzero(&now, sizeof(ngx_file_info_t));
    }

    if (now.st_ino != f->info.st_ino || now.st_size != f->info.st_size
        || now.st_mtim.tv_sec != f->info.st_mtim.tv_sec
        || now.st_mtim.tv_nsec != f->info.st_mtim.tv_nsec)
    {
        return NGX_AGAIN;
    }

    if (renameat(f->area.control, (char *) f->temp.name, f->area.folder,
                 f->name)
        == -1)
    {
        return NGX_ERROR;
    }

    /* the record of what was folded may go when the document is safe */

    return fsync(f->area.folder) == -1 ? NGX_ERROR : NGX_OK;
}


/*
 * As it was for others.  To give a file away takes rights, and file systems
 * that know no owners or not this one say so in different ways; to another
 * group of one's own it can be given without.
 */

static ngx_int_t
ngx_artifact_fold_rights(ngx_artifact_fold_t *f)
{
    if (fchown(f->temp.fd, f->info.st_uid, f->info.st_gid) == -1
        && fchown(f->temp.fd, (uid_t) -1, f->info.st_gid) == -1)
    {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, f->log, ngx_errno,
                       "artifact metadata \"%s\" change their owner",
                       f->name);
    }

    return fchmod(f->temp.fd, f->info.st_mode & 0777) == -1 ? NGX_ERROR
                                                            : NGX_OK;
}


/* Readers do without an index that is missing or of another document. */

static ngx_int_t
ngx_artifact_fold_index(ngx_artifact_fold_t *f,
    ngx_file_info_t *info)
{
    char                     name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_int_t                rc;
    const char              *suffix;
    ngx_artifact_temp_t      temp;
    art_meta_index_header_t  header;

    suffix = ngx_artifact_metadata_index_spare(f->area.control, f->workspace,
                                               &f->info);

    ngx_artifact_journal_name(name, f->workspace, suffix);

    if (f->index.over) {
        return unlinkat(f->area.control, name, 0) == -1
               && ngx_errno != NGX_ENOENT ? NGX_ERROR : NGX_OK;
    }

    ngx_memzero(&header, sizeof(art_meta_index_header_t));

    header.ino = (uint64_t) info->st_ino;
    header.size = (uint64_t) info->st_size;
    header.mtime = ngx_artifact_mtime(info);

    if (ngx_artifact_temp_open(&temp, f->area.control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_artifact_fold_begin(f, &temp);

    rc = NGX_OK;

    if (art_meta_index_write(&f->index, &header, ngx_artifact_fold_write, f)
        != ART_OK
        || ngx_artifact_fold_flush(f) != NGX_OK
        || fdatasync(temp.fd) == -1
        || renameat(f->area.control, (char *) temp.name, f->area.control,
                    name)
           == -1)
    {
        rc = NGX_ERROR;
    }

    ngx_artifact_temp_close(&temp, f->area.control, rc == NGX_OK);

    return rc;
}


/* Never overwritten, never thrown away: somebody may mend it. */

ngx_int_t
ngx_artifact_fold_aside(ngx_artifact_fold_t *f)
{
    size_t  len;
    char    name[NGX_ARTIFACT_JOURNAL_NAME
                          + sizeof(".meta.json.corrupt-") + NGX_INT64_LEN];
    ngx_uint_t       tries;
    ngx_file_info_t  info;
    uint64_t         now;

    now = ngx_artifact_now();
    len = ngx_min(f->workspace.len, 200);

    for (tries = 0; tries < 16; tries++, now++) {

        (void) ngx_snprintf((u_char *) name, sizeof(name),
                            "%*s.meta.json.corrupt-%uL%Z", len,
                            f->workspace.data, now);

        if (fstatat(f->area.folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
            continue;
        }

        return renameat(f->area.folder, f->name, f->area.folder, name) == -1
               ? NGX_ERROR : NGX_AGAIN;
    }

    ngx_set_errno(NGX_EEXIST);

    return NGX_ERROR;
}


void
ngx_artifact_fold_begin(ngx_artifact_fold_t *f,
    ngx_artifact_temp_t *out)
{
    f->out = out;
    f->offset = 0;
    f->len = 0;
}


int
ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len)
{
    ngx_artifact_fold_t *f = data;

    size_t  n;

    while (len > 0) {

        n = ngx_min(len, NGX_ARTIFACT_FOLD_BUFFER - f->len);

        ngx_memcpy(f->buf + f->len, p, n);

        f->len += n;
        p += n;
        len -= n;

        if (f->len == NGX_ARTIFACT_FOLD_BUFFER
            && ngx_artifact_fold_flush(f) != NGX_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


ngx_int_t
ngx_artifact_fold_flush(ngx_artifact_fold_t *f)
{
    if (ngx_artifact_write_all(f->out->fd, f->buf, f->len, f->offset)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    f->offset += (off_t) f->len;
    f->len = 0;

    return NGX_OK;
}
