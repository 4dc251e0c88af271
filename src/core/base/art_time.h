
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Times as text, in the form of sidecars, and ids that are made of them: UUIDs
 * of version 7 (RFC 9562, section 5.7).
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


/*
 * Reads any time of RFC 3339, section 5.6: "t" and "z" in any case, a fraction
 * of any length or none (what is less than a millisecond is dropped), an offset
 * instead of "Z".  A leap second is the last millisecond of its minute; what
 * is not after 1970 began is 1.  ART_ERROR, and *ms 0, for any other text and
 * for a date that does not exist.
 */

int art_time_read(art_str_t text, uint64_t *ms);


#define ART_UUID_LEN     36
#define ART_UUID_RANDOM  8       /* bytes of randomness for one id */
#define ART_UUID_VERSION 14      /* where its digit is */


/*
 * Writes a UUID as ART_UUID_LEN characters, lower-case, without a terminating
 * zero.  "now" is in nanoseconds since 1970 (UTC): its milliseconds become the
 * first 48 bits, and the fraction of the millisecond becomes the 12 bits after
 * the version (section 6.2, method 3).  "random" points to ART_UUID_RANDOM
 * bytes of a cryptographic source, of which 62 bits are used.
 *
 * *last belongs to the process and starts as 0.  Ids made with the same *last
 * are strictly ascending, also as text, even if the clock stops or goes back by
 * less than a day; a clock that was further ahead is followed (section 6.2,
 * "Clock Rollback").  The random bits keep ids apart then, as they do between
 * processes.
 */

void art_uuid_v7(uint8_t *dst, uint64_t *last, uint64_t now,
    const uint8_t *random);


/* The same of version 8: 16 bytes with version and variant set (RFC 9562). */

void art_uuid_v8(uint8_t *dst, const uint8_t *bytes);


#endif /* ART_TIME_H_INCLUDED_ */
