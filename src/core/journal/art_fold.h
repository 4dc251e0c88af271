
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding: merges a journal (art_journal.h) into the text of a workspace's
 * ".meta.json", piece by piece, whatever the size of the document.
 */


#ifndef ART_FOLD_H_INCLUDED_
#define ART_FOLD_H_INCLUDED_


#include "core/meta/art_meta_workspace.h"
#include "core/journal/art_meta_index.h"


/*
 * A merged entry takes at most so many bytes of JSON text, as many as readers
 * take.  Beyond it the oldest writes leave its "modifiedBy"; an entry of
 * another writer that is longer when it is to be merged is begun anew.
 */

#define ART_FOLD_ENTRY_MAX   ART_META_ENTRY_MAX


/* A member of the document or of "files" is held in memory, up to this. */

#define ART_FOLD_MEMBER_MAX  (64 * 1024 * 1024)


typedef enum {
    ART_FOLD_OK = 0,             /* all of it is written */
    ART_FOLD_AGAIN,              /* there is more to do */
    ART_FOLD_CORRUPT,            /* the document is not sound: set it aside */
    ART_FOLD_TOO_LONG,           /* beyond ART_FOLD_MEMBER_MAX */
    ART_FOLD_CHANGED,            /* while it was read: begin again */
    ART_FOLD_FAILED              /* a callback failed, or out of memory */
} art_fold_status_t;


/*
 * Reads *len bytes of the document from "offset" on into "buf"; where it ends
 * before, *len becomes how many there were.  ART_ERROR if it cannot.
 */

typedef int (*art_fold_read_pt)(void *data, uint64_t offset, uint8_t *buf,
    size_t *len);


/*
 * "journal" must outlive the fold.  "piece" are the bytes that are read at a
 * time, which makes no difference to the output; "write" gets that in pieces of
 * any size; both functions get "data".  "index" (art_meta_index.h) becomes that
 * of the output's "files"; its entries are worked on all the time.  It may be
 * NULL.  A random "seed" keeps those who choose the paths from choosing some
 * that take long to be told apart.
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


typedef struct art_fold_s  art_fold_t;


/*
 *     fold = art_fold_create(&conf);
 *     do { status = art_fold_step(fold); } while (status == ART_FOLD_AGAIN);
 *     art_fold_destroy(fold);
 *
 * A step reads a piece, or writes one, or merges one entry.
 *
 * The document is read twice, from the beginning on: to be checked, and to be
 * written.  Nothing is written before all of it was checked, so a corrupt
 * document (not one JSON object by RFC 8259 in UTF-8 without a byte order
 * mark; nested too deep; a last "files" that is neither object nor null) is
 * known before the output begins.  No document, or one of nothing but white
 * space, begins a new one: {workspaceId, createdAt (the journal's first time),
 * files}, printed like JSON.stringify(document, null, 2).
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
 * Memory: two pieces, or of a longer member four times its size; for each 40
 * bytes of the journal at most 80; for each member that it names 72; while an
 * entry is merged its text, twice (ART_FOLD_ENTRY_MAX at most each), and its
 * tree without the history, about ten times as much.
 *
 * art_fold_create() returns NULL when out of memory.
 */

art_fold_t *art_fold_create(const art_fold_conf_t *conf);
art_fold_status_t art_fold_step(art_fold_t *fold);
void art_fold_destroy(art_fold_t *fold);


/* Entries begun anew, and where the document is not sound, for logs. */

unsigned art_fold_replaced(const art_fold_t *fold);
uint64_t art_fold_position(const art_fold_t *fold);


#endif /* ART_FOLD_H_INCLUDED_ */
