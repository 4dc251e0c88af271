
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * File names as providers ask for them.
 */


#ifndef ART_FILENAME_H_INCLUDED_
#define ART_FILENAME_H_INCLUDED_


#include "core/api/art_api_format.h"
#include "core/render/art_view.h"


/*
 * Writes view->name, one line already, as a rule asks for it, escaped for a
 * JSON string of that level (art_json_escape()).
 *
 * ART_FILENAME_EXTENSION appends the media type's first extension where the
 * name has none of its extensions.
 *
 * ART_FILENAME_PLAIN makes it at most rule->max (24 or more) ASCII letters,
 * digits, single spaces, "-", "(", ")", "[" and "]", as the name of a Bedrock
 * document has to be (API_runtime_DocumentBlock): everything else becomes a
 * hyphen, and a hash of the id in brackets follows, since names must be unique
 * in a request.
 */

void art_filename_print(art_out_t *out, const art_filename_rule_t *rule,
    const art_view_t *view, unsigned level);


#endif /* ART_FILENAME_H_INCLUDED_ */
