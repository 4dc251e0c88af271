
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Putting a file in its place in a workspace, or removing one: under the
 * workspace's lock, so that what the preconditions saw is what is replaced,
 * and the journal tells writes in the order in which they happened.  Runs in
 * threads.
 */


#include "store/write/ngx_artifact_write_workspace.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_journal_files.h"
#include "store/write/ngx_artifact_write_folder.h"


static ngx_int_t ngx_artifact_test_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static ngx_int_t ngx_artifact_change_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static ngx_int_t ngx_artifact_replace_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t *again);
static ngx_int_t ngx_artifact_unlink_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static ngx_int_t ngx_artifact_make_newer(ngx_artifact_write_job_t *job,
    ngx_uint_t *again);
static ngx_int_t ngx_artifact_set_right(ngx_artifact_write_job_t *job,
    ngx_uint_t *again);
static ngx_uint_t ngx_artifact_is_newer(ngx_file_info_t *info,
    ngx_file_info_t *than);
static ngx_int_t ngx_artifact_set_later(ngx_fd_t fd, ngx_file_info_t *than,
    int64_t step);
static void ngx_artifact_record_change(ngx_artifact_write_job_t *job,
    ngx_artifact_appended_t *appended);
static ngx_int_t ngx_artifact_sync_change(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, ngx_artifact_appended_t *appended, ngx_uint_t again);


void
ngx_artifact_write_check(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    (void) ngx_artifact_write_in_folder(job, 0, ngx_artifact_test_file);
}


ngx_int_t
ngx_artifact_publish_file(ngx_artifact_write_job_t *job)
{
    ngx_int_t   rc;
    ngx_uint_t  tries;

    /* a write that failed may have removed a folder that both had made */

    for (tries = 0; tries < 4; tries++) {

        rc = ngx_artifact_write_in_folder(job, 1, ngx_artifact_change_file);

        if (rc == NGX_OK || job->published || job->err != NGX_ENOENT) {
            return rc;
        }

        job->error = ART_ERR_MAX;
        job->err = 0;
    }

    ngx_set_errno(NGX_ENOENT);

    return ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
}


void
ngx_artifact_write_remove(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    job->log = log;

    if (ngx_artifact_area_open(&job->area, (char *) job->root.data,
                               "workspaces", 1)
        != NGX_OK)
    {
        (void) ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
        return;
    }

    (void) ngx_artifact_write_in_folder(job, 0, ngx_artifact_change_file);

    ngx_artifact_write_close(job);
}


/* What is there now, and whether it may be replaced. */

static ngx_int_t
ngx_artifact_test_file(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    job->exists = 0;

    if (fstatat(folder, name, &job->info, AT_SYMLINK_NOFOLLOW) == -1) {

        if (ngx_errno != NGX_ENOENT) {
            return ngx_artifact_write_fail(job, ART_ERR_MAX, "fstatat");
        }

        if (job->remove) {
            return ngx_artifact_write_fail(job, ART_ERR_NOT_FOUND, NULL);
        }

        return ngx_artifact_test_preconds(job);
    }

    if (S_ISLNK(job->info.st_mode)) {
        return ngx_artifact_write_fail(job, ART_ERR_TRAVERSAL, NULL);
    }

    if (!ngx_is_file(&job->info)) {
        return ngx_artifact_write_fail(job, ART_ERR_CONFLICT, NULL);
    }

    job->exists = 1;

    return ngx_artifact_test_preconds(job);
}


/* What was looked at does not change before it is replaced or removed. */

static ngx_int_t
ngx_artifact_change_file(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    ngx_fd_t                 lock;
    ngx_int_t                rc;
    ngx_uint_t               again;
    ngx_artifact_appended_t  appended;

    lock = ngx_artifact_lock(job->area.control, job->workspace,
                             NGX_ARTIFACT_APPEND, 1);

    if (lock == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "lock");
    }

    appended.fd = NGX_INVALID_FILE;
    again = 0;

    rc = ngx_artifact_test_file(job, folder, name);

    if (rc == NGX_OK) {
        rc = job->remove
             ? ngx_artifact_unlink_file(job, folder, name)
             : ngx_artifact_replace_file(job, folder, name, &again);
    }

    if (rc == NGX_OK) {
        job->published = 1;
        ngx_artifact_record_change(job, &appended);
    }

    ngx_artifact_close(&lock);

    return rc == NGX_OK ? ngx_artifact_sync_change(job, folder, &appended,
                                              again)
                        : rc;
}


static ngx_int_t
ngx_artifact_replace_file(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_uint_t *again)
{
    job->created = !job->exists;

    if (job->exists
        && ngx_artifact_inherit(job->temp.fd, &job->info, again) != NGX_OK)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fchmod");
    }

    if (ngx_artifact_make_newer(job, again) != NGX_OK) {
        return NGX_ERROR;
    }

    if (renameat(job->area.control, (char *) job->temp.name, folder, name)
        == -1)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_artifact_unlink_file(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    if (unlinkat(folder, name, 0) == -1) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "unlink");
    }

    return NGX_OK;
}


/*
 * Two versions of a file must not have one tag: the new one is younger, even
 * if the clock stood still, or the file system counts in seconds.  Where the
 * file system knows no later time than the file has, the new one has that of
 * the clock; if there is no other at all, the file stays as it is.  A file of a
 * clock that was wrong does not keep its successors there.
 */

static ngx_int_t
ngx_artifact_make_newer(ngx_artifact_write_job_t *job, ngx_uint_t *again)
{
    ngx_int_t        rc;
    ngx_uint_t       i;
    ngx_file_info_t  info;

    static const int64_t  steps[] = { 1, 1000, 1000000, 2000000000 };

    if (job->exists && ngx_artifact_set_right(job, again) == NGX_OK) {
        return NGX_OK;
    }

    rc = NGX_OK;

    for (i = 0; rc == NGX_OK; i++) {

        if (ngx_fd_info(job->temp.fd, &info) == NGX_FILE_ERROR) {
            return ngx_artifact_write_fail(job, ART_ERR_MAX, "fstat");
        }

        if (!job->exists || ngx_artifact_is_newer(&info, &job->info)
            || (i > sizeof(steps) / sizeof(steps[0])
                && ngx_artifact_is_newer(&job->info, &info)))
        {
            job->info = info;
            return NGX_OK;
        }

        *again = 1;

        if (i < sizeof(steps) / sizeof(steps[0])) {
            rc = ngx_artifact_set_later(job->temp.fd, &job->info, steps[i]);

        } else if (i == sizeof(steps) / sizeof(steps[0])) {
            rc = ngx_artifact_touch(job->temp.fd);

        } else {
            ngx_set_errno(EOVERFLOW);
            rc = NGX_ERROR;
        }
    }

    return ngx_artifact_write_fail(job, ART_ERR_MAX, "futimens");
}


/*
 * After a clock that was wrong: a file that is to replace one of a time far
 * ahead, or far behind a clock that has been here before, has the time of its
 * record.  No record of the workspace has had that, nor has any version of the
 * file.  NGX_DECLINED if the clock is not wrong, if it is not known to be right
 * again (art_journal.h), or if the file system is too coarse.
 */

static ngx_int_t
ngx_artifact_set_right(ngx_artifact_write_job_t *job, ngx_uint_t *again)
{
    time_t           ahead;
    uint64_t         now, time;
    struct timespec  times[2];
    ngx_file_info_t  info;

    now = ngx_artifact_now();
    ahead = ngx_file_mtime(&job->info) - (time_t) (now / 1000);

    if ((ahead <= NGX_ARTIFACT_AHEAD && ahead >= -NGX_ARTIFACT_AHEAD)
        || ngx_artifact_journal_next_time(&job->area, job->workspace, now,
                                          &time)
           != NGX_OK
        || (ahead > 0 ? time > now + NGX_ARTIFACT_AHEAD * 1000 : time == now))
    {
        return NGX_DECLINED;
    }

    *again = 1;

    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_sec = (time_t) (time / 1000);
    times[1].tv_nsec = (long) (time % 1000 * 1000000);

    if (futimens(job->temp.fd, times) == -1
        || ngx_fd_info(job->temp.fd, &info) == NGX_FILE_ERROR
        || info.st_mtim.tv_sec != times[1].tv_sec
        || info.st_mtim.tv_nsec != times[1].tv_nsec)
    {
        return NGX_DECLINED;
    }

    if (ahead > 0) {
        ngx_log_error(NGX_LOG_WARN, job->log, 0,
                      "artifact of workspace \"%*s\" was written when the "
                      "clock was %T s ahead of what it is now, which its new "
                      "version follows", job->workspace.len,
                      job->workspace.data, ahead);
    }

    job->info = info;

    return NGX_OK;
}


static ngx_uint_t
ngx_artifact_is_newer(ngx_file_info_t *info, ngx_file_info_t *than)
{
    return info->st_mtim.tv_sec > than->st_mtim.tv_sec
           || (info->st_mtim.tv_sec == than->st_mtim.tv_sec
               && info->st_mtim.tv_nsec > than->st_mtim.tv_nsec);
}


/* So many nanoseconds later than another file. */

static ngx_int_t
ngx_artifact_set_later(ngx_fd_t fd, ngx_file_info_t *than, int64_t step)
{
    int64_t          nsec;
    struct timespec  times[2];

    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;

    nsec = than->st_mtim.tv_nsec + step;

    times[1].tv_sec = than->st_mtim.tv_sec + (time_t) (nsec / 1000000000);
    times[1].tv_nsec = (long) (nsec % 1000000000);

    return futimens(fd, times) == -1 ? NGX_ERROR : NGX_OK;
}


/* The write is done: what becomes of its metadata does not undo it. */

static void
ngx_artifact_record_change(ngx_artifact_write_job_t *job,
    ngx_artifact_appended_t *appended)
{
    art_journal_record_t  record;

    ngx_memzero(&record, sizeof(art_journal_record_t));

    record.op = job->remove ? ART_JOURNAL_DELETE : ART_JOURNAL_PUT;
    record.created = job->created;
    record.path = job->path;

    if (!job->remove) {
        record.mime = job->mime;
        record.agent_id = job->agent;
        record.message_id = job->message;
    }

    if (ngx_artifact_journal_append(&job->area, &record, job->workspace,
                                    appended)
        != NGX_OK)
    {
        job->meta_failed = 1;
        job->meta_err = ngx_errno;
        return;
    }

    job->journal = appended->size + ART_JOURNAL_HEAD;
}


/*
 * What was done outlives a failure of the machine from here on; the content
 * is written "again" if its time or its rights were changed.
 */

static ngx_int_t
ngx_artifact_sync_change(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    ngx_artifact_appended_t *appended, ngx_uint_t again)
{
    ngx_int_t  rc;

    rc = NGX_OK;

    if (job->sync) {

        if ((again && fsync(job->temp.fd) == -1)
            || ngx_artifact_sync_folder(folder) != NGX_OK)
        {
            rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
        }

        /* fdatasync() of ceph-fuse leaves the new size to the client */

        if (!job->meta_failed && fsync(appended->fd) == -1) {
            job->meta_failed = 1;
            job->meta_err = ngx_errno;
        }
    }

    ngx_artifact_close(&appended->fd);

    /* who writes faster than is folded has to wait for it */

    if (job->journal >= NGX_ARTIFACT_JOURNAL_FULL) {
        (void) ngx_artifact_fold((char *) job->root.data, job->workspace,
                                 job->log);
    }

    return rc;
}
