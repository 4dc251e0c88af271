
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Times as text, in the form of sidecars.
 */


#ifndef ART_TIME_H_INCLUDED_
#define ART_TIME_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_TIME_LEN  24
#define ART_TIME_MAX  253402300799999    /* the end of the year 9999 */


/*
 * Writes milliseconds since 1970 (UTC) as ECMAScript's toISOString() does,
 * "2026-01-01T00:00:00.000Z": ART_TIME_LEN characters without a terminating
 * zero.  Times after the year 9999 become its last millisecond.
 */

void art_time_print(uint8_t *dst, uint64_t ms);


/*
 * Reads back what art_time_print() writes; ART_ERROR for any other text, and
 * for a date that does not exist.
 */

int art_time_parse(art_str_t text, uint64_t *ms);


#endif /* ART_TIME_H_INCLUDED_ */
