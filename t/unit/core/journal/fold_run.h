
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
#define FOLD_ENTRIES    100000


typedef struct {
    uint8_t                  journal[262144];
    size_t                   journal_len;
    const char              *doc;
    size_t                   doc_len;
    char                    *out;
    size_t                   out_len;
    size_t                   out_room;
    art_meta_index_t         index;
    art_meta_index_entry_t  *entries;
    unsigned                 replaced;
    uint64_t                 position;
    size_t                   steps;
    size_t                   step_read;
    size_t                   largest;   /* bytes that a step read or wrote */
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
    free(run->entries);
    run->entries = NULL;
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
fold_read(void *data, uint64_t offset, uint8_t *buf, size_t *len)
{
    size_t       n;
    fold_run_t  *run;

    run = data;

    n = offset < run->doc_len ? run->doc_len - (size_t) offset : 0;
    n = n < *len ? n : *len;

    if (n > 0) {
        memcpy(buf, run->doc + offset, n);
    }

    *len = n;
    run->step_read += n;

    return ART_OK;
}


/* What a fold is run with. */

typedef struct {
    art_fold_read_pt  read;
    art_sink_pt       write;
    size_t            max;       /* entries of the index, of FOLD_ENTRIES */
} fold_as_t;


static const fold_as_t  fold_as = { fold_read, fold_sink, FOLD_ENTRIES };


static inline art_fold_status_t
fold_run_as(fold_run_t *run, const char *doc, size_t len, size_t piece,
    const fold_as_t *as)
{
    size_t              out_len;
    art_fold_t         *fold;
    art_fold_conf_t     conf;
    art_fold_report_t   report;
    art_fold_status_t   status;

    memset(&conf, 0, sizeof(conf));
    conf.workspace = art_cstr(FOLD_WORKSPACE);
    conf.journal = art_str(run->journal, run->journal_len);
    conf.piece = piece;
    conf.read = as->read;
    conf.write = as->write;
    conf.index = &run->index;
    conf.data = run;

    run->doc = doc;
    run->doc_len = len;
    run->out_len = 0;
    run->steps = 0;
    run->largest = 0;

    if (run->entries == NULL) {
        run->entries = malloc(FOLD_ENTRIES * sizeof(art_meta_index_entry_t));
    }

    memset(&run->index, 0, sizeof(run->index));
    run->index.entries = run->entries;
    run->index.max = as->max;

    fold = art_fold_create(&conf);

    do {
        out_len = run->out_len;
        run->step_read = 0;

        status = art_fold_step(fold, &report);
        run->steps++;

        if (run->out_len - out_len > run->largest) {
            run->largest = run->out_len - out_len;
        }

        if (run->step_read > run->largest) {
            run->largest = run->step_read;
        }

    } while (status == ART_FOLD_AGAIN);

    run->replaced = report.replaced;
    run->position = report.position;
    art_fold_destroy(fold);

    return status;
}


static inline art_fold_status_t
fold_run(fold_run_t *run, const char *doc, size_t len, size_t piece)
{
    return fold_run_as(run, doc, len, piece, &fold_as);
}


#endif /* ART_FOLD_RUN_H_INCLUDED_ */
