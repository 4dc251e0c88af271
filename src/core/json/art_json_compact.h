
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * JSON texts without white space, and without building a tree of them.
 */


#ifndef ART_JSON_COMPACT_H_INCLUDED_
#define ART_JSON_COMPACT_H_INCLUDED_


#include "core/base/art_core.h"


/*
 * Writes a sound JSON text (art_json_scan.h) without the white space outside
 * of its strings.  All else stays as it is written.  Linear in the text.
 */

void art_json_compact(art_out_t *out, art_str_t text);


#endif /* ART_JSON_COMPACT_H_INCLUDED_ */
