
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Private to art_fold.c and art_fold_check.c.
 */


#ifndef ART_FOLD_INT_H_INCLUDED_
#define ART_FOLD_INT_H_INCLUDED_


#include "core/base/art_hash.h"
#include "core/journal/art_fold.h"


#define ART_FOLD_NONE  UINT32_MAX


/* The records of the journal, by path. */

typedef struct {
    size_t    pos;               /* in the journal */
    uint32_t  next;              /* of the same path, or ART_FOLD_NONE */
} art_fold_record_t;


typedef struct {
    art_str_t  path;
    uint32_t   first;
    uint32_t   last;
    uint32_t   count;            /* of records */
    uint32_t   edit;             /* of its last member, or ART_FOLD_NONE */
    unsigned   deleted:1;        /* the last record deletes it */
    unsigned   added:1;          /* "files" lacks it, but not the output */
} art_fold_path_t;


/* Filled before the first pass; the fold owns its memory. */

typedef struct {
    art_str_t           journal;
    uint64_t            time;    /* of the first record */
    art_fold_record_t  *records;
    art_fold_path_t    *paths;
    art_table_t         table;   /* of the paths */
    size_t              nrecords;
    size_t              npaths;
} art_fold_set_t;


/*
 * A difference between output and document: the bytes from "start" to "end" are
 * omitted, and others may be written in their place.
 */

typedef enum {
    ART_FOLD_CUT = 0,            /* nothing is written */
    ART_FOLD_FILE,               /* a member that the journal names */
    ART_FOLD_FILES,              /* "files": an object */
    ART_FOLD_FILES_NULL,         /* "files": null, which becomes an object */
    ART_FOLD_FILES_END,          /* the members that "files" lacks */
    ART_FOLD_FILES_NONE,         /* the "files" that the document lacks */
    ART_FOLD_DOCUMENT            /* the whole document */
} art_fold_kind_t;


/*
 * Until the whole document is known, the edit of a member spans all of it and
 * the bytes before it.  The member may have to be removed, because another of
 * the same key may follow.
 */

typedef struct {
    art_fold_kind_t  kind;
    uint32_t         path;       /* index of the path */
    uint64_t         start;
    uint64_t         end;
    uint64_t         key_end;    /* after the quote */
    uint64_t         value;
    uint64_t         next;       /* after the comma that follows, or 0 */
    uint64_t         members;    /* before it, in the document */
    uint64_t         kept;       /* before it, in the output */
    unsigned         line;       /* the "}" after it begins a new line */
} art_fold_edit_t;


/* An object whose members are examined: the document or "files". */

typedef struct {
    uint64_t  members;
    uint64_t  end;               /* of the last member, or of the "{" */
    uint64_t  comma;             /* the end of the comma after it */
    uint32_t  edit;              /* of the last member, or ART_FOLD_NONE */
} art_fold_object_t;


/* What must come next. */

typedef enum {
    ART_FOLD_START = 0,          /* the document */
    ART_FOLD_FIRST,              /* a member, or "}" */
    ART_FOLD_NEXT,               /* a comma, or "}" */
    ART_FOLD_MEMBER,
    ART_FOLD_END
} art_fold_state_t;


struct art_fold_s {
    art_fold_conf_t     conf;
    art_fold_set_t      set;
    art_fold_status_t   status;
    unsigned            pass;
    unsigned            replaced;

    /* what was read of the document and is still needed */

    uint8_t            *text;
    size_t              text_pos;
    size_t              text_len;
    size_t              text_room;
    uint64_t            text_at;     /* its offset in the document */
    uint64_t            sum;         /* of all bytes read in this pass */
    uint64_t            first_sum;

    /* the first pass */

    size_t              least;       /* bytes to read before the next scan */
    art_fold_state_t    state;
    unsigned            depth;
    art_fold_object_t   objects[2];
    uint32_t            files;       /* its edit, or ART_FOLD_NONE */
    unsigned            unfit;       /* "files" is neither object nor null */
    art_fold_edit_t    *edits;
    size_t              nedits;
    size_t              nadded;      /* paths that "files" lacks */
    size_t              edits_room;

    /* the second pass */

    size_t              edit;        /* the next one */
    unsigned            begun;       /* the members that "files" lacks */
    size_t              path;        /* the next of them */
    uint64_t            offset;      /* of the output */
    size_t              index_in;    /* the next index entry of the document */
    size_t              index_out;   /* index entries of the output so far */
    uint8_t            *entry;       /* to be merged */
    size_t              entry_len;
    size_t              entry_room;
};


/*
 * Checks what was read of the document up to the last whole member, and records
 * the edits; the first call reads the journal before that.  "last": nothing
 * more will be read, so the edits become final.
 * Sets fold->status if the document is corrupt, or when out of memory.
 */

void art_fold_check(art_fold_t *fold, unsigned last);


#endif /* ART_FOLD_INT_H_INCLUDED_ */
