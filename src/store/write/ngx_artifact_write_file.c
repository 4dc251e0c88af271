
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A file of a workspace is put in its place, or removed: under the workspace's
 * lock, so that the file that the preconditions saw is the one that is
 * replaced, and the journal has writes in the order in which they happened.
 * Its folder is opened one component at a time, never through a link.  At the
 * end is what the write of an artifact needs as well.
 */


#include "store/write/ngx_artifact_write.h"
#include "store/disk/ngx_artifact_beneath.h"
#include "store/metadata/ngx_artifact_fold.h"
#include "store/metadata/ngx_artifact_journal.h"

#include "core/answer/art_headers.h"
#include "core/ref/art_id.h"


/* An operation on a file, given by its folder and its name there. */

typedef ngx_int_t (*ngx_artifact_write_act_pt)(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);


static ngx_int_t ngx_artifact_test_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static ngx_int_t ngx_artifact_change_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static ngx_int_t ngx_artifact_replace_file(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t *again);
static ngx_int_t ngx_artifact_set_newer_time(ngx_artifact_write_job_t *job,
    ngx_uint_t *again);
static ngx_int_t ngx_artifact_set_record_time(ngx_artifact_write_job_t *job,
    ngx_uint_t *again);
static ngx_int_t ngx_artifact_set_time_after(ngx_fd_t fd,
    ngx_file_info_t *than, int64_t step);
static void ngx_artifact_record_change(ngx_artifact_write_job_t *job,
    ngx_artifact_appended_t *appended);
static ngx_int_t ngx_artifact_sync_change(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, ngx_artifact_appended_t *appended, ngx_uint_t again);
static ngx_int_t ngx_artifact_write_in_folder(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_act_pt act);
static ngx_int_t ngx_artifact_folder_enter(ngx_artifact_write_job_t *job,
    ngx_fd_t top, char *path, ngx_uint_t create,
    ngx_artifact_write_act_pt act);
static ngx_int_t ngx_artifact_folder_next(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t depth, ngx_uint_t create,
    ngx_fd_t *fd, ngx_uint_t *made);
static void ngx_artifact_folder_unmake(ngx_fd_t top, char *path, char *first,
    char *end);
static ngx_int_t ngx_artifact_folder_make(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name, ngx_uint_t depth, ngx_uint_t create);
static ngx_int_t ngx_artifact_folder_error(ngx_artifact_write_job_t *job,
    ngx_fd_t folder, const char *name);
static art_error_t ngx_artifact_write_errno(ngx_err_t err);


void
ngx_artifact_write_check(void *data, ngx_log_t *log)
{
    ngx_artifact_write_job_t *job = data;

    (void) ngx_artifact_write_in_folder(job, 0, ngx_artifact_test_file);
}


ngx_int_t
ngx_artifact_write_publish_file(ngx_artifact_write_job_t *job)
{
    ngx_int_t   rc;
    ngx_uint_t  tries;

    /* another write that failed may have removed a folder that both need */

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


/* Examines the existing file, and whether it may be replaced. */

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


ngx_int_t
ngx_artifact_test_preconds(ngx_artifact_write_job_t *job)
{
    u_char              buf[NGX_ARTIFACT_ETAG_LEN];
    art_str_t           etag;
    art_precondition_t  kind;

    etag = art_str(buf, job->exists ? ngx_artifact_etag(buf, &job->info) : 0);

    for (kind = ART_IF_MATCH; kind <= ART_IF_NONE_MATCH; kind++) {

        if (job->npreconds[kind]
            && !art_precondition_holds(kind, job->preconds[kind],
                                       job->npreconds[kind], job->exists, etag))
        {
            return ngx_artifact_write_fail(job, ART_ERR_PRECONDITION, NULL);
        }
    }

    /* ignored where If-Match is given */

    if (job->unmodified_since != NGX_ERROR
        && job->npreconds[ART_IF_MATCH] == 0
        && job->exists
        && ngx_file_mtime(&job->info) > job->unmodified_since)
    {
        return ngx_artifact_write_fail(job, ART_ERR_PRECONDITION, NULL);
    }

    return NGX_OK;
}


/* Under the lock, tests the file again, and replaces or removes it. */

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

    if (rc == NGX_OK && !job->remove) {
        rc = ngx_artifact_replace_file(job, folder, name, &again);

    } else if (rc == NGX_OK && unlinkat(folder, name, 0) == -1) {
        rc = ngx_artifact_write_fail(job, ART_ERR_MAX, "unlink");
    }

    if (rc == NGX_OK) {
        job->published = 1;
        ngx_artifact_record_change(job, &appended);
    }

    ngx_artifact_close(&lock);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_artifact_sync_change(job, folder, &appended, again);
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

    if (ngx_artifact_set_newer_time(job, again) != NGX_OK) {
        return NGX_ERROR;
    }

    if (renameat(job->area.control, (char *) job->temp.name, folder, name)
        == -1)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "rename");
    }

    return NGX_OK;
}


/*
 * Two versions of a file must not have the same entity tag: the new one gets a
 * later time, even if the clock stands still, or if the file system counts in
 * seconds.  If the file system has no later time, the new one gets the time of
 * the clock; if that is the same time, the write fails.  Times from a wrong
 * clock are corrected first.
 */

static ngx_int_t
ngx_artifact_set_newer_time(ngx_artifact_write_job_t *job, ngx_uint_t *again)
{
    ngx_int_t        rc;
    ngx_uint_t       i;
    ngx_file_info_t  info;

    static const int64_t  steps[] = { 1, 1000, 1000000, 2000000000 };

    if (job->exists && ngx_artifact_set_record_time(job, again) == NGX_OK) {
        return NGX_OK;
    }

    rc = NGX_OK;

    for (i = 0; rc == NGX_OK; i++) {

        if (ngx_fd_info(job->temp.fd, &info) == NGX_FILE_ERROR) {
            return ngx_artifact_write_fail(job, ART_ERR_MAX, "fstat");
        }

        if (!job->exists
            || ngx_artifact_is_newer(&info.st_mtim, &job->info.st_mtim)
            || (i > sizeof(steps) / sizeof(steps[0])
                && ngx_artifact_is_newer(&job->info.st_mtim, &info.st_mtim)))
        {
            job->info = info;
            return NGX_OK;
        }

        *again = 1;

        if (i < sizeof(steps) / sizeof(steps[0])) {
            rc = ngx_artifact_set_time_after(job->temp.fd, &job->info,
                                             steps[i]);

        } else if (i == sizeof(steps) / sizeof(steps[0])) {
            rc = ngx_artifact_touch(job->temp.fd, NULL);

        } else {
            ngx_set_errno(EOVERFLOW);
            rc = NGX_ERROR;
        }
    }

    return ngx_artifact_write_fail(job, ART_ERR_MAX, "futimens");
}


/*
 * After a wrong clock: a file that replaces one whose time is far ahead, or far
 * behind times that the workspace has used, gets the time of its record, which
 * no other record and no version of the file has had.  NGX_DECLINED if the
 * clock is not wrong, if it is not known to be right again (art_journal.h), or
 * if the times of the file system are too coarse.
 */

static ngx_int_t
ngx_artifact_set_record_time(ngx_artifact_write_job_t *job, ngx_uint_t *again)
{
    time_t           ahead;
    uint64_t         now, time;
    struct timespec  mtime;
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

    mtime.tv_sec = (time_t) (time / 1000);
    mtime.tv_nsec = (long) (time % 1000 * 1000000);

    if (ngx_artifact_touch(job->temp.fd, &mtime) != NGX_OK
        || ngx_fd_info(job->temp.fd, &info) == NGX_FILE_ERROR
        || info.st_mtim.tv_sec != mtime.tv_sec
        || info.st_mtim.tv_nsec != mtime.tv_nsec)
    {
        return NGX_DECLINED;
    }

    if (ahead > 0) {
        ngx_log_error(NGX_LOG_WARN, job->log, 0,
                      "artifact of workspace \"%*s\" was written when the "
                      "clock was %T s ahead, its new version has the current "
                      "time", job->workspace.len, job->workspace.data, ahead);
    }

    job->info = info;

    return NGX_OK;
}


/* Sets a time "step" nanoseconds later than that of another file. */

static ngx_int_t
ngx_artifact_set_time_after(ngx_fd_t fd, ngx_file_info_t *than, int64_t step)
{
    int64_t          nsec;
    struct timespec  mtime;

    nsec = than->st_mtim.tv_nsec + step;

    mtime.tv_sec = than->st_mtim.tv_sec + (time_t) (nsec / 1000000000);
    mtime.tv_nsec = (long) (nsec % 1000000000);

    return ngx_artifact_touch(fd, &mtime);
}


/* If this fails, the write still succeeds. */

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
 * Makes the change durable; the content is synced "again" if its time or its
 * permissions were changed.
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

    /* whoever writes faster than the journal is folded waits for a fold */

    if (job->journal >= NGX_ARTIFACT_JOURNAL_FULL) {
        (void) ngx_artifact_fold((char *) job->root.data, job->workspace,
                                 job->log);
    }

    return rc;
}


/*
 * Opens the folder of the job's file, one component at a time, makes it if
 * "create" is set, and calls "act" with it and the file's name in it; NGX_ERROR
 * with job->error set.  Without "create", a missing folder means that nothing
 * prevents a write: NGX_OK.  The first component is the workspace.
 */

static ngx_int_t
ngx_artifact_write_in_folder(ngx_artifact_write_job_t *job,
    ngx_uint_t create, ngx_artifact_write_act_pt act)
{
    char       path[ART_ID_NAME_MAX + 1 + ART_ID_PATH_MAX + 1];
    ngx_fd_t   root, folder;
    ngx_int_t  rc;

    (void) ngx_snprintf((u_char *) path, sizeof(path), "%*s/%*s%Z",
                        job->workspace.len, job->workspace.data,
                        job->path.len, job->path.data);

    job->bound = 0;
    job->exists = 0;

    if (job->area.folder != NGX_INVALID_FILE) {
        return ngx_artifact_folder_enter(job, job->area.folder, path, create,
                                         act);
    }

    /* a check creates nothing, not even the control folder */

    root = open((char *) job->root.data, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (root == NGX_INVALID_FILE) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    folder = openat(root, "workspaces",
                    O_PATH|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC);

    ngx_artifact_close(&root);

    rc = folder == NGX_INVALID_FILE
         ? ngx_artifact_folder_make(job, folder, path, 0, create)
         : ngx_artifact_folder_enter(job, folder, path, create, act);

    ngx_artifact_close(&folder);

    return rc;
}


/*
 * Enters the folders of the path one after the other; at most two of them are
 * open at a time.  Those that were made are removed again if the write fails.
 */

static ngx_int_t
ngx_artifact_folder_enter(ngx_artifact_write_job_t *job, ngx_fd_t top,
    char *path, ngx_uint_t create, ngx_artifact_write_act_pt act)
{
    char        *name, *slash, *first;
    ngx_fd_t     folder, fd;
    ngx_int_t    rc;
    ngx_uint_t   depth, made;

    rc = NGX_OK;
    first = NULL;
    folder = top;
    depth = 0;

    for (name = path; (slash = strchr(name, '/')) != NULL; name = slash + 1) {
        made = 0;

        *slash = '\0';
        rc = ngx_artifact_folder_next(job, folder, name, depth++, create, &fd,
                                      &made);
        *slash = '/';

        if (made && first == NULL) {
            first = name;
        }

        if (folder != top) {
            ngx_artifact_close(&folder);
        }

        folder = fd;

        if (fd == NGX_INVALID_FILE) {
            break;
        }
    }

    if (slash == NULL) {
        rc = act(job, folder, name);
    }

    if (folder != top) {
        ngx_artifact_close(&folder);
    }

    if (first && !job->published) {
        ngx_artifact_folder_unmake(top, path, first, slash ? slash : name - 1);
    }

    return rc;
}


/*
 * Opens a folder, and makes sure that its name is on the disk; *fd is invalid
 * if the write ends with the result.
 */

static ngx_int_t
ngx_artifact_folder_next(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_uint_t depth, ngx_uint_t create, ngx_fd_t *fd,
    ngx_uint_t *made)
{
    int        flags;
    ngx_int_t  rc;

    *fd = NGX_INVALID_FILE;

    if (depth == NGX_ARTIFACT_DEPTH) {
        ngx_set_errno(NGX_ENAMETOOLONG);
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    flags = O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC
            |(job->sync && create ? O_RDONLY : O_PATH);

    *fd = openat(folder, name, flags);

    if (*fd == NGX_INVALID_FILE && ngx_errno == NGX_ENOENT) {

        rc = ngx_artifact_folder_make(job, folder, name, depth, create);

        if (rc != NGX_AGAIN) {
            return rc;
        }

        *made = 1;
        *fd = openat(folder, name, flags);
    }

    if (*fd == NGX_INVALID_FILE) {
        return ngx_artifact_folder_error(job, folder, name);
    }

    if (create && job->sync && ngx_artifact_sync_name(folder, *fd) != NGX_OK) {
        ngx_artifact_close(fd);
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
    }

    job->bound = 1;

    return NGX_OK;
}


/*
 * Removes empty folders from the one named at "first" to the one that ends at
 * "end", the innermost first.
 */

static void
ngx_artifact_folder_unmake(ngx_fd_t top, char *path, char *first, char *end)
{
    int        rc;
    char      *name;
    ngx_fd_t   folder;

    for ( /* void */ ; end > first; end = name - 1) {
        *end = '\0';

        name = strrchr(path, '/');
        name = name ? name + 1 : path;

        if (name == path) {
            (void) unlinkat(top, name, AT_REMOVEDIR);
            break;
        }

        name[-1] = '\0';
        folder = ngx_artifact_openat(top, path, O_PATH|O_DIRECTORY, 0);

        if (folder == NGX_INVALID_FILE) {
            break;
        }

        rc = unlinkat(folder, name, AT_REMOVEDIR);

        ngx_artifact_close(&folder);

        /* the last one may be the one that could not be made */

        if (rc == -1 && ngx_errno != NGX_ENOENT) {
            break;
        }
    }
}


/* A folder is missing: NGX_AGAIN if it was made, else the outcome. */

static ngx_int_t
ngx_artifact_folder_make(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name, ngx_uint_t depth, ngx_uint_t create)
{
    if (job->remove) {
        return ngx_artifact_write_fail(job, depth ? ART_ERR_NOT_FOUND
                                                  : ART_ERR_NOT_BOUND,
                                       "open");
    }

    if (ngx_artifact_test_preconds(job) != NGX_OK) {
        return NGX_ERROR;
    }

    if (depth == 0 && !art_ref_name_workspace(job->workspace)) {
        return ngx_artifact_write_fail(job, ART_ERR_NAME, NULL);
    }

    if (!create) {
        return NGX_OK;
    }

    if (mkdirat(folder, name, 0755) == -1 && ngx_errno != NGX_EEXIST) {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "mkdir");
    }

    return NGX_AGAIN;
}


/* The error for a folder that cannot be opened: it may be a link or a file. */

static ngx_int_t
ngx_artifact_folder_error(ngx_artifact_write_job_t *job, ngx_fd_t folder,
    const char *name)
{
    ngx_file_info_t  info;

    if ((ngx_errno != NGX_ENOTDIR && ngx_errno != NGX_ELOOP)
        || fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == -1)
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "open");
    }

    if (S_ISLNK(info.st_mode)) {
        return ngx_artifact_write_fail(job, ART_ERR_TRAVERSAL, NULL);
    }

    if (job->remove) {
        return ngx_artifact_write_fail(job, job->bound ? ART_ERR_NOT_FOUND
                                                       : ART_ERR_NOT_BOUND,
                                       NULL);
    }

    return ngx_artifact_write_fail(job, ART_ERR_CONFLICT, NULL);
}


void
ngx_artifact_write_init(ngx_artifact_write_job_t *job)
{
    job->unmodified_since = NGX_ERROR;
    job->area.folder = NGX_INVALID_FILE;
    job->area.control = NGX_INVALID_FILE;
    job->temp.fd = NGX_INVALID_FILE;
    job->recent.fd = NGX_INVALID_FILE;
    job->error = ART_ERR_MAX;
}


void
ngx_artifact_write_close(void *data)
{
    ngx_artifact_write_job_t *job = data;

    ngx_artifact_temp_close(&job->temp, job->area.control, job->published);
    ngx_artifact_area_close(&job->area);
    ngx_artifact_close(&job->recent.fd);

    EVP_MD_CTX_free(job->digest);
    job->digest = NULL;
}


ngx_int_t
ngx_artifact_write_sync(ngx_artifact_write_job_t *job)
{
    if (ngx_artifact_touch(job->temp.fd, NULL) != NGX_OK
        || (job->sync && fsync(job->temp.fd) == -1))
    {
        return ngx_artifact_write_fail(job, ART_ERR_MAX, "fsync");
    }

    return NGX_OK;
}


ngx_int_t
ngx_artifact_write_fail(ngx_artifact_write_job_t *job, art_error_t error,
    const char *action)
{
    if (error == ART_ERR_MAX) {
        job->err = ngx_errno;
        error = ngx_artifact_write_errno(job->err);
    }

    job->error = error;
    job->action = action;

    return NGX_ERROR;
}


static art_error_t
ngx_artifact_write_errno(ngx_err_t err)
{
    switch (err) {

    case NGX_EACCES:
    case NGX_EPERM:
    case EROFS:
        return ART_ERR_PERMISSION;

    case NGX_ENAMETOOLONG:
    case NGX_EILSEQ:             /* a name that the file system rejects */
        return ART_ERR_NAME;

    case NGX_ENOTDIR:
    case NGX_EEXIST:
    case NGX_EISDIR:
        return ART_ERR_CONFLICT;

    case NGX_ELOOP:
        return ART_ERR_TRAVERSAL;

    case NGX_ENOSPC:
    case EDQUOT:
        return ART_ERR_FULL;

    default:
        return ngx_artifact_unreachable(err) ? ART_ERR_STORAGE : ART_ERR_WRITE;
    }
}
