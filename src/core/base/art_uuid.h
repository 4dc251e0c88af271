
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Ids of new artifacts: UUIDs of version 7 (RFC 9562, section 5.7).
 */


#ifndef ART_UUID_H_INCLUDED_
#define ART_UUID_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_UUID_LEN     36
#define ART_UUID_RANDOM  8       /* bytes of randomness for one id */


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


#endif /* ART_UUID_H_INCLUDED_ */
