
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The second pass: what is written in the place of what is left out.
 */


#include <stdlib.h>

#include "core/meta/art_meta_int.h"
#include "core/journal/art_fold_int.h"
#include "core/json/art_json_escape.h"
#include "core/base/art_time.h"


#define ART_FOLD_INDENT  "    "


typedef struct {
    size_t  len;
    size_t  max;
} art_fold_measure_t;


static void art_fold_write_merged(art_fold_t *fold,
    const art_fold_path_t *path);
static void art_fold_write_open(art_fold_t *fold, art_fold_edit_t *edit);
static void art_fold_write_new(art_fold_t *fold, art_fold_edit_t *edit,
    const art_fold_path_t *path);
static void art_fold_write_close(art_fold_t *fold,
    const art_fold_edit_t *edit);
static void art_fold_write_entry(art_fold_t *fold,
    const art_fold_path_t *path, json_t *entry);
static void art_fold_put_text(art_fold_t *fold, const char *text);
static void art_fold_put_string(art_fold_t *fold, art_str_t s);
static int art_fold_put_entry(art_fold_t *fold, json_t *entry);
static int art_fold_forget(json_t *nested, json_t *entry, size_t flags);
static size_t art_fold_measure_write(json_t *write, size_t flags, size_t room);
static size_t art_fold_measure(json_t *node, size_t flags, size_t max);
static int art_fold_measure_add(const char *text, size_t len, void *data);
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
    art_meta_index_t        *index;
    art_meta_index_entry_t  *member;

    entry = fold->entry_len > 0 ? art_meta_load(art_str(fold->entry,
                                                        fold->entry_len))
                                : NULL;
    if (entry == NULL) {
        fold->replaced++;
    }

    fold->entry_len = 0;

    art_fold_write_entry(fold, path, entry);

    index = fold->conf.index;

    if (index != NULL && !index->over) {
        member = &index->entries[fold->index_out - 1];
        member->len = (uint32_t) (fold->offset - member->offset);
    }
}


/* What comes before the members that "files" lacks. */

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

    /* the entries of members that were left out */

    if (fold->conf.index != NULL) {
        fold->conf.index->count = fold->index_out;
    }
}


static void
art_fold_write_new(art_fold_t *fold, art_fold_edit_t *edit,
    const art_fold_path_t *path)
{
    uint64_t  member;

    art_fold_put_text(fold, edit->kept++ > 0 ? ",\n" : "\n");
    art_fold_put_text(fold, ART_FOLD_INDENT);

    member = fold->offset;

    art_fold_put_string(fold, path->path);
    art_fold_write_entry(fold, path, NULL);

    if (fold->conf.index != NULL) {
        art_meta_index_add(fold->conf.index, art_meta_index_hash(path->path),
                           member, fold->offset - member);
        fold->index_in = fold->conf.index->count;
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


/* Behind the key: a colon and the entry, which is taken over. */

static void
art_fold_write_entry(art_fold_t *fold, const art_fold_path_t *path,
    json_t *entry)
{
    json_t  *merged;

    if (art_fold_set_merge(&fold->set, path, entry, &merged) != ART_OK
        || art_fold_put_entry(fold, merged) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }

    json_decref(merged);
}


/*
 * Indented as a member of "files" by JSON.stringify(document, null, 2), for
 * which it is printed as the member of a member, and what is around is left
 * out.  At most ART_FOLD_ENTRY_MAX bytes: the oldest writes of "modifiedBy" are
 * removed if need be, and an entry that is long for another reason is printed
 * on one line, whatever its length.
 */

static int
art_fold_put_entry(art_fold_t *fold, json_t *entry)
{
    size_t    len, max, skip, around, flags;
    json_t   *nested;
    uint8_t  *text;

    nested = json_pack("{s{sO}}", "", "", entry);

    if (nested == NULL) {
        return ART_ERROR;
    }

    skip = sizeof("{\n  \"\": {\n    \"\": ") - 1;
    around = skip + sizeof("\n  }\n}") - 1;

    max = ART_FOLD_ENTRY_MAX + around;
    flags = art_meta_dump_flags(nested, JSON_INDENT(2));
    len = art_fold_measure(nested, flags, max);

    if (len > max && art_fold_forget(nested, entry, flags) == ART_OK) {
        flags = art_meta_dump_flags(nested, JSON_INDENT(2));
        len = art_fold_measure(nested, flags, max);
    }

    if (len > max) {
        text = art_fold_print(entry, JSON_COMPACT, &len);
        skip = 0;
        around = 0;

    } else {
        text = malloc(len);

        if (text != NULL) {
            (void) json_dumpb(nested, (char *) text, len, flags);
        }
    }

    if (text != NULL) {
        art_fold_put_text(fold, ": ");
        art_fold_put(fold, text + skip, len - around);
    }

    free(text);
    json_decref(nested);

    return text != NULL ? ART_OK : ART_ERROR;
}


/*
 * Of the history an eighth at a time, so that not every write has to make room,
 * until the rest fits.  Writes are measured from the last one on, and no
 * further than there is room: indented, what is nested takes many times the
 * bytes that it took in the document.
 */

static int
art_fold_forget(json_t *nested, json_t *entry, size_t flags)
{
    int      rc;
    size_t   i, n, fits, size, room;
    json_t  *history, *rest;

    history = json_incref(json_object_get(entry, "modifiedBy"));
    rest = json_array();
    rc = ART_ERROR;

    n = json_array_size(history);

    if (n == 0 || json_object_set(entry, "modifiedBy", rest) != 0) {
        goto done;
    }

    room = ART_FOLD_ENTRY_MAX;
    size = art_fold_measure(nested, flags, room);

    for (fits = n; fits > 0 && size <= room; fits--) {
        size += art_fold_measure_write(json_array_get(history, fits - 1),
                                       flags, room - size);
    }

    /* the one that was measured last does not fit */

    for (i = 0; i <= fits && i < n; i += (n - i) / 8 + 1) { /* void */ }

    for ( /* void */ ; i < n; i++) {
        if (json_array_append(rest, json_array_get(history, i)) != 0) {
            goto done;
        }
    }

    rc = ART_OK;

done:

    if (rc != ART_OK && n > 0) {
        (void) json_object_set(entry, "modifiedBy", history);
    }

    json_decref(history);
    json_decref(rest);

    return rc;
}


/* What a write takes as a line, or lines, of a history; more than "room". */

static size_t
art_fold_measure_write(json_t *write, size_t flags, size_t room)
{
    size_t   len, around;
    json_t  *nested;

    nested = json_pack("[[[[O]]]]", write);

    around = sizeof("[\n  [\n    [\n      [\n        ") - 1
             + sizeof("\n      ]\n    ]\n  ]\n]") - 1;

    len = art_fold_measure(nested, flags, room + around)
          + sizeof(",\n        ") - 1 - around;

    json_decref(nested);

    return len;
}


/* The bytes that a value takes; if they are more than "max", more than that. */

static size_t
art_fold_measure(json_t *node, size_t flags, size_t max)
{
    art_fold_measure_t  measure;

    measure.len = 0;
    measure.max = max;

    return json_dump_callback(node, art_fold_measure_add, &measure,
                              flags)
           == 0 || measure.len > max ? measure.len : max + 1;
}


static int
art_fold_measure_add(const char *text, size_t len, void *data)
{
    art_fold_measure_t *measure = data;

    (void) text;

    measure->len += len;

    return measure->len > measure->max ? -1 : 0;
}


/* NULL when out of memory, else to be freed. */

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
