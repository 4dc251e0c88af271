
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the files of art_fold share; not for anybody else.
 */


#ifndef ART_FOLD_INT_H_INCLUDED_
#define ART_FOLD_INT_H_INCLUDED_


#include "core/journal/art_journal_merge.h"
#include "core/journal/art_fold.h"
#include "core/json/art_json_scan.h"


#define ART_FOLD_NONE     UINT32_MAX
#define ART_FOLD_GAP      32     /* bytes of white space kept */
#define ART_FOLD_PIECE    4096   /* bytes of output */

/* The longest text that a path can have as a key: all of it as \u00xx. */

#define ART_FOLD_KEY_MAX  (6 * ART_ID_PATH_MAX + 2)


/* The records of the journal, by path, in a hash table. */

typedef struct {
    size_t    pos;               /* in the journal */
    uint32_t  next;              /* of the same path, or ART_FOLD_NONE */
} art_fold_record_t;


typedef struct {
    art_str_t  path;
    uint64_t   hash;
    uint32_t   first;
    uint32_t   last;
    uint32_t   count;            /* of records */
    unsigned   deleted;          /* by the last of them */
    uint64_t   members;          /* in the first pass */
    uint64_t   seen;             /* in the current pass */
} art_fold_path_t;


typedef struct {
    art_str_t           journal;
    uint64_t            time;    /* of the first record */
    art_fold_record_t  *records;
    art_fold_path_t    *paths;
    uint32_t           *slots;
    size_t              nrecords;
    size_t              npaths;
    size_t              mask;
} art_fold_set_t;


/* ART_ERROR when out of memory; art_fold_set_free() in any case. */

int art_fold_set_init(art_fold_set_t *set, art_str_t journal);
void art_fold_set_free(art_fold_set_t *set);
art_fold_path_t *art_fold_set_find(const art_fold_set_t *set, uint64_t hash,
    art_str_t path);


/* As art_entry_merge(), with all records of the path. */

int art_fold_set_merge(const art_fold_set_t *set, const art_fold_path_t *path,
    json_t *entry, json_t **merged);


/* A key as it is read: its text, and what it means. */

typedef struct {
    size_t    raw_len;
    size_t    len;
    uint64_t  hash;
    unsigned  strange;           /* no path: too long, or no characters */
    unsigned  escape;            /* 1: behind "\", 2 to 5: hex digits */
    unsigned  code;
    unsigned  high;              /* first half of a surrogate pair */
    uint8_t   raw[ART_FOLD_KEY_MAX];
    uint8_t   text[ART_ID_PATH_MAX];
} art_fold_key_t;


/*
 * art_fold_key_add() takes a byte of the inside of a key, which is sound;
 * "hash" is final after art_fold_key_end().
 */

void art_fold_key_start(art_fold_key_t *key);
void art_fold_key_add(art_fold_key_t *key, uint8_t c);
void art_fold_key_end(art_fold_key_t *key);


/* What becomes of the member that is being read. */

typedef enum {
    ART_FOLD_BETWEEN = 0,        /* there is none */
    ART_FOLD_PASS,
    ART_FOLD_DROP,
    ART_FOLD_MERGE,
    ART_FOLD_ENTER,              /* it is "files" */
    ART_FOLD_RENEW               /* it is "files", and null */
} art_fold_action_t;


/* An object whose members are looked at: the document, or "files". */

typedef struct {
    art_fold_action_t  action;
    unsigned           value;    /* the member's value has begun */
    unsigned           members;  /* in the input */
    unsigned           written;  /* in the output */
    unsigned           comma;
    size_t             nbefore;  /* of white space around the comma */
    size_t             nafter;
    uint8_t            before[ART_FOLD_GAP];
    uint8_t            after[ART_FOLD_GAP];
} art_fold_frame_t;


struct art_fold_s {
    art_fold_conf_t    conf;
    art_fold_set_t     set;
    art_json_scan_t    scan;
    art_fold_status_t  status;
    unsigned           pass;
    unsigned           started;  /* the document is more than white space */
    unsigned           empty;    /* it was not, in the first pass */
    unsigned           unfit;    /* "files" is no object */
    unsigned           replaced;
    unsigned           flushed;  /* the key: it goes to the output directly */
    uint64_t           taken;
    uint64_t           sum;      /* of what was taken */
    uint64_t           first_sum;
    uint64_t           nfiles;   /* members called "files" */
    uint64_t           seen;

    art_fold_frame_t   frames[2];
    art_fold_key_t     key;
    art_fold_path_t   *path;     /* that is being merged */
    uint8_t           *entry;
    size_t             entry_len;
    size_t             entry_room;
    unsigned           entry_over;

    uint64_t           offset;   /* of the output */
    uint64_t           member;   /* where the member starts */
    size_t             out_len;
    uint8_t            out[ART_FOLD_PIECE];
};


/*
 * A byte of a member of frame "n", or of what lies between its members; bytes
 * of a value that has begun; the end of a member.
 */

void art_fold_member(art_fold_t *fold, unsigned n, uint8_t c);
void art_fold_value(art_fold_t *fold, const art_fold_frame_t *frame,
    const uint8_t *p, size_t len);
void art_fold_member_end(art_fold_t *fold, unsigned n);


/* Writing, which does nothing in the first pass and after a failure. */

void art_fold_put(art_fold_t *fold, const void *data, size_t len);
void art_fold_put_text(art_fold_t *fold, const char *text);
void art_fold_flush(art_fold_t *fold);

/* Tells of a member that starts at fold->member and is all written. */

void art_fold_told(art_fold_t *fold, uint64_t hash);

/*
 * What follows the key of a member that is merged; the members that "files"
 * lacks; a whole "files"; a whole document.
 */

void art_fold_write_merged(art_fold_t *fold);
void art_fold_write_new(art_fold_t *fold);
void art_fold_write_files(art_fold_t *fold);
void art_fold_write_document(art_fold_t *fold);


#endif /* ART_FOLD_INT_H_INCLUDED_ */
