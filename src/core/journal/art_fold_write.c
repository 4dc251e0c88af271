
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The second pass: writes the replacements of what is left out.
 */


#include <stdlib.h>

#include "core/journal/art_fold_int.h"
#include "core/journal/art_journal_merge.h"
#include "core/json/art_json_escape.h"
#include "core/json/art_json_members.h"
#include "core/base/art_time.h"


#define ART_FOLD_INDENT  "    "

/* The depth of an entry's members in the document. */

#define ART_FOLD_DEPTH   3


static void art_fold_write_merged(art_fold_t *fold,
    const art_fold_path_t *path);
static void art_fold_write_open(art_fold_t *fold, art_fold_edit_t *edit);
static void art_fold_write_new(art_fold_t *fold, art_fold_edit_t *edit,
    const art_fold_path_t *path);
static void art_fold_write_close(art_fold_t *fold,
    const art_fold_edit_t *edit);
static void art_fold_write_entry(art_fold_t *fold,
    const art_fold_path_t *path, json_t *entry, art_str_t text);
static void art_fold_put_text(art_fold_t *fold, const char *text);
static void art_fold_put_string(art_fold_t *fold, art_str_t s);
static int art_fold_put_entry(art_fold_t *fold, json_t *entry,
    art_history_t *history);
static int art_fold_put_history(art_fold_t *fold, art_str_t rest,
    art_history_t *history, unsigned indent);
static uint8_t *art_fold_print(json_t *node, size_t flags, size_t *len);


unsigned
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

        if (art_fold_is_new(fold, path)) {
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

    /* drop the entries of members that were left out */

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


/* Writes a colon and the merged entry; takes over "entry". */

static void
art_fold_write_entry(art_fold_t *fold, const art_fold_path_t *path,
    json_t *entry, art_str_t text)
{
    json_t                *merged;
    art_history_t          history;
    art_journal_record_t  *records;

    records = art_fold_set_records(&fold->set, path, &history.n);

    if (records == NULL) {
        json_decref(entry);
        fold->status = ART_FOLD_FAILED;
        return;
    }

    history.text = text;
    history.records = records;

    if (art_journal_merge_tree(entry, &history, &merged) != ART_OK
        || art_fold_put_entry(fold, merged, &history) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }

    json_decref(merged);
    free(records);
}


/*
 * Writes an entry with the indentation that JSON.stringify(document, null, 2)
 * gives to a member of "files".  For that it is printed inside two objects,
 * and the text of these is cut off.  To have at most ART_FOLD_ENTRY_MAX bytes,
 * the oldest writes of "modifiedBy" are left out.  An entry that is long for
 * another reason is printed on one line without any writes, whatever its
 * length.
 */

static int
art_fold_put_entry(art_fold_t *fold, json_t *entry, art_history_t *history)
{
    int         rc;
    size_t      len, skip, around;
    json_t     *nested;
    uint8_t    *text;
    art_str_t   rest;

    skip = sizeof("{\n  \"\": {\n    \"\": ") - 1;
    around = skip + sizeof("\n  }\n}") - 1;

    nested = json_pack("{s{sO}}", "", "", entry);
    text = art_fold_print(nested, JSON_INDENT(2), &len);

    json_decref(nested);

    if (text != NULL && len - around > ART_FOLD_ENTRY_MAX) {
        free(text);
        text = art_fold_print(entry, JSON_COMPACT, &len);
        skip = 0;
        around = 0;
    }

    if (text == NULL) {
        return ART_ERROR;
    }

    art_fold_put_text(fold, ": ");

    rest = art_str(text + skip, len - around);
    rc = art_fold_put_history(fold, rest, history, skip > 0 ? 2 : 0);

    free(text);

    return rc;
}


/* Writes the text of an entry, with its history in the place of the null. */

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


void
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
