
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Answers in a format: the rows of art_format_table.h filled in.  A body
 * streams between a template's head and its tail.
 */


#ifndef ART_FORMAT_H_INCLUDED_
#define ART_FORMAT_H_INCLUDED_


#include "core/format/art_format_table.h"
#include "core/render/art_view.h"


typedef enum {
    ART_FORM_BASE64 = 0,
    ART_FORM_TEXT,           /* inside of a JSON string */
    ART_FORM_JSON,           /* a JSON value, as it is */
    ART_FORM_DESCRIBED,      /* a description in place of the content */
    ART_FORM_KEPT            /* no template: an answer rendered before */
} art_form_t;


/*
 * The form of an answer; "json" asks for a JSON value where one is known.  A
 * binary that the format has no part for is described.
 */

art_form_t art_format_form(const art_format_t *format, const art_view_t *view,
    unsigned json);


/* The template of a form of that view. */

const char *art_format_template(const art_format_t *format, art_form_t form,
    const art_view_t *view);


/*
 * Writes what stands before and after the body of a form.  The tail is written
 * when the body has ended, since it tells whether a text was cut.  A template
 * without a body is all head.
 */

void art_format_head(art_out_t *out, const art_format_t *format,
    art_form_t form, const art_view_t *view);
void art_format_tail(art_out_t *out, const art_format_t *format,
    art_form_t form, const art_view_t *view);


/* The JSON escaping level of a text body (art_json_escape()); 0: none. */

unsigned art_format_body_level(const char *form);


#endif /* ART_FORMAT_H_INCLUDED_ */
