
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/journal/art_fold_int.h"


#define ART_FOLD_ENTRY_FIRST  4096


static void art_fold_gap(art_fold_frame_t *frame, uint8_t c);
static void art_fold_put_gap(art_fold_t *fold, art_fold_frame_t *frame);
static void art_fold_key(art_fold_t *fold, unsigned n, uint8_t c);
static void art_fold_put_key(art_fold_t *fold, art_fold_frame_t *frame);
static art_fold_action_t art_fold_choose(art_fold_t *fold, unsigned n);
static art_fold_action_t art_fold_choose_file(art_fold_t *fold,
    art_fold_path_t *path);
static void art_fold_behind(art_fold_t *fold, unsigned n, uint8_t c);
static void art_fold_enter(art_fold_t *fold, uint8_t c);
static void art_fold_keep(art_fold_t *fold, const uint8_t *p, size_t len);
static void art_fold_close_files(art_fold_t *fold);


void
art_fold_member(art_fold_t *fold, unsigned n, uint8_t c)
{
    art_fold_frame_t  *frame;

    frame = &fold->frames[n];

    if (fold->scan.level > n + 1) {
        art_fold_behind(fold, n, c);
        return;
    }

    switch (fold->scan.kind) {

    case ART_JSON_KEY_START:
    case ART_JSON_KEY:
    case ART_JSON_KEY_END:
        art_fold_key(fold, n, c);
        break;

    case ART_JSON_SPACE:
    case ART_JSON_COMMA:
        if (frame->action == ART_FOLD_BETWEEN) {
            art_fold_gap(frame, c);
            break;
        }

        /* fall through */

    default:
        art_fold_behind(fold, n, c);

        if (fold->scan.kind == ART_JSON_VALUE_END) {
            art_fold_member_end(fold, n);
        }

        break;
    }
}


static void
art_fold_gap(art_fold_frame_t *frame, uint8_t c)
{
    if (c == ',') {
        frame->comma = 1;

    } else if (!frame->comma) {
        if (frame->nbefore < ART_FOLD_GAP) {
            frame->before[frame->nbefore++] = c;
        }

    } else if (frame->nafter < ART_FOLD_GAP) {
        frame->after[frame->nafter++] = c;
    }
}


/* Members that were dropped before the first take their comma along. */

static void
art_fold_put_gap(art_fold_t *fold, art_fold_frame_t *frame)
{
    if (frame->written > 0 || !frame->comma) {
        art_fold_put(fold, frame->before, frame->nbefore);
    }

    if (frame->written > 0 && frame->comma) {
        art_fold_put(fold, ",", 1);
    }

    art_fold_put(fold, frame->after, frame->nafter);
}


static void
art_fold_key(art_fold_t *fold, unsigned n, uint8_t c)
{
    art_fold_key_t    *key;
    art_fold_frame_t  *frame;

    key = &fold->key;
    frame = &fold->frames[n];

    if (fold->scan.kind == ART_JSON_KEY_START) {
        art_fold_key_start(key);
        fold->flushed = 0;
        frame->members++;

    } else if (fold->scan.kind == ART_JSON_KEY) {
        art_fold_key_add(key, c);
    }

    if (!fold->flushed && key->raw_len == sizeof(key->raw)) {

        /* nothing that is looked for is so long */

        key->strange = 1;
        fold->flushed = 1;
        art_fold_put_key(fold, frame);
    }

    if (fold->flushed) {
        art_fold_put(fold, &c, 1);

    } else {
        key->raw[key->raw_len++] = c;
    }

    if (fold->scan.kind != ART_JSON_KEY_END) {
        return;
    }

    art_fold_key_end(key);

    frame->value = 0;
    frame->action = art_fold_choose(fold, n);

    if (frame->action != ART_FOLD_DROP && !fold->flushed) {
        art_fold_put_key(fold, frame);
    }

    frame->comma = 0;
    frame->nbefore = 0;
    frame->nafter = 0;
}


/* What is between the members, and as much of the key as is known. */

static void
art_fold_put_key(art_fold_t *fold, art_fold_frame_t *frame)
{
    art_fold_put_gap(fold, frame);
    frame->written++;

    if (frame == &fold->frames[1]) {
        fold->member = fold->offset;
    }

    art_fold_put(fold, fold->key.raw, fold->key.raw_len);
}


static art_fold_action_t
art_fold_choose(art_fold_t *fold, unsigned n)
{
    size_t      i;
    art_str_t   text;

    if (fold->key.strange) {
        return ART_FOLD_PASS;
    }

    text = art_str(fold->key.text, fold->key.len);

    if (n == 1) {
        return art_fold_choose_file(fold, art_fold_set_find(&fold->set,
                                                      fold->key.hash, text));
    }

    if (!art_str_eq(text, art_cstr("files"))) {
        return ART_FOLD_PASS;
    }

    fold->seen++;

    if (fold->pass && fold->seen != fold->nfiles) {
        return ART_FOLD_DROP;
    }

    /* in the first pass each may be the last, and counts anew */

    for (i = 0; i < fold->set.npaths; i++) {
        fold->set.paths[i].seen = 0;
    }

    return ART_FOLD_ENTER;
}


static art_fold_action_t
art_fold_choose_file(art_fold_t *fold, art_fold_path_t *path)
{
    if (path == NULL) {
        return ART_FOLD_PASS;
    }

    path->seen++;

    if (!fold->pass || path->seen != path->members || path->deleted) {
        return ART_FOLD_DROP;
    }

    fold->path = path;
    fold->entry_len = 0;
    fold->entry_over = 0;

    return ART_FOLD_MERGE;
}


/* A byte behind a member's key. */

static void
art_fold_behind(art_fold_t *fold, unsigned n, uint8_t c)
{
    unsigned           start;
    art_fold_frame_t  *frame;

    frame = &fold->frames[n];

    start = fold->scan.kind == ART_JSON_VALUE_START
            && fold->scan.level == n + 1;

    if (frame->action != ART_FOLD_ENTER) {
        frame->value |= start;

        if (frame->value || frame->action == ART_FOLD_PASS) {
            art_fold_value(fold, frame, &c, 1);
        }

        return;
    }

    if (frame->value) {
        art_fold_close_files(fold);

    } else if (start) {
        art_fold_enter(fold, c);

    } else {
        art_fold_put(fold, &c, 1);
    }

    frame->value |= start;
}


void
art_fold_value(art_fold_t *fold, const art_fold_frame_t *frame,
    const uint8_t *p, size_t len)
{
    if (frame->action == ART_FOLD_PASS) {
        art_fold_put(fold, p, len);

    } else if (frame->action == ART_FOLD_MERGE) {
        art_fold_keep(fold, p, len);
    }
}


static void
art_fold_enter(art_fold_t *fold, uint8_t c)
{
    fold->unfit = (c != '{' && c != 'n');

    if (c == '{') {
        memset(&fold->frames[1], 0, sizeof(art_fold_frame_t));
        art_fold_put(fold, &c, 1);
        return;
    }

    fold->frames[0].action = fold->unfit ? ART_FOLD_DROP : ART_FOLD_RENEW;
}


/* Collects the entry that is going to be merged. */

static void
art_fold_keep(art_fold_t *fold, const uint8_t *p, size_t len)
{
    size_t    room;
    uint8_t  *entry;

    if (len > ART_FOLD_ENTRY_MAX - fold->entry_len) {
        fold->entry_over = 1;
        return;
    }

    if (len > fold->entry_room - fold->entry_len) {
        room = fold->entry_room ? fold->entry_room : ART_FOLD_ENTRY_FIRST;

        while (len > room - fold->entry_len) {
            room *= 2;
        }

        entry = realloc(fold->entry, room);

        if (entry == NULL) {
            fold->status = ART_FOLD_FAILED;
            return;
        }

        fold->entry = entry;
        fold->entry_room = room;
    }

    memcpy(fold->entry + fold->entry_len, p, len);
    fold->entry_len += len;
}


void
art_fold_member_end(art_fold_t *fold, unsigned n)
{
    art_fold_action_t  action;

    action = fold->frames[n].action;
    fold->frames[n].action = ART_FOLD_BETWEEN;

    if (action == ART_FOLD_MERGE) {
        art_fold_write_merged(fold);

    } else if (action == ART_FOLD_RENEW) {
        art_fold_write_files(fold);

    } else if (action == ART_FOLD_PASS && n == 1) {
        art_fold_told(fold, fold->key.hash);
    }
}


static void
art_fold_close_files(art_fold_t *fold)
{
    art_fold_frame_t  *frame;

    frame = &fold->frames[1];

    art_fold_write_new(fold);

    if (frame->members == 0 && frame->written > 0) {
        art_fold_put_text(fold, "\n  ");

    } else {
        art_fold_put(fold, frame->before, frame->nbefore);
    }

    art_fold_put_text(fold, "}");
}
