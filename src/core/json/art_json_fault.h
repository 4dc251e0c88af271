
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Where a text stops being JSON, for people.
 */


#ifndef ART_JSON_FAULT_H_INCLUDED_
#define ART_JSON_FAULT_H_INCLUDED_


#include "core/base/art_core.h"


/* Line and column count bytes from 1, "byte" from 0. */

typedef struct {
    size_t    line;
    size_t    column;
    size_t    byte;
} art_json_fault_t;


/*
 * ART_OK if a text is one value by the rules of art_json_scan(); else ART_ERROR
 * with the place of the first byte that cannot follow, or of the end of a text
 * that is cut.  Linear.
 */

int art_json_fault(art_str_t text, art_json_fault_t *place);


#endif /* ART_JSON_FAULT_H_INCLUDED_ */
