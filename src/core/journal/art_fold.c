
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/base/art_hash.h"
#include "core/journal/art_fold_int.h"


static size_t art_fold_read(art_fold_t *fold);
static void art_fold_end(art_fold_t *fold);
static unsigned art_fold_due(const art_fold_t *fold);
static void art_fold_copy(art_fold_t *fold);
static void art_fold_move_index(art_fold_t *fold, size_t n, unsigned out);
static void art_fold_collect(art_fold_t *fold, const art_fold_edit_t *edit,
    const uint8_t *p, size_t n);


art_fold_t *
art_fold_create(const art_fold_conf_t *conf)
{
    art_fold_t  *fold;

    fold = calloc(1, sizeof(art_fold_t));

    if (fold == NULL) {
        return NULL;
    }

    fold->conf = *conf;
    fold->status = ART_FOLD_AGAIN;
    fold->sum = ART_HASH_INIT;
    fold->files = ART_FOLD_NONE;

    if (art_fold_set_init(&fold->set, conf->journal, conf->seed) != ART_OK) {
        art_fold_destroy(fold);
        return NULL;
    }

    return fold;
}


void
art_fold_destroy(art_fold_t *fold)
{
    art_fold_set_free(&fold->set);
    free(fold->text);
    free(fold->edits);
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
    return fold->text_at + fold->text_pos;
}


art_fold_status_t
art_fold_step(art_fold_t *fold)
{
    size_t  n;

    if (fold->pass > 0
        && (fold->text_pos < fold->text_len || art_fold_due(fold)))
    {
        art_fold_copy(fold);
        return fold->status;
    }

    n = art_fold_read(fold);

    if (fold->pass == 0 && fold->status == ART_FOLD_AGAIN) {
        art_fold_check(fold, n == 0);
    }

    if (n == 0 && fold->status == ART_FOLD_AGAIN) {
        art_fold_end(fold);
    }

    return fold->status;
}


/* Reads a piece after what is still needed; 0 at the end or on a failure. */

static size_t
art_fold_read(art_fold_t *fold)
{
    size_t    n;
    uint8_t  *p;

    n = fold->text_len - fold->text_pos;

    if (n > ART_FOLD_MEMBER_MAX) {
        fold->status = ART_FOLD_TOO_LONG;
        return 0;
    }

    if (fold->text_pos > 0) {
        memmove(fold->text, fold->text + fold->text_pos, n);
        fold->text_at += fold->text_pos;
        fold->text_pos = 0;
        fold->text_len = n;
    }

    p = art_fold_room(fold, fold->text, &fold->text_room,
                      n + fold->conf.piece);

    if (p == NULL) {
        return 0;
    }

    fold->text = p;
    p += n;
    n = fold->conf.piece;

    if (fold->conf.read(fold->conf.data, fold->text_at + fold->text_len, p, &n)
        != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
        return 0;
    }

    fold->sum = art_hash_words(fold->sum, p, n);
    fold->text_len += n;

    return n;
}


/* Ends a pass. */

static void
art_fold_end(art_fold_t *fold)
{
    if (fold->pass > 0) {
        fold->status = fold->sum == fold->first_sum ? ART_FOLD_OK
                                                    : ART_FOLD_CHANGED;
        return;
    }

    art_fold_edit_end(fold);

    fold->pass = 1;
    fold->first_sum = fold->sum;
    fold->sum = ART_HASH_INIT;
    fold->text_at = 0;
    fold->text_pos = 0;
    fold->text_len = 0;
}


/* Whether the pass has reached the end of the next edit. */

static unsigned
art_fold_due(const art_fold_t *fold)
{
    return fold->edit < fold->nedits
           && fold->edits[fold->edit].end == art_fold_position(fold);
}


/* Copies or skips what was read, up to the next start or end of an edit. */

static void
art_fold_copy(art_fold_t *fold)
{
    size_t            n;
    uint64_t          left;
    unsigned          out;
    const uint8_t    *p;
    art_fold_edit_t  *edit;

    edit = fold->edit < fold->nedits ? &fold->edits[fold->edit] : NULL;

    if (art_fold_due(fold)) {
        fold->edit += art_fold_write_edit(fold, edit);
        return;
    }

    p = fold->text + fold->text_pos;
    n = fold->text_len - fold->text_pos;
    out = 0;

    if (edit != NULL) {
        out = art_fold_position(fold) >= edit->start;
        left = (out ? edit->end : edit->start) - art_fold_position(fold);
        n = n < left ? n : (size_t) left;
    }

    art_fold_move_index(fold, n, out);

    if (!out) {
        art_fold_put(fold, p, n);

    } else if (edit->kind == ART_FOLD_FILE) {
        art_fold_collect(fold, edit, p, n);
    }

    fold->text_pos += n;
}


/* Moves or, with "out", drops the index entries of the next "n" bytes. */

static void
art_fold_move_index(art_fold_t *fold, size_t n, unsigned out)
{
    uint64_t                 pos;
    art_meta_index_t        *index;
    art_meta_index_entry_t  *entry;

    index = fold->conf.index;

    if (index == NULL || index->over) {
        return;
    }

    pos = art_fold_position(fold);

    for ( /* void */ ; fold->index_in < index->count; fold->index_in++) {
        entry = &index->entries[fold->index_in];

        if (entry->offset >= pos + n) {
            break;
        }

        if (!out) {
            index->entries[fold->index_out] = *entry;
            index->entries[fold->index_out++].offset += fold->offset - pos;
        }
    }
}


/* Collects an entry to be merged, unless it is too long. */

static void
art_fold_collect(art_fold_t *fold, const art_fold_edit_t *edit,
    const uint8_t *p, size_t n)
{
    size_t     skip;
    uint8_t   *entry;
    uint64_t   pos;

    pos = art_fold_position(fold);
    skip = pos < edit->value ? (size_t) (edit->value - pos) : 0;

    if (skip >= n || edit->end - edit->value > ART_FOLD_ENTRY_MAX) {
        return;
    }

    n -= skip;

    entry = art_fold_room(fold, fold->entry, &fold->entry_room,
                          fold->entry_len + n);
    if (entry == NULL) {
        return;
    }

    memcpy(entry + fold->entry_len, p + skip, n);

    fold->entry = entry;
    fold->entry_len += n;
}
