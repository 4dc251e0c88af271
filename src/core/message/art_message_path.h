
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * What the path of a request tells: the API, and for some the model.
 */


#ifndef ART_MESSAGE_PATH_H_INCLUDED_
#define ART_MESSAGE_PATH_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/message/art_message_table.h"


/*
 * The API that a path, as it stands in the request line without its query, is
 * of; NULL: none.  *versioned tells that it is only if the body has
 * anthropic_version (art_scan_t).  A slash at the end does not matter.
 */

const art_message_api_t *art_message_path_api(art_str_t path,
    unsigned *versioned);


/*
 * The model that a path names, percent-decoded into "buf", which has room for
 * path.len bytes: "models/{m}:", "tunedModels/{m}:", "deployments/{d}",
 * "/model/{id}/", of an ARN its resource.  Empty if there is none.
 */

art_str_t art_message_path_model(art_str_t path, uint8_t *buf);


#endif /* ART_MESSAGE_PATH_H_INCLUDED_ */
