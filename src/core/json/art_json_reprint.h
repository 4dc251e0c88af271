
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Printing JSON texts anew without building a tree of them.
 */


#ifndef ART_JSON_REPRINT_H_INCLUDED_
#define ART_JSON_REPRINT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes a sound JSON text (art_json_scan.h) with other white space: none, or
 * like JSON.stringify(value, null, indent) within "depth" objects or arrays.
 * Strings and numbers stay as they are written.  Linear in the text, whatever
 * is written of it.
 */

void art_json_reprint(art_out_t *out, art_str_t text, unsigned indent,
    unsigned depth);


/* A new line of JSON text, with the spaces before a value of that depth. */

void art_json_line(art_out_t *out, unsigned indent, unsigned depth);


#endif /* ART_JSON_REPRINT_H_INCLUDED_ */
