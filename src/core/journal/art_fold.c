
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Folding: reads the document twice, and writes the output in the second pass.
 */


#include "core/base/art_hash.h"
#include "core/base/art_time.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_members.h"
#include "core/meta/art_meta_int.h"
#include "core/journal/art_fold_int.h"
#include "core/journal/art_history.h"
#include "core/journal/art_journal.h"


#define ART_FOLD_INDENT  "    "

/* The depth of an entry's members in the document. */

#define ART_FOLD_DEPTH   3


static uint64_t art_fold_position(const art_fold_t *fold);
static size_t art_fold_read(art_fold_t *fold);
static void art_fold_end(art_fold_t *fold);
static unsigned art_fold_due(const art_fold_t *fold);
static void art_fold_copy(art_fold_t *fold);
static void art_fold_move_index(art_fold_t *fold, size_t n, unsigned out);
static void art_fold_collect(art_fold_t *fold, const art_fold_edit_t *edit,
    const uint8_t *p, size_t n);
static void *art_fold_room(art_fold_t *fold, void *buf, size_t *room,
    size_t size);
static unsigned art_fold_write_edit(art_fold_t *fold, art_fold_edit_t *edit);
static void art_fold_write_merged(art_fold_t *fold,
    const art_fold_path_t *path);
static void art_fold_write_open(art_fold_t *fold, art_fold_edit_t *edit);
static void art_fold_write_new(art_fold_t *fold, art_fold_edit_t *edit,
    const art_fold_path_t *path);
static void art_fold_write_close(art_fold_t *fold,
    const art_fold_edit_t *edit);
static void art_fold_write_entry(art_fold_t *fold,
    const art_fold_path_t *path, json_t *entry, art_str_t text);
static art_journal_record_t *art_fold_records(const art_fold_set_t *set,
    const art_fold_path_t *path, size_t *n);
static int art_fold_merge(json_t *entry, art_history_t *history,
    json_t **merged);
static int art_fold_merge_put(json_t *entry,
    const art_journal_record_t *first, const art_journal_record_t *last);
static int art_fold_merge_set(json_t *object, const char *key,
    art_str_t value);
static int art_fold_put_entry(art_fold_t *fold, json_t *entry,
    art_history_t *history);
static int art_fold_put_history(art_fold_t *fold, art_str_t rest,
    art_history_t *history, unsigned indent);
static uint8_t *art_fold_print(json_t *node, size_t flags, size_t *len);
static void art_fold_put(art_fold_t *fold, const void *data, size_t len);
static void art_fold_put_string(art_fold_t *fold, art_str_t s);
static void art_fold_put_text(art_fold_t *fold, const char *text);


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

    return fold;
}


void
art_fold_destroy(art_fold_t *fold)
{
    free(fold->set.records);
    free(fold->set.paths);
    art_table_free(&fold->set.table);
    free(fold->text);
    free(fold->edits);
    free(fold->entry);
    free(fold);
}


unsigned
art_fold_delay(uint64_t size)
{
    return size < ART_FOLD_SOON ? ART_FOLD_DELAY : 0;
}


unsigned
art_fold_pause(uint64_t size, uint64_t spent)
{
    if (size < ART_FOLD_SMALL) {
        return 0;
    }

    return spent < ART_FOLD_PAUSE / ART_FOLD_SHARE
           ? ART_FOLD_SHARE * (unsigned) spent : ART_FOLD_PAUSE;
}


art_fold_status_t
art_fold_step(art_fold_t *fold, art_fold_report_t *report)
{
    size_t  n;

    if (fold->pass > 0
        && (fold->text_pos < fold->text_len || art_fold_due(fold)))
    {
        art_fold_copy(fold);

    } else {
        n = art_fold_read(fold);

        if (fold->pass == 0 && fold->status == ART_FOLD_AGAIN) {
            art_fold_check(fold, n == 0);
        }

        if (n == 0 && fold->status == ART_FOLD_AGAIN) {
            art_fold_end(fold);
        }
    }

    report->replaced = fold->replaced;
    report->position = art_fold_position(fold);

    return fold->status;
}


/* The offset in the document of the next byte. */

static uint64_t
art_fold_position(const art_fold_t *fold)
{
    return fold->text_at + fold->text_pos;
}


/* Reads a piece after the bytes still needed; 0 at the end or on a failure. */

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


static void
art_fold_end(art_fold_t *fold)
{
    if (fold->pass > 0) {
        fold->status = fold->sum == fold->first_sum ? ART_FOLD_OK
                                                    : ART_FOLD_CHANGED;
        return;
    }

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


/*
 * Enlarges "buf" of *room bytes (or NULL) if "size" is larger; returns the
 * buffer.  When out of memory it returns NULL and sets fold->status; the buffer
 * is unchanged then.
 */

static void *
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


/*
 * Writes the replacement of an edit, but at most one entry at a time; returns 0
 * if there is more to write.
 */

static unsigned
art_fold_write_edit(art_fold_t *fold, art_fold_edit_t *edit)
{
    const art_fold_path_t  *path;

    if (edit->kind == ART_FOLD_CUT) {
        return 1;
    }

    if (edit->kind == ART_FOLD_FILE) {
        art_fold_write_merged(fold, &fold->set.paths[edit->path]);
        return 1;
    }

    if (!fold->begun) {
        fold->begun = 1;
        art_fold_write_open(fold, edit);
    }

    while (fold->path < fold->set.npaths) {
        path = &fold->set.paths[fold->path++];

        if (path->added) {
            art_fold_write_new(fold, edit, path);
            return 0;
        }
    }

    art_fold_write_close(fold, edit);

    return 1;
}


static void
art_fold_write_merged(art_fold_t *fold, const art_fold_path_t *path)
{
    json_t                  *entry;
    art_str_t                history;
    art_meta_index_t        *index;
    art_meta_index_entry_t  *member;

    entry = NULL;
    history = art_str(NULL, 0);

    if (fold->entry_len > 0) {
        entry = art_meta_load_rest(art_str(fold->entry, fold->entry_len),
                                   SIZE_MAX, &history);
    }

    if (entry == NULL) {
        history = art_str(NULL, 0);
        fold->replaced++;
    }

    fold->entry_len = 0;

    art_fold_write_entry(fold, path, entry, history);

    index = fold->conf.index;

    if (index != NULL && !index->over) {
        member = &index->entries[fold->index_out - 1];
        member->len = (uint32_t) (fold->offset - member->offset);
    }
}


/* Writes what precedes the members that "files" lacks. */

static void
art_fold_write_open(art_fold_t *fold, art_fold_edit_t *edit)
{
    uint8_t  time[ART_TIME_LEN];

    switch (edit->kind) {

    case ART_FOLD_FILES_NULL:
        art_fold_put_text(fold, "{");
        break;

    case ART_FOLD_FILES_NONE:
        art_fold_put_text(fold, edit->members > 0 ? ",\n" : "\n");
        art_fold_put_text(fold, "  \"files\": {");
        break;

    case ART_FOLD_DOCUMENT:
        art_time_print(time, fold->set.time);

        art_fold_put_text(fold, "{\n  \"workspaceId\": ");
        art_fold_put_string(fold, fold->conf.workspace);
        art_fold_put_text(fold, ",\n  \"createdAt\": ");
        art_fold_put_string(fold, art_str(time, sizeof(time)));
        art_fold_put_text(fold, ",\n  \"files\": {");
        break;

    default:
        break;
    }

    if (edit->kind != ART_FOLD_FILES_END) {
        edit->kept = 0;
    }

    /* drop the entries of omitted members */

    if (fold->conf.index != NULL) {
        fold->conf.index->count = fold->index_out;
    }
}


static void
art_fold_write_new(art_fold_t *fold, art_fold_edit_t *edit,
    const art_fold_path_t *path)
{
    uint64_t           member;
    art_meta_index_t  *index;

    art_fold_put_text(fold, edit->kept++ > 0 ? ",\n" : "\n");
    art_fold_put_text(fold, ART_FOLD_INDENT);

    member = fold->offset;

    art_fold_put_string(fold, path->path);
    art_fold_write_entry(fold, path, NULL, art_str(NULL, 0));

    index = fold->conf.index;

    if (index != NULL) {
        art_meta_index_add(index, art_meta_index_hash(index->seed, path->path),
                           member, fold->offset - member);
        fold->index_in = index->count;
    }
}


static void
art_fold_write_close(art_fold_t *fold, const art_fold_edit_t *edit)
{
    if (edit->kind != ART_FOLD_FILES_END) {
        art_fold_put_text(fold, edit->kept > 0 ? "\n  }" : "}");
    }

    if (edit->line) {
        art_fold_put_text(fold, edit->kind == ART_FOLD_FILES_END ? "\n  "
                                                                 : "\n");
    }

    if (edit->kind == ART_FOLD_DOCUMENT) {
        art_fold_put_text(fold, "\n}");
    }
}


/* Writes a colon and the merged entry; takes "entry" over. */

static void
art_fold_write_entry(art_fold_t *fold, const art_fold_path_t *path,
    json_t *entry, art_str_t text)
{
    json_t                *merged;
    art_history_t          history;
    art_journal_record_t  *records;

    records = art_fold_records(&fold->set, path, &history.n);

    if (records == NULL) {
        json_decref(entry);
        fold->status = ART_FOLD_FAILED;
        return;
    }

    history.text = text;
    history.records = records;

    if (art_fold_merge(entry, &history, &merged) != ART_OK
        || art_fold_put_entry(fold, merged, &history) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }

    json_decref(merged);
    free(records);
}


/* All records of a path; the caller frees them.  NULL when out of memory. */

static art_journal_record_t *
art_fold_records(const art_fold_set_t *set, const art_fold_path_t *path,
    size_t *n)
{
    size_t                 pos;
    uint32_t               i;
    art_journal_record_t  *records;

    *n = 0;

    records = malloc(path->count * sizeof(art_journal_record_t));

    if (records == NULL) {
        return NULL;
    }

    for (i = path->first; i != ART_FOLD_NONE; i = set->records[i].next) {
        pos = set->records[i].pos;
        *n += art_journal_next(set->journal, &pos, &records[*n]);
    }

    return records;
}


/*
 * Applies the records to the tree of an entry (NULL: no entry), whose reference
 * is taken over.  *merged becomes the resulting tree, NULL if there is none.
 * Its "modifiedBy" is null, to be replaced by "history" when it is printed.
 * ART_ERROR when out of memory, with *merged NULL.
 */

static int
art_fold_merge(json_t *entry, art_history_t *history, json_t **merged)
{
    art_history_merge_t  rc;

    *merged = NULL;

    rc = art_history_merge(history, entry != NULL);

    if (rc == ART_HISTORY_NONE || rc == ART_HISTORY_NEW) {
        json_decref(entry);
        entry = rc == ART_HISTORY_NEW ? json_object() : NULL;
    }

    if (history->n > 0
        && art_fold_merge_put(entry, &history->records[0],
                              &history->records[history->n - 1])
           != ART_OK)
    {
        json_decref(entry);
        return ART_ERROR;
    }

    *merged = entry;

    return ART_OK;
}


/*
 * The order of a new entry's keys is that of the platform's own writer:
 * mimeType, createdAt, updatedAt, modifiedBy, messageId, agentId.
 */

static int
art_fold_merge_put(json_t *entry, const art_journal_record_t *first,
    const art_journal_record_t *last)
{
    uint8_t    created_at[ART_TIME_LEN], updated_at[ART_TIME_LEN];
    json_t    *created;

    art_time_print(created_at, first->time);
    art_time_print(updated_at, last->time);

    if (art_fold_merge_set(entry, "mimeType", last->mime) != ART_OK) {
        return ART_ERROR;
    }

    /* the "type" of other writers would win when the entry is read */

    if (json_object_get(entry, "type") != NULL
        && art_fold_merge_set(entry, "type", last->mime) != ART_OK)
    {
        return ART_ERROR;
    }

    created = json_object_get(entry, "createdAt");

    if ((created == NULL || json_is_null(created))
        && art_fold_merge_set(entry, "createdAt",
                              art_str(created_at, ART_TIME_LEN))
           != ART_OK)
    {
        return ART_ERROR;
    }

    (void) json_object_del(entry, "size");

    if (art_fold_merge_set(entry, "updatedAt",
                           art_str(updated_at, ART_TIME_LEN))
        != ART_OK
        || json_object_set_new(entry, "modifiedBy", json_null()) != 0
        || art_fold_merge_set(entry, "messageId", last->message_id) != ART_OK
        || art_fold_merge_set(entry, "agentId", last->agent_id) != ART_OK)
    {
        return ART_ERROR;
    }

    return ART_OK;
}


/* Sets a string; an empty one is removed. */

static int
art_fold_merge_set(json_t *object, const char *key, art_str_t value)
{
    json_t  *node;

    if (value.len == 0) {
        (void) json_object_del(object, key);
        return ART_OK;
    }

    node = json_stringn((const char *) value.data, value.len);

    return json_object_set_new(object, key, node) == 0 ? ART_OK : ART_ERROR;
}


/*
 * Writes an entry with the indentation that JSON.stringify(document, null, 2)
 * gives to a member of "files".  For that it is printed inside two objects, and
 * the text of these is cut off.  The oldest writes of "modifiedBy" are omitted
 * so that it has at most ART_FOLD_ENTRY_MAX bytes.  An entry that is long for
 * another reason is printed on one line without any writes, whatever its
 * length.
 */

static int
art_fold_put_entry(art_fold_t *fold, json_t *entry, art_history_t *history)
{
    int         rc;
    size_t      len, skip, wrapper;
    json_t     *nested;
    uint8_t    *text;
    art_str_t   rest;

    skip = sizeof("{\n  \"\": {\n    \"\": ") - 1;
    wrapper = skip + sizeof("\n  }\n}") - 1;

    nested = json_pack("{s{sO}}", "", "", entry);
    text = art_fold_print(nested, JSON_INDENT(2), &len);

    json_decref(nested);

    if (text != NULL && len - wrapper > ART_FOLD_ENTRY_MAX) {
        free(text);
        text = art_fold_print(entry, JSON_COMPACT, &len);
        skip = 0;
        wrapper = 0;
    }

    if (text == NULL) {
        return ART_ERROR;
    }

    art_fold_put_text(fold, ": ");

    rest = art_str(text + skip, len - wrapper);
    rc = art_fold_put_history(fold, rest, history, skip > 0 ? 2 : 0);

    free(text);

    return rc;
}


/* Writes the text of an entry, with its history in place of the null. */

static int
art_fold_put_history(art_fold_t *fold, art_str_t rest,
    art_history_t *history, unsigned indent)
{
    size_t      max, len, before;
    uint8_t    *text;
    art_str_t   key, value;
    art_out_t   out;

    key = art_cstr("modifiedBy");

    (void) art_json_find(rest, &key, 1, &value);

    if (value.data == NULL) {
        art_fold_put(fold, rest.data, rest.len);
        return ART_OK;
    }

    max = rest.len < ART_FOLD_ENTRY_MAX ? ART_FOLD_ENTRY_MAX - rest.len : 0;

    len = art_history_fit(history, indent, ART_FOLD_DEPTH, max);

    text = malloc(len);
    if (text == NULL) {
        return ART_ERROR;
    }

    out = art_out(text, len);
    art_history_print(&out, history, indent, ART_FOLD_DEPTH);

    before = (size_t) (value.data - rest.data);

    art_fold_put(fold, rest.data, before);
    art_fold_put(fold, text, out.len);

    before += sizeof("null") - 1;

    art_fold_put(fold, rest.data + before, rest.len - before);

    free(text);

    return ART_OK;
}


/* Returns memory that the caller frees, or NULL when out of memory. */

static uint8_t *
art_fold_print(json_t *node, size_t flags, size_t *len)
{
    uint8_t  *text;

    *len = art_meta_dump(node, NULL, 0, flags);
    text = *len > 0 ? malloc(*len) : NULL;

    if (text != NULL && art_meta_dump(node, text, *len, flags) == 0) {
        free(text);
        text = NULL;
    }

    return text;
}


/* Writes to the output; after a failure nothing is written. */

static void
art_fold_put(art_fold_t *fold, const void *data, size_t len)
{
    fold->offset += len;

    if (fold->status == ART_FOLD_AGAIN && len > 0
        && fold->conf.write(fold->conf.data, data, len) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }
}


static void
art_fold_put_string(art_fold_t *fold, art_str_t s)
{
    size_t          n, left;
    uint8_t         buf[256];
    const uint8_t  *p;

    p = s.data;
    left = s.len;

    art_fold_put_text(fold, "\"");

    while (left > 0) {
        n = art_json_escape(buf, sizeof(buf), &p, &left, 1);
        art_fold_put(fold, buf, n);
    }

    art_fold_put_text(fold, "\"");
}


static void
art_fold_put_text(art_fold_t *fold, const char *text)
{
    art_fold_put(fold, text, strlen(text));
}
