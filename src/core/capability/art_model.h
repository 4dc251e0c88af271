
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of models: the same model is called "gpt-4o", "openai/gpt-4o",
 * "azure/eu/gpt-4o-2024-08-06" or "openai/gpt-4o:free".
 */


#ifndef ART_MODEL_H_INCLUDED_
#define ART_MODEL_H_INCLUDED_


#include "core/base/art_core.h"
#include "core/capability/art_spelling.h"


#define ART_MODEL_KEYS_MAX  72


/*
 * A part of a name that names the same model, behind the name's provider or
 * without it, and what was dropped: the sum of
 *
 *     4 to 28   components of the path ("azure/eu/"; the provider kept: "eu/")
 *     256       a region of Amazon Bedrock ("us.")
 *     512       a vendor of Amazon Bedrock ("anthropic."), or "ft:"
 *     1024      a variant (":free", "@default"), or a fine-tuned model's own
 *               name (":acme::id")
 *     2048      a version of Amazon Bedrock ("-v1:0", "-v1:0:28k", "-v1")
 *     4096      a date ("-2024-08-06", "-20241022", "-06-05") or "-latest"
 *
 * so that of two names the one with the smaller sum says more.
 */

typedef struct {
    uint8_t   provider;      /* bytes kept of the name's beginning, "azure/" */
    uint8_t   start;
    uint8_t   len;
    uint16_t  dropped;
} art_model_key_t;


/*
 * Writes the parts of a name as art_spelling() spells it, the whole one first,
 * and returns their number; 0 for a name that is empty or longer than
 * ART_MODEL_NAME_MAX.  Never drops what tells one model from another: "gpt-4o"
 * is no part of "gpt-4o-mini", nor "llama3" of "llama3:70b".  The forms are
 * those of docs/capabilities.md.
 */

unsigned art_model_keys(art_str_t name, art_model_key_t *keys);


/*
 * What it costs that a name of a map has more than the key, which is what
 * others ask for: the same sum, but for the components of the path.  Those of
 * a name that is asked for tell where the model runs; those of a name in a map
 * tell who is talking of it, and resellers know less of a model than others.  A
 * provider costs more than all components that are dropped of what is asked
 * for, 36, unless it makes models ("openai/"), 8; what stands behind it ("eu/")
 * 4 each.  A multiple of 4, below ART_MODEL_LISTED_MAX.
 *
 * art_model_is_sold() tells of such a sum whether a provider was dropped that
 * makes no models.
 */

#define ART_MODEL_LISTED_MAX  8192

unsigned art_model_listed(art_str_t name, const art_model_key_t *key);
int art_model_is_sold(unsigned listed);


/* The text of a key: in the name itself, or put together in "buf". */

art_str_t art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX]);


#endif /* ART_MODEL_H_INCLUDED_ */
