
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of models: the same model is called "gpt-4o", "openai/gpt-4o",
 * "azure/eu/gpt-4o-2024-08-06" or "openai/gpt-4o:free".
 */


#ifndef ART_MODEL_H_INCLUDED_
#define ART_MODEL_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_MODEL_NAME_MAX  255      /* longer names are not reduced */
#define ART_MODEL_KEYS_MAX  72


/*
 * A part of a name that names the same model, behind the name's provider or
 * without it, and what was dropped: the sum of
 *
 *     1 to 7   components of the path ("azure/eu/"; the provider kept: "eu/")
 *     8        a region of Amazon Bedrock ("us.")
 *     16       a vendor of Amazon Bedrock ("anthropic.")
 *     32       a variant (":free", "@default")
 *     64       a version of Amazon Bedrock ("-v1:0", "-v1:0:28k")
 *     128      a date ("-2024-08-06", "-20241022", "@20240620") or "-latest"
 *
 * so that of two names the one with the smaller sum says more.
 */

typedef struct {
    uint8_t  provider;   /* bytes kept of the name's beginning, "azure/" */
    uint8_t  start;
    uint8_t  len;
    uint8_t  dropped;
} art_model_key_t;


/*
 * Writes the parts of a name, the whole one first, and returns their number;
 * 0 for a name that is empty or longer than ART_MODEL_NAME_MAX.  Never drops
 * what tells one model from another: "gpt-4o" is no part of "gpt-4o-mini",
 * nor "llama3" of "llama3:70b".  The forms are those of docs/capabilities.md.
 */

unsigned art_model_keys(art_str_t name, art_model_key_t *keys);


/* The text of a key: in the name itself, or put together in "buf". */

art_str_t art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX]);


#endif /* ART_MODEL_H_INCLUDED_ */
