
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding: merges a journal (art_journal.h) into the text of a workspace's
 * ".meta.json" as a stream, whatever the size of the document.
 */


#ifndef ART_FOLD_H_INCLUDED_
#define ART_FOLD_H_INCLUDED_


#include "core/meta/art_meta_workspace.h"
#include "core/journal/art_journal.h"


/*
 * A merged entry takes at most so many bytes of JSON text, as many as readers
 * take.  Beyond it the oldest writes leave its "modifiedBy"; an entry of
 * another writer that is longer when it is to be merged is begun anew.
 */

#define ART_FOLD_ENTRY_MAX  ART_META_ENTRY_MAX


typedef enum {
    ART_FOLD_OK = 0,
    ART_FOLD_CORRUPT,            /* the document is not sound: set it aside */
    ART_FOLD_CHANGED,            /* the passes differ: begin again */
    ART_FOLD_FAILED              /* a callback failed, or out of memory */
} art_fold_status_t;


/*
 * Told for every member of "files" in the output, in its order: the hash of
 * its decoded key (art_meta_index_hash()), where the member starts, at the
 * quote of its key, and the bytes from there to the end of its value.  Not
 * ART_OK ends the fold with ART_FOLD_FAILED.
 */

typedef int (*art_fold_member_pt)(void *data, uint64_t hash, uint64_t offset,
    uint64_t len);


/*
 * "journal" must outlive the fold.  "write" gets the output in pieces of any
 * size; "member" may be NULL; both get "data".
 */

typedef struct {
    art_str_t            workspace;
    art_str_t            journal;
    art_sink_pt          write;
    art_fold_member_pt   member;
    void                *data;
} art_fold_conf_t;


typedef struct art_fold_s  art_fold_t;


/*
 * A fold takes the document twice: the first pass checks it and finds which
 * of several members with the same key is the last, the second writes.
 *
 *     fold = art_fold_create(&conf);
 *     while (more) { status = art_fold_feed(fold, p, n); }
 *     status = art_fold_rewind(fold);
 *     while (more) { status = art_fold_feed(fold, p, n); }
 *     status = art_fold_finish(fold);
 *     art_fold_destroy(fold);
 *
 * Chunks may be of any size.  After a status that is not ART_FOLD_OK only
 * art_fold_destroy() may be called.  Nothing is written in the first pass, so
 * a corrupt document (not one JSON object by RFC 8259 in UTF-8 without a byte
 * order mark; nested too deep; a last "files" that is neither object nor null)
 * is known before the output begins.  No document, or one of nothing but
 * white space, begins a new one: {workspaceId, createdAt (the journal's first
 * time), files}, printed like JSON.stringify(document, null, 2).
 *
 * In the output, members of the document and of "files" that the journal does
 * not name stand byte for byte where they stood.  A path that the journal
 * names is merged where its last member stood, or at the end of "files", in
 * the order of the journal, or is gone if it was deleted; other members of the
 * same key are dropped, as are all "files" but the last.  Keys are compared
 * decoded.  Merging is as in art_journal_apply(): keys not known survive, but
 * "size" does not, as it is no longer true.  A missing or null "files" is
 * made.  White space before and behind the comma between two members is cut to
 * 32 bytes each.  Folding the output with the same journal again gives the same
 * output.
 *
 * An entry to be merged that is not an object, or is sound JSON that jansson
 * does not take (see art_meta_parse()), or is too long, is begun anew:
 * art_fold_replaced() counts them.
 *
 * Memory: 40 KB; at most 250 bytes for each record of the journal; and while an
 * entry is merged its text, twice (ART_FOLD_ENTRY_MAX at most each), and its
 * tree, about ten times as much.
 *
 * art_fold_create() returns NULL when out of memory.
 */

art_fold_t *art_fold_create(const art_fold_conf_t *conf);
art_fold_status_t art_fold_feed(art_fold_t *fold, const uint8_t *p,
    size_t len);
art_fold_status_t art_fold_rewind(art_fold_t *fold);
art_fold_status_t art_fold_finish(art_fold_t *fold);
void art_fold_destroy(art_fold_t *fold);


/* Entries begun anew, and the bytes of input taken in this pass, for logs. */

unsigned art_fold_replaced(const art_fold_t *fold);
uint64_t art_fold_position(const art_fold_t *fold);


#endif /* ART_FOLD_H_INCLUDED_ */
