
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the journals: ".artifact/{workspace}.journal", to which writes
 * append, and ".artifact/{workspace}.folding", which is being folded.
 */


#include "store/metadata/ngx_artifact_journal_files.h"
#include "store/disk/ngx_artifact_beneath.h"


static ngx_int_t ngx_artifact_journal_read(ngx_fd_t fd, ngx_file_info_t *info,
    art_str_t *journal);
static ngx_int_t ngx_artifact_journal_before(ngx_artifact_area_t *area,
    art_str_t workspace, uint64_t *time);
static ngx_int_t ngx_artifact_journal_add(ngx_fd_t fd, off_t size,
    size_t whole, const art_journal_record_t *record);
static ngx_int_t ngx_artifact_journal_begin(
    ngx_artifact_area_t *area, art_str_t workspace, uint64_t time);


void
ngx_artifact_journal_name(char *name, art_str_t workspace, const char *suffix)
{
    (void) ngx_snprintf((u_char *) name, NGX_ARTIFACT_JOURNAL_NAME,
                        "%*s%s%Z", workspace.len, workspace.data, suffix);
}


void
ngx_artifact_journal_path(char *path, art_str_t workspace, const char *suffix)
{
    ngx_memcpy(path, NGX_ARTIFACT_CONTROL "/", sizeof(NGX_ARTIFACT_CONTROL));

    ngx_artifact_journal_name(path + sizeof(NGX_ARTIFACT_CONTROL),
                              workspace, suffix);
}


ngx_int_t
ngx_artifact_journal_load(ngx_fd_t folder, const char *name,
    art_str_t *journal)
{
    ngx_fd_t         fd;
    ngx_int_t        rc;
    ngx_file_info_t  info;

    *journal = art_str(NULL, 0);

    fd = openat(folder, name, O_RDONLY|O_NOFOLLOW|O_CLOEXEC|O_NONBLOCK);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_read(fd, &info, journal);

    ngx_artifact_close(&fd);

    return rc;
}


static ngx_int_t
ngx_artifact_journal_read(ngx_fd_t fd, ngx_file_info_t *info,
    art_str_t *journal)
{
    size_t    size;
    u_char   *p;
    ssize_t   n;

    *journal = art_str(NULL, 0);

    if (ngx_fd_info(fd, info) == NGX_FILE_ERROR) {
        return NGX_ERROR;
    }

    if (!ngx_is_file(info) || ngx_file_size(info) > NGX_ARTIFACT_JOURNAL_MAX) {
        ngx_set_errno(EFBIG);
        return NGX_ERROR;
    }

    size = (size_t) ngx_file_size(info);
    p = malloc(size + 1);

    if (p == NULL) {
        return NGX_ERROR;
    }

    *journal = art_str(p, 0);

    while (journal->len < size) {

        n = pread(fd, p + journal->len, size - journal->len,
                  (off_t) journal->len);

        if (n == -1) {

            if (ngx_errno == NGX_EINTR) {
                continue;
            }

            ngx_artifact_journal_free(journal);
            return NGX_ERROR;
        }

        if (n == 0) {
            break;
        }

        journal->len += (size_t) n;
    }

    return NGX_OK;
}


void
ngx_artifact_journal_free(art_str_t *journal)
{
    ngx_err_t  err;

    err = ngx_errno;

    free((void *) journal->data);
    *journal = art_str(NULL, 0);

    ngx_set_errno(err);
}


ngx_int_t
ngx_artifact_journal_append(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended)
{
    char             name[NGX_ARTIFACT_JOURNAL_NAME];
    size_t           whole;
    art_str_t        journal;
    ngx_file_info_t  info;

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);

    appended->fd = openat(area->control, name,
                          O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC|O_NONBLOCK,
                          0600);

    if (appended->fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    if (ngx_artifact_journal_read(appended->fd, &info, &journal) != NGX_OK) {
        return NGX_ERROR;
    }

    record->time = ngx_artifact_now();
    whole = art_journal_whole(journal, &record->time);

    appended->size = (off_t) journal.len;

    ngx_artifact_journal_free(&journal);

    if (whole == 0
        && ngx_artifact_journal_before(area, workspace, &record->time)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* the name of a file that may be new, before anybody relies on it */

    if (appended->size == 0 && fsync(area->control) == -1) {
        return NGX_ERROR;
    }

    return ngx_artifact_journal_add(appended->fd, ngx_file_size(&info), whole,
                                    record);
}


/* Later than any time in the journal that is being folded. */

static ngx_int_t
ngx_artifact_journal_before(ngx_artifact_area_t *area, art_str_t workspace,
    uint64_t *time)
{
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    art_str_t  folding;

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_FOLDING);

    if (ngx_artifact_journal_load(area->control, name, &folding) != NGX_OK) {
        return ngx_errno == NGX_ENOENT ? NGX_OK : NGX_ERROR;
    }

    (void) art_journal_whole(folding, time);

    ngx_artifact_journal_free(&folding);

    return NGX_OK;
}


/* In place of the unfinished end, if there is one. */

static ngx_int_t
ngx_artifact_journal_add(ngx_fd_t fd, off_t size, size_t whole,
    const art_journal_record_t *record)
{
    size_t     len;
    uint8_t    buf[ART_JOURNAL_RECORD_MAX];
    ngx_err_t  err;

    len = art_journal_encode(buf, record);

    if (len == 0) {
        ngx_set_errno(EINVAL);
        return NGX_ERROR;
    }

    /* more than that nobody would read */

    if (whole + len > NGX_ARTIFACT_JOURNAL_MAX) {
        ngx_set_errno(EFBIG);
        return NGX_ERROR;
    }

    if ((off_t) whole < size && ftruncate(fd, (off_t) whole) == -1) {
        return NGX_ERROR;
    }

    if (ngx_artifact_write_all(fd, buf, len, (off_t) whole) == NGX_OK) {
        return NGX_OK;
    }

    err = ngx_errno;

    /* if that fails, too, an unfinished end stays, as after a crash */

    if (ftruncate(fd, (off_t) whole) == -1 || err != ngx_errno) {
        ngx_set_errno(err);
    }

    return NGX_ERROR;
}


ngx_int_t
ngx_artifact_journal_rotate(ngx_artifact_area_t *area,
    art_str_t workspace, art_str_t *journal)
{
    char      name[NGX_ARTIFACT_JOURNAL_NAME];
    char      folding[NGX_ARTIFACT_JOURNAL_NAME];
    uint64_t  time;

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);

    if (ngx_artifact_journal_load(area->control, name, journal) != NGX_OK) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED : NGX_ERROR;
    }

    time = 0;

    if (art_journal_whole(*journal, &time) <= ART_JOURNAL_HEAD) {
        ngx_artifact_journal_free(journal);
        return NGX_DECLINED;
    }

    ngx_artifact_journal_name(folding, workspace, NGX_ARTIFACT_FOLDING);

    if (renameat(area->control, name, area->control, folding) == -1) {
        ngx_artifact_journal_free(journal);
        return NGX_ERROR;
    }

    /* without one, the next append looks into the journal being folded */

    (void) ngx_artifact_journal_begin(area, workspace, time - 1);

    /* both names, before a record in the new one is acknowledged */

    if (fsync(area->control) == -1) {
        ngx_artifact_journal_free(journal);
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_journal_begin(ngx_artifact_area_t *area,
    art_str_t workspace, uint64_t time)
{
    char                  name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t              fd;
    ngx_int_t             rc;
    art_journal_record_t  record;

    ngx_memzero(&record, sizeof(art_journal_record_t));

    record.op = ART_JOURNAL_CLOCK;
    record.time = time;

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);

    fd = openat(area->control, name,
                O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_add(fd, 0, 0, &record);

    ngx_artifact_close(&fd);

    return rc;
}
