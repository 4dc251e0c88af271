
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * A data root's areas, artifacts/ and workspaces/, with a control folder in
 * each: locks, and files on their way.
 */


#ifndef NGX_ARTIFACT_AREA_H_INCLUDED_
#define NGX_ARTIFACT_AREA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "core/base/art_core.h"


/* The module's own folder in artifacts/ and workspaces/. */

#define NGX_ARTIFACT_CONTROL  ".artifact"


/*
 * Folders in one another, the workspace among them, in which files are written
 * and listed: each is a descriptor meanwhile.
 */

#define NGX_ARTIFACT_DEPTH  128


/* Files on their way are named so, in the module's own folder. */

#define NGX_ARTIFACT_TEMP     "tmp-"
#define NGX_ARTIFACT_TEMP_ID  36         /* a UUID */
#define NGX_ARTIFACT_TEMP_LEN                                                 \
    (sizeof(NGX_ARTIFACT_TEMP) - 1 + NGX_ARTIFACT_TEMP_ID)


/* artifacts/ or workspaces/ of a data root, open. */

typedef struct {
    ngx_fd_t                     folder;
    ngx_fd_t                     control;
} ngx_artifact_area_t;


/* A file on its way, in the control folder, locked as long as it is open. */

typedef struct {
    ngx_fd_t                     fd;
    u_char                       name[NGX_ARTIFACT_TEMP_LEN + 1];
} ngx_artifact_temp_t;


/* Which of a workspace's two locks. */

#define NGX_ARTIFACT_APPEND  0
#define NGX_ARTIFACT_FOLD    1


/*
 * Opens "name" (artifacts or workspaces) of a root and the control folder in
 * it, both made when missing if "create" is set.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_area_open(ngx_artifact_area_t *area, const char *root,
    const char *name, ngx_uint_t create);
void ngx_artifact_area_close(ngx_artifact_area_t *area);


/*
 * Opens a real folder for reading, made with this mode when missing if "create"
 * is set; its name in the parent is on the disk then (ngx_artifact_settle()).
 * NGX_INVALID_FILE with errno.
 */

ngx_fd_t ngx_artifact_folder(ngx_fd_t parent, const char *name, mode_t mode,
    ngx_uint_t create);


/*
 * Takes a lock of a workspace among all threads, processes and machines:
 * returns a descriptor, closing which releases it; NGX_INVALID_FILE with
 * errno, which is EAGAIN if somebody else has it and "wait" is not set.
 */

ngx_fd_t ngx_artifact_lock(ngx_fd_t control, art_str_t workspace,
    ngx_uint_t which, ngx_uint_t wait);

/*
 * A write lock on a whole open file, not waited for; its end before the file is
 * closed, which leaves errno as it is.
 */

ngx_int_t ngx_artifact_lock_file(ngx_fd_t fd);
void ngx_artifact_unlock_file(ngx_fd_t fd);


/*
 * Creates a file in a control folder, locked.  "id" (a UUID) names it, NULL:
 * a random one.  Writes to it; closes it, removing it unless "keep" is set,
 * that is, unless it was renamed.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_temp_open(ngx_artifact_temp_t *temp, ngx_fd_t control,
    const char *id);
ngx_int_t ngx_artifact_write_all(ngx_fd_t fd, const void *data, size_t len,
    off_t offset);
void ngx_artifact_temp_close(ngx_artifact_temp_t *temp, ngx_fd_t control,
    ngx_uint_t keep);


/*
 * A version 7 UUID, unique among the threads of this process and others, with
 * a zero: NGX_ARTIFACT_TEMP_ID + 1 bytes.
 */

void ngx_artifact_uuid(char *text);


/* Milliseconds of the epoch: nginx's own clock stands still in a thread. */

uint64_t ngx_artifact_now(void);

/*
 * Seconds: a time that is further ahead than that was set by a clock that was
 * wrong.  One that is less ahead is waited for, and may be that of another
 * machine.
 */

#define NGX_ARTIFACT_AHEAD  86400

/* Whether something that has this time may have changed within "seconds". */

#define ngx_artifact_is_recent(time, now, seconds)                            \
    ((now) - (time) < (seconds) && (time) - (now) <= NGX_ARTIFACT_AHEAD)


/* Microseconds of a clock that never goes back, for how long things take. */

uint64_t ngx_artifact_ticks(void);


/*
 * Sets a file's modification time to the nanosecond: what the kernel does on
 * its own is as coarse as its ticks.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_touch(ngx_fd_t fd);


/*
 * Gives an open file the owner, the group and the permissions, but no other
 * mode bits, of one that it is to replace.  To give a file away takes rights,
 * and file systems that know no owners, or not this one, say so in different
 * ways; to another group of one's own it can be given without.  Where the group
 * cannot be the same it may not do more than all others.  *changed is set if
 * anything was, else it stays.  NGX_ERROR with errno if the file may be read or
 * written by whom the other could not.
 */

ngx_int_t ngx_artifact_inherit(ngx_fd_t fd, const ngx_file_info_t *from,
    ngx_uint_t *changed);


/*
 * Syncs a folder, which may be open only to pass through (O_PATH).  NGX_ERROR
 * with errno, EACCES if it may not be read.
 */

ngx_int_t ngx_artifact_sync_folder(ngx_fd_t folder);


/*
 * The name of an open folder in its parent, which may be open only to pass
 * through, is on the disk from here on, whoever has made it: who finds a folder
 * cannot know whether its maker has synced the parent yet.  The parent is
 * synced unless this process has done so since the folder was made.  NGX_ERROR
 * with errno, EACCES if the parent may not be read.
 */

ngx_int_t ngx_artifact_settle(ngx_fd_t parent, ngx_fd_t folder);


/*
 * Writes the entity tag of a version of a file to "p", which has room for
 * NGX_ARTIFACT_ETAG_LEN bytes; returns its length.
 */

#define NGX_ARTIFACT_ETAG_LEN  (3 * NGX_OFF_T_LEN + 5)

size_t ngx_artifact_etag(u_char *p, ngx_file_info_t *info);


#endif /* NGX_ARTIFACT_AREA_H_INCLUDED_ */
