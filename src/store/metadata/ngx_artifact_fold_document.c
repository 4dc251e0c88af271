
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The steps of a fold that make a new document and its index of the one that
 * is there, and put them in their places.  All is written through to the disk,
 * with "artifact_sync off", too: what a document takes the place of were other
 * writers' data.
 */


#include "store/disk/ngx_artifact_beneath.h"
#include "store/disk/ngx_artifact_map.h"
#include "store/disk/ngx_artifact_random.h"
#include "store/metadata/ngx_artifact_fold_int.h"
#include "store/metadata/ngx_artifact_metadata_index.h"


/* Entries of an index; documents with more are searched without one. */

#define NGX_ARTIFACT_FOLD_ENTRIES     (4 * 1024 * 1024)

/* Bytes that a member of a document takes at least, and so does a record. */

#define NGX_ARTIFACT_FOLD_MEMBER      5

/* Entries of an index that are sorted at a time. */

#define NGX_ARTIFACT_FOLD_SORT        8192

/* Milliseconds for which a document that makes no sense may be unfinished. */

#define NGX_ARTIFACT_FOLD_BEING_WRITTEN  1000


static ngx_uint_t ngx_artifact_fold_being_written(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_rename_corrupt(ngx_artifact_fold_t *f);
static void ngx_artifact_fold_map_index(ngx_artifact_fold_t *f);
static ngx_int_t ngx_artifact_fold_write_index(ngx_artifact_fold_t *f,
    const char *name);
static int ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf,
    size_t *len);
static void ngx_artifact_fold_output(ngx_artifact_fold_t *f,
    ngx_artifact_temp_t *out);
static int ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len);
static ngx_int_t ngx_artifact_fold_flush(ngx_artifact_fold_t *f);


ngx_int_t
ngx_artifact_fold_open(ngx_artifact_fold_t *f)
{
    ngx_memzero(&f->info, sizeof(ngx_file_info_t));

    f->fd = ngx_artifact_open_info(f->area.folder, f->name, O_RDONLY, 1,
                                   &f->info);

    if (f->fd == NGX_INVALID_FILE) {

        if (ngx_errno == NGX_ENOENT) {
            return NGX_OK;
        }

        if (ngx_errno == NGX_ELOOP || ngx_errno == NGX_EXDEV) {
            return ngx_artifact_fold_rename_corrupt(f);
        }

        return NGX_ERROR;
    }

    if (!ngx_is_file(&f->info)) {
        ngx_set_errno(NGX_EISDIR);
        return NGX_ERROR;
    }

    /* empty it is begun anew, which would take the place of what comes */

    return ngx_file_size(&f->info) == 0 && ngx_artifact_fold_being_written(f)
           ? NGX_BUSY : NGX_OK;
}


/* The platform's own writer fills its document in place. */

static ngx_uint_t
ngx_artifact_fold_being_written(ngx_artifact_fold_t *f)
{
    int64_t  age;

    age = (int64_t) ngx_artifact_now()
          - (int64_t) (ngx_artifact_mtime(&f->info) / 1000000);

    return age > -NGX_ARTIFACT_FOLD_BEING_WRITTEN
           && age < NGX_ARTIFACT_FOLD_BEING_WRITTEN;
}


/* Never overwritten, never thrown away: somebody may mend it. */

static ngx_int_t
ngx_artifact_fold_rename_corrupt(ngx_artifact_fold_t *f)
{
    char             name[NGX_ARTIFACT_JOURNAL_NAME
                          + sizeof(".meta.json.corrupt-") + NGX_INT64_LEN];
    size_t           len;
    uint64_t         now;
    ngx_uint_t       tries;
    ngx_file_info_t  info;

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
               ? NGX_ERROR : NGX_DECLINED;
    }

    ngx_set_errno(NGX_EEXIST);

    return NGX_ERROR;
}


ngx_int_t
ngx_artifact_fold_begin(ngx_artifact_fold_t *f)
{
    art_fold_conf_t  conf;

    if (ngx_artifact_temp_open(&f->temp, f->area.control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_artifact_fold_output(f, &f->temp);
    ngx_artifact_fold_map_index(f);

    ngx_memzero(&conf, sizeof(art_fold_conf_t));

    conf.workspace = f->workspace;
    conf.journal = art_str(f->journal.data, f->journal.len);
    conf.piece = NGX_ARTIFACT_FOLD_PIECE;
    conf.read = ngx_artifact_fold_read;
    conf.write = ngx_artifact_fold_write;
    conf.index = &f->index;
    conf.data = f;

    ngx_artifact_random(conf.seed, sizeof(conf.seed));
    ngx_artifact_random(f->index.seed, sizeof(f->index.seed));

    ngx_set_errno(NGX_ENOMEM);

    f->fold = art_fold_create(&conf);

    return f->fold ? NGX_OK : NGX_ERROR;
}


/*
 * Room for whatever the document may hold: what is not touched of it is no
 * memory, and no thread's heap keeps the rest.
 */

static void
ngx_artifact_fold_map_index(ngx_artifact_fold_t *f)
{
    size_t  max;

    max = ((size_t) ngx_file_size(&f->info) + f->journal.len)
          / NGX_ARTIFACT_FOLD_MEMBER;
    max = ngx_min(max, NGX_ARTIFACT_FOLD_ENTRIES);

    f->index.entries = (void *) ngx_artifact_map(max
                                            * sizeof(art_meta_index_entry_t));
    f->index.max = f->index.entries ? max : 0;
}


ngx_int_t
ngx_artifact_fold_merge(ngx_artifact_fold_t *f)
{
    unsigned  replaced;

    ngx_set_errno(NGX_ENOMEM);   /* unless a call says otherwise */

    switch (art_fold_step(f->fold)) {

    case ART_FOLD_AGAIN:
        return NGX_AGAIN;

    case ART_FOLD_OK:
        replaced = art_fold_replaced(f->fold);

        if (replaced) {
            ngx_log_error(NGX_LOG_WARN, f->log, 0,
                          "artifact metadata \"%s\": %ud entries could not be "
                          "merged and are begun anew", f->name, replaced);
        }

        return ngx_artifact_fold_flush(f);

    case ART_FOLD_CORRUPT:
        if (ngx_artifact_fold_being_written(f)) {
            return NGX_BUSY;
        }

        ngx_log_error(NGX_LOG_WARN, f->log, 0,
                      "artifact metadata \"%s\" is corrupt at byte %uL and "
                      "set aside", f->name, art_fold_position(f->fold));

        return ngx_artifact_fold_rename_corrupt(f);

    case ART_FOLD_TOO_LONG:
        ngx_log_error(NGX_LOG_WARN, f->log, 0,
                      "artifact metadata \"%s\" has a member of more than %uz "
                      "bytes at byte %uL", f->name,
                      (size_t) ART_FOLD_MEMBER_MAX,
                      art_fold_position(f->fold));

        ngx_set_errno(EFBIG);
        return NGX_ERROR;

    case ART_FOLD_CHANGED:
        return NGX_DECLINED;

    default:
        return NGX_ERROR;
    }
}


/* With the rights that the document had for others. */

ngx_int_t
ngx_artifact_fold_sync(ngx_artifact_fold_t *f)
{
    ngx_fd_t    fd;
    ngx_uint_t  changed;

    fd = f->temp.fd;

    return (f->fd != NGX_INVALID_FILE
            && ngx_artifact_inherit(fd, &f->info, &changed) != NGX_OK)
           || ngx_artifact_touch(fd) != NGX_OK
           || fsync(fd) == -1
           || ngx_fd_info(fd, &f->temp_info) == NGX_FILE_ERROR
           ? NGX_ERROR : NGX_OK;
}


/*
 * It is there before the document is, as readers must not have to search that;
 * but they do without one that is missing, or of another document.
 */

ngx_int_t
ngx_artifact_fold_index(ngx_artifact_fold_t *f)
{
    char         name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_int_t    rc;
    const char  *suffix;

    if (!f->index.over
        && !art_meta_index_sort(&f->index, NGX_ARTIFACT_FOLD_SORT))
    {
        return NGX_AGAIN;
    }

    suffix = ngx_artifact_metadata_index_spare(f->area.control, f->workspace,
                                               &f->info);

    ngx_artifact_journal_name(name, f->workspace, suffix);

    if (!f->index.over) {
        rc = ngx_artifact_fold_write_index(f, name);

    } else {
        rc = unlinkat(f->area.control, name, 0) == -1
             && ngx_errno != NGX_ENOENT ? NGX_ERROR : NGX_OK;
    }

    if (rc != NGX_OK) {
        ngx_log_error(NGX_LOG_WARN, f->log, ngx_errno,
                      "artifact metadata \"%s\" has no index", f->name);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_fold_write_index(ngx_artifact_fold_t *f, const char *name)
{
    ngx_int_t                rc;
    ngx_artifact_temp_t      temp;
    art_meta_index_header_t  header;

    ngx_memzero(&header, sizeof(art_meta_index_header_t));

    header.ino = (uint64_t) f->temp_info.st_ino;
    header.size = (uint64_t) f->temp_info.st_size;
    header.mtime = ngx_artifact_mtime(&f->temp_info);
    header.spent = (unsigned) (f->spent / 1000);

    if (ngx_artifact_temp_open(&temp, f->area.control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_artifact_fold_output(f, &temp);

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


/* What another writer has put there since is not lost. */

ngx_int_t
ngx_artifact_fold_replace(ngx_artifact_fold_t *f)
{
    ngx_file_info_t  now;

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
        return NGX_DECLINED;
    }

    if (renameat(f->area.control, (char *) f->temp.name, f->area.folder,
                 f->name)
        == -1)
    {
        return NGX_ERROR;
    }

    ngx_artifact_temp_close(&f->temp, f->area.control, 1);

    /* the record of what was folded may go when the document is safe */

    return fsync(f->area.folder) == -1 ? NGX_ERROR : NGX_OK;
}


void
ngx_artifact_fold_close(ngx_artifact_fold_t *f)
{
    if (f->fold) {
        art_fold_destroy(f->fold);
        f->fold = NULL;
    }

    if (f->index.entries) {
        ngx_artifact_unmap((void *) f->index.entries,
                           f->index.max * sizeof(art_meta_index_entry_t));
    }

    ngx_memzero(&f->index, sizeof(art_meta_index_t));

    ngx_artifact_temp_close(&f->temp, f->area.control, 0);

    if (f->fd != NGX_INVALID_FILE) {
        (void) ngx_close_file(f->fd);
        f->fd = NGX_INVALID_FILE;
    }
}


static int
ngx_artifact_fold_read(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    ngx_artifact_fold_t *f = data;

    size_t   done;
    ssize_t  n;

    if (f->fd == NGX_INVALID_FILE) {
        *len = 0;
        return ART_OK;
    }

    for (done = 0; done < *len; done += (size_t) n) {

        n = pread(f->fd, buf + done, *len - done, (off_t) (offset + done));

        if (n == -1 && ngx_errno == NGX_EINTR) {
            n = 0;
            continue;
        }

        if (n == -1) {
            return ART_ERROR;
        }

        if (n == 0) {
            break;
        }
    }

    *len = done;

    return ART_OK;
}


static void
ngx_artifact_fold_output(ngx_artifact_fold_t *f, ngx_artifact_temp_t *out)
{
    f->out = out;
    f->offset = 0;
    f->len = 0;
}


static int
ngx_artifact_fold_write(void *data, const uint8_t *p, size_t len)
{
    ngx_artifact_fold_t *f = data;

    size_t  n;

    while (len > 0) {

        n = ngx_min(len, NGX_ARTIFACT_FOLD_PIECE - f->len);

        ngx_memcpy(f->buf + f->len, p, n);

        f->len += n;
        p += n;
        len -= n;

        if (f->len == NGX_ARTIFACT_FOLD_PIECE
            && ngx_artifact_fold_flush(f) != NGX_OK)
        {
            return ART_ERROR;
        }
    }

    return ART_OK;
}


static ngx_int_t
ngx_artifact_fold_flush(ngx_artifact_fold_t *f)
{
    if (ngx_artifact_write_all(f->out->fd, f->buf, f->len, f->offset)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* what is on its way is not waited for when the file is synced */

    (void) sync_file_range(f->out->fd, f->offset, (off_t) f->len,
                           SYNC_FILE_RANGE_WRITE);

    f->offset += (off_t) f->len;
    f->len = 0;

    return NGX_OK;
}
