
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding: merges a journal (art_journal.h) into the text of a workspace's
 * ".meta.json", piece by piece, whatever the size of the document.
 */


#ifndef ART_FOLD_H_INCLUDED_
#define ART_FOLD_H_INCLUDED_


#include "core/meta/art_meta.h"
#include "core/journal/art_meta_index.h"


/*
 * Readers accept entries of at most so many bytes of JSON text, so a merged
 * entry has no more: the oldest writes are dropped from its "modifiedBy".  A
 * longer entry of another writer is replaced by a new one when it is merged.
 */

#define ART_FOLD_ENTRY_MAX   ART_META_ENTRY_MAX


/* Bytes of the longest member of the document or "files", held in memory. */

#define ART_FOLD_MEMBER_MAX  (64 * 1024 * 1024)


typedef enum {
    ART_FOLD_OK = 0,             /* the whole output was written */
    ART_FOLD_AGAIN,              /* there is more to do */
    ART_FOLD_CORRUPT,            /* the document is malformed: set it aside */
    ART_FOLD_TOO_LONG,           /* a member exceeds ART_FOLD_MEMBER_MAX */
    ART_FOLD_CHANGED,            /* the document changed: begin again */
    ART_FOLD_FAILED              /* a callback failed, or out of memory */
} art_fold_status_t;


/*
 * Reads *len bytes of the document from "offset" on into "buf"; if the document
 * ends before that, *len becomes the number of bytes read.  ART_ERROR if it
 * fails.
 */

typedef int (*art_fold_read_pt)(void *data, uint64_t offset, uint8_t *buf,
    size_t *len);


/*
 * "journal" must outlive the fold.  "piece" is the number of bytes to read at a
 * time; the output does not depend on it.  "write" gets the output in pieces of
 * any size.  Both functions get "data".  "index" (art_meta_index.h), which may
 * be NULL, becomes the index of the output's "files"; its entries change until
 * the fold ends.  A random "seed" prevents chosen paths from colliding.
 */

typedef struct {
    uint64_t             seed[2];
    art_str_t            workspace;
    art_str_t            journal;
    size_t               piece;
    art_fold_read_pt     read;
    art_sink_pt          write;
    void                *data;
    art_meta_index_t    *index;
} art_fold_conf_t;


/* For logs. */

typedef struct {
    unsigned             replaced;   /* entries */
    uint64_t             position;   /* where the document is corrupt, bytes */
} art_fold_report_t;


typedef struct art_fold_s  art_fold_t;


/*
 *     fold = art_fold_create(&conf);
 *
 *     do {
 *         status = art_fold_step(fold, &report);
 *     } while (status == ART_FOLD_AGAIN);
 *
 *     art_fold_destroy(fold);
 *
 * A step reads a piece, or writes one, or merges one entry.
 *
 * The document is read twice from the beginning: first to check it, then to
 * write it.  Nothing is written before all of it is checked, so a corrupt
 * document is known before the output begins.  It is corrupt if it is not one
 * JSON object by RFC 8259 in UTF-8 without a byte order mark, is nested too
 * deep, or its last "files" is neither object nor null.  If there is no
 * document, or it has only white space, a new one begins: {workspaceId,
 * createdAt (the journal's first time), files}, printed like
 * JSON.stringify(document, null, 2).
 *
 * Members of the document and of "files" that the journal does not name are
 * copied byte for byte, in their order.  A path that the journal names is
 * merged in the place of its last member or, if it has none, added at the end
 * of "files", in the order of the journal; if it was deleted, it is removed.
 * Other members of the same key are dropped, as are all "files" but the last.
 * Keys are compared decoded.  Merging is as in art_journal_apply(): unknown
 * keys are kept, but "size" is removed, as it is no longer true.  A "files"
 * that is missing or null is created.  White space before and after the comma
 * between two members is cut to 32 bytes each.  Folding the output with the
 * same journal again gives the same output.
 *
 * An entry to be merged is replaced by a new one if it is not an object, is
 * valid JSON that jansson refuses (see art_meta_parse()), or is too long;
 * report.replaced counts these.
 *
 * Memory: two pieces, or four times the size of a longer member; at most 80
 * bytes for each 40 bytes of the journal; 72 bytes for each member that it
 * names; while an entry is merged, its text twice (ART_FOLD_ENTRY_MAX at most
 * each) and its tree without the history, about ten times as much.
 *
 * art_fold_create() returns NULL when out of memory.
 */

art_fold_t *art_fold_create(const art_fold_conf_t *conf);
art_fold_status_t art_fold_step(art_fold_t *fold, art_fold_report_t *report);
void art_fold_destroy(art_fold_t *fold);


/*
 * When a journal is folded.  It can wait, because readers in this module see
 * the journal's records as well; only readers of the document itself do not.
 *
 * art_fold_delay() returns the milliseconds until a journal that has grown to
 * "size" bytes is folded: a short delay, since more may come; 0 from
 * ART_FOLD_SOON bytes on, even during a pause.
 */

#define ART_FOLD_DELAY  250
#define ART_FOLD_SOON   (64 * 1024)

unsigned art_fold_delay(uint64_t size);


/*
 * The pause, in milliseconds, after a fold that took "spent" milliseconds and
 * wrote a document of "size" bytes: ART_FOLD_SHARE times as long, up to
 * ART_FOLD_PAUSE; 0 if the document is small.
 */

#define ART_FOLD_SHARE  20
#define ART_FOLD_PAUSE  3000
#define ART_FOLD_SMALL  (1024 * 1024)

unsigned art_fold_pause(uint64_t size, uint64_t spent);


#endif /* ART_FOLD_H_INCLUDED_ */
