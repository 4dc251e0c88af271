
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "core/journal/art_fold_int.h"


static void art_fold_start(art_fold_t *fold);
static void art_fold_unsound(art_fold_t *fold);
static unsigned art_fold_inside(const art_fold_t *fold);
static size_t art_fold_run(art_fold_t *fold, const uint8_t *p, size_t len);
static void art_fold_byte(art_fold_t *fold, uint8_t c);
static void art_fold_document(art_fold_t *fold, uint8_t c);
static void art_fold_close_document(art_fold_t *fold);


art_fold_t *
art_fold_create(const art_fold_conf_t *conf)
{
    art_fold_t  *fold;

    fold = calloc(1, sizeof(art_fold_t));

    if (fold == NULL) {
        return NULL;
    }

    fold->conf = *conf;

    if (art_fold_set_init(&fold->set, conf->journal) != ART_OK) {
        art_fold_destroy(fold);
        return NULL;
    }

    art_fold_start(fold);

    return fold;
}


void
art_fold_destroy(art_fold_t *fold)
{
    art_fold_set_free(&fold->set);
    free(fold->entry);
    free(fold);
}


unsigned
art_fold_replaced(const art_fold_t *fold)
{
    return fold->replaced;
}


uint64_t
art_fold_position(const art_fold_t *fold)
{
    return fold->taken;
}


static void
art_fold_start(art_fold_t *fold)
{
    size_t            i;
    art_fold_path_t  *path;

    art_json_scan_init(&fold->scan);
    memset(fold->frames, 0, sizeof(fold->frames));

    fold->started = 0;
    fold->taken = 0;
    fold->seen = 0;
    fold->sum = ART_HASH_INIT;

    for (i = 0; i < fold->set.npaths; i++) {
        path = &fold->set.paths[i];
        path->members = path->seen;
        path->seen = 0;
    }
}


art_fold_status_t
art_fold_feed(art_fold_t *fold, const uint8_t *p, size_t len)
{
    size_t  i;

    fold->sum = art_hash(fold->sum, p, len);

    for (i = 0; i < len && fold->status == ART_FOLD_OK; i++) {

        i += art_fold_run(fold, p + i, len - i);

        if (i == len) {
            break;
        }

        if (art_json_scan(&fold->scan, p[i]) != ART_OK) {
            art_fold_unsound(fold);
            break;
        }

        art_fold_byte(fold, p[i]);
    }

    fold->taken += i;

    return fold->status;
}


art_fold_status_t
art_fold_rewind(art_fold_t *fold)
{
    if (fold->started
        && (!art_json_scan_done(&fold->scan) || fold->unfit))
    {
        art_fold_unsound(fold);
    }

    fold->empty = !fold->started;
    fold->first_sum = fold->sum;
    fold->nfiles = fold->seen;

    art_fold_start(fold);

    fold->pass = 1;

    return fold->status;
}


art_fold_status_t
art_fold_finish(art_fold_t *fold)
{
    if (fold->status == ART_FOLD_OK && fold->sum != fold->first_sum) {
        fold->status = ART_FOLD_CHANGED;
    }

    if (fold->status == ART_FOLD_OK && fold->empty) {
        art_fold_write_document(fold);
    }

    art_fold_flush(fold);

    return fold->status;
}


/* What was sound in the first pass can only have changed. */

static void
art_fold_unsound(art_fold_t *fold)
{
    fold->status = fold->pass ? ART_FOLD_CHANGED : ART_FOLD_CORRUPT;
}


/* Whether "files" is open, the last one. */

static unsigned
art_fold_inside(const art_fold_t *fold)
{
    return fold->frames[0].action == ART_FOLD_ENTER && fold->frames[0].value;
}


/* Bytes inside of a value that need no look at each: most of a document. */

static size_t
art_fold_run(art_fold_t *fold, const uint8_t *p, size_t len)
{
    size_t             n;
    art_fold_frame_t  *frame;

    frame = &fold->frames[art_fold_inside(fold)];

    if (frame->action == ART_FOLD_BETWEEN || !frame->value) {
        return 0;
    }

    n = art_json_scan_run(&fold->scan, p, len);

    if (n > 0) {
        art_fold_value(fold, frame, p, n);
    }

    return n;
}


static void
art_fold_byte(art_fold_t *fold, uint8_t c)
{
    unsigned          inside;
    art_json_scan_t  *scan;

    scan = &fold->scan;
    inside = art_fold_inside(fold);

    if (scan->ended == 3 && inside) {
        art_fold_member_end(fold, 1);

    } else if (scan->ended == 2) {
        art_fold_member_end(fold, 0);
    }

    if (scan->level == 0) {
        art_fold_document(fold, c);

    } else if (inside && scan->level > 1) {
        art_fold_member(fold, 1, c);

    } else {
        art_fold_member(fold, 0, c);
    }
}


/* The brackets of the document, and the space around them. */

static void
art_fold_document(art_fold_t *fold, uint8_t c)
{
    switch (fold->scan.kind) {

    case ART_JSON_VALUE_START:
        fold->started = 1;

        if (c != '{') {
            art_fold_unsound(fold);
        }

        break;

    case ART_JSON_VALUE_END:
        art_fold_close_document(fold);
        break;

    default:
        if (fold->empty) {
            return;
        }

        break;
    }

    art_fold_put(fold, &c, 1);
}


static void
art_fold_close_document(art_fold_t *fold)
{
    art_fold_frame_t  *frame;

    frame = &fold->frames[0];

    if (fold->seen > 0) {
        art_fold_put(fold, frame->before, frame->nbefore);
        return;
    }

    art_fold_put_text(fold, frame->members ? ",\n  \"files\": "
                                           : "\n  \"files\": ");
    art_fold_write_files(fold);

    if (frame->nbefore > 0 && frame->members > 0) {
        art_fold_put(fold, frame->before, frame->nbefore);

    } else {
        art_fold_put_text(fold, "\n");
    }
}
