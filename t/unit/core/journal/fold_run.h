
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Runs a fold over a document in memory; for the tests of art_fold.
 */


#ifndef ART_FOLD_RUN_H_INCLUDED_
#define ART_FOLD_RUN_H_INCLUDED_


#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "core/journal/art_fold.h"
#include "core/journal/art_meta_index.h"
#include "journal_add.h"


#define FOLD_T0         1767225600000    /* 2026-01-01T00:00:00.000Z */
#define FOLD_WORKSPACE  "ws\"1"


typedef struct {
    uint8_t           journal[262144];
    size_t            journal_len;
    char             *out;
    size_t            out_len;
    size_t            out_room;
    size_t            nmembers;
    unsigned          replaced;
    art_meta_index_t  index;
} fold_run_t;


static inline void
fold_reset(fold_run_t *run)
{
    run->journal_len = 0;
}


static inline void
fold_free(fold_run_t *run)
{
    free(run->out);
    run->out = NULL;
    run->out_room = 0;
    art_meta_index_free(&run->index);
}


static inline void
fold_add(fold_run_t *run, art_journal_op_t op, const char *path,
    const char *mime, uint64_t time, const char *agent, const char *message)
{
    if (sizeof(run->journal) - run->journal_len >= ART_JOURNAL_RECORD_MAX) {
        journal_add(run->journal, &run->journal_len, op, path, mime, time,
                    agent, message);
    }
}


static inline int
fold_sink(void *data, const uint8_t *p, size_t len)
{
    fold_run_t  *run;

    run = data;

    if (run->out_len + len > run->out_room) {
        run->out_room = 2 * (run->out_len + len);
        run->out = realloc(run->out, run->out_room);
    }

    memcpy(run->out + run->out_len, p, len);
    run->out_len += len;

    return ART_OK;
}


static inline int
fold_member(void *data, uint64_t hash, uint64_t offset, uint64_t len)
{
    fold_run_t  *run;

    run = data;
    run->nmembers++;
    art_meta_index_add(&run->index, hash, offset, len);

    return ART_OK;
}


/* Both passes, in pieces of "piece" bytes, each of them a block of its own. */

static inline art_fold_status_t
fold_feed(art_fold_t *fold, const char *doc, size_t len, size_t piece)
{
    size_t              n;
    uint8_t            *copy;
    art_fold_status_t   status;

    status = ART_FOLD_OK;

    while (len > 0 && status == ART_FOLD_OK) {
        n = piece < len ? piece : len;
        copy = malloc(n);
        memcpy(copy, doc, n);

        status = art_fold_feed(fold, copy, n);

        free(copy);
        doc += n;
        len -= n;
    }

    return status;
}


static inline art_fold_status_t
fold_run(fold_run_t *run, const char *doc, size_t len, size_t piece)
{
    art_fold_t         *fold;
    art_fold_conf_t     conf;
    art_fold_status_t   status;

    memset(&conf, 0, sizeof(conf));
    conf.workspace = art_cstr(FOLD_WORKSPACE);
    conf.journal = art_str(run->journal, run->journal_len);
    conf.write = fold_sink;
    conf.member = fold_member;
    conf.data = run;

    run->out_len = 0;
    run->nmembers = 0;
    art_meta_index_free(&run->index);
    run->index.max = 1000000;
    run->index.over = 0;

    fold = art_fold_create(&conf);
    status = fold_feed(fold, doc, len, piece);

    if (status == ART_FOLD_OK) {
        status = art_fold_rewind(fold);
    }

    if (status == ART_FOLD_OK) {
        status = fold_feed(fold, doc, len, piece);
    }

    if (status == ART_FOLD_OK) {
        status = art_fold_finish(fold);
    }

    run->replaced = art_fold_replaced(fold);
    art_fold_destroy(fold);

    return status;
}


#endif /* ART_FOLD_RUN_H_INCLUDED_ */
