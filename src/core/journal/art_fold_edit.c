
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The edits that make the output of the document.
 */


#include <stdlib.h>

#include "core/base/art_array.h"
#include "core/journal/art_fold_int.h"


#define ART_FOLD_GAP  32         /* bytes of white space that are kept */


static unsigned art_fold_gone(const art_fold_t *fold, uint32_t n);
static void art_fold_leave_out(art_fold_edit_t *edit, uint64_t pos);
static void art_fold_settle(const art_fold_t *fold, art_fold_edit_t *edit);
static unsigned art_fold_lacks(const art_fold_t *fold);


uint32_t
art_fold_edit_member(art_fold_t *fold, art_fold_kind_t kind,
    const art_fold_member_t *member)
{
    art_fold_edit_t    *edit;
    art_fold_object_t  *object;

    object = &fold->objects[fold->depth - 1];
    edit = art_fold_edit(fold, kind, object->end, member->end);

    if (edit == NULL) {
        return ART_FOLD_NONE;
    }

    edit->key_end = member->key_end;
    edit->value = member->value;

    object->edit = (uint32_t) (edit - fold->edits);

    return object->edit;
}


art_fold_edit_t *
art_fold_edit(art_fold_t *fold, art_fold_kind_t kind, uint64_t start,
    uint64_t end)
{
    art_fold_edit_t  *edits;

    edits = art_array_grow(fold->edits, fold->nedits, &fold->edits_room,
                           sizeof(art_fold_edit_t));

    if (edits == NULL || fold->nedits == ART_FOLD_NONE) {
        fold->status = ART_FOLD_FAILED;
        return NULL;
    }

    fold->edits = edits;
    edits += fold->nedits++;

    memset(edits, 0, sizeof(art_fold_edit_t));

    edits->kind = kind;
    edits->start = start;
    edits->end = end;

    if (fold->depth > 0) {
        edits->members = fold->objects[fold->depth - 1].members;
    }

    return edits;
}


void
art_fold_edit_gap(art_fold_t *fold, uint64_t start, uint64_t end)
{
    if (end - start > ART_FOLD_GAP) {
        (void) art_fold_edit(fold, ART_FOLD_CUT, start + ART_FOLD_GAP, end);
    }
}


/*
 * Reduces each edit to the bytes that are left out.  Edits of white space come
 * before the member that the white space belongs to, and are dropped with it.
 */

void
art_fold_edit_end(art_fold_t *fold)
{
    uint32_t          i, n;
    uint64_t          pos, gone[2];
    unsigned          depth;
    art_fold_edit_t  *edit;

    if (fold->state == ART_FOLD_START) {
        (void) art_fold_edit(fold, ART_FOLD_DOCUMENT, 0,
                             fold->text_at + fold->text_len);
    }

    n = 0;
    memset(gone, 0, sizeof(gone));

    for (i = 0; i < fold->nedits; i++) {
        edit = &fold->edits[i];
        pos = n > 0 ? fold->edits[n - 1].end : 0;

        if ((edit->start < pos && edit->end <= pos)
            || (edit->kind == ART_FOLD_FILES && fold->files == i))
        {
            continue;
        }

        depth = edit->kind == ART_FOLD_FILE
                || edit->kind == ART_FOLD_FILES_END;

        edit->kept = edit->members - gone[depth];

        if (art_fold_gone(fold, i)) {
            gone[depth]++;

            while (n > 0 && fold->edits[n - 1].start >= edit->start) {
                n--;
            }

            art_fold_leave_out(edit, n > 0 ? fold->edits[n - 1].end : 0);

        } else {
            art_fold_settle(fold, edit);
        }

        fold->edits[n++] = *edit;
    }

    fold->nedits = n;
}


/* Whether a member is removed: deleted, or followed by one of the same key. */

static unsigned
art_fold_gone(const art_fold_t *fold, uint32_t n)
{
    const art_fold_edit_t  *edit;
    const art_fold_path_t  *path;

    edit = &fold->edits[n];

    switch (edit->kind) {

    case ART_FOLD_FILE:
        path = &fold->set.paths[edit->path];
        return path->deleted || path->edit != n;

    case ART_FOLD_FILES:
    case ART_FOLD_FILES_NULL:
        return fold->files != n;

    default:
        return 0;
    }
}


/* Removes a member, with the comma after it if no member is kept before it. */

static void
art_fold_leave_out(art_fold_edit_t *edit, uint64_t pos)
{
    edit->kind = ART_FOLD_CUT;

    if (edit->kept == 0 && edit->next > 0) {
        edit->end = edit->next;
    }

    if (edit->start < pos) {
        edit->start = pos;
    }
}


/*
 * Reduces the edit of a member or object that is kept to the bytes that are
 * replaced: with "line", also the white space before the "}".
 */

static void
art_fold_settle(const art_fold_t *fold, art_fold_edit_t *edit)
{
    switch (edit->kind) {

    case ART_FOLD_FILE:
        edit->start = edit->key_end;
        break;

    case ART_FOLD_FILES_NULL:
        edit->start = edit->value;
        break;

    case ART_FOLD_FILES_END:
        edit->line = edit->members == 0 && art_fold_lacks(fold);
        edit->end = edit->line ? edit->end : edit->start;
        break;

    case ART_FOLD_FILES_NONE:
        edit->line = edit->members == 0 || edit->start == edit->end;
        edit->end = edit->line ? edit->end : edit->start;
        break;

    default:
        break;
    }
}


/* A member of an earlier "files" has an edit, but before that of "files". */

unsigned
art_fold_is_new(const art_fold_t *fold, const art_fold_path_t *path)
{
    return !path->deleted
           && (path->edit == ART_FOLD_NONE || path->edit < fold->files);
}


/* Whether there are members to add. */

static unsigned
art_fold_lacks(const art_fold_t *fold)
{
    size_t  i;

    for (i = 0; i < fold->set.npaths; i++) {
        if (art_fold_is_new(fold, &fold->set.paths[i])) {
            return 1;
        }
    }

    return 0;
}


void *
art_fold_room(art_fold_t *fold, void *buf, size_t *room, size_t size)
{
    size_t  n;

    if (size <= *room) {
        return buf;
    }

    n = 2 * *room > size ? 2 * *room : size;
    buf = realloc(buf, n);

    if (buf == NULL) {
        fold->status = ART_FOLD_FAILED;
        return NULL;
    }

    *room = n;

    return buf;
}
