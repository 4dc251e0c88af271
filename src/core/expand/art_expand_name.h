
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The model that a request names whose body is not examined otherwise: one in
 * JSON, or a form (RFC 7578), as those of OpenAI's Images are.
 */


#ifndef ART_EXPAND_NAME_H_INCLUDED_
#define ART_EXPAND_NAME_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/form/art_multipart.h"
#include "core/json/art_json_lex.h"


#define ART_NAME_MAX  256        /* of a model; longer ones do not count */


/* All of it is private. */

typedef struct {
    unsigned             depth;
    unsigned             is_form:1;
    unsigned             is_model:1;     /* the current key or part */
    size_t               value_len;      /* of a form */
    size_t               model_len;
    uint8_t              value[ART_NAME_MAX];
    uint8_t              model[ART_NAME_MAX];
    art_lex_t            lex;
    art_multipart_t      form;
} art_name_t;


/*
 * Begins, by the value of Content-Type; ART_ERROR if that is neither a media
 * type of JSON ("json") nor multipart/form-data with a boundary: there will be
 * no model.  "name" must not be moved.
 */

int art_name_init(art_name_t *name, art_str_t type, unsigned json);


/* Takes the next piece of the body; the time is linear in its length. */

void art_name_feed(art_name_t *name, const uint8_t *p, size_t len);


/*
 * The model that the body has named so far: in JSON the last "model" of the
 * outermost object, in a form the first part "model"; empty if it named none.
 */

art_str_t art_name_model(const art_name_t *name);


#endif /* ART_EXPAND_NAME_H_INCLUDED_ */
