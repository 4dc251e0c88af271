
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Names of models: the same model is called "gpt-4o", "openai/gpt-4o",
 * "azure/eu/gpt-4o-2024-08-06" or "openai/gpt-4o:free".
 */


#ifndef ART_MODEL_H_INCLUDED_
#define ART_MODEL_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_MODEL_NAME_MAX  255      /* bytes; longer names are not reduced */
#define ART_MODEL_KEYS_MAX  72


/*
 * Writes the common form of all spellings of a name to "buf" and returns it:
 * "OpenAI:GPT-4o" is "openai/gpt-4o", and "x-ai/grok-4.1" is "xai/grok-4-1".
 * It is never longer than the name; empty for a name longer than
 * ART_MODEL_NAME_MAX.
 *
 *     letters become lower case
 *     a dot between digits, and an "@" before a digit, become dashes
 *     a provider before a slash gets one of the names that it has
 *     the colon after a known provider becomes a slash
 *
 * Providers are those of PydanticAI (providers of "provider:model"), LangChain
 * (init_chat_model()), LiteLLM (litellm_provider), models.dev and OpenRouter.
 */

art_str_t art_model_spell(art_str_t name, uint8_t buf[ART_MODEL_NAME_MAX]);


/*
 * A part of a name that names the same model, with the name's provider before
 * it or without, and the cost of what was dropped, the sum of
 *
 *     4 to 28   components of the path ("azure/eu/", or "eu/" if the provider
 *               is kept)
 *     256       a region of Amazon Bedrock ("us.")
 *     512       a vendor of Amazon Bedrock ("anthropic."), or "ft:"
 *     1024      a variant (":free", "@default"), or a fine-tuned model's own
 *               name (":acme::id")
 *     2048      a version of Amazon Bedrock ("-v1:0", "-v1:0:28k", "-v1")
 *     4096      a date ("-2024-08-06", "-20241022", "-06-05") or "-latest"
 *
 * so that of two parts the one with the smaller sum says more.
 */

typedef struct {
    uint8_t   provider;      /* bytes kept of the name's beginning, "azure/" */
    uint8_t   start;
    uint8_t   len;
    uint16_t  dropped;
} art_model_key_t;


/*
 * Finds the parts of a name that art_model_spell() has spelled, the whole name
 * first; returns their number, at most ART_MODEL_KEYS_MAX; 0 if the name is
 * empty or longer than ART_MODEL_NAME_MAX.  It never drops what distinguishes
 * models: "gpt-4o" is not a part of "gpt-4o-mini", nor "llama3" of
 * "llama3:70b".  The forms are those of docs/capabilities.md.
 */

unsigned art_model_keys(art_str_t name, art_model_key_t *keys);


/*
 * The cost of using a name of a map for the key, a part of it.  It is the same
 * sum, except for the components of the path.  In a requested name they say
 * where the model runs; in a map's name they say who describes it, and
 * resellers know less about a model than others.  A provider that makes models
 * ("openai/") costs 8; any other costs 36, more than all components dropped
 * from the requested name.  Each component after the provider ("eu/") costs 4.
 * The result is a multiple of 4 below ART_MODEL_LISTED_MAX.
 *
 * art_model_is_sold() returns whether such a sum includes a dropped provider
 * that makes no models.
 */

#define ART_MODEL_LISTED_MAX  8192

unsigned art_model_listed(art_str_t name, const art_model_key_t *key);
int art_model_is_sold(unsigned listed);


/* The text of a key: a part of the name itself, or composed in "buf". */

art_str_t art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX]);


#endif /* ART_MODEL_H_INCLUDED_ */
