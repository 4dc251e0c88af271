
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers in a format: the rows of art_api_format.h filled in, with file
 * names as providers ask for them.  A body streams between a template's head
 * and its tail.
 */


#ifndef ART_FORMAT_H_INCLUDED_
#define ART_FORMAT_H_INCLUDED_


#include "core/api/art_api_format.h"
#include "core/render/art_view.h"


typedef enum {
    ART_FORM_BASE64 = 0,
    ART_FORM_TEXT,           /* inside of a JSON string */
    ART_FORM_JSON,           /* a JSON value, as is */
    ART_FORM_DESCRIBED,      /* a description in place of the content */
    ART_FORM_URL,            /* its URL in place of the content */
    ART_FORM_CACHED          /* no template: an answer rendered before */
} art_form_t;


/*
 * The form of an answer; "json" asks for a JSON value if the format has one.
 * A binary that the format has no part for is described.
 */

art_form_t art_format_form(const art_format_t *format, const art_view_t *view,
    unsigned json);


/*
 * Writes what comes before the body of a form or, with "tail", what comes after
 * it.  The tail is written when the body has ended, since it says whether a
 * text was cut.  A template without a body is all head.  Returns the JSON
 * escaping level of the body (art_json_escape()); 0: none.
 */

unsigned art_format_print(art_out_t *out, const art_format_t *format,
    art_form_t form, const art_view_t *view, unsigned tail);


/*
 * Writes view->name, which is one line already, as a rule requires, escaped for
 * a JSON string of that level (art_json_escape()).
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


#endif /* ART_FORMAT_H_INCLUDED_ */
