
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the journals, for those who append, fold and read.
 */


#ifndef NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_
#define NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_area.h"

#include "core/journal/art_journal.h"
#include "core/ref/art_id.h"


#define NGX_ARTIFACT_JOURNAL  ".journal"
#define NGX_ARTIFACT_FOLDING  ".folding"

/*
 * Times that removed journals have given, as a journal without records.  Names
 * of workspaces' files end in a suffix, none of which is the end of another;
 * those of others, this one, "lock" and files on their way, have no dot.
 */

#define NGX_ARTIFACT_CLOCK    "clock"

/* Room for a workspace's name, any suffix, and a zero. */

#define NGX_ARTIFACT_JOURNAL_NAME  (ART_ID_NAME_MAX + 32)


/*
 * A journal is read whole.  It is folded at once from ART_FOLD_SOON bytes on,
 * from the first size here on the writer folds it itself; beyond the other one,
 * which means that folding fails, metadata cannot be written.
 */

#define NGX_ARTIFACT_JOURNAL_FULL  (1024 * 1024)
#define NGX_ARTIFACT_JOURNAL_MAX   (4 * 1024 * 1024)


typedef struct {
    ngx_fd_t   fd;               /* for the caller to close in any case */
    off_t      size;             /* before this record */
} ngx_artifact_appended_t;


/*
 * Makes the name of a workspace's file from its suffix, with a zero; "name"
 * has room for NGX_ARTIFACT_JOURNAL_NAME bytes.  And its path from
 * workspaces on, for which there are NGX_ARTIFACT_JOURNAL_PATH.
 */

#define NGX_ARTIFACT_JOURNAL_PATH                                             \
    (sizeof(NGX_ARTIFACT_CONTROL) + NGX_ARTIFACT_JOURNAL_NAME)

void ngx_artifact_journal_name(char *name, art_str_t workspace,
    const char *suffix);
void ngx_artifact_journal_path(char *path, art_str_t workspace,
    const char *suffix);


/*
 * Reads a journal into memory that ngx_artifact_journal_free() frees:
 * malloc()'ed, since threads read them, too.  NGX_ERROR with errno, and nothing
 * to free: EFBIG beyond NGX_ARTIFACT_JOURNAL_MAX.
 */

ngx_int_t ngx_artifact_journal_load(ngx_fd_t folder, const char *name,
    art_str_t *journal);
void ngx_artifact_journal_free(art_str_t *journal);


/*
 * Appends a record, setting its time; under the append lock.  NGX_ERROR with
 * errno, the journal then as it was: ENAMETOOLONG if the workspace's document
 * could not have its name.
 */

ngx_int_t ngx_artifact_journal_append(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended);


/*
 * The time of a record that was appended "now", in milliseconds: "now" itself
 * if no record has had it; under the append lock.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_journal_next_time(ngx_artifact_area_t *area,
    art_str_t workspace, uint64_t now, uint64_t *time);


/*
 * Makes the journal the one that is folded, and begins a new one; under the
 * fold and the append lock.  NGX_OK with its text; NGX_DECLINED if nothing
 * stands in it; NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_journal_rotate(ngx_artifact_area_t *area,
    art_str_t workspace, art_str_t *journal);


/*
 * Removing a journal in which nothing but a clock is left.
 *
 * 1. ngx_artifact_journal_idle() adds its times to none: NGX_OK with the clock
 *    in "clock", NGX_DECLINED if there are records or there is no journal,
 *    NGX_ERROR with errno.
 * 2. ngx_artifact_journal_keep_clock(): the times of "clock", those of any
 *    number of journals, are known on the disk to whoever begins a journal
 *    from now on.  By one process at a time.  NGX_ERROR with errno.
 * 3. ngx_artifact_journal_remove() takes the append lock, unless somebody has
 *    it, and removes the journal if all its times are in "kept": NGX_OK.
 *    NGX_DECLINED if it stays; NGX_ERROR with errno.
 *
 * Who appends, or begins a new journal, has that lock: it finds the journal, or
 * none and all its times in what was kept.  So no time is given again.
 */

ngx_int_t ngx_artifact_journal_idle(ngx_fd_t control, art_str_t workspace,
    art_journal_clock_t *clock);
ngx_int_t ngx_artifact_journal_keep_clock(ngx_fd_t control,
    const art_journal_clock_t *clock);
ngx_int_t ngx_artifact_journal_remove(ngx_fd_t control, art_str_t workspace,
    const art_journal_clock_t *kept);


#endif /* NGX_ARTIFACT_JOURNAL_FILES_H_INCLUDED_ */
