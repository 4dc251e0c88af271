
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Removing white space from JSON texts, without building a tree.
 */


#ifndef ART_JSON_COMPACT_H_INCLUDED_
#define ART_JSON_COMPACT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes a valid JSON text (art_json_scan.h) without the white space outside of
 * its strings, and without any other change.  Linear in the text.
 */

void art_json_compact(art_out_t *out, art_str_t text);


#endif /* ART_JSON_COMPACT_H_INCLUDED_ */
