
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A data root's areas, artifacts/ and workspaces/, with a control folder in
 * each for locks and temporary files; what is done with open files there; and
 * what threads get from the kernel itself: times, memory and random bytes.
 */


#ifndef NGX_ARTIFACT_AREA_H_INCLUDED_
#define NGX_ARTIFACT_AREA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* The module's own folder in artifacts/ and workspaces/. */

#define NGX_ARTIFACT_CONTROL  ".artifact"


/*
 * The deepest level of folders, including the workspace, in which files are
 * written and from which they are listed.
 */

#define NGX_ARTIFACT_DEPTH  128


/* The names of temporary files, in the control folder. */

#define NGX_ARTIFACT_TEMP     "tmp-"
#define NGX_ARTIFACT_TEMP_ID  36         /* a UUID */
#define NGX_ARTIFACT_TEMP_LEN                                                 \
    (sizeof(NGX_ARTIFACT_TEMP) - 1 + NGX_ARTIFACT_TEMP_ID)


/* artifacts/ or workspaces/ of a data root, open. */

typedef struct {
    ngx_fd_t                     folder;
    ngx_fd_t                     control;
} ngx_artifact_area_t;


/* A temporary file, in the control folder, locked as long as it is open. */

typedef struct {
    ngx_fd_t                     fd;
    u_char                       name[NGX_ARTIFACT_TEMP_LEN + 1];
} ngx_artifact_temp_t;


/* Which of a workspace's two locks. */

#define NGX_ARTIFACT_APPEND  0
#define NGX_ARTIFACT_FOLD    1


/*
 * Opens "name" (artifacts or workspaces) of a root and the control folder in
 * it; with "create", makes them if missing.  The area owns the descriptors.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_area_open(ngx_artifact_area_t *area, const char *root,
    const char *name, ngx_uint_t create);
void ngx_artifact_area_close(ngx_artifact_area_t *area);


/*
 * Opens a real folder for reading; with "create", makes it with this mode if
 * missing, and its name in the parent is then on the disk, as after
 * ngx_artifact_sync_name().  Returns a descriptor owned by the caller;
 * NGX_INVALID_FILE with errno.
 */

ngx_fd_t ngx_artifact_folder(ngx_fd_t parent, const char *name, mode_t mode,
    ngx_uint_t create);


/*
 * Takes a lock of a workspace among all threads, processes and machines.
 * Returns a descriptor, which releases it when closed; NGX_INVALID_FILE with
 * errno, EAGAIN if another holds it and "wait" is not set.
 */

ngx_fd_t ngx_artifact_lock(ngx_fd_t control, art_str_t workspace,
    ngx_uint_t which, ngx_uint_t wait);

/*
 * The first takes a write lock on a whole open file without waiting; NGX_ERROR
 * with errno.  The second releases it before the file is closed; errno is
 * unchanged.
 */

ngx_int_t ngx_artifact_lock_file(ngx_fd_t fd);
void ngx_artifact_unlock_file(ngx_fd_t fd);


/*
 * The first creates a temporary file in a control folder, locked, named by "id"
 * (a UUID) or, if that is NULL, by a new one; NGX_ERROR with errno.  The second
 * closes it, and removes it unless it was "renamed"; errno is unchanged.
 */

ngx_int_t ngx_artifact_temp_open(ngx_artifact_temp_t *temp, ngx_fd_t control,
    const char *id);
void ngx_artifact_temp_close(ngx_artifact_temp_t *temp, ngx_fd_t control,
    ngx_uint_t renamed);


/*
 * The first writes all bytes; NGX_ERROR with errno.  The second reads as many,
 * or fewer at the end of the file; returns their number, or NGX_ERROR with
 * errno.  The third is the second, but reads only what the kernel has in memory
 * (preadv2(2), RWF_NOWAIT): NGX_AGAIN if it has not, or cannot tell.
 */

ngx_int_t ngx_artifact_write_all(ngx_fd_t fd, const void *data, size_t len,
    off_t offset);
ssize_t ngx_artifact_read_all(ngx_fd_t fd, void *buf, size_t len,
    off_t offset);
ssize_t ngx_artifact_read_cached(ngx_fd_t fd, void *buf, size_t len,
    off_t offset);


/*
 * Writes a version 7 UUID, unique among the threads of this process and others,
 * and a zero: NGX_ARTIFACT_TEMP_ID + 1 bytes.
 */

void ngx_artifact_uuid(char *text);


/*
 * Whether an open file or folder is on another machine's disk, or on one that
 * some program makes, so that a write may take long; by the numbers of
 * statfs(2).
 */

ngx_uint_t ngx_artifact_is_remote(ngx_fd_t fd);


/* Milliseconds since 1970: nginx's own clock does not run in a thread. */

uint64_t ngx_artifact_now(void);

/*
 * Seconds: a time further ahead than that comes from a clock that was wrong.  A
 * time less far ahead may come from another machine, and is waited for.
 */

#define NGX_ARTIFACT_AHEAD  86400

/* Whether something with this time may have changed within "seconds". */

#define ngx_artifact_is_recent(time, now, seconds)                            \
    ((now) - (time) < (seconds) && (time) - (now) <= NGX_ARTIFACT_AHEAD)


/* Microseconds of a clock that never goes back, to measure durations. */

uint64_t ngx_artifact_ticks(void);


/*
 * Sets a file's modification time; if that is NULL, to the current time in
 * nanoseconds: the times that the kernel sets are as coarse as its ticks.
 * NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_touch(ngx_fd_t fd, const struct timespec *mtime);

ngx_uint_t ngx_artifact_is_newer(const struct timespec *time,
    const struct timespec *than);


/*
 * Gives an open file the owner, the group and the permissions, but no other
 * mode bits, of one that it is to replace.  The owner may be changed only with
 * rights that workers rarely have, and not on all file systems; the group may
 * be changed to another one of the process.  Where the group cannot be the
 * same, it gets no more permissions than all others have.  *changed is set if
 * anything was changed, else left alone.  NGX_ERROR with errno if anyone could
 * read or write the file who could not do so with the replaced one.
 */

ngx_int_t ngx_artifact_inherit(ngx_fd_t fd, const ngx_file_info_t *from,
    ngx_uint_t *changed);


/*
 * Syncs a folder, which may be open only to pass through (O_PATH).  NGX_ERROR
 * with errno, EACCES if it is not readable.
 */

ngx_int_t ngx_artifact_sync_folder(ngx_fd_t folder);


/*
 * Makes sure that the name of an open folder in its parent, which may be open
 * only to pass through, is on the disk: whoever finds a folder cannot know
 * whether its maker has synced the parent yet.  The parent is synced unless
 * this process has done so since the folder was made.  NGX_ERROR with errno,
 * EACCES if the parent is not readable.
 */

ngx_int_t ngx_artifact_sync_name(ngx_fd_t parent, ngx_fd_t folder);


/*
 * Writes the entity tag of a version of a file to "p", which has room for
 * NGX_ARTIFACT_ETAG_LEN bytes; returns its length.
 */

#define NGX_ARTIFACT_ETAG_LEN  (3 * NGX_OFF_T_LEN + 5)

size_t ngx_artifact_etag(u_char *p, ngx_file_info_t *info);


/*
 * The first maps "size" bytes of anonymous memory, all zeros, which leaves no
 * traces in a thread's heap; NULL with errno.  The second unmaps it; "size"
 * must be the same.
 */

u_char *ngx_artifact_map(size_t size);
void ngx_artifact_unmap(u_char *p, size_t size);


/*
 * Fills "buf" with at most 256 random bytes from the kernel or, if it has none,
 * from random(3), which can be predicted.
 */

void ngx_artifact_random(void *buf, size_t len);


#endif /* NGX_ARTIFACT_AREA_H_INCLUDED_ */
