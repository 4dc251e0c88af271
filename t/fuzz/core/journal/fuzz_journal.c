
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * libFuzzer target.  The input is a journal; checksums are mended, so that
 * the code after them is reached.  The whole records encode to the same
 * bytes, and apply to any of their paths.
 */


#include <stdlib.h>

#include "core/base/art_bytes.h"
#include "core/journal/art_journal.h"


#define check(cond)  do { if (!(cond)) { abort(); } } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
fuzz_mend(uint8_t *p, size_t size)
{
    size_t  len;

    while (size >= ART_JOURNAL_HEAD) {
        len = (size_t) art_bytes_get(p + 4, 4);

        if (len < ART_JOURNAL_HEAD || len > size) {
            return;
        }

        (void) art_bytes_put(p + 8, art_journal_sum(p + 16, len - 16), 8);

        p += len;
        size -= len;
    }
}


static void
fuzz_path(art_str_t journal, art_str_t path)
{
    art_meta_t             meta;
    art_meta_status_t      status;
    art_journal_record_t   last;

    check(art_journal_find(journal, path, &last));

    memset(&meta, 0, sizeof(meta));
    status = art_journal_apply(journal, path, ART_META_ABSENT, &meta);

    check(status == (last.op == ART_JOURNAL_PUT ? ART_META_OK
                                                : ART_META_ABSENT));

    status = art_journal_apply(journal, path, status, &meta);

    check(status == (last.op == ART_JOURNAL_PUT ? ART_META_OK
                                                : ART_META_ABSENT));
    art_meta_free(&meta);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t                 pos, start, len;
    uint8_t               *copy, buf[ART_JOURNAL_RECORD_MAX];
    uint64_t               after;
    art_journal_clock_t    clock;
    unsigned               n;
    art_str_t              journal;
    art_journal_record_t   record;

    if (size == 0) {
        return 0;
    }

    /* a copy of its own, so that one byte too many is seen */

    copy = malloc(size);
    memcpy(copy, data, size);
    fuzz_mend(copy, size);
    journal = art_str(copy, size);

    pos = 0;
    n = 0;

    for (start = 0; art_journal_next(journal, &pos, &record); start = pos) {
        check(pos > start && pos <= size);

        len = art_journal_encode(buf, &record);
        check(len > 0 && len <= pos - start);

        if (record.op != ART_JOURNAL_CLOCK && n++ < 8) {
            fuzz_path(journal, record.path);
        }
    }

    after = 0;
    memset(&clock, 0, sizeof(clock));

    check(pos == start
          && art_journal_clock_read(&clock, journal, &after) == pos);
    check(clock.low <= clock.from && clock.from <= clock.last);
    check(art_journal_clock_next(&clock, 5, after) > after);

    free(copy);

    return 0;
}
