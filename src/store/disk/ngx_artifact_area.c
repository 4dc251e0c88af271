
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The control folder of a data root's areas: locks and temporary files.  All of
 * it may run in threads.
 */


#include "store/disk/ngx_artifact_area.h"
#include "store/disk/ngx_artifact_beneath.h"

#include "core/base/art_hash.h"
#include "core/base/art_time.h"

#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/vfs.h>


/* Of statfs(2), which linux/magic.h does not have. */

#define NGX_ARTIFACT_LUSTRE  0x0bd00bd0
#define NGX_ARTIFACT_GFS2    0x01161970


/* Workspaces with the same hash share their locks, and wait for each other. */

#define NGX_ARTIFACT_LOCKS  0x3fffffff


/*
 * Hashes of folders whose names are known to be on the disk.  The number of a
 * folder may be used again after its removal, but not with the same time of
 * birth; without such times, nothing is recorded.
 */

#define NGX_ARTIFACT_SYNCED  8192

static uint64_t  ngx_artifact_synced[NGX_ARTIFACT_SYNCED];


static int ngx_artifact_set_lock(ngx_fd_t fd, int cmd, short type,
    off_t start, off_t len);
static ngx_fd_t ngx_artifact_temp_create(ngx_artifact_temp_t *temp,
    ngx_fd_t control);
static uint64_t ngx_artifact_birth(ngx_fd_t folder);


ngx_int_t
ngx_artifact_area_open(ngx_artifact_area_t *area, const char *root,
    const char *name, ngx_uint_t create)
{
    ngx_fd_t  fd;

    area->folder = NGX_INVALID_FILE;
    area->control = NGX_INVALID_FILE;

    fd = open(root, O_PATH|O_DIRECTORY|O_CLOEXEC);

    if (fd == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    area->folder = ngx_artifact_folder(fd, name, 0755, create);

    ngx_artifact_close(&fd);

    if (area->folder == NGX_INVALID_FILE) {
        return NGX_ERROR;
    }

    area->control = ngx_artifact_folder(area->folder, NGX_ARTIFACT_CONTROL,
                                        0700, create);

    if (area->control != NGX_INVALID_FILE) {
        return NGX_OK;
    }

    ngx_artifact_area_close(area);

    return NGX_ERROR;
}


ngx_fd_t
ngx_artifact_folder(ngx_fd_t parent, const char *name, mode_t mode,
    ngx_uint_t create)
{
    int       flags;
    ngx_fd_t  fd;

    flags = O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC;

    fd = openat(parent, name, flags);

    if (!create) {
        return fd;
    }

    if (fd == NGX_INVALID_FILE && ngx_errno == NGX_ENOENT) {

        if (mkdirat(parent, name, mode) == -1 && ngx_errno != NGX_EEXIST) {
            return NGX_INVALID_FILE;
        }

        fd = openat(parent, name, flags);
    }

    /* a root that may only be passed through cannot be synced */

    if (fd != NGX_INVALID_FILE
        && ngx_artifact_sync_name(parent, fd) != NGX_OK
        && ngx_errno != NGX_EACCES)
    {
        ngx_artifact_close(&fd);
    }

    return fd;
}


void
ngx_artifact_area_close(ngx_artifact_area_t *area)
{
    ngx_artifact_close(&area->control);
    ngx_artifact_close(&area->folder);
}


/*
 * Locks of open file descriptions exclude threads of one process just as other
 * processes, and the kernel releases them when their holder dies.
 */

ngx_fd_t
ngx_artifact_lock(ngx_fd_t control, art_str_t workspace, ngx_uint_t which,
    ngx_uint_t wait)
{
    int       rc;
    uint64_t  hash;
    ngx_fd_t  fd;

    fd = openat(control, "lock", O_RDWR|O_CREAT|O_NOFOLLOW|O_CLOEXEC, 0600);

    if (fd == NGX_INVALID_FILE) {
        return NGX_INVALID_FILE;
    }

    hash = art_hash(ART_HASH_INIT, workspace.data, workspace.len);

    do {
        rc = ngx_artifact_set_lock(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK,
                                   F_WRLCK,
                                   (off_t) (hash & NGX_ARTIFACT_LOCKS) * 2
                                   + (off_t) which, 1);
    } while (rc == -1 && ngx_errno == NGX_EINTR);

    if (rc == -1) {
        ngx_artifact_close(&fd);

        if (ngx_errno == NGX_EACCES) {
            ngx_set_errno(NGX_EAGAIN);
        }
    }

    return fd;
}


ngx_int_t
ngx_artifact_lock_file(ngx_fd_t fd)
{
    return ngx_artifact_set_lock(fd, F_OFD_SETLK, F_WRLCK, 0, 0) == -1
           ? NGX_ERROR : NGX_OK;
}


void
ngx_artifact_unlock_file(ngx_fd_t fd)
{
    ngx_err_t  err;

    err = ngx_errno;

    (void) ngx_artifact_set_lock(fd, F_OFD_SETLK, F_UNLCK, 0, 0);

    ngx_set_errno(err);
}


static int
ngx_artifact_set_lock(ngx_fd_t fd, int cmd, short type, off_t start, off_t len)
{
    struct flock  lock;

    ngx_memzero(&lock, sizeof(struct flock));

    lock.l_type = type;
    lock.l_whence = SEEK_SET;
    lock.l_start = start;
    lock.l_len = len;

    return fcntl(fd, cmd, &lock);
}


ngx_int_t
ngx_artifact_temp_open(ngx_artifact_temp_t *temp, ngx_fd_t control,
    const char *id)
{
    char        fresh[NGX_ARTIFACT_TEMP_ID + 1];
    ngx_err_t   err;
    ngx_uint_t  tries;

    /* a sweep may remove the file before it is locked: create another one */

    for (tries = 0; tries < 16; tries++) {

        if (id == NULL) {
            ngx_artifact_uuid(fresh);
        }

        (void) ngx_snprintf(temp->name, sizeof(temp->name),
                            NGX_ARTIFACT_TEMP "%s%Z", id ? id : fresh);

        temp->fd = ngx_artifact_temp_create(temp, control);

        if (temp->fd != NGX_INVALID_FILE) {
            return NGX_OK;
        }

        err = ngx_errno;

        if (err != NGX_EEXIST && err != NGX_EAGAIN) {
            return NGX_ERROR;
        }
    }

    return NGX_ERROR;
}


static ngx_fd_t
ngx_artifact_temp_create(ngx_artifact_temp_t *temp, ngx_fd_t control)
{
    ngx_fd_t         fd;
    ngx_err_t        err;
    ngx_file_info_t  info;

    fd = openat(control, (char *) temp->name,
                O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0644);

    if (fd == NGX_INVALID_FILE) {
        return NGX_INVALID_FILE;
    }

    if (ngx_artifact_lock_file(fd) == NGX_OK) {

        if (ngx_fd_info(fd, &info) != NGX_FILE_ERROR && info.st_nlink > 0) {
            return fd;
        }

        ngx_set_errno(NGX_EAGAIN);
    }

    if (ngx_errno != NGX_EAGAIN) {
        err = ngx_errno;
        (void) unlinkat(control, (char *) temp->name, 0);
        ngx_set_errno(err);
    }

    ngx_artifact_close(&fd);

    return fd;
}


ngx_int_t
ngx_artifact_write_all(ngx_fd_t fd, const void *data, size_t len, off_t offset)
{
    ssize_t        n;
    const u_char  *p;

    for (p = data; len > 0; p += n) {

        n = pwrite(fd, p, len, offset);

        if (n == -1) {

            if (ngx_errno == NGX_EINTR) {
                n = 0;
                continue;
            }

            return NGX_ERROR;
        }

        if (n == 0) {
            ngx_set_errno(NGX_ENOSPC);
            return NGX_ERROR;
        }

        len -= (size_t) n;
        offset += n;
    }

    return NGX_OK;
}


ssize_t
ngx_artifact_read_all(ngx_fd_t fd, void *buf, size_t len, off_t offset)
{
    size_t   done;
    ssize_t  n;

    for (done = 0; done < len; done += (size_t) n) {

        n = pread(fd, (u_char *) buf + done, len - done,
                  offset + (off_t) done);

        if (n == -1 && ngx_errno == NGX_EINTR) {
            n = 0;
            continue;
        }

        if (n == -1) {
            return NGX_ERROR;
        }

        if (n == 0) {
            break;
        }
    }

    return (ssize_t) done;
}


ssize_t
ngx_artifact_read_cached(ngx_fd_t fd, void *buf, size_t len, off_t offset)
{
#ifdef RWF_NOWAIT

    ssize_t       n;
    struct iovec  iov;

    iov.iov_base = buf;
    iov.iov_len = len;

    n = preadv2(fd, &iov, 1, offset, RWF_NOWAIT);

    return n == -1 ? NGX_AGAIN : n;

#else

    return NGX_AGAIN;

#endif
}


void
ngx_artifact_temp_close(ngx_artifact_temp_t *temp, ngx_fd_t control,
    ngx_uint_t renamed)
{
    ngx_err_t  err;

    if (temp->fd == NGX_INVALID_FILE) {
        return;
    }

    err = ngx_errno;

    /* while it is locked, nobody else uses the name */

    if (!renamed) {
        (void) unlinkat(control, (char *) temp->name, 0);
    }

    ngx_set_errno(err);

    ngx_artifact_close(&temp->fd);
}


void
ngx_artifact_uuid(char *text)
{
    uint8_t          bytes[ART_UUID_RANDOM];
    struct timespec  now;

    /* a state for each thread; their UUIDs differ in the random bits */

    static __thread uint64_t  state;

    (void) clock_gettime(CLOCK_REALTIME, &now);

    ngx_artifact_random(bytes, sizeof(bytes));

    art_uuid_v7((uint8_t *) text, &state,
                (uint64_t) now.tv_sec * 1000000000 + (uint64_t) now.tv_nsec,
                bytes);

    text[ART_UUID_LEN] = '\0';
}


ngx_uint_t
ngx_artifact_is_remote(ngx_fd_t fd)
{
    size_t         i;
    struct statfs  fs;

    static const uint32_t  remote[] = {
        NFS_SUPER_MAGIC, SMB_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
        CEPH_SUPER_MAGIC, FUSE_SUPER_MAGIC, NGX_ARTIFACT_LUSTRE,
        NGX_ARTIFACT_GFS2, OCFS2_SUPER_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC,
        CODA_SUPER_MAGIC, V9FS_MAGIC
    };

    if (fstatfs(fd, &fs) == -1) {
        return 1;
    }

    for (i = 0; i < sizeof(remote) / sizeof(remote[0]); i++) {
        if ((uint32_t) fs.f_type == remote[i]) {
            return 1;
        }
    }

    return 0;
}


uint64_t
ngx_artifact_now(void)
{
    struct timespec  now;

    (void) clock_gettime(CLOCK_REALTIME, &now);

    return (uint64_t) now.tv_sec * 1000 + (uint64_t) now.tv_nsec / 1000000;
}


uint64_t
ngx_artifact_ticks(void)
{
    struct timespec  now;

    (void) clock_gettime(CLOCK_MONOTONIC, &now);

    return (uint64_t) now.tv_sec * 1000000 + (uint64_t) now.tv_nsec / 1000;
}


ngx_int_t
ngx_artifact_touch(ngx_fd_t fd, const struct timespec *mtime)
{
    struct timespec  times[2];

    times[0].tv_sec = 0;
    times[0].tv_nsec = UTIME_OMIT;

    if (mtime) {
        times[1] = *mtime;

    } else {
        (void) clock_gettime(CLOCK_REALTIME, &times[1]);
    }

    return futimens(fd, times) == -1 ? NGX_ERROR : NGX_OK;
}


ngx_uint_t
ngx_artifact_is_newer(const struct timespec *time, const struct timespec *than)
{
    return time->tv_sec > than->tv_sec
           || (time->tv_sec == than->tv_sec && time->tv_nsec > than->tv_nsec);
}


ngx_int_t
ngx_artifact_inherit(ngx_fd_t fd, const ngx_file_info_t *from,
    ngx_uint_t *changed)
{
    mode_t           mode, old;
    ngx_file_info_t  info;

    if (ngx_fd_info(fd, &info) == NGX_FILE_ERROR) {
        return NGX_ERROR;
    }

    mode = from->st_mode & 0777;
    old = info.st_mode & 0777;

    if (info.st_uid != from->st_uid || info.st_gid != from->st_gid) {

        if (fchown(fd, from->st_uid, from->st_gid) == 0
            || fchown(fd, (uid_t) -1, from->st_gid) == 0)
        {
            *changed = 1;

        } else if (info.st_gid != from->st_gid) {
            mode &= ~(mode_t) 070 | (mode & 07) << 3;
        }
    }

    if (mode == old) {
        return NGX_OK;
    }

    if (fchmod(fd, mode) == -1) {
        return (old & ~mode) ? NGX_ERROR : NGX_OK;
    }

    *changed = 1;

    return NGX_OK;
}


ngx_int_t
ngx_artifact_sync_folder(ngx_fd_t folder)
{
    ngx_fd_t   fd;
    ngx_int_t  rc;

    fd = openat(folder, ".", O_RDONLY|O_DIRECTORY|O_CLOEXEC);

    rc = fd == NGX_INVALID_FILE || fsync(fd) == -1 ? NGX_ERROR : NGX_OK;

    ngx_artifact_close(&fd);

    return rc;
}


ngx_int_t
ngx_artifact_sync_name(ngx_fd_t parent, ngx_fd_t folder)
{
    uint64_t   hash, *known;

    hash = ngx_artifact_birth(folder);
    known = &ngx_artifact_synced[hash % NGX_ARTIFACT_SYNCED];

    if (hash && __atomic_load_n(known, __ATOMIC_ACQUIRE) == hash) {
        return NGX_OK;
    }

    if (ngx_artifact_sync_folder(parent) != NGX_OK) {
        return NGX_ERROR;
    }

    if (hash) {
        __atomic_store_n(known, hash, __ATOMIC_RELEASE);
    }

    return NGX_OK;
}


/*
 * A hash of a folder's number and time of birth; 0 where that is not known: by
 * the file system, or by a C library (musl before 1.2.5) without statx().
 */

static uint64_t
ngx_artifact_birth(ngx_fd_t folder)
{
#if defined(STATX_BTIME)

    uint64_t      hash;
    struct statx  info;

    if (statx(folder, "", AT_EMPTY_PATH, STATX_INO|STATX_BTIME, &info) == 0
        && (info.stx_mask & STATX_BTIME))
    {
        hash = art_hash(ART_HASH_INIT, &info.stx_ino, sizeof(info.stx_ino));
        hash = art_hash(hash, &info.stx_dev_major, sizeof(uint32_t));
        hash = art_hash(hash, &info.stx_dev_minor, sizeof(uint32_t));
        hash = art_hash(hash, &info.stx_btime.tv_sec, sizeof(int64_t));

        return art_hash(hash, &info.stx_btime.tv_nsec, sizeof(uint32_t));
    }

#else
    (void) folder;
#endif

    return 0;
}


size_t
ngx_artifact_etag(u_char *p, ngx_file_info_t *info)
{
    return (size_t) (ngx_sprintf(p, "\"%xT.%xl-%xO\"", info->st_mtim.tv_sec,
                                 info->st_mtim.tv_nsec, ngx_file_size(info))
                     - p);
}


u_char *
ngx_artifact_map(size_t size)
{
    void  *p;

    p = mmap(NULL, size, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1,
             0);

    return p == MAP_FAILED ? NULL : p;
}


void
ngx_artifact_unmap(u_char *p, size_t size)
{
    (void) munmap(p, size);
}


void
ngx_artifact_random(void *buf, size_t len)
{
    size_t   i;
    u_char  *p;

    if (getrandom(buf, len, 0) == (ssize_t) len) {
        return;
    }

    p = buf;

    for (i = 0; i < len; i++) {
        p[i] = (u_char) (ngx_random() >> 8);
    }
}
