
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The input is a journal in words, a line for each record
 * up to an empty line, then the document.  What art_json_valid() takes as an
 * object is folded, in any pieces, to the same sound document, which folds to
 * itself.
 */


#include <stdlib.h>

#include "core/journal/fold_run.h"

#include "core/json/art_json_scan.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static fold_run_t  run;


/* "-path" is a delete, "=path" a put without an author, "path" one with. */

static size_t
fuzz_journal(const uint8_t *data, size_t size)
{
    size_t                 i, len;
    const uint8_t         *lf;
    art_journal_record_t   record;

    fold_reset(&run);
    memset(&record, 0, sizeof(record));

    record.time = FOLD_T0;
    record.mime = art_cstr("x/y");
    record.message_id = art_cstr("m");

    for (i = 0; i < size; i += len + 1) {
        lf = memchr(data + i, '\n', size - i);
        len = lf ? (size_t) (lf - data) - i : size - i;

        if (len == 0) {
            return i + 1;
        }

        record.time++;
        record.op = data[i] == '-' ? ART_JOURNAL_DELETE : ART_JOURNAL_PUT;
        record.agent_id = art_cstr(data[i] == '=' ? "" : "A");
        record.path = art_str(data + i, len);

        if (data[i] == '-' || data[i] == '=') {
            record.path.data++;
            record.path.len--;
        }

        if (sizeof(run.journal) - run.journal_len >= ART_JOURNAL_RECORD_MAX) {
            run.journal_len += art_journal_encode(run.journal
                                                  + run.journal_len, &record);
        }
    }

    return size;
}


/* Every path of the journal has the entry that its last record says. */

static void
fuzz_paths(const char *out, size_t len)
{
    size_t                 pos;
    art_meta_t             meta;
    art_meta_status_t      status;
    art_journal_record_t   record, last;

    pos = 0;

    while (art_journal_next(art_str(run.journal, run.journal_len), &pos,
                            &record))
    {
        (void) art_journal_find(art_str(run.journal, run.journal_len),
                                record.path, &last);

        status = art_meta_parse_key(art_str(out, len), record.path, 0, &meta);

        check(status == (last.op == ART_JOURNAL_PUT ? ART_META_OK
                                                    : ART_META_ABSENT));

        if (status == ART_META_OK) {
            check(art_str_eq(meta.mime, last.mime));
        }

        art_meta_free(&meta);
    }
}


/* Every member is where it is said to be. */

static void
fuzz_index(void)
{
    size_t                   i;
    uint8_t                 *text;
    art_meta_t               meta;
    art_meta_index_entry_t  *entry;

    for (i = 0; i < run.index.count; i++) {
        entry = &run.index.entries[i];
        check(entry->offset + entry->len <= run.out_len);

        text = malloc(entry->len + 2);
        text[0] = '{';
        memcpy(text + 1, run.out + entry->offset, entry->len);
        text[entry->len + 1] = '}';

        check(art_json_valid(text, entry->len + 2));
        check(art_meta_parse_member(art_str(text, entry->len + 2),
                                    art_cstr("no such key"), 0, &meta)
              == ART_META_ABSENT);
        free(text);
    }
}


static int
fuzz_blank(const char *doc, size_t size)
{
    while (size > 0 && *doc != '\0' && strchr(" \t\r\n", *doc) != NULL) {
        doc++;
        size--;
    }

    return size == 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char               *once;
    size_t              len, skip, piece;
    const char         *doc;
    art_fold_status_t   status;

    skip = fuzz_journal(data, size);
    skip = skip < size ? skip : size;
    doc = (const char *) data + skip;
    size -= skip;

    piece = 1 + size / 3;
    status = fold_run(&run, doc, size, piece);

    check(status == ART_FOLD_OK || status == ART_FOLD_CORRUPT);

    if (status == ART_FOLD_CORRUPT) {
        check(run.out_len == 0);
        check(fold_run(&run, doc, size, 1 + size / 200) == ART_FOLD_CORRUPT);
        return 0;
    }

    len = run.out_len;
    once = malloc(len + 1);
    memcpy(once, run.out, len);

    check(art_json_valid((uint8_t *) once, len));
    check(fuzz_blank(doc, size)
          || art_json_valid((const uint8_t *) doc, size));

    fuzz_paths(once, len);
    fuzz_index();

    check(fold_run(&run, doc, size, 1 + size / 200) == ART_FOLD_OK);
    check(run.out_len == len && memcmp(run.out, once, len) == 0);

    check(fold_run(&run, once, len, piece) == ART_FOLD_OK);
    check(run.out_len == len && memcmp(run.out, once, len) == 0);

    free(once);

    return 0;
}
