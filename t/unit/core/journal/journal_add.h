
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Journals in memory, for the tests of what reads them.
 */


#ifndef ART_JOURNAL_ADD_H_INCLUDED_
#define ART_JOURNAL_ADD_H_INCLUDED_


#include <string.h>

#include "core/journal/art_journal.h"


/* Appends a record; "journal" has room for ART_JOURNAL_RECORD_MAX more. */

static inline void
journal_add(uint8_t *journal, size_t *len, art_journal_op_t op,
    const char *path, const char *mime, uint64_t time, const char *agent,
    const char *message)
{
    art_journal_record_t  record;

    memset(&record, 0, sizeof(record));

    record.op = op;
    record.time = time;
    record.path = art_cstr(path);
    record.mime = art_cstr(mime);
    record.agent_id = art_cstr(agent);
    record.message_id = art_cstr(message);

    *len += art_journal_encode(journal + *len, &record);
}


#endif /* ART_JOURNAL_ADD_H_INCLUDED_ */
