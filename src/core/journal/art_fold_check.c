
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The first pass: checks the document and finds the members that will change.
 */


#include "core/journal/art_fold_int.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"


static int art_fold_token(art_fold_t *fold, const uint8_t **p,
    const uint8_t *end);
static void art_fold_open(art_fold_t *fold, uint64_t pos);
static void art_fold_comma(art_fold_t *fold, uint64_t pos);
static void art_fold_close(art_fold_t *fold, uint64_t pos);
static int art_fold_scan(art_fold_t *fold, const uint8_t **p,
    const uint8_t *end, art_fold_member_t *member);
static int art_fold_colon(const uint8_t **p, const uint8_t *end);
static void art_fold_member(art_fold_t *fold, const art_fold_member_t *member);
static void art_fold_files(art_fold_t *fold, const art_fold_member_t *member);
static void art_fold_file(art_fold_t *fold, const art_fold_member_t *member);
static uint64_t art_fold_offset(const art_fold_t *fold, const uint8_t *p);


void
art_fold_check(art_fold_t *fold, unsigned last)
{
    int             rc;
    const uint8_t  *p, *end;

    p = fold->text + fold->text_pos;
    end = fold->text + fold->text_len;

    /* do not scan a long member again after each piece of it */

    if (!last && (size_t) (end - p) < fold->least) {
        return;
    }

    do {
        p = art_json_space(p, end);
        rc = p < end ? art_fold_token(fold, &p, end) : ART_JSON_MORE;

    } while (rc == ART_OK && fold->status == ART_FOLD_AGAIN);

    fold->text_pos = (size_t) (p - fold->text);
    fold->least = 2 * (size_t) (end - p);

    if (rc == ART_JSON_MORE && last
        && (p < end || fold->unfit
            || (fold->state != ART_FOLD_START && fold->state != ART_FOLD_END)))
    {
        fold->text_pos = fold->text_len;
        rc = ART_ERROR;
    }

    if (rc == ART_ERROR) {
        fold->status = ART_FOLD_CORRUPT;
    }
}


/* Takes a bracket, a comma or a member of the document or of "files". */

static int
art_fold_token(art_fold_t *fold, const uint8_t **p, const uint8_t *end)
{
    int                 rc;
    uint8_t             c;
    uint64_t            pos;
    art_fold_state_t    state;
    art_fold_member_t   member;

    c = **p;
    pos = art_fold_offset(fold, *p);
    state = fold->state;

    if (c == '"' && (state == ART_FOLD_FIRST || state == ART_FOLD_MEMBER)) {
        rc = art_fold_scan(fold, p, end, &member);

        if (rc == ART_OK) {
            art_fold_member(fold, &member);
        }

        return rc;
    }

    if (c == '}' && (state == ART_FOLD_FIRST || state == ART_FOLD_NEXT)) {
        art_fold_close(fold, pos);

    } else if (c == ',' && state == ART_FOLD_NEXT) {
        art_fold_comma(fold, pos);

    } else if (c == '{' && state == ART_FOLD_START) {
        art_fold_open(fold, pos + 1);

    } else {
        return ART_ERROR;
    }

    (*p)++;

    return ART_OK;
}


/* Begins the document or "files"; "pos" is after its "{". */

static void
art_fold_open(art_fold_t *fold, uint64_t pos)
{
    art_fold_object_t  *object;

    object = &fold->objects[fold->depth++];

    object->members = 0;
    object->end = pos;
    object->comma = pos;
    object->edit = ART_FOLD_NONE;

    fold->state = ART_FOLD_FIRST;
}


static void
art_fold_comma(art_fold_t *fold, uint64_t pos)
{
    art_fold_object_t  *object;

    object = &fold->objects[fold->depth - 1];

    art_fold_edit_gap(fold, object->end, pos);

    object->comma = pos + 1;

    if (object->edit != ART_FOLD_NONE) {
        fold->edits[object->edit].next = pos + 1;
    }

    fold->state = ART_FOLD_MEMBER;
}


static void
art_fold_close(art_fold_t *fold, uint64_t pos)
{
    uint64_t  end;

    end = fold->objects[fold->depth - 1].end;

    if (fold->depth == 2) {
        (void) art_fold_edit(fold, ART_FOLD_FILES_END, end, pos);

        fold->objects[0].end = pos + 1;
        fold->edits[fold->files].end = pos + 1;
        fold->state = ART_FOLD_NEXT;

    } else {
        if (fold->files == ART_FOLD_NONE) {
            (void) art_fold_edit(fold, ART_FOLD_FILES_NONE, end, pos);
        }

        fold->state = ART_FOLD_END;
    }

    art_fold_edit_gap(fold, end, pos);

    fold->depth--;
}


/* Scans a whole member; a "files" that is an object, only up to its "{". */

static int
art_fold_scan(art_fold_t *fold, const uint8_t **p, const uint8_t *end,
    art_fold_member_t *member)
{
    int             rc;
    const uint8_t  *q;

    q = *p;
    rc = art_json_scan(&q, end, fold->depth);

    if (rc == ART_OK) {
        member->start = art_fold_offset(fold, *p);
        member->key_end = art_fold_offset(fold, q);

        if (art_json_key(art_str(*p + 1, (size_t) (q - *p) - 2), member->buf,
                         sizeof(member->buf), &member->key)
            != ART_OK)
        {
            member->key = art_str(NULL, 0);
        }

        rc = art_fold_colon(&q, end);
    }

    if (rc == ART_OK) {
        member->value = art_fold_offset(fold, q);
        member->first = *q;
        member->files = fold->depth == 1
                        && art_str_eq(member->key, art_cstr("files"));

        if (member->files && *q == '{') {
            q++;

        } else {
            rc = art_json_scan(&q, end, fold->depth);
        }

        member->end = art_fold_offset(fold, q);
    }

    /* a value at the end of the text may go on, and more must follow anyway */

    if (rc == ART_OK && q == end) {
        rc = ART_JSON_MORE;
    }

    if (rc != ART_JSON_MORE) {
        *p = q;
    }

    return rc;
}


/* Skips from the end of a key to its value. */

static int
art_fold_colon(const uint8_t **p, const uint8_t *end)
{
    *p = art_json_space(*p, end);

    if (*p < end && **p != ':') {
        return ART_ERROR;
    }

    if (*p < end) {
        *p = art_json_space(*p + 1, end);
    }

    return *p < end ? ART_OK : ART_JSON_MORE;
}


static void
art_fold_member(art_fold_t *fold, const art_fold_member_t *member)
{
    art_fold_object_t  *object;

    object = &fold->objects[fold->depth - 1];

    art_fold_edit_gap(fold, object->members ? object->comma : object->end,
                      member->start);

    object->edit = ART_FOLD_NONE;
    fold->state = ART_FOLD_NEXT;

    if (member->files) {
        art_fold_files(fold, member);

    } else if (fold->depth == 2) {
        art_fold_file(fold, member);
    }

    object->members++;
    object->end = member->end;

    if (member->files && member->first == '{') {
        art_fold_open(fold, member->end);
    }
}


/* If there are several "files", only the last one and its members count. */

static void
art_fold_files(art_fold_t *fold, const art_fold_member_t *member)
{
    fold->files = art_fold_edit_member(fold, member->first == '{'
                                             ? ART_FOLD_FILES
                                             : ART_FOLD_FILES_NULL, member);
    fold->unfit = member->first != '{' && member->first != 'n';

    if (fold->conf.index != NULL) {
        fold->conf.index->count = 0;
    }
}


static void
art_fold_file(art_fold_t *fold, const art_fold_member_t *member)
{
    uint32_t           n;
    art_fold_path_t   *path;
    art_meta_index_t  *index;

    index = fold->conf.index;

    if (index != NULL) {
        art_meta_index_add(index, art_meta_index_hash(index->seed, member->key),
                           member->start, member->end - member->start);
    }

    path = member->key.data != NULL
           ? art_fold_set_find(&fold->set, member->key) : NULL;

    if (path == NULL) {
        return;
    }

    n = art_fold_edit_member(fold, ART_FOLD_FILE, member);

    if (n != ART_FOLD_NONE) {
        fold->edits[n].path = (uint32_t) (path - fold->set.paths);
        path->edit = n;
    }
}


/* The offset in the document of a byte that was read. */

static uint64_t
art_fold_offset(const art_fold_t *fold, const uint8_t *p)
{
    return fold->text_at + (uint64_t) (p - fold->text);
}
