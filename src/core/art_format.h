
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The table of output formats.  A format is a row of templates, one for each
 * form that an artifact can take in it; a body streams between a template's
 * head and its tail.  A new format is a new row.
 */


#ifndef ART_FORMAT_H_INCLUDED_
#define ART_FORMAT_H_INCLUDED_


#include "art_view.h"


typedef enum {
    ART_FORM_IMAGE = 0,      /* base64 */
    ART_FORM_FILE,           /* base64 */
    ART_FORM_TEXT,           /* inside of a JSON string */
    ART_FORM_JSON,           /* a JSON value, as it is */
    ART_FORM_DESCRIBED,      /* a description in place of the content */
    ART_FORM_MAX
} art_form_t;


#define ART_FORMAT_PROGRAM  0x01     /* for programs, not models */
#define ART_FORMAT_CALL_ID  0x02     /* depends on the tool call id */


typedef struct {
    const char  *name;
    unsigned     flags;              /* ART_FORMAT_* */
    const char  *forms[ART_FORM_MAX];    /* NULL: the form is not used */
} art_format_t;


/* The row of a name, or NULL; by number, NULL past the end. */

const art_format_t *art_format_find(art_str_t name);
const art_format_t *art_format_row(unsigned i);


/* The form of an answer; "json" asks for a JSON value where one is known. */

art_form_t art_format_form(const art_format_t *format, const art_view_t *view,
    unsigned json);


/* Whether the form is encoded in base64. */

int art_form_is_base64(art_form_t form);


/*
 * Writes what stands before and after the body.  The tail is written when
 * the body has ended, since it tells whether a text was cut.  A template
 * without a body is all head.
 */

void art_format_head(art_out_t *out, const char *form, const art_view_t *view);
void art_format_tail(art_out_t *out, const char *form, const art_view_t *view);


/* The JSON escaping level of a text body (art_json_escape()); 0: none. */

unsigned art_format_body_level(const char *form);


#endif /* ART_FORMAT_H_INCLUDED_ */
