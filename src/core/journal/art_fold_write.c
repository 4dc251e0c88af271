
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/journal/art_fold_int.h"
#include "core/json/art_json_escape.h"
#include "core/base/art_time.h"


#define ART_FOLD_INDENT  "    "


static void art_fold_write_entry(art_fold_t *fold,
    const art_fold_path_t *path, json_t *entry);
static void art_fold_put_string(art_fold_t *fold, art_str_t s);
static uint8_t *art_fold_entry_text(json_t *entry, size_t *len);
static uint8_t *art_fold_indented(json_t *entry, size_t *len);
static void art_fold_indent(uint8_t *dst, const uint8_t *src, size_t len);
static uint8_t *art_fold_flat(json_t *entry, size_t *len);


void
art_fold_put(art_fold_t *fold, const void *data, size_t len)
{
    size_t          n;
    const uint8_t  *p;

    if (!fold->pass) {
        return;
    }

    p = data;
    fold->offset += len;

    while (len > 0) {
        n = sizeof(fold->out) - fold->out_len;

        if (n > len) {
            n = len;
        }

        memcpy(fold->out + fold->out_len, p, n);

        fold->out_len += n;
        p += n;
        len -= n;

        if (fold->out_len == sizeof(fold->out)) {
            art_fold_flush(fold);
        }
    }
}


void
art_fold_flush(art_fold_t *fold)
{
    if (fold->status == ART_FOLD_OK && fold->out_len > 0
        && fold->conf.write(fold->conf.data, fold->out, fold->out_len)
           != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }

    fold->out_len = 0;
}


void
art_fold_told(art_fold_t *fold, uint64_t hash)
{
    if (fold->pass && fold->conf.member != NULL
        && fold->status == ART_FOLD_OK
        && fold->conf.member(fold->conf.data, hash, fold->member,
                             fold->offset - fold->member) != ART_OK)
    {
        fold->status = ART_FOLD_FAILED;
    }
}


void
art_fold_write_merged(art_fold_t *fold)
{
    json_t  *entry;

    entry = fold->entry_over ? NULL : art_meta_load(art_str(fold->entry,
                                                        fold->entry_len));
    if (entry == NULL) {
        fold->replaced++;
    }

    art_fold_write_entry(fold, fold->path, entry);
}


/* The members that the document has not had. */

void
art_fold_write_new(art_fold_t *fold)
{
    size_t             i;
    art_fold_path_t   *path;
    art_fold_frame_t  *frame;

    if (!fold->pass) {
        return;
    }

    frame = &fold->frames[1];

    for (i = 0; i < fold->set.npaths; i++) {
        path = &fold->set.paths[i];

        if (path->seen > 0 || path->deleted) {
            continue;
        }

        art_fold_put_text(fold, frame->written++ > 0 ? ",\n" : "\n");
        art_fold_put_text(fold, ART_FOLD_INDENT);

        fold->member = fold->offset;

        art_fold_put_string(fold, path->path);
        art_fold_write_entry(fold, path, NULL);
    }
}


void
art_fold_write_files(art_fold_t *fold)
{
    size_t  i;

    memset(&fold->frames[1], 0, sizeof(art_fold_frame_t));

    for (i = 0; i < fold->set.npaths; i++) {
        fold->set.paths[i].seen = 0;
    }

    art_fold_put_text(fold, "{");
    art_fold_write_new(fold);
    art_fold_put_text(fold, fold->frames[1].written ? "\n  }" : "}");
}


void
art_fold_write_document(art_fold_t *fold)
{
    uint8_t  time[ART_TIME_LEN];

    art_time_print(time, fold->set.time);

    art_fold_put_text(fold, "{\n  \"workspaceId\": ");
    art_fold_put_string(fold, fold->conf.workspace);
    art_fold_put_text(fold, ",\n  \"createdAt\": ");
    art_fold_put_string(fold, art_str(time, sizeof(time)));
    art_fold_put_text(fold, ",\n  \"files\": ");
    art_fold_write_files(fold);
    art_fold_put_text(fold, "\n}");
}


/* Behind the key: a colon and the entry, which is taken over. */

static void
art_fold_write_entry(art_fold_t *fold, const art_fold_path_t *path,
    json_t *entry)
{
    size_t    len;
    json_t   *merged;
    uint8_t  *text;

    text = NULL;

    if (art_fold_set_merge(&fold->set, path, entry, &merged) == ART_OK) {
        text = art_fold_entry_text(merged, &len);
    }

    json_decref(merged);

    if (text == NULL) {
        fold->status = ART_FOLD_FAILED;
        return;
    }

    art_fold_put_text(fold, ": ");
    art_fold_put(fold, text, len);
    art_fold_told(fold, path->hash);

    free(text);
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


void
art_fold_put_text(art_fold_t *fold, const char *text)
{
    art_fold_put(fold, text, strlen(text));
}


/*
 * The text of an entry as a member of "files", indented like
 * JSON.stringify(document, null, 2); at most ART_FOLD_ENTRY_MAX bytes: the
 * oldest writes of "modifiedBy" are removed if need be, and an entry that is
 * long for another reason is printed on one line, whatever its length.  NULL
 * when out of memory, else to be freed.
 */

static uint8_t *
art_fold_entry_text(json_t *entry, size_t *len)
{
    size_t    n;
    json_t   *history;
    uint8_t  *text;

    history = json_object_get(entry, "modifiedBy");

    for ( ;; ) {
        text = art_fold_indented(entry, len);

        if (text != NULL || *len == 0) {
            return text;
        }

        /* more than one, so that not every write has to make room */

        n = json_array_size(history);

        if (n == 0) {
            return art_fold_flat(entry, len);
        }

        for (n = n / 8 + 1; n > 0; n--) {
            (void) json_array_remove(history, 0);
        }
    }
}


/* NULL with *len 0 when out of memory, else with the length too long. */

static uint8_t *
art_fold_indented(json_t *entry, size_t *len)
{
    size_t    i, size;
    uint8_t  *flat, *text;

    size = art_meta_dump(entry, NULL, 0, JSON_INDENT(2));
    *len = size;

    if (size == 0 || size > ART_FOLD_ENTRY_MAX) {
        return NULL;
    }

    text = NULL;
    flat = malloc(size);

    if (flat == NULL || art_meta_dump(entry, flat, size, JSON_INDENT(2)) == 0)
    {
        *len = 0;
        goto done;
    }

    for (i = 0; i < size; i++) {
        *len += flat[i] == '\n' ? sizeof(ART_FOLD_INDENT) - 1 : 0;
    }

    if (*len > ART_FOLD_ENTRY_MAX) {
        goto done;
    }

    text = malloc(*len);

    if (text == NULL) {
        *len = 0;
        goto done;
    }

    art_fold_indent(text, flat, size);

done:

    free(flat);

    return text;
}


/* A line feed in the text of JSON stands between values only. */

static void
art_fold_indent(uint8_t *dst, const uint8_t *src, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        *dst++ = src[i];

        if (src[i] == '\n') {
            memcpy(dst, ART_FOLD_INDENT, sizeof(ART_FOLD_INDENT) - 1);
            dst += sizeof(ART_FOLD_INDENT) - 1;
        }
    }
}


static uint8_t *
art_fold_flat(json_t *entry, size_t *len)
{
    uint8_t  *text;

    *len = art_meta_dump(entry, NULL, 0, JSON_COMPACT);

    text = *len ? malloc(*len) : NULL;

    if (text != NULL && art_meta_dump(entry, text, *len, JSON_COMPACT) == 0) {
        free(text);
        text = NULL;
    }

    return text;
}
