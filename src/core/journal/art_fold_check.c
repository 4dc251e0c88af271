
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The first pass of a fold: checks the document, and records the edits that
 * turn it into the output.
 */


#include "core/base/art_array.h"
#include "core/json/art_json_members.h"
#include "core/json/art_json_scan.h"
#include "core/ref/art_id.h"
#include "core/journal/art_fold_int.h"
#include "core/journal/art_journal.h"


#define ART_FOLD_GAP  32         /* bytes of white space kept */


/* A member as it is found; offsets are in the document. */

typedef struct {
    art_str_t  key;              /* decoded; data NULL if it cannot be a path */
    uint64_t   start;            /* of the key's first quote */
    uint64_t   key_end;          /* after its last quote */
    uint64_t   value;
    uint64_t   end;
    uint8_t    first;            /* the first byte of the value */
    unsigned   files;            /* the member is "files" */
    uint8_t    buf[ART_ID_PATH_MAX];
} art_fold_member_t;


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
static int art_fold_set_init(art_fold_set_t *set,
    const art_fold_conf_t *conf);
static void art_fold_set_add(art_fold_set_t *set,
    const art_journal_record_t *record, size_t pos);
static uint32_t *art_fold_set_item(const art_fold_set_t *set, art_str_t path,
    art_table_key_t *key);
static uint32_t art_fold_edit_member(art_fold_t *fold, art_fold_kind_t kind,
    const art_fold_member_t *member);
static art_fold_edit_t *art_fold_edit(art_fold_t *fold, art_fold_kind_t kind,
    uint64_t start, uint64_t end);
static void art_fold_edit_gap(art_fold_t *fold, uint64_t start, uint64_t end);
static void art_fold_edit_end(art_fold_t *fold);
static void art_fold_edit_added(art_fold_t *fold);
static unsigned art_fold_is_removed(const art_fold_t *fold, uint32_t n);
static void art_fold_remove(art_fold_edit_t *edit, uint64_t pos);
static void art_fold_trim(const art_fold_t *fold, art_fold_edit_t *edit);


void
art_fold_check(art_fold_t *fold, unsigned last)
{
    int             rc;
    const uint8_t  *p, *end;

    if (fold->set.records == NULL
        && art_fold_set_init(&fold->set, &fold->conf) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
        return;
    }

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

    if (last && fold->status == ART_FOLD_AGAIN) {
        art_fold_edit_end(fold);
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

    /*
     * a value at the end of the text may continue, and more must follow anyway
     */

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
    uint32_t           n, *item;
    art_table_key_t    key;
    art_meta_index_t  *index;

    index = fold->conf.index;

    if (index != NULL) {
        art_meta_index_add(index, art_meta_index_hash(index->seed, member->key),
                           member->start, member->end - member->start);
    }

    item = member->key.data != NULL
           ? art_fold_set_item(&fold->set, member->key, &key) : NULL;

    if (item == NULL) {
        return;
    }

    n = art_fold_edit_member(fold, ART_FOLD_FILE, member);

    if (n != ART_FOLD_NONE) {
        fold->edits[n].path = *item;
        fold->set.paths[*item].edit = n;
    }
}


/* The offset in the document of a byte that was read. */

static uint64_t
art_fold_offset(const art_fold_t *fold, const uint8_t *p)
{
    return fold->text_at + (uint64_t) (p - fold->text);
}


/* ART_ERROR when out of memory. */

static int
art_fold_set_init(art_fold_set_t *set, const art_fold_conf_t *conf)
{
    size_t                n, pos, start;
    art_journal_record_t  record;

    set->journal = conf->journal;
    set->table.seed[0] = conf->seed[0];
    set->table.seed[1] = conf->seed[1];

    n = set->journal.len / ART_JOURNAL_HEAD + 1;

    set->records = malloc(n * sizeof(art_fold_record_t));
    set->paths = malloc(n * sizeof(art_fold_path_t));

    if (set->records == NULL || set->paths == NULL
        || art_table_room(&set->table, n) != ART_OK)
    {
        return ART_ERROR;
    }

    pos = 0;

    for (start = 0;
         art_journal_next(set->journal, &pos, &record);
         start = pos)
    {
        if (record.op == ART_JOURNAL_CLOCK) {
            continue;
        }

        if (set->nrecords == 0) {
            set->time = record.time;
        }

        art_fold_set_add(set, &record, start);
    }

    return ART_OK;
}


static void
art_fold_set_add(art_fold_set_t *set, const art_journal_record_t *record,
    size_t pos)
{
    uint32_t         *item, i;
    art_fold_path_t  *path;
    art_table_key_t   key;

    i = (uint32_t) set->nrecords++;
    set->records[i].pos = pos;
    set->records[i].next = ART_FOLD_NONE;

    item = art_fold_set_item(set, record->path, &key);

    if (item == NULL) {
        (void) art_table_add(&set->table, &key, (uint32_t) set->npaths);

        path = &set->paths[set->npaths++];
        memset(path, 0, sizeof(art_fold_path_t));

        path->path = record->path;
        path->first = i;

    } else {
        path = &set->paths[*item];
        set->records[path->last].next = i;
    }

    path->last = i;
    path->count++;
    path->deleted = (record->op == ART_JOURNAL_DELETE);
    path->edit = ART_FOLD_NONE;
}


/* The index of a path, or NULL; "key" is then the one to add it with. */

static uint32_t *
art_fold_set_item(const art_fold_set_t *set, art_str_t path,
    art_table_key_t *key)
{
    uint32_t  *item;

    art_table_key(&set->table, key, path.data, path.len);

    do {
        item = art_table_next(&set->table, key);
    } while (item != NULL && !art_str_eq(set->paths[*item].path, path));

    return item;
}


/*
 * Records the edit of a member of the innermost open object, with the bytes
 * before it, and returns its index.  When out of memory it returns
 * ART_FOLD_NONE, and fold->status is set.
 */

static uint32_t
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


/* Records an edit; NULL when out of memory, and fold->status is set. */

static art_fold_edit_t *
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


/* Records long white space beside a comma or a bracket. */

static void
art_fold_edit_gap(art_fold_t *fold, uint64_t start, uint64_t end)
{
    if (end - start > ART_FOLD_GAP) {
        (void) art_fold_edit(fold, ART_FOLD_CUT, start + ART_FOLD_GAP, end);
    }
}


/*
 * Makes the edits final: sorted, disjoint, and reduced to the bytes that are
 * omitted.  Edits of white space come before the member that the white space
 * belongs to, and are dropped with it.
 */

static void
art_fold_edit_end(art_fold_t *fold)
{
    uint32_t          i, n;
    uint64_t          pos, removed[2];
    unsigned          depth;
    art_fold_edit_t  *edit;

    if (fold->state == ART_FOLD_START) {
        (void) art_fold_edit(fold, ART_FOLD_DOCUMENT, 0,
                             fold->text_at + fold->text_len);
    }

    art_fold_edit_added(fold);

    n = 0;
    memset(removed, 0, sizeof(removed));

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

        edit->kept = edit->members - removed[depth];

        if (art_fold_is_removed(fold, i)) {
            removed[depth]++;

            while (n > 0 && fold->edits[n - 1].start >= edit->start) {
                n--;
            }

            art_fold_remove(edit, n > 0 ? fold->edits[n - 1].end : 0);

        } else {
            art_fold_trim(fold, edit);
        }

        fold->edits[n++] = *edit;
    }

    fold->nedits = n;
}


/*
 * Finds the paths to add.  A member of an earlier "files" has an edit, but
 * before that of "files".
 */

static void
art_fold_edit_added(art_fold_t *fold)
{
    size_t            i;
    art_fold_path_t  *path;

    for (i = 0; i < fold->set.npaths; i++) {
        path = &fold->set.paths[i];

        path->added = !path->deleted
                      && (path->edit == ART_FOLD_NONE
                          || path->edit < fold->files);
        fold->nadded += path->added;
    }
}


/* Whether a member is removed: deleted, or followed by one of the same key. */

static unsigned
art_fold_is_removed(const art_fold_t *fold, uint32_t n)
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
art_fold_remove(art_fold_edit_t *edit, uint64_t pos)
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
art_fold_trim(const art_fold_t *fold, art_fold_edit_t *edit)
{
    switch (edit->kind) {

    case ART_FOLD_FILE:
        edit->start = edit->key_end;
        break;

    case ART_FOLD_FILES_NULL:
        edit->start = edit->value;
        break;

    case ART_FOLD_FILES_END:
        edit->line = edit->members == 0 && fold->nadded > 0;
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
