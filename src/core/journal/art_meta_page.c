
/*
 * Copyright (C) ngx_artifact_module authors
 */


#include <stdlib.h>

#include "core/json/art_json_members.h"
#include "core/ref/art_id.h"
#include "core/meta/art_meta_int.h"
#include "core/journal/art_journal.h"
#include "core/journal/art_meta_page.h"


static int art_meta_wanted_cmp(const void *a, const void *b);
static int art_meta_match(art_str_t files, art_meta_wanted_t *wanted,
    size_t n);
static art_meta_wanted_t *art_meta_first(art_meta_wanted_t *wanted, size_t n,
    art_str_t key);
static void art_meta_select(art_str_t journal, art_meta_wanted_t *wanted,
    size_t n, uint8_t *buf);


void
art_meta_sort(art_meta_wanted_t *wanted, size_t n)
{
    qsort(wanted, n, sizeof(art_meta_wanted_t), art_meta_wanted_cmp);
}


static int
art_meta_wanted_cmp(const void *a, const void *b)
{
    return art_str_cmp(((const art_meta_wanted_t *) a)->key,
                       ((const art_meta_wanted_t *) b)->key);
}


int
art_meta_find(art_str_t text, art_meta_wanted_t *wanted, size_t n)
{
    int                 rc;
    size_t              i;
    art_str_t           files;
    art_meta_status_t   status;

    for (i = 0; i < n; i++) {
        wanted[i].entry = art_str(NULL, 0);
    }

    status = art_meta_files(text, &files);

    rc = status == ART_META_OK ? art_meta_match(files, wanted, n)
         : status == ART_META_ABSENT ? ART_OK : ART_ERROR;

    for (i = 0; i < n; i++) {

        if (rc != ART_OK) {
            wanted[i].entry = art_str(NULL, 0);

        } else if (i > 0 && art_str_eq(wanted[i].key, wanted[i - 1].key)) {

            /* only the first of equal keys has got the entry */

            wanted[i].entry = wanted[i - 1].entry;
        }
    }

    return rc;
}


static int
art_meta_match(art_str_t files, art_meta_wanted_t *wanted, size_t n)
{
    int                  rc;
    uint8_t              buf[ART_ID_PATH_MAX];
    art_str_t            key, value;
    art_meta_wanted_t   *first;
    art_json_members_t   members;

    if (art_json_members(&members, files) != ART_OK) {
        return ART_ERROR;
    }

    while ((rc = art_json_next(&members, &key, &value)) == 1) {

        /* a malformed or longer key is not among the wanted ones */

        if (art_json_key(key, buf, sizeof(buf), &key) != ART_OK) {
            continue;
        }

        first = art_meta_first(wanted, n, key);

        if (first != NULL) {
            first->entry = value;
        }
    }

    return rc;
}


/* The first item that wants this key, or NULL. */

static art_meta_wanted_t *
art_meta_first(art_meta_wanted_t *wanted, size_t n, art_str_t key)
{
    size_t  low, high, mid;

    low = 0;
    high = n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (art_str_cmp(wanted[mid].key, key) < 0) {
            low = mid + 1;

        } else {
            high = mid;
        }
    }

    return low < n && art_str_eq(wanted[low].key, key) ? &wanted[low] : NULL;
}


void
art_meta_records(const art_str_t *journals, size_t njournals,
    art_meta_wanted_t *wanted, size_t n, uint8_t *buf)
{
    size_t    i;
    uint8_t  *p;

    p = buf;

    for (i = 0; i < n; i++) {
        wanted[i].records = art_str(NULL, 0);
    }

    for (i = 0; i < njournals; i++) {
        art_meta_select(journals[i], wanted, n, NULL);
    }

    for (i = 0; i < n; i++) {
        wanted[i].records.data = p;
        p += wanted[i].records.len;
        wanted[i].records.len = 0;
    }

    for (i = 0; i < njournals; i++) {
        art_meta_select(journals[i], wanted, n, buf);
    }

    for (i = 1; i < n; i++) {
        if (art_str_eq(wanted[i].key, wanted[i - 1].key)) {
            wanted[i].records = wanted[i - 1].records;
        }
    }
}


/* Measures the records of each key ("buf" is NULL) or collects them. */

static void
art_meta_select(art_str_t journal, art_meta_wanted_t *wanted, size_t n,
    uint8_t *buf)
{
    size_t                 pos, start;
    art_str_t             *records;
    art_meta_wanted_t     *first;
    art_journal_record_t   record;

    pos = 0;
    start = 0;

    for ( /* void */ ; art_journal_next(journal, &pos, &record); start = pos) {

        first = record.op != ART_JOURNAL_CLOCK
                ? art_meta_first(wanted, n, record.path) : NULL;

        if (first == NULL) {
            continue;
        }

        records = &first->records;

        if (buf != NULL) {
            memcpy(buf + (records->data - buf) + records->len,
                   journal.data + start, pos - start);
        }

        records->len += pos - start;
    }
}
