
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The files of the journals, for appending, folding and reading.
 */


#ifndef NGX_ARTIFACT_JOURNAL_H_INCLUDED_
#define NGX_ARTIFACT_JOURNAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "store/disk/ngx_artifact_area.h"

#include "core/journal/art_journal.h"
#include "core/ref/art_id.h"


#define NGX_ARTIFACT_JOURNAL  ".journal"
#define NGX_ARTIFACT_FOLDING  ".folding"

/*
 * The times of removed journals, as a journal without records.  The names of
 * workspaces' files end in a suffix, none of which is the end of another; this
 * name, "lock" and those of temporary files have no dot.
 */

#define NGX_ARTIFACT_CLOCK    "clock"

/* Room for a workspace's name, any suffix, and a zero. */

#define NGX_ARTIFACT_JOURNAL_NAME  (ART_ID_NAME_MAX + 32)


/*
 * Bytes.  From ART_FOLD_SOON on a journal is folded at once, from
 * NGX_ARTIFACT_JOURNAL_FULL on by the writer itself.  A journal is read as a
 * whole, so it never grows beyond NGX_ARTIFACT_JOURNAL_MAX: if folding fails
 * for that long, metadata cannot be written.
 */

#define NGX_ARTIFACT_JOURNAL_FULL  (1024 * 1024)
#define NGX_ARTIFACT_JOURNAL_MAX   (4 * 1024 * 1024)


typedef struct {
    ngx_fd_t   fd;               /* the caller always closes it */
    off_t      size;             /* before this record */
} ngx_artifact_appended_t;


/*
 * Writes the name of a workspace's file with this suffix, and a zero, to a
 * buffer of NGX_ARTIFACT_JOURNAL_NAME bytes; or its path beneath workspaces, to
 * one of NGX_ARTIFACT_JOURNAL_PATH bytes.
 */

#define NGX_ARTIFACT_JOURNAL_PATH                                             \
    (sizeof(NGX_ARTIFACT_CONTROL) + NGX_ARTIFACT_JOURNAL_NAME)

void ngx_artifact_journal_name(char *name, art_str_t workspace,
    const char *suffix);
void ngx_artifact_journal_path(char *path, art_str_t workspace,
    const char *suffix);


/*
 * Reads a journal into memory that ngx_artifact_journal_free() frees.
 * NGX_ERROR with errno, and nothing to free: EFBIG beyond
 * NGX_ARTIFACT_JOURNAL_MAX.
 */

ngx_int_t ngx_artifact_journal_load(ngx_fd_t folder, const char *name,
    art_str_t *journal);
void ngx_artifact_journal_free(art_str_t *journal);


/*
 * Appends a record and sets its time; the caller holds the append lock.
 * NGX_ERROR with errno, and the journal is unchanged: ENAMETOOLONG if the
 * workspace's document could not have its name.
 */

ngx_int_t ngx_artifact_journal_append(ngx_artifact_area_t *area,
    art_journal_record_t *record, art_str_t workspace,
    ngx_artifact_appended_t *appended);


/*
 * The time of a record appended at "now", in milliseconds: "now" itself if no
 * record has had it; the caller holds the append lock.  NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_journal_next_time(ngx_artifact_area_t *area,
    art_str_t workspace, uint64_t now, uint64_t *time);


/*
 * Makes the journal the one being folded, and begins a new one; the caller
 * holds the fold and the append lock.  NGX_OK with its text; NGX_DECLINED if it
 * is empty or missing; NGX_ERROR with errno.
 */

ngx_int_t ngx_artifact_journal_rotate(ngx_artifact_area_t *area,
    art_str_t workspace, art_str_t *journal);


/*
 * How a journal with nothing but a clock is removed:
 *
 * 1. ngx_artifact_journal_idle() reads its clock: NGX_OK; NGX_DECLINED if there
 *    are records or there is no journal; NGX_ERROR with errno.
 * 2. ngx_artifact_journal_save_clock() saves the clock of any number of
 *    journals, for whoever begins a journal from now on.  One process at a time
 *    may call it.  NGX_ERROR with errno.
 * 3. ngx_artifact_journal_remove() takes the append lock, unless another
 *    holds it, and removes the journal if all its times are in "saved": NGX_OK;
 *    NGX_DECLINED if it is not removed; NGX_ERROR with errno.
 *
 * Whoever appends, or begins a new journal, holds that lock, and finds either
 * the journal or all its times in the saved clock.  So no time is used twice.
 */

ngx_int_t ngx_artifact_journal_idle(ngx_fd_t control, art_str_t workspace,
    art_journal_clock_t *clock);
ngx_int_t ngx_artifact_journal_save_clock(ngx_fd_t control,
    const art_journal_clock_t *clock);
ngx_int_t ngx_artifact_journal_remove(ngx_fd_t control, art_str_t workspace,
    const art_journal_clock_t *saved);


#endif /* NGX_ARTIFACT_JOURNAL_H_INCLUDED_ */
