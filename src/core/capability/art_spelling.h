
/*
 * Copyright (C) ngx_artifact_module authors
 *
 * Spellings of models' names: "OpenAI:GPT-4o" is "openai/gpt-4o", and
 * "x-ai/grok-4.1" is "xai/grok-4-1".
 */


#ifndef ART_SPELLING_H_INCLUDED_
#define ART_SPELLING_H_INCLUDED_


#include "core/base/art_core.h"


#define ART_MODEL_NAME_MAX  255      /* bytes; longer names are not reduced */


/*
 * Writes the common form of all spellings of a name to "buf" and returns it.
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

art_str_t art_spelling(art_str_t name, uint8_t buf[ART_MODEL_NAME_MAX]);


/*
 * Whether a provider, spelled as above, makes models rather than only selling
 * those of others.
 */

int art_spelling_is_maker(art_str_t provider);


#endif /* ART_SPELLING_H_INCLUDED_ */
