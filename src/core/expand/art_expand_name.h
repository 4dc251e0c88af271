
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * The model that a request names whose body is not examined otherwise: one in
 * JSON, or a form (RFC 7578), as those of OpenAI's Images are.
 */


#ifndef ART_EXPAND_NAME_H_INCLUDED_
#define ART_EXPAND_NAME_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/json/art_json_lex.h"


#define ART_NAME_MAX           256   /* of a model; longer ones do not count */
#define ART_NAME_LINE_MAX      256   /* of a header's line that is read */
#define ART_NAME_BOUNDARY_MAX  70    /* RFC 2046, section 5.1.1 */


typedef enum {
    ART_NAME_JSON = 0,
    ART_NAME_BODY,               /* of a part, up to a boundary */
    ART_NAME_BOUNDARY,           /* the rest of its line */
    ART_NAME_LINE,               /* of a part's header */
    ART_NAME_OVER
} art_name_state_t;


/* All of it is private. */

typedef struct {
    art_name_state_t     state;
    art_lex_t            lex;
    unsigned             depth;
    unsigned             is_model:1;     /* the current key or part */
    unsigned             too_long:1;
    uint8_t              boundary[ART_NAME_BOUNDARY_MAX + 4];
    size_t               boundary_len;   /* with CR LF "--" before it */
    size_t               matched;        /* bytes of it */
    uint8_t              line[ART_NAME_LINE_MAX];
    size_t               line_len;
    uint8_t              value[ART_NAME_MAX];
    size_t               value_len;
    uint8_t              model[ART_NAME_MAX];
    size_t               model_len;
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
