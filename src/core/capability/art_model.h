
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
#define ART_MODEL_KEYS_MAX  90


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
 *     4096      a date ("-2024-08-06", "-20241022", "-06-05", "-09-2025")
 *     4224      "-latest", which has ART_MODEL_LATEST set
 *     8192      "-preview" before a date of the last two forms
 *
 * so that of two parts the one with the smaller sum says more.
 * ART_MODEL_SUFFIX masks the sum without the components of the path.
 */

#define ART_MODEL_LATEST  128
#define ART_MODEL_SUFFIX  0xff80

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
 * Whether "provider" makes the models of that name, or only sells them: 0 if it
 * is not their maker, ART_MODEL_MAKER if it is, ART_MODEL_CLOUD if it is a
 * cloud of the maker or its service for another region.  The name is a spelled
 * one without a path, the provider one of LiteLLM's (litellm_provider), of
 * models.dev's, or of OpenRouter's (the first component of an id).
 */

#define ART_MODEL_MAKER  1
#define ART_MODEL_CLOUD  2

unsigned art_model_maker(art_str_t name, art_str_t provider);


/* The text of a key: a part of the name itself, or composed in "buf". */

art_str_t art_model_key_text(art_str_t name, const art_model_key_t *key,
    uint8_t buf[ART_MODEL_NAME_MAX]);


#endif /* ART_MODEL_H_INCLUDED_ */
