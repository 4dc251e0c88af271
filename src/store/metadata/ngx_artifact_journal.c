
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the journals: ".artifact/{workspace}.journal", to which writes
 * append, and ".artifact/{workspace}.folding", which is being folded; and
 * ".artifact/clock", which keeps the times of journals that were removed.
 */


#include "store/metadata/ngx_artifact_journal.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/ref/art_ref_file.h"


static ngx_int_t ngx_artifact_journal_read(ngx_fd_t fd, ngx_file_info_t *info,
    art_str_t *journal);
static ngx_int_t ngx_artifact_journal_add(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended);
static ngx_int_t ngx_artifact_journal_time(ngx_artifact_area_t *area,
    art_str_t workspace, art_journal_clock_t *clock, size_t whole,
    uint64_t *time);
static ngx_int_t ngx_artifact_journal_before(ngx_artifact_area_t *area,
    art_str_t workspace, art_journal_clock_t *clock, uint64_t *after);
static ngx_int_t ngx_artifact_journal_clock(ngx_fd_t control,
    art_str_t workspace, const char *suffix, art_journal_clock_t *clock,
    uint64_t *after);
static ngx_int_t ngx_artifact_journal_put(ngx_fd_t fd, off_t size,
    size_t whole, const void *data, size_t len);
static void ngx_artifact_journal_begin(ngx_artifact_area_t *area,
    const char *name, const art_journal_clock_t *clock);


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

    fd = ngx_artifact_open_info(folder, name, O_RDONLY, 0, &info);

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

    n = ngx_artifact_read_all(fd, p, size, 0);

    if (n == NGX_ERROR) {
        ngx_artifact_journal_free(journal);
        return NGX_ERROR;
    }

    journal->len = (size_t) n;

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
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_int_t  rc;

    appended->fd = NGX_INVALID_FILE;

    /* no document could have that name */

    if (workspace.len > ART_REF_NAME_WORKSPACE_MAX) {
        ngx_set_errno(NGX_ENAMETOOLONG);
        return NGX_ERROR;
    }

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);

    appended->fd = openat(area->control, name,
                          O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC|O_NONBLOCK,
                          0600);

    /*
     * nobody else appends, but NFS may show an old state of a file that is not
     * locked itself, or cache what is written
     */

    if (appended->fd == NGX_INVALID_FILE
        || ngx_artifact_lock_file(appended->fd) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_add(area, record, workspace, appended);

    ngx_artifact_unlock_file(appended->fd);

    return rc;
}


ngx_int_t
ngx_artifact_journal_next_time(ngx_artifact_area_t *area, art_str_t workspace,
    uint64_t now, uint64_t *time)
{
    ngx_int_t            rc;
    art_journal_clock_t  clock;

    *time = 0;
    ngx_memzero(&clock, sizeof(art_journal_clock_t));

    if (workspace.len > ART_REF_NAME_WORKSPACE_MAX) {
        ngx_set_errno(NGX_ENAMETOOLONG);
        return NGX_ERROR;
    }

    rc = ngx_artifact_journal_clock(area->control, workspace,
                                    NGX_ARTIFACT_JOURNAL, &clock, time);

    if (rc != NGX_ERROR && *time == 0) {
        rc = ngx_artifact_journal_before(area, workspace, &clock, time);
    }

    *time = art_journal_clock_next(&clock, now, *time);

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_artifact_journal_add(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended)
{
    size_t                n, len, whole;
    uint8_t               buf[ART_JOURNAL_CLOCK_MAX + ART_JOURNAL_RECORD_MAX];
    art_str_t             journal;
    ngx_file_info_t       info;
    art_journal_clock_t   clock;

    if (ngx_fd_info(appended->fd, &info) == NGX_FILE_ERROR
        || ngx_artifact_journal_read(appended->fd, &info, &journal) != NGX_OK)
    {
        return NGX_ERROR;
    }

    appended->size = (off_t) journal.len;

    ngx_memzero(&clock, sizeof(art_journal_clock_t));
    record->time = 0;

    whole = art_journal_clock_read(&clock, journal, &record->time);

    ngx_artifact_journal_free(&journal);

    if (ngx_artifact_journal_time(area, workspace, &clock, whole,
                                  &record->time)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* the file may be new: its name is synced before anyone relies on it */

    if (appended->size == 0 && fsync(area->control) == -1) {
        return NGX_ERROR;
    }

    len = whole == 0 && clock.last > 0 ? art_journal_clock_encode(buf, &clock)
                                       : 0;
    n = art_journal_encode(buf + len, record);

    if (n == 0) {
        ngx_set_errno(EINVAL);
        return NGX_ERROR;
    }

    return ngx_artifact_journal_put(appended->fd, ngx_file_size(&info), whole,
                                    buf, len + n);
}


/*
 * Sets the time of the next record.  *time is that of the last one in the
 * journal, whose first "whole" bytes are complete; if no record is left to be
 * folded, times may go back into a gap.
 */

static ngx_int_t
ngx_artifact_journal_time(ngx_artifact_area_t *area, art_str_t workspace,
    art_journal_clock_t *clock, size_t whole, uint64_t *time)
{
    uint64_t             now;
    art_journal_clock_t  folding;

    now = ngx_artifact_now();

    if (whole == 0) {
        if (ngx_artifact_journal_before(area, workspace, clock, time)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

    } else if (*time == 0 && now <= clock->last) {

        ngx_memzero(&folding, sizeof(art_journal_clock_t));

        if (ngx_artifact_journal_before(area, workspace, &folding, time)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    *time = art_journal_clock_next(clock, now, *time);

    return NGX_OK;
}


/*
 * Adds the times of the journal being folded or, if there is none, those of
 * journals that were removed.
 */

static ngx_int_t
ngx_artifact_journal_before(ngx_artifact_area_t *area, art_str_t workspace,
    art_journal_clock_t *clock, uint64_t *after)
{
    uint64_t   none;
    ngx_int_t  rc;

    rc = ngx_artifact_journal_clock(area->control, workspace,
                                    NGX_ARTIFACT_FOLDING, clock, after);

    if (rc == NGX_DECLINED) {
        rc = ngx_artifact_journal_clock(area->control, art_cstr(""),
                                        NGX_ARTIFACT_CLOCK, clock, &none);
    }

    return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


/* Adds the times of a journal; NGX_DECLINED if there is none. */

static ngx_int_t
ngx_artifact_journal_clock(ngx_fd_t control, art_str_t workspace,
    const char *suffix, art_journal_clock_t *clock, uint64_t *after)
{
    char       name[NGX_ARTIFACT_JOURNAL_NAME];
    art_str_t  journal;

    ngx_artifact_journal_name(name, workspace, suffix);

    if (ngx_artifact_journal_load(control, name, &journal) != NGX_OK) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED : NGX_ERROR;
    }

    (void) art_journal_clock_read(clock, journal, after);

    ngx_artifact_journal_free(&journal);

    return NGX_OK;
}


/* Writes after the first "whole" bytes, over an incomplete end. */

static ngx_int_t
ngx_artifact_journal_put(ngx_fd_t fd, off_t size, size_t whole,
    const void *data, size_t len)
{
    ngx_err_t  err;

    /* readers would not read more */

    if (whole + len > NGX_ARTIFACT_JOURNAL_MAX) {
        ngx_set_errno(EFBIG);
        return NGX_ERROR;
    }

    if ((off_t) whole < size && ftruncate(fd, (off_t) whole) == -1) {
        return NGX_ERROR;
    }

    if (ngx_artifact_write_all(fd, data, len, (off_t) whole) == NGX_OK) {
        return NGX_OK;
    }

    err = ngx_errno;

    /* if that fails as well, the end is incomplete, as after a crash */

    if (ftruncate(fd, (off_t) whole) == -1 || err != ngx_errno) {
        ngx_set_errno(err);
    }

    return NGX_ERROR;
}


ngx_int_t
ngx_artifact_journal_rotate(ngx_artifact_area_t *area,
    art_str_t workspace, art_str_t *journal)
{
    char                 name[NGX_ARTIFACT_JOURNAL_NAME];
    char                 folding[NGX_ARTIFACT_JOURNAL_NAME];
    uint64_t             after;
    art_journal_clock_t  clock;

    ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);

    if (ngx_artifact_journal_load(area->control, name, journal) != NGX_OK) {
        return ngx_errno == NGX_ENOENT ? NGX_DECLINED : NGX_ERROR;
    }

    after = 0;
    ngx_memzero(&clock, sizeof(art_journal_clock_t));

    (void) art_journal_clock_read(&clock, *journal, &after);

    if (after == 0) {
        ngx_artifact_journal_free(journal);
        return NGX_DECLINED;
    }

    ngx_artifact_journal_name(folding, workspace, NGX_ARTIFACT_FOLDING);

    if (renameat(area->control, name, area->control, folding) == -1) {
        ngx_artifact_journal_free(journal);
        return NGX_ERROR;
    }

    ngx_artifact_journal_begin(area, name, &clock);

    /* both names are synced before a record in the new one is acknowledged */

    if (fsync(area->control) == -1) {
        ngx_artifact_journal_free(journal);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* If this fails, the next append reads the journal being folded. */

static void
ngx_artifact_journal_begin(ngx_artifact_area_t *area, const char *name,
    const art_journal_clock_t *clock)
{
    uint8_t   buf[ART_JOURNAL_CLOCK_MAX];
    ngx_fd_t  fd;

    fd = openat(area->control, name,
                O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (fd != NGX_INVALID_FILE) {
        (void) ngx_artifact_journal_put(fd, 0, 0, buf,
                                        art_journal_clock_encode(buf, clock));
        ngx_artifact_close(&fd);
    }
}


ngx_int_t
ngx_artifact_journal_idle(ngx_fd_t control, art_str_t workspace,
    art_journal_clock_t *clock)
{
    uint64_t   after;
    ngx_int_t  rc;

    after = 0;
    ngx_memzero(clock, sizeof(art_journal_clock_t));

    rc = ngx_artifact_journal_clock(control, workspace, NGX_ARTIFACT_JOURNAL,
                                    clock, &after);

    return rc == NGX_OK && after > 0 ? NGX_DECLINED : rc;
}


ngx_int_t
ngx_artifact_journal_save_clock(ngx_fd_t control,
    const art_journal_clock_t *clock)
{
    uint8_t              buf[ART_JOURNAL_CLOCK_MAX];
    uint64_t             none;
    ngx_int_t            rc;
    ngx_artifact_temp_t  temp;
    art_journal_clock_t  saved;

    ngx_memzero(&saved, sizeof(art_journal_clock_t));

    rc = ngx_artifact_journal_clock(control, art_cstr(""), NGX_ARTIFACT_CLOCK,
                                    &saved, &none);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (!art_journal_clock_join(&saved, clock)) {
        return NGX_OK;
    }

    if (ngx_artifact_temp_open(&temp, control, NULL) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_artifact_write_all(temp.fd, buf,
                                art_journal_clock_encode(buf, &saved), 0)
         != NGX_OK
         || fsync(temp.fd) == -1
         || renameat(control, (char *) temp.name, control, NGX_ARTIFACT_CLOCK)
            == -1
         ? NGX_ERROR : NGX_OK;

    ngx_artifact_temp_close(&temp, control, rc == NGX_OK);

    return rc == NGX_OK && fsync(control) == -1 ? NGX_ERROR : rc;
}


ngx_int_t
ngx_artifact_journal_remove(ngx_fd_t control, art_str_t workspace,
    const art_journal_clock_t *saved)
{
    char                 name[NGX_ARTIFACT_JOURNAL_NAME];
    ngx_fd_t             lock;
    ngx_int_t            rc;
    art_journal_clock_t  all, clock;

    lock = ngx_artifact_lock(control, workspace, NGX_ARTIFACT_APPEND, 0);

    if (lock == NGX_INVALID_FILE) {
        return NGX_DECLINED;
    }

    rc = ngx_artifact_journal_idle(control, workspace, &clock);
    all = *saved;

    if (rc == NGX_OK && !art_journal_clock_join(&all, &clock)) {
        ngx_artifact_journal_name(name, workspace, NGX_ARTIFACT_JOURNAL);
        rc = unlinkat(control, name, 0) == -1 ? NGX_ERROR : NGX_OK;

    } else {
        rc = NGX_DECLINED;
    }

    ngx_artifact_close(&lock);

    return rc;
}
