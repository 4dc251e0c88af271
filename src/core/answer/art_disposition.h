
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The Content-Disposition header.
 */


#ifndef ART_DISPOSITION_H_INCLUDED_
#define ART_DISPOSITION_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes the header's value (RFC 6266): "inline" or "attachment" with
 * filename="..", for all clients, and with filename*=UTF-8''.. (RFC 8187) where
 * the name is not plain ASCII.  "name" is one line of valid UTF-8
 * (art_utf8_name()); path separators become "_".
 */

void art_disposition(art_out_t *out, art_str_t name, unsigned attachment);


/*
 * Finds the file name in a header's value: filename*= (RFC 8187, UTF-8 only),
 * else filename=, quoted or a token, its last path component.  Writes it to
 * "dst", room for value.len bytes; the result is empty if there is none.
 */

art_str_t art_disposition_name(art_str_t value, uint8_t *dst);


#endif /* ART_DISPOSITION_H_INCLUDED_ */
