
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * art_fold against a model: random documents and random journals.
 */


#define _GNU_SOURCE              /* memmem() */

#include "core/json/art_json_scan.h"
#include "core/base/art_time.h"
#include "fold_random.h"
#include "tap.h"


#define CASES  600


static text_t  other;


static void
set(json_t *object, const char *key, art_str_t value)
{
    if (value.len == 0) {
        json_object_del(object, key);

    } else {
        json_object_set_new(object, key,
                            json_stringn((const char *) value.data,
                                         value.len));
    }
}


/* The rules of the headers, one record after the other. */

static void
model_put(json_t *files, const char *path, const art_journal_record_t *record)
{
    json_t   *entry, *write;
    uint8_t   buf[ART_TIME_LEN];
    art_str_t time;

    art_time_print(buf, record->time);
    time = art_str(buf, sizeof(buf));

    entry = json_object_get(files, path);

    if (!json_is_object(entry)) {
        json_object_set_new(files, path, json_object());
        entry = json_object_get(files, path);
    }

    if (!json_is_string(json_object_get(entry, "createdAt"))) {
        set(entry, "createdAt", time);
    }

    if (!json_is_array(json_object_get(entry, "modifiedBy"))) {
        json_object_set_new(entry, "modifiedBy", json_array());
    }

    if (json_object_get(entry, "type")) {
        set(entry, "type", record->mime);
    }

    json_object_del(entry, "size");

    set(entry, "mimeType", record->mime);
    set(entry, "updatedAt", time);
    set(entry, "agentId", record->agent_id);
    set(entry, "messageId", record->message_id);

    if (record->agent_id.len > 0) {
        write = json_object();
        set(write, "agentId", record->agent_id);
        set(write, "timestamp", time);
        json_object_set_new(write, "messageId", json_null());
        if (record->message_id.len > 0) {
            set(write, "messageId", record->message_id);
        }
        json_array_append_new(json_object_get(entry, "modifiedBy"), write);
    }
}


static json_t *
model(void)
{
    char                   path[64];
    size_t                 pos;
    json_t                *json, *files;
    art_journal_record_t   record;

    json = json_loadb(doc.text, doc.len, 0, NULL);

    if (json == NULL) {
        pos = 0;
        (void) art_journal_next(art_str(run.journal, run.journal_len), &pos,
                                &record);

        json = json_pack("{s:s,s:o}", "workspaceId", FOLD_WORKSPACE,
                         "createdAt", json_stringn("", 0));
        art_time_print((uint8_t *) path, record.time);
        set(json, "createdAt", art_str(path, ART_TIME_LEN));
    }

    if (!json_is_object(json_object_get(json, "files"))) {
        json_object_set_new(json, "files", json_object());
    }

    files = json_object_get(json, "files");
    pos = 0;

    while (art_journal_next(art_str(run.journal, run.journal_len), &pos,
                            &record))
    {
        memcpy(path, record.path.data, record.path.len);
        path[record.path.len] = '\0';

        if (record.op == ART_JOURNAL_DELETE) {
            json_object_del(files, path);

        } else {
            model_put(files, path, &record);
        }
    }

    return json;
}


/* Every member is where the index says, and there are no others. */

static int
index_right(const json_t *files)
{
    size_t                   i, n, len;
    json_t                  *member;
    const char              *key;
    art_meta_index_entry_t  *entry;

    n = 0;

    for (i = 0; i < run.index.count; i++) {
        entry = &run.index.entries[i];
        len = entry->len;

        if (entry->offset + len > run.out_len || len + 2 > sizeof(other.text))
        {
            return 0;
        }

        other.text[0] = '{';
        memcpy(other.text + 1, run.out + entry->offset, len);
        other.text[len + 1] = '}';

        member = json_loadb(other.text, len + 2, 0, NULL);

        if (json_object_size(member) != 1) {
            json_decref(member);
            return 0;
        }

        key = json_object_iter_key(json_object_iter(member));

        n += art_meta_index_hash(run.index.seed, art_cstr(key)) == entry->hash
             && json_object_get(files, key) != NULL;

        json_decref(member);
    }

    return n == run.index.count && n >= json_object_size(files);
}


/* Members that the journal does not name are unchanged, in order. */

static int
bytes_kept(void)
{
    size_t                i, len, pos;
    const char           *at, *from;
    art_str_t             path;
    art_journal_record_t  record;

    memcpy(other.text, run.out, run.out_len);
    len = run.out_len;

    pos = run.journal_len;
    run.journal_len = 0;
    (void) fold_run(&run, doc.text, doc.len, 100);
    run.journal_len = pos;

    from = other.text;

    for (i = 0; i < run.index.count; i++) {
        at = run.out + run.index.entries[i].offset;

        for (pos = 0; pos < NPATHS; pos++) {
            path = art_cstr(paths[pos]);

            if (art_meta_index_hash(run.index.seed, path)
                == run.index.entries[i].hash
                && art_journal_find(art_str(run.journal, run.journal_len),
                                    path, &record))
            {
                break;
            }
        }

        if (pos < NPATHS) {
            continue;
        }

        from = memmem(from, len - (size_t) (from - other.text), at,
                      run.index.entries[i].len);

        if (from == NULL) {
            break;
        }

        from += run.index.entries[i].len;
    }

    return from != NULL;
}


static int
check_case(void)
{
    int      pass;
    size_t   len;
    json_t  *want, *got;

    want = model();
    got = NULL;
    pass = 0;

    if (fold_run(&run, doc.text, doc.len, 1 + tap_below(40)) != ART_FOLD_OK) {
        goto done;
    }

    len = run.out_len;
    memcpy(other.text, run.out, len);

    /* whatever the pieces */

    if (fold_run(&run, doc.text, doc.len, 1 + tap_below(4000)) != ART_FOLD_OK
        || run.out_len != len || memcmp(run.out, other.text, len) != 0)
    {
        goto done;
    }

    got = json_loadb(run.out, run.out_len, 0, NULL);

    pass = art_json_valid((uint8_t *) run.out, run.out_len)
           && json_equal(got, want)
           && index_right(json_object_get(got, "files"))
           && bytes_kept();

done:

    if (!pass) {
        diag_mem("document", doc.text, doc.len);
        diag_mem("output", run.out, run.out_len);
    }

    json_decref(want);
    json_decref(got);

    return pass;
}


/*
 * A fold that was cut short by a crash and begun again, with a journal that
 * has grown since: the same as if it had been folded once.
 */

static int
check_again(void)
{
    int                    pass;
    size_t                 len, pos, cut;
    json_t                *a, *b;
    text_t                *once;
    art_journal_record_t   record;

    once = malloc(sizeof(text_t));

    pass = fold_run(&run, doc.text, doc.len, 100) == ART_FOLD_OK;
    once->len = run.out_len;
    memcpy(once->text, run.out, run.out_len);

    len = run.journal_len;
    cut = 0;

    for (pos = 0;
         art_journal_next(art_str(run.journal, len), &pos, &record)
         && tap_below(5);
         /* void */)
    {
        cut = pos;
    }

    run.journal_len = cut;
    pass = pass && (cut == 0 || fold_run(&run, doc.text, doc.len, 100)
                                == ART_FOLD_OK);
    run.journal_len = len;

    if (cut > 0) {
        memcpy(doc.text, run.out, run.out_len);
        doc.len = run.out_len;
    }

    pass = pass && fold_run(&run, doc.text, doc.len, 100) == ART_FOLD_OK;

    a = json_loadb(once->text, once->len, 0, NULL);
    b = json_loadb(run.out, run.out_len, 0, NULL);
    pass = pass && json_equal(a, b);
    json_decref(a);
    json_decref(b);

    if (!pass) {
        diag_mem("once", once->text, once->len);
        diag_mem("twice", run.out, run.out_len);
    }

    /* and the very same bytes, the whole journal once more */

    memcpy(once->text, run.out, run.out_len);
    once->len = run.out_len;

    pass = pass && fold_run(&run, once->text, once->len, 100) == ART_FOLD_OK
           && run.out_len == once->len
           && memcmp(run.out, once->text, once->len) == 0;

    free(once);

    return pass;
}


int
main(void)
{
    unsigned  i, right, again;

    right = 0;
    again = 0;

    for (i = 0; i < CASES; i++) {
        make_document();
        make_journal(FOLD_T0);
        right += check_case() == 1;
        again += check_again() == 1;
    }

    is_int(right, CASES, "as the model has it, in any pieces");
    is_int(again, CASES, "and the same when it is folded again");

    fold_free(&run);

    return done();
}
